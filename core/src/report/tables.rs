//! Small tables: `zfs list`, `zpool get`, `zfs get`, `arcstat`, `dmu_tx_assign`.

use super::detect::is_kstat_head;
use super::reading::{Reading, is_command};
use super::text::{
    Line, bytes_text, cell, count_text, integer, mean, nice, plural, range, time_text,
};
use crate::view::Picture;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// One row of `zfs list`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ZfsListRow {
    /// Name.
    pub name: String,
    /// Bytes used, available and referred to.
    pub sizes: (f64, f64, f64),
    /// Mount point; `-` for volumes and snapshots.
    pub mountpoint: String,
}

/// Reads the lines of `zfs list`.
pub(crate) fn read_zfs_list(lines: &[Line<'_>]) -> Reading {
    let mut reading = Reading::new("zfs list");
    reading.version = "any".to_string();
    let mut rows: Vec<ZfsListRow> = Vec::new();
    for line in lines {
        let words = line.words();
        if line.is_blank() || words.first() == Some(&"NAME") {
            continue;
        }
        let number = |i: usize| words.get(i).and_then(|w| cell(w));
        match (is_command(line.text), number(1), number(2), number(3)) {
            (false, Some(used), Some(avail), Some(refer)) if rows.len() < 100_000 => {
                let size = |v: Option<f64>| v.unwrap_or(0.0);
                rows.push(ZfsListRow {
                    name: words.first().map_or("", |w| w).to_string(),
                    sizes: (size(used), size(avail), size(refer)),
                    mountpoint: words.get(4..).unwrap_or(&[]).join(" "),
                });
            }
            _ => reading.drop_unfit(line, "zfs list"),
        }
    }
    reading.rows = rows.len() as u64;
    zfs_list(&rows, &mut reading);
    reading
}

fn zfs_list(rows: &[ZfsListRow], reading: &mut Reading) {
    let Some(pool) = rows.iter().find(|r| !r.name.contains(['/', '@'])).or(rows.first()) else {
        reading.verdict = "No whole row of zfs list is in the text.".to_string();
        return;
    };
    let (used, avail, refer) = pool.sizes;
    reading.value(
        "used",
        used,
        format!(
            "{}: USED {}, AVAIL {}, REFER {}.",
            pool.name,
            bytes_text(used),
            bytes_text(avail),
            bytes_text(refer)
        ),
    );
    reading.note("avail", avail);
    let children: Vec<&ZfsListRow> =
        rows.iter().filter(|r| r.name.matches('/').count() == 1 && !r.name.contains('@')).collect();
    let sum: f64 = children.iter().map(|r| r.sizes.0).sum();
    if !children.is_empty() {
        reading.value(
            "children_used",
            sum,
            format!(
                "{} directly below hold {} of that.",
                plural(children.len() as u64, "data set"),
                bytes_text(sum)
            ),
        );
    }
    let volumes = volumes_of(&children, avail, reading);
    let bars = children.iter().take(200).map(|r| (r.name.clone(), r.sizes.0)).collect::<Vec<_>>();
    if !bars.is_empty() {
        reading.pictures.push(Picture::Bars {
            title: "USED by data set".to_string(),
            unit: "bytes".to_string(),
            bars,
        });
    }
    let full = used / (used + avail).max(1.0) * 100.0;
    let reserved = if volumes == 0 {
        String::new()
    } else {
        format!(
            " {} charge more than they refer to: their reservations are counted as used.",
            plural(volumes, "volume")
        )
    };
    reading.verdict = format!(
        "{} has {} left of {} ({full:.1}% used).{reserved}",
        pool.name,
        bytes_text(avail),
        bytes_text(used + avail)
    );
    reading.next =
        "zfs list -o space (snapshots, reservations), zfs get volblocksize,refreservation."
            .to_string();
}

/// Volumes that charge more than they refer to; how many there are.
fn volumes_of(children: &[&ZfsListRow], avail: f64, reading: &mut Reading) -> u64 {
    let volumes: Vec<&&ZfsListRow> =
        children.iter().filter(|r| r.mountpoint == "-" && r.sizes.0 > r.sizes.2 * 1.05).collect();
    for volume in volumes.iter().take(16) {
        let reserved = (volume.sizes.1 - avail).max(0.0);
        reading.value(
            "volume_used",
            volume.sizes.0,
            format!(
                "Volume {}: USED {} is above REFER {}: reservation, snapshots or padding; {} of \
                 its AVAIL is reserved for it.",
                volume.name,
                bytes_text(volume.sizes.0),
                bytes_text(volume.sizes.2),
                bytes_text(reserved)
            ),
        );
    }
    volumes.len() as u64
}

/// Reads the lines of `zpool get` and `zfs get`.
pub(crate) fn read_properties(lines: &[Line<'_>]) -> Reading {
    let mut reading = Reading::new("zpool get");
    reading.version = "any".to_string();
    let mut rows: Vec<(String, String, String)> = Vec::new();
    for line in lines {
        let words = line.words();
        if line.is_blank() || words.first() == Some(&"NAME") {
            continue;
        }
        match words.as_slice() {
            [name, property, value, ..] if !is_command(line.text) && rows.len() < 100_000 => {
                rows.push((name.to_string(), property.to_string(), value.to_string()));
            }
            _ => reading.drop_unfit(line, "a table of properties"),
        }
    }
    reading.rows = rows.len() as u64;
    let data_set =
        ["used", "referenced", "recordsize", "volblocksize", "mountpoint", "compressratio"];
    if rows.iter().any(|(_, p, _)| data_set.contains(&p.as_str())) {
        reading.kind = "zfs get".to_string();
    }
    properties(&rows, &mut reading);
    reading
}

fn properties(rows: &[(String, String, String)], reading: &mut Reading) {
    let find =
        |property: &str| rows.iter().find(|(_, p, _)| p == property).map(|(_, _, v)| v.as_str());
    let number = |property: &str| find(property).and_then(|v| nice(v.trim_end_matches(['%', 'x'])));
    for (_, property, value) in rows.iter().take(60) {
        if let Some(n) = nice(value.trim_end_matches(['%', 'x'])) {
            reading.note(property, n);
        }
    }
    let name = rows.first().map_or("?", |(n, _, _)| n.as_str());
    if let (Some(size), Some(free), Some(allocated)) =
        (number("size"), number("free"), number("allocated"))
    {
        reading.value(
            "allocated",
            allocated,
            format!(
                "{name}: {} allocated of {}, {} free: raw space, parity and padding included, so \
                 on raidz more than \
                 zfs list shows.",
                find("allocated").unwrap_or("?"),
                find("size").unwrap_or("?"),
                find("free").unwrap_or("?")
            ),
        );
        let off = size - free - allocated;
        let digits = size * 0.011;
        reading.check(
            off <= digits && -off <= digits,
            "allocated_recomputed",
            size - free,
            format!("size - free is {}.", bytes_text(size - free)),
        );
    }
    for property in
        ["fragmentation", "capacity", "freeing", "leaked", "ashift", "autotrim", "health"]
    {
        if let Some(value) = find(property) {
            reading.info(format!("{property}: {value}."));
        }
    }
    if number("leaked").is_some_and(|l| l > 0.0) {
        reading.warn(format!(
            "{} are leaked: freed, but given up for lost.",
            find("leaked").unwrap_or("?")
        ));
    }
    reading.verdict = match (find("allocated"), find("capacity")) {
        (Some(allocated), Some(capacity)) => format!(
            "{name} has {allocated} allocated (capacity {capacity}, fragmentation {}): raw space \
             with parity and padding, not file sizes.",
            find("fragmentation").unwrap_or("unknown")
        ),
        _ => format!(
            "{} of {name}.",
            plural(rows.len() as u64, "property").replace("propertys", "properties")
        ),
    };
    reading.next = "zfs list -o space and zfs get volblocksize: what a block of that size costs \
        on this raidz."
        .to_string();
}

/// Reads the lines of `arcstat`.
pub(crate) fn read_arcstat(lines: &[Line<'_>]) -> Reading {
    let mut reading = Reading::new("arcstat");
    let mut heads: Vec<String> = [
        "time", "read", "miss", "miss%", "dmis", "dm%", "pmis", "pm%", "mmis", "mm%", "arcsz", "c",
    ]
    .map(String::from)
    .to_vec();
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for line in lines {
        let words = line.words();
        if line.is_blank() || line.is_rule() {
            continue;
        }
        if words.contains(&"miss") || words.contains(&"miss%") {
            heads = words.iter().map(|w| w.to_string()).collect();
            continue;
        }
        let timed = heads.first().is_some_and(|h| h == "time");
        let cells: Vec<f64> = words
            .iter()
            .skip(usize::from(timed))
            .map_while(|w| cell(w))
            .map(|c| c.unwrap_or(0.0))
            .collect();
        let wanted = heads.len() - usize::from(timed);
        if cells.len() >= wanted && !is_command(line.text) && rows.len() < 200_000 {
            rows.push(cells);
        } else if !cells.is_empty() && words.first().is_some_and(|w| w.contains(':')) {
            reading.drop_line(
                line,
                &format!("the row is cut after {} of {wanted} cells", cells.len()),
            );
        } else {
            reading.drop_unfit(line, "arcstat");
        }
    }
    reading.rows = rows.len() as u64;
    let old = heads.iter().any(|h| h == "arcsz");
    reading.version =
        if old { "0.6 to 0.8 (arcsz, mmis columns)" } else { "2.0 or later (size, avail columns)" }
            .to_string();
    arcstat(&heads, &rows, &mut reading);
    reading
}

fn arcstat(heads: &[String], rows: &[Vec<f64>], reading: &mut Reading) {
    let timed = usize::from(heads.first().is_some_and(|h| h == "time"));
    let column = |names: &[&str]| -> Vec<f64> {
        let at = heads.iter().position(|h| names.contains(&h.as_str()));
        let at = at.and_then(|a| a.checked_sub(timed));
        at.map_or(Vec::new(), |a| rows.iter().filter_map(|r| r.get(a).copied()).collect())
    };
    let misses = column(&["miss%", "miss%%"]);
    let (low, high) = range(&misses).unwrap_or((0.0, 0.0));
    reading.value(
        "miss_percent_max",
        high,
        format!("{}: {low:.0}% to {high:.0}% of reads miss.", plural(rows.len() as u64, "row")),
    );
    reading.note("miss_percent_min", low);
    let (miss, meta) = (mean(&column(&["miss"])), mean(&column(&["mmis", "mdmis", "mmiss"])));
    metadata_misses(miss, meta, reading);
    let (size, target) = (column(&["arcsz", "size"]), column(&["c"]));
    let (slow, shigh) = range(&size).unwrap_or((0.0, 0.0));
    let pinned = slow == shigh && range(&target) == Some((slow, shigh)) && rows.len() > 1;
    if shigh > 0.0 {
        let text = if pinned {
            format!("The ARC stays at {} = its target: it is full.", bytes_text(shigh))
        } else {
            format!("The ARC is {} to {}.", bytes_text(slow), bytes_text(shigh))
        };
        reading.value("arc_size", shigh, text);
    }
    reading.verdict = if miss > 0.0 && meta > miss * 0.8 {
        format!(
            "{low:.0}% to {high:.0}% of reads miss, nearly all of them for metadata, with an ARC \
             {} at {}.",
            if pinned { "pinned" } else { "standing" },
            bytes_text(shigh)
        )
    } else {
        format!("{low:.0}% to {high:.0}% of reads miss with an ARC of {}.", bytes_text(shigh))
    };
    reading.next = "arcstats: arc_meta_used against arc_meta_limit; a special vdev or more memory \
        for metadata."
        .to_string();
    let bars = (1..).zip(&misses).take(200).map(|(i, m)| (format!("{i}"), *m)).collect::<Vec<_>>();
    if !bars.is_empty() {
        reading.pictures.push(Picture::Bars {
            title: "Misses".to_string(),
            unit: "%".to_string(),
            bars,
        });
    }
}

/// How many of the misses are for metadata.
fn metadata_misses(miss: f64, meta: f64, reading: &mut Reading) {
    if miss > 0.0 && meta > 0.0 {
        let share = meta / miss * 100.0;
        reading.value(
            "metadata_misses_percent",
            share,
            format!(
                "{share:.0}% of the misses are for metadata ({} of {} a row).",
                count_text(meta),
                count_text(miss)
            ),
        );
    }
}

/// Reads the lines of the `dmu_tx_assign` kstat.
pub(crate) fn read_tx_assign(lines: &[Line<'_>]) -> Reading {
    let mut reading = Reading::new("dmu_tx_assign");
    let mut rows: Vec<(f64, String, f64)> = Vec::new();
    let mut micro = false;
    for line in lines {
        let words = line.words();
        let name = words.first() == Some(&"name") && words.get(1) == Some(&"type");
        if line.is_blank() || is_kstat_head(&words) || name {
            continue;
        }
        let number = |i: usize| words.get(i).and_then(|w| integer(w));
        let unit = match words.get(1) {
            Some(&"us") => 1e3,
            Some(&"ns") => 1.0,
            _ => {
                reading.drop_unfit(line, "dmu_tx_assign");
                continue;
            }
        };
        micro |= unit > 1.0;
        match (number(0), number(3)) {
            (Some(label), Some(count)) if rows.len() < 128 => {
                let text = format!("{label} {}", words.get(1).unwrap_or(&""));
                if rows.last().is_none_or(|r| r.1 != text) {
                    rows.push((label as f64 * unit, text, count as f64));
                }
            }
            _ => reading.drop_line(line, "the row is cut before its count"),
        }
    }
    reading.rows = rows.len() as u64;
    reading.version =
        if micro { "0.6.2 or older (buckets in us)" } else { "0.6.3 or later (buckets in ns)" }
            .to_string();
    tx_assign(&rows, &mut reading);
    reading
}

fn tx_assign(rows: &[(f64, String, f64)], reading: &mut Reading) {
    let total: f64 = rows.iter().map(|r| r.2).sum();
    if total <= 0.0 {
        reading.verdict = "No transaction had to wait.".to_string();
        return;
    }
    let within = |share: f64| {
        let mut sum = 0.0;
        rows.iter().find(|r| {
            sum += r.2;
            sum >= total * share
        })
    };
    let quick: f64 = rows.iter().filter(|r| r.0 <= 4e3).map(|r| r.2).sum();
    let share = quick / total * 100.0;
    reading.value(
        "within_4us_percent",
        share,
        format!("{share:.1}% of {} transactions were assigned within 4 us.", count_text(total)),
    );
    if let (Some(half), Some(most)) = (within(0.5), within(0.99)) {
        reading.info(format!("Half within {}, 99% within {}.", half.1, most.1));
    }
    for row in rows.iter().filter(|r| r.0 >= 4e6 && r.2 > 0.0) {
        reading.value(
            "slow_assigns",
            row.2,
            format!("{:.0} at {} ({}).", row.2, row.1, time_text(row.0)),
        );
    }
    let slow: f64 = rows.iter().filter(|r| r.0 >= 4e6).map(|r| r.2).sum();
    let last = rows.iter().rev().find(|r| r.2 > 0.0).map_or("?", |r| r.1.as_str());
    reading.verdict = format!(
        "Transactions hardly wait: {share:.1}% within 4 us, {slow:.0} of {} at 4 ms or more, the \
         slowest at {last}.",
        count_text(total)
    );
    if slow > total * 0.01 {
        reading.verdict = format!(
            "Transactions wait: {slow:.0} of {} at 4 ms or more, up to {last}.",
            count_text(total)
        );
    }
    reading.next = "dmu_tx: which of its counters rises; txgs: how long syncs take.".to_string();
    let bars = rows.iter().map(|r| (r.1.clone(), r.2)).collect();
    reading.pictures.push(Picture::Histogram {
        title: "Time to be assigned to a group".to_string(),
        unit: "time".to_string(),
        bars,
    });
}
