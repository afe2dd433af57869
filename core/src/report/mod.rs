//! Floor 16: readers of what OpenZFS's tools print, and the verdict.
//!
//! ```text
//! text -> lines -> families by tell-tale words -> one reader each -> findings, pictures, readings
//!                                                                  -> decision table -> verdict
//! ```
//!
//! Nothing here fails: a damaged row is dropped and listed with its reason. Headers decide what a
//! table is, never the command line above it. Readers look at words, not at columns, so collapsed
//! or shifted blanks change nothing. Time and memory are linear in the text, which is cut at
//! 16 MiB.

mod dbgmsg;
mod dbgmsg_findings;
mod dbgmsg_loads;
mod detect;
mod events;
mod events_findings;
mod frag;
mod history;
mod iostat;
mod iostat_findings;
mod iostat_histo;
mod iostat_waits;
mod kstat;
mod kstat_zil;
mod load;
mod pool_list;
mod pool_list_findings;
mod print;
mod reading;
mod rules;
mod status;
mod tables;
mod text;
mod txgs;
mod verdict;
mod words;
mod zdb_blocks;
mod zdb_blocks_findings;
mod zdb_config;
mod zdb_config_findings;
mod zdb_ddt;
mod zdb_metaslabs;
mod zdb_metaslabs_findings;
mod zdb_metaslabs_map;
mod zdb_objects;
mod zdb_objects_findings;

pub use dbgmsg::LogLine;
pub use events::EventRow;
pub use history::HistoryRow;
pub use iostat::{IostatPool, IostatRow, IostatText, IostatVdev};
pub use iostat_histo::HistogramTable;
pub use kstat::CounterSample;
pub use load::{FioResult, TraceRow};
pub use pool_list::{ListPool, ListRow, ListText, ListVdev};
pub use print::print;
pub use reading::Readings;
pub use rules::RULES;
pub use status::{StatusPool, StatusRow};
pub use tables::ZfsListRow;
pub use txgs::TxgRow;
pub use verdict::{Rule, Test, Verdict, decide, fill};
pub use zdb_blocks::{BlockBin, BlockClass, BlockType, BlocksText};
pub use zdb_config::{ConfigText, ConfigUberblock, ConfigVdev};
pub use zdb_ddt::DdtRow;
pub use zdb_metaslabs::{GroupRow, MetaslabRow, MetaslabText, VdevRows};
pub use zdb_objects::{DatasetLine, ObjectLine, ObjectsText, PointerLine};

use crate::view::{ExplainView, Finding};
use detect::Family;
use reading::Reading;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;
use text::Line;

/// What can be pasted; told when nothing was known.
const ACCEPTED: &str = "zdb -m, -C, -l, -b, -d, -D; zpool list, status, get, iostat, events, \
    history; \
    zfs list; the kstats txgs, dmu_tx, dmu_tx_assign, zil, objset, arcstats, dbgmsg; arcstat, \
    fio, blktrace";

/// Reads a pasted output. Never fails: what was not understood is listed.
pub fn explain(text: &str) -> ExplainView {
    let (normal, cut_bytes) = text::normalise(text);
    let (lines, cut_lines) = text::lines(&normal);
    let mut families: Vec<(Family, Reading)> = detect::sort_lines(&lines)
        .into_iter()
        .map(|(family, lines)| (family, read(family, &lines)))
        .collect();
    // The family with the most rows is the main one; order of importance on a tie.
    families.sort_by_key(|(family, reading)| (core::cmp::Reverse(reading.rows), *family));
    let mut view = match families.is_empty() {
        true => unknown(&lines),
        false => combine(families.into_iter().map(|(_, reading)| reading).collect()),
    };
    if cut_bytes || cut_lines {
        let text = "The text is very long; only its first 16 MiB or 400000 lines were read.";
        view.findings.push(finding("warning", text.to_string()));
    }
    view
}

fn finding(level: &str, text: String) -> Finding {
    Finding { level: level.to_string(), text, value: None }
}

fn read(family: Family, lines: &[Line<'_>]) -> Reading {
    match family {
        Family::Metaslabs => zdb_metaslabs_findings::read(lines),
        Family::Txgs => txgs::read(lines),
        Family::Iostat => iostat_findings::read(lines),
        Family::Latency => iostat_histo::read_latency(lines),
        Family::Sizes => iostat_histo::read_sizes(lines),
        Family::List => pool_list_findings::read(lines),
        Family::Counters => kstat::read(lines),
        Family::TxAssign => tables::read_tx_assign(lines),
        Family::Config => zdb_config_findings::read(lines),
        Family::Blocks => zdb_blocks_findings::read(lines),
        Family::Objects => zdb_objects_findings::read(lines),
        Family::Ddt => zdb_ddt::read(lines),
        Family::ZfsList => tables::read_zfs_list(lines),
        Family::Properties => tables::read_properties(lines),
        Family::Arcstat => tables::read_arcstat(lines),
        Family::Status => status::read(lines),
        Family::Dbgmsg => dbgmsg_findings::read(lines),
        Family::Events => events_findings::read(lines),
        Family::History => history::read(lines),
        Family::Fio => load::read_fio(lines),
        Family::Blktrace => load::read_blktrace(lines),
    }
}

fn unknown(lines: &[Line<'_>]) -> ExplainView {
    let mut reading = Reading::new("unknown");
    for line in lines {
        reading.drop_line(line, "no line of a kind that is read");
    }
    reading.verdict = "This is no output that is known here.".to_string();
    reading.next = format!("Paste one of these, whole or cut: {ACCEPTED}.");
    combine(Vec::from([reading]))
}

/// One view of all readings: the first is the main one.
fn combine(readings: Vec<Reading>) -> ExplainView {
    let mut view = ExplainView::default();
    let mut numbers = Readings::default();
    let mut own = String::new();
    let mut more = 0;
    let kinds: Vec<String> =
        readings.iter().filter(|r| r.rows > 0).map(|r| r.kind.clone()).collect();
    for reading in readings {
        if view.kind.is_empty() {
            view.kind = reading.kind;
            view.version_hint = reading.version;
            view.next_step = reading.next;
            own = reading.verdict;
        } else if reading.rows > 0 {
            let text = format!("Also in the text: {}. {}", reading.kind, reading.verdict);
            view.findings.push(finding("info", text));
        }
        view.numbers.extend(reading.numbers);
        view.findings.extend(reading.findings);
        view.pictures.extend(reading.pictures);
        view.not_understood.extend(reading.dropped);
        more += reading.dropped_more;
        numbers.merge(reading.readings);
    }
    let carried = view.findings.iter().filter_map(|f| f.value.clone());
    let mut all: Vec<(String, f64)> = numbers.numbers().map(|(n, v)| (n.to_string(), v)).collect();
    all.extend(carried);
    for pair in all {
        if view.numbers.len() < 4000 && !view.numbers.contains(&pair) {
            view.numbers.push(pair);
        }
    }
    judge(&mut view, own, &numbers);
    if kinds.len() > 1 {
        let text = format!("The text holds {} kinds: {}.", kinds.len(), kinds.join(", "));
        view.findings.insert(0, finding("info", text));
    }
    if more > 0 {
        view.findings
            .push(finding("info", format!("{more} more lines were dropped and are not listed.")));
    }
    view.not_understood.sort_by_key(|dropped| dropped.line);
    view
}

/// The first rule that holds is the verdict; the others and the reader's own words are findings.
fn judge(view: &mut ExplainView, own: String, numbers: &Readings) {
    let mut verdicts = decide(numbers);
    let Some(first) = verdicts.next() else {
        view.verdict = own;
        return;
    };
    view.verdict = first.text;
    view.next_step = first.next.to_string();
    for (index, other) in verdicts.take(4).enumerate() {
        view.findings.insert(index, finding("info", format!("Also: {}", other.text)));
    }
    if !own.is_empty() {
        view.findings.insert(0, finding("info", own));
    }
}

#[cfg(test)]
mod tests;
