//! What `zdb -m` tells: sizes, free space, largest segments, fragmentation by both tables, checks.

use super::frag;
use super::reading::Reading;
use super::text::{Line, bytes_text, nice_slack, plural};
use super::zdb_metaslabs::{GroupRow, MetaslabRow, MetaslabText, VdevRows, parse};
use super::zdb_metaslabs_map::view;
use crate::base::nice_bytes;
use crate::view::Picture;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Metaslabs described one by one; the rest is only in the picture.
const DETAILED: usize = 40;

/// Reads the lines of the `zdb -m` family.
pub(crate) fn read(lines: &[Line<'_>]) -> Reading {
    let mut reading = Reading::default();
    let text = parse(lines, &mut reading);
    reading.rows = text.vdevs.iter().map(|v| v.rows.len() as u64).sum::<u64>()
        + text.vdevs.iter().map(|v| v.allocated.0).sum::<u64>()
        + text.groups.len() as u64;
    reading.kind = kind(&text).to_string();
    reading.version = version(&text);
    let mut views = Vec::new();
    for vdev in &text.vdevs {
        if let Some(facts) = Facts::of(vdev) {
            describe(vdev, &facts, &mut reading);
            histograms(vdev, &mut reading);
            views.push(view(vdev, &facts));
        }
        allocated_map(vdev, &mut reading);
    }
    groups(&text.groups, &mut reading);
    if text.doubled > 0 {
        let rows = plural(text.doubled, "row");
        reading.info(format!("{rows} came twice and counted once."));
    }
    if text.log_space_maps > 0 {
        let maps = plural(text.log_space_maps, "log space map");
        reading.info(format!("{maps} listed: changes not yet in the metaslabs' own space maps."));
    }
    verdict(&text, &mut reading);
    if !views.is_empty() {
        let mut picture = Picture::of_vdevs("Metaslabs".to_string(), String::new(), views);
        if let Picture::Map { map, .. } = &mut picture {
            map.log_space_maps = text.log_space_maps;
            map.fragmentation_table = "2.3.1".to_string();
        }
        reading.pictures.push(picture);
    }
    reading
}

fn rows(text: &MetaslabText) -> impl Iterator<Item = &MetaslabRow> {
    text.vdevs.iter().flat_map(|v| &v.rows)
}

fn kind(text: &MetaslabText) -> &'static str {
    let none = rows(text).next().is_none();
    if rows(text).any(|r| r.entries > 0) {
        "zdb -mmmm"
    } else if rows(text).any(|r| r.segments.is_some() || !r.loaded.is_empty()) {
        "zdb -mmm"
    } else if rows(text).any(|r| !r.histogram.is_empty() || r.fragmentation.is_some()) {
        "zdb -mm"
    } else if none && !text.groups.is_empty() {
        "zdb -M"
    } else if none && text.vdevs.iter().any(|v| v.allocated.0 > 0) {
        "zdb --allocated-map"
    } else {
        "zdb -m"
    }
}

/// Which versions print like this, and by what one sees it.
fn version(text: &MetaslabText) -> String {
    let vdevs = || text.vdevs.iter();
    let smp = rows(text).any(|r| r.smp_alloc.is_some() || r.smp_length.is_some());
    let histogram = rows(text).any(|r| r.fragmentation.is_some() || !r.histogram.is_empty());
    let none = rows(text).next().is_none();
    let hint = if none && !text.groups.is_empty() {
        "0.6.4 or later (zdb -M; the normal class only, with -MM special too since 2.2)"
    } else if vdevs().any(|v| v.shift.is_some()) || vdevs().any(|v| v.allocated.0 > 0) {
        "2.3.6, 2.4 or later (metaslab shift on the vdev line, or an allocated map)"
    } else if vdevs().any(|v| v.unflushed_object.is_some())
        || rows(text).any(|r| r.unflushed_txg.is_some())
    {
        "2.0 or later (log space maps are on)"
    } else if smp && text.last_rule == Some(12) {
        "0.8 or later (space map object lines behind each row, rule of 12 dashes)"
    } else if smp {
        "0.8 or later (space map object lines behind each row)"
    } else if text.last_rule == Some(13) && histogram {
        "0.6.4 to 0.7 (histograms, last rule of 13 dashes)"
    } else if text.last_rule == Some(13) {
        "0.7 or older (last rule of 13 dashes, no space map object lines)"
    } else if text.last_rule == Some(12) {
        "0.8 or later (last rule of 12 dashes)"
    } else if histogram {
        "0.6.4 or later (it prints histograms)"
    } else {
        "0.7 or older, as far as rows without space map object lines tell"
    };
    hint.to_string()
}

/// What holds for all metaslabs of one vdev.
pub(crate) struct Facts {
    /// Bytes of a metaslab; 0 when nothing tells.
    pub(crate) size: u64,
    /// Its binary logarithm when it is a power of two.
    pub(crate) shift: Option<u32>,
    /// How the size was found.
    how: String,
    /// Bytes free in the rows shown.
    pub(crate) free: f64,
}

impl Facts {
    fn of(vdev: &VdevRows) -> Option<Self> {
        vdev.rows.first()?;
        let (size, how) = size_of(vdev);
        Some(Self {
            size,
            shift: size.is_power_of_two().then(|| size.trailing_zeros()),
            how,
            free: vdev.rows.iter().map(|r| r.free).sum(),
        })
    }

    fn seen(&self, vdev: &VdevRows) -> f64 {
        self.size as f64 * vdev.rows.len() as f64
    }
}

/// The size of a metaslab: by the heading, by the step between offsets, or by free + allocated.
fn size_of(vdev: &VdevRows) -> (u64, String) {
    if let Some(shift) = vdev.shift {
        return (1 << shift, "by the heading".to_string());
    }
    let mut steps: Vec<u64> = vdev
        .rows
        .windows(2)
        .filter_map(|pair| match pair {
            [a, b] => {
                let ids = b.id.checked_sub(a.id)?;
                b.offset.checked_sub(a.offset)?.checked_div(ids)
            }
            _ => None,
        })
        .collect();
    steps.extend(vdev.rows.iter().filter_map(|r| r.offset.checked_div(r.id)));
    steps.retain(|s| *s > 0);
    steps.sort_unstable();
    if let Some(step) = steps.get(steps.len() / 2) {
        return (*step, format!("offset step 0x{step:x}"));
    }
    let whole = vdev.rows.iter().find_map(|r| Some(r.smp_alloc? as f64 + r.free));
    match whole {
        Some(bytes) if bytes > 0.0 => {
            let power = (bytes as u64).checked_next_power_of_two().unwrap_or(0);
            (power, "free and allocated space added".to_string())
        }
        _ => (0, "unknown: one row without offset step".to_string()),
    }
}

pub(crate) fn name(vdev: &VdevRows) -> String {
    let class = match vdev.class.as_str() {
        "normal" => String::new(),
        class => format!(" ({class})"),
    };
    match vdev.id {
        Some(id) => format!("vdev {id}{class}"),
        None => "a vdev whose heading is missing".to_string(),
    }
}

fn describe(vdev: &VdevRows, facts: &Facts, reading: &mut Reading) {
    let count = vdev.rows.len() as u64;
    let ids = runs(&vdev.rows);
    let size = bytes_text(facts.size as f64);
    let shift = facts.shift.map_or(String::new(), |s| format!(", shift {s}"));
    let total = match vdev.count {
        Some(n) => format!("{} of {size} ({}{shift})", plural(n, "metaslab"), facts.how),
        None => format!("metaslabs of {size} ({}{shift}), number unknown", facts.how),
    };
    let (free, seen) = (bytes_text(facts.free), bytes_text(facts.seen(vdev)));
    reading.value(
        "free",
        facts.free,
        format!(
            "{}: {total}; {} here ({ids}), {free} free of {seen}.",
            name(vdev),
            plural(count, "row")
        ),
    );
    if let Some(n) = vdev.count {
        reading.note("metaslabs", n as f64);
    }
    reading.note("metaslab_size", facts.size as f64);
    if let Some(s) = facts.shift {
        reading.note("metaslab_shift", f64::from(s));
    }
    reading.note("rows", count as f64);
    extremes(vdev, facts, reading);
    objects(&vdev.rows, reading);
    check_alloc(vdev, facts, reading);
}

/// `0-12, 29-45`.
fn runs(rows: &[MetaslabRow]) -> String {
    let mut out = String::new();
    let mut start: Option<(u64, u64)> = None;
    let flush = |out: &mut String, run: (u64, u64)| {
        let comma = if out.is_empty() { "" } else { ", " };
        let text =
            if run.0 == run.1 { format!("{}", run.0) } else { format!("{}-{}", run.0, run.1) };
        out.push_str(comma);
        out.push_str(&text);
    };
    for row in rows {
        start = match start {
            Some((a, b)) if Some(row.id) == b.checked_add(1) => Some((a, row.id)),
            Some(run) if out.len() < 400 => {
                flush(&mut out, run);
                Some((row.id, row.id))
            }
            Some(run) => Some((run.0, row.id)),
            None => Some((row.id, row.id)),
        };
    }
    if let Some(run) = start {
        flush(&mut out, run);
    }
    out
}

/// Emptiest and fullest metaslab, how many are empty, how many nearly full.
fn extremes(vdev: &VdevRows, facts: &Facts, reading: &mut Reading) {
    let by_free = |a: &&MetaslabRow, b: &&MetaslabRow| a.free.total_cmp(&b.free);
    let (Some(least), Some(most)) =
        (vdev.rows.iter().min_by(by_free), vdev.rows.iter().max_by(by_free))
    else {
        return;
    };
    reading.value(
        "least_free",
        least.free,
        format!(
            "Fullest: metaslab {} with {} free; emptiest: metaslab {} with {} free.",
            least.id, least.free_text, most.id, most.free_text
        ),
    );
    reading.note("most_free", most.free);
    let size = facts.size as f64;
    if size <= 0.0 {
        return;
    }
    let empty: Vec<&MetaslabRow> =
        vdev.rows.iter().filter(|r| r.free + nice_slack(&r.free_text) >= size).collect();
    if !empty.is_empty() {
        let ids: Vec<String> = empty.iter().take(20).map(|r| format!("{}", r.id)).collect();
        let text = format!(
            "{} wholly empty to the printed digits ({}): {}.",
            if empty.len() == 1 { "1 is".to_string() } else { format!("{} are", empty.len()) },
            bytes_text(size),
            ids.join(", ")
        );
        reading.value("empty", empty.len() as f64, text);
    }
    let tight = vdev.rows.iter().filter(|r| r.free < size * 0.04).count();
    if tight > 0 {
        let text = format!(
            "{tight} of {} have less than 4% free: there the allocator switches to best fit \
             (metaslab_df_free_pct).",
            plural(vdev.rows.len() as u64, "metaslab")
        );
        reading.value("nearly_full", tight as f64, text);
    }
}

/// Space map objects that were rewritten have far larger numbers than their neighbours.
fn objects(rows: &[MetaslabRow], reading: &mut Reading) {
    for pair in rows.windows(2) {
        let [a, b] = pair else { continue };
        let (low, high) = (a.space_map.min(b.space_map), a.space_map.max(b.space_map));
        if low > 0 && high > 1000 && high / low >= 10 {
            reading.value(
                "space_map_leap",
                high as f64,
                format!(
                    "Space map object numbers leap from {} (metaslab {}) to {} (metaslab {}): maps \
                     with large numbers were written anew later.",
                    a.space_map, a.id, b.space_map, b.id
                ),
            );
            return;
        }
    }
}

/// free = size - smp_alloc, to the printed digits.
fn check_alloc(vdev: &VdevRows, facts: &Facts, reading: &mut Reading) {
    let (mut good, mut sample) = (0u64, None);
    for row in &vdev.rows {
        let Some(alloc) = row.smp_alloc.filter(|_| facts.size > 0) else {
            continue;
        };
        let free = facts.size.saturating_sub(alloc);
        let off = free as f64 - row.free;
        if off <= nice_slack(&row.free_text) && -off <= nice_slack(&row.free_text) {
            good += 1;
            sample = sample.or(Some((row.id, alloc, free)));
        } else {
            let text = format!(
                "Metaslab {}: {} free is printed, but {} - smp_alloc 0x{alloc:x} is {}.",
                row.id,
                row.free_text,
                bytes_text(facts.size as f64),
                nice_bytes(free)
            );
            reading.check(false, "free_recomputed", free as f64, text);
        }
    }
    if let Some((id, alloc, free)) = sample {
        let text = format!(
            "Free space adds up in {}: metaslab {id} is {} - smp_alloc 0x{alloc:x} = {}.",
            plural(good, "row"),
            bytes_text(facts.size as f64),
            nice_bytes(free)
        );
        reading.check(true, "free_recomputed", free as f64, text);
    }
}

/// Fragmentation and the largest segment, metaslab by metaslab.
fn histograms(vdev: &VdevRows, reading: &mut Reading) {
    let (mut old, mut new, mut wrong) = (0u64, 0u64, 0u64);
    let printed = vdev.rows.iter().filter(|r| r.fragmentation.is_some());
    for (index, row) in printed.enumerate() {
        let Some(stated) = row.fragmentation else {
            continue;
        };
        let Some((by_old, by_new)) = frag::fragmentation(&row.histogram) else {
            continue;
        };
        let cut = !row.closed && by_old != stated && by_new != stated;
        old += u64::from(by_old == stated);
        new += u64::from(by_new == stated);
        wrong += u64::from(!cut && by_old != stated && by_new != stated);
        if index >= DETAILED {
            continue;
        }
        let top = frag::largest(&row.histogram).map_or(String::new(), |(shift, count)| {
            format!(", largest bucket 2^{shift} ({})", plural(count, "segment"))
        });
        let head = format!("Metaslab {}: {} free, fragmentation {stated}", row.id, row.free_text);
        if cut {
            let last = row.histogram.last().map_or(0, |(shift, _)| *shift);
            reading.value(
                "fragmentation",
                stated as f64,
                format!(
                    "{head}; its histogram is cut after bucket {last}, so it cannot be recomputed."
                ),
            );
            continue;
        }
        let table = table_name(stated, by_old, by_new);
        let text = format!("{head}{top}; recomputed from the histogram: {table}.");
        reading.check(by_old == stated || by_new == stated, "fragmentation", stated as f64, text);
    }
    if old + new + wrong > 0 {
        reading.set("frag_old_table", old as f64);
        tables(old, new, wrong, reading);
    }
}

fn table_name(stated: u64, old: u64, new: u64) -> String {
    match (old == stated, new == stated) {
        (true, true) => format!("{old} by both tables"),
        (true, false) => format!("{old} by the table of 2.3.0 and older ({new} by that of 2.3.1)"),
        (false, true) => format!("{new} by the table of 2.3.1 ({old} by the older one)"),
        (false, false) => {
            format!("{old} by the old table, {new} by that of 2.3.1: it does not fit")
        }
    }
}

fn tables(old: u64, new: u64, wrong: u64, reading: &mut Reading) {
    if old > new {
        reading.info(
            "The fragmentation numbers were made with the table of 2.3.0 and older, in which 16 \
             MiB \
             counts as perfect; 2.3.1 and later show another number for the same disk."
                .to_string(),
        );
    } else if new > old {
        reading.info("The fragmentation numbers were made with the table of 2.3.1.".to_string());
    }
    if wrong > 0 {
        reading.warn(format!(
            "{} not follow from the histogram: rows may be missing.",
            if wrong == 1 {
                "1 fragmentation number does".to_string()
            } else {
                format!("{wrong} do")
            }
        ));
    }
}

fn allocated_map(vdev: &VdevRows, reading: &mut Reading) {
    let (runs, bytes) = vdev.allocated;
    if runs > 0 {
        let text = format!(
            "{}: {} allocated, {}.",
            name(vdev),
            plural(runs, "run"),
            bytes_text(bytes as f64)
        );
        reading.value("allocated", bytes as f64, text);
        if reading.verdict.is_empty() {
            reading.verdict = format!(
                "An allocated map of {}: {} in all, {} on average.",
                plural(runs, "run"),
                bytes_text(bytes as f64),
                bytes_text(bytes as f64 / runs as f64)
            );
        }
    }
}

fn groups(groups: &[GroupRow], reading: &mut Reading) {
    for group in groups.iter().take(DETAILED) {
        let who = group.vdev.map_or("the pool".to_string(), |v| {
            format!("vdev {v} ({})", plural(group.metaslabs, "metaslab"))
        });
        let stated = group.fragmentation.map_or("unknown".to_string(), |f| format!("{f:.0}%"));
        let top = frag::largest(&group.histogram).map_or(String::new(), |(shift, count)| {
            format!("; largest bucket 2^{shift} ({})", plural(count, "segment"))
        });
        let text = format!("Fragmentation of {who}: {stated}{top}.");
        reading.value("group_fragmentation", group.fragmentation.unwrap_or(-1.0), text);
        if !group.histogram.is_empty() {
            let bars = group.histogram.iter().map(|(s, c)| (format!("2^{s}"), *c as f64)).collect();
            let title = format!("Free segments of {who}");
            reading.pictures.push(Picture::Histogram { title, unit: "bytes".to_string(), bars });
        }
    }
    let worst = groups.iter().filter_map(|g| g.fragmentation).fold(-1.0, f64::max);
    if worst >= 0.0 && reading.verdict.is_empty() {
        reading.verdict = format!(
            "The most fragmented group shows {worst:.0}%. FRAG is about free space, not about \
             files."
        );
    }
}

/// The verdict: how full, how uneven, how large a piece still fits.
fn verdict(text: &MetaslabText, reading: &mut Reading) {
    let mut seen = 0.0;
    let mut free = 0.0;
    let mut total = Some(0u64);
    for vdev in &text.vdevs {
        if let Some(facts) = Facts::of(vdev) {
            seen += facts.seen(vdev);
            free += facts.free;
            total = total.zip(vdev.count).map(|(a, b)| a + b);
        }
    }
    let count = rows(text).count() as u64;
    if count == 0 {
        if reading.verdict.is_empty() && !text.groups.is_empty() {
            reading.verdict =
                "No group says how fragmented it is: the pool keeps no histograms, or \
                               most metaslabs have none yet."
                    .to_string();
        }
        if reading.next.is_empty() {
            reading.next = "zdb -mm: the same metaslab by metaslab.".to_string();
        }
        if reading.verdict.is_empty() {
            reading.verdict = "No whole row of a metaslab is in the text.".to_string();
        }
        return;
    }
    let top = rows(text).filter_map(|r| frag::largest(&r.histogram)).max();
    let fits = top.map_or(String::new(), |(shift, n)| {
        let low = (1u64 << shift) as f64;
        format!(
            " The largest free piece shown lies between {} and {} ({n} of that size): a larger \
             write \
             must be split into a gang block.",
            bytes_text(low),
            bytes_text(low * 2.0)
        )
    });
    let share = if seen > 0.0 { free / seen * 100.0 } else { 0.0 };
    reading.set("free_percent", share);
    let state = match share {
        s if s < 4.0 => {
            "they are as good as full: the allocator searches for best fit and loads many maps"
        }
        s if s < 20.0 => "space is short and writes will be broken up",
        s if s < 50.0 => "space is in use but not short",
        _ => "there is plenty of free space",
    };
    let of = total.filter(|t| *t > count).map_or(String::new(), |t| format!(" of {t}"));
    let shown = format!("{} shown{of}", plural(count, "metaslab"));
    reading.verdict = if seen > 0.0 {
        let (free, seen) = (bytes_text(free), bytes_text(seen));
        format!("{free} of {seen} free ({share:.1}%) in the {shown}: {state}.{fits}")
    } else {
        format!("{} free in the {shown}.{fits}", bytes_text(free))
    };
    reading.next = match top {
        Some(_) => {
            "Compare with zpool list -v (FRAG, CAP) and with the size of the blocks written."
        }
        None => "Take zdb -mm: the histograms show whether the free space comes in usable pieces.",
    }
    .to_string();
}
