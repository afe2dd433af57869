//! What can go wrong with a device.

use crate::base::Instant;
use crate::rt::DevId;
use core::ops::Range;

/// One rule about one device. Rules hold until the end of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The device.
    pub device: DevId,
    /// What happens to it.
    pub kind: FaultKind,
}

/// What a rule does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// Reads that touch these bytes fail with an I/O error.
    Error(Range<u64>),
    /// These bytes read as their value exclusive-or the mask: silent damage.
    Flip(Range<u64>, u8),
    /// From this time on every answer is that the device is gone.
    Offline(Instant),
}

/// The part of `range` that lies in `len` bytes from `off`, counted from `off`.
pub(super) fn overlap(range: &Range<u64>, off: u64, len: u32) -> Option<Range<usize>> {
    let start = range.start.max(off);
    let end = range.end.min(off.saturating_add(len.into()));
    (start < end).then(|| (start - off) as usize..(end - off) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_are_counted_from_the_read() {
        let check = |range, off, len, expect| assert_eq!(overlap(&range, off, len), expect);
        check(10..20, 0, 10, None);
        check(10..20, 0, 11, Some(10..11));
        check(10..20, 12, 4, Some(0..4));
        check(10..20, 19, 100, Some(0..1));
        check(10..20, 20, 100, None);
        check(0..u64::MAX, u64::MAX - 4, 100, Some(0..4));
    }
}
