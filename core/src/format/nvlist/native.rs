//! The native form: the writer's order and memory layout, as history records use it.

use super::{MAX_DEPTH, NAME_MAX, NvValue, Nvlist, array_element, int_size, widen};
use crate::base::{Cursor, Endian, FormatError};
use std_alloc::string::String;
use std_alloc::vec::Vec;

const WHAT: &str = "name-value list (native)";
/// Bytes that stand for a nested list inside its pair.
const PLACEHOLDER: usize = 24;
const PAIR_HEAD: usize = 16;

/// Decodes the body behind the four-byte header.
pub(super) fn parse(bytes: &[u8], endian: Endian) -> Result<Nvlist, FormatError> {
    let mut c = Cursor::new(WHAT, bytes, endian);
    let version = c.u32()?;
    if version != 0 {
        return Err(c.bad("version 0", version));
    }
    c.skip(4)?;
    pairs(&mut c, endian, 0)
}

fn pairs(c: &mut Cursor<'_>, endian: Endian, depth: u32) -> Result<Nvlist, FormatError> {
    if depth > MAX_DEPTH {
        return Err(c.bad("at most 32 lists inside one another", depth));
    }
    let mut all = Vec::new();
    loop {
        let size = c.u32()? as usize;
        if size == 0 {
            return Ok(Nvlist::from_pairs(all));
        }
        let Some(rest) = size.checked_sub(4) else {
            return Err(c.bad("a pair of at least 16 bytes", size));
        };
        let body = c.take(rest)?;
        let mut p = Cursor::new(WHAT, body, endian);
        let name_size = p.u16()? as usize;
        p.skip(2)?;
        let (count, kind) = (p.u32()?, p.u32()?);
        let name = p.take(name_size)?;
        let name = String::from_utf8_lossy(name.strip_suffix(&[0]).unwrap_or(name)).into_owned();
        if name.len() > NAME_MAX {
            return Err(p.bad("a name of at most 512 bytes", name.len()));
        }
        let value_at = (PAIR_HEAD + name_size).next_multiple_of(8) - 4;
        let value_bytes = body.get(value_at.min(body.len())..).unwrap_or(&[]);
        let mut v = Cursor::new(WHAT, value_bytes, endian);
        let value = match kind {
            19 => NvValue::List(pairs(c, endian, depth + 1)?),
            20 => {
                let needed = (count as usize).checked_mul(PLACEHOLDER + 8);
                if needed.is_none_or(|n| n > value_bytes.len()) {
                    return Err(c.bad("a count that fits the pair", count));
                }
                let lists = (0..count).map(|_| pairs(c, endian, depth + 1));
                NvValue::Lists(lists.collect::<Result<_, _>>()?)
            }
            _ => value(&mut v, kind, count)?,
        };
        all.push((name, value));
    }
}

fn value(v: &mut Cursor<'_>, kind: u32, count: u32) -> Result<NvValue, FormatError> {
    let int = |v: &mut Cursor<'_>, kind: u32, size: usize| -> Result<u64, FormatError> {
        let raw = match size {
            1 => v.u8()?.into(),
            2 => v.u16()?.into(),
            4 => v.u32()?.into(),
            _ => v.u64()?,
        };
        Ok(widen(kind, size, raw))
    };
    if let Some(size) = int_size(kind) {
        return Ok(NvValue::Int(kind, int(v, kind, size)?));
    }
    if let Some(element) = array_element(kind) {
        let size = int_size(element).unwrap_or(8);
        if (count as usize).checked_mul(size).is_none_or(|n| n > v.remaining()) {
            return Err(v.bad("a count that fits the pair", count));
        }
        let all = (0..count).map(|_| int(v, element, size)).collect::<Result<_, _>>()?;
        return Ok(NvValue::Ints(kind, all));
    }
    Ok(match kind {
        1 => NvValue::Flag,
        9 => NvValue::Text(text(v)?),
        10 => NvValue::Bytes(v.take(count as usize)?.to_vec()),
        17 => {
            let pointers = (count as usize).checked_mul(8);
            v.skip(pointers.ok_or_else(|| v.bad("a count that fits the pair", count))?)?;
            NvValue::Texts((0..count).map(|_| text(v)).collect::<Result<_, _>>()?)
        }
        21 => NvValue::Bool(v.u32()? != 0),
        _ => return Err(v.bad("a type from 1 to 27", kind)),
    })
}

/// A string up to its NUL.
fn text(v: &mut Cursor<'_>) -> Result<String, FormatError> {
    let mut bytes = Vec::new();
    loop {
        match v.u8()? {
            0 => return Ok(String::from_utf8_lossy(&bytes).into_owned()),
            b => bytes.push(b),
        }
    }
}

/// Packs a list with its header.
pub(super) fn emit(list: &Nvlist, endian: Endian) -> Vec<u8> {
    let mut out = Vec::from([0, u8::from(endian == Endian::Little), 0, 0]);
    put(&mut out, endian, 4, 0);
    put(&mut out, endian, 4, 1);
    put_pairs(&mut out, endian, list);
    out
}

/// Appends the low `size` bytes of `value`.
fn put(out: &mut Vec<u8>, endian: Endian, size: usize, value: u64) {
    let bytes = endian.bytes_u64(value);
    let low = match endian {
        Endian::Little => bytes.get(..size),
        Endian::Big => bytes.get(8 - size..),
    };
    out.extend_from_slice(low.unwrap_or(&[]));
}

fn put_pairs(out: &mut Vec<u8>, endian: Endian, list: &Nvlist) {
    for (name, value) in list.iter() {
        let (kind, count, bytes) = flat_value(value, endian);
        let value_at = (PAIR_HEAD + name.len() + 1).next_multiple_of(8);
        let size = (value_at + bytes.len()).next_multiple_of(8);
        let start = out.len();
        put(out, endian, 4, size as u64);
        put(out, endian, 2, name.len() as u64 + 1);
        put(out, endian, 2, 0);
        put(out, endian, 4, count as u64);
        put(out, endian, 4, kind.into());
        out.extend_from_slice(name.as_bytes());
        out.resize(start + value_at, 0);
        out.extend_from_slice(&bytes);
        out.resize(start + size, 0);
        match value {
            NvValue::List(inner) => put_pairs(out, endian, inner),
            NvValue::Lists(all) => all.iter().for_each(|l| put_pairs(out, endian, l)),
            _ => {}
        }
    }
    put(out, endian, 4, 0);
}

/// Type, count and the bytes inside the pair; nested lists leave their place holder there.
fn flat_value(value: &NvValue, endian: Endian) -> (u32, usize, Vec<u8>) {
    let mut out = Vec::new();
    // Place holders hold the version, the flag of unique names, and pointers of no meaning.
    let holder = |out: &mut Vec<u8>| {
        put(out, endian, 4, 0);
        put(out, endian, 4, 1);
        out.resize(out.len() + PLACEHOLDER - 8, 0);
    };
    let (kind, count) = match value {
        NvValue::Flag => (1, 0),
        NvValue::Bool(b) => {
            put(&mut out, endian, 4, u64::from(*b));
            (21, 1)
        }
        NvValue::Int(kind, n) => {
            put(&mut out, endian, int_size(*kind).unwrap_or(8), *n);
            (*kind, 1)
        }
        NvValue::Text(s) => {
            out.extend_from_slice(s.as_bytes());
            out.push(0);
            (9, 1)
        }
        NvValue::Bytes(b) => {
            out.extend_from_slice(b);
            (10, b.len())
        }
        NvValue::Ints(kind, all) => {
            let size = array_element(*kind).and_then(int_size).unwrap_or(8);
            all.iter().for_each(|&n| put(&mut out, endian, size, n));
            (*kind, all.len())
        }
        NvValue::Texts(all) => {
            out.resize(all.len() * 8, 0);
            for s in all {
                out.extend_from_slice(s.as_bytes());
                out.push(0);
            }
            (17, all.len())
        }
        NvValue::List(_) => {
            holder(&mut out);
            (19, 1)
        }
        NvValue::Lists(all) => {
            out.resize(all.len() * 8, 0);
            all.iter().for_each(|_| holder(&mut out));
            (20, all.len())
        }
    };
    (kind, count, out)
}
