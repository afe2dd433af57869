//! Counts of sizes by power of two.

/// How many segments have each size: bucket `i` is for `1 << i` bytes to twice that.
#[doc(alias = "rt_histogram")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram([u64; 64]);

impl Histogram {
    /// Nothing counted.
    pub const fn new() -> Self {
        Self([0; 64])
    }

    /// Counts a segment of `size` bytes; 0 bytes count nowhere.
    pub fn add(&mut self, size: u64) {
        if let Some(bucket) = self.bucket(size) {
            *bucket += 1;
        }
    }

    /// Takes back a segment that was counted.
    pub fn remove(&mut self, size: u64) {
        if let Some(bucket) = self.bucket(size) {
            *bucket = bucket
                .checked_sub(1)
                .expect("invariant: a segment is counted before it is taken back");
        }
    }

    fn bucket(&mut self, size: u64) -> Option<&mut u64> {
        self.0.get_mut(size.checked_ilog2()? as usize)
    }

    /// The counts.
    pub const fn counts(&self) -> &[u64; 64] {
        &self.0
    }

    /// log2 of the largest bucket that is not empty.
    pub fn highest(&self) -> Option<u32> {
        self.0.iter().rposition(|&c| c > 0).map(|i| i as u32)
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}
