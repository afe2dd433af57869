//! What `zpool list` tells: how full, how fragmented, how even, what can grow.

use super::pool_list::{ListPool, ListRow, ListText, ListVdev, parse};
use super::reading::Reading;
use super::text::{Line, bytes_text, median, nice_slack, plural, range, wrapped};
use super::verdict::decide;
use crate::view::Picture;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Vdevs described one by one.
const DETAILED: usize = 32;

/// Reads the lines of `zpool list`.
pub(crate) fn read(lines: &[Line<'_>]) -> Reading {
    let mut reading = Reading::new("zpool list");
    let text = parse(lines, &mut reading);
    let tree = text.pools.iter().any(|p| !p.vdevs.is_empty());
    if tree {
        reading.kind = "zpool list -v".to_string();
    }
    reading.rows = text
        .pools
        .iter()
        .map(|p| {
            u64::from(p.row.is_some())
                + p.vdevs.iter().map(|v| 1 + v.leaves.len() as u64).sum::<u64>()
        })
        .sum();
    reading.version = version(&text);
    for pool in text.pools.iter().take(DETAILED) {
        if let Some(row) = &pool.row {
            one_pool(row, &mut reading);
        }
        vdevs(pool, &mut reading);
    }
    across(&text, &mut reading);
    own_verdict(&text, &mut reading);
    reading
}

fn version(text: &ListText) -> String {
    let has = |c: &str| text.columns.iter().any(|x| x == c);
    let vdevs = || text.pools.iter().flat_map(|p| &p.vdevs);
    let leaf = vdevs().flat_map(|v| &v.leaves).any(|l| l.text("SIZE").is_some());
    let decimals = vdevs().any(|v| v.row.text("CAP").is_some_and(|c| c.contains('.')));
    if leaf {
        "2.2 or later (devices show a size)"
    } else if has("CKPOINT") || decimals {
        "0.8 or later (CKPOINT column)"
    } else if has("FRAG") {
        "0.6.4 to 0.7 (FRAG, no CKPOINT)"
    } else {
        "0.6.3 or older (no FRAG)"
    }
    .to_string()
}

fn one_pool(row: &ListRow, reading: &mut Reading) {
    let get = |c| row.number(c).unwrap_or(0.0);
    let (size, alloc, free) = (get("SIZE"), get("ALLOC"), get("FREE"));
    let name = &row.name;
    let percent = |c: &str| row.number(c).map_or("unknown".to_string(), |p| format!("{p:.0}%"));
    reading.value(
        "cap",
        get("CAP"),
        format!(
            "{name}: {} of {} allocated, {} free; CAP {}, FRAG {}{}.",
            bytes_text(alloc),
            bytes_text(size),
            bytes_text(free),
            percent("CAP"),
            percent("FRAG"),
            if row.health.is_empty() { String::new() } else { format!(", {}", row.health) }
        ),
    );
    reading.note("frag", row.number("FRAG").unwrap_or(-1.0));
    reading.note("free", free);
    reading.note("size", size);
    reading.note("alloc", alloc);
    if let Some(cap) = row.number("CAP") {
        reading.raise("cap_percent", cap);
        let old = reading.readings.number("lowest_cap").unwrap_or(101.0);
        reading.set("lowest_cap", cap.min(old));
    }
    if let Some(frag) = row.number("FRAG") {
        reading.raise("frag_percent", frag);
        reading.set("free_bytes", free);
        reading.set("size_bytes", size);
    }
    if !row.health.is_empty() && row.health != "ONLINE" {
        reading.warn(format!("{name} is {}.", row.health));
    }
    adds_up(row, reading);
    expand(row, reading);
    if let Some(check) = row.number("CKPOINT").filter(|c| *c > 0.0) {
        reading.value(
            "checkpoint",
            check,
            format!("{name}: a checkpoint holds {}.", bytes_text(check)),
        );
    }
    let slop = (size / 32.0).clamp(128.0 * 1048576.0, 128.0 * 1073741824.0);
    if size > 0.0 && free < size * 0.1 && !reading.readings.has("above_slop") {
        reading.set("above_slop", free - slop);
        reading.value(
            "above_slop",
            free - slop,
            format!(
                "{name}: {} of the free space is reserved (slop: 1/32, at least 128 MiB, at most \
                 128 GiB in \
                 2.1 and later): {} left for data.",
                bytes_text(slop.min(free)),
                bytes_text((free - slop).max(0.0))
            ),
        );
    }
}

/// size = alloc + free, and CAP = alloc / size, to the printed digits.
fn adds_up(row: &ListRow, reading: &mut Reading) {
    let (Some(size), Some(alloc), Some(free)) =
        (row.number("SIZE"), row.number("ALLOC"), row.number("FREE"))
    else {
        return;
    };
    let slack =
        ["SIZE", "ALLOC", "FREE"].iter().filter_map(|c| row.text(c)).map(nice_slack).sum::<f64>();
    let off = size - alloc - free;
    if off > slack || -off > slack {
        let text = format!(
            "{}: ALLOC + FREE is {}, SIZE {}.",
            row.name,
            bytes_text(alloc + free),
            bytes_text(size)
        );
        reading.check(false, "size_recomputed", alloc + free, text);
    }
    if let Some(cap) = row.number("CAP").filter(|_| size > 0.0) {
        let again = alloc / size * 100.0;
        let near = again - cap < 1.6 && cap - again < 1.6;
        if !near {
            let text = format!("{}: CAP {cap} is printed, ALLOC / SIZE is {again:.1}%.", row.name);
            reading.check(false, "cap_recomputed", again, text);
        }
    }
}

/// What EXPANDSZ says: room to grow, or a negative number shown unsigned.
fn expand(row: &ListRow, reading: &mut Reading) {
    if let Some(signed) = row.exact("EXPANDSZ").and_then(wrapped) {
        reading.warn_value(
            "expandsz",
            signed as f64,
            format!(
                "{}: EXPANDSZ {} is a negative number shown unsigned ({signed}): a bug, the vdev \
                 cannot grow.",
                row.name,
                row.text("EXPANDSZ").unwrap_or("")
            ),
        );
        reading.set("expandsz_wrapped", 1.0);
    } else if let Some(bytes) = row.number("EXPANDSZ").filter(|b| *b > 0.0) {
        reading.value(
            "expandsz",
            bytes,
            format!(
                "{}: EXPANDSZ {}: its devices are larger than what is used; zpool online -e \
                takes it in.",
                row.name,
                row.text("EXPANDSZ").unwrap_or("")
            ),
        );
    }
}

/// How full a vdev is: as printed when that has decimals, else recomputed.
fn full(row: &ListRow) -> Option<f64> {
    if row.text("CAP").is_some_and(|c| c.contains(['.', ','])) {
        return row.number("CAP");
    }
    let (size, alloc) = (row.number("SIZE")?, row.number("ALLOC")?);
    (size > 0.0).then(|| alloc / size * 100.0)
}

fn vdevs(pool: &ListPool, reading: &mut Reading) {
    if pool.vdevs.is_empty() {
        return;
    }
    for vdev in pool.vdevs.iter().filter(|v| !v.row.name.is_empty()).take(DETAILED) {
        one_vdev(pool, vdev, reading);
    }
    let name = pool.row.as_ref().map_or("the pool", |r| r.name.as_str());
    mixed(pool, reading);
    evenness(pool, name, reading);
    rest(pool, name, reading);
    special(pool, reading);
    let bars: Vec<(String, f64)> = pool
        .vdevs
        .iter()
        .filter_map(|v| Some((v.row.name.clone(), full(&v.row)?)))
        .take(200)
        .collect();
    if !bars.is_empty() {
        let title = format!("How full the vdevs of {name} are");
        reading.pictures.push(Picture::Bars { title, unit: "%".to_string(), bars });
    }
}

fn one_vdev(pool: &ListPool, vdev: &ListVdev, reading: &mut Reading) {
    let row = &vdev.row;
    let get = |c: &str| row.text(c).unwrap_or("-");
    let size = |c: &str| row.number(c).map_or("-".to_string(), bytes_text);
    let class = if vdev.class == "normal" { String::new() } else { format!(" ({})", vdev.class) };
    let share =
        pool.row.as_ref().and_then(|p| p.number("ALLOC")).filter(|_| vdev.class == "normal");
    let share =
        share.map_or(String::new(), |all| format!(" of the {} in the pool", bytes_text(all)));
    let fill = full(row).map_or(String::new(), |f| format!(", {f:.1}% full"));
    reading.value(
        "vdev_full_percent",
        full(row).unwrap_or(0.0),
        format!(
            "{}{class}: holds {}{share}{fill} (CAP {}, FRAG {}), {} free.",
            row.name,
            size("ALLOC"),
            get("CAP"),
            get("FRAG"),
            size("FREE")
        ),
    );
    adds_up(row, reading);
    expand(row, reading);
    let bad =
        vdev.leaves.iter().chain([row]).filter(|r| !r.health.is_empty() && r.health != "ONLINE");
    for sick in bad.take(8) {
        reading.warn(format!("{} is {}.", sick.name, sick.health));
    }
}

/// Kinds of vdevs side by side.
fn mixed(pool: &ListPool, reading: &mut Reading) {
    let mut kinds: Vec<&str> = Vec::new();
    for vdev in pool.vdevs.iter().filter(|v| v.class == "normal" && !v.row.name.is_empty()) {
        let base = vdev.row.name.split('-').next().unwrap_or("");
        let group =
            base.starts_with("mirror") || base.starts_with("raidz") || base.starts_with("draid");
        let kind = if group { base } else { "single disk" };
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    if kinds.len() > 1 {
        reading.warn_value(
            "vdev_kinds",
            kinds.len() as f64,
            format!(
                "{} are mixed in one pool: speed and safety differ from block to block.",
                kinds.join(" and ")
            ),
        );
    }
}

/// Which vdevs are fuller or emptier than the rest.
fn evenness(pool: &ListPool, name: &str, reading: &mut Reading) {
    let fills: Vec<(&str, f64)> = pool
        .vdevs
        .iter()
        .filter(|v| v.class == "normal")
        .filter_map(|v| Some((v.row.name.as_str(), full(&v.row)?)))
        .collect();
    let values: Vec<f64> = fills.iter().map(|(_, f)| *f).collect();
    let Some((low, high)) = range(&values).filter(|_| values.len() > 1) else {
        return;
    };
    let middle = median(&values);
    reading.value(
        "fill_spread",
        high - low,
        format!("Vdevs of {name} are {low:.1}% to {high:.1}% full, median {middle:.1}%."),
    );
    let frags: Vec<f64> = pool.vdevs.iter().filter_map(|v| v.row.number("FRAG")).collect();
    if let Some((low, high)) = range(&frags) {
        reading.value("vdev_frag_max", high, format!("FRAG of the vdevs: {low:.0} to {high:.0}."));
    }
    let emptier: Vec<String> = fills
        .iter()
        .filter(|(_, f)| *f < middle - 2.5)
        .take(12)
        .map(|(n, f)| format!("{n} ({f:.1}%)"))
        .collect();
    if !emptier.is_empty() && high - low >= 3.0 {
        let text = format!("Emptier than the rest, so probably newer: {}.", emptier.join(", "));
        reading.value("emptier", emptier.len() as f64, text);
    }
}

/// What the vdevs that are not shown must hold.
fn rest(pool: &ListPool, name: &str, reading: &mut Reading) {
    let Some(row) = &pool.row else { return };
    let shown = |c: &str| -> f64 {
        pool.vdevs.iter().filter(|v| v.class == "normal").filter_map(|v| v.row.number(c)).sum()
    };
    let get = |c: &str| row.number(c).unwrap_or(0.0);
    let (size, alloc) = (get("SIZE") - shown("SIZE"), get("ALLOC") - shown("ALLOC"));
    let free = get("FREE") - shown("FREE");
    if get("SIZE") <= 0.0 || size < get("SIZE") * 0.03 || alloc < 0.0 {
        return;
    }
    let share = alloc / size * 100.0;
    reading.value(
        "rest_full_percent",
        share,
        format!(
            "The vdevs of {name} that are not shown hold {} of {} ({share:.1}% full), {} free.",
            bytes_text(alloc),
            bytes_text(size),
            bytes_text(free)
        ),
    );
    let sizes: Vec<f64> = pool.vdevs.iter().filter_map(|v| v.row.number("SIZE")).collect();
    let one = median(&sizes);
    let equal = sizes.iter().all(|s| *s <= one * 1.02 && *s >= one * 0.98);
    if equal && sizes.len() >= 2 && one > 0.0 {
        let count = (get("SIZE") / one + 0.5) as u64;
        reading.value(
            "vdevs",
            count as f64,
            format!("By its size {name} has about {}.", plural(count, "such vdev")),
        );
    }
    let first = pool.vdevs.iter().find(|v| v.class == "normal");
    if let Some(vdev) = first.filter(|_| pool.vdevs.len() == 1) {
        let (held, left) = (full(&vdev.row).unwrap_or(0.0), vdev.row.number("FREE").unwrap_or(0.0));
        if held > share + 10.0 {
            reading.say("fuller_vdev", &vdev.row.name);
            reading.set("fuller_percent", held);
            reading.set("rest_percent", share);
            reading.set("fuller_free", left);
            reading.set("rest_free", free);
            reading.set("fuller_alloc", vdev.row.number("ALLOC").unwrap_or(0.0));
            reading.set("pool_alloc", get("ALLOC"));
        }
    }
}

/// How full the special class is.
fn special(pool: &ListPool, reading: &mut Reading) {
    let class: Vec<&ListVdev> = pool.vdevs.iter().filter(|v| v.class == "special").collect();
    let sum = |c: &str| -> f64 { class.iter().filter_map(|v| v.row.number(c)).sum() };
    let (size, alloc) = (sum("SIZE"), sum("ALLOC"));
    if size <= 0.0 {
        return;
    }
    let share = alloc / size * 100.0;
    let each: Vec<String> = class
        .iter()
        .filter_map(|v| {
            Some(format!(
                "{:.1}% ({} free, FRAG {})",
                full(&v.row)?,
                v.row.text("FREE")?,
                v.row.text("FRAG").unwrap_or("-")
            ))
        })
        .collect();
    reading.value(
        "special_percent",
        share,
        format!("The special class is {share:.1}% full: {}.", each.join(", ")),
    );
    let fullest = class.iter().filter_map(|v| full(&v.row)).fold(share, f64::max);
    reading.raise("special_percent", fullest);
    reading.set("special_class_percent", share);
}

/// Several pools side by side.
fn across(text: &ListText, reading: &mut Reading) {
    let rows: Vec<&ListRow> = text.pools.iter().filter_map(|p| p.row.as_ref()).collect();
    if rows.len() < 2 {
        return;
    }
    let caps: Vec<f64> = rows.iter().filter_map(|r| r.number("CAP")).collect();
    let frags: Vec<f64> = rows.iter().filter_map(|r| r.number("FRAG")).collect();
    let show = |values: &[f64]| {
        range(values).map_or("unknown".to_string(), |(a, b)| {
            if a == b { format!("{a:.0}%") } else { format!("{a:.0}% to {b:.0}%") }
        })
    };
    reading.value(
        "pools",
        rows.len() as f64,
        format!(
            "{}: CAP {}, FRAG {}.",
            plural(rows.len() as u64, "pool"),
            show(&caps),
            show(&frags)
        ),
    );
    let bars = rows.iter().filter_map(|r| Some((r.name.clone(), r.number("CAP")?))).collect();
    reading.pictures.push(Picture::Bars {
        title: "How full the pools are".to_string(),
        unit: "%".to_string(),
        bars,
    });
}

fn own_verdict(text: &ListText, reading: &mut Reading) {
    if decide(&reading.readings).next().is_some() {
        return;
    }
    let row = text.pools.iter().find_map(|p| p.row.as_ref());
    let vdevs: Vec<&ListVdev> = text.pools.iter().flat_map(|p| &p.vdevs).collect();
    let fills: Vec<f64> = vdevs.iter().filter_map(|v| full(&v.row)).collect();
    reading.verdict = match (row, range(&fills)) {
        (Some(row), _) => format!(
            "{} is {} full with FRAG {}: there is room. FRAG speaks of the free space, not of \
             files.",
            row.name,
            row.text("CAP").unwrap_or("?"),
            row.text("FRAG").unwrap_or("unknown")
        ),
        (None, Some((low, high))) => {
            format!("{} shown, {low:.1}% to {high:.1}% full.", plural(fills.len() as u64, "vdev"))
        }
        _ => "No whole row of zpool list is in the text.".to_string(),
    };
    reading.next =
        "zdb -mm: which pieces the free space comes in; zpool iostat -v: who gets the writes."
            .to_string();
}
