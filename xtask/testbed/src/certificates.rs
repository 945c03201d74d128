//! The certificates and keys of one testbed, as PEM files. Its servers accept no other certificates, so two testbeds cannot talk to each
//! other, and other users of the machine have no access.
//!
//! Invariants: only the owner can read a key, from the moment that the file exists.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose,
};

use crate::failure::Failure;

/// A certificate and its key.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
}

/// All certificates and keys of a testbed.
#[derive(Clone, Debug)]
pub(crate) struct Certificates {
    /// The authority that signed all certificates.
    pub(crate) authority: PathBuf,
    /// The server certificate of both servers, for 127.0.0.1.
    pub(crate) server: Identity,
    /// The client certificate for etcd, used by kube-apiserver.
    pub(crate) etcd_client: Identity,
    /// A user in the group `system:masters`, with all permissions.
    pub(crate) administrator: Identity,
    /// The user that kube-controller-manager has in every cluster.
    pub(crate) controllers: Identity,
    /// The key that signs service account tokens.
    pub(crate) service_accounts: PathBuf,
    /// The public key that verifies them; kube-apiserver does not derive it from the private key.
    pub(crate) service_accounts_public: PathBuf,
}

/// Writes a new authority and the certificates that it signs to this folder.
pub(crate) fn issue(folder: &Path) -> Result<Certificates, Failure> {
    let broken = |error: rcgen::Error| Failure::Other(format!("cannot create certificates: {error}"));
    let key = || KeyPair::generate().map_err(broken);

    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
    authority.distinguished_name = name("crd-testbed", None);
    let authority = CertifiedIssuer::self_signed(authority, key()?).map_err(broken)?;

    let issue =
        |file: &str, common_name: &str, group: Option<&str>, hosts: &[&str], purposes: &[ExtendedKeyUsagePurpose]| {
            let mut parameters =
                CertificateParams::new(hosts.iter().map(|host| (*host).to_owned()).collect::<Vec<_>>())
                    .map_err(broken)?;
            parameters.distinguished_name = name(common_name, group);
            parameters.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyEncipherment];
            parameters.extended_key_usages = purposes.to_vec();
            let key = key()?;
            let certificate = parameters.signed_by(&key, &authority).map_err(broken)?;
            let identity =
                Identity { certificate: folder.join(format!("{file}.crt")), key: folder.join(format!("{file}.key")) };
            write(&identity.certificate, &certificate.pem())?;
            write(&identity.key, &key.serialize_pem())?;
            Ok(identity)
        };
    // etcd is also a client of itself, with its server certificate.
    let both = [ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
    let client = [ExtendedKeyUsagePurpose::ClientAuth];
    let certificates = Certificates {
        authority: folder.join("authority.crt"),
        server: issue(
            "server",
            "crd-testbed-server",
            None,
            &["127.0.0.1", "localhost", "kubernetes.default.svc"],
            &both,
        )?,
        etcd_client: issue("etcd-client", "kube-apiserver", None, &[], &client)?,
        administrator: issue("administrator", "crd-testbed-administrator", Some("system:masters"), &[], &client)?,
        controllers: issue("controllers", "system:kube-controller-manager", None, &[], &client)?,
        service_accounts: folder.join("service-accounts.key"),
        service_accounts_public: folder.join("service-accounts.pub"),
    };
    write(&certificates.authority, &authority.pem())?;
    let service_accounts = key()?;
    write(&certificates.service_accounts, &service_accounts.serialize_pem())?;
    write(&certificates.service_accounts_public, &service_accounts.public_key_pem())?;
    Ok(certificates)
}

fn name(common_name: &str, group: Option<&str>) -> DistinguishedName {
    let mut name = DistinguishedName::new();
    name.push(DnType::CommonName, common_name);
    if let Some(group) = group {
        // Kubernetes reads the organisations of a client certificate as groups.
        name.push(DnType::OrganizationName, group);
    }
    name
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let mut file: File =
        File::options().write(true).create_new(true).mode(0o600).open(path).map_err(Failure::file("create", path))?;
    file.write_all(text.as_bytes()).map_err(Failure::file("write", path))
}
