//! The plural name of a resource, formed from its kind. `+kubebuilder:resource:path=…` overrides it.
//!
//! Invariants: regular English only, by controller-gen's rules. Irregular plurals need `path`.

/// The plural of a kind in lower case: `BackendTLSPolicy` → `backendtlspolicies`.
pub(crate) fn plural(kind: &str) -> String {
    let word = kind.to_lowercase();
    let before_last = word.chars().rev().nth(1);
    if ["s", "x", "z", "ch", "sh"].iter().any(|ending| word.ends_with(ending)) {
        return word + "es";
    }
    if word.ends_with('y') && before_last.is_some_and(|letter| !"aeiou".contains(letter)) {
        return word[..word.len() - 1].to_owned() + "ies";
    }
    word + "s"
}

#[cfg(test)]
mod tests {
    use super::plural;

    #[test]
    fn kinds_of_gateway_api_and_of_others() {
        for (kind, expected) in [
            ("HTTPRoute", "httproutes"),
            ("Gateway", "gateways"),
            ("GatewayClass", "gatewayclasses"),
            ("BackendTLSPolicy", "backendtlspolicies"),
            ("XMesh", "xmeshes"),
            ("Index", "indexes"),
            ("Key", "keys"),
        ] {
            assert_eq!(plural(kind), expected);
        }
    }
}
