//! Floor 15: the facade that applications use.
//!
//! ```text
//!   scan(devices)           -> which pools are here
//!   Pool::open(devices, ..) -> one pool, read-only; every answer is a view
//! ```

use crate::base::{Guid, ObjectId, PoolError, PoolErrorKind, Result, Txg};
use crate::dev::Device;
pub use crate::scan::CheckOptions;
use crate::view::{
    CheckView, DatasetView, DeviceView, FileView, HistoryView, MapView, ObjectView, PoolView,
    Progress, SegmentView, StripView, TreeNodeView, ZilView,
};
use serde::{Deserialize, Serialize};
use std_alloc::string::String;
use std_alloc::vec::Vec;

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

/// Looks at the labels of `devices`. Never fails: what is wrong stands in the views.
pub async fn scan(devices: &[Device]) -> ScanView {
    let _ = devices;
    ScanView {
        pools: Vec::new(),
        strangers: Vec::new(),
    }
}

fn not_built<T>() -> Result<T> {
    Err(PoolError::new(PoolErrorKind::Unsupported, "not built yet"))
}

/// An open pool, read-only. Cheap to clone.
#[derive(Clone)]
pub struct Pool;

#[allow(unused_variables, clippy::unused_async)]
impl Pool {
    /// Opens a pool from the devices that hold it. Devices that do not belong to it are ignored.
    pub async fn open(devices: &[Device], options: &OpenOptions) -> Result<Self> {
        not_built()
    }

    /// Pool, vdev tree, features, space.
    pub fn overview(&self) -> PoolView {
        unreachable!("not built yet")
    }

    /// Every metaslab.
    pub async fn map(&self) -> Result<MapView> {
        not_built()
    }

    /// Bytes `from..to` of one metaslab in at most `cells` cells, with the segments themselves when
    /// there are at most `max_segments`.
    pub async fn strip(
        &self,
        vdev: u64,
        metaslab: u64,
        range: core::ops::Range<u64>,
        cells: u32,
        max_segments: u32,
    ) -> Result<StripView> {
        not_built()
    }

    /// All free segments of one metaslab, in order.
    pub async fn segments(&self, vdev: u64, metaslab: u64) -> Result<Vec<SegmentView>> {
        not_built()
    }

    /// One node of the range tree of a metaslab; `path` is the child index at each level.
    pub async fn tree_node(&self, vdev: u64, metaslab: u64, path: &[u32]) -> Result<TreeNodeView> {
        not_built()
    }

    /// All data sets and snapshots, parents first.
    pub async fn datasets(&self) -> Result<Vec<DatasetView>> {
        not_built()
    }

    /// Up to `limit` objects of `dataset` (`mos` for the pool's own) from number `from` on.
    pub async fn objects(
        &self,
        dataset: &str,
        from: ObjectId,
        limit: u32,
    ) -> Result<Vec<ObjectView>> {
        not_built()
    }

    /// One object with details and, if asked for, its block pointers.
    pub async fn object(&self, dataset: &str, id: ObjectId, blocks: bool) -> Result<ObjectView> {
        not_built()
    }

    /// The entries of directory `path` of `dataset` (`tank/a` or `tank/a@s`), by name.
    pub async fn list(&self, dataset: &str, path: &str) -> Result<Vec<FileView>> {
        not_built()
    }

    /// One file, directory or link.
    pub async fn stat(&self, dataset: &str, path: &str) -> Result<FileView> {
        not_built()
    }

    /// Up to `len` bytes of a file, or of a volume when `path` is empty, from byte `offset` on.
    pub async fn read(&self, dataset: &str, path: &str, offset: u64, len: u32) -> Result<Vec<u8>> {
        not_built()
    }

    /// The pool history, oldest first.
    pub async fn history(&self) -> Result<Vec<HistoryView>> {
        not_built()
    }

    /// The intent logs that hold something.
    pub async fn logs(&self) -> Result<Vec<ZilView>> {
        not_built()
    }

    /// The configuration that the pool was opened with, as text.
    pub fn config(&self) -> String {
        String::new()
    }

    /// Walks every block. `progress` is told now and then; when it returns `false` the walk stops.
    pub async fn check(
        &self,
        options: &CheckOptions,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<CheckView> {
        not_built()
    }
}
