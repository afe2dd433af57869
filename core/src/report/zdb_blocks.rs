//! Rows of `zdb -b`, `-bbb`, `-bcc`, `-s`: totals, classes, types, sizes, leaks.
//!
//! Totals are found by their keys wherever they stand on a line, since two lines are often glued
//! or all blanks collapsed.

use super::detect::{is_size_bin, is_type_row};
use super::reading::{Reading, is_elision};
use super::text::{Line, cell, integer, nice, percent};
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// One row of the type table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockType {
    /// Type, with its level in front (`L1 DMU dnode`) when given.
    pub name: String,
    /// Blocks.
    pub blocks: f64,
    /// Logical, physical and allocated bytes.
    pub sizes: (f64, f64, f64),
    /// Share of the allocated bytes in percent.
    pub share: f64,
}

/// One row of the size table; each triple is count, bytes, bytes so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockBin {
    /// Size in the first column.
    pub size: f64,
    /// Its label.
    pub label: String,
    /// By physical size.
    pub physical: Option<[f64; 3]>,
    /// By logical size.
    pub logical: Option<[f64; 3]>,
    /// By allocated size.
    pub allocated: Option<[f64; 3]>,
}

/// One allocation class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockClass {
    /// `Normal`, `Special`, `Dedup`, `Embedded log`, ...
    pub name: String,
    /// Bytes.
    pub bytes: u64,
    /// Percent used.
    pub used: Option<f64>,
}

/// Everything that was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlocksText {
    /// Totals by key: `count`, `ganged`, `logical`, `physical`, `allocated`, `deduped`, ...
    pub totals: Vec<(String, f64)>,
    /// Classes.
    pub classes: Vec<BlockClass>,
    /// Type table.
    pub types: Vec<BlockType>,
    /// Size table.
    pub bins: Vec<BlockBin>,
    /// Whether its column is called `Length`, as in the first version.
    pub length: bool,
    /// Expected and actual reference counts that differ.
    pub refcounts: Option<(u64, u64)>,
    /// Leaked ranges: vdev, offset, size.
    pub leaks: Vec<(u64, u64, u64)>,
    /// Blocks that could not be read: error number and the text.
    pub errors: Vec<(u64, String)>,
    /// Whether the text says that nothing leaked.
    pub no_leaks: bool,
    /// Rows of `-s`: name, used and free bytes.
    pub devices: Vec<(String, f64, f64)>,
}

impl BlocksText {
    /// The total under `key`.
    pub fn total(&self, key: &str) -> Option<f64> {
        self.totals.iter().find(|(k, _)| k == key).map(|(_, v)| *v)
    }
}

/// Reads the lines; what was not used is dropped into `reading`.
pub(crate) fn parse(lines: &[Line<'_>], reading: &mut Reading) -> BlocksText {
    let mut out = BlocksText::default();
    for line in lines {
        if line.is_blank() || (line.is_rule() && !is_elision(line.text)) {
            continue;
        }
        let words = line.words();
        let used = !is_elision(line.text)
            && (leak(line.text, &words, &mut out)
                || totals(&words, &mut out)
                || size_bin(&words, &mut out)
                || type_row(&words, &mut out)
                || heads(line.text, &words, &mut out)
                || device(&words, &mut out));
        if used {
            reading.rows += 1;
        } else if words.first().is_some_and(|w| w.ends_with(':') && nice(w).is_some()) {
            reading.drop_line(line, "the row of a histogram is cut");
        } else {
            reading.drop_unfit(line, "zdb -b");
        }
    }
    out
}

/// `leaked space: vdev 0, offset 0x3c4c000, size 8192` and blocks that could not be read.
fn leak(text: &str, words: &[&str], out: &mut BlocksText) -> bool {
    if text.contains("Got error") {
        let at = words.iter().position(|w| *w == "error");
        let number = at.and_then(|i| words.get(i + 1)).and_then(|w| integer(w)).unwrap_or(0);
        if out.errors.len() < 10_000 {
            out.errors.push((number, super::text::shorten(text.trim(), 120)));
        }
        return true;
    }
    if !text.contains("leaked space") {
        return false;
    }
    let after = |key: &str| {
        let at = words.iter().position(|w| *w == key)?;
        integer(words.get(at + 1)?)
    };
    match (after("vdev"), after("offset"), after("size")) {
        (Some(vdev), Some(offset), Some(size)) => {
            if out.leaks.len() < 200_000 {
                out.leaks.push((vdev, offset, size));
            }
            true
        }
        _ => false,
    }
}

/// `bp count: N ganged count: N`, `bp logical: N avg: N`, `Normal class: N used: P%`.
fn totals(words: &[&str], out: &mut BlocksText) -> bool {
    let mut used = false;
    let mut group = String::new();
    for (i, word) in words.iter().enumerate() {
        let before = i.checked_sub(1).and_then(|j| words.get(j)).copied().unwrap_or("");
        let next = words.get(i + 1).copied().unwrap_or("");
        let key = match (before, *word) {
            ("bp", "count:") => "count",
            ("ganged", "count:") => "ganged",
            ("bp", w) if w.ends_with(':') => {
                group = w.trim_end_matches(':').to_string();
                group.as_str()
            }
            (_, "avg:") => "avg",
            (_, "compression:" | "deduplication:") => "ratio",
            (_, "ref>1:") => "shared",
            (_, "count:") if group == "cloned" => "cloned_count",
            ("type", "0:") => "non_pointer",
            ("vdev:", _) if words.first() == Some(&"Dittoed") => "",
            (_, w) if w.starts_with("class") => {
                used |= class(words, i, out);
                continue;
            }
            _ => continue,
        };
        let Some(value) = nice(next) else { continue };
        let name = match key {
            "avg" | "ratio" | "shared" => std_alloc::format!("{group}_{key}"),
            key => key.to_string(),
        };
        if !name.is_empty() && out.total(&name).is_none() {
            out.totals.push((name, value));
        }
        used = true;
    }
    if words.first() == Some(&"Dittoed")
        && let Some(value) = words.last().and_then(|w| nice(w))
    {
        out.totals.push(("dittoed".to_string(), value));
        used = true;
    }
    used
}

/// `Special class 106690252800 used: 6.68%`, with or without a colon.
fn class(words: &[&str], at: usize, out: &mut BlocksText) -> bool {
    let name = words.get(..at).unwrap_or(&[]).join(" ");
    let Some(bytes) = words.get(at + 1).and_then(|w| integer(w)) else {
        return false;
    };
    let used = words.get(at + 3).and_then(|w| percent(w));
    if out.classes.len() < 16 {
        out.classes.push(BlockClass { name, bytes, used });
    }
    true
}

/// A row of the size table; missing cells at the end are left out.
fn size_bin(words: &[&str], out: &mut BlocksText) -> bool {
    if !is_size_bin(words) {
        return false;
    }
    let label = words.first().map_or("", |w| w.trim_end_matches(':'));
    let cells: Vec<f64> = words.iter().skip(1).filter_map(|w| nice(w)).collect();
    let triple = |at: usize| match cells.get(at..at + 3) {
        Some([a, b, c]) => Some([*a, *b, *c]),
        _ => None,
    };
    let bin = BlockBin {
        size: nice(label).unwrap_or(0.0),
        label: label.to_string(),
        physical: triple(0),
        logical: triple(3),
        allocated: triple(6),
    };
    if out.bins.len() < 64 && out.bins.last().is_none_or(|last| last.size < bin.size) {
        out.bins.push(bin);
    }
    true
}

fn type_row(words: &[&str], out: &mut BlocksText) -> bool {
    if !is_type_row(words) {
        return false;
    }
    let number = |i: usize| words.get(i).and_then(|w| cell(w)).flatten().unwrap_or(0.0);
    let name = words.get(7..).unwrap_or(&[]).join(" ");
    if out.types.len() < 1000 {
        out.types.push(BlockType {
            name,
            blocks: number(0),
            sizes: (number(1), number(2), number(3)),
            share: number(6),
        });
    }
    true
}

/// Heads and remarks that carry no number of their own.
fn heads(text: &str, words: &[&str], out: &mut BlocksText) -> bool {
    if text.contains("refcount mismatch") {
        let number = |key: &str| {
            let at = words.iter().position(|w| *w == key)?;
            integer(words.get(at + 1)?)
        };
        out.refcounts = number("expected").zip(number("actual"));
        return true;
    }
    if text.contains("No leaks") {
        out.no_leaks = true;
        return true;
    }
    if words.contains(&"Length") {
        out.length = true;
    }
    let bucket = words.first().and_then(|w| w.strip_suffix(':')).and_then(integer).is_some()
        && words.get(1).and_then(|w| integer(w)).is_some();
    bucket
        || (words.first() == Some(&"block") && words.contains(&"psize"))
        || (words.first() == Some(&"size") && words.contains(&"Count"))
        || (words.first() == Some(&"Blocks") && words.contains(&"LSIZE"))
        || [
            "Traversing all blocks",
            "loading ",
            "completed (",
            "Block Size Histogram",
            "number of (compressed)",
            "description",
            "---- errors",
            "block traversal size",
            "capacity",
        ]
        .iter()
        .any(|k| text.contains(k))
}

/// A row of `-s`: a name, used and free bytes for vdevs, then traffic.
fn device(words: &[&str], out: &mut BlocksText) -> bool {
    let cells = words.iter().rev().take_while(|w| nice(w).is_some()).count();
    if !matches!(cells, 7 | 9) || words.len() <= cells {
        return false;
    }
    let name = words.get(..words.len() - cells).unwrap_or(&[]).join(" ");
    if cells == 9 && out.devices.len() < 1000 {
        let number =
            |i: usize| words.get(words.len() - cells + i).and_then(|w| nice(w)).unwrap_or(0.0);
        out.devices.push((name, number(0), number(1)));
    }
    true
}
