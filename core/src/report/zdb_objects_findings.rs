//! What `zdb -d` tells: shapes of objects, runs of adjacent blocks, births.

use super::reading::Reading;
use super::text::{Line, bytes_text, integer, plural};
use super::zdb_objects::{ObjectLine, ObjectsText, PointerLine, parse};
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Things described one by one.
const DETAILED: usize = 16;

/// Reads the lines of `zdb -d`.
pub(crate) fn read(lines: &[Line<'_>]) -> Reading {
    let mut reading = Reading::new("zdb -d");
    let text = parse(lines, &mut reading);
    reading.version = if text.dnsize {
        "0.7 or later (dnsize column)".to_string()
    } else if text.pointers.iter().any(|p| p.offset.is_some()) {
        "any (block pointers printed since the beginning)".to_string()
    } else {
        "any".to_string()
    };
    for set in text.datasets.iter().take(DETAILED) {
        reading.value(
            "dataset_id",
            set.id as f64,
            format!(
                "Data set {} [{}], id {}, created in txg {}: {}.",
                set.name, set.kind, set.id, set.cr_txg, set.rest
            ),
        );
        reading.note("cr_txg", set.cr_txg as f64);
    }
    for object in text.objects.iter().take(DETAILED) {
        one_object(object, &mut reading);
    }
    indirect(&text, &mut reading);
    let runs = contiguity(&text.pointers, &mut reading);
    if text.joined > 0 {
        let lines = plural(text.joined, "pointer");
        reading.value(
            "joined",
            text.joined as f64,
            format!("{lines} had been broken by a pager in the middle of a word and were joined."),
        );
    }
    if text.contents > 0 {
        let lines = plural(text.contents, "line");
        let what = "contents (ZAP entries, packed values, statistics)";
        reading.info(format!("{lines} of {what} were passed over."));
    }
    verdict(&text, runs, &mut reading);
    reading
}

fn attribute<'a>(object: &'a ObjectLine, name: &str) -> Option<&'a str> {
    object.attributes.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
}

fn one_object(object: &ObjectLine, reading: &mut Reading) {
    let cell = |i: usize| object.cells.get(i).map_or("?", String::as_str);
    let path = attribute(object, "path").map_or(String::new(), |p| format!(" {p}"));
    let size = attribute(object, "size").map_or(String::new(), |s| format!(", {s} bytes long"));
    let bytes = attribute(object, "size").and_then(integer);
    reading.value(
        "object",
        object.id as f64,
        format!(
            "Object {}{path} ({}): {}, indirect blocks of {}, data blocks of {}, {} on disk{size}.",
            object.id,
            object.kind,
            plural(object.levels, "level"),
            cell(0),
            cell(1),
            cell(2)
        ),
    );
    reading.note("levels", object.levels as f64);
    if let Some(bytes) = bytes {
        reading.note("file_size", bytes as f64);
    }
}

/// Indirect blocks: there are few, so each is told.
fn indirect(text: &ObjectsText, reading: &mut Reading) {
    for pointer in text.pointers.iter().filter(|p| p.level > 0).take(DETAILED) {
        let Some((vdev, offset, size)) = pointer.dvas.first() else {
            continue;
        };
        let birth = pointer.birth.map_or(String::new(), |b| format!(", born in txg {b}"));
        reading.value(
            "indirect_offset",
            *offset as f64,
            format!(
                "L{} at DVA {vdev}:{offset:x}:{size:x}, {}{birth}.",
                pointer.level,
                plural(pointer.dvas.len() as u64, "copy").replace("copys", "copies")
            ),
        );
    }
}

/// Runs of data blocks that lie one behind the other.
fn contiguity(pointers: &[PointerLine], reading: &mut Reading) -> Option<(u64, u64)> {
    let data: Vec<&PointerLine> = pointers
        .iter()
        .filter(|p| p.level == 0 && p.offset.is_some() && !p.dvas.is_empty())
        .collect();
    let first = data.first()?;
    let (mut runs, mut bytes) = (1u64, 0.0);
    let mut last = *first.dvas.first()?;
    let start = last;
    for (index, pointer) in data.iter().enumerate() {
        let Some(dva) = pointer.dvas.first() else {
            continue;
        };
        bytes += dva.2 as f64;
        if index > 0 && (dva.0 != last.0 || last.1.checked_add(last.2) != Some(dva.1)) {
            runs += 1;
        }
        last = *dva;
    }
    let count = data.len() as u64;
    let births: Vec<u64> = data.iter().filter_map(|p| p.birth).collect();
    let born = match (births.iter().min(), births.iter().max()) {
        (Some(a), Some(b)) if a == b => format!(", all born in txg {a}"),
        (Some(a), Some(b)) => format!(", born in txgs {a} to {b}"),
        _ => String::new(),
    };
    let size = first.sizes.1;
    let each = if data.iter().all(|p| p.sizes.1 == size) && size > 0 {
        format!(" of {}", bytes_text(size as f64))
    } else {
        String::new()
    };
    reading.value(
        "runs",
        runs as f64,
        format!(
            "{}{each} in {} of adjacent blocks on vdev {} from 0x{:x} ({}){born}.",
            plural(count, "L0 pointer"),
            plural(runs, "run"),
            start.0,
            start.1,
            bytes_text(bytes)
        ),
    );
    reading.note("l0_pointers", count as f64);
    reading.note("first_offset", start.1 as f64);
    if runs > 1 && bytes > 0.0 {
        let seeks = (runs - 1) as f64 / (bytes / 1_048_576.0);
        reading.value(
            "seeks_per_mib",
            seeks,
            format!("{seeks:.2} seeks per MiB when read in order."),
        );
    }
    Some((count, runs))
}

fn verdict(text: &ObjectsText, runs: Option<(u64, u64)>, reading: &mut Reading) {
    reading.verdict = match runs {
        Some((count, 1)) if count > 1 => {
            format!("Not fragmented: the {count} data blocks shown lie one behind the other.")
        }
        Some((count, runs)) if runs > 1 => format!(
            "{count} data blocks in {runs} runs: {:.1} blocks a run.",
            count as f64 / runs as f64
        ),
        _ => match (text.objects.first(), text.datasets.first()) {
            (Some(object), _) => {
                let cell = |i: usize| object.cells.get(i).map_or("?", String::as_str);
                let size =
                    attribute(object, "size").map_or(String::new(), |s| format!(", {s} bytes"));
                format!(
                    "Object {} is a {} of {}, {} blocks{size}.",
                    object.id,
                    object.kind,
                    plural(object.levels, "level"),
                    cell(1)
                )
            }
            (None, Some(set)) => format!("Data set {} [{}]: {}.", set.name, set.kind, set.rest),
            (None, None) => {
                format!("{} shown.", plural(text.pointers.len() as u64, "block pointer"))
            }
        },
    };
    reading.next =
        "zdb -R pool vdev:offset:size shows a block; more L0 lines tell how a whole file lies."
            .to_string();
}
