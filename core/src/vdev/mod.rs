//! Floor 6: virtual devices. Reads that find another replica when one does not pass its checksum.
//!
//! ```text
//!   TopVdev -> Mirror -> Leaf, Leaf            each side holds the same bytes
//!           -> Raidz  -> Leaf x width          columns, see raidz.rs
//!           -> Leaf
//! ```
//!
//! The caller passes the checksum down as a question (`verify`); this floor answers with bytes that
//! pass it, or with the list of what failed where. Offsets are DVA offsets: byte 0 is 4 MiB into
//! every leaf. Reads are rounded up to whole sectors and cut back.

mod leaf;
mod raidz;
mod tree;

pub use leaf::{FRONT_RESERVE, Leaf};
pub use raidz::{Column, RaidzMap};
pub use tree::{CopyReport, ReadFailure, TopVdev, Vdev, VdevKind, Verify};
