//! Object sets: from an object number and an offset to bytes.

use crate::base::{ObjectId, PoolError, PoolErrorKind, Result};
use crate::cache::Reader;
use crate::format::{Blkptr, DNODE_SIZE, Dnode, MAX_BLOCK_SIZE, ObjectType, ObjsetPhys};
use crate::zio::Block;
use std_alloc::format;
use std_alloc::rc::Rc;
use std_alloc::vec;
use std_alloc::vec::Vec;

/// Longest range that one [`Objset::read`] gives.
const READ_MAX: u32 = 64 << 20;

/// Blocks of dnodes that are searched for the next object.
const SEARCH_MAX: u32 = 1 << 20;

/// An object set that can be read. Cheap to clone.
#[derive(Clone)]
pub struct Objset(Rc<Inner>);

struct Inner {
    reader: Reader,
    bp: Blkptr,
    phys: ObjsetPhys,
}

impl Objset {
    /// Opens the object set whose root is `bp`.
    pub async fn open(reader: &Reader, bp: &Blkptr) -> Result<Self> {
        if bp.object_type() != ObjectType::OBJSET || bp.level() != 0 || bp.is_hole() {
            let found = format!("a pointer to a {} at level {}", bp.object_type(), bp.level());
            let message = format!("expected the root of an object set, found {found}");
            return Err(PoolError::new(PoolErrorKind::Damaged, message));
        }
        let block = reader.read(bp).await?;
        let phys = ObjsetPhys::parse(&block.data, block.endian)?;
        Ok(Self(Rc::new(Inner { reader: reader.clone(), bp: *bp, phys })))
    }

    /// What reads its blocks.
    pub fn reader(&self) -> &Reader {
        &self.0.reader
    }

    /// Its root pointer.
    pub fn bp(&self) -> &Blkptr {
        &self.0.bp
    }

    /// Its root block.
    pub fn phys(&self) -> &ObjsetPhys {
        &self.0.phys
    }

    /// The pointer to block `block` (counted at level 0) at `level` of the tree of `dnode`. A hole
    /// anywhere above is a hole.
    pub async fn pointer(&self, dnode: &Dnode, level: u8, block: u64) -> Result<Blkptr> {
        match self.descend(dnode, level, block).await? {
            Found::Pointer(bp) => Ok(bp),
            Found::Hole { .. } => Ok(Blkptr::HOLE),
        }
    }

    async fn descend(&self, dnode: &Dnode, target: u8, block: u64) -> Result<Found> {
        let top = dnode.levels - 1;
        let shift = if top > 0 { dnode.fanout_shift() } else { 0 };
        let index_at = |level: u8| block.checked_shr(shift * u32::from(level)).unwrap_or(0);
        let index = usize::try_from(index_at(top)).ok();
        let Some(mut bp) = index.and_then(|i| dnode.pointers.get(i)).copied() else {
            return Ok(Found::Hole { level: top });
        };
        let mut level = top;
        while level > target {
            if bp.is_hole() {
                return Ok(Found::Hole { level });
            }
            if bp.level() != level {
                let message = format!("expected level {level}, found level {}", bp.level());
                return Err(PoolError::damaged(format!("block {bp}"), message));
            }
            let indirect = self.0.reader.read(&bp).await?;
            level -= 1;
            let at = (index_at(level) & ((1 << shift) - 1)) as usize * 128;
            let bytes = indirect.data.get(at..at + 128).unwrap_or(&[]);
            bp = Blkptr::parse(bytes, indirect.endian)
                .map_err(|e| PoolError::from(e).at("indirect block"))?;
        }
        match bp.is_hole() {
            true => Ok(Found::Hole { level }),
            false => Ok(Found::Pointer(bp)),
        }
    }

    /// Block `block` of an object; a hole reads as zeros.
    pub async fn read_block(&self, dnode: &Dnode, block: u64) -> Result<Block> {
        let bp = self.pointer(dnode, 0, block).await?;
        if bp.is_hole() {
            let size = dnode.block_size.min(MAX_BLOCK_SIZE) as usize;
            return Ok(Block { data: Rc::new(vec![0; size]), endian: dnode.endian });
        }
        match bp.object_type().is_metadata() {
            true => self.0.reader.read(&bp).await,
            false => self.0.reader.zio().read(&bp).await,
        }
    }

    /// Up to `len` bytes (at most 64 MiB) of an object from byte `offset`; short at the last block.
    pub async fn read(&self, dnode: &Dnode, offset: u64, len: u32) -> Result<Vec<u8>> {
        let size = dnode.block_size;
        if size == 0 || size > MAX_BLOCK_SIZE {
            let message = format!("expected a block size of 512 bytes to 16 MiB, found {size}");
            return Err(PoolError::new(PoolErrorKind::Damaged, message));
        }
        let blocks = dnode.max_block.saturating_add(1).min(dnode.addressable_blocks());
        let end = blocks.saturating_mul(size).min(offset.saturating_add(len.min(READ_MAX).into()));
        let mut out = Vec::new();
        let mut at = offset;
        while at < end {
            // Blocks side by side, about a megabyte at a time.
            let first = at / size;
            let count = ((1 << 20) / size).max(1).min((end - 1) / size - first + 1);
            let reads = (first..first + count).map(|b| self.read_block(dnode, b));
            for (block, index) in
                self.0.reader.zio().rt().join(reads).await.into_iter().zip(first..)
            {
                let block = block.map_err(|e| e.at(format!("block {index}")))?;
                let from = (at - index * size) as usize;
                let to = (end - index * size).min(size) as usize;
                let bytes = block.data.get(from..to).ok_or_else(|| {
                    let found = block.data.len();
                    let message = format!("expected {size} bytes, found {found}");
                    PoolError::damaged(format!("block {index}"), message)
                })?;
                out.extend_from_slice(bytes);
                at = (index + 1) * size;
            }
        }
        Ok(out)
    }

    /// The dnode of object `id`. Object 0 is the meta dnode.
    pub async fn dnode(&self, id: ObjectId) -> Result<Dnode> {
        if id == ObjectId(0) {
            return Ok(self.0.phys.meta_dnode.clone());
        }
        let place = || format!("object {id}");
        let meta = &self.0.phys.meta_dnode;
        let slots = self.slots();
        let block = match id.0 / slots <= meta.max_block {
            true => self.read_block(meta, id.0 / slots).await.map_err(|e| e.at(place()))?,
            false => return Err(not_found(id)),
        };
        let at = (id.0 % slots) as usize * DNODE_SIZE;
        let dnode = Dnode::parse(block.data.get(at..).unwrap_or(&[]), block.endian);
        dnode.map_err(|e| PoolError::from(e).at(place()))?.ok_or_else(|| not_found(id))
    }

    /// Dnode slots in a block of the meta dnode.
    pub fn slots(&self) -> u64 {
        (self.0.phys.meta_dnode.block_size / DNODE_SIZE as u64).max(1)
    }

    /// The first block of `dnode` from `from` on that is no hole, skipping whole holes at once.
    pub async fn next_block(&self, dnode: &Dnode, from: u64) -> Result<Option<(u64, Blkptr)>> {
        let last = dnode.max_block.min(dnode.addressable_blocks().saturating_sub(1));
        let shift = if dnode.levels > 1 { dnode.fanout_shift() } else { 0 };
        let mut block = from;
        while block <= last {
            match self.descend(dnode, 0, block).await? {
                Found::Pointer(bp) => return Ok(Some((block, bp))),
                Found::Hole { level } => {
                    let span = shift * u32::from(level);
                    let next = (block.checked_shr(span).unwrap_or(0) + 1).checked_shl(span);
                    match next.filter(|&next| next > block) {
                        Some(next) => block = next,
                        None => return Ok(None),
                    }
                }
            }
        }
        Ok(None)
    }

    /// The first object from number `from` on, and its dnode. Slots inside a large dnode are passed
    /// over, so `from` may be the number behind any object.
    ///
    /// # Errors
    /// A damaged dnode at or behind `from`; damage on the way; a million blocks without an object.
    pub async fn next_object(&self, from: ObjectId) -> Result<Option<(ObjectId, Dnode)>> {
        let slots = self.slots();
        let meta = &self.0.phys.meta_dnode;
        let mut id = from.0.max(1);
        for _ in 0..SEARCH_MAX {
            let Some((index, bp)) = self.next_block(meta, id / slots).await? else {
                return Ok(None);
            };
            let block = self.0.reader.read(&bp).await?;
            // Only the start of a block is sure to be the start of a dnode.
            let mut slot = index * slots;
            id = id.max(slot);
            while slot / slots == index {
                let at = (slot % slots) as usize * DNODE_SIZE;
                let bytes = block.data.get(at..).unwrap_or(&[]);
                let extra = match Dnode::parse(bytes, block.endian) {
                    Ok(Some(dnode)) if slot >= id => return Ok(Some((ObjectId(slot), dnode))),
                    Ok(found) => found.map_or(0, |d| u64::from(d.extra_slots)),
                    Err(e) if slot >= id => {
                        return Err(PoolError::from(e).at(format!("object {slot}")));
                    }
                    Err(_) => 0,
                };
                slot += 1 + extra;
            }
            id = (index + 1) * slots;
        }
        let message = format!("no object in {SEARCH_MAX} blocks of dnodes");
        Err(PoolError::damaged(format!("objects from {from}"), message))
    }
}

enum Found {
    Pointer(Blkptr),
    /// A hole at `level`: it spans every block below.
    Hole {
        level: u8,
    },
}

fn not_found(id: ObjectId) -> PoolError {
    PoolError::new(PoolErrorKind::NotFound, format!("there is no object {id}"))
}
