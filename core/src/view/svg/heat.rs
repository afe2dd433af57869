//! A table of counts as colours.

use super::bars::left_out;
use super::doc::{Font, MARGIN, Rect, Svg, fit, text_width};
use crate::view::words::{count, exp2, finite, log2};
use std_alloc::format;
use std_alloc::string::String;
use std_alloc::vec::Vec;

const MAX_ROWS: usize = 64;
const MAX_COLUMNS: usize = 24;

/// Rows by columns, coloured by the logarithm of the count; moves on.
pub(super) fn heat(svg: &mut Svg, heads: &[String], rows: &[(String, Vec<f64>)]) {
    let used = |values: &[f64]| values.iter().any(|&v| finite(v) > 0.0);
    let first = rows.iter().position(|(_, v)| used(v)).unwrap_or(0);
    let last = rows.iter().rposition(|(_, v)| used(v)).map_or(0, |i| i + 1);
    let rows = rows.get(first..last).unwrap_or(&[]);
    let drawn = rows.get(..MAX_ROWS).unwrap_or(rows);
    let heads_drawn = heads.get(..MAX_COLUMNS).unwrap_or(heads);
    let values = drawn.iter().flat_map(|(_, v)| v.iter().take(MAX_COLUMNS));
    let most = values.fold(0.0, |most, &v| finite(v).max(most));
    let top = log2(most + 1.0);
    let tick = |quarter: u32| count((exp2(top * f64::from(quarter) / 4.0) - 0.5) as u64 as f64);
    svg.legend("count, logarithmic", &[0, 1, 2, 3, 4].map(tick));
    let small = svg.note_font();
    let widest = drawn.iter().map(|(l, _)| text_width(l, 11.5)).fold(0.0, f64::max);
    let label = widest.min(svg.room() * 0.25) + 12.0;
    let wide = ((svg.room() - label) / heads_drawn.len().max(1) as f64).min(120.0);
    head_lines(svg, heads_drawn, label, wide);
    for (name, values) in drawn {
        let font = small.end();
        svg.text(MARGIN + label - 10.0, svg.y + 14.0, font, &fit(name, label, 11.5));
        for (index, head) in heads_drawn.iter().enumerate() {
            let value = values.get(index).map_or(0.0, |&v| finite(v).max(0.0));
            let cell =
                Rect { x: MARGIN + label + wide * index as f64, y: svg.y, w: wide - 2.0, h: 19.0 };
            let fill = match value {
                0.0 => svg.theme.track,
                _ => svg.theme.scale(log2(value + 1.0) / top.max(1.0)),
            };
            let text = count(value);
            let title = format!("{}, {}: {text}", fit(name, 300.0, 10.0), fit(head, 300.0, 10.0));
            svg.rect(cell, 2.0, fill, &title);
            if value > 0.0 && text_width(&text, 10.0) < wide - 6.0 {
                let font = Font { size: 10.0, color: fill.ink(), ..small.middle() };
                svg.text(cell.x + cell.w / 2.0, svg.y + 13.5, font, &text);
            }
        }
        svg.y += 21.0;
    }
    svg.y += 8.0;
    left_out(svg, rows.len(), MAX_ROWS, "");
    if heads.len() > MAX_COLUMNS {
        let words = format!("{} more columns are not drawn", heads.len() - MAX_COLUMNS);
        left_out(svg, 0, 0, &words);
    }
}

/// Column heads, a word a line, standing on the table.
fn head_lines(svg: &mut Svg, heads: &[String], label: f64, wide: f64) {
    let words = |head: &String| -> Vec<String> {
        let words = head.split_whitespace().take(4);
        words.map(|w| fit(w, wide - 4.0, 11.5)).collect()
    };
    let heads: Vec<_> = heads.iter().map(words).collect();
    let lines = heads.iter().map(Vec::len).max().unwrap_or(0);
    for (index, head) in heads.iter().enumerate() {
        for (line, word) in head.iter().enumerate() {
            let x = MARGIN + label + wide * index as f64 + wide / 2.0 - 1.0;
            let y = svg.y + 14.0 * (lines - head.len() + line + 1) as f64 - 4.0;
            let font = Font { color: svg.theme.ink, ..svg.note_font().middle() };
            svg.text(x, y, font, word);
        }
    }
    svg.y += 14.0 * lines as f64 + 4.0;
}
