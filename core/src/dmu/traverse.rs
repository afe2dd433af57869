//! The walk over every block of one or more object sets.
//!
//! ```text
//!  roots -> stack of frames (pointers still to visit) -> visitor says what to do with each
//!              ^                                            | read it
//!              +--- children of the oldest read <--- reads in flight, first in, first out
//! ```
//!
//! The stack is last in, first out, so it holds one frame for each level and each read in flight,
//! not the breadth of the tree. Reads in flight are bounded in number and bytes. The order of
//! visits is a function of the pool alone. A child must be one level below its parent, so a
//! hostile tree cannot run in a circle; the visitor can stop one that is endlessly wide.
//! Source: `module/zfs/dmu_traverse.c`.

use crate::base::{ObjectId, PoolError, Result, Txg};
use crate::format::{BLKPTR_SIZE, Blkptr, DNODE_SIZE, Dnode, ObjectType, ObjsetPhys};
use crate::rt::JoinHandle;
use crate::vdev::{CopyReport, ReadFailure};
use crate::zio::{Block, GangTree, Zio};
use std_alloc::collections::VecDeque;
use std_alloc::format;
use std_alloc::string::String;
use std_alloc::vec::Vec;

/// Reads in flight.
const MAX_READS: usize = 64;
/// Bytes in flight beyond which no further read starts.
const MAX_BYTES: u64 = 32 << 20;

/// Block index of a spill block.
#[doc(alias = "DMU_SPILL_BLKID")]
const SPILL_BLOCK: u64 = u64::MAX;

/// Where a block belongs.
#[doc(alias = "zbookmark_phys_t")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bookmark {
    /// Number given to the object set by the caller: the data set object, 0 for the MOS.
    pub objset: ObjectId,
    /// Object; 0 for the meta dnode and the root.
    pub object: ObjectId,
    /// Level; -1 for the root of the object set.
    pub level: i64,
    /// Index of the block at its level.
    pub block: u64,
}

/// What to do with a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// Do not read it and leave out what is below.
    Skip,
    /// Go down; blocks without pointers are not read.
    Descend,
    /// Go down; read and verify blocks without pointers too.
    Verify,
    /// The same, and every copy and replica.
    VerifyAllCopies,
    /// End the walk.
    Stop,
}

/// Who is told about the blocks.
pub trait Visitor {
    /// A pointer that is not a hole.
    fn pointer(&mut self, mark: &Bookmark, bp: &Blkptr) -> Visit;

    /// The root of an object set has been read.
    fn objset(&mut self, objset: ObjectId, phys: &ObjsetPhys) {
        let _ = (objset, phys);
    }

    /// The head of an object, before its blocks.
    fn object(&mut self, objset: ObjectId, id: ObjectId, dnode: &Dnode) {
        let _ = (objset, id, dnode);
    }

    /// A block could not be read, does not match its checksum, or makes no sense.
    fn bad(&mut self, mark: &Bookmark, bp: &Blkptr, error: &PoolError);

    /// Where the headers and members of a gang block are, or why that is not known. Told after its
    /// pointer, before anything below.
    fn gang(&mut self, mark: &Bookmark, bp: &Blkptr, tree: &GangResult) {
        let _ = (mark, bp, tree);
    }

    /// Something of this object set was left out because it was born too early.
    fn passed_over(&mut self, objset: ObjectId) {
        let _ = objset;
    }

    /// What every copy gave, after [`Visit::VerifyAllCopies`].
    fn copies(&mut self, mark: &Bookmark, bp: &Blkptr, copies: &[CopyReport]) {
        let _ = (mark, bp, copies);
    }
}

/// Space of a gang block, or why it is not known.
pub type GangResult = core::result::Result<GangTree, ReadFailure>;

/// One object set to walk.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    /// What bookmarks call it.
    pub objset: ObjectId,
    /// Pointer to its root.
    pub root: Blkptr,
    /// Blocks born in this txg or before are left out, with all below.
    pub after: Txg,
}

/// Pointers or dnodes that wait to be visited.
enum Frame {
    Pointers { block: Block, next: usize, mark: Bookmark, after: Txg },
    Few { pointers: Vec<Blkptr>, next: usize, mark: Bookmark, after: Txg },
    Dnodes { block: Block, next: usize, mark: Bookmark, after: Txg },
}

/// A block to visit.
#[derive(Clone, Copy)]
struct Item {
    mark: Bookmark,
    bp: Blkptr,
    after: Txg,
}

struct Read {
    item: Item,
    handle: JoinHandle<Answer>,
    bytes: u64,
}

struct Answer {
    block: Result<Option<Block>>,
    gang: Option<GangResult>,
    copies: Option<Vec<CopyReport>>,
}

struct Walker<'v> {
    zio: Zio,
    visitor: &'v mut dyn Visitor,
    frames: Vec<Frame>,
    flight: VecDeque<Read>,
    bytes: u64,
    stopped: bool,
}

/// Walks `walks`, the last one first, and tells `visitor` about every block. What cannot be read
/// is told and passed over.
pub async fn traverse(zio: &Zio, walks: &[Walk], visitor: &mut dyn Visitor) {
    let root = |walk: &Walk| Frame::Few {
        pointers: [walk.root].into(),
        next: 0,
        mark: Bookmark { objset: walk.objset, object: ObjectId(0), level: -1, block: 0 },
        after: walk.after,
    };
    let mut walker = Walker {
        zio: zio.clone(),
        visitor,
        frames: walks.iter().map(root).collect(),
        flight: VecDeque::new(),
        bytes: 0,
        stopped: false,
    };
    walker.run().await;
}

impl Walker<'_> {
    async fn run(&mut self) {
        while !self.stopped {
            while self.flight.len() < MAX_READS && self.bytes < MAX_BYTES && !self.stopped {
                match self.next_item() {
                    Some(item) => self.visit(item),
                    None => break,
                }
            }
            let Some(read) = self.flight.pop_front() else {
                break;
            };
            let answer = read.handle.join().await;
            self.bytes -= read.bytes;
            if !self.stopped {
                self.answered(read.item, answer);
            }
        }
        // Tasks of a stopped walk are waited for, so that nothing runs on behind the caller.
        for read in core::mem::take(&mut self.flight) {
            drop(read.handle.join().await);
        }
    }

    /// The next pointer from the top of the stack that is not a hole and not too old.
    fn next_item(&mut self) -> Option<Item> {
        loop {
            let item = match self.frames.last_mut()? {
                Frame::Few { pointers, next, mark, after } => {
                    next_pointer(pointers.get(*next).copied(), next, *mark, *after)
                }
                Frame::Pointers { block, next, mark, after } => {
                    let bytes = block.data.get(*next * BLKPTR_SIZE..).unwrap_or(&[]);
                    let bp = Blkptr::parse(bytes, block.endian).ok();
                    next_pointer(bp, next, *mark, *after)
                }
                Frame::Dnodes { .. } => {
                    if !self.next_dnode() {
                        self.frames.pop();
                    }
                    continue;
                }
            };
            match item {
                None => drop(self.frames.pop()),
                Some(item) if item.bp.is_hole() => {}
                Some(item) if item.bp.birth() <= item.after => {
                    self.visitor.passed_over(item.mark.objset);
                }
                Some(item) => return Some(item),
            }
        }
    }

    /// Puts the pointers of the next dnode of the frame on top onto the stack; false at its end.
    fn next_dnode(&mut self) -> bool {
        let Some(Frame::Dnodes { block, next, mark, after }) = self.frames.last_mut() else {
            return false;
        };
        let slot = *next;
        let Some(bytes) = block.data.get(slot * DNODE_SIZE..).filter(|b| !b.is_empty()) else {
            return false;
        };
        let per_block = (block.data.len() / DNODE_SIZE) as u64;
        let id = mark.block.saturating_mul(per_block) + slot as u64;
        let (mark, after) = (*mark, *after);
        let parsed = Dnode::parse(bytes, block.endian);
        let extra = match &parsed {
            Ok(Some(dnode)) => usize::from(dnode.extra_slots),
            _ => 0,
        };
        *next += 1 + extra;
        match parsed {
            Ok(None) => {}
            Ok(Some(_)) if id == 0 => {
                let e = PoolError::damaged("object 0", "a dnode where the slot must be free");
                self.visitor.bad(&mark, &Blkptr::HOLE, &e);
            }
            Ok(Some(dnode)) => {
                self.visitor.object(mark.objset, ObjectId(id), &dnode);
                self.push_dnode(mark.objset, ObjectId(id), &dnode, after);
            }
            Err(e) => {
                let e = PoolError::from(e).at(format!("object {id}"));
                self.visitor.bad(&mark, &Blkptr::HOLE, &e);
            }
        }
        true
    }

    fn push_dnode(&mut self, objset: ObjectId, object: ObjectId, dnode: &Dnode, after: Txg) {
        let frame = |pointers, level, block| Frame::Few {
            pointers,
            next: 0,
            mark: Bookmark { objset, object, level, block },
            after,
        };
        if let Some(spill) = dnode.spill {
            self.frames.push(frame([spill].into(), 0, SPILL_BLOCK));
        }
        let top = i64::from(dnode.levels) - 1;
        self.frames.push(frame(dnode.pointers.clone(), top, 0));
    }

    fn visit(&mut self, item: Item) {
        let visit = self.visitor.pointer(&item.mark, &item.bp);
        let (deep, copies) = match visit {
            Visit::Skip => return,
            Visit::Stop => {
                self.stopped = true;
                return;
            }
            Visit::Descend => (false, false),
            Visit::Verify => (true, false),
            Visit::VerifyAllCopies => (true, true),
        };
        if let Err(e) = sound(&item) {
            self.visitor.bad(&item.mark, &item.bp, &e);
            return;
        }
        let (inner, gang) = (has_children(&item), item.bp.is_gang());
        if !inner && !gang && (!deep || item.bp.is_embedded()) {
            return;
        }
        let (zio, bp) = (self.zio.clone(), item.bp);
        let handle = self.zio.rt().spawn("read of the walk", async move {
            let gang = match gang {
                true => Some(zio.allocations(&bp).await),
                false => None,
            };
            let block = match (inner, deep) {
                (true, _) => zio.read(&bp).await.map(Some),
                (false, true) => zio.read_raw(&bp).await.map(|_| None),
                (false, false) => Ok(None),
            };
            let copies = match copies {
                true => Some(zio.read_all_copies(&bp).await),
                false => None,
            };
            Answer { block, gang, copies }
        });
        let bytes = bp.psize() + if inner { bp.lsize() } else { 0 };
        self.bytes += bytes;
        self.flight.push_back(Read { item, handle, bytes });
    }

    fn answered(&mut self, item: Item, answer: Answer) {
        let Item { mark, bp, after } = item;
        if let Some(gang) = answer.gang {
            self.visitor.gang(&mark, &bp, &gang);
        }
        if let Some(copies) = answer.copies {
            self.visitor.copies(&mark, &bp, &copies);
        }
        let block = match answer.block {
            Ok(Some(block)) => block,
            Ok(None) => return,
            Err(e) => return self.visitor.bad(&mark, &bp, &e),
        };
        if mark.level > 0 {
            let fanout = (block.data.len() / BLKPTR_SIZE) as u64;
            let mark =
                Bookmark { level: mark.level - 1, block: mark.block.wrapping_mul(fanout), ..mark };
            self.frames.push(Frame::Pointers { block, next: 0, mark, after });
        } else if mark.level == 0 {
            self.frames.push(Frame::Dnodes { block, next: 0, mark, after });
        } else {
            match ObjsetPhys::parse(&block.data, block.endian) {
                Err(e) => self.visitor.bad(&mark, &bp, &e.into()),
                Ok(phys) => self.push_objset(mark.objset, &phys, after),
            }
        }
    }

    fn push_objset(&mut self, objset: ObjectId, phys: &ObjsetPhys, after: Txg) {
        self.visitor.objset(objset, phys);
        for (index, dnode) in (1u64..).zip(&phys.accounting) {
            if let Some(dnode) = dnode {
                let id = ObjectId(0u64.wrapping_sub(index));
                self.visitor.object(objset, id, dnode);
                self.push_dnode(objset, id, dnode, after);
            }
        }
        self.push_dnode(objset, ObjectId(0), &phys.meta_dnode, after);
    }
}

fn next_pointer(bp: Option<Blkptr>, next: &mut usize, mark: Bookmark, after: Txg) -> Option<Item> {
    let bp = bp?;
    let block = mark.block.wrapping_add(*next as u64);
    *next += 1;
    let mark = Bookmark { block, ..mark };
    Some(Item { mark, bp, after })
}

/// Whether the block holds pointers or dnodes.
fn has_children(item: &Item) -> bool {
    match item.mark.level {
        0 => item.mark.object == ObjectId(0),
        _ => true,
    }
}

/// Holds the pointer against the place it stands in.
fn sound(item: &Item) -> Result<()> {
    let Item { mark, bp, .. } = item;
    bp.validate()?;
    let wrong = |why| Err(PoolError::damaged("block pointer", why));
    if i64::from(bp.level()) != mark.level.max(0) {
        return wrong(format!("it says level {} where level {} stands", bp.level(), mark.level));
    }
    if bp.is_embedded() && has_children(item) {
        return wrong(String::from("it embeds pointers or dnodes"));
    }
    let expect = match (mark.object, mark.level) {
        (_, -1) => Some(ObjectType::OBJSET),
        (ObjectId(0), _) => Some(ObjectType::DNODE),
        _ => None,
    };
    match expect {
        Some(expect) if bp.object_type() != expect => {
            wrong(format!("it says {} for {expect}", bp.object_type()))
        }
        _ => Ok(()),
    }
}
