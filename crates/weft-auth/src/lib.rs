//! Turns a presented credential into a verified caller.
//!
//! Owns: the text form of API keys, the key ring (a bounded cache over the store's key table that
//! is always right, because every change goes through it), the anonymous caller of a host that
//! serves one, and the pure scope and tenant check.
//!
//! Must not: read configuration, name an HTTP type, decide anything about a run. Identity comes
//! from the verified credential and from nothing else (R-AUTH-09).
//!
//! Start reading at [`Authenticator`], then [`KeyRing`].

mod api_key;
mod authenticate;
mod authorize;
mod cache;
mod caller;
mod error;
mod key_ring;

pub use api_key::ApiKeyText;
pub use authenticate::Authenticator;
pub use authorize::{Denied, check_scopes, check_tenant};
pub use caller::{ANONYMOUS_ISSUER, API_KEY_ISSUER, Caller, caller_facing_scopes};
pub use error::AuthError;
pub use key_ring::{IssuedKey, KeyRing, NewKey};

#[cfg(test)]
mod tests;
