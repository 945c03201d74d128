//! Every convention fires on its firing example once, and not on its silent example.

use crd_lint::RULES;

use crate::example::found;

#[test]
fn every_convention_fires_once_and_is_silent() {
    for rule in RULES {
        let firing = found(rule, rule.firing);
        let places = firing.iter().map(|finding| (&finding.places, &finding.problem)).collect::<Vec<_>>();
        assert!(firing.len() == 1 && firing[0].places.len() == 1, "{}: {places:#?}", rule.name);
        let silent = found(rule, rule.silent);
        assert!(silent.is_empty(), "{}: {silent:#?}", rule.name);
    }
}

#[test]
fn every_convention_is_described() {
    assert!(RULES.is_sorted_by(|one, other| one.name < other.name), "the table is sorted by name");
    for rule in RULES {
        let is_sentence = |text: &str| text.ends_with('.') && text.chars().next().is_some_and(char::is_uppercase);
        assert!(is_sentence(rule.summary) && is_sentence(rule.reason), "{}", rule.name);
        assert!(!rule.source.is_empty(), "{}: a source", rule.name);
        let is_name =
            |character: char| character.is_ascii_lowercase() || character.is_ascii_digit() || character == '-';
        assert!(rule.name.chars().all(is_name), "{}", rule.name);
        assert_eq!(rule.code(), format!("lint::{}", rule.name));
    }
}
