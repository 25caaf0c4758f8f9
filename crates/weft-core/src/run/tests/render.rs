//! Decisions as lines of text.

use weft_model::{Event, EventBody, Timestamp};

use crate::run::{Decision, Effect, TimerChange};

/// One line for each event, effect and timer change, in this order.
pub(super) fn lines(decision: &Decision, now: Timestamp) -> Vec<String> {
    let mut lines: Vec<String> = decision.events.iter().map(event).collect();
    lines.extend(decision.effects.iter().map(effect));
    lines.extend(decision.timers.iter().map(|change| timer(change, now)));
    if decision.more {
        lines.push("more".to_owned());
    }
    lines
}

fn effect(effect: &Effect) -> String {
    match effect {
        Effect::RunNode { call, .. } if call.inputs.is_empty() => format!("! run {}#{}", call.node_id, call.attempt),
        Effect::RunNode { call, .. } => {
            format!("! run {}#{} {}", call.node_id, call.attempt, serde_json::to_string(&call.inputs).unwrap())
        }
        Effect::AbortNode { node, attempt } => format!("! abort {node}#{attempt}"),
    }
}

fn timer(change: &TimerChange, now: Timestamp) -> String {
    match change {
        TimerChange::Set { timer, due } => {
            format!("@ set {timer} {:+}", (due.as_micros() - now.as_micros()) / 1_000)
        }
        TimerChange::Clear(timer) => format!("@ clear {timer}"),
    }
}

fn event(event: &Event) -> String {
    let kind = event.body.type_name();
    let node = event.node_id.as_ref().map(|id| format!(" {id}")).unwrap_or_default();
    let more = detail(&event.body);
    format!("{kind}{node}{more}")
}

fn detail(body: &EventBody) -> String {
    match body {
        EventBody::NodeStarted(p) => format!("#{}", p.attempt.unwrap()),
        EventBody::NodeCompleted(p) => object(p.outputs.as_ref().unwrap()),
        EventBody::RunCompleted(p) => object(&p.outputs),
        EventBody::NodeFailed(p) => format!(" {} after {}", p.error.code, p.attempts.unwrap()),
        EventBody::NodeSkipped(p) => format!(" {}", p.reason.as_ref().unwrap()),
        EventBody::NodeCancelled(p) => format!(" {}", p.reason.as_ref().unwrap()),
        EventBody::NodeRetried(p) => format!("#{} {}", p.attempt, p.last_error.as_ref().unwrap().code),
        EventBody::InterruptResolved(p) => {
            let decision = p.decision.map(|d| format!(" {d:?}").to_lowercase()).unwrap_or_default();
            let reason = p.reason.as_ref().map(|reason| format!(" because {reason}")).unwrap_or_default();
            let by = p.resolved_by.as_ref().map(|by| format!(" by {}", by.subject_id)).unwrap_or_default();
            format!(" {}{decision}{reason}{by}", format!("{:?}", p.action.unwrap()).to_lowercase())
        }
        EventBody::RunFailed(p) => {
            let node = p.failed_node_id.as_ref().map(|node| format!(" at {node}")).unwrap_or_default();
            format!(" {}{node}", p.error.code)
        }
        EventBody::RunCancelled(p) => {
            let reason = p.reason.as_ref().map(|reason| format!(" {reason}")).unwrap_or_default();
            let by = p.cancelled_by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
            format!("{reason}{by}")
        }
        EventBody::CapBreached(p) => format!(" {:?} {}/{}", p.kind, p.observed, p.limit),
        _ => String::new(),
    }
}

fn object(object: &weft_model::JsonObject) -> String {
    if object.is_empty() { String::new() } else { format!(" {}", serde_json::to_string(object).unwrap()) }
}
