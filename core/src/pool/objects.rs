//! Objects as views: the head, and the list of block pointers in `zdb`'s form.

use super::Pool;
use super::details::details;
use crate::base::{ObjectId, PoolError, Result};
use crate::dmu::Objset;
use crate::format::{Blkptr, Dnode, ObjectType};
use crate::view::ObjectView;
use std_alloc::format;
use std_alloc::string::String;
use std_alloc::vec::Vec;

/// Block pointers listed of one object.
const BLOCKS_MAX: usize = 1 << 16;
/// Objects listed in one answer.
const OBJECTS_MAX: u32 = 1 << 16;

/// The head of an object as a view.
fn head(id: ObjectId, dnode: &Dnode) -> ObjectView {
    let bonus_kind = match dnode.bonus_type {
        ObjectType::NONE => "none".into(),
        kind => format!("{kind}"),
    };
    ObjectView {
        id,
        kind: format!("{}", dnode.object_type),
        bonus_kind,
        bonus_len: dnode.bonus.len() as u64,
        levels: u64::from(dnode.levels),
        indirect_size: 1u64.checked_shl(dnode.indirect_shift.into()).unwrap_or(0),
        block_size: dnode.block_size,
        dnode_size: dnode.size(),
        used: dnode.used,
        max_block: dnode.max_block,
        size: dnode.max_block.saturating_add(1).saturating_mul(dnode.block_size),
        details: Vec::new(),
        blocks: Vec::new(),
    }
}

impl Pool {
    pub(super) async fn object_views(
        &self,
        dataset: &str,
        from: ObjectId,
        limit: u32,
    ) -> Result<Vec<ObjectView>> {
        let (objset, _) = self.objset(dataset).await?;
        let place = |e: PoolError| e.at(format!("data set {dataset}"));
        let mut views = Vec::new();
        let mut next = from;
        while (views.len() as u64) < u64::from(limit.min(OBJECTS_MAX)) {
            let Some((id, dnode)) = objset.next_object(next).await.map_err(place)? else {
                break;
            };
            views.push(head(id, &dnode));
            next = ObjectId(id.0.saturating_add(1 + u64::from(dnode.extra_slots)));
        }
        Ok(views)
    }

    pub(super) async fn object_view(
        &self,
        dataset: &str,
        id: ObjectId,
        blocks: bool,
    ) -> Result<ObjectView> {
        let (objset, found) = self.objset(dataset).await?;
        let place = |e: PoolError| e.at(format!("data set {dataset}"));
        let dnode = match accounting(&objset, id) {
            Some(dnode) => dnode,
            None => objset.dnode(id).await.map_err(place)?,
        };
        let encrypted = found.is_some_and(|d| d.is_encrypted());
        let mut view = head(id, &dnode);
        view.details = details(self, &objset, dataset, id, &dnode, encrypted).await;
        if blocks {
            view.blocks = block_lines(&objset, &dnode).await;
        }
        Ok(view)
    }
}

/// Accounting object -1, -2 or -3, which `zdb` lists under that number.
fn accounting(objset: &Objset, id: ObjectId) -> Option<Dnode> {
    let index = usize::try_from(u64::MAX - id.0).ok()?;
    objset.phys().accounting.get(index)?.clone()
}

/// A pointer in the tree of an object.
struct Visit {
    level: u8,
    block: u64,
    bp: Blkptr,
}

/// All pointers of an object depth first, indirect ones before what they point at, as
/// `zdb -ddddd` lists them: offset, level, copies.
async fn block_lines(objset: &Objset, dnode: &Dnode) -> Vec<String> {
    let top = dnode.levels - 1;
    let mut lines = Vec::new();
    let mut todo: Vec<Visit> = Vec::new();
    for (block, bp) in (0u64..).zip(&dnode.pointers) {
        todo.push(Visit { level: top, block, bp: *bp });
    }
    todo.reverse();
    if let Some(spill) = &dnode.spill {
        lines.push(format!("spill block {spill}"));
    }
    while let Some(visit) = todo.pop() {
        let Visit { level, block, bp } = visit;
        if bp.is_hole() && bp.birth().0 == 0 {
            continue;
        }
        if lines.len() >= BLOCKS_MAX {
            lines.push("... and more".into());
            break;
        }
        lines.push(line(dnode, level, block, &bp));
        if level == 0 || bp.is_hole() {
            continue;
        }
        if bp.level() != level {
            lines.push(format!("(the pointer says level {}: not followed)", bp.level()));
            continue;
        }
        match objset.reader().read(&bp).await {
            Ok(contents) => {
                let shift = dnode.fanout_shift();
                let pointers = Blkptr::parse_all(&contents.data, contents.endian);
                let mut below: Vec<Visit> = (0u64..)
                    .zip(pointers.take(1 << shift))
                    .map(|(index, bp)| Visit {
                        level: level - 1,
                        block: block.wrapping_shl(shift) | index,
                        bp,
                    })
                    .collect();
                below.reverse();
                todo.append(&mut below);
            }
            Err(e) => lines.push(format!("(not followed: {e})")),
        }
    }
    lines
}

fn line(dnode: &Dnode, level: u8, block: u64, bp: &Blkptr) -> String {
    let shift = if dnode.levels > 1 { dnode.fanout_shift() } else { 0 };
    let first = block.checked_shl(shift * u32::from(level)).unwrap_or(0);
    let offset = first.wrapping_mul(dnode.block_size);
    let before = usize::from(dnode.levels - 1 - level);
    let behind = usize::from(level) + 1;
    format!("{offset:>16x} {:before$}L{level}{:behind$}{bp}", "", "")
}
