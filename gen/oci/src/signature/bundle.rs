//! Sigstore bundles, version 0.3, with a public key: `application/vnd.dev.sigstore.bundle.v0.3+json`.
//!
//! Source: `pkg/sign` of [sigstore-go](https://github.com/sigstore/sigstore-go) 1.2, which cosign 3.1 writes bundles with.

use base64::Engine;
use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};
use crd_bundle::Digest;
use crd_bundle::json::read;
use crd_diagnostics::Diagnostic;
use p256::ecdsa::signature::hazmat::{PrehashSigner, PrehashVerifier};
use p256::ecdsa::{DerSignature, Error};
use serde_json::{Value, json};

use super::error::{malformed, wrong};
use super::{PublicKey, SigningKey, Statement};

/// The media type of bundles.
const MEDIA_TYPE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";
/// The same, as earlier programs wrote it.
const EARLIER_MEDIA_TYPE: &str = "application/vnd.dev.sigstore.bundle+json;version=0.3";
/// The type of the payload of an envelope.
const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

impl SigningKey {
    /// Signs a file: the text of a bundle with a message signature.
    pub fn sign_file(&self, bytes: &[u8]) -> String {
        let digest = Digest::of(bytes);
        let message_digest = json!({ "algorithm": "SHA2_256", "digest": STANDARD.encode(digest.bytes()) });
        self.bundle("messageSignature", json!({ "messageDigest": message_digest, "signature": self.sign(digest) }))
    }

    /// Signs a statement: the text of a bundle with a DSSE envelope.
    pub fn sign_statement(&self, statement: &Statement) -> String {
        let payload = statement.to_json();
        let signature = json!({ "sig": self.sign(encoded_for_signature(PAYLOAD_TYPE, payload.as_bytes())) });
        let payload = STANDARD.encode(payload);
        let envelope = json!({ "payload": payload, "payloadType": PAYLOAD_TYPE, "signatures": [signature] });
        self.bundle("dsseEnvelope", envelope)
    }

    fn bundle(&self, content: &str, value: Value) -> String {
        let material = json!({ "publicKey": { "hint": self.public_key().hint() } });
        json!({ "mediaType": MEDIA_TYPE, "verificationMaterial": material, content: value }).to_string()
    }

    fn sign(&self, digest: Digest) -> String {
        // Of a digest of 32 bytes, a signature always exists.
        let signature: Result<DerSignature, Error> = self.0.sign_prehash(digest.bytes());
        signature.map(|signature| STANDARD.encode(signature.as_bytes())).unwrap_or_default()
    }
}

impl PublicKey {
    /// Verifies the bundle of a file with this digest.
    ///
    /// # Errors
    /// The bundle is malformed, is of other bytes, or of another key.
    pub fn verify_file(&self, bundle: &str, digest: Digest) -> Result<(), Diagnostic> {
        let bundle = Bundle::read(bundle)?;
        let [signed, signature] = ["messageDigest/digest", "signature"]
            .map(|path| bundle.bytes(&format!("/messageSignature/{path}"), "a signature of a file"));
        let algorithm = bundle.0.pointer("/messageSignature/messageDigest/algorithm");
        if algorithm.and_then(Value::as_str) != Some("SHA2_256") {
            return Err(malformed("the signature of the bundle is not of a SHA-256"));
        }
        if signed?.as_slice() != digest.bytes() {
            return Err(wrong("the signature is of a file with other bytes"));
        }
        self.verify(&bundle, digest, &signature?)
    }

    /// Verifies the bundle of a statement, and returns the statement.
    ///
    /// # Errors
    /// The bundle is malformed, or of another key.
    pub fn verify_statement(&self, bundle: &str) -> Result<Statement, Diagnostic> {
        let bundle = Bundle::read(bundle)?;
        let what = "a signed statement";
        let payload = bundle.bytes("/dsseEnvelope/payload", what)?;
        let kind = bundle.0.pointer("/dsseEnvelope/payloadType").and_then(Value::as_str).unwrap_or_default();
        let signatures = bundle.0.pointer("/dsseEnvelope/signatures").and_then(Value::as_array);
        if signatures.is_none_or(|signatures| signatures.len() != 1) || kind != PAYLOAD_TYPE {
            return Err(malformed("the bundle has not exactly one signature of a statement of in-toto"));
        }
        let signature = bundle.bytes("/dsseEnvelope/signatures/0/sig", what)?;
        self.verify(&bundle, encoded_for_signature(kind, &payload), &signature)?;
        Statement::from_json(&payload)
    }

    fn verify(&self, bundle: &Bundle, digest: Digest, signature: &[u8]) -> Result<(), Diagnostic> {
        let signature = DerSignature::try_from(signature);
        let signature = signature.map_err(|_| malformed("the signature of the bundle is not one of ECDSA P-256"))?;
        let hint = bundle.0.pointer("/verificationMaterial/publicKey/hint").and_then(Value::as_str);
        self.0.verify_prehash(digest.bytes(), &signature).map_err(|_| match hint {
            Some(hint) if hint != self.hint() => wrong("the signature is of another key")
                .help(format!("the key has the SHA-256 `{}` in base64, and the bundle names `{hint}`", self.hint())),
            _ => wrong("the signature is not of these bytes and this key"),
        })
    }
}

/// A bundle that was read.
struct Bundle(Value);

impl Bundle {
    fn read(text: &str) -> Result<Self, Diagnostic> {
        let value: Value =
            read(text.as_bytes()).map_err(|error| malformed(format!("the bundle is not JSON: {error}")))?;
        let material = value.get("verificationMaterial");
        if !value.get("mediaType").is_some_and(|kind| kind == MEDIA_TYPE || kind == EARLIER_MEDIA_TYPE) {
            return Err(malformed("the file is not a Sigstore bundle of version 0.3"));
        } else if material.is_some_and(|of| of.get("certificate").is_some() || of.get("x509CertificateChain").is_some())
        {
            let error = malformed("the signature is of a certificate, not of a key");
            return Err(error.help(
                "`cosign verify-blob` and `gh attestation verify` verify identities; crd-channels verifies keys",
            ));
        }
        Ok(Self(value))
    }

    /// The bytes at a path. `what` is what a bundle with this path has.
    fn bytes(&self, path: &str, what: &str) -> Result<Vec<u8>, Diagnostic> {
        let text = self.0.pointer(path).and_then(Value::as_str);
        let text = text.ok_or_else(|| malformed(format!("the bundle does not have {what}: `{path}` is missing")))?;
        // Readers of protobuf's JSON take both alphabets.
        let url_safe = GeneralPurpose::new(&alphabet::URL_SAFE, GeneralPurposeConfig::new());
        let bytes = STANDARD.decode(text).or_else(|_| url_safe.decode(text));
        bytes.map_err(|_| malformed(format!("`{path}` of the bundle is not base64")))
    }
}

/// The digest of what is signed of an envelope: DSSE's pre-authentication encoding.
fn encoded_for_signature(kind: &str, payload: &[u8]) -> Digest {
    let head = format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len());
    Digest::of([head.as_bytes(), payload].concat())
}
