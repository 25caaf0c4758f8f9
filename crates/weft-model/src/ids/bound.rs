//! Tenant-bound identifiers: `tenant/opaque` (R-ID-01), and their one-segment form (R-ID-02).

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use smol_str::{SmolStr, SmolStrBuilder};

use super::{IdError, TenantId, grammar, id_traits, mint};
use crate::projection;
use crate::time::Timestamp;

macro_rules! bound_id {
    ($(#[$doc:meta])* $name:ident, $kind:literal) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $name {
            text: SmolStr,
            slash: u8,
        }

        impl $name {
            /// The wire's name of this kind.
            pub const KIND: &'static str = $kind;

            /// Accepts the bound form only; a bare opaque segment is refused (R-ID-08).
            pub fn parse(text: &str) -> Result<Self, IdError> {
                match grammar::bound(text) {
                    Ok(slash) => Ok(Self::from_checked(SmolStr::new(text), slash)),
                    Err(reason) => Err(IdError { kind: Self::KIND, reason }),
                }
            }

            /// Reads one path segment that is already percent-decoded: the bound form, as `%2F`
            /// leaves it (R-ID-04), or the projected form (R-ID-03). An id minted with a literal
            /// `~` and sent unprojected still resolves (R-ID-10).
            pub fn from_path_segment(segment: &str) -> Result<Self, IdError> {
                if segment.contains('/') {
                    return Self::parse(segment);
                }
                match projection::unproject(segment) {
                    Ok(text) => Self::parse(&text),
                    Err(_) => Err(IdError { kind: Self::KIND, reason: "has a malformed ~XX escape" }),
                }
            }

            /// Mints an id of `tenant`: 48 bits of time, then 128 random bits (DECISIONS 8,
            /// R-ID-11). The opaque part has no `~` (R-ID-09).
            pub fn mint(tenant: &TenantId, now: Timestamp, random: [u8; 16]) -> Self {
                let mut text = SmolStrBuilder::new();
                text.push_str(tenant.as_str());
                text.push('/');
                text.push_str(mint::opaque(now, random).as_str());
                Self::from_checked(text.finish(), tenant.as_str().len())
            }

            /// The tenant segment.
            pub fn tenant(&self) -> &str {
                &self.text[..usize::from(self.slash)]
            }

            /// The tenant segment as an id of its own.
            pub fn tenant_id(&self) -> TenantId {
                TenantId::parse(self.tenant()).expect("the bound grammar checked the tenant segment")
            }

            /// The part after the slash.
            pub fn opaque(&self) -> &str {
                &self.text[usize::from(self.slash) + 1..]
            }

            /// The bound form, as it stands in documents.
            pub fn as_str(&self) -> &str {
                &self.text
            }

            /// The one-segment form for links and paths (R-ID-02).
            pub fn projected(&self) -> String {
                projection::project(&self.text)
            }

            fn from_checked(text: SmolStr, slash: usize) -> Self {
                // A tenant is at most `anon:` and 128 characters, which a byte holds.
                let slash = u8::try_from(slash).expect("a tenant segment is at most 133 characters");
                Self { text, slash }
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.text == other.text
            }
        }

        impl Eq for $name {}

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $name {
            fn cmp(&self, other: &Self) -> Ordering {
                self.text.cmp(&other.text)
            }
        }

        // The text alone, so that `Borrow<str>` keeps its promise about equal hashes.
        impl Hash for $name {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.as_str().hash(state);
            }
        }

        id_traits!($name);
    };
}

bound_id!(
    /// A run.
    RunId, "runId"
);
bound_id!(
    /// One interrupt of a run.
    InterruptId, "interruptId"
);
