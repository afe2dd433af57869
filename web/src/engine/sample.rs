//! Built-in samples: gzip files, unpacked into memory so that the zeros of an image are never held.
//!
//! ```text
//!   gzip( image )                                                          chunk by chunk
//!   gzip( "TIDEPOOL-SPARSE\n", size u64, { offset u64, length u64, bytes }* )   little-endian
//! ```
//!
//! The second form is what `web/samples/pack.mjs` writes.

use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZFlush, MZStatus};
use tidepool::dev::SparseImage;

/// Chunk unpacked at a time.
const CHUNK: usize = 64 << 10;

/// Largest image unpacked.
const MAX_IMAGE: u64 = 16 << 30;

/// Largest sparse file.
const MAX_SPARSE: u64 = 1 << 30;

/// First bytes of a sparse file.
const SPARSE: &[u8] = b"TIDEPOOL-SPARSE\n";

/// The image inside a gzip file; other bytes are taken as unpacked already (a server may have done
/// that on the way).
pub fn unpack(bytes: &[u8]) -> Result<SparseImage, String> {
    if bytes.starts_with(SPARSE) {
        return unfold(bytes);
    }
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(SparseImage::from_bytes(bytes));
    }
    let body = skip_header(bytes).ok_or("the gzip header is cut short")?;
    let (body, trailer) = body.split_at(body.len().saturating_sub(8));
    // The trailer says the length modulo 2^32.
    let length = trailer.get(4..8).and_then(|b| b.try_into().ok()).map_or(0, u32::from_le_bytes);
    let mut chunks: Vec<(u64, Vec<u8>)> = Vec::new();
    let size = inflate_chunks(body, &mut |at, chunk| {
        if chunk.iter().any(|&b| b != 0) {
            chunks.push((at, chunk.to_vec()));
        }
    })?;
    if size as u32 != length {
        return Err(format!("the gzip trailer says {length} bytes, found {size}"));
    }
    let mut image = SparseImage::new(size);
    for (at, chunk) in &chunks {
        image.write(*at, chunk);
    }
    let head = image.read(0, SPARSE.len() as u32);
    match head.as_deref() == Some(SPARSE) && size < MAX_SPARSE {
        true => unfold(&image.read(0, size as u32).unwrap_or_default()),
        false => Ok(image),
    }
}

/// The image of a sparse file.
fn unfold(bytes: &[u8]) -> Result<SparseImage, String> {
    let short = || "the sparse image is cut short".to_string();
    let mut rest = bytes.get(SPARSE.len()..).unwrap_or_default();
    let word = |rest: &mut &[u8]| {
        let (head, tail) = rest.split_first_chunk::<8>()?;
        *rest = tail;
        Some(u64::from_le_bytes(*head))
    };
    let size = word(&mut rest).ok_or_else(short)?;
    if size > MAX_IMAGE {
        return Err("the image is larger than 16 GiB".into());
    }
    let mut image = SparseImage::new(size);
    while !rest.is_empty() {
        let offset = word(&mut rest).ok_or_else(short)?;
        let length = word(&mut rest).ok_or_else(short)?;
        let length = usize::try_from(length).map_err(|_| short())?;
        let extent = rest.get(..length).ok_or_else(short)?;
        rest = rest.get(length..).unwrap_or_default();
        let end = offset.checked_add(length as u64);
        if end.is_none_or(|end| end > size) {
            return Err(format!("an extent at {offset} passes the end at {size}"));
        }
        image.write(offset, extent);
    }
    Ok(image)
}

/// Calls `take` with each chunk and its place; answers the length in all.
fn inflate_chunks(body: &[u8], take: &mut dyn FnMut(u64, &[u8])) -> Result<u64, String> {
    let mut state = InflateState::new_boxed(DataFormat::Raw);
    let mut chunk = vec![0; CHUNK];
    let (mut input, mut filled, mut size) = (body, 0usize, 0u64);
    loop {
        let result = inflate(&mut state, input, &mut chunk[filled..], MZFlush::None);
        input = input.get(result.bytes_consumed..).unwrap_or_default();
        filled += result.bytes_written;
        let ended = match result.status {
            Ok(MZStatus::StreamEnd) => true,
            Ok(_) if result.bytes_written > 0 || result.bytes_consumed > 0 => false,
            _ => return Err(format!("the gzip data are damaged near byte {size}")),
        };
        if filled == CHUNK || ended {
            take(size, &chunk[..filled]);
            size += filled as u64;
            filled = 0;
        }
        if ended {
            return Ok(size);
        }
        if size > MAX_IMAGE {
            return Err("the image is larger than 16 GiB".into());
        }
    }
}

/// What follows the gzip header and its optional fields.
fn skip_header(bytes: &[u8]) -> Option<&[u8]> {
    let (crc, extra, name, comment) = (2, 4, 8, 16);
    let flags = *bytes.get(3)?;
    let mut rest = bytes.get(10..)?;
    if flags & extra != 0 {
        let len = u16::from_le_bytes(rest.get(..2)?.try_into().ok()?);
        rest = rest.get(2 + usize::from(len)..)?;
    }
    for flag in [name, comment] {
        if flags & flag != 0 {
            let end = rest.iter().position(|&b| b == 0)?;
            rest = rest.get(end + 1..)?;
        }
    }
    if flags & crc != 0 {
        rest = rest.get(2..)?;
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gzip(data: &[u8]) -> Vec<u8> {
        let mut out = vec![0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3];
        out.extend_from_slice(b"name\0");
        out.extend(miniz_oxide::deflate::compress_to_vec(data, 6));
        out.extend([0; 4]);
        out.extend((data.len() as u32).to_le_bytes());
        out
    }

    #[test]
    fn an_image_comes_back_without_its_zeros() {
        let mut data = vec![0; 300_000];
        data[70_000..70_005].copy_from_slice(b"hello");
        data[299_999] = 7;
        let image = unpack(&gzip(&data)).unwrap();
        assert_eq!(image.size(), 300_000);
        assert_eq!(image.read(0, 300_000).unwrap(), data);
        assert_eq!(image.resident(), 2 * CHUNK as u64);
    }

    #[test]
    fn an_image_that_is_not_packed_is_taken_as_it_is() {
        assert_eq!(unpack(b"abc").unwrap().read(0, 3).unwrap(), b"abc");
    }

    #[test]
    fn a_sparse_file_unfolds_and_its_damage_is_an_error() {
        let mut file = SPARSE.to_vec();
        for word in [1u64 << 20, 70_000, 3] {
            file.extend(word.to_le_bytes());
        }
        file.extend(b"abc");
        let image = unpack(&gzip(&file)).unwrap();
        assert_eq!(image.size(), 1 << 20);
        assert_eq!(image.read(69_999, 5).unwrap(), b"\0abc\0");
        for cut in SPARSE.len()..file.len() {
            // A file of nothing but its size is an empty image.
            assert_eq!(unpack(&file[..cut]).is_ok(), cut == SPARSE.len() + 8, "cut at {cut}");
        }
        let mut past = file.clone();
        past[24..32].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(unpack(&past).is_err());
    }

    #[test]
    fn damage_is_an_error() {
        let good = gzip(&[5; 1000]);
        for cut in 2..good.len() {
            assert!(unpack(&good[..cut]).is_err(), "cut at {cut}");
        }
    }
}
