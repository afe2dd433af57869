//! Which family a line belongs to, by tell-tale words.
//!
//! A line either tells its family by itself (a header, or a row whose shape no other output has)
//! or goes with the lines around it. Rows tell whenever they can, so that a table without a head
//! is still known and a lost or doubled line changes nothing.

use super::text::{Line, cell, decimal, integer, nice, percent, time_ns};
use std_alloc::vec::Vec;

/// One family of outputs; one reader each. The order is the order of importance on a tie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Family {
    /// `zdb -m` and its longer forms.
    Metaslabs,
    /// The `txgs` kstat.
    Txgs,
    /// `zpool iostat`, with `-v`, `-l`, `-q`.
    Iostat,
    /// `zpool iostat -w`.
    Latency,
    /// `zpool iostat -r`.
    Sizes,
    /// `zpool list`.
    List,
    /// kstats of names and numbers: `dmu_tx`, `zil`, `objset`, `arcstats`.
    Counters,
    /// The `dmu_tx_assign` kstat.
    TxAssign,
    /// `zdb -C`, `-l`, `-lu`.
    Config,
    /// `zdb -b`, leak lists.
    Blocks,
    /// `zdb -d`.
    Objects,
    /// `zdb -D`.
    Ddt,
    /// `zpool status`.
    Status,
    /// `zfs list`.
    ZfsList,
    /// `zpool get`, `zfs get`.
    Properties,
    /// `arcstat`.
    Arcstat,
    /// The debug log.
    Dbgmsg,
    /// `zpool events`.
    Events,
    /// `zpool history`.
    History,
    /// `fio`.
    Fio,
    /// `blktrace`.
    Blktrace,
}

/// The lines of every family that was found, in the order of [`Family`].
pub(crate) fn sort_lines<'a>(lines: &[Line<'a>]) -> Vec<(Family, Vec<Line<'a>>)> {
    let tells: Vec<Option<Family>> = lines.iter().map(tell).collect();
    let mut next: Option<Family> = None;
    let mut following: Vec<Option<Family>> = Vec::with_capacity(lines.len());
    for told in tells.iter().rev() {
        next = told.or(next);
        following.push(next);
    }
    following.reverse();
    let mut sorted: Vec<(Family, Vec<Line<'a>>)> = Vec::new();
    let mut current: Option<Family> = None;
    for ((line, told), ahead) in lines.iter().zip(&tells).zip(&following) {
        let family = match told {
            Some(family) => keep_or_switch(current, *family, line),
            None if current.is_none() || leads(line) => ahead.or(current),
            None => current,
        };
        let Some(family) = family else { continue };
        if told.is_some() {
            current = Some(family);
        }
        match sorted.iter_mut().find(|(f, _)| *f == family) {
            Some((_, list)) => list.push(line.clone()),
            None => sorted.push((family, Vec::from([line.clone()]))),
        }
    }
    sorted.sort_by_key(|(family, _)| *family);
    sorted
}

/// Some rows look like those of another family: inside `zdb -b` the table of `-s`, inside a
/// debug log or an event whatever it quotes.
fn keep_or_switch(current: Option<Family>, told: Family, line: &Line<'_>) -> Option<Family> {
    let words = line.words();
    let quoted = matches!(
        (current, told),
        (Some(Family::Objects), Family::Blocks) | (Some(Family::Status), Family::List)
    );
    let table = current == Some(Family::Blocks)
        && matches!(told, Family::Iostat | Family::Status | Family::Metaslabs)
        && !words.contains(&"metaslab")
        && !words.contains(&"alloc");
    let remark = current.is_some() && line.text.contains("All DDTs are empty");
    let uberblock = current == Some(Family::Events) && told == Family::Config;
    if quoted || table || uberblock || remark {
        return current;
    }
    Some(told)
}

/// A line that belongs to what follows: the numbers above a kstat, a prompt.
fn leads(line: &Line<'_>) -> bool {
    is_kstat_head(&line.words()) || super::reading::is_command(line.text)
}

/// The seven numbers above a kstat: id, type, flags, rows, bytes, creation and snapshot time.
pub(crate) fn is_kstat_head(words: &[&str]) -> bool {
    words.len() == 7
        && words.get(2).is_some_and(|w| w.starts_with("0x"))
        && words.iter().all(|w| integer(w).is_some())
}

/// The family that a line tells by itself.
pub(crate) fn tell(line: &Line<'_>) -> Option<Family> {
    let words = line.words();
    if words.is_empty() || is_kstat_head(&words) {
        return None;
    }
    log_line(&words, line.text)
        .or_else(|| kstat_line(&words, line.text))
        .or_else(|| zdb_line(&words, line.text))
        .or_else(|| zdb_tree(&words, line.text))
        .or_else(|| pool_line(&words, line.text))
        .or_else(|| other_line(&words, line.text))
}

fn at<'a>(words: &[&'a str], index: usize) -> &'a str {
    words.get(index).copied().unwrap_or("")
}

/// Debug log, events, history: a time comes first.
fn log_line(words: &[&str], text: &str) -> Option<Family> {
    let first = at(words, 0);
    if text.contains(".c:") && text.contains("():") {
        return Some(Family::Dbgmsg);
    }
    if is_history_time(first) || text.trim().starts_with("History for '") {
        return Some(Family::History);
    }
    let event = is_month(first) && at(words, 3).matches(':').count() == 2;
    if event && integer(at(words, 1)).is_some() && integer(at(words, 2)).is_some() {
        return Some(Family::Events);
    }
    if first == "TIME" && at(words, 1) == "CLASS" {
        return Some(Family::Events);
    }
    let pair = at(words, 1) == "=" || first.ends_with('=');
    let event_key = ["zio_", "vdev_", "pool_", "parent_", "cksum_", "bad_"];
    let named = event_key.iter().any(|k| first.starts_with(k))
        || matches!(first, "class" | "ena" | "detector" | "scheme" | "eid" | "time" | "subclass");
    (pair && named).then_some(Family::Events)
}

/// `2013-10-16.17:05:09`, or a damaged year in front.
pub(crate) fn is_history_time(word: &str) -> bool {
    let Some((date, time)) = word.split_once('.') else {
        return false;
    };
    let date = date.strip_prefix('-').unwrap_or(date);
    let dashes = date.matches('-').count() == 2;
    dashes
        && time.matches(':').count() >= 2
        && date.bytes().all(|b| b.is_ascii_digit() || b == b'-')
        && time.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether it is an English month in three letters.
pub(crate) fn is_month(word: &str) -> bool {
    month(word).is_some()
}

/// 1 to 12 for an English month in three letters.
pub(crate) fn month(word: &str) -> Option<u64> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    MONTHS.iter().position(|m| *m == word).map(|p| p as u64 + 1)
}

/// txgs, named counters, dmu_tx_assign.
fn kstat_line(words: &[&str], text: &str) -> Option<Family> {
    if at(words, 0) == "txg" && words.contains(&"otime") {
        return Some(Family::Txgs);
    }
    if is_txg_row(words) {
        return Some(Family::Txgs);
    }
    let (first, second) = (at(words, 0), at(words, 1));
    if words.len() >= 3 && integer(first).is_some() && matches!(second, "ns" | "us") {
        let plain = integer(at(words, 2)).is_some_and(|t| t <= 8);
        return plain.then_some(Family::TxAssign);
    }
    if words.len() == 3 && first == "name" && second == "type" {
        return None; // shared by all named kstats: goes with its rows
    }
    let _ = text;
    is_counter_row(words).then_some(Family::Counters)
}

/// `name TYPE value` with a known kind of name.
pub(crate) fn is_counter_row(words: &[&str]) -> bool {
    let typed = words.len() >= 2 && matches!(at(words, 1), "1" | "2" | "3" | "4" | "7");
    let name = at(words, 0);
    let known = ["dmu_tx", "zil_", "arc_", "l2_", "demand_", "prefetch_", "mfu_", "mru_"];
    let plain = matches!(
        name,
        "dataset_name" | "writes" | "nwritten" | "reads" | "nread" | "nunlinks" | "nunlinked"
    );
    let shaped = words.len() == 3
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && integer(at(words, 2)).is_some();
    typed && (known.iter().any(|k| name.starts_with(k)) || plain || shaped)
}

/// A txg number, a birth time and a state letter in either order, then numbers.
pub(crate) fn is_txg_row(words: &[&str]) -> bool {
    let letter = |w: &str| matches!(w, "B" | "O" | "Q" | "W" | "S" | "C");
    let number = |i: usize| integer(at(words, i)).is_some();
    let new = number(0) && number(1) && letter(at(words, 2)) && (words.len() == 3 || number(3));
    let old = number(0) && letter(at(words, 1)) && number(2) && (words.len() == 3 || number(3));
    words.len() >= 3 && (new || old)
}

/// zdb tables.
fn zdb_line(words: &[&str], text: &str) -> Option<Family> {
    let (first, second) = (at(words, 0), at(words, 1));
    let metaslab = first == "metaslab" && integer(second).is_some() && words.contains(&"offset");
    if metaslab
        || first == "Metaslabs:"
        || first == "smp_length"
        || first == "smp_alloc"
        || (first == "metaslabs" && words.contains(&"spacemap"))
        || text.contains("histogram:") && (first == "On-disk" || first == "In-memory")
        || (first == "vdev" && words.contains(&"metaslabs"))
        || text.trim_start().starts_with("space map object")
        || (first == "ALLOC:" && words.len() == 3)
    {
        return Some(Family::Metaslabs);
    }
    let bp = ["count:", "logical:", "physical:", "allocated:", "deduped:", "cloned:"];
    let blocks = (first == "bp" && bp.contains(&second))
        || text.contains("ganged count:")
        || text.contains("Block Size Histogram")
        || text.contains("Traversing all blocks")
        || text.contains("leaked space")
        || text.contains("No leaks (")
        || text.contains("Dittoed blocks")
        || (first == "block" && words.contains(&"psize"))
        || (first == "Blocks" && second == "LSIZE")
        || (words.contains(&"class") && words.contains(&"used:"))
        || text.contains("zdb_blkptr_cb")
        || (first == "description" && second == "used");
    if blocks || is_type_row(words) || is_size_bin(words) {
        return Some(Family::Blocks);
    }
    let ddt = text.contains("All DDTs are empty")
        || (text.contains("DDT entries") && words.contains(&"size"))
        || (first == "refcnt" && words.contains(&"LSIZE"))
        || is_ddt_row(words);
    ddt.then_some(Family::Ddt)
}

/// `refcount blocks LSIZE PSIZE DSIZE blocks LSIZE PSIZE DSIZE`, or its total.
pub(crate) fn is_ddt_row(words: &[&str]) -> bool {
    let first = at(words, 0);
    words.len() == 9
        && (first == "Total" || nice(first).is_some())
        && words.iter().skip(1).all(|w| nice(w).is_some())
        && words.iter().filter(|w| w.ends_with(['K', 'M', 'G', 'T', 'P'])).count() >= 3
}

/// A row of the block type table: seven cells and a type name.
pub(crate) fn is_type_row(words: &[&str]) -> bool {
    let cells = words.iter().take(7).filter(|w| cell(w).is_some()).count();
    let name = at(words, 7);
    let dashes = words.iter().take(7).all(|w| *w == "-");
    let percent = decimal(at(words, 6)).is_some() && at(words, 6).contains('.');
    words.len() >= 8
        && cells == 7
        && (dashes || (percent && nice(at(words, 0)).is_some()))
        && name.starts_with(|c: char| c.is_alphabetic())
        && at(words, 7) != "ONLINE"
}

/// A row of the block size table: a size with a colon and counts.
pub(crate) fn is_size_bin(words: &[&str]) -> bool {
    let Some(size) = at(words, 0).strip_suffix(':') else {
        return false;
    };
    words.len() >= 4 && nice(size).is_some() && words.iter().skip(1).all(|w| nice(w).is_some())
}

/// zdb configurations and object dumps.
fn zdb_tree(words: &[&str], text: &str) -> Option<Family> {
    let (first, second) = (at(words, 0), at(words, 1));
    let keys = [
        "pool_guid:",
        "vdev_guid:",
        "top_guid:",
        "guid:",
        "hostid:",
        "hostname:",
        "errata:",
        "vdev_children:",
        "vdev_tree:",
        "metaslab_array:",
        "metaslab_shift:",
        "ashift:",
        "asize:",
        "is_log:",
        "create_txg:",
        "features_for_read:",
        "whole_disk:",
        "phys_path:",
        "devid:",
        "DTL:",
        "comment:",
        "nparity:",
    ];
    let numbered = matches!(first, "version:" | "state:" | "txg:" | "id:")
        && integer(second).is_some()
        && words.len() == 2;
    let quoted = matches!(first, "name:" | "type:" | "path:") && second.starts_with('\'');
    let config = keys.contains(&first)
        || numbered
        || quoted
        || text.trim_start().starts_with("MOS Configuration")
        || text.trim_start().starts_with("Cached configuration")
        || (first == "LABEL" && words.len() == 2)
        || first.starts_with("children[")
        || first.starts_with("Uberblock")
        || (text.contains("bab10c"))
        || (matches!(first, "guid_sum" | "mmp_magic" | "checkpoint_txg" | "rootbp" | "labels")
            && second == "=");
    if config {
        return Some(Family::Config);
    }
    let pointer = text.contains("DVA[0]=<")
        || (words.iter().any(|w| is_level(w)) && words.iter().any(|w| is_dva(w)));
    let objects = pointer
        || (first == "Object" && second == "lvl")
        || (first == "Dataset" && text.contains("], ID "))
        || (first == "dnode" && matches!(second, "flags:" | "maxblkid:"))
        || text.trim_start().starts_with("Indirect blocks:");
    objects.then_some(Family::Objects)
}

/// `L0`, `L1`, ...
pub(crate) fn is_level(word: &str) -> bool {
    word.len() == 2 && word.starts_with('L') && word.ends_with(|c: char| c.is_ascii_digit())
}

/// `vdev:offset:size`, offset and size hexadecimal.
pub(crate) fn is_dva(word: &str) -> bool {
    let mut parts = word.split(':');
    let vdev = parts.next().and_then(integer).is_some();
    let rest: Vec<&str> = parts.collect();
    vdev && rest.len() == 2 && rest.iter().all(|p| super::text::hex(p).is_some())
}

/// Whether it is a state of a vdev.
pub(crate) fn is_health(word: &str) -> bool {
    matches!(
        word,
        "ONLINE"
            | "DEGRADED"
            | "FAULTED"
            | "OFFLINE"
            | "UNAVAIL"
            | "REMOVED"
            | "AVAIL"
            | "INUSE"
            | "SUSPENDED"
    )
}

/// `zpool` and `zfs` tables.
fn pool_line(words: &[&str], text: &str) -> Option<Family> {
    let (first, second) = (at(words, 0), at(words, 1));
    let has = |w: &str| words.contains(&w);
    if first == "NAME" {
        return match second {
            "SIZE" => Some(Family::List),
            "USED" | "AVAIL" => Some(Family::ZfsList),
            "PROPERTY" => Some(Family::Properties),
            "STATE" => Some(Family::Status),
            _ => None,
        };
    }
    if has("total_wait") && (has("sync_queue") || !has("capacity")) && !has("syncq_read") {
        let group = has("capacity") || has("operations");
        return Some(if group { Family::Iostat } else { Family::Latency });
    }
    if first == "latency" && has("read") {
        return Some(Family::Latency);
    }
    if (has("sync_read") && has("sync_write")) || first == "req_size" {
        return Some(Family::Sizes);
    }
    if (first == "capacity" && second == "operations")
        || (has("alloc") && has("free") && has("read"))
    {
        return Some(Family::Iostat);
    }
    if first == "zpool" && second == "iostat" {
        return None;
    }
    if is_property_row(words) {
        return Some(Family::Properties);
    }
    status_line(words, text).or_else(|| pool_row(words))
}

/// `NAME PROPERTY VALUE SOURCE` with a property that is known.
fn is_property_row(words: &[&str]) -> bool {
    const NAMES: [&str; 42] = [
        "size",
        "capacity",
        "altroot",
        "health",
        "guid",
        "version",
        "bootfs",
        "delegation",
        "autoreplace",
        "cachefile",
        "failmode",
        "listsnapshots",
        "autoexpand",
        "dedupditto",
        "dedupratio",
        "free",
        "allocated",
        "readonly",
        "ashift",
        "comment",
        "expandsize",
        "freeing",
        "fragmentation",
        "leaked",
        "multihost",
        "checkpoint",
        "load_guid",
        "autotrim",
        "type",
        "creation",
        "used",
        "available",
        "referenced",
        "compressratio",
        "mounted",
        "quota",
        "reservation",
        "recordsize",
        "volblocksize",
        "volsize",
        "compression",
        "sync",
    ];
    let source = words.last().copied().unwrap_or("");
    let sourced = matches!(source, "-" | "default" | "local" | "received" | "temporary")
        || words.contains(&"inherited");
    let name = at(words, 1);
    let known = NAMES.contains(&name) || name.starts_with("feature@");
    words.len() >= 4 && known && sourced && cell(at(words, 0)).is_none()
}

fn status_line(words: &[&str], text: &str) -> Option<Family> {
    let (first, second) = (at(words, 0), at(words, 1));
    let state = first == "state:" && is_health(second);
    let head = matches!(first, "pool:" | "status:" | "action:" | "scan:" | "scrub:" | "see:")
        && !second.starts_with('\'')
        && !second.is_empty();
    let row = is_health(second) && (2..5).all(|i| nice(at(words, i)).is_some());
    let config = text.trim() == "config:" || (first == "errors:" && words.len() > 1);
    (state || head || row || config).then_some(Family::Status)
}

/// Rows of `zpool list`, `zpool iostat` and `zfs list` that show by their shape what they are.
fn pool_row(words: &[&str]) -> Option<Family> {
    let first = at(words, 0);
    let rest: Vec<&str> = words.iter().skip(1).copied().collect();
    if time_ns(first).is_some() && rest.len() >= 4 && rest.iter().all(|w| nice(w).is_some()) {
        return Some(Family::Latency);
    }
    if nice(first).is_some() && rest.len() >= 9 && rest.iter().all(|w| nice(w).is_some()) {
        let power = nice(first).is_some_and(|n| (n as u64).is_power_of_two() && n >= 1.0);
        return power.then_some(Family::Sizes);
    }
    if cell(first).is_some() {
        return None;
    }
    let health = rest.iter().position(|w| is_health(w));
    if health.is_some_and(|h| h >= 5 && rest.iter().take(h).all(|w| is_list_cell(w))) {
        return Some(Family::List);
    }
    let sizes = rest.iter().take(3).filter(|w| nice(w).is_some()).count();
    if rest.len() == 4 && sizes == 3 && is_mountpoint(at(&rest, 3)) {
        return Some(Family::ZfsList);
    }
    let cells = rest.iter().take_while(|w| cell(w).is_some()).count();
    let known = matches!(cells, 6 | 15..=20 | 25..=31) || (cells > 6 && cells % 6 == 0);
    let capacity = at(&rest, 0) == "-" || nice(at(&rest, 0)).is_some();
    let no_percent = rest.iter().all(|w| percent(w).is_none());
    let numbers = rest.iter().take(cells).any(|w| *w != "-");
    (known && capacity && no_percent && numbers).then_some(Family::Iostat)
}

/// A cell of `zpool list`: a size, a percentage, a ratio or a dash.
pub(crate) fn is_list_cell(word: &str) -> bool {
    cell(word).is_some() || word.strip_suffix('x').is_some_and(|w| decimal(w).is_some())
}

fn is_mountpoint(word: &str) -> bool {
    word.starts_with('/') || matches!(word, "-" | "none" | "legacy")
}

/// arcstat, fio, blktrace.
fn other_line(words: &[&str], text: &str) -> Option<Family> {
    let first = at(words, 0);
    if (first == "time" || first == "read") && (words.contains(&"miss") || words.contains(&"miss%"))
    {
        return Some(Family::Arcstat);
    }
    let clock = first.matches(':').count() == 2
        && first.len() == 8
        && first.bytes().all(|b| b.is_ascii_digit() || b == b':');
    if clock && words.len() >= 6 && words.iter().skip(1).all(|w| cell(w).is_some()) {
        return Some(Family::Arcstat);
    }
    let fio = text.contains("IOPS=")
        || text.contains("clat (")
        || text.contains("clat percentiles")
        || text.contains("th=[")
        || (text.contains("): rw=") && text.contains("ioengine="))
        || (text.contains("(groupid=") && text.contains("jobs="));
    if fio {
        return Some(Family::Fio);
    }
    let device = first
        .split_once(',')
        .is_some_and(|(a, b)| integer(a).is_some() && integer(b).is_some() && !a.is_empty());
    let trace = device && words.len() >= 6 && at(words, 3).contains('.');
    trace.then_some(Family::Blktrace)
}
