//! A local file of the browser, read slice by slice as needed.
//!
//! Small reads are served from aligned chunks, of which a few are kept, since each call into the
//! browser costs tens of microseconds; large reads go straight through. An image of many gigabytes
//! costs no more memory than the chunks.

use super::media::Media;
use std::collections::VecDeque;
use tidepool::rt::DevError;
use web_sys::{File, FileReaderSync};

const CHUNK: u64 = 64 << 10;
const CHUNKS: usize = 128;

/// A file and its recent chunks, most recent last.
pub struct FileMedia {
    file: File,
    size: u64,
    reader: FileReaderSync,
    recent: VecDeque<(u64, Vec<u8>)>,
}

impl FileMedia {
    /// Opens `file`; only a worker may.
    pub fn new(file: File) -> Result<Self, wasm_bindgen::JsValue> {
        // Sizes are exact to 2^53 bytes.
        let size = file.size() as u64;
        Ok(Self { file, size, reader: FileReaderSync::new()?, recent: VecDeque::new() })
    }

    fn slice(&self, from: u64, to: u64) -> Result<Vec<u8>, DevError> {
        let bytes = self
            .file
            .slice_with_f64_and_f64(from as f64, to as f64)
            .and_then(|blob| self.reader.read_as_array_buffer(&blob))
            .map_err(|_| DevError::Io)?;
        Ok(js_sys::Uint8Array::new(&bytes).to_vec())
    }

    fn chunk(&mut self, index: u64) -> Result<&[u8], DevError> {
        if let Some(at) = self.recent.iter().position(|(i, _)| *i == index) {
            if let Some(hit) = self.recent.remove(at) {
                self.recent.push_back(hit);
            }
        } else {
            let from = index * CHUNK;
            let bytes = self.slice(from, (from + CHUNK).min(self.size))?;
            if self.recent.len() == CHUNKS {
                self.recent.pop_front();
            }
            self.recent.push_back((index, bytes));
        }
        self.recent.back().map(|(_, bytes)| bytes.as_slice()).ok_or(DevError::Io)
    }
}

impl Media for FileMedia {
    fn size(&self) -> u64 {
        self.size
    }

    fn read(&mut self, off: u64, len: u32) -> Result<Vec<u8>, DevError> {
        let end = off
            .checked_add(u64::from(len))
            .filter(|&end| end <= self.size)
            .ok_or(DevError::OutOfRange)?;
        let mut out = Vec::with_capacity(len as usize);
        if u64::from(len) >= CHUNK {
            out = self.slice(off, end)?;
        } else {
            let mut at = off;
            while at < end {
                let from = (at % CHUNK) as usize;
                let count = (end - at).min(CHUNK - at % CHUNK) as usize;
                let chunk = self.chunk(at / CHUNK)?;
                out.extend_from_slice(chunk.get(from..from + count).ok_or(DevError::Io)?);
                at += count as u64;
            }
        }
        // A file that shrank since it was picked gives less than asked for.
        (out.len() == len as usize).then_some(out).ok_or(DevError::Io)
    }
}
