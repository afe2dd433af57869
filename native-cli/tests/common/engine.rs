//! The engine's answers about one pool, gathered with plain calls.

use std::path::PathBuf;
use tidepool::base::{ObjectId, PoolError, Result};
use tidepool::pool::{CheckOptions, OpenOptions, Pool};
use tidepool::view::{CheckView, DatasetView, FileView, MapView, ObjectView, PoolView};
use tidepool_host::Host;

/// Bytes asked for at once when a file is read.
const PIECE: u32 = 1 << 20;

/// A pool opened from real files.
pub struct Opened {
    pub host: Host,
    pub pool: Pool,
}

/// Opens the pool on the devices behind `paths`.
pub fn open(paths: &[PathBuf]) -> Result<Opened> {
    let host = tidepool_host::open_devices(paths)?;
    let pool = host.rt.block_on(Pool::open(&host.devices, &OpenOptions::default()))?;
    Ok(Opened { host, pool })
}

impl Opened {
    pub fn overview(&self) -> PoolView {
        self.pool.overview()
    }

    pub fn map(&self) -> Result<MapView> {
        self.host.rt.block_on(self.pool.map())
    }

    pub fn datasets(&self) -> Result<Vec<DatasetView>> {
        self.host.rt.block_on(self.pool.datasets())
    }

    /// All objects of a data set.
    pub fn objects(&self, dataset: &str) -> Result<Vec<ObjectView>> {
        let mut all: Vec<ObjectView> = Vec::new();
        loop {
            let from = all.last().map_or(ObjectId(0), |o| ObjectId(o.id.0 + 1));
            let piece = self.pool.objects(dataset, from, 1000);
            let piece = self.host.rt.block_on(piece)?;
            match piece.is_empty() {
                true => return Ok(all),
                false => all.extend(piece),
            }
        }
    }

    pub fn list(&self, dataset: &str, path: &str) -> Result<Vec<FileView>> {
        self.host.rt.block_on(self.pool.list(dataset, path))
    }

    /// Everything below the root of a file system: path and attributes, directories first.
    pub fn tree(&self, dataset: &str) -> Result<Vec<(String, FileView)>> {
        let mut all = Vec::new();
        let mut folders = vec![String::from("/")];
        while let Some(folder) = folders.pop() {
            for file in self.list(dataset, &folder)? {
                let path = format!("{}/{}", folder.trim_end_matches('/'), file.name);
                if file.kind == "dir" {
                    folders.push(path.clone());
                }
                all.push((path, file));
            }
        }
        Ok(all)
    }

    /// A whole file.
    pub fn contents(&self, dataset: &str, path: &str) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        loop {
            let piece = self.pool.read(dataset, path, bytes.len() as u64, PIECE);
            let piece = self.host.rt.block_on(piece)?;
            match piece.is_empty() {
                true => return Ok(bytes),
                false => bytes.extend(piece),
            }
        }
    }

    pub fn check(&self, options: &CheckOptions) -> Result<CheckView> {
        let mut go_on = |_| true;
        self.host.rt.block_on(self.pool.check(options, &mut go_on))
    }

    /// Everything a damaged member must not change: map, data sets, and every file's contents.
    pub fn fingerprint(&self) -> Result<Fingerprint> {
        let datasets = self.datasets()?;
        let mut files = Vec::new();
        for dataset in &datasets {
            // libzpool cannot fill the root file system that it makes.
            if dataset.kind != "filesystem" || dataset.encrypted || dataset.objects == 0 {
                continue;
            }
            for (path, file) in self.tree(&dataset.name)? {
                let bytes = match file.kind.as_str() {
                    "file" => self.contents(&dataset.name, &path)?,
                    _ => Vec::new(),
                };
                files.push((dataset.name.clone(), path, file, bytes));
            }
        }
        Ok(Fingerprint { map: self.map()?, datasets, files })
    }
}

/// See [`Opened::fingerprint`].
#[derive(PartialEq)]
pub struct Fingerprint {
    pub map: MapView,
    pub datasets: Vec<DatasetView>,
    pub files: Vec<(String, String, FileView, Vec<u8>)>,
}

impl Fingerprint {
    /// Where this one differs from `other`.
    pub fn differences(&self, other: &Self) -> Vec<&'static str> {
        let parts = [
            ("map", self.map == other.map),
            ("data sets", self.datasets == other.datasets),
            ("files", self.files == other.files),
        ];
        parts.iter().filter(|p| !p.1).map(|p| p.0).collect()
    }
}

/// The error of an operation that must fail.
pub fn refusal<T>(result: Result<T>) -> Option<PoolError> {
    result.err()
}
