//! Floor 1: checksums, compression and the field behind raidz. Pure functions over bytes.
//!
//! Invariant: no input panics, and no output is longer than the caller allows.

mod checksum;
mod compress;
mod fletcher;
pub mod gf256;
mod lzjb;
mod skein512;

pub use checksum::{
    ChecksumKind, EmbeddedMismatch, checksum, seal_embedded, sha256_words, verify_embedded,
};
pub use compress::{Compression, compress, decompress};
pub use fletcher::{fletcher2, fletcher4};

use core::fmt;
use std_alloc::string::{String, ToString};

/// Why bytes could not be checked or unpacked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodecError(String);

impl CodecError {
    fn new(message: impl fmt::Display) -> Self {
        Self(message.to_string())
    }
}

impl fmt::Display for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for CodecError {}
