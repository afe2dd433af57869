//! Reads the blocks of an object one after another, each once.

use super::Objset;
use crate::base::{PoolError, Result};
use crate::format::Dnode;
use crate::zio::Block;
use std_alloc::collections::BTreeSet;
use std_alloc::format;

/// Blocks of one object that may be embedded in their pointers: such a block is nearly empty.
const EMBEDDED_MAX: u32 = 4096;

/// Walks objects that are long and have no holes: lists, space maps, pointer tables.
///
/// A tree may claim any number of blocks and reach all of them through one stored block that points
/// to itself, or through holes. Each block is taken once and holes are damage, so a walk reads no
/// more than the devices hold.
pub(super) struct Once<'a> {
    objset: &'a Objset,
    dnode: &'a Dnode,
    seen: BTreeSet<(u32, u64)>,
    embedded: u32,
}

impl<'a> Once<'a> {
    pub(super) fn new(objset: &'a Objset, dnode: &'a Dnode) -> Self {
        let (seen, embedded) = (BTreeSet::new(), 0);
        Self { objset, dnode, seen, embedded }
    }

    /// Block `block`, which was not read before.
    pub(super) async fn read(&mut self, block: u64) -> Result<Block> {
        let damaged = |message| PoolError::damaged(format!("block {block}"), message);
        let bp = self.objset.pointer(self.dnode, 0, block).await?;
        if bp.is_hole() {
            return Err(damaged("expected a block, found a hole"));
        }
        let dva = bp.dva(0);
        let fresh = match bp.is_embedded() {
            true => self.embedded < EMBEDDED_MAX,
            false => self.seen.insert((dva.vdev, dva.offset)),
        };
        if !fresh {
            return Err(damaged("the object comes back to this block"));
        }
        self.embedded += u32::from(bp.is_embedded());
        self.objset.reader().read(&bp).await
    }
}
