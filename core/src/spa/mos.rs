//! Small readers over the pool's own objects: object directory, packed lists, features.

use crate::base::{ObjectId, PoolError, Result};
use crate::dmu::{Objset, zap_entries};
use crate::format::{Nvlist, ZapEntry, ZapValue, feature};
use std_alloc::format;
use std_alloc::string::String;
use std_alloc::vec::Vec;

/// Longest packed list that is read.
const NVLIST_MAX: u64 = 16 << 20;
const DIRECTORY: ObjectId = ObjectId(1);

/// Object 1 of the MOS: where everything else is.
#[doc(alias = "DMU_POOL_DIRECTORY_OBJECT")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directory {
    entries: Vec<ZapEntry>,
}

impl Directory {
    /// Reads the object directory.
    pub async fn read(mos: &Objset) -> Result<Self> {
        let entries = zap_entries(mos, DIRECTORY).await;
        let mut entries = entries.map_err(|e| e.at("object directory"))?;
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Self { entries })
    }

    /// All entries by name.
    pub fn entries(&self) -> &[ZapEntry] {
        &self.entries
    }

    /// Value `name`.
    pub fn get(&self, name: &str) -> Option<&ZapValue> {
        let mut entries = self.entries.iter();
        Some(&entries.find(|e| e.name == name.as_bytes())?.value)
    }

    /// Object called `name`; `None` when there is none.
    pub fn object(&self, name: &str) -> Option<ObjectId> {
        let id = self.get(name)?.u64().map(ObjectId);
        id.filter(|id| *id != ObjectId(0))
    }

    /// The salt of salted checksums.
    pub fn salt(&self) -> Option<[u8; 32]> {
        let bytes = self.get("org.illumos:checksum_salt")?.bytes()?;
        bytes.try_into().ok()
    }

    /// Whether `used` figures count deflated bytes.
    pub fn deflates(&self) -> bool {
        self.get("deflate").and_then(ZapValue::u64) == Some(1)
    }
}

/// The packed name-value list in object `id`.
pub async fn read_nvlist(mos: &Objset, id: ObjectId) -> Result<Nvlist> {
    let place = || format!("packed list {id}");
    let dnode = mos.dnode(id).await.map_err(|e| e.at(place()))?;
    let whole = dnode.max_block.saturating_add(1).saturating_mul(dnode.block_size);
    let length = dnode.endian.u64_at(&dnode.bonus, 0).unwrap_or(whole).min(whole);
    if length > NVLIST_MAX {
        let message = format!("expected at most {NVLIST_MAX} bytes, found {length}");
        return Err(PoolError::damaged(place(), message));
    }
    let bytes = mos.read(&dnode, 0, length as u32).await;
    let bytes = bytes.map_err(|e| e.at(place()))?;
    Nvlist::parse(&bytes).map_err(|e| PoolError::from(e).at(place()))
}

/// One feature of a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeatureState {
    /// Full name.
    pub guid: String,
    /// Reference count; 0 is enabled but not active.
    pub refcount: u64,
    /// Whether it is needed to read the pool.
    pub for_read: bool,
    /// Whether this program has heard of it.
    pub known: bool,
}

/// All features of the pool, those for reading first, by name. Empty for old pools.
pub async fn read_features(mos: &Objset, directory: &Directory) -> Result<Vec<FeatureState>> {
    let mut all = Vec::new();
    for (key, for_read) in [("features_for_read", true), ("features_for_write", false)] {
        let Some(object) = directory.object(key) else {
            continue;
        };
        let mut entries = zap_entries(mos, object).await.map_err(|e| e.at(key))?;
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        all.extend(entries.iter().map(|e| state(e, for_read)));
    }
    Ok(all)
}

fn state(entry: &ZapEntry, for_read: bool) -> FeatureState {
    let guid = entry.name_text();
    FeatureState {
        known: feature(&guid).is_some(),
        refcount: entry.value.u64().unwrap_or(0),
        guid,
        for_read,
    }
}
