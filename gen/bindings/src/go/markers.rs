//! Markers of controller-gen for Go types, from the rules of descriptors.
//!
//! Invariants: the names are those of the marker table; strings are in Go's quotes; controller-gen reads each text as the value of the rule.

use crd_markers::json::Json;
use crd_markers::rule::{Marker, Rule};
use crd_markers::table::{ArgumentsSpec, MARKERS, RuleKind};
use crd_names::channel::Channel;

use super::literals;
use super::model::Constant;

/// Rules that Go has no marker for. The CRDs of the types have them.
const WITHOUT_MARKER: [RuleKind; 11] = [
    RuleKind::AllOf,
    RuleKind::AnyOf,
    RuleKind::ConformanceFeature,
    RuleKind::DeprecatedName,
    RuleKind::Description,
    RuleKind::GoName,
    RuleKind::GoType,
    RuleKind::Lens,
    RuleKind::Lint,
    RuleKind::Not,
    RuleKind::OneOf,
];

/// The markers of a type, a field or a value in a channel, without `+`.
pub(super) fn markers(markers: &[Marker], channel: Channel) -> Vec<String> {
    let in_channel = markers.iter().filter(|marker| marker.channels.contains(channel));
    let mut texts: Vec<String> = in_channel.filter_map(|marker| text(&marker.rule, marker.items)).collect();
    // A tag may repeat an older marker.
    let mut seen = std::collections::BTreeSet::new();
    texts.retain(|text| seen.insert(text.clone()));
    texts
}

/// The marker of a rule; `None`: Go has none.
pub(super) fn text(rule: &Rule, items: bool) -> Option<String> {
    let spec =
        MARKERS.iter().find(|spec| spec.rule() == Some(rule.kind()) && !WITHOUT_MARKER.contains(&rule.kind()))?;
    let name = if items { spec.name.replacen("validation:", "validation:items:", 1) } else { spec.name.to_owned() };
    let arguments = rule.arguments();
    Some(match spec.arguments {
        ArgumentsSpec::Flag => name,
        ArgumentsSpec::Value(_) => format!("{name}={}", argument(&arguments.first()?.1)),
        ArgumentsSpec::Named(specs) => {
            let named = arguments.iter().filter_map(|(field, value)| {
                let spec = specs.iter().find(|spec| spec.field == *field)?;
                Some(format!("{}={}", spec.name, argument(value)))
            });
            let named = named.collect::<Vec<_>>().join(",");
            if named.is_empty() { name } else { format!("{name}:{named}") }
        }
    })
}

/// The marker of the values of an enum.
pub(super) fn enumeration(constants: &[Constant]) -> String {
    let values = constants.iter().map(|constant| quoted(&constant.value)).collect::<Vec<_>>();
    format!("kubebuilder:validation:Enum={}", values.join(";"))
}

/// A value of a marker: lists are separated by semicolons.
fn argument(value: &Json) -> String {
    match value {
        Json::List(items) if !items.is_empty() && items.iter().all(is_scalar) => {
            items.iter().map(scalar).collect::<Vec<_>>().join(";")
        }
        value => scalar(value),
    }
}

/// A bare word, because openapi-gen takes the text of some markers as it is, or any other value.
fn scalar(value: &Json) -> String {
    let is_word = |text: &str| {
        text.starts_with(|first: char| first.is_ascii_alphabetic())
            && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
            && !matches!(text, "true" | "false" | "null")
    };
    match value {
        Json::String(text) if is_word(text) => (*text).to_owned(),
        value => json(value),
    }
}

fn is_scalar(value: &Json) -> bool {
    !matches!(value, Json::List(_) | Json::Object(_))
}

/// A JSON value in controller-gen's notation.
fn json(value: &Json) -> String {
    match value {
        Json::Null => "null".to_owned(),
        Json::Boolean(boolean) => boolean.to_string(),
        Json::Integer(integer) => integer.to_string(),
        Json::Float(float) => float.to_string(),
        Json::String(text) => quoted(text),
        Json::List(items) => format!("{{{}}}", items.iter().map(json).collect::<Vec<_>>().join(",")),
        Json::Object(entries) => {
            let entry = |(key, value): &(&str, Json)| format!("{}: {}", quoted(key), json(value));
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
    }
}

/// A string as Go writes it: without escapes where that is possible.
pub(super) fn quoted(text: &str) -> String {
    if text.contains(['"', '\\']) && !text.contains('`') && !text.chars().any(char::is_control) {
        return format!("`{text}`");
    }
    literals::quoted(text)
}
