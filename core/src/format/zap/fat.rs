//! Fat ZAPs: the head with its pointer table, and the leaves with their chunks.
//!
//! ```text
//!  head words   0 type  1 magic  2 table start  3 table blocks  4 table shift  5 next  6 copied
//!               7 free block  8 leaves  9 entries  10 salt  11 normalisation  12 flags
//!  entry chunk  252  value int size  next (u16)  name chunk  name length  value chunk
//!               value length  cd (u32)  hash (u64)
//!  array chunk  251  21 bytes  next (u16)         free chunk  253
//! ```
//!
//! Names and values are big-endian whatever the order of the block.

use super::{BLOCK_LEAF, ZapEntry, ZapValue};
use crate::base::{Endian, FormatError};
use std_alloc::vec::Vec;

const MAGIC: u64 = 0x2_F52A_B2AB;
const LEAF_MAGIC: u32 = 0x02AB_1EAF;
const CHUNK: usize = 24;
const ARRAY_BYTES: usize = 21;
const CHUNK_ENTRY: u8 = 252;
const CHUNK_ARRAY: u8 = 251;

/// Head of a fat ZAP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FatHeader {
    /// First block of the pointer table; 0 when it is embedded.
    pub table_start: u64,
    /// Blocks of the pointer table; 0 when it is embedded.
    pub table_blocks: u64,
    /// Log2 of the pointers in the table.
    pub table_shift: u32,
    /// Leaves.
    pub leaves: u64,
    /// Entries.
    pub entries: u64,
    /// Start of the hash.
    pub salt: u64,
    /// How names are normalised; 0 for not at all.
    pub normalisation: u64,
    /// 1 hash of 48 bits, 2 integer keys, 4 keys are hashes.
    pub flags: u64,
    /// The embedded pointer table; empty when the table has blocks of its own.
    pub embedded: Vec<u64>,
}

impl FatHeader {
    pub(super) fn parse(block: &[u8], endian: Endian) -> Result<Self, FormatError> {
        const WHAT: &str = "fat ZAP";
        let word = |index: usize| {
            let short = || FormatError::short(WHAT, index * 8, 8, block.len());
            endian.u64_at(block, index * 8).ok_or_else(short)
        };
        let bad = |at, expected, found: u64| Err(FormatError::new(WHAT, at, expected, found));
        if word(1)? != MAGIC {
            return bad(8, "the fat ZAP magic", word(1)?);
        }
        let (shift, blocks) = (word(4)?, word(3)?);
        if shift > 48 {
            return bad(32, "a table of at most 2^48 pointers", shift);
        }
        let table = block.get(block.len() / 2..).unwrap_or(&[]);
        let count = table.len() as u64 / 8;
        if blocks == 0 && 1u64 << shift > count {
            return bad(32, "an embedded table that fits the block", shift);
        }
        let embedded = match blocks {
            0 => endian.words(table).take(1 << shift).collect(),
            _ => Vec::new(),
        };
        Ok(Self {
            table_start: word(2)?,
            table_blocks: blocks,
            table_shift: shift as u32,
            leaves: word(8)?,
            entries: word(9)?,
            salt: word(10)?,
            normalisation: word(11)?,
            flags: word(12)?,
            embedded,
        })
    }

    /// Index in the pointer table for `hash`.
    pub fn table_index(&self, hash: u64) -> u64 {
        match self.table_shift {
            0 => 0,
            shift => hash >> (64 - shift),
        }
    }

    /// Whether keys are integers rather than names.
    pub fn has_integer_keys(&self) -> bool {
        self.flags & 2 != 0
    }
}

/// One leaf block.
pub struct FatLeaf<'a> {
    chunks: &'a [[u8; CHUNK]],
    chunks_at: usize,
    endian: Endian,
    integer_keys: bool,
    /// Entries of this leaf share this prefix of their hash.
    pub prefix: u64,
    /// Bits in `prefix`.
    pub prefix_len: u16,
    /// Entries the head claims.
    pub claimed_entries: u16,
}

impl<'a> FatLeaf<'a> {
    /// Decodes the head of a leaf block of a power-of-two size.
    pub fn parse(block: &'a [u8], endian: Endian, head: &FatHeader) -> Result<Self, FormatError> {
        const WHAT: &str = "ZAP leaf";
        let kind = endian.u64_at(block, 0);
        if kind != Some(BLOCK_LEAF) {
            let found = format_args!("{:#x}", kind.unwrap_or(0));
            return Err(FormatError::new(WHAT, 0, "the leaf block type", found));
        }
        let magic = endian.u32_at(block, 24);
        if magic != Some(LEAF_MAGIC) {
            let found = format_args!("{:#x}", magic.unwrap_or(0));
            return Err(FormatError::new(WHAT, 24, "the leaf magic", found));
        }
        let chunks_at = 48 + 2 * (block.len() / 32);
        let chunks = block.get(chunks_at..).unwrap_or(&[]).as_chunks::<CHUNK>().0;
        let half = |at| endian.u16_at(block, at).unwrap_or(0);
        Ok(Self {
            chunks,
            chunks_at,
            endian,
            integer_keys: head.has_integer_keys(),
            prefix: endian.u64_at(block, 16).unwrap_or(0),
            prefix_len: half(32),
            claimed_entries: half(30),
        })
    }

    /// All entries of the leaf. A damaged entry gives an error; the sound ones around it come.
    /// Together they hold no more bytes than the leaf: chains that share chunks are damage.
    pub fn entries(&self) -> impl Iterator<Item = Result<ZapEntry, FormatError>> + '_ {
        let mut room = self.chunks.len() * ARRAY_BYTES;
        let chunks = self.chunks.iter().enumerate();
        let entries = chunks.filter(|(_, c)| c[0] == CHUNK_ENTRY);
        entries.map(move |(index, chunk)| self.entry(index, chunk, &mut room))
    }

    /// Byte of chunk `index` in the block.
    fn byte_of(&self, index: usize) -> usize {
        self.chunks_at + index * CHUNK
    }

    fn entry(
        &self,
        index: usize,
        chunk: &[u8; CHUNK],
        room: &mut usize,
    ) -> Result<ZapEntry, FormatError> {
        let half = |at: usize| self.endian.u16_at(chunk, at).unwrap_or(0);
        let bad = |expected, found: usize| {
            FormatError::new("ZAP leaf", self.byte_of(index), expected, found)
        };
        let int_size = chunk[1];
        if !matches!(int_size, 1 | 2 | 4 | 8) {
            return Err(bad("integers of 1 to 8 bytes", int_size.into()));
        }
        let name_size = usize::from(half(6)) * if self.integer_keys { 8 } else { 1 };
        let value_size = usize::from(half(10)) * usize::from(int_size);
        let Some(left) = room.checked_sub(name_size + value_size) else {
            return Err(bad("an entry that fits the leaf", name_size + value_size));
        };
        *room = left;
        let mut name = self.array(half(4), name_size)?;
        if !self.integer_keys && name.last() == Some(&0) {
            name.pop();
        }
        let bytes = self.array(half(8), value_size)?;
        let ints = bytes.chunks_exact(int_size.into());
        let ints = ints.map(|c| c.iter().fold(0u64, |n, &b| n << 8 | u64::from(b))).collect();
        Ok(ZapEntry {
            name,
            value: ZapValue { int_size, ints },
            cd: self.endian.u32_at(chunk, 12).unwrap_or(0),
            hash: self.endian.u64_at(chunk, 16),
        })
    }

    /// `size` bytes, which the caller has bounded, from the chain of array chunks that starts at
    /// `first`.
    fn array(&self, first: u16, size: usize) -> Result<Vec<u8>, FormatError> {
        let mut out = Vec::with_capacity(size);
        let mut next = first;
        // Each chunk gives bytes, so the chain ends even when it runs in a circle.
        while out.len() < size {
            let chunk = self.chunks.get(usize::from(next));
            let Some(chunk) = chunk.filter(|c| c[0] == CHUNK_ARRAY) else {
                let at = self.byte_of(next.into());
                let found = chunk.map_or(0, |c| c[0]);
                return Err(FormatError::new("ZAP leaf", at, "an array chunk (251)", found));
            };
            let take = ARRAY_BYTES.min(size - out.len());
            out.extend_from_slice(chunk.get(1..=take).unwrap_or(&[]));
            next = self.endian.u16_at(chunk, 22).unwrap_or(u16::MAX);
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ZapBlock0, parse_zap};
    use super::*;
    use crate::base::Prng;
    use std_alloc::vec;

    fn head_block(endian: Endian) -> Vec<u8> {
        let mut block = vec![0u8; 4096];
        let words = [super::super::BLOCK_HEADER, MAGIC, 0, 0, 8, 0, 0, 2, 1, 1, 77, 0, 0];
        for (place, word) in block.as_chunks_mut::<8>().0.iter_mut().zip(words) {
            *place = endian.bytes_u64(word);
        }
        for place in block[2048..].as_chunks_mut::<8>().0 {
            *place = endian.bytes_u64(1);
        }
        block
    }

    fn leaf_block(endian: Endian) -> Vec<u8> {
        let half = |v: u16| {
            if endian == Endian::Little { v.to_le_bytes() } else { v.to_be_bytes() }
        };
        let mut block = vec![0u8; 4096];
        block[..8].copy_from_slice(&endian.bytes_u64(BLOCK_LEAF));
        let magic = LEAF_MAGIC;
        let magic =
            if endian == Endian::Little { magic.to_le_bytes() } else { magic.to_be_bytes() };
        block[24..28].copy_from_slice(&magic);
        let at = 48 + 256;
        let entry = &mut block[at..at + 24];
        entry[..2].copy_from_slice(&[CHUNK_ENTRY, 2]);
        for (i, v) in [(4, 1), (6, 30), (8, 3), (10, 2)] {
            entry[i..i + 2].copy_from_slice(&half(v));
        }
        entry[12..16].copy_from_slice(&if endian == Endian::Little {
            3u32.to_le_bytes()
        } else {
            3u32.to_be_bytes()
        });
        entry[16..24].copy_from_slice(&endian.bytes_u64(0x1234 << 48));
        let name = *b"a-name-of-twenty-nine-bytes--\0";
        for (chunk, bytes, next) in [(1, &name[..21], 2), (2, &name[21..], 0xFFFF)] {
            let c = &mut block[at + chunk * 24..at + chunk * 24 + 24];
            c[0] = CHUNK_ARRAY;
            c[1..1 + bytes.len()].copy_from_slice(bytes);
            c[22..].copy_from_slice(&half(next));
        }
        block[at + 72..at + 77].copy_from_slice(&[CHUNK_ARRAY, 1, 2, 3, 4]);
        block
    }

    #[test]
    fn long_names_and_small_integers_come_out() {
        for endian in [Endian::Little, Endian::Big] {
            let Ok(ZapBlock0::Fat(head)) = parse_zap(&head_block(endian), endian) else { panic!() };
            assert_eq!((head.embedded.len(), head.table_index(u64::MAX)), (256, 255));
            let block = leaf_block(endian);
            let leaf = FatLeaf::parse(&block, endian, &head).unwrap_or_else(|e| panic!("{e}"));
            let entries: Vec<_> = leaf.entries().map(Result::unwrap).collect();
            assert_eq!(entries.len(), 1);
            assert_eq!(entries[0].name_text(), "a-name-of-twenty-nine-bytes--");
            assert_eq!((entries[0].cd, entries[0].hash), (3, Some(0x1234 << 48)));
            assert_eq!(entries[0].value, ZapValue { int_size: 2, ints: vec![0x102, 0x304] });
        }
    }

    /// A leaf whose entries all claim the longest value from one chunk that points at itself.
    #[test]
    fn a_small_leaf_cannot_unfold_into_much_memory() {
        let Ok(ZapBlock0::Fat(head)) = parse_zap(&head_block(Endian::Little), Endian::Little)
        else {
            panic!()
        };
        let mut block = leaf_block(Endian::Little);
        let at = 48 + 256;
        for chunk in block[at + 24..].as_chunks_mut::<24>().0 {
            *chunk = [0; 24];
            chunk[..2].copy_from_slice(&[CHUNK_ENTRY, 8]);
            chunk[10..12].copy_from_slice(&[0xFF, 0xFF]);
        }
        block[at..at + 24].fill(0);
        block[at] = CHUNK_ARRAY;
        let leaf = FatLeaf::parse(&block, Endian::Little, &head).unwrap_or_else(|e| panic!("{e}"));
        assert!(leaf.entries().all(|e| e.is_err()));
        for chunk in block[at + 24..].as_chunks_mut::<24>().0 {
            chunk[10..12].copy_from_slice(&[32, 0]);
        }
        let leaf = FatLeaf::parse(&block, Endian::Little, &head).unwrap_or_else(|e| panic!("{e}"));
        let good = leaf.entries().filter(|e| e.is_ok()).count();
        assert_eq!(good, leaf.chunks.len() * ARRAY_BYTES / 256);
    }

    #[test]
    fn circles_and_nonsense_end() {
        let Ok(ZapBlock0::Fat(head)) = parse_zap(&head_block(Endian::Little), Endian::Little)
        else {
            panic!()
        };
        let mut rng = Prng::new(2);
        for _ in 0..5000 {
            let mut block = leaf_block(Endian::Little);
            for _ in 0..4 {
                let at = 300 + rng.below(110) as usize;
                block[at] = rng.next_u64() as u8;
            }
            if let Ok(leaf) = FatLeaf::parse(&block, Endian::Little, &head) {
                assert!(leaf.entries().count() <= 200);
            }
        }
    }
}
