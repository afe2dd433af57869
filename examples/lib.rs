//! Examples live beside this file; each is a program of its own. This library gives them a pool
//! to work on when the user names none: the sample that the playground opens, three members of a
//! raidz made by OpenZFS's own code, kept as gzip files in `web/static/samples`.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A folder with the members of the sample pool; it goes away when this is dropped.
pub struct SamplePool(PathBuf);

impl SamplePool {
    /// Unpacks the sample, or says why it cannot.
    pub fn unpack() -> Result<Self, String> {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/static/samples");
        let folder = std::env::temp_dir().join(format!("tidepool-sample-{}", std::process::id()));
        let fail = |e: std::io::Error| e.to_string();
        std::fs::create_dir_all(&folder).map_err(fail)?;
        let pool = Self(folder);
        let mut members = 0;
        for entry in std::fs::read_dir(samples).map_err(fail)? {
            let path = entry.map_err(fail)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if let Some(name) = name.strip_suffix(".img.gz") {
                let bytes = gunzip(&std::fs::read(&path).map_err(fail)?)?;
                if !bytes.len().is_multiple_of(256 << 10) {
                    return Err("the samples are packed in the page's own form".into());
                }
                write_sparse(&pool.0.join(name), &bytes).map_err(fail)?;
                members += 1;
            }
        }
        match members {
            0 => Err("no sample pool in web/static/samples".into()),
            _ => Ok(pool),
        }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.0
    }
}

impl Drop for SamplePool {
    fn drop(&mut self) {
        // A folder that stays behind in the system's temporary files does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The contents of a gzip file: a head of ten bytes, perhaps a name, deflated bytes, a tail of
/// eight.
fn gunzip(file: &[u8]) -> Result<Vec<u8>, String> {
    let bad = || "a sample is no plain gzip file".to_owned();
    let (head, body) = file.split_at_checked(10).ok_or_else(bad)?;
    let body = match (&head[..3], head[3]) {
        ([0x1f, 0x8b, 8], 0) => body,
        ([0x1f, 0x8b, 8], 8) => {
            let end = body.iter().position(|&b| b == 0).ok_or_else(bad)?;
            &body[end + 1..]
        }
        _ => return Err(bad()),
    };
    miniz_oxide::inflate::decompress_to_vec(body).map_err(|e| e.to_string())
}

/// Writes `bytes` and leaves holes where they are zero.
fn write_sparse(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = File::create(path)?;
    for chunk in bytes.chunks(64 << 10) {
        match chunk.iter().any(|&b| b != 0) {
            true => file.write_all(chunk)?,
            false => drop(file.seek(SeekFrom::Current(chunk.len() as i64))?),
        }
    }
    file.set_len(bytes.len() as u64)
}
