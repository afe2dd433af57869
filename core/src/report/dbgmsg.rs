//! The debug log: `SECONDS [THREAD] file.c:LINE:func(): text`.
//!
//! Known lines become typed rows (loads, unloads, flushes, space map entries, import notes); the
//! rest is counted by function.

use super::reading::{Reading, is_command};
use super::text::{Line, hex, integer};
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Rows kept of each kind.
const MAX_ROWS: usize = 100_000;

/// One line of the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogLine {
    /// Line number in the text.
    pub line: u64,
    /// Seconds since 1970; absent in the form of `zdb -G`.
    pub time: Option<u64>,
    /// Whether a thread pointer was printed (2.3 and later on Linux).
    pub thread: bool,
    /// Function that logged it.
    pub function: String,
    /// The text.
    pub text: String,
    /// Whether the text ends inside the line.
    pub cut: bool,
}

impl LogLine {
    /// The number behind `key` (`txg 12`, `size=1000` are both found), decimal.
    pub fn number(&self, key: &str) -> Option<u64> {
        integer(self.word(key)?)
    }

    /// The same, hexadecimal.
    pub fn hex(&self, key: &str) -> Option<u64> {
        hex(self.word(key)?)
    }

    /// The word behind `key`; a comma or a bracket ends it.
    pub fn word(&self, key: &str) -> Option<&str> {
        let mut rest = self.text.as_str();
        loop {
            let at = rest.find(key)?;
            let (head, tail) = rest.split_at(at);
            let tail = tail.get(key.len()..)?;
            let starts = head.is_empty() || head.ends_with([' ', ',', '(', ':']);
            if starts && tail.starts_with([' ', '=']) {
                let word = tail.get(1..)?.trim_start();
                let end = word.find([',', ' ', ')']).unwrap_or(word.len());
                return word.get(..end).filter(|w| !w.is_empty());
            }
            rest = tail;
        }
    }
}

/// Reads the log; what was not used is dropped into `reading`.
pub(crate) fn parse(lines: &[Line<'_>], reading: &mut Reading) -> Vec<LogLine> {
    let mut out: Vec<LogLine> = Vec::new();
    for line in lines {
        if line.is_blank() || line.is_rule() {
            continue;
        }
        match one(line) {
            Some(entry) if out.len() < MAX_ROWS => out.push(entry),
            Some(_) => reading.drop_line(line, "too many lines"),
            None => match out.last_mut().filter(|_| !is_command(line.text)) {
                // A terminal broke the line; its rest has no head.
                Some(last) if last.text.len() < 4000 && !line.text.starts_with("timestamp") => {
                    last.text.push(' ');
                    last.text.push_str(line.text.trim());
                }
                _ => reading.drop_unfit(line, "the debug log"),
            },
        }
    }
    if let Some(last) = out.last_mut() {
        last.cut = true;
    }
    out
}

fn one(line: &Line<'_>) -> Option<LogLine> {
    let (head, text) = line.text.split_once("():")?;
    let place = head.split_whitespace().next_back()?;
    let mut parts = place.rsplit(':');
    let function = parts.next()?.to_string();
    let known = parts.next().and_then(integer).is_some() && head.contains(".c:");
    if !known {
        return None;
    }
    let before: Vec<&str> = head.split_whitespace().collect();
    let time = before.iter().rev().skip(1).find_map(|w| integer(w).filter(|n| *n > 1_000_000));
    let thread = before
        .iter()
        .rev()
        .skip(1)
        .any(|w| w.len() >= 12 && hex(w).is_some() && integer(w).is_none());
    Some(LogLine {
        line: line.number,
        time,
        thread,
        function,
        text: text.trim().to_string(),
        cut: false,
    })
}
