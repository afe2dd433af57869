//! `zdb -d` to `-dddddd`: data sets, objects, block pointers in both forms.
//!
//! ```text
//! Dataset tank/a [ZPL], ID 27, cr_txg 623816, 153M, 8 objects, rootbp DVA[0]=<0:1401fa00:200> ...
//! Object lvl iblk dblk dsize [dnsize] lsize %full type
//!   offset L0 0:1b85080000:20000 20000L/20000P F=1 B=2420332/2420332
//!   offset L1 DVA[0]=<0:9001c400:400> [L1 ZFS plain file] ... size=20000L/400P birth=N/N fill=N
//! ```
//!
//! A pointer that a pager broke in the middle of a word is joined with the lines behind it.

use super::detect::{is_dva, is_level};
use super::reading::Reading;
use super::text::{Line, cell, hex, integer};
use std_alloc::borrow::Cow;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Pointers kept.
const MAX_POINTERS: usize = 200_000;

/// One data set line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatasetLine {
    /// Name.
    pub name: String,
    /// `ZPL`, `ZVOL`, `META`, ...
    pub kind: String,
    /// Object of the data set.
    pub id: u64,
    /// Txg of creation.
    pub cr_txg: u64,
    /// Size and number of objects as printed.
    pub rest: String,
}

/// One object line, with what stands below it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectLine {
    /// Object number; negative for the user, group and project accounts.
    pub id: i64,
    /// Levels.
    pub levels: u64,
    /// Cells between the level and the type, as printed.
    pub cells: Vec<String>,
    /// Type.
    pub kind: String,
    /// `path`, `size`, `gen`, ... as printed.
    pub attributes: Vec<(String, String)>,
}

/// One block pointer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PointerLine {
    /// Offset in the object; absent for the root of an object set.
    pub offset: Option<u64>,
    /// Level.
    pub level: u64,
    /// Copies: vdev, offset, allocated size.
    pub dvas: Vec<(u64, u64, u64)>,
    /// Logical and physical size.
    pub sizes: (u64, u64),
    /// Birth txg.
    pub birth: Option<u64>,
    /// Whether lines had to be joined.
    pub joined: bool,
}

/// Everything that was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectsText {
    /// Data sets.
    pub datasets: Vec<DatasetLine>,
    /// Objects.
    pub objects: Vec<ObjectLine>,
    /// Block pointers below them.
    pub pointers: Vec<PointerLine>,
    /// Lines that had to be joined.
    pub joined: u64,
    /// Whether `dnsize` is a column (0.7 and later).
    pub dnsize: bool,
    /// Lines of contents that were recognised and passed over.
    pub contents: u64,
}

/// Reads the lines; what was not used is dropped into `reading`.
pub(crate) fn parse(lines: &[Line<'_>], reading: &mut Reading) -> ObjectsText {
    let mut out = ObjectsText::default();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let (text, count) = join(lines, at);
        let joined = count > 1;
        out.joined += u64::from(joined);
        at += count;
        if text.trim().is_empty() || line.is_rule() {
            continue;
        }
        if one_line(&text, joined, &mut out) {
            reading.rows += 1;
        } else {
            reading.drop_unfit(line, "zdb -d");
        }
    }
    out
}

/// A pointer in long form ends with four checksum words; what lacks them goes on in the next line.
fn join<'a>(lines: &[Line<'a>], at: usize) -> (Cow<'a, str>, usize) {
    let first = lines.get(at).map_or("", |l| l.text);
    let long = first.contains("DVA[0]=<") || (first.contains("rootbp") && first.contains("DVA"));
    if !long || whole(first) {
        return (Cow::Borrowed(first), 1);
    }
    let mut text = first.to_string();
    let mut count = 1;
    while count < 5 && !whole(&text) {
        let Some(next) = lines.get(at + count).filter(|l| !l.is_blank()) else {
            break;
        };
        if next.text.contains("DVA[0]=<") {
            break;
        }
        text.push_str(next.text);
        count += 1;
    }
    if whole(&text) { (Cow::Owned(text), count) } else { (Cow::Borrowed(first), 1) }
}

/// Whether the checksum of a pointer in long form is there with its four words.
fn whole(text: &str) -> bool {
    let Some((_, sum)) = text.rsplit_once("cksum=") else {
        return false;
    };
    let sum = sum.split_whitespace().next().unwrap_or("");
    sum.split(':').filter(|w| hex(w).is_some()).count() == 4
}

fn one_line(text: &str, joined: bool, out: &mut ObjectsText) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.first() == Some(&"Dataset") && text.contains(" ID ") {
        return dataset(text, joined, out);
    }
    if words.first() == Some(&"Object") && words.contains(&"lvl") {
        out.dnsize |= words.contains(&"dnsize");
        return true;
    }
    pointer(text, &words, joined, out)
        || object(&words, out)
        || attribute(text, &words, out)
        || contents(text, &words, out)
}

/// What else stands below an object or a data set: ZAP entries, packed values, statistics. Counted,
/// not read.
fn contents(text: &str, words: &[&str], out: &mut ObjectsText) -> bool {
    let about = ["Verified", "Dnode", "Total", "Max", "Percent", "Deadlist:", "Deleted"];
    let known = words.first().is_some_and(|w| about.contains(w));
    let below = !out.objects.is_empty()
        && (text.starts_with(' ')
            || words.contains(&"=")
            || words.iter().any(|w| w.ends_with(':')));
    let used = known || (below && !super::reading::is_command(text));
    out.contents += u64::from(used);
    used
}

/// `Dataset NAME [KIND], ID N, cr_txg N, SIZE, N objects, rootbp ...`
fn dataset(text: &str, joined: bool, out: &mut ObjectsText) -> bool {
    let (head, rootbp) = text.split_once(", rootbp").unwrap_or((text, ""));
    let mut parts = head.split(", ");
    let named = parts.next().unwrap_or("").trim().trim_start_matches("Dataset").trim();
    let (name, kind) = named.rsplit_once(" [").unwrap_or((named, ""));
    let mut line = DatasetLine {
        name: name.to_string(),
        kind: kind.trim_end_matches(']').to_string(),
        ..DatasetLine::default()
    };
    for part in parts {
        match part.split_once(' ') {
            Some(("ID", n)) => line.id = integer(n).unwrap_or(0),
            Some(("cr_txg", n)) => line.cr_txg = integer(n).unwrap_or(0),
            _ => {
                line.rest.push_str(if line.rest.is_empty() { "" } else { ", " });
                line.rest.push_str(part);
            }
        }
    }
    if out.datasets.len() < 10_000 {
        out.datasets.push(line);
    }
    let words: Vec<&str> = rootbp.split_whitespace().collect();
    pointer(rootbp, &words, joined, out);
    true
}

/// A row below the object head: number, levels, sizes, percent full, type.
fn object(words: &[&str], out: &mut ObjectsText) -> bool {
    let number = |i: usize| words.get(i).and_then(|w| integer(w));
    let id = words.first().and_then(|w| w.parse::<i64>().ok());
    let (Some(id), Some(levels)) = (id, number(1)) else {
        return false;
    };
    let cells: Vec<String> =
        words.iter().skip(2).map_while(|w| cell(w).map(|_| w.to_string())).collect();
    if !(4..=7).contains(&cells.len()) || levels > 10 || words.len() <= cells.len() + 2 {
        return false;
    }
    let kind = words.get(cells.len() + 2..).unwrap_or(&[]).join(" ");
    if out.objects.len() < 100_000 {
        out.objects.push(ObjectLine { id, levels, cells, kind, attributes: Vec::new() });
    }
    true
}

/// `path /syslog`, `size 9314`, `dnode maxblkid: 9` and the rest of a file's description.
fn attribute(text: &str, words: &[&str], out: &mut ObjectsText) -> bool {
    const NAMES: [&str; 15] = [
        "path", "uid", "gid", "atime", "mtime", "ctime", "crtime", "gen", "mode", "size", "parent",
        "links", "pflags", "xattr", "rdev",
    ];
    let first = words.first().copied().unwrap_or("");
    let known = NAMES.contains(&first) && words.len() > 1;
    let dnode = first == "dnode" && words.len() > 1;
    let other = text.contains("Indirect blocks:")
        || (first == "segment" && text.contains("size"))
        || words.get(1) == Some(&"bonus")
        || first.starts_with("microzap")
        || first.starts_with("Fat");
    if known || dnode {
        let name = if dnode { words.get(1).map_or("", |w| w.trim_end_matches(':')) } else { first };
        let value = words.get(if dnode { 2.. } else { 1.. }).unwrap_or(&[]).join(" ");
        if let Some(object) = out.objects.last_mut().filter(|o| o.attributes.len() < 64) {
            object.attributes.push((name.to_string(), value));
        }
    }
    known || dnode || other
}

/// Both forms of a pointer.
fn pointer(text: &str, words: &[&str], joined: bool, out: &mut ObjectsText) -> bool {
    let level = words.iter().find_map(|w| {
        let w = w.trim_start_matches('[');
        is_level(w).then(|| w.as_bytes().last().map_or(0, |b| u64::from(b - b'0')))
    });
    let hole = text.contains("HOLE") || text.contains("EMBEDDED");
    let mut dvas: Vec<(u64, u64, u64)> = Vec::new();
    for word in words {
        let inner = match word.split_once("]=<") {
            Some((head, tail)) if head.starts_with("DVA[") => tail.trim_end_matches('>'),
            _ => word,
        };
        if is_dva(inner) && !word.starts_with("cksum") && dvas.len() < 3 {
            let mut parts = inner.split(':');
            let vdev = parts.next().and_then(integer).unwrap_or(0);
            let offset = parts.next().and_then(hex).unwrap_or(0);
            dvas.push((vdev, offset, parts.next().and_then(hex).unwrap_or(0)));
        }
    }
    let Some(level) = level else { return false };
    if dvas.is_empty() {
        return hole;
    }
    let sizes = words.iter().find_map(|w| {
        let (l, p) = w.trim_start_matches("size=").split_once("L/")?;
        Some((hex(l)?, hex(p.trim_end_matches('P'))?))
    });
    let birth = words.iter().find_map(|w| {
        let value = w.strip_prefix("B=").or_else(|| w.strip_prefix("birth="))?;
        integer(value.split('/').next()?.trim_end_matches(['L', 'P']))
    });
    let offset = words.first().filter(|_| words.get(1).is_some_and(|w| is_level(w)));
    if out.pointers.len() < MAX_POINTERS {
        out.pointers.push(PointerLine {
            offset: offset.and_then(|w| hex(w)),
            level,
            dvas,
            sizes: sizes.unwrap_or((0, 0)),
            birth,
            joined,
        });
    }
    true
}
