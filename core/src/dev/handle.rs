//! One device: its size, its name for messages, and positioned reads.

use crate::rt::{Cmd, DevError, DevId, DevOp, Rt};
use std_alloc::rc::Rc;
use std_alloc::string::String;
use std_alloc::vec::Vec;

/// A readable device. Cheap to clone.
#[derive(Clone)]
pub struct Device(Rc<Inner>);

struct Inner {
    rt: Rt,
    id: DevId,
    name: String,
    size: u64,
}

impl Device {
    /// Device `id` of the driver behind `rt`: `size` bytes, called `name` in messages.
    pub fn new(rt: &Rt, id: DevId, name: String, size: u64) -> Self {
        Self(Rc::new(Inner { rt: rt.clone(), id, name, size }))
    }

    /// The executor this device belongs to.
    pub fn rt(&self) -> &Rt {
        &self.0.rt
    }

    /// The driver's name of it.
    pub fn id(&self) -> DevId {
        self.0.id
    }

    /// Name for messages: a path, or a file name in the browser.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Bytes on the device.
    pub fn size(&self) -> u64 {
        self.0.size
    }

    /// Exactly `len` bytes from byte `off`.
    pub async fn read(&self, off: u64, len: u32) -> Result<Vec<u8>, DevError> {
        if off.checked_add(u64::from(len)).is_none_or(|end| end > self.0.size) {
            return Err(DevError::OutOfRange);
        }
        let bytes = self.0.rt.call(Cmd::Dev(self.0.id, DevOp::Read { off, len })).await?;
        assert_eq!(bytes.len(), len as usize, "invariant: a driver answers whole reads");
        Ok(bytes)
    }
}
