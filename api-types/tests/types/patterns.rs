//! Texts that a pattern matches, and whether a pattern matches a text.
//!
//! Fed with the patterns of our schemas. Read by the generator of documents and, as the matcher, by the validator.
//!
//! Invariants: two readings of a pattern meet here. Texts are made from the tree of our own RE2 recogniser; whether they match is
//! decided by `regex-lite`, an engine of another project. Where the two disagree about a pattern, no text is found and the test fails.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crd_grammar::re2::{self, Assertion, Class, Node};
use regex_lite::Regex;

use crate::random::Random;

/// How often a text is made anew before we say that there is none.
const TRIES: usize = 400;

struct Known {
    tree: re2::Pattern,
    regex: Regex,
}

thread_local! {
    static KNOWN: RefCell<HashMap<String, Rc<Known>>> = RefCell::default();
}

fn known(pattern: &str) -> Rc<Known> {
    KNOWN.with_borrow_mut(|known| {
        if let Some(found) = known.get(pattern) {
            return Rc::clone(found);
        }
        let tree = re2::recognise(pattern).unwrap_or_else(|error| panic!("{pattern:?}: {error}"));
        let regex = Regex::new(pattern).unwrap_or_else(|error| panic!("regex-lite refuses {pattern:?}: {error}"));
        let new = Rc::new(Known { tree, regex });
        known.insert(pattern.to_owned(), Rc::clone(&new));
        new
    })
}

/// Whether the pattern is somewhere in the text. In the form that the validator asks for: we can always tell.
pub fn matches(pattern: &str, text: &str) -> Option<bool> {
    Some(known(pattern).regex.is_match(text))
}

/// A text that all patterns match, of a length within bounds.
pub fn text(random: &mut Random, patterns: &[&str], shortest: usize, longest: usize) -> String {
    let first = known(patterns[0]);
    for attempt in 0..TRIES {
        // Mostly short texts; now and then as long as the bounds let them be.
        let often = if random.once_in(24) { longest.max(1) } else { 1 + random.below(6) };
        let mut text = String::new();
        write(random, first.tree.root(), often.min(1 + longest / (1 + attempt / 8)), &mut text);
        if attempt > 0 && !first.regex.is_match(&text) && random.once_in(3) {
            // A pattern without anchors is found inside other text too.
            text = format!("{}{text}{}", filler(random), filler(random));
        }
        let length = text.chars().count();
        if (shortest..=longest).contains(&length) && patterns.iter().all(|pattern| matches(pattern, &text) == Some(true)) {
            return text;
        }
    }
    panic!("found no text of {shortest} to {longest} characters for {patterns:?}");
}

fn filler(random: &mut Random) -> String {
    (0..random.below(4)).map(|_| char::from(b'a' + u8::try_from(random.below(26)).unwrap())).collect()
}

/// Writes what the node matches, assertions apart: whether they hold is seen at the end.
fn write(random: &mut Random, node: &Node, often: usize, text: &mut String) {
    match node {
        Node::Empty => {}
        Node::Assert(Assertion::TextStart | Assertion::TextEnd | Assertion::LineStart | Assertion::LineEnd) => {}
        Node::Assert(other) => panic!("no pattern of these types has {other:?}; write it if one gets it"),
        Node::Char(character) => text.push(*character),
        Node::Class(class) => text.push(member(random, class)),
        Node::Capture { inner, .. } => write(random, inner, often, text),
        Node::Repeat { inner, min, max, .. } => {
            let fewest = usize::try_from(*min).unwrap();
            let most = max.map_or(fewest + often, |max| usize::try_from(max).unwrap()).min(fewest + often);
            for _ in 0..fewest + random.below(most - fewest + 1) {
                write(random, inner, often.min(8), text);
            }
        }
        Node::Concat(parts) => parts.iter().for_each(|part| write(random, part, often, text)),
        Node::Alternate(choices) => {
            let chosen = random.pick(choices);
            write(random, chosen, often, text);
        }
    }
}

/// A member of the set, mostly a printable one.
fn member(random: &mut Random, class: &Class) -> char {
    assert!(class.unicode.is_empty() && !class.negated && !class.fold, "no pattern of these types has such a class: {class:?}");
    let holds = |character: char| class.ranges.iter().any(|(first, last)| (*first..=*last).contains(&character));
    if !random.once_in(16) {
        let start = random.below(95);
        let printable = (0..95).map(|step| char::from(b' ' + u8::try_from((start + step) % 95).unwrap()));
        if let Some(found) = printable.into_iter().find(|character| holds(*character)) {
            return found;
        }
    }
    let (first, last) = *random.pick(&class.ranges);
    let code = random.between(i64::from(u32::from(first)), i64::from(u32::from(last)));
    // A range never crosses the gap of the surrogates.
    char::from_u32(u32::try_from(code).unwrap()).unwrap()
}

#[test]
fn texts_are_found_for_every_form() {
    let mut random = Random::new(1);
    for pattern in ["^$|^[a-z]+$", "a|^b$", "(^\\*$)|(^(http(s)?):\\/\\/x$)", "^[^:/?#]+:.*$", "^(a{2,3}\\x60){1,4}$", "x"] {
        for _ in 0..50 {
            let text = text(&mut random, &[pattern], 0, 20);
            assert!(Regex::new(pattern).unwrap().is_match(&text), "{pattern} {text:?}");
        }
    }
    let full: Vec<usize> = (0..200).map(|_| text(&mut random, &["^[a-z]*$"], 0, 40).len()).collect();
    assert!(full.contains(&0) && full.iter().any(|length| *length > 30), "{full:?}");
}
