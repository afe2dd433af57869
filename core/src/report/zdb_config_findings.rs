//! What a configuration tells: vdevs, metaslab counts by both rules, guid sums, ages.

use super::reading::Reading;
use super::text::{Line, bytes_text, log2, plural};
use super::zdb_config::{ConfigText, ConfigUberblock, ConfigVdev, parse};
use crate::alloc::metaslab_shift;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Vdevs and uberblocks described one by one.
const DETAILED: usize = 24;

/// Reads the lines of a configuration.
pub(crate) fn read(lines: &[Line<'_>]) -> Reading {
    let mut reading = Reading::new("zdb -C");
    let configs = parse(lines, &mut reading);
    let label =
        configs.iter().any(|c| c.title.starts_with("LABEL") || c.number("top_guid").is_some());
    let ring = configs.iter().map(|c| c.uberblocks.len()).sum::<usize>();
    let bare = configs.iter().all(|c| c.vdevs.is_empty() && c.numbers.is_empty());
    reading.kind = match (label, ring > 0) {
        (true, true) => "zdb -lu",
        (true, false) => "zdb -l",
        (false, true) if bare => "zdb -u",
        (false, _) => "zdb -C",
    }
    .to_string();
    reading.version = version(&configs);
    for config in configs.iter().take(8) {
        if !bare {
            pool(config, &mut reading);
        }
        for vdev in config.vdevs.iter().filter(|v| v.is_top()).take(DETAILED) {
            top(config, vdev, &mut reading);
        }
        troubles(config, &mut reading);
        uberblocks(config, &mut reading);
        guid_sum(config, &mut reading);
    }
    labels_agree(&configs, &mut reading);
    verdict(&configs, &mut reading);
    reading
}

fn version(configs: &[ConfigText]) -> String {
    let vdevs = || configs.iter().flat_map(|c| &c.vdevs);
    let blocks = || configs.iter().flat_map(|c| &c.uberblocks);
    let has = |key: &str| blocks().any(|u| u.number(key).is_some());
    if vdevs().any(|v| v.string("alloc_bias").is_some()) || has("checkpoint_txg") {
        "0.8 or later (checkpoint_txg or alloc_bias)"
    } else if has("mmp_magic") {
        "0.7 or later (mmp fields in the uberblock)"
    } else if vdevs().any(|v| v.number("com.delphix:vdev_zap_top").is_some()) {
        "0.7 or later (per-vdev ZAPs)"
    } else if configs.iter().any(|c| c.number("version").is_some_and(|v| v < 5000)) {
        "a pool version before feature flags"
    } else {
        "any"
    }
    .to_string()
}

fn state_name(state: u64) -> &'static str {
    match state {
        0 => "active",
        1 => "exported",
        2 => "destroyed",
        3 => "a spare",
        4 => "a cache device",
        5 => "uninitialised",
        _ => "unknown",
    }
}

fn title(config: &ConfigText) -> String {
    match config.title.as_str() {
        "" => "Configuration".to_string(),
        title => title.to_string(),
    }
}

fn pool(config: &ConfigText, reading: &mut Reading) {
    let get = |key: &str| config.number(key).map_or("unknown".to_string(), |n| format!("{n}"));
    let name = config.string("name").unwrap_or("unknown");
    let state = config
        .number("state")
        .map_or("of unknown state".to_string(), |s| format!("state {s} ({})", state_name(s)));
    reading.value(
        "txg",
        config.number("txg").unwrap_or(0) as f64,
        format!(
            "{}: pool {name}, version {}, {state}, txg {}, guid {}.",
            title(config),
            get("version"),
            get("txg"),
            get("pool_guid")
        ),
    );
    if let Some(v) = config.number("version") {
        reading.note("version", v as f64);
        if v < 5000 {
            reading.value(
                "version",
                v as f64,
                format!("Old pool version {v}: from before feature flags (5000)."),
            );
        }
    }
    if let Some(state) = config.number("state") {
        reading.note("state", state as f64);
    }
    if config.string("hostname") == Some("libzpool") {
        reading.value(
            "userland",
            1.0,
            "hostname is libzpool: a user-land import (zdb, ztest) wrote or cached this."
                .to_string(),
        );
    } else if let Some(host) = config.string("hostname") {
        reading.info(format!("Last used by host {host}."));
    }
    extras(config, reading);
}

/// Keys that old pools lack, errata, features.
fn extras(config: &ConfigText, reading: &mut Reading) {
    let missing: Vec<&str> = ["vdev_children"]
        .into_iter()
        .filter(|k| config.number(k).is_none())
        .chain(
            config.vdevs.iter().all(|v| v.number("create_txg").is_none()).then_some("create_txg"),
        )
        .collect();
    if !missing.is_empty() && !config.vdevs.is_empty() {
        reading
            .info(format!("Not in it: {}; pools of old versions lack them.", missing.join(", ")));
    }
    if config.number("errata").is_some_and(|e| e > 0) {
        let errata = config.number("errata").unwrap_or(0);
        reading.warn(format!("The pool carries errata {errata}."));
    }
    if !config.features.is_empty() {
        let count = config.features.len() as u64;
        reading.info(format!(
            "{} needed to read: {}.",
            plural(count, "feature"),
            config.features.join(", ")
        ));
    }
}

/// The shift that 0.7 and older chose: about 200 metaslabs of any size.
pub(crate) fn old_shift(asize: u64) -> u32 {
    high_bit(asize / 200).max(17)
}

/// Position of the highest set bit, counted from 1; 0 for 0.
fn high_bit(value: u64) -> u32 {
    if value == 0 { 0 } else { log2(value) + 1 }
}

fn top(config: &ConfigText, vdev: &ConfigVdev, reading: &mut Reading) {
    let (Some(shift), Some(asize)) = (vdev.number("metaslab_shift"), vdev.number("asize")) else {
        return;
    };
    let count = asize.checked_shr(u32::try_from(shift).unwrap_or(64)).unwrap_or(0);
    let ashift = vdev.number("ashift").unwrap_or(0);
    let size = 1u64.checked_shl(u32::try_from(shift).unwrap_or(64)).unwrap_or(0);
    let log = match (vdev.number("is_log"), vdev.string("alloc_bias")) {
        (Some(1), _) => " log",
        (_, Some("special")) => " special",
        (_, Some("dedup")) => " dedup",
        _ => "",
    };
    reading.value(
        "metaslabs",
        count as f64,
        format!(
            "Top-level vdev {}: {}{log}, ashift {ashift}, asize {asize} ({}) = {} of {} (shift \
             {shift}).",
            vdev.id,
            vdev.kind,
            bytes_text(asize as f64),
            plural(count, "metaslab"),
            bytes_text(size as f64)
        ),
    );
    reading.note("ashift", ashift as f64);
    reading.note("metaslab_shift", shift as f64);
    reading.note("asize", asize as f64);
    let (old, new) = (u64::from(old_shift(asize)), u64::from(metaslab_shift(asize)));
    let rule = match (old == shift, new == shift) {
        (true, true) => "both rules give this shift".to_string(),
        (true, false) => format!(
            "by the rule of 0.7 and older (200 metaslabs of any size); 0.8 and later would take \
             {new}"
        ),
        (false, true) => {
            format!("by the rule of 0.8 and later (512 MiB to 16 GiB); 0.7 would have taken {old}")
        }
        (false, false) => format!(
            "neither rule gives it for this asize ({old} old, {new} new): the vdev has grown, or \
             the rule was tuned"
        ),
    };
    reading.check(true, "rule_shift", new as f64, format!("metaslab_shift {shift}: {rule}."));
    if ashift == 9 {
        reading.warn(
            "ashift 9: every block is written in sectors of 512 bytes; disks with 4 KiB \
            sectors must read and write back."
                .to_string(),
        );
    }
    if let Some(children) = config.number("vdev_children").filter(|c| *c > 1) {
        reading.note("vdev_children", children as f64);
    }
}

/// What the configuration itself calls broken.
fn troubles(config: &ConfigText, reading: &mut Reading) {
    for vdev in config.vdevs.iter().take(1000) {
        let name = if vdev.path.is_empty() { &vdev.kind } else { &vdev.path };
        for key in ["degraded", "faulted", "offline", "removed", "not_present", "removing"] {
            if vdev.number(key).is_some_and(|v| v > 0) {
                let why = vdev.string("aux_state").map_or(String::new(), |a| format!(" ({a})"));
                reading.warn_value(key, 1.0, format!("{name} is marked {key}{why}."));
            }
        }
    }
}

/// Ages and twins among the uberblocks.
fn uberblocks(config: &ConfigText, reading: &mut Reading) {
    let blocks = &config.uberblocks;
    let txg = |u: &ConfigUberblock| u.number("txg").unwrap_or(0);
    let Some(best) = blocks.iter().max_by_key(|u| txg(u)) else {
        return;
    };
    reading.value(
        "uberblock_txg",
        txg(best) as f64,
        format!("{}; the newest is txg {}.", plural(blocks.len() as u64, "uberblock"), txg(best)),
    );
    reading.note("uberblocks", blocks.len() as f64);
    if let Some(own) = config.number("txg") {
        let behind = txg(best).saturating_sub(own);
        if behind > 0 {
            reading.value(
                "config_behind",
                behind as f64,
                format!(
                    "The configuration was written in txg {own}, {behind} groups before the \
                    uberblock: nothing in the vdev tree changed since."
                ),
            );
        }
    }
    let mut twins = 0u64;
    for (i, a) in blocks.iter().enumerate().take(256) {
        let time = a.number("timestamp");
        let twin = |b: &&ConfigUberblock| b.number("timestamp") == time && txg(b) != txg(a);
        twins += u64::from(time.is_some() && blocks.iter().skip(i + 1).any(|b| twin(&b)));
    }
    if twins > 0 {
        reading.value(
            "same_timestamp",
            twins as f64 + 1.0,
            format!(
                "{} have the same timestamp: several groups within one second, as at creation.",
                plural(twins + 1, "uberblock")
            ),
        );
    }
    if best.number("mmp_magic").is_some() && best.number("mmp_delay") == Some(0) {
        reading.info("mmp_delay 0: multihost is off.".to_string());
    }
    if let Some(txg) = best.number("checkpoint_txg").filter(|t| *t > 0) {
        reading.info(format!("A checkpoint was taken in txg {txg}."));
    }
}

/// guid_sum = pool guid + all vdev guids, modulo 2^64.
fn guid_sum(config: &ConfigText, reading: &mut Reading) {
    let Some(pool) = config.number("pool_guid") else {
        return;
    };
    let mut seen: Vec<u64> = Vec::from([pool]);
    for vdev in &config.vdevs {
        if vdev.guid != 0 && !seen.contains(&vdev.guid) && seen.len() < 4096 {
            seen.push(vdev.guid);
        }
    }
    let sum = seen.iter().fold(0u64, |sum, guid| sum.wrapping_add(*guid));
    let stored = config.uberblocks.iter().filter_map(|u| u.number("guid_sum")).next_back();
    let Some(stored) = stored.filter(|_| seen.len() > 1) else {
        return;
    };
    let parts = seen.len() as u64 - 1;
    let partial =
        config.number("vdev_children").is_some_and(|c| c > 1) && config.title.starts_with("LABEL");
    if sum == stored {
        reading.check(
            true,
            "guid_sum",
            sum as f64,
            format!(
                "guid_sum checks: pool guid + {} mod 2^64 = {stored}.",
                plural(parts, "vdev guid")
            ),
        );
    } else if partial {
        reading.info(format!(
            "guid_sum {stored} cannot be checked: a label shows one of several top-level vdevs."
        ));
    } else {
        reading.check(
            false,
            "guid_sum",
            sum as f64,
            format!(
                "guid_sum is {stored}, but pool guid + the {} shown give {sum}: a vdev is \
                missing from the text or from the pool.",
                plural(parts, "vdev guid")
            ),
        );
    }
}

/// The labels of one device should say the same.
fn labels_agree(configs: &[ConfigText], reading: &mut Reading) {
    let labels: Vec<&ConfigText> =
        configs.iter().filter(|c| c.title.starts_with("LABEL")).collect();
    if labels.len() < 2 {
        return;
    }
    let txgs: Vec<String> = labels
        .iter()
        .map(|l| l.number("txg").map_or("?".to_string(), |t| format!("{t}")))
        .collect();
    let same = txgs.windows(2).all(|p| p.first() == p.last());
    let text = format!("{} labels, txg {}.", labels.len(), txgs.join(", "));
    if same {
        reading.info(text);
    } else {
        reading.warn(format!("{text} They differ: some were not updated."));
    }
}

fn verdict(configs: &[ConfigText], reading: &mut Reading) {
    let Some(config) = configs.first() else {
        reading.verdict = "No key of a configuration is in the text.".to_string();
        return;
    };
    let best = config.uberblocks.iter().max_by_key(|u| u.number("txg"));
    if let Some(best) = best.filter(|_| config.vdevs.is_empty() && config.numbers.is_empty()) {
        reading.verdict = format!(
            "{}, the newest of txg {} and time {}.",
            plural(config.uberblocks.len() as u64, "uberblock"),
            best.number("txg").unwrap_or(0),
            best.number("timestamp").unwrap_or(0)
        );
        reading.next = "zdb -C for the configuration, zdb -lu for the whole ring.".to_string();
        return;
    }
    let name = config.string("name").unwrap_or("the pool");
    let tops: Vec<String> = config
        .vdevs
        .iter()
        .filter(|v| v.is_top())
        .take(4)
        .map(|v| {
            let shift = v.number("metaslab_shift").unwrap_or(0).min(63);
            let count = v.number("asize").unwrap_or(0) >> shift;
            format!(
                "{} with ashift {} and {} of {}",
                v.kind,
                v.number("ashift").unwrap_or(0),
                plural(count, "metaslab"),
                bytes_text((1u64 << shift) as f64)
            )
        })
        .collect();
    let bad =
        reading.findings.iter().find(|f| f.level == "warning" && f.text.contains("is marked"));
    let trouble = bad.map_or(String::new(), |f| format!(" {}", f.text));
    let mismatch = reading.findings.iter().any(|f| f.level == "mismatch");
    let sums = if mismatch { " The guid sum does not add up." } else { "" };
    let state = config
        .number("state")
        .map_or("of unknown state".to_string(), |s| state_name(s).to_string());
    reading.verdict = format!(
        "Pool {name} (version {}) is {state}: {}.{trouble}{sums}",
        config.number("version").unwrap_or(0),
        if tops.is_empty() { "no top-level vdev shown".to_string() } else { tops.join("; ") }
    );
    reading.next = if trouble.is_empty() {
        "zdb -m for the space in those metaslabs; zdb -lu for the ring of uberblocks.".to_string()
    } else {
        "zpool status and zpool events -v: what happened to that device.".to_string()
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_by_both_rules() {
        let check = |asize: u64, old: u32, new: u32| {
            assert_eq!((old_shift(asize), metaslab_shift(asize)), (old, new), "asize {asize}");
        };
        check(62_390_272, 19, 24);
        check(1_069_023_232, 23, 26);
        check(8_585_216_000, 26, 29);
        check(107_369_463_808, 29, 29);
        check(115_338_641_408, 30, 30);
        check(3_298_530_164_736, 34, 34);
        check(8_388_603_281_408, 36, 34);
        check(28_000_000_000_000, 38, 34);
        check(0, 17, 24);
    }
}
