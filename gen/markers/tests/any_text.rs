//! Random texts: the parser returns a marker or messages for each of them, never panics, and loses nothing.

use crd_markers::docs::{documentation, leftover_marker};
use crd_markers::marker::parse;
use crd_markers::table::{Target, entries};
use crd_names::nearest;
use proptest::prelude::*;

/// Pieces that make texts look like markers.
fn marker_text() -> impl Strategy<Value = String> {
    let names: Vec<String> = entries().into_iter().map(|entry| entry.name).collect();
    let piece = prop_oneof![
        4 => proptest::sample::select(names),
        4 => proptest::sample::select(vec![
            "=", ":", ":=", ",", ";", " ", "{", "}", "[", "]", "\"", "`", "\\", "\\u00e9", "true", "null", "-1", "1.5",
            "99999999999999999999", "rule", "name", "experimental:", "standard:", "a", "é", "\n", "^(?!a)$",
        ]).prop_map(str::to_owned),
        1 => ".{0,6}",
    ];
    proptest::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}

fn target() -> impl Strategy<Value = Target> {
    proptest::sample::select(Target::ALL.to_vec())
}

/// Lines of comments, some of them markers.
fn comment() -> impl Strategy<Value = Vec<String>> {
    let line = prop_oneof![
        2 => " [A-Z][a-z ]{0,12}\\.",
        1 => Just(String::new()),
        1 => Just(" ```".to_owned()),
        1 => Just(" ~~~ text".to_owned()),
        3 => marker_text().prop_map(|text| format!(" +{}", text.replace('\n', " "))),
        1 => ".{0,8}".prop_map(|text| text.replace('\n', " ")),
    ];
    proptest::collection::vec(line, 0..8)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn every_text_is_a_marker_or_says_why_not(text in marker_text(), target in target()) {
        match parse(&text, target) {
            Ok(marker) => prop_assert!(text.contains(&marker.name), "{text}: {marker:?}"),
            Err(faults) => {
                prop_assert!(!faults.is_empty());
                for fault in faults {
                    prop_assert!(!fault.is_empty() && fault.chars().count() < 500, "{text}: {fault}");
                }
            }
        }
    }

    #[test]
    fn no_marker_is_lost_and_none_is_prose(lines in comment()) {
        let docs = documentation(lines.iter().map(String::as_str));
        // A line that begins like a marker is one, is reported, or is in a closed fence.
        let fenced = lines.iter().any(|line| line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~"));
        if !fenced {
            prop_assert_eq!(leftover_marker(&docs.description).is_some(), !docs.disguised.is_empty());
            let like_markers = |line: &&String| {
                line.trim().strip_prefix('+').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_alphabetic()))
            };
            let found = docs.markers.len() + docs.unclosed.len();
            let continued = docs.markers.iter().chain(&docs.unclosed).any(|marker| marker.text.contains('\n'));
            prop_assert!(continued || found == lines.iter().filter(like_markers).count());
        }
        // Places are places, in order.
        let mut end = 0;
        for marker in docs.markers.iter().chain(&docs.unclosed) {
            prop_assert!(marker.attributes.start >= end && marker.attributes.end <= lines.len());
            end = marker.attributes.end;
        }
    }

    #[test]
    fn suggestions_are_known_names(wrong in marker_text()) {
        let names: Vec<String> = entries().into_iter().map(|entry| entry.name).collect();
        if let Some(near) = nearest(&wrong, names.iter().map(String::as_str)) {
            prop_assert!(names.iter().any(|name| name == near));
        }
    }
}

/// One letter wrong, and the name is found again.
#[test]
fn every_name_is_suggested_for_a_slip_in_it() {
    let entries = entries();
    let mut missed = Vec::new();
    for entry in &entries {
        let last = entry.name.rsplit(':').next().unwrap_or_default();
        let start = entry.name.len() - last.len();
        if last.len() < 4 {
            continue;
        }
        // The second and the third letter of the last part, swapped.
        let mut letters: Vec<char> = last.chars().collect();
        letters.swap(1, 2);
        let wrong = entry.name[..start].to_owned() + &letters.into_iter().collect::<String>();
        if wrong != entry.name && nearest(&wrong, entries.iter().map(|entry| entry.name.as_str())) != Some(&entry.name)
        {
            missed.push((wrong, entry.name.clone()));
        }
    }
    assert!(missed.is_empty(), "{missed:?}");
}
