//! The words of the API: every type, field and value is described, for someone who reads `kubectl explain`.
//!
//! Invariants: plain ASCII, whole sentences, no marker and no placeholder, neither too short to help nor too long for the CRDs, which
//! have a limit (`xtask` tests it).

use std::collections::BTreeMap;

use crd_channels::{Channel, Shape};
use crd_model::schema::{AdditionalProperties, Schema};

use crate::descriptors;
use crate::objects::crds;

/// How many characters a description has at least: of a value of an enum, and of anything else.
const SHORTEST: (usize, usize) = (25, 40);
/// How many characters a description has at most.
const LONGEST: usize = 360;
/// How many they have on average at most: the experimental HTTPRoute has 492 nodes and must stay below 261,000 bytes.
const AVERAGE: usize = 180;

/// Every description with the name of what it describes, and whether that is a value of an enum.
fn descriptions() -> Vec<(String, &'static str, bool)> {
    let mut found = Vec::new();
    for descriptor in descriptors::all() {
        let module = descriptors::module(descriptor).unwrap_or("base");
        let name = |part: &str| format!("{module}::{}{part}", descriptor.name);
        found.push((name(""), descriptor.description, false));
        match descriptor.shape {
            Shape::Struct(fields) | Shape::Union { variants: fields, .. } => {
                found.extend(fields.iter().map(|field| (name(&format!(".{}", field.name)), field.description, false)));
            }
            Shape::Enum { variants, .. } => {
                found.extend(
                    variants.iter().map(|variant| (name(&format!("::{}", variant.name)), variant.description, true)),
                );
            }
            Shape::Newtype(_) => {}
        }
    }
    found
}

/// Everything that is wrong with a description.
fn faults(text: &str, is_value: bool) -> Vec<String> {
    let mut faults = Vec::new();
    if let Some(character) = text.chars().find(|character| !matches!(character, ' '..='~' | '\n')) {
        faults.push(format!("{character:?} is not plain ASCII"));
    }
    for line in text.lines() {
        let start = line.trim_start();
        if start.starts_with('+') && start[1..].starts_with(|character: char| character.is_ascii_alphabetic()) {
            faults.push(format!("{line:?} is a marker"));
        }
        if line != line.trim() {
            faults.push(format!("{line:?} has blanks at an end"));
        }
    }
    for placeholder in ["DOC(", "TODO", "FIXME", "XXX", "lorem"] {
        if text.contains(placeholder) {
            faults.push(format!("{placeholder} is a placeholder"));
        }
    }
    for paragraph in text.split("\n\n") {
        if !paragraph.ends_with('.') {
            faults.push(format!("{paragraph:?} does not end with a full stop"));
        }
        if !paragraph.starts_with(|character: char| {
            character.is_ascii_uppercase() || character.is_ascii_digit() || "\"'".contains(character)
        }) && !paragraph.starts_with("http")
        {
            faults.push(format!("{paragraph:?} does not begin as a sentence"));
        }
    }
    // A sentence that was cut in two, or a word written twice where lines were joined.
    if text.contains("..") && !text.contains("'..'") && !text.contains("/..") {
        faults.push("two full stops".to_owned());
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    for pair in words.windows(2) {
        if pair[0] == pair[1] && pair[0].chars().all(char::is_alphabetic) {
            faults.push(format!("{:?} twice", pair[0]));
        }
    }
    let shortest = if is_value { SHORTEST.0 } else { SHORTEST.1 };
    let length = text.chars().count();
    if !(shortest..=LONGEST).contains(&length) {
        faults.push(format!("{length} characters are not {shortest} to {LONGEST}"));
    }
    faults
}

#[test]
fn everything_is_described_in_whole_sentences() {
    let descriptions = descriptions();
    assert!(descriptions.len() > 600, "{}", descriptions.len());
    let mut found = Vec::new();
    for (name, text, is_value) in &descriptions {
        let are_ours = !name.starts_with("base::");
        let faults = faults(text, *is_value).into_iter();
        // How much the base types say is not decided here.
        let faults = faults.filter(|fault| are_ours || !fault.contains("characters are not"));
        found.extend(faults.map(|fault| format!("{name}: {fault}")));
    }
    assert!(found.is_empty(), "{} faults:\n{}", found.len(), found.join("\n"));
    let total: usize = descriptions.iter().map(|(_, text, _)| text.len()).sum();
    let average = total / descriptions.len();
    let longest = descriptions.iter().max_by_key(|(_, text, _)| text.len()).unwrap();
    println!(
        "{} descriptions of {average} characters on average, {} at most ({})",
        descriptions.len(),
        longest.1.len(),
        longest.0
    );
    assert!(average <= AVERAGE, "{average}");
}

/// Fields of one type that say the same were copied and not thought about.
#[test]
fn fields_of_a_type_differ_in_their_descriptions() {
    let mut seen: BTreeMap<(&str, &str), String> = BTreeMap::new();
    for (name, text, _) in &descriptions() {
        let owner = name.split(['.']).next().unwrap();
        if let Some(other) = seen.insert((owner, text), name.clone()) {
            panic!("{other} and {name} have one description: {text}");
        }
    }
}

#[test]
fn every_property_of_the_crds_is_described() {
    fn check(schema: &Schema, path: &str, count: &mut usize) {
        for (name, property) in &schema.properties {
            let path = format!("{path}.{name}");
            // The server refuses words on the metadata of a resource.
            if path.matches('.').count() > 1 || name != "metadata" {
                assert!(property.description.as_ref().is_some_and(|text| !text.is_empty()), "{path}");
                *count += 1;
            }
            check(property, &path, count);
        }
        if let Some(items) = &schema.items {
            check(items, &format!("{path}[*]"), count);
        }
        if let Some(AdditionalProperties::Values(values)) = &schema.additional_properties {
            check(values, &format!("{path}[*]"), count);
        }
    }
    let mut count = 0;
    for channel in Channel::ALL {
        for crd in crds(channel) {
            for version in &crd.versions {
                assert!(version.schema.description.is_some());
                check(&version.schema, &format!("{channel} {} {}", version.name, crd.names.kind), &mut count);
            }
        }
    }
    assert!(count > 2_000, "{count}");
}

#[test]
fn faults_are_found() {
    let good = "What the route matches, and where it sends what it matched.";
    assert_eq!(faults(good, false), Vec::<String>::new());
    for (text, fault) in [
        ("What the route matches, and where it sends what it matched", "full stop"),
        ("what the route matches, and where it sends what it matched.", "sentence"),
        ("What the route matches.\n+optional and where it sends requests.", "marker"),
        ("What the route matches – and where it sends what it matched.", "ASCII"),
        ("What the route matches.\n\nand where it sends what it matched.", "sentence"),
        ("DOC(HTTPRouteSpec.rules) is a text to be written.", "placeholder"),
        ("What the the route matches, and where it sends what it matched.", "twice"),
        ("Short.", "characters"),
    ] {
        assert!(faults(text, false).iter().any(|found| found.contains(fault)), "{text}: {:?}", faults(text, false));
    }
}
