//! Constants of rules, and the names that they read: where rules distinguish values.

use std::collections::BTreeSet;

use crd_inclusion::{Difference, Position, Step};
use serde_json::Value;

use super::trial::Judge;

/// Texts for rules that name a function.
const OF_FUNCTIONS: [(&str, &[&str]); 4] = [
    ("isIP", &["1.2.3.4", "1.2.3.5", "::1", "fd00::1"]),
    ("isCIDR", CIDRS),
    ("split('/')", CIDRS),
    ("isURL", &["https://a", "http://a", "https://a/b?c=d", "https://a#b", "https://a@b", "https://%"]),
];
const CIDRS: &[&str] = &[
    "1.2.3.4/8",
    "0.0.0.0/0",
    "10.0.0.0/31",
    "1.2.3.4/029",
    "fd00::/48",
    "::1/127",
    "::ffff:1.2.3.4/64",
    "fd00:::/48",
    "0::0::/8",
];
/// The constants of a rule, before and after the change: rules distinguish values at these places.
pub(super) struct Constants {
    /// Each integer and its neighbours.
    integers: Vec<i64>,
    texts: Vec<String>,
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

    /// Those of rules.
    pub(super) fn in_texts(rules: &[&str]) -> Self {
        let (mut integers, mut texts) = (BTreeSet::new(), BTreeSet::new());
        for rule in rules {
            let mut rest = *rule;
            while let Some(at) =
                rest.find(|character: char| character.is_ascii_digit() || matches!(character, '\'' | '"'))
            {
                rest = &rest[at..];
                let length = match rest.as_bytes()[0] {
                    quote @ (b'\'' | b'"') => {
                        let end = rest[1..].find(char::from(quote)).map_or(rest.len(), |end| end + 1);
                        texts.insert(rest[1..end].to_owned());
                        (end + 1).min(rest.len())
                    }
                    _ => {
                        let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
                        if let Ok(integer) = rest[..end].parse::<i64>() {
                            integers.extend([integer.saturating_sub(1), integer, integer.saturating_add(1)]);
                        }
                        end
                    }
                };
                rest = &rest[length..];
            }
        }
        let named = OF_FUNCTIONS.iter().filter(|(function, _)| rules.iter().any(|rule| rule.contains(function)));
        texts.extend(named.flat_map(|(_, texts)| texts.iter().map(|text| (*text).to_owned())));
        Self {
            integers: integers.into_iter().collect(),
            texts: texts.into_iter().collect(),
            names: names(rules),
            keeps_fields: false,
            default: None,
        }
    }

    /// The field with a changed default.
    pub(super) fn default(&self) -> Option<(&str, &Value)> {
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

/// The names that rules read: what follows a dot.
fn names(rules: &[&str]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for rule in rules {
        for part in rule.split('.').skip(1) {
            let part = part.trim_start_matches('?');
            let end = part.find(|character: char| !(character.is_ascii_alphanumeric() || character == '_'));
            let name = &part[..end.unwrap_or(part.len())];
            names.insert(name.trim_start_matches("__").trim_end_matches("__").to_owned());
        }
    }
    names
}
