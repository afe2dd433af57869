//! One metaslab: numbers, its space, its histograms, its weight bit by bit.

use super::SvgOptions;
use super::bars::{Column, columns};
use super::doc::{Font, MARGIN, Num, Rect, Svg, fit, text_width};
use crate::alloc::{FragmentationTable, Weight};
use crate::base::{flag, nice_bytes};
use crate::view::words::{count, percent, percent_or_dash, share};
use crate::view::{MetaslabView, StripView, VdevMapView};
use core::fmt::Write;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// One metaslab: numbers, weight, histograms, and its space when a strip is given.
pub fn metaslab(
    vdev: &VdevMapView,
    metaslab: &MetaslabView,
    strip: Option<&StripView>,
    options: &SvgOptions,
) -> String {
    let m = metaslab;
    let mut svg = Svg::new(options);
    let name = format!("Metaslab {} of {}", m.id, vdev.name);
    svg.heading(&name, &note(vdev, m));
    if let Some(problem) = &m.problem {
        let font = Font { color: svg.theme.alarm, ..svg.body_font() };
        let text = fit(&format!("Cannot be read: {problem}"), svg.room(), 12.5);
        svg.text(MARGIN, svg.y, font, &text);
        svg.y += 24.0;
    }
    figures(&mut svg, m);
    if let Some(strip) = strip {
        space(&mut svg, strip);
    }
    histograms(&mut svg, m);
    weight(&mut svg, m.weight);
    let (free, size) = (nice_bytes(m.free), nice_bytes(m.size));
    let largest = nice_bytes(m.max_size);
    let description = format!(
        "{free} free of {size} in {} segments, the largest {largest}; weight {}",
        m.segments, m.weight_text
    );
    svg.finish(&name, &description)
}

fn note(vdev: &VdevMapView, m: &MetaslabView) -> String {
    let mut parts = Vec::from([format!("offset {:#x}", m.offset)]);
    if !vdev.class.is_empty() {
        parts.push(vdev.class.clone());
    }
    match m.space_map.0 {
        0 => parts.push("no space map yet".to_string()),
        id => {
            let used = nice_bytes(m.space_map_length);
            parts.push(format!("space map object {id}, {used}"));
        }
    }
    if m.unflushed_txg.0 > 0 {
        parts.push(format!("changes since txg {} in logs", m.unflushed_txg));
    }
    if vdev.embedded_log == Some(m.id) {
        parts.push("embedded log".to_string());
    }
    parts.join("  \u{b7}  ")
}

/// Big numbers with their names.
fn figures(svg: &mut Svg, m: &MetaslabView) {
    let used = percent(m.size.saturating_sub(m.free), m.size);
    let old = m.fragmentation_old.map(|old| format!("old table {old}%"));
    let all = [
        (nice_bytes(m.free), "free", format!("of {}", nice_bytes(m.size))),
        (format!("{used}%"), "allocated", String::new()),
        (percent_or_dash(m.fragmentation), "fragmentation", old.unwrap_or_default()),
        (count(m.segments as f64), "free segments", String::new()),
        (nice_bytes(m.max_size), "largest segment", String::new()),
    ];
    let step = svg.room() / all.len() as f64;
    for (index, (number, name, more)) in all.iter().enumerate() {
        let x = MARGIN + step * index as f64;
        let big = Font { size: 24.0, ..svg.title_font() };
        let small = svg.note_font();
        svg.text(x, svg.y + 16.0, big, number);
        if !more.is_empty() {
            let right = x + text_width(number, 28.0) + 8.0;
            let room = x + step - right;
            svg.text(right, svg.y + 16.0, small, &fit(more, room, 11.5));
        }
        svg.text(x, svg.y + 34.0, small, name);
    }
    svg.y += 58.0;
}

/// The strip as a skyline: as high as it is allocated.
fn space(svg: &mut Svg, strip: &StripView) {
    const HIGH: f64 = 72.0;
    section(svg, "Space", "height is the allocated share of each cell");
    let (room, top) = (svg.room(), svg.y);
    let area = Rect { x: MARGIN, y: top, w: room, h: HIGH };
    let track = svg.theme.track;
    svg.rect(area, 3.0, track, "");
    let group = strip.cells.len().div_ceil(2 * room as usize).max(1);
    let cells = strip.cells.len().div_ceil(group).max(1);
    let wide = room / cells as f64;
    let bottom = Num(top + HIGH);
    let mut path = format!("M{} {bottom}", Num(MARGIN));
    for (index, group) in strip.cells.chunks(group).enumerate() {
        let size = strip.cell_size as f64 * group.len() as f64;
        let last = strip.to.saturating_sub(strip.from) as f64
            - strip.cell_size as f64 * (strip.cells.len() - group.len()) as f64;
        let size = if index + 1 == cells { last.min(size) } else { size };
        let free = group.iter().map(|&c| c as f64).sum::<f64>();
        let y = top + HIGH * share(free, size);
        let x = MARGIN + wide * (index + 1) as f64;
        let _ = write!(path, "V{}H{}", Num(y), Num(x));
    }
    let _ = write!(path, "V{bottom}Z");
    let fill = svg.theme.scale(0.72);
    let cell = nice_bytes(strip.cell_size.saturating_mul(group as u64));
    let title = format!("{} free segments; a cell is {cell}", strip.segment_count);
    svg.area(&path, fill, &title);
    let small = svg.note_font();
    for quarter in 0..=4u64 {
        let part = strip.to.saturating_sub(strip.from) / 4;
        let at = strip.from.saturating_add(part.saturating_mul(quarter));
        let x = MARGIN + room * quarter as f64 / 4.0;
        let font = match quarter {
            0 => small,
            4 => small.end(),
            _ => small.middle(),
        };
        svg.text(x, top + HIGH + 16.0, font, &format!("{at:#x}"));
    }
    svg.y += HIGH + 36.0;
}

fn section(svg: &mut Svg, name: &str, note: &str) {
    let (head, small) = (svg.head_font(), svg.note_font());
    svg.y += 10.0;
    svg.text(MARGIN, svg.y, head, name);
    let x = MARGIN + text_width(name, 16.5) + 14.0;
    svg.text(x, svg.y, small, &fit(note, svg.width - MARGIN - x, 11.5));
    svg.y += 14.0;
}

/// Segments and bytes by size, coloured by what each size counts for fragmentation.
fn histograms(svg: &mut Svg, m: &MetaslabView) {
    let histogram = m.histogram.get(..64).unwrap_or(&m.histogram);
    let stored = |i: usize| m.histogram_stored.get(i).copied().unwrap_or(0);
    let any = |i: &usize| histogram.get(*i).is_some_and(|&n| n > 0) || stored(*i) > 0;
    let all = 0..histogram.len().max(m.histogram_stored.len().min(64));
    let Some(first) = all.clone().find(any) else {
        return;
    };
    let last = all.rev().find(any).unwrap_or(first);
    let table = FragmentationTable::New;
    let bars = |bytes: bool| -> Vec<Column> {
        (first..=last)
            .map(|i| {
                let n = histogram.get(i).copied().unwrap_or(0);
                let size = nice_bytes(1u64 << i.min(63));
                let value = n as f64 * if bytes { (1u64 << i.min(63)) as f64 } else { 1.0 };
                let percent = table.percent(i as u32);
                Column {
                    title: format!("{n} segments of {size} and more count {percent}% fragmented"),
                    label: size,
                    value,
                    mark: (!bytes && stored(i) > 0).then(|| stored(i) as f64),
                    color: svg.theme.scale(0.15 + f64::from(percent) / 118.0),
                }
            })
            .collect()
    };
    let (counts, bytes) = (bars(false), bars(true));
    let wide = (svg.room() - 36.0) / 2.0;
    let top = svg.y;
    section(svg, "Free segments by size", "the line is the stored count");
    let area = Rect { x: MARGIN, y: svg.y + 8.0, w: wide, h: 150.0 };
    columns(svg, area, &counts, &count);
    let right = Rect { x: MARGIN + wide + 36.0, ..area };
    let (head, small) = (svg.head_font(), svg.note_font());
    svg.text(right.x, top + 10.0, head, "Free bytes by size");
    let x = right.x + text_width("Free bytes by size", 16.5) + 14.0;
    let room = svg.width - MARGIN - x;
    svg.text(x, top + 10.0, small, &fit("at least; darker counts as more fragmented", room, 11.5));
    columns(svg, right, &bytes, &|v| nice_bytes(v as u64));
    svg.y = area.y + area.h + 36.0;
}

/// 64 squares, and each part in words.
fn weight(svg: &mut Svg, weight: u64) {
    let encoded = Weight(weight);
    section(svg, "Weight", &format!("{weight:#018x}, {encoded}"));
    svg.y += 4.0;
    let fields = encoded.fields();
    let side = svg.room() / 64.0;
    let field_of = |bit: u32| {
        let holds = |bits: &str| {
            let (high, low) = bits.split_once('-').unwrap_or((bits, bits));
            let number = |text: &str| text.parse::<u32>().unwrap_or(0);
            (number(low)..=number(high)).contains(&bit)
        };
        fields.iter().position(|f| holds(f.bits)).unwrap_or(0)
    };
    for bit in (0..64u32).rev() {
        let field = field_of(bit);
        let set = flag(weight, bit);
        let square =
            Rect { x: MARGIN + side * f64::from(63 - bit), y: svg.y, w: side - 1.5, h: side - 1.5 };
        let (fill, value) = match set {
            true => (svg.theme.named(field), 1),
            false => (svg.theme.track, 0),
        };
        let name = fields.get(field).map_or("", |f| f.name);
        svg.rect(square, 2.0, fill, &format!("bit {bit}, {name}: {value}"));
    }
    svg.y += side + 16.0;
    let (body, half) = (svg.body_font(), svg.room() / 2.0);
    for (index, field) in fields.iter().enumerate() {
        let x = MARGIN + half * (index % 2) as f64;
        let mark = Rect { x, y: svg.y - 9.0, w: 11.0, h: 11.0 };
        let color = svg.theme.named(index);
        svg.rect(mark, 2.5, color, "");
        let (bits, name, value, meaning) = (field.bits, field.name, field.value, &field.meaning);
        let text = format!("{bits}  {name} = {value}: {meaning}");
        svg.text(x + 18.0, svg.y, body, &fit(&text, half - 24.0, 12.5));
        if index % 2 == 1 || index + 1 == fields.len() {
            svg.y += 20.0;
        }
    }
}
