//! Bundles: the bytes that cosign writes, and refusals of everything that was changed.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use crd_bundle::Digest;
use crd_oci::signature::{Build, PublicKey, SigningKey, Statement, Subject, provenance};
use serde_json::{Value, json};

use super::{PRIVATE, PUBLIC, shell, without_openssl};

fn keys() -> (SigningKey, PublicKey) {
    (SigningKey::from_pem(PRIVATE).unwrap(), PublicKey::from_pem(PUBLIC).unwrap())
}

fn value(bundle: &str) -> Value {
    serde_json::from_str(bundle).unwrap()
}

#[test]
fn signatures_are_those_of_rfc_6979() {
    // Appendix A.2.5, with SHA-256: the message, r and s, as DER.
    for (message, der) in [
        (
            "sample",
            "3046022100efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716022100f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
        ),
        (
            "test",
            "3045022100f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d383670220019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083",
        ),
    ] {
        let bundle = value(&keys().0.sign_file(message.as_bytes()));
        let signature = STANDARD.decode(bundle["messageSignature"]["signature"].as_str().unwrap()).unwrap();
        assert_eq!(signature.iter().map(|byte| format!("{byte:02x}")).collect::<String>(), der);
    }
}

#[test]
fn openssl_verifies_files_and_statements() {
    if without_openssl() {
        return;
    }
    let (key, _) = keys();
    let folder = tempfile::tempdir().unwrap();
    let verified = |signed: &[u8], signature: &Value| {
        for (name, bytes) in [
            ("signed", signed),
            ("sig", &STANDARD.decode(signature.as_str().unwrap()).unwrap()),
            ("pub", PUBLIC.as_bytes()),
        ] {
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
        shell(folder.path(), "openssl dgst -sha256 -verify pub -signature sig signed").is_some()
    };
    let file = value(&key.sign_file(b"kind: Widget\n"));
    assert!(verified(b"kind: Widget\n", &file["messageSignature"]["signature"]));
    assert!(!verified(b"kind: Gadget\n", &file["messageSignature"]["signature"]));
    let statement = value(&key.sign_statement(&Statement::of_artifact(Digest::of("x"))));
    let payload = STANDARD.decode(statement["dsseEnvelope"]["payload"].as_str().unwrap()).unwrap();
    let encoded = [format!("DSSEv1 28 application/vnd.in-toto+json {} ", payload.len()).as_bytes(), &payload].concat();
    assert!(verified(&encoded, &statement["dsseEnvelope"]["signatures"][0]["sig"]));
}

#[test]
fn a_bundle_has_the_form_that_cosign_writes() {
    let (key, _) = keys();
    // The SHA-256 of the DER of the public key, by openssl.
    let hint = "Wnp4zKSg9CDZvGK7Zpw8J1njn3I9OuENy+DwgVoH7NQ=";
    let bundle = value(&key.sign_statement(&Statement::of_artifact(Digest::of("x"))));
    assert_eq!(bundle["verificationMaterial"], json!({ "publicKey": { "hint": hint } }));
    let payload = STANDARD.decode(bundle["dsseEnvelope"]["payload"].as_str().unwrap()).unwrap();
    let digest = json!({ "sha256": Digest::of("x").to_string() });
    let wanted = json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{ "digest": digest }],
        "predicateType": "https://sigstore.dev/cosign/sign/v1",
        "predicate": {},
    });
    assert_eq!(serde_json::from_slice::<Value>(&payload).unwrap(), wanted);
    let annotations = Statement::of_artifact(Digest::of("x")).annotations();
    assert!(
        annotations.iter().any(|(name, value)| name.ends_with("predicateType") && value.ends_with("cosign/sign/v1"))
    );
}

#[test]
fn provenance_is_read_back_and_claims_nothing_else() {
    let (key, public) = keys();
    let subjects = vec![Subject { name: "a.yaml".to_owned(), sha256: Digest::of("a") }];
    let dependencies = vec![("Cargo.lock".to_owned(), Digest::of("lock"))];
    let statement =
        provenance(&Build { subjects, name: "widgets".to_owned(), version: "v1.0.0".to_owned(), dependencies });
    assert_eq!(public.verify_statement(&key.sign_statement(&statement)).unwrap(), statement);
    let definition = &statement.predicate["buildDefinition"];
    assert_eq!(definition["externalParameters"], json!({ "name": "widgets", "version": "v1.0.0" }));
    assert_eq!(definition["resolvedDependencies"][0]["digest"]["sha256"], Digest::of("lock").to_string());
    assert_eq!(statement.predicate["runDetails"].as_object().unwrap().keys().collect::<Vec<_>>(), ["builder"]);
}

#[test]
fn a_changed_bundle_is_refused() {
    let (key, public) = keys();
    let other = PublicKey::from_pem(&PUBLIC.replace(
        "YP7UuiVanTHJYet0xjVtaMBJuJI7\nYfps5mliLmDyn7Z5A/4QCLi8maQa6elWKLxk8vGyDC1+n1F3o8KU1EYimQ==",
        "axfR8uEsQkf4vOblY6RA8ncDfYEt\n6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9Q==",
    ))
    .unwrap();
    let digest = Digest::of("file");
    let (file, statement) = (key.sign_file(b"file"), key.sign_statement(&Statement::of_artifact(digest)));
    assert_eq!(public.verify_file(&file, digest), Ok(()));
    let code = |bundle: &str| {
        let results = [public.verify_file(bundle, digest).err(), public.verify_statement(bundle).err()];
        results.map(|error| error.map(|error| error.code).unwrap_or_default())
    };
    assert_eq!(code(&file), ["", "signature::bundle"]);
    assert_eq!(code(&statement), ["signature::bundle", ""]);
    assert_eq!(public.verify_file(&file, Digest::of("filf")).unwrap_err().code, "signature::wrong");
    for error in [other.verify_file(&file, digest).unwrap_err(), other.verify_statement(&statement).unwrap_err()] {
        assert_eq!((error.code, &*error.message), ("signature::wrong", "the signature is of another key"));
    }
    // One character of each text, and each part removed or of another type.
    for bundle in [&file, &statement] {
        for (path, of) in texts(&value(bundle), String::new()) {
            for changed in [json!(flipped(&of)), json!(1), json!(""), Value::Null] {
                let mut wrong = value(bundle);
                *wrong.pointer_mut(&path).unwrap() = changed.clone();
                let codes = code(&wrong.to_string());
                // The hint is a hint: it is not signed, and no proof.
                let is_refused = path.ends_with("/hint") || !codes.contains(&"");
                assert!(
                    is_refused && codes.iter().all(|code| ["", "signature::bundle", "signature::wrong"].contains(code)),
                    "{path} {changed}"
                );
            }
        }
    }
    for text in ["", "{}", "[]", "null", "{\"mediaType\":", &"[".repeat(100_000)] {
        assert_eq!(code(text), ["signature::bundle"; 2], "{}", &text[..text.len().min(20)]);
    }
}

fn flipped(text: &str) -> String {
    let last = if text.starts_with('A') { "B" } else { "A" };
    format!("{last}{}", &text[1..])
}

/// The texts of a value, by path.
fn texts(value: &Value, path: String) -> Vec<(String, String)> {
    match value {
        Value::String(text) => vec![(path, text.clone())],
        Value::Object(members) => {
            members.iter().flat_map(|(name, value)| texts(value, format!("{path}/{name}"))).collect()
        }
        Value::Array(items) => {
            items.iter().enumerate().flat_map(|(at, value)| texts(value, format!("{path}/{at}"))).collect()
        }
        _ => Vec::new(),
    }
}
