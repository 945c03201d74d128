//! The clients that may connect: with a certificate of an authority, and of a name.

use std::path::PathBuf;
use std::sync::Arc;

use crd_diagnostics::Diagnostic;
use rustls::RootCertStore;
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;

use crate::certificate::{facts, read_bounded};
use crate::codes;

/// Which clients may connect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientAuthority {
    /// The PEM file with the certificates that sign those of clients.
    pub file: PathBuf,
    /// The names of clients: the common name, or a DNS name. Without any, every certificate of the authority suffices.
    pub names: Vec<String>,
}

impl ClientAuthority {
    /// The content of the file, and what verifies the certificates of clients with it.
    pub(crate) fn read(&self) -> Result<(Vec<u8>, Arc<dyn ClientCertVerifier>), Diagnostic> {
        let failed = |why: String| {
            let help = "name the CA that signs the client certificate of API servers, in PEM form, with `--client-ca`";
            codes::CLIENTS.finding(format!("it cannot be used: {why}")).at_file(&self.file).help(help)
        };
        let content = read_bounded(&self.file).map_err(|error| failed(error.to_string()))?;
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(&content) {
            // Errors of the parser repeat lines of the file.
            let certificate = certificate.map_err(|_| failed("it is not a PEM file".to_owned()))?;
            roots.add(certificate).map_err(|error| failed(error.to_string()))?;
        }
        let provider = Arc::new(ring::default_provider());
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
        Ok((content, verifier.map_err(|error| failed(error.to_string()))?))
    }

    /// Whether a client with these certificates has one of the names.
    pub(crate) fn accepts(&self, certificates: Option<&[CertificateDer<'_>]>) -> bool {
        let Some(certificate) = certificates.and_then(|certificates| certificates.first()) else { return false };
        let Ok((_, parsed)) = x509_parser::parse_x509_certificate(certificate) else { return false };
        let is_one = |name: &str| self.names.iter().any(|other| other == name);
        let is_common = parsed.subject().iter_common_name().any(|name| name.as_str().is_ok_and(is_one));
        let is_listed = || facts(certificate).is_ok_and(|facts| facts.names.iter().any(|name| is_one(name)));
        self.names.is_empty() || is_common || is_listed()
    }
}
