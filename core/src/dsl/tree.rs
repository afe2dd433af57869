//! The walk over directories, heads and snapshots.

use super::properties::read_properties;
use crate::base::{ObjectId, PoolError, PoolErrorKind, Result, Txg};
use crate::dmu::{Objset, zap_entries, zap_lookup};
use crate::format::{Dnode, DslDatasetPhys, DslDirPhys, ObjectType};
use std_alloc::boxed::Box;
use std_alloc::collections::BTreeSet;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Names inside names deeper than this are damage; OpenZFS allows 50.
const DEPTH_MAX: usize = 256;
/// Key of a DSL directory whose data sets are encrypted.
const CRYPTO_KEY: &[u8] = b"com.datto:crypto_key_obj";

/// A DSL directory and its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DslDir {
    /// Object in the MOS.
    pub id: ObjectId,
    /// Its contents.
    pub phys: DslDirPhys,
    /// Whether its data sets are encrypted.
    pub encrypted: bool,
}

impl DslDir {
    /// Reads directory `id` of the MOS.
    pub async fn load(mos: &Objset, id: ObjectId) -> Result<Self> {
        let place = |e: PoolError| e.at(format!("DSL directory {id}"));
        let dnode = mos.dnode(id).await.map_err(place)?;
        require_bonus(&dnode, ObjectType::DSL_DIR).map_err(place)?;
        let phys = DslDirPhys::parse(&dnode.bonus, dnode.endian).map_err(|e| place(e.into()))?;
        let encrypted = dnode.object_type.is_zap()
            && zap_lookup(mos, id, CRYPTO_KEY).await.map_err(place)?.is_some();
        Ok(Self { id, phys, encrypted })
    }

    /// The child directory called `name`.
    pub async fn child(&self, mos: &Objset, name: &str) -> Result<Option<Self>> {
        match zap_lookup(mos, self.phys.children, name.as_bytes()).await?.and_then(|v| v.u64()) {
            Some(id) => Ok(Some(Self::load(mos, ObjectId(id)).await?)),
            None => Ok(None),
        }
    }
}

/// One head or snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dataset {
    /// Full name: `tank/a` or `tank/a@s`.
    pub name: String,
    /// Object in the MOS.
    pub id: ObjectId,
    /// Its contents.
    pub phys: DslDatasetPhys,
    /// Its directory.
    pub dir: DslDir,
    /// Whether it is a snapshot.
    pub snapshot: bool,
    /// Properties set here, by name, as text.
    pub properties: Vec<(String, String)>,
}

impl Dataset {
    /// Reads data set `id` of the MOS.
    pub async fn load(
        mos: &Objset,
        id: ObjectId,
        name: String,
        dir: &DslDir,
        snapshot: bool,
    ) -> Result<Self> {
        let place = |e: PoolError| e.at(format!("data set {name}, object {id}"));
        let dnode = mos.dnode(id).await.map_err(place)?;
        require_bonus(&dnode, ObjectType::DSL_DATASET).map_err(place)?;
        let phys =
            DslDatasetPhys::parse(&dnode.bonus, dnode.endian).map_err(|e| place(e.into()))?;
        let zap = if snapshot { phys.properties } else { dir.phys.properties };
        let properties = read_properties(mos, zap).await.unwrap_or_default();
        Ok(Self { name, id, phys, dir: dir.clone(), snapshot, properties })
    }

    /// Whether its file data need a key.
    pub fn is_encrypted(&self) -> bool {
        self.dir.encrypted || self.phys.bp.is_protected()
    }

    /// Whether blocks born in `birth` are its own rather than of the snapshot before it.
    pub fn owns(&self, birth: Txg) -> bool {
        birth > self.phys.prev_snap_txg
    }
}

/// A part of the tree that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatasetProblem {
    /// Name as far as it is known.
    pub name: String,
    /// What went wrong.
    pub error: PoolError,
}

/// All data sets below directory `root`, which is called `pool`: each head, then its snapshots from
/// old to new, then its children by name. What cannot be read is listed beside.
pub async fn walk_datasets(
    mos: &Objset,
    root: ObjectId,
    pool: &str,
) -> (Vec<Dataset>, Vec<DatasetProblem>) {
    let mut walk = Walk { mos, seen: BTreeSet::new(), found: Vec::new(), problems: Vec::new() };
    walk.dir(root, pool.to_string(), 0).await;
    (walk.found, walk.problems)
}

struct Walk<'a> {
    mos: &'a Objset,
    seen: BTreeSet<ObjectId>,
    found: Vec<Dataset>,
    problems: Vec<DatasetProblem>,
}

impl Walk<'_> {
    async fn dir(&mut self, id: ObjectId, name: String, depth: usize) {
        if depth > DEPTH_MAX || !self.seen.insert(id) {
            let error = PoolError::damaged(format!("DSL directory {id}"), "the tree is a circle");
            self.problems.push(DatasetProblem { name, error });
            return;
        }
        let dir = match DslDir::load(self.mos, id).await {
            Ok(dir) => dir,
            Err(error) => return self.problems.push(DatasetProblem { name, error }),
        };
        if dir.phys.head_dataset != ObjectId(0) {
            self.head(&dir, &name).await;
        }
        let children = match dir.phys.children {
            ObjectId(0) => Ok(Vec::new()),
            map => zap_entries(self.mos, map).await,
        };
        let mut children = match children {
            Ok(children) => children,
            Err(error) => return self.problems.push(DatasetProblem { name, error }),
        };
        children.sort_by(|a, b| a.name.cmp(&b.name));
        for child in children {
            let Some(id) = child.value.u64() else {
                continue;
            };
            let child = child.name_text();
            if !child.starts_with('$') {
                Box::pin(self.dir(ObjectId(id), format!("{name}/{child}"), depth + 1)).await;
            }
        }
    }

    async fn head(&mut self, dir: &DslDir, name: &str) {
        let id = dir.phys.head_dataset;
        let head = match Dataset::load(self.mos, id, name.to_string(), dir, false).await {
            Ok(head) => head,
            Err(error) => {
                let name = name.to_string();
                return self.problems.push(DatasetProblem { name, error });
            }
        };
        let snapshots = head.phys.snapshots;
        self.found.push(head);
        if snapshots == ObjectId(0) {
            return;
        }
        let entries = match zap_entries(self.mos, snapshots).await {
            Ok(entries) => entries,
            Err(error) => {
                let name = format!("{name}@");
                return self.problems.push(DatasetProblem { name, error });
            }
        };
        let first = self.found.len();
        for entry in entries {
            let name = format!("{name}@{}", entry.name_text());
            let id = ObjectId(entry.value.u64().unwrap_or(0));
            match Dataset::load(self.mos, id, name.clone(), dir, true).await {
                Ok(snapshot) => self.found.push(snapshot),
                Err(error) => self.problems.push(DatasetProblem { name, error }),
            }
        }
        if let Some(snapshots) = self.found.get_mut(first..) {
            snapshots.sort_by_key(|s| (s.phys.creation_txg, s.id));
        }
    }
}

/// The data set called `name` (`tank/a` or `tank/a@s`) below directory `root`.
pub async fn find_dataset(mos: &Objset, root: ObjectId, name: &str) -> Result<Dataset> {
    let not_found =
        || PoolError::new(PoolErrorKind::NotFound, format!("there is no data set {name}"));
    let (path, snapshot) = match name.split_once('@') {
        Some((path, snapshot)) => (path, Some(snapshot)),
        None => (name, None),
    };
    let mut dir = DslDir::load(mos, root).await?;
    for part in path.split('/').skip(1) {
        dir = dir.child(mos, part).await?.ok_or_else(not_found)?;
    }
    let head = dir.phys.head_dataset;
    let head = Dataset::load(mos, head, path.to_string(), &dir, false).await?;
    let Some(snapshot) = snapshot else {
        return Ok(head);
    };
    let id = zap_lookup(mos, head.phys.snapshots, snapshot.as_bytes()).await?;
    let id = id.and_then(|v| v.u64()).ok_or_else(not_found)?;
    Dataset::load(mos, ObjectId(id), name.to_string(), &dir, true).await
}

fn require_bonus(dnode: &Dnode, expected: ObjectType) -> Result<()> {
    match dnode.bonus_type == expected {
        true => Ok(()),
        false => {
            let found = dnode.bonus_type;
            let message = format!("expected a bonus of kind {expected}, found {found}");
            Err(PoolError::new(PoolErrorKind::Damaged, message))
        }
    }
}
