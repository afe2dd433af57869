//! `zpool events`, as a list and with `-v`.
//!
//! ```text
//! Oct 10 2021 10:39:51.709234009 ereport.fs.zfs.io
//!         class = "ereport.fs.zfs.io"
//!         zio_err = 0x5
//! ```

use super::detect::month;
use super::reading::{Reading, is_command};
use super::text::{Line, integer};
use super::words::{clock, days};
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Events kept.
const MAX_EVENTS: usize = 100_000;
/// Pairs kept of one event.
const MAX_PAIRS: usize = 200;

/// One event.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventRow {
    /// Line number.
    pub line: u64,
    /// Seconds since 1970 by the printed clock, without time zone.
    pub time: Option<f64>,
    /// The clock as printed, without decimals.
    pub clock: String,
    /// Class without `ereport.fs.zfs.` and kin; dots as underlines: `delay`, `scrub_start`.
    pub class: String,
    /// `ereport`, `sysevent` or `resource`.
    pub source: String,
    /// Keys and values of `-v`.
    pub pairs: Vec<(String, String)>,
    /// Whether the text ends inside its line.
    pub cut: bool,
}

impl EventRow {
    /// The number under `key`.
    pub fn number(&self, key: &str) -> Option<u64> {
        integer(self.text(key)?.split_whitespace().next()?)
    }

    /// The text under `key`, without quotes.
    pub fn text(&self, key: &str) -> Option<&str> {
        let pair = self.pairs.iter().rev().find(|(k, _)| k == key)?;
        Some(pair.1.trim_matches('"'))
    }
}

/// Reads the events; what was not used is dropped into `reading`.
pub(crate) fn parse(lines: &[Line<'_>], reading: &mut Reading) -> Vec<EventRow> {
    let mut out: Vec<EventRow> = Vec::new();
    for line in lines {
        let words = line.words();
        if line.is_blank() || line.is_rule() || words.first() == Some(&"TIME") {
            continue;
        }
        if is_command(line.text) {
            reading.drop_unfit(line, "zpool events");
            continue;
        }
        if let Some(event) = head(line, &words) {
            if event.cut {
                reading.drop_line(line, "the class is cut off; its time was used");
            }
            if out.len() < MAX_EVENTS {
                out.push(event);
            }
            continue;
        }
        if line.text.trim().starts_with("(end ") || line.text.contains("(start ") {
            continue;
        }
        match pair(line.text) {
            Some((key, value)) => add(key, value, line, &mut out),
            None => reading.drop_unfit(line, "zpool events"),
        }
    }
    for event in &mut out {
        if let Some(class) = event.text("class").map(short_class).filter(|_| event.class.is_empty())
        {
            event.class = class;
        }
    }
    out
}

fn head(line: &Line<'_>, words: &[&str]) -> Option<EventRow> {
    let month = month(words.first()?)?;
    let day = integer(words.get(1)?)?;
    let year = integer(words.get(2)?).filter(|y| *y < 100_000)?;
    let stamp = words.get(3)?;
    let seconds = clock(stamp)?;
    let class = words.get(4).copied().unwrap_or("");
    let time = days(year as i64, month, day.min(31)) as f64 * 86_400.0 + seconds;
    Some(EventRow {
        line: line.number,
        time: Some(time),
        clock: stamp.split('.').next().unwrap_or("").to_string(),
        class: short_class(class),
        source: class.split('.').next().unwrap_or("").to_string(),
        pairs: Vec::new(),
        cut: class.is_empty() || class.split('.').count() < 4,
    })
}

/// `ereport.fs.zfs.scrub.start` as `scrub_start`.
fn short_class(class: &str) -> String {
    let class = class.trim_matches('"');
    let mut parts = class.splitn(4, '.');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(_), Some("fs"), Some("zfs"), Some(tail)) => tail.replace('.', "_"),
        (Some("resource" | "ereport" | "sysevent"), None, ..) => String::new(),
        _ => class.to_string(),
    }
}

fn pair(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.split_once('=')?;
    let key = key.trim();
    let good =
        !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    good.then(|| (key, value.trim()))
}

/// Adds a pair to the last event; a key that only comes once an event begins a new one.
fn add(key: &str, value: &str, line: &Line<'_>, out: &mut Vec<EventRow>) {
    let again = |event: &EventRow| {
        matches!(key, "class" | "ena" | "detector" | "zio_err" | "eid") && event.text(key).is_some()
    };
    if out.last().is_none_or(again) && out.len() < MAX_EVENTS {
        out.push(EventRow { line: line.number, ..EventRow::default() });
    }
    if let Some(event) = out.last_mut().filter(|e| e.pairs.len() < MAX_PAIRS) {
        event.pairs.push((key.to_string(), value.to_string()));
    }
}
