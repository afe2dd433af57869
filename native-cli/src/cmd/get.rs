//! `tidepool get`: files and whole trees out of a pool.
//!
//! Names come from the pool and are hostile: a name that would leave the output folder is refused,
//! a directory met twice is not entered again, nothing is overwritten unless asked for.

use super::cat::CHUNK;
use crate::args::{DevicesArgs, Opened, Target};
use crate::out::{Failure, Outcome, Output, note, usage};
use clap::Args;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fs::{File, Permissions};
use std::io::{ErrorKind, Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tidepool::base::{PoolError, PoolErrorKind};
use tidepool::view::FileView;

/// Copy a file, a volume or a directory tree out of a pool
#[derive(Args)]
pub(crate) struct Get {
    /// What to copy; a volume is named without a path
    #[arg(value_name = "DATASET[@SNAP]:PATH")]
    target: String,

    /// File or folder to write; by default the name of the source, here
    #[arg(value_name = "OUT")]
    out: Option<PathBuf>,

    #[command(flatten)]
    devices: DevicesArgs,

    /// Overwrite files that exist
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Default, Serialize)]
struct Copied {
    files: u64,
    directories: u64,
    links: u64,
    bytes: u64,
    skipped: Vec<String>,
}

impl Get {
    pub(crate) fn run(&self, out: &mut Output) -> Outcome {
        let target = Target::parse(&self.target)?;
        let opened = self.devices.open(Some(&target.dataset))?;
        let name = match &target.path {
            Some(path) => path.trim_end_matches('/').rsplit('/').next(),
            None => target.dataset.rsplit('/').next(),
        };
        let name = name.filter(|n| is_plain(n)).unwrap_or("out");
        let mut to = self.out.clone().unwrap_or_else(|| PathBuf::from(name));
        let mut copied = Copied::default();
        let kind = match &target.path {
            None => "volume".to_owned(),
            Some(path) => opened.ask(opened.pool.stat(&target.dataset, path))?.kind,
        };
        if kind == "dir" {
            self.tree(&opened, &target, &to, &mut copied)?;
        } else {
            if to.is_dir() {
                to.push(name);
            }
            let stat = match &target.path {
                None => None,
                Some(path) => Some(opened.ask(opened.pool.stat(&target.dataset, path))?),
            };
            self.entry(&opened, &target, stat.as_ref(), &to, &mut copied)?;
        }
        copied.skipped.iter().for_each(|line| note(line));
        match out.is_json() {
            true => out.json(&copied)?,
            false => out.line(&format!(
                "{} file(s), {} folder(s), {} link(s), {} bytes to {}",
                copied.files,
                copied.directories,
                copied.links,
                copied.bytes,
                to.display()
            ))?,
        }
        Ok(0)
    }

    fn tree(
        &self,
        opened: &Opened,
        from: &Target,
        to: &Path,
        copied: &mut Copied,
    ) -> Result<(), Failure> {
        let mut seen = BTreeSet::new();
        let mut todo = vec![(from.clone(), to.to_owned())];
        while let Some((from, to)) = todo.pop() {
            make_folder(&to)?;
            copied.directories += 1;
            let path = from.path_or_root().trim_end_matches('/').to_owned();
            let list = opened.pool.list(&from.dataset, from.path_or_root());
            for file in opened.ask(list)? {
                let source = format!("{path}/{}", file.name);
                if !is_plain(&file.name) {
                    copied.skipped.push(format!("{source}: its name would leave the folder"));
                    continue;
                }
                let to = to.join(&file.name);
                let dataset = from.dataset.clone();
                let path = Some(source);
                let from = Target { dataset, path };
                match &*file.kind {
                    "dir" if seen.insert(file.object) => todo.push((from, to)),
                    _ => self.entry(opened, &from, Some(&file), &to, copied)?,
                }
            }
        }
        Ok(())
    }

    fn entry(
        &self,
        opened: &Opened,
        from: &Target,
        file: Option<&FileView>,
        to: &Path,
        copied: &mut Copied,
    ) -> Result<(), Failure> {
        let kind = file.map_or("file", |f| &f.kind);
        match (kind, file.and_then(|f| f.target.as_ref())) {
            ("file", _) => {
                copied.bytes += self.file(opened, from, file, to)?;
                copied.files += 1;
            }
            ("symlink", Some(link)) => {
                self.make_room(to)?;
                let made = std::os::unix::fs::symlink(link, to);
                made.map_err(|e| failed("make", to, &e))?;
                copied.links += 1;
            }
            (kind, _) => {
                let path = from.path_or_root();
                copied.skipped.push(format!("{path}: a {kind} is not copied"));
            }
        }
        Ok(())
    }

    /// Takes away what `--force` allows to overwrite. A link is replaced, never followed.
    fn make_room(&self, to: &Path) -> Result<(), Failure> {
        match std::fs::symlink_metadata(to) {
            Ok(old) if self.force && !old.is_dir() => {
                std::fs::remove_file(to).map_err(|e| failed("replace", to, &e))
            }
            _ => Ok(()),
        }
    }

    fn file(
        &self,
        opened: &Opened,
        from: &Target,
        file: Option<&FileView>,
        to: &Path,
    ) -> Result<u64, Failure> {
        self.make_room(to)?;
        let mut sink = File::create_new(to).map_err(|e| failed("create", to, &e))?;
        let end = file.map_or(u64::MAX, |f| f.size);
        let path = from.path.as_deref().unwrap_or("");
        let mut at = 0;
        while at < end {
            let want = u32::try_from(end - at).unwrap_or(CHUNK).min(CHUNK);
            let bytes = opened.ask(opened.pool.read(&from.dataset, path, at, want))?;
            if bytes.is_empty() {
                break;
            }
            at += bytes.len() as u64;
            put(&mut sink, &bytes).map_err(|e| failed("write", to, &e))?;
        }
        // A hole at the end was only skipped over.
        sink.set_len(at).map_err(|e| failed("write", to, &e))?;
        if let Some(file) = file {
            keep_attributes(&sink, file).map_err(|e| failed("set the times of", to, &e))?;
        }
        Ok(at)
    }
}

/// Zeros become holes, so that a sparse file stays sparse.
fn put(sink: &mut File, bytes: &[u8]) -> std::io::Result<()> {
    match bytes.iter().any(|&b| b != 0) {
        true => sink.write_all(bytes),
        false => sink.seek(SeekFrom::Current(bytes.len() as i64)).map(drop),
    }
}

/// Permission bits (never set-uid and its kin) and the time of the last change.
fn keep_attributes(sink: &File, file: &FileView) -> std::io::Result<()> {
    let mode = u32::try_from(file.mode & 0o777).expect("invariant: nine bits");
    sink.set_permissions(Permissions::from_mode(mode))?;
    let (seconds, nanos) = file.mtime;
    let since = Duration::from_secs(seconds).saturating_add(Duration::from_nanos(nanos));
    match SystemTime::UNIX_EPOCH.checked_add(since) {
        Some(time) => sink.set_modified(time),
        None => Ok(()),
    }
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\0'])
}

fn make_folder(path: &Path) -> Result<(), Failure> {
    match std::fs::create_dir(path) {
        Err(e) if e.kind() == ErrorKind::AlreadyExists && path.is_dir() && !path.is_symlink() => {
            Ok(())
        }
        Err(e) if e.kind() == ErrorKind::AlreadyExists => {
            Err(usage(format!("{} is in the way: expected a folder", path.display())))
        }
        Err(e) => Err(failed("create", path, &e)),
        Ok(()) => Ok(()),
    }
}

fn failed(verb: &str, path: &Path, error: &std::io::Error) -> Failure {
    let failure = PoolError::new(PoolErrorKind::Io, format!("cannot {verb} it: {error}"));
    let failure = failure.at(path.display());
    Failure::Pool(match error.kind() {
        ErrorKind::AlreadyExists => failure.next_step("--force overwrites"),
        _ => failure,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_leave_the_folder_are_not_plain() {
        for name in ["", ".", "..", "a/b", "/etc", "a\0"] {
            assert!(!is_plain(name), "{name:?}");
        }
        for name in ["a", "..a", ".profile", "a b"] {
            assert!(is_plain(name), "{name:?}");
        }
    }
}
