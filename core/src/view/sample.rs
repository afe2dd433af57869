//! Views for tests of printers and pictures: plausible ones and hostile ones.

use super::{MapView, MetaslabView, Picture, SegmentView, StripView, TreeNodeView, VdevMapView};
use super::{Pyramid, TreeChildView};
use crate::alloc::{FragmentationTable, Weight, fragmentation};
use crate::base::{ObjectId, Prng, Txg};
use crate::range::RangeTree;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// What markup and terminals must not take literally.
pub(super) const HOSTILE: &str = "</text><script>&\"'\u{1b}[31m\u{0}";

/// A metaslab of `1 << shift` bytes that was filled and freed at random, about `fill` percent.
pub(super) fn tree(id: u64, shift: u32, fill: u64) -> RangeTree {
    let (start, size) = (id << shift, 1u64 << shift);
    let mut tree = RangeTree::full(start, size, 12);
    let mut rng = Prng::new(id + 1);
    let mut tries = 0;
    while (size - tree.space()) * 100 < size * fill && tries < 20_000 {
        tries += 1;
        let len = 1 << (12 + rng.below(6));
        let near = rng.below(size / 4096) * rng.below(4096) / 4096;
        let _ = tree.remove(start + near * 4096, len);
    }
    tree
}

pub(super) fn metaslab(id: u64, shift: u32, fill: u64) -> MetaslabView {
    let tree = tree(id, shift, fill);
    let histogram = tree.histogram();
    let end = histogram.iter().rposition(|&n| n > 0).map_or(0, |i| i + 1);
    let percent = |table| Some(fragmentation(histogram, 0, table));
    let weight = Weight::of_loaded(histogram, 12);
    MetaslabView {
        id,
        offset: id << shift,
        size: 1 << shift,
        space_map: ObjectId(140 + id),
        free: tree.space(),
        free_flushed: tree.space() + (id % 3) * 8192,
        space_map_length: 4096 + 88 * id,
        unflushed_txg: Txg(id % 3 * 1000),
        fragmentation: percent(FragmentationTable::New),
        fragmentation_old: percent(FragmentationTable::Old),
        segments: tree.segments(),
        max_size: tree.max_segment(),
        weight: weight.0,
        weight_text: weight.to_string(),
        histogram: histogram[..end].to_vec(),
        histogram_stored: histogram[..end].iter().map(|n| n + n / 3).collect(),
        problem: None,
    }
}

pub(super) fn vdev(id: u64, count: u64, shift: u32) -> VdevMapView {
    let fill = |n: u64| (100 - (n * 130 / count).min(100)).max(if n % 7 == 3 { 40 } else { 0 });
    let metaslabs: Vec<_> = (0..count).map(|n| metaslab(n, shift, fill(n))).collect();
    VdevMapView {
        id,
        name: format!("raidz1-{id}"),
        class: ["normal", "special", "log"][id as usize % 3].to_string(),
        ashift: 12,
        metaslab_shift: shift.into(),
        size: count << shift,
        free: metaslabs.iter().map(|m| m.free).sum(),
        fragmentation: Some(23),
        fragmentation_old: Some(9),
        embedded_log: (count > 64).then_some(count - 1),
        metaslabs,
    }
}

pub(super) fn map() -> MapView {
    let mut map = MapView {
        pool: "tank".to_string(),
        txg: Txg(123_456),
        fragmentation_table: "2.3.1".to_string(),
        log_space_maps: 3,
        vdevs: Vec::from([vdev(0, 80, 22), vdev(1, 15, 24)]),
    };
    let broken = &mut map.vdevs[1].metaslabs[9];
    broken.problem = Some("space map, byte 24: expected a range below 2^64, found 3".into());
    broken.fragmentation = None;
    map
}

/// Every number at its worst, every text hostile.
pub(super) fn hostile_map() -> MapView {
    let m = MetaslabView {
        id: u64::MAX,
        offset: u64::MAX,
        size: 0,
        space_map: ObjectId(u64::MAX),
        free: u64::MAX,
        free_flushed: 1,
        space_map_length: u64::MAX,
        unflushed_txg: Txg(u64::MAX),
        fragmentation: Some(u64::MAX),
        fragmentation_old: None,
        segments: u64::MAX,
        max_size: u64::MAX,
        weight: u64::MAX,
        weight_text: HOSTILE.into(),
        histogram: std_alloc::vec![u64::MAX; 90],
        histogram_stored: std_alloc::vec![1; 3],
        problem: None,
    };
    let mut broken = m.clone();
    broken.problem = Some(HOSTILE.repeat(100));
    let vdev = VdevMapView {
        id: u64::MAX,
        name: HOSTILE.repeat(20),
        class: HOSTILE.into(),
        ashift: u64::MAX,
        metaslab_shift: u64::MAX,
        size: 0,
        free: u64::MAX,
        fragmentation: Some(u64::MAX),
        fragmentation_old: Some(u64::MAX),
        embedded_log: Some(u64::MAX),
        metaslabs: Vec::from([m, broken]),
    };
    let mut none = vdev.clone();
    none.metaslabs.clear();
    MapView {
        pool: HOSTILE.into(),
        txg: Txg(u64::MAX),
        fragmentation_table: HOSTILE.into(),
        log_space_maps: u64::MAX,
        vdevs: Vec::from([vdev, none]),
    }
}

pub(super) fn strip(id: u64, shift: u32, fill: u64, cells: u32, segments: u32) -> StripView {
    let pyramid = Pyramid::new(&tree(id, shift, fill));
    let range = (id << shift, (id + 1) << shift);
    pyramid.strip((0, id), range, cells, segments)
}

pub(super) fn core_node() -> TreeNodeView {
    let segment = |i: u64| SegmentView { start: i << 20, end: (i << 20) + (4096 << (i % 9)) };
    let child = |i: u64| TreeChildView {
        count: 254 + (i * 37 % 256) as u32,
        first: (i << 20) + (1 << 15),
        last: ((i + 1) << 20) - 4096,
    };
    TreeNodeView {
        path: Vec::from([2]),
        leaf: false,
        height: 1,
        segments: (1..31).map(segment).collect(),
        capacity: 126,
        children: (0..31).map(child).collect(),
        nodes_total: 97,
        segments_total: 35_000,
        memory: 97 * 4096,
    }
}

pub(super) fn leaf_node() -> TreeNodeView {
    let segments: Vec<_> = tree(3, 24, 50).iter().take(300).collect();
    TreeNodeView {
        path: Vec::new(),
        leaf: true,
        height: 0,
        segments: segments.iter().map(|s| SegmentView { start: s.start, end: s.end }).collect(),
        capacity: 510,
        children: Vec::new(),
        nodes_total: 1,
        segments_total: 300,
        memory: 4096,
    }
}

/// A picture of every kind.
pub(super) fn pictures() -> Vec<Picture> {
    let label = |i: u32| crate::base::nice_bytes(1 << i);
    let count = |i: u32| f64::from(i * i * 37 % 1000);
    let names = ["raidz1-0", "raidz1-1", "mirror-2", "logs"];
    let heads = ["total_wait read", "total_wait write", "disk_wait read", "disk_wait write"];
    let stages = ["open", "quiesce", "wait", "sync"];
    let time = |i: u32| f64::from(i) * 5e9;
    let row = |i: u32| {
        let values = (0..4).map(|c| f64::from((i * 7 + c * 13) % 30) * count(i) / 10.0);
        (format!("{}us", 1 << i), values.collect())
    };
    let lengths = |i: u32| Vec::from([5e9, 2e5, 1e5, 4e8 * f64::from(1 + i % 7)]);
    Vec::from([
        Picture::Map { title: "Metaslabs".into(), map: map() },
        Picture::Histogram {
            title: "Free segments by size".into(),
            unit: "bytes".into(),
            bars: (9..28).map(|i| (label(i), count(i))).collect(),
        },
        Picture::Bars {
            title: "Write bandwidth of siblings".into(),
            unit: "bytes/s".into(),
            bars: names
                .iter()
                .zip([9e7, 8.7e7, 3e6, 0.0])
                .map(|(n, v)| (n.to_string(), v))
                .collect(),
        },
        Picture::Bars {
            title: "How full".into(),
            unit: "%".into(),
            bars: names
                .iter()
                .zip([91.0, 40.0, 3.0, 0.1])
                .map(|(n, v)| (n.to_string(), v))
                .collect(),
        },
        Picture::Heat {
            title: "Latency by queue".into(),
            columns: heads.iter().map(ToString::to_string).collect(),
            rows: (0..20).map(row).collect(),
        },
        Picture::Timeline {
            title: "Transaction groups".into(),
            stages: stages.iter().map(ToString::to_string).collect(),
            rows: (0..18).map(|i| (format!("{}", 5000 + i), time(i), lengths(i))).collect(),
        },
    ])
}

/// Pictures that no honest text makes.
pub(super) fn hostile_pictures() -> Vec<Picture> {
    let text = || String::from(HOSTILE);
    let worst = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 1e308, 5e-324];
    let bars = || worst.iter().map(|&v| (text(), v)).collect::<Vec<_>>();
    let mut all = Vec::from([
        Picture::Map { title: text(), map: hostile_map() },
        Picture::Histogram { title: text(), unit: text(), bars: bars() },
        Picture::Bars {
            title: text(),
            unit: text(),
            bars: (0..5000).flat_map(|_| bars()).collect(),
        },
    ]);
    for values in [Vec::new(), worst.to_vec()] {
        all.push(Picture::Heat {
            title: text(),
            columns: (0..40).map(|_| text()).collect(),
            rows: (0..3000).map(|_| (text(), values.clone())).collect(),
        });
        all.push(Picture::Timeline {
            title: text(),
            stages: Vec::from([text(), String::new()]),
            rows: worst.iter().map(|&v| (text(), v, values.clone())).collect(),
        });
    }
    all.push(Picture::Bars { title: String::new(), unit: String::new(), bars: Vec::new() });
    all.push(Picture::Heat { title: String::new(), columns: Vec::new(), rows: Vec::new() });
    all.push(Picture::Timeline { title: String::new(), stages: Vec::new(), rows: Vec::new() });
    all
}
