//! Reads through the cache.

use super::BlockCache;
use crate::base::Result;
use crate::format::Blkptr;
use crate::zio::{Block, Zio};
use core::cell::RefCell;
use std_alloc::rc::Rc;

/// Bytes of metadata kept.
const LIMIT: u64 = 32 << 20;

/// A block by its first copy and birth, which no other block shares.
type Key = (u32, u64, u64);

/// Reads blocks and keeps them for a while. Cheap to clone.
#[derive(Clone)]
pub struct Reader {
    zio: Zio,
    cache: Rc<RefCell<BlockCache<Key, Block>>>,
}

impl Reader {
    /// A cache over `zio`.
    pub fn new(zio: Zio) -> Self {
        Self { zio, cache: Rc::new(RefCell::new(BlockCache::new(LIMIT))) }
    }

    /// The reader below, for blocks that are not worth keeping.
    pub fn zio(&self) -> &Zio {
        &self.zio
    }

    /// The logical contents of `bp`.
    pub async fn read(&self, bp: &Blkptr) -> Result<Block> {
        if bp.is_hole() || bp.is_embedded() {
            return self.zio.read(bp).await;
        }
        let dva = bp.dva(0);
        let key = (dva.vdev, dva.offset, bp.physical_birth().0);
        if let Some(block) = self.cache.borrow_mut().get(&key) {
            // A hostile pointer may name the same place with another size.
            if block.data.len() as u64 == bp.lsize() && block.endian == bp.endian() {
                return Ok(block);
            }
        }
        let block = self.zio.read(bp).await?;
        self.cache.borrow_mut().insert(key, block.clone(), block.data.len() as u64);
        Ok(block)
    }
}
