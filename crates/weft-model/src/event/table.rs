//! One row an event type: wire name, payload definition, family, tier, stream mode, gates and
//! the name of the first major (events sheet §2 and §3).
//!
//! Sorted by wire name, because `parse` searches by halving. `UPDATES` rows reach the modes
//! updates and debug, `MESSAGES` rows messages and debug, `DEBUG` rows debug alone, and `NONE`
//! is no run-stream event at all.

use smol_str::SmolStr;

use super::modes::ModeSet;
use super::registry::Tier::{Core, Gated};
use super::registry::TypeRow;
use crate::sorted::precedes;

const UPDATES: ModeSet = ModeSet::UPDATES_AND_DEBUG;
const MESSAGES: ModeSet = ModeSet::MESSAGES_AND_DEBUG;
const DEBUG: ModeSet = ModeSet::DEBUG_ONLY;
const NONE: ModeSet = ModeSet::EMPTY;

/// How many types the registry has (R-EVT-16).
const REGISTERED_COUNT: usize = 118;

macro_rules! event_types {
    ($($variant:ident = $name:literal, $payload:literal, $family:literal, $tier:ident, $modes:ident,
       [$($gate:literal),*] $(was $v1:literal)?;)+) => {
        /// The type of an event: registered, or a vendor's.
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum EventType {
            $(#[doc = concat!("`", $name, "`")] $variant,)+
            /// `<org>.<name>` or `<org>.<domain>.<name>`; made by [`EventType::parse`] only.
            Vendor(SmolStr),
        }

        impl EventType {
            /// Every registered type, sorted by wire name.
            pub const REGISTERED: &'static [Self] = &[$(Self::$variant),+];
        }

        pub(super) const ROWS: &[TypeRow] = &[$(
            TypeRow::new($name, $payload, $family, $tier, $modes, &[$($gate),*], &[$($v1)?])
        ),+];

        const _: () = assert!(ROWS.len() == REGISTERED_COUNT, "the registry has 118 types");

        /// The row's place in [`ROWS`]; none for a vendor type.
        pub(super) fn place(event_type: &EventType) -> Option<usize> {
            #[derive(Clone, Copy)]
            enum Place { $($variant),+ }
            match event_type {
                $(EventType::$variant => Some(Place::$variant as usize),)+
                EventType::Vendor(_) => None,
            }
        }
    };
}

event_types! {
    AgentDecided = "agent.decided", "agentDecided", "agent", Gated, DEBUG, ["agents"];
    AgentHandoff = "agent.handoff", "agentHandoff", "agent", Gated, DEBUG, ["agents"];
    AgentInvocationCompleted = "agent.invocation-completed", "agentInvocationCompleted", "agent",
        Gated, DEBUG, ["agents.liveRuntime"] was "agent.invocation.completed";
    AgentInvocationStarted = "agent.invocation-started", "agentInvocationStarted", "agent", Gated,
        DEBUG, ["agents.liveRuntime"] was "agent.invocation.started";
    AgentMemoryConsolidated = "agent.memory-consolidated", "agentMemoryConsolidated", "agent",
        Gated, DEBUG, ["agents.memoryConsolidation"] was "agent.memory.consolidated";
    AgentPromptResolved = "agent.prompt-resolved", "agentPromptResolved", "agent", Gated, DEBUG,
        ["prompts"] was "agent.promptResolved";
    AgentReasoned = "agent.reasoned", "agentReasoned", "agent", Gated, DEBUG, ["agents"];
    AgentReasoningDelta = "agent.reasoning-delta", "agentReasoningDelta", "agent", Gated, DEBUG,
        ["agents.reasoning"] was "agent.reasoning.delta";
    AgentToolCalled = "agent.tool-called", "agentToolCalled", "agent", Gated, DEBUG,
        ["agents", "toolHooks"] was "agent.toolCalled";
    AgentToolReturned = "agent.tool-returned", "agentToolReturned", "agent", Gated, DEBUG,
        ["agents", "toolHooks"] was "agent.toolReturned";
    AgentVerified = "agent.verified", "agentVerified", "agent", Gated, DEBUG,
        ["multiAgent.executionModel.verifier"];
    ApprovalGranted = "approval.granted", "approvalGranted", "interrupt (alias)", Core, DEBUG, [];
    ApprovalOverridden = "approval.overridden", "approvalOverridden", "interrupt (alias)", Core, DEBUG, [];
    ApprovalReceived = "approval.received", "approvalReceived", "interrupt (alias)", Core, UPDATES, [];
    ApprovalRejected = "approval.rejected", "approvalRejected", "interrupt (alias)", Core, DEBUG, [];
    ApprovalRequested = "approval.requested", "approvalRequested", "interrupt (alias)", Core, UPDATES, [];
    ArtifactCreated = "artifact.created", "artifactCreated", "artifact", Core, UPDATES, [];
    AuthorizationDecided = "authorization.decided", "authorizationDecided", "authorization", Gated,
        DEBUG, ["authorization"];
    BudgetConsumed = "budget.consumed", "budgetConsumed", "budget", Gated, DEBUG, ["budget"];
    BudgetExhausted = "budget.exhausted", "budgetExhausted", "budget", Gated, DEBUG, ["budget"];
    BudgetReserved = "budget.reserved", "budgetReserved", "budget", Gated, DEBUG, ["budget"];
    BudgetThresholdCrossed = "budget.threshold-crossed", "budgetThresholdCrossed", "budget", Gated,
        DEBUG, ["budget"] was "budget.threshold.crossed";
    CapBreached = "cap.breached", "capBreached", "limits", Core, DEBUG, [];
    ChannelPresence = "channel.presence", "channelPresence", "state", Gated, NONE, ["channelPresence"];
    ChannelWritten = "channel.written", "channelWritten", "state", Core, DEBUG, [];
    ClarificationRequested = "clarification.requested", "clarificationRequested",
        "interrupt (alias)", Core, UPDATES, [];
    ClarificationResolved = "clarification.resolved", "clarificationResolved", "interrupt (alias)",
        Core, UPDATES, [];
    CommitmentFired = "commitment.fired", "commitmentFired", "agent", Gated, DEBUG, ["agents.commitments"];
    CompensationCompleted = "compensation.completed", "compensationCompleted", "compensation",
        Gated, UPDATES, ["compensation"];
    CompensationFailed = "compensation.failed", "compensationFailed", "compensation", Gated,
        UPDATES, ["compensation"];
    CompensationManualInterventionRequired = "compensation.manual-intervention-required",
        "compensationManualInterventionRequired", "compensation", Gated, UPDATES, ["compensation"]
        was "compensation.manual_intervention_required";
    CompensationPaused = "compensation.paused", "compensationPaused", "compensation", Gated,
        UPDATES, ["compensation"];
    CompensationRequested = "compensation.requested", "compensationRequested", "compensation",
        Gated, UPDATES, ["compensation"];
    CompensationStarted = "compensation.started", "compensationStarted", "compensation", Gated,
        UPDATES, ["compensation"];
    ConnectorAuthExpired = "connector.auth-expired", "connectorAuthExpired", "connector", Gated,
        DEBUG, ["oauth"] was "connector.auth_expired";
    ConnectorAuthorized = "connector.authorized", "connectorAuthorized", "connector", Gated, DEBUG, ["oauth"];
    ContextSummarized = "context.summarized", "contextSummarized", "multi-agent", Gated, DEBUG,
        ["multiAgent.executionModel.contextBudget.summarization"];
    ConversationClosed = "conversation.closed", "conversationClosed", "conversation", Gated, DEBUG,
        ["conversationPrimitive"];
    ConversationExchanged = "conversation.exchanged", "conversationExchanged", "conversation",
        Gated, DEBUG, ["conversationPrimitive"];
    ConversationOpened = "conversation.opened", "conversationOpened", "conversation", Gated, DEBUG,
        ["conversationPrimitive"];
    DeploymentCanaryAdjusted = "deployment.canary-adjusted", "deploymentCanaryAdjusted",
        "deployment", Gated, UPDATES, ["agents.deployment"] was "deployment.canary.adjusted";
    DeploymentPromoted = "deployment.promoted", "deploymentPromoted", "deployment", Gated, UPDATES,
        ["agents.deployment"];
    DeploymentRolledBack = "deployment.rolled-back", "deploymentRolledBack", "deployment", Gated,
        UPDATES, ["agents.deployment"];
    DeploymentStateChanged = "deployment.state-changed", "deploymentStateChanged", "deployment",
        Gated, UPDATES, ["agents.deployment"] was "deployment.state.changed";
    DispatchFannedOut = "dispatch.fanned-out", "dispatchFanOut", "multi-agent", Gated, UPDATES,
        ["agents.dispatch"] was "core.dispatch.fanOut";
    DispatchJoined = "dispatch.joined", "dispatchJoin", "multi-agent", Gated, UPDATES,
        ["agents.dispatch"] was "core.dispatch.join";
    EgressDecided = "egress.decided", "egressDecided", "egress", Gated, DEBUG, ["httpClient.egressPolicy"];
    EnvelopeNlToFormatEngaged = "envelope.nl-to-format-engaged", "envelopeNlToFormatEngaged",
        "AI envelope", Gated, DEBUG, ["envelopes.reliability"] was "envelope.nlToFormat.engaged";
    EnvelopeRecoveryApplied = "envelope.recovery-applied", "envelopeRecoveryApplied", "AI envelope",
        Gated, DEBUG, ["envelopes.reliability"] was "envelope.recovery.applied";
    EnvelopeRefusal = "envelope.refusal", "envelopeRefusal", "AI envelope", Gated, DEBUG,
        ["envelopes.reliability"];
    EnvelopeRetryAttempted = "envelope.retry-attempted", "envelopeRetryAttempted", "AI envelope",
        Gated, DEBUG, ["envelopes.reliability"] was "envelope.retry.attempted";
    EnvelopeRetryExhausted = "envelope.retry-exhausted", "envelopeRetryExhausted", "AI envelope",
        Gated, DEBUG, ["envelopes.reliability"] was "envelope.retry.exhausted";
    EnvelopeTruncated = "envelope.truncated", "envelopeTruncated", "AI envelope", Gated, DEBUG,
        ["envelopes.reliability.completion"];
    EvalCompleted = "eval.completed", "evalCompleted", "evaluation", Gated, UPDATES, ["agents.evalSuite"];
    EvalScored = "eval.scored", "evalScored", "evaluation", Gated, UPDATES, ["agents.evalSuite"];
    EvalStarted = "eval.started", "evalStarted", "evaluation", Gated, UPDATES, ["agents.evalSuite"];
    GoalClosed = "goal.closed", "goalClosed", "goal", Gated, UPDATES, ["agents.goals"];
    GoalEvaluated = "goal.evaluated", "goalEvaluated", "goal", Gated, UPDATES, ["agents.goals"];
    ImportApplied = "import.applied", "importApplied", "portability", Gated, UPDATES, ["portability"];
    InterruptRequested = "interrupt.requested", "interruptRequested", "interrupt", Core, UPDATES, [];
    InterruptResolved = "interrupt.resolved", "interruptResolved", "interrupt", Core, UPDATES, [];
    LeaseAcquired = "lease.acquired", "leaseLifecycle", "lease", Gated, DEBUG, [];
    LeaseHandedOff = "lease.handed-off", "leaseHandedOff", "lease", Gated, DEBUG, [];
    LeaseLost = "lease.lost", "leaseLifecycle", "lease", Gated, DEBUG, [];
    LeaseRenewed = "lease.renewed", "leaseLifecycle", "lease", Gated, DEBUG, [];
    LogAppended = "log.appended", "logAppended", "log", Core, DEBUG, [];
    MemoryCompacted = "memory.compacted", "memoryCompacted", "memory", Gated, DEBUG, ["memory.compaction"];
    MemoryWritten = "memory.written", "memoryWritten", "memory", Gated, DEBUG, ["memory.attribution"];
    ModelCapabilityInsufficient = "model.capability-insufficient", "modelCapabilityInsufficient",
        "model", Gated, DEBUG, ["modelCapabilities"] was "model.capability.insufficient";
    ModelCapabilitySubstituted = "model.capability-substituted", "modelCapabilitySubstituted",
        "model", Gated, DEBUG, ["modelCapabilities"] was "model.capability.substituted";
    NegotiationDecided = "negotiation.decided", "negotiationDecided", "interop", Core, DEBUG, ["a2a", "mcp"];
    NodeCancelled = "node.cancelled", "nodeCancelled", "node lifecycle", Core, UPDATES, [];
    NodeCompleted = "node.completed", "nodeCompleted", "node lifecycle", Core, UPDATES, [];
    NodeDispatched = "node.dispatched", "nodeDispatched", "node lifecycle", Gated, UPDATES,
        ["agents.dispatch", "subWorkflow"];
    NodeFailed = "node.failed", "nodeFailed", "node lifecycle", Core, UPDATES, [];
    NodeResumed = "node.resumed", "nodeResumed", "node lifecycle", Core, UPDATES, [];
    NodeRetried = "node.retried", "nodeRetried", "node lifecycle", Core, DEBUG, [];
    NodeSkipped = "node.skipped", "nodeSkipped", "node lifecycle", Core, UPDATES, [];
    NodeStarted = "node.started", "nodeStarted", "node lifecycle", Core, DEBUG, [];
    NodeSuspendFailed = "node.suspend-failed", "nodeSuspendFailed", "node lifecycle", Core, UPDATES, [];
    NodeSuspended = "node.suspended", "nodeSuspended", "node lifecycle", Core, UPDATES, [];
    OrchestratorDecided = "orchestrator.decided", "runOrchestratorDecided", "multi-agent", Gated,
        DEBUG, ["agents.orchestrator"] was "runOrchestrator.decided";
    OutputChunk = "output.chunk", "outputChunk", "stream output", Core, MESSAGES, [];
    PromptComposed = "prompt.composed", "promptComposed", "prompt", Gated, DEBUG, ["prompts"];
    ProposalActivated = "proposal.activated", "proposalActivated", "proposal", Gated, UPDATES,
        ["agents.proposals"];
    ProposalCreated = "proposal.created", "proposalCreated", "proposal", Gated, UPDATES, ["agents.proposals"];
    ProviderUsage = "provider.usage", "providerUsage", "cost", Gated, DEBUG, ["providerUsage"];
    ReplayDiverged = "replay.diverged", "replayDiverged", "replay", Core, DEBUG, ["replay"];
    ReplayDivergedAtRefusal = "replay.diverged-at-refusal", "replayDivergedAtRefusal", "replay",
        Gated, DEBUG, ["multiAgent.executionModel.replayDeterminism"] was "replay.divergedAtRefusal";
    RosterRunInitiated = "roster.run-initiated", "rosterRunInitiated", "roster", Gated, DEBUG,
        ["agents.roster"] was "roster.run.initiated";
    RunCancelled = "run.cancelled", "runCancelled", "run lifecycle", Core, UPDATES, [];
    RunCompleted = "run.completed", "runCompleted", "run lifecycle", Core, UPDATES, [];
    RunDeadLettered = "run.dead-lettered", "runDeadLettered", "run lifecycle", Gated, UPDATES,
        ["deadLetter"] was "run.dead_lettered";
    RunFailed = "run.failed", "runFailed", "run lifecycle", Core, UPDATES, [];
    RunPaused = "run.paused", "runPaused", "run lifecycle", Core, UPDATES, [];
    RunRestoredFromSnapshot = "run.restored-from-snapshot", "runRestoredFromSnapshot",
        "run lifecycle", Core, UPDATES, [];
    RunResumeStarted = "run.resume-started", "runResuming", "run lifecycle", Core, UPDATES,
        [] was "run.resuming";
    RunResumed = "run.resumed", "runResumed", "run lifecycle", Core, UPDATES, [];
    RunStarted = "run.started", "runStarted", "run lifecycle", Core, UPDATES, [];
    ToolSessionClosed = "tool.session-closed", "toolSessionClosed", "tool session", Gated, DEBUG,
        ["toolCatalog.sessionLifecycle"] was "tool.session.closed";
    ToolSessionOpened = "tool.session-opened", "toolSessionOpened", "tool session", Gated, DEBUG,
        ["toolCatalog.sessionLifecycle"] was "tool.session.opened";
    TriggerDeliveryAttempted = "trigger.delivery-attempted", "triggerDeliveryAttempted", "trigger",
        Gated, DEBUG, ["triggerBridge"] was "trigger.delivery.attempted";
    TriggerSubscriptionStateChanged = "trigger.subscription-state-changed",
        "triggerSubscriptionStateChanged", "trigger", Gated, DEBUG, ["triggerBridge"]
        was "trigger.subscription.state.changed";
    VariableChanged = "variable.changed", "variableChanged", "state", Core, DEBUG, [];
    VersionPinned = "version.pinned", "versionPinned", "versioning", Core, DEBUG, [];
    VoiceBargeIn = "voice.barge-in", "voiceBargeIn", "voice", Gated, DEBUG,
        ["aiProviders.realtimeVoice"] was "voice.barge_in";
    VoiceCancelled = "voice.cancelled", "voiceCancelled", "voice", Gated, DEBUG,
        ["aiProviders.realtimeVoice"];
    VoiceEndpointCandidate = "voice.endpoint-candidate", "voiceEndpointCandidate", "voice", Gated,
        DEBUG, ["aiProviders.realtimeVoice"] was "voice.endpoint_candidate";
    VoiceSpeechStart = "voice.speech-start", "voiceSpeechStart", "voice", Gated, DEBUG,
        ["aiProviders.realtimeVoice"] was "voice.speech_start";
    VoiceSynthesisChunk = "voice.synthesis-chunk", "voiceSynthesisChunk", "voice", Gated, DEBUG,
        ["aiProviders.realtimeVoice"] was "voice.synthesis_chunk";
    VoiceTranscript = "voice.transcript", "voiceTranscript", "voice", Gated, DEBUG,
        ["aiProviders.realtimeVoice"];
    VoiceTurnCommit = "voice.turn-commit", "voiceTurnCommit", "voice", Gated, DEBUG,
        ["aiProviders.realtimeVoice"] was "voice.turn_commit";
    WorkflowChainConfidenceEscalated = "workflow-chain.confidence-escalated",
        "coreWorkflowChainConfidenceEscalated", "multi-agent", Gated, DEBUG, ["multiAgent.executionModel"]
        was "core.workflowChain.confidence-escalated";
    WorkflowChainEvent = "workflow-chain.event", "coreWorkflowChainEvent", "multi-agent", Gated,
        DEBUG, ["multiAgent.executionModel"] was "core.workflowChain.event";
    WorkflowLoopbackLimit = "workflow.loopback-limit", "workflowLoopbackLimit", "engine", Core, DEBUG, [];
    WorkflowRestored = "workflow.restored", "workflowRestored", "engine", Core, DEBUG, [];
    WorkflowStalled = "workflow.stalled", "workflowStalled", "engine", Core, DEBUG, [];
    WorkspaceUpdated = "workspace.updated", "workspaceUpdated", "workspace", Gated, UPDATES, ["workspace"];
}

// `parse` halves the table, and two rows of one name would make a type ambiguous: a build with
// either does not compile, which is stricter than the check at start that R-EVT-16 asks for.
const _: () = {
    let mut at = 1;
    while at < ROWS.len() {
        assert!(precedes(ROWS[at - 1].name, ROWS[at].name), "rows are sorted and unique");
        at += 1;
    }
};
