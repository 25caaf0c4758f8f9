//! Inbound TLS: the flags, what is served behind them, and a certificate that does not fit.

use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::host::{Host, weft};

struct Files {
    folder: tempfile::TempDir,
    certificate: rcgen::CertifiedKey<rcgen::KeyPair>,
}

impl Files {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let certificate = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
        std::fs::write(folder.path().join("cert.pem"), certificate.cert.pem()).expect("written");
        std::fs::write(folder.path().join("key.pem"), certificate.signing_key.serialize_pem()).expect("written");
        Self { folder, certificate }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().expect("utf-8").to_owned()
    }
}

/// DECISIONS 32: the same host behind TLS, told by the scheme of its url.
#[tokio::test]
async fn the_host_serves_under_tls() {
    let files = Files::new();
    let data = files.folder.path().join("data");
    let host = Host::start(&data, &["--tls-cert", &files.path("cert.pem"), "--tls-key", &files.path("key.pem")]);
    let address = host.url.strip_prefix("https://").expect("the url says so");

    let mut roots = RootCertStore::empty();
    roots.add(files.certificate.cert.der().clone()).expect("a root");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let stream = TcpStream::connect(address).await.expect("connected");
    let name = ServerName::try_from("localhost").expect("a name");
    let mut stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.expect("a handshake");
    let request = "GET /.well-known/openwop HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("answered");
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.contains("\"protocolVersions\""), "{answer}");
}

#[test]
fn a_certificate_and_a_foreign_key_are_refused_by_name() {
    let (files, other) = (Files::new(), Files::new());
    let output = weft()
        .args(["serve", "--listen", "127.0.0.1:0", "--data", &files.path("data")])
        .args(["--tls-cert", &files.path("cert.pem"), "--tls-key", &other.path("key.pem")])
        .output()
        .expect("the command runs");
    assert_eq!(output.status.code(), Some(1));
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(words.contains("cert.pem") && words.contains("do not fit together"), "{words}");
}
