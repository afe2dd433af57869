//! Floor 13: the walk over every block.
//!
//! ```text
//!   MOS, data sets, snapshots, logs -> every block once -> count, claim, verify
//!   space maps                      -> what should be claimed
//!   claims against space maps       -> leaks, doubles, used but free
//!   sums against the DSL            -> accounting
//! ```
//!
//! A snapshot's tree is visited only as far as it is its own: blocks born up to the snapshot before
//! it were met there. Invariant: damage is a row in the result, never the end of the walk.

mod account;
mod census;
mod check;
mod claims;
mod sizes;

pub use check::{CheckInput, check_pool};
pub use sizes::Sizes;

/// What a check does beyond the walk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckOptions {
    /// Skip file data: verify metadata only.
    pub metadata_only: bool,
    /// Read every copy: each DVA, each side of a mirror, each parity.
    pub all_copies: bool,
    /// Collect block sizes.
    pub sizes: bool,
}
