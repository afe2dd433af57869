//! Block pointers: where a block is, how big, how packed, and the checksum it must have.
//!
//! 128 bytes, sixteen words in the byte order of the block that contains the pointer:
//!
//! ```text
//!  word 0-1, 2-3, 4-5   three DVAs: asize/512 (24) pad vdev (24) pad | offset/512 (63) gang (1)
//!  word 6               lsize/512-1 (16) psize/512-1 (16) compression (7) embedded (1)
//!                       checksum (8) type (8) level (5) crypt (1) dedup (1) little-endian (1)
//!  word 7-8             rewrite flag (bit 63 of word 7), zero
//!  word 9               physical birth txg, 0 when equal to the logical one
//!  word 10              logical birth txg
//!  word 11              fill count
//!  word 12-15           checksum
//! ```
//!
//! An embedded pointer (bit 39) carries up to 112 bytes of payload in all words but 6 and 10.
//! Source: `include/sys/spa.h`.

use super::ObjectType;
use crate::base::{Endian, FormatError, SECTOR_SHIFT, Txg, field, flag};
use crate::codec::{ChecksumKind, Compression};
use core::fmt;
use std_alloc::vec::Vec;

/// Bytes of a block pointer.
pub const BLKPTR_SIZE: usize = 128;

/// Largest logical or physical block size in bytes.
#[doc(alias = "SPA_MAXBLOCKSIZE")]
pub const MAX_BLOCK_SIZE: u64 = 16 << 20;

/// Where one copy of a block is.
#[doc(alias = "dva_t")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dva {
    /// Top-level vdev.
    pub vdev: u32,
    /// Allocated bytes, parity, padding and gang members included.
    pub asize: u64,
    /// Byte offset in the vdev's allocatable space.
    pub offset: u64,
    /// Whether a gang header stands there instead of the data.
    pub gang: bool,
}

impl Dva {
    fn from_words(word0: u64, word1: u64) -> Self {
        Self {
            vdev: field(word0, 32, 24) as u32,
            asize: field(word0, 0, 24) << SECTOR_SHIFT,
            offset: field(word1, 0, 63).wrapping_shl(SECTOR_SHIFT),
            gang: flag(word1, 63),
        }
    }

    /// Whether this slot of a pointer is not used.
    pub fn is_empty(&self) -> bool {
        self.asize == 0
    }
}

impl fmt::Display for Dva {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{:x}:{:x}", self.vdev, self.offset, self.asize)
    }
}

/// What an embedded pointer holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbeddedKind {
    /// A block small enough to live in its pointer.
    Data,
    /// A block taken out of a redacted stream; reading it is an error.
    Redacted,
    /// A number that no OpenZFS writes.
    Unknown(u8),
}

/// A block pointer. Parsed, not trusted: [`Blkptr::validate`] says whether it makes sense.
#[doc(alias = "blkptr_t")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blkptr {
    words: [u64; 16],
}

impl Blkptr {
    /// A never-written hole.
    pub const HOLE: Self = Self { words: [0; 16] };

    /// Decodes the first 128 bytes of `bytes`, which stand in a block of order `endian`.
    pub fn parse(bytes: &[u8], endian: Endian) -> Result<Self, FormatError> {
        if bytes.len() < BLKPTR_SIZE {
            return Err(FormatError::short("block pointer", 0, BLKPTR_SIZE, bytes.len()));
        }
        let mut words = [0; 16];
        for (word, value) in words.iter_mut().zip(endian.words(bytes)) {
            *word = value;
        }
        Ok(Self { words })
    }

    /// All whole block pointers of an indirect block or array.
    pub fn parse_all(bytes: &[u8], endian: Endian) -> impl Iterator<Item = Self> + '_ {
        bytes.as_chunks::<BLKPTR_SIZE>().0.iter().map(move |chunk| {
            let mut words = [0; 16];
            for (word, value) in words.iter_mut().zip(endian.words(chunk)) {
                *word = value;
            }
            Self { words }
        })
    }

    /// The 128 bytes in order `endian`.
    pub fn to_bytes(&self, endian: Endian) -> [u8; BLKPTR_SIZE] {
        let mut out = [0; BLKPTR_SIZE];
        for (chunk, word) in out.as_chunks_mut::<8>().0.iter_mut().zip(self.words) {
            *chunk = endian.bytes_u64(word);
        }
        out
    }

    /// A pointer of raw words, for builders of samples and tests.
    pub const fn from_words(words: [u64; 16]) -> Self {
        Self { words }
    }

    const fn prop(&self) -> u64 {
        self.words[6]
    }

    /// Whether the payload is in the pointer itself.
    pub const fn is_embedded(&self) -> bool {
        flag(self.prop(), 39)
    }

    /// Whether there is no block: everything reads as zeros.
    #[doc(alias = "BP_IS_HOLE")]
    pub const fn is_hole(&self) -> bool {
        !self.is_embedded() && self.words[0] == 0 && self.words[1] == 0
    }

    /// DVA 0 to 2; empty slots included, all empty for an embedded pointer.
    pub fn dva(&self, index: u8) -> Dva {
        match (self.is_embedded(), index) {
            (false, 0) => Dva::from_words(self.words[0], self.words[1]),
            (false, 1) => Dva::from_words(self.words[2], self.words[3]),
            (false, 2) if !self.has_iv() => Dva::from_words(self.words[4], self.words[5]),
            _ => Dva::default(),
        }
    }

    /// The copies of the block, best first. None for holes and embedded pointers.
    pub fn dvas(&self) -> impl Iterator<Item = Dva> + '_ {
        (0..3).map(|i| self.dva(i)).filter(|d| !d.is_empty())
    }

    /// Whether any copy is a gang block.
    pub fn is_gang(&self) -> bool {
        self.dvas().any(|d| d.gang)
    }

    /// Bytes of the block as its object sees it; exact for embedded pointers.
    #[doc(alias = "BP_GET_LSIZE")]
    pub const fn lsize(&self) -> u64 {
        match self.is_embedded() {
            true => field(self.prop(), 0, 25) + 1,
            false => (field(self.prop(), 0, 16) + 1) << SECTOR_SHIFT,
        }
    }

    /// Bytes of the block as stored, after compression.
    #[doc(alias = "BP_GET_PSIZE")]
    pub const fn psize(&self) -> u64 {
        match self.is_embedded() {
            true => field(self.prop(), 25, 7) + 1,
            false => (field(self.prop(), 16, 16) + 1) << SECTOR_SHIFT,
        }
    }

    /// Allocated bytes of all copies.
    #[doc(alias = "BP_GET_ASIZE")]
    pub fn asize(&self) -> u64 {
        self.dvas().map(|d| d.asize).sum()
    }

    /// Compression, or the number when it is unknown.
    pub fn compression(&self) -> Result<Compression, u8> {
        let id = field(self.prop(), 32, 7) as u8;
        Compression::from_id(id).ok_or(id)
    }

    /// Checksum algorithm, or the number when it is unknown. Meaningless when embedded.
    pub fn checksum_kind(&self) -> Result<ChecksumKind, u8> {
        let id = field(self.prop(), 40, 8) as u8;
        ChecksumKind::from_id(id).ok_or(id)
    }

    /// Kind of payload of an embedded pointer.
    pub fn embedded_kind(&self) -> Option<EmbeddedKind> {
        self.is_embedded().then(|| match field(self.prop(), 40, 8) as u8 {
            0 => EmbeddedKind::Data,
            2 => EmbeddedKind::Redacted,
            other => EmbeddedKind::Unknown(other),
        })
    }

    /// Type of the object the block belongs to.
    pub const fn object_type(&self) -> ObjectType {
        ObjectType(field(self.prop(), 48, 8) as u8)
    }

    /// Level in the block tree; 0 is data.
    pub const fn level(&self) -> u8 {
        field(self.prop(), 56, 5) as u8
    }

    /// Whether the block is encrypted or authenticated.
    pub const fn is_protected(&self) -> bool {
        flag(self.prop(), 61)
    }

    /// Whether the contents need a key: level 0 of an encrypted type. Of dnode blocks only the
    /// bonus buffers are encrypted; the rest is readable.
    pub fn is_encrypted(&self) -> bool {
        self.has_iv() && self.object_type() != ObjectType::DNODE
    }

    /// Whether salt and IV stand where the third DVA would, and the fill is a short one.
    fn has_iv(&self) -> bool {
        self.is_protected() && self.level() == 0 && self.object_type().is_encrypted()
    }

    /// Whether the block is in the deduplication table.
    pub const fn is_dedup(&self) -> bool {
        flag(self.prop(), 62)
    }

    /// Byte order of the block behind the pointer.
    pub const fn endian(&self) -> Endian {
        Endian::from_little_bit(flag(self.prop(), 63))
    }

    /// Txg in which the block became part of its object; decides what snapshots hold.
    pub const fn birth(&self) -> Txg {
        Txg(self.words[10])
    }

    /// Txg in which the block was written.
    pub const fn physical_birth(&self) -> Txg {
        match self.is_embedded() || self.words[9] == 0 {
            true => self.birth(),
            false => Txg(self.words[9]),
        }
    }

    /// Blocks or objects below; 1 for data, embedded too.
    pub fn fill(&self) -> u64 {
        match (self.is_embedded(), self.has_iv()) {
            (true, _) => 1,
            (false, true) => field(self.words[11], 0, 32),
            (false, false) => self.words[11],
        }
    }

    /// The checksum the stored bytes must have, as words.
    pub const fn checksum(&self) -> [u64; 4] {
        [self.words[12], self.words[13], self.words[14], self.words[15]]
    }

    /// Payload of an embedded pointer as stored: [`Blkptr::psize`] bytes, perhaps compressed.
    pub fn embedded_payload(&self) -> Option<Vec<u8>> {
        if !self.is_embedded() {
            return None;
        }
        let payload = (0..16).filter(|i| ![6, 10].contains(i));
        let words = payload.filter_map(|i| self.words.get(i));
        let mut bytes: Vec<u8> = words.flat_map(|w| w.to_le_bytes()).collect();
        bytes.truncate(self.psize() as usize);
        Some(bytes)
    }

    /// Whether the pointer obeys the rules OpenZFS holds block pointers against. Holes do.
    /// Vdevs and offsets are held against the pool by the reader, which knows it.
    pub fn validate(&self) -> Result<(), FormatError> {
        let bad =
            |expected, found: u64| Err(FormatError::new("block pointer", 48, expected, found));
        if self.is_hole() {
            return Ok(());
        }
        if !self.object_type().is_valid() {
            return bad("a known object type", self.object_type().0.into());
        }
        if let Err(id) = self.compression() {
            return bad("a compression below 17", id.into());
        }
        if self.is_embedded() {
            return match (self.embedded_kind(), self.psize() <= 112) {
                (Some(EmbeddedKind::Unknown(kind)), _) => {
                    bad("an embedded kind 0 or 2", kind.into())
                }
                (_, false) => bad("at most 112 embedded bytes", self.psize()),
                _ => Ok(()),
            };
        }
        if let Err(id) = self.checksum_kind() {
            return bad("a checksum below 15", id.into());
        }
        if self.lsize() > MAX_BLOCK_SIZE || self.psize() > MAX_BLOCK_SIZE {
            return bad("a block of at most 16 MiB", self.lsize().max(self.psize()));
        }
        if self.dva(0).is_empty() {
            return Err(FormatError::new("block pointer", 0, "a first copy with a size", 0));
        }
        Ok(())
    }

    /// The 512-byte units of `dsize`, before the vdev's deflate ratio is applied.
    pub fn sectors(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.dvas().map(|d| (d.vdev, d.asize >> SECTOR_SHIFT))
    }
}

impl fmt::Display for Blkptr {
    /// `zdb`'s short form: copies, sizes, fill, births and checksum.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_hole() {
            return match self.birth() {
                Txg(0) => f.write_str("HOLE"),
                birth => {
                    write!(f, "HOLE [L{}] size={:x}L birth={birth}L", self.level(), self.lsize())
                }
            };
        }
        if self.is_embedded() {
            let kind = self.embedded_kind().map_or(0, |k| match k {
                EmbeddedKind::Data => 0,
                EmbeddedKind::Redacted => 2,
                EmbeddedKind::Unknown(n) => n,
            });
            return write!(
                f,
                "EMBEDDED et={kind} {:x}L/{:x}P B={}",
                self.lsize(),
                self.psize(),
                self.birth()
            );
        }
        for dva in self.dvas() {
            write!(f, "{dva} ")?;
        }
        write!(
            f,
            "{:x}L/{:x}P F={} B={}/{}",
            self.lsize(),
            self.psize(),
            self.fill(),
            self.birth(),
            self.physical_birth()
        )?;
        let [a, b, c, d] = self.checksum();
        write!(f, " cksum={a:016x}:{b:016x}:{c:016x}:{d:016x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std_alloc::string::ToString;
    use std_alloc::vec;

    fn sample() -> Blkptr {
        let mut words = [0u64; 16];
        words[0] = 3 << 32 | 0x10; // vdev 3, 16 sectors
        words[1] = 0x2000; // offset 0x400000
        words[6] = 255 | 7 << 16 | 15 << 32 | 7 << 40 | 19 << 48 | 1 << 63;
        words[10] = 42;
        words[11] = 1;
        words[12] = 0xAB;
        Blkptr::from_words(words)
    }

    #[test]
    fn fields_stand_where_the_format_says() {
        let bp = sample();
        assert_eq!(bp.dva(0), Dva { vdev: 3, asize: 8192, offset: 0x40_0000, gang: false });
        assert_eq!((bp.lsize(), bp.psize(), bp.level()), (131_072, 4096, 0));
        assert_eq!(bp.compression(), Ok(Compression::Lz4));
        assert_eq!(bp.checksum_kind(), Ok(ChecksumKind::Fletcher4));
        assert_eq!(bp.object_type(), ObjectType::PLAIN_FILE);
        assert_eq!((bp.birth(), bp.physical_birth(), bp.fill()), (Txg(42), Txg(42), 1));
        assert_eq!(bp.dvas().count(), 1);
        assert!(bp.validate().is_ok());
        let text = bp.to_string();
        assert!(text.starts_with("3:400000:2000 20000L/1000P F=1 B=42/42 cksum="), "{text}");
    }

    #[test]
    fn both_orders_give_the_same_pointer() {
        for endian in [Endian::Little, Endian::Big] {
            let bytes = sample().to_bytes(endian);
            assert_eq!(Blkptr::parse(&bytes, endian), Ok(sample()));
        }
        assert!(Blkptr::parse(&[0; 127], Endian::Little).is_err());
    }

    #[test]
    fn an_embedded_payload_skips_words_six_and_ten() {
        let mut words = [0x0807_0605_0403_0201u64; 16];
        words[6] = 99 | 59 << 25 | 1 << 39 | 19 << 48 | 1 << 63; // 100 logical, 60 physical bytes
        words[10] = 7;
        let bp = Blkptr::from_words(words);
        let expect: Vec<u8> = (0..60u8).map(|i| i % 8 + 1).collect();
        assert_eq!(bp.embedded_payload(), Some(expect));
        assert_eq!((bp.lsize(), bp.psize(), bp.asize()), (100, 60, 0));
        assert!(!bp.is_hole() && bp.dvas().next().is_none());
    }

    #[test]
    fn nonsense_is_named() {
        let check = |change: fn(&mut [u64; 16]), expect: &str| {
            let mut words = sample().words;
            change(&mut words);
            let error = Blkptr::from_words(words).validate().unwrap_err().to_string();
            assert!(error.contains(expect), "{error}");
        };
        check(|w| w[6] |= 0x7F << 48, "known object type");
        check(|w| w[6] |= 0x7F << 32, "compression below 17");
        check(|w| w[6] |= 0xFF << 40, "checksum below 15");
        check(|w| w[0] = 3 << 32, "first copy with a size");
        let holes: Vec<_> = Blkptr::parse_all(&vec![0; 300], Endian::Big).collect();
        assert!(holes.len() == 2 && holes.iter().all(Blkptr::is_hole));
    }
}
