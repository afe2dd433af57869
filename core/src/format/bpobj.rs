//! Lists of block pointers: deferred frees and dead lists. Source: `include/sys/bpobj.h`.

use crate::base::{Endian, FormatError, ObjectId};

/// Bonus of a block pointer list. Short old forms read as zero beyond their end.
#[doc(alias = "bpobj_phys_t")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BpobjPhys {
    /// Pointers in the object itself.
    pub count: u64,
    /// Bytes they charge, sub-lists included.
    pub bytes: u64,
    /// Physical bytes.
    pub compressed: u64,
    /// Logical bytes.
    pub uncompressed: u64,
    /// Object with an array of further lists; 0 for none.
    pub subobjs: ObjectId,
    /// Entries of that array.
    pub subobj_count: u64,
    /// Pointers that are frees in a livelist.
    pub freed_count: u64,
}

impl BpobjPhys {
    /// Decodes a bonus of 16 to 56 bytes.
    pub fn parse(bonus: &[u8], endian: Endian) -> Result<Self, FormatError> {
        if bonus.len() < 16 {
            return Err(FormatError::short("block pointer list", 0, 16, bonus.len()));
        }
        let word = |index: usize| endian.u64_at(bonus, index * 8).unwrap_or(0);
        Ok(Self {
            count: word(0),
            bytes: word(1),
            compressed: word(2),
            uncompressed: word(3),
            subobjs: ObjectId(word(4)),
            subobj_count: word(5),
            freed_count: word(6),
        })
    }
}
