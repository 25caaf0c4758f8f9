//! What can go wrong with an outbound call, and what a caller may conclude.

use std::error::Error as StdError;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::resolve::ResolveError;

/// Why the policy said no. Closed, so that a caller can map every case.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Longer than any URL weft judges.
    #[error("the url is too long")]
    UrlTooLong,
    /// White space, a control character or a backslash somewhere in the text.
    #[error("the url holds white space, a control character or a backslash")]
    UrlCharacter,
    /// Not an absolute URL with a host.
    #[error("the url is not an absolute https url")]
    UrlSyntax,
    /// A scheme other than `https:` and `http:`.
    #[error("the scheme is not https")]
    Scheme,
    /// `http:` to an address the operator did not list.
    #[error("plain http is permitted only to addresses listed with --allow-egress")]
    PlainHttp,
    /// A user name or password in the URL.
    #[error("the url holds user information")]
    UserInfo,
    /// No port after the colon, port 0, or a number above 65535.
    #[error("the port is not a number from 1 to 65535")]
    Port,
    /// A host that is neither a plain name nor an address.
    #[error("the host is not a plain host name or address")]
    HostSyntax,
    /// A name that always means this machine or its network.
    #[error("the host name {name} is not a public one (a listed network is reached by address)")]
    HostName {
        /// The name.
        name: String,
    },
    /// An address that is neither public nor listed.
    #[error("the address {address} is not public ({class})")]
    Address {
        /// The address that was refused.
        address: IpAddr,
        /// Its block.
        class: &'static str,
    },
    /// The name has more addresses than are checked.
    #[error("the name has too many addresses")]
    TooManyAddresses,
}

impl Refusal {
    /// A stable word for logs and metrics.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::UrlTooLong => "url-too-long",
            Self::UrlCharacter => "url-character",
            Self::UrlSyntax => "url-syntax",
            Self::Scheme => "scheme",
            Self::PlainHttp => "plain-http",
            Self::UserInfo => "user-info",
            Self::Port => "port",
            Self::HostSyntax => "host-syntax",
            Self::HostName { .. } => "host-name",
            Self::Address { .. } => "address",
            Self::TooManyAddresses => "too-many-addresses",
        }
    }
}

/// Why an outbound call gave no response. Causes are kept for the log; the
/// text of the variants is safe to show to a workflow's author.
#[derive(Debug, Clone, thiserror::Error)]
pub enum EgressError {
    /// The policy refused the URL, its name or one of its addresses.
    #[error("egress refused: {0}")]
    Refused(#[source] Refusal),
    /// The request itself cannot be sent.
    #[error("the request cannot be sent: {reason}")]
    Request {
        /// What is wrong with it.
        reason: String,
    },
    /// The name has no answer.
    #[error("the name {host} cannot be resolved")]
    Resolve {
        /// The name.
        host: String,
        /// The resolver's reason.
        #[source]
        source: ResolveError,
    },
    /// No vetted address accepted a connection.
    #[error("no connection to {host}")]
    Dial {
        /// The host.
        host: String,
        /// The last address's error.
        #[source]
        source: Arc<io::Error>,
    },
    /// Connecting, with TLS, took longer than its own limit.
    #[error("no connection to {host} in time")]
    ConnectTimeout {
        /// The host.
        host: String,
    },
    /// The TLS handshake failed; mostly a certificate that does not fit.
    #[error("no trusted connection to {host}: {reason}")]
    Tls {
        /// The host.
        host: String,
        /// The TLS library's words.
        reason: String,
    },
    /// The whole call's deadline passed.
    #[error("no complete response within {} ms", .after.as_millis())]
    Timeout {
        /// The call's limit.
        after: Duration,
    },
    /// The connection broke.
    #[error("the connection broke: {reason}")]
    Broken {
        /// The HTTP library's words.
        reason: String,
    },
    /// The peer's answer is not HTTP.
    #[error("the peer's answer is not valid HTTP: {reason}")]
    Malformed {
        /// The HTTP library's words.
        reason: String,
    },
    /// The response head is larger than the limit.
    #[error("the response head is too large")]
    HeadTooLarge,
    /// The response body is larger than the limit.
    #[error("the response body is larger than {limit} bytes")]
    BodyTooLarge {
        /// The limit of this call.
        limit: usize,
    },
}

/// What a retry loop may look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EgressErrorKind {
    /// Trying again may help.
    Transient,
    /// The policy or the request itself is at fault; trying again is pointless.
    Denied,
    /// The peer answered something unusable; trying again is unlikely to help.
    Corrupt,
}

/// Whether the peer may have seen the request. Only [`Sent::No`] makes a repeat
/// of a request with an effect harmless.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// Not one byte of the request left.
    No,
    /// It may have arrived.
    Maybe,
}

impl EgressError {
    /// The kind, for retry loops.
    #[must_use]
    pub fn kind(&self) -> EgressErrorKind {
        match self {
            Self::Refused(_) | Self::Request { .. } => EgressErrorKind::Denied,
            Self::Resolve { .. }
            | Self::Dial { .. }
            | Self::ConnectTimeout { .. }
            | Self::Tls { .. }
            | Self::Timeout { .. }
            | Self::Broken { .. } => EgressErrorKind::Transient,
            Self::Malformed { .. } | Self::HeadTooLarge | Self::BodyTooLarge { .. } => EgressErrorKind::Corrupt,
        }
    }

    /// A stable word for logs, metrics and a failure's details.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Refused(_) => "refused",
            Self::Request { .. } => "invalid-request",
            Self::Resolve { .. } => "name-unresolved",
            Self::Dial { .. } => "unreachable",
            Self::ConnectTimeout { .. } => "connect-timeout",
            Self::Tls { .. } => "tls",
            Self::Timeout { .. } => "timeout",
            Self::Broken { .. } => "connection-broken",
            Self::Malformed { .. } => "malformed-response",
            Self::HeadTooLarge | Self::BodyTooLarge { .. } => "response-too-large",
        }
    }

    /// Whether the peer may have seen the request.
    #[must_use]
    pub fn sent(&self) -> Sent {
        match self {
            Self::Refused(_)
            | Self::Request { .. }
            | Self::Resolve { .. }
            | Self::Dial { .. }
            | Self::ConnectTimeout { .. }
            | Self::Tls { .. } => Sent::No,
            Self::Timeout { .. }
            | Self::Broken { .. }
            | Self::Malformed { .. }
            | Self::HeadTooLarge
            | Self::BodyTooLarge { .. } => Sent::Maybe,
        }
    }

    /// Reads the HTTP client's error. An error of our own connector travels in
    /// its source chain and is taken out unchanged.
    pub(crate) fn from_client(error: &hyper_util::client::legacy::Error, host: &str) -> Self {
        if let Some(own) = find::<EgressError>(error) {
            return own.clone();
        }
        if error.is_connect() {
            let reason = find::<rustls::Error>(error).map_or_else(|| innermost(error), ToString::to_string);
            return Self::Tls { host: host.to_owned(), reason };
        }
        find::<hyper::Error>(error).map_or_else(|| Self::Broken { reason: innermost(error) }, Self::from_hyper)
    }

    /// Reads an error of the HTTP library itself.
    pub(crate) fn from_hyper(error: &hyper::Error) -> Self {
        if error.is_parse_too_large() {
            Self::HeadTooLarge
        } else if error.is_parse() {
            Self::Malformed { reason: innermost(error) }
        } else {
            Self::Broken { reason: innermost(error) }
        }
    }
}

/// Longest source chain that is searched; chains here have four or five links.
const CHAIN_MAX: usize = 16;

fn chain<'a>(error: &'a (dyn StdError + 'static)) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |link| {
        let error: &'a (dyn StdError + 'static) = *link;
        // An `io::Error` made from another error shows that error's source as
        // its own, which would skip the error itself.
        let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        wrapped.map(|inner| inner as &(dyn StdError + 'static)).or_else(|| error.source())
    })
    .take(CHAIN_MAX)
}

fn find<'a, T: StdError + 'static>(error: &'a (dyn StdError + 'static)) -> Option<&'a T> {
    chain(error).find_map(|link| link.downcast_ref::<T>())
}

fn innermost(error: &(dyn StdError + 'static)) -> String {
    chain(error).last().map(ToString::to_string).unwrap_or_default()
}
