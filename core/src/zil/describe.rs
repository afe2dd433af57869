//! Log records in words.

use crate::base::Endian;
use crate::format::{Blkptr, ZilRecord};
use std_alloc::format;
use std_alloc::string::String;

/// Bytes of a write record without embedded data.
const WRITE_SIZE: u64 = 192;

/// The NUL-terminated string at byte `at` of a record's body.
fn name_at(record: &ZilRecord, at: usize) -> String {
    let bytes = record.body.get(at..).unwrap_or(&[]);
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(bytes.get(..end).unwrap_or(&[])).into_owned()
}

/// One line: type, txg, sequence, length, and what the record does.
pub fn describe_record(record: &ZilRecord, endian: Endian) -> String {
    let head =
        format!("{} txg {} seq {} length {}", record.name(), record.txg, record.seq, record.length);
    let word = |index| record.word(index, endian).unwrap_or(0);
    let what = match record.kind {
        1..=4 | 15 | 18 => format!(
            "object {} in directory {}, mode {:o}, uid {}, gid {}",
            word(1) & 0xFFFF_FFFF_FFFF,
            word(0),
            word(2),
            word(3),
            word(4)
        ),
        14 | 16 | 17 | 19 => format!("object {} in directory {}, with an ACL", word(1), word(0)),
        5 | 6 => format!("{} from directory {}", name_at(record, 8), word(0)),
        7 => format!("object {} as {} in directory {}", word(1), name_at(record, 16), word(0)),
        8 | 22 => format!("{} from directory {} to {}", name_at(record, 16), word(0), word(1)),
        9 | 20 => describe_write(record, endian),
        10 => format!("object {} from {:#x}, {:#x} bytes", word(0), word(1), word(2)),
        11 => format!("object {}, mask {:#x}", word(0), word(1)),
        12 | 13 => format!("object {}, {} entries", word(0), word(1)),
        21 => format!("object {}, attribute {}, {} bytes", word(0), name_at(record, 16), word(1)),
        24 => format!("object {}, offset {:#x}, {} blocks", word(0), word(1), word(4)),
        _ => return head,
    };
    format!("{head}: {what}")
}

fn describe_write(record: &ZilRecord, endian: Endian) -> String {
    let word = |index| record.word(index, endian).unwrap_or(0);
    let place = format!("object {}, offset {:#x}, {:#x} bytes", word(0), word(1), word(2));
    let pointer = record.body.get(32..160).and_then(|b| Blkptr::parse(b, endian).ok());
    match pointer {
        _ if record.kind == 20 => format!("{place}, already in its place"),
        Some(bp) if record.length == WRITE_SIZE => format!("{place}, in block {bp}"),
        _ => format!("{place}, data in the record"),
    }
}
