//! Printed histograms and weights, held against the allocator's arithmetic.
//!
//! A pasted histogram is a list of log2 and count with gaps, not an array.

use crate::alloc::FragmentationTable;
pub(crate) use crate::alloc::WeightKind;

/// Fragmentation in percent of segments counted by log2 of bytes: by the table of 2.3.0 and older
/// and by that of 2.3.1; `None` without segments.
pub(crate) fn fragmentation(histogram: &[(u32, u64)]) -> Option<(u64, u64)> {
    let mut total = 0u128;
    let (mut old, mut new) = (0u128, 0u128);
    for (log2, count) in histogram {
        let bytes = u128::from(*count) << log2.min(&63);
        total += bytes;
        old += bytes * u128::from(FragmentationTable::Old.percent(*log2));
        new += bytes * u128::from(FragmentationTable::New.percent(*log2));
    }
    let whole = |sum: u128| u64::try_from(sum / total.max(1)).unwrap_or(u64::MAX);
    (total > 0).then(|| (whole(old), whole(new)))
}

/// The highest bucket with segments in it, and their count.
pub(crate) fn largest(histogram: &[(u32, u64)]) -> Option<(u32, u64)> {
    histogram.iter().rev().find(|(_, count)| *count > 0).copied()
}

/// What a printed weight says, whatever its active bits.
pub(crate) fn weight(value: u64) -> WeightKind {
    crate::alloc::Weight(value).inactive().kind()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_tables_give_the_printed_numbers() {
        let check = |histogram: &[(u32, u64)], old: u64, new: u64| {
            assert_eq!(fragmentation(histogram), Some((old, new)));
        };
        // A metaslab of 32 GiB that 2.1 printed as 83, with a gap at 17.
        let one = [(12, 220), (13, 214), (14, 6), (15, 4), (16, 5), (18, 1)];
        check(&one, 83, 84);
        check(&[(9, 1)], 100, 100);
        check(&[(24, 1)], 0, 17);
        check(&[(29, 3)], 0, 0);
        assert_eq!(fragmentation(&[]), None);
        assert_eq!(fragmentation(&[(63, u64::MAX)]), Some((0, 0)));
    }

    #[test]
    fn weights_come_apart() {
        let check = |value: u64, expect: WeightKind| assert_eq!(weight(value), expect);
        let segment = |index, count| WeightKind::Segment { index, count };
        check(0x3c0_0000_0000_000f, segment(15, 15));
        check(0x840_0000_0000_0001, segment(33, 1));
        check(0xa40_0000_0000_0001 | 1 << 63, segment(41, 1));
        check(1 << 60 | 4096, WeightKind::Space { bytes: 4096 });
        check(1 << 63, WeightKind::Full);
    }
}
