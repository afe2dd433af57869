//! Least recently used, bounded by bytes. A plain struct: no clock, no I/O.

use std_alloc::collections::BTreeMap;

/// A map from `K` to `V` that forgets what was not used for longest once `limit` is passed.
pub struct BlockCache<K, V> {
    entries: BTreeMap<K, (u64, u64, V)>,
    by_use: BTreeMap<u64, K>,
    clock: u64,
    bytes: u64,
    limit: u64,
}

impl<K: Ord + Copy, V: Clone> BlockCache<K, V> {
    /// A cache of at most `limit` bytes.
    pub const fn new(limit: u64) -> Self {
        Self { entries: BTreeMap::new(), by_use: BTreeMap::new(), clock: 0, bytes: 0, limit }
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The value of `key`, which counts as a use.
    pub fn get(&mut self, key: &K) -> Option<V> {
        let (used, _, value) = self.entries.get_mut(key)?;
        self.by_use.remove(used);
        self.clock += 1;
        *used = self.clock;
        self.by_use.insert(self.clock, *key);
        Some(value.clone())
    }

    /// Keeps `value` of `size` bytes, and forgets others if need be. A value beyond the limit is
    /// not kept.
    pub fn insert(&mut self, key: K, value: V, size: u64) {
        if size > self.limit {
            return;
        }
        self.clock += 1;
        if let Some((used, old, _)) = self.entries.insert(key, (self.clock, size, value)) {
            self.by_use.remove(&used);
            self.bytes -= old;
        }
        self.by_use.insert(self.clock, key);
        self.bytes += size;
        while self.bytes > self.limit {
            let (_, oldest) = self.by_use.pop_first().expect("invariant: bytes come from entries");
            let (_, size, _) = self.entries.remove(&oldest).expect("invariant: one use an entry");
            self.bytes -= size;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_used_leaves_first() {
        let mut cache = BlockCache::new(30);
        for key in 0..3 {
            cache.insert(key, key * 10, 10);
        }
        assert_eq!(cache.get(&0), Some(0));
        cache.insert(3, 30, 10);
        assert_eq!((cache.get(&1), cache.get(&0), cache.bytes()), (None, Some(0), 30));
        cache.insert(0, 1, 25);
        assert_eq!((cache.get(&0), cache.get(&3), cache.bytes()), (Some(1), None, 25));
        cache.insert(9, 9, 31);
        assert_eq!(cache.get(&9), None);
    }
}
