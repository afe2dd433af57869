//! The metaslab map of a pasted `zdb -m`, in the same shape that an image gives.

use super::frag;
use super::zdb_metaslabs::{MetaslabRow, VdevRows};
use super::zdb_metaslabs_findings::{Facts, name};
use crate::base::{ObjectId, Txg, nice_bytes};
use crate::view::{MetaslabView, VdevMapView};
use std_alloc::format;
use std_alloc::string::String;
use std_alloc::vec::Vec;

/// The same map that an image gives, as far as the text tells.
pub(crate) fn view(vdev: &VdevRows, facts: &Facts) -> VdevMapView {
    let metaslabs: Vec<MetaslabView> =
        vdev.rows.iter().map(|r| metaslab_view(r, facts.size)).collect();
    let merged = merged(&vdev.rows);
    let frag = frag::fragmentation(&merged);
    VdevMapView {
        id: vdev.id.unwrap_or(0),
        name: name(vdev),
        class: vdev.class.clone(),
        ashift: 0,
        metaslab_shift: facts.shift.map_or(0, u64::from),
        size: facts.size.saturating_mul(vdev.count.unwrap_or(vdev.rows.len() as u64)),
        free: facts.free as u64,
        fragmentation: frag.map(|(_, new)| new),
        fragmentation_old: frag.map(|(old, _)| old),
        embedded_log: embedded_log(vdev),
        metaslabs,
    }
}

/// All stored histograms added up.
fn merged(rows: &[MetaslabRow]) -> Vec<(u32, u64)> {
    let mut sums = [0u64; 64];
    for (shift, count) in rows.iter().flat_map(|r| &r.histogram) {
        if let Some(sum) = sums.get_mut(*shift as usize) {
            *sum = sum.saturating_add(*count);
        }
    }
    (0u32..).zip(sums).filter(|(_, count)| *count > 0).collect()
}

/// The metaslab that would hold the embedded log: the least allocated one of a normal vdev with
/// more than 64, when all are shown with their allocated space. 2.1 and later.
fn embedded_log(vdev: &VdevRows) -> Option<u64> {
    let whole = vdev.count == Some(vdev.rows.len() as u64) && vdev.rows.len() > 64;
    if !whole || vdev.class != "normal" || vdev.unflushed_object.is_none() {
        return None;
    }
    vdev.rows.iter().min_by_key(|r| (r.smp_alloc.unwrap_or(0), r.id)).map(|r| r.id)
}

fn metaslab_view(row: &MetaslabRow, size: u64) -> MetaslabView {
    let free = match row.smp_alloc {
        Some(alloc) if size > 0 => size.saturating_sub(alloc),
        _ => row.free as u64,
    };
    let frag = frag::fragmentation(&row.histogram);
    let top = frag::largest(&row.histogram);
    let weight_text = top.map_or(String::new(), |(shift, n)| {
        format!("segment: {n} of {}", nice_bytes(1 << shift.min(63)))
    });
    MetaslabView {
        id: row.id,
        offset: row.offset,
        size,
        space_map: ObjectId(row.space_map),
        free,
        free_flushed: free,
        space_map_length: row.smp_length.unwrap_or(0),
        unflushed_txg: Txg(row.unflushed_txg.unwrap_or(0)),
        fragmentation: frag.map(|(_, new)| new),
        fragmentation_old: frag.map(|(old, _)| old),
        segments: row.segments.unwrap_or_else(|| {
            dense(&row.histogram).iter().fold(0, |sum: u64, n| sum.saturating_add(*n))
        }),
        max_size: row.max_size.unwrap_or(0.0) as u64,
        weight: top.map_or(0, |(shift, n)| u64::from(shift) << 54 | (n & ((1 << 54) - 1))),
        weight_text,
        histogram: dense(if row.loaded.is_empty() { &row.histogram } else { &row.loaded }),
        histogram_stored: dense(&row.histogram),
        problem: None,
    }
}

/// Counts by log2 of bytes, from 0 on.
fn dense(histogram: &[(u32, u64)]) -> Vec<u64> {
    let top = frag::largest(histogram).map_or(0, |(shift, _)| shift as usize + 1);
    let mut out = std_alloc::vec![0u64; top.min(64)];
    for (shift, count) in histogram {
        if let Some(slot) = out.get_mut(*shift as usize) {
            *slot = *count;
        }
    }
    out
}
