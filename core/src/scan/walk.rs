//! The walk down the block trees: count, claim, verify.

use super::account::Usage;
use super::claims::Claims;
use super::{CheckOptions, Sizes};
use crate::base::{ObjectId, PoolError, PoolErrorKind, Txg};
use crate::format::{Blkptr, DNODE_SIZE, Dnode, Dva, ObjectType, ObjsetPhys};
use crate::view::{BadBlock, CheckView, Progress};
use crate::zio::Zio;
use core::cell::{Cell, RefCell};
use core::ops::DerefMut;
use std_alloc::boxed::Box;
use std_alloc::collections::BTreeSet;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Children of one block that are visited side by side.
const FAN: usize = 32;
/// Bad blocks listed.
const LISTED_MAX: usize = 1000;

/// A block by the place of one copy and its birth.
pub(super) type Key = (u32, u64, Txg);

fn key(dva: Dva, bp: &Blkptr) -> Key {
    (dva.vdev, dva.offset, bp.birth())
}

/// Where a block is.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) dataset: &'a str,
    pub(super) object: ObjectId,
    pub(super) block: u64,
    /// Blocks born up to here belong to an older snapshot.
    pub(super) since: Txg,
}

/// What the walk of one object set found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    /// Bytes of its own blocks.
    pub(super) usage: Usage,
    /// Dnodes met.
    pub(super) objects: u64,
    /// Whether something could not be read, so that the numbers are too small.
    pub(super) partial: bool,
    /// Whether blocks of older snapshots were passed over.
    pub(super) shared: bool,
}

/// State of the walk over a pool.
pub(super) struct Walk<'a> {
    pub(super) zio: &'a Zio,
    pub(super) options: CheckOptions,
    pub(super) ratios: Vec<u64>,
    pub(super) claims: RefCell<Claims>,
    pub(super) view: RefCell<CheckView>,
    pub(super) sizes: RefCell<Sizes>,
    pub(super) tally: Cell<Tally>,
    pub(super) progress: RefCell<&'a mut dyn FnMut(Progress) -> bool>,
    pub(super) total: u64,
    pub(super) stopped: Cell<bool>,
    /// Blocks whose children have been visited: circles end here.
    pub(super) descended: RefCell<BTreeSet<Key>>,
    /// Gang headers whose members have been claimed.
    pub(super) gangs: RefCell<BTreeSet<Key>>,
}

impl Walk<'_> {
    fn tally(&self, change: impl FnOnce(&mut Tally)) {
        let mut tally = self.tally.get();
        change(&mut tally);
        self.tally.set(tally);
    }

    /// Counts and claims one block that is there; false when it was counted before.
    pub(super) fn count(&self, bp: &Blkptr, at: Place<'_>) -> bool {
        if bp.is_embedded() {
            let mut view = self.view.borrow_mut();
            view.embedded += 1;
            view.blocks += 1;
            view.logical += bp.lsize();
            self.tally(|t| t.usage.add(Usage::of(bp, &self.ratios)));
            return true;
        }
        self.tally(|t| t.usage.add(Usage::of(bp, &self.ratios)));
        let owner = || format!("{} object {} block {}", at.dataset, at.object, at.block);
        let first = self.claims.borrow_mut().claim(bp, &owner);
        let mut view = self.view.borrow_mut();
        view.blocks += 1;
        view.logical += bp.lsize();
        view.physical += bp.psize();
        view.allocated += bp.asize();
        view.gangs += u64::from(bp.is_gang());
        if self.options.sizes {
            self.sizes.borrow_mut().add(bp);
        }
        if view.blocks.is_multiple_of(256) {
            let done = self.claims.borrow().bytes;
            let now = Progress {
                done,
                total: self.total,
                blocks: view.blocks,
            };
            drop(view);
            let go_on = (self.progress.borrow_mut().deref_mut())(now);
            self.stopped.set(self.stopped.get() || !go_on);
        }
        first
    }

    fn bad(&self, bp: &Blkptr, at: Place<'_>, problem: String, copy: bool) {
        let mut view = self.view.borrow_mut();
        let list = if copy {
            &mut view.bad_copies
        } else {
            &mut view.bad_blocks
        };
        if list.len() < LISTED_MAX {
            list.push(BadBlock {
                dataset: at.dataset.to_string(),
                object: at.object.0,
                level: match bp.object_type() {
                    ObjectType::OBJSET => -1,
                    ObjectType::INTENT_LOG => -2,
                    _ => bp.level().into(),
                },
                block: at.block,
                path: None,
                pointer: bp.to_string(),
                problem,
            });
        }
    }

    fn failed(&self, bp: &Blkptr, at: Place<'_>, error: &PoolError) {
        self.tally(|t| t.partial = true);
        match error.kind() {
            PoolErrorKind::Unsupported => {
                let mut view = self.view.borrow_mut();
                let why = format!("{}: {}", at.dataset, error.message());
                if !view.not_checked.contains(&why) {
                    view.not_checked.push(why);
                }
            }
            _ => self.bad(bp, at, error.message().to_string(), false),
        }
    }

    /// Members and headers of gang copies, which take space of their own.
    async fn claim_gang(&self, bp: &Blkptr, at: Place<'_>, depth: u32) {
        // Each copy has a header of its own; all headers list the same members.
        let mut error = None;
        for dva in bp.dvas().filter(|d| d.gang) {
            if !self.gangs.borrow_mut().insert(key(dva, bp)) {
                continue;
            }
            let members = match self.zio.gang_members(bp, dva).await {
                Ok(members) => members,
                Err(e) => {
                    error = Some(e);
                    continue;
                }
            };
            for member in members {
                let owner = || format!("{} object {} gang member", at.dataset, at.object);
                for piece in member.dvas() {
                    self.claims
                        .borrow_mut()
                        .claim_range(piece, bp.is_dedup(), &owner);
                }
                if depth < 16 {
                    Box::pin(self.claim_gang(&member, at, depth + 1)).await;
                }
            }
            return;
        }
        if let Some(e) = error {
            self.bad(bp, at, e.to_string(), false);
        }
    }

    /// Reads and verifies a block; its contents when they are needed to go on.
    async fn verify(&self, bp: &Blkptr, at: Place<'_>, contents: bool) -> Option<Vec<u8>> {
        if self.options.all_copies && !bp.is_embedded() {
            for copy in self.zio.read_all_copies(bp).await {
                if let Some(problem) = copy.problem {
                    self.bad(bp, at, format!("{}: {problem}", copy.name), true);
                }
            }
        }
        let read = match contents {
            true => self.zio.read(bp).await.map(|b| b.data.to_vec()),
            false if bp.is_embedded() => Ok(Vec::new()),
            false => self.zio.read_raw(bp).await,
        };
        match read {
            Ok(bytes) => Some(bytes),
            Err(e) => {
                self.failed(bp, at, &e);
                None
            }
        }
    }

    /// Visits a block and all below it.
    pub(super) async fn visit(&self, bp: &Blkptr, at: Place<'_>) {
        if bp.is_hole() || self.stopped.get() {
            return;
        }
        if bp.birth() <= at.since {
            return self.tally(|t| t.shared = true);
        }
        if let Err(e) = bp.validate() {
            self.tally(|t| t.partial = true);
            return self.bad(bp, at, e.to_string(), false);
        }
        let first = self.count(bp, at);
        if bp.is_gang() {
            self.claim_gang(bp, at, 0).await;
        }
        if bp.level() > 0 || bp.object_type() == ObjectType::DNODE {
            self.descend(bp, at).await;
        } else if first && !(self.options.metadata_only && !bp.object_type().is_metadata()) {
            self.verify(bp, at, false).await;
        }
    }

    /// Visits what an indirect or dnode block leads to, once.
    async fn descend(&self, bp: &Blkptr, at: Place<'_>) {
        let bad = |message: &str| self.bad(bp, at, message.to_string(), false);
        if bp.is_embedded() {
            return bad("expected a block of its own for pointers or dnodes");
        }
        if bp.object_type() == ObjectType::DNODE && at.object != ObjectId(0) {
            return bad("expected dnodes in object 0 only");
        }
        if !self.descended.borrow_mut().insert(key(bp.dva(0), bp)) {
            return bad("the tree comes back to this block");
        }
        let Some(bytes) = self.verify(bp, at, true).await else {
            return;
        };
        match bp.level() {
            0 => self.visit_dnodes(bp, at, &bytes).await,
            _ => self.visit_children(bp, at, &bytes).await,
        }
    }

    async fn visit_children(&self, parent: &Blkptr, at: Place<'_>, bytes: &[u8]) {
        let children: Vec<_> = Blkptr::parse_all(bytes, parent.endian()).collect();
        let first = at.block.saturating_mul(children.len() as u64);
        let children = (first..).zip(&children).filter(|(_, bp)| !bp.is_hole());
        let mut visits = Vec::new();
        for (block, child) in children {
            let at = Place { block, ..at };
            if !child.is_embedded() && child.level() + 1 != parent.level() {
                let message = format!("expected level {}", parent.level() - 1);
                self.bad(child, at, message, false);
                continue;
            }
            visits.push(Box::pin(self.visit(child, at)));
        }
        self.run(visits).await;
    }

    async fn visit_dnodes(&self, parent: &Blkptr, at: Place<'_>, bytes: &[u8]) {
        let mut slot = 0;
        let mut dnodes = Vec::new();
        while let Some(rest) = bytes.get(slot * DNODE_SIZE..).filter(|r| !r.is_empty()) {
            let object = ObjectId((at.block * (bytes.len() / DNODE_SIZE) as u64) + slot as u64);
            match Dnode::parse(rest, parent.endian()) {
                Ok(Some(_)) if object == ObjectId(0) => {
                    let message = "expected a free slot in place of object 0".to_string();
                    self.bad(parent, Place { object, ..at }, message, false);
                }
                Ok(Some(dnode)) => {
                    self.tally(|t| t.objects += 1);
                    slot += usize::from(dnode.extra_slots);
                    dnodes.push((object, dnode));
                }
                Ok(None) => {}
                Err(e) => self.bad(parent, Place { object, ..at }, e.to_string(), false),
            }
            slot += 1;
        }
        let visits = dnodes.iter().map(|(object, dnode)| {
            Box::pin(self.visit_object(
                dnode,
                Place {
                    object: *object,
                    block: 0,
                    ..at
                },
            ))
        });
        self.run(visits.collect()).await;
    }

    /// Visits all blocks of one object.
    pub(super) async fn visit_object(&self, dnode: &Dnode, at: Place<'_>) {
        for (block, bp) in (0..).zip(dnode.pointers.iter().chain(&dnode.spill)) {
            if !bp.is_hole() && !bp.is_embedded() && bp.level() >= dnode.levels {
                let message = format!("expected a level below {}", dnode.levels);
                self.bad(bp, at, message, false);
                continue;
            }
            Box::pin(self.visit(bp, Place { block, ..at })).await;
        }
    }

    /// Visits the root of an object set and everything in it.
    pub(super) async fn visit_objset(&self, bp: &Blkptr, at: Place<'_>) {
        if bp.is_hole() {
            return;
        }
        if bp.birth() <= at.since {
            return self.tally(|t| t.shared = true);
        }
        self.count(bp, at);
        if bp.is_gang() {
            self.claim_gang(bp, at, 0).await;
        }
        let Some(bytes) = self.verify(bp, at, true).await else {
            return;
        };
        let phys = match ObjsetPhys::parse(&bytes, bp.endian()) {
            Ok(phys) => phys,
            Err(e) => {
                self.tally(|t| t.partial = true);
                return self.bad(bp, at, e.to_string(), false);
            }
        };
        let objects = [Some(&phys.meta_dnode)].into_iter();
        let objects = objects
            .chain(phys.accounting.iter().map(Option::as_ref))
            .flatten();
        for dnode in objects {
            self.visit_object(
                dnode,
                Place {
                    object: ObjectId(0),
                    block: 0,
                    ..at
                },
            )
            .await;
        }
    }

    async fn run(&self, visits: Vec<impl Future<Output = ()> + Unpin>) {
        let mut visits = visits.into_iter().peekable();
        while visits.peek().is_some() {
            let batch: Vec<_> = visits.by_ref().take(FAN).collect();
            self.zio.rt().join(batch).await;
        }
    }
}
