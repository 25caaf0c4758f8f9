//! The API keys of a host: created, listed, revoked and verified here and nowhere else.

use std::sync::Arc;

use weft_model::{KeyId, ScopeSet, SubjectId, TenantId, Timestamp};
use weft_store::{KeyRecord, Store, StoreError};

use crate::api_key::{self, ApiKeyText, PresentedKey};
use crate::cache::{CachedKey, KeyCache};
use crate::{AuthError, Caller};

/// Keys kept in memory. At about 500 bytes a key this is 2 MB; a host with more live keys reads
/// the table again for the ones it has not seen lately.
const CACHED_KEYS_MAX: usize = 4096;

/// What a new key is for.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// The tenant that every request with this key acts in.
    pub tenant: TenantId,
    /// The subject that the key stands for.
    pub subject: SubjectId,
    /// What the key may do.
    pub scopes: ScopeSet,
    /// When the key stops working by itself.
    pub expires_at: Option<Timestamp>,
    /// The peer's origin, for negotiation records (DECISIONS 10).
    pub origin: Option<String>,
}

/// A key just created: the only moment at which its text exists.
#[derive(Debug)]
pub struct IssuedKey {
    /// The id, which is not secret and names the key ever after.
    pub key_id: KeyId,
    /// The text to hand to the owner.
    pub text: ApiKeyText,
}

/// The key table with its cache. Every change goes through it, so a cached record is never older
/// than the table.
pub struct KeyRing {
    store: Arc<dyn Store>,
    cache: KeyCache,
}

impl KeyRing {
    /// A key ring over the store's key table.
    pub fn new(store: Arc<dyn Store>) -> KeyRing {
        KeyRing::with_capacity(store, CACHED_KEYS_MAX)
    }

    /// A key ring that keeps at most `capacity` keys in memory.
    pub fn with_capacity(store: Arc<dyn Store>, capacity: usize) -> KeyRing {
        KeyRing { store, cache: KeyCache::new(capacity) }
    }

    /// Creates a key. `random` yields fresh 128-bit values.
    pub async fn create(
        &self,
        new: NewKey,
        now: Timestamp,
        random: &mut (dyn FnMut() -> [u8; 16] + Send),
    ) -> Result<IssuedKey, StoreError> {
        let minted = api_key::mint(random);
        let record = KeyRecord {
            key_id: minted.key_id.clone(),
            secret_sha256: minted.secret_sha256,
            tenant: new.tenant,
            subject: new.subject,
            scopes: new.scopes,
            created_at: now,
            expires_at: new.expires_at,
            revoked_at: None,
            origin: new.origin,
        };
        self.store.put_key(record).await?;
        self.cache.forget(&minted.key_id);
        Ok(IssuedKey { key_id: minted.key_id, text: minted.text })
    }

    /// Revokes a key; `false` when there is no such key. A second revocation keeps the first time.
    pub async fn revoke(&self, key_id: &KeyId, now: Timestamp) -> Result<bool, StoreError> {
        let known = self.store.revoke_key(key_id, now).await;
        // Also after an error: a commit whose acknowledgement was lost may have taken effect.
        self.cache.forget(key_id);
        known
    }

    /// The keys of one tenant, or of all.
    pub async fn list(&self, tenant: Option<&TenantId>) -> Result<Vec<KeyRecord>, StoreError> {
        self.store.list_keys(tenant).await
    }

    /// Verifies a presented key at `now`. The secret is checked first, so that only its holder
    /// learns that a key is revoked or expired.
    pub(crate) async fn verify(&self, presented: &PresentedKey, now: Timestamp) -> Result<Caller, AuthError> {
        let key = match self.cache.get(&presented.key_id) {
            Ok(key) => key,
            Err(seen) => {
                let record = self.store.find_key(&presented.key_id).await.map_err(AuthError::Store)?;
                let key = Arc::new(cached(record.ok_or(AuthError::Unverified)?));
                self.cache.insert(seen, presented.key_id.clone(), Arc::clone(&key));
                key
            }
        };
        if !presented.matches(&key.secret_sha256) {
            return Err(AuthError::Unverified);
        }
        if key.revoked_at.is_some() {
            return Err(AuthError::Revoked);
        }
        if key.expires_at.is_some_and(|expires_at| expires_at <= now) {
            return Err(AuthError::Expired);
        }
        Ok(key.caller.clone())
    }

    #[cfg(test)]
    pub(crate) fn cached_keys(&self) -> usize {
        self.cache.len()
    }
}

fn cached(record: KeyRecord) -> CachedKey {
    CachedKey {
        secret_sha256: record.secret_sha256,
        caller: Caller::of_key(record.key_id, record.tenant, record.subject, record.scopes, record.origin),
        expires_at: record.expires_at,
        revoked_at: record.revoked_at,
    }
}
