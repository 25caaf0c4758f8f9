//! A run that takes one-line orders, with the invariants checked after every decision.
//!
//! Orders: `start [{inputs}] [limit=n] [timeout=ms]`, `advance`, `finish node#attempt [{outputs}]`,
//! `fail node#attempt [retryable]`, `fire timer`, `resolve node json [by subject]`,
//! `cancel [reason]`, `recover`, `condemn`, `after ms` (moves the clock).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use weft_model::event::Transport;
use weft_model::{
    ErrorCode, Event, EventBody, FailureCode, Lane, NodeId, Owner, RunId, Subject, SubjectId, SubjectKind, TenantId,
    Timestamp,
};

use super::render;
use crate::node::NodeError;
use crate::run::{Cancel, Command, Decision, Refusal, RunState, Stamp, Start, TimerId, decide, snapshot_codec};
use crate::testing;
use crate::workflow::Workflow;

/// A run, its log, and a clock.
pub(super) struct Scene {
    pub(super) workflow: Arc<Workflow>,
    pub(super) state: RunState,
    pub(super) log: Vec<Event>,
    pub(super) now: Timestamp,
    drawn: u128,
}

impl Scene {
    pub(super) fn new(flow: &str) -> Self {
        let workflow = testing::compile(flow).unwrap_or_else(|faults| panic!("{flow}: {faults:?}"));
        Self::of(workflow)
    }

    pub(super) fn of(workflow: Arc<Workflow>) -> Self {
        Self {
            state: RunState::new(run_id(), Arc::clone(&workflow)),
            workflow,
            log: Vec::new(),
            now: Timestamp::from_millis(1_800_000_000_000),
            drawn: 0,
        }
    }

    /// Gives an order and answers the lines that follow.
    pub(super) fn order(&mut self, order: &str) -> Vec<String> {
        if let Some(ms) = order.strip_prefix("after ") {
            self.now = self.now.plus_ms(ms.parse().unwrap());
            return Vec::new();
        }
        match self.command(command(order)) {
            Ok(decision) => render::lines(&decision, self.now),
            Err(refusal) => vec![format!("refused: {refusal}")],
        }
    }

    pub(super) fn command(&mut self, command: Command) -> Result<Decision, Refusal> {
        let before = self.state.clone();
        let drawn = &mut self.drawn;
        let mut random = || {
            *drawn += 1;
            drawn.to_be_bytes()
        };
        let mut stamp = Stamp { now: self.now, random: &mut random };
        match decide(&mut self.state, command, &mut stamp) {
            Ok(decision) => {
                self.log.extend(decision.events.iter().cloned());
                self.check_log();
                self.check_folds();
                Ok(decision)
            }
            Err(refusal) => {
                assert_eq!(self.state, before, "a refusal leaves the state as it was");
                Err(refusal)
            }
        }
    }

    // R-EVT-02, R-EVT-03, R-EVT-06, R-EVT-25, R-EVT-33, R-EVT-38, R-TERM-01, R-TERM-02
    fn check_log(&self) {
        let mut last_attempt: BTreeMap<&NodeId, u32> = BTreeMap::new();
        let mut starts = 0;
        for (at, event) in self.log.iter().enumerate() {
            assert_eq!(event.sequence, at as u64, "sequences have no gap");
            assert!(event.timestamp <= self.now && event.schema_version >= 1);
            let is_last = at + 1 == self.log.len();
            assert!(is_last || !event.event_type().row().terminal, "nothing follows the terminal event");
            match &event.body {
                EventBody::RunStarted(_) => {
                    assert_eq!(at, 0, "run.started comes first");
                    starts += 1;
                }
                EventBody::NodeStarted(started) => {
                    assert_eq!(event.node_id.as_ref(), Some(&started.node_id));
                    let attempt = started.attempt.unwrap();
                    let previous = last_attempt.insert(&started.node_id, attempt);
                    let expected = previous.map_or(0, |previous| previous + 1);
                    assert_eq!(attempt, expected, "attempts of {} count up", started.node_id);
                }
                _ => {}
            }
        }
        assert_eq!(starts, 1, "exactly one run.started");
    }

    /// The state, a fold of the encoded log, and a fold that begins at a decoded snapshot agree.
    // R-EVT-91, R-SNAP-06
    fn check_folds(&self) {
        let whole = self.fold(0..self.log.len(), self.fresh());
        assert_eq!(whole, self.state, "the fold of the stored log is the state");
        let half = self.log.len() / 2;
        let prefix = self.fold(0..half, self.fresh());
        let stored = snapshot_codec::encode(&prefix);
        let restored = snapshot_codec::decode(&stored, Arc::clone(&self.workflow)).unwrap();
        assert_eq!(restored, prefix, "the snapshot is the state");
        assert_eq!(self.fold(half..self.log.len(), restored), self.state, "prefix and tail are the whole");
    }

    pub(super) fn fresh(&self) -> RunState {
        RunState::new(run_id(), Arc::clone(&self.workflow))
    }

    pub(super) fn fold(&self, part: std::ops::Range<usize>, mut onto: RunState) -> RunState {
        for event in &self.log[part] {
            let stored = event.encode(&run_id());
            let (run, read) = Event::decode(&stored.bytes).unwrap();
            assert_eq!(run, run_id());
            onto.apply(&read);
        }
        onto
    }

    pub(super) fn terminal_events(&self) -> usize {
        self.log.iter().filter(|event| event.event_type().row().terminal).count()
    }
}

pub(super) fn run_id() -> RunId {
    RunId::parse("acme/0123456789abcdef").unwrap()
}

pub(super) fn subject(name: &str) -> Subject {
    Subject {
        issuer: "weft".into(),
        subject_id: SubjectId::parse(name).unwrap(),
        tenant: TenantId::parse("acme").unwrap(),
        lane: Lane::ApiKey,
        kind: SubjectKind::User,
        key_class: None,
        actor: None,
    }
}

pub(super) fn start(inputs: Value) -> Start {
    let Value::Object(inputs) = inputs else { panic!("inputs are an object") };
    Start {
        inputs,
        owner: Owner { tenant: TenantId::parse("acme").unwrap(), workspace: None, subject: subject("alice") },
        transport: Transport::Rest,
        tags: Vec::new(),
        metadata: None,
        configurable: None,
        recursion_limit: None,
        run_timeout_ms: None,
    }
}

pub(super) fn command(order: &str) -> Command {
    let mut words = order.split_whitespace();
    let verb = words.next().unwrap();
    let rest: Vec<&str> = words.collect();
    match verb {
        "start" => Command::Start(start_order(&rest)),
        "advance" => Command::Advance,
        "recover" => Command::Recover,
        "condemn" => Command::Condemn(failure(false)),
        "finish" | "fail" => {
            let (node, attempt) = rest[0].split_once('#').unwrap();
            let result = match verb {
                "finish" => Ok(rest.get(1).map(|json| serde_json::from_str(json).unwrap()).unwrap_or_default()),
                _ => Err(failure(rest.get(1) == Some(&"retryable"))),
            };
            Command::FinishNode { node: node_id(node), attempt: attempt.parse().unwrap(), result }
        }
        "fire" => Command::FireTimer(rest[0].parse::<TimerId>().unwrap()),
        "resolve" => Command::ResolveInterrupt {
            node: node_id(rest[0]),
            value: serde_json::from_str(rest[1]).unwrap(),
            by: subject(rest.get(3).unwrap_or(&"bob")),
        },
        "cancel" => Command::Cancel(Cancel {
            reason: rest.first().map(|reason| (*reason).to_owned()),
            by: Some(subject("carol")),
        }),
        _ => panic!("no such order: {order}"),
    }
}

fn start_order(words: &[&str]) -> Start {
    let mut order = start(Value::Object(serde_json::Map::new()));
    for word in words {
        if let Some(limit) = word.strip_prefix("limit=") {
            order.recursion_limit = Some(limit.parse().unwrap());
        } else if let Some(ms) = word.strip_prefix("timeout=") {
            order.run_timeout_ms = Some(ms.parse().unwrap());
        } else {
            order.inputs = serde_json::from_str(word).unwrap();
        }
    }
    order
}

fn node_id(text: &str) -> NodeId {
    NodeId::parse(text).unwrap()
}

fn failure(retryable: bool) -> NodeError {
    NodeError {
        code: FailureCode::Registered(ErrorCode::UpstreamUnavailable),
        message: "the peer is down".to_owned(),
        details: None,
        retryable,
    }
}
