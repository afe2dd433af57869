//! Data sets in words: directories, data sets, dead lists.
//!
//! A DSL directory is a name in the tree with its accounting; a DSL data set is one state of its
//! contents, the head or a snapshot. Both live in bonus buffers of the MOS. Sources:
//! `include/sys/dsl_dir.h`, `dsl_dataset.h`, `dsl_deadlist.h`.

use super::Blkptr;
use super::blkptr::BLKPTR_SIZE;
use crate::base::{Endian, FormatError, Guid, ObjectId, Txg};

const DIR_SIZE: usize = 256;
const DATASET_SIZE: usize = 320;

/// Bonus of a DSL directory.
#[doc(alias = "dsl_dir_phys_t")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DslDirPhys {
    /// Seconds since 1970.
    pub creation_time: u64,
    /// Head data set; 0 for `$MOS` and `$FREE`.
    pub head_dataset: ObjectId,
    /// Parent directory; 0 for the root.
    pub parent: ObjectId,
    /// Snapshot it was cloned from; `$ORIGIN`'s snapshot for ordinary ones, 0 in old pools.
    pub origin: ObjectId,
    /// ZAP of child directories.
    pub children: ObjectId,
    /// Bytes charged to it and everything below.
    pub used: u64,
    /// Physical bytes.
    pub compressed: u64,
    /// Logical bytes.
    pub uncompressed: u64,
    /// Most bytes it may use; 0 for no limit.
    pub quota: u64,
    /// Bytes set aside for it.
    pub reserved: u64,
    /// ZAP of properties.
    pub properties: ObjectId,
    /// 1 when `breakdown` is kept.
    pub flags: u64,
    /// `used` by head, snapshots, children, child reservations, refreservation.
    pub breakdown: [u64; 5],
    /// ZAP of clones.
    pub clones: ObjectId,
}

impl DslDirPhys {
    /// Decodes a bonus of 256 bytes.
    pub fn parse(bonus: &[u8], endian: Endian) -> Result<Self, FormatError> {
        let word = words("DSL directory", bonus, DIR_SIZE, endian)?;
        Ok(Self {
            creation_time: word(0),
            head_dataset: ObjectId(word(1)),
            parent: ObjectId(word(2)),
            origin: ObjectId(word(3)),
            children: ObjectId(word(4)),
            used: word(5),
            compressed: word(6),
            uncompressed: word(7),
            quota: word(8),
            reserved: word(9),
            properties: ObjectId(word(10)),
            flags: word(12),
            breakdown: [word(13), word(14), word(15), word(16), word(17)],
            clones: ObjectId(word(18)),
        })
    }
}

/// Bonus of a DSL data set.
#[doc(alias = "dsl_dataset_phys_t")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DslDatasetPhys {
    /// Its directory.
    pub dir: ObjectId,
    /// Snapshot before it; 0 for none.
    pub prev_snap: ObjectId,
    /// Txg of that snapshot: what was born later is its own.
    pub prev_snap_txg: Txg,
    /// Snapshot or head after it; 0 for heads.
    pub next_snap: ObjectId,
    /// ZAP of snapshot names; 0 for snapshots.
    pub snapshots: ObjectId,
    /// Users of a snapshot: what follows it, and clones. 0 for heads.
    pub child_count: u64,
    /// Seconds since 1970.
    pub creation_time: u64,
    /// Txg of creation.
    pub creation_txg: Txg,
    /// Dead list: blocks of the snapshot before it that it no longer has.
    pub deadlist: ObjectId,
    /// Bytes its tree refers to.
    pub referenced: u64,
    /// Physical bytes.
    pub compressed: u64,
    /// Logical bytes.
    pub uncompressed: u64,
    /// Bytes nothing else refers to.
    pub unique: u64,
    /// Guid.
    pub guid: Guid,
    /// 1 inconsistent, 4 unique is accurate, 8 destroy when unused, 0x10000 case-insensitive.
    pub flags: u64,
    /// Root of its object set.
    pub bp: Blkptr,
    /// ZAP of clones of a snapshot.
    pub next_clones: ObjectId,
    /// ZAP of properties of a snapshot.
    pub properties: ObjectId,
}

impl DslDatasetPhys {
    /// Decodes a bonus of 320 bytes.
    pub fn parse(bonus: &[u8], endian: Endian) -> Result<Self, FormatError> {
        let word = words("DSL data set", bonus, DATASET_SIZE, endian)?;
        let bp = bonus.get(128..128 + BLKPTR_SIZE).unwrap_or(&[]);
        Ok(Self {
            dir: ObjectId(word(0)),
            prev_snap: ObjectId(word(1)),
            prev_snap_txg: Txg(word(2)),
            next_snap: ObjectId(word(3)),
            snapshots: ObjectId(word(4)),
            child_count: word(5),
            creation_time: word(6),
            creation_txg: Txg(word(7)),
            deadlist: ObjectId(word(8)),
            referenced: word(9),
            compressed: word(10),
            uncompressed: word(11),
            unique: word(12),
            guid: Guid(word(14)),
            flags: word(15),
            bp: Blkptr::parse(bp, endian)?,
            next_clones: ObjectId(word(32)),
            properties: ObjectId(word(33)),
        })
    }

    /// Whether it is a snapshot rather than a head.
    #[doc(alias = "ds_num_children")]
    pub fn is_snapshot(&self) -> bool {
        self.child_count != 0
    }
}

/// Bonus of a dead list of pools from version 26 on.
#[doc(alias = "dsl_deadlist_phys_t")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeadlistPhys {
    /// Bytes charged.
    pub used: u64,
    /// Physical bytes.
    pub compressed: u64,
    /// Logical bytes.
    pub uncompressed: u64,
}

impl DeadlistPhys {
    /// Decodes a bonus.
    pub fn parse(bonus: &[u8], endian: Endian) -> Result<Self, FormatError> {
        let word = words("dead list", bonus, 24, endian)?;
        Ok(Self {
            used: word(0),
            compressed: word(1),
            uncompressed: word(2),
        })
    }
}

/// A reader of 64-bit words by index, once `bonus` is known to be long enough.
fn words<'a>(
    what: &'static str,
    bonus: &'a [u8],
    size: usize,
    endian: Endian,
) -> Result<impl Fn(usize) -> u64 + 'a, FormatError> {
    match bonus.len() < size {
        true => Err(FormatError::short(what, 0, size, bonus.len())),
        false => Ok(move |index: usize| endian.u64_at(bonus, index * 8).unwrap_or(0)),
    }
}
