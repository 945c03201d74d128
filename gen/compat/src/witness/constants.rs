//! Constants of rules, and the names that they read: where rules distinguish values.

use std::collections::{BTreeMap, BTreeSet};

use crd_cel::{literal_text, token_spans};
use crd_inclusion::{Difference, Position, Step};
use crd_regexp::{Texts, recognise};
use serde_json::Value;

use super::trial::Judge;

/// Texts for rules that name a function.
const OF_FUNCTIONS: [(&str, &[&str]); 9] = [
    ("isIP", &["1.2.3.4", "1.2.3.5", "::1", "fd00::1"]),
    ("isCIDR", CIDRS),
    ("split('/')", CIDRS),
    ("isURL", URLS),
    ("url(", URLS),
    ("duration(", &["1s", "1h", "0s"]),
    ("quantity(", &["1", "1Gi", "0"]),
    ("timestamp(", &["2026-11-21T10:00:00Z"]),
    ("int(", &["1", "0"]),
];
const URLS: &[&str] = &["https://a", "http://a", "https://a/b?c=d", "https://a#b", "https://a@b", "https://%"];
const CIDRS: &[&str] = &[
    "1.2.3.4/8",
    "0.0.0.0/0",
    "10.0.0.0/31",
    "1.2.3.4/029",
    "fd00::/48",
    "fd00::/048",
    "::1/127",
    "::ffff:1.2.3.4/64",
    "fd00:::/48",
    "0::0::/8",
    "12345:12345:12345:12345:12345:12345:12345:12345/64",
];
/// How long a text is that a pattern matches.
const LONGEST: usize = 300;

/// The constants of a rule, before and after the change: rules distinguish values at these places.
#[derive(Default)]
pub(super) struct Constants {
    /// Each integer and its neighbours.
    integers: Vec<i64>,
    texts: Vec<String>,
    /// The same by the name of what the rule compares with them, in the order of the rules.
    texts_of: BTreeMap<String, Vec<String>>,
    /// Those of the functions that the rules call.
    of_functions: Vec<String>,
    /// The names that follow a name: fields of it, or keys if it is a map.
    follow: BTreeMap<String, BTreeSet<String>>,
    /// The names that the rules read.
    names: BTreeSet<String>,
    /// Whether fields that the schema does not list are kept now.
    pub(super) keeps_fields: bool,
    /// A field with its changed default.
    default: Option<(String, Value)>,
}

impl Constants {
    /// Those of the changed rule; where a server decides, those of all rules around the change, and the default.
    pub(super) fn of(difference: &Difference<'_>, position: &Position<'_>, judge: Judge) -> Self {
        let mut rules = Vec::new();
        if let Difference::Rule(rule) = difference {
            rules.extend([rule.before(), rule.after()].into_iter().flatten().map(|rule| &*rule.rule));
        }
        if judge == Judge::Server {
            rules.extend(position.new_nodes.iter().flat_map(|node| &node.validations).map(|rule| &*rule.rule));
        }
        let mut constants = Self::in_texts(&rules);
        constants.keeps_fields = matches!(difference, Difference::PreserveUnknownFields(_));
        if let (Difference::Default(default), Some(Step::Field(name))) = (difference, position.steps.last())
            && let Some(default) = default.after()
        {
            constants.texts.extend(default.as_str().map(str::to_owned));
            constants.default = Some(((*name).to_owned(), default.clone()));
        }
        constants
    }

    pub(super) fn in_texts(rules: &[&str]) -> Self {
        let (mut integers, mut texts) = (BTreeSet::new(), BTreeSet::new());
        let mut constants = Self::default();
        for rule in rules {
            let tokens = token_spans(rule).into_iter().map(|span| &rule[span]).collect::<Vec<_>>();
            let (mut compared, mut members) = ("", Vec::new());
            for (index, token) in tokens.iter().enumerate() {
                let after = |distance: usize| tokens.get(index + distance).copied().unwrap_or_default();
                if let Some(text) = literal_text(token) {
                    let matching = matching(&text);
                    texts.extend([text.clone()].into_iter().chain(matching.clone()));
                    // One member of a list represents the list.
                    match index.checked_sub(1).is_some_and(|before| tokens[before] == ",") {
                        true => members.push((compared, text)),
                        false => constants.add(compared, [text].into_iter().chain(matching)),
                    }
                } else if let Ok(integer) = token.parse::<i64>() {
                    integers.extend([integer.saturating_sub(1), integer, integer.saturating_add(1)]);
                } else if is_name(token) && after(1) != "(" {
                    compared = unescaped(token);
                    // `a.b`, `a.?b` and `a[?'b']`
                    let next = (1..4).map(after).find(|next| !matches!(*next, "." | "?" | "["));
                    let key = next.filter(|_| matches!(after(1), "." | "["));
                    let key = key.and_then(|key| literal_text(key).or_else(|| Some(unescaped(key).to_owned())));
                    constants.follow.entry(compared.to_owned()).or_default().extend(key);
                }
            }
            members.into_iter().for_each(|(name, text)| constants.add(name, [text]));
        }
        let named = OF_FUNCTIONS.iter().filter(|(function, _)| rules.iter().any(|rule| rule.contains(function)));
        constants.of_functions = named.flat_map(|(_, texts)| texts.iter().map(|text| (*text).to_owned())).collect();
        texts.extend(constants.of_functions.iter().cloned());
        constants.integers = integers.into_iter().collect();
        constants.texts = texts.into_iter().collect();
        constants.names = names(rules);
        constants
    }

    fn add(&mut self, name: &str, texts: impl IntoIterator<Item = String>) {
        let known = self.texts_of.entry(name.to_owned()).or_default();
        for text in texts {
            if !known.contains(&text) {
                known.push(text);
            }
        }
    }

    /// The texts for a field of this name: those that it is compared with, those of functions, and further texts up to so many.
    pub(super) fn texts_for(&self, name: &str, most: usize) -> impl Iterator<Item = &str> {
        let own = self.texts_of.get(name).map(Vec::as_slice).unwrap_or_default();
        let rest = self.texts.iter().filter(|text| !own.contains(text) && !self.of_functions.contains(text));
        let all = own.iter().take(most).chain(&self.of_functions).chain(rest);
        all.take(most.saturating_add(self.of_functions.len())).map(String::as_str)
    }

    /// The keys of a map of this name that rules read or compare.
    pub(super) fn keys_of(&self, name: &str) -> impl Iterator<Item = &str> {
        let read = self.follow.get(name).into_iter().flatten().map(String::as_str);
        read.chain(self.texts_for(name, usize::MAX))
    }

    /// The field with a changed default.
    pub(super) fn changed_default(&self) -> Option<(&str, &Value)> {
        self.default.as_ref().map(|(name, default)| (&**name, default))
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(String::as_str)
    }

    pub(super) fn integers(&self) -> impl Iterator<Item = i64> {
        self.integers.iter().copied()
    }

    /// Whether a rule reads a field of this name.
    pub(super) fn reads(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// The integers that can be the size of a text or list.
    pub(super) fn sizes(&self, most: usize) -> impl Iterator<Item = usize> {
        self.integers.iter().filter_map(move |integer| usize::try_from(*integer).ok().filter(|size| *size <= most))
    }
}

/// A text that a pattern matches; none for a text that has nothing of a pattern.
fn matching(pattern: &str) -> Option<String> {
    let recognised = recognise(pattern).ok().filter(|_| pattern.contains(['[', '^', '$', '\\', '(']))?;
    Texts::new(pattern)?.matching(1, LONGEST, 0, &|text| recognised.is_match(text))
}

fn is_name(token: &str) -> bool {
    token.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') && token != "in"
}

/// A name as the schema writes it.
fn unescaped(name: &str) -> &str {
    name.trim_start_matches("__").trim_end_matches("__")
}

/// The names that rules read: what follows a dot.
fn names(rules: &[&str]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for rule in rules {
        for part in rule.split('.').skip(1) {
            let part = part.trim_start_matches('?');
            let end = part.find(|character: char| !(character.is_ascii_alphanumeric() || character == '_'));
            let name = &part[..end.unwrap_or(part.len())];
            names.insert(unescaped(name).to_owned());
        }
    }
    names
}
