//! Floor 1: checksums, compression and the field behind raidz. (Names only; the bodies follow.)
use crate::base::Endian;
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ChecksumKind {
    Fletcher4,
    Zilog,
    Zilog2,
}
#[allow(missing_docs)]
impl ChecksumKind {
    pub fn from_id(id: u8) -> Option<Self> {
        match id {
            7 => Some(Self::Fletcher4),
            5 => Some(Self::Zilog),
            9 => Some(Self::Zilog2),
            _ => None,
        }
    }
    pub fn name(self) -> &'static str {
        "x"
    }
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Compression {
    Lz4,
}
#[allow(missing_docs)]
impl Compression {
    pub fn from_id(id: u8) -> Option<Self> {
        match id {
            15 => Some(Self::Lz4),
            _ => None,
        }
    }
}
#[allow(missing_docs)]
#[derive(Debug)]
pub struct EmbeddedMismatch {
    pub expected: [u64; 4],
    pub found: [u64; 4],
}
#[allow(missing_docs)]
pub fn verify_embedded(_a: &[u8], _v: [u64; 4]) -> Result<Endian, EmbeddedMismatch> {
    Ok(Endian::Little)
}
#[allow(missing_docs)]
pub fn fletcher2(_e: Endian, _d: &[u8]) -> [u64; 4] {
    [0; 4]
}
#[allow(missing_docs)]
pub fn fletcher4(_e: Endian, _d: &[u8]) -> [u64; 4] {
    [0; 4]
}
