//! Space by class, from the heads of the space maps, without loading a metaslab.

use crate::alloc::{FragmentationTable, fragmentation, group_fragmentation};
use crate::base::{ObjectId, PoolError, Result};
use crate::dmu::space_map_header;
use crate::spa::{LogSpaceMaps, MetaslabTable, Spa};
use crate::vdev::TopVdev;
use crate::view::SpaceView;
use std_alloc::collections::BTreeMap;
use std_alloc::format;
use std_alloc::string::String;
use std_alloc::vec::Vec;

/// Metaslabs beyond this on one vdev are damage; OpenZFS makes 131072 at most.
const METASLABS_MAX: u64 = 1 << 20;

/// The metaslab tables by top-level id, and the log space maps.
pub(super) async fn load(spa: &Spa) -> (Vec<Result<MetaslabTable>>, Result<LogSpaceMaps>) {
    let tops = spa.reader.zio().tops();
    let mut tables = Vec::new();
    for (top, config) in tops.iter().zip(&spa.tree.children) {
        let zap = (config.zap != ObjectId(0)).then_some(config.zap);
        let count = top.metaslab_count();
        tables.push(match count > METASLABS_MAX || top.metaslab_shift < top.ashift {
            false => MetaslabTable::load(&spa.mos, top, zap).await,
            true => Err(PoolError::damaged(
                format!("metaslabs of vdev {}", top.id),
                format!("{count} metaslabs of 2^{} bytes are impossible", top.metaslab_shift),
            )),
        });
    }
    let zap = spa.directory.object("com.delphix:log_spacemap_zap");
    let logs = LogSpaceMaps::load(&spa.mos, zap, tops).await;
    (tables, logs)
}

#[derive(Default)]
struct Class {
    size: u64,
    allocated: u64,
    groups: Vec<(Option<u64>, u64)>,
}

/// Space by class in the order normal, special, dedup, log.
pub(super) async fn space_views(
    spa: &Spa,
    tables: &[Result<MetaslabTable>],
    logs: Option<&LogSpaceMaps>,
    notes: &mut Vec<String>,
) -> Vec<SpaceView> {
    let mut classes: BTreeMap<String, Class> = BTreeMap::new();
    for (top, table) in spa.reader.zio().tops().iter().zip(tables) {
        let table = match table {
            Ok(table) => table,
            Err(e) => {
                notes.push(format!("{e}"));
                continue;
            }
        };
        if table.space_maps.is_empty() {
            continue;
        }
        let class = classes.entry(top.class.clone()).or_default();
        for (id, &object) in (0u64..).zip(&table.space_maps) {
            if let Err(e) = add(spa, top, table, logs, id, object, class).await {
                notes.push(format!("vdev {} metaslab {id}: {e}", top.id));
            }
        }
    }
    let order = |name: &str| ["normal", "special", "dedup", "log"].iter().position(|n| *n == name);
    let mut views: Vec<_> = classes
        .into_iter()
        .map(|(class, c)| SpaceView {
            class,
            size: c.size,
            allocated: c.allocated,
            fragmentation: group_fragmentation(c.groups, FragmentationTable::New),
        })
        .collect();
    views.sort_by_key(|v| order(&v.class).unwrap_or(usize::MAX));
    views
}

async fn add(
    spa: &Spa,
    top: &TopVdev,
    table: &MetaslabTable,
    logs: Option<&LogSpaceMaps>,
    id: u64,
    object: ObjectId,
    class: &mut Class,
) -> Result<()> {
    let size = 1u64 << top.metaslab_shift;
    class.size += size;
    let since = table.unflushed.get(id as usize).copied().unwrap_or_default();
    let delta = logs.map_or(0, |l| l.allocated_by(top, id, since));
    if object == ObjectId(0) {
        let allocated = 0u64.saturating_add_signed(delta).min(size);
        class.allocated += allocated;
        class.groups.push((Some(0), size - allocated));
        return Ok(());
    }
    let header = space_map_header(&spa.mos, object).await?;
    let allocated = 0u64.saturating_add_signed(header.allocated.saturating_add(delta)).min(size);
    class.allocated += allocated;
    let percent = (!header.histogram.is_empty())
        .then(|| fragmentation(&header.histogram, top.ashift, FragmentationTable::New));
    class.groups.push((percent, size - allocated));
    Ok(())
}
