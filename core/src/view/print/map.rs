//! The metaslabs of a pool as a table.

use super::{bar, cut, left, level, print_histogram, right};
use crate::base::nice_bytes;
use crate::view::words::{percent, percent_or_dash, share};
use crate::view::{MapView, MetaslabView, VdevMapView};
use core::fmt::Write;
use std_alloc::format;
use std_alloc::string::String;
use std_alloc::vec::Vec;

/// The metaslabs of a pool as text of at most `width` columns. Verbosity 0: some lines a vdev and a
/// picture of one character a metaslab; 1: a row a metaslab too; 2 and more: histograms too.
pub fn print_map(map: &MapView, verbosity: u8, width: u32) -> String {
    let mut out = String::new();
    let width = (width as usize).clamp(40, 400);
    let _ = writeln!(out, "{}", headline(map));
    if !map.fragmentation_table.is_empty() {
        let table = cut(&map.fragmentation_table, 20);
        let _ = writeln!(out, "fragmentation as OpenZFS {table} counts it");
    }
    for vdev in &map.vdevs {
        out.push('\n');
        head(&mut out, vdev);
        picture(&mut out, &vdev.metaslabs, width);
        if verbosity > 0 {
            table(&mut out, vdev, verbosity > 1, width);
        }
    }
    if map.vdevs.is_empty() {
        out.push_str("no vdev with metaslabs\n");
    }
    out
}

fn headline(map: &MapView) -> String {
    let name = match map.pool.as_str() {
        "" => "metaslabs",
        name => name,
    };
    let mut parts = Vec::from([format!("pool {}", cut(name, 60))]);
    if map.pool.is_empty() {
        parts = Vec::from(["metaslabs".into()]);
    }
    if map.txg.0 > 0 {
        parts.push(format!("txg {}", map.txg));
    }
    match map.log_space_maps {
        0 => {}
        1 => parts.push("1 log space map applied".into()),
        n => parts.push(format!("{n} log space maps applied")),
    }
    parts.join(", ")
}

fn head(out: &mut String, vdev: &VdevMapView) {
    let class = match vdev.class.as_str() {
        "" => String::new(),
        class => format!(", {}", cut(class, 20)),
    };
    let size = 1u64.checked_shl(vdev.metaslab_shift as u32).unwrap_or(0);
    let (count, name) = (vdev.metaslabs.len(), cut(&vdev.name, 80));
    let _ = write!(out, "vdev {} {name}{class}: {count} metaslabs", vdev.id);
    if vdev.metaslab_shift > 0 {
        let _ = write!(out, " of {}", nice_bytes(size));
    }
    if vdev.ashift > 0 {
        let _ = write!(out, ", ashift {}", vdev.ashift);
    }
    out.push('\n');
    let filled = percent(vdev.size.saturating_sub(vdev.free), vdev.size);
    let (free, size) = (nice_bytes(vdev.free), nice_bytes(vdev.size));
    let _ = write!(out, "  {free} free of {size} ({filled}% allocated)");
    if let Some(new) = vdev.fragmentation {
        let _ = write!(out, ", fragmentation {new}%");
    }
    if let Some(old) = vdev.fragmentation_old {
        let _ = write!(out, " (old table {old}%)");
    }
    if let Some(id) = vdev.embedded_log {
        let _ = write!(out, "\n  the embedded log is metaslab {id}");
    }
    out.push('\n');
}

/// A character a metaslab, in lines of tens.
fn picture(out: &mut String, metaslabs: &[MetaslabView], width: usize) {
    let tens = ((width - 10) / 10 * 10).max(10);
    for chunk in metaslabs.chunks(tens.min(100)) {
        let first = chunk.first().map_or(0, |m| m.id);
        let _ = write!(out, "  {first:>6} ");
        out.extend(chunk.iter().map(|m| match m.problem {
            Some(_) => '!',
            None => level(m.size.saturating_sub(m.free), m.size),
        }));
        out.push('\n');
    }
    let broken = metaslabs.iter().filter(|m| m.problem.is_some()).count();
    if !metaslabs.is_empty() {
        out.push_str("         a column a metaslab, as high as it is full");
        if broken > 0 {
            let _ = write!(out, "; ! cannot be read ({broken})");
        }
        out.push('\n');
    }
}

/// Whether the space map alone gives another figure.
fn unflushed(m: &MetaslabView) -> bool {
    m.problem.is_none() && m.free_flushed != m.free && m.unflushed_txg.0 > 0
}

/// What a row has room for.
struct Columns {
    bar: usize,
    space_map: bool,
    weight_kind: bool,
}

fn table(out: &mut String, vdev: &VdevMapView, histograms: bool, width: usize) {
    let columns = Columns {
        bar: match width.saturating_sub(97) {
            0..6 => 0,
            room => room.min(16),
        },
        space_map: width >= 100,
        weight_kind: width >= 90,
    };
    let bar = columns.bar;
    let filled = left("filled", bar + usize::from(bar > 0) + 4);
    let map = if columns.space_map { "  space map" } else { "" };
    let _ = writeln!(
        out,
        "\n  metaslab       offset{map}    free  {filled}  frag  segments  largest  weight"
    );
    for m in &vdev.metaslabs {
        row(out, m, &columns);
        if vdev.embedded_log == Some(m.id) {
            out.push_str("            the embedded log\n");
        }
        if let Some(problem) = &m.problem {
            let problem = cut(problem, width.max(60) - 12);
            let _ = writeln!(out, "            {problem}");
        }
        if histograms && unflushed(m) {
            let (map_alone, txg) = (nice_bytes(m.free_flushed), m.unflushed_txg);
            let _ = writeln!(
                out,
                "            * {map_alone} free by the space map alone; logs since txg {txg}"
            );
        }
        if histograms && m.histogram.iter().any(|&n| n > 0) {
            out.push_str(&print_histogram(&m.histogram, width as u32));
        }
    }
    if !histograms && vdev.metaslabs.iter().any(unflushed) {
        out.push_str("            * later changes, in log space maps, are counted too\n");
    }
}

fn row(out: &mut String, m: &MetaslabView, columns: &Columns) {
    let used = m.size.saturating_sub(m.free);
    let filled = right(&format!("{}%", percent(used, m.size)), 4);
    let mut fill = String::new();
    if columns.bar > 0 {
        let bar = bar(share(used as f64, m.size as f64), columns.bar);
        fill = left(&bar, columns.bar + 1);
    }
    let known = m.problem.is_none() && m.segments > 0;
    let or_dash = |text: String| if known { text } else { "-".into() };
    let map = match (columns.space_map, m.space_map.0) {
        (false, _) => String::new(),
        (true, 0) => right("-", 11),
        (true, id) => right(&format!("{id}"), 11),
    };
    let mut weight = match m.problem {
        None => m.weight_text.as_str(),
        Some(_) => "",
    };
    if !columns.weight_kind {
        weight = weight.strip_prefix("segment: ").unwrap_or(weight);
    }
    let star = if unflushed(m) { '*' } else { ' ' };
    let _ = write!(
        out,
        "  {:>8} {:>12x}{map}  {:>6}{star} {fill}{filled}  {:>4}  {:>8}  {:>7}  {}",
        m.id,
        m.offset,
        nice_bytes(m.free),
        percent_or_dash(m.fragmentation),
        or_dash(format!("{}", m.segments)),
        or_dash(nice_bytes(m.max_size)),
        cut(weight, 40),
    );
    while out.ends_with(' ') {
        out.pop();
    }
    out.push('\n');
}
