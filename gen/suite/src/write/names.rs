//! The names of proposed cases: plain words about an element, from its path and keyword alone.
//!
//! Invariants: names are unique; a longer path, and then a number, distinguishes elements with the same words.

use std::sync::Arc;

use crd_boundary::Keyword;
use crd_model::CustomResourceDefinition;
use crd_model::schema::Schema;
use crd_model::schema::{SchemaPath, Step};
use serde_json::Value;

use crate::case::Expected;
use crate::element::{Element, Requirement};

/// How many fields of a path a name has, if they are enough to be unique.
const FIELDS: usize = 2;
/// How many elements the name of a case lists.
const MOST_LISTED: usize = 3;
/// How long a part of a name may be.
const LONGEST: usize = 120;

/// The name of a case about some elements, which no case has yet.
pub(super) fn name(
    elements: &[&Element],
    crds: &[Arc<CustomResourceDefinition>],
    expected: &Expected,
    is_taken: impl Fn(&str) -> bool,
) -> String {
    let node = |element: &Element| element.places[0].node(crds).cloned().unwrap_or_default();
    let words = |fields: usize| {
        let sentence = |element: &&Element| sentence(element, &node(element), expected, fields);
        let mut parts = elements.iter().map(sentence).collect::<Vec<_>>();
        parts.dedup();
        if parts.is_empty() {
            parts.push("an object with fewer fields".to_owned());
        }
        let more = parts.len().saturating_sub(MOST_LISTED);
        parts.truncate(MOST_LISTED);
        let listed = parts.join("; ");
        if more > 0 { format!("{listed}; and {more} more") } else { listed }
    };
    let deepest = elements.iter().map(|element| element.places[0].path.steps().len()).max().unwrap_or(FIELDS);
    let unique = (FIELDS..=deepest.max(FIELDS)).map(words).find(|name| !is_taken(name));
    unique.unwrap_or_else(|| {
        let longest = words(deepest.max(FIELDS));
        (2_usize..).map(|number| format!("{longest} ({number})")).find(|name| !is_taken(name)).unwrap_or(longest)
    })
}

/// What the element requires of its value.
fn sentence(element: &Element, node: &Schema, expected: &Expected, fields: usize) -> String {
    let path = &element.places[0].path;
    let subject = subject(path, fields);
    match &element.requirement {
        Requirement::Constraint(Keyword::Required(name)) => {
            let field = path.with(Step::Field(name.to_string()));
            format!("{} is required", self::subject(&field, fields))
        }
        Requirement::Constraint(keyword) => {
            let is_many = node.items.is_some() || node.values().is_some();
            let predicate = predicate(keyword, node);
            let predicate = if is_many { predicate.replacen("has ", "have ", 1) } else { predicate };
            format!("{subject} {predicate}")
        }
        Requirement::Value(value) => format!("{subject} can be {}", shown(value)),
        Requirement::Member(name) => format!("{subject} can have {name}"),
        Requirement::Default(value) => format!("{subject} is {} by default", shown(value)),
        Requirement::Rule(rule) => {
            let text = rule.message.as_deref().unwrap_or(&rule.rule).replace('\n', " ");
            let text: String = text.chars().take(LONGEST).collect();
            let holds = if expected.is_accepted() { ", which holds" } else { "" };
            if fields == FIELDS { format!("{text}{holds}") } else { format!("{subject}: {text}{holds}") }
        }
    }
}

/// What a constraint requires, as a predicate.
fn predicate(keyword: &Keyword, node: &Schema) -> String {
    let number =
        |bound: Option<&serde_json::Number>| bound.map(|bound| grouped(&bound.to_string())).unwrap_or_default();
    let count = |bound: Option<i64>, what: &str| {
        let bound = bound.unwrap_or_default();
        let plural = if what == "entry" { "entries".to_owned() } else { format!("{what}s") };
        format!("{} {}", grouped(&bound.to_string()), if bound == 1 { what } else { &plural })
    };
    match keyword {
        Keyword::Maximum => format!("is at most {}", number(node.maximum.as_ref())),
        Keyword::Minimum => format!("is at least {}", number(node.minimum.as_ref())),
        Keyword::MultipleOf => format!("is a multiple of {}", number(node.multiple_of.as_ref())),
        Keyword::MaxLength => format!("has at most {}", count(node.max_length, "character")),
        Keyword::MinLength if node.min_length == Some(1) => "is not empty".to_owned(),
        Keyword::MinLength => format!("has at least {}", count(node.min_length, "character")),
        Keyword::MaxItems => format!("has at most {}", count(node.max_items, "item")),
        Keyword::MinItems => format!("has at least {}", count(node.min_items, "item")),
        Keyword::MaxProperties => format!("has at most {}", count(node.max_properties, "entry")),
        Keyword::MinProperties => format!("has at least {}", count(node.min_properties, "entry")),
        Keyword::Pattern => "matches its pattern".to_owned(),
        Keyword::Format => format!("has the format {}", node.format.as_deref().unwrap_or_default()),
        Keyword::Enum => "is one of its values".to_owned(),
        Keyword::ListMapKeys => match node.list_map_keys.as_slice() {
            [] => "has no two items with the same keys".to_owned(),
            keys => format!("has no two items with the same {}", keys.join(" and ")),
        },
        Keyword::ListSet | Keyword::UniqueItems => "has no item twice".to_owned(),
        Keyword::AdditionalProperties => "has no other fields".to_owned(),
        Keyword::AnyOf => "matches an alternative".to_owned(),
        Keyword::OneOf => "matches exactly one alternative".to_owned(),
        Keyword::Not => "does not match what is excluded".to_owned(),
        Keyword::Type => "has its type".to_owned(),
        Keyword::Required(name) => format!("has a {name}"),
    }
}

/// The value at a path, with so many of its fields: `the port of a listener`.
fn subject(path: &SchemaPath, fields: usize) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut is_item = false;
    let mut is_first = true;
    for step in path.steps().iter().rev() {
        let (article, word) = match step {
            Step::Item => {
                if is_item {
                    words.push("an item".to_owned());
                }
                is_item = true;
                continue;
            }
            Step::Value => {
                words.push("a value".to_owned());
                is_first = false;
                continue;
            }
            Step::Field(name) if is_item => (article(&singular(name)), singular(name)),
            Step::Field(name) => ("the", name.clone()),
        };
        is_item = false;
        if words.len() >= fields {
            break;
        }
        let is_plain = !is_first && article == "the";
        words.push(if is_plain { word } else { format!("{article} {word}") });
        is_first = false;
    }
    if words.is_empty() {
        return "the object".to_owned();
    }
    words.join(" of ")
}

fn article(word: &str) -> &'static str {
    if word.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']) { "an" } else { "a" }
}

/// One of the items of a list with this name.
fn singular(name: &str) -> String {
    let ends = [("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("s", "")];
    let end = ends.iter().find(|(plural, _)| name.ends_with(plural) && !name.ends_with("ss"));
    match end {
        Some((plural, one)) => format!("{}{one}", &name[..name.len() - plural.len()]),
        None => format!("item of {name}"),
    }
}

/// A value in a name.
fn shown(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
    match text.is_empty() {
        true => "empty".to_owned(),
        false if text.chars().count() > LONGEST / 2 => "a value".to_owned(),
        false => text,
    }
}

/// A number with commas between groups of three digits.
fn grouped(number: &str) -> String {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |digits| ("-", digits));
    if digits.len() < 4 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return number.to_owned();
    }
    let mut text = sign.to_owned();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
