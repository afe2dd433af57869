//! Input: flags with the block size, block 0 of a ZAP, then leaves.

use super::put::{Put, endian};
use tidepool::base::Endian;
use tidepool::format::{FatLeaf, ZapBlock0, ZapEntry, parse_zap, zap_hash};

const BLOCK: usize = 512;
const TYPE_LEAF: u64 = 1 << 63;

pub(crate) fn run(data: &[u8]) -> bool {
    let [flags, rest @ ..] = data else {
        return false;
    };
    let (endian, size) = (endian(*flags), BLOCK << (flags >> 1 & 3));
    let blocks = rest.chunks(size).map(|chunk| {
        let mut block = chunk.to_vec();
        block.resize(size, 0);
        block
    });
    let blocks: Vec<Vec<u8>> = blocks.take(8).collect();
    let Some(Ok(first)) = blocks.first().map(|b| parse_zap(b, endian)) else {
        return false;
    };
    let mut entries = Vec::new();
    match first {
        ZapBlock0::Micro(found) => entries = found,
        ZapBlock0::Fat(head) => {
            for block in &blocks[1..] {
                let Ok(leaf) = FatLeaf::parse(block, endian, &head) else {
                    continue;
                };
                let found: Vec<ZapEntry> = leaf.entries().flatten().collect();
                let total: usize = found.iter().map(bytes_of).sum();
                assert!(total <= 2 * size, "a leaf of {size} bytes unfolds into {total}");
                entries.extend(found);
            }
            for entry in &entries {
                let hash = zap_hash(head.salt, &entry.name, head.flags);
                let index = head.table_index(hash);
                assert!(index >> head.table_shift == 0, "an index outside of the table");
            }
        }
    }
    for entry in &entries {
        let _ = (entry.name_text(), entry.value.u64(), entry.value.text(), entry.value.bytes());
    }
    !entries.is_empty()
}

fn bytes_of(entry: &ZapEntry) -> usize {
    entry.name.len() + entry.value.ints.len() * usize::from(entry.value.int_size)
}

/// A micro ZAP with three names.
pub(crate) fn micro(names: &[(&str, u64)], endian: Endian) -> Vec<u8> {
    let mut out = Put::zeros(BLOCK, endian);
    out.words(0, &[TYPE_LEAF + 3, 0x5A17]);
    for (i, (name, value)) in names.iter().enumerate() {
        let at = 64 * (i + 1);
        out.u64(at, *value).at(at + 14, name.as_bytes());
    }
    out.bytes
}

/// Head and one leaf of a fat ZAP whose pointer table names leaf 1 only.
pub(crate) fn fat(endian: Endian) -> Vec<u8> {
    let mut out = Put::zeros(2 * BLOCK, endian);
    let head = [TYPE_LEAF + 1, 0x2_F52A_B2AB, 0, 0, 5, 0, 0, 2, 1, 2, 0x5A17];
    out.words(0, &head).words(BLOCK / 2, &[1; 32]);
    out.u64(BLOCK, TYPE_LEAF).u32(BLOCK + 24, 0x02AB_1EAF).u16(BLOCK + 30, 2);
    let chunk = |index: usize| BLOCK + 48 + 2 * (BLOCK / 32) + 24 * index;
    let mut entry = |index: usize, int_size: u8, links: [u16; 4], hash: u64| {
        out.at(chunk(index), &[252, int_size, 0xFF, 0xFF]);
        for (i, half) in links.into_iter().enumerate() {
            out.u16(chunk(index) + 4 + 2 * i, half);
        }
        out.u64(chunk(index) + 16, hash);
    };
    entry(0, 8, [2, 5, 3, 1], 0x1234 << 40);
    entry(1, 2, [4, 30, 6, 3], 0xFFFF << 40);
    let mut array = |index: usize, bytes: &[u8], next: u16| {
        out.at(chunk(index), &[251]).at(chunk(index) + 1, bytes).u16(chunk(index) + 22, next);
    };
    array(2, b"name\0", u16::MAX);
    array(3, &77u64.to_be_bytes(), u16::MAX);
    array(4, b"a name of 29 letters ", 5);
    array(5, b"and more\0", u16::MAX);
    array(6, &[0, 1, 0, 2, 0, 3], u16::MAX);
    out.bytes
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let names = [("ROOT", 34), ("VERSION", 5), ("a longer name than the others", u64::MAX)];
    let seed = |flags: u8, bytes: Vec<u8>| [&[flags], bytes.as_slice()].concat();
    vec![
        seed(0, micro(&names, Endian::Little)),
        seed(1, micro(&names, Endian::Big)),
        seed(0, fat(Endian::Little)),
        seed(1, fat(Endian::Big)),
    ]
}
