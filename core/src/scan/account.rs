//! Accounting recomputed from the walk: what data sets refer to, what is theirs alone, what their
//! directories charge, and what the pool itself uses.
//!
//! ```text
//!  own(D)         blocks of D born after the snapshot before it: what the walk visited for D
//!  refers to(D) = refers to(snapshot before D) + own(D) - dead list(D)
//!  directory    = sum of own over its head and snapshots + used by its children + reserved
//!                 of it for the head: what the head refers to, unless it is a clone
//! ```
//!
//! So one visit to each block is enough for all of it. Sources: `dsl_dataset_block_born`,
//! `dsl_dataset_block_kill` of `module/zfs/dsl_dataset.c`, `dsl_dir_diduse_space` of `dsl_dir.c`.

use super::census::{MOS, Tally};
use crate::base::{ObjectId, Result, Txg};
use crate::dmu::{Objset, for_each_pointer, zap_entries};
use crate::dsl::{Dataset, DslDir};
use crate::format::{Blkptr, ObjectType};
use crate::vdev::TopVdev;
use crate::view::{CheckView, Disagreement};
use std_alloc::collections::BTreeMap;
use std_alloc::format;
use std_alloc::string::String;
use std_alloc::vec::Vec;

/// A data set's unique bytes are kept up to date.
#[doc(alias = "DS_FLAG_UNIQUE_ACCURATE")]
const UNIQUE_ACCURATE: u64 = 4;
/// A directory's bytes are kept by kind.
#[doc(alias = "DD_FLAG_USED_BREAKDOWN")]
const BREAKDOWN: u64 = 1;

/// Bytes by the three measures of the DSL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// Allocated, after the vdevs' deflate ratio.
    pub(super) used: u64,
    /// Physical.
    pub(super) compressed: u64,
    /// Logical for data, physical for metadata.
    pub(super) uncompressed: u64,
}

impl Usage {
    /// What one block counts. Source: `bp_get_dsize`, `BP_GET_UCSIZE`.
    pub(super) fn of(bp: &Blkptr, ratios: &[u64]) -> Self {
        let dsize = |(vdev, sectors): (u32, u64)| {
            let ratio = ratios.get(vdev as usize).copied().unwrap_or(512);
            sectors.wrapping_mul(ratio)
        };
        let metadata = bp.level() > 0 || bp.object_type().is_metadata();
        let psize = if bp.is_embedded() { 0 } else { bp.psize() };
        Self {
            used: bp.sectors().map(dsize).fold(0, u64::wrapping_add),
            compressed: psize,
            uncompressed: if metadata { psize } else { bp.lsize() },
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.used = self.used.wrapping_add(other.used);
        self.compressed = self.compressed.wrapping_add(other.compressed);
        self.uncompressed = self.uncompressed.wrapping_add(other.uncompressed);
    }

    fn subtract(&mut self, other: Self) {
        self.used = self.used.wrapping_sub(other.used);
        self.compressed = self.compressed.wrapping_sub(other.compressed);
        self.uncompressed = self.uncompressed.wrapping_sub(other.uncompressed);
    }
}

/// Deflate ratio of each top-level vdev; 512 for all where the pool does not deflate.
pub(super) fn ratios(tops: &[TopVdev], deflate: bool) -> Vec<u64> {
    let ratio = |top: &TopVdev| if deflate { top.deflate_ratio() } else { 512 };
    tops.iter().map(ratio).collect()
}

/// What a dead list of either form holds.
async fn deadlist_usage(mos: &Objset, id: ObjectId, ratios: &[u64]) -> Result<Usage> {
    let mut usage = Usage::default();
    if id == ObjectId(0) {
        return Ok(usage);
    }
    let dnode = mos.dnode(id).await?;
    let lists = match dnode.object_type {
        ObjectType::DEADLIST => {
            let entries = zap_entries(mos, id).await?;
            let lists = entries.iter().filter_map(|e| e.value.u64());
            lists.map(ObjectId).collect()
        }
        _ => Vec::from([id]),
    };
    for list in lists {
        for_each_pointer(mos, list, &mut |bp| usage.add(Usage::of(bp, ratios))).await?;
    }
    Ok(usage)
}

/// What is charged to one directory.
#[derive(Clone, Copy, Debug, Default)]
struct Parts {
    /// Own blocks of its head and snapshots.
    own: Usage,
    /// Whether something of it could not be read.
    partial: bool,
    /// Txg of the snapshot before the oldest of them.
    first: Option<Txg>,
}

/// Compares stored numbers with the walk's.
pub(super) struct Accounts<'a> {
    pub(super) mos: &'a Objset,
    pub(super) root: ObjectId,
    pub(super) datasets: &'a [Dataset],
    pub(super) ratios: &'a [u64],
    pub(super) tallies: &'a BTreeMap<ObjectId, Tally>,
    /// What waits to be freed.
    pub(super) deferred: Option<Usage>,
    pub(super) view: &'a mut CheckView,
}

impl Accounts<'_> {
    /// Compares everything that can be decided.
    pub(super) async fn check(&mut self) {
        self.pool().await;
        let mut order: Vec<&Dataset> = self.datasets.iter().collect();
        order.sort_by_key(|d| (!d.snapshot, d.phys.creation_txg, d.id));
        let mut known = BTreeMap::new();
        for dataset in order {
            self.dataset(dataset, &mut known).await;
            self.objects(dataset);
        }
        self.directories(&known).await;
    }

    fn hold(&mut self, what: String, stored: u64, found: u64) {
        if stored != found {
            let row = Disagreement { what, stored, found };
            self.view.accounting.push(row);
        }
    }

    fn hold_usage(&mut self, what: &str, stored: [u64; 3], found: Usage) {
        let found = [found.used, found.compressed, found.uncompressed];
        let names = ["bytes", "compressed bytes", "uncompressed bytes"];
        for ((stored, found), name) in stored.into_iter().zip(found).zip(names) {
            self.hold(format!("{what}, {name}"), stored, found);
        }
    }

    /// A tally that is whole.
    fn tally(&self, id: ObjectId) -> Option<Tally> {
        let tally = self.tallies.get(&id).copied().unwrap_or_default();
        (!tally.partial).then_some(tally)
    }

    /// `$MOS` and `$FREE`.
    async fn pool(&mut self) {
        let Ok(root) = DslDir::load(self.mos, self.root).await else {
            return;
        };
        if let (Ok(Some(dir)), Some(tally)) = (root.child(self.mos, "$MOS").await, self.tally(MOS))
        {
            let (phys, mut usage) = (dir.phys, tally.usage);
            // The pool charges its own blocks by physical size in both measures.
            usage.uncompressed = usage.compressed;
            let stored = [phys.used, phys.compressed, phys.uncompressed];
            self.hold_usage("$MOS", stored, usage);
        }
        if let (Ok(Some(dir)), Some(usage)) = (root.child(self.mos, "$FREE").await, self.deferred) {
            let phys = dir.phys;
            let stored = [phys.used, phys.compressed, phys.uncompressed];
            self.hold_usage("$FREE", stored, usage);
        }
    }

    /// What a data set refers to and what is its own.
    async fn dataset(&mut self, dataset: &Dataset, known: &mut BTreeMap<ObjectId, Usage>) {
        let (phys, name) = (&dataset.phys, &dataset.name);
        let Some(tally) = self.tally(dataset.id) else {
            return;
        };
        if !dataset.snapshot && phys.flags & UNIQUE_ACCURATE != 0 {
            let what = format!("{name} has for itself, bytes");
            self.hold(what, phys.unique, tally.usage.used);
        }
        let mut usage = tally.usage;
        if tally.shared || phys.prev_snap_txg > Txg(1) {
            let Some(&before) = known.get(&phys.prev_snap) else {
                return;
            };
            match deadlist_usage(self.mos, phys.deadlist, self.ratios).await {
                Ok(dead) => {
                    usage.add(before);
                    usage.subtract(dead);
                }
                Err(e) => {
                    let e = e.at(format!("{name}: dead list"));
                    return self.view.problems.push(format!("{e}"));
                }
            }
        }
        known.insert(dataset.id, usage);
        let stored = [phys.referenced, phys.compressed, phys.uncompressed];
        self.hold_usage(&format!("{name} refers to"), stored, usage);
    }

    /// Counts that heads of objects and of the object set carry; known when all was visited.
    fn objects(&mut self, dataset: &Dataset) {
        let Some(tally) = self.tally(dataset.id).filter(|t| !t.shared) else {
            return;
        };
        if dataset.phys.bp.is_hole() {
            return;
        }
        let name = &dataset.name;
        let fill = dataset.phys.bp.fill();
        // Old pools count the meta dnode too.
        if fill != tally.objects && fill != tally.objects + 1 {
            self.hold(format!("{name} holds, objects"), fill, tally.objects);
        }
        let what = format!("{name}: all objects together use, bytes");
        self.hold(what, tally.object_claims, tally.object_bytes);
    }

    /// What directories charge, by kind.
    async fn directories(&mut self, known: &BTreeMap<ObjectId, Usage>) {
        let mut parts: BTreeMap<ObjectId, Parts> = BTreeMap::new();
        for dataset in self.datasets {
            let own = self.tally(dataset.id).map(|t| t.usage);
            let parts = parts.entry(dataset.dir.id).or_default();
            match own {
                Some(own) => parts.own.add(own),
                None => parts.partial = true,
            }
            let before = dataset.phys.prev_snap_txg;
            parts.first = parts.first.map_or(Some(before), |f| Some(f.min(before)));
        }
        for dataset in self.datasets.iter().filter(|d| !d.snapshot) {
            let Some(parts) = parts.get(&dataset.dir.id) else {
                continue;
            };
            // A clone's head refers to blocks that its origin's directory is charged for.
            let is_clone = parts.first.is_some_and(|txg| txg > Txg(1));
            let head = known.get(&dataset.id).filter(|_| !is_clone);
            let own = (!parts.partial).then_some(parts.own);
            self.directory(&dataset.name, &dataset.dir, own, head.copied()).await;
        }
    }

    async fn directory(
        &mut self,
        name: &str,
        dir: &DslDir,
        own: Option<Usage>,
        head: Option<Usage>,
    ) {
        let phys = &dir.phys;
        let [by_head, by_snapshots, by_children, reserved, refreserved] = phys.breakdown;
        let children = self.children(dir).await;
        if phys.flags & BREAKDOWN != 0 {
            let parts = [by_head, by_snapshots, by_children, reserved, refreserved];
            let sum = parts.into_iter().fold(0, u64::wrapping_add);
            self.hold(format!("{name} charges, bytes of all kinds"), phys.used, sum);
            let both = by_head.wrapping_add(by_snapshots);
            let found = [
                ("its head", by_head, head.map(|u| u.used)),
                ("its head and snapshots", both, own.map(|u| u.used)),
                ("what is below it", by_children, children.map(|u| u.used)),
            ];
            for (kind, stored, found) in found {
                if let Some(found) = found {
                    self.hold(format!("{name} charges for {kind}, bytes"), stored, found);
                }
            }
        }
        if let (Some(mut sum), Some(children)) = (own, children) {
            sum.add(children);
            let pairs = [
                ("compressed", phys.compressed, sum.compressed),
                ("uncompressed", phys.uncompressed, sum.uncompressed),
            ];
            for (kind, stored, found) in pairs {
                self.hold(format!("{name} and below, {kind} bytes"), stored, found);
            }
        }
    }

    /// The sums that the child directories store.
    async fn children(&self, dir: &DslDir) -> Option<Usage> {
        let mut sum = Usage::default();
        if dir.phys.children == ObjectId(0) {
            return Some(sum);
        }
        for entry in zap_entries(self.mos, dir.phys.children).await.ok()? {
            let id = entry.value.u64().map(ObjectId)?;
            let phys = DslDir::load(self.mos, id).await.ok()?.phys;
            sum.add(Usage {
                used: phys.used,
                compressed: phys.compressed,
                uncompressed: phys.uncompressed,
            });
        }
        Some(sum)
    }
}
