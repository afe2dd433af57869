//! What one reader hands back, and the builder it fills.

use super::text::Line;
use crate::view::{DroppedLine, Finding, Picture};
use std_alloc::collections::BTreeMap;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Dropped lines kept by name; more are only counted.
const MAX_DROPPED: usize = 1000;
/// Findings kept; more are only counted.
const MAX_FINDINGS: usize = 400;

/// What the decision table looks at: named numbers (times are nanoseconds, sizes are bytes, shares
/// are 0 to 1 unless the name says percent) and named words (names of devices).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Readings {
    numbers: BTreeMap<&'static str, f64>,
    words: BTreeMap<&'static str, String>,
}

impl Readings {
    /// The number called `name`.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.numbers.get(name).copied()
    }

    /// The word called `name`.
    pub fn word(&self, name: &str) -> Option<&str> {
        self.words.get(name).map(String::as_str)
    }

    /// Whether there is a number called `name`.
    pub fn has(&self, name: &str) -> bool {
        self.numbers.contains_key(name)
    }

    /// All numbers by name.
    pub fn numbers(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        self.numbers.iter().map(|(name, number)| (*name, *number))
    }

    /// Sets a number.
    pub fn set(&mut self, name: &'static str, number: f64) {
        self.numbers.insert(name, number);
    }

    /// Sets a word.
    pub fn say(&mut self, name: &'static str, word: &str) {
        self.words.insert(name, word.to_string());
    }

    /// Takes over what `other` has and this has not.
    pub fn merge(&mut self, other: Self) {
        for (name, number) in other.numbers {
            self.numbers.entry(name).or_insert(number);
        }
        for (name, word) in other.words {
            self.words.entry(name).or_insert(word);
        }
    }
}

/// The reading of all lines of one family.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading {
    /// Kind of output.
    pub(crate) kind: String,
    /// Versions that print like this.
    pub(crate) version: String,
    /// Findings, the most important first.
    pub(crate) findings: Vec<Finding>,
    /// The reader's own verdict, used when no rule of the decision table applies.
    pub(crate) verdict: String,
    /// What to look at next.
    pub(crate) next: String,
    /// Pictures.
    pub(crate) pictures: Vec<Picture>,
    /// Dropped lines.
    pub(crate) dropped: Vec<DroppedLine>,
    /// Dropped lines beyond the list.
    pub(crate) dropped_more: u64,
    /// Data rows understood; decides which family is the main one.
    pub(crate) rows: u64,
    /// Numbers for the decision table.
    pub(crate) readings: Readings,
    /// Named numbers for programs.
    pub(crate) numbers: Vec<(String, f64)>,
}

impl Reading {
    /// A reading of `kind`.
    pub(crate) fn new(kind: &str) -> Self {
        Self { kind: kind.to_string(), ..Self::default() }
    }

    fn push(&mut self, level: &str, text: String, value: Option<(String, f64)>) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(Finding { level: level.to_string(), text, value });
        }
    }

    /// A plain reading.
    pub(crate) fn info(&mut self, text: String) {
        self.push("info", text, None);
    }

    /// A plain reading with a named number.
    pub(crate) fn value(&mut self, name: &str, number: f64, text: String) {
        self.push("info", text, Some((name.to_string(), number)));
    }

    /// A named number for programs, without a sentence.
    pub(crate) fn note(&mut self, name: &str, number: f64) {
        if self.numbers.len() < MAX_FINDINGS {
            self.numbers.push((name.to_string(), number));
        }
    }

    /// Something the user should act on.
    pub(crate) fn warn(&mut self, text: String) {
        self.push("warning", text, None);
    }

    /// A warning with a named number.
    pub(crate) fn warn_value(&mut self, name: &str, number: f64, text: String) {
        self.push("warning", text, Some((name.to_string(), number)));
    }

    /// A recomputed number: `agrees` says whether it equals what is printed.
    pub(crate) fn check(&mut self, agrees: bool, name: &str, number: f64, text: String) {
        let level = if agrees { "check" } else { "mismatch" };
        self.push(level, text, Some((name.to_string(), number)));
    }

    /// Notes a line that was not used.
    pub(crate) fn drop_line(&mut self, line: &Line<'_>, why: &str) {
        if line.is_blank() || line.is_rule() {
            return;
        }
        if self.dropped.len() < MAX_DROPPED {
            self.dropped.push(line.dropped(why));
        } else {
            self.dropped_more += 1;
        }
    }

    /// Sets a number for the decision table.
    pub(crate) fn set(&mut self, name: &'static str, number: f64) {
        self.readings.set(name, number);
    }

    /// Sets a word for the decision table.
    pub(crate) fn say(&mut self, name: &'static str, word: &str) {
        self.readings.say(name, word);
    }

    /// Raises a number for the decision table to at least `number`.
    pub(crate) fn raise(&mut self, name: &'static str, number: f64) {
        if self.readings.number(name).is_none_or(|old| old < number) {
            self.readings.set(name, number);
        }
    }

    /// The standard drop for lines that fit no row: says what a cut or foreign line is.
    pub(crate) fn drop_unfit(&mut self, line: &Line<'_>, table: &str) {
        let why = if is_elision(line.text) {
            "the poster left lines out here".to_string()
        } else if is_command(line.text) {
            "a prompt or command line: the header decides what this is, not the command".to_string()
        } else {
            format!("not a line of {table}")
        };
        self.drop_line(line, &why);
    }
}

/// Whether a line says that lines were left out: `[...]`, `...`, `SNIP`, `(truncated)`.
pub(crate) fn is_elision(text: &str) -> bool {
    let text = text.trim();
    text == "..."
        || text.contains("[...")
        || text.contains("SNIP")
        || text.contains("snip")
        || text.contains("truncated")
        || text.starts_with("...")
        || text.starts_with("[..")
}

/// Whether a line is a shell prompt or a command of OpenZFS.
pub(crate) fn is_command(text: &str) -> bool {
    const HEADS: [&str; 10] = [
        "zdb -",
        "zpool iostat",
        "zpool list",
        "zpool status",
        "zpool get",
        "zpool events",
        "zpool history",
        "zfs list",
        "zfs get",
        "cat ",
    ];
    let text = text.trim();
    let bare = text.trim_start_matches(['$', '#', '>', '%', ' ']);
    if HEADS.iter().any(|h| bare.starts_with(h)) {
        return true;
    }
    let prompt = text.starts_with('$') || text.starts_with("# ") || text.starts_with('[');
    let inside = ["# ", "$ ", "~# ", "~$ "].iter().any(|m| {
        text.split_once(m)
            .is_some_and(|(_, tail)| HEADS.iter().any(|h| tail.trim_start().starts_with(h)))
    });
    inside || (prompt && text.len() < 200)
}
