//! The labels of devices: read, told apart, grouped into pools.
//!
//! ```text
//!   device -- 4 labels -- configuration -> pool guid, leaf guid, role
//!                      -- ring          -> uberblocks -> the best one
//! ```
//!
//! A label is believed as far as its checksum goes and no further: the configuration it holds only
//! serves to find the MOS, which holds the true one.

use crate::base::{Guid, Txg};
use crate::dev::Device;
use crate::format::{LABEL_SIZE, LABELS, Label, Nvlist, Uberblock, label_offset};
use std_alloc::collections::BTreeMap;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Bytes of a device that hold no allocatable space: four labels and the boot area.
const LABELS_AND_BOOT: u64 = 0x48_0000;

/// What a device is for, by its best label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Part of the vdev tree of a pool.
    Member,
    /// A hot spare.
    Spare,
    /// A level-2 cache.
    Cache,
    /// No label names a pool.
    Stranger,
}

impl Role {
    /// The word that views use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Spare => "spare",
            Self::Cache => "cache",
            Self::Stranger => "none",
        }
    }
}

/// One label of a device as it was found.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelScan {
    /// 0 to 3.
    pub index: u64,
    /// First byte on the device; 0 when the device is too small to have it.
    pub offset: u64,
    /// The label, or why it could not be read at all.
    pub label: Result<Label, String>,
}

impl LabelScan {
    /// The configuration, when checksum and contents are good.
    pub fn config(&self) -> Option<&Nvlist> {
        self.label.as_ref().ok()?.config.as_ref().ok()
    }

    /// Txg the configuration was written in.
    pub fn txg(&self) -> Option<Txg> {
        self.config()?.u64("txg").map(Txg)
    }

    /// What is wrong with the label; `None` when nothing is.
    pub fn problem(&self) -> Option<String> {
        match &self.label {
            Err(why) => Some(why.clone()),
            Ok(label) => label.config.as_ref().err().map(ToString::to_string),
        }
    }

    /// The good uberblocks of the ring.
    pub fn uberblocks(&self) -> impl Iterator<Item = (u64, &Uberblock)> {
        let ring = self.label.iter().flat_map(|l| &l.ring);
        ring.filter_map(|slot| Some((slot.index, slot.uberblock.as_ref().ok()?)))
    }
}

/// A device with its four labels.
#[derive(Clone)]
pub struct DeviceScan {
    /// The device.
    pub device: Device,
    /// Labels 0 to 3.
    pub labels: Vec<LabelScan>,
}

impl DeviceScan {
    /// Reads the labels of `device`.
    pub async fn read(device: &Device) -> Self {
        let rt = device.rt().clone();
        let bytes = rt.join((0..LABELS).map(|index| read_label(device, index))).await;
        let parse = |hint: Option<u64>| -> Vec<LabelScan> {
            let labels = (0..LABELS).zip(&bytes);
            labels
                .map(|(index, (offset, bytes))| LabelScan {
                    index,
                    offset: *offset,
                    label: bytes
                        .as_ref()
                        .map(|b| Label::parse(b, *offset, hint))
                        .map_err(Clone::clone),
                })
                .collect()
        };
        let mut labels = parse(None);
        // A label whose own configuration is bad learns the slot size from its neighbours.
        let bad = labels.iter().any(|l| l.config().is_none());
        let mut configs = labels.iter().filter_map(LabelScan::config);
        let ashift = configs.find_map(|c| c.list("vdev_tree")?.u64("ashift"));
        if bad && ashift.is_some() {
            labels = parse(ashift);
        }
        Self { device: device.clone(), labels }
    }

    /// The configuration with the highest txg that is not above `limit`. Labels of txg 0, which
    /// name a device that is not yet part of its pool, come last.
    pub fn config(&self, limit: Txg) -> Option<&Nvlist> {
        let good = self.labels.iter().filter_map(LabelScan::config);
        good.filter(|c| Txg(c.u64("txg").unwrap_or(0)) <= limit)
            .max_by_key(|c| c.u64("txg").unwrap_or(0))
    }

    /// The configuration with the highest txg.
    pub fn newest_config(&self) -> Option<&Nvlist> {
        self.config(Txg(u64::MAX))
    }

    /// What the device is for.
    pub fn role(&self) -> Role {
        let Some(config) = self.newest_config() else {
            return Role::Stranger;
        };
        match config.u64("state") {
            Some(3) => Role::Spare,
            Some(4) => Role::Cache,
            _ => match (config.u64("pool_guid"), config.list("vdev_tree")) {
                (Some(_), Some(_)) => Role::Member,
                _ => Role::Stranger,
            },
        }
    }

    /// Guid of the leaf by its newest label; 0 when no label is good.
    pub fn guid(&self) -> Guid {
        Guid(self.newest_config().and_then(|c| c.u64("guid")).unwrap_or(0))
    }

    /// Guid of the pool it is a member of.
    pub fn pool_guid(&self) -> Option<Guid> {
        match self.role() {
            Role::Member => self.newest_config()?.u64("pool_guid").map(Guid),
            _ => None,
        }
    }

    /// Bytes of allocatable space; 0 when there is no room for any.
    pub fn asize(&self) -> u64 {
        let whole = self.device.size() / LABEL_SIZE * LABEL_SIZE;
        whole.saturating_sub(LABELS_AND_BOOT)
    }

    /// A sentence for each bad label of a device whose other labels are good.
    pub fn damage(&self) -> Vec<String> {
        if self.newest_config().is_none() {
            return Vec::new();
        }
        let bad = self.labels.iter().filter_map(|l| {
            let why = l.problem()?;
            Some(format!("label {} of {} is bad: {why}", l.index, self.device.name()))
        });
        bad.collect()
    }
}

async fn read_label(device: &Device, index: u64) -> (u64, Result<Vec<u8>, String>) {
    let Some(offset) = label_offset(index, device.size()) else {
        return (0, Err("the device is too small to have it".to_string()));
    };
    let bytes = device.read(offset, LABEL_SIZE as u32).await;
    (offset, bytes.map_err(|e| format!("bytes {offset:#x}+{LABEL_SIZE:#x}: {e}")))
}

/// Where a good uberblock stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The uberblock.
    pub uberblock: Uberblock,
    /// Index of the device in the scan.
    pub device: usize,
    /// Label 0 to 3.
    pub label: u64,
    /// Slot in the ring.
    pub slot: u64,
}

/// All devices given, with their labels.
#[derive(Clone, Default)]
pub struct Scan {
    /// The devices in the order given.
    pub devices: Vec<DeviceScan>,
}

impl Scan {
    /// Reads the labels of all `devices`.
    pub async fn read(devices: &[Device]) -> Self {
        let devices = match devices.first() {
            Some(first) => {
                let rt = first.rt().clone();
                rt.join(devices.iter().map(DeviceScan::read)).await
            }
            None => Vec::new(),
        };
        Self { devices }
    }

    /// Guids of the pools found, with the indices of their member devices.
    pub fn pools(&self) -> BTreeMap<Guid, Vec<usize>> {
        let mut pools: BTreeMap<Guid, Vec<usize>> = BTreeMap::new();
        for (index, device) in self.devices.iter().enumerate() {
            if let Some(guid) = device.pool_guid() {
                pools.entry(guid).or_default().push(index);
            }
        }
        pools
    }

    /// The members among `devices` with their indices.
    pub fn members<'a, 'b>(
        &'a self,
        devices: &'b [usize],
    ) -> impl Iterator<Item = (usize, &'a DeviceScan)> + use<'a, 'b> {
        devices.iter().filter_map(|&index| Some((index, self.devices.get(index)?)))
    }

    /// Every good uberblock not above `limit` on `devices`, best first; equal ones only once.
    pub fn uberblocks(&self, devices: &[usize], limit: Txg) -> Vec<Found> {
        let mut all: Vec<Found> = Vec::new();
        for (device, scan) in self.members(devices) {
            // A label left over from another pool keeps that pool's uberblocks.
            let pool = scan.pool_guid().map(|g| g.0);
            let foreign = |l: &&LabelScan| l.config().is_some_and(|c| c.u64("pool_guid") != pool);
            for label in scan.labels.iter().filter(|l| !foreign(l)) {
                all.extend(label.uberblocks().map(|(slot, uberblock)| Found {
                    uberblock: *uberblock,
                    device,
                    label: label.index,
                    slot,
                }));
            }
        }
        all.retain(|f| f.uberblock.txg <= limit);
        all.sort_by(|a, b| {
            match (
                a.uberblock.is_better_than(&b.uberblock),
                b.uberblock.is_better_than(&a.uberblock),
            ) {
                (true, _) => core::cmp::Ordering::Less,
                (_, true) => core::cmp::Ordering::Greater,
                _ => (a.device, a.label, a.slot).cmp(&(b.device, b.label, b.slot)),
            }
        });
        all.dedup_by(|a, b| a.uberblock == b.uberblock);
        all
    }

    /// The configuration that goes with `found`: on its device the newest not above its txg, else
    /// the same on any device, else (a rewind past the last change) the oldest there is.
    pub fn config_for(&self, devices: &[usize], found: &Found) -> Option<&Nvlist> {
        let limit = found.uberblock.txg;
        let txg = |c: &&Nvlist| c.u64("txg").unwrap_or(0);
        let own =
            self.devices.get(found.device).and_then(|d| d.config(limit)).filter(|c| txg(c) != 0);
        let any = || {
            let configs = self.members(devices).filter_map(|(_, d)| d.config(limit));
            configs.filter(|c| txg(c) != 0).max_by_key(txg)
        };
        let oldest = || {
            let labels = self.members(devices).flat_map(|(_, d)| &d.labels);
            labels.filter_map(LabelScan::config).min_by_key(txg)
        };
        own.or_else(any).or_else(oldest)
    }
}
