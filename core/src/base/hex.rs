//! Bytes for people.

use core::fmt::{self, Write};
use std_alloc::string::String;

/// `bytes` as lower-case hexadecimal digits without separators.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, b| {
        let _ = write!(text, "{b:02x}");
        text
    })
}

/// Displays bytes as the classic dump: offset, sixteen bytes, their printable characters.
pub struct HexDump<'a>(pub &'a [u8]);

impl fmt::Display for HexDump<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (row, bytes) in self.0.chunks(16).enumerate() {
            write!(f, "{:08x} ", row * 16)?;
            for b in bytes {
                write!(f, " {b:02x}")?;
            }
            for _ in bytes.len()..16 {
                f.write_str("   ")?;
            }
            f.write_str("  ")?;
            for &b in bytes {
                f.write_char(if (0x20..0x7F).contains(&b) { char::from(b) } else { '.' })?;
            }
            f.write_char('\n')?;
        }
        Ok(())
    }
}
