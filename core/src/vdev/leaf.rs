//! One leaf: a device, or the place where one is missing.

use super::read::{FailedTry, Why};
use crate::base::Guid;
use crate::dev::Device;
use core::cell::Cell;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Bytes in front of the allocatable space: two labels and the boot area.
#[doc(alias = "VDEV_LABEL_START_SIZE")]
pub const FRONT_RESERVE: u64 = 4 << 20;

/// A leaf of the vdev tree.
pub struct Leaf {
    /// Guid by the configuration.
    pub guid: Guid,
    /// Path by the configuration; what to call it when there is no device.
    pub path: String,
    /// The device, when one was found.
    pub device: Option<Device>,
    /// Reads that failed.
    pub read_errors: Cell<u64>,
    /// Reads whose bytes did not pass their checksum.
    pub checksum_errors: Cell<u64>,
}

impl Leaf {
    /// A leaf with or without its device.
    pub fn new(guid: Guid, path: String, device: Option<Device>) -> Self {
        let (read_errors, checksum_errors) = (Cell::new(0), Cell::new(0));
        Self { guid, path, device, read_errors, checksum_errors }
    }

    /// Name for messages.
    pub fn name(&self) -> String {
        match &self.device {
            Some(device) => device.name().to_string(),
            None => format!("{} (guid {})", self.path, self.guid),
        }
    }

    /// `len` bytes from byte `offset` of the allocatable space, or why not.
    pub async fn read(&self, offset: u64, len: u64) -> Result<Vec<u8>, FailedTry> {
        let fail = |why| FailedTry { device: self.name(), offset, size: len, why };
        let Some(device) = &self.device else {
            return Err(fail(Why::Missing));
        };
        let beyond = Why::Io(crate::rt::DevError::OutOfRange);
        let (Some(at), Ok(len)) = (offset.checked_add(FRONT_RESERVE), u32::try_from(len)) else {
            return Err(fail(beyond));
        };
        device.read(at, len).await.map_err(|e| {
            self.read_errors.set(self.read_errors.get() + 1);
            fail(Why::Io(e))
        })
    }

    /// Notes that bytes of this leaf did not pass their checksum.
    pub fn blame(&self) {
        self.checksum_errors.set(self.checksum_errors.get() + 1);
    }
}
