//! Files, directories and volumes.

use super::Pool;
use crate::base::{PoolError, PoolErrorKind, Result};
use crate::dsl::Dataset;
use crate::format::{FileAttributes, ObjsetKind};
use crate::view::FileView;
use crate::zpl::{DirEntry, FileKind, FileSystem, Node};
use crate::zvol::Volume;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// The error, seen from its data set; encrypted ones get their advice.
fn placed(error: PoolError, dataset: &str, found: Option<&Dataset>) -> PoolError {
    let encrypted = found.is_some_and(Dataset::is_encrypted);
    // Without the key, names and attributes are noise that no longer parses.
    if encrypted && matches!(error.kind(), PoolErrorKind::Encrypted | PoolErrorKind::Damaged) {
        let message = "the data set is encrypted and no key is loaded";
        return PoolError::new(PoolErrorKind::Encrypted, message)
            .at(format!("data set {dataset}"))
            .next_step("its names, sizes and block checksums can be looked at without a key");
    }
    error.at(format!("data set {dataset}"))
}

impl Pool {
    /// The file system of `dataset`; the last one stays open.
    pub(super) async fn file_system(&self, dataset: &str) -> Result<(FileSystem, bool)> {
        if let Some((name, fs)) = self.0.file_system.borrow().as_ref()
            && name == dataset
        {
            return Ok((fs.clone(), false));
        }
        let (objset, found) = self.objset(dataset).await?;
        let fs = FileSystem::open(&objset).await.map_err(|e| placed(e, dataset, found.as_ref()))?;
        let encrypted = found.is_some_and(|d| d.is_encrypted());
        if !encrypted {
            *self.0.file_system.borrow_mut() = Some((dataset.to_string(), fs.clone()));
        }
        Ok((fs, encrypted))
    }

    async fn node(&self, dataset: &str, path: &str) -> Result<(FileSystem, Node)> {
        let (fs, encrypted) = self.file_system(dataset).await?;
        let node = fs.lookup(path).await;
        match node {
            Ok(node) => Ok((fs, node)),
            Err(e) if encrypted => {
                let (_, found) = self.objset(dataset).await?;
                Err(placed(e, dataset, found.as_ref()))
            }
            Err(e) => Err(placed(e, dataset, None)),
        }
    }

    pub(super) async fn list_views(&self, dataset: &str, path: &str) -> Result<Vec<FileView>> {
        let (fs, node) = self.node(dataset, path).await?;
        let place = |e: PoolError| placed(e, dataset, None);
        let mut views = Vec::new();
        for entry in fs.entries(node.id).await.map_err(place)? {
            views.push(match fs.node(entry.object).await {
                Ok(node) => view(&fs, entry.name, &node).await,
                Err(e) => broken(&entry, &e),
            });
        }
        Ok(views)
    }

    pub(super) async fn file_view(&self, dataset: &str, path: &str) -> Result<FileView> {
        let (fs, node) = self.node(dataset, path).await?;
        Ok(view(&fs, path.to_string(), &node).await)
    }

    pub(super) async fn read_bytes(
        &self,
        dataset: &str,
        path: &str,
        offset: u64,
        len: u32,
    ) -> Result<Vec<u8>> {
        if path.is_empty() {
            let (objset, found) = self.objset(dataset).await?;
            if objset.phys().kind == ObjsetKind::Zvol {
                let place = |e: PoolError| placed(e, dataset, found.as_ref());
                let volume = Volume::open(&objset).await.map_err(place)?;
                return volume.read(offset, len).await.map_err(place);
            }
        }
        let (fs, node) = self.node(dataset, path).await?;
        let place = |e: PoolError| placed(e.at(path), dataset, None);
        match node.kind() {
            FileKind::File => fs.read(&node, offset, len).await.map_err(place),
            kind => {
                let message = format!("it is a {}, not a file", kind.name());
                Err(place(PoolError::new(PoolErrorKind::Usage, message)))
            }
        }
    }
}

fn plain(name: String, node: &Node) -> FileView {
    let a: &FileAttributes = &node.attributes;
    FileView {
        name,
        object: node.id,
        kind: node.kind().name().to_string(),
        mode: a.mode,
        uid: a.uid,
        gid: a.gid,
        size: a.size,
        links: a.links,
        mtime: a.times[1],
        target: None,
        xattrs: Vec::new(),
        problem: None,
    }
}

async fn view(fs: &FileSystem, name: String, node: &Node) -> FileView {
    let mut view = plain(name, node);
    if node.kind() == FileKind::Symlink {
        match fs.link_target(node).await {
            Ok(target) => view.target = Some(target),
            Err(e) => view.problem = Some(format!("its target cannot be read: {e}")),
        }
    }
    match fs.xattrs(node).await {
        Ok(all) => view.xattrs = all.into_iter().map(|(name, _)| name).collect(),
        Err(e) => view.problem = Some(format!("its extended attributes cannot be read: {e}")),
    }
    view
}

/// An entry whose object could not be read.
fn broken(entry: &DirEntry, error: &PoolError) -> FileView {
    FileView {
        name: entry.name.clone(),
        object: entry.object,
        kind: entry.kind.name().to_string(),
        mode: 0,
        uid: 0,
        gid: 0,
        size: 0,
        links: 0,
        mtime: (0, 0),
        target: None,
        xattrs: Vec::new(),
        problem: Some(error.to_string()),
    }
}
