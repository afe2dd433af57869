//! What the debug log tells of metaslabs that were loaded and unloaded: time, weights, segments.

use super::dbgmsg::LogLine;
use super::frag::{WeightKind, weight};
use super::reading::Reading;
use super::text::{bytes_text, log2, plural, range, time_text};
use crate::view::Picture;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Lines described one by one.
const DETAILED: usize = 16;
/// A loaded metaslab may be unloaded when it was not selected for this long.
const UNLOAD_DELAY_MS: u64 = 600_000;

/// Weight in words.
fn weight_text(value: u64) -> String {
    match weight(value) {
        WeightKind::Full => "full".to_string(),
        WeightKind::Space { bytes } => format!("{} by space", bytes_text(bytes as f64)),
        WeightKind::Segment { index, count } => {
            format!("index {index} ({}), count {count}", bytes_text((1u64 << index) as f64))
        }
    }
}

fn index_of(value: u64) -> Option<u64> {
    match weight(value) {
        WeightKind::Segment { index, .. } => Some(u64::from(index)),
        _ => None,
    }
}

/// Loads: a sentence for the verdict.
pub(crate) fn loads(lines: &[&LogLine], reading: &mut Reading) -> Option<String> {
    let timed: Vec<(&LogLine, u64)> =
        lines.iter().filter_map(|l| Some((*l, loading_time(l)?))).collect();
    check_weights(lines, reading);
    for line in lines.iter().take(DETAILED) {
        one_load(line, reading);
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
    largest_segments(lines, reading);
    Some(format!(
        "{}, the slowest ms {} in {} ms; largest segment then {}.",
        plural(lines.len() as u64, "metaslab load"),
        slowest.0.number("ms_id").unwrap_or(0),
        slowest.1,
        slowest.0.number("ms_max_size").map_or("unknown".to_string(), |s| bytes_text(s as f64))
    ))
}

/// The index of a weight is log2 of the largest segment.
fn check_weights(lines: &[&LogLine], reading: &mut Reading) {
    let mut good = 0u64;
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
            let text = format!(
                "ms {}: the new weight says index {index}, its largest segment {size} says {}.",
                line.number("ms_id").unwrap_or(0),
                log2(size)
            );
            reading.check(false, "weight_index", index as f64, text);
        }
    }
    if good > 0 {
        reading.check(
            true,
            "weight_checks",
            good as f64,
            format!("In {} the weight index is log2 of the largest segment.", plural(good, "load")),
        );
    }
}

/// Milliseconds of a load; `None` when the number may be cut off.
fn loading_time(line: &LogLine) -> Option<u64> {
    let time = line.number("loading_time")?;
    line.text.contains(&format!("loading_time {time} ms")).then_some(time)
}

fn one_load(line: &LogLine, reading: &mut Reading) {
    let id = line.number("ms_id").unwrap_or(0);
    let Some(time) = loading_time(line) else {
        return;
    };
    let class = line.word("class").map_or(String::new(), |c| format!(" ({c})"));
    let length =
        line.number("smp_length").map_or(String::new(), |l| format!(" (smp_length {l} bytes)"));
    let segment =
        line.number("ms_max_size").map_or(String::new(), |s| format!(", largest segment {s}"));
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
        let size = lines.iter().find_map(|l| l.number("ms_max_size")).unwrap_or(0);
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
            match (l.hex("old_weight").and_then(index_of), l.hex("new_weight").and_then(index_of)) {
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

/// How large a piece the loaded metaslabs still hold.
fn largest_segments(lines: &[&LogLine], reading: &mut Reading) {
    let sizes: Vec<f64> =
        lines.iter().filter_map(|l| l.number("ms_max_size")).map(|s| s as f64).collect();
    let Some((low, high)) = range(&sizes) else {
        return;
    };
    let text = format!(
        "Largest segments of the loaded metaslabs: {} to {}.",
        bytes_text(low),
        bytes_text(high)
    );
    if high < 131_072.0 {
        reading.warn_value(
            "largest_segment",
            high,
            format!("{text} No block of 128 KiB fits: a load storm."),
        );
    } else {
        reading.value("largest_segment", high, text);
    }
    reading.note("smallest_max_size", low);
}

/// Unloads: a sentence for the verdict.
pub(crate) fn unloads(lines: &[&LogLine], reading: &mut Reading) -> Option<String> {
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
