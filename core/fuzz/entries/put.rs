//! Puts numbers into bytes, for seeds.

use tidepool::base::Endian;

/// Bytes with a byte order.
pub(crate) struct Put {
    pub(crate) bytes: Vec<u8>,
    pub(crate) endian: Endian,
}

impl Put {
    /// `len` zeros.
    pub(crate) fn zeros(len: usize, endian: Endian) -> Self {
        let bytes = vec![0; len];
        Self { bytes, endian }
    }

    /// Bytes as they are.
    pub(crate) fn at(&mut self, at: usize, bytes: &[u8]) -> &mut Self {
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        self
    }

    pub(crate) fn u16(&mut self, at: usize, v: u16) -> &mut Self {
        let bytes = match self.endian {
            Endian::Little => v.to_le_bytes(),
            Endian::Big => v.to_be_bytes(),
        };
        self.at(at, &bytes)
    }

    pub(crate) fn u32(&mut self, at: usize, v: u32) -> &mut Self {
        let bytes = match self.endian {
            Endian::Little => v.to_le_bytes(),
            Endian::Big => v.to_be_bytes(),
        };
        self.at(at, &bytes)
    }

    pub(crate) fn u64(&mut self, at: usize, v: u64) -> &mut Self {
        self.at(at, &self.endian.bytes_u64(v))
    }

    /// Words one after another.
    pub(crate) fn words(&mut self, at: usize, words: &[u64]) -> &mut Self {
        for (i, &word) in words.iter().enumerate() {
            self.u64(at + 8 * i, word);
        }
        self
    }
}

/// The byte order by a flag byte of the input.
pub(crate) fn endian(flags: u8) -> Endian {
    Endian::from_little_bit(flags & 1 == 0)
}

/// One dnode of 512 bytes: type, levels, block size, last block, pointers, bonus type and bonus.
pub(crate) struct Shape<'a> {
    pub(crate) kind: u8,
    pub(crate) levels: u8,
    pub(crate) block_size: u64,
    pub(crate) max_block: u64,
    pub(crate) pointers: &'a [[u64; 16]],
    pub(crate) bonus_kind: u8,
    pub(crate) bonus: &'a [u8],
}

/// The dnode of `shape`.
pub(crate) fn dnode(shape: &Shape<'_>, endian: Endian) -> Vec<u8> {
    let mut out = Put::zeros(512, endian);
    let count = shape.pointers.len().max(1);
    let head = [shape.kind, 10, shape.levels, count as u8, shape.bonus_kind, 0, 0, 1];
    out.at(0, &head).u16(8, (shape.block_size >> 9) as u16);
    out.u16(10, shape.bonus.len() as u16).u64(16, shape.max_block);
    for (i, words) in shape.pointers.iter().enumerate() {
        out.words(64 + 128 * i, words);
    }
    out.at(64 + 128 * count, shape.bonus);
    out.bytes
}

/// A pointer to `size` stored bytes at DVA offset `offset` of vdev 0, without checksum and
/// compression, so that damage behind it is not caught by a sum.
pub(crate) fn pointer(kind: u8, level: u8, offset: u64, size: u64, endian: Endian) -> [u64; 16] {
    let sectors = size >> 9;
    let mut words = [0; 16];
    words[0] = sectors;
    words[1] = offset >> 9;
    let order = u64::from(endian == Endian::Little) << 63;
    words[6] = (sectors - 1) | (sectors - 1) << 16 | 2 << 32 | 2 << 40;
    words[6] |= u64::from(kind) << 48 | u64::from(level) << 56 | order;
    words[10] = 4;
    words[11] = 1;
    words
}
