//! Tests of comparing patterns: a table, Gateway API's patterns, and random pairs checked on every short text.
#![allow(clippy::too_many_lines, reason = "a test lists its cases")]

mod random;

use std::collections::{BTreeMap, BTreeSet};

use crate::recognise;
use regex_lite::Regex;
use serde_json::Value;

use super::budget::{ALLOWED, Budget};
use super::search::Lengths;
use super::{Comparisons, Intersection, Reason, Relation, compare, compare_within, differences, example, intersection};
use crd_testdata::Dice;

/// `=`, `<` (narrower), `>` (wider), `x` (neither) or `?`, and the texts.
fn summary(relation: Relation) -> (char, Vec<String>) {
    match relation {
        Relation::Equal => ('=', Vec::new()),
        Relation::Narrower { lost } => ('<', vec![lost]),
        Relation::Wider { gained } => ('>', vec![gained]),
        Relation::Neither { lost, gained } => ('x', vec![lost, gained]),
        Relation::NotComparable(reason) => ('?', vec![reason.to_string()]),
    }
}

/// Holds an answer, and that for exchanged patterns, against what is expected.
fn check(old: &str, new: &str, min: usize, max: Option<usize>, kind: char, texts: &[&str]) {
    let relation = compare_within(old, new, min, max);
    assert_eq!(relation.clone().mirrored(), compare_within(new, old, min, max), "{old} {new}");
    let (found_kind, found_texts) = summary(relation);
    let found_texts: Vec<&str> = found_texts.iter().map(String::as_str).collect();
    assert_eq!((found_kind, found_texts.as_slice()), (kind, texts), "{old} {new}");
}

#[test]
fn tells_what_is_lost_and_gained() {
    let cases: &[(&str, &str, char, &[&str])] = &[
        // The same texts, written differently.
        ("", "^", '=', &[]),
        ("a", ".*a.*", '=', &[]),
        ("a", "(?s)^.*a.*$", '=', &[]),
        ("a+", "a", '=', &[]),
        ("^a+$", "^aa*$", '=', &[]),
        ("^(?:a|b)*$", "^[ab]*$", '=', &[]),
        ("^(?P<n>ab|ac)$", "^a[bc]$", '=', &[]),
        ("^a{2,4}$", "^aa?a?a$", '=', &[]),
        ("^a*?$", "(?U)^a*$", '=', &[]),
        (r"^\d\w$", "^[0-9][0-9A-Za-z_]$", '=', &[]),
        ("(?i)^k$", "^[kK\u{212A}]$", '=', &[]),
        (r"\A[^a]\z", r"^[\x00-`b-\x{10FFFF}]$", '=', &[]),
        (r"\bfoo\b", r"(?:^|\W)foo(?:\W|$)", '=', &[]),
        ("(?m)^a$", r"(?:^|\n)a(?:\n|$)", '=', &[]),
        ("a^", r"[^\x00-\x{10FFFF}]", '=', &[]),
        (r"\x{D800}", "$a", '=', &[]),
        ("^[a-zA-Z0-9]([-a-zSA-Z0-9]*)$", "^[a-zA-Z0-9][-a-zA-Z0-9]*$", '=', &[]),
        // Fewer or more.
        ("a", "^a", '<', &["ba"]),
        ("^a", "a", '>', &["ba"]),
        ("^[a-z]+$", "^[a-z]{2,}$", '<', &["a"]),
        ("^[a-z]*$", "^[a-z]+$", '<', &[""]),
        ("^.$", "(?s)^.$", '>', &["\n"]),
        ("^[a-z]$", "^[a-zé]$", '>', &["é"]),
        (r"^[!-~]+$", r"^[!-~]+([\t ]?[!-~]+)*$", '>', &["a a"]),
        ("a$", "(?m)a$", '>', &["a\n"]),
        (r"\ba", "a", '>', &["ba"]),
        (r"a\B", "a", '>', &["a"]),
        ("(?i)^a$", "^a$", '<', &["A"]),
        ("^a{1000}$", "^a{999,1000}$", '>', &[&"a".repeat(999)]),
        // Both.
        ("^a$", "^b$", 'x', &["a", "b"]),
        ("^[ab]$", "^[bc]$", 'x', &["a", "c"]),
        ("^a?$", "^a+$", 'x', &["", "aa"]),
        // Printable texts before shorter ones.
        ("^(?:\u{1}|abc|x)$", "^x$", '<', &["abc"]),
        ("^(?:\u{1}b|é|x)$", "^x$", '<', &["é"]),
        // Names and folding beyond ASCII: known in ASCII, the same on both sides, or unknown.
        (r"^\pL$", r"^\pL?$", '>', &[""]),
        (r"^\pL$", r"^(\pL|1)$", '>', &["1"]),
        (r"^\pL+$", r"^[\pL]+$", '=', &[]),
        (r"^[\pL\PL]$", r"(?s)^.$", '=', &[]),
        (r"(?i)^[\pL\PL]$", r"(?s)^.$", '=', &[]),
        (r"^\PL$", r"^[^\pL]$", '=', &[]),
        (r"^\p{Greek}$", r"^[\p{Greek}α]$", '?', &[r"it depends on what `\p{Greek}` means beyond ASCII"]),
        // The sign of Kelvin is a capital letter of which all is known.
        (r"^\p{Lu}$", "^[A-Z]$", '<', &["\u{212A}"]),
        (r"^\p{Lu}$", "^[A-ZÉ]$", '?', &[r"it depends on what `\p{Lu}` means beyond ASCII"]),
        (r"^\p{Lu}$", "^[A-Z0É]$", 'x', &["\u{212A}", "0"]),
        (r"^\p{Lu}$", "^.$", '>', &["a"]),
        ("(?i)^é$", "(?i)^(?:é)+$", '>', &["éé"]),
        ("(?i)^é$", "^é$", '?', &["it depends on what `(?i)é` means beyond ASCII"]),
        ("(?i)^[à-ÿ]x$", "(?i)^[à-ÿ]X$", '=', &[]),
        (r"\p{Greek}|\p{Latin}|\p{Han}|\p{Thai}|\p{Lao}|\p{Lu}|\p{Ll}", "a", '?', &["their automata are too large"]),
        // What Go refuses.
        (
            "a(",
            r"b\y",
            '?',
            &[
                "the old pattern is not a valid RE2 expression: missing closing `)`; close the group, or write `\\(` to match a \
                parenthesis (at byte 1); the new pattern is not a valid RE2 expression: `\\y` is not an escape here; remove the \
                backslash to match the character, or write `\\\\` to match a backslash (at byte 1)",
            ],
        ),
    ];
    for (old, new, kind, texts) in cases {
        check(old, new, 0, None, *kind, texts);
    }
}

#[test]
fn looks_only_at_the_lengths_that_count() {
    for (old, new, min, max, kind, texts) in [
        ("^a*$", "^a{0,5}$", 0, Some(5), '=', &[][..]),
        ("^a*$", "^a{0,5}$", 0, Some(6), '<', &["aaaaaa"]),
        ("^a*$", "^a+$", 1, None, '=', &[]),
        ("^a{5}$|b", "b|^a{7}$", 6, Some(6), '=', &[]),
        ("^a{5}$|b", "b|^a{7}$", 6, Some(7), '>', &["aaaaaaa"]),
        ("^a{5}$|b", "b|^a{7}$", 5, Some(7), 'x', &["aaaaa", "aaaaaaa"]),
        ("^[é\u{1F600}]+$", "^é+$", 2, Some(2), '<', &["é\u{1F600}"]),
        ("a", "^", 2, Some(3), '>', &["bb"]),
        ("^(?:aa)*$", "^a*$", 4, None, '>', &["aaaaa"]),
        ("^(?:aa)*$", "^(?:a{3})*$", 3, Some(6), 'x', &["aaaa", "aaa"]),
        ("^a", "a", 3, None, '>', &["baa"]),
        ("", "a", 5, Some(4), '=', &[]),
        (r"^\pL{2}$", "^[a-z]{2}$", 3, None, '=', &[]),
    ] {
        check(old, new, min, max, kind, texts);
    }
}

#[test]
fn finds_examples() {
    let uri = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\\/[A-Za-z0-9]+$";
    for (pattern, min, max, accepted) in [
        ("", 0, None, Some("")),
        ("", 3, Some(3), Some("aaa")),
        ("^$", 0, None, Some("")),
        ("^$", 1, None, None),
        (uri, 0, None, Some("a/a")),
        (uri, 5, Some(253), Some("aaa/a")),
        (r"^\d{2}$", 2, Some(2), Some("00")),
        ("a^", 0, None, None),
        (r"^[^\x00-\x7F]$", 0, None, Some("é")),
        ("(", 0, None, None),
    ] {
        assert_eq!(example(pattern, min, max).as_deref(), accepted, "{pattern}");
    }
}

/// Patterns of Gateway API and its neighbours, the narrower ones above those that hold all their texts.
const HIERARCHY: &[(&str, &[usize])] = &[
    (r"^[a-z]+$", &[1, 2, 3, 4, 5, 6, 7]),
    (r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", &[2, 3, 4, 5, 6]),
    (r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$", &[3, 4, 5, 6]),
    (r"^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$", &[6]),
    (
        r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
        &[6],
    ),
    (r"^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$", &[]),
    (r"^[!-~]+([\t ]?[!-~]+)*$", &[]),
    (r"^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$", &[4, 5, 6]),
];

#[test]
fn orders_known_patterns() {
    for (narrow, (old, wider)) in HIERARCHY.iter().enumerate() {
        for (wide, (new, narrower)) in HIERARCHY.iter().enumerate() {
            let expected = match (wider.contains(&wide), narrower.contains(&narrow)) {
                _ if narrow == wide => '=',
                (true, false) => '>',
                (false, true) => '<',
                _ => 'x',
            };
            assert_eq!(summary(compare(old, new)).0, expected, "{old} {new}");
        }
    }
}

/// Every pattern in the published CRDs of Gateway API.
fn patterns_of_gateway_api() -> BTreeSet<String> {
    fn collect(value: &Value, patterns: &mut BTreeSet<String>) {
        match value {
            Value::Object(object) => object.iter().for_each(|(key, value)| match (key.as_str(), value) {
                ("pattern", Value::String(pattern)) => drop(patterns.insert(pattern.clone())),
                _ => collect(value, patterns),
            }),
            Value::Array(values) => values.iter().for_each(|value| collect(value, patterns)),
            _ => {}
        }
    }
    let mut patterns = BTreeSet::new();
    for (_, file) in crd_testdata::all_gateway_api() {
        collect(&file.json(), &mut patterns);
    }
    patterns
}

#[test]
fn compares_every_pattern_of_gateway_api_cheaply() {
    let patterns = patterns_of_gateway_api();
    assert!(patterns.len() > 20);
    let mut dearest = 0;
    for old in &patterns {
        for new in &patterns {
            let (old, new) = (recognise(old).unwrap(), recognise(new).unwrap());
            let budget = &mut Budget::of(ALLOWED);
            differences(&old, &new, Lengths { min: 0, max: None }, budget).unwrap();
            dearest = dearest.max(ALLOWED - budget.left());
        }
    }
    println!("{} patterns; the dearest pair takes {dearest} steps", patterns.len());
    assert!(dearest < 80_000, "{dearest}");
}

#[test]
fn comparisons_share_their_work() {
    let comparisons = Comparisons::default();
    let hard = |number: usize| {
        let [old, new] = [20, 21].map(|length| format!("^(a|b|{number})*a(a|b){{{length}}}$"));
        comparisons.compare_within(&old, &new, 0, None)
    };
    let easy = || comparisons.compare_within("^a{2}$", "^a{3}$", 0, None);
    let before = easy();
    assert!(matches!(before, Relation::Neither { .. }), "{before:?}");
    let first = hard(0);
    assert_eq!(first, Relation::NotComparable(Reason::TooLarge));
    let rest = (1..40).map(hard).filter(|answer| *answer == Relation::NotComparable(Reason::OutOfWork)).count();
    assert!((20..39).contains(&rest), "{rest}");
    // Questions have the answers that they had, and new ones have none.
    assert_eq!((easy(), hard(0)), (before, first));
    assert_eq!(comparisons.compare_within("^a{2}$", "^a{4}$", 0, None), Relation::NotComparable(Reason::OutOfWork));
}

#[test]
fn gives_up_in_time() {
    let deep = format!("{}a{}", "(".repeat(990), ")".repeat(990));
    let optional: String = (0x4E00..0x5000).filter_map(char::from_u32).flat_map(|letter| [letter, '?']).collect();
    for (old, new, kind) in [
        ("^(a{1000}){1}$", "^a{1000}b?$", '>'),
        ("(a{1000}){1}", "a{999}", '?'),
        ("^(a|b)*a(a|b){20}$", "^(a|b)*a(a|b){21}$", '?'),
        ("(a|b)*a(a|b){20}", "a(a|b){20}", '?'),
        ("^(a{0,30}b?){30}$", "^(a{0,30}b?){31}$", '?'),
        (&"[ab]{1000}".repeat(30), "a", '?'),
        (&"a{1000}".repeat(3000), "a", '?'),
        (&deep, "a", '='),
        (&optional, "a", '<'),
        ("^(?:(?:(?:a*)*)*)*b", "^a*b", '='),
        ("(?:(?:){1000}){1}", "", '='),
    ] {
        let found = summary(compare(old, new)).0;
        // Whatever the answer is, it must not be wrong; and it comes within the budget.
        assert_eq!(found, kind, "{old} {new}");
    }
    let long = compare_within("^(a|b)*a(a|b){8}$", "^(a|b)*a(a|b){9}$", 1_000_000, None);
    assert_eq!(long, Relation::NotComparable(Reason::TooLarge));
}

const ATOMS: &[&str] = &[
    "a", "a", "b", "b", "-", ".", "[ab]", "[^a]", "[b-]", r"\w", r"\W", r"\n", "^", "$", r"\b", r"\B", r"\A", r"\z",
    "(?m:^)", "(?m:$)", "(?s:.)", "(?i:A)", "(?:)", "[!-~]",
];

/// All texts of these characters of at most this length.
fn texts(characters: &str, longest: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = 0..1;
    for _ in 0..longest {
        let longer: Vec<String> =
            all[last.clone()].iter().flat_map(|text| characters.chars().map(move |c| format!("{text}{c}"))).collect();
        last = all.len()..all.len() + longer.len();
        all.extend(longer);
    }
    all
}

#[test]
fn agrees_with_another_implementation_about_all_short_texts() {
    // At least one character of each kind that the atoms separate.
    let mut all = texts("ab-\nA~\té", 3);
    all.extend(texts("ab-", 5));
    let mut random = Dice::new(5);
    let mut counts = BTreeMap::new();
    let pairs = crd_testdata::sample(1_500);
    for _ in 0..pairs {
        let (old, new) = random::pair(&mut random, ATOMS);
        let relation = compare(&old, &new);
        assert_eq!(relation.clone().mirrored(), compare(&new, &old), "{old:?} {new:?}");
        let (lost, gained) = match relation.clone() {
            Relation::Equal => (None, None),
            Relation::Narrower { lost } => (Some(lost), None),
            Relation::Wider { gained } => (None, Some(gained)),
            Relation::Neither { lost, gained } => (Some(lost), Some(gained)),
            Relation::NotComparable(reason) => panic!("{old:?} {new:?}: {reason}"),
        };
        *counts.entry(summary(relation).0).or_insert(0) += 1;
        let (reads_old, reads_new) = (Regex::new(&old).unwrap(), Regex::new(&new).unwrap());
        let verdicts = all.iter().map(|text| (text, reads_old.is_match(text), reads_new.is_match(text)));
        let (mut only_old, mut only_new) = (Vec::new(), Vec::new());
        for (text, by_old, by_new) in verdicts {
            match (by_old, by_new) {
                (true, false) => only_old.push(text),
                (false, true) => only_new.push(text),
                _ => {}
            }
        }
        for (claimed, accepting, refusing, found) in
            [(lost, &reads_old, &reads_new, only_old), (gained, &reads_new, &reads_old, only_new)]
        {
            let is_printable = |text: &str| text.chars().all(|c| (' '..='~').contains(&c));
            let shortest = found.iter().filter(|text| is_printable(text)).map(|text| text.len()).min();
            match claimed {
                None => assert!(found.is_empty(), "{old:?} {new:?}: {found:?}"),
                Some(text) => {
                    assert!(accepting.is_match(&text) && !refusing.is_match(&text), "{old:?} {new:?}: {text:?}");
                    // Nothing that is printable and shorter.
                    assert!(
                        shortest.is_none_or(|shortest| is_printable(&text) && text.len() <= shortest),
                        "{old:?} {new:?}"
                    );
                    // Short texts have one of their kind among all texts.
                    assert!(text.chars().count() > 3 || !found.is_empty(), "{old:?} {new:?}: {text:?}");
                }
            }
        }
    }
    println!("{counts:?}");
    // The pairs are of all sorts.
    assert!(counts.len() == 4 && counts.values().all(|count| *count > pairs / 15), "{counts:?}");
}

/// What several patterns have in common is what trying every short text finds.
#[test]
fn intersections_agree_with_all_short_texts() {
    let mut random = Dice::new(20_261_130);
    let atoms = ["a", "b", "-", "[ab]", "[^a]", ".", "^", "$", "^a", "b$", "\\b"];
    let letters = ["a", "b", "-"];
    let mut texts = vec![String::new()];
    let mut last = texts.clone();
    for _ in 0..4 {
        last = last.iter().flat_map(|text| letters.map(|letter| format!("{text}{letter}"))).collect();
        texts.extend(last.iter().cloned());
    }
    let mut empty = 0;
    let count = crd_testdata::sample(10_000);
    for _ in 0..count {
        let mut pattern = || {
            let parts = (0..1 + random.below(3)).map(|_| {
                let repeated = *random.pick(&["", "", "*", "?", "{2}"]);
                let atom = *random.pick(&atoms);
                if repeated.is_empty() { atom.to_owned() } else { format!("(?:{atom}){repeated}") }
            });
            parts.collect::<String>()
        };
        let accepted = [pattern(), pattern(), pattern()];
        let refused = [pattern(), pattern()];
        let (accepted, refused) = (accepted.each_ref().map(String::as_str), refused.each_ref().map(String::as_str));
        let (min, max) = (random.below(2), random.below(2) + 2);
        let patterns = |texts: &[&str]| texts.iter().map(|text| Regex::new(text).unwrap()).collect::<Vec<_>>();
        let (of_accepted, of_refused) = (patterns(&accepted), patterns(&refused));
        let holds = |text: &&String| {
            (min..=max).contains(&text.len())
                && of_accepted.iter().all(|pattern| pattern.is_match(text))
                && !of_refused.iter().any(|pattern| pattern.is_match(text))
        };
        let shortest = texts.iter().filter(holds).map(String::len).min();
        match intersection(&accepted, &refused, min, Some(max)) {
            Intersection::Empty => {
                empty += 1;
                assert_eq!(shortest, None, "{accepted:?} {refused:?}");
            }
            // It may have letters that are not tried here.
            Intersection::Text(text) => {
                assert!(shortest.is_none_or(|shortest| text.len() <= shortest), "{text} {accepted:?} {refused:?}");
                assert!(
                    holds(&&text) || text.contains(|letter| !"ab-".contains(letter)),
                    "{text} {accepted:?} {refused:?}"
                );
            }
            Intersection::Unknown => panic!("{accepted:?} {refused:?}"),
        }
    }
    assert!((count / 20..count - count / 20).contains(&empty), "{empty} of {count}");
}
