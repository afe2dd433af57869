//! What events tell: which I/O failed, disk or queue, clusters of delays, pairs of scrubs.

use super::events::{EventRow, parse};
use super::reading::Reading;
use super::text::{Line, Tally, bytes_text, capital, plural, time_text};
use super::words::{errno, priority};
use crate::view::Picture;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Events described one by one.
const DETAILED: usize = 8;
/// The two front labels end here.
const FRONT_LABELS: u64 = 0x8_0000;
/// Flag of an I/O that repairs; the lowest flags have not moved since 0.6.
const FLAG_REPAIR: u64 = 1 << 1;

/// Reads the lines of `zpool events`.
pub(crate) fn read(lines: &[Line<'_>]) -> Reading {
    let mut reading = Reading::new("zpool events");
    let events = parse(lines, &mut reading);
    let verbose = events.iter().any(|e| !e.pairs.is_empty());
    if verbose {
        reading.kind = "zpool events -v".to_string();
    }
    reading.rows = events.iter().map(|e| 1 + e.pairs.len() as u64).sum();
    reading.version = version(&events).to_string();
    let mut parts: Vec<String> = Vec::new();
    classes(&events, &mut reading);
    for event in events.iter().filter(|e| !e.pairs.is_empty()).take(DETAILED) {
        parts.extend(one_io(event, &mut reading));
    }
    parts.extend(clusters(&events, &mut reading));
    parts.extend(scrubs(&events, &mut reading));
    parts.truncate(3);
    reading.verdict = match (parts.is_empty(), events.len()) {
        (_, 0) => "No whole event is in the text.".to_string(),
        (true, n) => format!("{}; none tells of trouble by itself.", plural(n as u64, "event")),
        (false, _) => parts.join(" "),
    };
    reading.next = if verbose {
        "zpool status -v and the SMART data of that disk; zpool iostat -vl for its siblings."
            .to_string()
    } else {
        "zpool events -v: zio_delay (device) against zio_delta (with the queue), and which vdev."
            .to_string()
    };
    reading
}

fn version(events: &[EventRow]) -> &'static str {
    let has = |key: &str| events.iter().any(|e| e.text(key).is_some());
    let verbose = events.iter().any(|e| !e.pairs.is_empty());
    if has("zio_type") {
        "2.4 or later (zio_type)"
    } else if has("vdev_slow_io_n") {
        "2.3 or later (slow_io_n)"
    } else if has("vdev_cksum_n") || has("vdev_io_n") {
        "2.2 or later (io_n, cksum_n)"
    } else if has("zio_priority") {
        "2.0 or 2.1 (zio_priority)"
    } else if has("vdev_delays") {
        "0.8 (vdev_delays)"
    } else if verbose {
        "0.7 or older (no vdev_delays)"
    } else if events.iter().any(|e| e.source == "sysevent") {
        "0.7 or later (sysevents)"
    } else if events.iter().any(|e| e.source == "ereport" && e.class == "config_sync") {
        "0.6 (the configuration cache and scrubs report as ereports)"
    } else {
        "any"
    }
}

fn classes(events: &[EventRow], reading: &mut Reading) {
    let mut counts = Tally::new();
    for event in events {
        let class = if event.class.is_empty() { "(class cut off)" } else { event.class.as_str() };
        counts.add(class);
    }
    let counts = counts.by_count();
    let words: Vec<String> = counts.iter().map(|(c, n)| format!("{n} {c}")).collect();
    reading.value(
        "events",
        events.len() as f64,
        format!("{}: {}.", plural(events.len() as u64, "event"), words.join(", ")),
    );
    for (class, count) in &counts {
        reading.note(&format!("events_{class}"), *count as f64);
    }
}

/// Whether an I/O read or wrote, as far as the event tells.
fn direction(event: &EventRow) -> &'static str {
    match (event.number("zio_type"), event.number("zio_priority"), event.number("zio_flags")) {
        (Some(1), ..) => "read",
        (Some(2), ..) => "write",
        (_, Some(0 | 2 | 4), _) => "read",
        (_, Some(1 | 3 | 5 | 6), _) => "write",
        (_, None, Some(flags)) if flags & FLAG_REPAIR != 0 => "write",
        _ => "I/O",
    }
}

/// One I/O of `-v`.
fn one_io(event: &EventRow, reading: &mut Reading) -> Option<String> {
    let error = event.number("zio_err").unwrap_or(0);
    let way = direction(event);
    let path = event.text("vdev_path").unwrap_or("an unnamed vdev");
    let parent = event.text("parent_type").map_or(String::new(), |t| format!(" in a {t}"));
    let during = match event.text("parent_type") {
        Some("replacing") => " during a replace",
        Some("spare") => " while a spare steps in",
        _ => "",
    };
    let what = if error > 0 {
        format!("{way} error (zio_err {error}, {})", errno(error))
    } else {
        format!("{} event", if event.class.is_empty() { "an" } else { &event.class })
    };
    let mut text = format!("{what}{during} on {path}{parent}");
    if let Some(offset) = event.number("zio_offset") {
        let size = event.number("zio_size").unwrap_or(0);
        let area = if offset < FRONT_LABELS {
            ", inside the front label area (below 0x80000)"
        } else {
            ""
        };
        text.push_str(&format!(", at offset 0x{offset:x}{area}, {}", bytes_text(size as f64)));
        reading.note("zio_offset", offset as f64);
        reading.note("zio_size", size as f64);
    }
    reading.value("zio_err", error as f64, format!("{text}."));
    waits(event, reading);
    if let Some(class) = event.number("zio_priority") {
        reading.info(format!("I/O class: {}.", priority(class)));
    }
    counters(event, reading);
    Some(format!("{}.", capital(&text)))
}

/// Errors that the vdev had counted before.
fn counters(event: &EventRow, reading: &mut Reading) {
    let counters = ["vdev_read_errors", "vdev_write_errors", "vdev_cksum_errors", "vdev_delays"];
    let words: Vec<String> = counters
        .iter()
        .filter_map(|k| Some(format!("{} {}", k.trim_start_matches("vdev_"), event.number(k)?)))
        .collect();
    if !words.is_empty() {
        reading.info(format!("The vdev had counted before: {}.", words.join(", ")));
    }
}

/// Device time against device and queue.
fn waits(event: &EventRow, reading: &mut Reading) {
    let (Some(delay), Some(delta)) = (event.number("zio_delay"), event.number("zio_delta")) else {
        return;
    };
    let queue = delta.saturating_sub(delay);
    let whose = if delay as f64 >= delta as f64 * 0.66 {
        "the device itself is the wait"
    } else {
        "most of it was in the queue"
    };
    let show = |t: u64| {
        if t >= 1_000_000_000 { format!("{:.3} s", t as f64 / 1e9) } else { time_text(t as f64) }
    };
    reading.value(
        "zio_delay_ns",
        delay as f64,
        format!(
            "It took {} at the device (zio_delay 0x{delay:x} ns) and {} with the queue \
            (zio_delta 0x{delta:x} ns), {} in the queue: \
            {whose}.",
            show(delay),
            show(delta),
            show(queue)
        ),
    );
    reading.note("zio_delta_ns", delta as f64);
}

/// Delay, I/O and checksum events in bunches.
fn clusters(events: &[EventRow], reading: &mut Reading) -> Option<String> {
    let mut best: Option<String> = None;
    for class in ["delay", "io", "checksum", "deadman"] {
        let times: Vec<(f64, &str)> = events
            .iter()
            .filter(|e| e.class == class)
            .filter_map(|e| Some((e.time?, e.clock.as_str())))
            .collect();
        if times.len() < 3 {
            continue;
        }
        let mut sessions: Vec<Vec<(f64, &str)>> = Vec::new();
        for time in times {
            match sessions.last_mut().filter(|s| s.last().is_some_and(|l| time.0 - l.0 < 600.0)) {
                Some(session) => session.push(time),
                None => sessions.push(Vec::from([time])),
            }
        }
        let bars = sessions
            .iter()
            .take(100)
            .filter_map(|s| Some((s.first()?.1.to_string(), s.len() as f64)))
            .collect();
        reading.pictures.push(Picture::Bars {
            title: format!("{class} events by time"),
            unit: "events".to_string(),
            bars,
        });
        for session in sessions.iter().filter(|s| s.len() > 1).take(8) {
            let text = one_session(class, session, reading);
            best = best.or(text);
        }
    }
    best
}

fn one_session(class: &str, session: &[(f64, &str)], reading: &mut Reading) -> Option<String> {
    let (first, last) = (session.first()?, session.last()?);
    let mut bunches: Vec<(f64, &str, u64)> = Vec::new();
    let mut before = f64::MIN;
    for (time, clock) in session {
        match bunches.last_mut().filter(|_| time - before < 5.0) {
            Some(bunch) => bunch.2 += 1,
            None => bunches.push((*time, clock, 1)),
        }
        before = *time;
    }
    let words: Vec<String> =
        bunches.iter().take(12).map(|(_, clock, n)| format!("{n} at {clock}")).collect();
    let span = last.0 - first.0;
    let count = session.len() as u64;
    let gap = bunches.windows(2).filter_map(|p| Some(p.get(1)?.0 - p.first()?.0)).next();
    let rule = match gap {
        Some(g) if class == "delay" && (25.0..36.0).contains(&g) => {
            format!(", {g:.0} s apart: the 30 s after which an I/O counts as slow (zio_slow_io_ms)")
        }
        _ => String::new(),
    };
    let text = format!(
        "{} in {span:.0} s in {}: {}{rule}.",
        plural(count, &format!("{class} event")),
        plural(bunches.len() as u64, "cluster"),
        words.join(", ")
    );
    reading.value(&format!("{class}_events"), count as f64, text.clone());
    reading.note(&format!("{class}_clusters"), bunches.len() as f64);
    reading.note(&format!("{class}_span_s"), span);
    Some(text)
}

/// Starts and ends of scrubs; two at once belong to two pools.
fn scrubs(events: &[EventRow], reading: &mut Reading) -> Option<String> {
    let (mut running, mut most, mut starts, mut ends) = (0i64, 0i64, 0u64, 0u64);
    let mut last_start: Option<f64> = None;
    let mut gaps: Vec<f64> = Vec::new();
    let mut spans: Vec<String> = Vec::new();
    let mut open: Vec<f64> = Vec::new();
    for event in events {
        match (event.class.as_str(), event.time) {
            ("scrub_start" | "resilver_start", Some(time)) => {
                starts += 1;
                running += 1;
                most = most.max(running);
                if let Some(before) = last_start.filter(|b| time - b < 60.0) {
                    gaps.push(time - before);
                }
                last_start = Some(time);
                open.push(time);
            }
            ("scrub_finish" | "resilver_finish", Some(time)) => {
                ends += 1;
                running = (running - 1).max(0);
                if let Some(start) = open.first().copied() {
                    open.remove(0);
                    if spans.len() < 12 {
                        spans.push(time_text((time - start) * 1e9));
                    }
                }
            }
            _ => {}
        }
    }
    if starts + ends == 0 {
        return None;
    }
    reading.value(
        "scrub_starts",
        starts as f64,
        format!(
            "{starts} starts and {ends} ends of scrubs; in the order of the starts they took {}.",
            if spans.is_empty() { "unknown times".to_string() } else { spans.join(", ") }
        ),
    );
    reading.note("scrub_finishes", ends as f64);
    if most < 2 {
        return Some(format!("{starts} scrubs started, {ends} finished, one at a time."));
    }
    let apart = gaps.first().map_or(String::new(), |g| format!(" {g:.1} s apart"));
    reading.warn_value(
        "scrubs_at_once",
        most as f64,
        format!(
            "{most} scrubs started{apart} before either ended: a pool runs one scrub at a \
            time, so the events of {most} pools are mixed, whatever pool the command named."
        ),
    );
    Some(format!(
        "Scrubs of {most} pools are mixed in this list: starts come in pairs{apart}, then as many \
         ends."
    ))
}
