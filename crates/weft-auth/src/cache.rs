//! A bounded cache of key records that is never stale.
//!
//! Two maps: lookups go to the young one, a hit in the old one moves over, and a full young map
//! becomes the old one. That bounds memory, keeps what is used, and needs no bookkeeping on a hit.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::RwLock;
use weft_model::{KeyId, Timestamp};

use crate::Caller;

/// What a request needs to know about a key.
#[derive(Debug)]
pub(crate) struct CachedKey {
    pub(crate) secret_sha256: [u8; 32],
    pub(crate) caller: Caller,
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) revoked_at: Option<Timestamp>,
}

/// Says which state of the key table a reader saw, so that a change during the read is noticed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Generation(u64);

pub(crate) struct KeyCache {
    half: usize,
    maps: RwLock<Maps>,
}

#[derive(Default)]
struct Maps {
    generation: u64,
    young: HashMap<KeyId, Arc<CachedKey>>,
    old: HashMap<KeyId, Arc<CachedKey>>,
}

impl KeyCache {
    /// A cache of at most `capacity` keys.
    pub(crate) fn new(capacity: usize) -> KeyCache {
        KeyCache { half: (capacity / 2).max(1), maps: RwLock::default() }
    }

    /// The cached key, or the generation to hand to [`KeyCache::insert`] after reading the table.
    pub(crate) fn get(&self, key_id: &KeyId) -> Result<Arc<CachedKey>, Generation> {
        {
            let maps = self.maps.read();
            if let Some(found) = maps.young.get(key_id) {
                return Ok(Arc::clone(found));
            }
            if !maps.old.contains_key(key_id) {
                return Err(Generation(maps.generation));
            }
        }
        let mut maps = self.maps.write();
        match maps.old.remove(key_id) {
            Some(found) => {
                self.put(&mut maps, key_id.clone(), Arc::clone(&found));
                Ok(found)
            }
            None => maps.young.get(key_id).cloned().ok_or(Generation(maps.generation)),
        }
    }

    /// Keeps what was read from the table, unless the table changed since `seen`: the record may
    /// then predate a revocation, and it serves this one request only.
    pub(crate) fn insert(&self, seen: Generation, key_id: KeyId, key: Arc<CachedKey>) {
        let mut maps = self.maps.write();
        if maps.generation == seen.0 {
            self.put(&mut maps, key_id, key);
        }
    }

    /// Forgets a key after its row changed. Called once the change is durable and before it is
    /// acknowledged, so that the next request already sees it (R-AUTH-05).
    pub(crate) fn forget(&self, key_id: &KeyId) {
        let mut maps = self.maps.write();
        maps.generation += 1;
        maps.young.remove(key_id);
        maps.old.remove(key_id);
    }

    fn put(&self, maps: &mut Maps, key_id: KeyId, key: Arc<CachedKey>) {
        if maps.young.len() >= self.half {
            maps.old = std::mem::take(&mut maps.young);
        }
        maps.young.insert(key_id, key);
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        let maps = self.maps.read();
        maps.young.len() + maps.old.len()
    }
}
