//! Go names that follow from names on the wire, from types and from constants of Rust.
//!
//! Invariants: a name depends on its arguments only, so it is stable when other fields are added; every name is an exported identifier. Two
//! names can be equal: the caller compares those of one package or struct. Published Go names follow from `INITIALISMS`, so only add words that
//! no published name contains.

use crd_names::wire::is_go_name;

/// Words that Go does not write with one capital letter.
const INITIALISMS: &[&str] = &[
    "ACL", "API", "ASCII", "AWS", "CA", "CEL", "CIDR", "CORS", "CPU", "CRD", "CRL", "CSI", "CSR", "CSS", "DNS", "EOF",
    "FQDN", "FS", "GCE", "GCP", "GID", "GPU", "GRPC", "GUID", "HTML", "HTTP", "HTTPS", "ID", "IO", "IP", "IPC", "IPv4",
    "IPv6", "ISCSI", "JSON", "JWKS", "JWT", "KMS", "LDAP", "LHS", "MCP", "NFS", "OAuth", "OCI", "OIDC", "OS", "PEM",
    "PID", "PVC", "QPS", "RAM", "RBAC", "RHS", "RPC", "SAML", "SCTP", "SLA", "SMTP", "SNI", "SQL", "SSH", "SSL", "TCP",
    "TLS", "TTL", "TTY", "UDP", "UI", "UID", "URI", "URL", "UTF", "UUID", "VM", "WSS", "XML", "XMPP", "XSRF", "XSS",
    "YAML",
];

/// Names in a package that no type or constant can have, because every package declares them itself.
pub const OF_PACKAGES: [&str; 7] =
    ["AddToScheme", "GroupName", "GroupVersion", "Install", "Resource", "SchemeBuilder", "SchemeGroupVersion"];

/// Names that no field can have, because every struct has methods of these names.
pub const OF_STRUCTS: [&str; 3] = ["DeepCopy", "DeepCopyInto", "DeepCopyObject"];

/// What symbols in a value are called, where they are not between words.
const SYMBOLS: [(char, &str); 11] = [
    ('*', "Any"),
    ('+', "Plus"),
    ('<', "Less"),
    ('>', "Greater"),
    ('=', "Equal"),
    ('!', "Not"),
    ('&', "And"),
    ('|', "Or"),
    ('%', "Percent"),
    ('-', "Minus"),
    ('/', "Slash"),
];

/// The name of a field with that wire name: `caCertificateRefs` → `CACertificateRefs`. `None`: no name follows from it, or a tag of Go cannot have it.
pub fn field(wire_name: &str) -> Option<String> {
    Some(joined(wire_name)).filter(|name| is_go_name(name) && is_in_tags(wire_name))
}

/// Whether a tag of Go can have a wire name. A comma ends the name in a tag.
pub fn is_in_tags(wire_name: &str) -> bool {
    wire_name.chars().all(|letter| letter.is_ascii_graphic() && !matches!(letter, ',' | '"' | '\'' | '\\' | '`'))
}

/// The words of a text, in which every other character than a letter or a digit is a word too: `a-b` → `AMinusB`, `=~` → `EqualTilde`.
pub fn spelled(text: &str) -> String {
    const MORE: [(char, &str); 6] =
        [('.', "Dot"), (',', "Comma"), (':', "Colon"), ('_', "Underscore"), (' ', "Space"), ('~', "Tilde")];
    let word = |letter: char| match SYMBOLS.iter().chain(&MORE).find(|(symbol, _)| *symbol == letter) {
        Some((_, word)) => format!("_{word}_"),
        None if letter.is_ascii_alphanumeric() => letter.to_string(),
        None => format!("_U{:04X}_", u32::from(letter)),
    };
    if text.is_empty() { "Empty".to_owned() } else { joined(&text.chars().map(word).collect::<String>()) }
}

/// The name of a type with that name in Rust: `TlsConfig` → `TLSConfig`.
pub fn type_name(name: &str) -> String {
    joined(name)
}

/// The name of the constant of a value: `TLSModeType`, `Passthrough` → `TLSModeTypePassthrough`. `None`: no name follows from the value.
pub fn value(type_name: &str, value: &str) -> Option<String> {
    let has_words = value.chars().any(|letter| letter.is_ascii_alphanumeric());
    let word = |letter: char| match SYMBOLS.iter().find(|(symbol, _)| *symbol == letter) {
        Some((symbol, word)) if !has_words || !matches!(symbol, '-' | '/') => format!("_{word}_"),
        _ => letter.to_string(),
    };
    let suffix =
        if value.is_empty() { "Empty".to_owned() } else { joined(&value.chars().map(word).collect::<String>()) };
    (value.is_ascii() && !suffix.is_empty()).then(|| format!("{type_name}{suffix}"))
}

/// The name of a constant with that name in Rust: `GATEWAY_REASON_INVALID` → `GatewayReasonInvalid`.
pub fn constant(name: &str) -> String {
    joined(&name.to_ascii_lowercase())
}

/// The words of a text after each other, each with a capital letter or as an initialism.
fn joined(text: &str) -> String {
    words(text).into_iter().map(written).collect()
}

/// The words: letters and digits between other characters, split before a capital letter after a small one, and before the last capital
/// letter of several if a small one follows.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for part in text.split(|letter: char| !letter.is_ascii_alphanumeric()) {
        let letters = part.as_bytes();
        let mut start = 0;
        for at in 1..letters.len() {
            let after_small = !letters[at - 1].is_ascii_uppercase();
            let before_small = letters.get(at + 1).is_some_and(u8::is_ascii_lowercase);
            if letters[at].is_ascii_uppercase() && (after_small || before_small) {
                words.push(&part[start..at]);
                start = at;
            }
        }
        words.push(&part[start..]);
    }
    words
}

fn written(word: &str) -> String {
    let initialism = |word: &str| INITIALISMS.iter().find(|known| known.eq_ignore_ascii_case(word));
    // `HTTP2`, `IDs`
    let digits = word.trim_end_matches(|letter: char| letter.is_ascii_digit()).len();
    let known = initialism(word).map(|known| (known, ""));
    let known = known.or_else(|| Some((initialism(&word[..digits])?, &word[digits..])));
    if let Some((known, rest)) = known.or_else(|| Some((initialism(word.strip_suffix('s')?)?, "s"))) {
        return format!("{known}{rest}");
    }
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase().to_string() + letters.as_str()).unwrap_or_default()
}
