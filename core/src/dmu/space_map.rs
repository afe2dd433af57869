//! Space maps as objects.

use super::Objset;
use super::once::Once;
use crate::base::{ObjectId, PoolError, Result};
use crate::format::{SpaceMapEntries, SpaceMapEntry, SpaceMapPhys};
use std_alloc::format;

/// Head of space map `id`.
pub async fn space_map_header(objset: &Objset, id: ObjectId) -> Result<SpaceMapPhys> {
    let place = |e: PoolError| e.at(format!("space map {id}"));
    let dnode = objset.dnode(id).await.map_err(place)?;
    SpaceMapPhys::parse(&dnode.bonus, dnode.endian).map_err(|e| place(e.into()))
}

/// Calls `f` for every entry of space map `id`, in the order written. Offsets count from `start`
/// in units of `1 << shift`.
pub async fn for_each_entry(
    objset: &Objset,
    id: ObjectId,
    start: u64,
    shift: u32,
    f: &mut dyn FnMut(SpaceMapEntry),
) -> Result<SpaceMapPhys> {
    let place = |e: PoolError| e.at(format!("space map {id}"));
    let dnode = objset.dnode(id).await.map_err(place)?;
    let phys = SpaceMapPhys::parse(&dnode.bonus, dnode.endian).map_err(|e| place(e.into()))?;
    let mut left = phys.length;
    let mut block = 0;
    let mut blocks = Once::new(objset, &dnode);
    while left > 0 {
        if block > dnode.max_block {
            let message = format!("{left} bytes of entries lie behind the last block");
            return Err(PoolError::damaged(format!("space map {id}"), message));
        }
        let contents = blocks.read(block).await.map_err(place)?;
        let take = contents.data.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        if take == 0 {
            return Err(PoolError::damaged(format!("space map {id}"), "blocks without bytes"));
        }
        let bytes = contents.data.get(..take).unwrap_or(&[]);
        for entry in SpaceMapEntries::new(bytes, contents.endian, start, shift) {
            f(entry.map_err(|e| place(PoolError::from(e).at(format!("block {block}"))))?);
        }
        left -= take as u64;
        block += 1;
    }
    Ok(phys)
}
