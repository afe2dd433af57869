//! What an object holds, in words.

use super::Pool;
use crate::base::{ObjectId, Result, field, hex};
use crate::dmu::{Objset, zap_entries};
use crate::format::{
    BpobjPhys, DeadlistPhys, Dnode, DslDatasetPhys, DslDirPhys, HistoryPhys, ObjectType,
    SpaceMapPhys, ZapEntry,
};
use crate::spa::read_nvlist;
use crate::zpl::{FileKind, FileSystem};
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Lines of one kind beyond this are counted, not shown.
const LINES_MAX: usize = 1000;
/// Words of an array that are shown.
const WORDS_MAX: usize = 256;

const BPOBJ_HEADER: ObjectType = ObjectType(6);
const SPACE_MAP_HEADER: ObjectType = ObjectType(7);
const HISTORY_OFFSETS: ObjectType = ObjectType(30);
const DEADLIST_HEADER: ObjectType = ObjectType(51);
const LAYOUTS: ObjectType = ObjectType(47);

/// A line each: the bonus first, then the contents.
pub(super) async fn details(
    pool: &Pool,
    objset: &Objset,
    dataset: &str,
    id: ObjectId,
    dnode: &Dnode,
    encrypted: bool,
) -> Vec<String> {
    let mut lines = Vec::new();
    let hidden = |kind: ObjectType| encrypted && kind.is_encrypted();
    if hidden(dnode.bonus_type) || hidden(dnode.object_type) {
        lines.push("the contents are encrypted and no key is loaded".to_string());
    }
    let bonus = match dnode.bonus_type {
        kind if hidden(kind) => Ok(Vec::new()),
        ObjectType::SA | ObjectType::ZNODE => attributes(pool, dataset, id).await,
        _ => bonus_lines(dnode),
    };
    push(&mut lines, "bonus", bonus);
    if !hidden(dnode.object_type) {
        let contents = contents(objset, id, dnode).await;
        push(&mut lines, "contents", contents);
    }
    lines
}

fn push(lines: &mut Vec<String>, what: &str, more: Result<Vec<String>>) {
    match more {
        Ok(mut more) => lines.append(&mut more),
        Err(e) => lines.push(format!("the {what} cannot be read: {e}")),
    }
}

async fn contents(objset: &Objset, id: ObjectId, dnode: &Dnode) -> Result<Vec<String>> {
    match dnode.object_type {
        kind if kind.is_zap() => {
            let mut entries = zap_entries(objset, id).await?;
            entries.sort_by(|a, b| a.name.cmp(&b.name));
            let directory = kind == ObjectType::DIRECTORY;
            let shown = entries.iter().take(LINES_MAX);
            let mut lines: Vec<_> = shown.map(|e| entry_line(e, directory, kind)).collect();
            if entries.len() > LINES_MAX {
                lines.push(format!("... and {} more", entries.len() - LINES_MAX));
            }
            Ok(lines)
        }
        ObjectType::PACKED_NVLIST => {
            let list = read_nvlist(objset, id).await?.to_string();
            Ok(list.lines().map(ToString::to_string).collect())
        }
        ObjectType::OBJECT_ARRAY | ObjectType::BPOBJ_SUBOBJ => {
            let bytes = objset.read(dnode, 0, 8 * WORDS_MAX as u32).await?;
            let words = dnode.endian.words(&bytes).collect::<Vec<_>>();
            let end = words.iter().rposition(|&w| w != 0).map_or(0, |i| i + 1);
            let shown = words.iter().take(end).enumerate();
            Ok(shown.map(|(i, word)| format!("[{i}] = {word}")).collect())
        }
        _ => Ok(Vec::new()),
    }
}

/// One entry of a ZAP as `zdb` prints it.
fn entry_line(entry: &ZapEntry, directory: bool, kind: ObjectType) -> String {
    let printable = entry.name.iter().all(|b| (0x20..0x7F).contains(b));
    let name = match printable || core::str::from_utf8(&entry.name).is_ok_and(|n| !n.contains('\0'))
    {
        true => entry.name_text(),
        false => format!("0x{}", hex(&entry.name)),
    };
    let value = match (entry.value.ints.as_slice(), entry.value.int_size) {
        ([word], 8) if directory => {
            let kind = FileKind::from_mode(field(*word, 60, 4) << 12);
            format!("{} ({})", field(*word, 0, 48), kind.name())
        }
        (_, 1) => entry_bytes(entry),
        ([one], _) => one.to_string(),
        (_, 2) if kind == LAYOUTS => format!("{:?}", entry.value.ints),
        (many, _) => {
            let words: Vec<_> = many.iter().take(64).map(ToString::to_string).collect();
            words.join(" ")
        }
    };
    format!("{name} = {value}")
}

fn entry_bytes(entry: &ZapEntry) -> String {
    let bytes = entry.value.bytes().unwrap_or_default();
    let text = bytes.strip_suffix(&[0]).unwrap_or(&bytes);
    match text.iter().all(|b| (0x20..0x7F).contains(b)) && !text.is_empty() {
        true => String::from_utf8_lossy(text).into_owned(),
        false => hex(bytes.get(..bytes.len().min(256)).unwrap_or(&[])),
    }
}

fn bonus_lines(dnode: &Dnode) -> Result<Vec<String>> {
    let (bonus, endian) = (dnode.bonus.as_slice(), dnode.endian);
    Ok(match dnode.bonus_type {
        ObjectType::DSL_DIR => dir_lines(&DslDirPhys::parse(bonus, endian)?),
        ObjectType::DSL_DATASET => dataset_lines(&DslDatasetPhys::parse(bonus, endian)?),
        BPOBJ_HEADER => {
            let p = BpobjPhys::parse(bonus, endian)?;
            Vec::from([
                format!("num_blkptrs = {}", p.count),
                format!(
                    "bytes = {}, comp = {}, uncomp = {}",
                    p.bytes, p.compressed, p.uncompressed
                ),
                format!("subobjs = {} ({} of them)", p.subobjs, p.subobj_count),
            ])
        }
        SPACE_MAP_HEADER => {
            let p = SpaceMapPhys::parse(bonus, endian)?;
            let counts = p.histogram.iter().enumerate().filter(|(_, n)| **n != 0);
            let mut lines = Vec::from([
                format!("smp_length = {:#x}", p.length),
                format!("smp_alloc = {:#x}", p.allocated),
            ]);
            lines.extend(counts.map(|(i, n)| format!("histogram[{i}] = {n}")));
            lines
        }
        HISTORY_OFFSETS => {
            let p = HistoryPhys::parse(bonus, endian)?;
            Vec::from([
                format!("pool_create_len = {}", p.create_len),
                format!("phys_max_off = {}", p.phys_max),
                format!("bof = {}, eof = {}", p.begin, p.end),
                format!("records_lost = {}", p.lost),
            ])
        }
        DEADLIST_HEADER => {
            let p = DeadlistPhys::parse(bonus, endian)?;
            let (used, comp, uncomp) = (p.used, p.compressed, p.uncompressed);
            Vec::from([format!("used = {used}, comp = {comp}, uncomp = {uncomp}")])
        }
        _ => endian
            .words(bonus)
            .take(64)
            .enumerate()
            .map(|(i, word)| format!("bonus[{i}] = {word}"))
            .collect(),
    })
}

fn dir_lines(p: &DslDirPhys) -> Vec<String> {
    let [head, snap, child, child_reserved, reserved] = p.breakdown;
    Vec::from([
        format!("creation_time = {}", p.creation_time),
        format!("head_dataset_obj = {}", p.head_dataset),
        format!("parent_dir_obj = {}", p.parent),
        format!("origin_obj = {}", p.origin),
        format!("child_dir_zapobj = {}", p.children),
        format!("used_bytes = {}", p.used),
        format!("compressed_bytes = {}", p.compressed),
        format!("uncompressed_bytes = {}", p.uncompressed),
        format!("quota = {}", p.quota),
        format!("reserved = {}", p.reserved),
        format!("props_zapobj = {}", p.properties),
        format!("flags = {:#x}", p.flags),
        format!("used by head = {head}, snapshots = {snap}, children = {child}"),
        format!("used by child reservations = {child_reserved}, refreservation = {reserved}"),
        format!("clones = {}", p.clones),
    ])
}

fn dataset_lines(p: &DslDatasetPhys) -> Vec<String> {
    Vec::from([
        format!("dir_obj = {}", p.dir),
        format!("prev_snap_obj = {}", p.prev_snap),
        format!("prev_snap_txg = {}", p.prev_snap_txg),
        format!("next_snap_obj = {}", p.next_snap),
        format!("snapnames_zapobj = {}", p.snapshots),
        format!("num_children = {}", p.child_count),
        format!("creation_time = {}", p.creation_time),
        format!("creation_txg = {}", p.creation_txg),
        format!("deadlist_obj = {}", p.deadlist),
        format!("referenced_bytes = {}", p.referenced),
        format!("compressed_bytes = {}", p.compressed),
        format!("uncompressed_bytes = {}", p.uncompressed),
        format!("unique = {}", p.unique),
        format!("guid = {}", p.guid),
        format!("flags = {:#x}", p.flags),
        format!("next_clones_obj = {}", p.next_clones),
        format!("props_obj = {}", p.properties),
        format!("bp = {}", p.bp),
    ])
}

/// Attributes of a file and its path.
async fn attributes(pool: &Pool, dataset: &str, id: ObjectId) -> Result<Vec<String>> {
    let (fs, _): (FileSystem, bool) = pool.file_system(dataset).await?;
    let node = fs.node(id).await?;
    let a = &node.attributes;
    let mut lines = Vec::new();
    match fs.path_of(id).await {
        Ok(path) => lines.push(format!("path {path}")),
        Err(e) => lines.push(format!("path unknown: {e}")),
    }
    lines.push(format!("uid {}", a.uid));
    lines.push(format!("gid {}", a.gid));
    for (name, (seconds, nanos)) in ["atime", "mtime", "ctime", "crtime"].iter().zip(a.times) {
        lines.push(format!("{name} {seconds}.{nanos:09}"));
    }
    lines.extend([
        format!("gen {}", a.generation),
        format!("mode {:o}", a.mode),
        format!("size {}", a.size),
        format!("parent {}", a.parent),
        format!("links {}", a.links),
        format!("pflags {:x}", a.flags),
    ]);
    if let Some(project) = a.project {
        lines.push(format!("projid {project}"));
    }
    if a.rdev != 0 {
        lines.push(format!("rdev {:#x}", a.rdev));
    }
    if a.xattr != ObjectId(0) {
        lines.push(format!("xattr {}", a.xattr));
    }
    if node.kind() == FileKind::Symlink {
        lines.push(format!("target {}", fs.link_target(&node).await?));
    }
    for (name, value) in fs.xattrs(&node).await? {
        lines.push(format!("xattr {name}: {} bytes", value.len()));
    }
    Ok(lines)
}
