//! Floor 0: the words every other floor speaks.
//!
//! Units, time, byte order, bit fields, bounded cursors, errors and the seeded generator. Nothing
//! here knows what a pool is. Invariant: this module imports nothing from the crate.

mod bits;
mod cursor;
mod endian;
mod error;
mod hex;
mod prng;
mod time;
mod units;

pub use bits::{field, flag};
pub use cursor::Cursor;
pub use endian::Endian;
pub use error::{FormatError, PoolError, PoolErrorKind, Result};
pub use hex::{HexDump, hex};
pub use prng::Prng;
pub use time::Instant;
pub use units::{Guid, ObjectId, SECTOR_SHIFT, Txg, nice_bytes};
