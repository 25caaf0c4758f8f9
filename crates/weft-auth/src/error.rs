//! Why a credential was refused.

use weft_model::ErrorCode;
use weft_store::StoreError;

/// The refusals of authentication. None of them carries anything of the credential (R-AUTH-22).
#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    /// The request has no credential, or one of a scheme this host does not serve.
    #[error("A credential is required.")]
    NoCredential,
    /// More than one credential: which of them speaks is not for the host to guess.
    #[error("Exactly one credential is allowed.")]
    SeveralCredentials,
    /// The credential is not a key, names an unknown key or has the wrong secret. One answer for
    /// all three, so that key ids cannot be probed.
    #[error("The credential could not be verified.")]
    Unverified,
    /// The key was revoked (R-AUTH-05).
    #[error("The key has been revoked.")]
    Revoked,
    /// The key's own expiry has passed.
    #[error("The key has expired.")]
    Expired,
    /// The key table could not be read.
    #[error("The credential could not be looked up.")]
    Store(#[source] StoreError),
}

impl AuthError {
    /// The registered code of the refusal (openwop-rest §5).
    pub fn code(&self) -> ErrorCode {
        match self {
            AuthError::NoCredential => ErrorCode::Unauthenticated,
            AuthError::SeveralCredentials | AuthError::Unverified | AuthError::Expired => ErrorCode::IdentityUnverified,
            AuthError::Revoked => ErrorCode::CredentialRevoked,
            AuthError::Store(_) => ErrorCode::ServiceUnavailable,
        }
    }
}
