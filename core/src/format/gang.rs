//! Gang headers: a block in pieces, because no free segment was long enough.
//!
//! ```text
//!   0 block pointer 0   128 block pointer 1   256 block pointer 2   384 zeros   472 trailer (40)
//! ```
//!
//! The trailer is the SHA-256 embedded one; its verifier is vdev, offset and birth of the first
//! copy of the pointer that led here. When that pointer is encrypted or authenticated, the four
//! words are folded into two, as its own checksum is. Source: `include/sys/zio.h`,
//! `module/zfs/zio_checksum.c`.

use super::ObjectType;
use super::blkptr::Blkptr;
use crate::base::FormatError;
use crate::codec::verify_embedded;
use std_alloc::vec::Vec;

/// Bytes of a classic gang header.
#[doc(alias = "SPA_GANGBLOCKSIZE")]
pub const GANG_HEADER_SIZE: usize = 512;

/// Verifies the gang header that `bp` leads to, in any of its copies, and gives its members that
/// are not holes.
pub fn parse_gang_header(bytes: &[u8], bp: &Blkptr) -> Result<Vec<Blkptr>, FormatError> {
    const WHAT: &str = "gang header";
    let Some(area) = bytes.get(..GANG_HEADER_SIZE) else {
        return Err(FormatError::short(WHAT, 0, GANG_HEADER_SIZE, bytes.len()));
    };
    let first = bp.dva(0);
    let verifier = [first.vdev.into(), first.offset, bp.physical_birth().0, 0];
    let folded = bp.is_protected() && bp.object_type() != ObjectType::OBJSET;
    let endian = verify_embedded(area, verifier).or_else(|e| match (folded, e.endian) {
        (true, Some(endian)) if fold(e.expected) == e.found => Ok(endian),
        _ => {
            let expected = match folded {
                true => fold(e.expected),
                false => e.expected,
            };
            let expected = std_alloc::format!("a SHA-256 trailer of {:016x}", expected[0]);
            let found = format_args!("{:016x}", e.found[0]);
            Err(FormatError::new(WHAT, 472, &expected, found))
        }
    })?;
    let members = Blkptr::parse_all(area.get(..3 * 128).unwrap_or(&[]), endian);
    Ok(members.filter(|bp| !bp.is_hole()).collect())
}

/// The checksum of a block of an encrypted data set: the other half is for the cipher's code.
fn fold([a, b, c, d]: [u64; 4]) -> [u64; 4] {
    [a ^ c, b ^ d, 0, 0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Endian;
    use crate::codec::seal_embedded;

    fn pointer(protected: bool) -> Blkptr {
        let mut words = [0; 16];
        (words[0], words[1]) = (3 << 32 | 129, 1 << 63 | 0x3_9A72);
        (words[2], words[3]) = (3 << 32 | 1, 1 << 63 | 0x3_0000);
        words[6] = 127 | 127 << 16 | 2 << 32 | 8 << 40 | 26 << 48 | 1 << 63;
        words[6] |= u64::from(protected) << 61;
        words[10] = 559;
        Blkptr::from_words(words)
    }

    fn header(endian: Endian, folded: bool) -> Vec<u8> {
        let mut member = [0; 16];
        (member[0], member[1], member[6]) = (43, 0x1000, 42 | 42 << 16 | 2 << 32 | 7 << 40);
        let member = Blkptr::from_words(member).to_bytes(endian);
        let mut bytes = std_alloc::vec![0; GANG_HEADER_SIZE];
        bytes[..128].copy_from_slice(&member);
        bytes[256..384].copy_from_slice(&member);
        seal_embedded(&mut bytes, [3, 0x3_9A72 << 9, 559, 0], endian);
        if folded {
            let words: Vec<u64> = endian.words(&bytes[480..]).collect();
            let folded = [words[0] ^ words[2], words[1] ^ words[3], 0, 0];
            for (place, word) in bytes[480..].as_chunks_mut::<8>().0.iter_mut().zip(folded) {
                *place = endian.bytes_u64(word);
            }
        }
        bytes
    }

    #[test]
    fn every_copy_is_verified_by_the_place_of_the_first() {
        for endian in [Endian::Little, Endian::Big] {
            let bytes = header(endian, false);
            let members = parse_gang_header(&bytes, &pointer(false)).unwrap();
            assert_eq!(members.len(), 2);
            assert_eq!((members[1].psize(), members[1].dva(0).offset), (43 << 9, 0x1000 << 9));
            for cut in 0..GANG_HEADER_SIZE {
                assert!(parse_gang_header(&bytes[..cut], &pointer(false)).is_err());
            }
        }
    }

    #[test]
    fn headers_of_encrypted_blocks_fold_their_checksum() {
        for endian in [Endian::Little, Endian::Big] {
            let folded = header(endian, true);
            assert_eq!(parse_gang_header(&folded, &pointer(true)).unwrap().len(), 2);
            assert!(parse_gang_header(&folded, &pointer(false)).is_err());
            for at in [0, 128, 300, 472, 480, 511] {
                let mut bad = folded.clone();
                bad[at] ^= 4;
                assert!(parse_gang_header(&bad, &pointer(true)).is_err(), "byte {at}");
            }
        }
    }
}
