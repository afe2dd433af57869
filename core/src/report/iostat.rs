//! Rows of `zpool iostat`, with `-v`, `-l` and `-q`, of every version.
//!
//! The columns come from the heads when there are any, else from the number of cells. A row is a
//! name and that many cells; what stands between or behind them and is no cell is a note of the
//! poster. Rows glued to one line are taken apart, rows broken over two are joined.
//!
//! ```text
//!         capacity     operations     bandwidth    total_wait  ...
//! pool  alloc   free   read  write   read  write   read  write ...
//! ```

use super::reading::{Reading, is_command};
use super::text::{Line, cell};
use std_alloc::collections::BTreeSet;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// One row. A cell is `None` for a dash.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IostatRow {
    /// Line number.
    pub line: u64,
    /// Name of the pool, vdev or heading.
    pub name: String,
    /// Leading blanks.
    pub indent: u64,
    /// Cells in the order of the columns: bytes, operations a second, nanoseconds.
    pub cells: Vec<Option<f64>>,
}

/// One pool with its vdevs in one report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IostatPool {
    /// The pool's row; absent when its line is missing.
    pub row: Option<IostatRow>,
    /// Top-level vdevs.
    pub vdevs: Vec<IostatVdev>,
}

/// One top-level vdev.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IostatVdev {
    /// `normal`, or the heading it stands under: `logs`, `cache`, `special`, `dedup`.
    pub class: String,
    /// Its row.
    pub row: IostatRow,
    /// Its devices; empty when it is one itself.
    pub leaves: Vec<IostatRow>,
}

/// All reports of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IostatText {
    /// Column names: `alloc`, `free`, `ops_read`, `bw_write`, `disk_read`, `syncq_write_pend`, ...
    pub columns: Vec<&'static str>,
    /// One entry a report (an interval); pools in order.
    pub samples: Vec<Vec<IostatPool>>,
    /// Whether a head was there.
    pub headed: bool,
    /// Notes of the poster found inside rows.
    pub notes: Vec<String>,
    /// Lines on which more than one row stood.
    pub glued: u64,
}

impl IostatText {
    /// The cell of `row` in `column`.
    pub fn get(&self, row: &IostatRow, column: &str) -> Option<f64> {
        let index = self.columns.iter().position(|c| *c == column)?;
        row.cells.get(index).copied().flatten()
    }

    /// Whether the table has `column`.
    pub fn has(&self, column: &str) -> bool {
        self.columns.contains(&column)
    }
}

const BASE: [&str; 6] = ["alloc", "free", "ops_read", "ops_write", "bw_read", "bw_write"];
pub(super) const WAITS: [&str; 8] = [
    "total_read",
    "total_write",
    "disk_read",
    "disk_write",
    "syncq_read",
    "syncq_write",
    "asyncq_read",
    "asyncq_write",
];
pub(super) const EXTRA: [&str; 3] = ["scrub", "trim", "rebuild"];
const QUEUES: [&str; 14] = [
    "syncq_read_pend",
    "syncq_read_activ",
    "syncq_write_pend",
    "syncq_write_activ",
    "asyncq_read_pend",
    "asyncq_read_activ",
    "asyncq_write_pend",
    "asyncq_write_activ",
    "scrubq_pend",
    "scrubq_activ",
    "trimq_pend",
    "trimq_activ",
    "rebuildq_pend",
    "rebuildq_activ",
];

/// The columns of a second head line: `pool alloc free read write ...`.
fn columns_of(words: &[&str]) -> Vec<&'static str> {
    let mut pairs = BASE.iter().skip(2).chain(&WAITS);
    let (mut extra, mut queues) = (EXTRA.iter(), QUEUES.iter());
    let mut out: Vec<&'static str> = Vec::new();
    for word in words {
        let next = match *word {
            "alloc" => Some(&"alloc"),
            "used" => Some(&"alloc"),
            "free" | "avail" => Some(&"free"),
            "read" | "write" => pairs.next(),
            "wait" => extra.next(),
            "pend" | "activ" => queues.next(),
            _ => None,
        };
        out.extend(next);
    }
    out
}

/// The columns of a table without a head, by the number of cells and whether any is a time.
fn columns_by_count(count: usize, timed: bool) -> Vec<&'static str> {
    let waits = |extra: usize| WAITS.iter().chain(EXTRA.iter().take(extra));
    let queues = |n: usize| QUEUES.iter().take(n);
    let base = BASE.iter();
    let all: Vec<&'static str> = match (count, timed) {
        (15..=17, true) => base.chain(waits(count - 14)).copied().collect(),
        (16 | 18 | 20, false) => base.chain(queues(count - 6)).copied().collect(),
        (25, _) => base.chain(waits(1)).chain(queues(10)).copied().collect(),
        (28, _) => base.chain(waits(2)).chain(queues(12)).copied().collect(),
        (31, _) => base.chain(waits(3)).chain(queues(14)).copied().collect(),
        _ => base.copied().collect(),
    };
    all
}

/// Whether a row is only a heading: `logs`, `cache`, `special`, `dedup`, `spares`.
fn heading(name: &str) -> bool {
    matches!(name, "logs" | "cache" | "special" | "dedup" | "spares")
}

/// One flat row, or a break between reports.
enum Item {
    Head(usize),
    Row(IostatRow),
}

/// Reads `lines`; what was not used is dropped into `reading`.
pub(crate) fn parse(lines: &[Line<'_>], reading: &mut Reading) -> IostatText {
    let mut out = IostatText { columns: guess(lines), ..IostatText::default() };
    let mut items: Vec<Item> = Vec::new();
    let mut pending: Option<(IostatRow, usize)> = None;
    for (at, line) in lines.iter().enumerate() {
        if line.is_blank() || line.is_rule() {
            continue;
        }
        let words = strip_stamp(line.words());
        if words.contains(&"alloc") && words.contains(&"free") {
            out.columns = columns_of(&words);
            out.headed = true;
            items.push(Item::Head(line.indent()));
            continue;
        }
        if is_command(line.text) {
            reading.drop_unfit(line, "zpool iostat");
            continue;
        }
        if words.contains(&"capacity") || words.contains(&"operations") || is_date(&words) {
            continue;
        }
        if let Some((row, _)) = &mut pending {
            let more: Vec<Option<f64>> = words.iter().map_while(|w| cell(w)).collect();
            if more.len() == words.len() && row.cells.len() + more.len() <= out.columns.len() {
                row.cells.extend(more);
                take_full(&mut items, &mut pending, out.columns.len());
                continue;
            }
        }
        flush(&mut items, pending.take(), lines, &out, reading);
        pending = rows_of(line, at, &words, &mut items, &mut out, reading);
        take_full(&mut items, &mut pending, out.columns.len());
    }
    flush(&mut items, pending, lines, &out, reading);
    out.glued = glued(&items);
    build(items, &mut out);
    out
}

/// Lines on which more than one row stood.
fn glued(items: &[Item]) -> u64 {
    let lines = items.iter().filter_map(|item| match item {
        Item::Row(row) => Some(row.line),
        Item::Head(_) => None,
    });
    let (mut count, mut last, mut counted) = (0, 0, 0);
    for line in lines {
        if line == last && line != counted {
            count += 1;
            counted = line;
        }
        last = line;
    }
    count
}

/// The columns when no head comes: by the rows with the most cells.
fn guess(lines: &[Line<'_>]) -> Vec<&'static str> {
    let mut best = (0, false);
    for line in lines.iter().take(2000) {
        let words = strip_stamp(line.words());
        let cells: Vec<&&str> = words.iter().skip(1).take_while(|w| cell(w).is_some()).collect();
        let timed = cells.iter().any(|w| w.ends_with('s'));
        if cells.len() > best.0 {
            best = (cells.len(), timed);
        }
    }
    columns_by_count(best.0, best.1)
}

/// Drops a time stamp in front of a row: a clock, a date, seconds since 1970.
fn strip_stamp(words: Vec<&str>) -> Vec<&str> {
    let stamp = |w: &&&str| {
        let clock =
            w.contains(':') && w.bytes().all(|b| b.is_ascii_digit() || b":.[]".contains(&b));
        let date =
            w.matches('-').count() == 2 && w.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        let epoch = w.len() == 10 && w.bytes().all(|b| b.is_ascii_digit());
        w.len() > 1 && (clock || date || epoch)
    };
    let skip = words.iter().take_while(stamp).count();
    if skip > 0 && words.len() > skip + 6 {
        return words.get(skip..).unwrap_or(&[]).to_vec();
    }
    words
}

/// A date line of `-T d` or `-T u`.
fn is_date(words: &[&str]) -> bool {
    let clock = words.iter().any(|w| w.matches(':').count() == 2);
    let epoch = words.len() == 1
        && words.first().is_some_and(|w| w.len() == 10 && w.bytes().all(|b| b.is_ascii_digit()));
    epoch || (clock && words.len() <= 7 && words.iter().any(|w| super::detect::is_month(w)))
}

/// The rows of one line; a row that is short of cells comes back as pending.
fn rows_of(
    line: &Line<'_>,
    at: usize,
    words: &[&str],
    items: &mut Vec<Item>,
    out: &mut IostatText,
    reading: &mut Reading,
) -> Option<(IostatRow, usize)> {
    let wanted = out.columns.len();
    let mut rest = words;
    let mut count = 0u64;
    loop {
        let (name, tail) = rest.split_first()?;
        if cell(name).is_some() {
            reading.drop_unfit(line, "zpool iostat");
            return None;
        }
        let mut row = IostatRow {
            line: line.number,
            name: name.to_string(),
            indent: if count == 0 { line.indent() as u64 } else { 0 },
            cells: Vec::new(),
        };
        let mut used = 0;
        let mut note: Vec<&str> = Vec::new();
        for word in tail {
            if row.cells.len() == wanted {
                break;
            }
            used += 1;
            match cell(word) {
                Some(value) => row.cells.push(value),
                None => note.push(word),
            }
        }
        rest = tail.get(used..).unwrap_or(&[]);
        if row.cells.len() < wanted {
            if row.cells.is_empty() || note.len() > 3 {
                reading.drop_unfit(line, "zpool iostat");
                return None;
            }
            return Some((row, at));
        }
        items.push(Item::Row(row));
        count += 1;
        let cells = rest.iter().skip(1).filter(|w| cell(w).is_some()).count();
        if cells < wanted {
            note.extend(rest);
            note_of(&note, out);
            return None;
        }
        note_of(&note, out);
    }
}

fn note_of(note: &[&str], out: &mut IostatText) {
    if !note.is_empty() && out.notes.len() < 20 {
        out.notes.push(super::text::shorten(&note.join(" "), 80));
    }
}

fn take_full(items: &mut Vec<Item>, pending: &mut Option<(IostatRow, usize)>, wanted: usize) {
    if pending.as_ref().is_some_and(|(row, _)| row.cells.len() >= wanted)
        && let Some((row, _)) = pending.take()
    {
        items.push(Item::Row(row));
    }
}

/// A row that stayed short: a heading is whole with dashes alone, others are cut.
fn flush(
    items: &mut Vec<Item>,
    pending: Option<(IostatRow, usize)>,
    lines: &[Line<'_>],
    out: &IostatText,
    reading: &mut Reading,
) {
    let Some((row, at)) = pending else { return };
    if heading(&row.name) && row.cells.iter().all(Option::is_none) {
        items.push(Item::Row(row));
    } else if let Some(line) = lines.get(at) {
        let why =
            format!("the row is cut after {} of {} cells", row.cells.len(), out.columns.len());
        reading.drop_line(line, &why);
    }
}

/// What a row is in the tree.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Heading,
    Pool,
    Vdev,
    Leaf,
}

/// Flat rows into reports, pools, vdevs and leaves.
fn build(items: Vec<Item>, out: &mut IostatText) {
    let indents = || {
        items.iter().filter_map(|i| match i {
            Item::Row(row) => Some(row.indent),
            Item::Head(_) => None,
        })
    };
    let base = indents().min().unwrap_or(0);
    let head = items.iter().find_map(|i| match i {
        Item::Head(indent) => Some(*indent as u64),
        Item::Row(_) => None,
    });
    let base = head.unwrap_or(base).min(indents().max().unwrap_or(0));
    let flat = indents().all(|i| i == base);
    let tree = items.iter().any(|i| matches!(i, Item::Row(r) if r.cells.first() == Some(&None)));
    let mut fresh = true;
    let mut pools: BTreeSet<String> = BTreeSet::new();
    let mut class = "normal".to_string();
    for item in items {
        let row = match item {
            Item::Head(_) => {
                fresh = true;
                continue;
            }
            Item::Row(row) => row,
        };
        let known = pools.contains(&row.name);
        let role = match () {
            () if heading(&row.name) && row.cells.iter().all(Option::is_none) => Role::Heading,
            () if known && row.indent <= base => Role::Pool,
            () if row.indent > base => by_capacity(&row),
            () if !flat || !tree || fresh => Role::Pool,
            () => by_capacity(&row),
        };
        fresh = false;
        match role {
            Role::Heading => class = row.name,
            Role::Pool => {
                class = "normal".to_string();
                if !known && pools.len() < 10_000 {
                    pools.insert(row.name.clone());
                }
                add_pool(row, out);
            }
            Role::Vdev => pool_of(out).vdevs.push(IostatVdev {
                class: class.clone(),
                row,
                leaves: Vec::new(),
            }),
            Role::Leaf => add_leaf(row, &class, out),
        }
    }
}

fn by_capacity(row: &IostatRow) -> Role {
    if row.cells.first().is_some_and(Option::is_some) { Role::Vdev } else { Role::Leaf }
}

fn add_pool(row: IostatRow, out: &mut IostatText) {
    let again = out.samples.last().is_none_or(|s| {
        s.len() >= 1000 || s.iter().any(|p| p.row.as_ref().is_some_and(|r| r.name == row.name))
    });
    if again {
        out.samples.push(Vec::new());
    }
    if let Some(sample) = out.samples.last_mut() {
        sample.push(IostatPool { row: Some(row), vdevs: Vec::new() });
    }
}

fn pool_of(out: &mut IostatText) -> &mut IostatPool {
    if out.samples.is_empty() {
        out.samples.push(Vec::new());
    }
    let last = out.samples.len() - 1;
    let sample = out.samples.get_mut(last).expect("invariant: one was pushed");
    if sample.is_empty() {
        sample.push(IostatPool::default());
    }
    sample.last_mut().expect("invariant: one was pushed")
}

fn add_leaf(row: IostatRow, class: &str, out: &mut IostatText) {
    let pool = pool_of(out);
    match pool.vdevs.last_mut().filter(|v| v.class == class) {
        Some(vdev) => vdev.leaves.push(row),
        None => pool.vdevs.push(IostatVdev {
            class: class.to_string(),
            row: IostatRow::default(),
            leaves: Vec::from([row]),
        }),
    }
}
