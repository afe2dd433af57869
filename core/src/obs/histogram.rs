//! Counts by powers of two, as OpenZFS's latency and size histograms are kept.
//!
//! ```text
//!   bucket b > 0 counts values of 2^b up to 2^(b+1) - 1; bucket 0 counts 0 and 1
//! ```

/// A histogram of 64-bit values with one bucket a power of two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    buckets: [u64; 64],
    sum: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        let (buckets, sum) = ([0; 64], 0);
        Self { buckets, sum }
    }
}

impl Histogram {
    /// Counts one `value`.
    pub fn add(&mut self, value: u64) {
        let bucket = value.checked_ilog2().unwrap_or(0);
        self.buckets[bucket as usize] += 1;
        self.sum = self.sum.saturating_add(value);
    }

    /// Values counted.
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }

    /// Mean of the values, rounded down; `None` when there are none.
    pub fn mean(&self) -> Option<u64> {
        self.sum.checked_div(self.count())
    }

    /// Counts by bucket.
    pub fn buckets(&self) -> &[u64; 64] {
        &self.buckets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fall_into_their_power_of_two() {
        let mut h = Histogram::default();
        assert_eq!((h.count(), h.mean()), (0, None));
        for (value, bucket) in [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (1 << 40, 40)] {
            let before = h.buckets()[bucket];
            h.add(value);
            assert_eq!(h.buckets()[bucket], before + 1, "{value}");
        }
        assert_eq!((h.count(), h.mean()), (6, Some(((1 << 40) + 10) / 6)));
        h.add(u64::MAX);
        assert_eq!((h.buckets()[63], h.mean()), (1, Some(u64::MAX / 7)));
    }
}
