//! One metaslab in full, its segments, its tree.

use super::{LEVELS, cut, left, level};
use crate::alloc::{FragmentationTable, Weight};
use crate::base::nice_bytes;
use crate::view::words::percent;
use crate::view::{MetaslabView, SegmentView, StripView, TreeNodeView, VdevMapView};
use core::fmt::Write;
use std_alloc::format;
use std_alloc::string::String;

/// One metaslab in full: sizes, weight bit by bit, histograms, and the strip when there is one.
pub fn print_metaslab(
    vdev: &VdevMapView,
    metaslab: &MetaslabView,
    strip: Option<&StripView>,
    width: u32,
) -> String {
    let m = metaslab;
    let mut out = String::new();
    let (name, class) = (cut(&vdev.name, 60), cut(&vdev.class, 20));
    let _ = writeln!(out, "metaslab {} of vdev {} {name}, {class}", m.id, vdev.id);
    if vdev.embedded_log == Some(m.id) {
        out.push_str("  OpenZFS takes it for the embedded log\n");
    }
    if let Some(problem) = &m.problem {
        let _ = writeln!(out, "  cannot be read: {}", cut(problem, 400));
    }
    let mut line = |name: &str, text: String| {
        let _ = writeln!(out, "  {name:<14} {text}");
    };
    let size = nice_bytes(m.size);
    line("offset", format!("{:#x}, {size} long", m.offset));
    let share = percent(m.free, m.size);
    line("free", format!("{} of {size} ({share}%)", nice_bytes(m.free)));
    let map = match m.space_map.0 {
        0 => "none yet: nothing was ever allocated here".into(),
        id => format!(
            "object {id}, {} used, {} free by it alone",
            nice_bytes(m.space_map_length),
            nice_bytes(m.free_flushed)
        ),
    };
    line("space map", map);
    if m.unflushed_txg.0 > 0 {
        let text = format!("changes since txg {} are in log space maps", m.unflushed_txg);
        line("unflushed", text);
    }
    if m.problem.is_none() {
        line("fragmentation", fragmentation_line(m));
        let largest = nice_bytes(m.max_size);
        line("free segments", format!("{}, the largest {largest}", m.segments));
        weight(&mut out, m.weight);
    }
    histograms(&mut out, m, width);
    if let Some(strip) = strip {
        out.push('\n');
        out.push_str(&print_strip(strip, width));
    }
    out
}

fn fragmentation_line(m: &MetaslabView) -> String {
    match (m.fragmentation, m.fragmentation_old) {
        (Some(new), Some(old)) => {
            let [new_name, old_name] = [FragmentationTable::New, FragmentationTable::Old];
            let (new_name, old_name) = (new_name.name(), old_name.name());
            format!("{new}% by the table since {new_name}, {old}% by that since {old_name}")
        }
        (Some(one), None) | (None, Some(one)) => format!("{one}%"),
        (None, None) => "unknown: the space map has no histogram".into(),
    }
}

fn weight(out: &mut String, weight: u64) {
    let _ = writeln!(out, "  {:<14} {weight:#018x}", "weight");
    for field in Weight(weight).fields() {
        let (bits, name, value) = (field.bits, field.name, field.value);
        let meaning = field.meaning;
        let _ = writeln!(out, "    {bits:>5}  {name:<9} {value:>8}  {meaning}");
    }
}

/// Both histograms side by side, the stored one only where it differs from the true one.
fn histograms(out: &mut String, m: &MetaslabView, width: u32) {
    if m.histogram.iter().any(|&n| n > 0) {
        out.push_str("\n  free segments by log2 of bytes\n");
        out.push_str(&print_histogram(&m.histogram, width));
    }
    let trimmed = |h: &[u64]| h.iter().rposition(|&n| n > 0).map_or(0, |i| i + 1);
    let stored = m.histogram_stored.get(..trimmed(&m.histogram_stored));
    let now = m.histogram.get(..trimmed(&m.histogram));
    if stored != now && !m.histogram_stored.is_empty() {
        out.push_str(
            "\n  as the space map stores it: neighbours freed at different times count apart\n",
        );
        out.push_str(&print_histogram(&m.histogram_stored, width));
    }
}

/// A histogram by log2 of bytes as `zdb` prints it: stars scaled to the largest count. The size
/// that a row begins with stands behind the stars.
pub fn print_histogram(histogram: &[u64], width: u32) -> String {
    let mut out = String::new();
    let Some(first) = histogram.iter().position(|&n| n > 0) else {
        return out;
    };
    let last = histogram.iter().rposition(|&n| n > 0).unwrap_or(first);
    let most = (width as usize).saturating_sub(44).clamp(10, 40);
    let scale = histogram.iter().copied().max().unwrap_or(1).max(most as u64);
    for (index, &count) in histogram.iter().enumerate().take(last + 1).skip(first) {
        let stars = (u128::from(count) * most as u128).div_ceil(scale.into());
        let stars: String = (0..stars).map(|_| '*').collect();
        let size = 1u64.checked_shl(index as u32).map_or("-".into(), nice_bytes);
        let stars = left(&stars, most);
        let _ = writeln!(out, "{:25}{index:>2}: {count:>6} {stars} {size:>5}", "");
    }
    out
}

/// Free segments, a line each.
pub fn print_segments(segments: &[SegmentView]) -> String {
    let mut out = String::new();
    if segments.is_empty() {
        out.push_str("no free segment\n");
        return out;
    }
    let _ = writeln!(out, "{:>9}  {:>16}  {:>16}  {:>6}", "segment", "start", "end", "size");
    for (index, s) in segments.iter().enumerate() {
        let size = nice_bytes(s.end.saturating_sub(s.start));
        let _ = writeln!(out, "{index:>9}  {:>16x}  {:>16x}  {size:>6}", s.start, s.end);
    }
    out
}

/// The stretch of a metaslab as a few lines of columns, each as high as it is full.
pub fn print_strip(strip: &StripView, width: u32) -> String {
    let mut out = String::new();
    let columns = ((width as usize).clamp(40, 400) - 20) / 10 * 10;
    let lines = strip.cells.len().div_ceil(columns).clamp(1, 8);
    let group = strip.cells.len().div_ceil(lines * columns).max(1);
    let cell = strip.cell_size.saturating_mul(group as u64);
    let mut columns_of = strip.cells.chunks(group).map(|cells| {
        let free: u64 = cells.iter().fold(0, |sum, &c| sum.saturating_add(c));
        let size = strip.cell_size.saturating_mul(cells.len() as u64);
        level(size.saturating_sub(free), size)
    });
    let mut at = strip.from;
    loop {
        let line: String = columns_of.by_ref().take(columns).collect();
        if line.is_empty() {
            break;
        }
        let _ = writeln!(out, "  {at:>14x}  {line}");
        at = at.saturating_add(cell.saturating_mul(columns as u64));
    }
    let (full, empty) = (LEVELS[8], LEVELS[0]);
    let (size, count) = (nice_bytes(cell), strip.segment_count);
    let _ = writeln!(
        out,
        "  a column is {size}: {full} allocated, {empty} free; {count} free segments"
    );
    out
}

/// One node of a range tree.
pub fn print_tree_node(node: &TreeNodeView, width: u32) -> String {
    let mut out = String::new();
    let path: String = node.path.iter().map(|c| format!("/{c}")).collect();
    let kind = if node.leaf { "leaf" } else { "core node" };
    let place = if path.is_empty() { "root".into() } else { path };
    let (held, capacity) = (node.segments.len(), node.capacity);
    let above = match node.height {
        0 => "",
        1 => ", right above the leaves",
        _ => ", above core nodes",
    };
    let _ = writeln!(out, "{place}: {kind}, {held} of {capacity} segments{above}");
    let _ = writeln!(
        out,
        "  the tree: {} segments in {} nodes, {} of memory",
        node.segments_total,
        node.nodes_total,
        nice_bytes(node.memory)
    );
    for (index, child) in node.children.iter().enumerate() {
        let (count, first, last) = (child.count, child.first, child.last);
        let _ = writeln!(out, "  child {index:>3}: {count:>3} segments, {first:#x} to {last:#x}");
        if let Some(s) = node.segments.get(index) {
            let size = nice_bytes(s.end.saturating_sub(s.start));
            let _ = writeln!(out, "    between: {:#x} to {:#x}, {size}", s.start, s.end);
        }
    }
    if node.children.is_empty() {
        let mut at = 0;
        for s in &node.segments {
            let text = format!("{:x}+{}", s.start, nice_bytes(s.end.saturating_sub(s.start)));
            let need = text.len() + 2;
            if at > 0 && at + need > width as usize {
                out.push('\n');
                at = 0;
            }
            let _ = write!(out, "  {text}");
            at += need;
        }
        out.push('\n');
    }
    out
}
