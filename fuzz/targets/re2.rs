//! A pattern is read without a panic, agrees with itself about the empty text, and has the same texts as itself.
#![no_main]

use crd_regexp::inclusion::{Relation, compare, example};
use crd_regexp::recognise;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (pattern, text) = input;
    let Ok(compiled) = recognise(pattern) else { return };
    assert!(compiled.is_match("").is_none_or(|matches| matches == compiled.matches_empty()));
    let _ = compiled.is_match(text);
    if pattern.len() > 200 {
        return;
    }
    assert!(!matches!(compare(pattern, pattern), Relation::Wider { .. } | Relation::Narrower { .. }));
    if let Some(example) = example(pattern, 0, None) {
        assert_ne!(compiled.is_match(&example), Some(false), "{example:?}");
    }
});
