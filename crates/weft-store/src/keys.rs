//! API keys at rest (DECISIONS 6): never the secret, only its hash.

use weft_model::{KeyId, ScopeSet, SubjectId, TenantId, Timestamp};

/// A key.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyRecord {
    /// Its id, which is not secret.
    pub key_id: KeyId,
    /// SHA-256 of its secret.
    pub secret_sha256: [u8; 32],
    /// The tenant that its requests act in.
    pub tenant: TenantId,
    /// The subject that it stands for.
    pub subject: SubjectId,
    /// What it may do.
    pub scopes: ScopeSet,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it stops working by itself.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// The peer's origin (DECISIONS 10).
    pub origin: Option<String>,
}

// The hash is left out: it is of no use to a reader of logs, and guessable secrets must not be
// checkable against a log.
impl std::fmt::Debug for KeyRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyRecord")
            .field("key_id", &self.key_id)
            .field("tenant", &self.tenant)
            .field("subject", &self.subject)
            .field("scopes", &self.scopes)
            .field("created_at", &self.created_at)
            .field("expires_at", &self.expires_at)
            .field("revoked_at", &self.revoked_at)
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}
