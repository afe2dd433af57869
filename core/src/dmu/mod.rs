//! Floor 9: objects. Dnodes, block trees, ZAPs, lists of block pointers, space map objects.
//!
//! ```text
//!   Objset -> meta dnode -> dnode blocks -> Dnode -> indirect blocks -> data blocks
//! ```
//!
//! Invariants: going down a block tree the level falls by one each step, so hostile trees end;
//! nothing is read beyond what the dnode can address; contents keep the byte order of their block.

mod bpobj;
mod objset;
mod once;
mod space_map;
mod traverse;
mod zap;

pub use bpobj::for_each_pointer;
pub use objset::Objset;
pub use space_map::{for_each_entry, space_map_header};
pub use traverse::{Bookmark, GangResult, Visit, Visitor, Walk, traverse};
pub use zap::{zap_entries, zap_lookup, zap_u64};
