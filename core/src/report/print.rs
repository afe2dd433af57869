//! The reading of a pasted text for a terminal: the verdict first, what was dropped last.

use super::text::{shorten, three_digits};
use crate::view::{ExplainView, Picture, print_picture};
use std_alloc::format;
use std_alloc::string::String;
use std_alloc::vec::Vec;

/// Dropped lines printed.
const DROPPED: usize = 20;

/// Prints `view` for a terminal of `width` columns.
pub fn print(view: &ExplainView, width: usize) -> String {
    let width = width.clamp(40, 400);
    let mut out = String::new();
    let hint = match view.version_hint.as_str() {
        "" => String::new(),
        hint => format!("  (OpenZFS {hint})"),
    };
    wrap(&mut out, "", &format!("{}{hint}", view.kind), width);
    out.push('\n');
    wrap(&mut out, "  ", &view.verdict, width);
    if !view.next_step.is_empty() {
        wrap(&mut out, "  ", &format!("Next: {}", view.next_step), width);
    }
    out.push('\n');
    for finding in &view.findings {
        let mark = match finding.level.as_str() {
            "check" => "  = ",
            "mismatch" => "  # ",
            "warning" => "  ! ",
            _ => "  - ",
        };
        wrap(&mut out, mark, &finding.text, width);
    }
    for picture in &view.pictures {
        out.push('\n');
        let text = print_picture(picture, width as u32);
        if text.is_empty() {
            draw(&mut out, picture, width);
        }
        out.push_str(&text);
    }
    dropped(&mut out, view, width);
    out
}

fn dropped(out: &mut String, view: &ExplainView, width: usize) {
    if view.not_understood.is_empty() {
        return;
    }
    out.push_str("\nNot used:\n");
    for line in view.not_understood.iter().take(DROPPED) {
        let text = shorten(&line.text, 60);
        wrap(out, "  ", &format!("line {}: {text}  ({})", line.line, line.why), width);
    }
    let more = view.not_understood.len().saturating_sub(DROPPED);
    if more > 0 {
        out.push_str(&format!("  and {more} more lines\n"));
    }
}

/// Breaks `text` at blanks; `head` stands in front of the first line, blanks in front of the rest.
fn wrap(out: &mut String, head: &str, text: &str, width: usize) {
    out.push_str(head);
    let mut at = head.len();
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if at > head.len() && at + 1 + length > width {
            out.push('\n');
            (0..head.len()).for_each(|_| out.push(' '));
            at = head.len();
        } else if at > head.len() {
            out.push(' ');
            at += 1;
        }
        out.push_str(word);
        at += length;
    }
    out.push('\n');
}

/// A picture as text.
fn draw(out: &mut String, picture: &Picture, width: usize) {
    match picture {
        Picture::Map { title, map } => {
            out.push_str(&format!("{title}\n"));
            for vdev in &map.vdevs {
                out.push_str(&format!("  {}: darker is fuller\n", vdev.name));
                fullness(out, &vdev.metaslabs, width);
            }
        }
        Picture::Histogram { title, unit, bars } | Picture::Bars { title, unit, bars } => {
            out.push_str(&format!("{title} [{unit}]\n"));
            draw_bars(out, bars, width);
        }
        Picture::Heat { title, columns, rows } => {
            out.push_str(&format!("{title}\n"));
            heat(out, columns, rows);
        }
        Picture::Timeline { title, stages, rows } => {
            out.push_str(&format!("{title} ({})\n", stages.join(", ")));
            timeline(out, rows, width);
        }
    }
}

const SHADES: [char; 9] = [' ', '.', ':', '-', '=', '+', '*', '%', '@'];

fn shade(share: f64) -> char {
    let index = (share.clamp(0.0, 1.0) * 8.0) as usize;
    SHADES.get(index).copied().unwrap_or('@')
}

fn fullness(out: &mut String, metaslabs: &[crate::view::MetaslabView], width: usize) {
    for chunk in metaslabs.chunks((width - 12).max(8)) {
        let first = chunk.first().map_or(0, |m| m.id);
        out.push_str(&format!("  {first:>6} ["));
        for m in chunk {
            let used = 1.0 - m.free as f64 / (m.size.max(1)) as f64;
            out.push(shade(used));
        }
        out.push_str("]\n");
    }
}

fn draw_bars(out: &mut String, bars: &[(String, f64)], width: usize) {
    let most = bars.iter().map(|(_, n)| *n).fold(0.0, f64::max);
    let label = bars.iter().map(|(l, _)| l.chars().count()).max().unwrap_or(0).min(24);
    let room = width.saturating_sub(label + 14).max(8);
    for (name, number) in bars {
        let length = if most > 0.0 { (number / most * room as f64) as usize } else { 0 };
        let stars: String = (0..length.min(room)).map(|_| '*').collect();
        let name = shorten(name, 24);
        out.push_str(&format!("  {name:>label$} {:>8} {stars}\n", three_digits(*number)));
    }
}

fn heat(out: &mut String, columns: &[String], rows: &[(String, Vec<f64>)]) {
    let most = rows.iter().flat_map(|(_, c)| c).copied().fold(0.0, f64::max);
    let label = rows.iter().map(|(l, _)| l.chars().count()).max().unwrap_or(0).min(20);
    out.push_str(&format!("  {:>label$}", ""));
    for column in columns {
        out.push_str(&format!(" {:>13}", shorten(column, 13)));
    }
    out.push('\n');
    for (name, cells) in rows {
        let name = shorten(name, 20);
        out.push_str(&format!("  {name:>label$}"));
        for cell in cells {
            let tone = if *cell > 0.0 { shade((cell / most).max(0.13)) } else { ' ' };
            out.push_str(&format!(
                " {:>11}{tone}{tone}",
                super::text::count_text(*cell).replace(" million", "M").replace(" billion", "G")
            ));
        }
        out.push('\n');
    }
}

fn timeline(out: &mut String, rows: &[(String, f64, Vec<f64>)], width: usize) {
    let end = rows.iter().map(|(_, start, s)| start + s.iter().sum::<f64>()).fold(0.0, f64::max);
    let label = rows.iter().map(|(l, _, _)| l.chars().count()).max().unwrap_or(0).min(20);
    let room = width.saturating_sub(label + 5).max(8);
    let four = rows.iter().all(|(_, _, s)| s.len() == 4);
    let marks = if four { ['o', 'q', 'w', 's'] } else { ['#', '=', '-', '+'] };
    for (name, start, stages) in rows.iter().take(60) {
        let column = |t: f64| {
            if end > 0.0 { (t / end * room as f64) as usize } else { 0 }
        };
        let mut line: Vec<char> = (0..room).map(|_| ' ').collect();
        let mut at = *start;
        for (stage, mark) in stages.iter().zip(marks) {
            let (from, to) = (column(at), column(at + stage));
            for cell in line.iter_mut().take(to.max(from)).skip(from) {
                *cell = mark;
            }
            at += stage;
        }
        let text: String = line.iter().collect();
        out.push_str(&format!("  {name:>label$} |{}\n", text.trim_end()));
    }
}
