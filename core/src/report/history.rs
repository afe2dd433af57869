//! `zpool history`, with and without `-i` and `-l`, old and new form of internal records.
//!
//! ```text
//! 2013-10-16.17:05:14 zfs destroy tank/a@x
//! 2013-10-16.17:05:09 [internal destroy txg:4673114] dataset = 45990      (to 0.6.2)
//! 2020-09-22.05:27:02 [txg:4] set feature@bookmarks=enabled
//! ```

use super::detect::is_history_time;
use super::reading::{Reading, is_command};
use super::text::{Line, Tally, integer, plural, shorten};
use super::words::{clock, days};
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Records kept.
const MAX_ROWS: usize = 200_000;

/// One record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HistoryRow {
    /// Line number.
    pub line: u64,
    /// Date and time as printed.
    pub stamp: String,
    /// Seconds since 1970 by the printed clock; absent when the date is damaged.
    pub time: Option<f64>,
    /// Txg of an internal record.
    pub txg: Option<u64>,
    /// Name of an internal record: `destroy`, `snapshot`, `replay_inc_sync`, `set`.
    pub name: String,
    /// The command, or the text behind the name.
    pub text: String,
    /// Whether the record has the old form.
    pub old: bool,
}

/// Reads the records; what was not used is dropped into `reading`.
pub(crate) fn parse(lines: &[Line<'_>], reading: &mut Reading) -> Vec<HistoryRow> {
    let mut rows: Vec<HistoryRow> = Vec::new();
    for line in lines {
        let text = line.text.trim();
        let first = line.first();
        if text.is_empty() || line.is_rule() || text.starts_with("History") {
            continue;
        }
        if is_history_time(first) && rows.len() < MAX_ROWS {
            rows.push(row(line, first));
            continue;
        }
        let attached = matches!(first, "input:" | "output:" | "errno:") || line.indent() >= 4;
        if is_command(line.text) || !attached || rows.is_empty() {
            reading.drop_unfit(line, "zpool history");
        }
    }
    rows
}

fn row(line: &Line<'_>, stamp: &str) -> HistoryRow {
    let text = line.text.trim().strip_prefix(stamp).unwrap_or("").trim();
    let mut row = HistoryRow {
        line: line.number,
        stamp: stamp.to_string(),
        time: seconds(stamp),
        text: text.to_string(),
        ..HistoryRow::default()
    };
    let Some((inside, tail)) = text.strip_prefix('[').and_then(|t| t.split_once(']')) else {
        return row;
    };
    let tail = tail.trim();
    if let Some(name) = inside.strip_prefix("internal ") {
        let (name, txg) = name.rsplit_once(" txg:").unwrap_or((name, ""));
        row.old = true;
        row.name = name.to_string();
        row.txg = integer(txg);
        row.text = tail.to_string();
    } else if let Some(txg) = inside.strip_prefix("txg:").and_then(integer) {
        row.txg = Some(txg);
        row.name = tail.split_whitespace().next().unwrap_or("").to_string();
        row.text = tail.to_string();
    }
    row
}

/// Seconds since 1970; `None` for a date that cannot be.
fn seconds(stamp: &str) -> Option<f64> {
    let (date, time) = stamp.split_once('.')?;
    let mut parts = date.split('-');
    let year = integer(parts.next()?)?;
    let month = integer(parts.next()?).filter(|m| (1..=12).contains(m))?;
    let day = integer(parts.next()?).filter(|d| (1..=31).contains(d))?;
    let good = parts.next().is_none() && (1900..3000).contains(&year);
    let of_day = clock(time)?;
    good.then(|| days(year as i64, month, day) as f64 * 86_400.0 + of_day)
}

/// Reads the lines of `zpool history`.
pub(crate) fn read(lines: &[Line<'_>]) -> Reading {
    let mut reading = Reading::new("zpool history");
    let rows = parse(lines, &mut reading);
    reading.rows = rows.len() as u64;
    let internal: Vec<&HistoryRow> = rows.iter().filter(|r| !r.name.is_empty()).collect();
    if !internal.is_empty() {
        reading.kind = "zpool history -i".to_string();
    }
    reading.version = if rows.iter().any(|r| r.old) {
        "0.6.2 or older (internal NAME txg:N)".to_string()
    } else if !internal.is_empty() {
        "0.6.3 or later ([txg:N] NAME)".to_string()
    } else {
        "any".to_string()
    };
    if rows.is_empty() {
        reading.verdict = "No whole record of the history is in the text.".to_string();
        return reading;
    }
    let damaged = damage(&rows, &mut reading);
    let created = overview(&rows, &internal, &mut reading);
    let received = receives(&internal, &mut reading);
    let commands = (rows.len() - internal.len()) as u64;
    let good: Vec<&HistoryRow> =
        rows.iter().filter(|r| r.time.is_some_and(|t| t > 86_400.0)).collect();
    let span = match (good.first(), good.last()) {
        (Some(a), Some(b)) => format!(" from {} to {}", a.stamp, b.stamp),
        _ => String::new(),
    };
    reading.verdict = format!(
        "{} and {} internal records{span}{created}{received}{damaged}.",
        plural(commands, "command"),
        internal.len()
    );
    reading.next =
        "Compare with the txgs kstat of that time: internal records carry the txg they ran in."
            .to_string();
    reading
}

/// Dates before the machine existed.
fn damage(rows: &[HistoryRow], reading: &mut Reading) -> String {
    let bad: Vec<&HistoryRow> = rows.iter().filter(|r| r.time.is_none()).collect();
    let epoch: Vec<&HistoryRow> =
        rows.iter().filter(|r| r.time.is_some_and(|t| t <= 86_400.0)).collect();
    for row in bad.iter().take(8) {
        reading.warn_value(
            "damaged_time",
            1.0,
            format!("Line {}: the time {} is damaged.", row.line, row.stamp),
        );
    }
    for row in epoch.iter().take(8) {
        reading.warn_value(
            "epoch_time",
            1.0,
            format!(
                "Line {}: {} is the epoch: the clock was not set, or the time was not stored.",
                row.line, row.stamp
            ),
        );
    }
    reading.note("damaged_times", bad.len() as f64);
    reading.note("epoch_times", epoch.len() as f64);
    match (bad.len(), epoch.len()) {
        (0, 0) => String::new(),
        (bad, epoch) => format!("; {bad} damaged and {epoch} epoch times"),
    }
}

fn overview(rows: &[HistoryRow], internal: &[&HistoryRow], reading: &mut Reading) -> String {
    let mut names = Tally::new();
    for row in internal {
        names.add(row.name.as_str());
    }
    let names = names.by_count();
    let words: Vec<String> = names.iter().take(8).map(|(n, c)| format!("{c} {n}")).collect();
    reading.value(
        "records",
        rows.len() as f64,
        format!(
            "{}: {} of commands, {} internal{}.",
            plural(rows.len() as u64, "record"),
            rows.len() - internal.len(),
            internal.len(),
            if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) }
        ),
    );
    let txgs: Vec<u64> = internal.iter().filter_map(|r| r.txg).collect();
    if let (Some(low), Some(high)) = (txgs.iter().min(), txgs.iter().max()) {
        reading.value("first_txg", *low as f64, format!("Txgs {low} to {high}."));
        reading.note("last_txg", *high as f64);
    }
    let features = internal.iter().filter(|r| r.text.contains("feature@")).count();
    if features > 0 {
        let txg =
            internal.iter().find(|r| r.text.contains("feature@")).and_then(|r| r.txg).unwrap_or(0);
        reading.value(
            "features_set",
            features as f64,
            format!("Txg {txg} sets {}.", plural(features as u64, "feature")),
        );
    }
    for row in rows.iter().filter(|r| r.name.is_empty() && !r.text.is_empty()).take(6) {
        reading.info(format!("{}: {}", row.stamp, shorten(&row.text, 120)));
    }
    creation(internal, reading)
}

/// Who created the pool, when the text shows it.
fn creation(internal: &[&HistoryRow], reading: &mut Reading) -> String {
    let create = internal.iter().find(|r| r.text.contains("pool version"));
    create.map_or(String::new(), |row| {
        reading.info(format!(
            "Created in txg {}: {}",
            row.txg.unwrap_or(0),
            shorten(&row.text, 200)
        ));
        let version = row
            .text
            .split("software version")
            .nth(1)
            .and_then(|t| t.split([';', ' ']).find(|w| !w.is_empty()));
        format!("; the pool was created by {}", version.unwrap_or("an unnamed version"))
    })
}

/// Groups of records that one incremental receive makes.
fn receives(internal: &[&HistoryRow], reading: &mut Reading) -> String {
    let mut groups: Vec<Vec<&HistoryRow>> = Vec::new();
    for row in internal {
        if row.name == "snapshot" {
            groups.push(Vec::new());
        }
        if let Some(group) = groups.last_mut().filter(|g| g.len() < 64) {
            group.push(row);
        }
    }
    let ends = |g: &[&HistoryRow]| g.iter().any(|r| r.name.starts_with("replay_"));
    let Some(pattern) = groups.iter().find(|g| ends(g)).cloned() else {
        let new =
            internal.iter().filter(|r| r.name == "receive" || r.name.starts_with("finish")).count();
        if new > 0 {
            reading.value(
                "receives",
                new as f64,
                format!("{} of receives.", plural(new as u64, "record")),
            );
        }
        return String::new();
    };
    let whole = groups.iter().filter(|g| ends(g)).count();
    let names: Vec<&str> = pattern.iter().map(|r| r.name.as_str()).collect();
    let begun = groups
        .last()
        .filter(|g| !ends(g) && g.len() > 1 && g.iter().zip(&names).all(|(r, n)| r.name == *n));
    let mut times: Vec<&str> =
        groups.iter().filter(|g| ends(g)).filter_map(|g| clock_of(g.first()?)).collect();
    times.extend(begun.and_then(|g| clock_of(g.first()?)));
    let total = whole + usize::from(begun.is_some());
    let tail = if begun.is_some() { ", the last cut off by the end of the text" } else { "" };
    reading.value(
        "receives",
        total as f64,
        format!(
            "{} (at {}){tail}, each with {}.",
            plural(total as u64, "incremental receive"),
            times.join(", "),
            names.join(", ")
        ),
    );
    format!("; {} at {}", plural(total as u64, "incremental receive"), times.join(", "))
}

/// `17:07` of `2013-10-16.17:07:23`.
fn clock_of<'a>(row: &&'a HistoryRow) -> Option<&'a str> {
    row.stamp.split_once('.')?.1.get(..5)
}
