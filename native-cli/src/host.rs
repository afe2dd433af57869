//! Paths to devices: files, block devices and folders of them, opened for reading only.

use crate::driver::{NativeDriver, ReadFailures};
use std::collections::BTreeSet;
use std::fs::{File, Metadata};
use std::io::{Seek, SeekFrom};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use tidepool::base::{PoolError, PoolErrorKind, Result};
use tidepool::dev::Device;
use tidepool::rt::{DevId, Rt};

/// Names the folder that is searched when no path is given.
pub const PATH_VARIABLE: &str = "TIDEPOOL_PATH";

/// Smaller files of a folder are passed over: they cannot hold a label at each end. A file that is
/// named by its own path is always opened.
const SMALLEST_DEVICE: u64 = 512 << 10;

/// Devices that were opened, and the executor that reads them.
pub struct Host {
    /// The executor over the native driver.
    pub rt: Rt,
    /// The devices, in the order of the paths; those of a folder by name.
    pub devices: Vec<Device>,
    /// Reads that the operating system refused, with its reason.
    pub failures: ReadFailures,
    /// Files of searched folders that could not be opened, with the reason.
    pub passed_over: Vec<String>,
}

impl Host {
    /// Failed reads in words, one a line, the device by its path.
    pub fn read_failures(&self) -> Vec<String> {
        let name = |id: DevId| {
            let device = self.devices.iter().find(|d| d.id() == id);
            device.map_or("unknown device", Device::name)
        };
        let failures = self.failures.get();
        let lines = failures.iter().map(|f| {
            let (path, len, off) = (name(f.device), f.len, f.offset);
            format!("{path}: reading {len} bytes at byte {off}: {}", f.reason)
        });
        lines.collect()
    }
}

/// One file or block device, opened for reading only.
#[derive(Debug)]
pub struct OpenFile {
    /// The path it was found at.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// The open file.
    pub file: File,
}

/// Opens the files and block devices behind `paths`, never for writing, and tells in words what
/// was passed over. A folder stands for the regular files and block devices in it, not for its
/// subfolders. A device that two paths lead to is opened once.
///
/// # Errors
/// A path that cannot be read, named with the operating system's reason.
pub fn open_files(paths: &[PathBuf]) -> Result<(Vec<OpenFile>, Vec<String>)> {
    let mut opened = Opened::default();
    for path in paths {
        opened.add(path)?;
    }
    Ok((opened.files, opened.passed_over))
}

/// Opens the devices behind `paths` as [`open_files`] does, with a driver and its executor.
///
/// # Errors
/// A path that cannot be read, named with the operating system's reason.
pub fn open_devices(paths: &[PathBuf]) -> Result<Host> {
    let (opened, passed_over) = open_files(paths)?;
    let mut files = Vec::new();
    let mut names = Vec::new();
    for open in opened {
        files.push(open.file);
        names.push((open.name, open.size));
    }
    let driver = NativeDriver::new(files);
    let failures = driver.failures();
    let rt = Rt::new(driver);
    let named = (0u32..).zip(names);
    let devices = named.map(|(id, (name, size))| Device::new(&rt, DevId(id), name, size));
    Ok(Host { devices: devices.collect(), rt, failures, passed_over })
}

/// `paths`, or what the environment variable [`PATH_VARIABLE`] names when there are none.
///
/// # Errors
/// Neither is given.
pub fn paths_or_default(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    if !paths.is_empty() {
        return Ok(paths.to_vec());
    }
    let variable = std::env::var_os(PATH_VARIABLE).filter(|value| !value.is_empty());
    let Some(value) = variable else {
        let message = "no path is given: which devices hold the pool?";
        return Err(PoolError::new(PoolErrorKind::Usage, message).next_step(format!(
            "name files, block devices or a folder, or set {PATH_VARIABLE} to a folder"
        )));
    };
    Ok(std::env::split_paths(&value).collect())
}

#[derive(Default)]
struct Opened {
    files: Vec<OpenFile>,
    passed_over: Vec<String>,
    /// Device and inode of what is open, to open nothing twice.
    seen: BTreeSet<(u64, u64)>,
}

impl Opened {
    fn add(&mut self, path: &Path) -> Result<()> {
        let metadata = std::fs::metadata(path).map_err(|e| failed("look at", path, &e))?;
        if metadata.is_dir() {
            return self.add_folder(path);
        }
        if !is_device(&metadata) {
            let message = "it is neither a file nor a block device nor a folder";
            return Err(PoolError::new(PoolErrorKind::NotAPool, message).at(path.display()));
        }
        self.open(path, &metadata).map_err(|e| failed("open", path, &e))
    }

    fn add_folder(&mut self, folder: &Path) -> Result<()> {
        let list = std::fs::read_dir(folder).map_err(|e| failed("list", folder, &e))?;
        let mut paths = Vec::new();
        for entry in list {
            paths.push(entry.map_err(|e| failed("list", folder, &e))?.path());
        }
        paths.sort();
        for path in paths {
            // A dangling link or a file that went away is no device.
            let Ok(metadata) = std::fs::metadata(&path) else {
                continue;
            };
            let file = metadata.is_file() && metadata.len() >= SMALLEST_DEVICE;
            if !file && !metadata.file_type().is_block_device() {
                continue;
            }
            if let Err(error) = self.open(&path, &metadata) {
                let line = format!("{} was passed over: {error}", path.display());
                self.passed_over.push(line);
            }
        }
        Ok(())
    }

    fn open(&mut self, path: &Path, metadata: &Metadata) -> std::io::Result<()> {
        let identity = match metadata.file_type().is_block_device() {
            true => (u64::MAX, metadata.rdev()),
            false => (metadata.dev(), metadata.ino()),
        };
        if self.seen.contains(&identity) {
            return Ok(());
        }
        let mut file = File::open(path)?;
        // A block device has no length in its metadata; its end tells for both.
        let size = file.seek(SeekFrom::End(0))?;
        self.seen.insert(identity);
        let name = path.display().to_string();
        self.files.push(OpenFile { name, size, file });
        Ok(())
    }
}

fn is_device(metadata: &Metadata) -> bool {
    metadata.is_file() || metadata.file_type().is_block_device()
}

fn failed(verb: &str, path: &Path, error: &std::io::Error) -> PoolError {
    use std::io::ErrorKind as K;
    let failure = PoolError::new(PoolErrorKind::Io, format!("cannot {verb} it: {error}"));
    let failure = failure.at(path.display());
    match error.kind() {
        K::NotFound => failure.next_step("check the path"),
        K::PermissionDenied => failure.next_step("run as a user who may read it"),
        _ => failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let name = format!("tidepool-{}-{name}", std::process::id());
            let path = std::env::temp_dir().join(name);
            std::fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn file(&self, name: &str, size: u64) -> PathBuf {
            let path = self.0.join(name);
            File::create(&path).unwrap().set_len(size).unwrap();
            path
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_folder_gives_its_big_files_by_name_and_each_once() {
        let folder = Folder::new("folder");
        let b = folder.file("b", 1 << 20);
        folder.file("a", SMALLEST_DEVICE);
        folder.file("small", 100);
        std::fs::create_dir(folder.0.join("sub")).unwrap();
        std::os::unix::fs::symlink(&b, folder.0.join("link")).unwrap();
        let host = open_devices(&[folder.0.clone(), b]).unwrap();
        let found: Vec<_> = host
            .devices
            .iter()
            .map(|d| (d.name().rsplit('/').next().unwrap().to_owned(), d.size()))
            .collect();
        assert_eq!(found, [("a".into(), SMALLEST_DEVICE), ("b".into(), 1 << 20)]);
    }

    #[test]
    fn a_small_file_is_opened_when_named_and_reads_work() {
        let folder = Folder::new("named");
        let path = folder.0.join("tiny");
        std::fs::write(&path, b"0123456789").unwrap();
        let host = open_devices(&[path]).unwrap();
        let bytes = host.rt.block_on(host.devices[0].read(2, 5)).unwrap();
        assert_eq!(bytes, b"23456");
        assert!(host.read_failures().is_empty());
    }

    #[test]
    fn a_missing_path_is_named_with_the_reason() {
        let error = open_devices(&[PathBuf::from("/nonexistent/disk")]).err().unwrap();
        let text = error.to_string();
        assert!(text.starts_with("/nonexistent/disk: cannot look at it: No such file"), "{text}");
        assert_eq!(error.exit_code(), 1);
    }
}
