//! LZJB and ZLE: the two packers that OpenZFS has of its own.
//!
//! LZJB: a control byte says of the next eight items, least significant bit first, whether each is
//! a literal byte (0) or a match (1) of two bytes: length - 3 (6 bits), distance (10 bits).
//! ZLE: byte b stands for b + 1; up to the level of 64 that many literals follow, above it
//! b + 1 - 64 zeros. Sources: `module/zfs/lzjb.c`, `module/zfs/zle.c`.

use super::CodecError;
use std_alloc::vec;
use std_alloc::vec::Vec;

const MATCH_MIN: usize = 3;
const MATCH_MAX: usize = MATCH_MIN + 0x3F;
const DISTANCE_MAX: usize = 0x3FF;
const ZLE_LITERALS: usize = 64;

/// Unpacks LZJB to exactly `lsize` bytes.
pub(super) fn unpack_lzjb(src: &[u8], lsize: usize) -> Result<Vec<u8>, CodecError> {
    let mut bytes = src.iter().copied();
    let mut next = || bytes.next().ok_or_else(|| CodecError::new("lzjb: the input ends early"));
    let mut out = Vec::with_capacity(lsize);
    while out.len() < lsize {
        let control = next()?;
        for bit in 0..8 {
            if out.len() >= lsize {
                break;
            }
            let first = next()?;
            if control >> bit & 1 == 0 {
                out.push(first);
                continue;
            }
            let pair = u16::from_be_bytes([first, next()?]);
            let length = usize::from(pair >> 10) + MATCH_MIN;
            let distance = usize::from(pair) & DISTANCE_MAX;
            let from = out.len().checked_sub(distance).filter(|_| distance > 0);
            let from = from.ok_or_else(|| CodecError::new("lzjb: a match before the start"))?;
            for i in 0..length.min(lsize - out.len()) {
                let byte = out.get(from + i).copied().unwrap_or(0);
                out.push(byte);
            }
        }
    }
    Ok(out)
}

/// Packs with LZJB: one candidate a hash, as the format's matches are short anyway.
pub(super) fn pack_lzjb(src: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut seen = vec![usize::MAX; 1024];
    let mut at = 0;
    while at < src.len() {
        let control = out.len();
        out.push(0);
        for bit in 0..8 {
            let Some(&literal) = src.get(at) else { break };
            match find_match(src, at, &mut seen) {
                Some((distance, length)) => {
                    out[control] |= 1 << bit;
                    let pair = ((length - MATCH_MIN) << 10 | distance) as u16;
                    out.extend_from_slice(&pair.to_be_bytes());
                    at += length;
                }
                None => {
                    out.push(literal);
                    at += 1;
                }
            }
        }
    }
    out
}

fn find_match(src: &[u8], at: usize, seen: &mut [usize]) -> Option<(usize, usize)> {
    let head: &[u8; MATCH_MIN] = src.get(at..)?.first_chunk()?;
    let hash = head.iter().fold(0usize, |h, &b| h.wrapping_mul(61).wrapping_add(b.into())) % 1024;
    let from = core::mem::replace(&mut seen[hash], at);
    let distance = at.checked_sub(from).filter(|d| (1..=DISTANCE_MAX).contains(d))?;
    let same = src[from..].iter().zip(&src[at..]).take(MATCH_MAX).take_while(|(a, b)| a == b);
    let length = same.count();
    (length >= MATCH_MIN).then_some((distance, length))
}

/// Unpacks ZLE to exactly `lsize` bytes.
pub(super) fn unpack_zle(src: &[u8], lsize: usize) -> Result<Vec<u8>, CodecError> {
    let mut out = Vec::with_capacity(lsize);
    let mut rest = src;
    while out.len() < lsize {
        let short = || CodecError::new("zle: the input ends early");
        let (&head, tail) = rest.split_first().ok_or_else(short)?;
        let count = usize::from(head) + 1;
        let room = lsize - out.len();
        rest = tail;
        if count > ZLE_LITERALS {
            out.resize(out.len() + (count - ZLE_LITERALS).min(room), 0);
            continue;
        }
        let literals = rest.get(..count.min(room)).ok_or_else(short)?;
        out.extend_from_slice(literals);
        rest = rest.get(count..).unwrap_or(&[]);
    }
    Ok(out)
}

/// Packs with ZLE.
pub(super) fn pack_zle(src: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = src;
    while !rest.is_empty() {
        let zeros = rest.iter().take(256 - ZLE_LITERALS).take_while(|&&b| b == 0).count();
        if zeros > 0 {
            out.push((zeros + ZLE_LITERALS - 1) as u8);
            rest = &rest[zeros..];
            continue;
        }
        let count = rest.iter().take(ZLE_LITERALS).take_while(|&&b| b != 0).count();
        out.push((count - 1) as u8);
        out.extend_from_slice(&rest[..count]);
        rest = &rest[count..];
    }
    out
}
