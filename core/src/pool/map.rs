//! Metaslabs as views: the map, one node of a range tree, and the cache of loaded metaslabs.

use super::{Loaded, Pool};
use crate::alloc::{FragmentationTable, Weight, embedded_log, fragmentation, group_fragmentation};
use crate::base::{PoolError, PoolErrorKind, Result, Txg};
use crate::range::{RangeTree, Segment};
use crate::spa::{LoadedMetaslab, LogSpaceMaps, MetaslabTable};
use crate::vdev::TopVdev;
use crate::view::{
    MapView, MetaslabView, Pyramid, SegmentView, TreeChildView, TreeNodeView, VdevMapView,
};
use std_alloc::format;
use std_alloc::rc::Rc;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

const NEW: FragmentationTable = FragmentationTable::New;
const OLD: FragmentationTable = FragmentationTable::Old;

pub(super) fn segment_view(s: Segment) -> SegmentView {
    SegmentView { start: s.start, end: s.end }
}

/// Node `path` of `tree` as a view.
pub(super) fn tree_node_view(tree: &RangeTree, path: &[u32]) -> Result<TreeNodeView> {
    let Some(node) = tree.node_at(path) else {
        let message = format!("the range tree has no node at {path:?}");
        return Err(PoolError::new(PoolErrorKind::NotFound, message));
    };
    let child = |c: &crate::range::NodeChild| TreeChildView {
        count: c.count,
        first: c.first.start,
        last: c.last.end,
    };
    Ok(TreeNodeView {
        path: path.to_vec(),
        leaf: node.leaf,
        height: node.height,
        segments: node.segments.into_iter().map(segment_view).collect(),
        capacity: node.capacity,
        children: node.children.iter().map(child).collect(),
        nodes_total: tree.node_count(),
        segments_total: tree.segments(),
        memory: tree.memory_bytes(),
    })
}

/// `histogram` up to its last count that is not zero.
fn trimmed(histogram: &[u64]) -> Vec<u64> {
    let end = histogram.iter().rposition(|&n| n != 0).map_or(0, |i| i + 1);
    histogram.get(..end).unwrap_or(&[]).to_vec()
}

impl Pool {
    fn top(&self, vdev: u64) -> Result<(&TopVdev, &MetaslabTable)> {
        let not_found = || {
            let message = format!("the pool has no top-level vdev {vdev}");
            PoolError::new(PoolErrorKind::NotFound, message)
        };
        let index = usize::try_from(vdev).map_err(|_| not_found())?;
        let top = self.0.spa.reader.zio().tops().get(index).ok_or_else(not_found)?;
        match self.0.tables.get(index).ok_or_else(not_found)? {
            Ok(table) => Ok((top, table)),
            Err(e) => Err(e.clone()),
        }
    }

    /// The metaslab, loaded now or a moment ago.
    pub(super) async fn metaslab(&self, vdev: u64, id: u64) -> Result<Rc<Loaded>> {
        if let Some(loaded) = self.0.loaded.borrow_mut().get(&(vdev, id)) {
            return Ok(loaded);
        }
        let (top, table) = self.top(vdev)?;
        let count = table.space_maps.len() as u64;
        if id >= count {
            let message = format!("vdev {vdev} has {count} metaslabs and no number {id}");
            return Err(PoolError::new(PoolErrorKind::NotFound, message));
        }
        let none = LogSpaceMaps::default();
        let logs = self.0.logs.as_ref().unwrap_or(&none);
        let metaslab = LoadedMetaslab::load(&self.0.spa.mos, top, table, logs, id).await?;
        let pyramid = Pyramid::new(metaslab.free.iter());
        let bytes = metaslab.free.memory_bytes() + pyramid.memory_bytes();
        let loaded = Rc::new(Loaded { metaslab, pyramid });
        self.0.loaded.borrow_mut().insert((vdev, id), loaded.clone(), bytes.max(4096));
        Ok(loaded)
    }

    /// The view of a metaslab, made once.
    async fn metaslab_view(&self, top: &TopVdev, table: &MetaslabTable, id: u64) -> MetaslabView {
        if let Some(view) = self.0.views.borrow().get(&(top.id, id)) {
            return view.clone();
        }
        let view = match self.metaslab(top.id, id).await {
            Ok(loaded) => self.describe(top, &loaded.metaslab),
            Err(e) => unreadable(top, table, id, &e),
        };
        self.0.views.borrow_mut().insert((top.id, id), view.clone());
        view
    }

    fn describe(&self, top: &TopVdev, m: &LoadedMetaslab) -> MetaslabView {
        let spa = &self.0.spa;
        let stored: Vec<u64> = match &m.phys {
            // The view counts by log2 of bytes, the disk by log2 of sectors.
            Some(phys) if !phys.histogram.is_empty() => {
                let mut all = std_alloc::vec![0; top.ashift as usize];
                all.extend_from_slice(&phys.histogram);
                trimmed(&all)
            }
            _ => Vec::new(),
        };
        let has_histogram = m.phys.as_ref().is_none_or(|p| !p.histogram.is_empty());
        let feature = "com.delphix:spacemap_histogram";
        let known = has_histogram && spa.features.iter().any(|f| f.guid == feature);
        let percent = |table| known.then(|| fragmentation(&stored, 0, table));
        let (free, histogram) = (m.free.space(), m.free.histogram());
        let weight = match known {
            true if free == m.size => Weight::of_empty(m.size, top.ashift),
            true => Weight::of_loaded(histogram, top.ashift),
            false => Weight::of_space(free, percent(NEW), None),
        };
        let problem = (!m.problems.is_empty()).then(|| m.problems.join("; "));
        MetaslabView {
            id: m.id,
            offset: m.start,
            size: m.size,
            space_map: m.space_map,
            free,
            free_flushed: m.free_flushed(),
            space_map_length: m.phys.as_ref().map_or(0, |p| p.length),
            unflushed_txg: m.unflushed,
            fragmentation: percent(NEW),
            fragmentation_old: percent(OLD),
            segments: m.free.segments(),
            max_size: m.free.max_segment(),
            weight: weight.0,
            weight_text: weight.to_string(),
            histogram: trimmed(histogram),
            histogram_stored: stored,
            problem,
        }
    }

    pub(super) async fn map_view(&self) -> Result<MapView> {
        let spa = &self.0.spa;
        let mut vdevs = Vec::new();
        for (top, config) in spa.reader.zio().tops().iter().zip(&spa.tree.children) {
            let Some(Ok(table)) = self.0.tables.get(top.id as usize) else {
                continue;
            };
            if table.space_maps.is_empty() {
                continue;
            }
            let mut metaslabs = Vec::new();
            for id in 0..table.space_maps.len() as u64 {
                metaslabs.push(self.metaslab_view(top, table, id).await);
            }
            vdevs.push(vdev_view(top, config.name(), metaslabs));
        }
        Ok(MapView {
            pool: spa.name().to_string(),
            txg: spa.uberblock.txg,
            fragmentation_table: NEW.name().to_string(),
            log_space_maps: self.0.logs.as_ref().map_or(0, LogSpaceMaps::count),
            vdevs,
        })
    }
}

fn vdev_view(top: &TopVdev, name: String, metaslabs: Vec<MetaslabView>) -> VdevMapView {
    let percents = |of: fn(&MetaslabView) -> Option<u64>, table| {
        group_fragmentation(metaslabs.iter().map(|m| (of(m), m.free)), table)
    };
    let allocated = metaslabs.iter().map(|m| m.size.saturating_sub(m.free_flushed));
    let normal = top.class == "normal";
    VdevMapView {
        id: top.id,
        name,
        class: top.class.clone(),
        ashift: u64::from(top.ashift),
        metaslab_shift: u64::from(top.metaslab_shift),
        size: metaslabs.iter().map(|m| m.size).sum(),
        free: metaslabs.iter().map(|m| m.free).sum(),
        fragmentation: percents(|m| m.fragmentation, NEW),
        fragmentation_old: percents(|m| m.fragmentation_old, OLD),
        embedded_log: if normal { embedded_log(allocated) } else { None },
        metaslabs,
    }
}

/// The view of a metaslab whose map could not be read: nothing counts as free.
fn unreadable(top: &TopVdev, table: &MetaslabTable, id: u64, e: &PoolError) -> MetaslabView {
    let index = usize::try_from(id).unwrap_or(usize::MAX);
    MetaslabView {
        id,
        offset: id << top.metaslab_shift,
        size: 1 << top.metaslab_shift,
        space_map: table.space_maps.get(index).copied().unwrap_or_default(),
        free: 0,
        free_flushed: 0,
        space_map_length: 0,
        unflushed_txg: table.unflushed.get(index).copied().unwrap_or(Txg(0)),
        fragmentation: None,
        fragmentation_old: None,
        segments: 0,
        max_size: 0,
        weight: 0,
        weight_text: Weight(0).to_string(),
        histogram: Vec::new(),
        histogram_stored: Vec::new(),
        problem: Some(e.to_string()),
    }
}
