//! Whom outbound TLS trusts: the bundled roots plus an operator's own.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

/// The certificate authorities outbound TLS accepts (DECISIONS 32). The host
/// system's store is not read, so that every machine trusts the same.
#[derive(Debug, Clone)]
pub struct TrustRoots {
    store: RootCertStore,
}

/// Why an operator's authority file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TrustRootsError {
    /// Not PEM.
    #[error("the authority file is not PEM")]
    Pem(#[source] rustls::pki_types::pem::Error),
    /// A certificate that is no trust anchor.
    #[error("a certificate of the authority file cannot be used")]
    Certificate(#[source] rustls::Error),
    /// PEM without a certificate.
    #[error("the authority file holds no certificate")]
    Empty,
}

impl TrustRoots {
    /// The roots compiled into the binary.
    #[must_use]
    pub fn bundled() -> Self {
        Self { store: RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() } }
    }

    /// Adds the certificates of a PEM text (`--egress-ca`).
    ///
    /// # Errors
    /// The text is not PEM, holds no certificate, or holds one that cannot be
    /// a trust anchor.
    pub fn with_pem(mut self, pem: &[u8]) -> Result<Self, TrustRootsError> {
        let mut added = 0_usize;
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let certificate = certificate.map_err(TrustRootsError::Pem)?;
            self.store.add(certificate).map_err(TrustRootsError::Certificate)?;
            added += 1;
        }
        if added == 0 { Err(TrustRootsError::Empty) } else { Ok(self) }
    }

    /// The TLS settings of the client. The crypto provider is passed by hand,
    /// so that nothing depends on a process-wide default being installed.
    pub(crate) fn client_config(self) -> Arc<ClientConfig> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("ring offers the suites of TLS 1.2 and 1.3")
            .with_root_certificates(self.store)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Arc::new(config)
    }
}
