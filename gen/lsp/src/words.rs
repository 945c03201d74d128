//! What a node of a schema allows, in words.
//!
//! Invariants: Markdown, without headings.

use std::borrow::Cow;

use crd_model::schema::Schema;
use serde_json::Value;

/// The type: `list of objects (map by name)`.
pub(crate) fn type_in_words(node: &Schema) -> String {
    match node.kind.as_deref() {
        Some("array") => format!("list of {}", listed(node)),
        Some("object") => {
            node.values().map_or_else(|| "object".to_owned(), |values| format!("map of {}", several(values)))
        }
        _ => simple(node, ""),
    }
}

fn listed(node: &Schema) -> String {
    let items = node.items.as_deref().map_or_else(|| "any values".to_owned(), several);
    match node.list_type.as_deref() {
        Some("map") => format!("{items} (map by {})", node.list_map_keys.join(", ")),
        Some("set") => format!("{items} (set)"),
        _ => items,
    }
}

/// The type of many values: `integers (int32)`.
fn several(node: &Schema) -> String {
    match node.kind.as_deref() {
        Some("array") => format!("lists of {}", listed(node)),
        Some("object") => {
            node.values().map_or_else(|| "objects".to_owned(), |values| format!("maps of {}", several(values)))
        }
        _ => simple(node, "s"),
    }
}

fn simple(node: &Schema, plural: &str) -> String {
    match (node.kind.as_deref(), node.format.as_deref()) {
        _ if node.int_or_string => format!("integer{plural} or string{plural}"),
        (None, _) => format!("any value{plural}"),
        (Some(kind), None) => format!("{kind}{plural}"),
        (Some(kind), Some(format)) => format!("{kind}{plural} ({format})"),
    }
}

/// A text as code.
pub(crate) fn code(text: &str) -> String {
    match text.contains('`') {
        true => format!("`` {text} ``"),
        false => format!("`{text}`"),
    }
}

/// A scalar as it is written without quotes.
pub(crate) fn scalar_text(value: &Value) -> Cow<'_, str> {
    value.as_str().map_or_else(|| Cow::Owned(value.to_string()), Cow::Borrowed)
}

/// A value as code: a string without quotes, any other value as JSON.
pub(crate) fn value_in_words(value: &Value) -> String {
    match value {
        Value::String(text) if !text.is_empty() => code(text),
        other => code(&other.to_string()),
    }
}

/// The values of an enum, also of one in `allOf`.
pub(crate) fn members(node: &Schema) -> Vec<&Value> {
    let mut enums = node.enumeration.iter().chain(node.all_of.iter().filter_map(|branch| branch.enumeration.as_ref()));
    let Some(first) = enums.next() else { return Vec::new() };
    let rest = enums.collect::<Vec<_>>();
    first.iter().filter(|value| rest.iter().all(|other| other.contains(value))).collect()
}

/// `from 1 to 64 characters`, of limits that are inclusive.
fn range(least: Option<String>, most: Option<String>, unit: &str) -> Option<String> {
    let limits = match (least, most) {
        (None, None) => return None,
        (Some(least), Some(most)) if least == most => format!("exactly {least}"),
        (Some(least), Some(most)) => format!("from {least} to {most}"),
        (Some(least), None) => format!("at least {least}"),
        (None, Some(most)) => format!("at most {most}"),
    };
    Some(match unit {
        "" => limits,
        unit if limits.ends_with(" 1") => format!(
            "{limits} {}",
            unit.strip_suffix("ies").map_or_else(|| unit.trim_end_matches('s').to_owned(), |unit| format!("{unit}y"))
        ),
        unit => format!("{limits} {unit}"),
    })
}

/// The limits of a node, except for its rules.
fn limits(node: &Schema) -> Vec<String> {
    let count = |number: Option<i64>| number.map(|number| number.to_string());
    let ranges = [
        (node.min_length.filter(|least| *least > 0), node.max_length, "characters"),
        (node.min_items.filter(|least| *least > 0), node.max_items, "items"),
        (node.min_properties.filter(|least| *least > 0), node.max_properties, "entries"),
    ];
    let mut found =
        ranges.into_iter().filter_map(|(least, most, unit)| range(count(least), count(most), unit)).collect::<Vec<_>>();
    let [mut least, mut most] = [&node.minimum, &node.maximum].map(|limit| limit.as_ref().map(ToString::to_string));
    if node.exclusive_minimum {
        found.extend(least.take().map(|least| format!("greater than {least}")));
    }
    if node.exclusive_maximum {
        found.extend(most.take().map(|most| format!("less than {most}")));
    }
    found.extend(range(least, most, ""));
    found.extend(node.multiple_of.as_ref().map(|factor| format!("a multiple of {factor}")));
    found.extend(node.unique_items.then(|| "no item twice".to_owned()));
    found.extend(node.pattern.as_ref().map(|pattern| format!("pattern {}", code(pattern))));
    found
}

/// Whether a rule refuses every change.
fn is_immutable(rule: &str) -> bool {
    ["self==oldSelf", "oldSelf==self"].contains(&&*rule.split_whitespace().collect::<String>())
}

/// The facts of a node: its default, limits, rules and description.
pub(crate) fn about(node: &Schema) -> String {
    let mut parts = Vec::new();
    parts.extend(node.default.as_ref().map(|default| format!("Default: {}", value_in_words(default))));
    let members = members(node).into_iter().map(value_in_words).collect::<Vec<_>>();
    parts.extend((!members.is_empty()).then(|| format!("One of {}", members.join(", "))));
    let limits = limits(node);
    parts.extend((!limits.is_empty()).then(|| format!("Limits: {}", limits.join(", "))));
    parts.extend(node.nullable.then(|| "Can be null".to_owned()));
    parts.extend(node.validations.iter().any(|rule| is_immutable(&rule.rule)).then(|| "Immutable".to_owned()));
    let rules = node.validations.iter().map(|rule| match &rule.message {
        Some(message) => format!("* {message}"),
        None => format!("* {}", code(rule.rule.trim())),
    });
    let rules = rules.collect::<Vec<_>>();
    parts.extend((!rules.is_empty()).then(|| format!("Rules:\n{}", rules.join("\n"))));
    parts.extend(node.description.as_ref().map(ToString::to_string));
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn types_and_limits_have_words() {
        let cases = [
            (json!({ "type": "string", "maxLength": 64 }), "string", "Limits: at most 64 characters"),
            (json!({ "type": "string", "minLength": 1, "maxLength": 64 }), "string", "Limits: from 1 to 64 characters"),
            (json!({ "type": "integer", "format": "int32", "minimum": 1 }), "integer (int32)", "Limits: at least 1"),
            (json!({ "type": "number", "maximum": 1, "exclusiveMaximum": true }), "number", "Limits: less than 1"),
            (json!({ "type": "string", "format": "date-time" }), "string (date-time)", ""),
            (json!({ "x-kubernetes-int-or-string": true }), "integer or string", ""),
            (json!({ "x-kubernetes-preserve-unknown-fields": true }), "any value", ""),
            (
                json!({ "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "set" }),
                "list of strings (set)",
                "",
            ),
            (
                json!({ "type": "array", "items": { "type": "array", "items": { "type": "integer" } }, "maxItems": 1 }),
                "list of lists of integers",
                "Limits: at most 1 item",
            ),
            (
                json!({ "type": "object", "additionalProperties": { "type": "string" }, "maxProperties": 1 }),
                "map of strings",
                "Limits: at most 1 entry",
            ),
            (json!({ "type": "string", "pattern": "a`b" }), "string", "Limits: pattern `` a`b ``"),
            (
                json!({ "type": "string", "enum": ["A", ""], "default": "A" }),
                "string",
                "Default: `A`\n\nOne of `A`, `\"\"`",
            ),
            (json!({ "allOf": [{ "enum": ["A", "B"] }, { "enum": ["B"] }] }), "any value", "One of `B`"),
            (
                json!({ "type": "string", "x-kubernetes-validations": [{ "rule": "self == oldSelf" }] }),
                "string",
                "Immutable\n\nRules:\n* `self == oldSelf`",
            ),
        ];
        for (schema, kind, text) in cases {
            let node = Schema::from_value(&schema).unwrap();
            assert_eq!((type_in_words(&node).as_str(), about(&node).as_str()), (kind, text), "{schema}");
        }
    }
}
