//! Texts that a pattern matches, and whether a pattern matches a text.
//!
//! Invariants: texts are made from the tree of `crd-regexp`; `regex-lite`, an engine of another project, decides whether they
//! match. If both disagree about a pattern, no text is found and the test fails.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use crd_apiserver::validate::Patterns;
use crd_model::schema::{AdditionalProperties, Schema};
use crd_regexp::{Assertion, Class, Node};
use regex_lite::Regex;

use crate::objects::published;
use crd_testdata::Dice;

/// How often a text is made anew before we say that there is none.
const TRIES: usize = 400;

struct Known {
    tree: crd_regexp::Pattern,
    regex: Regex,
    /// Verdicts so far: a text that was made is soon validated.
    verdicts: RefCell<HashMap<String, bool>>,
}

impl Known {
    fn is_match(&self, text: &str) -> bool {
        if let Some(verdict) = self.verdicts.borrow().get(text) {
            return *verdict;
        }
        let verdict = self.regex.is_match(text);
        self.verdicts.borrow_mut().insert(text.to_owned(), verdict);
        verdict
    }
}

thread_local! {
    static KNOWN: RefCell<HashMap<String, Rc<Known>>> = RefCell::default();
}

fn known(pattern: &str) -> Rc<Known> {
    KNOWN.with_borrow_mut(|known| {
        if let Some(found) = known.get(pattern) {
            return Rc::clone(found);
        }
        let tree = crd_regexp::recognise(pattern).unwrap_or_else(|error| panic!("{pattern:?}: {error}"));
        let regex = Regex::new(pattern).unwrap_or_else(|error| panic!("regex-lite refuses {pattern:?}: {error}"));
        let new = Rc::new(Known { tree, regex, verdicts: RefCell::default() });
        known.insert(pattern.to_owned(), Rc::clone(&new));
        new
    })
}

/// Whether the pattern matches anywhere in the text, in the form that the validator expects. Never undecided.
pub fn matches(pattern: &str, text: &str) -> Option<bool> {
    Some(known(pattern).is_match(text))
}

/// A text that all patterns match, of a length within bounds.
pub fn text(random: &mut Dice, patterns: &[&str], shortest: usize, longest: usize) -> String {
    let first = known(patterns[0]);
    for attempt in 0..TRIES {
        // Mostly short texts; now and then as long as the bounds let them be.
        let often = if random.one_in(24) { longest.max(1) } else { 1 + random.below(6) };
        let mut text = String::new();
        write(random, first.tree.root(), often.min(1 + longest / (1 + attempt / 8)), &mut text);
        if attempt > 0 && !first.is_match(&text) && random.one_in(3) {
            // A pattern without anchors is found inside other text too.
            text = format!("{}{text}{}", filler(random), filler(random));
        }
        let length = text.chars().count();
        if (shortest..=longest).contains(&length)
            && patterns.iter().all(|pattern| matches(pattern, &text) == Some(true))
        {
            return text;
        }
    }
    panic!("found no text of {shortest} to {longest} characters for {patterns:?}");
}

fn filler(random: &mut Dice) -> String {
    (0..random.below(4)).map(|_| char::from(b'a' + u8::try_from(random.below(26)).unwrap())).collect()
}

/// Writes what the node matches, assertions apart: whether they hold is seen at the end.
fn write(random: &mut Dice, node: &Node, often: usize, text: &mut String) {
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
fn member(random: &mut Dice, class: &Class) -> char {
    assert!(
        class.unicode.is_empty() && !class.negated && !class.fold,
        "no pattern of these types has such a class: {class:?}"
    );
    let (mut first, mut last) = *random.pick(&class.ranges);
    let is_partly_printable = first <= '~' && last >= ' ';
    if is_partly_printable && !random.one_in(16) {
        (first, last) = (first.max(' '), last.min('~'));
    }
    let code = random.between(i64::from(u32::from(first)), i64::from(u32::from(last)));
    // A range never crosses the gap of the surrogates.
    char::from_u32(u32::try_from(code).unwrap()).unwrap()
}

#[test]
fn texts_are_found_for_every_form() {
    let mut random = Dice::new(1);
    for pattern in
        ["^$|^[a-z]+$", "a|^b$", "(^\\*$)|(^(http(s)?):\\/\\/x$)", "^[^:/?#]+:.*$", "^(a{2,3}\\x60){1,4}$", "x"]
    {
        for _ in 0..50 {
            let text = text(&mut random, &[pattern], 0, 20);
            assert!(Regex::new(pattern).unwrap().is_match(&text), "{pattern} {text:?}");
        }
    }
    let full: Vec<usize> = (0..200).map(|_| text(&mut random, &["^[a-z]*$"], 0, 40).len()).collect();
    assert!(full.contains(&0) && full.iter().any(|length| *length > 30), "{full:?}");
}

/// Our own engine, which holds defaults and objects against patterns, has the same opinion of texts that match and of their neighbours.
#[test]
fn both_engines_agree_on_our_patterns() {
    fn collect(schema: &Schema, patterns: &mut BTreeSet<String>) {
        patterns.extend(schema.pattern.iter().map(ToString::to_string));
        schema.properties.values().for_each(|property| collect(property, patterns));
        schema.items.iter().for_each(|items| collect(items, patterns));
        if let Some(AdditionalProperties::Values(values)) = &schema.additional_properties {
            collect(values, patterns);
        }
    }
    let mut patterns = BTreeSet::new();
    published().iter().for_each(|published| collect(&published.schema, &mut patterns));
    assert!(patterns.len() >= 15, "{patterns:?}");
    let ours = Patterns::default();
    let mut random = Dice::new(2);
    let (mut yes, mut no) = (0, 0);
    for pattern in &patterns {
        for _ in 0..60 {
            let mut text: Vec<char> = text(&mut random, &[pattern], 0, 80).chars().collect();
            for _ in 0..3 {
                let whole: String = text.iter().collect();
                let verdict = matches(pattern, &whole);
                assert_eq!(ours.matches(pattern, &whole), verdict, "{pattern} {whole:?}");
                if verdict == Some(true) {
                    yes += 1
                } else {
                    no += 1
                }
                // Somewhere another character, or one more, or one less.
                let at = random.below(text.len() + 1);
                let other = *random.pick(&['a', 'Z', '0', '-', '.', '*', ' ', '\n', '\t', 'é', '\u{0}']);
                match random.below(3) {
                    0 if at < text.len() => text[at] = other,
                    1 if at < text.len() => drop(text.remove(at)),
                    _ => text.insert(at, other),
                }
            }
        }
    }
    println!("{} patterns, {yes} texts that match, {no} that do not", patterns.len());
    assert!(yes > 1_000 && no > 500, "{yes} {no}");
}
