//! Rows of `zdb -m`, `-mm`, `-mmm`, `-M` and `--allocated-map`, of every version.
//!
//! The text is read as a stream of words, not as lines: rows wrapped by a pager, glued by a
//! terminal or stripped of their blanks read the same. A word that opens no row is left over; a
//! line of which nothing was used is dropped.
//!
//! ```text
//! vdev 0 [class] [ms_unflushed_phys object N] [metaslab shift N]
//! metaslabs N offset spacemap free
//! metaslab N offset HEX spacemap N free SIZE
//! [segments N maxsize SIZE freepct P%] [On-disk histogram: fragmentation P] [N: COUNT STARS]*
//! [space map object N: smp_length = HEX smp_alloc = HEX] [Flush data: unflushed txg=N]
//! ```

use super::reading::Reading;
use super::text::{Line, hex, integer, is_rule, nice, percent};
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Words beyond this many are not read.
const MAX_WORDS: usize = 4_000_000;

/// One metaslab as printed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetaslabRow {
    /// Line number.
    pub line: u64,
    /// Index in the vdev.
    pub id: u64,
    /// First byte.
    pub offset: u64,
    /// Space map object.
    pub space_map: u64,
    /// Free bytes as far as the printed digits say.
    pub free: f64,
    /// Free bytes as printed.
    pub free_text: String,
    /// Bytes of the space map; 0.8 and later.
    pub smp_length: Option<u64>,
    /// Allocated bytes by the space map; 0.8 and later.
    pub smp_alloc: Option<u64>,
    /// Fragmentation in percent; `-mm`.
    pub fragmentation: Option<u64>,
    /// Segments by log2 of bytes from the space map; `-mm`.
    pub histogram: Vec<(u32, u64)>,
    /// Segments by log2 of bytes of the loaded tree; `-mmm`.
    pub loaded: Vec<(u32, u64)>,
    /// Segments of the size-sorted tree; `-mmm`.
    pub segments: Option<u64>,
    /// Largest segment; `-mmm`.
    pub max_size: Option<f64>,
    /// First txg that is only in log space maps; 2.0 and later.
    pub unflushed_txg: Option<u64>,
    /// Entries printed; `-mmmm`.
    pub entries: u64,
    /// Whether the text goes on behind it, so that its histogram is whole.
    pub closed: bool,
}

/// The rows under one vdev heading, or without a heading.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VdevRows {
    /// Index; absent when the heading is.
    pub id: Option<u64>,
    /// `normal`, or the class word of the heading.
    pub class: String,
    /// Metaslabs of the vdev by the heading.
    pub count: Option<u64>,
    /// Metaslab size shift by the heading; 2.3.6 and 2.4.
    pub shift: Option<u64>,
    /// Object that tells which metaslabs wait for a flush; 2.0 and later with log space maps.
    pub unflushed_object: Option<u64>,
    /// Metaslabs in order.
    pub rows: Vec<MetaslabRow>,
    /// Allocated runs of `--allocated-map`: count and bytes.
    pub allocated: (u64, u64),
}

/// One line of `zdb -M`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupRow {
    /// Vdev; absent for the pool.
    pub vdev: Option<u64>,
    /// Metaslabs.
    pub metaslabs: u64,
    /// Fragmentation in percent.
    pub fragmentation: Option<f64>,
    /// Segments by log2 of bytes.
    pub histogram: Vec<(u32, u64)>,
}

/// Everything that was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetaslabText {
    /// Vdevs in order.
    pub vdevs: Vec<VdevRows>,
    /// Rows of `zdb -M`.
    pub groups: Vec<GroupRow>,
    /// Log space maps listed.
    pub log_space_maps: u64,
    /// Dashes of the last rule of the heading: 13 up to 0.7, 12 since 0.8.
    pub last_rule: Option<u64>,
    /// Rows that came twice.
    pub doubled: u64,
}

#[derive(Clone, Copy)]
enum Histogram {
    None,
    OnDisk,
    Loaded,
    Group,
}

struct Parser<'a, 'b> {
    words: Vec<(&'a str, usize)>,
    at: usize,
    used: Vec<bool>,
    why: Vec<Option<&'static str>>,
    out: MetaslabText,
    histogram: Histogram,
    lines: &'b [Line<'a>],
}

/// Reads `lines`; what was not used is dropped into `reading`.
pub(crate) fn parse(lines: &[Line<'_>], reading: &mut Reading) -> MetaslabText {
    let words = lines
        .iter()
        .enumerate()
        .flat_map(|(i, line)| line.words().into_iter().map(move |w| (w, i)))
        .take(MAX_WORDS)
        .collect();
    let mut parser = Parser {
        words,
        at: 0,
        used: std_alloc::vec![false; lines.len()],
        why: std_alloc::vec![None; lines.len()],
        out: MetaslabText::default(),
        histogram: Histogram::None,
        lines,
    };
    while parser.at < parser.words.len() {
        let before = parser.at;
        parser.step();
        if parser.at == before {
            parser.at += 1;
        } else {
            parser.mark(before);
        }
    }
    for ((line, used), why) in lines.iter().zip(&parser.used).zip(&parser.why) {
        match why {
            Some(why) => reading.drop_line(line, why),
            None if !used => reading.drop_unfit(line, "zdb -m"),
            None => {}
        }
    }
    parser.out
}

impl<'a> Parser<'a, '_> {
    fn word(&self, ahead: usize) -> &'a str {
        self.words.get(self.at + ahead).map_or("", |(w, _)| w)
    }

    fn line(&self) -> usize {
        self.words.get(self.at).map_or(0, |(_, l)| *l)
    }

    fn mark(&mut self, from: usize) {
        for (_, line) in self.words.iter().take(self.at).skip(from) {
            if let Some(used) = self.used.get_mut(*line) {
                *used = true;
            }
        }
    }

    fn number(&self, ahead: usize) -> Option<u64> {
        integer(self.word(ahead))
    }

    /// Reads what starts at the current word; moves on only when something did.
    fn step(&mut self) {
        match (self.word(0), self.word(1)) {
            ("metaslab", "shift") => self.shift(),
            ("metaslab", _) => self.row(),
            ("vdev", _) => self.vdev(),
            ("pool", _) if self.word(2) == "fragmentation" => self.pool_group(),
            ("metaslabs", _) => self.heading(),
            ("On-disk" | "In-memory", "histogram:") => self.histogram_head(),
            ("space", "map") if self.word(2) == "object" => self.at += 4,
            ("smp_length" | "smp_alloc", _) => self.phys(),
            ("segments", _) => self.loaded(),
            ("Flush", "data:") => self.at += 2,
            ("unflushed", txg) if txg.starts_with("txg") => self.unflushed(),
            ("Log", "Space") => self.skip_line(),
            ("Log", "Spacemap") => {
                self.out.log_space_maps += 1;
                self.skip_line();
            }
            ("Metaslabs:" | "Metaslab" | "Allocated", _) => self.at += 1,
            (_, "valid") if self.word(2) == "entries" => self.skip_line(),
            ("ALLOC:", _) => self.allocated(),
            (word, _) if word.starts_with('[') => self.entry(),
            (word, _) if is_rule(word) => self.rule(),
            _ => self.bucket(),
        }
    }

    fn skip_line(&mut self) {
        let line = self.line();
        while self.at < self.words.len() && self.line() == line {
            self.at += 1;
        }
    }

    fn last_vdev(&mut self) -> &mut VdevRows {
        if self.out.vdevs.is_empty() {
            self.out.vdevs.push(VdevRows { class: "normal".to_string(), ..VdevRows::default() });
        }
        let last = self.out.vdevs.len() - 1;
        self.out.vdevs.get_mut(last).expect("invariant: one was pushed")
    }

    fn last_row(&mut self) -> Option<&mut MetaslabRow> {
        self.out.vdevs.last_mut()?.rows.last_mut()
    }

    fn close_row(&mut self) {
        if let Some(row) = self.last_row() {
            row.closed = true;
        }
        self.histogram = Histogram::None;
    }

    fn vdev(&mut self) {
        let Some(id) = self.number(1) else { return };
        if self.word(2) == "metaslabs" && self.word(4).starts_with("fragmentation") {
            let fragmentation = percent(self.word(5));
            self.out.groups.push(GroupRow {
                vdev: Some(id),
                metaslabs: self.number(3).unwrap_or(0),
                fragmentation,
                histogram: Vec::new(),
            });
            self.histogram = Histogram::Group;
            self.at += if fragmentation.is_some() || self.word(5) == "-" { 6 } else { 5 };
            return;
        }
        self.close_row();
        let mut vdev =
            VdevRows { id: Some(id), class: "normal".to_string(), ..VdevRows::default() };
        let line = self.line();
        self.at += 2;
        if self.line() == line
            && matches!(self.word(0), "log" | "special" | "dedup" | "special_log")
        {
            vdev.class = self.word(0).to_string();
            self.at += 1;
        }
        self.out.vdevs.push(vdev);
        self.unflushed_object();
    }

    fn unflushed_object(&mut self) {
        if self.word(0) == "ms_unflushed_phys" {
            self.last_vdev().unflushed_object = self.number(2);
            self.at += 3;
        }
    }

    fn shift(&mut self) {
        if let Some(shift) = self.number(2).filter(|s| *s < 64) {
            self.last_vdev().shift = Some(shift);
            self.at += 3;
            if matches!(self.word(0), "log" | "special" | "dedup") {
                self.last_vdev().class = self.word(0).to_string();
                self.at += 1;
            }
            self.unflushed_object();
        }
    }

    fn pool_group(&mut self) {
        self.out
            .groups
            .push(GroupRow { fragmentation: percent(self.word(3)), ..GroupRow::default() });
        self.histogram = Histogram::Group;
        self.at += 4;
    }

    fn heading(&mut self) {
        if let Some(count) = self.number(1) {
            self.last_vdev().count = Some(count);
            self.at += 2;
            while matches!(self.word(0), "offset" | "spacemap" | "free") {
                self.at += 1;
            }
        }
    }

    fn rule(&mut self) {
        let word = self.word(0);
        self.at += 1;
        if matches!(word.len(), 12 | 13) && word.starts_with('-') {
            self.out.last_rule = Some(word.len() as u64);
        }
    }

    /// `metaslab N offset HEX spacemap N free SIZE`; what is missing decides whether it is cut.
    fn row(&mut self) {
        let Some(id) = self.number(1) else { return };
        let line = self.line();
        let mut row = MetaslabRow {
            line: self.lines.get(line).map_or(0, |l| l.number),
            id,
            ..MetaslabRow::default()
        };
        self.close_row();
        self.at += 2;
        let (mut offset, mut free) = (None, None);
        loop {
            match self.word(0) {
                "offset" if hex(self.word(1)).is_some() => offset = hex(self.word(1)),
                "spacemap" if self.number(1).is_some() => {
                    row.space_map = self.number(1).unwrap_or(0);
                }
                "free" if nice(self.word(1)).is_some() => {
                    free = nice(self.word(1));
                    row.free_text = self.word(1).to_string();
                }
                _ => break,
            }
            self.at += 2;
        }
        let (Some(offset), Some(free)) = (offset, free) else {
            let cut = matches!(self.word(0), "offset" | "spacemap" | "free");
            self.at += usize::from(cut);
            if let Some(why) = self.why.get_mut(line) {
                *why = Some("the row is cut: a metaslab without its free space tells nothing");
            }
            return;
        };
        (row.offset, row.free) = (offset, free);
        self.add_row(row);
    }

    fn add_row(&mut self, row: MetaslabRow) {
        let back = self.last_row().is_some_and(|last| row.id < last.id);
        let same =
            self.last_row().is_some_and(|last| row.id == last.id && row.offset == last.offset);
        if same {
            self.out.doubled += 1;
            return;
        }
        let headless = self.out.vdevs.last().is_some_and(|v| v.rows.len() > 1);
        if back && headless {
            self.out.vdevs.push(VdevRows { class: "normal".to_string(), ..VdevRows::default() });
        }
        self.last_vdev().rows.push(row);
    }

    fn histogram_head(&mut self) {
        let memory = self.word(0) == "In-memory";
        self.histogram = if memory { Histogram::Loaded } else { Histogram::OnDisk };
        self.at += 2;
        if self.word(0) == "fragmentation" {
            let value = self.number(1);
            if let Some(row) = self.last_row() {
                row.fragmentation = value;
            }
            self.at += if value.is_some() || self.word(1) == "-" { 2 } else { 1 };
        }
    }

    fn phys(&mut self) {
        let (name, value) = (self.word(0), integer(self.word(2)));
        if self.word(1) != "=" || value.is_none() {
            return;
        }
        if let Some(row) = self.last_row() {
            if name == "smp_length" {
                row.smp_length = value;
            } else {
                row.smp_alloc = value;
            }
            row.closed = true;
        }
        self.histogram = Histogram::None;
        self.at += 3;
    }

    fn loaded(&mut self) {
        let (Some(segments), "maxsize") = (self.number(1), self.word(2)) else {
            return;
        };
        let size = nice(self.word(3));
        if let Some(row) = self.last_row() {
            row.segments = Some(segments);
            row.max_size = size;
        }
        self.at += 4;
        if self.word(0) == "freepct" {
            self.at += 2;
        }
    }

    fn unflushed(&mut self) {
        let glued = self.word(1).strip_prefix("txg=").and_then(integer);
        let (txg, words) = match glued {
            Some(txg) => (Some(txg), 2),
            None => (self.number(3), 4),
        };
        if let Some(row) = self.last_row() {
            row.unflushed_txg = txg;
            row.closed = true;
        }
        self.at += words;
    }

    fn allocated(&mut self) {
        if let (Some(_), Some(size)) = (self.number(1), self.number(2)) {
            let runs = &mut self.last_vdev().allocated;
            *runs = (runs.0 + 1, runs.1.saturating_add(size));
            self.at += 3;
        }
    }

    /// `[ N] ALLOC: txg ...` or `[ N] A range: ...`.
    fn entry(&mut self) {
        let text = self.lines.get(self.line()).map_or("", |l| l.text);
        let known = ["range:", "ALLOC:", "FREE:", "txg", "PADDING"];
        if known.iter().any(|k| text.contains(k)) {
            if let Some(row) = self.last_row() {
                row.entries += 1;
            }
            self.skip_line();
        }
    }

    /// `N: COUNT STARS`.
    fn bucket(&mut self) {
        let shift = self.word(0).strip_suffix(':').and_then(integer);
        let (Some(shift), Some(count)) = (shift.filter(|s| *s < 64), self.number(1)) else {
            return;
        };
        let pair = (shift as u32, count);
        let histogram = self.histogram;
        let list = match histogram {
            Histogram::Group => self.out.groups.last_mut().map(|g| &mut g.histogram),
            Histogram::OnDisk => self.last_row().map(|r| &mut r.histogram),
            Histogram::Loaded => self.last_row().map(|r| &mut r.loaded),
            Histogram::None => None,
        };
        if let Some(list) = list.filter(|l| l.last().is_none_or(|(s, _)| *s < pair.0)) {
            list.push(pair);
        }
        self.at += 2;
        while !self.word(0).is_empty() && self.word(0).bytes().all(|b| b == b'*') {
            self.at += 1;
        }
    }
}
