//! The key ring and the lanes over a memory store.

use std::sync::Arc;

use weft_model::{ErrorCode, Lane, RunId, Scope, ScopeSet, SubjectKind, TenantId, Timestamp};
use weft_store::MemoryStore;

use crate::{AuthError, Authenticator, Caller, Denied, IssuedKey, KeyRing, NewKey, check_scopes, check_tenant};

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

struct World {
    store: MemoryStore,
    authenticator: Authenticator,
    drawn: u8,
}

impl World {
    fn new(anonymous: Option<&str>) -> World {
        let store = MemoryStore::new();
        let authenticator = authenticator(&store, anonymous);
        World { store, authenticator, drawn: 0 }
    }

    async fn issue(&mut self, tenant: &str, expires_at: Option<Timestamp>) -> IssuedKey {
        let new = NewKey {
            tenant: tenant_id(tenant),
            subject: "alice".parse().expect("a subject"),
            scopes: ScopeSet::EMPTY.with(Scope::RunsRead),
            expires_at,
            origin: None,
        };
        let drawn = &mut self.drawn;
        let mut random = move || {
            *drawn += 1;
            [*drawn; 16]
        };
        self.authenticator.keys().create(new, NOW, &mut random).await.expect("the key is stored")
    }

    async fn call(&self, value: &str) -> Result<Caller, AuthError> {
        self.authenticator.authenticate(&[value.as_bytes()], NOW).await
    }

    async fn code(&self, value: &str) -> ErrorCode {
        self.call(value).await.expect_err("refused").code()
    }
}

fn authenticator(store: &MemoryStore, anonymous: Option<&str>) -> Authenticator {
    Authenticator::new(Arc::new(KeyRing::new(Arc::new(store.clone()))), anonymous.map(tenant_id))
}

fn tenant_id(text: &str) -> TenantId {
    text.parse().expect("a tenant")
}

// R-AUTH-11: a verified key resolves to a Subject before anything is decided.
#[tokio::test]
async fn a_key_resolves_to_its_subject() {
    let mut world = World::new(None);
    let key = world.issue("acme", None).await;
    for scheme in ["Bearer", "bearer", "BEARER"] {
        let caller = world.call(&format!("{scheme} {}", key.text.expose())).await.expect("verified");
        let subject = caller.subject();
        assert_eq!((subject.lane, subject.kind), (Lane::ApiKey, SubjectKind::User));
        assert_eq!((caller.tenant().as_str(), subject.subject_id.as_str()), ("acme", "alice"));
        assert_eq!(subject.issuer, crate::API_KEY_ISSUER);
        subject.check().expect("a well-formed subject");
        assert_eq!(caller.key_id(), Some(&key.key_id));
    }
}

// R-AUTH-01: no credential, or none of a lane that is served.
#[tokio::test]
async fn a_missing_credential_is_unauthenticated() {
    let world = World::new(None);
    let nothing = world.authenticator.authenticate(&[], NOW).await.expect_err("refused");
    assert_eq!(nothing.code(), ErrorCode::Unauthenticated);
    for value in ["", "Bearer", "Basic dXNlcjpwdw==", "weft_a_b"] {
        assert_eq!(world.code(value).await, ErrorCode::Unauthenticated, "{value}");
    }
}

// R-AUTH-02: unknown keys, wrong secrets and other texts are one answer.
#[tokio::test]
async fn what_does_not_verify_is_refused_alike() {
    let mut world = World::new(None);
    let key = world.issue("acme", None).await;
    let other = world.issue("acme", None).await;
    let (text, other_text) = (key.text.expose(), other.text.expose());
    let secret = other_text.rsplit('_').next().expect("a secret");
    let crossed = format!("weft_{}_{secret}", key.key_id);
    let unknown = format!("weft_unknown_{secret}");
    for credential in ["x", "weft_", &crossed, &unknown, &text[..text.len() - 1], &"x".repeat(5000)] {
        let error = world.call(&format!("Bearer {credential}")).await.expect_err("refused");
        assert_eq!(error.code(), ErrorCode::IdentityUnverified);
        assert_eq!(error.to_string(), "The credential could not be verified.");
    }
    let doubled = format!("Bearer {text}");
    let twice = world.authenticator.authenticate(&[doubled.as_bytes(), doubled.as_bytes()], NOW).await;
    assert_eq!(twice.expect_err("refused").code(), ErrorCode::IdentityUnverified);
    let garbage = world.authenticator.authenticate(&[b"Bearer \xff\xfe"], NOW).await;
    assert_eq!(garbage.expect_err("refused").code(), ErrorCode::IdentityUnverified);
}

// R-AUTH-05, R-AUTH-15: a revoked key is refused on the next request although it was cached.
#[tokio::test]
async fn a_revocation_holds_from_the_next_request_on() {
    let mut world = World::new(None);
    let key = world.issue("acme", None).await;
    let value = format!("Bearer {}", key.text.expose());
    world.call(&value).await.expect("verified and cached");
    assert!(world.authenticator.keys().revoke(&key.key_id, NOW).await.expect("revoked"));
    assert_eq!(world.code(&value).await, ErrorCode::CredentialRevoked);
    // Also for a process that starts afterwards on the same store.
    let fresh = authenticator(&world.store, None);
    let refused = fresh.authenticate(&[value.as_bytes()], NOW).await.expect_err("refused");
    assert_eq!(refused.code(), ErrorCode::CredentialRevoked);
    assert!(!world.authenticator.keys().revoke(&"nobody".parse().expect("an id"), NOW).await.expect("answered"));
}

#[tokio::test]
async fn an_expired_key_is_refused_from_its_moment_on() {
    let mut world = World::new(None);
    let key = world.issue("acme", Some(NOW.plus_ms(1000))).await;
    let value = format!("Bearer {}", key.text.expose());
    world.call(&value).await.expect("not yet expired");
    let late = world.authenticator.authenticate(&[value.as_bytes()], NOW.plus_ms(1000)).await;
    assert_eq!(late.expect_err("refused").code(), ErrorCode::IdentityUnverified);
}

// R-AUTH-22: neither the store nor a listing holds a secret.
#[tokio::test]
async fn only_the_hash_is_at_rest() {
    let mut world = World::new(None);
    let key = world.issue("acme", None).await;
    world.issue("globex", None).await;
    let secret = key.text.expose().rsplit('_').next().expect("a secret").to_owned();
    let listed = world.authenticator.keys().list(Some(&tenant_id("acme"))).await.expect("listed");
    assert_eq!(listed.len(), 1);
    assert!(!format!("{listed:?} {key:?}").contains(&secret));
    assert_eq!(world.authenticator.keys().list(None).await.expect("listed").len(), 2);
}

#[tokio::test]
async fn the_cache_is_bounded_and_forgets_nothing_that_matters() {
    let store = MemoryStore::new();
    let ring = Arc::new(KeyRing::with_capacity(Arc::new(store.clone()), 4));
    let mut world = World { store, authenticator: Authenticator::new(Arc::clone(&ring), None), drawn: 0 };
    let mut values = Vec::new();
    for _ in 0..20 {
        values.push(format!("Bearer {}", world.issue("acme", None).await.text.expose()));
    }
    for value in values.iter().chain(values.iter().rev()) {
        world.call(value).await.expect("verified");
        assert!(ring.cached_keys() <= 4);
    }
}

// R-AUTH-14: kind anonymous exactly when the lane is; R-AUTH-10: one tenant, from the host alone.
#[tokio::test]
async fn the_anonymous_lane_serves_only_requests_without_a_credential() {
    let world = World::new(Some("public"));
    let caller = world.authenticator.authenticate(&[], NOW).await.expect("served");
    let subject = caller.subject();
    assert_eq!((subject.lane, subject.kind), (Lane::Anonymous, SubjectKind::Anonymous));
    assert_eq!(caller.tenant().as_str(), "public");
    subject.check().expect("a well-formed subject");
    assert_eq!(world.code("Bearer wrong").await, ErrorCode::IdentityUnverified);
}

// R-AUTH-12: a missing scope denies, and cancelling does not imply reading.
#[tokio::test]
async fn every_scope_is_needed_and_none_implies_another() {
    let scopes = ScopeSet::EMPTY.with(Scope::RunsCancel);
    let caller =
        Caller::of_key("k".parse().expect("an id"), tenant_id("acme"), "s".parse().expect("a subject"), scopes, None);
    check_scopes(&caller, &[]).expect("nothing needed");
    check_scopes(&caller, &[Scope::RunsCancel]).expect("held");
    let denied = check_scopes(&caller, &[Scope::RunsCancel, Scope::RunsRead]).expect_err("denied");
    let required = ScopeSet::EMPTY.with(Scope::RunsCancel).with(Scope::RunsRead);
    assert_eq!(denied, Denied::MissingScope { required });
}

// R-ID-07: the tenant segment decides before anything is looked up.
#[tokio::test]
async fn a_foreign_run_is_refused_by_its_id_alone() {
    let caller = Caller::anonymous(tenant_id("acme"));
    let own = RunId::mint(&tenant_id("acme"), NOW, [1; 16]);
    check_tenant(&caller, &own).expect("its own tenant");
    for foreign in ["acme2", "acm", "Acme"] {
        let run = RunId::mint(&tenant_id(foreign), NOW, [1; 16]);
        assert_eq!(check_tenant(&caller, &run), Err(Denied::ForeignTenant));
    }
}
