//! How long a device takes.

use crate::base::{Instant, Prng};
use std_alloc::vec;
use std_alloc::vec::Vec;

/// Constants of one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceModel {
    /// Nanoseconds before the first byte.
    pub latency: u64,
    /// The latency varies by up to as many nanoseconds more, drawn by the seed.
    pub spread: u64,
    /// Bytes a second over the device's link, which carries one transfer at a time.
    pub bandwidth: u64,
    /// Operations that the device works on at a time; others wait in order.
    pub depth: u32,
}

impl DeviceModel {
    /// About an NVMe disk: 80 to 120 us, 3 GB/s, 64 at a time.
    pub const NVME: Self =
        Self { latency: 80_000, spread: 40_000, bandwidth: 3_000_000_000, depth: 64 };
}

/// A device at work: when each of its places and its link are free.
pub(super) struct Busy {
    model: DeviceModel,
    places: Vec<Instant>,
    link: Instant,
}

impl Busy {
    pub(super) fn new(model: DeviceModel) -> Self {
        let places = vec![Instant::default(); model.depth.max(1) as usize];
        let link = Instant::default();
        Self { model, places, link }
    }

    /// Takes `len` bytes through the device from `now` on; when they have arrived.
    pub(super) fn schedule(&mut self, now: Instant, len: u32, rng: &mut Prng) -> Instant {
        let Self { model, places, link } = self;
        let place = places.iter_mut().min();
        let place = place.expect("invariant: a device has a place");
        let latency =
            model.latency.saturating_add(rng.below(model.spread.saturating_add(1).max(1)));
        let found = now.max(*place).after(latency);
        let transfer = u128::from(len) * 1_000_000_000 / u128::from(model.bandwidth.max(1));
        let end = found.max(*link).after(u64::try_from(transfer).unwrap_or(u64::MAX));
        (*place, *link) = (end, end);
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Latencies overlap up to the depth, transfers do not.
    #[test]
    fn depth_and_link_bound_what_overlaps() {
        let check = |depth, len, expect: [u64; 4]| {
            let (latency, spread, bandwidth) = (1000, 0, 1_000_000_000);
            let model = DeviceModel { latency, spread, bandwidth, depth };
            let (mut busy, mut rng) = (Busy::new(model), Prng::new(1));
            let ends = expect.map(|_| busy.schedule(Instant(500), len, &mut rng).0);
            assert_eq!(ends, expect, "depth {depth}, {len} bytes");
        };
        check(1, 0, [1500, 2500, 3500, 4500]);
        check(2, 0, [1500, 1500, 2500, 2500]);
        check(4, 100, [1600, 1700, 1800, 1900]);
        check(2, 100, [1600, 1700, 2700, 2800]);
        check(0, 100, [1600, 2700, 3800, 4900]);
    }

    #[test]
    fn absurd_constants_end_at_the_end_of_time() {
        let (latency, spread) = (u64::MAX, u64::MAX);
        let model = DeviceModel { latency, spread, bandwidth: 0, depth: 1 };
        let end = Busy::new(model).schedule(Instant(1), u32::MAX, &mut Prng::new(1));
        assert_eq!(end, Instant::NEVER);
    }
}
