//! Gang headers: a block in pieces, because no free segment was long enough.
//!
//! ```text
//!   0 block pointer 0   128 block pointer 1   256 block pointer 2   384 zeros   472 trailer (40)
//! ```
//!
//! The trailer is the SHA-256 embedded one; its verifier is vdev, offset and birth of the first
//! copy of the pointer that led here. Source: `include/sys/zio.h`.

use super::Dva;
use super::blkptr::Blkptr;
use crate::base::{FormatError, Txg};
use crate::codec::verify_embedded;
use std_alloc::vec::Vec;

/// Bytes of a classic gang header.
#[doc(alias = "SPA_GANGBLOCKSIZE")]
pub const GANG_HEADER_SIZE: usize = 512;

/// Verifies a gang header and gives its members that are not holes. `first` is DVA 0 of the
/// pointer that led here and `birth` its physical birth.
pub fn parse_gang_header(bytes: &[u8], first: Dva, birth: Txg) -> Result<Vec<Blkptr>, FormatError> {
    let Some(area) = bytes.get(..GANG_HEADER_SIZE) else {
        return Err(FormatError::short(
            "gang header",
            0,
            GANG_HEADER_SIZE,
            bytes.len(),
        ));
    };
    let verifier = [u64::from(first.vdev), first.offset, birth.0, 0];
    let endian = verify_embedded(area, verifier).map_err(|e| {
        let expected = std_alloc::format!("a SHA-256 trailer of {:016x}", e.expected[0]);
        FormatError::new(
            "gang header",
            472,
            &expected,
            format_args!("{:016x}", e.found[0]),
        )
    })?;
    let members = Blkptr::parse_all(area.get(..3 * 128).unwrap_or(&[]), endian);
    Ok(members.filter(|bp| !bp.is_hole()).collect())
}
