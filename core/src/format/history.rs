//! The pool history: records of packed lists in a ring of bytes.
//!
//! ```text
//!   the creation records stay      | the rest is a ring
//!   0 ................. create_len | ................... phys_max
//!   record: length (u64, little-endian)  packed name-value list
//! ```
//!
//! Source: `module/zfs/spa_history.c`.

use super::Nvlist;
use crate::base::{Endian, FormatError};

/// Bonus of the history object. Offsets but `phys_max` and `create_len` never wrap.
#[doc(alias = "spa_history_phys_t")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryPhys {
    /// Bytes of the records of the creation.
    pub create_len: u64,
    /// Bytes of the object.
    pub phys_max: u64,
    /// Offset of the first record that is still there.
    pub begin: u64,
    /// Offset behind the last record.
    pub end: u64,
    /// Records that the ring has lost.
    pub lost: u64,
}

impl HistoryPhys {
    /// Decodes a bonus of 40 bytes.
    pub fn parse(bonus: &[u8], endian: Endian) -> Result<Self, FormatError> {
        if bonus.len() < 40 {
            return Err(FormatError::short(
                "pool history header",
                0,
                40,
                bonus.len(),
            ));
        }
        let word = |index: usize| endian.u64_at(bonus, index * 8).unwrap_or(0);
        let phys = Self {
            create_len: word(0),
            phys_max: word(1),
            begin: word(2),
            end: word(3),
            lost: word(4),
        };
        match phys.create_len < phys.phys_max && phys.begin <= phys.end {
            true => Ok(phys),
            false => Err(FormatError::new(
                "pool history header",
                0,
                "offsets in order",
                format_args!("{phys:?}"),
            )),
        }
    }

    /// Byte in the object of log offset `offset`.
    pub fn physical(&self, offset: u64) -> u64 {
        match offset < self.create_len {
            true => offset,
            false => {
                (offset - self.create_len) % (self.phys_max - self.create_len) + self.create_len
            }
        }
    }
}

/// The record at the start of `log`, and its length in bytes. `None` at the end.
pub fn parse_history_record(log: &[u8]) -> Option<(Result<Nvlist, FormatError>, usize)> {
    let length = usize::try_from(Endian::Little.u64_at(log, 0)?)
        .ok()
        .filter(|&n| n > 0)?;
    let body = log.get(8..length.checked_add(8)?)?;
    Some((Nvlist::parse(body), length + 8))
}
