//! TLS: the host name is verified although an address is dialled.

use std::net::Ipv4Addr;
use std::sync::Arc;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::PrivateKeyDer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use weft_egress::{EgressError, Sent, TrustRoots, TrustRootsError};

use crate::servers::{Scripted, client, client_trusting, get, ok};

struct TlsPeer {
    port: u16,
    trust: TrustRoots,
    task: JoinHandle<()>,
}

impl Drop for TlsPeer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A server whose certificate is for `name` alone; answers one request per
/// connection over HTTP/1.1.
async fn start(name: &str) -> TlsPeer {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(vec![name.to_owned()]).expect("a certificate");
    let trust = TrustRoots::bundled().with_pem(pem(cert.der()).as_bytes()).expect("trusted");
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .expect("config");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("bind");
    let port = listener.local_addr().expect("bound").port();
    let task = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else {
                continue;
            };
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                match stream.read_u8().await {
                    Ok(byte) => head.push(byte),
                    Err(_) => break,
                }
            }
            stream.write_all(&ok("over tls")).await.ok();
            stream.shutdown().await.ok();
        }
    });
    TlsPeer { port, trust, task }
}

fn pem(der: &[u8]) -> String {
    // The certificate's base64 comes from a helper crate only in tests; PEM is
    // its text between two marker lines.
    let body = data_encoding::BASE64.encode(der);
    format!("-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n")
}

/// Witnesses R-EGR-05: the vetted address is dialled, the name is verified.
#[tokio::test]
async fn the_name_is_verified_at_the_vetted_address() {
    let peer = start("service.example.com").await;
    let resolver = Scripted::new(&[&["127.0.0.1"]]);
    let client = client_trusting(&["127.0.0.0/8"], resolver, peer.trust.clone());
    let url = format!("https://service.example.com:{}/", peer.port);
    let response = client.send(get(url)).await.expect("trusted");
    assert_eq!(&response.body[..], b"over tls");

    let other = format!("https://other.example.com:{}/", peer.port);
    let error = client.send(get(other)).await.expect_err("another name");
    assert!(matches!(error, EgressError::Tls { .. }), "{error:?}");
    assert_eq!(error.sent(), Sent::No);
}

#[tokio::test]
async fn an_unknown_authority_is_not_trusted() {
    let peer = start("service.example.com").await;
    let client = client(&["127.0.0.0/8"], Scripted::new(&[&["127.0.0.1"]]));
    let url = format!("https://service.example.com:{}/", peer.port);
    let error = client.send(get(url)).await.expect_err("unknown authority");
    assert!(matches!(error, EgressError::Tls { .. }), "{error:?}");
}

#[test]
fn an_authority_file_without_certificates_is_refused() {
    let empty = TrustRoots::bundled().with_pem(b"nothing here");
    assert!(matches!(empty, Err(TrustRootsError::Empty)));
    let broken = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    assert!(TrustRoots::bundled().with_pem(broken).is_err());
}
