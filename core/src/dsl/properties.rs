//! Properties as people write them.

use crate::base::{ObjectId, Result, nice_bytes};
use crate::codec::{ChecksumKind, Compression};
use crate::dmu::{Objset, zap_entries};
use crate::format::ZapValue;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// The properties in ZAP `id`, by name; none when `id` is 0. Received and inherited forms keep
/// their suffix (`$recvd`, `$inherit`).
pub async fn read_properties(mos: &Objset, id: ObjectId) -> Result<Vec<(String, String)>> {
    if id == ObjectId(0) {
        return Ok(Vec::new());
    }
    let entries = zap_entries(mos, id).await?;
    let text = |e: &crate::format::ZapEntry| {
        let name = e.name_text();
        let value = property_text(&name, &e.value);
        (name, value)
    };
    let mut all: Vec<_> = entries.iter().map(text).collect();
    all.sort();
    Ok(all)
}

/// The value of property `name` in words.
pub fn property_text(name: &str, value: &ZapValue) -> String {
    if value.int_size == 1 {
        return value.text().unwrap_or_default();
    }
    let Some(number) = value.u64() else {
        return format!("{:?}", value.ints);
    };
    let word = |words: &[&str]| {
        let word = usize::try_from(number).ok().and_then(|i| words.get(i).copied());
        word.map_or_else(|| number.to_string(), ToString::to_string)
    };
    match name.split('$').next().unwrap_or(name) {
        "compression" => match u8::try_from(number & 0x7F).ok().and_then(Compression::from_id) {
            Some(Compression::Off) => "off".to_string(),
            Some(kind) => kind.to_string(),
            None => number.to_string(),
        },
        "checksum" | "dedup" => {
            let kind = u8::try_from(number & 0xFF).ok().and_then(ChecksumKind::from_id);
            kind.map_or_else(|| number.to_string(), |k| k.name().to_string())
        }
        "recordsize"
        | "volblocksize"
        | "quota"
        | "reservation"
        | "refquota"
        | "refreservation"
        | "special_small_blocks"
        | "volsize" => nice_bytes(number),
        "atime" | "devices" | "exec" | "setuid" | "readonly" | "zoned" | "relatime" | "nbmand"
        | "utf8only" | "overlay" | "vscan" | "defer_destroy" => word(&["off", "on"]),
        "sync" => word(&["standard", "always", "disabled"]),
        "logbias" => word(&["latency", "throughput"]),
        "primarycache" | "secondarycache" => word(&["none", "metadata", "all"]),
        "snapdir" => word(&["hidden", "visible"]),
        "canmount" => word(&["off", "on", "noauto"]),
        "xattr" => word(&["off", "dir", "sa"]),
        "casesensitivity" => word(&["sensitive", "insensitive", "mixed"]),
        "redundant_metadata" => word(&["all", "most", "some", "none"]),
        _ => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std_alloc::vec;

    #[test]
    fn numbers_become_the_words_people_set() {
        let check = |name: &str, number: u64, expect: &str| {
            let value = ZapValue { int_size: 8, ints: vec![number] };
            assert_eq!(property_text(name, &value), expect);
        };
        check("compression", 15, "lz4");
        check("compression$recvd", 2, "off");
        check("checksum", 8, "sha256");
        check("recordsize", 1 << 20, "1M");
        check("sync", 2, "disabled");
        check("sync", 9, "9");
        check("user:thing", 5, "5");
        let text = ZapValue { int_size: 1, ints: b"/mnt\0".map(u64::from).to_vec() };
        assert_eq!(property_text("mountpoint", &text), "/mnt");
    }
}
