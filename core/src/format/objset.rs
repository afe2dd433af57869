//! The root of an object set: its meta dnode, its intent log, its accounting.
//!
//! ```text
//!      0 meta dnode  512 ZIL header (192)  704 type  712 flags  720 MACs (2 x 32)
//!   1024 user used dnode  1536 group used dnode  2048 project used dnode   (when long enough)
//! ```
//!
//! Source: `include/sys/dmu_objset.h`.

use super::dnode::Dnode;
use super::zil::ZilHeader;
use crate::base::{Endian, FormatError};
use core::fmt;

/// What an object set is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjsetKind {
    /// The pool's own objects.
    Meta,
    /// A file system.
    Zfs,
    /// A volume.
    Zvol,
    /// Made by a program, not by the kernel.
    Other,
    /// A number that no OpenZFS writes.
    Unknown(u64),
}

impl fmt::Display for ObjsetKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Meta => f.write_str("META"),
            Self::Zfs => f.write_str("ZPL"),
            Self::Zvol => f.write_str("ZVOL"),
            Self::Other => f.write_str("OTHER"),
            Self::Unknown(n) => write!(f, "UNKNOWN ({n})"),
        }
    }
}

/// The root block of an object set.
#[doc(alias = "objset_phys_t")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjsetPhys {
    /// Byte order of the block.
    pub endian: Endian,
    /// The dnode whose data are the dnodes.
    pub meta_dnode: Dnode,
    /// Head of the intent log.
    pub zil: ZilHeader,
    /// What it is for.
    pub kind: ObjsetKind,
    /// 1 user, 2 user objects, 4 project accounting complete.
    pub flags: u64,
    /// Accounting objects -1 user, -2 group, -3 project; absent where the block is short or empty.
    pub accounting: [Option<Dnode>; 3],
}

impl ObjsetPhys {
    /// Decodes an objset block of 1024, 2048 or 4096 bytes (missing tail: no accounting).
    pub fn parse(bytes: &[u8], endian: Endian) -> Result<Self, FormatError> {
        const WHAT: &str = "object set";
        if bytes.len() < 1024 {
            return Err(FormatError::short(WHAT, 0, 1024, bytes.len()));
        }
        let dnode = |at: usize| match bytes.get(at..at + 512) {
            Some(slot) => Dnode::parse(slot, endian),
            None => Ok(None),
        };
        let meta_dnode = dnode(0)?
            .ok_or_else(|| FormatError::new(WHAT, 0, "a meta dnode", "an unallocated dnode"))?;
        let word = |at| endian.u64_at(bytes, at).unwrap_or(0);
        Ok(Self {
            endian,
            meta_dnode,
            zil: ZilHeader::parse(bytes.get(512..704).unwrap_or(&[]), endian)?,
            kind: match word(704) {
                1 => ObjsetKind::Meta,
                2 => ObjsetKind::Zfs,
                3 => ObjsetKind::Zvol,
                4 => ObjsetKind::Other,
                n => ObjsetKind::Unknown(n),
            },
            flags: word(712),
            accounting: [dnode(1024)?, dnode(1536)?, dnode(2048)?],
        })
    }
}
