//! What the page asks of the worker, and what comes back.
//!
//! ```text
//!   page   -- { id, request, files, buffers } -->  worker
//!   page  <-- { id, reply }                    --  worker, for `check` many replies under one id
//! ```
//!
//! Requests and replies are values; `files` and `buffers` are the browser's own objects and travel
//! beside them. Guids need all 64 bits, so integers cross as `BigInt` (see `wire.rs`).

use serde::{Deserialize, Serialize};
use tidepool::base::PoolError;
use tidepool::pool::ScanView;
use tidepool::view::{
    CheckView, DatasetView, ExplainView, FileView, HistoryView, MapView, ObjectView, PoolView,
    Progress, SegmentView, StripView, TreeNodeView, ZilView,
};

/// One question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    /// Forget what is open and open a pool from the objects that travel along.
    Open(OpenRequest),
    /// Every metaslab.
    Map,
    /// A stretch of one metaslab.
    Strip(StripRequest),
    /// One node of a range tree.
    TreeNode {
        /// Top-level vdev.
        vdev: u64,
        /// Metaslab.
        metaslab: u64,
        /// Child index at each level.
        path: Vec<u32>,
    },
    /// All data sets.
    Datasets,
    /// Objects of a data set.
    Objects {
        /// Data set, `mos` for the pool's own.
        dataset: String,
        /// First object number.
        from: u64,
        /// Most objects.
        limit: u32,
    },
    /// One object with its block pointers.
    Object {
        /// Data set.
        dataset: String,
        /// Object number.
        id: u64,
    },
    /// The entries of a directory.
    List {
        /// Data set.
        dataset: String,
        /// Directory.
        path: String,
    },
    /// Bytes of a file.
    Read {
        /// Data set.
        dataset: String,
        /// File; empty for a volume.
        path: String,
        /// First byte.
        offset: u64,
        /// Bytes.
        len: u32,
    },
    /// The pool history.
    History,
    /// Intent logs that hold something.
    Logs,
    /// Walk every block.
    Check {
        /// Metadata only.
        metadata_only: bool,
        /// Every copy.
        all_copies: bool,
    },
    /// Read a pasted text.
    Explain(String),
}

/// What to open.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenRequest {
    /// Names of the files or buffers that travel along, in order.
    pub names: Vec<String>,
    /// Pool to take when the devices hold several.
    pub guid: Option<u64>,
    /// Newest txg to take.
    pub txg: Option<u64>,
    /// A made-up pool instead of files, for measurements.
    pub bench: Option<u64>,
}

/// Which stretch, and how fine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StripRequest {
    /// Top-level vdev.
    pub vdev: u64,
    /// Metaslab.
    pub metaslab: u64,
    /// First byte.
    pub from: u64,
    /// Byte after the last.
    pub to: u64,
    /// Most cells.
    pub cells: u32,
    /// Most segments listed one by one.
    pub max_segments: u32,
}

/// One answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// The pool is open.
    Opened(Box<PoolView>),
    /// The devices hold several pools, or none: pick one, or read why.
    Choose(Box<ScanView>),
    /// Answer to [`Request::Map`].
    Map(MapView),
    /// Answer to [`Request::Strip`].
    Strip(StripView),
    /// Answer to [`Request::TreeNode`].
    TreeNode(TreeNodeView),
    /// Answer to [`Request::Datasets`].
    Datasets(Vec<DatasetView>),
    /// Answer to [`Request::Objects`].
    Objects(Vec<ObjectView>),
    /// Answer to [`Request::Object`].
    Object(Box<ObjectView>),
    /// Answer to [`Request::List`].
    List(Vec<FileView>),
    /// Answer to [`Request::Read`].
    Bytes(Vec<u8>),
    /// Answer to [`Request::History`].
    History(Vec<HistoryView>),
    /// Answer to [`Request::Logs`].
    Logs(Vec<ZilView>),
    /// On the way to [`Reply::Checked`].
    Progress(Progress),
    /// Answer to [`Request::Check`].
    Checked(Box<CheckView>),
    /// Answer to [`Request::Explain`].
    Explained(Box<ExplainView>),
    /// What was wrong.
    Failed(Failure),
}

/// A failure in the four parts that the page shows apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// `not_a_pool`, `unsupported`, `missing`, `damaged`, `io`, `encrypted`, `not_found`, `usage`
    /// or `bug`.
    pub kind: String,
    /// The place, outermost first; may be empty.
    pub place: String,
    /// What is wrong.
    pub message: String,
    /// What to do; may be empty.
    pub advice: String,
}

impl Failure {
    /// A request that makes no sense now.
    pub fn usage(message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            kind: "usage".into(),
            place: String::new(),
            message: message.into(),
            advice: advice.into(),
        }
    }

    /// Our own mistake.
    pub fn bug(message: impl Into<String>) -> Self {
        Self {
            kind: "bug".into(),
            place: String::new(),
            message: message.into(),
            advice:
                "This is a bug of Tidepool, not of your input. Nothing was changed; the engine \
                     was started afresh."
                    .into(),
        }
    }

    /// A headline for the kind.
    pub fn title(&self) -> &'static str {
        match self.kind.as_str() {
            "not_a_pool" => "This is not a pool",
            "unsupported" => "This pool uses something that Tidepool does not read",
            "missing" => "Some members are missing",
            "damaged" => "The bytes are damaged",
            "io" => "The file could not be read",
            "encrypted" => "These data are encrypted",
            "not_found" => "There is nothing of that name",
            "bug" => "The engine stopped",
            _ => "That does not work",
        }
    }
}

impl From<PoolError> for Failure {
    fn from(e: PoolError) -> Self {
        use tidepool::base::PoolErrorKind as K;
        let kind = match e.kind() {
            K::NotAPool => "not_a_pool",
            K::Unsupported => "unsupported",
            K::Missing => "missing",
            K::Damaged => "damaged",
            K::Io => "io",
            K::Encrypted => "encrypted",
            K::NotFound => "not_found",
            K::Usage => "usage",
        };
        Self {
            kind: kind.into(),
            place: e.place().into(),
            message: e.message().into(),
            advice: e.advice().into(),
        }
    }
}

/// The free segment that holds `at`, or the gap between two, out of segments in order.
pub fn stretch_at(segments: &[SegmentView], at: u64, from: u64, to: u64) -> (bool, u64, u64) {
    let next = segments.partition_point(|s| s.end <= at);
    let left = next.checked_sub(1).and_then(|i| segments.get(i));
    match segments.get(next) {
        Some(s) if s.start <= at => (true, s.start, s.end),
        right => (false, left.map_or(from, |s| s.end), right.map_or(to, |s| s.start)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_is_a_segment_or_the_gap_around() {
        let segments = [(10, 20), (30, 40)].map(|(start, end)| SegmentView { start, end });
        let check = |at, expect| assert_eq!(stretch_at(&segments, at, 0, 50), expect, "at {at}");
        check(0, (false, 0, 10));
        check(10, (true, 10, 20));
        check(20, (false, 20, 30));
        check(39, (true, 30, 40));
        check(45, (false, 40, 50));
        assert_eq!(stretch_at(&[], 5, 0, 9), (false, 0, 9));
    }

    #[test]
    fn an_error_keeps_its_four_parts() {
        let e = PoolError::damaged("data set a", "bad sum").next_step("scrub");
        let f = Failure::from(e.at("pool tank"));
        assert_eq!(f.place, "pool tank: data set a");
        assert_eq!((f.kind.as_str(), f.advice.as_str()), ("damaged", "scrub"));
    }
}
