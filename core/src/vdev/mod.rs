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

mod copies;
mod leaf;
mod raidz;
mod raidz_read;
mod read;
mod tree;

pub use copies::CopyReport;
pub use leaf::{FRONT_RESERVE, Leaf};
pub use raidz::{Column, RaidzMap};
pub use read::{FailedTry, ReadFailure, Verify, Why};
pub use tree::{TopVdev, Vdev, VdevKind};

#[cfg(test)]
mod tests;
