//! Clients that answer approvals, from two sides at once, and clients that cancel.

use std::sync::Arc;

use serde_json::{Value, json};
use weft_model::{ErrorCode, NodeId, RunId};
use weft_ops::interrupts::{ResolveInterrupt, resolve};
use weft_ops::runs::{CancelRun, cancel as cancel_run};
use weft_ops::{Answer, Host, OpResult};

use super::memory::KnownRun;
use super::session::{Refusal, Reply, Session};
use crate::checker::Resolve;
use crate::simulator::workflows;

/// How many of the youngest runs an answerer looks at: both sides look at the same ones.
const YOUNGEST: usize = 6;

/// Answers approvals until the ring closes.
pub(super) async fn approve(mut session: Session) {
    let mut number = 0;
    loop {
        session.pause(40, 400).await;
        if !session.is_open() {
            return;
        }
        let gated = |run: &KnownRun| workflows::gate_of(run.workflow).is_some();
        if let Some(run) = young_run(&mut session, gated) {
            answer_gate(&mut session, run, number).await;
            number += 1;
        }
    }
}

/// Cancels runs until the ring closes.
pub(super) async fn cancel(mut session: Session) {
    let mut number = 0;
    loop {
        session.pause(300, 2_500).await;
        if !session.is_open() {
            return;
        }
        if let Some(run) = young_run(&mut session, |_| true) {
            cancel_one(&mut session, run, number).await;
            number += 1;
        }
    }
}

fn young_run(session: &mut Session, fits: impl Fn(&KnownRun) -> bool) -> Option<KnownRun> {
    let tenant = session.place.tenant;
    let runs = session.memory().known(|run| run.tenant == tenant && fits(run));
    let young = &runs[runs.len().saturating_sub(YOUNGEST)..];
    session.rng.pick(young).cloned()
}

async fn answer_gate(session: &mut Session, run: KnownRun, number: u32) {
    let node = workflows::gate_of(run.workflow).expect("only gated runs are answered");
    let action = if session.rng.happens(700) { "accept" } else { "reject" };
    let value = json!({
        "action": action,
        "decidedAt": "2027-01-15T08:00:00.000000Z",
        "feedback": format!("{} {number}", session.name),
    });
    let key = session.rng.happens(600).then(|| format!("simulated-answer-{}-{number}", session.name));
    let body = json!({"resumeValue": value});
    let node_id: NodeId = node.parse().expect("a node id");
    let run_id: RunId = run.id.parse().expect("an answered run id");
    let mut tries = 0;
    loop {
        let (caller, body, key_sent) = (session.caller.clone(), body.clone(), key.clone());
        let (run_sent, node_sent) = (run_id.clone(), node_id.clone());
        let op = async move |host: Arc<Host>| -> OpResult<Answer> {
            resolve(&host, &caller, &run_sent, &node_sent, ResolveInterrupt { body, idempotency_key: key_sent }).await
        };
        match session.call(op).await {
            Reply::Answer(answer) => return answered(session, &run, node, &value, &key, &answer),
            Reply::Refused(error) => match session.weigh(&error) {
                Refusal::Again => session.note(format_args!("answer to {} may be repeated", run.id)),
                Refusal::Final(code) => return answer_refused(session, &run, value, key.is_some(), code),
            },
            Reply::Cut => session.note(format_args!("answer to {} was cut", run.id)),
        }
        // Without a key nobody can tell the own answer from another's; a person would look first.
        if key.is_none() || !session.insist(&mut tries, "an answer").await {
            return;
        }
    }
}

fn answered(session: &Session, run: &KnownRun, node: &str, value: &Value, key: &Option<String>, answer: &Answer) {
    if answer.status == 200 {
        session.note(format_args!("answered {} with {}", run.id, value["action"]));
        let resolve = Resolve { run: run.id.clone(), node: node.to_owned(), value: value.clone(), key: key.clone() };
        return session.memory().record(|history| history.resolves.push(resolve));
    }
    // A refusal that is final is replayed as an answer (R-IDEM-05).
    let body: Value = serde_json::from_slice(&answer.body).expect("an answer is JSON");
    let code = body["error"].as_str().and_then(ErrorCode::parse);
    match code {
        Some(code) if answer.replayed => answer_refused(session, run, value.clone(), true, code),
        _ => session.memory().breach(format!("an answer to {} came back as {}", run.id, answer.status)),
    }
}

fn answer_refused(session: &Session, run: &KnownRun, value: Value, keyed: bool, code: ErrorCode) {
    session.note(format_args!("answer to {} refused: {}", run.id, code.as_str()));
    match code {
        // R-INT-11, R-INT-12.
        ErrorCode::InterruptAlreadyResolved if keyed => {
            session.memory().promise(|promises| promises.refused_answers.push((run.id.clone(), value)));
        }
        // The gate has not been reached yet (R-INT-10).
        ErrorCode::InterruptAlreadyResolved | ErrorCode::NotFound => {}
        code => session.memory().breach(format!("an answer to {} was refused: {}", run.id, code.as_str())),
    }
}

async fn cancel_one(session: &mut Session, run: KnownRun, number: u32) {
    let reason = format!("{} {number}", session.name);
    let key = session.rng.happens(600).then(|| format!("simulated-cancel-{}-{number}", session.name));
    let run_id: RunId = run.id.parse().expect("an answered run id");
    let mut tries = 0;
    loop {
        let (caller, run_sent, key_sent) = (session.caller.clone(), run_id.clone(), key.clone());
        let body = Some(json!({"reason": reason}));
        let op = async move |host: Arc<Host>| -> OpResult<Answer> {
            cancel_run(&host, &caller, &run_sent, CancelRun { body, idempotency_key: key_sent }).await
        };
        let code = match session.call(op).await {
            Reply::Answer(answer) if answer.status == 200 => {
                session.note(format_args!("cancelled {}", run.id));
                return session.memory().promise(|promises| promises.cancelled.push(run.id));
            }
            Reply::Answer(answer) => {
                let body: Value = serde_json::from_slice(&answer.body).expect("an answer is JSON");
                body["error"].as_str().and_then(ErrorCode::parse)
            }
            Reply::Refused(error) => match session.weigh(&error) {
                Refusal::Again => None,
                Refusal::Final(code) => Some(code),
            },
            Reply::Cut => None,
        };
        match code {
            Some(ErrorCode::RunTerminal) if key.is_some() => {
                session.note(format_args!("cancel of {} came too late", run.id));
                return session.memory().promise(|promises| promises.refused_cancels.push((run.id, reason)));
            }
            Some(ErrorCode::RunTerminal) => return,
            Some(code) => {
                let what = format!("a cancel of {} was refused: {}", run.id, code.as_str());
                return session.memory().breach(what);
            }
            None => {}
        }
        if key.is_none() || !session.insist(&mut tries, "a cancel").await {
            return;
        }
    }
}
