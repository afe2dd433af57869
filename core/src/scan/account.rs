//! Accounting recomputed from the walk: what each data set refers to, and the pool's own blocks.
//!
//! A data set refers to what the snapshot before it referred to, plus the blocks born since, minus
//! those on its dead list. So one visit to each block is enough for all of them. Source:
//! `dsl_dataset_block_born` and `dsl_dataset_block_kill` of `module/zfs/dsl_dataset.c`.

use crate::base::{ObjectId, Result};
use crate::dmu::{Objset, for_each_pointer, zap_entries};
use crate::format::{Blkptr, ObjectType};
use crate::vdev::TopVdev;
use crate::view::Disagreement;
use std_alloc::format;
use std_alloc::vec::Vec;

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
    /// What one block counts. Source: `bp_get_dsize`, `bp_get_ucsize` of `module/zfs/spa_misc.c`.
    pub(super) fn of(bp: &Blkptr, ratios: &[u64]) -> Self {
        let dsize = |(vdev, sectors): (u32, u64)| {
            sectors * ratios.get(vdev as usize).copied().unwrap_or(512)
        };
        let metadata = bp.level() > 0 || bp.object_type().is_metadata();
        let psize = if bp.is_embedded() { 0 } else { bp.psize() };
        Self {
            used: bp.sectors().map(dsize).sum(),
            compressed: psize,
            uncompressed: if metadata { psize } else { bp.lsize() },
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.used = self.used.wrapping_add(other.used);
        self.compressed = self.compressed.wrapping_add(other.compressed);
        self.uncompressed = self.uncompressed.wrapping_add(other.uncompressed);
    }

    pub(super) fn subtract(&mut self, other: Self) {
        self.used = self.used.wrapping_sub(other.used);
        self.compressed = self.compressed.wrapping_sub(other.compressed);
        self.uncompressed = self.uncompressed.wrapping_sub(other.uncompressed);
    }

    /// The differences to three stored numbers, called after `what`.
    pub(super) fn compare(&self, stored: [u64; 3], what: &str, out: &mut Vec<Disagreement>) {
        let found = [self.used, self.compressed, self.uncompressed];
        for ((stored, found), name) in
            stored
                .into_iter()
                .zip(found)
                .zip(["bytes", "compressed bytes", "uncompressed bytes"])
        {
            if stored != found {
                out.push(Disagreement {
                    what: format!("{what}, {name}"),
                    stored,
                    found,
                });
            }
        }
    }
}

/// Deflate ratio of each top-level vdev; 512 for all where the pool does not deflate.
pub(super) fn ratios(tops: &[TopVdev], deflate: bool) -> Vec<u64> {
    tops.iter()
        .map(|top| if deflate { top.deflate_ratio() } else { 512 })
        .collect()
}

/// What a dead list of either form holds.
pub(super) async fn deadlist_usage(mos: &Objset, id: ObjectId, ratios: &[u64]) -> Result<Usage> {
    let mut usage = Usage::default();
    if id == ObjectId(0) {
        return Ok(usage);
    }
    let dnode = mos.dnode(id).await?;
    let lists = match dnode.object_type {
        ObjectType::DEADLIST => {
            let entries = zap_entries(mos, id).await?;
            entries
                .iter()
                .filter_map(|e| e.value.u64())
                .map(ObjectId)
                .collect()
        }
        _ => Vec::from([id]),
    };
    for list in lists {
        for_each_pointer(mos, list, &mut |bp| usage.add(Usage::of(bp, ratios))).await?;
    }
    Ok(usage)
}
