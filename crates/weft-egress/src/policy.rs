//! The egress policy: which URL and which address an outbound call may reach.
//!
//! Two steps, because a name says nothing about its address. [`EgressPolicy::judge_url`]
//! needs no network and is what a registration uses; [`EgressPolicy::judge_answers`]
//! judges what a resolver said and is what the connector uses just before it dials.

use std::net::{IpAddr, SocketAddr};

use ipnet::IpNet;
use url::{Host, Url};

use crate::address::{AddressClass, canonical, classify};
use crate::error::Refusal;
use crate::url_text;

/// Most addresses that are taken from one name. More is refused: every answer
/// has to be checked, and an honest service publishes a handful.
pub(crate) const ANSWERS_MAX: usize = 64;

/// What outbound calls may reach: `https:` to public addresses, plus whatever
/// the operator listed with `--allow-egress`, also over plain `http:`
/// (DECISIONS 32).
#[derive(Debug, Clone, Default)]
pub struct EgressPolicy {
    allow: Vec<IpNet>,
}

/// How an address came to be permitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The address is public.
    Public,
    /// The operator listed it.
    Listed,
}

/// The two schemes that exist here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// TLS with a verified certificate.
    Https,
    /// Plain text, to listed addresses only.
    Http,
}

/// A host as it will be dialled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetHost {
    /// A lower-case ASCII name that has to be resolved.
    Name(String),
    /// A literal address, however it was spelled.
    Address(IpAddr),
}

/// A URL that passed [`EgressPolicy::judge_url`].
#[derive(Debug, Clone)]
pub struct Target {
    url: Url,
    scheme: Scheme,
    host: TargetHost,
    port: u16,
}

impl Target {
    /// The normalised URL, without fragment.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The scheme.
    #[must_use]
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The host to resolve or dial.
    #[must_use]
    pub fn host(&self) -> &TargetHost {
        &self.host
    }

    /// The port, with the scheme's default filled in.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The host as text, for messages.
    #[must_use]
    pub fn host_text(&self) -> String {
        match &self.host {
            TargetHost::Name(name) => name.clone(),
            TargetHost::Address(address) => address.to_string(),
        }
    }
}

impl EgressPolicy {
    /// Public addresses over TLS and nothing else.
    #[must_use]
    pub fn public_only() -> Self {
        Self::default()
    }

    /// Additionally permits these networks, also over plain `http:`. This is an
    /// operator's relaxation (R-EGR-08): the caller reports it at start and in
    /// `/readyz`, and it never shows in discovery.
    #[must_use]
    pub fn with_allowed(allow: Vec<IpNet>) -> Self {
        Self { allow }
    }

    /// The listed networks.
    #[must_use]
    pub fn allowed(&self) -> &[IpNet] {
        &self.allow
    }

    /// Judges one address (R-EGR-01 to R-EGR-04).
    ///
    /// # Errors
    /// The refusal, when the address is neither public nor listed.
    pub fn judge_address(&self, address: IpAddr) -> Result<Reach, Refusal> {
        let dialled = canonical(address);
        if self.allow.iter().any(|net| net.contains(&dialled)) {
            return Ok(Reach::Listed);
        }
        match classify(address) {
            AddressClass::Public => Ok(Reach::Public),
            AddressClass::Special(class) => Err(Refusal::Address { address, class }),
        }
    }

    /// Judges a URL as far as that is possible without resolving its name.
    ///
    /// # Errors
    /// The first rule the URL breaks.
    pub fn judge_url(&self, raw: &str) -> Result<Target, Refusal> {
        url_text::check(raw)?;
        let mut url = Url::parse(raw).map_err(|error| match error {
            url::ParseError::InvalidPort => Refusal::Port,
            url::ParseError::IdnaError
            | url::ParseError::InvalidIpv4Address
            | url::ParseError::InvalidIpv6Address
            | url::ParseError::InvalidDomainCharacter => Refusal::HostSyntax,
            _ => Refusal::UrlSyntax,
        })?;
        url.set_fragment(None);
        let scheme = match url.scheme() {
            "https" => Scheme::Https,
            "http" => Scheme::Http,
            _ => return Err(Refusal::Scheme),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Refusal::UserInfo);
        }
        let port = url.port_or_known_default().filter(|port| *port != 0).ok_or(Refusal::Port)?;
        let host = self.judge_host(url.host().ok_or(Refusal::UrlSyntax)?, scheme)?;
        Ok(Target { url, scheme, host, port })
    }

    /// Judges what a resolver answered for a target: **every** address must
    /// pass, else the name is refused, since which one gets dialled is up to
    /// the network (R-EGR-05).
    ///
    /// # Errors
    /// The refusal of the first address that does not pass.
    pub fn judge_answers(&self, target: &Target, answers: &[IpAddr]) -> Result<Vec<SocketAddr>, Refusal> {
        if answers.len() > ANSWERS_MAX {
            return Err(Refusal::TooManyAddresses);
        }
        let mut vetted = Vec::with_capacity(answers.len());
        for address in answers {
            self.judge_pair(*address, target.scheme)?;
            vetted.push(SocketAddr::new(canonical(*address), target.port));
        }
        Ok(vetted)
    }

    fn judge_pair(&self, address: IpAddr, scheme: Scheme) -> Result<(), Refusal> {
        match (self.judge_address(address)?, scheme) {
            (Reach::Public, Scheme::Http) => Err(Refusal::PlainHttp),
            _ => Ok(()),
        }
    }

    fn judge_host(&self, host: Host<&str>, scheme: Scheme) -> Result<TargetHost, Refusal> {
        let address = match host {
            Host::Domain(name) => return self.judge_name(name, scheme),
            Host::Ipv4(address) => IpAddr::V4(address),
            Host::Ipv6(address) => IpAddr::V6(address),
        };
        self.judge_pair(address, scheme)?;
        Ok(TargetHost::Address(address))
    }

    fn judge_name(&self, name: &str, scheme: Scheme) -> Result<TargetHost, Refusal> {
        if !is_host_name(name) {
            return Err(Refusal::HostSyntax);
        }
        // Without a listed network no name can lead to a permitted `http:` target.
        if scheme == Scheme::Http && self.allow.is_empty() {
            return Err(Refusal::PlainHttp);
        }
        let special = is_always_special(name) || (self.allow.is_empty() && is_private_name(name));
        if special {
            return Err(Refusal::HostName { name: name.to_owned() });
        }
        Ok(TargetHost::Name(name.to_owned()))
    }
}

/// Longest host name in bytes, and longest label (RFC 1035).
const NAME_BYTES_MAX: usize = 253;
const LABEL_BYTES_MAX: usize = 63;

fn is_host_name(name: &str) -> bool {
    let label_ok = |label: &str| {
        !label.is_empty()
            && label.len() <= LABEL_BYTES_MAX
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    };
    name.len() <= NAME_BYTES_MAX && name.split('.').all(label_ok)
}

/// Names that are refused whatever the operator listed: a listed network is
/// reached by its address or by an ordinary name, and these are the classic
/// aliases of loopback and of the clouds' metadata services.
fn is_always_special(name: &str) -> bool {
    name == "localhost"
        || name.ends_with(".localhost")
        || matches!(name, "localhost.localdomain" | "ip6-localhost" | "ip6-loopback")
        || METADATA_NAMES.contains(&name)
}

const METADATA_NAMES: &[&str] = &[
    "instance-data",
    "instance-data.ec2.internal",
    "metadata",
    "metadata.azure.internal",
    "metadata.goog",
    "metadata.google.internal",
    "metadata.oraclecloud.com",
    "metadata.platformequinix.com",
    "metadata.tencentyun.com",
];

/// Names that no public service has (RFC 6761, 6762, 7686, 8375 and plain
/// habit). They are left to the address check once an operator has listed a
/// network, because names inside that network look like this.
fn is_private_name(name: &str) -> bool {
    const SUFFIXES: &[&str] = &[
        ".corp",
        ".home",
        ".home.arpa",
        ".internal",
        ".intranet",
        ".invalid",
        ".lan",
        ".local",
        ".localdomain",
        ".onion",
        ".private",
        ".svc",
        ".test",
    ];
    !name.contains('.') || SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
}
