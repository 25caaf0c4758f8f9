//! `createRun`, `getRun` and `getWorkflow`.

use serde_json::{Value, json};
use weft_model::{ErrorCode, RunId, Scope, ScopeSet};
use weft_ops::{runs, workflows};

use crate::world::{World, body_of, code, create_request, noop, run_id_of, tenant};

/// Witnesses R-RUN-01, R-RUN-07, R-RUN-08: the answer names a durable run by bound id and links
/// with the projected one.
#[tokio::test(start_paused = true)]
async fn a_created_run_is_readable_under_the_id_in_the_answer() {
    let world = World::new().await;
    let answer = world.create(json!({"workflowId": "hold"}), None).await.expect("created");
    assert_eq!(answer.status, 201);
    assert!(!answer.replayed);
    let body = body_of(&answer);
    let run = run_id_of(&answer);
    assert_eq!(run.tenant(), "acme");
    assert_eq!(body["status"], "running");
    assert_eq!(body["eventsUrl"], json!(format!("/runs/{}/events", run.projected())));
    assert_eq!(body["statusUrl"], json!(format!("/runs/{}", run.projected())));
    assert_eq!(body.as_object().map(|members| members.len()), Some(4));
    assert_eq!(world.snapshot(&run).await["status"], "running");
}

/// Witnesses R-RUN-14, R-RUN-15, R-SNAP-01, R-OPT-11, R-OPT-14.
#[tokio::test(start_paused = true)]
async fn the_first_event_and_the_snapshot_agree_about_owner_and_options() {
    let world = World::new().await;
    let body = json!({
        "workflowId": "noop",
        "inputs": {"a": [1, {"b": null}]},
        "tags": ["one", "ünïcödé"],
        "metadata": {"order": 7},
        "configurable": {"version": 1, "run": {"recursionLimit": 50}},
    });
    let run = run_id_of(&world.create(body.clone(), None).await.expect("created"));
    let log = world.log(&run).await;
    let started = &log[0];
    assert_eq!((started["type"].as_str(), started["sequence"].as_u64()), (Some("run.started"), Some(0)));
    assert_eq!(started["payload"]["transport"], "rest");
    let snapshot = world.snapshot(&run).await;
    assert_eq!(snapshot["owner"], started["payload"]["owner"]);
    assert_eq!(snapshot["owner"]["tenant"], "acme");
    assert_eq!(snapshot["owner"]["subject"]["issuer"], "urn:weft:api-key");
    assert_eq!(snapshot["eventLogSchemaVersion"], 3);
    for member in ["inputs", "tags", "metadata", "configurable"] {
        assert_eq!(snapshot[member], body[member], "{member}");
    }
}

/// A run that is over before its answer is written says `running`, which the answer's closed list
/// of words has, and its snapshot says the truth.
#[tokio::test(start_paused = true)]
async fn a_run_that_ends_at_once_is_created_all_the_same() {
    let world = World::new().await;
    let answer = world.create(json!({"workflowId": "chain"}), None).await.expect("created");
    assert_eq!(body_of(&answer)["status"], "running");
    assert_eq!(world.snapshot(&run_id_of(&answer)).await["status"], "completed");
    let waiting = world.create(json!({"workflowId": "gate"}), None).await.expect("created");
    assert_eq!(body_of(&waiting)["status"], "waiting-approval");
}

/// Witnesses R-RUN-18, R-RUN-19, R-RUN-13, R-CAP-51, R-RUN-10, R-EVT-121: each refusal by its own code.
#[tokio::test(start_paused = true)]
async fn refusals_of_create() {
    let world = World::new().await;
    for (body, expected) in [
        (json!({"workflowId": "nowhere"}), ErrorCode::NotFound),
        (json!({"workflowId": "typed"}), ErrorCode::ValidationError),
        (json!({"workflowId": "typed", "inputs": {"amount": "seven"}}), ErrorCode::ValidationError),
        (json!({"workflowId": "gated"}), ErrorCode::CapabilityRequired),
    ] {
        assert_eq!(code(world.create(body.clone(), None).await), expected, "{body}");
    }
    world.create(json!({"workflowId": "typed", "inputs": {"amount": 7}}), None).await.expect("fits");
    let forced = runs::CreateRun {
        force_engine_version: Some("2".to_owned()),
        ..create_request(json!({"workflowId": "noop"}), None)
    };
    let forced = runs::create(&world.host, &world.acme, forced).await;
    assert_eq!(code(forced), ErrorCode::ForceEngineVersionForbidden);
    let error = world.create(json!({"workflowId": "gated"}), None).await.expect_err("refused");
    assert_eq!(error.details().expect("details")["requiredCapability"], "conversationPrimitive");
    assert_eq!(world.run_count().await, 1);
}

/// Witnesses R-OPT-12, R-EVT-119: the workflow's own schema for options.
#[tokio::test(start_paused = true)]
async fn options_are_held_against_the_workflows_schema() {
    let world = World::new().await;
    let with = |model: &str| json!({"workflowId": "options", "configurable": {"version": 1, "ai": {"model": model}}});
    world.create(with("small"), None).await.expect("fits");
    world.create(json!({"workflowId": "options"}), None).await.expect("absent options fit");
    assert_eq!(code(world.create(with("large"), None).await), ErrorCode::ValidationError);
    let shown = workflows::get(&world.host, &world.acme, &"options".parse().expect("an id")).expect("shown");
    let shown: Value = serde_json::from_slice(&shown).expect("JSON");
    assert!(shown["configurableSchema"].is_object());
}

/// Witnesses R-WF-01, R-WF-02: a workflow of another tenant is an unknown one, and a tenant's own
/// hides the shared one of the same id.
#[tokio::test(start_paused = true)]
async fn workflows_are_visible_by_tenant() {
    let world = World::new().await;
    let named = |id: &str, name: &str| {
        let mut definition = noop();
        definition["id"] = json!(id);
        definition["name"] = json!(name);
        definition
    };
    world.serve(&[(Some("globex"), named("private", "theirs")), (Some("acme"), named("noop", "ours"))]).await;
    let get = |id: &str| workflows::get(&world.host, &world.acme, &id.parse().expect("an id"));
    assert_eq!(code(get("private")), ErrorCode::NotFound);
    assert_eq!(get("private").expect_err("refused").envelope(), get("never").expect_err("refused").envelope());
    let own: Value = serde_json::from_slice(&get("noop").expect("shown")).expect("JSON");
    assert_eq!(own["name"], "ours");
    let globex = world.caller("globex", weft_auth::caller_facing_scopes()).await;
    let shared = workflows::get(&world.host, &globex, &"noop".parse().expect("an id")).expect("shown");
    assert_eq!(serde_json::from_slice::<Value>(&shared).expect("JSON")["name"], "noop");
    assert_eq!(world.registry.list(&tenant("globex")).len(), world.registry.list(&tenant("acme")).len() + 1);
}

/// Witnesses R-AUTH-12, R-ID-07, R-SNAP-10, R-SECU-01 and the order of refusal of DECISIONS 7.
#[tokio::test(start_paused = true)]
async fn foreign_first_then_scope_then_unknown() {
    let world = World::new().await;
    let run = world.run("noop").await;
    let unknown = RunId::mint(&tenant("acme"), weft_model::Timestamp::EPOCH, [9; 16]);
    let globex = world.caller("globex", ScopeSet::EMPTY).await;
    let mut bodies = Vec::new();
    for id in [&run, &unknown] {
        let error = runs::get(&world.host, &globex, id).await.expect_err("refused");
        assert_eq!(error.code(), ErrorCode::IdTenantMismatch);
        bodies.push(error.envelope());
    }
    assert_eq!(bodies[0], bodies[1]);
    let canceller = world.caller("acme", ScopeSet::EMPTY.with(Scope::RunsCancel)).await;
    assert_eq!(code(runs::get(&world.host, &canceller, &run).await), ErrorCode::Forbidden);
    assert_eq!(code(runs::get(&world.host, &canceller, &unknown).await), ErrorCode::Forbidden);
    assert_eq!(code(runs::get(&world.host, &world.acme, &unknown).await), ErrorCode::NotFound);
    let create = create_request(json!({"workflowId": "noop"}), None);
    assert_eq!(code(runs::create(&world.host, &canceller, create).await), ErrorCode::Forbidden);
}

/// Witnesses R-SNAP-07: the validator changes with each transition and stands still otherwise.
#[tokio::test(start_paused = true)]
async fn the_etag_follows_the_log() {
    let world = World::new().await;
    let run = world.run("gate").await;
    let etag = async || runs::get(&world.host, &world.acme, &run).await.expect("a snapshot").etag;
    let waiting = etag().await;
    assert!(waiting.starts_with('"') && waiting.ends_with('"'));
    assert_eq!(etag().await, waiting);
    world.resolve(&run, crate::world::accept(), None).await.expect("resolved");
    assert_ne!(etag().await, waiting);
}

/// Witnesses R-EVT-125 for schemas: a workflow that cannot be served is left out, what was served
/// in its place stays, and the others are not touched.
#[tokio::test(start_paused = true)]
async fn an_unservable_workflow_leaves_the_last_good_one() {
    let world = World::new().await;
    let named = |id: &str, schema: Value| {
        let mut definition = noop();
        definition["id"] = json!(id);
        definition["configurableSchema"] = schema;
        (None, definition)
    };
    world.serve(&[named("kept", json!({"required": ["ai"]}))]).await;
    world.serve(&[named("kept", json!({"type": 5})), named("never", json!({"type": 5}))]).await;
    let without = json!({"workflowId": "kept"});
    assert_eq!(code(world.create(without, None).await), ErrorCode::ValidationError);
    assert_eq!(code(world.create(json!({"workflowId": "never"}), None).await), ErrorCode::NotFound);
    world.create(json!({"workflowId": "noop"}), None).await.expect("served as before");
}

/// Witnesses DECISIONS 34: what a run pinned outlives its file.
#[tokio::test(start_paused = true)]
async fn a_run_keeps_the_definition_that_it_pinned() {
    let world = World::new().await;
    let run = world.run("gate").await;
    world.registry.replace(Vec::new()).await.expect("an empty table");
    assert_eq!(code(world.create(json!({"workflowId": "gate"}), None).await), ErrorCode::NotFound);
    world.resolve(&run, crate::world::accept(), None).await.expect("resolved");
    assert_eq!(world.snapshot(&run).await["status"], "completed");
}

/// A definition that its author has not declared active is readable and does not run.
#[tokio::test(start_paused = true)]
async fn a_workflow_that_is_not_active_does_not_run() {
    let world = World::new().await;
    for (id, member, value) in [("drafted", "status", json!("draft")), ("shelved", "isActive", json!(false))] {
        let mut definition = noop();
        definition["id"] = json!(id);
        definition[member] = value;
        world.serve(&[(None, definition)]).await;
        let refused = world.create(json!({"workflowId": id}), None).await;
        assert_eq!(code(refused), ErrorCode::ValidationError, "{id}");
        assert!(workflows::get(&world.host, &world.acme, &id.parse().expect("an id")).is_ok(), "{id}");
    }
}
