//! A client that starts runs: with and without a key, one copy or 64 at once, and again after a
//! crash until it has its answer.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::future::join_all;
use serde_json::{Value, json};
use weft_auth::Caller;
use weft_model::ErrorCode;
use weft_model::event::Transport;
use weft_ops::runs::{CreateRun, create};
use weft_ops::{Answer, Host, OpResult};

use super::memory::KnownRun;
use super::session::{Refusal, Reply, Session};
use crate::checker::Create;
use crate::simulator::workflows;

/// Copies of one keyed request that a storm sends at once (R13).
const STORM_COPIES: usize = 64;

/// One logical create.
struct Wish {
    workflow: &'static str,
    key: Option<String>,
    body: Value,
    copies: usize,
    /// Its entry in the history.
    entry: usize,
}

/// Starts runs until the ring closes.
pub(super) async fn work(mut session: Session) {
    let mut number = 0;
    loop {
        session.pause(300, 2_600).await;
        if !session.is_open() {
            return;
        }
        let wish = wish(&mut session, number);
        number += 1;
        pursue(&mut session, wish).await;
    }
}

fn wish(session: &mut Session, number: u32) -> Wish {
    let usual = session.rng.pick(&workflows::NAMES).copied().expect("there are workflows");
    let workflow = if session.rng.happens(6) { workflows::LONG } else { usual };
    let marker = format!("{}-{number}", session.name);
    let inputs = json!({"number": number, "by": session.name});
    let key = (!session.rng.happens(150)).then(|| format!("simulated-create-{marker}"));
    let copies = if key.is_some() && session.rng.happens(60) { STORM_COPIES } else { 1 };
    let body = json!({"workflowId": workflow, "inputs": inputs, "tags": [marker]});
    let entry = session.memory().enter(Create {
        tenant: session.place.tenant.to_owned(),
        workflow: workflow.to_owned(),
        inputs,
        key: key.clone(),
        marker,
        answers: Vec::new(),
    });
    Wish { workflow, key, body, copies, entry }
}

async fn pursue(session: &mut Session, wish: Wish) {
    let mut tries = 0;
    loop {
        let (caller, body, key, copies) = (session.caller.clone(), wish.body.clone(), wish.key.clone(), wish.copies);
        let reply = session.call(|host| send(host, caller, body, key, copies)).await;
        match reply {
            Reply::Answer(answers) => {
                if settle(session, &wish, answers) {
                    return;
                }
            }
            Reply::Refused(error) => unreachable!("a storm gathers its refusals: {error}"),
            Reply::Cut => session.note(format_args!("create {} was cut", wish.body["tags"][0])),
        }
        // Without a key a second request would be a second run.
        if wish.key.is_none() || !session.insist(&mut tries, "a create").await {
            return;
        }
    }
}

/// Sends all copies at once and gathers their answers.
async fn send(
    host: Arc<Host>,
    caller: Caller,
    body: Value,
    key: Option<String>,
    copies: usize,
) -> OpResult<Vec<OpResult<Answer>>> {
    let request = || CreateRun {
        body: body.clone(),
        idempotency_key: key.clone(),
        dedup: None,
        force_engine_version: None,
        transport: Transport::Rest,
    };
    Ok(join_all((0..copies).map(|_| create(&host, &caller, request()))).await)
}

/// Notes the answers; whether the wish is settled.
fn settle(session: &mut Session, wish: &Wish, answers: Vec<OpResult<Answer>>) -> bool {
    let marker = &wish.body["tags"][0];
    let (mut fresh, mut settled) = (0, false);
    // Sorted: which copy met which fate depends on the order in which twins are woken.
    let mut words = BTreeSet::new();
    for answer in answers {
        match answer {
            Ok(answer) if answer.status == 201 => {
                fresh += u32::from(!answer.replayed);
                settled = true;
                let id = run_id(&answer);
                words.insert(format!("create {marker} of {} is {id}", wish.workflow));
                session.memory().record(|history| history.creates[wish.entry].answers.push(id.clone()));
                session.memory().learn(KnownRun { tenant: session.place.tenant, id, workflow: wish.workflow });
            }
            Ok(answer) => session.memory().breach(format!("create {marker} was answered {}", answer.status)),
            Err(error) => match session.weigh(&error) {
                Refusal::Again => {
                    words.insert(format!("create {marker} may be repeated: {}", error.code().as_str()));
                }
                Refusal::Final(code) => {
                    refused(session, marker, code);
                    settled = true;
                }
            },
        }
    }
    for word in words {
        session.note(word);
    }
    // R-IDEM-09: of concurrent copies one executes; the others are told so or wait for it.
    if fresh > 1 {
        session.memory().breach(format!("create {marker} was executed {fresh} times"));
    }
    settled
}

fn refused(session: &Session, marker: &Value, code: ErrorCode) {
    session.memory().breach(format!("create {marker} was refused: {}", code.as_str()));
}

fn run_id(answer: &Answer) -> String {
    let body: Value = serde_json::from_slice(&answer.body).expect("an answer is JSON");
    body["runId"].as_str().expect("a create names its run").to_owned()
}
