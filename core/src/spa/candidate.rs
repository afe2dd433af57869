//! A pool by its labels alone: what can be said before the MOS is read.

use super::labels::{Found, Scan};
use super::vdev_config::{Health, VdevConfig};
use crate::base::{Guid, PoolError, PoolErrorKind, Result, Txg};
use crate::format::{Nvlist, feature};
use std_alloc::collections::BTreeMap;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Most top-level vdevs that a configuration may speak of.
const TOPS_MAX: u64 = 4096;

/// Which pool to open, and when.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// Pool name; needed when the devices hold several pools.
    pub name: Option<String>,
    /// Pool guid; for several pools of one name.
    pub guid: Option<Guid>,
    /// Take the best uberblock that is not newer than this.
    pub txg: Option<Txg>,
}

/// A pool as its labels show it.
#[derive(Clone)]
pub struct Candidate {
    /// Guid.
    pub guid: Guid,
    /// Name.
    pub name: String,
    /// Indices of its member devices in the scan.
    pub members: Vec<usize>,
    /// The uberblock to open it at; `None` when there is no good one.
    pub found: Option<Found>,
    /// The configuration that goes with the uberblock.
    pub config: Nvlist,
    /// The vdev tree of the labels, with devices.
    pub tree: VdevConfig,
    /// Things to know, the most important first.
    pub notes: Vec<String>,
    /// Why it cannot be opened.
    pub refusal: Option<PoolError>,
}

impl Candidate {
    /// What the labels of `members` say of pool `guid` at its best uberblock not above `limit`.
    pub fn new(scan: &Scan, guid: Guid, members: &[usize], limit: Option<Txg>) -> Self {
        let all = scan.uberblocks(members, limit.unwrap_or(Txg(u64::MAX)));
        let found = all.first().copied();
        let newest = || scan.members(members).find_map(|(_, d)| d.newest_config());
        let config = match &found {
            Some(found) => scan.config_for(members, found),
            None => newest(),
        };
        let config = config.cloned().unwrap_or_default();
        let name = config.text("name").unwrap_or("").to_string();
        let txg = found.map_or(Txg(u64::MAX), |f| f.uberblock.txg);
        let (mut tree, mut problems) = tree_of_labels(scan, guid, members, &config, txg);
        tree.path.clone_from(&name);
        tree.attach(scan, members);
        let mut candidate = Self {
            guid,
            name,
            members: members.to_vec(),
            found,
            config,
            tree,
            notes: Vec::new(),
            refusal: None,
        };
        candidate.refusal = candidate.refuse(limit).err();
        candidate.notes = candidate.label_notes(scan);
        candidate.notes.extend(candidate.unnamed_note());
        candidate.notes.append(&mut problems);
        candidate
    }

    /// SPA version.
    pub fn version(&self) -> u64 {
        let of_label = || self.config.u64("version").unwrap_or(0);
        self.found.map_or_else(of_label, |f| f.uberblock.version)
    }

    /// `active`, `exported` or `destroyed`.
    pub fn state(&self) -> &'static str {
        match self.config.u64("state") {
            Some(0) => "active",
            Some(1) => "exported",
            Some(2) => "destroyed",
            _ => "unknown",
        }
    }

    /// Host that wrote the labels; may be empty.
    pub fn hostname(&self) -> &str {
        self.config.text("hostname").unwrap_or("")
    }

    /// Errata number, 0 for none.
    pub fn errata(&self) -> u64 {
        self.config.u64("errata").unwrap_or(0)
    }

    fn refuse(&self, limit: Option<Txg>) -> Result<()> {
        let refused = |message: String| PoolError::new(PoolErrorKind::Unsupported, message);
        let version = self.version();
        if !matches!(version, 1..=28 | 5000) {
            return Err(refused(format!(
                "version {version} is not supported (this program reads 1 to 28 and 5000)"
            )));
        }
        if self.found.is_none() {
            let message = match limit {
                Some(txg) => format!("no uberblock of txg {txg} or older is left in the rings"),
                None => "no label holds a good uberblock".to_string(),
            };
            return Err(PoolError::new(PoolErrorKind::Damaged, message));
        }
        let needed = self.config.list("features_for_read");
        let needed = needed.into_iter().flat_map(Nvlist::iter).map(|(name, _)| name);
        let unknown: Vec<&str> = needed.filter(|n| !can_read(n)).collect();
        if !unknown.is_empty() {
            return Err(refused(format!(
                "the pool uses features that this program cannot read: {}",
                unknown.join(", ")
            )));
        }
        Ok(())
    }

    /// Sum of all guids by the uberblock; 0 without one.
    pub fn guid_sum(&self) -> u64 {
        self.found.map_or(0, |f| f.uberblock.guid_sum)
    }

    /// What the guids of vdevs that no label names add up to; `None` when all are named. Labels
    /// name only their own top-level vdev, old ones not even how many there are; the uberblock
    /// knows the sum of all guids.
    pub fn unnamed_guids(&self) -> Option<u64> {
        let found = self.found?;
        let rest = found.uberblock.guid_sum.wrapping_sub(self.tree.guid_sum());
        (rest != 0).then_some(rest)
    }

    fn unnamed_note(&self) -> Option<String> {
        let known = self.tree.children.iter().any(|c| c.kind == "missing");
        let rest = self.unnamed_guids().filter(|_| !known)?;
        Some(format!(
            "the pool has more vdevs than the labels name (guids that add up to {rest}): devices \
             are missing, or vdevs were removed"
        ))
    }

    /// What the labels tell beyond the tree.
    fn label_notes(&self, scan: &Scan) -> Vec<String> {
        let mut notes = Vec::new();
        match (self.state(), self.hostname()) {
            ("active", "") => notes.push(
                "the pool was not exported: it may be in use, and was last used by another host"
                    .to_string(),
            ),
            ("active", host) => notes.push(format!(
                "the pool was not exported: it was last used by another host ({host}) and may be \
                 in use there"
            )),
            ("destroyed", _) => notes.push("the pool was destroyed".to_string()),
            _ => {}
        }
        if let Some(note) = errata_note(self.errata()) {
            notes.push(note);
        }
        if self.tree.health() != Health::Online {
            let problems = self.tree.problems();
            notes.extend(problems);
        }
        for (_, device) in scan.members(&self.members) {
            for damage in device.damage() {
                if !notes.iter().any(|n| n.contains(&damage)) {
                    notes.push(damage);
                }
            }
        }
        notes
    }
}

/// Whether this program can read a pool in which feature `guid` is active.
pub fn can_read(guid: &str) -> bool {
    feature(guid).is_some_and(|f| f.readable)
}

/// An errata number in words; `None` for 0.
#[doc(alias = "zpool_errata")]
pub fn errata_note(errata: u64) -> Option<String> {
    let what = match errata {
        0 => return None,
        1 => "a scrub in progress was written in a broken form",
        2 => "an interrupted asynchronous destroy prevents import by some versions",
        3 => "encrypted data sets have the form before the release; OpenZFS only reads them",
        4 => "encrypted data sets lack their IV set numbers; bookmark features are off",
        _ => "unknown to this program",
    };
    Some(format!("errata {errata}: {what}"))
}

/// Joins the top-level trees that the labels hold: for each index the one of the newest label not
/// above `txg`, else the oldest one. Answers problems in words, too.
fn tree_of_labels(
    scan: &Scan,
    guid: Guid,
    members: &[usize],
    config: &Nvlist,
    txg: Txg,
) -> (VdevConfig, Vec<String>) {
    let mut problems = Vec::new();
    let mut tops: BTreeMap<u64, (u64, VdevConfig)> = BTreeMap::new();
    for (_, device) in scan.members(members) {
        let Some(label) = device.config(txg).or_else(|| device.newest_config()) else {
            continue;
        };
        let Some(list) = label.list("vdev_tree") else {
            continue;
        };
        let age = label.u64("txg").unwrap_or(0);
        match VdevConfig::parse(list) {
            Ok(top) if top.id < TOPS_MAX => {
                let better = tops.get(&top.id).is_none_or(|(old, _)| *old < age);
                if better {
                    tops.insert(top.id, (age, top));
                }
            }
            Ok(top) => problems.push(format!(
                "{}: top-level vdev {} is impossible",
                device.device.name(),
                top.id
            )),
            Err(e) => problems.push(format!("{}: {e}", device.device.name())),
        }
    }
    let holes = config.ints("hole_array").unwrap_or(&[]);
    let last = tops.keys().next_back().map_or(0, |id| id + 1);
    let count = config.u64("vdev_children").unwrap_or(0).max(last);
    let children = (0..count.min(TOPS_MAX)).map(|id| match tops.remove(&id) {
        Some((_, top)) => top,
        None if holes.contains(&id) => VdevConfig::hole(id),
        None => VdevConfig::missing(id),
    });
    (VdevConfig::root(guid, children.collect()), problems)
}
