//! Attributes of an object, ordinary and extended.

use super::file_system::{FileSystem, Node};
use crate::base::{ObjectId, PoolError, PoolErrorKind, Result};
use crate::format::{Dnode, FileAttributes, NvValue, Nvlist, ObjectType};
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Longest value of an extended attribute that is read.
const XATTR_MAX: u32 = 1 << 20;

impl FileSystem {
    /// Attributes out of the bonus, and the spill block where there is one.
    pub(super) async fn attributes(&self, dnode: &Dnode) -> Result<FileAttributes> {
        match dnode.bonus_type {
            ObjectType::SA => {
                let Some(tables) = self.tables() else {
                    let message = "system attributes in a data set that has no tables for them";
                    return Err(PoolError::new(PoolErrorKind::Damaged, message));
                };
                let mut attributes = FileAttributes::default();
                attributes.absorb_sa(tables, &dnode.bonus)?;
                if let Some(spill) = dnode.spill.filter(|bp| !bp.is_hole()) {
                    let block = self.objset().reader().read(&spill).await;
                    let block = block.map_err(|e| e.at("spill block"))?;
                    attributes.absorb_sa(tables, &block.data)?;
                }
                Ok(attributes)
            }
            ObjectType::ZNODE => Ok(FileAttributes::from_znode(&dnode.bonus, dnode.endian)?),
            other => {
                let message = format!("expected file attributes, found a bonus of kind {other}");
                Err(PoolError::new(PoolErrorKind::Damaged, message))
            }
        }
    }

    /// Extended attributes: those packed into the object, then those in its hidden directory.
    pub async fn xattrs(&self, node: &Node) -> Result<Vec<(String, Vec<u8>)>> {
        let mut all = Vec::new();
        if let Some(packed) = &node.attributes.packed_xattrs {
            for (name, value) in Nvlist::parse(packed)?.iter() {
                if let NvValue::Bytes(bytes) = value {
                    all.push((name.to_string(), bytes.clone()));
                }
            }
        }
        if node.attributes.xattr != ObjectId(0) {
            for entry in self.entries(node.attributes.xattr).await? {
                let file = self.node(entry.object).await?;
                all.push((entry.name, self.read(&file, 0, XATTR_MAX).await?));
            }
        }
        Ok(all)
    }
}
