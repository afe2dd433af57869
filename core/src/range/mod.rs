//! Floor 2: sets of byte ranges, kept as OpenZFS keeps the free space of a metaslab.
//!
//! [`RangeTree`] is the B-tree of OpenZFS with its exact shape rules. [`Segment`] is one range,
//! [`RangeError`] says why an edit was refused. Edits that are refused change nothing: the ranges
//! come from space maps on disk, which may be damaged or hostile.

mod btree;
mod error;
mod histogram;
mod segs;
mod tree;

#[cfg(test)]
mod tests;

pub use error::{RangeError, Segment};
pub use histogram::Histogram;
pub use tree::{Iter, NodeChild, NodeRef, RangeTree};
