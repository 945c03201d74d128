//! Names on the wire: those that `#[api]` accepts, and those that follow from Rust names.
//!
//! Invariants: plurals are regular English only; irregular ones need `path`.

/// A way of writing names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

/// Every case under its name in `rename_all`.
pub const CASES: [(&str, Case); 8] = [
    ("lowercase", Case::Lower),
    ("UPPERCASE", Case::Upper),
    ("PascalCase", Case::Pascal),
    ("camelCase", Case::Camel),
    ("snake_case", Case::Snake),
    ("SCREAMING_SNAKE_CASE", Case::ScreamingSnake),
    ("kebab-case", Case::Kebab),
    ("SCREAMING-KEBAB-CASE", Case::ScreamingKebab),
];

impl Case {
    /// Writes the name of a field (snake case in Rust).
    pub fn field(self, name: &str) -> String {
        let pascal = || name.split('_').map(|word| with_first(word, char::to_ascii_uppercase)).collect::<String>();
        match self {
            Case::Lower | Case::Snake => name.to_owned(),
            Case::Upper | Case::ScreamingSnake => name.to_ascii_uppercase(),
            Case::Pascal => pascal(),
            Case::Camel => with_first(&pascal(), char::to_ascii_lowercase),
            Case::Kebab => name.replace('_', "-"),
            Case::ScreamingKebab => name.to_ascii_uppercase().replace('_', "-"),
        }
    }

    /// Writes the name of a variant (Pascal case in Rust).
    pub fn variant(self, name: &str) -> String {
        let snake = || {
            let mut snake = String::new();
            for (index, letter) in name.char_indices() {
                if index > 0 && letter.is_ascii_uppercase() {
                    snake.push('_');
                }
                snake.push(letter.to_ascii_lowercase());
            }
            snake
        };
        match self {
            Case::Lower => name.to_ascii_lowercase(),
            Case::Upper => name.to_ascii_uppercase(),
            Case::Pascal => name.to_owned(),
            Case::Camel => with_first(name, char::to_ascii_lowercase),
            Case::Snake => snake(),
            Case::ScreamingSnake => snake().to_ascii_uppercase(),
            Case::Kebab => snake().replace('_', "-"),
            Case::ScreamingKebab => snake().to_ascii_uppercase().replace('_', "-"),
        }
    }
}

fn with_first(word: &str, change: fn(&char) -> char) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| change(&first).to_string() + letters.as_str()).unwrap_or_default()
}

/// Whether `#[api]` accepts it as an API group: a DNS name with a dot.
pub fn is_group(text: &str) -> bool {
    text.contains('.')
        && text.split('.').all(|label| {
            !label.is_empty()
                && label.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-')
                && !label.starts_with('-')
                && !label.ends_with('-')
        })
}

/// Whether `#[api]` accepts it as an API version: `v1`, `v2beta3`, which Kubernetes orders.
pub fn is_version(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('v') else { return false };
    let number = |digits: &str| {
        !digits.is_empty() && !digits.starts_with('0') && digits.bytes().all(|digit| digit.is_ascii_digit())
    };
    match rest.split_once("alpha").or_else(|| rest.split_once("beta")) {
        Some((major, level)) => number(major) && number(level),
        None => number(rest),
    }
}

/// Whether Kubernetes accepts it as the name of an API version: a DNS label that begins with a letter.
pub fn is_version_name(text: &str) -> bool {
    text.len() <= 63
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && !text.ends_with('-')
        && text.bytes().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == b'-')
}

/// Whether a text names a conformance feature: one word of letters and digits, or `KIND/FEATURE=VALUE`.
pub fn is_feature(text: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && word.chars().all(|letter| letter.is_ascii_alphanumeric());
    let named = text.split_once('=').map_or(text, |(named, _)| named);
    named.split_once('/').map_or_else(|| is_word(named), |(kind, feature)| is_word(kind) && is_word(feature))
}

/// Whether it is an exported Go identifier: a capital letter, then letters, digits and underscores. No keyword of Go is one.
pub fn is_go_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_uppercase())
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// Whether it is the path of a Go module: names with `/` between them.
pub fn is_go_module(text: &str) -> bool {
    text.split('/').all(|name| {
        !name.starts_with('.')
            && !name.ends_with('.')
            && !name.is_empty()
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '~' | '.'))
    })
}

/// Whether it is a bundle version, such as `v1.4.0` or `v1.4.0-rc.1`.
pub fn is_bundle_version(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('v') else { return false };
    let core = rest.split_once('-').map_or(rest, |(core, _)| core);
    let parts: Vec<&str> = core.split('.').collect();
    parts.len() == 3
        && parts.iter().all(|part| {
            !part.is_empty()
                && part.len() <= 4
                && part.bytes().all(|digit| digit.is_ascii_digit())
                && (*part == "0" || !part.starts_with('0'))
        })
}

/// Whether a lens accepts it as a place below a type: `name`, `tls.mode`, `rules[*].name` or `options{*}.value`.
pub fn is_place(text: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty()
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '$'))
    };
    text.split('.').all(|part| {
        is_name(part.find(['[', '{']).map_or(part, |end| &part[..end])) && {
            let wildcards = part.find(['[', '{']).map_or("", |start| &part[start..]);
            wildcards.replace("[*]", "").replace("{*}", "").is_empty()
        }
    })
}

/// Whether `#[api]` accepts it as a kind: a word in CamelCase.
pub fn is_kind(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_uppercase())
        && text.chars().all(|letter| letter.is_ascii_alphanumeric())
}

/// The plural of a kind in lower case, by controller-gen's rules: `BackendTLSPolicy` → `backendtlspolicies`. `+kubebuilder:resource:path=…`
/// overrides it.
pub fn plural(kind: &str) -> String {
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
