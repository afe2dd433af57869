//! History and intent logs.

use super::Pool;
use crate::base::{PoolError, Result};
use crate::dmu::Objset;
use crate::format::{Dnode, HistoryPhys, Nvlist, parse_history_record};
use crate::spa::Spa;
use crate::view::{HistoryView, ZilBlockView, ZilView};
use crate::zil::{LogBlock, describe_record, walk_chain};
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// History bytes that are read; what is older stays out.
const HISTORY_MAX: u64 = 64 << 20;

/// What the event numbers of pools before version 5000 mean.
#[doc(alias = "zfs_history_event_names")]
#[rustfmt::skip]
const EVENTS: [&str; 41] = [
    "invalid event", "pool create", "vdev add", "pool remove", "pool destroy", "pool export",
    "pool import", "vdev attach", "vdev replace", "vdev detach", "vdev online", "vdev offline",
    "vdev upgrade", "pool clear", "pool scrub", "pool property set", "create", "clone", "destroy",
    "destroy_begin_sync", "inherit", "property set", "quota set", "permission update",
    "permission remove", "permission who remove", "promote", "receive", "rename",
    "reservation set", "replay_inc_sync", "replay_full_sync", "rollback", "snapshot",
    "filesystem version upgrade", "refquota set", "refreservation set", "pool scrub done",
    "user hold", "user release", "pool split",
];

/// The pool history, oldest first; empty for pools before version 4.
pub(super) async fn history(spa: &Spa) -> Result<Vec<HistoryView>> {
    let Some(id) = spa.directory.object("history") else {
        return Ok(Vec::new());
    };
    let place = |e: PoolError| e.at(format!("pool history, object {id}"));
    let dnode = spa.mos.dnode(id).await.map_err(place)?;
    let phys = HistoryPhys::parse(&dnode.bonus, dnode.endian).map_err(|e| place(e.into()))?;
    let mut views = Vec::new();
    if phys.lost > 0 {
        views.push(HistoryView {
            time: 0,
            text: format!("{} records were overwritten by later ones", phys.lost),
            internal: true,
        });
    }
    let begin = phys.begin.max(phys.end.saturating_sub(HISTORY_MAX));
    let creation = phys.create_len.min(HISTORY_MAX);
    for (from, to) in [(0, creation), (begin.max(phys.create_len), phys.end)] {
        let bytes = read_log(spa, &dnode, &phys, from, to).await.map_err(place)?;
        let mut rest = bytes.as_slice();
        while let Some((record, length)) = parse_history_record(rest) {
            views.push(match record {
                Ok(record) => describe(&record),
                Err(e) => HistoryView {
                    time: 0,
                    text: format!("a record cannot be read: {e}"),
                    internal: true,
                },
            });
            rest = rest.get(length..).unwrap_or(&[]);
        }
    }
    Ok(views)
}

/// Bytes `from..to` of the log, which wraps inside its object.
async fn read_log(
    spa: &Spa,
    dnode: &Dnode,
    phys: &HistoryPhys,
    from: u64,
    to: u64,
) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut at = from;
    while at < to {
        let start = phys.physical(at);
        let length = (to - at).min(phys.phys_max.saturating_sub(start)).min(16 << 20);
        let part = spa.mos.read(dnode, start, length as u32).await?;
        if part.is_empty() {
            break;
        }
        at += part.len() as u64;
        bytes.extend_from_slice(&part);
    }
    Ok(bytes)
}

/// One record in the words of `zpool history -il`.
fn describe(record: &Nvlist) -> HistoryView {
    let text = |name| record.text(name).unwrap_or("");
    let number = |name| record.u64(name).unwrap_or(0);
    let txg = number("history txg");
    let (mut line, internal) = if let Some(command) = record.text("history command") {
        (command.to_string(), false)
    } else if let Some(event) = record.u64("history internal event") {
        let name = usize::try_from(event).ok().and_then(|i| EVENTS.get(i));
        let name = name.unwrap_or(&"unknown event");
        (format!("[internal {name} txg:{txg}] {}", text("history internal str")), true)
    } else if let Some(name) = record.text("internal_name") {
        let dataset = match record.text("dsname") {
            Some(dataset) => format!(" {dataset} ({})", number("dsid")),
            None => String::new(),
        };
        let what = text("history internal str");
        (format!("[txg:{txg}] {name}{dataset} {what}"), true)
    } else if let Some(name) = record.text("ioctl") {
        (describe_ioctl(record, name), true)
    } else {
        (format!("record of unknown kind:\n{record}"), true)
    };
    line.push_str(&origin(record));
    HistoryView { time: number("history time"), text: line, internal }
}

fn describe_ioctl(record: &Nvlist, name: &str) -> String {
    let mut line = format!("ioctl {name}");
    for (key, word) in [("in_nvl", "input"), ("out_nvl", "output")] {
        if let Some(list) = record.list(key) {
            let list = list.to_string();
            line.push_str(&format!("\n    {word}:\n{}", list.trim_end()));
        }
    }
    if let Some(errno) = record.u64("errno") {
        line.push_str(&format!("\n    errno: {errno}"));
    }
    line
}

/// Who did it, where: ` [user 0 on host:zone]`.
fn origin(record: &Nvlist) -> String {
    let mut parts = String::new();
    if let Some(who) = record.u64("history who") {
        parts.push_str(&format!("user {who} "));
    }
    if let Some(host) = record.text("history hostname") {
        parts.push_str(&format!("on {host}"));
    }
    if let Some(zone) = record.text("history zone") {
        parts.push_str(&format!(":{zone}"));
    }
    match parts.trim_end() {
        "" => String::new(),
        parts => format!(" [{parts}]"),
    }
}

impl Pool {
    pub(super) async fn log_views(&self) -> Result<Vec<ZilView>> {
        let walked = self.walked().await?;
        let reader = &self.0.spa.reader;
        let mut views = Vec::new();
        for dataset in walked.0.iter().filter(|d| !d.phys.bp.is_hole()) {
            // A data set that cannot be opened is reported by the list of data sets.
            let Ok(objset) = Objset::open(reader, &dataset.phys.bp).await else {
                continue;
            };
            let header = objset.phys().zil;
            if header.log.is_hole() {
                continue;
            }
            let chain = walk_chain(reader.zio(), &header).await;
            views.push(ZilView {
                dataset: dataset.name.clone(),
                claim_txg: header.claim_txg,
                replay_seq: header.replay_seq,
                blocks: chain.blocks.iter().map(block_view).collect(),
                end: chain.end,
            });
        }
        Ok(views)
    }
}

fn block_view(block: &LogBlock) -> ZilBlockView {
    let endian = block.chain.endian;
    let records = block.records.iter().map(|r| describe_record(r, endian));
    ZilBlockView {
        seq: block.seq(),
        size: block.pointer.lsize(),
        used: block.chain.used,
        pointer: block.pointer.to_string(),
        records: records.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::NvValue;

    fn check(pairs: &[(&str, NvValue)], expect: &str, internal: bool) {
        let pairs = pairs.iter().map(|(n, v)| ((*n).to_string(), v.clone()));
        let view = describe(&Nvlist::from_pairs(pairs.collect()));
        assert_eq!((view.text.as_str(), view.internal), (expect, internal));
    }

    #[test]
    fn records_read_as_zpool_history_prints_them() {
        let text = |s: &str| NvValue::Text(s.to_string());
        let number = |n| NvValue::Int(8, n);
        check(
            &[
                ("history command", text("zpool create tank a")),
                ("history who", number(0)),
                ("history hostname", text("box")),
                ("history zone", text("linux")),
            ],
            "zpool create tank a [user 0 on box:linux]",
            false,
        );
        check(
            &[
                ("internal_name", text("snapshot")),
                ("dsname", text("tank@a")),
                ("dsid", number(77)),
                ("history internal str", text("ok")),
                ("history txg", number(9)),
            ],
            "[txg:9] snapshot tank@a (77) ok",
            true,
        );
        check(
            &[
                ("history internal event", number(33)),
                ("history internal str", text("dataset = 5")),
                ("history txg", number(4)),
            ],
            "[internal snapshot txg:4] dataset = 5",
            true,
        );
        check(&[("history internal event", number(99))], "[internal unknown event txg:0] ", true);
        check(&[], "record of unknown kind:\n", true);
    }
}
