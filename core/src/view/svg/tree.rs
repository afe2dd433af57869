//! One node of a range tree: a comb of children below their separators, or a leaf full of segments.

use super::SvgOptions;
use super::doc::{Font, MARGIN, Num, Rect, Svg, fit};
use crate::base::nice_bytes;
use crate::view::words::{log2, share};
use crate::view::{SegmentView, TreeNodeView};
use core::fmt::Write;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

const MAX_CHILDREN: usize = 127;
const MAX_SEGMENTS: usize = 510;

/// One node of a range tree and its children.
pub fn tree_node(node: &TreeNodeView, options: &SvgOptions) -> String {
    let mut svg = Svg::new(options);
    let path: String = node.path.iter().take(16).map(|c| format!("/{c}")).collect();
    let place = match path.as_str() {
        "" => "the root".to_string(),
        path => format!("node {path}"),
    };
    let kind = if node.leaf { "leaf" } else { "core node" };
    let name = format!("Range tree: {place}, a {kind}");
    let (held, capacity) = (node.segments.len(), node.capacity);
    let note = format!(
        "{held} of {capacity} segments in this node  \u{b7}  {} segments in {} nodes of the tree  \
         \u{b7}  {} of memory",
        node.segments_total,
        node.nodes_total,
        nice_bytes(node.memory)
    );
    svg.heading(&name, &note);
    let size = |s: &SegmentView| s.end.saturating_sub(s.start);
    let largest = node.segments.iter().map(size).max().unwrap_or(0);
    let top = largest.checked_ilog2().map_or(10, |log| log + 1).max(13);
    let ticks = [0, 1, 2, 3, 4].map(|q| nice_bytes(1u64 << (9 + (top - 9) * q / 4).min(63)));
    svg.legend("segment size", &ticks);
    let place = |s: &SegmentView| share(log2(size(s) as f64) - 9.0, f64::from(top - 9));
    match node.leaf {
        true => leaf(&mut svg, node, &place),
        false => core(&mut svg, node, &place),
    }
    svg.finish(&name, &note)
}

fn words(s: &SegmentView) -> String {
    let size = nice_bytes(s.end.saturating_sub(s.start));
    format!("{:#x} to {:#x}, {size}", s.start, s.end)
}

/// A place for each segment that fits; those in use are coloured.
fn leaf(svg: &mut Svg, node: &TreeNodeView, scale: &dyn Fn(&SegmentView) -> f64) {
    let slots = (node.capacity as usize).clamp(1, MAX_SEGMENTS);
    let columns = ((svg.room() / 26.0) as usize).clamp(1, 34);
    let side = svg.room() / columns as f64;
    for slot in 0..slots {
        let cell = Rect {
            x: MARGIN + side * (slot % columns) as f64,
            y: svg.y + 18.0 * (slot / columns) as f64,
            w: side - 2.0,
            h: 16.0,
        };
        match node.segments.get(slot) {
            Some(segment) => {
                let fill = svg.theme.scale(scale(segment));
                svg.rect(cell, 2.0, fill, &words(segment));
            }
            None => {
                let fill = svg.theme.track;
                svg.rect(cell, 2.0, fill, "unused");
            }
        }
    }
    svg.y += 18.0 * slots.div_ceil(columns) as f64 + 18.0;
    let small = svg.note_font();
    if let (Some(first), Some(last)) = (node.segments.first(), node.segments.last()) {
        let text = format!("from {:#x} to {:#x}", first.start, last.end);
        svg.text(MARGIN, svg.y, small, &text);
        svg.y += 12.0;
    }
}

/// Separators in a row; below, between them, a column a child, as high as it is full.
fn core(svg: &mut Svg, node: &TreeNodeView, scale: &dyn Fn(&SegmentView) -> f64) {
    const HIGH: f64 = 150.0;
    let children = node.children.get(..MAX_CHILDREN).unwrap_or(&node.children);
    let fullest = children.iter().map(|c| c.count).max().unwrap_or(0);
    let capacity = match (node.height, fullest) {
        (1, 255..) => 510,
        (1, _) => 254,
        _ => 126,
    };
    let step = (svg.room() / children.len().max(1) as f64).min(64.0);
    let wide = (step - 3.0).max(step * 0.7);
    let node_box = Rect { x: MARGIN, y: svg.y, w: step * children.len().max(1) as f64, h: 26.0 };
    let (track, accent, grid) = (svg.theme.track, svg.theme.accent, svg.theme.grid);
    svg.rect(node_box, 5.0, track, "this node");
    let mut links = String::new();
    let below = svg.y + 26.0;
    for index in 0..children.len() {
        let x = Num(MARGIN + step * (index as f64 + 0.5));
        let _ = write!(links, "M{x} {}v16", Num(below));
    }
    svg.line(&links, grid, 1.0);
    for (index, segment) in node.segments.iter().take(MAX_CHILDREN - 1).enumerate() {
        let cell = Rect {
            x: MARGIN + step * (index + 1) as f64 - (wide * 0.3).min(8.0),
            y: svg.y + 5.0,
            w: (wide * 0.6).min(16.0),
            h: 16.0,
        };
        let fill = svg.theme.scale(scale(segment));
        svg.rect(cell, 2.0, fill, &format!("separator {index}: {}", words(segment)));
    }
    let top = below + 16.0;
    for (index, child) in children.iter().enumerate() {
        let column = Rect {
            x: MARGIN + step * index as f64 + (step - wide) / 2.0,
            y: top,
            w: wide,
            h: HIGH,
        };
        svg.rect(column, 3.0, track, "");
        let filled = HIGH * share(child.count.into(), capacity.into());
        let bar = Rect { y: top + HIGH - filled, h: filled, ..column };
        let (count, first, last) = (child.count, child.first, child.last);
        let title = format!("child {index}: {count} of {capacity}, {first:#x} to {last:#x}");
        svg.rect(bar, 3.0, accent, &title);
    }
    captions(svg, node, children.len(), step, top + HIGH);
    svg.y = top + HIGH + 44.0;
}

fn captions(svg: &mut Svg, node: &TreeNodeView, children: usize, step: f64, bottom: f64) {
    let small = svg.note_font();
    let every = (30.0 / step) as usize + 1;
    for index in (0..children).step_by(every) {
        let x = MARGIN + step * (index as f64 + 0.5);
        let font = Font { size: 10.5, ..small.middle() };
        svg.text(x, bottom + 15.0, font, &index.to_string());
    }
    let ends: Vec<_> =
        [node.children.first(), node.children.last()].into_iter().flatten().collect();
    if let [first, last] = ends[..] {
        let text = format!(
            "children by index; height is how full each is; {:#x} to {:#x}",
            first.first, last.last
        );
        svg.text(MARGIN, bottom + 36.0, small, &fit(&text, svg.room(), 11.5));
    }
}
