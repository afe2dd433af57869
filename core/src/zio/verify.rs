//! Does a block match the checksum in its pointer?

use crate::base::{Endian, PoolError, PoolErrorKind, Result};
use crate::codec::{ChecksumKind, checksum};
use crate::format::{Blkptr, ObjectType};
use std_alloc::format;

/// What a block's bytes are held against.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verifier {
    kind: ChecksumKind,
    endian: Endian,
    salt: Option<[u8; 32]>,
    expected: [u64; 4],
    /// Words 2 and 3 hold a message authentication code instead of half the checksum.
    half: bool,
}

impl Verifier {
    /// The verifier of the block behind `bp`.
    ///
    /// # Errors
    /// `Unsupported` when the checksum is of a kind that is not computed here, or needs a salt
    /// that the pool does not have.
    pub(super) fn new(bp: &Blkptr, salt: Option<[u8; 32]>) -> Result<Self> {
        let refuse = |why| Err(PoolError::new(PoolErrorKind::Unsupported, why));
        let kind = match bp.checksum_kind() {
            Ok(kind) => kind,
            Err(id) => return refuse(format!("checksum number {id} is unknown")),
        };
        if let Err(e) = checksum(kind, bp.endian(), salt.as_ref(), &[]) {
            return refuse(format!("{e}"));
        }
        Ok(Self {
            kind,
            endian: bp.endian(),
            salt,
            expected: bp.checksum(),
            half: bp.is_protected() && bp.object_type() != ObjectType::OBJSET,
        })
    }

    /// Whether `bytes` pass. With checksums off everything does.
    pub(super) fn passes(&self, bytes: &[u8]) -> bool {
        if self.kind == ChecksumKind::Off {
            return true;
        }
        let Ok(found) = checksum(self.kind, self.endian, self.salt.as_ref(), bytes) else {
            return false;
        };
        if !self.half {
            return found == self.expected;
        }
        let [a, b, c, d] = found;
        let folded = match self.kind.is_fletcher() {
            true => [a ^ c, b ^ d],
            false => [a, b],
        };
        folded == [self.expected[0], self.expected[1]]
    }
}
