//! Package URLs: `pkg:cargo/serde@1.0.229`.
//!
//! Invariants: in the canonical form, which is what other programs compare with: everything that is neither unreserved nor a colon is
//! percent-encoded, slashes stay in the values of qualifiers.

use std::fmt::Write as _;

/// A package URL. Qualifiers are given by ascending key.
pub(super) fn purl(
    kind: &str,
    namespace: Option<&str>,
    name: &str,
    version: &str,
    qualifiers: &[(&str, String)],
) -> String {
    let mut text = format!("pkg:{kind}/");
    if let Some(namespace) = namespace {
        encode(namespace, &mut text, "");
        text.push('/');
    }
    encode(name, &mut text, "");
    text.push('@');
    encode(version, &mut text, "");
    for (index, (key, value)) in qualifiers.iter().enumerate() {
        text.push(if index == 0 { '?' } else { '&' });
        text.push_str(key);
        text.push('=');
        encode(value, &mut text, "/");
    }
    text
}

fn encode(text: &str, into: &mut String, kept: &str) {
    for byte in text.bytes() {
        let character = char::from(byte);
        if byte.is_ascii_alphanumeric() || "-._~:".contains(character) || kept.contains(character) {
            into.push(character);
        } else {
            // Writing to a text cannot fail.
            let _ = write!(into, "%{byte:02X}");
        }
    }
}
