//! The fixtures and samples decided from start to end, without an engine: the
//! core's own decisions over this crate's types.

use std::sync::Arc;

use serde_json::{Value, json};
use weft_core::{Cancel, Command, Effect, Refusal, RunState, Stamp, Start, TimerChange, TimerId, Workflow, decide};
use weft_model::event::Transport;
use weft_model::{Event, EventBody, NodeId, Owner, RunId, RunStatus, Timestamp};

use crate::files::read;
use crate::support::{JSON, Peer, answer, catalog, object};

/// One run: its state, its log, and what a decision left to be done.
struct Run {
    state: RunState,
    log: Vec<Event>,
    effects: Vec<Effect>,
    timers: Vec<TimerId>,
    now: i64,
    drawn: u8,
}

impl Run {
    fn start(file: &str, inputs: Value) -> Result<Self, Refusal> {
        let workflow = Workflow::compile(&read(file), &catalog(&["127.0.0.0/8"])).expect("an acceptable definition");
        let run_id = RunId::parse("acme/run-0123456789abcdef").expect("a run id");
        let state = RunState::new(run_id, Arc::new(workflow));
        let (log, effects, timers) = (Vec::new(), Vec::new(), Vec::new());
        let mut run = Self { state, log, effects, timers, now: 1_000_000, drawn: 0 };
        run.act(Command::Start(Start {
            inputs: object(inputs),
            owner: owner(),
            transport: Transport::Rest,
            tags: Vec::new(),
            metadata: None,
            configurable: None,
            recursion_limit: None,
            run_timeout_ms: None,
        }))?;
        Ok(run)
    }

    fn act(&mut self, command: Command) -> Result<(), Refusal> {
        let mut next = Some(command);
        while let Some(command) = next.take() {
            self.now += 1_000;
            let drawn = &mut self.drawn;
            let mut random = || {
                *drawn = drawn.wrapping_add(1);
                [*drawn; 16]
            };
            let mut stamp = Stamp { now: Timestamp::from_micros(self.now), random: &mut random };
            let decision = decide(&mut self.state, command, &mut stamp)?;
            self.log.extend(decision.events);
            self.effects.extend(decision.effects);
            self.timers.extend(decision.timers.into_iter().filter_map(|change| match change {
                TimerChange::Set { timer: timer @ TimerId::Node { .. }, .. } => Some(timer),
                _ => None,
            }));
            next = decision.more.then_some(Command::Advance);
        }
        Ok(())
    }

    fn answer(&mut self, node: &str, action: &str) -> Result<(), Refusal> {
        let node = NodeId::parse(node).expect("a node id");
        let value = json!({"action": action, "decidedAt": "2026-01-01T00:00:00Z"});
        self.act(Command::ResolveInterrupt { node, value, by: owner().subject })
    }

    fn fire_last_timer(&mut self) {
        let timer = self.timers.pop().expect("a timer");
        self.act(Command::FireTimer(timer)).expect("due");
    }

    /// Performs the one effect there is and reports it.
    async fn perform(&mut self) {
        let Some(Effect::RunNode { call, node }) = self.effects.pop() else { panic!("no effect") };
        let (id, attempt) = (call.node_id.clone(), call.attempt);
        let result = node.execute(call).await;
        self.act(Command::FinishNode { node: id, attempt, result }).expect("in flight");
    }

    /// The types of the log, with the node they are about.
    fn types(&self) -> Vec<String> {
        let named = |event: &Event| match &event.node_id {
            Some(node) => format!("{} {node}", event.event_type().as_str()),
            None => event.event_type().as_str().to_owned(),
        };
        self.log.iter().map(named).collect()
    }

    fn has(&self, types: &[&str]) {
        let log = self.types();
        let mut rest = log.iter();
        for wanted in types {
            assert!(rest.any(|seen| seen == wanted), "{wanted} is missing or out of order in {log:?}");
        }
    }

    fn variables(&self) -> Value {
        let snapshot = self.state.snapshot().expect("a started run");
        Value::Object(snapshot.variables.unwrap_or_default())
    }
}

fn owner() -> Owner {
    let owner = json!({"tenant": "acme", "subject": {
        "issuer": "weft", "subjectId": "ann", "tenant": "acme", "lane": "api-key", "kind": "user",
    }});
    serde_json::from_value(owner).expect("an owner")
}

/// Witnesses R-EVT-150.
#[test]
fn the_no_op_completes() {
    let run = Run::start("fixtures/conformance-noop", json!({})).expect("started");
    run.has(&["run.started", "node.completed noop", "run.completed"]);
}

/// Witnesses R-EVT-135.
#[test]
fn the_payload_comes_back_in_the_snapshot() {
    let payload = json!({"a": [1, null, {"b": "ü"}], "n": 1.5});
    let run = Run::start("fixtures/conformance-identity", json!({"payload": payload})).expect("started");
    assert_eq!(run.state.status(), RunStatus::Completed);
    assert_eq!(run.variables()["payload"], payload);
}

/// Witnesses R-EVT-136.
#[test]
fn the_delay_waits_for_its_timer() {
    let mut run = Run::start("fixtures/conformance-delay", json!({"delayMs": 250})).expect("started");
    assert_eq!(run.state.status(), RunStatus::Running);
    run.fire_last_timer();
    run.has(&["node.started wait", "node.completed wait", "run.completed"]);
}

/// Witnesses R-EVT-151.
#[test]
fn the_failure_has_one_code() {
    let run = Run::start("fixtures/conformance-failure", json!({})).expect("started");
    run.has(&["run.started", "node.failed fail", "run.failed"]);
    let codes: Vec<String> = run
        .log
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::NodeFailed(failed) => Some(failed.error.code.to_string()),
            EventBody::RunFailed(failed) => Some(failed.error.code.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(codes, ["example.conformance_test_failure"; 2]);
}

/// Witnesses R-EVT-152.
#[test]
fn three_nodes_complete_in_order() {
    let run = Run::start("fixtures/conformance-multi-node", json!({})).expect("started");
    run.has(&["node.completed a", "node.completed b", "node.completed c", "run.completed"]);
}

/// Witnesses R-EVT-153.
#[test]
fn a_long_wait_is_cancelled() {
    let mut run = Run::start("fixtures/conformance-cancellable", json!({})).expect("started");
    run.act(Command::Cancel(Cancel::default())).expect("cancellable");
    run.has(&["node.cancelled wait", "run.cancelled"]);
    assert_eq!(run.state.status(), RunStatus::Cancelled);
}

/// Witnesses R-EVT-121: the nonce is required and otherwise unused.
#[test]
fn the_nonce_is_required() {
    assert!(Run::start("fixtures/conformance-idempotent", json!({})).is_err());
    let run = Run::start("fixtures/conformance-idempotent", json!({"nonce": "n"})).expect("started");
    assert_eq!(run.state.status(), RunStatus::Completed);
}

/// Witnesses R-EVT-157 and R-APR-09 for the offered actions.
#[test]
fn the_approval_takes_accept_and_reject_and_nothing_else() {
    for (action, status) in [("accept", RunStatus::Completed), ("reject", RunStatus::Failed)] {
        let mut run = Run::start("fixtures/conformance-approval", json!({})).expect("started");
        assert_eq!(run.state.status(), RunStatus::WaitingApproval);
        assert!(run.answer("gate", "refine").is_err() && run.answer("gate", "timeout").is_err());
        run.answer("gate", action).expect("offered");
        assert_eq!(run.state.status(), status, "{action}");
    }
}

#[tokio::test]
async fn the_expense_is_looked_up_approved_and_closed() {
    let peer = Peer::start(&[&answer(200, JSON, r#"{"limit": 50}"#)]).await;
    let inputs = json!({"employee": "ann", "amount": 42, "policyUrl": peer.url("/policy")});
    let mut run = Run::start("workflows/expense-approval", inputs).expect("started");
    run.perform().await;
    assert_eq!(run.state.status(), RunStatus::WaitingApproval);
    let asked = run.log.iter().find_map(|event| match &event.body {
        EventBody::InterruptRequested(payload) => serde_json::to_value(payload).ok(),
        _ => None,
    });
    let artifact = &asked.expect("an interrupt")["data"]["artifactData"];
    assert_eq!((&artifact["policy"], &artifact["policyStatus"]), (&json!({"limit": 50}), &json!(200)));
    assert_eq!((&artifact["amount"], &artifact["currency"]), (&json!(42), &json!("EUR")));
    run.answer("approve", "accept").expect("offered");
    assert_eq!(run.state.status(), RunStatus::Completed);
    let variables = run.variables();
    assert_eq!((&variables["decision"], &variables["policy"]), (&json!("accept"), &json!({"limit": 50})));
}

#[test]
fn the_reminder_waits_and_is_rejected_when_nobody_answers() {
    let mut run = Run::start("workflows/reminder", json!({"text": "water the plants"})).expect("started");
    run.fire_last_timer();
    assert_eq!(run.state.status(), RunStatus::WaitingApproval);
    run.fire_last_timer();
    run.has(&["interrupt.resolved confirm", "node.failed confirm", "run.failed"]);
}

#[test]
fn hello_needs_no_input() {
    let run = Run::start("workflows/hello", json!({})).expect("started");
    assert_eq!(run.variables()["payload"], json!({"text": "Hello from weft"}));
}
