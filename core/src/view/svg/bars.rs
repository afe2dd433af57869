//! Bars: upright ones for histograms, lying ones for things with names.

use super::color::Rgb;
use super::doc::{Font, MARGIN, Num, Rect, Svg, fit, text_width};
use crate::view::words::{finite, quantity, share};
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Lying bars that are drawn of one picture.
const MAX_ROWS: usize = 100;
const MAX_COLUMNS: usize = 160;

/// One upright bar.
pub(super) struct Column {
    pub(super) label: String,
    pub(super) value: f64,
    /// A second value, drawn as a line across.
    pub(super) mark: Option<f64>,
    pub(super) color: Rgb,
    pub(super) title: String,
}

/// Upright bars in `area` over a line; grid lines at nothing, half and the largest value, which
/// `text` puts into words. Labels stand below the area.
pub(super) fn columns(svg: &mut Svg, area: Rect, columns: &[Column], text: &dyn Fn(f64) -> String) {
    let columns = columns.get(..MAX_COLUMNS).unwrap_or(columns);
    let small = Font { size: 10.5, ..svg.note_font() };
    let values = columns.iter().flat_map(|c| [c.value, c.mark.unwrap_or(0.0)]);
    let most = values.fold(0.0, |most, v| finite(v).max(most));
    for part in [0.0, 0.5, 1.0] {
        let y = area.y + area.h * (1.0 - part);
        svg.horizontal(y, area.x, area.x + area.w);
        if most > 0.0 && part > 0.0 {
            svg.text(area.x, y - 4.0, small, &text(most * part));
        }
    }
    let step = area.w / columns.len().max(1) as f64;
    let step = step.min(56.0);
    let wide = (step - 3.0).max(step * 0.7);
    let widest = columns.iter().map(|c| text_width(&c.label, 10.5)).fold(1.0, f64::max);
    let every = ((widest + 6.0) / step) as usize + 1;
    for (index, column) in columns.iter().enumerate() {
        let x = area.x + step * index as f64 + (step - wide) / 2.0;
        let height = area.h * share(column.value, most);
        let height = if column.value > 0.0 { height.max(1.5) } else { 0.0 };
        let bar = Rect { x, y: area.y + area.h - height, w: wide, h: height };
        svg.rect(bar, (wide / 6.0).min(2.5), column.color, &column.title);
        if let Some(mark) = column.mark.filter(|&m| m > 0.0) {
            let y = Num(area.y + area.h * (1.0 - share(mark, most)));
            let path = format!("M{} {y}h{}", Num(x - 1.0), Num(wide + 2.0));
            svg.line(&path, svg.theme.ink, 1.5);
        }
        if index % every == 0 {
            let (x, y) = (x + wide / 2.0, area.y + area.h + 15.0);
            svg.text(x, y, small.middle(), &fit(&column.label, 90.0, 10.5));
        }
    }
}

/// A histogram that fills the width; moves on.
pub(super) fn histogram(svg: &mut Svg, unit: &str, bars: &[(String, f64)]) {
    let color = svg.theme.accent;
    let column = |(label, value): &(String, f64)| Column {
        label: label.clone(),
        value: finite(*value).max(0.0),
        mark: None,
        color,
        title: format!("{}: {}", fit(label, 400.0, 10.0), quantity(*value, "")),
    };
    let all: Vec<_> = bars.iter().take(MAX_COLUMNS).map(column).collect();
    let area = Rect { x: MARGIN, y: svg.y + 8.0, w: svg.room(), h: 220.0 };
    columns(svg, area, &all, &|value| quantity(value, ""));
    svg.y += 250.0;
    let words = match unit {
        "" => String::new(),
        unit => format!("by {}", fit(unit, 300.0, 11.5)),
    };
    left_out(svg, bars.len(), MAX_COLUMNS, &words);
}

/// A note on what was drawn; moves on.
pub(super) fn left_out(svg: &mut Svg, all: usize, drawn: usize, words: &str) {
    let mut text = words.to_string();
    if all > drawn {
        let gap = if text.is_empty() { "" } else { "; " };
        text.push_str(&format!("{gap}{} more are not drawn", all - drawn));
    }
    if !text.is_empty() {
        let font = svg.note_font();
        svg.text(MARGIN, svg.y + 6.0, font, &text);
        svg.y += 20.0;
    }
}

/// Lying bars with names on the left and numbers on the right; moves on.
pub(super) fn rows(svg: &mut Svg, unit: &str, bars: &[(String, f64)]) {
    let (body, small) = (svg.body_font(), svg.note_font());
    let drawn = bars.get(..MAX_ROWS).unwrap_or(bars);
    let widest = drawn.iter().map(|(l, _)| text_width(l, body.size)).fold(0.0, f64::max);
    let label = widest.min(svg.room() * 0.35) + 12.0;
    let value = 84.0;
    let most = drawn.iter().fold(0.0, |most, &(_, v)| finite(v).max(most));
    let most = if unit == "%" { f64::max(most, 100.0) } else { most };
    let room = (svg.room() - label - value).max(40.0);
    for (name, number) in drawn {
        let text = quantity(*number, unit);
        let track = Rect { x: MARGIN + label, y: svg.y, w: room, h: 16.0 };
        let filled = room * share(*number, most);
        let filled = if *number > 0.0 { filled.max(1.5) } else { 0.0 };
        let (ground, accent) = (svg.theme.track, svg.theme.accent);
        svg.rect(track, 3.0, ground, "");
        let title = format!("{}: {text}", fit(name, 600.0, 10.0));
        svg.rect(Rect { w: filled, ..track }, 3.0, accent, &title);
        let y = svg.y + 12.5;
        svg.text(MARGIN, y, body, &fit(name, label - 8.0, body.size));
        let font = Font { color: svg.theme.ink, ..small.end() };
        svg.text(MARGIN + label + room + value, y, font, &fit(&text, value - 6.0, 11.5));
        svg.y += 24.0;
    }
    svg.y += 4.0;
    left_out(svg, bars.len(), MAX_ROWS, "");
}
