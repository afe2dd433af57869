//! The weight of a metaslab: 64 bits by which OpenZFS orders the metaslabs of a vdev.
//!
//! ```text
//!  63 primary | 62 secondary | 61 claim | 60 = 0 | 59-54 index | 53-0 count      segment-based
//!  63 primary | 62 secondary | 61 claim | 60 = 1 | 59-0 weighted free bytes      space-based
//! ```
//!
//! A segment-based weight says: the largest free segments have `1 << index` bytes to twice that,
//! and there are `count` of them. Weight 0 is a full metaslab. Source: `metaslab_impl.h`.

use crate::base::{field, flag, nice_bytes};
use core::fmt;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

const PRIMARY: u64 = 1 << 63;
const SECONDARY: u64 = 1 << 62;
const CLAIM: u64 = 1 << 61;
const SPACE_BASED: u64 = 1 << 60;
const COUNT_BITS: u32 = 54;
const COUNT_MAX: u64 = (1 << COUNT_BITS) - 1;

/// Buckets of a stored histogram.
const STORED_BUCKETS: u32 = 32;

/// An encoded weight.
#[doc(alias = "ms_weight")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Weight(pub u64);

/// What a weight says, without the active bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightKind {
    /// Nothing is free.
    Full,
    /// The highest histogram bucket that is not empty.
    Segment {
        /// log2 of the bucket's lower end in bytes.
        index: u32,
        /// Segments in it.
        count: u64,
    },
    /// Free bytes, lowered by fragmentation.
    Space {
        /// The bytes.
        bytes: u64,
    },
}

/// One part of a weight in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightField {
    /// The bits, `63` or `59-54`.
    pub bits: &'static str,
    /// OpenZFS's word for the part.
    pub name: &'static str,
    /// Its value, as number.
    pub value: u64,
    /// What that means.
    pub meaning: String,
}

impl Weight {
    /// A segment-based weight. Counts past 54 bits are cut to the largest.
    pub fn segment(index: u32, count: u64) -> Self {
        Self(u64::from(index.min(63)) << COUNT_BITS | count.min(COUNT_MAX))
    }

    /// A space-based weight.
    pub fn space(bytes: u64) -> Self {
        Self(SPACE_BASED | bytes.min(SPACE_BASED - 1))
    }

    /// The segment-based weight of a metaslab of `size` bytes with nothing allocated.
    pub fn of_empty(size: u64, ashift: u32) -> Self {
        let Some(index) = size.checked_ilog2() else {
            return Self(0);
        };
        let last = STORED_BUCKETS - 1 + ashift;
        match index.checked_sub(last) {
            Some(over) => Self::segment(last, 1u64.checked_shl(over).unwrap_or(COUNT_MAX)),
            None => Self::segment(index, 1),
        }
    }

    /// The segment-based weight of a loaded metaslab: `histogram` counts its free segments by log2
    /// of bytes. Segments of higher buckets count double in the next lower one until a bucket is
    /// met that a stored histogram has; the count wraps at 32 bits as OpenZFS's does.
    #[doc(alias = "metaslab_weight_from_range_tree")]
    pub fn of_loaded(histogram: &[u64], ashift: u32) -> Self {
        let mut segments = 0u32;
        for (index, &count) in histogram.iter().enumerate().skip(9).rev() {
            segments = (segments << 1).wrapping_add(count as u32);
            if index as u32 <= STORED_BUCKETS - 1 + ashift && segments != 0 {
                return Self::segment(index as u32, segments.into());
            }
        }
        Self(0)
    }

    /// The segment-based weight of a metaslab that is not loaded, by its stored histogram without
    /// what is freed but not yet usable: index 0 is for sizes from `1 << ashift` bytes.
    #[doc(alias = "metaslab_weight_from_spacemap")]
    pub fn of_stored(histogram: &[u64], ashift: u32) -> Self {
        let highest = histogram.iter().enumerate().rev().find(|(_, c)| **c != 0);
        highest.map_or(Self(0), |(index, &count)| {
            Self::segment((index as u32).saturating_add(ashift), count)
        })
    }

    /// The space-based weight of `free` bytes with a fragmentation in percent, if it is known. On
    /// rotating disks OpenZFS prefers low metaslabs: `place` is the metaslab's id and how many the
    /// vdev has; `None` elsewhere.
    #[doc(alias = "metaslab_space_weight")]
    pub fn of_space(free: u64, fragmentation: Option<u64>, place: Option<(u64, u64)>) -> Self {
        let mut space = u128::from(free);
        if let Some(percent) = fragmentation {
            space = space * u128::from(101 - percent.min(100)) / 100;
            if space > 0 {
                space = space.max(512);
            }
        }
        if let Some((id, count)) = place {
            let lost = space.saturating_mul(id.into()) / u128::from(count.max(1));
            space = (2 * space).saturating_sub(lost);
        }
        Self::space(u64::try_from(space).unwrap_or(u64::MAX))
    }

    /// Whether it is the active metaslab of an allocator.
    pub fn primary(self) -> bool {
        self.0 & PRIMARY != 0
    }

    /// Whether it is an allocator's active metaslab for second copies.
    pub fn secondary(self) -> bool {
        self.0 & SECONDARY != 0
    }

    /// Whether it is active for claiming log blocks or third copies.
    pub fn claim(self) -> bool {
        self.0 & CLAIM != 0
    }

    /// The same weight of a metaslab that is not active.
    #[must_use]
    pub fn inactive(self) -> Self {
        Self(self.0 & !(PRIMARY | SECONDARY | CLAIM))
    }

    /// What it says.
    pub fn kind(self) -> WeightKind {
        if self.inactive().0 & !SPACE_BASED == 0 {
            WeightKind::Full
        } else if flag(self.0, 60) {
            let bytes = field(self.0, 0, 60);
            WeightKind::Space { bytes }
        } else {
            let (index, count) = (field(self.0, 54, 6) as u32, field(self.0, 0, COUNT_BITS));
            WeightKind::Segment { index, count }
        }
    }

    /// Whether the picker tries a metaslab of this weight for a block of `asize` bytes when it does
    /// not know the largest segment.
    #[doc(alias = "metaslab_should_allocate")]
    pub fn may_hold(self, asize: u64) -> bool {
        match self.kind() {
            WeightKind::Full => asize == 0,
            WeightKind::Segment { index, .. } => u128::from(asize) < 1u128 << (index + 1),
            WeightKind::Space { bytes } => asize <= bytes,
        }
    }

    /// The parts from the highest bit down, each with its meaning in words.
    pub fn fields(self) -> Vec<WeightField> {
        let part = |bits, name, value, meaning: String| WeightField { bits, name, value, meaning };
        let bit = |bits, name, position, on: &str| {
            let value = u64::from(flag(self.0, position));
            let meaning = if value == 1 { on } else { "no" };
            part(bits, name, value, meaning.to_string())
        };
        let mut parts = Vec::from([
            bit("63", "primary", 63, "active for first copies"),
            bit("62", "secondary", 62, "active for second copies"),
            bit("61", "claim", 61, "active for log claims or third copies"),
        ]);
        let kind = |value, meaning: &str| part("60", "type", value, meaning.to_string());
        match self.kind() {
            WeightKind::Segment { index, count } => {
                let (low, high) = (1u128 << index, 1u128 << (index + 1));
                let range = format!("free segments of {} to {}", nice(low), nice(high));
                parts.push(kind(0, "segment-based"));
                parts.push(part("59-54", "index", index.into(), range));
                parts.push(part("53-0", "count", count, format!("{count} of them")));
            }
            kind_of => {
                let bytes = match kind_of {
                    WeightKind::Space { bytes } => bytes,
                    _ => 0,
                };
                parts.push(kind(field(self.0, 60, 1), "space-based"));
                let meaning = match bytes {
                    0 => "full".to_string(),
                    _ => format!("{} of weighted free space", nice_bytes(bytes)),
                };
                parts.push(part("59-0", "space", bytes, meaning));
            }
        }
        parts
    }
}

/// Bytes up to 2^64 in words.
fn nice(bytes: u128) -> String {
    u64::try_from(bytes).map_or_else(|_| "16E".to_string(), nice_bytes)
}

/// `segment: 3 of 16M`, `space: 12.5G` or `full`, with `, primary` and the like when active.
impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            WeightKind::Full => f.write_str("full")?,
            WeightKind::Segment { index, count } => {
                write!(f, "segment: {count} of {}", nice(1 << index))?;
            }
            WeightKind::Space { bytes } => write!(f, "space: {}", nice_bytes(bytes))?,
        }
        let active =
            [(self.primary(), "primary"), (self.secondary(), "secondary"), (self.claim(), "claim")];
        active.iter().filter(|(on, _)| *on).try_for_each(|(_, name)| write!(f, ", {name}"))
    }
}
