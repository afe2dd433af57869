//! Pictures of pasted numbers as text.

use super::{bar, cut, left, print_map, right};
use crate::view::Picture;
use crate::view::words::{count, duration, finite, quantity, share};
use core::fmt::Write;
use std_alloc::format;
use std_alloc::string::String;
use std_alloc::vec::Vec;

/// Rows that are drawn of one picture.
const ROWS: usize = 400;

/// A picture of pasted numbers as text of at most `width` columns.
pub fn print_picture(picture: &Picture, width: u32) -> String {
    let mut out = String::new();
    let columns = (width as usize).clamp(40, 400);
    match picture {
        Picture::Map { title, map } => {
            let _ = writeln!(out, "{}", cut(title, columns));
            out.push_str(&print_map(map, 0, width));
        }
        Picture::Histogram { title, unit, bars } => {
            let _ = writeln!(out, "{} [{}]", cut(title, columns), cut(unit, 20));
            draw_bars(&mut out, bars, "", columns);
        }
        Picture::Bars { title, unit, bars } => {
            let _ = writeln!(out, "{}", cut(title, columns));
            draw_bars(&mut out, bars, unit, columns);
        }
        Picture::Heat { title, columns: heads, rows } => {
            let _ = writeln!(out, "{}", cut(title, columns));
            heat(&mut out, heads, rows, columns);
        }
        Picture::Timeline { title, stages, rows } => {
            let _ = writeln!(out, "{}", cut(title, columns));
            timeline(&mut out, stages, rows, columns);
        }
    }
    out
}

/// Says how many rows were left out.
fn rest(out: &mut String, rows: usize) {
    if rows > ROWS {
        let _ = writeln!(out, "  and {} more", rows - ROWS);
    }
}

fn widest<'a>(texts: impl Iterator<Item = &'a str>, most: usize) -> usize {
    texts.map(|t| t.chars().count()).max().unwrap_or(0).min(most)
}

fn draw_bars(out: &mut String, bars: &[(String, f64)], unit: &str, width: usize) {
    let label_width = widest(bars.iter().map(|(l, _)| l.as_str()), 30);
    let values: Vec<_> = bars.iter().map(|&(_, v)| quantity(v, unit)).collect();
    let value_width = widest(values.iter().map(String::as_str), 16);
    let room = width.saturating_sub(label_width + value_width + 6).max(8);
    let most = bars.iter().fold(0.0, |most, &(_, v)| finite(v).max(most));
    let most = if unit == "%" { f64::max(most, 100.0) } else { most };
    for ((label, value), text) in bars.iter().zip(&values).take(ROWS) {
        let label = right(&cut(label, label_width), label_width);
        let (text, bar) = (right(text, value_width), bar(share(*value, most), room));
        let line = format!("  {label}  {text}  {bar}");
        let _ = writeln!(out, "{}", line.trim_end());
    }
    rest(out, bars.len());
}

/// The words of each head from the bottom line up, at most three lines.
fn write_heads(out: &mut String, heads: &[String], indent: usize, cell: usize) {
    let words = |head: &String| -> Vec<String> {
        let all: Vec<_> = head.split_whitespace().collect();
        let (first, rest) = all.split_at(all.len().min(2));
        let rest = (!rest.is_empty()).then(|| rest.join(" "));
        let lines = first.iter().map(|w| cut(w, cell - 2));
        lines.chain(rest.map(|r| cut(&r, cell - 2))).collect()
    };
    let heads: Vec<_> = heads.iter().map(words).collect();
    let lines = heads.iter().map(Vec::len).max().unwrap_or(0);
    for line in 0..lines {
        let _ = write!(out, "{}", left("", indent));
        for head in &heads {
            let at = (line + head.len()).checked_sub(lines);
            let word = at.and_then(|at| head.get(at)).map_or("", |w| w);
            out.push_str(&right(word, cell));
        }
        out.push('\n');
    }
}

/// Numbers in columns; columns that do not fit are said to be left out.
fn heat(out: &mut String, heads: &[String], rows: &[(String, Vec<f64>)], width: usize) {
    let label_width = widest(rows.iter().map(|(l, _)| l.as_str()), 24);
    let words = heads.iter().flat_map(|h| h.split_whitespace());
    let cell = widest(words, 12).max(6) + 2;
    let fit = (width.saturating_sub(label_width + 2) / cell).clamp(1, heads.len().max(1));
    let shown = heads.get(..fit).unwrap_or(heads);
    write_heads(out, shown, label_width + 2, cell);
    let used = |values: &[f64]| values.iter().any(|&v| finite(v) != 0.0);
    let first = rows.iter().position(|(_, v)| used(v)).unwrap_or(0);
    let last = rows.iter().rposition(|(_, v)| used(v)).map_or(0, |i| i + 1);
    let rows = rows.get(first..last).unwrap_or(&[]);
    for (label, values) in rows.iter().take(ROWS) {
        let label = right(&cut(label, label_width), label_width);
        let _ = write!(out, "  {label}");
        for &value in values.iter().take(fit) {
            let text = if finite(value) == 0.0 { ".".into() } else { count(value) };
            out.push_str(&right(&text, cell));
        }
        out.push('\n');
    }
    rest(out, rows.len());
    if fit < heads.len() {
        let more: Vec<_> = heads.iter().skip(fit).map(|h| cut(h, 20)).collect();
        let more = cut(&more.join(", "), width.saturating_sub(18));
        let _ = writeln!(out, "  no room for: {more}");
    }
}

/// A line a row; each stage is drawn with the first letter of its name, or a digit when two stages
/// begin alike.
fn timeline(out: &mut String, stages: &[String], rows: &[(String, f64, Vec<f64>)], width: usize) {
    let marks = marks(stages);
    let names = stages.iter().zip(&marks).take(20);
    for (name, mark) in names {
        let _ = write!(out, "  {mark} {}", cut(name, 20));
    }
    out.push('\n');
    let lengths = |stages: &[f64]| stages.iter().map(|&s| finite(s).max(0.0)).sum::<f64>();
    let from = rows.iter().map(|r| finite(r.1)).reduce(f64::min).unwrap_or(0.0);
    let ends = rows.iter().map(|r| finite(r.1) + lengths(&r.2));
    let to = ends.reduce(f64::max).unwrap_or(0.0);
    let label_width = widest(rows.iter().map(|r| r.0.as_str()), 20);
    let room = width.saturating_sub(label_width + 14).max(10);
    let place = |time: f64| (share(time - from, to - from) * room as f64) as usize;
    for (label, start, stages) in rows.iter().take(ROWS) {
        let mut at = finite(*start);
        let mut line: String = (0..place(at)).map(|_| ' ').collect();
        for (index, &length) in stages.iter().enumerate() {
            let begun = place(at);
            at += finite(length).max(0.0);
            let mark = marks.get(index).copied().unwrap_or('?');
            line.extend((begun..place(at)).map(|_| mark));
        }
        if line.trim_end().is_empty() {
            line.push('|');
        }
        let (label, total) = (right(&cut(label, label_width), label_width), lengths(stages));
        let _ = writeln!(out, "  {label} {:>9} {line}", duration(total));
    }
    rest(out, rows.len());
    let _ = writeln!(out, "  from left to right: {}", duration(to - from));
}

fn marks(stages: &[String]) -> Vec<char> {
    let initial = |s: &String| s.chars().next().filter(|c| !c.is_control());
    let initials: Vec<_> = stages.iter().map(initial).collect();
    let unique = |c: &Option<char>| c.is_some() && initials.iter().filter(|o| *o == c).count() == 1;
    let digit = |index: usize| char::from_digit((index % 36) as u32, 36).unwrap_or('?');
    let mark = |(index, initial): (usize, &Option<char>)| match initial {
        Some(c) if unique(initial) => *c,
        _ => digit(index),
    };
    initials.iter().enumerate().map(mark).collect()
}
