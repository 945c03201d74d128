//! Rust names for wire names.
//!
//! Invariants: each result is a name that Rust accepts, and depends on the wire name only. A field whose wire name does not follow from its
//! Rust name gets `#[serde(rename)]`.

use crate::wire::{CASES, Case};

/// Words that cannot be names, and those of them that `r#` makes names.
const KEYWORDS: [&str; 49] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum",
    "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move",
    "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof",
    "union", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];
/// Keywords that `r#` does not make names.
const RESERVED: [&str; 4] = ["crate", "self", "super", "Self"];

/// Names of types that generated code uses, or that a reader would mistake for types of Rust.
const TAKEN: [&str; 24] = [
    "AnyJson",
    "BTreeMap",
    "Box",
    "Bytes",
    "Clone",
    "Condition",
    "Default",
    "Duration",
    "Eq",
    "Err",
    "IntOrString",
    "LabelSelector",
    "LabelSelectorRequirement",
    "None",
    "ObjectMeta",
    "Ok",
    "Option",
    "Quantity",
    "RawExtension",
    "Result",
    "Self",
    "Some",
    "String",
    "Time",
];

/// Whether a type may have the name.
pub fn is_free(name: &str) -> bool {
    !TAKEN.contains(&name) && name != "Vec"
}

/// The words of a name: `clusterIP` is `cluster` and `IP`, `podCIDRs` is `pod` and `CIDRs`.
fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words = Vec::new();
    let mut word = String::new();
    for (index, letter) in letters.iter().enumerate() {
        if !letter.is_ascii_alphanumeric() {
            words.push(std::mem::take(&mut word));
            continue;
        }
        let before = index.checked_sub(1).map(|before| letters[before]);
        let after = letters.get(index + 1);
        // `s` behind capitals is a plural: `CIDRs`.
        let is_plural = after == Some(&'s') && letters.get(index + 2).is_none_or(|next| !next.is_ascii_lowercase());
        let begins = letter.is_ascii_uppercase()
            && before.is_some_and(|before| {
                before.is_ascii_lowercase()
                    || before.is_ascii_digit()
                    || before.is_ascii_uppercase() && after.is_some_and(char::is_ascii_lowercase) && !is_plural
            });
        if begins {
            words.push(std::mem::take(&mut word));
        }
        word.push(*letter);
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

fn snake(name: &str) -> String {
    words(name).join("_").to_ascii_lowercase()
}

/// The name of a field, and whether its wire name follows from it. `taken` are the names of the struct's other fields.
pub fn field(wire: &str, taken: &[String]) -> (String, bool) {
    let mut name = snake(wire);
    if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
        name.insert_str(0, "field_");
    }
    name.truncate(name.trim_end_matches('_').len());
    if RESERVED.contains(&name.as_str()) {
        name.push('_');
    }
    let name = unique(name, |name| taken.iter().any(|other| other == name), "_");
    let follows = Case::Camel.field(&name) == wire;
    (raw(name), follows)
}

fn raw(name: String) -> String {
    if KEYWORDS.contains(&name.as_str()) { format!("r#{name}") } else { name }
}

/// The name of the module of a kind, a version or a group.
pub fn module_name(name: &str) -> String {
    let mut name = snake(name);
    if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
        name.insert_str(0, "api_");
    }
    // `mod.rs` is the file of the module around it, and `lib.rs` that of the crate.
    if RESERVED.contains(&name.as_str()) || matches!(name.as_str(), "mod" | "lib" | "main") {
        name.push('_');
    }
    raw(name)
}

/// The path of the file of a module: rustc looks for the name without `r#`.
pub fn file_path(module: &str) -> String {
    format!("{}.rs", module.replace("r#", ""))
}

/// The first name that is not taken: itself, or with a number behind it.
pub fn unique(name: String, is_taken: impl Fn(&str) -> bool, separator: &str) -> String {
    if !is_taken(&name) {
        return name;
    }
    // Rust's lints accept an underscore between two digits.
    let separator = if name.ends_with(|last: char| last.is_ascii_digit()) { "_" } else { separator };
    let numbered = (2..).map(|number: usize| format!("{name}{separator}{number}"));
    numbered.into_iter().find(|name| !is_taken(name)).unwrap_or(name)
}

/// A part of a type's name: `backendRefs` is `BackendRefs`.
pub fn type_name(wire: &str) -> String {
    let parts = words(wire);
    let is_screaming =
        parts.len() > 1 && parts.iter().all(|part| !part.contains(|letter: char| letter.is_ascii_lowercase()));
    let capital = |word: &String| {
        let rest = if is_screaming { word[1..].to_ascii_lowercase() } else { word[1..].to_owned() };
        word[..1].to_ascii_uppercase() + &rest
    };
    parts.iter().map(capital).collect()
}

/// The singular of a regular English plural, for the type of the items of a list.
pub fn singular(name: &str) -> String {
    let vowel = |letter: Option<char>| letter.is_some_and(|letter| "aeiou".contains(letter));
    if let Some(stem) = name.strip_suffix("ies").filter(|stem| stem.len() > 1 && !vowel(stem.chars().last())) {
        return format!("{stem}y");
    }
    for (ending, keep) in [("sses", 2), ("shes", 2), ("ches", 2), ("xes", 1)] {
        if let Some(stem) = name.strip_suffix(ending) {
            return format!("{stem}{}", &ending[..keep]);
        }
    }
    let is_plural =
        name.len() > 2 && name.ends_with('s') && !["ss", "us", "is"].iter().any(|ending| name.ends_with(ending));
    if is_plural { name[..name.len() - 1].to_owned() } else { name.to_owned() }
}

/// The variants of an enum with these values: their names, whether the value follows from the name, and the case in which it does.
pub fn variants<'v>(values: impl IntoIterator<Item = &'v str>) -> (Option<&'static str>, Vec<(String, bool)>) {
    let mut names: Vec<String> = Vec::new();
    let values: Vec<&str> = values.into_iter().collect();
    for value in &values {
        let mut name = type_name(value);
        if name.is_empty() {
            name = if value.is_empty() { "Empty".to_owned() } else { "Value".to_owned() };
        } else if name.starts_with(|first: char| first.is_ascii_digit()) {
            name.insert_str(0, "Value");
        }
        // The macro adds a variant of this name.
        if name == "Unrecognized" || RESERVED.contains(&name.as_str()) {
            name.push_str("Value");
        }
        names.push(unique(name, |name| names.iter().any(|other| other == name), ""));
    }
    let all = |case: Case| names.iter().zip(&values).all(|(name, value)| case.variant(name) == **value);
    let case = if all(Case::Pascal) { None } else { CASES.iter().find(|(_, case)| all(*case)).map(|(name, _)| *name) };
    let variants = names.into_iter().zip(values).map(|(name, value)| {
        let follows = case.is_some() || name == value;
        (name, follows)
    });
    (case, variants.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_names_of_rust() {
        for (wire, name, follows) in [
            ("lumens", "lumens", true),
            ("backendRefs", "backend_refs", true),
            ("clusterIP", "cluster_ip", false),
            ("podCIDRs", "pod_cidrs", false),
            ("HTTPGet", "http_get", false),
            ("type", "r#type", true),
            ("self", "self_", true),
            ("x-odd", "x_odd", false),
            ("$ref", "r#ref", false),
            ("1st", "field_1st", false),
            ("-", "field", false),
            ("größe", "gr_e", false),
            ("a1B2", "a1_b2", true),
            ("ipv4", "ipv4", true),
            ("snake_case", "snake_case", false),
        ] {
            assert_eq!(field(wire, &[]), (name.to_owned(), follows), "{wire}");
        }
        let taken = ["cluster_ip".to_owned(), "a1".to_owned()];
        assert_eq!(field("clusterIp", &taken), ("cluster_ip_2".to_owned(), false));
        assert_eq!(field("A1", &taken), ("a1_2".to_owned(), false));
    }

    #[test]
    fn types_and_modules_have_names_of_rust() {
        for (wire, name) in [
            ("backendRefs", "BackendRefs"),
            ("clusterIP", "ClusterIP"),
            ("x-odd.name", "XOddName"),
            ("SOME_VALUE", "SomeValue"),
        ] {
            assert_eq!(type_name(wire), name);
        }
        for (plural, one) in [
            ("Rules", "Rule"),
            ("Policies", "Policy"),
            ("Addresses", "Address"),
            ("Status", "Status"),
            ("Matches", "Match"),
            ("Class", "Class"),
            ("Os", "Os"),
        ] {
            assert_eq!(singular(plural), one);
        }
        for (kind, module) in [
            ("HTTPRoute", "http_route"),
            ("Mod", "mod_"),
            ("Type", "r#type"),
            ("v1alpha1", "v1alpha1"),
            ("XMesh", "x_mesh"),
        ] {
            assert_eq!(module_name(kind), module);
        }
    }

    #[test]
    fn values_have_variants() {
        let names = |values: &[&'static str]| {
            let (case, variants) = variants(values.iter().copied());
            (
                case,
                variants
                    .into_iter()
                    .map(|(name, follows)| format!("{name}{}", if follows { "" } else { "!" }))
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(names(&["TCP", "HTTP"]), (None, vec!["TCP".into(), "HTTP".into()]));
        assert_eq!(names(&["http", "https"]), (Some("lowercase"), vec!["Http".into(), "Https".into()]));
        assert_eq!(
            names(&["DO_IT", "LEAVE_IT"]),
            (Some("SCREAMING_SNAKE_CASE"), vec!["DoIt".into(), "LeaveIt".into()])
        );
        assert_eq!(
            names(&["", "1.0", "10", "*", "Self"]),
            (None, vec!["Empty!".into(), "Value10!".into(), "Value10_2!".into(), "Value!".into(), "SelfValue!".into()])
        );
        assert_eq!(
            names(&["a", "A", "Unrecognized"]),
            (None, vec!["A!".into(), "A2!".into(), "UnrecognizedValue!".into()])
        );
    }
}
