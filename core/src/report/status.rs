//! `zpool status`: state, scan, the tree with its error counts.

use super::detect::is_health;
use super::reading::{Reading, is_command};
use super::text::{Line, nice, plural};
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// One row of the tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StatusRow {
    /// Name.
    pub name: String,
    /// State.
    pub health: String,
    /// Read, write and checksum errors.
    pub errors: [f64; 3],
    /// Slow I/Os of `-s`.
    pub slow: Option<f64>,
    /// What stands behind: `was /dev/sda`, `(resilvering)`.
    pub note: String,
}

/// One pool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StatusPool {
    /// `pool`, `state`, `status`, `action`, `scan`, `see`, `errors` with their text.
    pub fields: Vec<(String, String)>,
    /// Rows of the tree, the pool first.
    pub rows: Vec<StatusRow>,
}

impl StatusPool {
    /// The text behind `field:`.
    pub fn field(&self, field: &str) -> Option<&str> {
        self.fields.iter().find(|(k, _)| k == field).map(|(_, v)| v.as_str())
    }
}

const FIELDS: [&str; 10] =
    ["pool", "id", "state", "status", "action", "scan", "scrub", "see", "config", "errors"];

/// Reads the pools; what was not used is dropped into `reading`.
pub(crate) fn parse(lines: &[Line<'_>], reading: &mut Reading) -> Vec<StatusPool> {
    let mut pools: Vec<StatusPool> = Vec::new();
    let mut slow = false;
    let mut open = false;
    for line in lines {
        let words = line.words();
        let Some(first) = words.first() else {
            open = false;
            continue;
        };
        if is_command(line.text) || line.is_rule() {
            reading.drop_unfit(line, "zpool status");
            continue;
        }
        if *first == "NAME" {
            slow = words.contains(&"SLOW");
            open = false;
            continue;
        }
        let field = first.strip_suffix(':').filter(|f| FIELDS.contains(f));
        let new = field == Some("pool") || pools.is_empty();
        if new && pools.len() < 10_000 {
            pools.push(StatusPool::default());
        }
        let Some(pool) = pools.last_mut() else {
            continue;
        };
        if let Some(field) = field {
            let text = words.get(1..).unwrap_or(&[]).join(" ");
            pool.fields.push((field.to_string(), text));
            open = true;
            reading.rows += 1;
        } else if let Some(row) = row(&words, slow) {
            pool.rows.push(row);
            open = false;
            reading.rows += 1;
        } else if is_heading(first) && words.len() == 1 {
            open = false;
        } else if open && pool.fields.last().is_some_and(|(_, t)| t.len() < 4000) {
            if let Some((_, text)) = pool.fields.last_mut() {
                text.push(' ');
                text.push_str(&words.join(" "));
            }
        } else {
            reading.drop_unfit(line, "zpool status");
        }
    }
    pools
}

fn is_heading(word: &str) -> bool {
    matches!(word, "logs" | "cache" | "special" | "dedup" | "spares")
}

fn row(words: &[&str], slow: bool) -> Option<StatusRow> {
    let (name, health) = (words.first()?, words.get(1)?);
    if !is_health(health) {
        return None;
    }
    let number = |i: usize| words.get(i).and_then(|w| nice(w));
    let counts = [number(2), number(3), number(4)];
    if counts.iter().any(Option::is_none)
        && words.len() > 2
        && !matches!(*health, "AVAIL" | "INUSE")
    {
        return None;
    }
    Some(StatusRow {
        name: name.to_string(),
        health: health.to_string(),
        errors: counts.map(|c| c.unwrap_or(0.0)),
        slow: if slow { number(5) } else { None },
        note: words.get(if slow { 6.. } else { 5.. }).unwrap_or(&[]).join(" "),
    })
}

/// Reads the lines of `zpool status`.
pub(crate) fn read(lines: &[Line<'_>]) -> Reading {
    let mut reading = Reading::new("zpool status");
    let pools = parse(lines, &mut reading);
    let slow = pools.iter().flat_map(|p| &p.rows).any(|r| r.slow.is_some());
    let docs =
        pools.iter().any(|p| p.field("see").is_some_and(|s| s.contains("openzfs.github.io")));
    reading.version = match (slow, docs) {
        (true, _) => "0.8 or later (slow I/Os)",
        (false, true) => "2.0 or later (address of the message)",
        _ => "any",
    }
    .to_string();
    for pool in pools.iter().take(16) {
        one_pool(pool, &mut reading);
    }
    verdict(&pools, &mut reading);
    reading
}

fn one_pool(pool: &StatusPool, reading: &mut Reading) {
    let name = pool.field("pool").unwrap_or("a pool");
    let state = pool.field("state").unwrap_or("of unknown state");
    let top: Vec<&str> = pool
        .rows
        .iter()
        .map(|r| r.name.as_str())
        .filter(|n| ["mirror", "raidz", "draid"].iter().any(|k| n.starts_with(k)))
        .collect();
    let tree = if top.is_empty() { String::new() } else { format!(" of {}", top.join(", ")) };
    reading.value(
        "rows",
        pool.rows.len() as f64,
        format!(
            "{name} is {state}{tree}; {} of the tree shown.",
            plural(pool.rows.len() as u64, "row")
        ),
    );
    if let Some(text) = pool.field("status") {
        reading.warn(format!("{name}: {text}"));
    }
    if let Some(text) = pool.field("scan").or(pool.field("scrub")) {
        reading.info(format!("{name}: {text}."));
        scan_errors(text, reading);
    }
    let sick = pool.rows.iter().filter(|r| {
        r.errors.iter().any(|e| *e > 0.0)
            || !matches!(r.health.as_str(), "ONLINE" | "AVAIL")
            || r.slow.is_some_and(|s| s > 0.0)
    });
    for row in sick.take(24) {
        let [read, write, sum] = row.errors;
        let slow =
            row.slow.filter(|s| *s > 0.0).map_or(String::new(), |s| format!(", {s:.0} slow"));
        reading.warn_value(
            "device_errors",
            read + write + sum,
            format!(
                "{} is {}: {read:.0} read, {write:.0} write, {sum:.0} checksum errors{slow}. {}",
                row.name, row.health, row.note
            )
            .trim_end()
            .to_string(),
        );
    }
    if let Some(text) = pool.field("errors").filter(|t| !t.starts_with("No known")) {
        reading.warn(format!("errors: {text}"));
    }
}

/// `resilvered 1.14G in 00:00:17 with 0 errors on ...`
fn scan_errors(text: &str, reading: &mut Reading) {
    let words: Vec<&str> = text.split_whitespace().collect();
    let Some(at) = words.iter().position(|w| w.starts_with("error")) else {
        return;
    };
    if let Some(count) = at.checked_sub(1).and_then(|i| words.get(i)).and_then(|w| nice(w)) {
        reading.note("scan_errors", count);
    }
}

fn verdict(pools: &[StatusPool], reading: &mut Reading) {
    let Some(pool) = pools.first() else {
        reading.verdict = "No line of zpool status is in the text.".to_string();
        return;
    };
    let name = pool.field("pool").unwrap_or("the pool");
    let state = pool.field("state").unwrap_or("of unknown state");
    let sum = |i: usize| pool.rows.iter().filter_map(|r| r.errors.get(i)).sum::<f64>();
    let (read, write, check) = (sum(0), sum(1), sum(2));
    let counts = if read + write + check > 0.0 {
        format!(" The tree counts {read:.0} read, {write:.0} write and {check:.0} checksum errors.")
    } else {
        " The rows shown count no errors.".to_string()
    };
    let status = pool.field("status").unwrap_or("");
    let what = if status.contains("unrecoverable error") && status.contains("unaffected") {
        " Unrecoverable device errors were met and corrected; applications are unaffected."
    } else if status.contains("corrupt") {
        " Data are damaged."
    } else if status.contains("resilver") {
        " It is being resilvered."
    } else {
        ""
    };
    reading.verdict = format!("Pool {name} is {state}.{what}{counts}");
    reading.next = match pool.field("action") {
        Some(action) => action.to_string(),
        None => "zpool events -v for the errors one by one.".to_string(),
    };
}
