//! The histograms of `zpool iostat -w` (latency) and `-r` (request sizes).
//!
//! ```text
//! POOL   total_wait     disk_wait    syncq_wait    asyncq_wait        POOL      sync_read  ...
//! latency  read  write   read  write   read  write   read write scrub req_size   ind   agg ...
//! 1ns         0      0 ...                                            512          0     0 ...
//! ```
//!
//! The label of a latency row is the top of its bucket, that of a size row the bottom.

use super::iostat::{EXTRA, WAITS};
use super::reading::{Reading, is_command};
use super::text::{Line, cell, integer, log2, nice, plural, time_ns, time_text};
use crate::base::nice_bytes;
use crate::view::Picture;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Rows that a whole latency table has.
const LATENCY_ROWS: usize = 37;
/// Tables described.
const DETAILED: usize = 12;

/// One table of counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HistogramTable {
    /// Pool or vdev in the head; empty when the head is missing.
    pub name: String,
    /// Column names: `total_read`, `syncq_write`, `async_write_agg`, ...
    pub columns: Vec<String>,
    /// Log2 of the label, the label, one count a column.
    pub rows: Vec<(u32, String, Vec<f64>)>,
    /// Whether the counts have units (`2.04M`, units of 1024); else they are exact.
    pub scaled: bool,
}

impl HistogramTable {
    fn column(&self, name: &str) -> Vec<(u32, f64)> {
        let Some(at) = self.columns.iter().position(|c| c == name) else {
            return Vec::new();
        };
        let count = |row: &Vec<f64>| row.get(at).copied().unwrap_or(0.0);
        self.rows.iter().map(|(shift, _, row)| (*shift, count(row))).collect()
    }

    /// A count as the table prints it.
    fn count(&self, count: f64) -> String {
        if self.scaled { nice_bytes(count as u64) } else { format!("{count:.0}") }
    }

    fn label(&self, shift: u32) -> &str {
        let row = self.rows.iter().find(|(s, _, _)| *s == shift);
        row.map_or("?", |(_, label, _)| label.as_str())
    }
}

/// What a table counts.
#[derive(Clone, Copy, PartialEq)]
enum What {
    Latency,
    Sizes,
}

/// Columns of a latency table by their number: 9 in 0.7, 10 with trim, 11 with rebuild.
fn latency_columns(count: usize) -> Vec<String> {
    let all = WAITS.iter().chain(&EXTRA);
    all.take(count).map(|c| c.to_string()).collect()
}

/// Columns of a size table: 10 in 0.7, 12 with trim, 14 with rebuild.
fn size_columns(count: usize) -> Vec<String> {
    let classes =
        ["sync_read", "sync_write", "async_read", "async_write", "scrub", "trim", "rebuild"];
    let both = classes.iter().flat_map(|c| [format!("{c}_ind"), format!("{c}_agg")]);
    both.take(count).collect()
}

/// Reads the tables; what was not used is dropped into `reading`.
fn parse(lines: &[Line<'_>], what: What, reading: &mut Reading) -> Vec<HistogramTable> {
    let mut tables: Vec<HistogramTable> = Vec::new();
    let mut name = String::new();
    for line in lines {
        let words = line.words();
        if words.is_empty() || line.is_rule() {
            continue;
        }
        if is_command(line.text) {
            reading.drop_unfit(line, "the histogram");
            continue;
        }
        if words.contains(&"total_wait")
            || (words.contains(&"sync_read") && words.contains(&"sync_write"))
        {
            let first = words.first().copied().unwrap_or("");
            let own = !matches!(first, "total_wait" | "sync_read");
            name = if own { first.to_string() } else { String::new() };
            if words.contains(&"sync_queue") {
                reading.version = "0.7 (heads sync_queue and async_queue)".to_string();
            }
            continue;
        }
        if matches!(words.first(), Some(&"latency" | &"req_size")) {
            let columns = match what {
                What::Latency => latency_columns(words.len() - 1),
                What::Sizes => size_columns(words.len() - 1),
            };
            tables.push(HistogramTable {
                name: name.clone(),
                columns,
                ..HistogramTable::default()
            });
            continue;
        }
        row(line, &words, what, &mut tables, reading);
    }
    tables.retain(|t| !t.rows.is_empty());
    tables
}

fn row(
    line: &Line<'_>,
    words: &[&str],
    what: What,
    tables: &mut Vec<HistogramTable>,
    reading: &mut Reading,
) {
    let label = words.first().copied().unwrap_or("");
    let value = match what {
        What::Latency => time_ns(label).or_else(|| integer(label).map(|n| n as f64)),
        What::Sizes => nice(label),
    };
    let cells: Vec<f64> =
        words.iter().skip(1).map_while(|w| cell(w)).map(|c| c.unwrap_or(0.0)).collect();
    let Some(value) = value.filter(|v| *v >= 1.0) else {
        reading.drop_unfit(line, "the histogram");
        return;
    };
    if tables.is_empty() {
        let columns = match what {
            What::Latency => latency_columns(cells.len()),
            What::Sizes => size_columns(cells.len()),
        };
        tables.push(HistogramTable { columns, ..HistogramTable::default() });
    }
    let Some(table) = tables.last_mut() else {
        return;
    };
    if cells.len() < table.columns.len() {
        let why = format!("the row is cut after {} of {} cells", cells.len(), table.columns.len());
        reading.drop_line(line, &why);
        return;
    }
    table.scaled |= words.iter().skip(1).any(|w| w.ends_with(['K', 'M', 'G', 'T']));
    let shift = log2(value as u64);
    match table.rows.last() {
        Some((last, _, _)) if *last == shift => {
            reading.drop_line(line, "the same bucket again");
        }
        Some((last, _, _)) if *last > shift => {
            let (name, columns) = (table.name.clone(), table.columns.clone());
            let scaled = table.scaled;
            let rows = Vec::from([(shift, label.to_string(), cells)]);
            tables.push(HistogramTable { name, columns, rows, scaled });
        }
        _ => table.rows.push((shift, label.to_string(), cells)),
    }
}

/// Notes a command line that names another table than the head.
fn mislabelled(lines: &[Line<'_>], letter: char, reading: &mut Reading) {
    for line in lines.iter().filter(|l| l.text.contains("zpool iostat")) {
        let options = line.text.split("iostat").nth(1).unwrap_or("");
        let flags: String = options.split_whitespace().filter(|w| w.starts_with('-')).collect();
        let other = ['r', 'w'].iter().any(|c| *c != letter && flags.contains(*c));
        if other && !flags.contains(letter) {
            reading.warn(format!(
                "The command line above says {flags}, but by its head this is a table of \
                 -{letter}: the head is right."
            ));
        }
    }
}

fn heat(table: &HistogramTable, title: String) -> Picture {
    let rows = table.rows.iter().map(|(_, label, cells)| (label.clone(), cells.clone())).collect();
    Picture::Heat { title, columns: table.columns.clone(), rows }
}

fn titled(table: &HistogramTable, what: &str) -> String {
    match table.name.as_str() {
        "" => what.to_string(),
        name => format!("{what} of {name}"),
    }
}

/// Reads the lines of `zpool iostat -w`.
pub(crate) fn read_latency(lines: &[Line<'_>]) -> Reading {
    let mut reading = Reading::new("zpool iostat -w");
    let tables = parse(lines, What::Latency, &mut reading);
    reading.rows = tables.iter().map(|t| t.rows.len() as u64).sum();
    mislabelled(lines, 'w', &mut reading);
    let widest = tables.iter().map(|t| t.columns.len()).max().unwrap_or(0);
    if reading.version.is_empty() {
        reading.version = match widest {
            11.. => "2.2 or later (rebuild column)",
            10 => "0.8 to 2.1 (trim column)",
            _ => "0.7 (no trim column)",
        }
        .to_string();
    }
    if tables.is_empty() {
        reading.verdict = "No whole row of a latency table is in the text.".to_string();
        return reading;
    }
    for table in tables.iter().take(DETAILED) {
        latency_table(table, &mut reading);
        reading
            .pictures
            .push(heat(table, titled(table, "Latency, requests by the time they took")));
    }
    latency_verdict(&tables, &mut reading);
    reading
}

fn latency_table(table: &HistogramTable, reading: &mut Reading) {
    let rows = table.rows.len();
    let last = table.rows.last().map_or("?", |(_, label, _)| label.as_str());
    let first = table.rows.first().map_or("?", |(_, label, _)| label.as_str());
    let whole = rows >= LATENCY_ROWS;
    if whole {
        reading.value(
            "rows",
            rows as f64,
            format!("{}: all {rows} buckets.", titled(table, "Latency")),
        );
    } else {
        reading.value(
            "rows",
            rows as f64,
            format!(
                "{}: {rows} of {LATENCY_ROWS} buckets, {first} to {last}; longer times are \
                cut off.",
                titled(table, "Latency")
            ),
        );
    }
    for column in &table.columns {
        one_latency(table, column, whole, reading);
    }
}

/// Total, peak and percentiles of one column.
fn one_latency(table: &HistogramTable, column: &str, whole: bool, reading: &mut Reading) {
    let counts = table.column(column);
    let total: f64 = counts.iter().map(|(_, n)| n).sum();
    let Some((peak, most)) = counts.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)) else {
        return;
    };
    if total <= 0.0 {
        return;
    }
    let at = |share: f64| {
        let mut sum = 0.0;
        counts.iter().find(|(_, n)| {
            sum += n;
            sum >= total * share
        })
    };
    let label =
        |found: Option<&(u32, f64)>| found.map_or("?", |(s, _)| table.label(*s)).to_string();
    let tail = if whole {
        format!("; half within {}, 99% within {}", label(at(0.5)), label(at(0.99)))
    } else {
        String::new()
    };
    let name = column.replace('_', " ");
    let note = format!(
        "{name}: {} requests, most ({}) at {}{tail}.",
        table.count(total),
        table.count(most),
        table.label(peak)
    );
    reading.value(&format!("{column}_peak"), most, note);
    reading.note(&format!("{column}_total"), total);
    if whole
        && column.starts_with("disk_")
        && let Some((low, high)) = two_peaks(&counts)
    {
        let (low_ns, high_ns) = ((1u64 << low) as f64 * 1.5, (1u64 << high) as f64 * 1.5);
        reading.set("bimodal", 1.0);
        reading.set("low_peak_ns", low_ns);
        reading.set("high_peak_ns", high_ns);
        reading.info(format!(
            "{name} has two peaks, at {} and {}.",
            time_text(low_ns),
            time_text(high_ns)
        ));
    }
}

/// Two maxima at least three buckets apart with a valley between them.
fn two_peaks(counts: &[(u32, f64)]) -> Option<(u32, u32)> {
    let total: f64 = counts.iter().map(|(_, n)| n).sum();
    let mut peaks: Vec<usize> = Vec::new();
    for (i, (_, n)) in counts.iter().enumerate() {
        let near = |j: Option<usize>| j.and_then(|j| counts.get(j)).map_or(0.0, |(_, n)| *n);
        if *n >= total * 0.05 && *n >= near(i.checked_sub(1)) && *n > near(i.checked_add(1)) {
            peaks.push(i);
        }
    }
    let (a, b) = (*peaks.first()?, *peaks.last()?);
    let lower = counts.get(a)?.1.min(counts.get(b)?.1);
    let valley = counts.get(a..b)?.iter().map(|(_, n)| *n).fold(f64::MAX, f64::min);
    (b >= a + 3 && valley < lower * 0.5).then_some((counts.get(a)?.0, counts.get(b)?.0))
}

fn latency_verdict(tables: &[HistogramTable], reading: &mut Reading) {
    let Some(table) = tables.first() else { return };
    let mut best: Option<(String, u32, f64)> = None;
    for column in &table.columns {
        for (shift, count) in table.column(column) {
            if best.as_ref().is_none_or(|(_, _, n)| count > *n) {
                best = Some((column.clone(), shift, count));
            }
        }
    }
    let last = table.rows.last().map_or("?", |(_, label, _)| label.as_str());
    let cut = table.rows.len() < LATENCY_ROWS;
    reading.verdict = match best.filter(|(_, _, n)| *n > 0.0) {
        Some((column, shift, count)) => {
            let name = column.replace('_', " ");
            let end = if cut {
                format!(
                    " The table ends at {last}: what takes longer, and so the verdict on the \
                     disks, is missing."
                )
            } else {
                String::new()
            };
            format!(
                "The fullest bucket is {name} at {} with {} requests.{end}",
                table.label(shift),
                table.count(count)
            )
        }
        None => format!("All counts up to {last} are zero."),
    };
    reading.next = if cut {
        "Paste the whole table (37 rows down to 137s).".to_string()
    } else {
        "zpool iostat -wv: the same split by vdev, to tell one slow disk from all.".to_string()
    };
}

/// Reads the lines of `zpool iostat -r`.
pub(crate) fn read_sizes(lines: &[Line<'_>]) -> Reading {
    let mut reading = Reading::new("zpool iostat -r");
    let tables = parse(lines, What::Sizes, &mut reading);
    reading.rows = tables.iter().map(|t| t.rows.len() as u64).sum();
    mislabelled(lines, 'r', &mut reading);
    reading.version = match tables.iter().map(|t| t.columns.len()).max().unwrap_or(0) {
        14.. => "2.2 or later (rebuild columns)",
        12.. => "0.8 to 2.1 (trim columns)",
        _ => "0.7 (no trim columns)",
    }
    .to_string();
    if tables.is_empty() {
        reading.verdict = "No whole row of a request size table is in the text.".to_string();
        return reading;
    }
    for table in tables.iter().take(DETAILED) {
        let last = table.rows.last().map_or("?", |(_, label, _)| label.as_str());
        let rows = table.rows.len() as u64;
        let text =
            format!("{}: {}, up to {last}.", titled(table, "Request sizes"), plural(rows, "row"));
        reading.value("rows", rows as f64, text);
        for class in
            ["sync_read", "sync_write", "async_read", "async_write", "scrub", "trim", "rebuild"]
        {
            one_class(table, class, &mut reading);
        }
        reading.pictures.push(heat(table, titled(table, "Requests by size")));
    }
    sizes_verdict(&tables, &mut reading);
    reading
}

/// How much of one class was merged, and where its counts peak.
fn one_class(table: &HistogramTable, class: &str, reading: &mut Reading) {
    let single = table.column(&format!("{class}_ind"));
    let merged = table.column(&format!("{class}_agg"));
    let sum = |list: &[(u32, f64)]| list.iter().map(|(_, n)| *n).sum::<f64>();
    let bytes =
        |list: &[(u32, f64)]| list.iter().map(|(s, n)| *n * (1u64 << s) as f64).sum::<f64>();
    let (alone, agg) = (sum(&single), sum(&merged));
    if alone + agg <= 0.0 {
        return;
    }
    let share = agg / (alone + agg);
    let volume = bytes(&merged) / (bytes(&merged) + bytes(&single)).max(1.0);
    let name = class.replace('_', " ");
    reading.value(
        &format!("{class}_agg_share"),
        share,
        format!(
            "{name}: {} alone, {} aggregated: {:.0}% of the requests and {:.0}% of the bytes were \
             merged.",
            table.count(alone),
            table.count(agg),
            share * 100.0,
            volume * 100.0
        ),
    );
    for (kind, list) in [("alone", &single), ("aggregated", &merged)] {
        let tops = peaks(list);
        if !tops.is_empty() {
            let words: Vec<String> = tops
                .iter()
                .map(|(s, n)| format!("{} at {}", table.count(*n), table.label(*s)))
                .collect();
            reading.info(format!("{name}, {kind}: peaks {}.", words.join(", ")));
        }
        for (shift, count) in list.iter().filter(|(_, n)| *n > 0.0) {
            reading.note(&format!("{class}_{kind}_{}", table.label(*shift)), *count);
        }
    }
    if class == "async_write" {
        reading.set("async_write_agg_share", share);
        reading.set("async_write_total", alone + agg);
        reading.set("async_write_bytes", bytes(&merged) + bytes(&single));
    }
}

/// Local maxima that hold at least a tenth of the counts, the largest three.
fn peaks(list: &[(u32, f64)]) -> Vec<(u32, f64)> {
    let total: f64 = list.iter().map(|(_, n)| n).sum();
    let count = |i: Option<usize>| i.and_then(|i| list.get(i)).map_or(0.0, |(_, n)| *n);
    let mut out: Vec<(u32, f64)> = list
        .iter()
        .enumerate()
        .filter(|(i, (_, n))| {
            *n > 0.0
                && *n >= total * 0.1
                && *n >= count(i.checked_sub(1))
                && *n > count(i.checked_add(1))
        })
        .map(|(_, pair)| *pair)
        .collect();
    out.truncate(3);
    out
}

fn sizes_verdict(tables: &[HistogramTable], reading: &mut Reading) {
    let Some(table) = tables.first() else { return };
    let single = table.column("async_write_ind");
    let merged = table.column("async_write_agg");
    let top = |list: &[(u32, f64)]| {
        let best =
            list.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, n)| *n > 0.0);
        best.map_or("none".to_string(), |(s, n)| {
            format!("{} at {}", table.count(n), table.label(s))
        })
    };
    let share = reading.readings.number("async_write_agg_share");
    reading.verdict = match share {
        None => "No async writes were counted.".to_string(),
        Some(share) => {
            let word = match share {
                s if s >= 0.3 => "Aggregation works",
                s if s >= 0.05 => "Little is aggregated",
                _ => "Nothing to speak of is aggregated",
            };
            format!(
                "{word}: {:.0}% of the async writes went out merged (most {}), the rest alone \
                 (most {}).",
                share * 100.0,
                top(&merged),
                top(&single)
            )
        }
    };
    reading.next =
        "zpool iostat -q (is anything waiting to be merged) and the record size of the data sets."
            .to_string();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_peaks_need_a_valley() {
        let check = |counts: &[f64], expect: Option<(u32, u32)>| {
            let list: Vec<(u32, f64)> = (0..).zip(counts.iter().copied()).collect();
            assert_eq!(two_peaks(&list), expect);
        };
        check(&[0.0, 50.0, 5.0, 4.0, 60.0, 1.0], Some((1, 4)));
        check(&[0.0, 50.0, 55.0, 54.0, 60.0, 1.0], None);
        check(&[], None);
    }
}
