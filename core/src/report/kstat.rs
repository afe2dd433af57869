//! kstats of names and numbers: `dmu_tx`, `zil`, `objset-0xID`, `arcstats`, and any other.
//!
//! ```text
//! 12 1 0x01 12 3264 2857441198673 2866006828572
//! name                            type data
//! dmu_tx_assigned                 4    3
//! ```
//!
//! A name that comes again begins a second sample; two samples give rates.

use super::detect::{is_counter_row, is_kstat_head};
use super::kstat_zil;
use super::reading::Reading;
use super::text::{Line, count_text, integer, plural, wrapped};
use std_alloc::collections::BTreeMap;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// One kstat at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CounterSample {
    /// Numbers by name.
    pub numbers: BTreeMap<String, u64>,
    /// Strings by name.
    pub strings: BTreeMap<String, String>,
    /// Names in the order of the text.
    pub order: Vec<String>,
    /// Snapshot time in nanoseconds, when the line of numbers above is there.
    pub snapshot: Option<u64>,
}

impl CounterSample {
    /// The number called `name`; 0 when it is not there.
    pub fn get(&self, name: &str) -> u64 {
        self.numbers.get(name).copied().unwrap_or(0)
    }

    /// Whether it has `name`.
    pub fn has(&self, name: &str) -> bool {
        self.numbers.contains_key(name) || self.strings.contains_key(name)
    }

    fn any(&self, start: &str) -> bool {
        self.order.iter().any(|n| n.starts_with(start))
    }
}

/// Reads the samples; what was not used is dropped into `reading`.
pub(crate) fn parse(lines: &[Line<'_>], reading: &mut Reading) -> Vec<CounterSample> {
    let mut samples: Vec<CounterSample> = Vec::new();
    let mut snapshot = None;
    let mut fresh = true;
    for line in lines {
        let words = line.words();
        if words.is_empty() || line.is_rule() {
            continue;
        }
        if is_kstat_head(&words) {
            snapshot = words.get(6).and_then(|w| integer(w));
            fresh = true;
            continue;
        }
        if words.first() == Some(&"name") && words.get(1) == Some(&"type") {
            continue;
        }
        let (Some(name), Some(kind)) = (words.first(), words.get(1)) else {
            reading.drop_unfit(line, "a kstat");
            continue;
        };
        if !is_counter_row(&words) {
            reading.drop_unfit(line, "a kstat");
            continue;
        }
        let Some(data) = words.get(2) else {
            reading.drop_line(line, "the row is cut before its number");
            continue;
        };
        let again = samples.last().is_none_or(|s| s.has(name) && !repeated(s, name, data));
        if fresh || again {
            samples.push(CounterSample { snapshot: snapshot.take(), ..CounterSample::default() });
            fresh = false;
        }
        let Some(sample) = samples.last_mut() else {
            continue;
        };
        store(sample, line, (name, kind, data), reading);
    }
    samples
}

/// The same row twice in a row is a damaged paste, not a second sample.
fn repeated(sample: &CounterSample, name: &str, data: &str) -> bool {
    sample.order.last().is_some_and(|l| l == name)
        && (sample.numbers.get(name).copied() == integer(data))
}

fn store(
    sample: &mut CounterSample,
    line: &Line<'_>,
    (name, kind, data): (&str, &str, &str),
    reading: &mut Reading,
) {
    if sample.has(name) {
        reading.drop_line(line, "the same counter again");
        return;
    }
    match integer(data) {
        Some(number) if kind != "7" => {
            sample.numbers.insert(name.to_string(), number);
        }
        None if kind != "7" => {
            reading.drop_line(line, "its value is no number");
            return;
        }
        _ => {
            sample.strings.insert(name.to_string(), data.to_string());
        }
    }
    sample.order.push(name.to_string());
}

/// Reads the lines of named counters.
pub(crate) fn read(lines: &[Line<'_>]) -> Reading {
    let mut reading = Reading::new("kstat");
    let samples = parse(lines, &mut reading);
    reading.rows = samples.iter().map(|s| s.order.len() as u64).sum();
    let mut kinds: Vec<&str> = Vec::new();
    for sample in &samples {
        let kind = kind_of(sample);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    reading.kind = kinds.first().copied().unwrap_or("kstat").to_string();
    for kind in kinds {
        let these: Vec<&CounterSample> = samples.iter().filter(|s| kind_of(s) == kind).collect();
        wraps(&these, &mut reading);
        match kind {
            "dmu_tx" => dmu_tx(&these, &mut reading),
            "zil" | "zil (objset)" => kstat_zil::zil(&these, kind, &mut reading),
            "arcstats" => kstat_zil::arcstats(&these, &mut reading),
            _ => other(&these, &mut reading),
        }
    }
    if samples.is_empty() {
        reading.verdict = "No whole row of a kstat is in the text.".to_string();
    }
    reading
}

fn kind_of(sample: &CounterSample) -> &'static str {
    if sample.any("dmu_tx_") {
        "dmu_tx"
    } else if sample.has("dataset_name") || sample.has("nunlinks") {
        "zil (objset)"
    } else if sample.any("zil_") {
        "zil"
    } else if sample.has("arc_meta_used") || sample.has("c_max") || sample.any("demand_") {
        "arcstats"
    } else {
        "kstat"
    }
}

/// Counters that went below zero.
fn wraps(samples: &[&CounterSample], reading: &mut Reading) {
    for sample in samples {
        for (name, value) in &sample.numbers {
            if let Some(signed) = wrapped(*value) {
                reading.warn_value(
                    name,
                    signed as f64,
                    format!("{name} {value} is a wrapped counter: it stands for {signed}."),
                );
            }
        }
    }
}

/// The change between the first and the last sample, or the value since boot.
fn grown(samples: &[&CounterSample], name: &str) -> f64 {
    let last = samples.last().map_or(0, |s| s.get(name));
    match samples {
        [first, .., _] => last.saturating_sub(first.get(name)) as f64,
        _ => last as f64,
    }
}

/// Name of the reading, counter, what it means for a transaction.
const DMU_TX: [(&str, &str, &str); 11] = [
    ("tx_delay", "dmu_tx_delay", "were delayed 10 ms for memory (before 0.6.3: by the throttle)"),
    ("tx_error", "dmu_tx_error", "failed on an error"),
    ("tx_suspended", "dmu_tx_suspended", "met a suspended pool"),
    ("tx_group", "dmu_tx_group", "waited for an object still in the group before"),
    ("tx_memory_reserve", "dmu_tx_memory_reserve", "reserved more than the ARC target"),
    ("tx_memory_reclaim", "dmu_tx_memory_reclaim", "met low free memory"),
    (
        "tx_dirty_throttle",
        "dmu_tx_dirty_throttle",
        "met too much dirty data for the size of the ARC",
    ),
    ("tx_dirty_delay", "dmu_tx_dirty_delay", "were delayed at 60% of the dirty limit"),
    ("tx_over_max", "dmu_tx_dirty_over_max", "stood still at the full dirty limit"),
    ("tx_frees_delay", "dmu_tx_dirty_frees_delay", "waited because one group freed too much"),
    ("tx_quota", "dmu_tx_quota", "met a quota"),
];

fn dmu_tx(samples: &[&CounterSample], reading: &mut Reading) {
    let Some(last) = samples.last() else { return };
    reading.version = dmu_tx_version(last).to_string();
    let assigned = grown(samples, "dmu_tx_assigned");
    let counters = last.order.len() as u64;
    let since =
        if samples.len() > 1 { "between the first and the last sample" } else { "since boot" };
    reading.value(
        "tx_assigned",
        assigned,
        format!(
            "{}; {} transactions assigned {since}.",
            plural(counters, "counter"),
            count_text(assigned)
        ),
    );
    reading.set("tx_assigned", assigned);
    for (reading_name, counter, words) in DMU_TX {
        if !last.has(counter) {
            continue;
        }
        let value = grown(samples, counter);
        reading.set(reading_name, value);
        if value > 0.0 {
            let share = value / assigned.max(1.0) * 100.0;
            let text = format!(
                "{counter} {value:.0}: {} {words} ({share:.3}% of those assigned).",
                count_text(value)
            );
            reading.value(reading_name, value, text);
        }
    }
    old_counters(samples, reading);
    shares(reading, assigned);
    dmu_tx_verdict(samples, assigned, reading);
}

fn old_counters(samples: &[&CounterSample], reading: &mut Reading) {
    for (name, counter, words) in [
        ("tx_write_limit", "dmu_tx_write_limit", "hit the write limit of the old throttle"),
        ("tx_memory_inflight", "dmu_tx_memory_inflight", "met too much memory in flight"),
        ("tx_how", "dmu_tx_how", "had to wait by their kind"),
        ("tx_wrlog_delay", "dmu_tx_wrlog_delay", "waited for log data of sync writes"),
    ] {
        let value = grown(samples, counter);
        if value > 0.0 {
            reading.set(name, value);
            reading.value(
                name,
                value,
                format!("{counter} {value:.0}: {} {words}.", count_text(value)),
            );
        }
    }
}

fn shares(reading: &mut Reading, assigned: f64) {
    let get = |reading: &Reading, name| reading.readings.number(name).unwrap_or(0.0);
    let all = assigned.max(1.0);
    let memory = get(reading, "tx_memory_reserve")
        + get(reading, "tx_memory_reclaim")
        + get(reading, "tx_dirty_throttle")
        + get(reading, "tx_delay");
    reading.set("tx_memory", memory);
    reading.set("tx_memory_share", memory / all);
    for (share, name) in [
        ("tx_over_max_share", "tx_over_max"),
        ("tx_dirty_delay_share", "tx_dirty_delay"),
        ("tx_frees_delay_share", "tx_frees_delay"),
        ("tx_quota_share", "tx_quota"),
        ("tx_group_share", "tx_group"),
    ] {
        let value = get(reading, name) / all;
        reading.set(share, value);
    }
}

fn dmu_tx_version(sample: &CounterSample) -> &'static str {
    if sample.has("dmu_tx_wrlog_delay") {
        "2.2 or later (wrlog_delay)"
    } else if sample.has("dmu_tx_dirty_frees_delay") {
        "0.8 to 2.1 (dirty_frees_delay, no wrlog_delay)"
    } else if sample.has("dmu_tx_dirty_delay") || sample.has("dmu_tx_dirty_over_max") {
        "0.6.3 to 0.7 (dirty_delay, dirty_over_max)"
    } else if sample.has("dmu_tx_write_limit") || sample.has("dmu_tx_how") {
        "0.6.2 or older (how, memory_inflight, write_limit: the old throttle)"
    } else {
        "any"
    }
}

fn dmu_tx_verdict(samples: &[&CounterSample], assigned: f64, reading: &mut Reading) {
    let raised: Vec<String> = samples
        .last()
        .map(|s| {
            let held = s.order.iter().filter(|n| *n != "dmu_tx_assigned");
            held.filter(|n| grown(samples, n) > 0.0)
                .take(6)
                .map(|n| format!("{n} {:.0}", grown(samples, n)))
                .collect()
        })
        .unwrap_or_default();
    reading.verdict = if assigned < 100.0 && raised.is_empty() {
        format!(
            "Nothing has happened yet: {assigned:.0} transactions since boot, none delayed \
             (freshly booted or unused)."
        )
    } else if raised.is_empty() {
        format!(
            "No transaction of {} was ever delayed: writers are not throttled.",
            count_text(assigned)
        )
    } else {
        format!(
            "Of {} transactions only few met an obstacle: {}.",
            count_text(assigned),
            raised.join(", ")
        )
    };
    reading.next = "Take the kstat twice, some seconds apart, while it is slow: what rises \
        counts; then txgs and zpool iostat -l."
        .to_string();
}

/// A kstat without a reader of its own: its largest numbers.
fn other(samples: &[&CounterSample], reading: &mut Reading) {
    let Some(last) = samples.last() else { return };
    let mut numbers: Vec<(&String, u64)> = last.numbers.iter().map(|(n, v)| (n, *v)).collect();
    numbers.sort_by_key(|(_, v)| core::cmp::Reverse(*v));
    for (name, value) in numbers.iter().take(12) {
        reading.value(name, *value as f64, format!("{name} {value}."));
    }
    reading.verdict = format!(
        "A kstat of {}; no table of decisions is kept for it.",
        plural(last.order.len() as u64, "counter")
    );
    reading.next = "Two samples some seconds apart tell more than one.".to_string();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_comes_again_later_begins_a_sample() {
        let text = "a_b 4 1\nc_d 4 2\nc_d 4 2\na_b 4 5\nc_d 4\n";
        let (lines, _) = super::super::text::lines(text);
        let mut reading = Reading::new("kstat");
        let samples = parse(&lines, &mut reading);
        assert_eq!(samples.len(), 2);
        assert_eq!(samples.first().map(|s| s.get("a_b")), Some(1));
        assert_eq!(samples.last().map(|s| s.get("a_b")), Some(5));
        let why: Vec<&str> = reading.dropped.iter().map(|d| d.why.as_str()).collect();
        assert_eq!(why, ["the same counter again", "not a line of a kstat"]);
    }
}
