//! Dnodes: the head of every object.
//!
//! 512 bytes for each slot; an object of `1 + extra_slots` slots owns the ones behind it.
//!
//! ```text
//!   0 type  1 indblkshift  2 nlevels  3 nblkptr  4 bonustype  5 checksum  6 compress  7 flags
//!   8 datablkszsec (u16)  10 bonuslen (u16)  12 extra_slots  16 maxblkid (u64)  24 used (u64)
//!  64 block pointers, then the bonus; the spill pointer is the last 128 bytes
//! ```
//!
//! Source: `include/sys/dnode.h`.

use super::ObjectType;
use super::blkptr::{BLKPTR_SIZE, Blkptr};
use crate::base::{Endian, FormatError, SECTOR_SHIFT};
use std_alloc::vec::Vec;

/// Bytes of one dnode slot.
pub const DNODE_SIZE: usize = 512;
/// Bytes in front of the block pointers.
const CORE: usize = 64;
const USED_IN_BYTES: u8 = 1;
const SPILL: u8 = 4;

/// One object's head.
#[doc(alias = "dnode_phys_t")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dnode {
    /// Byte order of the dnode block; the bonus of an SA object keeps its own.
    pub endian: Endian,
    /// What the object holds.
    pub object_type: ObjectType,
    /// Log2 of the bytes of an indirect block.
    pub indirect_shift: u8,
    /// Levels of the block tree; 1 when the pointers point at data.
    pub levels: u8,
    /// What the bonus holds.
    pub bonus_type: ObjectType,
    /// Checksum setting, 0 to inherit.
    pub checksum: u8,
    /// Compression setting, 0 to inherit.
    pub compress: u8,
    /// Flags, see the module source.
    pub flags: u8,
    /// Bytes of a data block.
    pub block_size: u64,
    /// Slots behind the first one.
    pub extra_slots: u8,
    /// Index of the last block ever written.
    pub max_block: u64,
    /// Allocated bytes the dnode claims.
    pub used: u64,
    /// One to three block pointers.
    pub pointers: Vec<Blkptr>,
    /// The bonus, `bonuslen` bytes.
    pub bonus: Vec<u8>,
    /// Pointer to the spill block with further attributes.
    pub spill: Option<Blkptr>,
}

impl Dnode {
    /// Decodes the dnode at the start of `bytes`, which reach to the end of the dnode block.
    /// `None` when the slot is free. Errors when the shape is impossible.
    pub fn parse(bytes: &[u8], endian: Endian) -> Result<Option<Self>, FormatError> {
        const WHAT: &str = "dnode";
        let bad = |at, expected: &str, found: u64| FormatError::new(WHAT, at, expected, found);
        let short = |wanted| FormatError::short(WHAT, 0, wanted, bytes.len());
        let head: &[u8; CORE] = bytes.first_chunk().ok_or_else(|| short(DNODE_SIZE))?;
        if head[0] == 0 {
            return Ok(None);
        }
        let size = DNODE_SIZE * (1 + head[12] as usize);
        let bytes = bytes.get(..size).ok_or_else(|| short(size))?;
        let (indirect_shift, levels, pointer_count) = (head[1], head[2], head[3] as usize);
        if !(1..=3).contains(&pointer_count) {
            return Err(bad(3, "1 to 3 block pointers", head[3].into()));
        }
        if !(1..=15).contains(&levels) {
            return Err(bad(2, "1 to 15 levels", levels.into()));
        }
        if levels > 1 && !(10..=17).contains(&indirect_shift) {
            return Err(bad(1, "an indirect block shift of 10 to 17", indirect_shift.into()));
        }
        let word = |at| endian.u64_at(head, at).ok_or_else(|| short(CORE));
        let half = |at| endian.u16_at(head, at).ok_or_else(|| short(CORE));
        let flags = head[7];
        let has_spill = flags & SPILL != 0;
        let bonus_len = half(10)? as usize;
        let bonus_at = CORE + pointer_count * BLKPTR_SIZE;
        let bonus_end = size - if has_spill { BLKPTR_SIZE } else { 0 };
        let bonus = bytes.get(bonus_at..bonus_at + bonus_len);
        let Some(bonus) = bonus.filter(|_| bonus_at + bonus_len <= bonus_end) else {
            return Err(bad(10, "a bonus that fits the dnode", bonus_len as u64));
        };
        let pointers = Blkptr::parse_all(bytes.get(CORE..bonus_at).unwrap_or(&[]), endian);
        let spill = has_spill.then(|| Blkptr::parse(bytes.get(bonus_end..).unwrap_or(&[]), endian));
        let used = word(24)?;
        Ok(Some(Self {
            endian,
            object_type: ObjectType(head[0]),
            indirect_shift,
            levels,
            bonus_type: ObjectType(head[4]),
            checksum: head[5],
            compress: head[6],
            flags,
            block_size: u64::from(half(8)?) << SECTOR_SHIFT,
            extra_slots: head[12],
            max_block: word(16)?,
            used: if flags & USED_IN_BYTES != 0 { used } else { used << SECTOR_SHIFT },
            pointers: pointers.collect(),
            bonus: bonus.to_vec(),
            spill: spill.transpose()?,
        }))
    }

    /// Bytes of the dnode itself.
    pub fn size(&self) -> u64 {
        DNODE_SIZE as u64 * (1 + u64::from(self.extra_slots))
    }

    /// Log2 of the pointers in one indirect block.
    pub fn fanout_shift(&self) -> u32 {
        u32::from(self.indirect_shift) - 7
    }

    /// Bytes of an indirect block.
    pub fn indirect_size(&self) -> u64 {
        1 << self.indirect_shift
    }

    /// Blocks that the tree can address, saturating.
    pub fn addressable_blocks(&self) -> u64 {
        let shift = self.fanout_shift_or_zero() * u32::from(self.levels - 1);
        let pointers = self.pointers.len() as u64;
        pointers.saturating_mul(1u64.checked_shl(shift).unwrap_or(u64::MAX))
    }

    fn fanout_shift_or_zero(&self) -> u32 {
        if self.levels > 1 { self.fanout_shift() } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std_alloc::string::ToString;

    fn sample() -> [u8; 1024] {
        let mut b = [0u8; 1024];
        b[..8].copy_from_slice(&[19, 17, 2, 1, 44, 0, 0, 1]);
        b[8..10].copy_from_slice(&256u16.to_le_bytes());
        b[10..12].copy_from_slice(&168u16.to_le_bytes());
        b[16..24].copy_from_slice(&9u64.to_le_bytes());
        b[24..32].copy_from_slice(&4096u64.to_le_bytes());
        b[192..360].fill(0x5A);
        b
    }

    #[test]
    fn a_file_head_decodes() {
        let d = Dnode::parse(&sample(), Endian::Little).unwrap().unwrap();
        assert_eq!((d.object_type, d.bonus_type), (ObjectType::PLAIN_FILE, ObjectType::SA));
        assert_eq!((d.block_size, d.max_block, d.used, d.size()), (131_072, 9, 4096, 512));
        assert_eq!((d.bonus.len(), d.pointers.len(), d.spill), (168, 1, None));
        assert_eq!(d.addressable_blocks(), 1024);
    }

    #[test]
    fn free_slots_and_impossible_shapes_are_told_apart() {
        assert_eq!(Dnode::parse(&[0; 512], Endian::Big), Ok(None));
        let check = |at: usize, value: u8, expect: &str| {
            let mut bytes = sample();
            bytes[at] = value;
            let error = Dnode::parse(&bytes, Endian::Little).unwrap_err().to_string();
            assert!(error.contains(expect), "{error}");
        };
        check(3, 0, "1 to 3 block pointers");
        check(3, 200, "1 to 3 block pointers");
        check(2, 0, "1 to 15 levels");
        check(1, 60, "indirect block shift");
        check(11, 0xFF, "a bonus that fits");
        check(12, 9, "5120 more bytes");
    }
}
