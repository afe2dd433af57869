//! Scans and open pools as views.

use super::ScanView;
use crate::base::Txg;
use crate::format::{RingSlot, Uberblock};
use crate::spa::{Candidate, DeviceScan, Found, LabelScan, Role, Scan, Spa, VdevConfig};
use crate::view::{
    DeviceView, FeatureView, LabelView, PoolView, SpaceView, UberblockView, VdevView,
};
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

pub(super) fn scan_view(scan: &Scan) -> ScanView {
    let mut pools: Vec<PoolView> = scan
        .pools()
        .iter()
        .map(|(guid, members)| candidate_view(scan, &Candidate::new(scan, *guid, members, None)))
        .collect();
    pools.sort_by(|a, b| (&a.name, a.guid).cmp(&(&b.name, b.guid)));
    let strangers = scan.devices.iter().filter(|d| d.role() != Role::Member);
    let strangers = strangers.map(|d| device_view(d, None)).collect();
    ScanView { pools, strangers }
}

fn candidate_view(scan: &Scan, candidate: &Candidate) -> PoolView {
    let refusal = candidate.refusal.as_ref().map(ToString::to_string);
    let health = match refusal {
        Some(_) => "faulted",
        None => candidate.tree.health().name(),
    };
    let features = candidate.config.list("features_for_read");
    let features = features.into_iter().flat_map(crate::format::Nvlist::iter);
    let features = features.map(|(guid, _)| FeatureView {
        guid: guid.to_string(),
        refcount: 1,
        for_read: true,
        known: crate::format::feature(guid).is_some(),
    });
    PoolView {
        health: health.to_string(),
        vdev_tree: vdev_view(&candidate.tree, 0),
        devices: devices(scan, &candidate.members, candidate.found.as_ref()),
        features: features.collect(),
        notes: candidate.notes.clone(),
        refusal,
        ..head(candidate)
    }
}

/// What labels and uberblock tell of a pool.
fn head(candidate: &Candidate) -> PoolView {
    let uberblock = candidate.found.map(|f| f.uberblock);
    PoolView {
        name: candidate.name.clone(),
        guid: candidate.guid,
        state: candidate.state().to_string(),
        health: String::new(),
        version: candidate.version(),
        txg: uberblock.map_or(Txg(0), |u| u.txg),
        timestamp: uberblock.map_or(0, |u| u.timestamp),
        endian: uberblock.map_or("", |u| endian(&u)).to_string(),
        hostname: candidate.hostname().to_string(),
        errata: candidate.errata(),
        vdev_tree: VdevView::default(),
        devices: Vec::new(),
        features: Vec::new(),
        space: Vec::new(),
        notes: Vec::new(),
        refusal: None,
    }
}

pub(super) fn pool_view(spa: &Spa, space: &[SpaceView], notes: &[String]) -> PoolView {
    let features = spa.features.iter().map(|f| FeatureView {
        guid: f.guid.clone(),
        refcount: f.refcount,
        for_read: f.for_read,
        known: f.known,
    });
    PoolView {
        health: spa.tree.health().name().to_string(),
        vdev_tree: vdev_view(&spa.tree, 0),
        devices: devices(&spa.scan, &spa.devices, spa.candidate.found.as_ref()),
        features: features.collect(),
        space: space.to_vec(),
        notes: notes.to_vec(),
        ..head(&spa.candidate)
    }
}

fn endian(uberblock: &Uberblock) -> &'static str {
    match uberblock.endian {
        crate::base::Endian::Little => "little",
        crate::base::Endian::Big => "big",
    }
}

/// `depth` is 0 for the root and 1 for top-level vdevs.
fn vdev_view(config: &VdevConfig, depth: u32) -> VdevView {
    let top = depth == 1;
    let only = |n: u64| if top { n } else { 0 };
    VdevView {
        kind: config.kind.clone(),
        name: config.name(),
        id: config.id,
        guid: config.guid,
        health: config.health().name().to_string(),
        class: if top { config.class.clone() } else { String::new() },
        nparity: config.nparity,
        ashift: only(config.ashift),
        asize: only(config.asize),
        metaslab_shift: only(config.metaslab_shift),
        metaslab_array: if top { config.metaslab_array } else { Default::default() },
        device: config.device.as_ref().map(|d| d.name().to_string()),
        problem: config.problem.clone(),
        children: config.children.iter().map(|c| vdev_view(c, depth + 1)).collect(),
    }
}

fn devices(scan: &Scan, indices: &[usize], found: Option<&Found>) -> Vec<DeviceView> {
    let chosen = found.map(|f| f.uberblock);
    scan.members(indices).map(|(_, device)| device_view(device, chosen.as_ref())).collect()
}

fn device_view(device: &DeviceScan, chosen: Option<&Uberblock>) -> DeviceView {
    DeviceView {
        name: device.device.name().to_string(),
        size: device.device.size(),
        guid: device.guid(),
        role: device.role().name().to_string(),
        labels: device.labels.iter().map(|l| label_view(l, chosen)).collect(),
    }
}

fn label_view(scan: &LabelScan, chosen: Option<&Uberblock>) -> LabelView {
    let label = scan.label.as_ref().ok();
    let slot_size = label.map_or(0, |l| l.slot_size);
    LabelView {
        index: scan.index,
        offset: scan.offset,
        txg: scan.txg().unwrap_or(Txg(0)),
        problem: scan.problem(),
        config: scan.config().map(ToString::to_string).unwrap_or_default(),
        uberblocks: label
            .map(|l| l.ring.iter().map(|s| slot_view(s, chosen)).collect())
            .unwrap_or_default(),
        slots: (128u64 << 10).checked_div(slot_size).unwrap_or(0),
        slot_size,
    }
}

fn slot_view(slot: &RingSlot, chosen: Option<&Uberblock>) -> UberblockView {
    match &slot.uberblock {
        Ok(u) => UberblockView {
            slot: slot.index,
            txg: u.txg,
            version: u.version,
            guid_sum: u.guid_sum,
            timestamp: u.timestamp,
            endian: endian(u).to_string(),
            rootbp: u.rootbp.to_string(),
            chosen: chosen == Some(u),
            problem: None,
        },
        Err(e) => UberblockView {
            slot: slot.index,
            txg: Txg(0),
            version: 0,
            guid_sum: 0,
            timestamp: 0,
            endian: String::new(),
            rootbp: String::new(),
            chosen: false,
            problem: Some(e.to_string()),
        },
    }
}
