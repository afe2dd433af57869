//! Pasted text into lines, words and numbers.
//!
//! Pasted output is damaged output: tabs, collapsed blanks, carriage returns, colour codes,
//! decimal commas, numbers that wrapped below zero. Nothing here fails: a word that is no number
//! of the asked kind is `None`, and the reader that asked says so. All parsers look at one word at
//! a time and run in time linear in its length.
//!
//! Invariants: a [`Line`] never holds a control character; line numbers count the lines of the
//! original text from 1.

use crate::view::DroppedLine;
use std_alloc::format;
use std_alloc::string::String;
use std_alloc::vec::Vec;

/// Text beyond this many bytes is not read.
pub(crate) const MAX_TEXT: usize = 16 << 20;
/// Lines beyond this many are not read.
pub(crate) const MAX_LINES: usize = 400_000;
/// A line is read up to this many bytes.
const MAX_LINE: usize = 64 << 10;
/// Blanks in a row that a terminal leaves between two rows glued to one line.
const GLUE: usize = 40;

/// One line of the text, without control characters and trailing blanks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// Number in the original text, from 1.
    pub(crate) number: u64,
    /// The line.
    pub(crate) text: &'a str,
}

impl<'a> Line<'a> {
    /// The words between blanks.
    pub(crate) fn words(&self) -> Vec<&'a str> {
        self.text.split_whitespace().collect()
    }

    /// The first word; empty for a blank line.
    pub(crate) fn first(&self) -> &'a str {
        self.text.split_whitespace().next().unwrap_or("")
    }

    /// Leading blanks.
    pub(crate) fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start().len()
    }

    /// Whether nothing but blanks is there.
    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Whether it is a rule: dashes, underlines or equal signs and blanks.
    pub(crate) fn is_rule(&self) -> bool {
        is_rule(self.text)
    }

    /// The line as a dropped one.
    pub(crate) fn dropped(&self, why: &str) -> DroppedLine {
        DroppedLine {
            line: self.number,
            text: shorten(self.text.trim(), 200),
            why: String::from(why),
        }
    }
}

/// Whether `text` is made of dashes, underlines, stars or equal signs, at least two of them.
pub(crate) fn is_rule(text: &str) -> bool {
    let marks = text.chars().filter(|c| matches!(c, '-' | '_' | '=')).count();
    let dashes = text.contains("--") || text.contains("__") || text.contains("==");
    dashes && marks == text.chars().filter(|c| !c.is_whitespace()).count()
}

/// The first `limit` characters of `text`.
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    text.chars().take(limit).collect()
}

/// Replaces what a terminal or an editor adds: byte order mark, colour codes, carriage returns,
/// tabs, no-break blanks, control characters. Keeps line breaks. Cuts at [`MAX_TEXT`]; the second
/// value says whether it did.
pub(crate) fn normalise(text: &str) -> (String, bool) {
    let mut cut = MAX_TEXT.min(text.len());
    while !text.is_char_boundary(cut) {
        cut -= 1;
    }
    let (text, cut) = (text.get(..cut).unwrap_or(""), cut < text.len());
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut line = 0usize;
    while let Some(c) = chars.next() {
        match c {
            '\r' if chars.peek() == Some(&'\n') => continue,
            '\n' | '\r' | '\u{2028}' => {
                out.push('\n');
                line = 0;
                continue;
            }
            '\u{1b}' => skip_escape(&mut chars),
            '\t' if line < MAX_LINE => out.push_str("        "),
            '\u{feff}' | '\u{200b}' => continue,
            _ if line >= MAX_LINE => continue,
            '\u{2013}' | '\u{2014}' | '\u{2212}' => out.push('-'),
            c if c.is_control() || c.is_whitespace() => out.push(' '),
            c => out.push(c),
        }
        line += 1;
    }
    (out, cut)
}

/// Skips a colour code: `[`, digits and semicolons, one letter.
fn skip_escape(chars: &mut core::iter::Peekable<core::str::Chars<'_>>) {
    if chars.peek() != Some(&'[') {
        return;
    }
    chars.next();
    while let Some(c) = chars.peek() {
        let inner = c.is_ascii_digit() || matches!(c, ';' | '?');
        if !inner && !c.is_ascii_alphabetic() {
            return;
        }
        chars.next();
        if !inner {
            return;
        }
    }
}

/// The lines of a normalised text. Rows glued with long runs of blanks become lines of their own
/// with the same number. The second value says whether lines beyond [`MAX_LINES`] were left out.
pub(crate) fn lines(text: &str) -> (Vec<Line<'_>>, bool) {
    let mut out = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for piece in glued(line) {
            if out.len() >= MAX_LINES {
                return (out, true);
            }
            out.push(Line { number: index as u64 + 1, text: piece.trim_end() });
        }
    }
    (out, false)
}

/// Cuts `line` where at least [`GLUE`] blanks stand between a digit or letter and a letter: rows
/// begin with a name, columns of one row that stand so far apart are headings or numbers.
fn glued(line: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut blanks = 0;
    let mut seen = false;
    for (at, c) in line.char_indices() {
        if c == ' ' {
            blanks += 1;
            continue;
        }
        let head = line.get(start..at).unwrap_or("");
        if seen && blanks >= GLUE && c.is_alphabetic() && ends_row(head) {
            out.push(head);
            start = at;
        }
        seen = true;
        blanks = 0;
    }
    out.push(line.get(start..).unwrap_or(""));
    out
}

/// Whether `head` could be a whole row: a name and at least three numbers behind it.
fn ends_row(head: &str) -> bool {
    let tail: Vec<&str> = head.split_whitespace().rev().take(3).collect();
    tail.len() == 3 && tail.iter().all(|w| cell(w).is_some())
}

/// An exact whole number: decimal, with thousands separators, or `0x` hexadecimal.
pub(crate) fn integer(word: &str) -> Option<u64> {
    let word = word.trim_end_matches([',', ';', ':']);
    if let Some(digits) = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        return hex(digits);
    }
    if word.contains([',', '.', '\'']) {
        return thousands(word)?.parse().ok();
    }
    if word.is_empty() || !word.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    word.parse().ok()
}

/// The digits of `1,234,567`, when every group behind the first has three.
fn thousands(word: &str) -> Option<String> {
    let mark = word.chars().find(|c| !c.is_ascii_digit())?;
    let mut groups = word.split(mark);
    let first = groups.next()?;
    if first.is_empty() || first.len() > 3 || (mark == '.' && word.matches('.').count() < 2) {
        return None;
    }
    let mut digits = String::from(first);
    for group in groups {
        if group.len() != 3 || !group.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        digits.push_str(group);
    }
    Some(digits)
}

/// Hexadecimal digits without a prefix.
pub(crate) fn hex(word: &str) -> Option<u64> {
    let word = word.trim_end_matches([',', ';', ':']);
    let good = !word.is_empty() && word.bytes().all(|b| b.is_ascii_hexdigit());
    good.then(|| u64::from_str_radix(word, 16).ok()).flatten()
}

/// The value below zero that a counter near 2^64 stands for.
pub(crate) fn wrapped(value: u64) -> Option<i64> {
    let signed = value as i64;
    (signed < 0).then_some(signed)
}

/// A plain decimal number: `12`, `0.52`, `11,4`, `1,234`.
pub(crate) fn decimal(word: &str) -> Option<f64> {
    if let Some(whole) = integer(word) {
        return Some(whole as f64);
    }
    let body = word.strip_prefix('-').unwrap_or(word);
    let good = body.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b',');
    if !good || !body.starts_with(|c: char| c.is_ascii_digit()) || body.ends_with(['.', ',']) {
        return None;
    }
    let marks = body.matches([',', '.']).count();
    if marks > 1 {
        return None;
    }
    word.replace(',', ".").parse().ok()
}

/// A number with a binary unit as OpenZFS prints sizes and counts: `59.5M`, `4,64T`, `512`, `16M`,
/// `1.2KiB`.
pub(crate) fn nice(word: &str) -> Option<f64> {
    let word = word.trim_end_matches([';', ':']);
    let word = word.strip_suffix("iB").or_else(|| word.strip_suffix('B')).unwrap_or(word);
    let (body, shift) = match word.as_bytes().last()? {
        b'K' | b'k' => (word.get(..word.len() - 1)?, 10),
        b'M' => (word.get(..word.len() - 1)?, 20),
        b'G' => (word.get(..word.len() - 1)?, 30),
        b'T' => (word.get(..word.len() - 1)?, 40),
        b'P' => (word.get(..word.len() - 1)?, 50),
        b'E' => (word.get(..word.len() - 1)?, 60),
        _ => return decimal(word),
    };
    // With a unit a comma can only be a decimal one.
    decimal(&body.replacen(',', ".", 1)).map(|n| n * (1u64 << shift) as f64)
}

/// Half of the last digit that [`nice`] read: how far off the true number may be, both ways.
pub(crate) fn nice_slack(word: &str) -> f64 {
    let unit = nice_unit(word);
    let decimals = word
        .split_once(['.', ','])
        .map_or(0, |(_, tail)| tail.bytes().take_while(u8::is_ascii_digit).count());
    let mut step = unit;
    for _ in 0..decimals.min(6) {
        step /= 10.0;
    }
    step
}

/// Bytes of the unit letter of `word`.
fn nice_unit(word: &str) -> f64 {
    let shift = match word.trim_end_matches(['i', 'B']).as_bytes().last() {
        Some(b'K' | b'k') => 10,
        Some(b'M') => 20,
        Some(b'G') => 30,
        Some(b'T') => 40,
        Some(b'P') => 50,
        Some(b'E') => 60,
        _ => 0,
    };
    (1u64 << shift) as f64
}

/// A length of time in nanoseconds: `41ms`, `105ns`, `2us`, `1s`, `1.5s`, `137s`.
pub(crate) fn time_ns(word: &str) -> Option<f64> {
    let split = word.find(|c: char| c.is_alphabetic())?;
    let (body, unit) = (word.get(..split)?, word.get(split..)?);
    let scale = match unit {
        "ns" | "nsec" => 1.0,
        "us" | "usec" | "\u{b5}s" | "\u{3bc}s" => 1e3,
        "ms" | "msec" => 1e6,
        "s" | "sec" => 1e9,
        "m" => 60e9,
        _ => return None,
    };
    decimal(&body.replacen(',', ".", 1)).map(|n| n * scale)
}

/// A percentage: `77%`, `84.7%`; `None` for `-`, `-nan%`.
pub(crate) fn percent(word: &str) -> Option<f64> {
    decimal(word.strip_suffix('%')?)
}

/// A cell of a table: `None` for what is no cell at all, `Some(None)` for a dash or not-a-number.
pub(crate) fn cell(word: &str) -> Option<Option<f64>> {
    if matches!(word, "-" | "---" | "nan" | "-nan" | "-nan%" | "nan%") {
        return Some(None);
    }
    nice(word).or_else(|| time_ns(word)).or_else(|| percent(word)).map(Some)
}

/// Nanoseconds for people: three digits and a unit.
pub(crate) fn time_text(ns: f64) -> String {
    let (value, unit) = match ns {
        n if n < 1e3 => return format!("{n:.0} ns"),
        n if n < 1e6 => (n / 1e3, "us"),
        n if n < 1e9 => (n / 1e6, "ms"),
        n if n < 600e9 => (n / 1e9, "s"),
        n if n < 36e12 => (n / 60e9, "min"),
        n => (n / 3600e9, "h"),
    };
    format!("{} {unit}", three_digits(value))
}

/// A number with about three digits: `1.23`, `12.3`, `123`; whole numbers without decimals.
pub(crate) fn three_digits(value: f64) -> String {
    let size = if value < 0.0 { -value } else { value };
    let whole = value as i64 as f64 == value;
    match size {
        _ if whole => format!("{value:.0}"),
        s if s < 9.995 => format!("{value:.2}"),
        s if s < 99.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// Bytes for people with about three digits: `44.1 GiB`, `4 GiB`, `512 B`.
pub(crate) fn bytes_text(bytes: f64) -> String {
    const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut value = bytes;
    let mut index = 0usize;
    while value >= 1024.0 && index + 1 < UNITS.len() {
        value /= 1024.0;
        index += 1;
    }
    format!("{} {}", three_digits(value), UNITS.get(index).unwrap_or(&"B"))
}

/// A count for people: exact to six digits, then with a unit of thousands.
pub(crate) fn count_text(count: f64) -> String {
    match count {
        c if c < 1e6 => three_digits_or_whole(c),
        c if c < 1e9 => format!("{} million", three_digits(c / 1e6)),
        c => format!("{} billion", three_digits(c / 1e9)),
    }
}

fn three_digits_or_whole(value: f64) -> String {
    if value < 100.0 { three_digits(value) } else { format!("{value:.0}") }
}

/// `text` with a capital at its beginning.
pub(crate) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let head = chars.next().into_iter().flat_map(char::to_uppercase);
    head.chain(chars).collect()
}

/// `1 row`, `2 rows`.
pub(crate) fn plural(count: u64, noun: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{end}")
}

/// Position of the highest set bit; 0 for 0 and 1.
pub(crate) fn log2(value: u64) -> u32 {
    63 - (value | 1).leading_zeros()
}

/// The middle value; 0 when there are none.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

/// Smallest and largest; `None` when there are none.
pub(crate) fn range(values: &[f64]) -> Option<(f64, f64)> {
    let mut sorted: Vec<f64> = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some((*sorted.first()?, *sorted.last()?))
}

/// Mean; 0 when there are none.
pub(crate) fn mean(values: &[f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    values.iter().sum::<f64>() / values.len() as f64
}

/// Counts by key, at most [`Tally::KEYS`] keys; more keys are not counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally<K>(Vec<(K, u64)>);

impl<K: PartialEq> Tally<K> {
    const KEYS: usize = 128;

    /// Nothing counted.
    pub(crate) fn new() -> Self {
        Self(Vec::new())
    }

    /// Counts `key` once.
    pub(crate) fn add(&mut self, key: K) {
        match self.0.iter().position(|(k, _)| *k == key) {
            Some(at) => self.0.get_mut(at).into_iter().for_each(|(_, n)| *n += 1),
            None if self.0.len() < Self::KEYS => self.0.push((key, 1)),
            None => {}
        }
    }

    /// Keys and counts, the most frequent first.
    pub(crate) fn by_count(mut self) -> Vec<(K, u64)> {
        self.0.sort_by_key(|(_, n)| core::cmp::Reverse(*n));
        self.0
    }
}
