//! Identifiers: newtypes that exist only when they parse (REST sheet §6, R-ID-13).
//!
//! Plain kinds live in `plain.rs`, tenant-bound ones in `bound.rs`. All of them are small
//! shared strings, so a clone never copies more than a machine word's worth of bookkeeping.

mod bound;
mod grammar;
mod mint;
mod plain;
#[cfg(test)]
mod tests;

pub use bound::{InterruptId, RunId};
pub use mint::MINTED_LEN;
pub use plain::{EventId, IdempotencyKey, KeyId, NodeId, SubjectId, TenantId, TypeId, WorkflowId, WorkspaceId};

/// Why a text is not an identifier of the kind asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid {kind}: {reason}")]
pub struct IdError {
    /// The wire's name of the kind, for example `runId`.
    pub kind: &'static str,
    /// What is wrong, as a fragment a person can read after the kind.
    pub reason: &'static str,
}

/// The traits every identifier shares once `parse` and `as_str` exist.
macro_rules! id_traits {
    ($name:ident) => {
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}({})", stringify!($name), self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::ids::IdError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::parse(text)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                self.as_str()
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Visitor;
                impl serde::de::Visitor<'_> for Visitor {
                    type Value = $name;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(f, "a {}", $name::KIND)
                    }
                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$name, E> {
                        $name::parse(text).map_err(E::custom)
                    }
                }
                deserializer.deserialize_str(Visitor)
            }
        }
    };
}
pub(crate) use id_traits;
