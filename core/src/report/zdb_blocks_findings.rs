//! What `zdb -b` tells: compression, parity cost, gangs, classes, small blocks, leaks.

use super::reading::Reading;
use super::text::{Line, Tally, bytes_text, capital, count_text, plural};
use super::zdb_blocks::{BlockBin, BlocksText, parse};
use crate::view::Picture;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Reads the lines of `zdb -b`.
pub(crate) fn read(lines: &[Line<'_>]) -> Reading {
    let mut reading = Reading::new("zdb -b");
    let text = parse(lines, &mut reading);
    if text.totals.is_empty()
        && text.bins.is_empty()
        && !(text.leaks.is_empty() && text.errors.is_empty())
    {
        reading.kind = "zdb -b (leaks)".to_string();
    }
    reading.version = version(&text);
    totals(&text, &mut reading);
    classes(&text, &mut reading);
    types(&text, &mut reading);
    bins(&text, &mut reading);
    faults(&text, &mut reading);
    devices(&text, &mut reading);
    verdict(&text, &mut reading);
    reading
}

fn version(text: &BlocksText) -> String {
    let class = |name: &str| text.classes.iter().any(|c| c.name.starts_with(name));
    if text.length {
        "2.0 development (the size table calls its column Length)"
    } else if text.total("cloned").is_some() {
        "2.2 or later (bp cloned line)"
    } else if class("Embedded log") {
        "2.1 or later (embedded log class)"
    } else if !text.bins.is_empty() {
        "2.0 or later (block size table)"
    } else if !text.classes.is_empty() {
        "0.8 or later (class lines)"
    } else {
        "any"
    }
    .to_string()
}

fn totals(text: &BlocksText, reading: &mut Reading) {
    let get = |key: &str| text.total(key).unwrap_or(0.0);
    for (key, value) in &text.totals {
        reading.note(key, *value);
    }
    let (count, ganged) = (get("count"), get("ganged"));
    if count > 0.0 {
        let share = ganged / count * 100.0;
        let words = if ganged > 0.0 {
            format!(
                "{:.0} of {:.0} blocks are ganged ({share:.2}%): no free piece was large enough \
                 when they were written",
                ganged, count
            )
        } else {
            format!("{count:.0} blocks, none ganged")
        };
        reading.value("ganged", ganged, format!("{words}."));
        reading.note("bp_count", count);
        reading.note("ganged_percent", share);
    }
    let (logical, physical, allocated) = (get("logical"), get("physical"), get("allocated"));
    if logical > 0.0 && physical > 0.0 {
        let ratio = logical / physical;
        let stated = get("physical_ratio");
        let near = ratio - stated < 0.011 && stated - ratio < 0.011;
        reading.check(
            stated == 0.0 || near,
            "compression",
            ratio,
            format!(
                "Logical {} in physical {}: compressed {ratio:.2} times.",
                bytes_text(logical),
                bytes_text(physical)
            ),
        );
    }
    if physical > 0.0 && allocated > 0.0 {
        let cost = allocated / physical;
        let whole = logical / allocated;
        let stated = get("allocated_ratio");
        let near = whole - stated < 0.011 && stated - whole < 0.011;
        reading.check(
            stated == 0.0 || near,
            "allocated_per_physical",
            cost,
            format!(
                "Allocated {}: {cost:.2} times the physical size (parity, padding, copies), \
                {whole:.2} of logical to allocated.",
                bytes_text(allocated)
            ),
        );
    }
    if get("dittoed") > 0.0 {
        reading.value(
            "dittoed",
            get("dittoed"),
            format!(
                "{:.0} blocks have their copies on one vdev (pools of one vdev cannot do better).",
                get("dittoed")
            ),
        );
    }
}

fn classes(text: &BlocksText, reading: &mut Reading) {
    for class in &text.classes {
        let used = class.used.map_or(String::new(), |u| format!(", {u}% of the class used"));
        let name = class.name.to_lowercase().replace(' ', "_");
        reading.value(
            &format!("{name}_bytes"),
            class.bytes as f64,
            format!(
                "{} class: {} ({} bytes){used}.",
                class.name,
                bytes_text(class.bytes as f64),
                class.bytes
            ),
        );
        if let Some(used) = class.used {
            reading.note(&format!("{name}_used_percent"), used);
            if class.name == "Special" {
                reading.set("special_percent", used);
            }
            if class.name == "Normal" {
                reading.set("normal_percent", used);
            }
        }
    }
}

fn types(text: &BlocksText, reading: &mut Reading) {
    let named = |name: &str| text.types.iter().find(|t| t.name == name);
    if let Some(total) = named("Total") {
        reading.value(
            "total_blocks",
            total.blocks,
            format!(
                "Type table: {} blocks, {} allocated.",
                count_text(total.blocks),
                bytes_text(total.sizes.2)
            ),
        );
    }
    let metadata = named("Metadata Total").map(|t| t.sizes.2);
    if let Some(bytes) = metadata {
        reading.value(
            "metadata_bytes",
            bytes,
            format!("Metadata: {} allocated.", bytes_text(bytes)),
        );
    }
    let special = text.classes.iter().find(|c| c.name == "Special");
    let floor = metadata.or_else(|| named("L1 Total").map(|t| t.sizes.2));
    if let (Some(special), Some(bytes)) = (special, floor) {
        let held = special.bytes as f64;
        if held > 0.0 && held < bytes * 0.05 {
            reading.warn_value(
                "special_late",
                held,
                format!(
                    "The special vdev holds only {} ({}%) although there are {} of metadata: it \
                     was added to a \
                     pool of old data, and old blocks stay where they are.",
                    bytes_text(held),
                    special.used.unwrap_or(0.0),
                    bytes_text(bytes)
                ),
            );
        }
    }
    let mut largest: Vec<_> = text
        .types
        .iter()
        .filter(|t| !t.name.contains("Total") && !t.name.starts_with('L') && t.blocks > 0.0)
        .collect();
    largest.sort_by(|a, b| b.sizes.2.total_cmp(&a.sizes.2));
    for kind in largest.iter().take(5) {
        reading.info(format!(
            "{}: {} blocks, {} allocated ({}%).",
            kind.name,
            count_text(kind.blocks),
            bytes_text(kind.sizes.2),
            kind.share
        ));
    }
}

/// The size table: what a special vdev would take at each cut-off.
fn bins(text: &BlocksText, reading: &mut Reading) {
    if text.bins.is_empty() {
        return;
    }
    let first = text.bins.first().map_or("", |b| b.label.as_str());
    let last = text.bins.last().map_or("", |b| b.label.as_str());
    reading.info(format!(
        "Block size table from {first} to {last}: up to 2.3 a row holds sizes from its label up \
         to twice that, \
         since 2.4 sizes above half its label up to it. The special_small_blocks cut-off is tried \
         against the \
         compressed size, so psize is the column to read."
    ));
    for cutoff in [4096.0, 8192.0, 16384.0, 32768.0, 65536.0, 131072.0, 262144.0, 524288.0] {
        let Some(bin) = text.bins.iter().rev().find(|b| b.size < cutoff) else {
            continue;
        };
        let beyond = text.bins.iter().any(|b| b.size >= cutoff);
        let Some([_, _, below]) = bin.physical.filter(|_| beyond) else {
            continue;
        };
        let label = bytes_text(cutoff);
        reading.value(
            &format!("psize_below_{}", cutoff as u64 / 1024),
            below,
            format!("Physical size below {label}: {}.", bytes_text(below)),
        );
    }
    cumulative(&text.bins, reading);
    let bars = text.bins.iter().filter_map(|b| Some((b.label.clone(), b.physical?[1]))).collect();
    reading.pictures.push(Picture::Histogram {
        title: "Bytes by physical block size".to_string(),
        unit: "bytes".to_string(),
        bars,
    });
    let cut = text.bins.iter().any(|b| b.allocated.is_none() || b.logical.is_none());
    if cut {
        reading
            .info("The last row of the size table is cut; its whole cells were used.".to_string());
    }
}

/// Each running sum is the one before plus the row's own size, to three digits.
fn cumulative(bins: &[BlockBin], reading: &mut Reading) {
    let mut sum = 0.0;
    let mut wrong = 0u64;
    for bin in bins {
        let Some([_, size, cum]) = bin.physical else {
            continue;
        };
        sum += size;
        let off = if sum > cum { sum - cum } else { cum - sum };
        wrong += u64::from(off > cum * 0.02 + 1024.0);
        sum = cum;
    }
    if wrong == 0 {
        reading.check(
            true,
            "cumulative",
            sum,
            format!("The running sums of psize add up to {}.", bytes_text(sum)),
        );
    } else {
        reading.check(
            false,
            "cumulative",
            sum,
            format!("{} of psize do not add up: rows are missing.", plural(wrong, "running sum")),
        );
    }
}

fn faults(text: &BlocksText, reading: &mut Reading) {
    if let Some((expected, actual)) = text.refcounts {
        reading.warn_value(
            "refcount_actual",
            actual as f64,
            format!(
                "Space map reference counts differ: {expected} expected, {actual} found. A \
                known flaw of old features, not lost data."
            ),
        );
    }
    if !text.errors.is_empty() {
        let mut numbers: Vec<u64> = text.errors.iter().map(|(n, _)| *n).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let words: Vec<String> =
            numbers.iter().map(|n| format!("{n} ({})", super::words::errno(*n))).collect();
        let one = text.errors.first().map_or("", |(_, t)| t.as_str());
        reading.warn_value(
            "read_errors",
            text.errors.len() as f64,
            format!(
                "{}: error {}. First: {one}",
                plural(text.errors.len() as u64, "block could not be read")
                    .replace("reads", "read"),
                words.join(", ")
            ),
        );
    }
    if text.leaks.is_empty() {
        if text.no_leaks {
            reading.info("No leaks: the block sum equals the space maps.".to_string());
        }
        return;
    }
    leaks(text, reading);
}

/// Leaked ranges by size and vdev.
fn leaks(text: &BlocksText, reading: &mut Reading) {
    let total: f64 = text.leaks.iter().map(|(_, _, s)| *s as f64).sum();
    let mut sizes = Tally::new();
    let mut vdevs = Tally::new();
    for (vdev, _, size) in &text.leaks {
        sizes.add(*size);
        vdevs.add(*vdev);
    }
    let mut sizes = sizes.by_count();
    sizes.sort_unstable();
    let words: Vec<String> =
        sizes.iter().take(12).map(|(s, n)| format!("{n} of {s} bytes")).collect();
    let vdev_words: Vec<String> = vdevs.by_count().iter().map(|(v, _)| format!("{v}")).collect();
    let low = text.leaks.iter().map(|l| l.1).min().unwrap_or(0);
    let high = text.leaks.iter().map(|l| l.1.saturating_add(l.2)).max().unwrap_or(0);
    reading.warn_value(
        "leaks",
        text.leaks.len() as f64,
        format!(
            "{} on vdev {}, {} in all: {}; between 0x{low:x} and 0x{high:x}.",
            plural(text.leaks.len() as u64, "leaked range"),
            vdev_words.join(", "),
            bytes_text(total),
            words.join(", ")
        ),
    );
    reading.note("leaked_bytes", total);
    for (size, count) in sizes.iter().take(12) {
        reading.note(&format!("leaks_of_{size}"), *count as f64);
    }
    let bars = sizes.iter().map(|(s, n)| (format!("{s}"), *n as f64)).collect();
    reading.pictures.push(Picture::Histogram {
        title: "Leaked ranges by size".to_string(),
        unit: "bytes".to_string(),
        bars,
    });
}

fn devices(text: &BlocksText, reading: &mut Reading) {
    for (name, used, free) in text.devices.iter().take(24) {
        reading.info(format!("{name}: {} used, {} free.", bytes_text(*used), bytes_text(*free)));
    }
}

fn verdict(text: &BlocksText, reading: &mut Reading) {
    let get = |key: &str| text.total(key).unwrap_or(0.0);
    let mut parts: Vec<String> = Vec::new();
    if !text.leaks.is_empty() {
        let total: f64 = text.leaks.iter().map(|(_, _, s)| *s as f64).sum();
        parts.push(format!(
            "{} leaked in {}",
            bytes_text(total),
            plural(text.leaks.len() as u64, "range")
        ));
    }
    if !text.errors.is_empty() {
        parts.push(format!("{} unreadable", plural(text.errors.len() as u64, "block")));
    }
    if get("count") > 0.0 {
        let share = get("ganged") / get("count") * 100.0;
        parts.push(if get("ganged") > 0.0 {
            format!("{share:.2}% of the blocks are ganged")
        } else {
            "no block is ganged".to_string()
        });
    }
    if let Some(normal) = text.classes.iter().find(|c| c.name == "Normal") {
        parts.push(format!("the normal class is {}% used", normal.used.unwrap_or(0.0)));
    }
    if reading.findings.iter().any(|f| f.value.as_ref().is_some_and(|v| v.0 == "special_late")) {
        parts.push(
            "the special vdev is as good as unused because the data is older than it".to_string(),
        );
    } else if let Some(class) = text.classes.iter().find(|c| c.name == "Special") {
        parts.push(format!("the special class is {}% used", class.used.unwrap_or(0.0)));
    }
    if parts.is_empty() {
        let below = reading
            .findings
            .iter()
            .rev()
            .find(|f| f.value.as_ref().is_some_and(|v| v.0.starts_with("psize_below")));
        if let Some(found) = below {
            parts.push(found.text.trim_end_matches('.').to_string());
        }
    }
    reading.verdict = match parts.is_empty() {
        true => "No total of zdb -b is in the text.".to_string(),
        false => format!("{}.", capital(&parts.join("; "))),
    };
    reading.next = if text.leaks.is_empty() && text.errors.is_empty() {
        "zdb -mm for the pieces of free space; the psize column for special_small_blocks."
            .to_string()
    } else {
        "zpool scrub, zpool status -v; leaked space does no harm but is lost until it is freed."
            .to_string()
    };
}
