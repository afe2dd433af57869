//! Floor 7: verified reads of block pointers.
//!
//! ```text
//!   Blkptr -> hole: zeros | embedded: payload | copies: DVA 0, 1, 2 -> vdev or gang -> checksum
//!          -> decompress -> Block
//! ```
//!
//! Invariants: no byte is given out that did not pass its checksum; a pointer is held against the
//! pool before any device is asked; a copy that fails leads to the next, and only the last failure
//! is an error, which names every try. Contents that need a key are refused by name; their
//! checksums are verified as far as they do without it.

mod copies;
mod gang;
mod read;
mod verify;

pub use gang::{Allocation, GangTree};
pub use read::{Block, Zio};

#[cfg(test)]
mod tests;
