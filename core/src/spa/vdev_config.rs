//! Vdev trees as configurations describe them, with the devices found for their leaves.
//!
//! ```text
//!   name-value list -> VdevConfig -> attach devices -> health, problems -> TopVdev
//! ```
//!
//! Invariant: a tree is at most [`MAX_DEPTH`] deep, so nothing here recurses without end.

use super::labels::Scan;
use crate::base::{FormatError, Guid, ObjectId};
use crate::dev::Device;
use crate::format::Nvlist;
use crate::vdev::{Leaf, TopVdev, Vdev, VdevKind};
use std_alloc::format;
use std_alloc::rc::Rc;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Levels of a vdev tree, root included: root, mirror, spare, replacing, leaf and some air.
const MAX_DEPTH: u32 = 8;

/// How well a vdev does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Health {
    /// Everything is there.
    #[default]
    Online,
    /// Something is missing, and redundancy covers it.
    Degraded,
    /// Data cannot be read.
    Faulted,
    /// A leaf without a device.
    Missing,
}

impl Health {
    /// The word that views use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Online => "online",
            Self::Degraded => "degraded",
            Self::Faulted => "faulted",
            Self::Missing => "missing",
        }
    }
}

/// One vdev by its configuration.
#[derive(Clone, Default)]
pub struct VdevConfig {
    /// Type by the configuration: `root`, `file`, `mirror`, ...
    pub kind: String,
    /// Index in the parent.
    pub id: u64,
    /// Guid.
    pub guid: Guid,
    /// Path of a leaf.
    pub path: String,
    /// Parity devices of a raidz, else 0.
    pub nparity: u64,
    /// Log2 of the sector of a top-level vdev.
    pub ashift: u64,
    /// Allocatable bytes of a top-level vdev.
    pub asize: u64,
    /// Log2 of a metaslab.
    pub metaslab_shift: u64,
    /// Object that lists the space maps; 0 for none.
    pub metaslab_array: ObjectId,
    /// `normal`, `log`, `special` or `dedup` at top level.
    pub class: String,
    /// ZAP of a top-level vdev; 0 for none.
    pub zap: ObjectId,
    /// Mapping object of a removed vdev; 0 for none.
    pub indirect_object: ObjectId,
    /// Whether a raidz is being or was made wider.
    pub expanded: bool,
    /// States the configuration notes: `offline`, `faulted`, ...
    pub states: Vec<&'static str>,
    /// Children in order.
    pub children: Vec<VdevConfig>,
    /// Device of a leaf.
    pub device: Option<Device>,
    /// Whether the device of its guid is there but cannot be used.
    pub unusable: bool,
    /// What is wrong, in words; may be empty.
    pub problem: String,
}

impl VdevConfig {
    /// Decodes a `vdev_tree`.
    pub fn parse(list: &Nvlist) -> Result<Self, FormatError> {
        Self::parse_at(list, 0)
    }

    fn parse_at(list: &Nvlist, depth: u32) -> Result<Self, FormatError> {
        if depth >= MAX_DEPTH {
            let expected = format!("at most {MAX_DEPTH} levels");
            return Err(FormatError::new("vdev tree", 0, &expected, "more"));
        }
        let number = |name| list.u64(name).unwrap_or(0);
        let kind = list.require_text("type")?.to_string();
        let children = list.lists("children").iter();
        let children: Result<Vec<_>, _> = children.map(|c| Self::parse_at(c, depth + 1)).collect();
        // Pools of version 1 and 2 leave the key out.
        let nparity = if kind == "raidz" { list.u64("nparity").unwrap_or(1) } else { 0 };
        let states = ["offline", "faulted", "degraded", "removed", "not_present"];
        Ok(Self {
            nparity,
            id: number("id"),
            guid: Guid(list.require_u64("guid")?),
            path: list.text("path").unwrap_or("").to_string(),
            ashift: number("ashift"),
            asize: number("asize"),
            metaslab_shift: number("metaslab_shift"),
            metaslab_array: ObjectId(number("metaslab_array")),
            class: if number("is_log") == 1 { "log" } else { "normal" }.to_string(),
            zap: ObjectId(number("com.delphix:vdev_zap_top")),
            indirect_object: ObjectId(number("com.delphix:indirect_object")),
            expanded: list.get("raidz_expanding").is_some()
                || list.get("raidz_expand_txgs").is_some(),
            states: states.into_iter().filter(|s| number(s) != 0).collect(),
            children: children?,
            kind,
            ..Self::default()
        })
    }

    /// A root over top-level vdevs.
    pub fn root(guid: Guid, children: Vec<Self>) -> Self {
        Self { kind: "root".to_string(), guid, children, ..Self::default() }
    }

    /// Stands for top-level vdev `id`, of which nothing is known.
    pub fn missing(id: u64) -> Self {
        Self {
            kind: "missing".to_string(),
            id,
            problem: "no device with its label was found".to_string(),
            ..Self::default()
        }
    }

    /// A slot that a removed log device left.
    pub fn hole(id: u64) -> Self {
        Self { kind: "hole".to_string(), id, ..Self::default() }
    }

    /// Whether it is a device or the place of one.
    pub fn is_leaf(&self) -> bool {
        matches!(self.kind.as_str(), "file" | "disk" | "dspare")
    }

    /// Name as `zpool status` shows it.
    pub fn name(&self) -> String {
        match self.kind.as_str() {
            "root" => self.path.clone(),
            "raidz" | "draid" => format!("{}{}-{}", self.kind, self.nparity, self.id),
            _ if self.is_leaf() && !self.path.is_empty() => self.path.clone(),
            _ if self.is_leaf() => format!("{}", self.guid),
            kind => format!("{kind}-{}", self.id),
        }
    }

    /// Sum of all guids of the tree, wrapping, as uberblocks keep it.
    pub fn guid_sum(&self) -> u64 {
        let children = self.children.iter().map(Self::guid_sum);
        children.fold(self.guid.0, u64::wrapping_add)
    }

    /// All leaves below.
    pub fn leaves(&self) -> Vec<&Self> {
        match self.is_leaf() {
            true => Vec::from([self]),
            false => self.children.iter().flat_map(Self::leaves).collect(),
        }
    }

    /// Gives every leaf the device of its guid among `members` of `scan`. A device that is too
    /// small for its vdev is not used.
    pub fn attach(&mut self, scan: &Scan, members: &[usize]) {
        for top in &mut self.children {
            let whole = match top.metaslab_shift {
                shift @ 1..=63 => top.asize >> shift << shift,
                _ => top.asize,
            };
            top.attach_below(scan, members, whole);
        }
    }

    fn attach_below(&mut self, scan: &Scan, members: &[usize], least: u64) {
        if self.is_leaf() {
            return self.attach_leaf(scan, members, least);
        }
        let count = self.children.len() as u64;
        let least = match self.kind.as_str() {
            "raidz" => least.div_ceil(count.max(1)),
            "mirror" | "spare" | "replacing" => least,
            _ => 0,
        };
        for child in &mut self.children {
            child.attach_below(scan, members, least);
        }
    }

    fn attach_leaf(&mut self, scan: &Scan, members: &[usize], least: u64) {
        let mine = scan.members(members).map(|(_, d)| d);
        // Of two copies of a device the one with the newest label.
        let txg = |d: &&super::labels::DeviceScan| d.newest_config().and_then(|c| c.u64("txg"));
        let found = mine.filter(|d| d.guid() == self.guid).max_by_key(txg);
        let Some(found) = found else {
            self.problem = "no device with its label was found".to_string();
            return;
        };
        if found.asize() < least {
            self.unusable = true;
            self.problem = format!(
                "{} is too small: {} allocatable bytes, the vdev needs {least}",
                found.device.name(),
                found.asize()
            );
            return;
        }
        self.device = Some(found.device.clone());
        if let Some(state) = self.states.first() {
            self.problem = format!("the pool notes it as {state}");
        } else if let Some(first) = found.damage().into_iter().next() {
            self.problem = first;
        }
    }

    /// How well the vdev does.
    pub fn health(&self) -> Health {
        if self.is_leaf() {
            return match (&self.device, self.unusable) {
                (Some(_), _) if self.states.is_empty() => Health::Online,
                (Some(_), _) => Health::Degraded,
                (None, true) => Health::Faulted,
                (None, false) => Health::Missing,
            };
        }
        let below: Vec<Health> = self.children.iter().map(Self::health).collect();
        let failed = |h: &Health| *h >= Health::Faulted;
        let tolerated = match self.kind.as_str() {
            "mirror" | "spare" | "replacing" => below.len().saturating_sub(1),
            "raidz" => self.nparity as usize,
            "hole" | "indirect" => return Health::Online,
            "missing" => return Health::Missing,
            // Everything but the log is needed; without the log only the last writes are lost.
            "root" => {
                let mut pairs = self.children.iter().zip(&below);
                match pairs.any(|(c, h)| c.class != "log" && failed(h)) {
                    true => 0,
                    false => below.len(),
                }
            }
            _ => return Health::Faulted,
        };
        if below.iter().all(|h| *h == Health::Online) {
            Health::Online
        } else if below.iter().filter(|h| failed(h)).count() <= tolerated {
            Health::Degraded
        } else {
            Health::Faulted
        }
    }

    /// The vdev as reads go through it.
    pub fn build(&self) -> Vdev {
        let children = || self.children.iter().map(Self::build).collect::<Vec<_>>();
        let kind = match self.kind.as_str() {
            _ if self.is_leaf() => VdevKind::Leaf(Rc::new(Leaf::new(
                self.guid,
                self.path.clone(),
                self.device.clone(),
            ))),
            "mirror" | "spare" | "replacing" => VdevKind::Mirror(children()),
            "raidz" => self.build_raidz(children()),
            "hole" | "missing" => VdevKind::Empty(self.kind.clone()),
            other => VdevKind::Unsupported(format!("vdevs of type {other} are not read")),
        };
        Vdev { kind, guid: self.guid }
    }

    fn build_raidz(&self, children: Vec<Vdev>) -> VdevKind {
        let width = children.len() as u64;
        match (self.nparity, self.expanded) {
            (_, true) => VdevKind::Unsupported("an expanded raidz is not read".to_string()),
            (1..=3, _) if width > self.nparity && width <= 255 => {
                VdevKind::Raidz { nparity: self.nparity as u32, children }
            }
            (parity, _) => VdevKind::Unsupported(format!(
                "a raidz of {width} devices with {parity} for parity is impossible"
            )),
        }
    }

    /// The top-level vdev as reads go through it.
    pub fn build_top(&self) -> TopVdev {
        TopVdev {
            id: self.id,
            vdev: self.build(),
            ashift: self.ashift.clamp(9, 16) as u32,
            asize: self.asize,
            metaslab_shift: self.metaslab_shift.min(63) as u32,
            metaslab_array: self.metaslab_array,
            class: self.class.clone(),
        }
    }

    /// A sentence for each vdev with a problem.
    pub fn problems(&self) -> Vec<String> {
        let mut all = Vec::new();
        if !self.problem.is_empty() {
            all.push(format!("{} (guid {}): {}", self.name(), self.guid, self.problem));
        }
        all.extend(self.children.iter().flat_map(Self::problems));
        all
    }
}
