//! Floor 13: volumes. Object 1 is the data, object 2 a ZAP with the size.
//!
//! Source: `include/sys/zvol.h`, `module/zfs/zvol.c`.

use crate::base::{ObjectId, PoolError, PoolErrorKind, Result};
use crate::dmu::{Objset, zap_u64};
use crate::format::{Dnode, ObjsetKind};
use std_alloc::format;
use std_alloc::vec::Vec;

const DATA: ObjectId = ObjectId(1);
const PROPERTIES: ObjectId = ObjectId(2);

/// An open volume.
#[derive(Clone)]
pub struct Volume {
    objset: Objset,
    dnode: Dnode,
    size: u64,
}

impl Volume {
    /// Opens the volume in `objset`.
    pub async fn open(objset: &Objset) -> Result<Self> {
        let kind = objset.phys().kind;
        if kind != ObjsetKind::Zvol {
            let message = format!("expected a volume, found a data set of kind {kind}");
            return Err(PoolError::new(PoolErrorKind::Unsupported, message));
        }
        let size = zap_u64(objset, PROPERTIES, "size").await?;
        let dnode = objset.dnode(DATA).await?;
        Ok(Self { objset: objset.clone(), dnode, size })
    }

    /// Bytes of the volume.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Bytes of a block.
    pub fn block_size(&self) -> u64 {
        self.dnode.block_size
    }

    /// Up to `len` bytes (at most 64 MiB) from byte `offset`; short at the end of the volume.
    pub async fn read(&self, offset: u64, len: u32) -> Result<Vec<u8>> {
        let left = u32::try_from(self.size.saturating_sub(offset)).unwrap_or(u32::MAX);
        let len = len.min(left).min(64 << 20);
        let mut bytes = self.objset.read(&self.dnode, offset, len).await?;
        bytes.resize(len as usize, 0);
        Ok(bytes)
    }
}
