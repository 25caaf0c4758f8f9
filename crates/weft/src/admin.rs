//! Work on the store that needs the data folder: done by its owner, whoever that is (DECISIONS 31).

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use serde::{Deserialize, Serialize};
use weft_auth::KeyRing;
use weft_engine::{Clock, Entropy};
use weft_model::{KeyId, Scope, ScopeSet, SubjectId, TenantId, Timestamp};
use weft_store::KeyRecord;

use crate::data_dir::{self, DataDir, FolderLock, LockError};
use crate::system::{SystemClock, SystemEntropy};
use crate::wire_up;

/// How often a command looks again while a host on the folder is just starting or ending.
const OWNER_ATTEMPTS: u32 = 50;
/// Pause between two looks; together they give a starting host five seconds.
const OWNER_PAUSE: std::time::Duration = std::time::Duration::from_millis(100);

/// One order to the store.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Request {
    /// Make a key.
    CreateKey(NewKey),
    /// List keys, all or one tenant's.
    ListKeys {
        /// The tenant.
        tenant: Option<String>,
    },
    /// Revoke a key.
    RevokeKey {
        /// Its id.
        key_id: String,
    },
}

/// What a new key is for, as the command line says it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct NewKey {
    pub(crate) tenant: String,
    pub(crate) subject: Option<String>,
    /// Empty means all caller-facing scopes.
    pub(crate) scopes: Vec<String>,
    pub(crate) expires_in_ms: Option<u64>,
    pub(crate) origin: Option<String>,
}

/// What came of an order. Not `Debug`: a new key must not reach a log.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) enum Answer {
    /// The new key's text; it exists nowhere else.
    Created { key: String },
    /// The keys, without secrets.
    Keys(Vec<KeyLine>),
    /// The revoked key.
    Revoked { key_id: String },
}

/// A key as lists show it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KeyLine {
    pub(crate) key_id: String,
    pub(crate) tenant: String,
    pub(crate) subject: String,
    pub(crate) scopes: Vec<String>,
    pub(crate) created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) expires_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) revoked_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) origin: Option<String>,
}

/// Whoever can carry out an order: the running owner, or this process after taking the folder.
pub(crate) enum Admin {
    /// A host runs; it is asked.
    Owner(DataDir),
    /// Nobody runs; this process holds the folder until the value is dropped.
    Local {
        /// The key table.
        keys: KeyRing,
        /// Held, not read: while it lives no host opens the folder.
        _lock: FolderLock,
    },
}

impl Admin {
    /// Finds the owner of a data folder, or becomes it.
    ///
    /// # Errors
    /// The folder cannot be made or locked, or its owner does not answer.
    pub(crate) async fn of(folder: &Path) -> anyhow::Result<Self> {
        let folder =
            DataDir::create(folder).with_context(|| format!("cannot use the data folder {}", folder.display()))?;
        for _ in 0..OWNER_ATTEMPTS {
            if folder.has_listener().await {
                return Ok(Self::Owner(folder));
            }
            match FolderLock::acquire(&folder) {
                Ok(lock) => return Ok(Self::Local { keys: KeyRing::new(wire_up::open_store(&folder)?), _lock: lock }),
                // Locked but silent: a host that is starting or ending.
                Err(LockError::Owned { .. }) => tokio::time::sleep(OWNER_PAUSE).await,
                Err(error) => return Err(error.into()),
            }
        }
        Err(FolderLock::acquire(&folder)
            .err()
            .map_or_else(|| anyhow!("the data folder is busy; try again"), Into::into))
    }

    /// Carries out one order.
    ///
    /// # Errors
    /// What the order's executor says.
    pub(crate) async fn perform(&self, request: Request) -> anyhow::Result<Answer> {
        match self {
            Self::Owner(folder) => {
                let reply: Result<Answer, String> = data_dir::call(folder, &request).await?;
                reply.map_err(|reason| anyhow!(reason))
            }
            Self::Local { keys, .. } => perform(keys, request).await,
        }
    }
}

/// Serves orders on the owner's socket until `stop`.
///
/// # Errors
/// The socket cannot be bound.
pub(crate) async fn serve(
    folder: &DataDir,
    keys: Arc<KeyRing>,
    stop: tokio_util::sync::CancellationToken,
) -> std::io::Result<tokio::task::JoinHandle<()>> {
    let answer = Arc::new(move |request: Request| {
        let keys = Arc::clone(&keys);
        async move { perform(&keys, request).await.map_err(|error| format!("{error:#}")) }
    });
    data_dir::listen(folder, stop, answer).await
}

async fn perform(keys: &KeyRing, request: Request) -> anyhow::Result<Answer> {
    let now = SystemClock.now();
    match request {
        Request::CreateKey(new) => {
            let new = read_new_key(new, now)?;
            let issued = keys.create(new, now, &mut || SystemEntropy.random_128()).await?;
            Ok(Answer::Created { key: issued.text.expose().to_owned() })
        }
        Request::ListKeys { tenant } => {
            let tenant = tenant.map(|tenant| tenant.parse::<TenantId>()).transpose()?;
            let records = keys.list(tenant.as_ref()).await?;
            Ok(Answer::Keys(records.iter().map(line).collect()))
        }
        Request::RevokeKey { key_id } => {
            let id: KeyId = key_id.parse()?;
            if !keys.revoke(&id, now).await? {
                bail!("there is no key {key_id}; see `weft keys list`");
            }
            Ok(Answer::Revoked { key_id })
        }
    }
}

fn read_new_key(new: NewKey, now: Timestamp) -> anyhow::Result<weft_auth::NewKey> {
    let tenant: TenantId = new.tenant.parse()?;
    // R-ID-09: no id that is minted may hold a `~`, and every id of a run begins with its tenant.
    if tenant.as_str().contains('~') {
        bail!("a tenant's name must not hold a `~`, which escapes other characters in paths");
    }
    let subject: SubjectId = match new.subject {
        Some(subject) => subject.parse()?,
        None => format!("key-{}", &crate::system::fresh_token()[..12]).parse()?,
    };
    let scopes = match new.scopes.as_slice() {
        [] => weft_auth::caller_facing_scopes(),
        named => named.iter().map(|text| read_scope(text)).collect::<anyhow::Result<ScopeSet>>()?,
    };
    let expires_at = new.expires_in_ms.map(|ms| now.plus_ms(ms));
    Ok(weft_auth::NewKey { tenant, subject, scopes, expires_at, origin: new.origin })
}

fn read_scope(text: &str) -> anyhow::Result<Scope> {
    text.parse().map_err(|_| {
        let known: Vec<&str> = Scope::ALL.iter().map(|scope| scope.as_str()).collect();
        anyhow!("there is no scope `{text}`; the scopes are {}", known.join(" "))
    })
}

fn line(record: &KeyRecord) -> KeyLine {
    KeyLine {
        key_id: record.key_id.to_string(),
        tenant: record.tenant.to_string(),
        subject: record.subject.to_string(),
        scopes: record.scopes.iter().map(|scope| scope.as_str().to_owned()).collect(),
        created_at: record.created_at.to_string(),
        expires_at: record.expires_at.map(|at| at.to_string()),
        revoked_at: record.revoked_at.map(|at| at.to_string()),
        origin: record.origin.clone(),
    }
}
