//! Who is calling: a resolved Subject and what it may do.

use std::sync::Arc;

use weft_model::{KeyId, Lane, Owner, Scope, ScopeSet, Subject, SubjectId, SubjectKind, TenantId};

/// The issuer of every Subject of the api-key lane, as advertised in `auth.lanes[]` (R-CAP-53).
pub const API_KEY_ISSUER: &str = "urn:weft:api-key";
/// The issuer of the anonymous Subject, as advertised in `auth.lanes[]`.
pub const ANONYMOUS_ISSUER: &str = "urn:weft:anon-surface";
/// The subject id of the anonymous caller: host-minted, and nothing about a person.
const ANONYMOUS_SUBJECT: &str = "anonymous";

/// A verified caller. Cheap to clone: the key ring builds it once for each key.
#[derive(Clone, Debug)]
pub struct Caller(Arc<Identity>);

#[derive(Debug)]
struct Identity {
    subject: Subject,
    scopes: ScopeSet,
    key_id: Option<KeyId>,
    origin: Option<String>,
}

impl Caller {
    /// The caller of an API key.
    pub fn of_key(
        key_id: KeyId,
        tenant: TenantId,
        subject: SubjectId,
        scopes: ScopeSet,
        origin: Option<String>,
    ) -> Caller {
        let subject = subject_of(API_KEY_ISSUER, subject, tenant, Lane::ApiKey, SubjectKind::User);
        Caller(Arc::new(Identity { subject, scopes, key_id: Some(key_id), origin }))
    }

    /// The anonymous caller of `tenant`, for a host that was told to serve one (DECISIONS 6).
    pub fn anonymous(tenant: TenantId) -> Caller {
        let id = ANONYMOUS_SUBJECT.parse().expect("a word is within the subject id grammar");
        let subject = subject_of(ANONYMOUS_ISSUER, id, tenant, Lane::Anonymous, SubjectKind::Anonymous);
        Caller(Arc::new(Identity { subject, scopes: caller_facing_scopes(), key_id: None, origin: None }))
    }

    /// The resolved Subject (R-AUTH-11).
    pub fn subject(&self) -> &Subject {
        &self.0.subject
    }

    /// The tenant, which comes from the credential alone (R-AUTH-10).
    pub fn tenant(&self) -> &TenantId {
        &self.0.subject.tenant
    }

    /// What the caller may do.
    pub fn scopes(&self) -> ScopeSet {
        self.0.scopes
    }

    /// The key that was presented, if it was one.
    pub fn key_id(&self) -> Option<&KeyId> {
        self.0.key_id.as_ref()
    }

    /// The peer's origin registered with the key (DECISIONS 10).
    pub fn origin(&self) -> Option<&str> {
        self.0.origin.as_deref()
    }

    /// The owner block of a run that this caller starts (R-RUN-14).
    pub fn owner(&self) -> Owner {
        Owner { tenant: self.tenant().clone(), workspace: None, subject: self.subject().clone() }
    }
}

/// The scopes of a key that names none: everything a client of runs, workflows, prompts and
/// content needs. Packs, deployments and the audit log are for operators and are given by name.
pub fn caller_facing_scopes() -> ScopeSet {
    [
        Scope::ManifestRead,
        Scope::RunsCreate,
        Scope::RunsRead,
        Scope::RunsCancel,
        Scope::RunsAnnotate,
        Scope::ArtifactsRead,
        Scope::WebhooksManage,
        Scope::ApprovalsRespond,
        Scope::WorkspaceRead,
        Scope::WorkspaceWrite,
        Scope::PromptsRead,
        Scope::PromptsWrite,
        Scope::ContentRead,
        Scope::ContentWrite,
    ]
    .into_iter()
    .collect()
}

fn subject_of(issuer: &str, id: SubjectId, tenant: TenantId, lane: Lane, kind: SubjectKind) -> Subject {
    Subject { issuer: issuer.into(), subject_id: id, tenant, lane, kind, key_class: None, actor: None }
}
