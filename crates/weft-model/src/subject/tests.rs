use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Lane, Owner, Scope, ScopeSet, Subject, SubjectKind};

fn subject(depth: usize) -> Value {
    let mut value = json!({"issuer": "urn:host:api-key", "subjectId": "s", "tenant": "acme",
        "lane": "api-key", "kind": "user"});
    if depth > 0 {
        value["actor"] = subject(depth - 1);
    }
    value
}

fn read(value: Value) -> Result<Subject, serde_json::Error> {
    serde_json::from_value(value)
}

// R-AUTH-14
#[test]
fn a_subject_is_closed_and_reads_back() {
    let value = subject(4);
    let read_back = read(value.clone()).expect("four actors");
    assert_eq!(read_back.lane, Lane::ApiKey);
    assert_eq!(read_back.kind, SubjectKind::User);
    assert_eq!(serde_json::to_value(&read_back).expect("an object"), value);
    let mut extra = subject(0);
    extra["email"] = json!("a@b.c");
    assert!(read(extra).is_err());
}

// R-AUTH-13, R-AUTH-14
#[test]
fn a_fifth_actor_is_refused() {
    assert!(read(subject(5)).is_err());
}

// R-AUTH-14
#[test]
fn key_class_and_anonymous_bind_to_the_lane() {
    let with = |member: &str, value: &str| {
        let mut subject = subject(0);
        subject[member] = json!(value);
        subject
    };
    assert!(read(with("keyClass", "opaque-idp")).is_err());
    assert!(read(with("lane", "saml")).is_err());
    let mut provisioned = with("lane", "scim");
    provisioned["keyClass"] = json!("configured-immutable");
    assert!(read(provisioned).is_ok());
    assert!(read(with("kind", "anonymous")).is_err());
    assert!(read(with("lane", "anonymous")).is_err());
    let mut nobody = with("lane", "anonymous");
    nobody["kind"] = json!("anonymous");
    assert!(read(nobody).is_ok());
    assert!(read(with("issuer", "with blank")).is_err());
    assert!(read(with("issuer", "")).is_err());
}

#[test]
fn an_owner_reads_back_without_a_workspace() {
    let value = json!({"tenant": "acme", "subject": subject(0)});
    let owner: Owner = serde_json::from_value(value.clone()).expect("an owner");
    assert_eq!(serde_json::to_value(owner).expect("an object"), value);
}

proptest! {
    // R-AUTH-12
    #[test]
    fn a_set_holds_what_was_put_in(scopes in prop::collection::vec(0..Scope::ALL.len(), 0..8)) {
        let scopes: Vec<Scope> = scopes.into_iter().map(|at| Scope::ALL[at]).collect();
        let set: ScopeSet = scopes.iter().copied().collect();
        for scope in Scope::ALL {
            prop_assert_eq!(set.contains(*scope), scopes.contains(scope));
        }
        prop_assert!(set.contains_all(&scopes));
        prop_assert_eq!(ScopeSet::parse(&set.to_string()), Ok(set));
        let json = serde_json::to_string(&set).expect("a list");
        prop_assert_eq!(serde_json::from_str::<ScopeSet>(&json).expect("the same"), set);
    }
}

// R-AUTH-12
#[test]
fn cancelling_does_not_imply_reading() {
    let set = ScopeSet::EMPTY.with(Scope::RunsCancel);
    assert!(!set.contains(Scope::RunsRead));
    assert!(ScopeSet::parse("runs:create runs:nope").is_err());
}
