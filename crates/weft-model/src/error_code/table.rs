//! One row a registered code: wire text, HTTP status, whether to try again, class.
//!
//! Sorted by wire text, because `parse` searches by halving.

use super::ErrorClass::{self, *};
use crate::sorted::precedes;

/// Whether the same request may succeed later (R-ERR-12).
#[derive(PartialEq)]
enum Retry {
    Again,
    Never,
}
use Retry::{Again, Never};

struct Row {
    text: &'static str,
    status: u16,
    retry: Retry,
    class: ErrorClass,
}

macro_rules! codes {
    ($($variant:ident = $text:literal, $status:literal, $retry:ident, $class:ident;)+) => {
        /// A code of the error registry.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ErrorCode {
            $(#[doc = concat!("`", $text, "`")] $variant,)+
        }

        impl ErrorCode {
            /// Every code, sorted by wire text.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
        }

        const ROWS: &[Row] =
            &[$(Row { text: $text, status: $status, retry: $retry, class: $class }),+];
    };
}

codes! {
    ApprovalRejected = "approval_rejected", 422, Never, Unprocessable;
    AudienceMismatch = "audience_mismatch", 401, Never, Unauthenticated;
    BudgetExhausted = "budget_exhausted", 422, Never, LimitReached;
    BudgetModelDenied = "budget_model_denied", 422, Never, Unprocessable;
    CapabilityNotProvided = "capability_not_provided", 422, Never, CapabilityMissing;
    CapabilityRequired = "capability_required", 422, Never, CapabilityMissing;
    ClientVersionUnsupported = "client_version_unsupported", 426, Never, ClientTooOld;
    ConnectionAuthMetadataMismatch = "connection_auth_metadata_mismatch", 422, Never, Unprocessable;
    ConnectionProviderConflict = "connection_provider_conflict", 409, Never, Conflict;
    ConnectionProviderUnresolved = "connection_provider_unresolved", 400, Never, Malformed;
    ConnectorActionUnresolved = "connector_action_unresolved", 400, Never, Malformed;
    ConnectorAuthDeclined = "connector_auth_declined", 401, Never, Unauthenticated;
    ConnectorAuthExpired = "connector_auth_expired", 401, Never, Unauthenticated;
    ConversationRosterExceeded = "conversation_roster_exceeded", 422, Never, LimitReached;
    ConversationSpeakerNotParticipant = "conversation_speaker_not_participant", 422, Never, Unprocessable;
    CredentialForbidden = "credential_forbidden", 403, Never, Forbidden;
    CredentialLifetimeExceeded = "credential_lifetime_exceeded", 401, Never, Unauthenticated;
    CredentialNotFound = "credential_not_found", 404, Never, NotFound;
    CredentialRequired = "credential_required", 422, Never, Unprocessable;
    CredentialRevoked = "credential_revoked", 401, Never, Unauthenticated;
    CredentialScopeForbidden = "credential_scope_forbidden", 403, Never, Forbidden;
    CredentialScopeUnsupported = "credential_scope_unsupported", 400, Never, Malformed;
    CredentialUnavailable = "credential_unavailable", 501, Never, NotOffered;
    DelegationChainCyclic = "delegation_chain_cyclic", 400, Never, Malformed;
    DelegationChainTooLong = "delegation_chain_too_long", 400, Never, Malformed;
    DelegationExpired = "delegation_expired", 401, Never, Unauthenticated;
    DelegationScopeAmplified = "delegation_scope_amplified", 403, Never, Forbidden;
    EgressDenied = "egress_denied", 403, Never, Forbidden;
    EnvelopeCorrelationConflict = "envelope_correlation_conflict", 409, Never, Conflict;
    EnvelopeInvalid = "envelope_invalid", 422, Never, Unprocessable;
    EnvelopeRefusal = "envelope_refusal", 422, Never, Unprocessable;
    EnvelopeTruncationUnrecoverable = "envelope_truncation_unrecoverable", 422, Never, Unprocessable;
    EvalGateUnmet = "eval_gate_unmet", 422, Never, Unprocessable;
    EventTypeUnmapped = "event_type_unmapped", 500, Never, Internal;
    Forbidden = "forbidden", 403, Never, Forbidden;
    ForceEngineVersionForbidden = "force_engine_version_forbidden", 403, Never, Forbidden;
    ForkPointInvalid = "fork_point_invalid", 422, Never, Unprocessable;
    HostEventResyncRequired = "host_event_resync_required", 409, Never, Conflict;
    IdTenantMismatch = "id_tenant_mismatch", 403, Never, TenantMismatch;
    IdempotencyInFlight = "idempotency_in_flight", 409, Never, Idempotency;
    IdempotencyKeyInvalid = "idempotency_key_invalid", 400, Never, Malformed;
    IdempotencyKeyMismatch = "idempotency_key_mismatch", 409, Never, Idempotency;
    IdentityUnresolvable = "identity_unresolvable", 401, Never, Unauthenticated;
    IdentityUnverified = "identity_unverified", 401, Never, Unauthenticated;
    InternalError = "internal_error", 500, Again, Internal;
    InteropVersionUnsupported = "interop_version_unsupported", 400, Never, VersionUnsupported;
    InterruptAlreadyResolved = "interrupt_already_resolved", 409, Never, AlreadyResolved;
    InterruptCancelled = "interrupt_cancelled", 410, Never, Gone;
    InterruptExpired = "interrupt_expired", 410, Never, Gone;
    InterruptNotFound = "interrupt_not_found", 404, Never, NotFound;
    InterruptTokenInvalid = "interrupt_token_invalid", 401, Never, Unauthenticated;
    KeyRevoked = "key_revoked", 401, Never, Unauthenticated;
    LoopLimitExceeded = "loop_limit_exceeded", 422, Never, LimitReached;
    McpError = "mcp_error", 502, Never, Upstream;
    McpMrtrRoundsExceeded = "mcp_mrtr_rounds_exceeded", 422, Never, LimitReached;
    MockProviderForbidden = "mock_provider_forbidden", 403, Never, Forbidden;
    NodeConfigInvalid = "node_config_invalid", 422, Never, Unprocessable;
    NotFound = "not_found", 404, Never, NotFound;
    OauthProviderUnsupported = "oauth_provider_unsupported", 400, Never, Malformed;
    OauthScopeUnsupported = "oauth_scope_unsupported", 400, Never, Malformed;
    PackDependencyConflict = "pack_dependency_conflict", 409, Never, Pack;
    PackDependencyCycle = "pack_dependency_cycle", 400, Never, Pack;
    PackEngineUnsupported = "pack_engine_unsupported", 400, Never, Pack;
    PackIntegrityFailure = "pack_integrity_failure", 400, Never, Pack;
    PackIntegrityMismatch = "pack_integrity_mismatch", 409, Never, Pack;
    PackKindInvalid = "pack_kind_invalid", 400, Never, Pack;
    PackLoadFailure = "pack_load_failure", 500, Never, Internal;
    PackLockfileIncomplete = "pack_lockfile_incomplete", 400, Never, Pack;
    PackNamespaceUnauthorized = "pack_namespace_unauthorized", 403, Never, Forbidden;
    PackPeerDependencyMissing = "pack_peer_dependency_missing", 400, Never, Pack;
    PackPeerDependencyUndefined = "pack_peer_dependency_undefined", 400, Never, Pack;
    PackRegistryUnreachable = "pack_registry_unreachable", 503, Again, Unavailable;
    PackRuntimeRequirementUnmet = "pack_runtime_requirement_unmet", 422, Never, Pack;
    PackSignatureInvalid = "pack_signature_invalid", 400, Never, Pack;
    PackValidationFailed = "pack_validation_failed", 400, Never, Pack;
    PackVersionNotFound = "pack_version_not_found", 404, Never, NotFound;
    PayloadTooLarge = "payload_too_large", 413, Never, TooLarge;
    PayloadUnprojectable = "payload_unprojectable", 500, Never, Internal;
    ProposalInstallConflict = "proposal_install_conflict", 409, Never, Conflict;
    ProposalStale = "proposal_stale", 409, Never, Conflict;
    ProposalStateConflict = "proposal_state_conflict", 409, Never, Conflict;
    ProtocolVersionMismatch = "protocol_version_mismatch", 400, Never, VersionUnsupported;
    ProtocolVersionUnsupported = "protocol_version_unsupported", 406, Never, VersionUnsupported;
    ProviderPolicyDenied = "provider_policy_denied", 422, Never, Unprocessable;
    RateLimited = "rate_limited", 429, Again, RateLimited;
    RecursionLimitExceeded = "recursion_limit_exceeded", 422, Never, LimitReached;
    ReplayContextSummaryUnavailable = "replay_context_summary_unavailable", 409, Never, Conflict;
    ReplayDivergedAtRefusal = "replay_diverged_at_refusal", 409, Never, Conflict;
    ReplayMemorySnapshotUnavailable = "replay_memory_snapshot_unavailable", 409, Never, Conflict;
    ReplaySourceMissing = "replay_source_missing", 404, Never, NotFound;
    ResidencyUnavailable = "residency_unavailable", 422, Again, Unavailable;
    RunAlreadyActive = "run_already_active", 409, Never, Conflict;
    RunExpired = "run_expired", 410, Never, Gone;
    RunForbidden = "run_forbidden", 403, Never, Forbidden;
    RunStateConflict = "run_state_conflict", 409, Never, Conflict;
    RunTerminal = "run_terminal", 409, Never, Conflict;
    RunTimeout = "run_timeout", 422, Never, LimitReached;
    RunnerUnavailable = "runner_unavailable", 503, Again, Unavailable;
    SandboxCapabilityDenied = "sandbox_capability_denied", 403, Never, Forbidden;
    SandboxEscapeAttempt = "sandbox_escape_attempt", 403, Never, Forbidden;
    SandboxInvocationError = "sandbox_invocation_error", 422, Never, Unprocessable;
    SandboxMemoryExceeded = "sandbox_memory_exceeded", 422, Never, LimitReached;
    SandboxTimeout = "sandbox_timeout", 422, Never, LimitReached;
    ScheduleHorizonExceeded = "schedule_horizon_exceeded", 400, Never, Malformed;
    SenderConstraintMissing = "sender_constraint_missing", 401, Never, Unauthenticated;
    ServiceUnavailable = "service_unavailable", 503, Again, Unavailable;
    SignatureNotAvailable = "signature_not_available", 404, Never, NotFound;
    StorageLimitExceeded = "storage_limit_exceeded", 422, Never, LimitReached;
    SubChainCycle = "sub_chain_cycle", 400, Never, Malformed;
    SubChainDepthExceeded = "sub_chain_depth_exceeded", 400, Never, Malformed;
    TokenBudgetExceeded = "token_budget_exceeded", 422, Never, LimitReached;
    Unauthenticated = "unauthenticated", 401, Never, Unauthenticated;
    UnknownEnvelopeKind = "unknown_envelope_kind", 422, Never, Unprocessable;
    UnknownSchemaVersion = "unknown_schema_version", 422, Never, Unprocessable;
    UnsupportedMediaType = "unsupported_media_type", 415, Never, UnsupportedMediaType;
    UnsupportedRuntime = "unsupported_runtime", 400, Never, Malformed;
    UnsupportedStreamMode = "unsupported_stream_mode", 400, Never, Malformed;
    UntilInPast = "until_in_past", 400, Never, Malformed;
    UpstreamUnavailable = "upstream_unavailable", 502, Again, Upstream;
    ValidationError = "validation_error", 400, Never, Malformed;
    VersionConflict = "version_conflict", 409, Never, Conflict;
    WebhookEndpointUnverified = "webhook_endpoint_unverified", 400, Never, Malformed;
    WebhookUrlRejected = "webhook_url_rejected", 400, Never, Malformed;
    WorkspaceConflict = "workspace_conflict", 409, Never, Conflict;
    WorkspaceMembershipRequired = "workspace_membership_required", 403, Never, Forbidden;
    WorkspaceTooLarge = "workspace_too_large", 413, Never, TooLarge;
}

// `parse` halves the table, so a build with a misplaced row does not compile.
const _: () = {
    assert!(ROWS.len() == 126, "the registry has 126 codes");
    let mut at = 1;
    while at < ROWS.len() {
        assert!(precedes(ROWS[at - 1].text, ROWS[at].text), "rows are sorted and unique");
        at += 1;
    }
};

impl ErrorCode {
    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// The wire text.
    pub fn as_str(self) -> &'static str {
        self.row().text
    }

    /// The code a text names, if it is registered.
    pub fn parse(text: &str) -> Option<Self> {
        ROWS.binary_search_by(|row| row.text.cmp(text)).ok().map(|at| Self::ALL[at])
    }

    /// The registered HTTP status (R-ERR-03).
    pub fn http_status(self) -> u16 {
        self.row().status
    }

    /// Whether the same request may succeed later (R-ERR-12).
    pub fn retriable(self) -> bool {
        self.row().retry == Again
    }

    /// The class a door matches.
    pub fn class(self) -> ErrorClass {
        self.row().class
    }
}
