//! The vdev tree: which devices make up which top-level vdev, and what is missing.

use super::leaf::Leaf;
use crate::base::{Guid, ObjectId, SECTOR_SHIFT};
use std_alloc::format;
use std_alloc::rc::Rc;
use std_alloc::string::String;
use std_alloc::vec;
use std_alloc::vec::Vec;

/// A vdev below a top-level one, or the top-level one itself.
pub struct Vdev {
    /// What it is.
    pub kind: VdevKind,
    /// Guid by the configuration.
    pub guid: Guid,
}

/// The kinds of vdev.
pub enum VdevKind {
    /// A device.
    Leaf(Rc<Leaf>),
    /// Sides that hold the same bytes: mirror, replacing, spare.
    Mirror(Vec<Vdev>),
    /// Columns with parity. Invariant: 1 to 255 children, more than parity.
    Raidz {
        /// Parity columns, 1 to 3.
        nparity: u32,
        /// Children in order.
        children: Vec<Vdev>,
    },
    /// A slot without space, and its name: hole or missing.
    Empty(String),
    /// A kind that is not read here, and why.
    Unsupported(String),
}

/// A top-level vdev.
pub struct TopVdev {
    /// Index in the pool.
    pub id: u64,
    /// The tree below.
    pub vdev: Vdev,
    /// Log2 of the sector, 9 to 16.
    pub ashift: u32,
    /// Allocatable bytes.
    pub asize: u64,
    /// Log2 of a metaslab.
    pub metaslab_shift: u32,
    /// Object that lists the space maps; 0 when there is none.
    pub metaslab_array: ObjectId,
    /// `normal`, `log`, `special` or `dedup`.
    pub class: String,
}

impl Vdev {
    /// Whether all data are there: enough children for the redundancy.
    pub fn is_readable(&self) -> bool {
        match &self.kind {
            VdevKind::Leaf(leaf) => leaf.device.is_some(),
            VdevKind::Mirror(sides) => sides.iter().any(Self::is_readable),
            VdevKind::Raidz { nparity, children } => {
                children.iter().filter(|c| !c.is_readable()).count() <= *nparity as usize
            }
            VdevKind::Empty(_) => true,
            VdevKind::Unsupported(_) => false,
        }
    }

    /// Whether nothing is missing at all.
    pub fn is_whole(&self) -> bool {
        match &self.kind {
            VdevKind::Leaf(leaf) => leaf.device.is_some(),
            VdevKind::Mirror(all) | VdevKind::Raidz { children: all, .. } => {
                all.iter().all(Self::is_whole)
            }
            VdevKind::Empty(_) => true,
            VdevKind::Unsupported(_) => false,
        }
    }

    /// All leaves below, in order.
    pub fn leaves(&self) -> Vec<&Rc<Leaf>> {
        match &self.kind {
            VdevKind::Leaf(leaf) => vec![leaf],
            VdevKind::Mirror(all) | VdevKind::Raidz { children: all, .. } => {
                all.iter().flat_map(Self::leaves).collect()
            }
            VdevKind::Empty(_) | VdevKind::Unsupported(_) => Vec::new(),
        }
    }

    /// Notes that bytes of this vdev did not pass their checksum.
    pub(super) fn blame(&self) {
        for leaf in self.leaves() {
            leaf.blame();
        }
    }

    /// Name for messages: the first device, or what it is.
    pub fn label(&self) -> String {
        match (&self.kind, self.leaves().first()) {
            (VdevKind::Empty(what), _) => format!("{what} vdev"),
            (_, Some(leaf)) => leaf.name(),
            _ => format!("vdev {}", self.guid),
        }
    }
}

impl TopVdev {
    /// Bytes of a sector.
    pub fn sector(&self) -> u64 {
        1 << self.ashift.min(63)
    }

    /// Allocated bytes of a block of `psize` bytes on this vdev.
    #[doc(alias = "vdev_psize_to_asize")]
    pub fn asize_of(&self, psize: u64) -> u64 {
        let sectors = psize.div_ceil(1 << self.ashift);
        let total = match &self.vdev.kind {
            VdevKind::Raidz { nparity, children } => {
                let parity = u64::from(*nparity);
                let data = (children.len() as u64).saturating_sub(parity).max(1);
                (sectors + parity * sectors.div_ceil(data)).next_multiple_of(parity + 1)
            }
            _ => sectors,
        };
        total << self.ashift
    }

    /// What 512 allocated bytes count in `used` figures: 512 but for raidz, where less.
    #[doc(alias = "vdev_deflate_ratio")]
    pub fn deflate_ratio(&self) -> u64 {
        (1 << 17) / (self.asize_of(1 << 17) >> SECTOR_SHIFT).max(1)
    }

    /// Metaslabs on it.
    pub fn metaslab_count(&self) -> u64 {
        match self.metaslab_array {
            ObjectId(0) => 0,
            _ => self.asize.checked_shr(self.metaslab_shift).unwrap_or(0),
        }
    }
}
