//! From the `Authorization` values of a request to its caller.

use std::sync::Arc;

use weft_model::{TenantId, Timestamp};

use crate::api_key::PresentedKey;
use crate::{AuthError, Caller, KeyRing};

/// A credential longer than this is refused unread; the longest key of this host's form is under
/// 200 characters.
const CREDENTIAL_MAX_BYTES: usize = 1024;

/// Verifies credentials against the lanes that this host serves.
pub struct Authenticator {
    keys: Arc<KeyRing>,
    anonymous: Option<Caller>,
}

impl Authenticator {
    /// Serves the api-key lane, and the anonymous lane for one tenant when it is given.
    pub fn new(keys: Arc<KeyRing>, anonymous_tenant: Option<TenantId>) -> Authenticator {
        Authenticator { keys, anonymous: anonymous_tenant.map(Caller::anonymous) }
    }

    /// The key ring behind the api-key lane.
    pub fn keys(&self) -> &Arc<KeyRing> {
        &self.keys
    }

    /// Authenticates a request by all of its `Authorization` values. A refused credential never
    /// falls back to the anonymous caller: it was presented, so it counts.
    pub async fn authenticate(&self, values: &[&[u8]], now: Timestamp) -> Result<Caller, AuthError> {
        match values {
            [] => self.anonymous.clone().ok_or(AuthError::NoCredential),
            [value] => {
                let credential = bearer(value)?;
                let presented = PresentedKey::parse(credential).ok_or(AuthError::Unverified)?;
                self.keys.verify(&presented, now).await
            }
            _ => Err(AuthError::SeveralCredentials),
        }
    }
}

/// The credential of a `Bearer` value; the scheme's case does not matter (RFC 9110 §11.1).
fn bearer(value: &[u8]) -> Result<&str, AuthError> {
    if value.len() > CREDENTIAL_MAX_BYTES {
        return Err(AuthError::Unverified);
    }
    let value = std::str::from_utf8(value).map_err(|_| AuthError::Unverified)?;
    let (scheme, credential) = value.trim_ascii().split_once(' ').ok_or(AuthError::NoCredential)?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(AuthError::NoCredential);
    }
    Ok(credential.trim_ascii_start())
}
