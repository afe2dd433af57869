//! The check of a pool: walk, claims against space maps, accounting.

use super::account::{Accounts, Usage, ratios};
use super::census::{Census, LOG_LEVEL, MOS};
use super::claims::Claims;
use super::{CheckOptions, Sizes};
use crate::base::{Endian, ObjectId, Result, Txg};
use crate::dmu::{Bookmark, Objset, Visitor, Walk, for_each_pointer, traverse};
use crate::dsl::Dataset;
use crate::format::{Blkptr, ZapEntry, ZilHeader, ZilRecord};
use crate::spa::{LoadedMetaslab, LogSpaceMaps, MetaslabTable};
use crate::view::{CheckView, Progress};
use crate::zil::walk_chain;
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
    let mut view = CheckView { pool: input.pool.clone(), txg: input.txg.0, ..Default::default() };
    let metaslabs = load_metaslabs(input, &mut view).await;
    let before = zio.bytes_read();
    let ratios = ratios(zio.tops(), input.has("deflate"));
    let names = input.datasets.iter().map(|d| (d.id, d.name.as_str()));
    let mut census = Census {
        zio: &zio,
        names: names.collect(),
        options,
        ratios: &ratios,
        claims: Claims::new(zio.tops()),
        view,
        sizes: Sizes::default(),
        tallies: BTreeMap::new(),
        progress,
        stopped: false,
    };
    traverse(&zio, &walks(input), &mut census).await;
    walk_logs(&mut census, input).await;
    let deferred = walk_deferred(&mut census, input).await;
    let Census { claims, mut view, sizes, tallies, stopped, .. } = census;
    view.bytes_read = zio.bytes_read() - before;
    if options.sizes {
        view.sizes = Some(sizes.finish());
    }
    if stopped {
        let message = "the walk was stopped: leaks and accounting are not known";
        view.not_checked.push(message.to_string());
    } else {
        let partial = tallies.values().any(|t| t.partial);
        compare_space(&claims, &metaslabs, partial, &mut view);
        let mut accounts = Accounts {
            mos: &input.mos,
            root: input.root_dir,
            datasets: &input.datasets,
            ratios: &ratios,
            tallies: &tallies,
            deferred,
            view: &mut view,
        };
        accounts.check().await;
    }
    view.doubles = claims.doubles;
    name_unreadable(&zio, &mut view);
    view.clean = is_clean(&view);
    Ok(view)
}

fn is_clean(view: &CheckView) -> bool {
    view.leaks.is_empty()
        && view.doubles.is_empty()
        && view.unallocated.is_empty()
        && view.bad_blocks.is_empty()
        && view.bad_copies.is_empty()
        && view.accounting.is_empty()
        && view.problems.is_empty()
}

/// The pool's own objects, then all data sets; each only as far as it is its own.
fn walks(input: &CheckInput) -> Vec<Walk> {
    let own = Walk { objset: MOS, root: *input.mos.bp(), after: Txg(0) };
    let dataset = |d: &Dataset| Walk { objset: d.id, root: d.phys.bp, after: d.phys.prev_snap_txg };
    [own].into_iter().chain(input.datasets.iter().map(dataset)).collect()
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

fn compare_space(
    claims: &Claims,
    metaslabs: &[LoadedMetaslab],
    partial: bool,
    view: &mut CheckView,
) {
    for metaslab in metaslabs {
        claims.compare(metaslab, &mut view.leaks, &mut view.unallocated);
    }
    let excuse = view.not_checked.iter().any(|n| n.contains("leaks"));
    if (excuse || partial) && !view.leaks.is_empty() {
        // Below a block that cannot be read everything looks leaked; it is not.
        let bytes: u64 = view.leaks.iter().map(|l| l.size).sum();
        let message = format!(
            "{bytes} bytes are allocated and were not reached; leaks cannot be told from what lies \
             behind the parts that were not read"
        );
        view.not_checked.push(message);
        view.leaks.clear();
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
                view.problems.push(format!("{}: {read} reads failed", leaf.name()));
            }
        }
    }
}

/// Counts the log blocks that the space maps of this txg know. Log blocks are charged to nobody.
async fn walk_logs(census: &mut Census<'_>, input: &CheckInput) {
    for dataset in input.datasets.iter().filter(|d| !d.snapshot) {
        let zil = census.tallies.get(&dataset.id).and_then(|t| t.zil);
        let zil = match zil {
            Some(zil) => Some(zil),
            // A head that is its newest snapshot unchanged was not visited.
            None if dataset.phys.bp.is_hole() => None,
            None => Objset::open(input.mos.reader(), &dataset.phys.bp)
                .await
                .ok()
                .map(|os| os.phys().zil),
        };
        if let Some(zil) = zil.filter(|z| !z.log.is_hole() && !census.stopped) {
            walk_log(census, input.txg, dataset.id, &zil).await;
        }
    }
}

/// A log that was claimed counts up to the last claimed block, with the blocks its records wrote.
/// One that was not counts as far as its blocks are older than what follows this txg.
/// Source: `traverse_zil` of `module/zfs/dmu_traverse.c`.
async fn walk_log(census: &mut Census<'_>, txg: Txg, objset: ObjectId, zil: &ZilHeader) {
    let claimed = zil.claim_txg != Txg(0);
    let counts = |bp: &Blkptr| match claimed {
        true => bp.checksum()[3] <= zil.claim_blk_seq,
        false => bp.birth() <= txg,
    };
    let chain = walk_chain(census.zio, zil).await;
    let next = chain.blocks.iter().map(|b| b.chain.next);
    for bp in [zil.log].into_iter().chain(next) {
        if bp.is_hole() || !counts(&bp) {
            break;
        }
        let mark = log_mark(objset, ObjectId(0), bp.checksum()[3]);
        census.count(&mark, &bp);
        if bp.is_gang() {
            let tree = census.zio.allocations(&bp).await;
            census.gang(&mark, &bp, &tree);
        }
    }
    if !claimed {
        return;
    }
    for block in chain.blocks.iter().filter(|b| counts(&b.pointer)) {
        for record in &block.records {
            let Some((object, bp)) = written_block(record, block.chain.endian) else {
                continue;
            };
            if bp.birth() >= zil.claim_txg && record.seq <= zil.claim_lr_seq {
                census.count(&log_mark(objset, object, block.seq()), &bp);
            }
        }
    }
}

fn log_mark(objset: ObjectId, object: ObjectId, block: u64) -> Bookmark {
    Bookmark { objset, object, level: LOG_LEVEL, block }
}

/// The block that a write record points at, and the object it is for.
fn written_block(record: &ZilRecord, endian: Endian) -> Option<(ObjectId, Blkptr)> {
    const TX_WRITE: u64 = 9;
    const RECORD_WITHOUT_DATA: u64 = 192;
    if record.kind != TX_WRITE || record.length != RECORD_WITHOUT_DATA {
        return None;
    }
    let bp = Blkptr::parse(record.body.get(32..)?, endian).ok()?;
    let sound = !bp.is_hole() && !bp.is_embedded() && bp.validate().is_ok();
    sound.then_some((ObjectId(record.word(0, endian)?), bp))
}

/// Counts blocks that wait to be freed: they are still allocated. What the list of the pool version
/// with dead lists holds, when all of it could be read.
async fn walk_deferred(census: &mut Census<'_>, input: &CheckInput) -> Option<Usage> {
    let mut usage = Some(Usage::default());
    for name in ["sync_bplist", "free_bpobj"] {
        let Some(id) = input.entry(name).map(ObjectId) else {
            continue;
        };
        let ratios = census.ratios;
        let mut sum = Usage::default();
        let mut number = 0;
        let mut gangs = Vec::new();
        let mut count = |bp: &Blkptr| {
            let mark = Bookmark { objset: MOS, object: id, level: 0, block: number };
            number += 1;
            if bp.is_hole() || bp.validate().is_err() {
                return;
            }
            sum.add(Usage::of(bp, ratios));
            census.count(&mark, bp);
            if bp.is_gang() {
                gangs.push((mark, *bp));
            }
        };
        let read = for_each_pointer(&input.mos, id, &mut count).await;
        for (mark, bp) in gangs {
            let tree = census.zio.allocations(&bp).await;
            census.gang(&mark, &bp, &tree);
        }
        match read {
            Err(e) => {
                census.view.problems.push(e.at(name).to_string());
                usage = None;
            }
            Ok(()) if name == "free_bpobj" => usage = Some(sum),
            Ok(()) => {}
        }
    }
    note_pending(census, input).await;
    usage
}

/// Names what is under way and keeps leaks from being told.
async fn note_pending(census: &mut Census<'_>, input: &CheckInput) {
    let open = [
        ("bptree_obj", "a data set is being destroyed"),
        ("com.delphix:zpool_checkpoint", "there is a checkpoint"),
        ("com.delphix:removing", "a vdev is being removed"),
        ("com.delphix:deleted_clones", "a clone is being destroyed"),
    ];
    for (name, what) in open {
        let here = match name {
            "com.delphix:zpool_checkpoint" => input.has(name),
            "com.delphix:removing" => is_removing(input),
            _ => input.entry(name).is_some(),
        };
        if here && (name != "bptree_obj" || has_pending_trees(input).await) {
            let why = format!("{what}: leaks are not told apart from its blocks");
            census.view.not_checked.push(why);
        }
    }
}

/// Whether a vdev is on its way out: the first word of the entry is the state, 1 while it runs.
fn is_removing(input: &CheckInput) -> bool {
    let entry = input.directory.iter();
    let mut entry = entry.filter(|e| e.name == b"com.delphix:removing");
    let state = entry.next().and_then(|e| e.value.ints.first().copied());
    state == Some(1)
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
