//! Checksums by the number that block pointers carry, and the trailer that blocks carry themselves.
//!
//! ```text
//!   area ... | magic (8) | four words (32)      the last 40 bytes of labels and gang headers
//! ```
//!
//! The trailer's words are SHA-256 over the whole area with the verifier in their place, so a block
//! that landed at another place does not pass. Source: `module/zfs/zio_checksum.c`.

use super::{CodecError, fletcher2, fletcher4};
use crate::base::Endian;
use sha2::Digest;
use std_alloc::format;

const TRAILER: usize = 40;
const MAGIC: u64 = 0x0210_DA7A_B10C_7A11;

/// Checksum algorithms by their number on disk.
#[doc(alias = "zio_checksum")]
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChecksumKind {
    Inherit,
    On,
    Off,
    Label,
    GangHeader,
    Zilog,
    Fletcher2,
    Fletcher4,
    Sha256,
    Zilog2,
    Noparity,
    Sha512,
    Skein,
    Edonr,
    Blake3,
}

use ChecksumKind as K;

const KINDS: [(ChecksumKind, &str); 15] = [
    (K::Inherit, "inherit"),
    (K::On, "on"),
    (K::Off, "off"),
    (K::Label, "label"),
    (K::GangHeader, "gang_header"),
    (K::Zilog, "zilog"),
    (K::Fletcher2, "fletcher2"),
    (K::Fletcher4, "fletcher4"),
    (K::Sha256, "sha256"),
    (K::Zilog2, "zilog2"),
    (K::Noparity, "noparity"),
    (K::Sha512, "sha512"),
    (K::Skein, "skein"),
    (K::Edonr, "edonr"),
    (K::Blake3, "blake3"),
];

impl ChecksumKind {
    /// The kind with number `id`.
    pub fn from_id(id: u8) -> Option<Self> {
        KINDS.get(id as usize).map(|k| k.0)
    }

    /// Its number.
    pub const fn id(self) -> u8 {
        self as u8
    }

    /// Its name in `zdb`'s words.
    pub fn name(self) -> &'static str {
        KINDS.get(self as usize).map_or("unknown", |k| k.1)
    }

    /// Whether it needs the pool's salt.
    pub const fn is_salted(self) -> bool {
        matches!(self, Self::Skein | Self::Edonr | Self::Blake3)
    }

    /// Whether it is one of the folded kinds in encrypted data sets (the strong ones are cut).
    pub const fn is_fletcher(self) -> bool {
        matches!(self, Self::Fletcher2 | Self::Fletcher4)
    }
}

/// The checksum of `data` as a block pointer holds it, once read in byte order `endian`.
pub fn checksum(
    kind: ChecksumKind,
    endian: Endian,
    salt: Option<&[u8; 32]>,
    data: &[u8],
) -> Result<[u64; 4], CodecError> {
    let raw = |digest: &[u8]| words(endian, digest);
    let salt = || {
        salt.ok_or_else(|| CodecError::new(format!("checksum {} without a pool salt", kind.name())))
    };
    match kind {
        K::Off => Ok([0; 4]),
        K::Fletcher2 => Ok(fletcher2(endian, data)),
        K::Fletcher4 => Ok(fletcher4(endian, data)),
        K::Sha256 => Ok(sha256_words(data)),
        K::Sha512 => Ok(raw(&sha2::Sha512_256::digest(data))),
        K::Blake3 => Ok(raw(blake3::keyed_hash(salt()?, data).as_bytes())),
        K::Skein => Ok(raw(&skein_mac(salt()?, data))),
        _ => Err(CodecError::new(format!("checksum {} is not computed here", kind.name()))),
    }
}

fn words(endian: Endian, digest: &[u8]) -> [u64; 4] {
    let mut out = [0; 4];
    for (word, value) in out.iter_mut().zip(endian.words(digest)) {
        *word = value;
    }
    out
}

/// SHA-256 of `data` as four big-endian words.
pub fn sha256_words(data: &[u8]) -> [u64; 4] {
    words(Endian::Big, &sha2::Sha256::digest(data))
}

fn skein_mac(salt: &[u8; 32], data: &[u8]) -> [u8; 32] {
    super::skein512::mac256(salt, data)
}

/// A trailer that does not match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmbeddedMismatch {
    /// Words that the area should carry.
    pub expected: [u64; 4],
    /// Words that it carries.
    pub found: [u64; 4],
    /// What stands where the magic should, read in little-endian order.
    pub magic: u64,
    /// Byte order of the magic; `None` when there is none.
    pub endian: Option<Endian>,
}

/// Verifies an area that ends in a trailer; the byte order of its writer.
pub fn verify_embedded(area: &[u8], verifier: [u64; 4]) -> Result<Endian, EmbeddedMismatch> {
    let trailer = area.len().checked_sub(TRAILER).and_then(|at| area.get(at..));
    let Some(trailer) = trailer else {
        return Err(EmbeddedMismatch { expected: [0; 4], found: [0; 4], magic: 0, endian: None });
    };
    let magic = Endian::Little.u64_at(trailer, 0).unwrap_or(0);
    let endian = if magic == MAGIC.swap_bytes() { Endian::Big } else { Endian::Little };
    let found = words(endian, trailer.get(8..).unwrap_or(&[]));
    let expected = embedded_words(area, verifier, endian);
    let known = magic == MAGIC || endian == Endian::Big;
    match found == expected && known {
        true => Ok(endian),
        false => Err(EmbeddedMismatch { expected, found, magic, endian: known.then_some(endian) }),
    }
}

/// Writes magic and checksum into the last 40 bytes of `area`.
///
/// # Panics
/// When the area is shorter than its trailer.
pub fn seal_embedded(area: &mut [u8], verifier: [u64; 4], endian: Endian) {
    let at = area.len().checked_sub(TRAILER).expect("invariant: an area holds its trailer");
    let mut trailer = [0; TRAILER];
    let sum = embedded_words(area, verifier, endian);
    let fields = [MAGIC].into_iter().chain(sum);
    for (place, word) in trailer.as_chunks_mut::<8>().0.iter_mut().zip(fields) {
        *place = endian.bytes_u64(word);
    }
    area[at..].copy_from_slice(&trailer);
}

fn embedded_words(area: &[u8], verifier: [u64; 4], endian: Endian) -> [u64; 4] {
    let mut hash = sha2::Sha256::new();
    hash.update(area.get(..area.len().saturating_sub(TRAILER)).unwrap_or(&[]));
    hash.update(endian.bytes_u64(MAGIC));
    for word in verifier {
        hash.update(endian.bytes_u64(word));
    }
    words(Endian::Big, &hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std_alloc::vec;

    #[test]
    fn numbers_and_names_agree() {
        for (id, (kind, name)) in (0u8..).zip(KINDS) {
            assert_eq!((ChecksumKind::from_id(id), kind.id(), kind.name()), (Some(kind), id, name));
        }
        assert_eq!(ChecksumKind::from_id(15), None);
    }

    /// FIPS 180-4 and the test vectors of BLAKE3.
    #[test]
    fn standard_vectors() {
        let check = |kind, endian, salt: &[u8; 32], data: &[u8], expect| {
            assert_eq!(checksum(kind, endian, Some(salt), data), Ok(expect), "{}", kind.name());
        };
        let abc = [
            0xBA78_16BF_8F01_CFEA,
            0x4141_40DE_5DAE_2223,
            0xB003_61A3_9617_7A9C,
            0xB410_FF61_F200_15AD,
        ];
        let none = &[0; 32];
        check(K::Sha256, Endian::Little, none, b"abc", abc);
        check(K::Sha256, Endian::Big, none, b"abc", abc);
        let abc = [
            0x5304_8E26_8194_1EF9,
            0x9B2E_29B7_6B4C_7DAB,
            0xE4C2_D0C6_34FC_6D46,
            0xE0E2_F131_07E7_AF23,
        ];
        check(K::Sha512, Endian::Big, none, b"abc", abc);
        check(K::Sha512, Endian::Little, none, b"abc", abc.map(u64::swap_bytes));
        let elvish = b"whats the Elvish word for friend";
        let empty = [
            0x92B2_B756_04ED_3C76,
            0x1F9D_6F62_392C_8A92,
            0x27AD_0EA3_F095_73E7,
            0x83F1_498A_4ED6_0D26,
        ];
        check(K::Blake3, Endian::Big, elvish, b"", empty);
        check(K::Off, Endian::Big, none, b"abc", [0; 4]);
    }

    #[test]
    fn what_cannot_be_computed_says_its_name() {
        let check = |kind: ChecksumKind, salt: Option<&[u8; 32]>| {
            let error = checksum(kind, Endian::Big, salt, b"abc").unwrap_err();
            assert!(format!("{error}").contains(kind.name()), "{error}");
        };
        check(K::Blake3, None);
        check(K::Skein, None);
        for kind in [K::Inherit, K::On, K::Label, K::GangHeader, K::Zilog, K::Zilog2, K::Edonr] {
            check(kind, Some(&[0; 32]));
        }
    }

    #[test]
    fn a_sealed_area_passes_at_its_place_only() {
        for endian in [Endian::Little, Endian::Big] {
            let mut area = vec![7u8; 1024];
            seal_embedded(&mut area, [0x4000, 0, 0, 0], endian);
            assert_eq!(verify_embedded(&area, [0x4000, 0, 0, 0]), Ok(endian));
            assert!(verify_embedded(&area, [0x8000, 0, 0, 0]).is_err());
            area[5] ^= 1;
            assert!(verify_embedded(&area, [0x4000, 0, 0, 0]).is_err());
        }
        assert!(verify_embedded(&[0; 12], [0; 4]).is_err());
    }
}
