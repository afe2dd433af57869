//! Data sets, objects, files, block pointers and logs.

use crate::base::{Guid, ObjectId, Txg};
use serde::{Deserialize, Serialize};
use std_alloc::string::String;
use std_alloc::vec::Vec;

/// One data set or snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatasetView {
    /// Full name, `tank/a` or `tank/a@s`.
    pub name: String,
    /// Object of the data set in the MOS, as `zdb -d` prints behind `ID`.
    pub id: ObjectId,
    /// `filesystem`, `volume`, `other`, `meta`, or `unknown` when its objset is unreadable.
    pub kind: String,
    /// Whether it is a snapshot.
    pub snapshot: bool,
    /// Guid.
    pub guid: Guid,
    /// Txg of creation, as `cr_txg` of `zdb -d`.
    pub creation_txg: Txg,
    /// Seconds since 1970.
    pub creation_time: u64,
    /// Bytes charged to it and its children (the DSL directory's `used`); snapshots: unique bytes.
    pub used: u64,
    /// Bytes its tree refers to.
    pub referenced: u64,
    /// Physical and logical bytes behind `referenced`.
    pub compressed: u64,
    /// Logical bytes.
    pub uncompressed: u64,
    /// Allocated objects, as the fill count says; what `zdb -d` prints as `N objects`.
    pub objects: u64,
    /// Full name of the snapshot it was cloned from; absent when it is no clone.
    pub origin: Option<String>,
    /// Whether its data are encrypted and cannot be read.
    pub encrypted: bool,
    /// Local properties: name and value as text.
    pub properties: Vec<(String, String)>,
    /// Whether its log holds writes that are not in the tree yet.
    pub log_pending: bool,
    /// What is wrong with it; absent when nothing is.
    pub problem: Option<String>,
}

/// One object of an object set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectView {
    /// Object number.
    pub id: ObjectId,
    /// Type in `zdb`'s words.
    pub kind: String,
    /// Bonus type in `zdb`'s words; `none` without one.
    pub bonus_kind: String,
    /// Bonus bytes.
    pub bonus_len: u64,
    /// Levels of the block tree.
    pub levels: u64,
    /// Bytes of an indirect block.
    pub indirect_size: u64,
    /// Bytes of a data block.
    pub block_size: u64,
    /// Bytes of the dnode.
    pub dnode_size: u64,
    /// Allocated bytes the dnode claims.
    pub used: u64,
    /// Highest block index.
    pub max_block: u64,
    /// Logical end of the last block.
    pub size: u64,
    /// Contents in words, a line each: ZAP entries, packed values, SA attributes.
    pub details: Vec<String>,
    /// Block pointers in `zdb -ddddd`'s form, when asked for.
    pub blocks: Vec<String>,
}

/// One directory entry with the attributes of its object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileView {
    /// Name in its directory; for one file alone, its path.
    pub name: String,
    /// Object number.
    pub object: ObjectId,
    /// `file`, `dir`, `symlink`, `block`, `char`, `fifo`, `socket`, `unknown`.
    pub kind: String,
    /// Permission bits and type bits.
    pub mode: u64,
    /// Owner.
    pub uid: u64,
    /// Group.
    pub gid: u64,
    /// Bytes of a file; entries of a directory plus two.
    pub size: u64,
    /// Hard links.
    pub links: u64,
    /// Seconds since 1970 and nanoseconds of the last change of contents.
    pub mtime: (u64, u64),
    /// Target of a symbolic link.
    pub target: Option<String>,
    /// Names of extended attributes.
    pub xattrs: Vec<String>,
    /// Why its attributes could not be read; absent when they could.
    pub problem: Option<String>,
}

/// The intent log of one data set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZilView {
    /// Data set.
    pub dataset: String,
    /// Txg of the claim, 0 when not claimed.
    pub claim_txg: Txg,
    /// Highest replayed sequence number.
    pub replay_seq: u64,
    /// Blocks of the chain in order.
    pub blocks: Vec<ZilBlockView>,
    /// Why the chain ends where it does.
    pub end: String,
}

/// One block of a log chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZilBlockView {
    /// Sequence number of the block.
    pub seq: u64,
    /// Bytes of the block.
    pub size: u64,
    /// Bytes in use.
    pub used: u64,
    /// Block pointer in short form.
    pub pointer: String,
    /// Records: type name, txg, sequence, length, and a description.
    pub records: Vec<String>,
}

/// One record of the pool history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryView {
    /// Seconds since 1970.
    pub time: u64,
    /// The line as `zpool history -il` words it, without the time.
    pub text: String,
    /// Whether it is internal (only `-i` shows it).
    pub internal: bool,
}
