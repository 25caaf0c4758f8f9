//! `weft keys`: creates, lists and revokes API keys, through the owner when a host runs.

use std::time::Duration;

use anyhow::anyhow;
use clap::{Args, Subcommand};

use super::{Failure, duration, show};
use crate::admin::{self, Admin, Answer, NewKey, Request};
use crate::config::StoreFlags;

#[derive(Args, Debug)]
pub(super) struct Keys {
    #[command(subcommand)]
    command: KeysCommand,
}

#[derive(Debug, Subcommand)]
enum KeysCommand {
    /// Create a key and print it; it is shown only this once.
    Create {
        /// The tenant the key acts in.
        #[arg(long)]
        tenant: String,
        /// Who the key stands for [default: the key's own id].
        #[arg(long)]
        subject: Option<String>,
        /// A scope the key carries (repeatable) [default: all caller-facing scopes].
        #[arg(long = "scope", value_name = "SCOPE")]
        scopes: Vec<String>,
        /// Lifetime, like 12h or 30d [default: until revoked].
        #[arg(long, value_parser = duration::parse, value_name = "DURATION")]
        expires: Option<Duration>,
        /// The origin the key's user calls from; recorded with protocol negotiations.
        #[arg(long, value_name = "URL")]
        origin: Option<String>,
        #[command(flatten)]
        store: StoreFlags,
    },
    /// List keys; secrets are never shown.
    List {
        /// Only this tenant's keys.
        #[arg(long)]
        tenant: Option<String>,
        /// Print JSON instead of a table.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        store: StoreFlags,
    },
    /// Revoke a key; it is refused from the next request on.
    Revoke {
        /// The key's id, as `weft keys list` shows it.
        key_id: String,
        #[command(flatten)]
        store: StoreFlags,
    },
}

pub(super) async fn keys(keys: Keys) -> Result<(), Failure> {
    let (store, request, as_json) = match keys.command {
        KeysCommand::Create { tenant, subject, scopes, expires, origin, store } => {
            let expires_in_ms = expires.map(|d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX));
            (store, Request::CreateKey(NewKey { tenant, subject, scopes, expires_in_ms, origin }), false)
        }
        KeysCommand::List { tenant, json, store } => (store, Request::ListKeys { tenant }, json),
        KeysCommand::Revoke { key_id, store } => (store, Request::RevokeKey { key_id }, false),
    };
    let folder = store.data_folder()?;
    let creates = matches!(request, Request::CreateKey(_));
    // Only a key is worth a new folder: a list of an empty one would hide a misspelt `--data`.
    if !creates && !folder.exists() {
        return Err(anyhow!("there is no data folder {}; pass the host's with --data", folder.display()).into());
    }
    let admin = Admin::of(&folder).await?;
    let answer = admin.perform(request).await?;
    if creates && matches!(admin, Admin::Local { .. }) {
        eprintln!("no host runs on {0}; the key works once `weft serve --data {0}` does", folder.display());
    }
    match answer {
        Answer::Created { key } => show::line(&key)?,
        Answer::Revoked { key_id } => eprintln!("revoked {key_id}"),
        Answer::Keys(keys) if as_json => {
            show::line(serde_json::to_string(&keys).map_err(anyhow::Error::from)?)?;
        }
        Answer::Keys(keys) => show::line(show::lines(&listing(&keys)))?,
    }
    Ok(())
}

fn listing(keys: &[admin::KeyLine]) -> comfy_table::Table {
    let mut table = show::table(["KEY", "TENANT", "SUBJECT", "SCOPES", "CREATED", "STATE"]);
    let now = weft_engine::Clock::now(&crate::system::SystemClock).to_string();
    for key in keys {
        table.add_row([
            key.key_id.clone(),
            key.tenant.clone(),
            key.subject.clone(),
            scopes(&key.scopes),
            show::minute(&key.created_at),
            state(key, &now),
        ]);
    }
    table
}

/// Two scopes fit a line; more are counted, and `--json` names them.
fn scopes(scopes: &[String]) -> String {
    match scopes {
        [_, _, _, ..] => format!("{} scopes", scopes.len()),
        few => few.join(" "),
    }
}

/// Whether the key still opens a door. Timestamps of one form compare as texts.
fn state(key: &admin::KeyLine, now: &str) -> String {
    match (&key.revoked_at, &key.expires_at) {
        (Some(at), _) => format!("revoked {}", show::minute(at)),
        (None, Some(at)) if at.as_str() <= now => format!("expired {}", show::minute(at)),
        (None, Some(at)) => format!("until {}", show::minute(at)),
        (None, None) => "active".to_owned(),
    }
}
