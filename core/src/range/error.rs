//! One range, and the reasons for refusing one.

use core::fmt;

/// A range of bytes: `start` is in it, `end` is not.
#[doc(alias = "range_seg_t")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Segment {
    /// First byte.
    pub start: u64,
    /// Byte after the last.
    pub end: u64,
}

impl Segment {
    /// Bytes in it.
    pub const fn size(self) -> u64 {
        self.end - self.start
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}..{:#x}", self.start, self.end)
    }
}

/// Why a tree did not take an edit. The tree is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeError {
    /// The range is empty, passes 2^64, or is not inside what the tree covers.
    Outside {
        /// First byte asked for.
        start: u64,
        /// Bytes asked for.
        size: u64,
        /// What the tree covers.
        tree: Segment,
    },
    /// Start or size is no multiple of the unit of the tree.
    Misaligned {
        /// First byte asked for.
        start: u64,
        /// Bytes asked for.
        size: u64,
        /// Unit of the tree in bytes.
        unit: u64,
    },
    /// Added, although part of it is in the tree.
    Overlap {
        /// What was to be added.
        asked: Segment,
        /// A segment of the tree that overlaps it.
        found: Segment,
    },
    /// Removed, although part of it is not in the tree.
    Missing {
        /// What was to be removed.
        asked: Segment,
        /// A segment of the tree that overlaps it without covering it, when there is one.
        found: Option<Segment>,
    },
}

impl fmt::Display for RangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside { start, size, tree } => {
                write!(f, "range at {start:#x} of {size:#x} bytes is not in {tree}")
            }
            Self::Misaligned { start, size, unit } => {
                write!(f, "range at {start:#x} of {size:#x} bytes is not in units of {unit}")
            }
            Self::Overlap { asked, found } => {
                write!(f, "{asked} was added, but {found} was there already")
            }
            Self::Missing { asked, found: None } => {
                write!(f, "{asked} was removed, but nothing of it was there")
            }
            Self::Missing { asked, found: Some(found) } => {
                write!(f, "{asked} was removed, but only {found} was there")
            }
        }
    }
}

impl core::error::Error for RangeError {}
