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
    /// ZAP of delegated permissions; 0 for none.
    pub permissions: ObjectId,
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
            permissions: ObjectId(word(11)),
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
    /// Identity of the file system for NFS and the like, 56 bits.
    pub fsid_guid: Guid,
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
    /// ZAP of the holds on a snapshot; 0 for none.
    pub user_holds: ObjectId,
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
            fsid_guid: Guid(word(13)),
            guid: Guid(word(14)),
            flags: word(15),
            bp: Blkptr::parse(bp, endian)?,
            next_clones: ObjectId(word(32)),
            properties: ObjectId(word(33)),
            user_holds: ObjectId(word(34)),
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
        Ok(Self { used: word(0), compressed: word(1), uncompressed: word(2) })
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

#[cfg(test)]
mod tests {
    use super::*;
    use std_alloc::vec::Vec;

    /// A bonus whose word `n` is `100 + n`.
    fn counted(size: usize, endian: Endian) -> Vec<u8> {
        let words = 100..100 + size as u64 / 8;
        words.flat_map(|n| endian.bytes_u64(n)).collect()
    }

    #[test]
    fn words_stand_where_the_format_says() {
        for endian in [Endian::Little, Endian::Big] {
            let dir = DslDirPhys::parse(&counted(256, endian), endian).unwrap();
            assert_eq!((dir.creation_time, dir.head_dataset.0, dir.parent.0), (100, 101, 102));
            assert_eq!((dir.origin.0, dir.children.0, dir.used), (103, 104, 105));
            assert_eq!((dir.quota, dir.reserved, dir.properties.0), (108, 109, 110));
            assert_eq!((dir.permissions.0, dir.flags, dir.clones.0), (111, 112, 118));
            assert_eq!(dir.breakdown, [113, 114, 115, 116, 117]);
            let ds = DslDatasetPhys::parse(&counted(320, endian), endian).unwrap();
            assert_eq!((ds.dir.0, ds.prev_snap.0, ds.prev_snap_txg.0), (100, 101, 102));
            assert_eq!((ds.next_snap.0, ds.snapshots.0, ds.child_count), (103, 104, 105));
            assert_eq!((ds.creation_time, ds.creation_txg.0, ds.deadlist.0), (106, 107, 108));
            assert_eq!((ds.referenced, ds.unique, ds.fsid_guid.0), (109, 112, 113));
            assert_eq!((ds.guid.0, ds.flags, ds.user_holds.0), (114, 115, 134));
            assert_eq!((ds.next_clones.0, ds.properties.0), (132, 133));
            assert_eq!((ds.bp.birth(), ds.bp.checksum()[3]), (Txg(126), 131));
            let list = DeadlistPhys::parse(&counted(320, endian), endian).unwrap();
            assert_eq!((list.used, list.compressed, list.uncompressed), (100, 101, 102));
        }
    }

    #[test]
    fn every_cut_is_an_error() {
        let bytes = counted(320, Endian::Little);
        for cut in 0..320 {
            let cut_bytes = &bytes[..cut];
            assert!(DslDatasetPhys::parse(cut_bytes, Endian::Little).is_err());
            assert_eq!(DslDirPhys::parse(cut_bytes, Endian::Little).is_err(), cut < 256);
            assert_eq!(DeadlistPhys::parse(cut_bytes, Endian::Big).is_err(), cut < 24);
        }
    }
}
