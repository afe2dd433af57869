//! Compression by the number that block pointers carry.
//!
//! ```text
//!   lz4    length (u32 BE) | one LZ4 block
//!   zstd   length (u32 BE) | level and version (4) | a frame without its magic
//!   gzip   a zlib stream        lzjb, zle   raw        the rest of the sectors is zeros
//! ```
//!
//! Sources: `module/zfs/zio_compress.c`, `lz4_zfs.c`, `zstd/zfs_zstd.c`.

use super::{CodecError, lzjb};
use core::fmt;
use std_alloc::format;
use std_alloc::vec;
use std_alloc::vec::Vec;

/// Compression algorithms by their number on disk.
#[doc(alias = "zio_compress")]
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Compression {
    Inherit,
    On,
    Off,
    Lzjb,
    Empty,
    /// Level 1 to 9.
    Gzip(u8),
    Zle,
    Lz4,
    Zstd,
}

impl Compression {
    /// The kind with number `id`, 0 to 16.
    pub const fn from_id(id: u8) -> Option<Self> {
        Some(match id {
            0 => Self::Inherit,
            1 => Self::On,
            2 => Self::Off,
            3 => Self::Lzjb,
            4 => Self::Empty,
            5..=13 => Self::Gzip(id - 4),
            14 => Self::Zle,
            15 => Self::Lz4,
            16 => Self::Zstd,
            _ => return None,
        })
    }

    /// Its number.
    pub const fn id(self) -> u8 {
        match self {
            Self::Inherit => 0,
            Self::On => 1,
            Self::Off => 2,
            Self::Lzjb => 3,
            Self::Empty => 4,
            Self::Gzip(level) => level + 4,
            Self::Zle => 14,
            Self::Lz4 => 15,
            Self::Zstd => 16,
        }
    }
}

impl fmt::Display for Compression {
    /// The name in `zdb`'s words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Inherit => "inherit",
            Self::On => "on",
            Self::Off => "uncompressed",
            Self::Lzjb => "lzjb",
            Self::Empty => "empty",
            Self::Gzip(level) => return write!(f, "gzip-{level}"),
            Self::Zle => "zle",
            Self::Lz4 => "lz4",
            Self::Zstd => "zstd",
        })
    }
}

/// Unpacks `src` to exactly `lsize` bytes. The caller bounds `lsize` (16 MiB in a pool).
pub fn decompress(kind: Compression, src: &[u8], lsize: usize) -> Result<Vec<u8>, CodecError> {
    match kind {
        Compression::Off => {
            let bytes = src.get(..lsize);
            let found = src.len();
            bytes.map(<[u8]>::to_vec).ok_or_else(|| wrong_length("uncompressed", lsize, found))
        }
        Compression::Empty => Ok(vec![0; lsize]),
        Compression::Lzjb => lzjb::unpack_lzjb(src, lsize),
        Compression::Zle => lzjb::unpack_zle(src, lsize),
        Compression::Lz4 => into_exact("lz4", lsize, |out| {
            let body = sized_body("lz4", src, 4)?;
            lz4_flex::block::decompress_into(body, out)
                .map_err(|e| CodecError::new(format!("lz4: {e}")))
        }),
        Compression::Gzip(_) => into_exact("gzip", lsize, |out| {
            let input = core::iter::once(src);
            miniz_oxide::inflate::decompress_slice_iter_to_slice(out, input, true, false)
                .map_err(|e| CodecError::new(format!("gzip: {e:?}")))
        }),
        Compression::Zstd => into_exact("zstd", lsize, |out| unpack_zstd(src, out)),
        Compression::Inherit | Compression::On => {
            Err(CodecError::new(format!("compression {kind} is a setting, not an algorithm")))
        }
    }
}

fn wrong_length(name: &str, expected: usize, found: usize) -> CodecError {
    CodecError::new(format!("{name}: {found} bytes where {expected} were expected"))
}

fn into_exact(
    name: &str,
    lsize: usize,
    unpack: impl FnOnce(&mut [u8]) -> Result<usize, CodecError>,
) -> Result<Vec<u8>, CodecError> {
    let mut out = vec![0; lsize];
    match unpack(&mut out)? {
        written if written == lsize => Ok(out),
        written => Err(wrong_length(name, lsize, written)),
    }
}

/// The packed bytes behind a big-endian length and the rest of a header of `header` bytes.
fn sized_body<'a>(name: &str, src: &'a [u8], header: usize) -> Result<&'a [u8], CodecError> {
    let length = src.first_chunk().map_or(u32::MAX, |b| u32::from_be_bytes(*b)) as usize;
    let body = length.checked_add(header).and_then(|end| src.get(header..end));
    body.ok_or_else(|| {
        CodecError::new(format!("{name}: length {length} in a block of {} bytes", src.len()))
    })
}

/// The window is bounded by what a block of this size can need, so that a frame that claims more
/// is refused before memory is taken for it.
fn unpack_zstd(src: &[u8], out: &mut [u8]) -> Result<usize, CodecError> {
    const MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
    const WINDOW_MIN: u64 = 8 << 20;
    let body = sized_body("zstd", src, 8)?;
    let frame = [&MAGIC, body].concat();
    let mut decoder = ruzstd::decoding::FrameDecoder::new();
    decoder.set_max_window_size((out.len() as u64).next_power_of_two().max(WINDOW_MIN));
    decoder.decode_all(&frame, out).map_err(|e| CodecError::new(format!("zstd: {e}")))
}

/// Packs `src` into at most `max` bytes; `None` when it does not fit or the kind is not packed
/// here.
pub fn compress(kind: Compression, src: &[u8], max: usize) -> Option<Vec<u8>> {
    let sized = |body: Vec<u8>| {
        let length = u32::try_from(body.len()).ok()?;
        Some([&length.to_be_bytes(), body.as_slice()].concat())
    };
    let packed = match kind {
        Compression::Lz4 => sized(lz4_flex::block::compress(src))?,
        Compression::Lzjb => lzjb::pack_lzjb(src),
        Compression::Zle => lzjb::pack_zle(src),
        Compression::Gzip(level) => miniz_oxide::deflate::compress_to_vec_zlib(src, level),
        Compression::Zstd => {
            use ruzstd::encoding::{CompressionLevel, compress_to_vec};
            let frame = compress_to_vec(src, CompressionLevel::Fastest);
            let body = frame.get(4..)?;
            let length = u32::try_from(body.len()).ok()?.to_be_bytes();
            // Level 1, version 1.4.5, as little-endian hosts store them.
            [length.as_slice(), &[1, 0x00, 0x28, 0xA5], body].concat()
        }
        _ => return None,
    };
    (packed.len() <= max).then_some(packed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Prng;

    const KINDS: [Compression; 5] = [
        Compression::Lzjb,
        Compression::Gzip(6),
        Compression::Zle,
        Compression::Lz4,
        Compression::Zstd,
    ];

    fn sample(seed: u64, len: usize) -> Vec<u8> {
        let mut rng = Prng::new(seed);
        let mut out = Vec::new();
        while out.len() < len {
            match rng.below(3) {
                0 => out.resize(out.len() + rng.below(300) as usize, 0),
                1 => out.extend((0..rng.below(40)).map(|i| i as u8)),
                _ => out.push(rng.next_u64() as u8),
            }
        }
        out.truncate(len);
        out
    }

    #[test]
    fn what_is_packed_unpacks() {
        for kind in KINDS {
            for len in [512, 4096, 131_072] {
                let data = sample(len as u64, len);
                let mut packed = compress(kind, &data, usize::MAX).unwrap();
                packed.resize(packed.len().next_multiple_of(512), 0);
                if matches!(kind, Compression::Zstd | Compression::Lz4) {
                    assert!(decompress(kind, &packed, len + 1).is_err(), "{kind}");
                }
                assert_eq!(decompress(kind, &packed, len), Ok(data), "{kind} {len}");
            }
        }
    }

    /// Packed by hand from the definitions, not by our own packers.
    #[test]
    fn known_bytes_unpack() {
        let check = |kind, packed: &[u8], expect: &[u8]| {
            let padded = [packed, &[0; 300]].concat();
            assert_eq!(decompress(kind, &padded, expect.len()).as_deref(), Ok(expect), "{kind}");
        };
        let hello = b"abcabcabchello";
        check(Compression::Off, hello, hello);
        // Three literals, then length 6 at distance 3, then five literals.
        check(Compression::Lzjb, b"\x08abc\x0C\x03hell\0o", hello);
        check(Compression::Lz4, b"\0\0\0\x0C\x32abc\x03\0\x50hello", hello);
        // Three literals, ten zeros, one literal.
        check(Compression::Zle, b"\x02abc\x49\0d", b"abc\0\0\0\0\0\0\0\0\0\0d");
        // One stored block.
        let zlib = b"\x78\x01\x01\x03\x00\xFC\xFFabc\x02\x4D\x01\x27";
        check(Compression::Gzip(9), zlib, b"abc");
        // A frame of one segment: a raw block and a run.
        let zstd = b"\0\0\0\x0C\x03\x05\x28\xA5\x20\x0D\x18\0\0abc\x53\0\0z";
        check(Compression::Zstd, zstd, b"abczzzzzzzzzz");
        check(Compression::Empty, b"", &[0; 512]);
    }

    #[test]
    fn settings_are_no_algorithms() {
        for kind in [Compression::Inherit, Compression::On] {
            assert!(decompress(kind, &[0; 512], 512).is_err());
            assert_eq!(compress(kind, &[0; 512], 512), None);
        }
        assert!(decompress(Compression::Off, &[0; 511], 512).is_err());
        assert_eq!(compress(Compression::Lz4, &[1, 2, 3, 4], 3), None);
    }

    /// Every truncation, damage and noise: an error or the exact length.
    #[test]
    fn damaged_input_never_panics() {
        const LEN: usize = 4096;
        let data = sample(9, LEN);
        let mut rng = Prng::new(10);
        let check = |kind, packed: &[u8]| {
            let Ok(out) = decompress(kind, packed, LEN) else {
                return false;
            };
            assert_eq!(out.len(), LEN, "{kind}");
            true
        };
        for kind in KINDS {
            let packed = compress(kind, &data, usize::MAX).unwrap();
            for cut in 0..packed.len() {
                assert!(!check(kind, &packed[..cut]), "{kind} cut to {cut}");
            }
            for _ in 0..10_000 {
                let mut bad = packed.clone();
                let at = rng.below(bad.len() as u64) as usize;
                bad[at] ^= 1 << rng.below(8);
                check(kind, &bad);
                let noise: Vec<u8> = (0..rng.below(200)).map(|_| rng.next_u64() as u8).collect();
                check(kind, &noise);
                // Noise behind a sound length reaches further.
                let body = noise.len().saturating_sub(8) as u32;
                check(kind, &[&body.to_be_bytes(), noise.as_slice()].concat());
            }
        }
    }

    /// A frame that asks for a window of 2 GiB is refused before memory is taken.
    #[test]
    fn a_zstd_window_is_bounded() {
        let packed = b"\0\0\0\x08\x03\x05\x28\xA5\x00\xA8\x19\0\0abc";
        let error = decompress(Compression::Zstd, packed, 3).unwrap_err();
        assert!(format!("{error}").contains("indow"), "{error}");
    }

    #[test]
    fn numbers_go_both_ways() {
        assert!((0..=16).all(|id| Compression::from_id(id).is_some_and(|k| k.id() == id)));
        assert_eq!(Compression::from_id(17), None);
    }
}
