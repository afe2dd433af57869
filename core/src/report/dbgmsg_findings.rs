//! What the debug log tells: loads of metaslabs and their weights, flushes, gaps, imports.

use super::dbgmsg::{LogLine, parse};
use super::dbgmsg_loads::{loads, unloads};
use super::reading::Reading;
use super::text::{Line, Tally, bytes_text, plural, range, shorten, time_text};
use super::words::errno;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Lines described one by one.
const DETAILED: usize = 16;

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
    let of = |name: &str| log.iter().filter(|l| l.text.starts_with(name)).collect::<Vec<_>>();
    let mut parts: Vec<String> = Vec::new();
    parts.extend(loads(&of("metaslab_load:"), &mut reading));
    parts.extend(unloads(&of("metaslab_unload:"), &mut reading));
    parts.extend(flushes(&of("flushing:"), &mut reading));
    let entries: Vec<&LogLine> = log.iter().filter(|l| l.function == "space_map_load").collect();
    parts.extend(entries_of(&entries, &mut reading));
    parts.extend(import(&log, &mut reading));
    parts.extend(frees(&log, &mut reading));
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
    if let Some(line) = lines.iter().find(|l| l.number == last.line).filter(|_| missing) {
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
    let times: Vec<f64> = log.iter().filter_map(|l| l.time).map(|t| t as f64).collect();
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
    let words: Vec<String> = functions.iter().take(8).map(|(f, n)| format!("{f} {n}")).collect();
    reading.info(format!("By function: {}.", words.join(", ")));
}

fn flushes(lines: &[&LogLine], reading: &mut Reading) -> Option<String> {
    lines.first()?;
    let ids: Vec<String> =
        lines.iter().take(40).filter_map(|l| l.number("ms_id")).map(|n| format!("{n}")).collect();
    let sum = |key: &str| lines.iter().filter_map(|l| l.number(key)).map(|n| n as f64).sum::<f64>();
    let txgs: Vec<f64> = lines.iter().filter_map(|l| l.number("txg")).map(|t| t as f64).collect();
    let (low, high) = range(&txgs).unwrap_or((0.0, 0.0));
    let per = if lines.len() > 1 { (high - low) / (lines.len() - 1) as f64 } else { 0.0 };
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
    Some(format!("{text} That is the slow, even rewriting of log space maps, not trouble."))
}

/// Space map entries as dprintf shows them: gaps between neighbours.
fn entries_of(lines: &[&LogLine], reading: &mut Reading) -> Option<String> {
    let mut entries: Vec<(u64, u64)> =
        lines.iter().filter_map(|l| Some((l.hex("offset")?, l.hex("size")?))).collect();
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
    let each = if same { format!(" of {}", bytes_text(size as f64)) } else { String::new() };
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
            format!("{} overlap: the same space is entered twice.", plural(doubles, "segment")),
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
        "Space map object {object} lacks offset {shown} in the run {first:x} to {last:x}: that \
         segment is in use or its entry is lost."
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
    let stages = stages(&steps);
    let failed =
        steps.iter().filter(|l| l.text.contains("FAILED") || l.text.contains("failed")).count();
    let mut text = format!("Import trace: {stages}");
    let txg = steps.iter().find_map(|l| l.number("txg"));
    if let Some(txg) = txg {
        reading.note("uberblock_txg", txg as f64);
        text.push_str(&format!(", uberblock of txg {txg}"));
    }
    if let Some(read) = steps.iter().rev().find(|l| l.text.contains("log space maps (")) {
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
            format!("{} say that something failed.", plural(failed as u64, "note")),
        );
        text.push_str(&format!("; {} of failure", plural(failed as u64, "note")));
    }
    Some(format!("{text}."))
}

/// `tryimport, then import`, as far as the notes show them.
fn stages(steps: &[&LogLine]) -> String {
    let tries = steps.iter().filter(|l| l.function == "spa_tryimport").count();
    let imports = steps.iter().filter(|l| l.function == "spa_import").count();
    let mut parts: Vec<String> = Vec::new();
    if tries > 0 {
        parts.push("tryimport".to_string());
    }
    if imports > 0 {
        parts.push("import".to_string());
    }
    if parts.is_empty() {
        parts.push("notes only".to_string());
    }
    parts.join(", then ")
}

/// Free passes: `freed N blocks in M ms from free_bpobj/bptree txg N; err=E`.
fn frees(log: &[LogLine], reading: &mut Reading) -> Option<String> {
    let passes: Vec<&LogLine> = log.iter().filter(|l| l.text.contains("freed ")).collect();
    let counts: Vec<f64> =
        passes.iter().filter_map(|l| l.number("freed")).map(|n| n as f64).collect();
    let (low, high) = range(&counts)?;
    let mut errors = Tally::new();
    for error in passes.iter().filter_map(|l| l.number("err")) {
        errors.add(error);
    }
    let words: Vec<String> = errors
        .by_count()
        .iter()
        .take(4)
        .map(|(e, n)| {
            if *e == 0 { format!("{n} ended") } else { format!("{n} with err={e} ({})", errno(*e)) }
        })
        .collect();
    let total: f64 = counts.iter().sum();
    let text = format!(
        "{} freed {low:.0} to {high:.0} blocks each, {total:.0} in all{}{}.",
        plural(counts.len() as u64, "pass").replace("passs", "passes"),
        if words.is_empty() { "" } else { ": " },
        words.join(", ")
    );
    reading.value("freed_blocks", total, text.clone());
    reading.note("freed_least", low);
    reading.note("freed_most", high);
    Some(text)
}

/// Lines that name trouble by themselves.
fn others(log: &[LogLine], reading: &mut Reading) -> Option<String> {
    const WORDS: [&str; 6] = ["slow vdev", "deadman", "error ", "panic", "checksum", "SLOW IO"];
    let bad: Vec<&LogLine> = log
        .iter()
        .filter(|l| {
            WORDS.iter().any(|w| l.text.contains(w)) && !l.text.starts_with("metaslab_load:")
        })
        .collect();
    for line in bad.iter().take(DETAILED) {
        reading.warn(shorten(&line.text, 160));
    }
    let frees = log.iter().filter(|l| l.function.starts_with("dsl_scan")).count();
    if frees > 0 {
        reading.value(
            "scan_lines",
            frees as f64,
            format!("{} of the scan and free passes.", plural(frees as u64, "line")),
        );
        for line in log.iter().filter(|l| l.function.starts_with("dsl_scan")).take(4) {
            reading.info(shorten(&line.text, 160));
        }
    }
    (!bad.is_empty()).then(|| {
        format!(
            "{} of trouble, first: {}.",
            plural(bad.len() as u64, "line"),
            shorten(bad.first().map_or("", |l| l.text.as_str()), 120)
        )
    })
}
