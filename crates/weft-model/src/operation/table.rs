//! One row an operation, in the order of their paths (REST sheet Annex A).

use super::Access::{Public, Scopes, Unstated};
use super::Method::{Delete, Get, Patch, Post, Put};
use super::Operation;
use crate::subject::Scope;

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
    ListAgents = "listAgents", Get, "/agents", Scopes(&[Scope::RunsRead]), Reading, 200, "agents.manifestRuntime";
    GetAgentOrgChart = "getAgentOrgChart", Get, "/agents/org-chart", Scopes(&[Scope::RunsRead]), Reading, 200, "agents.orgChart";
    GetAgentOrgChartDepartment = "getAgentOrgChartDepartment", Get, "/agents/org-chart/{departmentId}", Scopes(&[Scope::RunsRead]), Reading, 200, "agents.orgChart";
    ListAgentRoster = "listAgentRoster", Get, "/agents/roster", Scopes(&[Scope::RunsRead]), Reading, 200, "agents.roster";
    GetAgentRosterEntry = "getAgentRosterEntry", Get, "/agents/roster/{rosterId}", Scopes(&[Scope::RunsRead]), Reading, 200, "agents.roster";
    GetAgent = "getAgent", Get, "/agents/{agentId}", Scopes(&[Scope::RunsRead]), Reading, 200, "agents.manifestRuntime";
    ListAgentDeployments = "listAgentDeployments", Get, "/agents/{agentId}/deployments", Scopes(&[Scope::RunsRead]), Reading, 200, "agents.deployment";
    TransitionAgentDeployment = "transitionAgentDeployment", Post, "/agents/{agentId}/deployments", Scopes(&[Scope::DeployAny]), Mutating, 200, "agents.deployment";
    VerifyAuditLog = "verifyAuditLog", Get, "/audit/verify", Scopes(&[Scope::AuditRead]), Reading, 200, "auditLogIntegrity";
    ListConnectionProviders = "listConnectionProviders", Get, "/connection-providers", Scopes(&[Scope::ManifestRead]), Reading, 200, "connections.providerRead";
    ResolveConnectionProvider = "resolveConnectionProvider", Get, "/connection-providers/{providerId}", Scopes(&[Scope::ManifestRead]), Reading, 200, "connections.providerRead";
    ListContentPages = "listContentPages", Get, "/content/pages", Scopes(&[Scope::ContentRead]), Reading, 200, "content";
    CreateContentPage = "createContentPage", Post, "/content/pages", Scopes(&[Scope::ContentWrite]), Mutating, 201, "content";
    PutContentSection = "putContentSection", Put, "/content/pages/{pageId}/sections/{sectionId}", Scopes(&[Scope::ContentWrite]), Mutating, 200, "content";
    DeleteContentPage = "deleteContentPage", Delete, "/content/pages/{slug}", Scopes(&[Scope::ContentWrite]), Mutating, 204, "content";
    GetContentPage = "getContentPage", Get, "/content/pages/{slug}", Public, Reading, 200, "content";
    GetContentSettings = "getContentSettings", Get, "/content/settings", Scopes(&[Scope::ContentRead]), Reading, 200, "content";
    PutContentSettings = "putContentSettings", Put, "/content/settings", Scopes(&[Scope::ContentWrite]), Mutating, 200, "content";
    GetEffectSeamManifest = "getEffectSeamManifest", Get, "/host/effect-seams", Scopes(&[Scope::RunsRead]), Reading, 200, "replay";
    StreamHostEvents = "streamHostEvents", Get, "/host/events", Scopes(&[Scope::RunsRead]), Reading, 200, "hostEvents";
    EmitTestHostEvent = "emitTestHostEvent", Post, "/host/events/test", Unstated, Mutating, 202, "hostEvents.types";
    GetUiPluginFrame = "getUiPluginFrame", Get, "/host/ui-plugins/{packName}/{pluginId}/frame", Unstated, Reading, 200, "uiPlugins.served";
    DispatchUiPluginRequest = "dispatchUiPluginRequest", Post, "/host/ui-plugins/{packName}/{pluginId}/rpc", Unstated, Mutating, 200, "uiPlugins.served";
    InspectInterruptByToken = "inspectInterruptByToken", Get, "/interrupts/{token}", Public, Reading, 200, none;
    ResolveInterruptByToken = "resolveInterruptByToken", Post, "/interrupts/{token}", Public, Mutating, 200, none;
    GetOpenApiSpec = "getOpenApiSpec", Get, "/openapi.json", Public, Reading, 200, none;
    ListPromptTemplates = "listPromptTemplates", Get, "/prompts", Scopes(&[Scope::PromptsRead]), Reading, 200, "prompts.endpointsSupported";
    CreatePromptTemplate = "createPromptTemplate", Post, "/prompts", Scopes(&[Scope::PromptsWrite]), Mutating, 201, "prompts.mutableLibrary";
    DeletePromptTemplate = "deletePromptTemplate", Delete, "/prompts/{templateId}", Scopes(&[Scope::PromptsWrite]), Mutating, 204, "prompts.mutableLibrary";
    GetPromptTemplate = "getPromptTemplate", Get, "/prompts/{templateId}", Scopes(&[Scope::PromptsRead]), Reading, 200, "prompts.endpointsSupported";
    UpdatePromptTemplate = "updatePromptTemplate", Put, "/prompts/{templateId}", Scopes(&[Scope::PromptsWrite]), Mutating, 200, "prompts.mutableLibrary";
    RenderPromptTemplate = "renderPromptTemplate", Post, "/prompts:render", Scopes(&[Scope::PromptsRead]), Reading, 200, "prompts.endpointsSupported";
    ListProposals = "listProposals", Get, "/proposals", Unstated, Reading, 200, "agents.proposals";
    SubmitProposal = "submitProposal", Post, "/proposals", Unstated, Mutating, 200, "agents.proposals.clientDrafts";
    ArchiveProposal = "archiveProposal", Delete, "/proposals/{proposalId}", Unstated, Mutating, 200, "agents.proposals";
    GetProposal = "getProposal", Get, "/proposals/{proposalId}", Unstated, Reading, 200, "agents.proposals";
    ReviseProposal = "reviseProposal", Patch, "/proposals/{proposalId}", Unstated, Mutating, 200, "agents.proposals";
    ApplyProposal = "applyProposal", Post, "/proposals/{proposalId}:apply", Unstated, Mutating, 200, "agents.proposals";
    RejectProposal = "rejectProposal", Post, "/proposals/{proposalId}:reject", Unstated, Mutating, 200, "agents.proposals";
    ListRuns = "listRuns", Get, "/runs", Scopes(&[Scope::RunsRead]), Reading, 200, "runList";
    CreateRun = "createRun", Post, "/runs", Scopes(&[Scope::RunsCreate]), Mutating, 201, none;
    GetRun = "getRun", Get, "/runs/{runId}", Scopes(&[Scope::RunsRead]), Reading, 200, none;
    GetRunAncestry = "getRunAncestry", Get, "/runs/{runId}/ancestry", Scopes(&[Scope::RunsRead]), Reading, 200, "multiAgent.executionModel.crossHostCausation.ancestryEndpointSupported";
    ListAnnotations = "listAnnotations", Get, "/runs/{runId}/annotations", Scopes(&[Scope::RunsRead]), Reading, 200, "feedback";
    CreateAnnotation = "createAnnotation", Post, "/runs/{runId}/annotations", Scopes(&[Scope::RunsAnnotate]), Mutating, 201, "feedback";
    GetArtifact = "getArtifact", Get, "/runs/{runId}/artifacts/{artifactId}", Scopes(&[Scope::ArtifactsRead]), Reading, 200, none;
    CancelRun = "cancelRun", Post, "/runs/{runId}/cancel", Scopes(&[Scope::RunsCancel]), Mutating, 200, none;
    GetRunCompensation = "getRunCompensation", Get, "/runs/{runId}/compensation", Scopes(&[Scope::RunsRead]), Reading, 200, "compensation";
    GetRunEffects = "getRunEffects", Get, "/runs/{runId}/effects", Scopes(&[Scope::RunsRead]), Reading, 200, "idempotency";
    GetEvalSummary = "getEvalSummary", Get, "/runs/{runId}/eval-summary", Scopes(&[Scope::RunsRead]), Reading, 200, "agents.evalSuite";
    StreamRunEvents = "streamRunEvents", Get, "/runs/{runId}/events", Scopes(&[Scope::RunsRead]), Reading, 200, none;
    PollRunEvents = "pollRunEvents", Get, "/runs/{runId}/events/poll", Scopes(&[Scope::RunsRead]), Reading, 200, none;
    ResolveInterruptByRun = "resolveInterruptByRun", Post, "/runs/{runId}/interrupts/{nodeId}", Scopes(&[Scope::ApprovalsRespond]), Mutating, 200, none;
    DiffRun = "diffRun", Get, "/runs/{runId}:diff", Scopes(&[Scope::RunsRead]), Reading, 200, none;
    ForkRun = "forkRun", Post, "/runs/{runId}:fork", Scopes(&[Scope::RunsCreate, Scope::RunsRead]), Mutating, 201, "replay";
    PauseRun = "pauseRun", Post, "/runs/{runId}:pause", Scopes(&[Scope::RunsCancel]), Mutating, 202, none;
    ResumeRun = "resumeRun", Post, "/runs/{runId}:resume", Scopes(&[Scope::RunsCancel]), Mutating, 202, none;
    BulkCancelRuns = "bulkCancelRuns", Post, "/runs:bulk-cancel", Scopes(&[Scope::RunsCancel]), Mutating, 200, none;
    ListTools = "listTools", Get, "/tools", Scopes(&[Scope::RunsRead]), Reading, 200, "toolCatalog";
    GetTool = "getTool", Get, "/tools/{toolId}", Scopes(&[Scope::RunsRead]), Reading, 200, "toolCatalog";
    CreateTriggerSubscription = "createTriggerSubscription", Post, "/trigger-subscriptions", Scopes(&[Scope::WebhooksManage]), Mutating, 201, "triggerBridge.ingestion.registrationEndpoint";
    ListTriggerDeadLetters = "listTriggerDeadLetters", Get, "/trigger-subscriptions/{subscriptionId}/dead-letters", Scopes(&[Scope::WebhooksManage]), Reading, 200, "triggerBridge.deadLetter";
    RegisterWebhook = "registerWebhook", Post, "/webhooks", Scopes(&[Scope::WebhooksManage]), Mutating, 201, "webhooks";
    UnregisterWebhook = "unregisterWebhook", Delete, "/webhooks/{webhookId}", Scopes(&[Scope::WebhooksManage]), Mutating, 204, "webhooks";
    ListWebhookDeadLetters = "listWebhookDeadLetters", Get, "/webhooks/{webhookId}/dead-letters", Scopes(&[Scope::WebhooksManage]), Reading, 200, "webhooks.deadLetter";
    RotateWebhookSecret = "rotateWebhookSecret", Post, "/webhooks/{webhookId}/rotate-secret", Scopes(&[Scope::WebhooksManage]), Mutating, 200, "webhooks.secretRotation";
    GetWorkflow = "getWorkflow", Get, "/workflows/{workflowId}", Scopes(&[Scope::ManifestRead]), Reading, 200, none;
}
