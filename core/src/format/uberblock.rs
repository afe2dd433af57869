//! Uberblocks: the roots of past and present, one for each txg, in a ring in every label.
//!
//! ```text
//!   0 magic  8 version  16 txg  24 guid_sum  32 timestamp  40 rootbp (128)  168 software_version
//! 176 mmp_magic  184 mmp_delay  192 mmp_config  200 checkpoint_txg  208 raidz_reflow_info
//! ... zeros ... trailer in the last 40 bytes of the slot
//! ```
//!
//! Source: `include/sys/uberblock_impl.h`.

use super::Blkptr;
use crate::base::{Endian, FormatError, SECTOR_SHIFT, Txg, field, flag};
use crate::codec::{seal_embedded, verify_embedded};
use std_alloc::format;
use std_alloc::vec;
use std_alloc::vec::Vec;

const MAGIC: u64 = 0x00BA_B10C;
const MMP_MAGIC: u64 = 0xA11C_EA11;

/// A verified uberblock.
#[doc(alias = "uberblock_t")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uberblock {
    /// Byte order of its writer.
    pub endian: Endian,
    /// SPA version.
    pub version: u64,
    /// Txg it commits.
    pub txg: Txg,
    /// Sum of all vdev guids, wrapping.
    pub guid_sum: u64,
    /// Seconds since 1970.
    pub timestamp: u64,
    /// Pointer to the MOS.
    pub rootbp: Blkptr,
    /// Version of the software that wrote it.
    pub software_version: u64,
    /// Whether the multihost words are valid.
    pub has_mmp: bool,
    /// Nanoseconds between multihost writes; 0 while multihost is off.
    pub mmp_delay: u64,
    /// Multihost settings: what is valid (8 bits), interval in ms (24), sequence (16), failed
    /// intervals allowed (16).
    pub mmp_config: u64,
    /// Multihost sequence number; 0 without multihost.
    pub mmp_seq: u64,
    /// Txg of the checkpoint this is; 0 when it is none.
    pub checkpoint_txg: Txg,
    /// State of a raidz expansion.
    pub raidz_reflow_info: u64,
}

impl Uberblock {
    /// Decodes and verifies one ring slot that stands at byte `offset` of the device. `None` when
    /// no uberblock was ever written there.
    pub fn parse(slot: &[u8], offset: u64) -> Result<Option<Self>, FormatError> {
        const WHAT: &str = "uberblock";
        let word = |endian: Endian, at: usize| {
            let left = slot.len().saturating_sub(at);
            endian.u64_at(slot, at).ok_or_else(|| FormatError::short(WHAT, at, 8, left))
        };
        let endian = match word(Endian::Little, 0)? {
            MAGIC => Endian::Little,
            n if n == MAGIC.swap_bytes() => Endian::Big,
            _ => return Ok(None),
        };
        verify_embedded(slot, [offset, 0, 0, 0]).map_err(|e| {
            let expected = format!("a trailer of {:016x}", e.expected[0]);
            let found = format_args!("{:016x}", e.found[0]);
            FormatError::new(WHAT, slot.len().saturating_sub(40), &expected, found)
        })?;
        let at = |at| word(endian, at);
        let has_mmp = at(176)? == MMP_MAGIC;
        let (mmp_delay, mmp_config) = match has_mmp {
            true => (at(184)?, at(192)?),
            false => (0, 0),
        };
        Ok(Some(Self {
            endian,
            version: at(8)?,
            txg: Txg(at(16)?),
            guid_sum: at(24)?,
            timestamp: at(32)?,
            rootbp: Blkptr::parse(slot.get(40..168).unwrap_or(&[]), endian)?,
            software_version: at(168)?,
            has_mmp,
            mmp_delay,
            mmp_config,
            mmp_seq: match flag(mmp_config, 1) {
                true => field(mmp_config, 32, 16),
                false => 0,
            },
            checkpoint_txg: Txg(at(200)?),
            raidz_reflow_info: at(208)?,
        }))
    }

    /// Whether this one is to be opened rather than `other`: the later txg, then time, then
    /// multihost sequence.
    pub fn is_better_than(&self, other: &Self) -> bool {
        let key = |u: &Self| (u.txg, u.timestamp, u.mmp_seq);
        key(self) > key(other)
    }

    /// Where a raidz expansion is: its state 0 to 4, and the byte of the vdev it has reached.
    pub const fn raidz_reflow(&self) -> (u64, u64) {
        let info = self.raidz_reflow_info;
        (field(info, 55, 9), field(info, 0, 55) << SECTOR_SHIFT)
    }

    /// A sealed ring slot of `size` bytes that stands at byte `offset` of the device.
    ///
    /// # Panics
    /// When `size` is less than 1 KiB, the smallest slot.
    pub fn to_slot(&self, size: u64, offset: u64) -> Vec<u8> {
        assert!(size >= 1024, "a ring slot has at least 1 KiB");
        let mut slot = vec![0; size as usize];
        let mut put = |at: usize, word: u64| {
            slot[at..at + 8].copy_from_slice(&self.endian.bytes_u64(word));
        };
        put(0, MAGIC);
        put(8, self.version);
        put(16, self.txg.0);
        put(24, self.guid_sum);
        put(32, self.timestamp);
        put(168, self.software_version);
        if self.has_mmp {
            put(176, MMP_MAGIC);
            put(184, self.mmp_delay);
            put(192, self.mmp_config);
        }
        put(200, self.checkpoint_txg.0);
        put(208, self.raidz_reflow_info);
        slot[40..168].copy_from_slice(&self.rootbp.to_bytes(self.endian));
        seal_embedded(&mut slot, [offset, 0, 0, 0], self.endian);
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Prng;
    use std_alloc::string::ToString;

    fn sample(endian: Endian) -> Uberblock {
        let mut words = [0; 16];
        words[0] = 2;
        words[1] = 8;
        words[6] = 1 | 1 << 16 | 2 << 32 | 7 << 40 | 11 << 48;
        words[10] = 55;
        Uberblock {
            endian,
            version: 5000,
            txg: Txg(55),
            guid_sum: u64::MAX - 3,
            timestamp: 1_149_769_727,
            rootbp: Blkptr::from_words(words),
            software_version: 5000,
            has_mmp: true,
            mmp_delay: 0,
            mmp_config: 2 | 7 << 32,
            mmp_seq: 7,
            checkpoint_txg: Txg(12),
            raidz_reflow_info: 3 << 55 | 16,
        }
    }

    #[test]
    fn a_slot_passes_at_its_place_only() {
        for endian in [Endian::Little, Endian::Big] {
            for size in [1024, 4096, 8192] {
                let slot = sample(endian).to_slot(size, 0x2_0000);
                assert_eq!(slot.len() as u64, size);
                assert_eq!(Uberblock::parse(&slot, 0x2_0000), Ok(Some(sample(endian))));
                let error = Uberblock::parse(&slot, 0x2_0400).unwrap_err().to_string();
                assert!(error.starts_with("uberblock, byte"), "{error}");
                // A ring read in slots of the wrong size finds no trailer at the end.
                assert!(Uberblock::parse(&slot[..size as usize / 2], 0x2_0000).is_err());
            }
        }
        assert_eq!(sample(Endian::Big).raidz_reflow(), (3, 8192));
    }

    #[test]
    fn words_stand_where_the_format_says() {
        let slot = sample(Endian::Big).to_slot(1024, 0);
        let check = |at: usize, expect: u64| {
            assert_eq!(Endian::Big.u64_at(&slot, at), Some(expect), "byte {at}");
        };
        check(0, 0x00BA_B10C);
        check(16, 55);
        check(24, u64::MAX - 3);
        check(40, 2);
        check(168, 5000);
        check(176, 0xA11C_EA11);
        check(192, 7 << 32 | 2);
        check(200, 12);
        check(984, 0x0210_DA7A_B10C_7A11);
    }

    #[test]
    fn the_later_one_is_better() {
        let base = sample(Endian::Little);
        let check = |change: fn(&mut Uberblock)| {
            let mut other = base;
            change(&mut other);
            assert!(other.is_better_than(&base) && !base.is_better_than(&other));
        };
        check(|u| u.txg = Txg(56));
        check(|u| u.timestamp += 1);
        check(|u| u.mmp_seq += 1);
        check(|u| (u.txg, u.timestamp) = (Txg(56), 0));
        assert!(!base.is_better_than(&base));
    }

    #[test]
    fn empty_and_damaged_slots() {
        assert_eq!(Uberblock::parse(&[0; 1024], 0), Ok(None));
        assert_eq!(Uberblock::parse(&[0xFF; 1024], 0), Ok(None));
        let slot = sample(Endian::Little).to_slot(1024, 0);
        for cut in 0..1024 {
            assert!(Uberblock::parse(&slot[..cut], 0).is_err(), "cut at {cut}");
        }
        let mut rng = Prng::new(3);
        for _ in 0..2000 {
            let mut bad = slot.clone();
            let at = rng.below(1024) as usize;
            bad[at] ^= 1 << rng.below(8);
            assert!(!matches!(Uberblock::parse(&bad, 0), Ok(Some(_))), "byte {at}");
        }
    }
}
