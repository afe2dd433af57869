//! Floor 11: the intent log as it lies on disk. Walks a chain and says why it ends.
//!
//! ```text
//!   header -> block (seq 1) -> block (seq 2) -> ... -> a block that does not pass: the end
//! ```
//!
//! The end of a chain looks like damage by design: the next block is named before it is written.
//! Source: `zil_parse` of `module/zfs/zil.c`.

mod describe;

pub use describe::describe_record;

use crate::base::Result;
use crate::format::{Blkptr, ZilChain, ZilHeader, ZilRecord, parse_zil_records};
use crate::zio::Zio;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Blocks beyond this are not walked: a chain is cut off at every txg or so.
const BLOCKS_MAX: usize = 1 << 20;

/// One verified block of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogBlock {
    /// Pointer that led to it.
    pub pointer: Blkptr,
    /// Its chain head.
    pub chain: ZilChain,
    /// Its records.
    pub records: Vec<ZilRecord>,
}

impl LogBlock {
    /// Sequence number of the block.
    pub fn seq(&self) -> u64 {
        self.pointer.checksum()[3]
    }
}

/// A walked chain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogChain {
    /// Blocks in order.
    pub blocks: Vec<LogBlock>,
    /// Why the walk ended.
    pub end: String,
}

/// Walks the chain of `header`. Damage is an end, not an error.
pub async fn walk_chain(zio: &Zio, header: &ZilHeader) -> LogChain {
    let mut chain = LogChain::default();
    let mut pointer = header.log;
    loop {
        if pointer.is_hole() {
            chain.end = match chain.blocks.is_empty() {
                true => "there is no log".to_string(),
                false => "the chain was not extended".to_string(),
            };
            return chain;
        }
        if chain.blocks.len() >= BLOCKS_MAX {
            chain.end = "the chain is longer than any that OpenZFS writes".to_string();
            return chain;
        }
        match read_block(zio, &pointer).await {
            Ok(block) => {
                pointer = block.chain.next;
                chain.blocks.push(block);
            }
            Err(e) => {
                chain.end = e.to_string();
                return chain;
            }
        }
    }
}

async fn read_block(zio: &Zio, pointer: &Blkptr) -> Result<LogBlock> {
    let bytes = zio.read_log_block(pointer).await?;
    let chain = ZilChain::parse(&bytes, pointer)?;
    let records = bytes.get(chain.records.clone()).unwrap_or(&[]);
    let (records, damage) = match pointer.is_protected() {
        // The bodies need a key; the heads alone cannot be told apart from them here.
        true => (Vec::new(), None),
        false => parse_zil_records(records, chain.endian),
    };
    match damage {
        Some(e) => Err(e.into()),
        None => Ok(LogBlock { pointer: *pointer, chain, records }),
    }
}
