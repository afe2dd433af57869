//! The metaslabs of a pool: a cell each, a band a vdev.

use super::color::Rgb;
use super::doc::{MARGIN, Num, Rect, Svg, fit};
use super::{ColorBy, SvgOptions};
use crate::alloc::{Weight, WeightKind};
use crate::base::nice_bytes;
use crate::view::words::{log2, percent, percent_or_dash, share};
use crate::view::{MapView, MetaslabView, VdevMapView};
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Cells of all vdevs together; more metaslabs share cells.
const MAX_CELLS: usize = 6000;
const MAX_VDEVS: usize = 200;

/// How colours follow from numbers.
struct Scale {
    by: ColorBy,
    /// log2 of the largest size.
    top: u32,
}

/// A cell a metaslab, a band a vdev.
pub fn map(map: &MapView, options: &SvgOptions) -> String {
    draw(map, options, None)
}

/// The same under a title of its own.
pub(super) fn draw(map: &MapView, options: &SvgOptions, title: Option<&str>) -> String {
    let mut svg = Svg::new(options);
    let what = match options.color_by {
        ColorBy::Fill => "by allocated share",
        ColorBy::Fragmentation => "by fragmentation",
        ColorBy::Weight => "by weight",
        ColorBy::Largest => "by largest free segment",
    };
    let name = match (title, map.pool.as_str()) {
        (Some(title), _) => title.to_string(),
        (None, "") => format!("Metaslabs {what}"),
        (None, pool) => format!("{pool}: metaslabs {what}"),
    };
    svg.heading(&name, &note(map));
    let all = map.vdevs.iter().flat_map(|v| &v.metaslabs);
    let largest = all.map(|m| m.size).max().unwrap_or(0);
    let scale = Scale { by: options.color_by, top: largest.checked_ilog2().unwrap_or(0).max(13) };
    legend(&mut svg, map, &scale);
    let drawn = map.vdevs.get(..MAX_VDEVS).unwrap_or(&map.vdevs);
    for vdev in drawn {
        band(&mut svg, vdev, &scale, MAX_CELLS / drawn.len());
    }
    let font = svg.body_font();
    let more = map.vdevs.len() - drawn.len();
    let rest = match (map.vdevs.len(), more) {
        (0, _) => "No vdev has metaslabs.".to_string(),
        (_, 0) => String::new(),
        _ => format!("{more} more vdevs are not drawn."),
    };
    if !rest.is_empty() {
        svg.text(MARGIN, svg.y + 12.0, font, &rest);
        svg.y += 24.0;
    }
    let description = describe(map);
    svg.finish(&name, &description)
}

fn note(map: &MapView) -> String {
    let mut parts = Vec::new();
    if map.txg.0 > 0 {
        parts.push(format!("txg {}", map.txg));
    }
    match map.log_space_maps {
        0 => {}
        1 => parts.push("1 log space map applied".to_string()),
        n => parts.push(format!("{n} log space maps applied")),
    }
    if !map.fragmentation_table.is_empty() {
        let table = &map.fragmentation_table;
        parts.push(format!("fragmentation as OpenZFS {table} counts it"));
    }
    parts.join("  \u{b7}  ")
}

fn describe(map: &MapView) -> String {
    let vdev = |v: &VdevMapView| {
        let (free, size) = (nice_bytes(v.free), nice_bytes(v.size));
        let (name, count) = (&v.name, v.metaslabs.len());
        format!("{name}: {count} metaslabs, {free} free of {size}.")
    };
    let all: Vec<_> = map.vdevs.iter().take(MAX_VDEVS).map(vdev).collect();
    all.join(" ")
}

fn legend(svg: &mut Svg, map: &MapView, scale: &Scale) {
    let quarters = [0u32, 1, 2, 3, 4];
    let name = match scale.by {
        ColorBy::Fill => "allocated",
        ColorBy::Fragmentation => "fragmentation",
        ColorBy::Weight => "largest bucket",
        ColorBy::Largest => "largest free segment",
    };
    let ticks: Vec<_> = match scale.by {
        ColorBy::Fill | ColorBy::Fragmentation => quarters.map(|q| format!("{}%", 25 * q)).to_vec(),
        ColorBy::Weight | ColorBy::Largest => {
            let size = |q: u32| 1u64 << (9 + (scale.top - 9) * q / 4).min(63);
            quarters.map(|q| nice_bytes(size(q))).to_vec()
        }
    };
    let (y, small) = (svg.y, svg.note_font());
    svg.legend(name, &ticks);
    let mut x = MARGIN + 490.0;
    let broken = map.vdevs.iter().flat_map(|v| &v.metaslabs);
    let broken = broken.filter(|m| m.problem.is_some()).count() > 0;
    let log = map.vdevs.iter().any(|v| v.embedded_log.is_some());
    let fill = svg.theme.scale(0.3);
    for (shown, words, wide) in [(log, "embedded log", 120.0), (broken, "unreadable", 110.0)] {
        if !shown || x + wide > svg.width {
            continue;
        }
        let rect = square(x, y - 1.0, 12.0);
        match words {
            "unreadable" => strike(svg, rect),
            _ => svg.framed(rect, 2.0, fill, svg.theme.ink, ""),
        }
        svg.text(x + 20.0, y + 9.0, small, words);
        x += wide;
    }
}

fn square(x: f64, y: f64, side: f64) -> Rect {
    Rect { x, y, w: side, h: side }
}

/// A cell that could not be read: a cross on an empty place.
fn strike(svg: &mut Svg, r: Rect) {
    let (fill, line) = (svg.theme.track, svg.theme.alarm);
    svg.rect(r, 2.0, fill, "");
    let inset = r.w * 0.22;
    let (left, right) = (Num(r.x + inset), Num(r.x + r.w - inset));
    let (top, bottom) = (Num(r.y + inset), Num(r.y + r.h - inset));
    let cross = format!("M{left} {top}L{right} {bottom}M{right} {top}L{left} {bottom}");
    svg.line(&cross, line, (r.w / 9.0).clamp(1.0, 2.5));
}

/// Columns and the side of a cell for `count` cells.
fn grid(count: usize, room: f64) -> (usize, f64) {
    let columns = match count {
        0..=40 => count.max(1),
        _ => (count * 5).isqrt(),
    };
    let columns = columns.min((room / 8.0) as usize).max(1);
    let side = (room / columns as f64).min(if count <= 40 { 46.0 } else { 38.0 });
    (((room / side + 0.01) as usize).min(count.max(1)), side)
}

fn band(svg: &mut Svg, vdev: &VdevMapView, scale: &Scale, budget: usize) {
    let (head, small, room) = (svg.head_font(), svg.note_font(), svg.room());
    svg.y += 14.0;
    let class = match vdev.class.as_str() {
        "" => String::new(),
        class => format!("  \u{b7}  {class}"),
    };
    let name = format!("{}{class}", vdev.name);
    svg.text(MARGIN, svg.y, head, &fit(&name, room * 0.4, 14.0));
    let numbers = vdev_numbers(vdev);
    let font = small.end();
    svg.text(MARGIN + room, svg.y, font, &fit(&numbers, room * 0.6, 11.5));
    svg.y += 9.0;
    let used = vdev.size.saturating_sub(vdev.free);
    let filled = room * share(used as f64, vdev.size as f64);
    let bar = Rect { x: MARGIN, y: svg.y, w: room, h: 4.0 };
    let (track, accent) = (svg.theme.track, svg.theme.accent);
    svg.rect(bar, 2.0, track, "");
    svg.rect(Rect { w: filled, ..bar }, 2.0, accent, "allocated share of the vdev");
    svg.y += 14.0;
    let group = vdev.metaslabs.len().div_ceil(budget.max(16)).max(1);
    let cells: Vec<_> = vdev.metaslabs.chunks(group).collect();
    let (columns, side) = grid(cells.len(), room);
    let gap = if side >= 16.0 { 3.0 } else { 1.0 };
    for (index, cell) in cells.iter().enumerate() {
        let x = MARGIN + (index % columns) as f64 * side;
        let y = svg.y + (index / columns) as f64 * side;
        draw_cell(svg, vdev, cell, scale, square(x, y, side - gap));
    }
    svg.y += cells.len().div_ceil(columns) as f64 * side + 16.0;
    if group > 1 {
        let text = format!("a cell stands for {group} metaslabs");
        svg.text(MARGIN, svg.y, small, &text);
        svg.y += 16.0;
    }
}

fn vdev_numbers(vdev: &VdevMapView) -> String {
    let used = vdev.size.saturating_sub(vdev.free);
    let mut parts = Vec::from([
        format!("{} metaslabs", vdev.metaslabs.len()),
        format!(
            "{} free of {} ({}% allocated)",
            nice_bytes(vdev.free),
            nice_bytes(vdev.size),
            percent(used, vdev.size)
        ),
    ]);
    match (vdev.fragmentation, vdev.fragmentation_old) {
        (Some(new), Some(old)) => {
            parts.push(format!("fragmentation {new}% (old table {old}%)"));
        }
        (Some(one), None) | (None, Some(one)) => parts.push(format!("fragmentation {one}%")),
        (None, None) => {}
    }
    parts.join("  \u{b7}  ")
}

fn draw_cell(svg: &mut Svg, vdev: &VdevMapView, cell: &[MetaslabView], scale: &Scale, rect: Rect) {
    let Some(first) = cell.first() else { return };
    let readable: Vec<_> = cell.iter().filter(|m| m.problem.is_none()).collect();
    if readable.is_empty() {
        strike(svg, rect);
        let why = first.problem.as_deref().unwrap_or("");
        let title = format!("metaslab {} cannot be read: {why}", first.id);
        let clear = fit(&title, 4000.0, 12.0);
        return invisible(svg, rect, &clear);
    }
    let value = value(&readable, scale);
    let fill = value.map_or(svg.theme.track, |v| svg.theme.scale(v));
    let title = match cell {
        [one] => words(one),
        _ => group_words(cell),
    };
    let round = (rect.w / 8.0).min(4.0);
    let log = vdev.embedded_log.is_some_and(|id| cell.iter().any(|m| m.id == id));
    match log {
        true => {
            let title = format!("{title}; the embedded log");
            let inside =
                Rect { x: rect.x + 1.0, y: rect.y + 1.0, w: rect.w - 2.0, h: rect.h - 2.0 };
            svg.framed(inside, round, fill, svg.theme.ink, &title);
        }
        false => svg.rect(rect, round, fill, &title),
    }
    if rect.w >= 24.0 && first.id < 10_000 {
        label(svg, first.id, fill, rect);
    }
}

fn label(svg: &mut Svg, id: u64, fill: Rgb, rect: Rect) {
    let font = super::doc::Font { size: 9.5, color: fill.ink(), ..svg.note_font().middle() };
    let (x, y) = (rect.x + rect.w / 2.0, rect.y + rect.h / 2.0 + 3.5);
    svg.text(x, y, font, &id.to_string());
}

/// Something to hover over where the shapes have no title.
fn invisible(svg: &mut Svg, rect: Rect, title: &str) {
    let (x, y) = (Num(rect.x), Num(rect.y));
    let path = format!("M{x} {y}h{w}v{w}h-{w}z", w = Num(rect.w));
    svg.ghost(&path, title);
}

/// Position on the scale; `None` for what is not known.
fn value(cell: &[&MetaslabView], scale: &Scale) -> Option<f64> {
    let size_place = |log2: f64| ((log2 - 9.0) / f64::from(scale.top - 9)).clamp(0.0, 1.0);
    match scale.by {
        ColorBy::Fill => {
            let sum = |of: &dyn Fn(&MetaslabView) -> u64| cell.iter().map(|m| of(m) as f64).sum();
            let (size, free): (f64, f64) = (sum(&|m| m.size), sum(&|m| m.free));
            Some(share(size - free, size))
        }
        ColorBy::Fragmentation => {
            let known = cell.iter().filter_map(|m| m.fragmentation);
            let (count, sum) = known.fold((0u32, 0f64), |(n, sum), f| (n + 1, sum + f as f64));
            (count > 0).then(|| share(sum / f64::from(count.max(1)), 100.0))
        }
        ColorBy::Weight => {
            let log2 = |m: &&MetaslabView| match Weight(m.weight).kind() {
                WeightKind::Full => 0.0,
                WeightKind::Segment { index, .. } => f64::from(index),
                WeightKind::Space { bytes } => log2(bytes as f64),
            };
            cell.iter().map(log2).reduce(f64::max).map(size_place)
        }
        ColorBy::Largest => {
            let largest = cell.iter().map(|m| m.max_size).max();
            largest.map(|bytes| size_place(log2(bytes as f64)))
        }
    }
}

fn words(m: &MetaslabView) -> String {
    let used = percent(m.size.saturating_sub(m.free), m.size);
    let (free, size) = (nice_bytes(m.free), nice_bytes(m.size));
    let frag = percent_or_dash(m.fragmentation);
    let mut text = format!(
        "metaslab {}: {free} free of {size} ({used}% allocated), fragmentation {frag}",
        m.id
    );
    if m.segments > 0 {
        let largest = nice_bytes(m.max_size);
        text.push_str(&format!(", {} free segments, the largest {largest}", m.segments));
    }
    if !m.weight_text.is_empty() {
        text.push_str(&format!(", weight {}", fit(&m.weight_text, 400.0, 10.0)));
    }
    text
}

fn group_words(cell: &[MetaslabView]) -> String {
    let [first, .., last] = cell else {
        return String::new();
    };
    let sum =
        |of: &dyn Fn(&MetaslabView) -> u64| cell.iter().fold(0u64, |s, m| s.saturating_add(of(m)));
    let (size, free) = (sum(&|m| m.size), sum(&|m| m.free));
    let used = percent(size.saturating_sub(free), size);
    let (free, size) = (nice_bytes(free), nice_bytes(size));
    let (first, last) = (first.id, last.id);
    format!("metaslabs {first} to {last}: {free} free of {size} ({used}% allocated)")
}
