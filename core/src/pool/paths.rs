//! The file behind a damaged block, by name.

use super::Pool;
use crate::base::ObjectId;
use crate::view::{BadBlock, CheckView};
use std_alloc::collections::BTreeMap;
use std_alloc::string::String;

/// Objects whose paths are looked up; each costs reads of its parents' directories.
const LOOKUPS_MAX: usize = 200;

impl Pool {
    /// Fills in the paths of the damaged blocks of files. What has no path, or lies where names
    /// cannot be read, stays without.
    pub(super) async fn name_files(&self, view: &mut CheckView) {
        let mut known: BTreeMap<(String, u64), Option<String>> = BTreeMap::new();
        for block in view.bad_blocks.iter_mut().chain(&mut view.bad_copies) {
            if block.object == 0 || block.dataset == "mos" {
                continue;
            }
            let key = (block.dataset.clone(), block.object);
            if !known.contains_key(&key) && known.len() < LOOKUPS_MAX {
                let path = self.path_of(block).await;
                known.insert(key.clone(), path);
            }
            block.path = known.get(&key).cloned().flatten();
        }
    }

    async fn path_of(&self, block: &BadBlock) -> Option<String> {
        let (fs, encrypted) = self.file_system(&block.dataset).await.ok()?;
        match encrypted {
            true => None,
            false => fs.path_of(ObjectId(block.object)).await.ok(),
        }
    }
}
