//! What the Secret and the configuration contain.
//!
//! Invariants: whatever cannot be read is treated as absent, with the reason. Expired CAs are treated as absent too.

use std::time::SystemTime;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use rcgen::{KeyPair, PublicKeyData};
use rustls::RootCertStore;
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;

use super::Settings;
use super::cluster::Objects;
use crate::certificate::{CERTIFICATE, Facts, KEY, Unusable, facts, pair};

/// The keys of the Secret for the CA.
pub(crate) const CA_CERTIFICATE: &str = "ca.crt";
pub(crate) const CA_KEY: &str = "ca.key";

/// The annotations of the Secret, after the prefix: since when the `caBundle` has all CAs, in which UID and generation of the configuration; and
/// since when the certificate is in use.
pub(crate) const CA_PUBLISHED: &str = "ca-published";
pub(crate) const CA_PUBLISHED_IN: &str = "ca-published-in";
pub(crate) const LEAF_ISSUED: &str = "leaf-issued";

/// A CA.
#[derive(Clone, Debug)]
pub(crate) struct Authority {
    /// As it was read, from its first to its last line.
    pub(crate) pem: String,
    pub(crate) certificate: CertificateDer<'static>,
    pub(crate) facts: Facts,
}

/// The CA that signs, and its key in PEM form.
pub(crate) struct Signer {
    pub(crate) authority: Authority,
    pub(crate) key: String,
}

/// The certificate of the Secret.
pub(crate) enum Leaf {
    /// It cannot be used, for this reason.
    Unusable(String),
    /// Another CA of the Secret than the one that signs has signed it.
    OfOldCa(Facts),
    /// The CA that signs has signed it.
    OfSigner(Facts),
}

/// What the Secret and the configuration contain.
pub(crate) struct State {
    /// The CA that signs, or why there is none.
    pub(crate) signer: Result<Signer, String>,
    /// The CAs of the Secret, in their order.
    pub(crate) authorities: Vec<Authority>,
    /// The CAs of the configuration that the Secret does not have.
    pub(crate) others: Vec<Authority>,
    /// `ca.crt` as it is.
    pub(crate) ca_certificate: String,
    /// The `caBundle` of each webhook as it is, with the name of the webhook.
    pub(crate) bundles: Vec<(String, String)>,
    pub(crate) leaf: Leaf,
    /// Since when the `caBundle` has all CAs; nothing if the configuration was changed since.
    pub(crate) published: Option<SystemTime>,
    /// Since when the certificate is in use.
    pub(crate) issued: Option<SystemTime>,
    /// The UID and the generation of the configuration.
    pub(crate) generation: String,
}

impl State {
    pub(crate) fn new(objects: &Objects, settings: &Settings, now: SystemTime) -> Self {
        let value = |key: &str| {
            let data = objects.secret.as_ref().and_then(|secret| secret.data.as_ref()?.get(key));
            data.map(|value| String::from_utf8_lossy(&value.0).into_owned()).unwrap_or_default()
        };
        let (ca_certificate, ca_key) = (value(CA_CERTIFICATE), value(CA_KEY));
        let authorities = authorities(&ca_certificate, now);
        let webhooks = objects.configuration.webhooks.iter().flatten();
        let bundles = webhooks.map(|webhook| {
            let bundle = webhook.client_config.ca_bundle.as_ref().map(|bundle| String::from_utf8_lossy(&bundle.0));
            (webhook.name.clone(), bundle.unwrap_or_default().into_owned())
        });
        let bundles = bundles.collect::<Vec<_>>();
        let mut others: Vec<Authority> = Vec::new();
        for authority in bundles.iter().flat_map(|(_, bundle)| self::authorities(bundle, now)) {
            if !authority.is_in(&authorities) && !authority.is_in(&others) {
                others.push(authority);
            }
        }
        let signer = match &objects.secret {
            None => Err("the Secret does not exist".to_owned()),
            Some(_) => signer(&authorities, &ca_key, now),
        };
        let leaf = leaf(&value(CERTIFICATE), &value(KEY), &authorities, signer.as_ref().ok(), settings, now);
        let generation = generation(&objects.configuration.metadata);
        let annotation = |name: &str| {
            let annotations = objects.secret.as_ref()?.metadata.annotations.as_ref()?;
            annotations.get(&format!("{}/{name}", settings.prefix)).cloned()
        };
        // A time in the future is that of a wrong clock: the overlap would be too long.
        let past = |name: &str| {
            let time = SystemTime::from(annotation(name)?.parse::<jiff::Timestamp>().ok()?);
            (time <= now).then_some(time)
        };
        let is_published = annotation(CA_PUBLISHED_IN).is_some_and(|published| published == generation);
        Self {
            signer,
            others,
            ca_certificate,
            bundles,
            leaf,
            published: past(CA_PUBLISHED).filter(|_| is_published),
            issued: past(LEAF_ISSUED),
            generation,
            authorities,
        }
    }

    /// Whether a rotation of the CA has begun, and has not ended.
    pub(crate) fn is_rotating(&self) -> bool {
        self.signer.is_ok() && self.authorities.len() > 1
    }
}

impl Authority {
    pub(crate) fn is_in(&self, authorities: &[Authority]) -> bool {
        authorities.iter().any(|other| other.certificate == self.certificate)
    }
}

fn generation(metadata: &ObjectMeta) -> String {
    format!("{}/{}", metadata.uid.as_deref().unwrap_or_default(), metadata.generation.unwrap_or_default())
}

/// The CAs of a PEM text that are not expired. Whatever else it contains is left out.
pub(crate) fn authorities(text: &str, now: SystemTime) -> Vec<Authority> {
    const END: &str = "-----END CERTIFICATE-----";
    let blocks = text.split_inclusive(END).filter_map(|block| {
        let start = block.rfind("-----BEGIN CERTIFICATE-----")?;
        let pem = format!("{}\n", block.get(start..)?);
        let certificate = CertificateDer::from_pem_slice(pem.as_bytes()).ok()?;
        let facts = facts(&certificate).ok()?;
        (facts.is_authority && now <= facts.not_after).then_some(Authority { pem, certificate, facts })
    });
    let mut authorities: Vec<Authority> = Vec::new();
    for authority in blocks {
        if !authority.is_in(&authorities) {
            authorities.push(authority);
        }
    }
    authorities
}

fn signer(authorities: &[Authority], key: &str, now: SystemTime) -> Result<Signer, String> {
    if authorities.is_empty() {
        return Err(format!("`{CA_CERTIFICATE}` of the Secret contains no valid CA"));
    }
    let Ok(pair) = KeyPair::from_pem(key) else {
        return Err(format!("`{CA_KEY}` of the Secret contains no usable key"));
    };
    let public_key = pair.subject_public_key_info();
    let has_key = |authority: &&Authority| {
        let parsed = ParsedCertificate::try_from(&authority.certificate);
        parsed.is_ok_and(|parsed| *parsed.subject_public_key_info() == *public_key)
    };
    match authorities.iter().find(has_key) {
        None => Err(format!("`{CA_KEY}` of the Secret is not the key of a CA in `{CA_CERTIFICATE}`")),
        Some(authority) if now < authority.facts.not_before => Err("the CA is not valid yet".to_owned()),
        Some(authority) => Ok(Signer { authority: authority.clone(), key: key.to_owned() }),
    }
}

fn leaf(
    certificate: &str,
    key: &str,
    authorities: &[Authority],
    signer: Option<&Signer>,
    settings: &Settings,
    now: SystemTime,
) -> Leaf {
    let (certified, facts) = match pair(certificate.as_bytes(), key.as_bytes()) {
        Ok(pair) => pair,
        Err(Unusable::Certificate(why)) => return Leaf::Unusable(format!("`{CERTIFICATE}` of the Secret {why}")),
        Err(Unusable::Key(why)) => return Leaf::Unusable(format!("`{KEY}` of the Secret {why}")),
        Err(Unusable::Mismatch) => {
            return Leaf::Unusable(format!("`{KEY}` of the Secret is not the key of `{CERTIFICATE}`"));
        }
    };
    let verify = |authority: &Authority| verify(&certified.cert, authority, &settings.names(), now);
    let signer = signer.map(|signer| verify(&signer.authority));
    match signer {
        Some(Ok(())) => Leaf::OfSigner(facts),
        _ if authorities.iter().any(|authority| verify(authority).is_ok()) => Leaf::OfOldCa(facts),
        Some(Err(error)) => Leaf::Unusable(format!("the certificate of the Secret does not verify: {error}")),
        None => Leaf::Unusable("the CA of the certificate is not in the Secret".to_owned()),
    }
}

/// Verifies a certificate with its chain as an API server does: signed by the CA, valid now, and valid for these names.
fn verify(
    chain: &[CertificateDer<'_>],
    authority: &Authority,
    names: &[String],
    now: SystemTime,
) -> Result<(), rustls::Error> {
    let (first, intermediates) = chain.split_first().ok_or(rustls::Error::NoCertificatesPresented)?;
    let parsed = ParsedCertificate::try_from(first)?;
    let mut roots = RootCertStore::empty();
    roots.add(authority.certificate.clone())?;
    let now = UnixTime::since_unix_epoch(now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default());
    let algorithms = ring::default_provider().signature_verification_algorithms.all;
    verify_server_cert_signed_by_trust_anchor(&parsed, &roots, intermediates, now, algorithms)?;
    let as_name = |name: &String| ServerName::try_from(name.clone()).map_err(|error| error.to_string());
    let names = names.iter().map(as_name).collect::<Result<Vec<_>, _>>().map_err(rustls::Error::General)?;
    names.iter().try_for_each(|name| verify_server_name(&parsed, name))
}
