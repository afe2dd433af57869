//! What the debug log tells: loads of metaslabs and their weights, flushes, gaps, imports.

use super::dbgmsg::{LogLine, parse};
use super::frag::{Weight, weight};
use super::reading::Reading;
use super::text::{Line, Tally, bytes_text, log2, plural, range, shorten, time_text};
use crate::view::Picture;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Lines described one by one.
const DETAILED: usize = 16;
/// A loaded metaslab may be unloaded when it was not selected for this long.
const UNLOAD_DELAY_MS: u64 = 600_000;

/// Reads the lines of the debug log.
pub(crate) fn read(lines: &[Line<'_>]) -> Reading {
    let mut reading = Reading::new("dbgmsg");
    let log = parse(lines, &mut reading);
    reading.rows = log.len() as u64;
    reading.version = version(&log).to_string();
    cut_end(lines, &log, &mut reading);
    if log.is_empty() {
        reading.verdict = "No whole line of the debug log is in the text.".to_string();
        return reading;
    }
    overview(&log, &mut reading);
    let of = |name: &str| {
        log.iter()
            .filter(|l| l.text.starts_with(name))
            .collect::<Vec<_>>()
    };
    let mut parts: Vec<String> = Vec::new();
    parts.extend(loads(&of("metaslab_load:"), &mut reading));
    parts.extend(unloads(&of("metaslab_unload:"), &mut reading));
    parts.extend(flushes(&of("flushing:"), &mut reading));
    let entries: Vec<&LogLine> = log
        .iter()
        .filter(|l| l.function == "space_map_load")
        .collect();
    parts.extend(entries_of(&entries, &mut reading));
    parts.extend(import(&log, &mut reading));
    parts.extend(others(&log, &mut reading));
    reading.verdict = if parts.is_empty() {
        format!(
            "{} of the debug log; nothing in them is known to be trouble.",
            plural(log.len() as u64, "line")
        )
    } else {
        parts.join(" ")
    };
    if reading.next.is_empty() {
        reading.next =
            "The log is a ring that rolls over fast: raise zfs_dbgmsg_maxsize, or copy it at once."
                .to_string();
    }
    reading
}

/// A load or unload line that lacks its last words was cut by the end of the text.
fn cut_end(lines: &[Line<'_>], log: &[LogLine], reading: &mut Reading) {
    let Some(last) = log.last() else { return };
    let missing = (last.text.starts_with("metaslab_load:") && !last.text.contains("new_weight"))
        || (last.text.starts_with("metaslab_unload:") && !last.text.contains("max_size"));
    if let Some(line) = lines
        .iter()
        .find(|l| l.number == last.line)
        .filter(|_| missing)
    {
        reading.drop_line(line, "the last line is cut; its whole words were used");
    }
}

fn version(log: &[LogLine]) -> &'static str {
    let has = |words: &str| log.iter().any(|l| l.text.contains(words));
    if has(", class ") && has("metaslab_") {
        "2.4 or later (class in the metaslab lines)"
    } else if log.iter().any(|l| l.thread) {
        "2.3 or later (thread pointer behind the time)"
    } else if has("metaslab_load:") || has("metaslab_unload:") || has("flushing:") {
        "2.0 to 2.2 (metaslab load and flush lines, no thread pointer)"
    } else if has("log space maps") {
        "2.0 or later (log space maps)"
    } else if log.iter().any(|l| l.function == "space_map_load") {
        "0.7 or 0.8 with dprintf (space map entries)"
    } else {
        "any"
    }
}

fn overview(log: &[LogLine], reading: &mut Reading) {
    let times: Vec<f64> = log
        .iter()
        .filter_map(|l| l.time)
        .map(|t| t as f64)
        .collect();
    let span = range(&times).map_or(String::new(), |(a, b)| {
        format!(" over {} (from {a:.0} to {b:.0})", time_text((b - a) * 1e9))
    });
    reading.value(
        "lines",
        log.len() as f64,
        format!("{}{span}.", plural(log.len() as u64, "line")),
    );
    let mut functions = Tally::new();
    for line in log {
        functions.add(line.function.as_str());
    }
    let functions = functions.by_count();
    let words: Vec<String> = functions
        .iter()
        .take(8)
        .map(|(f, n)| format!("{f} {n}"))
        .collect();
    reading.info(format!("By function: {}.", words.join(", ")));
}

/// Weight in words.
fn weight_text(value: u64) -> String {
    match weight(value) {
        Weight::Full => "full".to_string(),
        Weight::Space(bytes) => format!("{} by space", bytes_text(bytes as f64)),
        Weight::Segments(index, count) => {
            format!(
                "index {index} ({}), count {count}",
                bytes_text((1u64 << index) as f64)
            )
        }
    }
}

fn index_of(value: u64) -> Option<u64> {
    match weight(value) {
        Weight::Segments(index, _) => Some(index),
        _ => None,
    }
}

fn loads(lines: &[&LogLine], reading: &mut Reading) -> Option<String> {
    let timed: Vec<(&LogLine, u64)> = lines
        .iter()
        .filter_map(|l| Some((*l, loading_time(l)?)))
        .collect();
    let (mut good, mut bad) = (0u64, 0u64);
    for line in lines {
        let (Some(size), Some(new)) = (line.number("ms_max_size"), line.hex("new_weight")) else {
            continue;
        };
        let Some(index) = index_of(new).filter(|_| size > 0) else {
            continue;
        };
        if index == u64::from(log2(size)) {
            good += 1;
        } else {
            bad += 1;
            let text = format!(
                "ms {}: the new weight says index {index}, its largest segment {size} says {}.",
                line.number("ms_id").unwrap_or(0),
                log2(size)
            );
            reading.check(false, "weight_index", index as f64, text);
        }
    }
    for line in lines.iter().take(DETAILED) {
        one_load(line, reading);
    }
    if good > 0 {
        reading.check(
            true,
            "weight_checks",
            good as f64,
            format!(
                "In {} the weight index is log2 of the largest segment.",
                plural(good, "load")
            ),
        );
    }
    let times: Vec<f64> = timed.iter().map(|(_, t)| *t as f64).collect();
    let slowest = timed.iter().max_by_key(|(_, t)| *t)?;
    let total: f64 = times.iter().sum();
    reading.value(
        "loads",
        lines.len() as f64,
        format!(
            "{}, {} of them with a time: {} in all, slowest {} ms.",
            plural(lines.len() as u64, "load"),
            timed.len(),
            time_text(total * 1e6),
            slowest.1
        ),
    );
    reading.note("slowest_load_ms", slowest.1 as f64);
    let bars = timed
        .iter()
        .take(200)
        .map(|(l, t)| (format!("ms {}", l.number("ms_id").unwrap_or(0)), *t as f64))
        .collect();
    reading.pictures.push(Picture::Bars {
        title: "Time to load metaslabs".to_string(),
        unit: "ms".to_string(),
        bars,
    });
    empty_loads(lines, reading);
    let _ = bad;
    Some(format!(
        "{}, the slowest ms {} in {} ms; largest segment then {}.",
        plural(lines.len() as u64, "metaslab load"),
        slowest.0.number("ms_id").unwrap_or(0),
        slowest.1,
        slowest
            .0
            .number("ms_max_size")
            .map_or("unknown".to_string(), |s| bytes_text(s as f64))
    ))
}

/// Milliseconds of a load; `None` when the number may be cut off.
fn loading_time(line: &LogLine) -> Option<u64> {
    let time = line.number("loading_time")?;
    line.text
        .contains(&format!("loading_time {time} ms"))
        .then_some(time)
}

fn one_load(line: &LogLine, reading: &mut Reading) {
    let id = line.number("ms_id").unwrap_or(0);
    let Some(time) = loading_time(line) else {
        return;
    };
    let class = line
        .word("class")
        .map_or(String::new(), |c| format!(" ({c})"));
    let length = line
        .number("smp_length")
        .map_or(String::new(), |l| format!(" (smp_length {l} bytes)"));
    let segment = line
        .number("ms_max_size")
        .map_or(String::new(), |s| format!(", largest segment {s}"));
    let moved = match (line.hex("old_weight"), line.hex("new_weight")) {
        (Some(old), Some(new)) => match (index_of(old), index_of(new)) {
            (Some(a), Some(b)) if a != b => format!(", weight index {a} to {b}"),
            _ => format!(", weight {}", weight_text(new)),
        },
        _ => String::new(),
    };
    reading.value(
        "load_ms",
        time as f64,
        format!("Load of ms {id}{class} took {time} ms{length}{segment}{moved}."),
    );
    if let Some(size) = line.number("ms_max_size") {
        reading.note("max_size", size as f64);
    }
}

/// Loads that found nothing new: an empty metaslab, or less than the weight promised.
fn empty_loads(lines: &[&LogLine], reading: &mut Reading) {
    let whole = lines.iter().filter(|l| {
        l.number("smp_length") == Some(0)
            && l.number("ms_max_size").is_some_and(u64::is_power_of_two)
    });
    let count = whole.count();
    if count > 0 {
        let size = lines
            .iter()
            .find_map(|l| l.number("ms_max_size"))
            .unwrap_or(0);
        let text = format!(
            "{} wholly empty metaslabs of {}: no space map yet.",
            count,
            bytes_text(size as f64)
        );
        reading.value("empty_metaslabs", count as f64, text);
    }
    let worse = lines
        .iter()
        .filter(|l| {
            match (
                l.hex("old_weight").and_then(index_of),
                l.hex("new_weight").and_then(index_of),
            ) {
                (Some(old), Some(new)) => new < old,
                _ => false,
            }
        })
        .count();
    if worse > 0 {
        let text = format!(
            "{} found a smaller largest segment than the weight had promised: loaded for nothing.",
            plural(worse as u64, "load")
        );
        reading.warn_value("wasted_loads", worse as f64, text);
    }
}

fn unloads(lines: &[&LogLine], reading: &mut Reading) -> Option<String> {
    let mut ages: Vec<f64> = Vec::new();
    for line in lines {
        // `selected txg N (MS ms ago)`
        let Some((_, tail)) = line.text.split_once("selected txg") else {
            continue;
        };
        let age = tail
            .split('(')
            .nth(1)
            .and_then(|t| t.split_whitespace().next())
            .and_then(super::text::integer);
        let Some(age) = age else { continue };
        ages.push(age as f64);
        if ages.len() <= DETAILED {
            let id = line.number("ms_id").unwrap_or(0);
            reading.value(
                "unload_age_ms",
                age as f64,
                format!(
                    "Unload of ms {id}, {} after it was last selected.",
                    time_text(age as f64 * 1e6)
                ),
            );
        }
    }
    let (low, high) = range(&ages)?;
    let rule = if low >= UNLOAD_DELAY_MS as f64 {
        "the 10 minute rule (metaslab_unload_delay_ms)"
    } else {
        "earlier than the 10 minutes of metaslab_unload_delay_ms"
    };
    Some(format!(
        "{} {} to {} after the last selection: {rule}.",
        plural(ages.len() as u64, "unload"),
        time_text(low * 1e6),
        time_text(high * 1e6)
    ))
}

fn flushes(lines: &[&LogLine], reading: &mut Reading) -> Option<String> {
    let first = lines.first()?;
    let ids: Vec<String> = lines
        .iter()
        .take(40)
        .filter_map(|l| l.number("ms_id"))
        .map(|n| format!("{n}"))
        .collect();
    let sum = |key: &str| {
        lines
            .iter()
            .filter_map(|l| l.number(key))
            .map(|n| n as f64)
            .sum::<f64>()
    };
    let txgs: Vec<f64> = lines
        .iter()
        .filter_map(|l| l.number("txg"))
        .map(|t| t as f64)
        .collect();
    let (low, high) = range(&txgs).unwrap_or((0.0, 0.0));
    let per = if lines.len() > 1 {
        (high - low) / (lines.len() - 1) as f64
    } else {
        0.0
    };
    let text = format!(
        "{} in txgs {low:.0} to {high:.0}, one every {per:.1} groups: ms {}.",
        plural(lines.len() as u64, "flush").replace("flushs", "flushes"),
        ids.join(", ")
    );
    reading.value("flushes", lines.len() as f64, text.clone());
    reading.info(format!(
        "They carried {} of allocations and {} of frees and appended {} to the space maps.",
        bytes_text(sum("unflushed_allocs")),
        bytes_text(sum("unflushed_frees")),
        bytes_text(sum("appended"))
    ));
    reading.note("appended", sum("appended"));
    let _ = first;
    Some(format!(
        "{text} That is the slow, even rewriting of log space maps, not trouble."
    ))
}

/// Space map entries as dprintf shows them: gaps between neighbours.
fn entries_of(lines: &[&LogLine], reading: &mut Reading) -> Option<String> {
    let mut entries: Vec<(u64, u64)> = lines
        .iter()
        .filter_map(|l| Some((l.hex("offset")?, l.hex("size")?)))
        .collect();
    let object = lines.iter().find_map(|l| l.number("object"))?;
    entries.sort_unstable();
    let (first, last) = (entries.first()?.0, entries.last()?.0);
    let size = entries.first()?.1;
    let same = entries.iter().all(|e| e.1 == size);
    let mut gaps: Vec<String> = Vec::new();
    let mut doubles = 0u64;
    for pair in entries.windows(2) {
        let [a, b] = pair else { continue };
        let end = a.0.saturating_add(a.1);
        if b.0 > end {
            gaps.push(if b.0 - end == size {
                format!("{end:x}")
            } else {
                format!("{end:x}-{:x}", b.0)
            });
            reading.note("missing_offset", end as f64);
        }
        doubles += u64::from(b.0 < end);
    }
    let each = if same {
        format!(" of {}", bytes_text(size as f64))
    } else {
        String::new()
    };
    reading.value(
        "entries",
        entries.len() as f64,
        format!(
            "Space map object {object}: {} segments{each}, offsets {first:x} to {last:x}.",
            entries.len()
        ),
    );
    if doubles > 0 {
        reading.warn_value(
            "overlaps",
            doubles as f64,
            format!(
                "{} overlap: the same space is entered twice.",
                plural(doubles, "segment")
            ),
        );
    }
    if gaps.is_empty() {
        return Some(format!("Space map object {object}: one run without a gap."));
    }
    let shown = gaps.iter().take(12).cloned().collect::<Vec<_>>().join(", ");
    reading.warn_value(
        "gaps",
        gaps.len() as f64,
        format!("Missing in the run {first:x}-{last:x}: offset {shown}."),
    );
    reading.next =
        "zdb -mmmm: the entries of that metaslab; the import panic names the segment it wanted."
            .to_string();
    Some(format!(
        "Space map object {object} lacks offset {shown} in the run {first:x} to {last:x}: that segment is in use or its entry is lost."
    ))
}

/// The notes of an import in their order.
fn import(log: &[LogLine], reading: &mut Reading) -> Option<String> {
    let steps: Vec<&LogLine> = log
        .iter()
        .filter(|l| {
            l.function.starts_with("spa_")
                || l.text.starts_with("spa_load")
                || l.text.contains("best uberblock")
        })
        .collect();
    if steps.is_empty() {
        return None;
    }
    for step in steps.iter().take(DETAILED) {
        reading.info(format!("Import: {}", shorten(&step.text, 160)));
    }
    let tries = steps
        .iter()
        .filter(|l| l.function == "spa_tryimport")
        .count();
    let imports = steps.iter().filter(|l| l.function == "spa_import").count();
    let mut parts: Vec<String> = Vec::new();
    if tries > 0 {
        parts.push("tryimport".to_string());
    }
    if imports > 0 {
        parts.push("import".to_string());
    }
    let failed = steps
        .iter()
        .filter(|l| l.text.contains("FAILED") || l.text.contains("failed"))
        .count();
    let mut text = format!(
        "Import trace: {}{}",
        parts.join(", then "),
        if parts.is_empty() { "notes only" } else { "" }
    );
    let txg = steps.iter().find_map(|l| l.number("txg"));
    if let Some(txg) = txg {
        reading.note("uberblock_txg", txg as f64);
        text.push_str(&format!(", uberblock of txg {txg}"));
    }
    if let Some(read) = steps
        .iter()
        .rev()
        .find(|l| l.text.contains("log space maps ("))
    {
        let number = |key: &str| {
            let (head, _) = read.text.split_once(key)?;
            super::text::integer(head.split_whitespace().next_back()?.trim_start_matches('('))
        };
        let maps = number(" log space maps").unwrap_or(0);
        let ms = number(" ms").unwrap_or(0);
        reading.value(
            "log_space_maps",
            maps as f64,
            format!("{maps} log space maps read in {ms} ms."),
        );
        reading.note("log_space_maps_ms", ms as f64);
        text.push_str(&format!("; {maps} log space maps read in {ms} ms"));
    }
    if failed > 0 {
        reading.warn_value(
            "failed",
            failed as f64,
            format!(
                "{} say that something failed.",
                plural(failed as u64, "note")
            ),
        );
        text.push_str(&format!("; {} of failure", plural(failed as u64, "note")));
    }
    Some(format!("{text}."))
}

/// Lines that name trouble by themselves.
fn others(log: &[LogLine], reading: &mut Reading) -> Option<String> {
    const WORDS: [&str; 6] = [
        "slow vdev",
        "deadman",
        "error ",
        "panic",
        "checksum",
        "SLOW IO",
    ];
    let bad: Vec<&LogLine> = log
        .iter()
        .filter(|l| {
            WORDS.iter().any(|w| l.text.contains(w)) && !l.text.starts_with("metaslab_load:")
        })
        .collect();
    for line in bad.iter().take(DETAILED) {
        reading.warn(shorten(&line.text, 160));
    }
    let frees = log
        .iter()
        .filter(|l| l.function.starts_with("dsl_scan"))
        .count();
    if frees > 0 {
        reading.value(
            "scan_lines",
            frees as f64,
            format!(
                "{} of the scan and free passes.",
                plural(frees as u64, "line")
            ),
        );
        for line in log
            .iter()
            .filter(|l| l.function.starts_with("dsl_scan"))
            .take(4)
        {
            reading.info(shorten(&line.text, 160));
        }
    }
    (!bad.is_empty()).then(|| {
        format!(
            "{} of trouble, first: {}.",
            plural(bad.len() as u64, "line"),
            shorten(
                &bad.first().map_or("", |l| l.text.as_str()).to_string(),
                120
            )
        )
    })
}
