//! One file system: lookup, directories, contents.

use crate::base::{ObjectId, PoolError, PoolErrorKind, Result, field};
use crate::dmu::{Objset, zap_entries, zap_lookup};
use crate::format::{Dnode, FileAttributes, ObjectType, ObjsetKind, SaTables};
use std_alloc::format;
use std_alloc::rc::Rc;
use std_alloc::string::String;
use std_alloc::vec::Vec;

const MASTER_NODE: ObjectId = ObjectId(1);
/// Parents above parents beyond this are a circle.
const PATH_DEPTH_MAX: usize = 4096;

/// What a directory entry names.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileKind {
    File,
    Dir,
    Symlink,
    Block,
    Char,
    Fifo,
    Socket,
    Unknown,
}

impl FileKind {
    /// The kind by the upper four of the sixteen mode bits.
    pub const fn from_mode(mode: u64) -> Self {
        match field(mode, 12, 4) {
            0o1 => Self::Fifo,
            0o2 => Self::Char,
            0o4 => Self::Dir,
            0o6 => Self::Block,
            0o10 => Self::File,
            0o12 => Self::Symlink,
            0o14 => Self::Socket,
            _ => Self::Unknown,
        }
    }

    /// The word that views use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Dir => "dir",
            Self::Symlink => "symlink",
            Self::Block => "block",
            Self::Char => "char",
            Self::Fifo => "fifo",
            Self::Socket => "socket",
            Self::Unknown => "unknown",
        }
    }
}

/// One name in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirEntry {
    /// Name; bytes that are no UTF-8 are replaced.
    pub name: String,
    /// Object it names.
    pub object: ObjectId,
    /// Kind by the entry; unknown in version 1 directories.
    pub kind: FileKind,
}

/// One object of a file system with its attributes.
#[derive(Clone, Debug)]
pub struct Node {
    /// Object number.
    pub id: ObjectId,
    /// Its dnode.
    pub dnode: Dnode,
    /// Its attributes.
    pub attributes: FileAttributes,
}

impl Node {
    /// Kind by the mode.
    pub fn kind(&self) -> FileKind {
        FileKind::from_mode(self.attributes.mode)
    }
}

/// An open file system. Cheap to clone.
#[derive(Clone)]
pub struct FileSystem(Rc<Inner>);

struct Inner {
    objset: Objset,
    root: ObjectId,
    version: u64,
    ignore_case: bool,
    pub(super) tables: Option<SaTables>,
}

impl FileSystem {
    /// Opens the file system in `objset`.
    pub async fn open(objset: &Objset) -> Result<Self> {
        let kind = objset.phys().kind;
        if kind != ObjsetKind::Zfs {
            let message = format!("expected a file system, found a data set of kind {kind}");
            return Err(PoolError::new(PoolErrorKind::Unsupported, message));
        }
        let master = zap_entries(objset, MASTER_NODE).await.map_err(|e| e.at("master node"))?;
        let word = |name: &str| {
            let entry = master.iter().find(|e| e.name == name.as_bytes());
            entry.and_then(|e| e.value.u64())
        };
        let (version, root) = (word("VERSION").unwrap_or(1), word("ROOT"));
        let Some(root) = root else {
            return Err(PoolError::damaged("master node", "there is no ROOT entry"));
        };
        if !(1..=5).contains(&version) {
            let message = format!("expected ZPL version 1 to 5, found {version}");
            return Err(PoolError::new(PoolErrorKind::Unsupported, message));
        }
        let tables = match word("SA_ATTRS") {
            Some(id) if id != 0 => Some(Self::load_tables(objset, ObjectId(id)).await?),
            _ => None,
        };
        let ignore_case = word("casesensitivity").is_some_and(|c| c != 0);
        let (objset, root) = (objset.clone(), ObjectId(root));
        Ok(Self(Rc::new(Inner { objset, root, version, ignore_case, tables })))
    }

    async fn load_tables(objset: &Objset, master: ObjectId) -> Result<SaTables> {
        let place = |e: PoolError| e.at("system attribute tables");
        let id = |value: Option<crate::format::ZapValue>| {
            ObjectId(value.and_then(|v| v.u64()).unwrap_or(0))
        };
        let registry = id(zap_lookup(objset, master, b"REGISTRY").await.map_err(place)?);
        let layouts = id(zap_lookup(objset, master, b"LAYOUTS").await.map_err(place)?);
        let mut entries = [Vec::new(), Vec::new()];
        for (slot, id) in entries.iter_mut().zip([registry, layouts]) {
            // A data set that never held a file has the master and nothing else.
            if id != ObjectId(0) {
                *slot = zap_entries(objset, id).await.map_err(place)?;
            }
        }
        let [registry, layouts] = entries;
        SaTables::parse(&registry, &layouts).map_err(|e| place(e.into()))
    }

    /// The object set behind it.
    pub fn objset(&self) -> &Objset {
        &self.0.objset
    }

    /// ZPL version.
    pub fn version(&self) -> u64 {
        self.0.version
    }

    /// The root directory.
    pub fn root(&self) -> ObjectId {
        self.0.root
    }

    pub(super) fn tables(&self) -> Option<&SaTables> {
        self.0.tables.as_ref()
    }

    /// Object `id` with its attributes.
    pub async fn node(&self, id: ObjectId) -> Result<Node> {
        let dnode = self.0.objset.dnode(id).await?;
        let attributes = self.attributes(&dnode).await.map_err(|e| e.at(format!("object {id}")))?;
        Ok(Node { id, dnode, attributes })
    }

    /// The object at `path`, which may or may not start with a slash. Symbolic links are not
    /// followed; `.` and `..` are understood.
    pub async fn lookup(&self, path: &str) -> Result<Node> {
        let mut node = self.node(self.0.root).await?;
        let mut walked = Vec::new();
        for name in path.split('/').filter(|n| !n.is_empty() && *n != ".") {
            if name == ".." {
                node = self.node(node.attributes.parent).await?;
                continue;
            }
            if node.kind() != FileKind::Dir {
                let message = format!("/{} is no directory", walked.join("/"));
                return Err(PoolError::new(PoolErrorKind::NotFound, message));
            }
            walked.push(name);
            let id = self.find(node.id, name).await?.ok_or_else(|| {
                let message = format!("there is no /{}", walked.join("/"));
                PoolError::new(PoolErrorKind::NotFound, message)
            })?;
            node = self.node(id).await?;
        }
        Ok(node)
    }

    async fn find(&self, dir: ObjectId, name: &str) -> Result<Option<ObjectId>> {
        if let Some(value) = zap_lookup(&self.0.objset, dir, name.as_bytes()).await? {
            return Ok(value.u64().map(|v| ObjectId(field(v, 0, 48))));
        }
        if !self.0.ignore_case {
            return Ok(None);
        }
        let entries = self.entries(dir).await?;
        let same = |e: &&DirEntry| e.name.to_lowercase() == name.to_lowercase();
        Ok(entries.iter().find(same).map(|e| e.object))
    }

    /// The entries of directory `dir`, by name.
    pub async fn entries(&self, dir: ObjectId) -> Result<Vec<DirEntry>> {
        let dnode = self.0.objset.dnode(dir).await?;
        if dnode.object_type != ObjectType::DIRECTORY {
            let message = format!("object {dir} is a {}, not a directory", dnode.object_type);
            return Err(PoolError::new(PoolErrorKind::NotFound, message));
        }
        let entries = zap_entries(&self.0.objset, dir).await?;
        let mut all: Vec<_> = entries
            .iter()
            .filter_map(|e| {
                let word = e.value.ints.first()?;
                Some(DirEntry {
                    name: e.name_text(),
                    object: ObjectId(field(*word, 0, 48)),
                    kind: FileKind::from_mode(field(*word, 60, 4) << 12),
                })
            })
            .collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    /// Up to `len` bytes of a file from byte `offset`; short at its end.
    pub async fn read(&self, node: &Node, offset: u64, len: u32) -> Result<Vec<u8>> {
        let left = node.attributes.size.saturating_sub(offset);
        let len = u32::try_from(left).unwrap_or(u32::MAX).min(len);
        let mut bytes = self.0.objset.read(&node.dnode, offset, len).await?;
        // Behind the last block written a file is a hole; a caller asks for at most 64 MiB at once.
        if bytes.len() < len as usize && len <= 64 << 20 {
            bytes.resize(len as usize, 0);
        }
        Ok(bytes)
    }

    /// Target of a symbolic link.
    pub async fn link_target(&self, node: &Node) -> Result<String> {
        let bytes = match &node.attributes.symlink {
            Some(target) => target.clone(),
            None => self.read(node, 0, 4096).await?,
        };
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The path of object `id`, found upwards through the parents. For files with several links it
    /// is the one last made.
    pub async fn path_of(&self, id: ObjectId) -> Result<String> {
        let mut names = Vec::new();
        let mut at = id;
        while at != self.0.root {
            if names.len() >= PATH_DEPTH_MAX {
                return Err(PoolError::damaged(format!("object {id}"), "parents run in a circle"));
            }
            let parent = self.node(at).await?.attributes.parent;
            let entries = self.entries(parent).await?;
            match entries.into_iter().find(|e| e.object == at) {
                Some(entry) => names.push(entry.name),
                None => {
                    let message = format!("object {at} is not in its parent directory {parent}");
                    return Err(PoolError::new(PoolErrorKind::NotFound, message));
                }
            }
            at = parent;
        }
        names.reverse();
        Ok(format!("/{}", names.join("/")))
    }
}
