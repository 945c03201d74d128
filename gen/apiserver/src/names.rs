//! The names in a CRD, and what is wrong with one in the words of this project.
//!
//! Invariants: lengths are counted in bytes, as the API server counts them; letters are ASCII letters; an answer of
//! `None` means that the name is good, `Some` describes a good name in words.

use crd_model::names::{is_label_1035, is_label_text, is_subdomain};

/// Why this is not a DNS-1035 label (the form of version names, plurals and short names).
pub(crate) fn dns_1035_label_problem(text: &str) -> Option<&'static str> {
    if text.len() > 63 {
        return Some("a DNS label has at most 63 characters");
    }
    if is_label_1035(text) {
        return None;
    }
    Some("a DNS label has lower-case letters, digits and `-`, starts with a letter and ends with a letter or digit")
}

/// Why this is not a DNS-1123 subdomain (the form of API groups and object names). The single parts may be longer than 63
/// characters.
pub(crate) fn dns_1123_subdomain_problem(text: &str) -> Option<&'static str> {
    if text.len() > 253 {
        return Some("a DNS subdomain has at most 253 characters");
    }
    if is_subdomain(text) {
        return None;
    }
    Some(
        "a DNS subdomain has parts separated by `.`; each has lower-case letters, digits and `-`, with a letter or digit at both ends",
    )
}

/// Why this is not a label key (also the form of annotation keys and finalizers): `name` or `subdomain/name`.
pub(crate) fn label_key_problem(text: &str) -> Option<&'static str> {
    let (prefix, name) = match text.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, text),
    };
    if name.contains('/') {
        return Some("a key has at most one `/`, between a DNS subdomain and a name");
    }
    if prefix.is_some_and(|prefix| dns_1123_subdomain_problem(prefix).is_some()) {
        return Some("the part before the `/` of a key must be a DNS subdomain");
    }
    if name.is_empty() || name.len() > 63 {
        return Some("the name of a key has 1 to 63 characters");
    }
    if is_label_text(name) {
        return None;
    }
    Some("the name of a key has letters, digits, `-`, `_` and `.`, with a letter or digit at both ends")
}

/// Why this is not a label value.
pub(crate) fn label_value_problem(text: &str) -> Option<&'static str> {
    if text.len() > 63 {
        return Some("a label value has at most 63 characters");
    }
    if text.is_empty() || is_label_text(text) {
        return None;
    }
    Some("a label value has letters, digits, `-`, `_` and `.`, with a letter or digit at both ends, or is empty")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_dns() {
        let longest = "a".repeat(63);
        for good in ["a", "a1", "a-b", longest.as_str()] {
            assert_eq!(dns_1035_label_problem(good), None, "{good}");
        }
        let too_long = "a".repeat(64);
        for bad in ["", "1a", "-a", "a-", "A", "a.b", "ä", too_long.as_str()] {
            assert!(dns_1035_label_problem(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn subdomains_may_have_long_parts_but_no_empty_ones() {
        assert_eq!(dns_1123_subdomain_problem(&format!("{}.io", "a".repeat(100))), None);
        for bad in ["", ".a", "a.", "a..b", "a_b", "A.b", &"a".repeat(254)] {
            assert!(dns_1123_subdomain_problem(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn keys_and_values_of_labels() {
        for good in ["a", "A_b.c", "example.com/a", "a/b"] {
            assert_eq!(label_key_problem(good), None, "{good}");
        }
        for bad in ["", "/a", "a/", "a/b/c", "A.com/a", "a b", "_a", &"a".repeat(64)] {
            assert!(label_key_problem(bad).is_some(), "{bad}");
        }
        assert_eq!(label_value_problem(""), None);
        assert_eq!(label_value_problem("A.b_c"), None);
        assert!(label_value_problem("-a").is_some());
    }
}
