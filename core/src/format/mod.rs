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
mod feature;
mod gang;
mod label;
mod nvlist;
mod object_type;
mod objset;
mod space_map;
mod uberblock;
mod zil;

pub use blkptr::{BLKPTR_SIZE, Blkptr, Dva, EmbeddedKind, MAX_BLOCK_SIZE};
pub use bpobj::BpobjPhys;
pub use dnode::{DNODE_SIZE, Dnode};
pub use feature::{FEATURES, Feature, feature};
pub use gang::{GANG_HEADER_SIZE, parse_gang_header};
pub use label::{LABEL_SIZE, LABELS, Label, RingSlot, label_offset};
pub use nvlist::{NvValue, Nvlist};
pub use object_type::ObjectType;
pub use objset::{ObjsetKind, ObjsetPhys};
pub use space_map::{SpaceMapEntries, SpaceMapEntry, SpaceMapPhys};
pub use uberblock::Uberblock;
pub use zil::{ZIL_CHAIN_SIZE, ZilChain, ZilHeader, ZilRecord, parse_zil_records};
