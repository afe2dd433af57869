//! The seeded generator: SplitMix64. A seed means the same numbers for ever, on every target.

/// Deterministic generator of 64-bit numbers.
#[derive(Clone, Debug)]
pub struct Prng(u64);

impl Prng {
    /// A generator that starts at `seed`.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 random bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound` (which must not be zero), without modulo bias worth measuring.
    pub const fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "a random number below zero does not exist");
        ((self.next_u64() as u128 * bound as u128) >> 64) as u64
    }

    /// A generator of its own for the part of a run called `name`.
    pub fn fork(&self, name: &str) -> Self {
        let mut state = self.0 ^ 0xCBF2_9CE4_8422_2325;
        for byte in name.bytes() {
            state = (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
        Self(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_one_means_these_numbers_for_ever() {
        let mut rng = Prng::new(1);
        assert_eq!(rng.next_u64(), 0x910A_2DEC_8902_5CC1);
        assert_eq!(rng.next_u64(), 0xBEEB_8DA1_658E_EC67);
    }

    #[test]
    fn below_stays_below() {
        let mut rng = Prng::new(7);
        assert!((0..10_000).all(|_| rng.below(3) < 3));
    }
}
