//! Byte order as data: every block and label carries the order of its writer.

/// Byte order of one block, label or stream record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Endian {
    /// Least significant byte first (x86, arm64).
    Little,
    /// Most significant byte first (SPARC, old POWER).
    Big,
}

impl Endian {
    /// `true` is little, as in bit 63 of a block pointer's property word.
    pub const fn from_little_bit(little: bool) -> Self {
        if little { Self::Little } else { Self::Big }
    }

    /// The other order.
    pub const fn swapped(self) -> Self {
        match self {
            Self::Little => Self::Big,
            Self::Big => Self::Little,
        }
    }

    /// Decodes two bytes.
    pub const fn u16(self, b: [u8; 2]) -> u16 {
        match self {
            Self::Little => u16::from_le_bytes(b),
            Self::Big => u16::from_be_bytes(b),
        }
    }

    /// Decodes four bytes.
    pub const fn u32(self, b: [u8; 4]) -> u32 {
        match self {
            Self::Little => u32::from_le_bytes(b),
            Self::Big => u32::from_be_bytes(b),
        }
    }

    /// Decodes eight bytes.
    pub const fn u64(self, b: [u8; 8]) -> u64 {
        match self {
            Self::Little => u64::from_le_bytes(b),
            Self::Big => u64::from_be_bytes(b),
        }
    }

    /// Encodes a 64-bit word.
    pub const fn bytes_u64(self, v: u64) -> [u8; 8] {
        match self {
            Self::Little => v.to_le_bytes(),
            Self::Big => v.to_be_bytes(),
        }
    }

    /// The word at byte `at` of `bytes`, or `None` past the end.
    pub fn u64_at(self, bytes: &[u8], at: usize) -> Option<u64> {
        let end = at.checked_add(8)?;
        Some(self.u64(bytes.get(at..end)?.try_into().ok()?))
    }

    /// The 32-bit word at byte `at` of `bytes`, or `None` past the end.
    pub fn u32_at(self, bytes: &[u8], at: usize) -> Option<u32> {
        let end = at.checked_add(4)?;
        Some(self.u32(bytes.get(at..end)?.try_into().ok()?))
    }

    /// The 16-bit word at byte `at` of `bytes`, or `None` past the end.
    pub fn u16_at(self, bytes: &[u8], at: usize) -> Option<u16> {
        let end = at.checked_add(2)?;
        Some(self.u16(bytes.get(at..end)?.try_into().ok()?))
    }

    /// All whole 64-bit words of `bytes`, in order; a rest of less than eight bytes is left out.
    pub fn words(self, bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
        bytes.as_chunks::<8>().0.iter().map(move |c| self.u64(*c))
    }
}
