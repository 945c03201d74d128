//! Keys: ECDSA on P-256 with SHA-256, the default of cosign.
//!
//! Invariant: a message has the kind of a key, and no byte of it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use crd_bundle::Digest;
use crd_diagnostics::Diagnostic;
use p256::ecdsa;
use p256::pkcs8::der::{Decode, SecretDocument};
use p256::pkcs8::spki::SubjectPublicKeyInfoRef;
use p256::pkcs8::{DecodePrivateKey, DecodePublicKey, EncodePublicKey, PrivateKeyInfoRef};

/// A private key. Its text for debugging has no byte of it.
#[derive(Debug)]
pub struct SigningKey(pub(crate) ecdsa::SigningKey);

#[derive(Clone, Debug)]
pub struct PublicKey(pub(crate) ecdsa::VerifyingKey);

impl SigningKey {
    /// Reads a private key: PKCS#8 in PEM, without a password.
    ///
    /// # Errors
    /// The text is something else. The help has the command that converts it.
    pub fn from_pem(text: &str) -> Result<Self, Diagnostic> {
        let block = block(text);
        ecdsa::SigningKey::from_pkcs8_pem(block).map(Self).map_err(|_| refusal(block, PRIVATE))
    }

    pub fn public_key(&self) -> PublicKey {
        PublicKey(*self.0.verifying_key())
    }
}

impl PublicKey {
    /// Reads a public key: PKIX (SPKI) in PEM.
    ///
    /// # Errors
    /// The text is something else. The help has the command that converts it.
    pub fn from_pem(text: &str) -> Result<Self, Diagnostic> {
        let block = block(text);
        ecdsa::VerifyingKey::from_public_key_pem(block).map(Self).map_err(|_| refusal(block, PUBLIC))
    }

    /// What a Sigstore bundle calls the key: the digest of its DER, in base64.
    pub fn hint(&self) -> String {
        let der = self.0.to_public_key_der().map(|document| document.into_vec()).unwrap_or_default();
        STANDARD.encode(Digest::of(der).bytes())
    }
}

/// The labels of the keys that are read.
const PRIVATE: &str = "PRIVATE KEY";
const PUBLIC: &str = "PUBLIC KEY";

/// The labels of PEM and the object identifiers of algorithms: what the file has, and how to get a private and a public key from it.
const KEYS: &str = include_str!("keys.tsv");

/// The first block of PEM; the parameters that `openssl ecparam` writes before a key are skipped.
fn block(text: &str) -> &str {
    let mut rest = text;
    while let Some(begin) = rest.find("-----BEGIN ") {
        rest = &rest[begin..];
        let end = rest.find("-----END ").and_then(|end| Some(end + 9 + rest[end + 9..].find("-----")? + 5));
        let Some(end) = end else { return rest };
        if !rest.starts_with("-----BEGIN EC PARAMETERS") {
            return &rest[..end];
        }
        rest = &rest[end..];
    }
    ""
}

/// Why a block is not the key with the label that is needed.
fn refusal(block: &str, wanted: &str) -> Diagnostic {
    let label = block.strip_prefix("-----BEGIN ").and_then(|rest| rest.split_once("-----")).map(|(label, _)| label);
    let row = |name: &str| KEYS.lines().map(|row| row.split('\t').collect::<Vec<_>>()).find(|row| row[0] == name);
    let row = match label {
        Some(label) if label == wanted => algorithms(block, wanted).iter().find_map(|oid| row(oid)).or(row("damaged")),
        Some(label) => row(label).or(row("none")),
        None => row("none"),
    };
    let (needed, help) = if wanted == PRIVATE { ("a private key in PKCS#8", 2) } else { ("a public key", 3) };
    let column = |column: usize| row.as_ref().and_then(|row| row.get(column)).copied().unwrap_or_default();
    let message = format!("the file has {}; {needed} with ECDSA P-256 is needed", column(1));
    Diagnostic::error("signature::key", message).help(column(help))
}

/// The object identifiers of the algorithm of a key, and of its curve.
fn algorithms(block: &str, label: &str) -> Vec<String> {
    let Ok((_, document)) = SecretDocument::from_pem(block) else { return Vec::new() };
    let oids = match label {
        PRIVATE => PrivateKeyInfoRef::from_der(document.as_bytes()).ok().and_then(|info| info.algorithm.oids().ok()),
        _ => SubjectPublicKeyInfoRef::from_der(document.as_bytes()).ok().and_then(|info| info.algorithm.oids().ok()),
    };
    oids.into_iter()
        .flat_map(|(algorithm, curve)| [Some(algorithm), curve])
        .flatten()
        .map(|oid| oid.to_string())
        .collect()
}
