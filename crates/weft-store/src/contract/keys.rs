//! Rules of API keys.

use weft_model::{KeyId, Scope, ScopeSet, TenantId};

use super::Backend;
use super::fixture::NOW;
use crate::error::{Conflict, StoreError};
use crate::keys::KeyRecord;

fn key(id: &str, tenant: &str) -> KeyRecord {
    KeyRecord {
        key_id: KeyId::parse(id).expect("a key id"),
        secret_sha256: [7; 32],
        tenant: tenant.parse().expect("a tenant"),
        subject: "alice".parse().expect("a subject"),
        scopes: ScopeSet::EMPTY.with(Scope::RunsRead),
        created_at: NOW,
        expires_at: Some(NOW.plus_ms(1000)),
        revoked_at: None,
        origin: Some("https://peer.example".to_owned()),
    }
}

/// A key is read back exactly, also after another start; its id is taken once.
pub async fn keys_survive_a_restart(backend: &dyn Backend) {
    let store = backend.open().await;
    store.put_key(key("k1", "acme")).await.expect("kept");
    let all = KeyRecord { scopes: ScopeSet::all(), expires_at: None, origin: None, ..key("k2", "other") };
    store.put_key(all.clone()).await.expect("kept");
    let refused = store.put_key(key("k1", "other")).await.expect_err("taken");
    assert!(matches!(refused, StoreError::Conflict(Conflict::KeyExists)), "{refused}");
    drop(store);
    let store = backend.open().await;
    assert_eq!(store.find_key(&key("k1", "acme").key_id).await.expect("readable"), Some(key("k1", "acme")));
    assert_eq!(store.list_keys(None).await.expect("a list"), [key("k1", "acme"), all.clone()]);
    let other = TenantId::parse("other").expect("a tenant");
    assert_eq!(store.list_keys(Some(&other)).await.expect("a list"), [all]);
    assert_eq!(store.find_key(&KeyId::parse("k3").expect("a key id")).await.expect("readable"), None);
}

/// A revocation is durable when it is answered, and the first one stays.
pub async fn a_revocation_is_durable(backend: &dyn Backend) {
    let store = backend.open().await;
    let id = KeyId::parse("k1").expect("a key id");
    assert!(!store.revoke_key(&id, NOW).await.expect("answered"));
    store.put_key(key("k1", "acme")).await.expect("kept");
    assert!(store.revoke_key(&id, NOW).await.expect("answered"));
    assert!(store.revoke_key(&id, NOW.plus_ms(5)).await.expect("answered"));
    drop(store);
    let store = backend.open().await;
    let found = store.find_key(&id).await.expect("readable").expect("there");
    assert_eq!(found.revoked_at, Some(NOW));
}
