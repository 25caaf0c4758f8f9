//! From a command to what follows from it.

use weft_model::EventBody;
use weft_model::event::{RunLimits, RunStarted};
use weft_model::run::ENGINE_VERSION;

use super::command::{Command, Decision, Refusal, Stamp, Start};
use super::draft::Draft;
use super::state::{RunState, Stage};
use super::timer::TimerId;
use super::{chain, close, interrupt, recover, settle};

/// Decides a command.
///
/// On `Err` the state is untouched. On `Ok` the events of the decision are already folded into
/// `state`, and the caller commits them or drops the state: a copy of the state for every decision
/// would cost the size of the graph.
pub fn decide(state: &mut RunState, command: Command, stamp: &mut Stamp<'_>) -> Result<Decision, Refusal> {
    let mut draft = Draft::new(state, stamp);
    match command {
        Command::Start(start) => begin(&mut draft, start)?,
        Command::Advance => {
            moving(draft.state)?;
            chain::advance(&mut draft);
        }
        Command::FinishNode { node, attempt, result } => {
            moving(draft.state)?;
            settle::report(&mut draft, &node, attempt, result)?;
            chain::advance(&mut draft);
        }
        Command::FireTimer(timer) => {
            moving(draft.state)?;
            settle::fire(&mut draft, timer)?;
            chain::advance(&mut draft);
        }
        Command::ResolveInterrupt { node, value, by } => {
            interrupt::resolve(&mut draft, &node, value, by)?;
            chain::advance(&mut draft);
        }
        Command::Cancel(cancel) => {
            moving(draft.state)?;
            close::cancel(&mut draft, cancel);
        }
        Command::Recover => {
            moving(draft.state)?;
            recover::recover(&mut draft);
            chain::advance(&mut draft);
        }
        Command::Condemn(error) => {
            moving(draft.state)?;
            crossing!(Condemned);
            close::fail(&mut draft, error.into_failure(), None);
        }
    }
    Ok(draft.finish())
}

fn begin(draft: &mut Draft<'_, '_>, start: Start) -> Result<(), Refusal> {
    match &draft.state.stage {
        Stage::Pending => {}
        Stage::Ended(ending) => return Err(Refusal::Terminal { status: ending.status }),
        Stage::Open | Stage::Paused => return Err(Refusal::AlreadyStarted),
    }
    draft.state.workflow.check_inputs(&start.inputs)?;
    let timeout_ms = match (start.run_timeout_ms, draft.state.workflow.timeout_ms()) {
        (Some(asked), Some(authored)) => Some(asked.min(authored)),
        (asked, authored) => asked.or(authored),
    };
    let limits = RunLimits { node_executions: start.recursion_limit, run_duration_ms: timeout_ms };
    let started = RunStarted {
        workflow_id: draft.state.workflow.id().clone(),
        inputs: Some(start.inputs),
        transport: Some(start.transport),
        engine_version: Some(ENGINE_VERSION),
        owner: Some(start.owner),
        tags: Some(start.tags).filter(|tags| !tags.is_empty()),
        metadata: start.metadata,
        configurable: start.configurable,
        limits: Some(limits).filter(|limits| *limits != RunLimits::default()),
    };
    draft.emit(EventBody::RunStarted(Box::new(started)));
    if let Some(due) = draft.state.run_deadline() {
        draft.set_timer(TimerId::RunDeadline, due);
    }
    chain::advance(draft);
    Ok(())
}

/// Only a run that has begun and not ended takes orders.
fn moving(state: &RunState) -> Result<(), Refusal> {
    match &state.stage {
        Stage::Pending => Err(Refusal::NotStarted),
        Stage::Ended(ending) => Err(Refusal::Terminal { status: ending.status }),
        Stage::Open | Stage::Paused => Ok(()),
    }
}
