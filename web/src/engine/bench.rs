//! A made-up vdev for measurements: 200 metaslabs, one of them with as many segments as asked for.
//! It stands in for a pool when the page is opened with `?perf`.

use crate::protocol::{Failure, Reply, Request, StripRequest};
use tidepool::base::{Guid, Prng, Txg};
use tidepool::view::{
    MapView, MetaslabView, PoolView, SegmentView, StripView, VdevMapView, VdevView,
};

const METASLABS: u64 = 200;
const SHIFT: u32 = 34;
const SECTOR: u64 = 4096;

/// The made-up pool.
pub(super) struct Bench {
    segments: Vec<SegmentView>,
}

impl Bench {
    pub(super) fn new(count: u64) -> Self {
        let count = count.clamp(1, 4_000_000);
        let mut rng = Prng::new(11);
        let room = (1u64 << SHIFT) / SECTOR / count;
        let segments = (0..count)
            .map(|i| {
                let first = i * room + rng.below(room / 2);
                let len = 1 + rng.below(room / 2);
                SegmentView { start: first * SECTOR, end: (first + len) * SECTOR }
            })
            .collect();
        Self { segments }
    }

    pub(super) fn overview(&self) -> PoolView {
        let disk = VdevView {
            kind: "file".into(),
            name: "made-up".into(),
            health: "online".into(),
            class: "normal".into(),
            ashift: 12,
            asize: METASLABS << SHIFT,
            ..VdevView::default()
        };
        PoolView {
            name: "bench".into(),
            guid: Guid(0),
            state: "exported".into(),
            health: "online".into(),
            version: 5000,
            txg: Txg(1),
            timestamp: 0,
            endian: "little".into(),
            hostname: String::new(),
            errata: 0,
            vdev_tree: VdevView {
                kind: "root".into(),
                name: "bench".into(),
                health: "online".into(),
                children: vec![disk],
                ..VdevView::default()
            },
            devices: Vec::new(),
            features: Vec::new(),
            space: Vec::new(),
            notes: vec!["Made up for measurements; no such pool exists.".into()],
            refusal: None,
        }
    }

    pub(super) fn answer(&self, request: &Request) -> Reply {
        match request {
            Request::Map => Reply::Map(self.map()),
            Request::Strip(r) => Reply::Strip(self.strip(r)),
            _ => Reply::Failed(Failure::usage(
                "The made-up pool has a map and strips only",
                "Open an image for the rest.",
            )),
        }
    }

    fn map(&self) -> MapView {
        let mut rng = Prng::new(7);
        let size = 1u64 << SHIFT;
        let metaslabs: Vec<MetaslabView> = (0..METASLABS)
            .map(|id| {
                let free = rng.below(size);
                let max_size = SECTOR << rng.below(20);
                MetaslabView {
                    id,
                    offset: id * size,
                    size,
                    space_map: Default::default(),
                    free,
                    free_flushed: free,
                    space_map_length: 0,
                    unflushed_txg: Txg(0),
                    fragmentation: Some(rng.below(101)),
                    fragmentation_old: None,
                    segments: self.segments.len() as u64,
                    max_size,
                    weight: u64::from(max_size.ilog2()) << 54 | (1 + rng.below(30)),
                    weight_text: String::new(),
                    histogram: (0..30).map(|_| rng.below(100)).collect(),
                    histogram_stored: Vec::new(),
                    problem: None,
                }
            })
            .collect();
        let vdev = VdevMapView {
            id: 0,
            name: "made-up".into(),
            class: "normal".into(),
            ashift: 12,
            metaslab_shift: u64::from(SHIFT),
            size: size * METASLABS,
            free: metaslabs.iter().map(|m| m.free).sum(),
            fragmentation: None,
            fragmentation_old: None,
            embedded_log: None,
            metaslabs,
        };
        MapView {
            pool: "bench".into(),
            txg: Txg(1),
            fragmentation_table: "2.3.1".into(),
            log_space_maps: 0,
            vdevs: vec![vdev],
        }
    }

    fn strip(&self, r: &StripRequest) -> StripView {
        let base = r.metaslab << SHIFT;
        let (from, to) = (r.from.max(base) - base, r.to.max(base + 1) - base);
        let first = self.segments.partition_point(|s| s.end <= from);
        let last = self.segments.partition_point(|s| s.start < to).max(first);
        let cell = (to - from).div_ceil(u64::from(r.cells.max(1))).max(1);
        let mut cells = vec![0u64; (to - from).div_ceil(cell) as usize];
        for s in &self.segments[first..last] {
            let (mut at, end) = (s.start.max(from) - from, s.end.min(to) - from);
            while at < end {
                let stop = (at / cell * cell + cell).min(end);
                if let Some(c) = cells.get_mut((at / cell) as usize) {
                    *c += stop - at;
                }
                at = stop;
            }
        }
        let few = last - first <= r.max_segments as usize;
        let listed = few.then(|| {
            let shown = self.segments[first..last].iter();
            shown.map(|s| SegmentView { start: s.start + base, end: s.end + base }).collect()
        });
        StripView {
            vdev: r.vdev,
            metaslab: r.metaslab,
            from: from + base,
            to: to + base,
            cells,
            cell_size: cell,
            segments: listed,
            segment_count: (last - first) as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_add_up_to_the_segments() {
        let bench = Bench::new(1000);
        let base = 3u64 << SHIFT;
        let r = StripRequest {
            vdev: 0,
            metaslab: 3,
            from: base,
            to: base + (1 << SHIFT),
            cells: 777,
            max_segments: 2000,
        };
        let strip = bench.strip(&r);
        let listed: u64 = strip.segments.unwrap().iter().map(|s| s.end - s.start).sum();
        assert_eq!(strip.cells.iter().sum::<u64>(), listed);
        assert_eq!(strip.segment_count, 1000);
    }
}
