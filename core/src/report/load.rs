//! Loads and traces: `fio` and `blktrace`.

use super::reading::Reading;
use super::text::{Line, Tally, bytes_text, count_text, decimal, integer, plural, time_text};
use crate::view::Picture;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Jobs and requests described one by one.
const DETAILED: usize = 16;

/// One result of `fio`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FioResult {
    /// Name of the job.
    pub name: String,
    /// `read` or `write`.
    pub way: String,
    /// Jobs in the group.
    pub jobs: u64,
    /// Operations a second.
    pub iops: f64,
    /// Bytes a second.
    pub rate: f64,
    /// Mean completion latency in nanoseconds.
    pub mean_ns: Option<f64>,
    /// Percentile and latency in nanoseconds.
    pub percentiles: Vec<(f64, f64)>,
}

/// Reads the lines of `fio`.
pub(crate) fn read_fio(lines: &[Line<'_>]) -> Reading {
    let mut reading = Reading::new("fio");
    reading.version = "fio's own form, any OpenZFS".to_string();
    let mut results: Vec<FioResult> = Vec::new();
    let mut settings: Vec<String> = Vec::new();
    let (mut name, mut jobs, mut scale) = (String::new(), 1, 1e3);
    for line in lines {
        let text = line.text.trim();
        if text.contains("): rw=") && settings.len() < 64 {
            settings.push(text.to_string());
        } else if text.contains("(groupid=") {
            name = text.split(':').next().unwrap_or("").to_string();
            jobs = after(text, "jobs=").and_then(integer).unwrap_or(1);
        } else if text.contains("IOPS=") || text.contains("iops=") {
            results.push(FioResult {
                name: name.clone(),
                way: text.split([':', ' ']).next().unwrap_or("").to_string(),
                jobs,
                iops: after(text, "IOPS=")
                    .or(after(text, "iops="))
                    .and_then(thousand)
                    .unwrap_or(0.0),
                rate: after(text, "BW=").or(after(text, "bw=")).and_then(rate).unwrap_or(0.0),
                ..FioResult::default()
            });
        } else if !detail(text, &mut scale, &mut results) {
            reading.drop_unfit(line, "fio");
            continue;
        }
        reading.rows += u64::from(!text.is_empty());
    }
    fio(&settings, &results, &mut reading);
    reading
}

/// The word behind `key`, up to a comma or a bracket.
fn after<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let (_, tail) = text.split_once(key)?;
    tail.trim_start().split([',', ')', ' ', '(']).next()
}

/// fio counts in thousands: `76.0k`.
fn thousand(word: &str) -> Option<f64> {
    match word.strip_suffix(['k', 'K']) {
        Some(body) => decimal(body).map(|n| n * 1e3),
        None => match word.strip_suffix('M') {
            Some(body) => decimal(body).map(|n| n * 1e6),
            None => decimal(word),
        },
    }
}

/// `297MiB/s`, `1200KB/s`.
fn rate(word: &str) -> Option<f64> {
    let word = word.strip_suffix("/s").unwrap_or(word);
    super::text::nice(word)
}

/// Latency lines; says whether the line belongs to fio at all.
fn detail(text: &str, scale: &mut f64, results: &mut [FioResult]) -> bool {
    let unit = |text: &str| match text.split_once('(').map(|(_, t)| t.trim_start()) {
        Some(t) if t.starts_with("nsec") => 1.0,
        Some(t) if t.starts_with("msec") => 1e6,
        _ => 1e3,
    };
    if text.starts_with("clat percentiles") {
        *scale = unit(text);
        return true;
    }
    if text.starts_with("clat (") {
        if let Some(last) = results.last_mut() {
            last.mean_ns = after(text, "avg=").and_then(decimal).map(|n| n * unit(text));
        }
        return true;
    }
    if text.contains("th=[") {
        for piece in text.split("th=[").collect::<Vec<_>>().windows(2) {
            let [head, tail] = piece else { continue };
            let percent = head.split([' ', '|', ',']).next_back().and_then(decimal);
            let value = tail.split(']').next().and_then(|w| decimal(w.trim()));
            if let (Some(p), Some(v), Some(last)) = (percent, value, results.last_mut())
                && last.percentiles.len() < 64
            {
                last.percentiles.push((p, v * *scale));
            }
        }
        return true;
    }
    let known = [
        "...",
        "fio-",
        "Starting",
        "slat",
        "lat",
        "bw",
        "iops",
        "cpu",
        "IO depths",
        "submit",
        "complete",
        "issued",
        "latency",
        "Run status",
        "READ:",
        "WRITE:",
        "Disk stats",
        "fsync",
        "sync (",
        "Jobs:",
    ];
    text.is_empty() || known.iter().any(|k| text.starts_with(k))
}

fn fio(settings: &[String], results: &[FioResult], reading: &mut Reading) {
    let set = settings.first().map_or("", String::as_str);
    let block = set
        .split("(W)")
        .nth(1)
        .or(set.split("bs=").nth(1))
        .map(|t| t.trim().split(['-', ',', 'B', ' ']).next().unwrap_or(""));
    let block = block.and_then(super::text::nice).unwrap_or(0.0);
    let engine = after(set, "ioengine=").unwrap_or("?");
    let depth = after(set, "iodepth=").and_then(integer).unwrap_or(1);
    if !set.is_empty() {
        reading.value(
            "block_size",
            block,
            format!(
                "{}: rw={}, blocks of {}, engine {engine}, depth {depth}.",
                plural(settings.len() as u64, "job setting"),
                after(set, "rw=").unwrap_or("?"),
                bytes_text(block)
            ),
        );
    }
    for result in results.iter().take(DETAILED) {
        one_fio(result, block, depth, reading);
    }
    let Some(first) = results.first() else {
        reading.verdict = "No result of fio is in the text.".to_string();
        return;
    };
    let mean = first.mean_ns.map_or(String::new(), |m| format!(", mean {}", time_text(m)));
    let tail = first
        .percentiles
        .last()
        .map_or(String::new(), |(p, v)| format!(", {p}th percentile {}", time_text(*v)));
    let size = if block > 0.0 { format!("{} ", bytes_text(block)) } else { String::new() };
    reading.verdict = format!(
        "{size}{}, {}: {} IOPS{mean}{tail}.",
        first.way,
        plural(first.jobs, "job"),
        iops_text(first.iops)
    );
    if let Some((_, slow)) =
        first.percentiles.last().filter(|(_, v)| first.mean_ns.is_some_and(|m| *v > m * 20.0))
    {
        reading.verdict.push_str(&format!(
            " The tail is long: the slowest wait {} although the \
            mean is short, as when a group syncs.",
            time_text(*slow)
        ));
    }
    reading.next =
        "The zil kstat and zpool iostat -l during the run: log, queue or disk.".to_string();
}

fn iops_text(iops: f64) -> String {
    if iops >= 1e3 { format!("{:.1}k", iops / 1e3) } else { count_text(iops) }
}

fn one_fio(result: &FioResult, block: f64, depth: u64, reading: &mut Reading) {
    reading.value(
        "iops",
        result.iops,
        format!(
            "{} ({}): {} IOPS, {}/s, {}.",
            result.name,
            result.way,
            iops_text(result.iops),
            bytes_text(result.rate),
            plural(result.jobs, "job")
        ),
    );
    reading.note("rate", result.rate);
    if block > 0.0 && result.rate > 0.0 {
        let again = result.iops * block;
        let near = again > result.rate * 0.97 && again < result.rate * 1.03;
        reading.check(
            near,
            "rate_recomputed",
            again,
            format!("IOPS times block size is {}/s.", bytes_text(again)),
        );
    }
    if let Some(mean) = result.mean_ns.filter(|m| *m > 0.0) {
        let little = result.jobs as f64 * depth as f64 / (mean / 1e9);
        let near = little > result.iops * 0.85 && little < result.iops * 1.15;
        let text = format!(
            "Mean latency {}; {} at once give {} IOPS at that.",
            time_text(mean),
            result.jobs.saturating_mul(depth),
            iops_text(little)
        );
        reading.check(near, "mean_ns", mean, text);
    }
    let words: Vec<String> = result
        .percentiles
        .iter()
        .filter(|(p, _)| [50.0, 95.0, 99.0, 99.9, 99.99].contains(p))
        .map(|(p, v)| format!("{p}th {}", time_text(*v)))
        .collect();
    if let Some((_, last)) = result.percentiles.last() {
        reading.value(
            "slowest_percentile_ns",
            *last,
            format!("Percentiles: {}.", words.join(", ")),
        );
        let bars = result.percentiles.iter().map(|(p, v)| (format!("{p}"), *v)).collect();
        reading.pictures.push(Picture::Bars {
            title: format!("Latency percentiles of {}", result.name),
            unit: "ns".to_string(),
            bars,
        });
    }
}

/// One action of a block trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceRow {
    /// Line number.
    pub line: u64,
    /// Device, `major,minor`.
    pub device: String,
    /// CPU.
    pub cpu: u64,
    /// Seconds since the start of the trace.
    pub time: f64,
    /// `Q` queued, `G` got a request, `P` plugged, `I` inserted, `U` or `UT` unplugged, `D` issued,
    /// `C` completed.
    pub action: String,
    /// `R`, `W` and modifiers.
    pub kind: String,
    /// First sector and number of sectors.
    pub sectors: Option<(u64, u64)>,
}

/// Reads the lines of `blktrace`.
pub(crate) fn read_blktrace(lines: &[Line<'_>]) -> Reading {
    let mut reading = Reading::new("blktrace");
    reading.version = "blkparse's own form, any OpenZFS".to_string();
    let mut rows: Vec<TraceRow> = Vec::new();
    for line in lines {
        let words = line.words();
        match trace_row(line, &words) {
            Some(row) if rows.len() < 20_000 => rows.push(row),
            _ => reading.drop_unfit(line, "blktrace"),
        }
    }
    reading.rows = rows.len() as u64;
    blktrace(&rows, &mut reading);
    reading
}

fn trace_row(line: &Line<'_>, words: &[&str]) -> Option<TraceRow> {
    let device = words.first().filter(|w| w.contains(','))?;
    let time = decimal(words.get(3)?)?;
    let plus = words.iter().position(|w| *w == "+");
    let sectors = plus.and_then(|at| {
        Some((integer(words.get(at.checked_sub(1)?)?)?, integer(words.get(at + 1)?)?))
    });
    Some(TraceRow {
        line: line.number,
        device: device.to_string(),
        cpu: integer(words.get(1)?)?,
        time,
        action: words.get(5)?.to_string(),
        kind: words.get(6).map_or("", |w| w).to_string(),
        sectors,
    })
}

fn blktrace(rows: &[TraceRow], reading: &mut Reading) {
    let mut done: Vec<(f64, f64, String)> = Vec::new();
    let mut counts = Tally::new();
    for row in rows.iter().filter(|r| r.action == "C" || r.action == "Q") {
        if let Some((_, sectors)) = row.sectors {
            counts.add(sectors);
        }
    }
    let counts = counts.by_count();
    if let Some((sectors, _)) = counts.first() {
        let text = format!(
            "{}; most requests have {sectors} sectors ({}).",
            plural(rows.len() as u64, "action"),
            bytes_text(*sectors as f64 * 512.0)
        );
        reading.value("sectors", *sectors as f64, text);
    }
    for queued in rows.iter().filter(|r| r.action == "Q").take(500) {
        if let Some(found) = request(rows, queued, done.len() < DETAILED, reading) {
            done.push(found);
        }
    }
    let worst = done.iter().max_by(|a, b| (a.1 / a.0).total_cmp(&(b.1 / b.0)));
    reading.verdict = match worst {
        Some((total, plug, text)) if *plug > total * 0.5 => {
            format!("The plug is the wait: {text}")
        }
        Some((total, _, _)) => {
            format!("Requests take {} from queue to completion.", time_text(total * 1e9))
        }
        None => format!(
            "{}; no request is there from queue to completion.",
            plural(rows.len() as u64, "action")
        ),
    };
    reading.next = "Queue plugging of the block layer (scheduler, nomerges) for the log device; \
        zpool iostat -l."
        .to_string();
}

/// One request from queue to completion: total and plug time in seconds, and its story.
fn request(
    rows: &[TraceRow],
    queued: &TraceRow,
    tell: bool,
    reading: &mut Reading,
) -> Option<(f64, f64, String)> {
    let same = |r: &&TraceRow, action: &str| {
        r.action == action
            && r.device == queued.device
            && r.sectors == queued.sectors
            && r.time >= queued.time
    };
    let find = |action: &str| {
        rows.iter().filter(|r| same(r, action)).min_by(|a, b| a.time.total_cmp(&b.time))
    };
    let (issued, done) = (find("D")?, find("C")?);
    let inserted = find("I").filter(|r| r.time <= issued.time);
    let unplug = inserted.and_then(|ins| {
        rows.iter().find(|r| {
            r.action.starts_with('U')
                && r.device == queued.device
                && r.time >= ins.time
                && r.time <= issued.time
        })
    });
    let total = done.time - queued.time;
    let plug = match (inserted, unplug) {
        (Some(ins), Some(un)) => un.time - ins.time,
        _ => 0.0,
    };
    let ms = |t: f64| format!("{:.3}", t * 1e3);
    let (sector, count) = queued.sectors?;
    let by = if unplug.is_some_and(|u| u.action == "UT") { " by the timer" } else { "" };
    let text = format!(
        "sector {sector} + {count} ({}): queued at {} ms, inserted {}, unplugged{by} {}, issued \
         {}, completed {}: {:.2} ms of {:.2} ms is plug delay, {:.2} ms the device.",
        bytes_text(count as f64 * 512.0),
        ms(queued.time),
        inserted.map_or("?".to_string(), |r| ms(r.time)),
        unplug.map_or("?".to_string(), |r| ms(r.time)),
        ms(issued.time),
        ms(done.time),
        plug * 1e3,
        total * 1e3,
        (done.time - issued.time) * 1e3
    );
    if tell {
        reading.value("plug_ms", plug * 1e3, format!("Request {text}"));
        reading.note("total_ms", total * 1e3);
        let stages = Vec::from([plug * 1e9, (done.time - issued.time) * 1e9]);
        if reading.pictures.is_empty() {
            reading.pictures.push(Picture::Timeline {
                title: "One request".to_string(),
                stages: Vec::from(["plugged".to_string(), "device".to_string()]),
                rows: Vec::from([(format!("sector {sector}"), 0.0, stages)]),
            });
        }
    }
    Some((total, plug, text))
}
