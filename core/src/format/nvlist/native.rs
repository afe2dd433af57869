//! The native form: the writer's order and memory layout, as history records use it.

use super::{MAX_DEPTH, NvValue, Nvlist, array_element, int_size, widen};
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
        if (count as usize)
            .checked_mul(size)
            .is_none_or(|n| n > v.remaining())
        {
            return Err(v.bad("a count that fits the pair", count));
        }
        let all = (0..count)
            .map(|_| int(v, element, size))
            .collect::<Result<_, _>>()?;
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
