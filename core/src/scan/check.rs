//! The check of a pool: walk, claims against space maps, accounting.

use super::account::{Usage, deadlist_usage, ratios};
use super::claims::Claims;
use super::walk::{Place, Tally, Walk};
use super::{CheckOptions, Sizes};
use crate::base::{ObjectId, Result, Txg};
use crate::dmu::{Objset, for_each_pointer};
use crate::dsl::{Dataset, DslDir};
use crate::format::{Blkptr, ZapEntry, ZilHeader};
use crate::spa::{LoadedMetaslab, LogSpaceMaps, MetaslabTable};
use crate::view::{CheckView, Disagreement, Progress};
use crate::zil::walk_chain;
use core::cell::{Cell, RefCell};
use std_alloc::collections::BTreeMap;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// What a check needs to know of an open pool.
pub struct CheckInput {
    /// Pool name.
    pub pool: String,
    /// Txg the pool was opened at.
    pub txg: Txg,
    /// The pool's own objects.
    pub mos: Objset,
    /// Entries of the object directory.
    pub directory: Vec<ZapEntry>,
    /// Root of the data sets.
    pub root_dir: ObjectId,
    /// All data sets and snapshots.
    pub datasets: Vec<Dataset>,
    /// Where each top-level vdev keeps its metaslabs, or why that is not known.
    pub tables: Vec<Result<MetaslabTable>>,
    /// Log space maps.
    pub logs: Result<LogSpaceMaps>,
}

impl CheckInput {
    fn entry(&self, name: &str) -> Option<u64> {
        let entry = self.directory.iter().find(|e| e.name == name.as_bytes());
        entry.and_then(|e| e.value.u64()).filter(|&n| n != 0)
    }

    fn has(&self, name: &str) -> bool {
        self.directory.iter().any(|e| e.name == name.as_bytes())
    }
}

/// Walks every block of a pool and holds it against checksums, space maps and accounting.
/// `progress` is told now and then; when it answers false the walk stops and the result says so.
pub async fn check_pool(
    input: &CheckInput,
    options: CheckOptions,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> Result<CheckView> {
    let zio = input.mos.reader().zio().clone();
    let mut view = CheckView {
        pool: input.pool.clone(),
        txg: input.txg.0,
        ..Default::default()
    };
    let metaslabs = load_metaslabs(input, &mut view).await;
    let deflate = input.has("deflate");
    let before = zio.bytes_read();
    let walk = Walk {
        zio: &zio,
        options,
        ratios: ratios(zio.tops(), deflate),
        claims: RefCell::new(Claims::new(zio.tops())),
        total: view.space_map_allocated,
        view: RefCell::new(view),
        sizes: RefCell::new(Sizes::default()),
        tally: Cell::new(Tally::default()),
        progress: RefCell::new(progress),
        stopped: Cell::new(false),
        descended: RefCell::default(),
        gangs: RefCell::default(),
    };
    walk_mos(&walk, input).await;
    walk_datasets(&walk, input).await;
    walk_deferred(&walk, input).await;
    let stopped = walk.stopped.get();
    let Walk {
        claims,
        view,
        sizes,
        ..
    } = walk;
    let (claims, mut view) = (claims.into_inner(), view.into_inner());
    view.bytes_read = zio.bytes_read() - before;
    if options.sizes {
        view.sizes = Some(sizes.into_inner().finish());
    }
    if stopped {
        view.problems
            .push("the walk was stopped; what follows is incomplete".to_string());
    } else {
        compare_space(&claims, &metaslabs, &mut view);
    }
    view.doubles = claims.doubles;
    name_unreadable(&zio, &mut view);
    let CheckView {
        leaks,
        doubles,
        unallocated,
        bad_blocks,
        bad_copies,
        accounting,
        ..
    } = &view;
    view.clean = leaks.is_empty()
        && doubles.is_empty()
        && unallocated.is_empty()
        && bad_blocks.is_empty()
        && bad_copies.is_empty()
        && accounting.is_empty()
        && view.problems.is_empty();
    Ok(view)
}

async fn load_metaslabs(input: &CheckInput, view: &mut CheckView) -> Vec<LoadedMetaslab> {
    let zio = input.mos.reader().zio();
    let none = LogSpaceMaps::default();
    let logs = match &input.logs {
        Ok(logs) => logs,
        Err(e) => {
            view.problems.push(e.to_string());
            &none
        }
    };
    let mut loaded = Vec::new();
    for (top, table) in zio.tops().iter().zip(&input.tables) {
        let table = match table {
            Ok(table) => table,
            Err(e) => {
                view.problems.push(e.to_string());
                continue;
            }
        };
        for id in 0..table.space_maps.len() as u64 {
            match LoadedMetaslab::load(&input.mos, top, table, logs, id).await {
                Ok(metaslab) => {
                    view.space_map_allocated += metaslab.size - metaslab.free.space();
                    let place = format!("vdev {} metaslab {id}", top.id);
                    let problems = metaslab.problems.iter().map(|p| format!("{place}: {p}"));
                    view.problems.extend(problems);
                    loaded.push(metaslab);
                }
                Err(e) => view.problems.push(e.to_string()),
            }
        }
    }
    loaded
}

fn compare_space(claims: &Claims, metaslabs: &[LoadedMetaslab], view: &mut CheckView) {
    for metaslab in metaslabs {
        claims.compare(metaslab, &mut view.leaks, &mut view.unallocated);
    }
    let excuse = view.not_checked.iter().find(|n| n.contains("leaks"));
    if excuse.is_some() || view.bad_blocks.iter().any(|b| b.level != 0) {
        // Below a block that cannot be read everything looks leaked; it is not.
        if !view.leaks.is_empty() {
            let bytes: u64 = view.leaks.iter().map(|l| l.size).sum();
            let message = format!(
                "{bytes} bytes are allocated and were not reached; leaks cannot be told from what \
                 lies behind the parts that were not read"
            );
            view.not_checked.push(message);
            view.leaks.clear();
        }
    }
}

fn name_unreadable(zio: &crate::zio::Zio, view: &mut CheckView) {
    for top in zio.tops() {
        for leaf in top.vdev.leaves() {
            let (read, sums) = (leaf.read_errors.get(), leaf.checksum_errors.get());
            if sums > 0 && view.bad_copies.is_empty() && view.bad_blocks.is_empty() {
                let name = leaf.name();
                view.problems.push(format!(
                    "{name}: {sums} reads did not match their checksum; another replica served"
                ));
            }
            if read > 0 {
                view.problems
                    .push(format!("{}: {read} reads failed", leaf.name()));
            }
        }
    }
}

async fn walk_mos(walk: &Walk<'_>, input: &CheckInput) {
    let at = Place {
        dataset: "mos",
        object: ObjectId(0),
        block: 0,
        since: Txg(0),
    };
    walk.visit_objset(input.mos.bp(), at).await;
    let tally = walk.tally.replace(Tally::default());
    let root = DslDir::load(&input.mos, input.root_dir).await;
    let own = match root {
        Ok(root) => root.child(&input.mos, "$MOS").await.ok().flatten(),
        Err(_) => None,
    };
    if let Some(own) = own.filter(|_| !tally.partial) {
        let mut list = Vec::new();
        let mut usage = tally.usage;
        // The pool charges its own blocks physically in all three measures but the first.
        usage.uncompressed = usage.compressed;
        let phys = &own.phys;
        usage.compare(
            [phys.used, phys.compressed, phys.uncompressed],
            "$MOS",
            &mut list,
        );
        walk.view.borrow_mut().accounting.append(&mut list);
    }
}

/// Walks data sets so that the one a data set builds on comes before it.
async fn walk_datasets(walk: &Walk<'_>, input: &CheckInput) {
    let mut order: Vec<&Dataset> = input.datasets.iter().collect();
    order.sort_by_key(|d| (!d.snapshot, d.phys.creation_txg, d.id));
    let mut known: BTreeMap<ObjectId, Usage> = BTreeMap::new();
    for dataset in order {
        if walk.stopped.get() {
            return;
        }
        let since = dataset.phys.prev_snap_txg;
        let at = Place {
            dataset: &dataset.name,
            object: ObjectId(0),
            block: 0,
            since,
        };
        walk.visit_objset(&dataset.phys.bp, at).await;
        if !dataset.snapshot {
            walk_log(walk, input, dataset, at).await;
        }
        let tally = walk.tally.replace(Tally::default());
        if !tally.partial {
            account(walk, input, dataset, tally, &mut known).await;
        }
    }
    directories(walk, &input.datasets);
}

async fn account(
    walk: &Walk<'_>,
    input: &CheckInput,
    dataset: &Dataset,
    tally: Tally,
    known: &mut BTreeMap<ObjectId, Usage>,
) {
    let phys = &dataset.phys;
    let mut usage = tally.usage;
    if tally.shared || phys.prev_snap_txg > Txg(1) {
        let Some(&before) = known.get(&phys.prev_snap) else {
            return;
        };
        let dead = match deadlist_usage(&input.mos, phys.deadlist, &walk.ratios).await {
            Ok(dead) => dead,
            Err(e) => {
                let place = format!("{}: dead list", dataset.name);
                walk.view
                    .borrow_mut()
                    .problems
                    .push(e.at(place).to_string());
                return;
            }
        };
        usage.add(before);
        usage.subtract(dead);
    }
    known.insert(dataset.id, usage);
    let stored = [phys.referenced, phys.compressed, phys.uncompressed];
    let mut list = Vec::new();
    usage.compare(stored, &format!("{} refers to", dataset.name), &mut list);
    walk.view.borrow_mut().accounting.append(&mut list);
}

/// A directory's `used` is the sum of its parts.
fn directories(walk: &Walk<'_>, datasets: &[Dataset]) {
    for dataset in datasets.iter().filter(|d| !d.snapshot) {
        let phys = &dataset.dir.phys;
        let found = phys
            .breakdown
            .iter()
            .fold(0u64, |sum, part| sum.wrapping_add(*part));
        if phys.flags & 1 != 0 && found != phys.used {
            let what = format!("{} used, by head, snapshots and children", dataset.name);
            let row = Disagreement {
                what,
                stored: phys.used,
                found,
            };
            walk.view.borrow_mut().accounting.push(row);
        }
    }
}

/// Log blocks that the space maps of this txg know: those claimed, or born up to it.
async fn walk_log(walk: &Walk<'_>, input: &CheckInput, dataset: &Dataset, at: Place<'_>) {
    let Ok(objset) = Objset::open(input.mos.reader(), &dataset.phys.bp).await else {
        return;
    };
    let header: ZilHeader = objset.phys().zil;
    let own = walk.tally.get();
    let claimed = header.claim_txg != Txg(0);
    let count = |bp: &Blkptr| {
        if !bp.is_hole() && (claimed || bp.birth() <= input.txg) {
            walk.count(bp, at);
        }
    };
    count(&header.log);
    for block in walk_chain(walk.zio, &header).await.blocks {
        count(&block.chain.next);
        for record in block
            .records
            .iter()
            .filter(|r| r.kind == 9 && r.length == 192)
        {
            let bytes = record.body.get(32..160).unwrap_or(&[]);
            let bp = Blkptr::parse(bytes, block.chain.endian).unwrap_or(Blkptr::HOLE);
            if claimed && bp.birth() >= header.claim_txg && bp.validate().is_ok() {
                count(&bp);
            }
        }
    }
    // Log blocks are charged to nobody.
    walk.tally.set(own);
}

/// Blocks that wait to be freed are still allocated.
async fn walk_deferred(walk: &Walk<'_>, input: &CheckInput) {
    let at = Place {
        dataset: "mos",
        object: ObjectId(0),
        block: 0,
        since: Txg(0),
    };
    for name in ["sync_bplist", "free_bpobj"] {
        let Some(id) = input.entry(name) else {
            continue;
        };
        let at = Place {
            object: ObjectId(id),
            ..at
        };
        let mut count = |bp: &Blkptr| {
            walk.count(bp, at);
        };
        if let Err(e) = for_each_pointer(&input.mos, ObjectId(id), &mut count).await {
            walk.view.borrow_mut().problems.push(e.at(name).to_string());
        }
    }
    let open = [
        (
            "bptree_obj",
            "a data set is being destroyed: leaks are not told apart from its blocks",
        ),
        (
            "com.delphix:zpool_checkpoint",
            "there is a checkpoint: leaks are not told apart from it",
        ),
        (
            "com.delphix:removing",
            "a vdev is being removed: leaks are not told apart",
        ),
        (
            "com.delphix:deleted_clones",
            "a clone is being destroyed: leaks are not told apart",
        ),
    ];
    for (name, why) in open
        .into_iter()
        .filter(|(name, _)| input.entry(name).is_some())
    {
        if name != "bptree_obj" || has_pending_trees(input).await {
            walk.view.borrow_mut().not_checked.push(why.to_string());
        }
    }
}

/// Whether the list of trees to destroy holds any.
async fn has_pending_trees(input: &CheckInput) -> bool {
    let Some(id) = input.entry("bptree_obj") else {
        return false;
    };
    let Ok(dnode) = input.mos.dnode(ObjectId(id)).await else {
        return true;
    };
    let word = |index: usize| dnode.endian.u64_at(&dnode.bonus, index * 8);
    word(0) != word(1)
}
