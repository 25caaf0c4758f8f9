//! Every operation against every way of not being allowed or not being right.
//!
//! One table says what each operation has that can be refused; the cells follow from it, so a new
//! operation is one line and no cell can be forgotten.

use http::Method;
use serde_json::{Value, json};
use weft_auth::caller_facing_scopes;
use weft_model::operation::OPERATIONS;
use weft_model::{OperationId, RunId, ScopeSet, Timestamp};

use crate::ask::{Answered, Ask};
use crate::world::{World, accept, unknown_run};

/// What a request is about.
#[derive(Clone, Copy, Debug, PartialEq)]
enum About {
    /// Something public.
    Nothing,
    /// The caller's runs as a whole.
    Runs,
    /// A run in the path.
    Run,
    /// A workflow in the path.
    Workflow,
    /// A workflow in the body.
    BodyWorkflow,
}

const TABLE: [(OperationId, About); 9] = [
    (OperationId::GetCapabilities, About::Nothing),
    (OperationId::GetWorkflow, About::Workflow),
    (OperationId::CreateRun, About::BodyWorkflow),
    (OperationId::GetRun, About::Run),
    (OperationId::ListRuns, About::Runs),
    (OperationId::StreamRunEvents, About::Run),
    (OperationId::PollRunEvents, About::Run),
    (OperationId::CancelRun, About::Run),
    (OperationId::ResolveInterruptByRun, About::Run),
];

/// The request of an operation on a run and a workflow, as they stand in a path.
fn ask(operation: OperationId, run: &str, workflow: &str) -> Ask {
    let row = operation.row();
    let path = row.path.replace("{runId}", run).replace("{workflowId}", workflow).replace("{nodeId}", "gate");
    let method: Method = row.method.as_str().parse().expect("a method");
    let ask = Ask::new(method, &path);
    match operation {
        OperationId::CreateRun => ask.json(&json!({ "workflowId": workflow })),
        OperationId::ResolveInterruptByRun => ask.json(&accept()),
        _ => ask,
    }
}

fn assert_refused(answer: &Answered, status: u16, code: &str, context: &str) {
    assert_eq!((answer.status, answer.code().as_str()), (status, code), "{context}: {}", answer.text());
    let body = answer.json();
    let members = body.as_object().expect("an object");
    assert!(members.keys().all(|name| ["error", "message", "details"].contains(&name.as_str())), "{context}: {body}");
    assert!(body["message"].as_str().is_some_and(|message| !message.is_empty()), "{context}");
    for timing in ["retryAfter", "retryAfterMs", "retryAfterSeconds"] {
        assert!(body["details"].get(timing).is_none(), "{context}");
    }
    assert_eq!(answer.header("openwop-version"), "2.46", "{context}");
    assert_eq!(answer.header("cache-control"), "no-store", "{context}");
    let challenge = if status == 401 { "Bearer" } else { "" };
    assert_eq!(answer.header("www-authenticate"), challenge, "{context}");
}

/// Witnesses that the table is complete: every operation of the protocol is in it, or its path is
/// as unknown as any other.
#[tokio::test(start_paused = true)]
async fn the_table_is_complete() {
    let world = World::new().await;
    let run = world.waiting_run().await.projected();
    let nothing = world.get("/nothing/here").await;
    for row in OPERATIONS {
        let listed = TABLE.iter().any(|(operation, _)| *operation == row.id);
        let path = row.path.replace("{runId}", &run).replace(['{', '}'], "");
        let answer = world.ask_plainly(Ask::new(row.method.as_str().parse().expect("a method"), &path)).await;
        assert_eq!(answer.text() != nothing.text(), listed, "{}", row.operation_id);
    }
}

/// Witnesses R-AUTH-01, R-AUTH-09, R-PRM-08, R-ERR-01, R-ERR-05, R-ERR-06.
#[tokio::test(start_paused = true)]
async fn without_a_credential() {
    let world = World::new().await;
    let run = world.waiting_run().await;
    for (operation, about) in TABLE {
        let plain = ask(operation, &run.projected(), "conformance-noop");
        for ask in [plain.clone(), plain.header("x-tenant", "acme").header("cookie", "session=1")] {
            let answer = world.ask_plainly(ask).await;
            if about == About::Nothing {
                assert_eq!(answer.status, 200);
            } else {
                assert_refused(&answer, 401, "unauthenticated", operation.row().operation_id);
            }
        }
    }
}

/// Witnesses R-AUTH-02, R-AUTH-22: garbage, other schemes, unknown keys, wrong secrets, two keys.
#[tokio::test(start_paused = true)]
async fn with_a_malformed_credential() {
    let world = World::new().await;
    let run = world.waiting_run().await;
    let mut wrong = world.key.clone();
    let last = wrong.pop().expect("a key");
    wrong.push(if last == 'a' { 'b' } else { 'a' });
    let values = [
        String::new(),
        "Bearer".to_owned(),
        "Bearer ".to_owned(),
        "Bearer nonsense".to_owned(),
        format!("Bearer {wrong}"),
        format!("Basic {}", world.key),
        world.key.clone(),
        format!("Bearer {}, Bearer {}", world.key, world.key),
        format!("Bearer {}", "x".repeat(5000)),
        "Bearer \u{e9}\u{e9}".to_owned(),
    ];
    for (operation, about) in TABLE.iter().filter(|(_, about)| *about != About::Nothing) {
        for value in &values {
            let answer = world
                .ask_plainly(ask(*operation, &run.projected(), "conformance-noop").header("authorization", value))
                .await;
            let code = answer.code();
            assert!(code == "unauthenticated" || code == "identity_unverified", "{about:?} {value}: {code}");
            assert_refused(&answer, 401, &code, value);
            assert!(!answer.text().contains(&world.key));
        }
        let twice = ask(*operation, &run.projected(), "conformance-noop").bearer(&world.key);
        let twice = twice.header("authorization", &format!("Bearer {}", world.key));
        assert_refused(&world.ask_plainly(twice).await, 401, "identity_unverified", "two credentials");
    }
}

/// Witnesses R-AUTH-05, R-AUTH-15: refused from the next request on.
#[tokio::test(start_paused = true)]
async fn with_a_revoked_key() {
    let world = World::new().await;
    let run = world.waiting_run().await;
    let (id, key) = world.key_of("acme", caller_facing_scopes()).await;
    let list = || Ask::get("/runs").bearer(&key);
    assert_eq!(world.ask_plainly(list()).await.status, 200);
    assert!(world.keys.revoke(&id, Timestamp::EPOCH).await.expect("stored"));
    for (operation, _) in TABLE.iter().filter(|(_, about)| *about != About::Nothing) {
        let answer = world.ask_plainly(ask(*operation, &run.projected(), "conformance-noop").bearer(&key)).await;
        assert_refused(&answer, 401, "credential_revoked", operation.row().operation_id);
    }
}

/// Witnesses R-ID-07, R-SECU-01, R-AUTH-10, R-PRM-07, R-LIST-02: what exists in another tenant and
/// what does not are one answer, byte for byte.
#[tokio::test(start_paused = true)]
async fn in_another_tenant() {
    let world = World::new().await;
    let existing = world.waiting_run().await;
    let missing = unknown_run("acme");
    let (_, key) = world.key_of("globex", caller_facing_scopes()).await;
    for (operation, about) in TABLE {
        let name = operation.row().operation_id;
        let answers = async |run: &RunId| {
            world.ask_plainly(ask(operation, &run.projected(), "conformance-noop").bearer(&key)).await
        };
        match about {
            About::Run => {
                let (there, not_there) = (answers(&existing).await, answers(&missing).await);
                assert_refused(&there, 403, "id_tenant_mismatch", name);
                assert_eq!(there.text(), not_there.text(), "{name}");
            }
            About::BodyWorkflow => {
                let body = json!({"workflowId": "conformance-noop", "tenantId": "acme"});
                let refused = world.ask_plainly(Ask::post("/runs").json(&body).bearer(&key)).await;
                assert_refused(&refused, 403, "id_tenant_mismatch", name);
            }
            About::Runs => assert_eq!(answers(&existing).await.json(), json!({"runs": []})),
            About::Nothing | About::Workflow => assert_eq!(answers(&existing).await.status, 200, "{name}"),
        }
    }
    let still = world.get(&format!("/runs/{}", existing.projected())).await.json();
    assert_eq!(still["status"], "waiting-approval", "nothing of it took effect");
}

/// Witnesses R-AUTH-12: each operation needs its own scope, and a foreign run is refused first.
#[tokio::test(start_paused = true)]
async fn without_the_scope() {
    let world = World::new().await;
    let run = world.waiting_run().await;
    for (operation, about) in TABLE.iter().filter(|(_, about)| *about != About::Nothing) {
        let needed = operation.row().scopes();
        let others: ScopeSet = caller_facing_scopes().iter().filter(|scope| !needed.contains(scope)).collect();
        let (_, key) = world.key_of("acme", others).await;
        let id = operation.row().operation_id;
        for run in [run.projected(), unknown_run("acme").projected()] {
            let answer = world.ask_plainly(ask(*operation, &run, "conformance-noop").bearer(&key)).await;
            assert_refused(&answer, 403, "forbidden", id);
        }
        let (_, foreign) = world.key_of("globex", others).await;
        let answer = world.ask_plainly(ask(*operation, &run.projected(), "conformance-noop").bearer(&foreign)).await;
        let code = if *about == About::Run { "id_tenant_mismatch" } else { "forbidden" };
        assert_refused(&answer, 403, code, id);
    }
}

/// Witnesses R-SNAP-10, R-WF-02, R-RUN-18, R-INT-10, R-PRM-09.
#[tokio::test(start_paused = true)]
async fn with_an_unknown_id() {
    let world = World::new().await;
    for (operation, about) in TABLE {
        let answer = world.ask(ask(operation, &unknown_run("acme").projected(), "nowhere")).await;
        match about {
            About::Nothing | About::Runs => assert_eq!(answer.status, 200),
            About::Run | About::Workflow | About::BodyWorkflow => {
                assert_refused(&answer, 404, "not_found", operation.row().operation_id);
            }
        }
    }
}

/// Witnesses R-ID-06, R-ID-08, R-ID-13: refused whoever asks, and before anybody is asked.
#[tokio::test(start_paused = true)]
async fn with_a_malformed_id() {
    let world = World::new().await;
    let opaque = "a".repeat(36);
    let runs = [
        opaque.clone(),
        format!("acme~2{opaque}"),
        format!("acme~GG{opaque}"),
        "acme~".to_owned(),
        "acme%2Fshort".to_owned(),
        format!("acme%2F{opaque}%00"),
        format!("acme%2F{opaque}%FF"),
        format!("acme%2F{opaque}%"),
        format!("acme%2F{opaque}%2Fmore"),
        format!("acme%252F{opaque}"),
        format!("~2F{opaque}"),
        format!("acme%2F{}", "a".repeat(129)),
        format!("acme%20%2F{opaque}"),
        "%".to_owned(),
    ];
    let workflows = ["%20", "a%2Fb", "%FF", "%zz", &"w".repeat(129)];
    for (operation, about) in TABLE {
        let bad: Vec<(&str, &str)> = match about {
            About::Run => runs.iter().map(|run| (run.as_str(), "conformance-noop")).collect(),
            About::Workflow => workflows.iter().map(|workflow| ("", *workflow)).collect(),
            About::BodyWorkflow => {
                let body = |id: Value| Ask::post("/runs").json(&json!({ "workflowId": id }));
                for id in [json!(""), json!("a b"), json!("a/b"), json!(7), json!(null), json!("w".repeat(129))] {
                    let refused = world.ask(body(id.clone())).await;
                    assert_refused(&refused, 400, "validation_error", &id.to_string());
                }
                continue;
            }
            About::Nothing | About::Runs => continue,
        };
        for (run, workflow) in bad {
            let ask = ask(operation, run, workflow);
            let context = format!("{} {run} {workflow}", operation.row().operation_id);
            assert_refused(&world.ask(ask.clone()).await, 400, "validation_error", &context);
            assert_refused(&world.ask_plainly(ask).await, 400, "validation_error", &context);
        }
    }
    let node = format!("/runs/{}/interrupts/a%20b", unknown_run("acme").projected());
    assert_refused(&world.post(&node, accept()).await, 400, "validation_error", &node);
}
