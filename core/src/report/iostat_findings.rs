//! What `zpool iostat` tells: averages since boot, parity, siblings, fill, bursts.

use super::iostat::{IostatPool, IostatRow, IostatText, IostatVdev, parse};
use super::iostat_waits::{queues, waits};
use super::reading::Reading;
use super::text::{Line, bytes_text, median, plural, range, three_digits, time_text};
use super::verdict::decide;
use crate::base::nice_bytes;
use crate::view::Picture;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Pools and vdevs described one by one.
const DETAILED: usize = 24;

/// Reads the lines of `zpool iostat`.
pub(crate) fn read(lines: &[Line<'_>]) -> Reading {
    let mut reading = Reading::new("zpool iostat -v");
    let text = parse(lines, &mut reading);
    reading.rows = text
        .samples
        .iter()
        .flatten()
        .map(|p| {
            u64::from(p.row.is_some())
                + p.vdevs.iter().map(|v| 1 + v.leaves.len() as u64).sum::<u64>()
        })
        .sum();
    reading.kind = match (text.has("disk_read"), text.has("syncq_read_pend")) {
        (true, true) => "zpool iostat -q -l",
        (true, false) => "zpool iostat -l",
        (false, true) => "zpool iostat -q",
        (false, false) => "zpool iostat -v",
    }
    .to_string();
    reading.version = version(&text);
    overview(&text, &mut reading);
    let Some(first) = text.samples.first() else {
        reading.verdict = "No whole row of zpool iostat is in the text.".to_string();
        return reading;
    };
    for pool in first.iter().take(DETAILED) {
        one_pool(&text, pool, &mut reading);
    }
    series(&text, &mut reading);
    waits(&text, &mut reading);
    queues(&text, &mut reading);
    own_verdict(&text, &mut reading);
    reading
}

/// What the first pool does, when the decision table has nothing stronger.
fn own_verdict(text: &IostatText, reading: &mut Reading) {
    if decide(&reading.readings).next().is_some() {
        return;
    }
    let Some(pool) = text.samples.first().and_then(|s| s.first()) else {
        return;
    };
    let since = if text.headed { "On average since boot" } else { "In the first report" };
    let name = pool_name(pool);
    let get = |c: &str| pool.row.as_ref().and_then(|r| text.get(r, c));
    let wait = ["read", "write"].iter().filter_map(|way| {
        let total = get(&format!("total_{way}"))?;
        let disk = get(&format!("disk_{way}"))?;
        let (total, disk) = (time_text(total), time_text(disk));
        Some(format!("a {way} takes {total}, {disk} of it at the disk"))
    });
    let wait: Vec<String> = wait.collect();
    reading.verdict = if wait.is_empty() {
        let (ops, bw) = (get("ops_write").unwrap_or(0.0), get("bw_write").unwrap_or(0.0));
        let special = share_of(reading, "special_alloc", "special vdevs hold");
        format!(
            "{since} {name} takes {} writes/s, {}/s{special}; no device stands out among its \
             siblings. An average over days says little about a slow minute.",
            rate_text(ops),
            bytes_text(bw)
        )
    } else {
        format!("{since}, in {name} {}; nothing stands out.", wait.join("; "))
    };
    reading.next =
        "zpool iostat -vl 1 while it is slow: the reports after the first show that second."
            .to_string();
}

fn share_of(reading: &Reading, name: &str, words: &str) -> String {
    let numbers = &reading.readings;
    match (numbers.number(name), numbers.number("pool_alloc")) {
        (Some(part), Some(whole)) => {
            format!("; {words} {} of {}", bytes_text(part), bytes_text(whole))
        }
        _ => String::new(),
    }
}

fn version(text: &IostatText) -> String {
    let named = |what: &str| {
        text.samples
            .iter()
            .flatten()
            .flat_map(|p| &p.vdevs)
            .any(|v| v.row.name.starts_with(what) && v.row.name.contains('-'))
    };
    let plain = text.samples.iter().flatten().flat_map(|p| &p.vdevs).any(|v| {
        matches!(v.row.name.as_str(), "mirror" | "raidz1" | "raidz2" | "raidz3" | "raidz")
    });
    if text.has("rebuild") || text.has("rebuildq_pend") {
        "2.2 or later (rebuild column)"
    } else if text.has("trim") || text.has("trimq_pend") {
        "0.8 to 2.1 (trim column, no rebuild)"
    } else if text.has("disk_read") || text.has("syncq_read_pend") {
        "0.7 (wait or queue columns, no trim)"
    } else if named("mirror") || named("raidz") || named("draid") {
        "2.1 or later, as far as numbered vdev names tell"
    } else if plain {
        "2.1.2 or older, as far as vdev names without number tell"
    } else {
        "any"
    }
    .to_string()
}

fn overview(text: &IostatText, reading: &mut Reading) {
    let pools = text.samples.first().map_or(0, Vec::len) as u64;
    let samples = text.samples.len() as u64;
    let since = if text.headed && samples > 0 {
        " The first report is the average since boot (unless -y was given), not what happens now."
    } else {
        ""
    };
    reading.value(
        "samples",
        samples as f64,
        format!("{} of {}.{since}", plural(samples, "report"), plural(pools, "pool")),
    );
    if text.glued > 0 {
        let lines = plural(text.glued, "line");
        reading.value(
            "glued",
            text.glued as f64,
            format!("{lines} held several rows; they were taken apart."),
        );
    }
    for note in &text.notes {
        reading.info(format!("A note of the poster inside a row was set aside: {note}"));
    }
}

/// A rate as OpenZFS prints it: `389`, `2.37K`.
fn rate_text(rate: f64) -> String {
    if rate < 1000.0 { three_digits(rate) } else { nice_bytes(rate as u64) }
}

fn pool_name(pool: &IostatPool) -> &str {
    pool.row.as_ref().map_or("a pool whose row is missing", |r| r.name.as_str())
}

fn one_pool(text: &IostatText, pool: &IostatPool, reading: &mut Reading) {
    if let Some(row) = &pool.row {
        let get = |c| text.get(row, c).unwrap_or(0.0);
        let (alloc, free) = (get("alloc"), get("free"));
        let full = percent(alloc, free);
        let io = format!(
            "{} reads/s, {} writes/s, {}/s read, {}/s written",
            rate_text(get("ops_read")),
            rate_text(get("ops_write")),
            bytes_text(get("bw_read")),
            bytes_text(get("bw_write"))
        );
        reading.value(
            "alloc",
            alloc,
            format!(
                "{}: {} allocated, {} free ({full:.1}% full); {io}.",
                row.name,
                bytes_text(alloc),
                bytes_text(free)
            ),
        );
        if get("ops_write") > 0.0 {
            let size = get("bw_write") / get("ops_write");
            reading.value(
                "write_size",
                size,
                format!("{}: {} a write.", row.name, bytes_text(size)),
            );
        }
    }
    classes(text, pool, reading);
    fill(text, pool, reading);
    for vdev in pool.vdevs.iter().take(DETAILED) {
        parity(text, vdev, reading);
        siblings(text, vdev, reading);
    }
}

fn percent(alloc: f64, free: f64) -> f64 {
    if alloc + free > 0.0 { alloc / (alloc + free) * 100.0 } else { 0.0 }
}

/// What sits on special and log vdevs.
fn classes(text: &IostatText, pool: &IostatPool, reading: &mut Reading) {
    let get = |row: &IostatRow, c| text.get(row, c).unwrap_or(0.0);
    let whole = pool.row.as_ref().map_or(0.0, |r| get(r, "alloc"));
    for vdev in pool.vdevs.iter().filter(|v| v.class != "normal").take(DETAILED) {
        let (alloc, free) = (get(&vdev.row, "alloc"), get(&vdev.row, "free"));
        let (ops, bw) = (get(&vdev.row, "ops_write"), get(&vdev.row, "bw_write"));
        let name = &vdev.row.name;
        match vdev.class.as_str() {
            "special" | "dedup" => {
                reading.value(
                    "special_alloc",
                    alloc,
                    format!(
                        "{} device {name}: {} of the {} allocated in {} sit on it ({:.1}% full).",
                        vdev.class,
                        bytes_text(alloc),
                        bytes_text(whole),
                        pool_name(pool),
                        percent(alloc, free)
                    ),
                );
                reading.set("special_percent", percent(alloc, free));
                reading.set("special_alloc", alloc);
                reading.set("pool_alloc", whole);
            }
            "logs" => {
                reading.value(
                    "log_alloc",
                    alloc,
                    format!(
                        "Log device {name}: {} in use, {} writes/s, {}/s.",
                        bytes_text(alloc),
                        three_digits(ops),
                        bytes_text(bw)
                    ),
                );
                reading.set("log_ops_write", ops);
                reading.set("log_bw_write", bw);
            }
            class => {
                let text = format!(
                    "{class} device {name}: {} in use of {}.",
                    bytes_text(alloc),
                    bytes_text(alloc + free)
                );
                reading.info(text);
            }
        }
    }
}

/// How evenly the top-level vdevs are filled.
fn fill(text: &IostatText, pool: &IostatPool, reading: &mut Reading) {
    let vdevs: Vec<(&str, f64, f64)> = pool
        .vdevs
        .iter()
        .filter(|v| v.class == "normal")
        .filter_map(|v| {
            Some((v.row.name.as_str(), text.get(&v.row, "alloc")?, text.get(&v.row, "free")?))
        })
        .collect();
    if vdevs.len() < 2 {
        return;
    }
    let bars: Vec<(String, f64)> =
        vdevs.iter().map(|(n, a, f)| (n.to_string(), percent(*a, *f))).collect();
    let fills: Vec<f64> = bars.iter().map(|(_, p)| *p).collect();
    let (low, high) = range(&fills).unwrap_or((0.0, 0.0));
    let spread = high - low;
    if spread >= 5.0 {
        let worst = vdevs.iter().max_by(|a, b| percent(a.1, a.2).total_cmp(&percent(b.1, b.2)));
        if let Some((name, alloc, free)) = worst {
            let others: Vec<f64> = vdevs.iter().filter(|v| v.0 != *name).map(|v| v.2).collect();
            let (few, many) = range(&others).unwrap_or((0.0, 0.0));
            reading.warn_value(
                "fullest_free",
                *free,
                format!(
                    "Skewed stripe: {name} has {} used and {} free ({high:.1}% full) against {} \
                     to {} \
                     free on its peers ({low:.1}% at the least full).",
                    bytes_text(*alloc),
                    bytes_text(*free),
                    bytes_text(few),
                    bytes_text(many)
                ),
            );
            reading.say("fullest_vdev", name);
            reading.set("fullest_percent", high);
            reading.set("fullest_free", *free);
            reading.set("peers_free", median(&others));
            reading.set("fill_spread", spread);
        }
    }
    reading.pictures.push(Picture::Bars {
        title: format!("How full the vdevs of {} are", pool_name(pool)),
        unit: "%".to_string(),
        bars,
    });
}

/// Devices and parity of a vdev by its name.
fn parity_of(name: &str) -> Option<u64> {
    let base = name.split('-').next().unwrap_or(name);
    match base {
        "raidz" | "raidz1" => Some(1),
        "raidz2" => Some(2),
        "raidz3" => Some(3),
        _ => None,
    }
}

/// Bytes written at the vdev against bytes written at its devices.
fn parity(text: &IostatText, vdev: &IostatVdev, reading: &mut Reading) {
    let get = |row: &IostatRow, c| text.get(row, c).unwrap_or(0.0);
    let leaves = vdev.leaves.len() as u64;
    if leaves < 2 {
        return;
    }
    let top = get(&vdev.row, "bw_write");
    let sum: f64 = vdev.leaves.iter().map(|l| get(l, "bw_write")).sum();
    let each: Vec<f64> = vdev.leaves.iter().map(|l| get(l, "bw_write")).collect();
    let ops: Vec<f64> = vdev.leaves.iter().map(|l| get(l, "ops_write")).collect();
    let name = &vdev.row.name;
    let expect = match parity_of(name) {
        Some(p) if leaves > p => leaves as f64 / (leaves - p) as f64,
        None if name.starts_with("mirror") => leaves as f64,
        _ => return,
    };
    if top >= 1024.0 && sum > 0.0 {
        let factor = sum / top;
        let cost = match parity_of(name) {
            Some(p) => format!("parity {leaves}/{} makes it {expect:.2} at best", leaves - p),
            None => format!("{leaves} copies make it {expect:.2}"),
        };
        reading.check(
            factor > expect * 0.85 && factor < expect * 3.0,
            "write_factor",
            factor,
            format!(
                "{name} of {leaves}: {}/s written at the vdev, {}/s at each disk = {}/s, \
                 {factor:.2} times; {cost}.",
                bytes_text(top),
                bytes_text(median(&each)),
                bytes_text(sum)
            ),
        );
    }
    let (vops, lops) = (get(&vdev.row, "ops_write"), median(&ops));
    if vops >= 10.0 && lops > 0.0 && vops > lops * 2.0 {
        reading.value(
            "leaf_ops",
            lops,
            format!(
                "{name}: {} writes/s at the vdev against {} at each disk: operations at the vdev \
                 are \
                 logical, those at the disks are counted after aggregation.",
                three_digits(vops),
                three_digits(lops)
            ),
        );
    }
}

/// A device that does not do what its siblings do.
fn siblings(text: &IostatText, vdev: &IostatVdev, reading: &mut Reading) {
    if vdev.leaves.len() < 3 {
        return;
    }
    let columns = [
        ("ops_read", "reads/s"),
        ("ops_write", "writes/s"),
        ("disk_read", "read disk_wait"),
        ("disk_write", "write disk_wait"),
    ];
    for (column, what) in columns {
        let values: Vec<f64> = vdev.leaves.iter().filter_map(|l| text.get(l, column)).collect();
        if values.len() < 3 {
            continue;
        }
        let middle = median(&values);
        let wait = column.starts_with("disk");
        for leaf in &vdev.leaves {
            let Some(value) = text.get(leaf, column) else {
                continue;
            };
            let slow = wait && value >= middle * 1.5 && value >= 1e6;
            let lazy = !wait && middle >= 8.0 && value < middle * 0.5;
            if slow || lazy {
                odd(leaf, column, what, value, middle, reading);
            }
        }
    }
}

fn odd(leaf: &IostatRow, column: &str, what: &str, value: f64, middle: f64, reading: &mut Reading) {
    let wait = column.starts_with("disk");
    let show = |v: f64| {
        if wait { time_text(v) } else { three_digits(v) }
    };
    let text = format!(
        "{} stands out: {what} {} against a median of {} among its siblings.",
        leaf.name,
        show(value),
        show(middle)
    );
    reading.warn_value(if wait { "slow_disk_ns" } else { "odd_disk_ops" }, value, text);
    if wait {
        reading.say("slow_disk", &leaf.name);
        reading.raise("slow_disk_ns", value);
        reading.set("slow_disk_peers_ns", middle);
        reading.raise("slow_disk_ratio", value / middle.max(1.0));
    } else if !reading.readings.has("odd_disk_ops") {
        reading.say("odd_disk", &leaf.name);
        reading.say("odd_what", what);
        reading.set("odd_disk_ops", value);
        reading.set("odd_disk_peers", middle);
    }
}

/// The reports after the first as a series in time.
fn series(text: &IostatText, reading: &mut Reading) {
    let names: Vec<String> =
        text.samples.iter().flatten().filter_map(|p| p.row.as_ref()).map(|r| r.name.clone()).fold(
            Vec::new(),
            |mut list, name| {
                if !list.contains(&name) && list.len() < DETAILED {
                    list.push(name);
                }
                list
            },
        );
    for name in names {
        for (column, what) in [("bw_write", "written"), ("bw_read", "read")] {
            let skip = usize::from(text.headed);
            let values: Vec<f64> = text
                .samples
                .iter()
                .skip(skip)
                .flatten()
                .filter(|p| p.row.as_ref().is_some_and(|r| r.name == name))
                .filter_map(|p| text.get(p.row.as_ref()?, column))
                .collect();
            if values.len() >= 4 {
                bursts(&name, what, &values, reading);
            }
        }
    }
}

/// Runs of busy and idle reports, and a period when the bursts have one.
fn bursts(name: &str, what: &str, values: &[f64], reading: &mut Reading) {
    let (_, high) = range(values).unwrap_or((0.0, 0.0));
    if high <= 0.0 {
        return;
    }
    let mut runs: Vec<(bool, Vec<f64>)> = Vec::new();
    for value in values {
        let busy = *value > high * 0.05;
        match runs.last_mut() {
            Some((b, list)) if *b == busy => list.push(*value),
            _ => runs.push((busy, Vec::from([*value]))),
        }
    }
    let words: Vec<String> = runs.iter().take(12).map(run_text).collect();
    let mean = super::text::mean(values);
    let idle = values.iter().filter(|v| **v <= high * 0.05).count();
    let title = format!(
        "{name}, {what}: {} reports: {}; mean {}/s.",
        values.len(),
        words.join(", "),
        bytes_text(mean)
    );
    if what == "written" {
        reading.value("written_mean", mean, title);
        reading.set("idle_samples", idle as f64);
        reading.set("busy_samples", (values.len() - idle) as f64);
        reading.set("written_max", high);
    } else {
        reading.info(title);
    }
    let starts: Vec<usize> =
        (0..values.len()).filter(|i| values.get(*i).is_some_and(|v| *v > high * 0.5)).collect();
    let gaps: Vec<usize> = starts.windows(2).filter_map(|p| Some(p.get(1)? - p.first()?)).collect();
    let first = gaps.first().copied().unwrap_or(0);
    if what == "written"
        && gaps.len() >= 2
        && first >= 3
        && gaps.iter().all(|g| g.abs_diff(first) <= 1)
    {
        let rate = high / first as f64;
        reading.value(
            "burst_period",
            first as f64,
            format!(
                "{name}: one burst of {} in every {first} reports, {}/s on average: the \
                 transaction \
                 group timer writes what was dirtied.",
                bytes_text(high),
                bytes_text(rate)
            ),
        );
        reading.set("burst_period", first as f64);
        reading.set("burst_rate", rate);
    }
    let bars = (1..).zip(values).take(200).map(|(i, v)| (format!("{i}"), *v)).collect();
    let title = format!("{name}: {what} a second, report by report");
    reading.pictures.push(Picture::Bars { title, unit: "bytes/s".to_string(), bars });
}

fn run_text(run: &(bool, Vec<f64>)) -> String {
    let (low, high) = range(&run.1).unwrap_or((0.0, 0.0));
    let count = run.1.len();
    if !run.0 {
        return format!("{count} of nothing");
    }
    if low == high {
        return format!("{count} at {}", bytes_text(high));
    }
    format!("{count} at {} to {}", bytes_text(low), bytes_text(high))
}
