//! Lists of block pointers as objects, with the lists inside them.

use super::Objset;
use super::once::Once;
use crate::base::{ObjectId, PoolError, Result};
use crate::format::{Blkptr, BpobjPhys};
use std_alloc::collections::BTreeSet;
use std_alloc::format;
use std_alloc::vec::Vec;

/// Calls `f` for every pointer of list `id` and of the lists it holds. A list that holds itself is
/// damage.
pub async fn for_each_pointer(
    objset: &Objset,
    id: ObjectId,
    f: &mut dyn FnMut(&Blkptr),
) -> Result<()> {
    let mut seen = BTreeSet::new();
    let mut todo = Vec::from([id]);
    while let Some(id) = todo.pop() {
        let place = |e: PoolError| e.at(format!("block pointer list {id}"));
        if !seen.insert(id) {
            return Err(PoolError::damaged(format!("block pointer list {id}"), "listed twice"));
        }
        let dnode = objset.dnode(id).await.map_err(place)?;
        let phys = BpobjPhys::parse(&dnode.bonus, dnode.endian).map_err(|e| place(e.into()))?;
        let mut left = phys.count;
        let mut block = 0;
        let mut blocks = Once::new(objset, &dnode);
        while left > 0 && block <= dnode.max_block {
            let contents = blocks.read(block).await.map_err(place)?;
            let pointers = Blkptr::parse_all(&contents.data, contents.endian);
            for bp in pointers.take(usize::try_from(left).unwrap_or(usize::MAX)) {
                f(&bp);
                left -= 1;
            }
            block += 1;
        }
        if phys.subobjs != ObjectId(0) {
            let array = objset.dnode(phys.subobjs).await.map_err(place)?;
            let mut blocks = Once::new(objset, &array);
            let mut left = phys.subobj_count;
            for block in 0..=array.max_block {
                if left == 0 {
                    break;
                }
                let contents = blocks.read(block).await.map_err(place)?;
                let words = contents.endian.words(&contents.data);
                let words = words.take(usize::try_from(left).unwrap_or(usize::MAX));
                let before = todo.len();
                todo.extend(words.map(ObjectId));
                left -= (todo.len() - before) as u64;
            }
        }
    }
    Ok(())
}
