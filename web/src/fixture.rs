//! Made-up views for tests.

use tidepool::view::{MapView, MetaslabView, PoolView, VdevMapView, VdevView};

/// A pool of nothing but a name.
pub(crate) fn pool() -> PoolView {
    PoolView {
        name: "tank".into(),
        guid: Default::default(),
        state: "exported".into(),
        health: "online".into(),
        version: 5000,
        txg: Default::default(),
        timestamp: 0,
        endian: "little".into(),
        hostname: String::new(),
        errata: 0,
        vdev_tree: VdevView::default(),
        devices: Vec::new(),
        features: Vec::new(),
        space: Vec::new(),
        notes: Vec::new(),
        refusal: None,
    }
}

/// A map with one vdev for each count, metaslabs filling up from left to right.
pub(crate) fn map(counts: &[u64]) -> MapView {
    MapView {
        pool: "tank".into(),
        txg: Default::default(),
        fragmentation_table: "2.3.1".into(),
        log_space_maps: 0,
        vdevs: (0u64..).zip(counts).map(|(id, &n)| vdev(id, n)).collect(),
    }
}

fn vdev(id: u64, count: u64) -> VdevMapView {
    let size = 1u64 << 29;
    let metaslabs: Vec<MetaslabView> = (0..count)
        .map(|i| MetaslabView {
            id: i,
            offset: i * size,
            size,
            space_map: Default::default(),
            free: size / count * i,
            free_flushed: size / count * i,
            space_map_length: 64,
            unflushed_txg: Default::default(),
            fragmentation: Some(i * 100 / count),
            fragmentation_old: Some(i * 100 / count),
            segments: i,
            max_size: i << 12,
            weight: 15 << 54 | i,
            weight_text: format!("segment: {i} of 32K"),
            histogram: vec![0, 0, 0, i],
            histogram_stored: Vec::new(),
            problem: None,
        })
        .collect();
    VdevMapView {
        id,
        name: format!("disk-{id}"),
        class: "normal".into(),
        ashift: 12,
        metaslab_shift: 29,
        size: size * count,
        free: metaslabs.iter().map(|m| m.free).sum(),
        fragmentation: Some(10),
        fragmentation_old: Some(10),
        embedded_log: None,
        metaslabs,
    }
}
