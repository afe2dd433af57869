//! A bounded reader over untrusted bytes. Every read says what it wanted when it fails.

use super::{Endian, FormatError};

/// Position in a byte slice. No read passes the end; a failed read moves nothing.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    what: &'static str,
    endian: Endian,
}

impl<'a> Cursor<'a> {
    /// Reads `bytes`, which hold a `what`, in byte order `endian`.
    pub const fn new(what: &'static str, bytes: &'a [u8], endian: Endian) -> Self {
        Self { bytes, at: 0, what, endian }
    }

    /// Bytes read so far.
    pub const fn position(&self) -> usize {
        self.at
    }

    /// Bytes left.
    pub const fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next `len` bytes.
    pub fn take(&mut self, len: usize) -> Result<&'a [u8], FormatError> {
        let end = self.at.checked_add(len).filter(|&end| end <= self.bytes.len());
        let taken = end.and_then(|end| Some((end, self.bytes.get(self.at..end)?)));
        let Some((end, taken)) = taken else {
            return Err(FormatError::short(self.what, self.at, len, self.remaining()));
        };
        self.at = end;
        Ok(taken)
    }

    /// Passes over `len` bytes.
    pub fn skip(&mut self, len: usize) -> Result<(), FormatError> {
        self.take(len).map(drop)
    }

    /// Passes over the bytes up to the next multiple of `align`, counted from the start.
    pub fn align(&mut self, align: usize) -> Result<(), FormatError> {
        self.skip(self.at.next_multiple_of(align) - self.at)
    }

    /// The next `N` bytes.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], FormatError> {
        let (what, at, left) = (self.what, self.at, self.remaining());
        self.take(N)?.try_into().map_err(|_| FormatError::short(what, at, N, left))
    }

    /// The next byte.
    pub fn u8(&mut self) -> Result<u8, FormatError> {
        Ok(u8::from_be_bytes(self.array()?))
    }

    /// The next two bytes as a number.
    pub fn u16(&mut self) -> Result<u16, FormatError> {
        Ok(self.endian.u16(self.array()?))
    }

    /// The next four bytes as a number.
    pub fn u32(&mut self) -> Result<u32, FormatError> {
        Ok(self.endian.u32(self.array()?))
    }

    /// The next eight bytes as a number.
    pub fn u64(&mut self) -> Result<u64, FormatError> {
        Ok(self.endian.u64(self.array()?))
    }

    /// An error about the bytes at the current position.
    pub fn bad(&self, expected: &str, found: impl core::fmt::Display) -> FormatError {
        FormatError::new(self.what, self.at, expected, found)
    }
}
