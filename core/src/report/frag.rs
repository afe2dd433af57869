//! The two fragmentation tables and the weight arithmetic, for checking printed numbers.
//!
//! Fragmentation of a metaslab: the mean of a table value over its free bytes, segments sorted by
//! powers of two. 2.3.1 brought a longer table, so the same disk shows another number.
//! Source: `zfs_frag_table` of `metaslab.c`.

/// From 512 bytes doubling; the last value holds for everything larger. 2.3.0 and older.
const OLD: [u64; 16] = [
    100, 100, 98, 95, 90, 80, 70, 60, 50, 40, 30, 20, 15, 10, 5, 0,
];
/// The same since 2.3.1.
const NEW: [u64; 21] = [
    100, 99, 97, 93, 88, 83, 77, 71, 64, 57, 50, 43, 36, 29, 23, 17, 12, 7, 3, 1, 0,
];

/// Fragmentation in percent of segments counted by log2 of bytes: by the table of 2.3.0 and older
/// and by that of 2.3.1; `None` without segments.
pub(crate) fn fragmentation(histogram: &[(u32, u64)]) -> Option<(u64, u64)> {
    let mut total = 0u128;
    let (mut old, mut new) = (0u128, 0u128);
    for (shift, count) in histogram {
        let bytes = u128::from(*count) << shift.min(&63);
        let index = shift.saturating_sub(9) as usize;
        total += bytes;
        old += bytes * u128::from(OLD.get(index).copied().unwrap_or(0));
        new += bytes * u128::from(NEW.get(index).copied().unwrap_or(0));
    }
    let whole = |sum: u128| u64::try_from(sum / total.max(1)).unwrap_or(u64::MAX);
    (total > 0).then(|| (whole(old), whole(new)))
}

/// Bytes that the segments hold at least.
pub(crate) fn least_bytes(histogram: &[(u32, u64)]) -> f64 {
    histogram
        .iter()
        .map(|(shift, count)| *count as f64 * (1u64 << shift.min(&63)) as f64)
        .sum()
}

/// The highest bucket with segments in it, and their count.
pub(crate) fn largest(histogram: &[(u32, u64)]) -> Option<(u32, u64)> {
    histogram
        .iter()
        .rev()
        .find(|(_, count)| *count > 0)
        .copied()
}

/// What a metaslab weight says: bucket and count when it is by segments, bytes when by space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    /// Nothing free.
    Full,
    /// Largest segments: log2 of bytes and how many.
    Segments(u64, u64),
    /// Free bytes, weighted.
    Space(u64),
}

/// Takes a weight apart.
pub(crate) fn weight(value: u64) -> Weight {
    let body = value & !(0b111 << 61);
    if body == 0 {
        Weight::Full
    } else if body >> 60 & 1 == 1 {
        Weight::Space(body & ((1 << 60) - 1))
    } else {
        Weight::Segments(body >> 54 & 0x3f, body & ((1 << 54) - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_tables_give_the_printed_numbers() {
        let check = |histogram: &[(u32, u64)], old: u64, new: u64| {
            assert_eq!(fragmentation(histogram), Some((old, new)));
        };
        let one = [
            (12, 220),
            (13, 214),
            (14, 6),
            (15, 4),
            (16, 5),
            (17, 0),
            (18, 1),
        ];
        check(&one, 83, 81);
        check(&[(9, 1)], 100, 100);
        check(&[(24, 1)], 0, 17);
        check(&[(29, 3)], 0, 0);
        assert_eq!(fragmentation(&[]), None);
        assert_eq!(fragmentation(&[(63, u64::MAX)]), Some((0, 0)));
    }

    #[test]
    fn weights_come_apart() {
        let check = |value: u64, expect: Weight| assert_eq!(weight(value), expect);
        check(0x3c0_0000_0000_000f, Weight::Segments(15, 15));
        check(0x840_0000_0000_0001, Weight::Segments(33, 1));
        check(0xa40_0000_0000_0001 | 1 << 63, Weight::Segments(41, 1));
        check(1 << 60 | 4096, Weight::Space(4096));
        check(1 << 63, Weight::Full);
    }
}
