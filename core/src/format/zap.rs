//! ZAPs: named values. Small ones are one block of fixed entries, large ones a hash of leaf blocks.
//!
//! ```text
//!  micro      type (2^63 + 3)  salt  flags  pad (40) | entries: value  cd (u32)  pad  name (50)
//!  fat head   type (2^63 + 1)  magic  pointer table  ...  | second half: embedded pointer table
//!  fat leaf   type (2^63)  prefix  magic  counts | hash table (u16) | chunks of 24 bytes
//! ```
//!
//! This module parses blocks; whoever can read blocks follows the pointer table. Source:
//! `include/sys/zap_impl.h`, `zap_leaf.h`.

mod fat;
mod hash;
mod micro;

pub use fat::{FatHeader, FatLeaf};
pub use hash::zap_hash;
use micro::parse_micro;

use crate::base::{Endian, FormatError};
use std_alloc::string::String;
use std_alloc::vec::Vec;

const BLOCK_LEAF: u64 = 1 << 63;
const BLOCK_HEADER: u64 = BLOCK_LEAF + 1;
const BLOCK_MICRO: u64 = BLOCK_LEAF + 3;

/// What block 0 of a ZAP is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ZapBlock0 {
    /// All entries are in this block.
    Micro(Vec<ZapEntry>),
    /// The entries are in leaves.
    Fat(FatHeader),
}

/// Decodes block 0 of a ZAP.
pub fn parse_zap(block: &[u8], endian: Endian) -> Result<ZapBlock0, FormatError> {
    match endian.u64_at(block, 0) {
        Some(BLOCK_MICRO) => Ok(ZapBlock0::Micro(parse_micro(block, endian)?)),
        Some(BLOCK_HEADER) => Ok(ZapBlock0::Fat(FatHeader::parse(block, endian)?)),
        Some(other) => {
            let found = format_args!("{other:#x}");
            Err(FormatError::new("ZAP", 0, "a micro or fat ZAP block type", found))
        }
        None => Err(FormatError::short("ZAP", 0, 8, block.len())),
    }
}

/// A value: one or more integers of one size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ZapValue {
    /// Bytes of each integer: 1, 2, 4 or 8.
    pub int_size: u8,
    /// The integers.
    pub ints: Vec<u64>,
}

impl ZapValue {
    /// The only integer, if there is one only.
    pub fn u64(&self) -> Option<u64> {
        match self.ints.as_slice() {
            [n] => Some(*n),
            _ => None,
        }
    }

    /// The bytes of an array of one-byte integers.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        (self.int_size == 1).then(|| self.ints.iter().map(|&n| n as u8).collect())
    }

    /// The text of an array of one-byte integers, up to its NUL.
    pub fn text(&self) -> Option<String> {
        let bytes = self.bytes()?;
        let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
        Some(String::from_utf8_lossy(bytes.get(..end)?).into_owned())
    }
}

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZapEntry {
    /// Name without its NUL; for ZAPs with integer keys the words in big-endian order.
    pub name: Vec<u8>,
    /// Value.
    pub value: ZapValue,
    /// Tells entries of one hash apart.
    pub cd: u32,
    /// Hash of the name as stored; micro ZAPs store none.
    pub hash: Option<u64>,
}

impl ZapEntry {
    /// The name as text.
    pub fn name_text(&self) -> String {
        String::from_utf8_lossy(&self.name).into_owned()
    }
}
