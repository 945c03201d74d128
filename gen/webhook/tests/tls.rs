//! Authorities and TLS clients.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::client::WantsClientCert;
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, ConfigBuilder, RootCertStore, SupportedProtocolVersion};

pub(crate) type Authority = CertifiedIssuer<'static, KeyPair>;

pub(crate) const BOTH: [&SupportedProtocolVersion; 2] = [&TLS12, &TLS13];

pub(crate) fn authority() -> Authority {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// A client that trusts a certificate, without a certificate of its own yet.
pub(crate) fn trusting(
    certificate: &CertificateDer<'static>,
    versions: &[&'static SupportedProtocolVersion],
) -> ConfigBuilder<ClientConfig, WantsClientCert> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).unwrap();
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    builder.with_protocol_versions(versions).unwrap().with_root_certificates(roots)
}
