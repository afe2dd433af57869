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
use crate::base::{Endian, FormatError, Txg, field};
use crate::codec::verify_embedded;
use std_alloc::format;

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
            endian
                .u64_at(slot, at)
                .ok_or_else(|| FormatError::short(WHAT, at, 8, left))
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
        Ok(Some(Self {
            endian,
            version: at(8)?,
            txg: Txg(at(16)?),
            guid_sum: at(24)?,
            timestamp: at(32)?,
            rootbp: Blkptr::parse(slot.get(40..168).unwrap_or(&[]), endian)?,
            software_version: at(168)?,
            mmp_seq: if has_mmp { field(at(192)?, 32, 16) } else { 0 },
            checkpoint_txg: Txg(if has_mmp { at(200)? } else { 0 }),
            raidz_reflow_info: if has_mmp { at(208)? } else { 0 },
        }))
    }

    /// Whether this one is to be opened rather than `other`: the later txg, then time, then
    /// multihost sequence.
    pub fn is_better_than(&self, other: &Self) -> bool {
        let key = |u: &Self| (u.txg, u.timestamp, u.mmp_seq);
        key(self) > key(other)
    }
}
