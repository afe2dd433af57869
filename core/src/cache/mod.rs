//! Floor 8: blocks that were read a moment ago.
//!
//! [`BlockCache`] is the policy: which blocks stay within a bound of bytes, the least recently used
//! leaving first. [`Reader`] asks it before it asks the devices.

mod lru;
mod reader;

pub use lru::BlockCache;
pub use reader::Reader;
