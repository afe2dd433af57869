//! What is built in: pools made by OpenZFS's own code, and texts written for this page.

/// A pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolSample {
    /// Word in the address.
    pub id: &'static str,
    /// Title.
    pub title: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// Files under `static/samples`.
    pub files: &'static [&'static str],
}

/// The pools, the most instructive first.
pub const POOLS: &[PoolSample] = &[
    PoolSample {
        id: "aged",
        title: "An aged pool, two disks",
        about: "70 % full and fragmented: a map with something to see, and deep range trees.",
        files: &["aged-1.img.gz", "aged-2.img.gz"],
    },
    PoolSample {
        id: "raidz",
        title: "Three disks, raidz1",
        about: "Healthy, with files, objects and snapshots.",
        files: &["raidz-1.img.gz", "raidz-2.img.gz", "raidz-3.img.gz"],
    },
    PoolSample {
        id: "raidz-degraded",
        title: "The same, one disk lost",
        about: "Two of the three members: everything still reads, through parity.",
        files: &["raidz-1.img.gz", "raidz-3.img.gz"],
    },
];

/// A text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextSample {
    /// Word for tests.
    pub id: &'static str,
    /// What prints it.
    pub command: &'static str,
    /// What it answers.
    pub about: &'static str,
    /// The text.
    pub text: &'static str,
}

/// The texts.
pub const TEXTS: &[TextSample] = &[
    TextSample {
        id: "zdb-mm",
        command: "zdb -mm",
        about: "How fragmented is my free space?",
        text: include_str!("../static/samples/zdb-mm.txt"),
    },
    TextSample {
        id: "txgs",
        command: "cat /proc/spl/kstat/zfs/tank/txgs",
        about: "Which layer makes writes slow?",
        text: include_str!("../static/samples/txgs.txt"),
    },
    TextSample {
        id: "iostat-l",
        command: "zpool iostat -vl 5",
        about: "Which disk is slow?",
        text: include_str!("../static/samples/iostat-l.txt"),
    },
];

/// The pool of that word.
pub fn pool(id: &str) -> Option<&'static PoolSample> {
    POOLS.iter().find(|s| s.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_sample_is_there() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("static/samples");
        for file in POOLS.iter().flat_map(|s| s.files) {
            assert!(folder.join(file).is_file(), "{file}");
        }
        assert_eq!(pool("raidz").map(|s| s.files.len()), Some(3));
    }

    #[test]
    fn every_text_is_understood() {
        for sample in TEXTS {
            let read = tidepool::report::explain(sample.text);
            assert_ne!(read.kind, "unknown", "{}", sample.id);
            assert!(!read.verdict.is_empty(), "{}", sample.id);
            // The statistics of log space maps at the end of `zdb -mm` may stay unread.
            let dropped = read.not_understood.iter();
            let strange = dropped.filter(|l| !l.text.contains("valid entries"));
            assert_eq!(strange.count(), 0, "{}", sample.id);
        }
    }
}
