//! One row an operation, in the order of their paths (REST sheet Annex A).

use super::Access::{Public, Scopes, Unstated};
use super::Method::{Delete, Get, Patch, Post, Put};
use super::Operation;
use crate::subject::Scope::*;

macro_rules! gate {
    (none) => {
        None
    };
    ($gate:literal) => {
        Some($gate)
    };
}

macro_rules! effect {
    (Mutating) => {
        true
    };
    (Reading) => {
        false
    };
}

macro_rules! operations {
    ($($variant:ident = $name:literal, $method:ident, $path:literal, $access:expr, $effect:ident,
       $status:literal, $gate:tt;)+) => {
        /// An operation of the REST API.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum OperationId {
            $(#[doc = concat!("`", $name, "`")] $variant,)+
        }

        /// Every operation.
        pub static OPERATIONS: &[Operation] = &[$(Operation {
            id: OperationId::$variant,
            operation_id: $name,
            method: $method,
            path: $path,
            access: $access,
            mutating: effect!($effect),
            success: $status,
            gate: gate!($gate),
        }),+];
    };
}

operations! {
    GetCapabilities = "getCapabilities", Get, "/.well-known/openwop", Public, Reading, 200, none;
    ListAgents = "listAgents", Get, "/agents", Scopes(&[RunsRead]), Reading, 200, "agents.manifestRuntime";
    GetAgentOrgChart = "getAgentOrgChart", Get, "/agents/org-chart", Scopes(&[RunsRead]), Reading,
        200, "agents.orgChart";
    GetAgentOrgChartDepartment = "getAgentOrgChartDepartment", Get,
        "/agents/org-chart/{departmentId}", Scopes(&[RunsRead]), Reading, 200, "agents.orgChart";
    ListAgentRoster = "listAgentRoster", Get, "/agents/roster", Scopes(&[RunsRead]), Reading, 200,
        "agents.roster";
    GetAgentRosterEntry = "getAgentRosterEntry", Get, "/agents/roster/{rosterId}",
        Scopes(&[RunsRead]), Reading, 200, "agents.roster";
    GetAgent = "getAgent", Get, "/agents/{agentId}", Scopes(&[RunsRead]), Reading, 200,
        "agents.manifestRuntime";
    ListAgentDeployments = "listAgentDeployments", Get, "/agents/{agentId}/deployments",
        Scopes(&[RunsRead]), Reading, 200, "agents.deployment";
    TransitionAgentDeployment = "transitionAgentDeployment", Post, "/agents/{agentId}/deployments",
        Scopes(&[DeployAny]), Mutating, 200, "agents.deployment";
    VerifyAuditLog = "verifyAuditLog", Get, "/audit/verify", Scopes(&[AuditRead]), Reading, 200,
        "auditLogIntegrity";
    ListConnectionProviders = "listConnectionProviders", Get, "/connection-providers",
        Scopes(&[ManifestRead]), Reading, 200, "connections.providerRead";
    ResolveConnectionProvider = "resolveConnectionProvider", Get,
        "/connection-providers/{providerId}", Scopes(&[ManifestRead]), Reading, 200, "connections.providerRead";
    ListContentPages = "listContentPages", Get, "/content/pages", Scopes(&[ContentRead]), Reading,
        200, "content";
    CreateContentPage = "createContentPage", Post, "/content/pages", Scopes(&[ContentWrite]),
        Mutating, 201, "content";
    PutContentSection = "putContentSection", Put, "/content/pages/{pageId}/sections/{sectionId}",
        Scopes(&[ContentWrite]), Mutating, 200, "content";
    DeleteContentPage = "deleteContentPage", Delete, "/content/pages/{slug}",
        Scopes(&[ContentWrite]), Mutating, 204, "content";
    GetContentPage = "getContentPage", Get, "/content/pages/{slug}", Public, Reading, 200, "content";
    GetContentSettings = "getContentSettings", Get, "/content/settings", Scopes(&[ContentRead]),
        Reading, 200, "content";
    PutContentSettings = "putContentSettings", Put, "/content/settings", Scopes(&[ContentWrite]),
        Mutating, 200, "content";
    GetEffectSeamManifest = "getEffectSeamManifest", Get, "/host/effect-seams", Scopes(&[RunsRead]),
        Reading, 200, "replay";
    StreamHostEvents = "streamHostEvents", Get, "/host/events", Scopes(&[RunsRead]), Reading, 200,
        "hostEvents";
    EmitTestHostEvent = "emitTestHostEvent", Post, "/host/events/test", Unstated, Mutating, 202,
        "hostEvents.types";
    GetUiPluginFrame = "getUiPluginFrame", Get, "/host/ui-plugins/{packName}/{pluginId}/frame",
        Unstated, Reading, 200, "uiPlugins.served";
    DispatchUiPluginRequest = "dispatchUiPluginRequest", Post,
        "/host/ui-plugins/{packName}/{pluginId}/rpc", Unstated, Mutating, 200, "uiPlugins.served";
    InspectInterruptByToken = "inspectInterruptByToken", Get, "/interrupts/{token}", Public,
        Reading, 200, none;
    ResolveInterruptByToken = "resolveInterruptByToken", Post, "/interrupts/{token}", Public,
        Mutating, 200, none;
    GetOpenApiSpec = "getOpenApiSpec", Get, "/openapi.json", Public, Reading, 200, none;
    ListPromptTemplates = "listPromptTemplates", Get, "/prompts", Scopes(&[PromptsRead]), Reading,
        200, "prompts.endpointsSupported";
    CreatePromptTemplate = "createPromptTemplate", Post, "/prompts", Scopes(&[PromptsWrite]),
        Mutating, 201, "prompts.mutableLibrary";
    DeletePromptTemplate = "deletePromptTemplate", Delete, "/prompts/{templateId}",
        Scopes(&[PromptsWrite]), Mutating, 204, "prompts.mutableLibrary";
    GetPromptTemplate = "getPromptTemplate", Get, "/prompts/{templateId}", Scopes(&[PromptsRead]),
        Reading, 200, "prompts.endpointsSupported";
    UpdatePromptTemplate = "updatePromptTemplate", Put, "/prompts/{templateId}",
        Scopes(&[PromptsWrite]), Mutating, 200, "prompts.mutableLibrary";
    RenderPromptTemplate = "renderPromptTemplate", Post, "/prompts:render", Scopes(&[PromptsRead]),
        Reading, 200, "prompts.endpointsSupported";
    ListProposals = "listProposals", Get, "/proposals", Unstated, Reading, 200, "agents.proposals";
    SubmitProposal = "submitProposal", Post, "/proposals", Unstated, Mutating, 200,
        "agents.proposals.clientDrafts";
    ArchiveProposal = "archiveProposal", Delete, "/proposals/{proposalId}", Unstated, Mutating, 200,
        "agents.proposals";
    GetProposal = "getProposal", Get, "/proposals/{proposalId}", Unstated, Reading, 200, "agents.proposals";
    ReviseProposal = "reviseProposal", Patch, "/proposals/{proposalId}", Unstated, Mutating, 200,
        "agents.proposals";
    ApplyProposal = "applyProposal", Post, "/proposals/{proposalId}:apply", Unstated, Mutating, 200,
        "agents.proposals";
    RejectProposal = "rejectProposal", Post, "/proposals/{proposalId}:reject", Unstated, Mutating,
        200, "agents.proposals";
    ListRuns = "listRuns", Get, "/runs", Scopes(&[RunsRead]), Reading, 200, "runList";
    CreateRun = "createRun", Post, "/runs", Scopes(&[RunsCreate]), Mutating, 201, none;
    GetRun = "getRun", Get, "/runs/{runId}", Scopes(&[RunsRead]), Reading, 200, none;
    GetRunAncestry = "getRunAncestry", Get, "/runs/{runId}/ancestry", Scopes(&[RunsRead]), Reading,
        200, "multiAgent.executionModel.crossHostCausation.ancestryEndpointSupported";
    ListAnnotations = "listAnnotations", Get, "/runs/{runId}/annotations", Scopes(&[RunsRead]),
        Reading, 200, "feedback";
    CreateAnnotation = "createAnnotation", Post, "/runs/{runId}/annotations",
        Scopes(&[RunsAnnotate]), Mutating, 201, "feedback";
    GetArtifact = "getArtifact", Get, "/runs/{runId}/artifacts/{artifactId}",
        Scopes(&[ArtifactsRead]), Reading, 200, none;
    CancelRun = "cancelRun", Post, "/runs/{runId}/cancel", Scopes(&[RunsCancel]), Mutating, 200, none;
    GetRunCompensation = "getRunCompensation", Get, "/runs/{runId}/compensation",
        Scopes(&[RunsRead]), Reading, 200, "compensation";
    GetRunEffects = "getRunEffects", Get, "/runs/{runId}/effects", Scopes(&[RunsRead]), Reading,
        200, "idempotency";
    GetEvalSummary = "getEvalSummary", Get, "/runs/{runId}/eval-summary", Scopes(&[RunsRead]),
        Reading, 200, "agents.evalSuite";
    StreamRunEvents = "streamRunEvents", Get, "/runs/{runId}/events", Scopes(&[RunsRead]), Reading, 200, none;
    PollRunEvents = "pollRunEvents", Get, "/runs/{runId}/events/poll", Scopes(&[RunsRead]), Reading,
        200, none;
    ResolveInterruptByRun = "resolveInterruptByRun", Post, "/runs/{runId}/interrupts/{nodeId}",
        Scopes(&[ApprovalsRespond]), Mutating, 200, none;
    DiffRun = "diffRun", Get, "/runs/{runId}:diff", Scopes(&[RunsRead]), Reading, 200, none;
    ForkRun = "forkRun", Post, "/runs/{runId}:fork", Scopes(&[RunsCreate, RunsRead]), Mutating, 201, "replay";
    PauseRun = "pauseRun", Post, "/runs/{runId}:pause", Scopes(&[RunsCancel]), Mutating, 202, none;
    ResumeRun = "resumeRun", Post, "/runs/{runId}:resume", Scopes(&[RunsCancel]), Mutating, 202, none;
    BulkCancelRuns = "bulkCancelRuns", Post, "/runs:bulk-cancel", Scopes(&[RunsCancel]), Mutating, 200, none;
    ListTools = "listTools", Get, "/tools", Scopes(&[RunsRead]), Reading, 200, "toolCatalog";
    GetTool = "getTool", Get, "/tools/{toolId}", Scopes(&[RunsRead]), Reading, 200, "toolCatalog";
    CreateTriggerSubscription = "createTriggerSubscription", Post, "/trigger-subscriptions",
        Scopes(&[WebhooksManage]), Mutating, 201, "triggerBridge.ingestion.registrationEndpoint";
    ListTriggerDeadLetters = "listTriggerDeadLetters", Get,
        "/trigger-subscriptions/{subscriptionId}/dead-letters", Scopes(&[WebhooksManage]), Reading, 200,
        "triggerBridge.deadLetter";
    RegisterWebhook = "registerWebhook", Post, "/webhooks", Scopes(&[WebhooksManage]), Mutating,
        201, "webhooks";
    UnregisterWebhook = "unregisterWebhook", Delete, "/webhooks/{webhookId}",
        Scopes(&[WebhooksManage]), Mutating, 204, "webhooks";
    ListWebhookDeadLetters = "listWebhookDeadLetters", Get, "/webhooks/{webhookId}/dead-letters",
        Scopes(&[WebhooksManage]), Reading, 200, "webhooks.deadLetter";
    RotateWebhookSecret = "rotateWebhookSecret", Post, "/webhooks/{webhookId}/rotate-secret",
        Scopes(&[WebhooksManage]), Mutating, 200, "webhooks.secretRotation";
    GetWorkflow = "getWorkflow", Get, "/workflows/{workflowId}", Scopes(&[ManifestRead]), Reading, 200, none;
}
