//! Micro ZAPs: names below 50 bytes, one 64-bit value each, all in one block.

use super::{ZapEntry, ZapValue};
use crate::base::{Endian, FormatError};
use std_alloc::vec;
use std_alloc::vec::Vec;

const ENTRY: usize = 64;
const NAME_AT: usize = 14;

/// Entries of a micro ZAP block, in the order of the block.
pub(super) fn parse_micro(block: &[u8], endian: Endian) -> Result<Vec<ZapEntry>, FormatError> {
    let chunks = block.as_chunks::<ENTRY>().0.iter().skip(1);
    let mut entries = Vec::new();
    for (index, chunk) in chunks.enumerate() {
        let name = chunk.get(NAME_AT..).unwrap_or(&[]);
        let end = name.iter().position(|&b| b == 0);
        let Some(end) = end else {
            let at = (index + 1) * ENTRY + NAME_AT;
            return Err(FormatError::new("micro ZAP", at, "a name that ends", "50 bytes of name"));
        };
        if end == 0 {
            continue;
        }
        entries.push(ZapEntry {
            name: name.get(..end).unwrap_or(&[]).to_vec(),
            value: ZapValue { int_size: 8, ints: vec![endian.u64_at(chunk, 0).unwrap_or(0)] },
            cd: endian.u32_at(chunk, 8).unwrap_or(0),
            hash: None,
        });
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::super::{ZapBlock0, parse_zap};
    use super::*;

    #[test]
    fn entries_come_out_in_both_orders() {
        for endian in [Endian::Little, Endian::Big] {
            let mut block = vec![0u8; 512];
            block[..8].copy_from_slice(&endian.bytes_u64(super::super::BLOCK_MICRO));
            block[64..72].copy_from_slice(&endian.bytes_u64(42));
            block[78..82].copy_from_slice(b"ROOT");
            block[192..200].copy_from_slice(&endian.bytes_u64(7));
            block[206..209].copy_from_slice(b"abc");
            let Ok(ZapBlock0::Micro(entries)) = parse_zap(&block, endian) else { panic!() };
            let got: Vec<_> = entries.iter().map(|e| (e.name_text(), e.value.u64())).collect();
            assert_eq!(got, [("ROOT".into(), Some(42)), ("abc".into(), Some(7))]);
            block[78..128].fill(b'x');
            assert!(parse_zap(&block, endian).is_err());
        }
    }
}
