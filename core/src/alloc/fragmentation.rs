//! How fragmented free space is, by the size of its segments.
//!
//! A segment counts with its bytes times a percentage that falls with its size; the figure is the
//! mean. OpenZFS 2.3.1 replaced the table, so the same metaslab shows two figures.

/// Percentages from 512-byte segments on, each for twice the size of the one before.
const OLD: [u8; 16] = [100, 100, 98, 95, 90, 80, 70, 60, 50, 40, 30, 20, 15, 10, 5, 0];

/// The same since 2.3.1: falls to zero only at 512 MiB.
const NEW: [u8; 21] =
    [100, 99, 97, 93, 88, 83, 77, 71, 64, 57, 50, 43, 36, 29, 23, 17, 12, 7, 3, 1, 0];

/// Which percentages count, and how a group is averaged.
#[doc(alias = "zfs_frag_table")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FragmentationTable {
    /// Of 0.6.4 to 2.3.0: 16 MiB and more counts as not fragmented; a group is the plain mean of
    /// its metaslabs.
    Old,
    /// Since 2.3.1: only 512 MiB and more counts as not fragmented; a group is the mean weighted by
    /// free space.
    New,
}

impl FragmentationTable {
    /// The version that brought the table: `0.6.4` or `2.3.1`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Old => "0.6.4",
            Self::New => "2.3.1",
        }
    }

    /// Percentages from 512-byte segments on, each for twice the size of the one before. The last
    /// one holds for all larger segments.
    pub const fn percents(self) -> &'static [u8] {
        match self {
            Self::Old => &OLD,
            Self::New => &NEW,
        }
    }

    /// The percentage of a segment of `1 << log2` bytes to twice that.
    pub fn percent(self, log2: u32) -> u8 {
        let table = self.percents();
        let index = (log2.saturating_sub(9) as usize).min(table.len() - 1);
        table.get(index).copied().unwrap_or(0)
    }
}

/// Fragmentation in percent, rounded down, of free segments that `histogram` counts: index `i` is
/// for sizes from `1 << (i + shift)` bytes to twice that. A stored histogram has the sector shift,
/// one in memory has 0. Without free space it is 0.
#[doc(alias = "metaslab_set_fragmentation")]
pub fn fragmentation(histogram: &[u64], shift: u32, table: FragmentationTable) -> u64 {
    let (mut weighted, mut total) = (0u128, 0u128);
    for (index, &count) in histogram.iter().enumerate() {
        let log2 = (index as u32).saturating_add(shift).min(63);
        let space = u128::from(count).saturating_mul(1 << log2);
        total = total.saturating_add(space);
        weighted = weighted.saturating_add(space.saturating_mul(table.percent(log2).into()));
    }
    weighted.checked_div(total).unwrap_or(0) as u64
}

/// Fragmentation of a vdev from that of its metaslabs (absent where there is no histogram) and
/// their free bytes. `None` unless more than half of them are known.
#[doc(alias = "metaslab_group_fragmentation")]
pub fn group_fragmentation(
    metaslabs: impl IntoIterator<Item = (Option<u64>, u64)>,
    table: FragmentationTable,
) -> Option<u64> {
    let (mut count, mut known, mut sum, mut weights) = (0u64, 0u64, 0u128, 0u128);
    for (percent, free) in metaslabs {
        count += 1;
        let Some(percent) = percent else { continue };
        let weight = match table {
            FragmentationTable::Old => 1,
            FragmentationTable::New => free >> 9,
        };
        known += 1;
        weights += u128::from(weight);
        sum += u128::from(percent) * u128::from(weight);
    }
    (known > count / 2).then(|| sum.checked_div(weights).unwrap_or(0) as u64)
}
