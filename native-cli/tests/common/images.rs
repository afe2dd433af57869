//! The real pool images: bzip2 files (and one tar.gz) of the shared folder, unpacked once.

use super::shared;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const CHUNK: usize = 64 << 10;

/// A folder that holds the members of one pool under their archive names, or why there is none.
pub fn unpacked(members: &[&str]) -> Result<PathBuf, String> {
    let source = shared("images").ok_or("the folder of images is not there")?;
    let first = members.first().copied().unwrap_or_default();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("images").join(first);
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    for member in members {
        let target = folder.join(member);
        if !target.exists() {
            unpack(&source, member, &target).map_err(|e| format!("{member}: {e}"))?;
        }
    }
    Ok(folder)
}

/// Unpacks under another name first, so that a test beside this one never sees half a file.
fn unpack(source: &Path, member: &str, target: &Path) -> std::io::Result<()> {
    let thread = format!("{:?}", std::thread::current().id());
    let name = format!(".{member}.{}.{thread}", std::process::id());
    let part = target.with_file_name(name);
    let open = |suffix: &str| File::open(source.join(format!("{member}{suffix}")));
    if let Ok(file) = open(".tar.gz") {
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(file));
        for entry in archive.entries()?.take(1) {
            write_sparse(entry?, &part)?;
        }
    } else {
        let file = open(".dat.bz2").or_else(|_| open(".bz2"))?;
        write_sparse(bzip2::read::BzDecoder::new(BufReader::new(file)), &part)?;
    }
    std::fs::rename(part, target)
}

/// Writes all bytes, leaving holes where they are zero.
fn write_sparse(mut from: impl Read, path: &Path) -> std::io::Result<()> {
    let mut file = File::create(path)?;
    let mut chunk = vec![0; CHUNK];
    let mut size = 0;
    loop {
        let mut filled = 0;
        while filled < CHUNK {
            match from.read(&mut chunk[filled..])? {
                0 => break,
                n => filled += n,
            }
        }
        if filled == 0 {
            return file.set_len(size);
        }
        if chunk[..filled].iter().any(|&b| b != 0) {
            file.seek(SeekFrom::Start(size))?;
            file.write_all(&chunk[..filled])?;
        }
        size += filled as u64;
    }
}

/// An empty scratch folder of that name.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scratch").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder below the target folder can be made");
    folder
}
