//! What the tests against real pools share: images unpacked once, `zdb` as the judge, the engine's
//! answers, and a report that says what was compared and what was skipped.
#![allow(dead_code, unreachable_pub)]

pub mod compare;
pub mod engine;
pub mod images;
pub mod report;
pub mod zdb;

use std::path::{Path, PathBuf};

/// Folder `name` of the shared material beside the workspace, when it is there.
pub fn shared(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    Some(folder.join(name)).filter(|path| path.is_dir())
}

/// A program of OpenZFS, when it is installed.
pub fn tool(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path);
    let system = ["/usr/sbin", "/sbin", "/usr/local/sbin"].map(PathBuf::from);
    let mut candidates = folders.chain(system).map(|folder| folder.join(name));
    candidates.find(|path| path.is_file())
}
