//! Floor 15: the facade that applications use.
//!
//! ```text
//!   scan(devices)           -> which pools are here
//!   Pool::open(devices, ..) -> one pool, read-only; every answer is a view
//! ```
//!
//! Invariants: answers are values, nothing in them refers to the pool; what is kept in memory
//! between calls is bounded, so that a large pool can be browsed in a small browser.

mod datasets;
mod details;
mod files;
mod logs;
mod map;
mod objects;
mod overview;
mod paths;
mod space;

use crate::base::{Guid, ObjectId, PoolError, PoolErrorKind, Result, Txg};
use crate::cache::BlockCache;
use crate::dev::Device;
use crate::dsl::{Dataset, DatasetProblem};
pub use crate::scan::CheckOptions;
use crate::scan::{CheckInput, check_pool};
use crate::spa::{
    ImportOptions, LoadedMetaslab, LogSpaceMaps, MetaslabTable, Scan, Spa, errata_note,
};
use crate::view::{
    CheckView, DatasetView, DeviceView, FileView, HistoryView, MapView, MetaslabView, ObjectView,
    PoolView, Progress, Pyramid, SegmentView, SpaceView, StripView, TreeNodeView, ZilView,
};
use crate::zpl::FileSystem;
use core::cell::RefCell;
use serde::{Deserialize, Serialize};
use std_alloc::collections::BTreeMap;
use std_alloc::rc::Rc;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Bytes of loaded metaslabs kept.
const METASLAB_CACHE: u64 = 48 << 20;

/// Everything found on some devices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScanView {
    /// Pools, by name.
    pub pools: Vec<PoolView>,
    /// Devices that name no pool.
    pub strangers: Vec<DeviceView>,
}

/// Which pool to open, and when.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// Pool name; needed when the devices hold several pools.
    pub name: Option<String>,
    /// Pool guid; for several pools of one name.
    pub guid: Option<Guid>,
    /// Take the best uberblock that is not newer than this.
    pub txg: Option<Txg>,
}

/// Looks for pools on `devices` and a short way into each. Never fails: what is wrong stands in the
/// views, and `refusal` says why a pool cannot be opened.
pub async fn scan(devices: &[Device]) -> ScanView {
    let scan = Scan::read(devices).await;
    let mut view = overview::scan_view(&scan);
    let Some(first) = devices.first() else {
        return view;
    };
    for pool in view.pools.iter_mut().filter(|p| p.refusal.is_none()) {
        let options = ImportOptions { guid: Some(pool.guid), ..ImportOptions::default() };
        match Spa::import(first.rt(), scan.clone(), &options).await {
            Ok(spa) => *pool = Pool::over(spa, Vec::new(), Err(not_loaded())).await.overview(),
            Err(e) => {
                pool.refusal = Some(e.to_string());
                pool.health = "faulted".to_string();
            }
        }
    }
    let known: Vec<String> = view.pools.iter().flat_map(|p| &p.devices).map(name).collect();
    view.strangers.retain(|d| !known.contains(&d.name));
    view
}

fn name(device: &DeviceView) -> String {
    device.name.clone()
}

fn not_loaded() -> PoolError {
    PoolError::new(PoolErrorKind::Unsupported, "the log space maps were not loaded")
}

/// An open pool, read-only. Cheap to clone.
#[derive(Clone)]
pub struct Pool(Rc<Inner>);

/// A metaslab and its free space at any zoom.
struct Loaded {
    metaslab: LoadedMetaslab,
    pyramid: Pyramid,
}

type Datasets = Rc<(Vec<Dataset>, Vec<DatasetProblem>)>;

struct Inner {
    spa: Spa,
    /// Where each top-level vdev keeps its metaslabs; the index is the id.
    tables: Vec<Result<MetaslabTable>>,
    logs: Result<LogSpaceMaps>,
    space: Vec<SpaceView>,
    notes: Vec<String>,
    errata: u64,
    loaded: RefCell<BlockCache<(u64, u64), Rc<Loaded>>>,
    views: RefCell<BTreeMap<(u64, u64), MetaslabView>>,
    datasets: RefCell<Option<Datasets>>,
    file_system: RefCell<Option<(String, FileSystem)>>,
}

impl Pool {
    /// Opens a pool from the devices that hold it. Devices that do not belong to it are ignored.
    ///
    /// # Errors
    /// No such pool, or several and no choice; a version, feature or vdev that is not read; devices
    /// missing beyond redundancy; a MOS that cannot be read, with advice on an older txg.
    pub async fn open(devices: &[Device], options: &OpenOptions) -> Result<Self> {
        let Some(first) = devices.first() else {
            let message = "no device is given";
            return Err(PoolError::new(PoolErrorKind::NotAPool, message));
        };
        let scan = Scan::read(devices).await;
        let options =
            ImportOptions { name: options.name.clone(), guid: options.guid, txg: options.txg };
        let spa = Spa::import(first.rt(), scan, &options).await?;
        let (tables, logs) = space::load(&spa).await;
        Ok(Self::over(spa, tables, logs).await)
    }

    /// The facade over an imported pool; without tables it answers for the overview only.
    async fn over(
        spa: Spa,
        tables: Vec<Result<MetaslabTable>>,
        logs: Result<LogSpaceMaps>,
    ) -> Self {
        let mut notes = spa.notes.clone();
        if let (Err(e), false) = (&logs, tables.is_empty()) {
            notes.push(e.to_string());
        }
        let space = space::space_views(&spa, &tables, logs.as_ref().ok(), &mut notes).await;
        let pool = Self(Rc::new(Inner {
            spa,
            tables,
            logs,
            space,
            notes: Vec::new(),
            errata: 0,
            loaded: RefCell::new(BlockCache::new(METASLAB_CACHE)),
            views: RefCell::default(),
            datasets: RefCell::default(),
            file_system: RefCell::default(),
        }));
        let mut errata = pool.0.spa.errata();
        if pool.0.spa.refcount("com.datto:encryption") > 0 {
            if errata == 0 {
                errata = pool.encryption_errata().await;
                notes.extend(errata_note(errata));
            }
            notes.extend(pool.encryption_note().await);
        }
        let mut inner = pool.0;
        let own = Rc::get_mut(&mut inner).expect("invariant: the pool is not shared yet");
        own.notes = notes;
        own.errata = errata;
        Self(inner)
    }

    /// Pool, vdev tree, features, space.
    pub fn overview(&self) -> PoolView {
        let mut view = overview::pool_view(&self.0.spa, &self.0.space, &self.0.notes);
        view.errata = self.0.errata;
        view
    }

    /// Every metaslab.
    pub async fn map(&self) -> Result<MapView> {
        self.map_view().await
    }

    /// Bytes `range`, counted as DVA offsets are, of one metaslab in at most `cells` cells, with
    /// the segments themselves when there are at most `max_segments`.
    pub async fn strip(
        &self,
        vdev: u64,
        metaslab: u64,
        range: core::ops::Range<u64>,
        cells: u32,
        max_segments: u32,
    ) -> Result<StripView> {
        let loaded = self.metaslab(vdev, metaslab).await?;
        let (start, end) = (loaded.metaslab.start, loaded.metaslab.start + loaded.metaslab.size);
        let (from, to) = (range.start.clamp(start, end), range.end.clamp(start, end));
        let place = (vdev, metaslab);
        Ok(loaded.pyramid.strip(place, (from, to), cells, max_segments))
    }

    /// All free segments of one metaslab, in order.
    pub async fn segments(&self, vdev: u64, metaslab: u64) -> Result<Vec<SegmentView>> {
        let loaded = self.metaslab(vdev, metaslab).await?;
        let segments = loaded.metaslab.free.iter();
        Ok(segments.map(map::segment_view).collect())
    }

    /// One node of the range tree of a metaslab; `path` is the child index at each level.
    pub async fn tree_node(&self, vdev: u64, metaslab: u64, path: &[u32]) -> Result<TreeNodeView> {
        let loaded = self.metaslab(vdev, metaslab).await?;
        map::tree_node_view(&loaded.metaslab.free, path)
    }

    /// All data sets and snapshots, parents first.
    pub async fn datasets(&self) -> Result<Vec<DatasetView>> {
        self.dataset_views().await
    }

    /// Up to `limit` objects of `dataset` (`mos` for the pool's own) from number `from` on.
    pub async fn objects(
        &self,
        dataset: &str,
        from: ObjectId,
        limit: u32,
    ) -> Result<Vec<ObjectView>> {
        self.object_views(dataset, from, limit).await
    }

    /// One object with details and, if asked for, its block pointers.
    pub async fn object(&self, dataset: &str, id: ObjectId, blocks: bool) -> Result<ObjectView> {
        self.object_view(dataset, id, blocks).await
    }

    /// The entries of directory `path` of `dataset` (`tank/a` or `tank/a@s`), by name.
    pub async fn list(&self, dataset: &str, path: &str) -> Result<Vec<FileView>> {
        self.list_views(dataset, path).await
    }

    /// One file, directory or link.
    pub async fn stat(&self, dataset: &str, path: &str) -> Result<FileView> {
        self.file_view(dataset, path).await
    }

    /// Up to `len` bytes of a file, or of a volume when `path` is empty, from byte `offset` on.
    pub async fn read(&self, dataset: &str, path: &str, offset: u64, len: u32) -> Result<Vec<u8>> {
        self.read_bytes(dataset, path, offset, len).await
    }

    /// The pool history, oldest first.
    pub async fn history(&self) -> Result<Vec<HistoryView>> {
        logs::history(&self.0.spa).await
    }

    /// The intent logs that hold something.
    pub async fn logs(&self) -> Result<Vec<ZilView>> {
        self.log_views().await
    }

    /// The configuration that the pool was opened with, as text.
    pub fn config(&self) -> String {
        self.0.spa.config.to_string()
    }

    /// Walks every block. `progress` is told now and then; when it returns `false` the walk stops.
    pub async fn check(
        &self,
        options: &CheckOptions,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<CheckView> {
        let spa = &self.0.spa;
        let datasets = self.walked().await?;
        let input = CheckInput {
            pool: spa.name().to_string(),
            txg: spa.uberblock.txg,
            mos: spa.mos.clone(),
            directory: spa.directory.entries().to_vec(),
            root_dir: spa.root_directory()?,
            datasets: datasets.0.clone(),
            tables: self.0.tables.clone(),
            logs: self.0.logs.clone(),
        };
        let mut view = check_pool(&input, *options, progress).await?;
        for problem in &datasets.1 {
            view.problems.push(format_problem(problem));
            view.clean = false;
        }
        self.name_files(&mut view).await;
        Ok(view)
    }
}

fn format_problem(problem: &DatasetProblem) -> String {
    std_alloc::format!("{}: {}", problem.name, problem.error)
}
