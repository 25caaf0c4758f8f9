//! Who acts and who owns: the Subject, the owner of a run, lanes and scopes (REST sheet §5).

mod scope;
#[cfg(test)]
mod tests;

pub use scope::{Scope, ScopeSet, UnknownScope};

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::ids::{SubjectId, TenantId, WorkspaceId};

/// Deepest chain of actors below a subject (R-AUTH-13, R-AUTH-14).
pub const ACTOR_DEPTH_MAX: usize = 4;
/// Longest issuer, in characters.
const ISSUER_CHARS_MAX: usize = 1024;

/// A verified identity, as it is recorded on a run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", try_from = "Unchecked")]
pub struct Subject {
    /// The trust root that vouches for the subject.
    pub issuer: SmolStr,
    /// The subject as that root names it.
    pub subject_id: SubjectId,
    /// The tenant the credential belongs to.
    pub tenant: TenantId,
    /// How the identity was proven.
    pub lane: Lane,
    /// What the subject is.
    pub kind: SubjectKind,
    /// Present exactly on the saml and scim lanes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_class: Option<KeyClass>,
    /// Who acts on the subject's behalf.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<Box<Subject>>,
}

/// The wire form before its members are checked against each other.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Unchecked {
    issuer: SmolStr,
    subject_id: SubjectId,
    tenant: TenantId,
    lane: Lane,
    kind: SubjectKind,
    key_class: Option<KeyClass>,
    actor: Option<Box<Subject>>,
}

/// Why members of a subject do not fit each other (R-AUTH-14).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SubjectError {
    /// Empty, too long, or with a blank.
    #[error("the issuer is empty, too long or has a blank")]
    Issuer,
    /// `kind` and `lane` disagree about being anonymous.
    #[error("kind is anonymous exactly when lane is anonymous")]
    Anonymous,
    /// `keyClass` is missing or misplaced.
    #[error("keyClass belongs to the saml and scim lanes and to no other")]
    KeyClass,
    /// More than [`ACTOR_DEPTH_MAX`] actors.
    #[error("the actor chain is deeper than four")]
    ActorDepth,
}

impl Subject {
    /// Checks what the members' own types cannot express.
    pub fn check(&self) -> Result<(), SubjectError> {
        let mut depth = 0;
        let mut at = Some(self);
        while let Some(subject) = at {
            subject.check_one()?;
            at = subject.actor.as_deref();
            if at.is_some() {
                depth += 1;
            }
            if depth > ACTOR_DEPTH_MAX {
                return Err(SubjectError::ActorDepth);
            }
        }
        Ok(())
    }

    fn check_one(&self) -> Result<(), SubjectError> {
        let blank = self.issuer.chars().any(char::is_whitespace);
        if self.issuer.is_empty() || blank || self.issuer.chars().count() > ISSUER_CHARS_MAX {
            return Err(SubjectError::Issuer);
        }
        if (self.kind == SubjectKind::Anonymous) != (self.lane == Lane::Anonymous) {
            return Err(SubjectError::Anonymous);
        }
        if self.key_class.is_some() != matches!(self.lane, Lane::Saml | Lane::Scim) {
            return Err(SubjectError::KeyClass);
        }
        Ok(())
    }
}

impl TryFrom<Unchecked> for Subject {
    type Error = SubjectError;

    fn try_from(raw: Unchecked) -> Result<Self, SubjectError> {
        let Unchecked { issuer, subject_id, tenant, lane, kind, key_class, actor } = raw;
        let subject = Self { issuer, subject_id, tenant, lane, kind, key_class, actor };
        subject.check()?;
        Ok(subject)
    }
}

/// The owner of a run, recorded once and copied onto forks.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Owner {
    /// The tenant the run belongs to.
    pub tenant: TenantId,
    /// The workspace inside the tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<WorkspaceId>,
    /// Who started it.
    pub subject: Subject,
}

/// How an identity was proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lane {
    /// A key of this host.
    ApiKey,
    /// An OAuth access token.
    #[serde(rename = "oauth2")]
    OAuth2,
    /// An OpenID Connect token.
    Oidc,
    /// A client certificate.
    Mtls,
    /// A SAML assertion.
    Saml,
    /// A provisioned account.
    Scim,
    /// A directory bind.
    Ldap,
    /// A workload identity.
    Workload,
    /// A browser session of this host.
    Session,
    /// Nobody in particular.
    Anonymous,
}

/// What a subject is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SubjectKind {
    /// A person.
    User,
    /// An agent.
    Agent,
    /// Nobody in particular.
    Anonymous,
    /// A program.
    Workload,
}

/// How stable a provisioned subject's key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyClass {
    /// The identity provider's own opaque key.
    OpaqueIdp,
    /// A key an operator declared immutable.
    ConfiguredImmutable,
}
