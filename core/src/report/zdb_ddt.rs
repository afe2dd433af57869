//! The summary of `zdb -D`: the deduplication table by reference count.

use super::detect::is_ddt_row;
use super::reading::Reading;
use super::text::{Line, bytes_text, count_text, integer, nice};
use crate::view::Picture;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// One row: all blocks whose reference count lies in one power of two.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DdtRow {
    /// Lower end of the reference counts, or `Total`.
    pub refcount: String,
    /// Blocks, logical, physical and allocated bytes that exist.
    pub allocated: [f64; 4],
    /// The same as often as they are referred to.
    pub referenced: [f64; 4],
}

/// Reads the lines of a deduplication summary.
pub(crate) fn read(lines: &[Line<'_>]) -> Reading {
    let mut reading = Reading::new("zdb -D (ddt)");
    reading.version = "the classic table; 2.3 and later have more kinds of tables".to_string();
    let mut rows: Vec<DdtRow> = Vec::new();
    let mut head: Option<(u64, f64, f64)> = None;
    let mut empty = false;
    for line in lines {
        let words = line.words();
        if line.is_blank() || line.is_rule() {
            continue;
        }
        if line.text.contains("All DDTs are empty") {
            empty = true;
            continue;
        }
        if line.text.contains("DDT entries") {
            head = entries(&words).or(head);
            continue;
        }
        if is_ddt_row(&words) {
            let cell = |i: usize| words.get(i).and_then(|w| nice(w)).unwrap_or(0.0);
            let name = words.first().map_or("", |w| w).to_string();
            let (allocated, referenced) = ([1, 2, 3, 4].map(cell), [5, 6, 7, 8].map(cell));
            if !rows.iter().any(|r| r.refcount == name) && rows.len() < 128 {
                rows.push(DdtRow { refcount: name, allocated, referenced });
            }
            continue;
        }
        let known = ["refcnt", "bucket", "dedup", "DDT-"];
        if !known.iter().any(|k| line.text.trim().starts_with(k)) {
            reading.drop_unfit(line, "a deduplication summary");
        }
    }
    reading.rows = rows.len() as u64 + u64::from(head.is_some() || empty);
    if rows.is_empty() && head.is_none() && empty {
        reading.verdict = "Nothing is deduplicated: all tables are empty.".to_string();
        reading.next =
            "zfs get dedup: off everywhere, or on without data written since.".to_string();
        return reading;
    }
    table(&rows, head, &mut reading);
    reading
}

/// `dedup: DDT entries 31262476, size 916B on disk, 148B in core`
fn entries(words: &[&str]) -> Option<(u64, f64, f64)> {
    let after = |key: &str| {
        let at = words.iter().position(|w| *w == key)?;
        words.get(at + 1).copied()
    };
    let before = |key: &str| {
        let at = words.iter().position(|w| *w == key)?;
        words.get(at.checked_sub(2)?).copied()
    };
    let count = integer(after("entries")?)?;
    let disk = after("size").and_then(|w| nice(w.trim_end_matches(','))).unwrap_or(0.0);
    let core = before("core").and_then(nice).unwrap_or(0.0);
    Some((count, disk, core))
}

fn table(rows: &[DdtRow], head: Option<(u64, f64, f64)>, reading: &mut Reading) {
    if let Some((count, disk, core)) = head {
        let text = format!(
            "{count} entries, {disk:.0} B each on disk ({}) and {core:.0} B in memory ({}).",
            bytes_text(count as f64 * disk),
            bytes_text(count as f64 * core)
        );
        reading.value("ddt_entries", count as f64, text);
        reading.note("ddt_disk", disk);
        reading.note("ddt_core", core);
        reading.note("ddt_memory", count as f64 * core);
    }
    let plain: Vec<&DdtRow> = rows.iter().filter(|r| r.refcount != "Total").collect();
    let blocks: f64 = plain.iter().map(|r| r.allocated[0]).sum();
    let once = plain.iter().find(|r| r.refcount == "1").map_or(0.0, |r| r.allocated[0]);
    let sum = |pick: fn(&DdtRow) -> f64| plain.iter().map(|r| pick(r)).sum::<f64>();
    let (stored, referred) = (sum(|r| r.allocated[3]), sum(|r| r.referenced[3]));
    if blocks > 0.0 {
        let share = once / blocks * 100.0;
        reading.value(
            "refcount_one_percent",
            share,
            format!(
                "{share:.1}% of the blocks have \
            reference count 1: they are stored once and gain nothing."
            ),
        );
    }
    if stored > 0.0 {
        let ratio = referred / stored;
        reading.value(
            "dedup_ratio",
            ratio,
            format!(
                "Rows shown: {} stored for {} referred to: {ratio:.2} times.",
                bytes_text(stored),
                bytes_text(referred)
            ),
        );
    }
    sum_up(&plain, head, reading);
}

/// Whether the table pays.
fn sum_up(plain: &[&DdtRow], head: Option<(u64, f64, f64)>, reading: &mut Reading) {
    let blocks: f64 = plain.iter().map(|r| r.allocated[0]).sum();
    let once = plain.iter().find(|r| r.refcount == "1").map_or(0.0, |r| r.allocated[0]);
    let sum = |pick: fn(&DdtRow) -> f64| plain.iter().map(|r| pick(r)).sum::<f64>();
    let (stored, referred) = (sum(|r| r.allocated[3]), sum(|r| r.referenced[3]));
    let memory = head.map_or(String::new(), |(n, _, core)| {
        format!(" The table takes {} of memory for that.", bytes_text(n as f64 * core))
    });
    reading.verdict = if blocks > 0.0 {
        format!(
            "Deduplication saves little: {:.1}% of {} blocks exist once; the ratio of the rows \
             shown is {:.2}.{memory}",
            once / blocks * 100.0,
            count_text(blocks),
            referred / stored.max(1.0)
        )
    } else {
        format!("A deduplication table without rows.{memory}")
    };
    if stored > 0.0 && referred / stored >= 1.5 {
        reading.verdict = format!(
            "Deduplication saves: {} stored for {} referred to.{memory}",
            bytes_text(stored),
            bytes_text(referred)
        );
    }
    reading.next = "zpool list (DEDUP), arcstats: does the table fit into memory; zfs set \
        dedup=off stops new entries."
        .to_string();
    let bars = plain.iter().map(|r| (r.refcount.clone(), r.allocated[0])).collect::<Vec<_>>();
    if !bars.is_empty() {
        reading.pictures.push(Picture::Histogram {
            title: "Blocks by reference count".to_string(),
            unit: "references".to_string(),
            bars,
        });
    }
}
