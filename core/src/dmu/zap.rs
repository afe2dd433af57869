//! ZAPs as objects: all entries, or one by name.

use super::Objset;
use super::once::Once;
use crate::base::{ObjectId, PoolError, PoolErrorKind, Result};
use crate::format::{
    Dnode, FatHeader, FatLeaf, ZapBlock0, ZapEntry, ZapValue, parse_zap, zap_hash,
};
use std_alloc::collections::BTreeSet;
use std_alloc::format;
use std_alloc::vec::Vec;

/// Entries beyond this are not listed: a directory of this size is damage or needs paging.
const ENTRIES_MAX: usize = 8 << 20;

/// Blocks of a pointer table: enough for a thousand million leaves.
const TABLE_MAX: u64 = 1 << 16;

/// All entries of ZAP object `id`. Micro ZAPs in block order, fat ones leaf by leaf.
pub async fn zap_entries(objset: &Objset, id: ObjectId) -> Result<Vec<ZapEntry>> {
    let place = |e: PoolError| e.at(format!("ZAP object {id}"));
    let dnode = objset.dnode(id).await?;
    match first_block(objset, &dnode).await.map_err(place)? {
        ZapBlock0::Micro(entries) => Ok(entries),
        ZapBlock0::Fat(head) => fat_entries(objset, &dnode, &head).await.map_err(place),
    }
}

/// The value of `name` in ZAP object `id`.
pub async fn zap_lookup(objset: &Objset, id: ObjectId, name: &[u8]) -> Result<Option<ZapValue>> {
    let place = |e: PoolError| e.at(format!("ZAP object {id}"));
    let dnode = objset.dnode(id).await?;
    let entries = match first_block(objset, &dnode).await.map_err(place)? {
        ZapBlock0::Micro(entries) => entries,
        ZapBlock0::Fat(head) if head.normalisation == 0 && !head.has_integer_keys() => {
            let hash = zap_hash(head.salt, name, head.flags);
            let index = head.table_index(hash);
            let leaf = table_word(objset, &dnode, &head, index).await.map_err(place)?;
            leaf_entries(objset, &dnode, &head, leaf).await.map_err(place)?
        }
        ZapBlock0::Fat(head) => fat_entries(objset, &dnode, &head).await.map_err(place)?,
    };
    Ok(entries.into_iter().find(|e| e.name == name).map(|e| e.value))
}

/// The single integer `name` of ZAP object `id`, or an error that names both.
pub async fn zap_u64(objset: &Objset, id: ObjectId, name: &str) -> Result<u64> {
    let value = zap_lookup(objset, id, name.as_bytes()).await?;
    value.and_then(|v| v.u64()).ok_or_else(|| {
        let message = format!("ZAP object {id} has no integer called {name}");
        PoolError::new(PoolErrorKind::NotFound, message)
    })
}

async fn first_block(objset: &Objset, dnode: &Dnode) -> Result<ZapBlock0> {
    let block = objset.read_block(dnode, 0).await?;
    Ok(parse_zap(&block.data, block.endian)?)
}

/// Pointer `index` of the table of a fat ZAP.
async fn table_word(objset: &Objset, dnode: &Dnode, head: &FatHeader, index: u64) -> Result<u64> {
    if head.table_blocks == 0 {
        let word = usize::try_from(index).ok().and_then(|i| head.embedded.get(i));
        return Ok(word.copied().unwrap_or(0));
    }
    let per_block = (dnode.block_size / 8).max(1);
    let block =
        objset.read_block(dnode, head.table_start.saturating_add(index / per_block)).await?;
    let at = (index % per_block) as usize * 8;
    Ok(block.endian.u64_at(&block.data, at).unwrap_or(0))
}

async fn fat_entries(objset: &Objset, dnode: &Dnode, head: &FatHeader) -> Result<Vec<ZapEntry>> {
    let mut leaves: BTreeSet<u64> = head.embedded.iter().copied().collect();
    let table = head.table_start..head.table_start.saturating_add(head.table_blocks);
    if table.end > dnode.max_block.saturating_add(1) || head.table_blocks > TABLE_MAX {
        let message = format!("expected a table up to block {}", dnode.max_block);
        return Err(PoolError::damaged("pointer table", message));
    }
    let mut blocks = Once::new(objset, dnode);
    for index in table {
        let block = blocks.read(index).await?;
        leaves.extend(block.endian.words(&block.data));
    }
    leaves.remove(&0);
    let mut all = Vec::new();
    for leaf in leaves {
        all.append(&mut leaf_entries(objset, dnode, head, leaf).await?);
        if all.len() > ENTRIES_MAX {
            let message = format!("more than {ENTRIES_MAX} entries");
            return Err(PoolError::new(PoolErrorKind::Unsupported, message));
        }
    }
    Ok(all)
}

async fn leaf_entries(
    objset: &Objset,
    dnode: &Dnode,
    head: &FatHeader,
    leaf: u64,
) -> Result<Vec<ZapEntry>> {
    let place = || format!("leaf {leaf}");
    if leaf > dnode.max_block {
        let message = format!("expected a block up to {}", dnode.max_block);
        return Err(PoolError::damaged(place(), message));
    }
    let block = objset.read_block(dnode, leaf).await.map_err(|e| e.at(place()))?;
    let parsed = FatLeaf::parse(&block.data, block.endian, head);
    let parsed = parsed.map_err(|e| PoolError::from(e).at(place()))?;
    let entries: core::result::Result<Vec<_>, _> = parsed.entries().collect();
    entries.map_err(|e| PoolError::from(e).at(place()))
}
