//! The block-based intent log: header, chain blocks, records.
//!
//! ```text
//!  header (192)   claim_txg  replay_seq  log pointer (128)  claim_blk_seq  flags  claim_lr_seq
//!  chain (184)    pad  next pointer (128)  nused  magic  checksum (32)
//!                 at byte 0 of the block (checksum zilog2), or its last bytes (zilog)
//!  record         type  length  txg  sequence | what the type needs
//! ```
//!
//! Source: `include/sys/zil.h`, `module/zfs/zil.c`.

use super::blkptr::{BLKPTR_SIZE, Blkptr};
use crate::base::{Cursor, Endian, FormatError, Txg};
use crate::codec::{ChecksumKind, fletcher2, fletcher4};
use std_alloc::vec::Vec;

/// Bytes of the chain structure.
pub const ZIL_CHAIN_SIZE: usize = 184;
const MAGIC: u64 = 0x0210_DA7A_B10C_7A11;
const RECORD_HEAD: usize = 32;

/// Head of the log of one object set.
#[doc(alias = "zil_header_t")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZilHeader {
    /// Txg of the claim, 0 when not claimed.
    pub claim_txg: Txg,
    /// Highest record already replayed.
    pub replay_seq: u64,
    /// First block; a hole when there is no log.
    pub log: Blkptr,
    /// Highest claimed block.
    pub claim_blk_seq: u64,
    /// Bit 0 replay needed, bit 1 `claim_lr_seq` valid.
    pub flags: u64,
    /// Highest claimed record.
    pub claim_lr_seq: u64,
}

impl ZilHeader {
    /// Decodes the 192 bytes of a header.
    pub fn parse(bytes: &[u8], endian: Endian) -> Result<Self, FormatError> {
        let mut c = Cursor::new("intent log header", bytes, endian);
        Ok(Self {
            claim_txg: Txg(c.u64()?),
            replay_seq: c.u64()?,
            log: Blkptr::parse(c.take(BLKPTR_SIZE)?, endian)?,
            claim_blk_seq: c.u64()?,
            flags: c.u64()?,
            claim_lr_seq: c.u64()?,
        })
    }
}

/// One verified log block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZilChain {
    /// Byte order of the block.
    pub endian: Endian,
    /// Pointer to the next block, which may not be written yet.
    pub next: Blkptr,
    /// Bytes in use.
    pub used: u64,
    /// Byte range of the records in the block.
    pub records: core::ops::Range<usize>,
}

impl ZilChain {
    /// Verifies and decodes log block `bytes`, reached by `pointer`. Any error is the end of the
    /// log: the block was never written, or is torn.
    pub fn parse(bytes: &[u8], pointer: &Blkptr) -> Result<Self, FormatError> {
        let slim = match pointer.checksum_kind() {
            Ok(ChecksumKind::Zilog2) => true,
            Ok(ChecksumKind::Zilog) => false,
            Ok(kind) => return Err(FormatError::new(WHAT, 0, "checksum zilog2", kind.name())),
            Err(id) => return Err(bad(0, "a known checksum", id.into())),
        };
        let short = || FormatError::short(WHAT, 0, ZIL_CHAIN_SIZE, bytes.len());
        let chain_at = match slim {
            true => 0,
            false => bytes.len().checked_sub(ZIL_CHAIN_SIZE).ok_or_else(short)?,
        };
        let chain = bytes.get(chain_at..chain_at + ZIL_CHAIN_SIZE).ok_or_else(short)?;
        let magic = chain.get(144..152).and_then(|m| m.try_into().ok()).ok_or_else(short)?;
        let endian = match (Endian::Little.u64(magic), Endian::Big.u64(magic)) {
            (MAGIC, _) => Endian::Little,
            (_, MAGIC) => Endian::Big,
            (other, _) => return Err(bad(chain_at + 144, "the trailer magic", other)),
        };
        let mut c = Cursor::new(WHAT, chain, endian);
        c.skip(8)?;
        let next = Blkptr::parse(c.take(BLKPTR_SIZE)?, endian)?;
        let used = c.u64()?;
        c.skip(8)?;
        let stored = [c.u64()?, c.u64()?, c.u64()?, c.u64()?];
        let first = if slim { ZIL_CHAIN_SIZE } else { 0 };
        let end = if slim { bytes.len() } else { chain_at };
        if !(first as u64..=end as u64).contains(&used) {
            return Err(bad(chain_at + 136, "a used length inside the block", used));
        }
        let covered = if slim { (used as usize).next_multiple_of(4096) } else { bytes.len() };
        let covered = bytes.get(..covered.min(bytes.len())).ok_or_else(short)?;
        let found = sum_with_verifier(covered, chain_at + 152, pointer, endian, slim);
        if found != Some(stored) {
            return Err(bad(chain_at + 152, "its checksum with the pointer's verifier", stored[0]));
        }
        let mut verifier = pointer.checksum();
        verifier[3] = verifier[3].wrapping_add(1);
        if next.checksum() != verifier {
            return Err(bad(8, "a next pointer whose verifier counts on", next.checksum()[3]));
        }
        Ok(Self { endian, next, used, records: first..used as usize })
    }
}

const WHAT: &str = "log block";

fn bad(at: usize, expected: &str, found: u64) -> FormatError {
    FormatError::new(WHAT, at, expected, found)
}

/// Checksum of `bytes` with the verifier of `pointer` in place of the stored sum at byte `at`.
fn sum_with_verifier(
    bytes: &[u8],
    at: usize,
    pointer: &Blkptr,
    endian: Endian,
    slim: bool,
) -> Option<[u64; 4]> {
    let mut copy = bytes.to_vec();
    for (word, at) in pointer.checksum().iter().zip((at..).step_by(8)) {
        copy.get_mut(at..at + 8)?.copy_from_slice(&endian.bytes_u64(*word));
    }
    Some(if slim { fletcher4(endian, &copy) } else { fletcher2(endian, &copy) })
}

/// One log record: its head, and its body as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZilRecord {
    /// Type number without the case-insensitive bit.
    pub kind: u64,
    /// Whether names compare without case.
    pub ignore_case: bool,
    /// Txg of the transaction.
    pub txg: Txg,
    /// Sequence number.
    pub seq: u64,
    /// Bytes of the record, head included.
    pub length: u64,
    /// Bytes behind the head.
    pub body: Vec<u8>,
}

impl ZilRecord {
    /// The type's name as OpenZFS spells it.
    pub fn name(&self) -> &'static str {
        const NAMES: [&str; 25] = [
            "TX_COMMIT",
            "TX_CREATE",
            "TX_MKDIR",
            "TX_MKXATTR",
            "TX_SYMLINK",
            "TX_REMOVE",
            "TX_RMDIR",
            "TX_LINK",
            "TX_RENAME",
            "TX_WRITE",
            "TX_TRUNCATE",
            "TX_SETATTR",
            "TX_ACL_V0",
            "TX_ACL",
            "TX_CREATE_ACL",
            "TX_CREATE_ATTR",
            "TX_CREATE_ACL_ATTR",
            "TX_MKDIR_ACL",
            "TX_MKDIR_ATTR",
            "TX_MKDIR_ACL_ATTR",
            "TX_WRITE2",
            "TX_SETSAXATTR",
            "TX_RENAME_EXCHANGE",
            "TX_RENAME_WHITEOUT",
            "TX_CLONE_RANGE",
        ];
        usize::try_from(self.kind).ok().and_then(|k| NAMES.get(k)).unwrap_or(&"unknown")
    }

    /// Word `index` of the body, if it is that long.
    pub fn word(&self, index: usize, endian: Endian) -> Option<u64> {
        endian.u64_at(&self.body, index.checked_mul(8)?)
    }
}

/// The records of a log block, in order, and what ended them early.
pub fn parse_zil_records(bytes: &[u8], endian: Endian) -> (Vec<ZilRecord>, Option<FormatError>) {
    let mut records = Vec::new();
    let mut c = Cursor::new("log record", bytes, endian);
    while c.remaining() > 0 {
        match parse_record(&mut c) {
            Ok(record) => records.push(record),
            Err(e) => return (records, Some(e)),
        }
    }
    (records, None)
}

fn parse_record(c: &mut Cursor<'_>) -> Result<ZilRecord, FormatError> {
    let (kind, length, txg, seq) = (c.u64()?, c.u64()?, Txg(c.u64()?), c.u64()?);
    let body = usize::try_from(length).ok().and_then(|l| l.checked_sub(RECORD_HEAD));
    let Some(body) = body.filter(|_| length.is_multiple_of(8)) else {
        return Err(c.bad("a record length of at least 32 in steps of 8", length));
    };
    let body = c.take(body)?.to_vec();
    let (kind, ignore_case) = (kind & (u64::MAX >> 1), kind >> 63 != 0);
    Ok(ZilRecord { kind, ignore_case, txg, seq, length, body })
}
