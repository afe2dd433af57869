//! The XDR form: big-endian, everything a multiple of four bytes.

use super::{MAX_DEPTH, NAME_MAX, NvValue, Nvlist, array_element, int_size, widen};
use crate::base::{Cursor, Endian, FormatError};
use std_alloc::string::String;
use std_alloc::vec::Vec;

const WHAT: &str = "name-value list (XDR)";

/// Decodes the body behind the four-byte header.
pub(super) fn parse(bytes: &[u8]) -> Result<Nvlist, FormatError> {
    let mut c = Cursor::new(WHAT, bytes, Endian::Big);
    list(&mut c, 0)
}

fn list(c: &mut Cursor<'_>, depth: u32) -> Result<Nvlist, FormatError> {
    if depth > MAX_DEPTH {
        return Err(c.bad("at most 32 lists inside one another", depth));
    }
    let version = c.u32()?;
    if version != 0 {
        return Err(c.bad("version 0", version));
    }
    c.skip(4)?;
    let mut pairs = Vec::new();
    loop {
        let start = c.position();
        let (encoded, decoded) = (c.u32()?, c.u32()?);
        if encoded == 0 && decoded == 0 {
            return Ok(Nvlist::from_pairs(pairs));
        }
        let name = text(c)?;
        if name.len() > NAME_MAX {
            return Err(c.bad("a name of at most 512 bytes", name.len()));
        }
        let (kind, count) = (c.u32()?, c.u32()?);
        let value = value(c, kind, count, depth)?;
        // Nested lists tell their own end; for the rest the stated size must be the real one.
        let used = c.position() - start;
        if used != encoded as usize && !matches!(value, NvValue::List(_) | NvValue::Lists(_)) {
            return Err(c.bad("a pair as long as it says", encoded));
        }
        pairs.push((name, value));
    }
}

fn value(c: &mut Cursor<'_>, kind: u32, count: u32, depth: u32) -> Result<NvValue, FormatError> {
    if let Some(size) = int_size(kind) {
        let raw = if size == 8 { c.u64()? } else { u64::from(c.u32()?) };
        return Ok(NvValue::Int(kind, widen(kind, size, raw)));
    }
    if let Some(element) = array_element(kind) {
        let again = c.u32()?;
        if again != count {
            return Err(c.bad("the same count twice", again));
        }
        let size = int_size(element).unwrap_or(8);
        let wide = if size == 8 { 8 } else { 4 };
        room(c, count, wide)?;
        let mut all = Vec::with_capacity(count as usize);
        for _ in 0..count {
            let raw = if size == 8 { c.u64()? } else { u64::from(c.u32()?) };
            all.push(widen(element, size, raw));
        }
        return Ok(NvValue::Ints(kind, all));
    }
    Ok(match kind {
        1 => NvValue::Flag,
        9 => NvValue::Text(text(c)?),
        10 => {
            let bytes = c.take(count as usize)?.to_vec();
            c.align(4)?;
            NvValue::Bytes(bytes)
        }
        17 => {
            room(c, count, 4)?;
            NvValue::Texts((0..count).map(|_| text(c)).collect::<Result<_, _>>()?)
        }
        19 => NvValue::List(list(c, depth + 1)?),
        20 => {
            room(c, count, 16)?;
            NvValue::Lists((0..count).map(|_| list(c, depth + 1)).collect::<Result<_, _>>()?)
        }
        21 => NvValue::Bool(c.u32()? != 0),
        _ => return Err(c.bad("a type from 1 to 27", kind)),
    })
}

/// Whether `count` elements of at least `size` bytes can follow at all.
fn room(c: &Cursor<'_>, count: u32, size: usize) -> Result<(), FormatError> {
    match (count as usize).checked_mul(size).is_some_and(|need| need <= c.remaining()) {
        true => Ok(()),
        false => Err(c.bad("a count that fits the bytes left", count)),
    }
}

fn text(c: &mut Cursor<'_>) -> Result<String, FormatError> {
    let length = c.u32()? as usize;
    let bytes = c.take(length)?;
    let text = String::from_utf8_lossy(bytes).into_owned();
    c.align(4)?;
    Ok(text)
}

/// Packs a list with its header.
pub(super) fn emit(list: &Nvlist) -> Vec<u8> {
    let mut out = Vec::from([1, 1, 0, 0]);
    put_list(&mut out, list);
    out
}

fn put(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_be_bytes());
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put(out, text.len() as u32);
    out.extend_from_slice(text.as_bytes());
    out.resize(out.len().next_multiple_of(4), 0);
}

fn put_list(out: &mut Vec<u8>, list: &Nvlist) {
    put(out, 0);
    put(out, 1);
    for (name, value) in list.iter() {
        let mut pair = Vec::new();
        put_text(&mut pair, name);
        let bytes = put_value(&mut pair, value);
        put(out, pair.len() as u32 + 8);
        let head = (16 + (name.len() + 1).next_multiple_of(8)).next_multiple_of(8);
        put(out, (head + bytes) as u32);
        out.append(&mut pair);
    }
    put(out, 0);
    put(out, 0);
}

fn put_int(out: &mut Vec<u8>, kind: u32, value: u64) {
    match int_size(kind) {
        Some(8) => out.extend_from_slice(&value.to_be_bytes()),
        // One byte goes out as a signed character, whatever its type.
        Some(1) => put(out, i32::from(value as u8 as i8).cast_unsigned()),
        _ => put(out, value as u32),
    }
}

/// Appends type, count and value; the bytes the value takes when decoded.
fn put_value(out: &mut Vec<u8>, value: &NvValue) -> usize {
    let mut head = |kind: u32, count: usize| {
        put(out, kind);
        put(out, count as u32);
    };
    match value {
        NvValue::Flag => {
            head(1, 0);
            0
        }
        NvValue::Bool(b) => {
            head(21, 1);
            put(out, u32::from(*b));
            8
        }
        NvValue::Int(kind, n) => {
            head(*kind, 1);
            put_int(out, *kind, *n);
            8
        }
        NvValue::Text(s) => {
            head(9, 1);
            put_text(out, s);
            (s.len() + 1).next_multiple_of(8)
        }
        NvValue::Bytes(b) => {
            head(10, b.len());
            out.extend_from_slice(b);
            out.resize(out.len().next_multiple_of(4), 0);
            b.len().next_multiple_of(8)
        }
        NvValue::Ints(kind, all) => {
            head(*kind, all.len());
            put(out, all.len() as u32);
            let element = array_element(*kind).unwrap_or(8);
            for &n in all {
                put_int(out, element, n);
            }
            (all.len() * int_size(element).unwrap_or(8)).next_multiple_of(8)
        }
        NvValue::Texts(all) => {
            head(17, all.len());
            all.iter().for_each(|s| put_text(out, s));
            all.iter().map(|s| 8 + s.len() + 1).sum::<usize>().next_multiple_of(8)
        }
        NvValue::List(list) => {
            head(19, 1);
            put_list(out, list);
            24
        }
        NvValue::Lists(all) => {
            head(20, all.len());
            all.iter().for_each(|list| put_list(out, list));
            all.len() * (8 + 24)
        }
    }
}
