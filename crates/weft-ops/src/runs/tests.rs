//! The body and the options of `createRun`, and the cursor of the list.

use serde_json::{Value, json};
use weft_model::{ErrorCode, JsonObject, TenantId};

use super::body::{self, CreateBody};
use super::configurable;
use crate::error::OpError;

fn tenant() -> TenantId {
    "acme".parse().expect("a tenant")
}

fn accepted(body: Value) -> CreateBody {
    body::check(body.clone(), &tenant()).unwrap_or_else(|error| panic!("{body}: {error}"))
}

fn refused(body: Value) -> OpError {
    body::check(body.clone(), &tenant()).err().unwrap_or_else(|| panic!("accepted: {body}"))
}

fn options(value: Value) -> Result<configurable::RunBounds, OpError> {
    let Value::Object(object) = value else { panic!("an object") };
    configurable::check(&object)
}

fn field(error: &OpError) -> &str {
    error.details().and_then(|details| details.get("field")).and_then(Value::as_str).unwrap_or("")
}

// R-RUN-06: a body without options is as good as one with empty ones.
#[test]
fn a_workflow_id_is_all_that_is_needed() {
    let body = accepted(json!({"workflowId": "expense-approval"}));
    assert_eq!(body.workflow_id.as_str(), "expense-approval");
    assert!(body.inputs.is_empty() && body.configurable.is_none() && body.tags.is_empty());
}

// R-RUN-02: the body is closed.
#[test]
fn an_unknown_member_is_refused_by_name() {
    let error = refused(json!({"workflowId": "w", "workflowID": "w"}));
    assert_eq!((error.code(), field(&error)), (ErrorCode::ValidationError, "workflowID"));
}

// R-RUN-03: neither a workflow nor mode eval.
#[test]
fn a_body_that_names_nothing_is_refused() {
    for body in
        [json!({}), json!({"inputs": {}}), json!({"workflowId": ""}), json!({"workflowId": 3}), json!([]), json!("w")]
    {
        assert_eq!(refused(body.clone()).code(), ErrorCode::ValidationError, "{body}");
    }
}

// R-RUN-04, R-RUN-05: an evaluation needs its members, and then a family that is not offered.
#[test]
fn evaluations_are_refused() {
    for body in [
        json!({"mode": "eval"}),
        json!({"mode": "eval", "evalSuiteRef": "s"}),
        json!({"mode": "eval", "agentId": "a", "evalSuiteRef": ""}),
        json!({"mode": "other", "workflowId": "w"}),
    ] {
        assert_eq!(refused(body.clone()).code(), ErrorCode::ValidationError, "{body}");
    }
    let error = refused(json!({"mode": "eval", "evalSuiteRef": "s", "agentId": "a"}));
    assert_eq!(error.code(), ErrorCode::CapabilityNotProvided);
    assert_eq!(error.status(), 422);
}

// R-RUN-21: members of an evaluation without its mode.
#[test]
fn evaluation_members_need_the_mode() {
    for name in ["evalModes", "baselineRunId", "fixtureRuns", "evalSuiteRef", "agentId"] {
        let error = refused(json!({"workflowId": "w", name: "x"}));
        assert_eq!((error.code(), field(&error)), (ErrorCode::ValidationError, name));
    }
}

// R-RUN-16, R-RUN-17: secrets are refused, and their values are nowhere in the refusal.
#[test]
fn run_secrets_are_refused_without_an_echo() {
    let secret = "correct horse battery staple";
    let error = refused(json!({"workflowId": "w", "runSecrets": [{"ref": "run:k", "value": secret}]}));
    assert_eq!((error.code(), field(&error)), (ErrorCode::ValidationError, "runSecrets"));
    assert!(!format!("{error:?} {error}").contains(secret));
    assert!(!String::from_utf8_lossy(&error.envelope()).contains(secret));
}

// R-CB-01: a callback that would never be delivered is refused by name.
#[test]
fn a_callback_url_is_refused() {
    let error = refused(json!({"workflowId": "w", "callbackUrl": "https://example.org/hook"}));
    assert_eq!((error.code(), field(&error)), (ErrorCode::ValidationError, "callbackUrl"));
}

// R-RUN-12: a residency is never claimed to be honoured.
#[test]
fn a_residency_is_refused() {
    let error = refused(json!({"workflowId": "w", "residency": {"region": "eu"}}));
    assert_eq!(error.code(), ErrorCode::ResidencyUnavailable);
    assert_eq!(refused(json!({"workflowId": "w", "residency": "eu"})).code(), ErrorCode::ValidationError);
}

// R-AUTH-10: the asserted tenant never widens the credential's.
#[test]
fn an_asserted_tenant_must_be_the_callers() {
    accepted(json!({"workflowId": "w", "tenantId": "acme"}));
    assert_eq!(refused(json!({"workflowId": "w", "tenantId": "globex"})).code(), ErrorCode::IdTenantMismatch);
    assert_eq!(refused(json!({"workflowId": "w", "tenantId": "a b"})).code(), ErrorCode::ValidationError);
}

// R-OPT-13: number and length of tags are limited, their characters are not.
#[test]
fn tags_are_limited_in_number_and_length_only() {
    let tags = json!(["", "ÄÖ ü", "a\u{0}b", "😀".repeat(256)]);
    assert_eq!(accepted(json!({"workflowId": "w", "tags": tags})).tags.len(), 4);
    accepted(json!({"workflowId": "w", "tags": vec!["t"; 100]}));
    for tags in [json!(vec!["t"; 101]), json!(["😀".repeat(257)]), json!([1]), json!("t")] {
        let error = refused(json!({"workflowId": "w", "tags": tags}));
        assert_eq!((error.code(), field(&error)), (ErrorCode::ValidationError, "tags"));
    }
}

// R-OPT-14: metadata is kept as it came, up to its limit.
#[test]
fn metadata_is_an_object_of_bounded_size() {
    let metadata = json!({"order": {"id": 7, "tags": [null, true]}});
    let kept = accepted(json!({"workflowId": "w", "metadata": metadata})).metadata;
    assert_eq!(kept.map(Value::Object), Some(metadata));
    for metadata in [json!([]), json!("m"), json!({"big": "x".repeat(50 * 1024)})] {
        assert_eq!(field(&refused(json!({"workflowId": "w", "metadata": metadata}))), "metadata");
    }
}

// R-OPT-01: the version is obligatory and 1.
#[test]
fn options_need_version_one() {
    options(json!({"version": 1})).expect("the smallest options");
    for value in [json!({}), json!({"version": 2}), json!({"version": "1"}), json!({"version": null})] {
        let error = options(value.clone()).expect_err("refused");
        assert_eq!((error.code(), field(&error)), (ErrorCode::ValidationError, "configurable.version"), "{value}");
    }
}

// R-OPT-02: no unknown root key, section key or dotted key.
#[test]
fn options_are_closed() {
    for (value, path) in [
        (json!({"version": 1, "recursionLimit": 5}), "configurable.recursionLimit"),
        (json!({"version": 1, "run.recursionLimit": 5}), "configurable.run.recursionLimit"),
        (json!({"version": 1, "run": {"timeout": 5}}), "configurable.run.timeout"),
        (json!({"version": 1, "ai": {"seed": 5}}), "configurable.ai.seed"),
        (json!({"version": 1, "distillation": {"x": 5}}), "configurable.distillation.x"),
        (json!({"version": 1, "run": []}), "configurable.run"),
    ] {
        let error = options(value).expect_err(path);
        assert_eq!((error.code(), field(&error)), (ErrorCode::ValidationError, path));
    }
}

// R-OPT-03: numbers keep their bounds.
#[test]
fn options_out_of_range_are_refused() {
    for value in [
        json!({"ai": {"temperature": -0.1}}),
        json!({"ai": {"temperature": 2.1}}),
        json!({"ai": {"maxTokens": 0}}),
        json!({"ai": {"maxRefusals": -1}}),
        json!({"run": {"recursionLimit": 0}}),
        json!({"run": {"recursionLimit": 1.5}}),
        json!({"run": {"maxLoopIterations": "3"}}),
        json!({"run": {"escalationThreshold": 1.5}}),
        json!({"distillation": {"tokenBudget": 0}}),
    ] {
        let mut options_object = JsonObject::from_iter([("version".to_owned(), json!(1))]);
        options_object.extend(value.as_object().expect("an object").clone());
        let error = configurable::check(&options_object).expect_err("refused");
        assert_eq!(error.code(), ErrorCode::ValidationError, "{value}");
    }
    let bounds =
        options(json!({"version": 1, "run": {"runTimeoutMs": 5.0, "recursionLimit": 7, "escalationThreshold": 0.7}}));
    let bounds = bounds.expect("within range");
    assert_eq!((bounds.run_timeout_ms, bounds.recursion_limit), (Some(5), Some(7)));
}

// R-OPT-05: a run timeout out of range is refused when the run is created.
#[test]
fn a_run_timeout_of_nothing_is_refused() {
    for timeout in [json!(0), json!(-1), json!(0.5), json!("1s")] {
        let error = options(json!({"version": 1, "run": {"runTimeoutMs": timeout}})).expect_err("refused");
        assert_eq!(field(&error), "configurable.run.runTimeoutMs");
    }
}

// R-OPT-07, R-OPT-08, R-OPT-09: what belongs to providers that are not offered.
#[test]
fn options_of_absent_providers_are_refused() {
    for (ai, code) in [
        (json!({"provider": "openai"}), ErrorCode::ValidationError),
        (json!({"credentialRef": "cred-1"}), ErrorCode::CredentialForbidden),
        (json!({"mockProvider": {"id": "stream-text"}}), ErrorCode::MockProviderForbidden),
    ] {
        assert_eq!(options(json!({"version": 1, "ai": ai})).expect_err("refused").code(), code);
    }
    options(json!({"version": 1, "ai": {"model": "m", "temperature": 2, "reasoningVerbosity": "full", "promptOverrides": {"a": "b"}}}))
        .expect("harmless options");
}

// R-OPT-15: vendor options live under a well-formed organisation only.
#[test]
fn extensions_are_keyed_by_organisation() {
    options(json!({"version": 1, "extensions": {"acme": {"x": 1}, "acme-labs2": {}}})).expect("two organisations");
    for extensions in
        [json!({"Acme": {}}), json!({"acme.x": {}}), json!({"-a": {}}), json!({"a--b": {}}), json!({"acme": 1})]
    {
        options(json!({"version": 1, "extensions": extensions})).expect_err("refused");
    }
}

#[test]
fn a_budget_that_nobody_enforces_is_refused() {
    let error = options(json!({"version": 1, "budget": {"maxTokens": 10}})).expect_err("refused");
    assert_eq!(error.code(), ErrorCode::CapabilityNotProvided);
}
