//! What was understood of a pasted output.

use super::{MapView, VdevMapView};
use serde::{Deserialize, Serialize};
use std_alloc::string::String;
use std_alloc::vec::Vec;

/// The reading of one pasted text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExplainView {
    /// Kind of output: `zdb -m`, `zdb -mm`, `zpool iostat -v`, `txgs`, ...; `unknown`.
    pub kind: String,
    /// Versions of OpenZFS that print like this.
    pub version_hint: String,
    /// Readings, the most important first.
    pub findings: Vec<Finding>,
    /// The verdict in one or two sentences.
    pub verdict: String,
    /// What to look at next; may be empty.
    pub next_step: String,
    /// Named numbers for programs: everything that was read or recomputed, sizes in bytes, times in
    /// nanoseconds.
    pub numbers: Vec<(String, f64)>,
    /// Lines that were dropped and why.
    pub not_understood: Vec<DroppedLine>,
    /// What can be drawn.
    pub pictures: Vec<Picture>,
}

/// One reading with the number that carries it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// `info`, `check` (a number was recomputed and agrees), `mismatch` (it does not), `warning`.
    pub level: String,
    /// The reading in a sentence.
    pub text: String,
    /// Name and number for programs, when there is one.
    pub value: Option<(String, f64)>,
}

/// A line that was not used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DroppedLine {
    /// Line number, from 1.
    pub line: u64,
    /// Its text, shortened to 200 characters.
    pub text: String,
    /// Why it was dropped.
    pub why: String,
}

/// A picture of the pasted numbers. The command line prints it, the browser draws it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "picture", rename_all = "snake_case")]
pub enum Picture {
    /// A metaslab map; numbers that the text does not give are zero.
    Map {
        /// Title.
        title: String,
        /// One map a vdev.
        map: MapView,
    },
    /// Counts by power of two, or by label.
    Histogram {
        /// Title.
        title: String,
        /// Unit of the labels.
        unit: String,
        /// Label and count.
        bars: Vec<(String, f64)>,
    },
    /// A table of counts: rows by columns (latency by queue).
    Heat {
        /// Title.
        title: String,
        /// Column heads.
        columns: Vec<String>,
        /// Row label and one count a column.
        rows: Vec<(String, Vec<f64>)>,
    },
    /// Stretches of time on a line each (transaction groups).
    Timeline {
        /// Title.
        title: String,
        /// Names of the stages, in order.
        stages: Vec<String>,
        /// Label, start in nanoseconds, length of each stage in nanoseconds.
        rows: Vec<(String, f64, Vec<f64>)>,
    },
    /// Bars side by side (siblings of one vdev, fill of each device).
    Bars {
        /// Title.
        title: String,
        /// Unit of the numbers.
        unit: String,
        /// Label and number.
        bars: Vec<(String, f64)>,
    },
}

impl Picture {
    /// A map of one vdev under `title`.
    pub fn of_vdevs(title: String, pool: String, vdevs: Vec<VdevMapView>) -> Self {
        let map = MapView {
            pool,
            txg: Default::default(),
            fragmentation_table: String::new(),
            log_space_maps: 0,
            vdevs,
        };
        Self::Map { title, map }
    }
}
