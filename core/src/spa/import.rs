//! From labels to an open pool: uberblock, MOS, trusted configuration, features.

use super::candidate::{Candidate, ImportOptions, can_read};
use super::labels::{Role, Scan};
use super::mos::{Directory, FeatureState, read_features, read_nvlist};
use super::vdev_config::{Health, VdevConfig};
use crate::base::{Guid, ObjectId, PoolError, PoolErrorKind, Result, Txg};
use crate::cache::Reader;
use crate::dmu::{Objset, zap_lookup};
use crate::format::{Blkptr, Nvlist, Uberblock, feature};
use crate::rt::Rt;
use crate::zio::Zio;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Older uberblocks that are tried to give advice.
const ADVICE_TRIES: usize = 64;
/// Most top-level vdevs that a configuration may name.
const TOPS_MAX: u64 = 4096;

/// An open pool, read-only.
pub struct Spa {
    /// What the labels said.
    pub candidate: Candidate,
    /// All devices that were looked at.
    pub scan: Scan,
    /// Indices in the scan of members, spares and caches of this pool.
    pub devices: Vec<usize>,
    /// The uberblock it was opened at.
    pub uberblock: Uberblock,
    /// The vdev tree of the MOS, with devices.
    pub tree: VdevConfig,
    /// The configuration of the MOS.
    pub config: Nvlist,
    /// Reads its blocks.
    pub reader: Reader,
    /// The pool's own objects.
    pub mos: Objset,
    /// The object directory.
    pub directory: Directory,
    /// Features that are enabled or active.
    pub features: Vec<FeatureState>,
    /// Pool properties that were set, as text.
    pub properties: Vec<(String, String)>,
    /// Things to know, the most important first.
    pub notes: Vec<String>,
}

/// The pool that `options` ask for.
fn choose(scan: &Scan, options: &ImportOptions) -> Result<Candidate> {
    let pools = scan.pools();
    let all = pools.iter().map(|(guid, members)| Candidate::new(scan, *guid, members, options.txg));
    let all: Vec<Candidate> = all.collect();
    if all.is_empty() {
        let message = match scan.devices.len() {
            0 => "no device is given".to_string(),
            1 => "the device holds no pool".to_string(),
            n => format!("none of the {n} devices holds a pool"),
        };
        return Err(PoolError::new(PoolErrorKind::NotAPool, message));
    }
    let wanted = |c: &&Candidate| {
        options.name.as_ref().is_none_or(|name| *name == c.name)
            && options.guid.is_none_or(|guid| guid == c.guid)
    };
    let names = |all: &[&Candidate]| -> String {
        let names = all.iter().map(|c| format!("{} ({})", c.name, c.guid));
        names.collect::<Vec<_>>().join(", ")
    };
    let fitting: Vec<&Candidate> = all.iter().filter(wanted).collect();
    match fitting.as_slice() {
        [one] => Ok((*one).clone()),
        [] => {
            let all: Vec<_> = all.iter().collect();
            let message = format!("no such pool; here are {}", names(&all));
            Err(PoolError::new(PoolErrorKind::NotFound, message))
        }
        many => {
            let message = format!("the devices hold several pools: {}", names(many));
            let advice = "choose one by name or guid";
            Err(PoolError::new(PoolErrorKind::Usage, message).next_step(advice))
        }
    }
}

impl Spa {
    /// Opens the pool that `options` ask for, from devices that were scanned. Never writes.
    ///
    /// # Errors
    /// No such pool; a version, feature or vdev that is not read; devices missing beyond
    /// redundancy; a MOS that cannot be read, with the next older uberblock that can.
    pub async fn import(rt: &Rt, scan: Scan, options: &ImportOptions) -> Result<Self> {
        let candidate = choose(&scan, options)?;
        let place = format!("pool {}", candidate.name);
        if let Some(refusal) = &candidate.refusal {
            return Err(refusal.clone().at(place));
        }
        let Some(found) = candidate.found else {
            return Err(PoolError::damaged(place, "no label holds a good uberblock"));
        };
        let opened = open_at(rt, &scan, &candidate, &found.uberblock).await;
        let opened = match opened {
            Ok(opened) => opened,
            Err(e) => return Err(advise(rt, &scan, &candidate, options, e).await.at(place)),
        };
        Self::finish(scan, candidate, found.uberblock, opened).await.map_err(|e| e.at(place))
    }

    async fn finish(
        scan: Scan,
        candidate: Candidate,
        uberblock: Uberblock,
        opened: Opened,
    ) -> Result<Self> {
        let Opened { mut tree, config, mos, directory } = opened;
        let mut notes = candidate.notes.clone();
        if candidate.tree.health() == Health::Online && tree.health() != Health::Online {
            notes.extend(tree.problems());
        }
        let sum = tree.guid_sum();
        if sum != uberblock.guid_sum {
            notes.push(format!(
                "the guids of the vdev tree add up to {sum}, the uberblock says {}; OpenZFS would \
                 refuse to import",
                uberblock.guid_sum
            ));
        }
        let features = read_features(&mos, &directory).await?;
        refuse_unknown(&features, &mut notes)?;
        read_classes(&mos, &mut tree, &mut notes).await;
        let mut devices = candidate.members.clone();
        for key in ["spares", "l2cache"] {
            if let Err(e) = find_extra(&mos, &directory, key, &scan, &mut devices).await {
                notes.push(format!("the list of {key} cannot be read: {e}"));
            }
        }
        let properties = read_properties(&mos, &directory).await;
        let properties = properties.unwrap_or_else(|e| {
            notes.push(format!("the pool properties cannot be read: {e}"));
            Vec::new()
        });
        let salt = directory.salt();
        let zio = Zio::new(
            mos.reader().zio().rt(),
            tree.children.iter().map(VdevConfig::build_top).collect(),
        );
        zio.set_salt(salt);
        let reader = Reader::new(zio);
        let mos = Objset::open(&reader, &uberblock.rootbp).await?;
        Ok(Self {
            candidate,
            scan,
            devices,
            uberblock,
            tree,
            config,
            reader,
            mos,
            directory,
            features,
            properties,
            notes,
        })
    }

    /// Guid of the pool.
    pub fn guid(&self) -> Guid {
        self.candidate.guid
    }

    /// Name of the pool.
    pub fn name(&self) -> &str {
        &self.candidate.name
    }

    /// Errata number of the configuration or the labels, 0 for none.
    pub fn errata(&self) -> u64 {
        let own = self.config.u64("errata").unwrap_or(0);
        if own != 0 { own } else { self.candidate.errata() }
    }

    /// Directory that all data sets are below.
    pub fn root_directory(&self) -> Result<ObjectId> {
        let root = self.directory.object("root_dataset");
        root.ok_or_else(|| {
            PoolError::damaged("object directory", "it names no root of the data sets")
        })
    }

    /// Reference count of feature `guid`; 0 when it is not enabled.
    pub fn refcount(&self, guid: &str) -> u64 {
        let found = self.features.iter().find(|f| f.guid == guid);
        found.map_or(0, |f| f.refcount)
    }
}

/// What the first look at the MOS gives.
struct Opened {
    tree: VdevConfig,
    config: Nvlist,
    mos: Objset,
    directory: Directory,
}

/// A reader over the devices of `tree`.
fn reader(rt: &Rt, tree: &VdevConfig) -> Reader {
    let tops = tree.children.iter().map(VdevConfig::build_top).collect();
    Reader::new(Zio::new(rt, tops))
}

/// Opens the MOS at `uberblock` with the labels' tree, reads the configuration, and opens the MOS
/// again with the tree it describes.
async fn open_at(
    rt: &Rt,
    scan: &Scan,
    candidate: &Candidate,
    uberblock: &Uberblock,
) -> Result<Opened> {
    let blame = |e: PoolError| match candidate.unnamed_guids() {
        _ if candidate.tree.health() >= Health::Faulted => missing(&candidate.tree),
        Some(sum) if uberblock.guid_sum == candidate.guid_sum() => unnamed(sum, &e),
        _ => e.at(format!("MOS of txg {}", uberblock.txg)),
    };
    let labels = reader(rt, &candidate.tree);
    let (config, directory) = read_config(&labels, &uberblock.rootbp).await.map_err(blame)?;
    let list = config
        .list("vdev_tree")
        .ok_or_else(|| PoolError::damaged("pool configuration", "it has no vdev_tree"))?;
    let mut tree = VdevConfig::parse(list)?;
    tree.path.clone_from(&candidate.name);
    by_index(&mut tree)?;
    tree.attach(scan, &candidate.members);
    if tree.health() >= Health::Faulted {
        return Err(missing(&tree));
    }
    let reader = reader(rt, &tree);
    reader.zio().set_salt(directory.salt());
    let mos = Objset::open(&reader, &uberblock.rootbp).await?;
    Ok(Opened { tree, config, mos, directory })
}

/// The configuration and the object directory of the MOS at `rootbp`.
async fn read_config(reader: &Reader, rootbp: &Blkptr) -> Result<(Nvlist, Directory)> {
    let mos = Objset::open(reader, rootbp).await?;
    let directory = Directory::read(&mos).await?;
    let object = directory
        .object("config")
        .ok_or_else(|| PoolError::damaged("object directory", "it names no pool configuration"))?;
    let config = read_nvlist(&mos, object).await.map_err(|e| e.at("pool configuration"))?;
    Ok((config, directory))
}

/// Puts the top-level vdevs where DVAs look for them: at the index of their id.
fn by_index(tree: &mut VdevConfig) -> Result<()> {
    let mut tops = core::mem::take(&mut tree.children);
    tops.sort_by_key(|t| t.id);
    for top in tops {
        if top.id >= TOPS_MAX || top.id < tree.children.len() as u64 {
            let message = format!("top-level vdev {} is there twice or impossible", top.id);
            return Err(PoolError::damaged("pool configuration", message));
        }
        while (tree.children.len() as u64) < top.id {
            let id = tree.children.len() as u64;
            tree.children.push(VdevConfig::missing(id));
        }
        tree.children.push(top);
    }
    Ok(())
}

/// The refusal for a tree with too little left.
fn missing(tree: &VdevConfig) -> PoolError {
    let faulted = tree.children.iter().filter(|t| t.health() >= Health::Faulted);
    let problems: Vec<String> = faulted.flat_map(why_faulted).collect();
    let message =
        format!("devices are missing beyond what redundancy covers: {}", problems.join("; "));
    PoolError::new(PoolErrorKind::Missing, message)
        .next_step("give all devices of the pool, also those in other folders")
}

/// The refusal when labels do not even name what is missing, with the error that came of it.
fn unnamed(sum: u64, error: &PoolError) -> PoolError {
    let message = format!(
        "devices are missing that no label here names; their guids add up to {sum}, which is the \
         guid itself if it is one device. Without them: {error}"
    );
    PoolError::new(PoolErrorKind::Missing, message)
        .next_step("give all devices of the pool, also those in other folders")
}

fn why_faulted(top: &VdevConfig) -> Vec<String> {
    let problems = top.problems();
    match problems.is_empty() {
        true => Vec::from([format!("{} cannot be read", top.name())]),
        false => problems,
    }
}

/// The error with advice on the next older uberblock whose MOS can be read.
async fn advise(
    rt: &Rt,
    scan: &Scan,
    candidate: &Candidate,
    options: &ImportOptions,
    error: PoolError,
) -> PoolError {
    if matches!(error.kind(), PoolErrorKind::Missing | PoolErrorKind::Unsupported) {
        return error;
    }
    let failed = candidate.found.map_or(0, |f| f.uberblock.txg.0);
    let limit = Txg(options.txg.map_or(failed, |t| t.0.min(failed)).saturating_sub(1));
    let older = scan.uberblocks(&candidate.members, limit);
    for found in older.iter().take(ADVICE_TRIES) {
        if open_at(rt, scan, candidate, &found.uberblock).await.is_ok() {
            let txg = found.uberblock.txg;
            return error.next_step(format!("the pool can be read at txg {txg}: use --txg {txg}"));
        }
    }
    error.next_step("no older uberblock leads to a readable MOS either")
}

/// Refuses features that are needed to read and not known; notes those needed to write.
fn refuse_unknown(features: &[FeatureState], notes: &mut Vec<String>) -> Result<()> {
    let active = features.iter().filter(|f| f.refcount > 0);
    let (read, write): (Vec<_>, Vec<_>) = active.partition(|f| f.for_read);
    let unread: Vec<&str> =
        read.iter().map(|f| f.guid.as_str()).filter(|guid| !can_read(guid)).collect();
    if !unread.is_empty() {
        let message =
            format!("the pool uses features that this program cannot read: {}", unread.join(", "));
        return Err(PoolError::new(PoolErrorKind::Unsupported, message));
    }
    let unknown = write.iter().filter(|f| feature(&f.guid).is_none());
    let unknown: Vec<&str> = unknown.map(|f| f.guid.as_str()).collect();
    if !unknown.is_empty() {
        notes.push(format!(
            "features unknown to this program are active; they do not change how data are read: {}",
            unknown.join(", ")
        ));
    }
    Ok(())
}

/// Takes the allocation class of each top-level vdev from its ZAP.
async fn read_classes(mos: &Objset, tree: &mut VdevConfig, notes: &mut Vec<String>) {
    for top in &mut tree.children {
        if top.zap == ObjectId(0) {
            continue;
        }
        match zap_lookup(mos, top.zap, b"org.zfsonlinux:allocation_bias").await {
            Ok(value) => {
                if let Some(class) = value.and_then(|v| v.text()) {
                    top.class = class;
                }
            }
            Err(e) => {
                notes.push(format!("the allocation class of {} cannot be read: {e}", top.name()))
            }
        }
    }
}

/// Adds the spares or caches of list `key` that are among the scanned devices.
async fn find_extra(
    mos: &Objset,
    directory: &Directory,
    key: &str,
    scan: &Scan,
    devices: &mut Vec<usize>,
) -> Result<()> {
    let Some(object) = directory.object(key) else {
        return Ok(());
    };
    let list = read_nvlist(mos, object).await?;
    let role = if key == "spares" { Role::Spare } else { Role::Cache };
    for extra in list.lists(key) {
        let guid = extra.u64("guid").map(Guid);
        let found = scan.devices.iter().position(|d| d.role() == role && Some(d.guid()) == guid);
        devices.extend(found.filter(|index| !devices.contains(index)));
    }
    Ok(())
}

async fn read_properties(mos: &Objset, directory: &Directory) -> Result<Vec<(String, String)>> {
    let Some(object) = directory.object("pool_props") else {
        return Ok(Vec::new());
    };
    let entries = crate::dmu::zap_entries(mos, object).await?;
    let text = |e: &crate::format::ZapEntry| match e.value.u64() {
        Some(n) if e.value.int_size == 8 => n.to_string(),
        _ => e.value.text().unwrap_or_default(),
    };
    let mut all: Vec<_> = entries.iter().map(|e| (e.name_text(), text(e))).collect();
    all.sort();
    Ok(all)
}
