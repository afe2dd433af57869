//! Space maps: the history of allocations and frees of one metaslab, or of one txg.
//!
//! ```text
//!  one word   0 | offset (47) | free (1) | run-1 (15)
//!  debug     10 | action (2) | sync pass (10) | txg (50)          (all zero: padding)
//!  two words 11 | pad (2) | run-1 (36) | vdev (24)    free (1) | offset (63)
//! ```
//!
//! Offsets and runs count units of `1 << shift` from `start`: the metaslab's, or 0 and 512 bytes
//! in log space maps. Source: `include/sys/space_map.h`.

use crate::base::{Endian, FormatError, ObjectId, Txg, field, flag};
use std_alloc::vec::Vec;

/// Bonus of a space map object, 24 or 320 bytes.
#[doc(alias = "space_map_phys_t")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpaceMapPhys {
    /// Own object number, kept for old readers.
    pub object: ObjectId,
    /// Bytes of entries.
    pub length: u64,
    /// Allocated bytes by the entries.
    pub allocated: i64,
    /// Free segments in [2^(i+shift), 2^(i+shift+1)); empty in the short form.
    pub histogram: Vec<u64>,
}

impl SpaceMapPhys {
    /// Decodes a bonus.
    pub fn parse(bonus: &[u8], endian: Endian) -> Result<Self, FormatError> {
        if bonus.len() < 24 {
            return Err(FormatError::short("space map header", 0, 24, bonus.len()));
        }
        let word = |index: usize| endian.u64_at(bonus, index * 8).unwrap_or(0);
        let histogram = match bonus.len() >= 320 {
            true => (8..40).map(word).collect(),
            false => Vec::new(),
        };
        let allocated = word(2).cast_signed();
        Ok(Self { object: ObjectId(word(0)), length: word(1), allocated, histogram })
    }
}

/// One entry. Offsets and sizes are bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpaceMapEntry {
    /// Space that became allocated or free.
    Range {
        /// First byte: absolute in the vdev for log maps, in the vdev too for metaslab maps.
        offset: u64,
        /// Bytes.
        size: u64,
        /// Freed rather than allocated.
        free: bool,
        /// Vdev of a two-word entry; `None` for one-word entries.
        vdev: Option<u32>,
    },
    /// Where a group of entries came from.
    Debug {
        /// Freed rather than allocated.
        free: bool,
        /// Sync pass.
        pass: u64,
        /// Txg.
        txg: Txg,
    },
    /// A word that fills a block.
    Padding,
}

/// Decodes entries in file order. Ends after the first error.
pub struct SpaceMapEntries<'a> {
    bytes: &'a [u8],
    at: usize,
    endian: Endian,
    start: u64,
    shift: u32,
}

impl<'a> SpaceMapEntries<'a> {
    /// Entries of `bytes` with offsets from `start` in units of `1 << shift`.
    pub fn new(bytes: &'a [u8], endian: Endian, start: u64, shift: u32) -> Self {
        Self { bytes, at: 0, endian, start, shift }
    }

    fn entry(&mut self) -> Option<Result<SpaceMapEntry, FormatError>> {
        let word = self.endian.u64_at(self.bytes, self.at)?;
        let at = self.at;
        self.at += 8;
        if !flag(word, 63) {
            let run = field(word, 0, 15) + 1;
            return Some(self.range(at, field(word, 16, 47), run, flag(word, 15), None));
        }
        if !flag(word, 62) {
            let (free, pass) = (field(word, 60, 2) == 1, field(word, 50, 10));
            let txg = Txg(field(word, 0, 50));
            return Some(Ok(match (pass, txg) {
                (0, Txg(0)) => SpaceMapEntry::Padding,
                _ => SpaceMapEntry::Debug { free, pass, txg },
            }));
        }
        let Some(second) = self.endian.u64_at(self.bytes, self.at) else {
            return Some(Err(FormatError::short("space map", at, 16, self.bytes.len() - at)));
        };
        self.at += 8;
        let (run, vdev) = (field(word, 24, 36) + 1, field(word, 0, 24) as u32);
        Some(self.range(at, field(second, 0, 63), run, flag(second, 63), Some(vdev)))
    }

    fn range(
        &self,
        at: usize,
        units: u64,
        run: u64,
        free: bool,
        vdev: Option<u32>,
    ) -> Result<SpaceMapEntry, FormatError> {
        let limit = u64::MAX >> self.shift;
        let offset = (units <= limit).then(|| units << self.shift);
        let offset = offset.and_then(|o| o.checked_add(self.start));
        let size = (run <= limit).then(|| run << self.shift);
        match (offset, size) {
            (Some(offset), Some(size)) if offset.checked_add(size).is_some() => {
                Ok(SpaceMapEntry::Range { offset, size, free, vdev })
            }
            _ => Err(FormatError::new("space map", at, "a range below 2^64", units)),
        }
    }
}

impl Iterator for SpaceMapEntries<'_> {
    type Item = Result<SpaceMapEntry, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        let entry = self.entry();
        if matches!(entry, Some(Err(_))) {
            self.at = self.bytes.len();
        }
        entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std_alloc::vec;

    fn check(words: &[u64], expect: &[SpaceMapEntry]) {
        for endian in [Endian::Little, Endian::Big] {
            let bytes: Vec<u8> = words.iter().flat_map(|&w| endian.bytes_u64(w)).collect();
            let entries = SpaceMapEntries::new(&bytes, endian, 0x100_0000, 12);
            let got: Vec<_> = entries.map(Result::unwrap).collect();
            assert_eq!(got, expect);
        }
    }

    #[test]
    fn every_kind_of_entry_decodes() {
        let range = |offset, size, free, vdev| SpaceMapEntry::Range { offset, size, free, vdev };
        check(&[0], &[range(0x100_0000, 4096, false, None)]);
        check(&[5 << 16 | 1 << 15 | 3], &[range(0x100_5000, 4 << 12, true, None)]);
        check(&[1 << 63], &[SpaceMapEntry::Padding]);
        let debug = SpaceMapEntry::Debug { free: true, pass: 2, txg: Txg(77) };
        check(&[1 << 63 | 1 << 60 | 2 << 50 | 77], &[debug]);
        check(&[3 << 62 | 99 << 24 | 4, 7], &[range(0x100_7000, 100 << 12, false, Some(4))]);
    }

    #[test]
    fn hostile_entries_end_the_map() {
        let check = |words: Vec<u64>| {
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            let all: Vec<_> = SpaceMapEntries::new(&bytes, Endian::Little, 1 << 40, 16).collect();
            assert_eq!(all.len(), 1);
            assert!(all[0].is_err());
        };
        check(vec![3 << 62]);
        check(vec![3 << 62, u64::MAX, 0]);
        check(vec![3 << 62, u64::MAX >> 16, 0]);
    }
}
