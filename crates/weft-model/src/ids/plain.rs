//! Identifiers without a tenant segment.

use smol_str::SmolStr;

use super::{IdError, grammar, id_traits, mint};
use crate::time::Timestamp;

macro_rules! plain_id {
    ($(#[$doc:meta])* $name:ident, $kind:literal, $check:path) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(SmolStr);

        impl $name {
            /// The wire's name of this kind.
            pub const KIND: &'static str = $kind;

            /// Accepts exactly the texts of this kind's grammar.
            pub fn parse(text: &str) -> Result<Self, IdError> {
                match $check(text) {
                    Ok(()) => Ok(Self(SmolStr::new(text))),
                    Err(reason) => Err(IdError { kind: Self::KIND, reason }),
                }
            }

            /// The text, as it stands in documents.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        id_traits!($name);
    };
}

plain_id!(
    /// A tenant; `anon:` is the only prefix with a colon.
    TenantId, "tenantId", grammar::tenant
);
plain_id!(
    /// A workspace inside a tenant.
    WorkspaceId, "workspaceId", grammar::short
);
plain_id!(
    /// A subject as its issuer names it.
    SubjectId, "subjectId", grammar::subject
);
plain_id!(
    /// An API key's or a signing key's public name.
    KeyId, "keyId", grammar::short
);
plain_id!(
    /// A node, chosen by the workflow's author.
    NodeId, "nodeId", grammar::author
);
plain_id!(
    /// A workflow, chosen by its author.
    WorkflowId, "workflowId", grammar::author
);
plain_id!(
    /// A node type, such as `core.noop`.
    TypeId, "typeId", grammar::type_id
);
plain_id!(
    /// One recorded event.
    EventId, "eventId", grammar::opaque
);
plain_id!(
    /// The value of an `Idempotency-Key` header.
    IdempotencyKey, "Idempotency-Key", grammar::idempotency_key
);

impl EventId {
    /// Mints an event id: time first, so that later events sort later (DECISIONS 8).
    pub fn mint(now: Timestamp, random: [u8; 16]) -> Self {
        Self(SmolStr::new(mint::opaque(now, random).as_str()))
    }
}
