//! A sparse byte image that is cheap to copy: chunks are shared until written.

use std_alloc::collections::BTreeMap;
use std_alloc::rc::Rc;
use std_alloc::vec;
use std_alloc::vec::Vec;

const CHUNK: u64 = 64 << 10;

/// Bytes of a device in memory. Unwritten chunks read as zeros and take no memory; a clone shares
/// all chunks, so a snapshot costs one map.
#[derive(Clone, Debug, Default)]
pub struct SparseImage {
    size: u64,
    chunks: BTreeMap<u64, Rc<Vec<u8>>>,
}

impl SparseImage {
    /// An image of `size` zero bytes.
    pub fn new(size: u64) -> Self {
        Self { size, chunks: BTreeMap::new() }
    }

    /// An image that holds `bytes`; all-zero chunks are left out.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut image = Self::new(bytes.len() as u64);
        for (index, chunk) in (0u64..).zip(bytes.chunks(CHUNK as usize)) {
            if chunk.iter().any(|&b| b != 0) {
                image.write(index * CHUNK, chunk);
            }
        }
        image
    }

    /// Bytes of the image.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Bytes held in memory.
    pub fn resident(&self) -> u64 {
        self.chunks.len() as u64 * CHUNK
    }

    /// `len` bytes from `off`, or `None` past the end.
    pub fn read(&self, off: u64, len: u32) -> Option<Vec<u8>> {
        off.checked_add(u64::from(len)).filter(|&end| end <= self.size)?;
        let mut out = vec![0; len as usize];
        let mut at = 0usize;
        while at < out.len() {
            let pos = off + at as u64;
            let within = (pos % CHUNK) as usize;
            let count = (out.len() - at).min(CHUNK as usize - within);
            if let Some(chunk) = self.chunks.get(&(pos / CHUNK)) {
                out[at..at + count].copy_from_slice(&chunk[within..within + count]);
            }
            at += count;
        }
        Some(out)
    }

    /// Stores `bytes` at `off`.
    ///
    /// # Panics
    /// When the range passes the end of the image.
    pub fn write(&mut self, off: u64, bytes: &[u8]) {
        let end = off.checked_add(bytes.len() as u64);
        assert!(end.is_some_and(|end| end <= self.size), "write past the end of an image");
        let mut at = 0usize;
        while at < bytes.len() {
            let pos = off + at as u64;
            let within = (pos % CHUNK) as usize;
            let count = (bytes.len() - at).min(CHUNK as usize - within);
            let chunk =
                self.chunks.entry(pos / CHUNK).or_insert_with(|| Rc::new(vec![0; CHUNK as usize]));
            Rc::make_mut(chunk)[within..within + count].copy_from_slice(&bytes[at..at + count]);
            at += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_keeps_what_it_had() {
        let mut image = SparseImage::new(1 << 20);
        image.write(CHUNK - 2, b"abcd");
        let old = image.clone();
        image.write(CHUNK, b"XY");
        assert_eq!(old.read(CHUNK - 2, 4).unwrap(), b"abcd");
        assert_eq!(image.read(CHUNK - 2, 4).unwrap(), b"abXY");
        assert_eq!(image.resident(), 2 * CHUNK);
        assert_eq!(image.read(1 << 20, 1), None);
    }
}
