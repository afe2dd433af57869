//! Floor 2: on-disk types. Parse and emit, both byte orders, no behaviour and no I/O.
//!
//! Every type takes the bytes and the byte order they were written in and gives a native value or
//! a [`crate::base::FormatError`] that names the structure, the byte, the expected and the found.
//! Parsing trusts nothing: counts and lengths are held against the bytes that are there.
//!
//! ```text
//!   label > nvlist, uberblock > blkptr > objset > dnode > blkptr > zap, sa, space map, ...
//! ```

mod blkptr;
mod bpobj;
mod dnode;
mod dsl;
mod feature;
mod gang;
mod history;
mod label;
mod nvlist;
mod object_type;
mod objset;
mod sa;
mod space_map;
mod uberblock;
mod zap;
mod zil;

pub use blkptr::{BLKPTR_SIZE, Blkptr, Dva, EmbeddedKind, MAX_BLOCK_SIZE};
pub use bpobj::BpobjPhys;
pub use dnode::{DNODE_SIZE, Dnode};
pub use dsl::{DeadlistPhys, DslDatasetPhys, DslDirPhys};
pub use feature::{FEATURES, Feature, feature};
pub use gang::{GANG_HEADER_SIZE, parse_gang_header};
pub use history::{HistoryPhys, parse_history_record};
pub use label::{LABEL_SIZE, LABELS, Label, RingSlot, label_offset};
pub use nvlist::{NvValue, Nvlist};
pub use object_type::ObjectType;
pub use objset::{ObjsetKind, ObjsetPhys};
pub use sa::{Attribute, FileAttributes, SaTables, Timestamp};
pub use space_map::{SpaceMapEntries, SpaceMapEntry, SpaceMapPhys};
pub use uberblock::Uberblock;
pub use zap::{FatHeader, FatLeaf, ZapBlock0, ZapEntry, ZapValue, parse_zap, zap_hash};
pub use zil::{ZIL_CHAIN_SIZE, ZilChain, ZilHeader, ZilRecord, parse_zil_records};
