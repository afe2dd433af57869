//! What a walk over every block found.

use serde::{Deserialize, Serialize};
use std_alloc::string::String;
use std_alloc::vec::Vec;

/// The result of `check`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckView {
    /// Pool name.
    pub pool: String,
    /// Txg checked.
    pub txg: u64,
    /// Whether nothing at all is wrong.
    pub clean: bool,
    /// Block pointers met; embedded ones and deferred frees included. `zdb -b`'s bp count.
    pub blocks: u64,
    /// Bytes read and verified.
    pub bytes_read: u64,
    /// Logical, physical and allocated bytes of the blocks met.
    pub logical: u64,
    /// Physical bytes.
    pub physical: u64,
    /// Allocated bytes.
    pub allocated: u64,
    /// Allocated bytes by the space maps, unflushed changes included.
    pub space_map_allocated: u64,
    /// Copies of blocks that are gangs.
    pub gangs: u64,
    /// Allocated bytes of blocks met again because they are deduplicated.
    #[serde(default)]
    pub deduped: u64,
    /// Allocated bytes of blocks met again because they are clones.
    #[serde(default)]
    pub cloned: u64,
    /// Embedded block pointers.
    pub embedded: u64,
    /// Space that the maps call allocated and nothing refers to.
    pub leaks: Vec<SpaceRange>,
    /// Space that two blocks claim.
    pub doubles: Vec<SpaceRange>,
    /// Space that a block claims and the maps call free.
    pub unallocated: Vec<SpaceRange>,
    /// Blocks that could not be read or do not match their checksum.
    pub bad_blocks: Vec<BadBlock>,
    /// Copies that are bad although another copy served.
    pub bad_copies: Vec<BadBlock>,
    /// Disagreements in accounting: what, stored, recomputed.
    pub accounting: Vec<Disagreement>,
    /// Damage in labels, uberblocks, space maps and the like, a sentence each.
    pub problems: Vec<String>,
    /// What could not be checked and why (encrypted data, unsupported vdevs).
    pub not_checked: Vec<String>,
    /// Block sizes, when asked for.
    pub sizes: Option<SizesView>,
}

/// A range of a top-level vdev, counted as DVA offsets are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpaceRange {
    /// Top-level vdev.
    pub vdev: u64,
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
    /// Who claims it, when known.
    pub owner: String,
}

/// One damaged block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadBlock {
    /// Data set, `mos` for the pool's own.
    pub dataset: String,
    /// Object number.
    pub object: u64,
    /// Level; -1 for the root of an object set, -2 for log blocks.
    pub level: i64,
    /// Block index at that level.
    pub block: u64,
    /// File path, when the object is a file that a directory names.
    pub path: Option<String>,
    /// Block pointer in short form.
    pub pointer: String,
    /// What is wrong: which device, expected and found.
    pub problem: String,
}

/// A stored number that differs from the recomputed one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disagreement {
    /// What the number is, with its place.
    pub what: String,
    /// Number on disk.
    pub stored: u64,
    /// Number by the walk.
    pub found: u64,
}

/// Progress of a long walk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Bytes of allocated space walked.
    pub done: u64,
    /// Bytes of allocated space in all.
    pub total: u64,
    /// Blocks met.
    pub blocks: u64,
}

/// How big the blocks are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizesView {
    /// One row a power of two: bin `n` holds sizes in [2^n, 2^(n+1)).
    pub bins: Vec<SizeBin>,
    /// One row a kind of object.
    pub kinds: Vec<SizeKind>,
    /// For each `special_small_blocks` value what a special vdev would take.
    pub cutoffs: Vec<SmallBlockCutoff>,
}

/// Blocks of one power of two, counted by each of three sizes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeBin {
    /// Lower end in bytes.
    pub size: u64,
    /// Blocks and bytes by physical size.
    pub physical: (u64, u64),
    /// Blocks and bytes by logical size.
    pub logical: (u64, u64),
    /// Blocks and bytes by allocated size.
    pub allocated: (u64, u64),
}

/// Blocks of one kind of object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeKind {
    /// Object type in `zdb`'s words, with ` (indirect)` above level 0.
    pub kind: String,
    /// Blocks.
    pub blocks: u64,
    /// Logical bytes.
    pub logical: u64,
    /// Physical bytes.
    pub physical: u64,
    /// Allocated bytes.
    pub allocated: u64,
}

/// What one small-block cut-off would move to a special vdev.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SmallBlockCutoff {
    /// `special_small_blocks` in bytes; 0 is metadata only.
    pub cutoff: u64,
    /// Allocated bytes of metadata.
    pub metadata: u64,
    /// Allocated bytes of file blocks whose physical size is at most the cut-off.
    pub files: u64,
    /// The same for volumes (2.4 and later place them too).
    pub volumes: u64,
}
