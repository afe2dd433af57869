//! What the `zil` and `objset` kstats and `arcstats` tell.

use super::kstat::CounterSample;
use super::reading::Reading;
use super::text::{bytes_text, count_text, wrapped};
use std_alloc::format;
use std_alloc::string::ToString;
use std_alloc::vec::Vec;

/// The change between the first and the last sample; wrapped counters count as their true value.
fn grown(samples: &[&CounterSample], name: &str) -> f64 {
    let signed = |value: u64| wrapped(value).map_or(value as f64, |s| s as f64);
    let last = samples.last().map_or(0.0, |s| signed(s.get(name)));
    match samples {
        [first, .., end] if first.strings == end.strings => last - signed(first.get(name)),
        _ => last,
    }
}

fn version(sample: &CounterSample) -> &'static str {
    if sample.has("zil_commit_crash_count") {
        "2.4 or later (crash count)"
    } else if sample.has("zil_commit_stall_count") || sample.has("zil_commit_error_count") {
        "2.3 or later (error, stall and suspend counts)"
    } else if sample.has("zil_itx_metaslab_slog_write")
        || sample.has("zil_itx_metaslab_normal_write")
    {
        "2.2 (write and alloc counts)"
    } else if sample.has("dataset_name") {
        "0.8 or later (per data set)"
    } else {
        "2.1 or older (13 counters)"
    }
}

/// Commits, paths, classes and padding of the intent log.
pub(crate) fn zil(samples: &[&CounterSample], kind: &str, reading: &mut Reading) {
    let Some(last) = samples.last() else { return };
    reading.version = version(last).to_string();
    let get = |name: &str| grown(samples, name);
    let who = match (kind, last.strings.get("dataset_name")) {
        ("zil", _) => "All data sets".to_string(),
        (_, Some(name)) => format!("Data set {name}"),
        _ => "One data set".to_string(),
    };
    let (commits, writers, itx) =
        (get("zil_commit_count"), get("zil_commit_writer_count"), get("zil_itx_count"));
    let merged = commits / writers.max(1.0);
    reading.set("commits", commits);
    reading.set("commits_per_writer", merged);
    reading.value(
        "commits",
        commits,
        format!(
            "{who}: {} commits by {} writers ({merged:.2} a writer), {} records ({} a commit).",
            count_text(commits),
            count_text(writers),
            count_text(itx),
            count_text(itx / commits.max(1.0))
        ),
    );
    reading.note("itx_per_commit", itx / commits.max(1.0));
    reading.note("itx", itx);
    paths(samples, reading);
    let log = classes(samples, reading);
    for (name, words) in [
        ("zil_commit_error_count", "commits fell back to a txg sync after an error"),
        ("zil_commit_stall_count", "commits found no log space and waited for a txg sync"),
        ("zil_commit_suspend_count", "commits met a suspended log"),
        ("zil_commit_crash_count", "commits met a crashed log"),
    ] {
        if get(name) > 0.0 {
            reading.warn_value(name, get(name), format!("{} {words}.", count_text(get(name))));
        }
    }
    objset(last, samples, reading);
    reading.verdict = format!(
        "{who}: {} commits with {} records each; {log}.",
        count_text(commits),
        count_text(itx / commits.max(1.0))
    );
    reading.next =
        "zpool iostat -l for the device that takes the log (syncq_wait against disk_wait)."
            .to_string();
}

/// How records carried their data: by pointer, copied at once, copied at commit.
fn paths(samples: &[&CounterSample], reading: &mut Reading) {
    for (path, words) in [
        ("indirect", "written in place and logged by pointer"),
        ("copied", "copied into the record at once"),
        ("needcopy", "copied at commit"),
    ] {
        let count = grown(samples, &format!("zil_itx_{path}_count"));
        let bytes = grown(samples, &format!("zil_itx_{path}_bytes"));
        if count > 0.0 {
            let size = if bytes < 0.0 {
                "a wrapped byte counter".to_string()
            } else {
                format!("{} ({} each)", bytes_text(bytes), bytes_text(bytes / count))
            };
            let text = format!("{path}: {} records, {size}: {words}.", count_text(count));
            reading.value(&format!("{path}_count"), count, text);
            reading.note(&format!("{path}_bytes"), bytes);
        }
    }
}

/// Which class the log blocks went to, and how they are padded.
fn classes(samples: &[&CounterSample], reading: &mut Reading) -> std_alloc::string::String {
    let mut parts: Vec<std_alloc::string::String> = Vec::new();
    let mut all = 0.0;
    for class in ["normal", "slog"] {
        let get = |what: &str| grown(samples, &format!("zil_itx_metaslab_{class}_{what}"));
        let (count, bytes, write, alloc) = (get("count"), get("bytes"), get("write"), get("alloc"));
        reading.note(&format!("{class}_count"), count);
        reading.note(&format!("{class}_bytes"), bytes);
        if count <= 0.0 {
            continue;
        }
        all += bytes;
        let name = if class == "slog" { "log devices" } else { "normal vdevs (no log device)" };
        parts.push(format!(
            "{} log blocks with {} to {name}",
            count_text(count),
            bytes_text(bytes)
        ));
        reading.value(
            &format!("{class}_bytes"),
            bytes,
            format!(
                "{} log writes to {name}, {} of records.",
                count_text(count),
                bytes_text(bytes)
            ),
        );
        if write > 0.0 && bytes > 0.0 {
            let (pad, over) = (alloc / bytes, write / bytes);
            reading.value(
                "log_padding",
                pad,
                format!(
                    "Padding: {} written and {} allocated for {} of records: {over:.2} and \
                     {pad:.2} times.",
                    bytes_text(write),
                    bytes_text(alloc),
                    bytes_text(bytes)
                ),
            );
            reading.set("log_padding", pad);
            reading.set("log_data_bytes", bytes);
            reading.set("log_write_bytes", write);
            reading.set("log_alloc_bytes", alloc);
        }
    }
    reading.set("log_bytes", all);
    if parts.is_empty() { "no log block was written".to_string() } else { parts.join(", ") }
}

/// Reads and writes of one data set.
fn objset(last: &CounterSample, samples: &[&CounterSample], reading: &mut Reading) {
    if !last.has("nwritten") {
        return;
    }
    let get = |name: &str| grown(samples, name);
    let text = format!(
        "{} writes of {} ({} each), {} reads of {} ({} each).",
        count_text(get("writes")),
        bytes_text(get("nwritten")),
        bytes_text(get("nwritten") / get("writes").max(1.0)),
        count_text(get("reads")),
        bytes_text(get("nread")),
        bytes_text(get("nread") / get("reads").max(1.0))
    );
    reading.value("nwritten", get("nwritten"), text);
    let waiting = get("nunlinks") - get("nunlinked");
    if waiting > 0.0 {
        reading.value(
            "unlinks_waiting",
            waiting,
            format!("{waiting:.0} removed files still wait to be freed."),
        );
    }
}

/// Size, target and hit rates of the ARC.
pub(crate) fn arcstats(samples: &[&CounterSample], reading: &mut Reading) {
    let Some(last) = samples.last() else { return };
    let get = |name: &str| last.get(name) as f64;
    let (size, c, max) = (get("size"), get("c"), get("c_max"));
    reading.value(
        "arc_size",
        size,
        format!(
            "ARC {} of a target of {} (at most {}).",
            bytes_text(size),
            bytes_text(c),
            bytes_text(max)
        ),
    );
    let (hits, misses) = (get("hits"), get("misses"));
    let rate = hits / (hits + misses).max(1.0);
    reading.value(
        "arc_hit_share",
        rate,
        format!("{:.1}% hits of {} lookups.", rate * 100.0, count_text(hits + misses)),
    );
    for kind in ["demand_data", "demand_metadata", "prefetch_data", "prefetch_metadata"] {
        let (h, m) = (get(&format!("{kind}_hits")), get(&format!("{kind}_misses")));
        if h + m > 0.0 {
            let words = kind.replace('_', " ");
            reading.info(format!(
                "{words}: {:.1}% hits of {}.",
                h / (h + m) * 100.0,
                count_text(h + m)
            ));
        }
    }
    let pressed =
        get("memory_throttle_count") + get("memory_direct_count") + get("memory_indirect_count");
    if pressed > 0.0 {
        reading.value(
            "memory_reclaims",
            pressed,
            format!(
                "Memory was asked back: {} by allocators, {} by the reclaim thread, {} throttled.",
                count_text(get("memory_direct_count")),
                count_text(get("memory_indirect_count")),
                count_text(get("memory_throttle_count"))
            ),
        );
    }
    reading.verdict = format!(
        "The ARC holds {} of a target of {} and answers {:.1}% of lookups{}.",
        bytes_text(size),
        bytes_text(c),
        rate * 100.0,
        if max > 0.0 && c < max * 0.9 {
            "; its target is below its maximum, so memory was asked back"
        } else {
            ""
        }
    );
    reading.next = "arcstat 1 while it is slow: the rates of now, not since boot.".to_string();
}
