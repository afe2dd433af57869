//! Pools, vdevs, labels and features.

use crate::base::{Guid, ObjectId, Txg};
use serde::{Deserialize, Serialize};
use std_alloc::string::String;
use std_alloc::vec::Vec;

/// What `scan` says of one pool, and the head of every other report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolView {
    /// Pool name.
    pub name: String,
    /// Pool guid.
    pub guid: Guid,
    /// `active`, `exported` or `destroyed`, as the labels say.
    pub state: String,
    /// `online`, `degraded`, or `faulted` when it cannot be opened.
    pub health: String,
    /// SPA version; 5000 for feature pools.
    pub version: u64,
    /// Txg of the chosen uberblock.
    pub txg: Txg,
    /// Time of that uberblock, seconds since 1970.
    pub timestamp: u64,
    /// `little` or `big`: byte order of that uberblock.
    pub endian: String,
    /// Host that wrote the labels; may be empty.
    pub hostname: String,
    /// Errata number of the labels, 0 for none.
    pub errata: u64,
    /// The vdev tree; the root is the pool itself.
    pub vdev_tree: VdevView,
    /// All devices whose label names this pool, spares and caches too.
    pub devices: Vec<DeviceView>,
    /// Features that are enabled or active.
    pub features: Vec<FeatureView>,
    /// Space by class; empty when the pool was only scanned.
    pub space: Vec<SpaceView>,
    /// Things a user should know, in words, the most important first.
    pub notes: Vec<String>,
    /// Why the pool cannot be opened; absent when it can.
    pub refusal: Option<String>,
}

/// One vdev of the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VdevView {
    /// `root`, `file`, `disk`, `mirror`, `raidz`, `spare`, `replacing`, `hole`, `missing`, ...
    pub kind: String,
    /// Name as `zpool status` shows it: `raidz1-0`, or the path of a leaf.
    pub name: String,
    /// Index in the parent.
    pub id: u64,
    /// Guid.
    pub guid: Guid,
    /// `online`, `degraded`, `faulted` or `missing`.
    pub health: String,
    /// `normal`, `log`, `special` or `dedup`; empty below top level.
    pub class: String,
    /// Parity devices of a raidz, else 0.
    pub nparity: u64,
    /// Sector shift of a top-level vdev, else 0.
    pub ashift: u64,
    /// Allocatable bytes of a top-level vdev, else 0.
    pub asize: u64,
    /// Metaslab size shift of a top-level vdev, else 0.
    pub metaslab_shift: u64,
    /// Object that lists the space maps of a top-level vdev, else 0.
    pub metaslab_array: ObjectId,
    /// Name of the device that was opened for a leaf; absent when none was.
    pub device: Option<String>,
    /// What is wrong with it, in words; may be empty.
    pub problem: String,
    /// Children in order.
    pub children: Vec<VdevView>,
}

/// One scanned device with its four labels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceView {
    /// Name given by the host.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// Leaf guid of the best label; 0 when no label is good.
    pub guid: Guid,
    /// `member`, `spare`, `cache`, `none`.
    pub role: String,
    /// The four labels.
    pub labels: Vec<LabelView>,
}

/// One of the four labels of a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelView {
    /// 0 to 3.
    pub index: u64,
    /// First byte on the device.
    pub offset: u64,
    /// Txg the label was written in; 0 when it is bad.
    pub txg: Txg,
    /// What is wrong with it; absent when its checksum and contents are good.
    pub problem: Option<String>,
    /// The configuration, one `key: value` a line, indented as `zdb -l` does; empty when bad.
    pub config: String,
    /// Slots of the uberblock ring that hold or held an uberblock, by slot.
    pub uberblocks: Vec<UberblockView>,
    /// Slots of the ring.
    pub slots: u64,
    /// Bytes of a slot.
    pub slot_size: u64,
}

/// One slot of an uberblock ring.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UberblockView {
    /// Slot in the ring.
    pub slot: u64,
    /// Txg it commits.
    pub txg: Txg,
    /// SPA version.
    pub version: u64,
    /// Sum of all vdev guids.
    pub guid_sum: u64,
    /// Seconds since 1970.
    pub timestamp: u64,
    /// `little` or `big`.
    pub endian: String,
    /// Root block pointer in `zdb`'s short form.
    pub rootbp: String,
    /// Whether this is the uberblock the pool was opened at.
    pub chosen: bool,
    /// What is wrong with it; absent when good.
    pub problem: Option<String>,
}

/// One feature flag.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeatureView {
    /// Full name, `org.illumos:lz4_compress`.
    pub guid: String,
    /// Reference count; 0 is enabled but not active.
    pub refcount: u64,
    /// Whether it is needed to read the pool (else only to write it).
    pub for_read: bool,
    /// Whether this program knows it.
    pub known: bool,
}

/// Space of one allocation class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpaceView {
    /// `normal`, `log`, `special`, `dedup`, `embedded_log`.
    pub class: String,
    /// Bytes in its metaslabs.
    pub size: u64,
    /// Allocated bytes, unflushed changes included.
    pub allocated: u64,
    /// Fragmentation in percent; absent where histograms are missing.
    pub fragmentation: Option<u64>,
}
