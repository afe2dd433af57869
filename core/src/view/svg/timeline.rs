//! Stretches of time, a line each.

use super::bars::left_out;
use super::doc::{MARGIN, Num, Rect, Svg, fit, text_width};
use crate::view::words::{duration, finite, share};
use std_alloc::format;
use std_alloc::string::String;
use std_alloc::vec::Vec;

const MAX_ROWS: usize = 120;
const MAX_STAGES: usize = 12;

type Row = (String, f64, Vec<f64>);

fn length(stage: f64) -> f64 {
    finite(stage).max(0.0)
}

/// Rows of stages one after the other; moves on.
pub(super) fn timeline(svg: &mut Svg, stages: &[String], rows: &[Row]) {
    let drawn = rows.get(..MAX_ROWS).unwrap_or(rows);
    names(svg, stages);
    let starts = drawn.iter().map(|r| finite(r.1));
    let from = starts.reduce(f64::min).unwrap_or(0.0);
    let end = |r: &Row| finite(r.1) + r.2.iter().map(|&s| length(s)).sum::<f64>();
    let to = drawn.iter().map(end).reduce(f64::max).unwrap_or(0.0);
    let small = svg.note_font();
    let widest = drawn.iter().map(|r| text_width(&r.0, 11.5)).fold(0.0, f64::max);
    let label = widest.min(svg.room() * 0.2) + 12.0;
    let room = svg.room() - label;
    let x_of = |time: f64| MARGIN + label + room * share(time - from, to - from);
    let (top, high) = (svg.y, 18.0 * drawn.len() as f64);
    for quarter in 0..=4 {
        let share = f64::from(quarter) / 4.0;
        let (x, text) = (MARGIN + label + room * share, duration((to - from) * share));
        let path = format!("M{} {}V{}", Num(x), Num(top), Num(top + high + 4.0));
        svg.line(&path, svg.theme.grid, 1.0);
        let font = match quarter {
            0 => small,
            4 => small.end(),
            _ => small.middle(),
        };
        svg.text(x, top + high + 18.0, font, &text);
    }
    for (name, start, lengths) in drawn {
        let font = small.end();
        svg.text(MARGIN + label - 10.0, svg.y + 11.5, font, &fit(name, label, 11.5));
        let mut at = finite(*start);
        for (index, &stage) in lengths.iter().take(MAX_STAGES).enumerate() {
            let begun = x_of(at);
            at += length(stage);
            let bar = Rect { x: begun, y: svg.y + 2.0, w: (x_of(at) - begun).max(0.8), h: 12.0 };
            let stage_name = stages.get(index).map_or("?", |s| s);
            let title = format!("{} {stage_name}: {}", fit(name, 200.0, 10.0), duration(stage));
            let color = svg.theme.named(index);
            svg.rect(bar, 1.5, color, &title);
        }
        svg.y += 18.0;
    }
    svg.y += 34.0;
    left_out(svg, rows.len(), MAX_ROWS, "");
}

/// What the colours mean.
fn names(svg: &mut Svg, stages: &[String]) {
    let font = svg.note_font();
    let mut x = MARGIN;
    for (index, name) in stages.iter().take(MAX_STAGES).enumerate() {
        let name = fit(name, 160.0, 11.5);
        let wide = text_width(&name, 11.5) + 38.0;
        if x + wide > svg.width - MARGIN && x > MARGIN {
            x = MARGIN;
            svg.y += 20.0;
        }
        let color = svg.theme.named(index);
        let mark = Rect { x, y: svg.y, w: 12.0, h: 12.0 };
        svg.rect(mark, 2.5, color, "");
        svg.text(x + 18.0, svg.y + 10.0, font, &name);
        x += wide;
    }
    svg.y += 26.0;
}
