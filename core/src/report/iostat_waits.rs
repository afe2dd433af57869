//! What the wait and queue columns of `zpool iostat -l -q` tell: queue or disk.

use super::iostat::{IostatRow, IostatText};
use super::reading::Reading;
use super::text::{plural, range, time_text};
use crate::view::Picture;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Rows described one by one.
const DETAILED: usize = 24;

/// Every row with its class, pools first.
fn rows(text: &IostatText) -> Vec<(&IostatRow, &str)> {
    let mut out: Vec<(&IostatRow, &str)> = Vec::new();
    for pool in text.samples.iter().flatten() {
        out.extend(pool.row.iter().map(|r| (r, "pool")));
        for vdev in &pool.vdevs {
            out.push((&vdev.row, vdev.class.as_str()));
            out.extend(vdev.leaves.iter().map(|l| (l, "leaf")));
        }
    }
    out
}

/// Where the time goes, row by row.
pub(crate) fn waits(text: &IostatText, reading: &mut Reading) {
    if !text.has("disk_read") {
        return;
    }
    let rows = rows(text);
    if implausible(text, &rows, reading) {
        heat(text, &rows, reading);
        return;
    }
    let shown: Vec<&(&IostatRow, &str)> = rows
        .iter()
        .filter(|(row, _)| {
            text.get(row, "total_read").is_some() || text.get(row, "total_write").is_some()
        })
        .take(DETAILED)
        .collect();
    for (row, class) in shown {
        for way in ["write", "read"] {
            one_way(text, row, class, way, reading);
        }
        if let Some(scrub) = text.get(row, "scrub") {
            reading.value(
                "scrub_wait_ns",
                scrub,
                format!("{}: scrub reads wait {}.", row.name, time_text(scrub)),
            );
            if *class == "pool" {
                reading.raise("scrub_wait_ns", scrub);
            }
        }
    }
    compare(text, &rows, reading);
    heat(text, &rows, reading);
}

/// 0.7 development versions printed waits far too small.
fn implausible(text: &IostatText, rows: &[(&IostatRow, &str)], reading: &mut Reading) -> bool {
    let disk: Vec<f64> = rows
        .iter()
        .flat_map(|(r, _)| [text.get(r, "disk_read"), text.get(r, "disk_write")])
        .flatten()
        .filter(|w| *w > 0.0)
        .collect();
    let Some((low, high)) = range(&disk) else {
        return false;
    };
    let wrong = high < 2_000.0 && disk.len() >= 2;
    if wrong {
        reading.warn_value(
            "implausible_disk_wait_ns",
            high,
            format!(
                "A disk_wait of {} to {} cannot be a disk: development versions of 0.7 printed the \
                 waits wrong, so these times say nothing.",
                time_text(low),
                time_text(high)
            ),
        );
        reading.set("implausible_disk_wait_ns", high);
    }
    wrong
}

const WRITE_READINGS: [&str; 5] =
    ["total_write_ns", "disk_write_ns", "syncq_write_ns", "asyncq_write_ns", "queue_write_ns"];
const READ_READINGS: [&str; 5] =
    ["total_read_ns", "disk_read_ns", "syncq_read_ns", "asyncq_read_ns", "queue_read_ns"];

/// total = disk + queue, for reads or writes of one row.
fn one_way(text: &IostatText, row: &IostatRow, class: &str, way: &str, reading: &mut Reading) {
    let get = |what: &str| text.get(row, &format!("{what}_{way}"));
    let (Some(total), Some(disk)) = (get("total"), get("disk")) else {
        return;
    };
    let (sync, asy) = (get("syncq").unwrap_or(0.0), get("asyncq").unwrap_or(0.0));
    let queue = (total - disk).max(0.0);
    let share = queue / total.max(1.0) * 100.0;
    let where_ = if share >= 66.0 {
        "the wait is in the queue, not in the disk"
    } else if share <= 33.0 {
        "the wait is the disk itself"
    } else {
        "queue and disk share the wait"
    };
    let who = match class {
        "logs" => format!("Log device {}", row.name),
        _ => row.name.clone(),
    };
    reading.value(
        if way == "write" { "disk_wait_write_ns" } else { "disk_wait_read_ns" },
        disk,
        format!(
            "{who}, {way}: total_wait {}, disk_wait {}, sync queue {}, async queue {}: {where_}.",
            time_text(total),
            time_text(disk),
            time_text(sync),
            time_text(asy)
        ),
    );
    if class == "pool" {
        let [t, d, s, a, q] = match way {
            "write" => WRITE_READINGS,
            _ => READ_READINGS,
        };
        for (name, value) in [(t, total), (d, disk), (s, sync), (a, asy), (q, queue)] {
            reading.raise(name, value);
        }
    }
    if class == "logs" && way == "write" {
        reading.raise("log_total_write_ns", total);
        reading.raise("log_disk_write_ns", disk);
        reading.raise("log_syncq_write_ns", sync);
    }
    if class == "leaf" || class == "normal" {
        reading.raise("leaf_disk_wait_ns", disk);
    }
}

/// Pools side by side when there are several.
fn compare(text: &IostatText, rows: &[(&IostatRow, &str)], reading: &mut Reading) {
    let mut pools: Vec<(&str, f64)> = Vec::new();
    for (row, _) in rows.iter().filter(|(_, class)| *class == "pool") {
        let wait = text.get(row, "disk_write").or(text.get(row, "disk_read"));
        if let Some(wait) = wait.filter(|_| !pools.iter().any(|(n, _)| *n == row.name)) {
            pools.push((&row.name, wait));
        }
    }
    pools.sort_by(|a, b| a.1.total_cmp(&b.1));
    let (Some(fast), Some(slow)) = (pools.first(), pools.last()) else {
        return;
    };
    if pools.len() > 1 && slow.1 > fast.1 * 3.0 {
        let ratio = slow.1 / fast.1.max(1.0);
        reading.value(
            "pools_apart",
            ratio,
            format!(
                "Same words, two kinds of device: {} waits {} at the disk, {} waits {} \
                 ({ratio:.0} times).",
                fast.0,
                time_text(fast.1),
                slow.0,
                time_text(slow.1)
            ),
        );
        reading.say("fast_pool", fast.0);
        reading.say("slow_pool", slow.0);
        reading.set("fast_pool_ns", fast.1);
        reading.set("slow_pool_ns", slow.1);
        reading.set("pools_apart", ratio);
    }
}

fn heat(text: &IostatText, rows: &[(&IostatRow, &str)], reading: &mut Reading) {
    let columns: Vec<&'static str> = text
        .columns
        .iter()
        .copied()
        .filter(|c| {
            let waits = ["total_", "disk_", "syncq_", "asyncq_", "scrub", "trim", "rebuild"];
            waits.iter().any(|w| c.starts_with(w)) && !c.ends_with("pend") && !c.ends_with("activ")
        })
        .collect();
    let rows: Vec<(String, Vec<f64>)> = rows
        .iter()
        .take(200)
        .filter(|(r, _)| !r.name.is_empty())
        .map(|(r, _)| {
            let cells = columns.iter().map(|c| text.get(r, c).unwrap_or(0.0)).collect();
            (r.name.clone(), cells)
        })
        .collect();
    if !rows.is_empty() {
        reading.pictures.push(Picture::Heat {
            title: "Mean waits in nanoseconds".to_string(),
            columns: columns.iter().map(|c| c.to_string()).collect(),
            rows,
        });
    }
}

/// What stands in the queues at the instant of the report.
pub(crate) fn queues(text: &IostatText, reading: &mut Reading) {
    if !text.has("syncq_read_pend") {
        return;
    }
    let rows = rows(text);
    let sum = |end: &str| -> f64 {
        let columns = text.columns.iter().filter(|c| c.ends_with(end));
        columns
            .map(|c| {
                rows.iter()
                    .filter(|(_, k)| *k == "pool")
                    .filter_map(|(r, _)| text.get(r, c))
                    .sum::<f64>()
            })
            .sum()
    };
    let (pend, activ) = (sum("_pend"), sum("_activ"));
    reading.set("pend", pend);
    reading.set("activ", activ);
    let count = rows.iter().filter(|(_, k)| *k == "pool").count() as u64;
    if pend + activ == 0.0 {
        reading.value(
            "pend",
            0.0,
            format!(
                "All queues were empty at the instant of {}: pend and activ are samples, not \
                averages.",
                plural(count, "report")
            ),
        );
        return;
    }
    reading.value(
        "pend",
        pend,
        format!(
            "{pend:.0} waiting (pend) and {activ:.0} in the devices (activ), all reports added."
        ),
    );
    for column in text.columns.iter().filter(|c| c.ends_with("_pend")) {
        let most = rows.iter().filter_map(|(r, _)| text.get(r, column)).fold(0.0, f64::max);
        if most > 0.0 {
            let queue = column.trim_end_matches("_pend");
            reading.info(format!("Longest {queue}: {most:.0} waiting."));
        }
    }
}
