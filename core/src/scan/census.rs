//! The census: every block counted, claimed and, by way of the walk, verified.

use super::account::Usage;
use super::claims::Claims;
use super::{CheckOptions, Sizes};
use crate::base::{ObjectId, PoolError, PoolErrorKind};
use crate::dmu::{Bookmark, GangResult, Visit, Visitor};
use crate::format::{Blkptr, Dnode, EmbeddedKind, ObjsetPhys, ZilHeader};
use crate::vdev::CopyReport;
use crate::view::{BadBlock, CheckView, Progress};
use crate::zio::Zio;
use std_alloc::collections::BTreeMap;
use std_alloc::format;
use std_alloc::string::{String, ToString};

/// Bad blocks listed of each kind.
const LISTED_MAX: usize = 1000;
/// Blocks between two reports of progress.
const PROGRESS_EVERY: u64 = 256;
/// What bookmarks call the pool's own object set.
pub(super) const MOS: ObjectId = ObjectId(0);
/// Level of log blocks in bookmarks.
pub(super) const LOG_LEVEL: i64 = -2;

/// What the walk of one object set found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    /// Bytes of its own blocks.
    pub(super) usage: Usage,
    /// Allocated objects met, accounting objects left out.
    pub(super) objects: u64,
    /// Bytes of blocks of objects, the meta dnode's left out.
    pub(super) object_bytes: u64,
    /// The same by the dnodes' words.
    pub(super) object_claims: u64,
    /// Whether something could not be read, so that the numbers are too small.
    pub(super) partial: bool,
    /// Whether blocks of older snapshots were passed over.
    pub(super) shared: bool,
    /// The intent log's head.
    pub(super) zil: Option<ZilHeader>,
}

/// State of the walk over a pool.
pub(super) struct Census<'a> {
    pub(super) zio: &'a Zio,
    /// Names of data sets by object.
    pub(super) names: BTreeMap<ObjectId, &'a str>,
    pub(super) options: CheckOptions,
    pub(super) ratios: &'a [u64],
    pub(super) claims: Claims,
    pub(super) view: CheckView,
    pub(super) sizes: Sizes,
    pub(super) tallies: BTreeMap<ObjectId, Tally>,
    pub(super) progress: &'a mut dyn FnMut(Progress) -> bool,
    pub(super) stopped: bool,
}

impl Census<'_> {
    /// The name of an object set.
    pub(super) fn name(&self, objset: ObjectId) -> &str {
        match self.names.get(&objset) {
            Some(name) => name,
            None => "mos",
        }
    }

    pub(super) fn tally(&mut self, objset: ObjectId) -> &mut Tally {
        self.tallies.entry(objset).or_default()
    }

    /// Counts and claims one block; false when its space was claimed before.
    pub(super) fn count(&mut self, mark: &Bookmark, bp: &Blkptr) -> bool {
        let view = &mut self.view;
        view.blocks += 1;
        if bp.is_embedded() {
            view.embedded += 1;
            view.logical += bp.lsize();
            return true;
        }
        view.logical += bp.lsize();
        view.physical += bp.psize();
        view.allocated += bp.asize();
        view.gangs += bp.dvas().filter(|d| d.gang).count() as u64;
        if self.options.sizes {
            self.sizes.add(bp);
        }
        let name = self.names.get(&mark.objset).copied().unwrap_or("mos");
        let owner = || place(name, mark);
        let mut first = false;
        for dva in bp.dvas() {
            let space = self.zio.own_space(dva);
            first |= self.claims.claim(space, is_shared(bp), &owner);
        }
        match (first, bp.is_dedup()) {
            (true, _) => {}
            (false, true) => self.view.deduped += bp.asize(),
            (false, false) => self.view.cloned += bp.asize(),
        }
        first
    }

    fn report_progress(&mut self) {
        if self.view.blocks.is_multiple_of(PROGRESS_EVERY) {
            let now = Progress {
                done: self.claims.bytes,
                total: self.view.space_map_allocated,
                blocks: self.view.blocks,
            };
            self.stopped |= !(self.progress)(now);
        }
    }

    fn record(&mut self, mark: &Bookmark, bp: &Blkptr, problem: String, copy: bool) {
        let row = BadBlock {
            dataset: self.name(mark.objset).to_string(),
            object: mark.object.0,
            level: mark.level,
            block: mark.block,
            path: None,
            pointer: bp.to_string(),
            problem,
        };
        let view = &mut self.view;
        let list = match copy {
            true => &mut view.bad_copies,
            false => &mut view.bad_blocks,
        };
        if list.len() < LISTED_MAX {
            list.push(row);
        } else if list.len() == LISTED_MAX {
            let kind = if copy { "copies" } else { "blocks" };
            let more = format!("more than {LISTED_MAX} bad {kind}: the rest is not listed");
            if !view.problems.contains(&more) {
                view.problems.push(more);
            }
        }
    }
}

/// Whether several pointers may name the block: deduplicated, or cloned, which shows in a physical
/// birth of its own.
fn is_shared(bp: &Blkptr) -> bool {
    bp.is_dedup() || bp.physical_birth() != bp.birth()
}

/// Whether the block holds pointers or dnodes.
fn has_children(mark: &Bookmark) -> bool {
    mark.level != 0 || mark.object == ObjectId(0)
}

/// A place in words.
fn place(name: &str, mark: &Bookmark) -> String {
    match mark.level {
        LOG_LEVEL => format!("{name} intent log block {}", mark.block),
        -1 => format!("{name} root"),
        level => format!(
            "{name} object {} level {level} block {}",
            mark.object.0.cast_signed(),
            mark.block
        ),
    }
}

impl Visitor for Census<'_> {
    fn pointer(&mut self, mark: &Bookmark, bp: &Blkptr) -> Visit {
        if bp.is_embedded() && bp.embedded_kind() != Some(EmbeddedKind::Data) {
            return Visit::Skip;
        }
        let usage = Usage::of(bp, self.ratios);
        let tally = self.tally(mark.objset);
        tally.usage.add(usage);
        if mark.object != ObjectId(0) {
            tally.object_bytes = tally.object_bytes.wrapping_add(usage.used);
        }
        let first = self.count(mark, bp);
        self.report_progress();
        if !first && has_children(mark) {
            // Only data are ever shared. This also ends trees that run in a circle.
            self.tally(mark.objset).partial = true;
            let why = "a block of pointers in space that another block claims";
            self.record(mark, bp, why.to_string(), false);
            return Visit::Skip;
        }
        let is_data = mark.level == 0 && !bp.object_type().is_metadata();
        match (self.stopped, first) {
            (true, _) => Visit::Stop,
            (_, false) => Visit::Descend,
            _ if is_data && self.options.metadata_only => Visit::Descend,
            _ if self.options.all_copies => Visit::VerifyAllCopies,
            _ => Visit::Verify,
        }
    }

    fn objset(&mut self, objset: ObjectId, phys: &ObjsetPhys) {
        self.tally(objset).zil = Some(phys.zil);
    }

    fn object(&mut self, objset: ObjectId, id: ObjectId, dnode: &Dnode) {
        let tally = self.tally(objset);
        tally.objects += u64::from(id.0.cast_signed() > 0);
        tally.object_claims = tally.object_claims.wrapping_add(dnode.used);
    }

    fn passed_over(&mut self, objset: ObjectId) {
        self.tally(objset).shared = true;
    }

    fn bad(&mut self, mark: &Bookmark, bp: &Blkptr, error: &PoolError) {
        if has_children(mark) {
            self.tally(mark.objset).partial = true;
        }
        if error.kind() == PoolErrorKind::Unsupported {
            let why = format!("{}: {}", self.name(mark.objset), error.message());
            if !self.view.not_checked.contains(&why) && self.view.not_checked.len() < LISTED_MAX {
                self.view.not_checked.push(why);
            }
            return;
        }
        self.record(mark, bp, error.message().to_string(), false);
    }

    fn gang(&mut self, mark: &Bookmark, bp: &Blkptr, tree: &GangResult) {
        let tree = match tree {
            Ok(tree) => tree,
            Err(failure) => {
                self.tally(mark.objset).partial = true;
                return self.record(mark, bp, failure.to_string(), false);
            }
        };
        let name = self.names.get(&mark.objset).copied().unwrap_or("mos");
        let owner = || format!("{}, gang member", place(name, mark));
        // The first ones are the headers that the pointer itself claimed.
        let own = bp.dvas().count();
        for space in tree.allocations.iter().skip(own) {
            self.claims.claim(*space, is_shared(bp), &owner);
        }
    }

    fn copies(&mut self, mark: &Bookmark, bp: &Blkptr, copies: &[CopyReport]) {
        for copy in copies {
            if let Some(problem) = &copy.problem {
                self.record(mark, bp, format!("{}: {problem}", copy.name), true);
            }
        }
    }
}
