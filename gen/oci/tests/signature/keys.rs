//! Keys: what is read, and the commands that convert everything else, which are run.

use crd_diagnostics::Diagnostic;
use crd_oci::signature::{PublicKey, SigningKey};

use super::{PRIVATE, PUBLIC, shell, without_openssl};

/// How a file is made, why it is not a private key, and why it is not a public key. Empty if it is one.
const FILES: [(&str, &str, &str); 16] = [
    ("openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256", "", "a private key;"),
    ("openssl ecparam -name prime256v1 -genkey -noout | openssl pkey | sed 's/$/\\r/'", "", "a private key;"),
    ("openssl ecparam -name prime256v1 -genkey | openssl pkey -pubout", "a public key;", ""),
    (
        "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -aes256 -pass pass:x",
        "an encrypted",
        "an encrypted",
    ),
    ("openssl ecparam -name prime256v1 -genkey", "SEC1", "SEC1"),
    ("openssl ecparam -name prime256v1 -genkey -noout | openssl ec -aes256 -passout pass:x", "SEC1", "SEC1"),
    ("openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384", "ECDSA P-384", "a private key;"),
    (
        "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-521 | openssl pkey -pubout",
        "a public",
        "ECDSA P-521",
    ),
    ("openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp256k1", "secp256k1", "a private key;"),
    ("openssl genpkey -algorithm ED25519", "Ed25519", "a private key;"),
    ("openssl genpkey -algorithm ED25519 | openssl pkey -pubout", "a public", "Ed25519"),
    ("openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024", "RSA", "a private key;"),
    ("openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024 | openssl rsa -traditional", "RSA", "RSA"),
    (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout /dev/null -subj /CN=x",
        "a certificate",
        "a certificate",
    ),
    (
        "echo '-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----'; echo '-----END ENCRYPTED SIGSTORE PRIVATE KEY-----'",
        "cosign",
        "cosign",
    ),
    (
        "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -outform DER | base64",
        "no key in PEM",
        "no key in PEM",
    ),
];

#[test]
fn every_other_file_is_named_and_its_command_makes_a_key() {
    if without_openssl() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (command, not_private, not_public) in FILES {
        let text = shell(folder.path(), &format!("({command}) 2>/dev/null | tee KEY")).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(!text.is_empty(), "{command}");
        check(folder.path(), command, SigningKey::from_pem(&text).err(), not_private);
        check(folder.path(), command, PublicKey::from_pem(&text).err(), not_public);
    }
}

fn check(folder: &std::path::Path, made_by: &str, error: Option<Diagnostic>, wanted: &str) {
    let Some(error) = error else { return assert_eq!(wanted, "", "{made_by}") };
    assert!(!wanted.is_empty() && error.message.contains(wanted), "{made_by}: {}", error.message);
    let help = error.help.unwrap();
    let command = help.split('`').nth(1).unwrap_or_default();
    let is_public = command.contains("PUBLIC");
    let other_curve = ["P-384", "P-521", "secp256k1", "ED25519", "RSA"].iter().any(|name| made_by.contains(name));
    if !command.starts_with("openssl") || (is_public && other_curve) || made_by.contains("base64") {
        return;
    }
    let command = command.replace("openssl pkey", "openssl pkey -passin pass:x");
    let made = shell(folder, &format!("rm -f NEW PUBLIC; {command} && cat NEW PUBLIC 2>/dev/null; true")).unwrap();
    let made = String::from_utf8(made).unwrap();
    let read = if is_public { PublicKey::from_pem(&made).err() } else { SigningKey::from_pem(&made).err() };
    assert_eq!(read, None, "{made_by}: {command}");
}

#[test]
fn damaged_keys_are_errors_without_their_bytes() {
    let middle = PRIVATE.len() / 2;
    for text in [
        "",
        "-----BEGIN ",
        "-----BEGIN PRIVATE KEY-----",
        &PRIVATE[..middle],
        &PRIVATE.replace("MIGH", "MIGG"),
        &PRIVATE.replace('\n', " "),
    ] {
        let error = SigningKey::from_pem(text).err().unwrap();
        assert!(error.code == "signature::key" && !format!("{error:?}").contains("MIG"), "{error:?}");
    }
    assert!(PublicKey::from_pem(&PUBLIC.replace("YP7U", "YP7V")).err().unwrap().message.contains("damaged"));
    assert_eq!(format!("{:?}", SigningKey::from_pem(PRIVATE).unwrap()), "SigningKey(SigningKey { .. })");
}
