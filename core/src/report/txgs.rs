//! The `txgs` kstat: one row a transaction group, times in nanoseconds.
//!
//! ```text
//! to 0.6.2     txg state birth       nread nwritten reads writes otime qtime       stime
//! since 0.6.3  txg birth state ndirty nread nwritten reads writes otime qtime wtime stime
//! ```
//!
//! A group is open for `otime`, quiesces for `qtime`, waits for the one before for `wtime` and
//! syncs for `stime`. Birth plus `otime` of one row is the birth of the next: a free check.

use super::detect::{is_kstat_head, is_txg_row};
use super::reading::Reading;
use super::text::{Line, bytes_text, count_text, integer, mean, median, plural, range, time_text};
use super::verdict::decide;
use crate::view::Picture;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// The timer that closes a transaction group when nothing else does.
const TIMER: f64 = 5e9;
/// Rows drawn.
const DRAWN: usize = 200;

/// One transaction group. Sizes are bytes, times nanoseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TxgRow {
    /// Line number.
    pub line: u64,
    /// Number.
    pub txg: u64,
    /// Time it opened.
    pub birth: u64,
    /// Step in progress: `O`, `Q`, `W`, `S`, or `C` when all are done.
    pub state: String,
    /// Dirty bytes at the start of the sync; absent before 0.6.3.
    pub ndirty: Option<u64>,
    /// Bytes read while it synced.
    pub nread: u64,
    /// Bytes written while it synced.
    pub nwritten: u64,
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Time open.
    pub otime: u64,
    /// Time quiescing.
    pub qtime: u64,
    /// Time waiting for the sync of the one before; absent before 0.6.3.
    pub wtime: Option<u64>,
    /// Time syncing.
    pub stime: u64,
}

/// The rows of `lines`, and the ring size when the line of numbers above is there.
pub(crate) fn parse(lines: &[Line<'_>], reading: &mut Reading) -> (Vec<TxgRow>, Option<u64>) {
    let mut rows = Vec::new();
    let mut ring = None;
    let mut pending: Option<(Vec<u64>, String, usize)> = None;
    for (at, line) in lines.iter().enumerate() {
        let words = line.words();
        if is_kstat_head(&words) {
            ring = words.get(3).and_then(|w| integer(w));
            continue;
        }
        if words.first() == Some(&"txg") && words.contains(&"otime") {
            continue;
        }
        if is_txg_row(&words) {
            close(&mut rows, pending.take(), lines, reading);
            let (numbers, state) = split(&words);
            pending = Some((numbers, state, at));
            continue;
        }
        // The rest of a row that a terminal wrapped.
        let numbers: Vec<u64> = words.iter().filter_map(|w| integer(w)).collect();
        match &mut pending {
            Some((row, state, _))
                if !words.is_empty()
                    && numbers.len() == words.len()
                    && row.len() + numbers.len() <= width(state) =>
            {
                row.extend(numbers);
            }
            _ if numbers.len() == 1 && words.len() == 1 => {
                reading.drop_line(line, "the row is cut behind the txg number");
            }
            _ => reading.drop_unfit(line, "the txgs table"),
        }
    }
    close(&mut rows, pending, lines, reading);
    (rows, ring)
}

/// Numbers without the state letter; a `-` in front of the state says the old order.
fn split(words: &[&str]) -> (Vec<u64>, String) {
    let old = words.get(1).is_some_and(|w| integer(w).is_none());
    let state = words.get(if old { 1 } else { 2 }).copied().unwrap_or("");
    let numbers = words.iter().filter_map(|w| integer(w)).collect();
    (numbers, format!("{}{state}", if old { "-" } else { "" }))
}

/// Numbers of a whole row.
fn width(state: &str) -> usize {
    if state.starts_with('-') { 9 } else { 11 }
}

fn close(
    rows: &mut Vec<TxgRow>,
    pending: Option<(Vec<u64>, String, usize)>,
    lines: &[Line<'_>],
    reading: &mut Reading,
) {
    let Some((numbers, state, at)) = pending else {
        return;
    };
    let Some(line) = lines.get(at) else { return };
    let Some(row) = numbered(&numbers, &state) else {
        let (got, all) = (numbers.len(), width(&state));
        let why = format!("the row is cut after {got} of {all} numbers");
        reading.drop_line(line, &why);
        return;
    };
    let row = TxgRow { line: line.number, state: state.trim_start_matches('-').to_string(), ..row };
    if rows.last().is_some_and(|last| last.txg == row.txg && last.birth == row.birth) {
        reading.drop_line(line, "the same transaction group again");
        return;
    }
    rows.push(row);
}

/// A row from its numbers in order; `None` when some are missing.
fn numbered(numbers: &[u64], state: &str) -> Option<TxgRow> {
    Some(match *numbers {
        [txg, birth, ndirty, nread, nwritten, reads, writes, otime, qtime, wtime, stime, ..] => {
            TxgRow {
                ndirty: Some(ndirty),
                wtime: Some(wtime),
                ..row(txg, birth, (nread, nwritten, reads, writes), (otime, qtime, stime))
            }
        }
        [txg, birth, nread, nwritten, reads, writes, otime, qtime, stime]
            if state.starts_with('-') =>
        {
            row(txg, birth, (nread, nwritten, reads, writes), (otime, qtime, stime))
        }
        _ => return None,
    })
}

fn row(txg: u64, birth: u64, io: (u64, u64, u64, u64), times: (u64, u64, u64)) -> TxgRow {
    let ((nread, nwritten, reads, writes), (otime, qtime, stime)) = (io, times);
    TxgRow { txg, birth, nread, nwritten, reads, writes, otime, qtime, stime, ..TxgRow::default() }
}

/// Reads the lines of the txgs family.
pub(crate) fn read(lines: &[Line<'_>]) -> Reading {
    let mut reading = Reading::new("txgs");
    let (rows, ring) = parse(lines, &mut reading);
    reading.rows = rows.len() as u64;
    let old = rows.first().is_some_and(|r| r.ndirty.is_none());
    reading.version = if old {
        "0.6.2 or older (no ndirty, no wtime; state before birth)".to_string()
    } else {
        "0.6.3 or later (12 columns)".to_string()
    };
    let done: Vec<&TxgRow> =
        rows.iter().filter(|r| matches!(r.state.as_str(), "C" | "S" | "W")).collect();
    if done.is_empty() {
        reading.verdict = "No whole row of a transaction group is in the text.".to_string();
        return reading;
    }
    overview(&rows, &done, ring, &mut reading);
    flow(&done, &mut reading);
    pipeline(&rows, &mut reading);
    births(&rows, &mut reading);
    own_verdict(&done, &mut reading);
    reading.pictures.push(timeline(&rows));
    reading
}

fn times(rows: &[&TxgRow], pick: fn(&TxgRow) -> u64) -> Vec<f64> {
    rows.iter().map(|r| pick(r) as f64).collect()
}

fn overview(rows: &[TxgRow], done: &[&TxgRow], ring: Option<u64>, reading: &mut Reading) {
    let (first, last) = (rows.first().map_or(0, |r| r.txg), rows.last().map_or(0, |r| r.txg));
    let otimes = times(done, |r| r.otime);
    let stimes = times(done, |r| r.stime);
    let (olow, ohigh) = range(&otimes).unwrap_or((0.0, 0.0));
    let (slow, shigh) = range(&stimes).unwrap_or((0.0, 0.0));
    let ring = ring.map_or(String::new(), |n| format!(", ring of {n}"));
    reading.value(
        "txgs",
        rows.len() as f64,
        format!("{} ({first} to {last}{ring}).", plural(rows.len() as u64, "transaction group")),
    );
    reading.value(
        "otime_ns",
        median(&otimes),
        format!(
            "Open for {} to {}, median {}; the timer alone would give 5 s.",
            time_text(olow),
            time_text(ohigh),
            time_text(median(&otimes))
        ),
    );
    reading.value(
        "stime_ns",
        median(&stimes),
        format!(
            "Sync takes {} to {}, median {}.",
            time_text(slow),
            time_text(shigh),
            time_text(median(&stimes))
        ),
    );
    reading.set("otime_ns", median(&otimes));
    reading.set("otime_min_ns", olow);
    reading.set("otime_max_ns", ohigh);
    reading.set("stime_ns", median(&stimes));
    reading.set("stime_max_ns", shigh);
    if (5.05e9..5.3e9).contains(&median(&otimes)) {
        let open = time_text(median(&otimes));
        reading.info(format!("{open} is the 5 s timer, rounded up to clock ticks (jiffies)."));
    }
    quiescing(done, &otimes, reading);
}

/// Groups held open, and how many there are a second.
fn quiescing(done: &[&TxgRow], otimes: &[f64], reading: &mut Reading) {
    let qtimes = times(done, |r| r.qtime);
    let qhigh = range(&qtimes).map_or(0.0, |(_, h)| h);
    reading.set("qtime_max_ns", qhigh);
    if qhigh > 100e6 {
        reading.warn_value(
            "qtime_max_ns",
            qhigh,
            format!("Quiescing took up to {}: a transaction was held open.", time_text(qhigh)),
        );
    }
    let span: f64 = otimes.iter().sum();
    if span > 0.0 {
        let rate = otimes.len() as f64 / (span / 1e9);
        reading.set("txgs_a_second", rate);
        reading.value(
            "txgs_a_second",
            rate,
            format!("{} transaction groups a second.", count_text(rate)),
        );
    }
}

/// How much was written, in what pieces, how fast.
fn flow(done: &[&TxgRow], reading: &mut Reading) {
    let written: f64 = times(done, |r| r.nwritten).iter().sum();
    let writes: f64 = times(done, |r| r.writes).iter().sum();
    let syncing: f64 = times(done, |r| r.stime).iter().sum();
    let idle = |r: &&&TxgRow| r.ndirty.unwrap_or(r.nwritten) == 0 && r.nwritten == 0;
    let empty: Vec<f64> = done.iter().filter(idle).map(|r| r.otime as f64).collect();
    let share = empty.len() as f64 / done.len().max(1) as f64;
    reading.set("empty_share", share);
    reading.set("written", written);
    if !empty.is_empty() {
        let (low, high) = range(&empty).unwrap_or((0.0, 0.0));
        let short = empty.iter().filter(|o| **o < 1e9).count();
        let text = format!(
            "{} of {} wrote nothing; these were open for {} to {} (median {}), {short} of them \
             under a second.",
            empty.len(),
            plural(done.len() as u64, "transaction group"),
            time_text(low),
            time_text(high),
            time_text(median(&empty))
        );
        reading.value("empty", empty.len() as f64, text);
        reading.set("empty_otime_ns", median(&empty));
    }
    if writes > 0.0 && syncing > 0.0 {
        let size = written / writes;
        let rate = written / (syncing / 1e9);
        reading.set("write_size", size);
        reading.set("sync_rate", rate);
        reading.value(
            "write_size",
            size,
            format!(
                "{} in {} writes: {} a write.",
                bytes_text(written),
                count_text(writes),
                bytes_text(size)
            ),
        );
        reading.value("sync_rate", rate, format!("{} a second while syncing.", bytes_text(rate)));
    }
    slowest_sync(done, reading);
    reads(done, reading);
}

/// The longest sync, when it took more than a second.
fn slowest_sync(done: &[&TxgRow], reading: &mut Reading) {
    let slowest = done.iter().max_by_key(|r| r.stime).filter(|r| r.stime > 1_000_000_000);
    if let Some(r) = slowest {
        let size = r.nwritten as f64 / r.writes.max(1) as f64;
        let wait = r.wtime.map_or(String::new(), |w| format!(", waits {}", time_text(w as f64)));
        let text = format!(
            "txg {}: open {}{wait}, syncs {} for {} ({} a write).",
            r.txg,
            time_text(r.otime as f64),
            time_text(r.stime as f64),
            bytes_text(r.nwritten as f64),
            bytes_text(size)
        );
        reading.value("slowest_write_size", size, text);
    }
}

/// What was read while the groups synced.
fn reads(done: &[&TxgRow], reading: &mut Reading) {
    let readers: Vec<&&TxgRow> = done.iter().filter(|r| r.nread > 0).collect();
    if let [only] = readers.as_slice() {
        let text = format!(
            "Only txg {} read anything: {} bytes in {}.",
            only.txg,
            only.nread,
            plural(only.reads, "read")
        );
        reading.value("nread", only.nread as f64, text);
    } else if !readers.is_empty() {
        let sum: f64 = readers.iter().map(|r| r.nread as f64).sum();
        reading.value("nread", sum, format!("{} read while syncing.", bytes_text(sum)));
    }
}

/// Whether the sync of one group holds up the next.
fn pipeline(rows: &[TxgRow], reading: &mut Reading) {
    let mut ratios = Vec::new();
    for pair in rows.windows(2) {
        let [before, this] = pair else { continue };
        if this.txg != before.txg.wrapping_add(1) || before.stime < 50_000_000 {
            continue;
        }
        match this.wtime {
            Some(wait) => ratios.push(wait as f64 / before.stime as f64),
            None => ratios.push(this.otime as f64 / before.stime as f64),
        }
    }
    if ratios.is_empty() {
        return;
    }
    let middle = median(&ratios);
    let old = rows.first().is_some_and(|r| r.wtime.is_none());
    if old {
        reading.info(format!(
            "A group stays open {middle:.2} times as long as the one before syncs: syncs run back \
             to back."
        ));
        return;
    }
    reading.set("wait_to_sync", middle);
    reading.value(
        "wait_to_sync",
        middle,
        format!("A group waits {middle:.2} times the sync time of the one before."),
    );
}

/// Birth + otime = next birth.
fn births(rows: &[TxgRow], reading: &mut Reading) {
    let (mut good, mut near, mut bad, mut gaps) = (0u64, 0u64, Vec::new(), 0u64);
    for pair in rows.windows(2) {
        let [a, b] = pair else { continue };
        if b.txg != a.txg.wrapping_add(1) {
            gaps += 1;
            continue;
        }
        let off = a.birth.wrapping_add(a.otime).abs_diff(b.birth);
        match off {
            0 => good += 1,
            _ if off <= a.qtime.saturating_add(100_000) => near += 1,
            _ => bad.push((a.txg, off)),
        }
    }
    if good + near > 0 {
        let text = if near == 0 {
            format!("birth + otime is the next birth exactly, {}.", plural(good, "time"))
        } else {
            format!(
                "birth + otime is the next birth {} exactly and {near} to within the quiesce time.",
                plural(good, "time")
            )
        };
        reading.check(true, "births", (good + near) as f64, text);
    }
    for (txg, off) in bad.iter().take(10) {
        let text = format!(
            "txg {txg}: birth + otime misses the next birth by {}.",
            time_text(*off as f64)
        );
        reading.check(false, "birth_gap_ns", *off as f64, text);
    }
    if gaps > 0 {
        reading.info(format!("The numbers are not in one run: {}.", plural(gaps, "gap")));
    }
}

/// What closes the groups, when the decision table has nothing stronger.
fn own_verdict(done: &[&TxgRow], reading: &mut Reading) {
    if decide(&reading.readings).next().is_some() {
        return;
    }
    let otimes = times(done, |r| r.otime);
    let (low, high) = range(&otimes).unwrap_or((0.0, 0.0));
    let middle = median(&otimes);
    let seen = format!(
        "median {} open, {} syncing",
        time_text(middle),
        time_text(mean(&times(done, |r| r.stime)))
    );
    reading.verdict = if middle < 0.5 * TIMER {
        format!(
            "Transaction groups close after {} to {} instead of 5 s ({seen}): something other \
             than the \
             timer closes them.",
            time_text(low),
            time_text(high)
        )
    } else {
        format!("Transaction groups close by the timer ({seen}); nothing here is in a hurry.")
    };
    reading.next =
        "Look at dmu_tx (is anything delayed?) and at zpool iostat -l (where do writes wait?)."
            .to_string();
}

fn timeline(rows: &[TxgRow]) -> Picture {
    let start = rows.first().map_or(0, |r| r.birth);
    let rows = rows
        .iter()
        .take(DRAWN)
        .map(|r| {
            let stages = [r.otime, r.qtime, r.wtime.unwrap_or(0), r.stime];
            let stages = stages.iter().map(|t| *t as f64).collect();
            (format!("{}", r.txg), r.birth.saturating_sub(start) as f64, stages)
        })
        .collect();
    Picture::Timeline {
        title: "Transaction groups".to_string(),
        stages: ["open", "quiescing", "waiting", "syncing"].map(String::from).to_vec(),
        rows,
    }
}
