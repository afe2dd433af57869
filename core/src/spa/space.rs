//! Free space as it is: space maps replayed, then the log space maps of later txgs.
//!
//! ```text
//!   metaslab array -> space map of metaslab i -> replay from "all free"
//!   log space maps, oldest first              -> its changes with txg >= its unflushed txg
//! ```
//!
//! A map that frees what is free or allocates what is not is damage: the entry is reported, its
//! good part is taken, and the replay goes on, so that one bad entry does not hide the rest.
//! Source: `module/zfs/space_map.c`, `spa_log_spacemap.c`, `metaslab.c`.

use crate::base::{ObjectId, PoolError, Result, SECTOR_SHIFT, Txg};
use crate::dmu::{Objset, for_each_entry, zap_entries, zap_lookup};
use crate::format::{SpaceMapEntry, SpaceMapPhys};
use crate::range::RangeTree;
use crate::vdev::TopVdev;
use core::cell::Cell;
use std_alloc::collections::BTreeMap;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Complaints kept for one metaslab.
const PROBLEMS_MAX: usize = 16;
/// Changes of log space maps kept in memory: 64 bytes each.
const CHANGES_MAX: u64 = 64 << 20;

/// One change out of a log space map. Offsets are bytes in the vdev.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Change {
    txg: Txg,
    offset: u64,
    size: u64,
    free: bool,
}

/// What the log space maps of a pool say, by vdev, then by metaslab, then in order.
#[derive(Clone, Debug, Default)]
pub struct LogSpaceMaps {
    maps: Vec<(Txg, ObjectId)>,
    changes: BTreeMap<u32, Vec<Change>>,
}

impl LogSpaceMaps {
    /// Reads the log space maps that object directory entry `zap` lists; none when it is `None`.
    /// The changes are sorted by the metaslabs of `tops`.
    pub async fn load(mos: &Objset, zap: Option<ObjectId>, tops: &[TopVdev]) -> Result<Self> {
        let Some(zap) = zap else {
            return Ok(Self::default());
        };
        let place = |e: PoolError| e.at("log space maps");
        let mut maps = Vec::new();
        for entry in zap_entries(mos, zap).await.map_err(place)? {
            let txg = u64::from_str_radix(&entry.name_text(), 16);
            let (Ok(txg), Some(id)) = (txg, entry.value.u64()) else {
                let message = format!("expected a txg and an object, found {}", entry.name_text());
                return Err(PoolError::damaged("log space maps", message));
            };
            maps.push((Txg(txg), ObjectId(id)));
        }
        maps.sort();
        let mut changes: BTreeMap<u32, Vec<Change>> = BTreeMap::new();
        let count = Cell::new(0);
        for &(txg, id) in &maps {
            for_each_entry(mos, id, 0, SECTOR_SHIFT, &mut |entry| {
                let SpaceMapEntry::Range { offset, size, free, vdev: Some(vdev) } = entry else {
                    return;
                };
                count.set(count.get() + 1);
                if count.get() <= CHANGES_MAX {
                    changes.entry(vdev).or_default().push(Change { txg, offset, size, free });
                }
            })
            .await
            .map_err(place)?;
        }
        if count.get() > CHANGES_MAX {
            let message = format!("expected at most {CHANGES_MAX} changes, found {}", count.get());
            return Err(PoolError::damaged("log space maps", message));
        }
        for top in tops {
            if let Some(changes) = changes.get_mut(&(top.id as u32)) {
                // Stable: within a metaslab the order in time stays.
                changes.sort_by_key(|c| c.offset >> top.metaslab_shift.min(63));
            }
        }
        Ok(Self { maps, changes })
    }

    /// The changes of metaslab `id` of `top` from txg `since` on, in order.
    fn of(&self, top: &TopVdev, id: u64, since: Txg) -> impl Iterator<Item = &Change> {
        let changes = self.changes.get(&(top.id as u32));
        let changes = changes.map_or(&[][..], Vec::as_slice);
        let shift = top.metaslab_shift.min(63);
        let first = changes.partition_point(|c| c.offset >> shift < id);
        let mine = changes.get(first..).unwrap_or(&[]).iter();
        mine.take_while(move |c| c.offset >> shift == id).filter(move |c| c.txg >= since)
    }

    /// Bytes allocated less bytes freed by the changes of metaslab `id` of `top` from `since` on.
    pub fn allocated_by(&self, top: &TopVdev, id: u64, since: Txg) -> i64 {
        self.of(top, id, since).fold(0i64, |sum, c| {
            let size = i64::try_from(c.size).unwrap_or(i64::MAX);
            sum.saturating_add(if c.free { -size } else { size })
        })
    }

    /// How many maps there are.
    pub fn count(&self) -> u64 {
        self.maps.len() as u64
    }

    /// Their txgs and objects, oldest first.
    pub fn maps(&self) -> &[(Txg, ObjectId)] {
        &self.maps
    }
}

/// Where the metaslabs of one top-level vdev keep their state.
#[derive(Clone, Debug)]
pub struct MetaslabTable {
    /// Space map object by metaslab; 0 for none.
    pub space_maps: Vec<ObjectId>,
    /// First txg whose changes are not in the metaslab's own map; 0 for none.
    pub unflushed: Vec<Txg>,
}

impl MetaslabTable {
    /// Reads the metaslab array of `top` and, where its ZAP `zap` has them, the unflushed txgs.
    pub async fn load(mos: &Objset, top: &TopVdev, zap: Option<ObjectId>) -> Result<Self> {
        let place = |e: PoolError| e.at(format!("metaslabs of vdev {}", top.id));
        let count = top.metaslab_count();
        if count == 0 {
            return Ok(Self { space_maps: Vec::new(), unflushed: Vec::new() });
        }
        let space_maps = read_words(mos, top.metaslab_array, count).await.map_err(place)?;
        const KEY: &[u8] = b"com.delphix:ms_unflushed_phys_txgs";
        let object = match zap {
            Some(zap) => zap_lookup(mos, zap, KEY).await.map_err(place)?.and_then(|v| v.u64()),
            None => None,
        };
        let unflushed = match object {
            Some(id) => read_words(mos, ObjectId(id), count).await.map_err(place)?,
            None => Vec::new(),
        };
        let mut unflushed: Vec<_> = unflushed.into_iter().map(Txg).collect();
        unflushed.resize(space_maps.len(), Txg(0));
        Ok(Self { space_maps: space_maps.into_iter().map(ObjectId).collect(), unflushed })
    }
}

/// The first `count` words of an array object; words behind its end are 0.
async fn read_words(mos: &Objset, id: ObjectId, count: u64) -> Result<Vec<u64>> {
    let dnode = mos.dnode(id).await?;
    let mut words = Vec::new();
    let mut block = 0;
    while (words.len() as u64) < count && block <= dnode.max_block {
        let contents = mos.read_block(&dnode, block).await?;
        let before = words.len();
        words.extend(contents.endian.words(&contents.data));
        if words.len() == before {
            break;
        }
        block += 1;
    }
    // The count comes from the configuration; a hostile one must not size memory by itself.
    let present = (words.len() as u64).min(count) as usize;
    words.truncate(present);
    words.resize(count.min(1 << 24) as usize, 0);
    Ok(words)
}

/// One metaslab, loaded.
#[derive(Clone, Debug)]
pub struct LoadedMetaslab {
    /// Top-level vdev.
    pub vdev: u64,
    /// Index in the vdev.
    pub id: u64,
    /// First byte, counted as DVA offsets are.
    pub start: u64,
    /// Bytes.
    pub size: u64,
    /// Space map object; 0 for none.
    pub space_map: ObjectId,
    /// Head of the space map; absent without one.
    pub phys: Option<SpaceMapPhys>,
    /// First txg whose changes are only in log space maps.
    pub unflushed: Txg,
    /// Free now.
    pub free: RangeTree,
    /// What is wrong with the maps, a sentence each.
    pub problems: Vec<String>,
}

impl LoadedMetaslab {
    /// Loads metaslab `id` of `top`. Damage inside the maps is reported in `problems`; an error
    /// means that a map could not be read at all.
    pub async fn load(
        mos: &Objset,
        top: &TopVdev,
        table: &MetaslabTable,
        logs: &LogSpaceMaps,
        id: u64,
    ) -> Result<Self> {
        let (start, size) = (id << top.metaslab_shift, 1 << top.metaslab_shift);
        let index = usize::try_from(id).unwrap_or(usize::MAX);
        let space_map = table.space_maps.get(index).copied().unwrap_or(ObjectId(0));
        let unflushed = table.unflushed.get(index).copied().unwrap_or(Txg(0));
        let mut replay = Replay::new(start, size, top.ashift);
        let mut phys = None;
        if space_map != ObjectId(0) {
            let place = |e: PoolError| e.at(format!("vdev {} metaslab {id}", top.id));
            let mut apply = |entry| {
                if let SpaceMapEntry::Range { offset, size, free, .. } = entry {
                    replay.apply(offset, size, free, "space map");
                }
            };
            let header = for_each_entry(mos, space_map, start, top.ashift, &mut apply);
            phys = Some(header.await.map_err(place)?);
        }
        let allocated = size - replay.free.space();
        let stored = phys.as_ref().map_or(0, |p| p.allocated);
        if allocated.cast_signed() != stored {
            replay.complain(format!(
                "the space map says {stored} bytes are allocated, its entries say {allocated}"
            ));
        }
        for c in logs.of(top, id, unflushed) {
            replay.apply(c.offset, c.size, c.free, "log space map");
        }
        let Replay { free, problems, .. } = replay;
        let vdev = top.id;
        Ok(Self { vdev, id, start, size, space_map, phys, unflushed, free, problems })
    }

    /// Free bytes by the space map alone: what `zdb -m` prints.
    pub fn free_flushed(&self) -> u64 {
        let allocated = self.phys.as_ref().map_or(0, |p| p.allocated);
        self.size.saturating_sub_signed(allocated)
    }
}

struct Replay {
    free: RangeTree,
    start: u64,
    size: u64,
    problems: Vec<String>,
}

impl Replay {
    fn new(start: u64, size: u64, ashift: u32) -> Self {
        Self { free: RangeTree::full(start, size, ashift), start, size, problems: Vec::new() }
    }

    fn complain(&mut self, problem: String) {
        match self.problems.len() {
            n if n < PROBLEMS_MAX => self.problems.push(problem),
            PROBLEMS_MAX => self.problems.push("and more of the kind".to_string()),
            _ => {}
        }
    }

    fn apply(&mut self, offset: u64, size: u64, free: bool, map: &str) {
        let inside = offset >= self.start
            && offset.checked_add(size).is_some_and(|end| end <= self.start + self.size);
        if !inside {
            return self.complain(format!(
                "{map}: range {offset:#x}+{size:#x} lies outside of the metaslab"
            ));
        }
        let done = match free {
            true => self.free.add(offset, size),
            false => self.free.remove(offset, size),
        };
        if let Err(e) = done {
            let action = if free { "free" } else { "alloc" };
            self.complain(format!("{map}: {action} of {offset:#x}+{size:#x}: {e}"));
            let _ = match free {
                true => self.free.add_tolerant(offset, size),
                false => self.free.clear_range(offset, size),
            };
        }
    }
}
