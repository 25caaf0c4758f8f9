//! The twenty scopes and sets of them (REST sheet Annex A).

use std::fmt;
use std::str::FromStr;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! scopes {
    ($($variant:ident = $text:literal;)+) => {
        /// A permission a credential carries.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Scope {
            $(#[doc = concat!("`", $text, "`")] $variant,)+
        }

        impl Scope {
            /// Every scope, in the order of the sheet.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The wire text.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }
    };
}

scopes! {
    ManifestRead = "manifest:read";
    RunsCreate = "runs:create";
    RunsRead = "runs:read";
    RunsCancel = "runs:cancel";
    RunsAnnotate = "runs:annotate";
    ArtifactsRead = "artifacts:read";
    WebhooksManage = "webhooks:manage";
    ApprovalsRespond = "approvals:respond";
    PacksPublish = "packs:publish";
    PacksRead = "packs:read";
    PacksYank = "packs:yank";
    PacksYankRevert = "packs:yank-revert";
    AuditRead = "audit:read";
    WorkspaceRead = "workspace:read";
    WorkspaceWrite = "workspace:write";
    PromptsRead = "prompts:read";
    PromptsWrite = "prompts:write";
    ContentRead = "content:read";
    ContentWrite = "content:write";
    DeployAny = "deploy:*";
}

/// A text that names no scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a scope")]
pub struct UnknownScope;

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        Self::ALL.iter().copied().find(|scope| scope.as_str() == text).ok_or(UnknownScope)
    }
}

impl Serialize for Scope {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Scope {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A set of scopes: one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ScopeSet(u32);

impl ScopeSet {
    /// No scope.
    pub const EMPTY: Self = Self(0);

    /// Every scope there is.
    pub fn all() -> Self {
        Scope::ALL.iter().copied().collect()
    }

    /// This set and `scope`.
    #[must_use]
    pub const fn with(self, scope: Scope) -> Self {
        Self(self.0 | (1 << scope as u32))
    }

    /// Whether `scope` is in the set.
    pub const fn contains(self, scope: Scope) -> bool {
        self.0 & (1 << scope as u32) != 0
    }

    /// Whether every scope of `needed` is in the set.
    pub fn contains_all(self, needed: &[Scope]) -> bool {
        needed.iter().all(|scope| self.contains(*scope))
    }

    /// Whether there is no scope in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The scopes in the order of [`Scope::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.iter().copied().filter(move |scope| self.contains(*scope))
    }

    /// Reads names separated by blanks or commas, as a command line gives them.
    pub fn parse(text: &str) -> Result<Self, UnknownScope> {
        text.split([' ', ',']).filter(|name| !name.is_empty()).map(Scope::from_str).collect()
    }
}

impl FromIterator<Scope> for ScopeSet {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        scopes.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl fmt::Debug for ScopeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(Scope::as_str)).finish()
    }
}

/// The names, separated by blanks.
impl fmt::Display for ScopeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, scope) in self.iter().enumerate() {
            if at > 0 {
                f.write_str(" ")?;
            }
            f.write_str(scope.as_str())?;
        }
        Ok(())
    }
}

impl Serialize for ScopeSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for ScopeSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Names;
        impl<'de> Visitor<'de> for Names {
            type Value = ScopeSet;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of scopes")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<ScopeSet, A::Error> {
                let mut set = ScopeSet::EMPTY;
                while let Some(scope) = names.next_element()? {
                    set = set.with(scope);
                }
                Ok(set)
            }
        }
        deserializer.deserialize_seq(Names)
    }
}
