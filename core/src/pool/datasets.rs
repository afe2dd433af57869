//! Data sets as views.

use super::{Datasets, Pool};
use crate::base::{ObjectId, PoolError, PoolErrorKind, Result, Txg};
use crate::dmu::{Objset, zap_lookup};
use crate::dsl::{Dataset, find_dataset, walk_datasets};
use crate::format::ObjsetKind;
use crate::view::DatasetView;
use std_alloc::collections::BTreeMap;
use std_alloc::format;
use std_alloc::rc::Rc;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Encrypted data sets that a note names one by one.
const NAMES_MAX: usize = 8;

/// The word that views use for a kind of object set.
fn kind_name(kind: ObjsetKind) -> &'static str {
    match kind {
        ObjsetKind::Meta => "meta",
        ObjsetKind::Zfs => "filesystem",
        ObjsetKind::Zvol => "volume",
        ObjsetKind::Other => "other",
        ObjsetKind::Unknown(_) => "unknown",
    }
}

impl Pool {
    /// All data sets, walked once.
    pub(super) async fn walked(&self) -> Result<Datasets> {
        if let Some(known) = self.0.datasets.borrow().as_ref() {
            return Ok(known.clone());
        }
        let spa = &self.0.spa;
        let root = spa.root_directory()?;
        let walked = Rc::new(walk_datasets(&spa.mos, root, spa.name()).await);
        *self.0.datasets.borrow_mut() = Some(walked.clone());
        Ok(walked)
    }

    /// A sentence that names the encrypted data sets, if there are any.
    pub(super) async fn encryption_note(&self) -> Option<String> {
        let walked = self.walked().await.ok()?;
        let encrypted = walked.0.iter().filter(|d| d.is_encrypted());
        let names: Vec<&str> = encrypted.map(|d| d.name.as_str()).collect();
        let more = match names.len().saturating_sub(NAMES_MAX) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        let first = names.get(..names.len().min(NAMES_MAX)).unwrap_or(&[]);
        (!names.is_empty()).then(|| {
            format!(
                "{} data sets and snapshots are encrypted and no key is loaded: {}{more}",
                names.len(),
                first.join(", ")
            )
        })
    }

    /// Errata that encrypted data sets show and no label tells: 3 when a key object has no version
    /// (the form before the release), 4 when the pool has no second form of bookmarks.
    #[doc(alias = "dsl_dir_incompatible_encryption_version")]
    pub(super) async fn encryption_errata(&self) -> u64 {
        let Ok(walked) = self.walked().await else {
            return 0;
        };
        let mos = &self.0.spa.mos;
        for dataset in walked.0.iter().filter(|d| d.dir.encrypted && !d.snapshot) {
            let key = zap_lookup(mos, dataset.dir.id, b"com.datto:crypto_key_obj").await;
            let key = key.ok().flatten().and_then(|v| v.u64());
            let Some(key) = key else { continue };
            let version = zap_lookup(mos, ObjectId(key), b"DSL_CRYPTO_VERSION").await;
            if let Ok(None) = version {
                return 3;
            }
        }
        let enabled = |guid: &str| self.0.spa.features.iter().any(|f| f.guid == guid);
        match enabled("com.datto:encryption") && !enabled("com.datto:bookmark_v2") {
            true => 4,
            false => 0,
        }
    }

    pub(super) async fn dataset_views(&self) -> Result<Vec<DatasetView>> {
        let walked = self.walked().await?;
        let (datasets, problems) = (&walked.0, &walked.1);
        let snapshots = datasets.iter().filter(|d| d.snapshot);
        let origins: BTreeMap<_, _> = snapshots.map(|d| (d.id, d.name.as_str())).collect();
        let mut views = Vec::new();
        for dataset in datasets {
            let mut view = self.dataset_view(dataset).await;
            let origin = origins.get(&dataset.dir.phys.origin);
            if !dataset.snapshot {
                view.origin = origin.map(|name| (*name).to_string());
            }
            views.push(view);
        }
        let broken = problems.iter().map(|p| broken_view(&p.name, &p.error));
        views.extend(broken);
        Ok(views)
    }

    async fn dataset_view(&self, dataset: &Dataset) -> DatasetView {
        let phys = &dataset.phys;
        let mut view = DatasetView {
            name: dataset.name.clone(),
            id: dataset.id,
            kind: "unknown".to_string(),
            snapshot: dataset.snapshot,
            guid: phys.guid,
            creation_txg: phys.creation_txg,
            creation_time: phys.creation_time,
            used: if dataset.snapshot { phys.unique } else { dataset.dir.phys.used },
            referenced: phys.referenced,
            compressed: phys.compressed,
            uncompressed: phys.uncompressed,
            objects: if phys.bp.is_hole() { 0 } else { phys.bp.fill() },
            origin: None,
            encrypted: dataset.is_encrypted(),
            properties: dataset.properties.clone(),
            log_pending: false,
            problem: None,
        };
        if phys.flags & 1 != 0 {
            let what = "inconsistent: a receive into it, or its destruction, did not end";
            view.problem = Some(what.to_string());
        }
        if phys.bp.is_hole() {
            return view;
        }
        match Objset::open(&self.0.spa.reader, &phys.bp).await {
            Ok(objset) => {
                view.kind = kind_name(objset.phys().kind).to_string();
                view.log_pending = !objset.phys().zil.log.is_hole();
            }
            Err(e) => view.problem = Some(e.to_string()),
        }
        view
    }

    /// The object set called `dataset`; `mos` is the pool's own.
    pub(super) async fn objset(&self, dataset: &str) -> Result<(Objset, Option<Dataset>)> {
        let spa = &self.0.spa;
        if dataset == "mos" {
            return Ok((spa.mos.clone(), None));
        }
        let name = spa.name();
        let inside = dataset.strip_prefix(name);
        if !inside.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '@'])) {
            let message = format!("there is no data set {dataset} in pool {name}");
            return Err(PoolError::new(PoolErrorKind::NotFound, message));
        }
        let place = |e: PoolError| e.at(format!("data set {dataset}"));
        let found = find_dataset(&spa.mos, spa.root_directory()?, dataset).await?;
        if found.phys.bp.is_hole() {
            let message = "it has no contents yet";
            return Err(place(PoolError::new(PoolErrorKind::NotFound, message)));
        }
        let objset = Objset::open(&spa.reader, &found.phys.bp).await.map_err(place)?;
        Ok((objset, Some(found)))
    }
}

fn broken_view(name: &str, error: &PoolError) -> DatasetView {
    DatasetView {
        name: name.to_string(),
        id: Default::default(),
        kind: "unknown".to_string(),
        snapshot: name.contains('@'),
        guid: Default::default(),
        creation_txg: Txg(0),
        creation_time: 0,
        used: 0,
        referenced: 0,
        compressed: 0,
        uncompressed: 0,
        objects: 0,
        origin: None,
        encrypted: false,
        properties: Vec::new(),
        log_pending: false,
        problem: Some(error.to_string()),
    }
}
