//! Floor 13: the walk over every block.

mod sizes;

pub use sizes::Sizes;
