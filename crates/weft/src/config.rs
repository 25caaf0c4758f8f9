//! The settings of a host: flags, `WEFT_…` variables and `weft.toml`, merged once.
//!
//! A flag beats a variable, a variable beats the file, the file beats the default. The command
//! line parser already lets a flag beat its variable; [`HostConfig::resolve`] lays the result
//! over the file. This is the only place where a setting gets its default.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use serde::Deserialize;

/// Where the host listens unless told otherwise.
pub(crate) const DEFAULT_LISTEN: &str = "127.0.0.1:8080";
/// The data folder unless told otherwise.
pub(crate) const DEFAULT_DATA: &str = "./weft-data";
/// The configuration file read when it exists and no other is named.
const DEFAULT_FILE: &str = "weft.toml";
/// A configuration file larger than this is refused: it is not one.
const FILE_MAX_BYTES: u64 = 1024 * 1024;

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LogFormat {
    /// One readable line per record.
    Text,
    /// One JSON object per record.
    Json,
}

/// Flags that say where a host keeps its data; shared by `serve` and the commands that work on
/// the store.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct StoreFlags {
    /// Folder of the embedded database [default: ./weft-data].
    #[arg(long, env = "WEFT_DATA", value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Configuration file [default: weft.toml when it exists].
    #[arg(long, env = "WEFT_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// Flags of `weft serve`; each is also a key of `weft.toml` and a `WEFT_…` variable.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ServeFlags {
    #[command(flatten)]
    pub(crate) store: StoreFlags,
    /// Address to listen on; port 0 picks a free one [default: 127.0.0.1:8080].
    #[arg(long, env = "WEFT_LISTEN", value_name = "ADDR", value_parser = read_address)]
    pub(crate) listen: Option<SocketAddr>,
    /// URL under which clients reach this host [default: from --listen].
    #[arg(long, env = "WEFT_PUBLIC_URL", value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// Folder of workflow definitions (repeatable); a sub-folder belongs to the tenant of its name.
    #[arg(long, env = "WEFT_WORKFLOWS", value_name = "DIR", value_delimiter = ',')]
    pub(crate) workflows: Vec<PathBuf>,
    /// Load the sample workflows.
    #[arg(long, env = "WEFT_SAMPLES", value_parser = clap::builder::BoolishValueParser::new())]
    pub(crate) samples: bool,
    /// Load the conformance fixtures.
    #[arg(long, env = "WEFT_FIXTURES", value_parser = clap::builder::BoolishValueParser::new())]
    pub(crate) fixtures: bool,
    /// Address range that outbound calls may reach although the guard refuses it (repeatable).
    #[arg(long, env = "WEFT_ALLOW_EGRESS", value_name = "CIDR", value_delimiter = ',')]
    pub(crate) allow_egress: Vec<String>,
    /// File of extra root certificates for outbound TLS (PEM).
    #[arg(long, env = "WEFT_EGRESS_CA", value_name = "FILE")]
    pub(crate) egress_ca: Option<PathBuf>,
    /// Certificate chain for inbound TLS (PEM); needs --tls-key.
    #[arg(long, env = "WEFT_TLS_CERT", value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// Private key for inbound TLS (PEM); needs --tls-cert.
    #[arg(long, env = "WEFT_TLS_KEY", value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// How log lines look [default: text].
    #[arg(long, env = "WEFT_LOG", value_name = "FORMAT", value_enum)]
    pub(crate) log: Option<LogFormat>,
}

/// `weft.toml`. Unknown keys are refused with their line, so that a typing error never passes
/// for a setting.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
struct File {
    data: Option<PathBuf>,
    listen: Option<SocketAddr>,
    public_url: Option<String>,
    #[serde(default)]
    workflows: Vec<PathBuf>,
    samples: Option<bool>,
    fixtures: Option<bool>,
    #[serde(default)]
    allow_egress: Vec<String>,
    egress_ca: Option<PathBuf>,
    tls_cert: Option<PathBuf>,
    tls_key: Option<PathBuf>,
    log: Option<LogFormat>,
    #[serde(default)]
    cors_origins: Vec<String>,
}

/// Certificate and key for inbound TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TlsFiles {
    /// Certificate chain, PEM.
    pub(crate) cert: PathBuf,
    /// Private key, PEM.
    pub(crate) key: PathBuf,
}

/// The settings of a host after the merge.
#[derive(Clone, Debug)]
pub(crate) struct HostConfig {
    pub(crate) data: PathBuf,
    pub(crate) listen: SocketAddr,
    pub(crate) public_url: Option<String>,
    pub(crate) workflows: Vec<PathBuf>,
    pub(crate) samples: bool,
    pub(crate) fixtures: bool,
    pub(crate) allow_egress: Vec<String>,
    pub(crate) egress_ca: Option<PathBuf>,
    pub(crate) tls: Option<TlsFiles>,
    pub(crate) log: LogFormat,
    pub(crate) cors_origins: Vec<String>,
}

impl HostConfig {
    /// Merges flags (already merged with their variables) with the configuration file.
    ///
    /// # Errors
    /// The file cannot be read or parsed (with line and column), or TLS is set by halves.
    pub(crate) fn resolve(flags: ServeFlags) -> anyhow::Result<Self> {
        let file = File::load(flags.store.config.as_deref())?;
        let tls = match (flags.tls_cert.or(file.tls_cert), flags.tls_key.or(file.tls_key)) {
            (Some(cert), Some(key)) => Some(TlsFiles { cert, key }),
            (None, None) => None,
            _ => bail!("inbound TLS needs both tls_cert and tls_key; set the missing one or remove the other"),
        };
        let listen = match flags.listen.or(file.listen) {
            Some(address) => address,
            None => DEFAULT_LISTEN.parse().expect("the default address is well formed"),
        };
        let public_url = flags.public_url.or(file.public_url);
        if let Some(url) = public_url.as_deref().filter(|url| !is_web_url(url)) {
            bail!("the public URL `{url}` is not one; write it like https://weft.example.org");
        }
        Ok(Self {
            data: data_folder(flags.store.data, file.data),
            listen,
            public_url,
            workflows: nonempty(flags.workflows, file.workflows),
            samples: flags.samples || file.samples.unwrap_or(false),
            fixtures: flags.fixtures || file.fixtures.unwrap_or(false),
            allow_egress: nonempty(flags.allow_egress, file.allow_egress),
            egress_ca: flags.egress_ca.or(file.egress_ca),
            tls,
            log: flags.log.or(file.log).unwrap_or(LogFormat::Text),
            cors_origins: file.cors_origins,
        })
    }
}

impl StoreFlags {
    /// The data folder of the commands that work on the store.
    ///
    /// # Errors
    /// The configuration file cannot be read or parsed.
    pub(crate) fn data_folder(self) -> anyhow::Result<PathBuf> {
        let file = File::load(self.config.as_deref())?;
        Ok(data_folder(self.data, file.data))
    }
}

fn read_address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "write an IP address and a port, like 127.0.0.1:8080 or [::1]:8080".to_owned())
}

fn is_web_url(text: &str) -> bool {
    let parsed = text.parse::<http::Uri>();
    parsed.is_ok_and(|url| matches!(url.scheme_str(), Some("http" | "https")) && url.host().is_some())
}

fn data_folder(flag: Option<PathBuf>, file: Option<PathBuf>) -> PathBuf {
    flag.or(file).unwrap_or_else(|| PathBuf::from(DEFAULT_DATA))
}

fn nonempty<T>(flags: Vec<T>, file: Vec<T>) -> Vec<T> {
    if flags.is_empty() { file } else { flags }
}

impl File {
    fn load(named: Option<&Path>) -> anyhow::Result<Self> {
        let path = named.unwrap_or(Path::new(DEFAULT_FILE));
        if named.is_none() && !path.exists() {
            return Ok(Self::default());
        }
        let size = std::fs::metadata(path)
            .with_context(|| format!("cannot read the configuration file {}", path.display()))?
            .len();
        if size > FILE_MAX_BYTES {
            bail!("{} is {size} bytes; a configuration file has at most {FILE_MAX_BYTES}", path.display());
        }
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read the configuration file {}", path.display()))?;
        toml::from_str(&text).with_context(|| format!("in the configuration file {}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("weft.toml");
        std::fs::write(&path, text).expect("written");
        (folder, path)
    }

    fn flags(config: PathBuf) -> ServeFlags {
        ServeFlags { store: StoreFlags { config: Some(config), data: None }, ..ServeFlags::default() }
    }

    #[test]
    fn a_flag_beats_the_file_and_the_file_beats_the_default() {
        let (_folder, path) = write("listen = \"127.0.0.1:9000\"\ndata = \"elsewhere\"\n");
        let from_file = HostConfig::resolve(flags(path.clone())).expect("resolved");
        assert_eq!(from_file.listen.port(), 9000);
        assert_eq!(from_file.data, PathBuf::from("elsewhere"));
        assert_eq!(from_file.log, LogFormat::Text);

        let mut with_flag = flags(path);
        with_flag.listen = Some("127.0.0.1:9001".parse().expect("an address"));
        assert_eq!(HostConfig::resolve(with_flag).expect("resolved").listen.port(), 9001);
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_place() {
        let (_folder, path) = write("listen = \"127.0.0.1:9000\"\nlisten_port = 1\n");
        let error = format!("{:#}", HostConfig::resolve(flags(path)).expect_err("refused"));
        assert!(error.contains("listen_port"), "{error}");
        assert!(error.contains("line 2"), "{error}");
    }

    #[test]
    fn half_a_tls_setting_is_refused() {
        let (_folder, path) = write("tls_cert = \"cert.pem\"\n");
        let error = HostConfig::resolve(flags(path)).expect_err("refused").to_string();
        assert!(error.contains("tls_key"), "{error}");
    }

    #[test]
    fn a_public_url_is_one_that_clients_can_use() {
        for (text, usable) in [("https://weft.example.org", true), ("weft.example.org", false), ("ftp://a", false)] {
            let (_folder, path) = write(&format!("public_url = \"{text}\"\n"));
            assert_eq!(HostConfig::resolve(flags(path)).is_ok(), usable, "{text}");
        }
    }

    #[test]
    fn a_named_file_must_exist() {
        let error = HostConfig::resolve(flags(PathBuf::from("no-such-file.toml"))).expect_err("refused");
        assert!(format!("{error:#}").contains("no-such-file.toml"));
    }
}
