//! The certificate that the server presents: `tls.crt` and `tls.key` in a folder, whose files can be replaced at any time.
//!
//! Invariants:
//! * New connections get the last good certificate, whatever happens to the files. Open connections are left alone.
//! * The content of files is compared, not their times: a Secret volume replaces a symbolic link.
//! * No message contains a part of a key.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use arc_swap::ArcSwapOption;
use crd_diagnostics::{Code, Diagnostic};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::danger::ClientCertVerifier;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::version::{TLS12, TLS13};
use sha2::{Digest, Sha256};
use x509_parser::extensions::GeneralName;

use crate::codes;

/// The name of the file with the certificate, and those that verify it; also the key in a Secret of type `kubernetes.io/tls`.
pub(crate) const CERTIFICATE: &str = "tls.crt";
/// The name of the file with the key of the certificate.
pub(crate) const KEY: &str = "tls.key";

/// The most bytes of a file. A Secret has at most 1 MiB.
const MOST_BYTES: u64 = 1 << 20;

/// How many polls in a row may fail before that is an error: some programs do not replace both files together.
const TOLERATED: u32 = 2;

/// Facts about a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The serial number: bytes in hexadecimal with colons.
    pub serial: String,
    /// When it becomes valid.
    pub not_before: SystemTime,
    /// When it expires.
    pub not_after: SystemTime,
    /// The names of servers that it is valid for: DNS names and IP addresses.
    pub names: Vec<String>,
    pub(crate) is_authority: bool,
}

/// Why a certificate and a key are not usable.
pub(crate) enum Unusable {
    Certificate(String),
    Key(String),
    Mismatch,
}

/// The certificate of a folder.
#[derive(Debug)]
pub struct CertificateFiles {
    folder: PathBuf,
    current: Arc<Current>,
    /// The digest of the content that is in use, and its facts.
    in_use: Option<([u8; 32], Facts)>,
    /// Why the last poll failed, and how many polls in a row failed.
    failure: Option<Diagnostic>,
    failures: u32,
}

#[derive(Debug, Default)]
struct Current(ArcSwapOption<CertifiedKey>);

impl ResolvesServerCert for Current {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.0.load_full()
    }
}

impl CertificateFiles {
    /// The certificate in this folder. Nothing is read until the first poll.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, current: Arc::default(), in_use: None, failure: None, failures: 0 }
    }

    /// What gives new connections the certificate. Without one, the handshake fails.
    pub fn resolver(&self) -> Arc<dyn ResolvesServerCert> {
        self.current.clone()
    }

    /// Reads the files, and gives new connections their certificate if it is good and another one: then its facts. Call it about once a second.
    pub fn poll(&mut self, now: SystemTime) -> Option<&Facts> {
        match self.read(now) {
            Ok(new) => {
                (self.failure, self.failures) = (None, 0);
                let (digest, key, facts) = new?;
                self.current.0.store(Some(Arc::new(key)));
                Some(&self.in_use.insert((digest, facts)).1)
            }
            Err(failure) => {
                (self.failure, self.failures) = (Some(failure), self.failures.saturating_add(1));
                None
            }
        }
    }

    /// The facts about the certificate in use.
    ///
    /// # Errors
    /// If clients have reason to refuse new connections, or soon will: there was never a good certificate, the one in use or in the files is not
    /// valid at this time, or three polls in a row failed.
    pub fn state(&self, now: SystemTime) -> Result<&Facts, Diagnostic> {
        let is_whole = |failure: &&Diagnostic| [codes::EXPIRED.name, codes::NOT_YET_VALID.name].contains(&failure.code);
        match (&self.in_use, &self.failure) {
            (None, Some(failure)) => Err(failure.clone()),
            (None, None) => Err(self.problem(&codes::MISSING, CERTIFICATE, "has not been read yet", "wait a second")),
            (Some(_), Some(failure)) if self.failures > TOLERATED || is_whole(&failure) => Err(failure.clone()),
            (Some((_, facts)), _) => self.check_validity(facts, now).map(|()| facts),
        }
    }

    /// The content of the files, if it is not in use already.
    fn read(&self, now: SystemTime) -> Result<Option<([u8; 32], CertifiedKey, Facts)>, Diagnostic> {
        let (certificate, key) = (self.read_file(CERTIFICATE)?, self.read_file(KEY)?);
        let parts = [Sha256::digest(&certificate), Sha256::digest(&key)].concat();
        let digest = <[u8; 32]>::from(Sha256::digest(parts));
        if self.in_use.as_ref().is_some_and(|(known, _)| *known == digest) {
            return Ok(None);
        }
        let (certified, facts) = pair(&certificate, &key).map_err(|unusable| match unusable {
            Unusable::Certificate(why) => self.unreadable(CERTIFICATE, &why),
            Unusable::Key(why) => self.unreadable(KEY, &why),
            Unusable::Mismatch => self.problem(
                &codes::MISMATCH,
                KEY,
                &format!("is not the key of the first certificate in `{CERTIFICATE}`"),
                "replace both files together; `tls.crt` begins with the certificate of the server, and those that signed it follow",
            ),
        })?;
        self.check_validity(&facts, now)?;
        Ok(Some((digest, certified, facts)))
    }

    fn read_file(&self, name: &str) -> Result<Vec<u8>, Diagnostic> {
        let path = self.folder.join(name);
        let content = read_bounded(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => self.problem(
                &codes::MISSING,
                name,
                "does not exist",
                &format!(
                    "mount the Secret with `{CERTIFICATE}` and `{KEY}` at `{}`; the subcommand `certs` creates such a Secret",
                    self.folder.display()
                ),
            ),
            _ => self.unreadable(name, &format!("cannot be read: {error}")),
        })?;
        if content.len() as u64 > MOST_BYTES {
            return Err(self.unreadable(name, &format!("has more than {MOST_BYTES} bytes")));
        }
        Ok(content)
    }

    fn check_validity(&self, facts: &Facts, now: SystemTime) -> Result<(), Diagnostic> {
        let (code, what, help) = if now > facts.not_after {
            let help = "renew the certificate: run the subcommand `certs`, or check the Certificate of cert-manager";
            (&codes::EXPIRED, format!("expired at {}", rfc3339(facts.not_after)), help)
        } else if now < facts.not_before {
            let help = "check the clocks of this machine and of the one that issued the certificate";
            (&codes::NOT_YET_VALID, format!("is not valid before {}", rfc3339(facts.not_before)), help)
        } else {
            return Ok(());
        };
        Err(self.problem(code, CERTIFICATE, &format!("{what} (serial number {})", facts.serial), help))
    }

    fn unreadable(&self, name: &str, why: &str) -> Diagnostic {
        let help = "the file must be a readable PEM file; compare with `kubectl get secret NAME --output yaml`";
        self.problem(&codes::UNREADABLE, name, why, help)
    }

    fn problem(&self, code: &Code, name: &str, what: &str, help: &str) -> Diagnostic {
        code.finding(format!("`{name}` {what}")).at_file(self.folder.join(name)).help(help)
    }
}

/// The content of a file, up to one byte more than the limit. Other things than files, such as pipes, are not opened.
pub(crate) fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    if !path.metadata()?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut content = Vec::new();
    File::open(path)?.take(MOST_BYTES + 1).read_to_end(&mut content)?;
    Ok(content)
}

/// A certificate with its chain, and its key, in PEM form.
pub(crate) fn pair(certificate: &[u8], key: &[u8]) -> Result<(CertifiedKey, Facts), Unusable> {
    // Errors of the PEM parser repeat lines of the file, which can be lines of a key.
    let chain = CertificateDer::pem_slice_iter(certificate).collect::<Result<Vec<_>, _>>();
    let chain = chain.map_err(|_| Unusable::Certificate("is not a PEM file".to_owned()))?;
    let first = chain.first().ok_or_else(|| Unusable::Certificate("contains no certificate in PEM form".to_owned()))?;
    let facts = facts(first).map_err(Unusable::Certificate)?;
    let key = PrivateKeyDer::from_pem_slice(key);
    let key = key.map_err(|_| Unusable::Key("contains no private key in PEM form".to_owned()))?;
    match CertifiedKey::from_der(chain, key, &ring::default_provider()) {
        Ok(certified) => Ok((certified, facts)),
        Err(rustls::Error::InconsistentKeys(_)) => Err(Unusable::Mismatch),
        Err(rustls::Error::InvalidCertificate(error)) => {
            Err(Unusable::Certificate(format!("contains a certificate that cannot be used: {error:?}")))
        }
        Err(_) => Err(Unusable::Key("contains no RSA, ECDSA or Ed25519 key".to_owned())),
    }
}

/// The facts about a certificate; or why it cannot be read, as the end of a sentence.
pub(crate) fn facts(certificate: &CertificateDer<'_>) -> Result<Facts, String> {
    let unreadable = |error: &dyn std::fmt::Display| format!("contains a certificate that cannot be read: {error}");
    let (_, parsed) = x509_parser::parse_x509_certificate(certificate).map_err(|error| unreadable(&error))?;
    let name = |name: &GeneralName<'_>| match name {
        GeneralName::DNSName(name) => Some((*name).to_owned()),
        GeneralName::IPAddress(bytes) => address(bytes),
        _ => None,
    };
    let names = parsed.subject_alternative_name().map_err(|error| unreadable(&error))?;
    let names = names.map(|extension| extension.value.general_names.iter().filter_map(name).collect());
    Ok(Facts {
        serial: parsed.raw_serial_as_string(),
        not_before: time(parsed.validity().not_before.timestamp()),
        not_after: time(parsed.validity().not_after.timestamp()),
        names: names.unwrap_or_default(),
        is_authority: parsed.is_ca(),
    })
}

fn address(bytes: &[u8]) -> Option<String> {
    let v4 = <[u8; 4]>::try_from(bytes).map(|bytes| std::net::Ipv4Addr::from(bytes).to_string());
    v4.or_else(|_| <[u8; 16]>::try_from(bytes).map(|bytes| std::net::Ipv6Addr::from(bytes).to_string())).ok()
}

/// A time in seconds since 1970. Times before it, which no certificate needs, are 1970.
fn time(seconds: i64) -> SystemTime {
    later(SystemTime::UNIX_EPOCH, Duration::from_secs(u64::try_from(seconds).unwrap_or_default()))
}

/// A time and a duration; the time itself where the system has no such time.
pub(crate) fn later(time: SystemTime, duration: Duration) -> SystemTime {
    time.checked_add(duration).unwrap_or(time)
}

/// The same into the past.
pub(crate) fn earlier(time: SystemTime, duration: Duration) -> SystemTime {
    time.checked_sub(duration).unwrap_or(time)
}

/// A time in seconds, in the form of RFC 3339.
pub(crate) fn rfc3339(time: SystemTime) -> String {
    jiff::Timestamp::try_from(time).map_or_else(|_| format!("{time:?}"), |time| format!("{time:.0}"))
}

/// TLS for a server: TLS 1.2 and 1.3, with client certificates if there is a verifier of them. API servers send HTTP/1.1 to webhooks.
pub fn server_config(
    resolver: Arc<dyn ResolvesServerCert>,
    clients: Option<Arc<dyn ClientCertVerifier>>,
) -> rustls::ServerConfig {
    let builder = rustls::ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_protocol_versions(&[&TLS13, &TLS12]).expect("ring supports TLS 1.2 and 1.3");
    let builder = match clients {
        Some(clients) => builder.with_client_cert_verifier(clients),
        None => builder.with_no_client_auth(),
    };
    let mut config = builder.with_cert_resolver(resolver);
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config
}
