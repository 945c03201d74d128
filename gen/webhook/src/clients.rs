//! The clients that may connect: with a certificate of an authority, and of a name.
//!
//! Invariants: the file of the authority is read again and again, and the last good one counts. Until there is one, nobody may connect. A message contains
//! nothing of the file.

use std::path::PathBuf;
use std::sync::Arc;

use arc_swap::ArcSwapOption;
use crd_diagnostics::Diagnostic;
use rustls::crypto::{WebPkiSupportedAlgorithms, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error, RootCertStore, SignatureScheme,
};

use crate::certificate::{has_name, read_bounded};
use crate::codes;

/// Which clients may connect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientAuthority {
    /// The PEM file with the certificates that sign those of clients.
    pub file: PathBuf,
    /// The names of clients: the common name, or a DNS name. Without any, every certificate of the authority suffices.
    pub names: Vec<String>,
}

/// Verifies the certificates of clients.
#[derive(Debug)]
pub(crate) struct Clients {
    authority: ClientAuthority,
    verifier: ArcSwapOption<Arc<dyn ClientCertVerifier>>,
}

impl Clients {
    pub(crate) fn new(authority: ClientAuthority) -> Arc<Self> {
        Arc::new(Self { authority, verifier: ArcSwapOption::empty() })
    }

    /// Reads the file, and uses it from now on.
    ///
    /// # Errors
    /// If it cannot be used.
    pub(crate) fn poll(&self) -> Result<(), Diagnostic> {
        let path = &self.authority.file;
        let failed = |why: String| {
            let help = "name the CA that signs the client certificate of API servers, in PEM form, with `--client-ca`";
            codes::CLIENTS.finding(format!("the CA of clients cannot be used: {why}")).at_file(path).help(help)
        };
        let content = read_bounded(path).map_err(|error| failed(error.to_string()))?;
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(&content) {
            let certificate = certificate.map_err(|_| failed("it is not a PEM file".to_owned()))?;
            roots.add(certificate).map_err(|error| failed(error.to_string()))?;
        }
        let provider = Arc::new(ring::default_provider());
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
        self.verifier.store(Some(Arc::new(verifier.map_err(|error| failed(error.to_string()))?)));
        Ok(())
    }
}

const ALGORITHMS: fn() -> WebPkiSupportedAlgorithms = || ring::default_provider().signature_verification_algorithms;

impl ClientCertVerifier for Clients {
    /// No hints: a client has one certificate for this server.
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        let verifier = self.verifier.load_full().ok_or(CertificateError::UnknownIssuer)?;
        let verified = verifier.verify_client_cert(certificate, intermediates, now)?;
        let names = &self.authority.names;
        match names.is_empty() || has_name(certificate, names) {
            true => Ok(verified),
            false => Err(CertificateError::ApplicationVerificationFailure.into()),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<rustls::client::danger::HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &ALGORITHMS())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<rustls::client::danger::HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &ALGORITHMS())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        ALGORITHMS().supported_schemes()
    }
}
