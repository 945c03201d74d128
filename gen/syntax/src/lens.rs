//! Checks of lenses that need only the item: their bundle, their places, and names that return.
//!
//! Generation checks the rest with `crd-convert`, at each place where a type is used.
//!
//! Invariants: all errors are reported.

use crd_markers::marker::{Arguments, Marker};
use crd_markers::table::{LENS, Meaning, RuleKind};
use crd_markers::value::Value;
use crd_names::wire::{is_bundle_version, is_group, is_kind, is_place, is_version_name};
use crd_regexp as re2;

use crate::ast::{Body, Field, Item};
use crate::attr::LocatedMarker;
use crate::compile_errors::CompileErrors;

/// The lenses of a type and of its fields.
fn lenses(item: &Item) -> Vec<(&LocatedMarker, Option<&Field>)> {
    let fields: &[Field] = match &item.body {
        Body::Struct(fields) => fields,
        _ => &[],
    };
    let of_fields = fields.iter().flat_map(|field| field.markers.iter().map(move |placed| (placed, Some(field))));
    let all = item.markers.iter().map(|placed| (placed, None)).chain(of_fields);
    all.filter(|(placed, _)| placed.marker.spec.meaning == Meaning::Rule(RuleKind::Lens)).collect()
}

fn operation(marker: &Marker) -> &'static str {
    marker.spec.name.strip_prefix(LENS).unwrap_or(marker.spec.name)
}

fn argument<'m>(marker: &'m Marker, name: &str) -> Option<&'m Value> {
    let Arguments::Named(arguments) = &marker.arguments else { return None };
    arguments.iter().find(|(spec, _)| spec.name == name).map(|(_, value)| value)
}

/// The strings of an argument: of a string, a list, or the values of an object.
fn texts<'m>(marker: &'m Marker, name: &str) -> Vec<&'m str> {
    let text = |value: &'m Value| match value {
        Value::String(text) => Some(text.as_str()),
        _ => None,
    };
    match argument(marker, name) {
        Some(Value::List(items)) => items.iter().filter_map(text).collect(),
        Some(Value::Object(entries)) => entries.iter().filter_map(|(_, value)| text(value)).collect(),
        Some(value) => text(value).into_iter().collect(),
        None => Vec::new(),
    }
}

/// The names of this struct, or values of this enum, that its lenses read and the new form does not have.
pub fn old_names(item: &Item) -> Vec<(&LocatedMarker, &str)> {
    let mut names = Vec::new();
    for (placed, field) in lenses(item) {
        let marker = &placed.marker;
        let is_enum = match &item.body {
            Body::Enum(_) => true,
            Body::Union(union) => union.tag.is_some(),
            _ => false,
        };
        if operation(marker) == "values" && is_enum && field.is_none() {
            if let Some(Value::Object(values)) = argument(marker, "values") {
                names.extend(values.iter().map(|(old, _)| (placed, old.as_str())));
            }
            continue;
        }
        let to = match field {
            Some(field) => vec![field.wire_name.as_str()],
            None => texts(marker, "to"),
        };
        let key = if matches!(operation(marker), "constant" | "drop") { "path" } else { "from" };
        let old = texts(marker, key).into_iter().filter(|old| !to.contains(old) && is_name(old));
        names.extend(old.map(|old| (placed, old)));
    }
    names
}

fn is_name(place: &str) -> bool {
    !place.contains(['.', '[', '{'])
}

/// Checks the lenses of a type and of its fields.
pub fn check(item: &Item, errors: &mut CompileErrors) {
    for (placed, field) in lenses(item) {
        if matches!(item.body, Body::Newtype { .. }) {
            errors
                .at(&placed.lines, "a newtype has no place of its own: put the lens on the fields that have this type");
            continue;
        }
        for message in messages(&placed.marker, field) {
            errors.at(&placed.lines, message);
        }
    }
    let mut seen: Vec<&str> = Vec::new();
    for (placed, name) in old_names(item) {
        if seen.contains(&name) {
            errors.at(&placed.lines, format!("`{name}` is the old name in another lens already"));
        }
        seen.push(name);
        let has_tombstone = item.tombstones().any(|placed| placed.marker.arguments.text("name") == Some(name));
        if has_tombstone {
            errors.at(
                &placed.lines,
                format!("`{name}` has a tombstone: the lens is its tombstone, so remove `+tombstone`"),
            );
        }
        let message = format!(
            "`{name}` is an old name in `+{}` and must never return, because values of it may still be stored: choose another name",
            placed.marker.name
        );
        for again in item.named(name) {
            errors.at(again, &message);
        }
    }
}

/// What is wrong in one lens.
fn messages(marker: &Marker, field: Option<&Field>) -> Vec<String> {
    let name = &marker.name;
    let text = |key: &str| marker.arguments.text(key);
    let mut messages = Vec::new();
    if let Some(since) = text("since")
        && (!is_bundle_version(since) || since.contains('-'))
    {
        messages.push(format!(
            "`+{name}`: `since={since}` is not a bundle version: write vMAJOR.MINOR.PATCH, such as `since=v1.4.0`"
        ));
    }
    if text("reason").is_some_and(|reason| reason.trim().is_empty()) {
        messages.push(format!("`+{name}`: the reason is empty"));
    }
    for key in ["from", "to", "path"] {
        for place in texts(marker, key).into_iter().filter(|place| !is_place(place)) {
            messages.push(format!(
                "`+{name}`: `{place}` is not a place: write names, such as `tls.mode`, with `[*]` for the items of a list and `{{*}}` for the values of a map"
            ));
        }
    }
    objects_of_strings(marker, &mut messages);
    if let (Some(field), Some(to)) = (field, text("to")) {
        let new = &field.wire_name;
        messages.push(format!("`+{name}`: on a field, the new place is the field `{new}`: remove `to={to}`, or write the marker on the type"));
    }
    match operation(marker) {
        operation @ ("rename" | "move" | "scale") if field.is_none() && text("to").is_none() => {
            messages.push(format!("`+{name}` on a type needs `to`: the field that `{operation}` writes"));
        }
        "rename" if field.is_some() && text("from").is_some_and(|from| !is_name(from)) => {
            messages.push(format!("`+{name}`: `from` is in another object than the field: write `+lens:move`"));
        }
        "move" if field.is_some() && text("from").is_some_and(is_name) => {
            messages.push(format!("`+{name}`: `from` is in the same object as the field: write `+lens:rename`"));
        }
        _ => {}
    }
    match operation(marker) {
        "scale" => scale(marker, &mut messages),
        "split" | "join" => {
            if let Some(Err(error)) = text("pattern").map(re2::recognise) {
                messages.push(format!("`+{name}`: not a valid RE2 expression, which Kubernetes requires: {error}"));
            }
        }
        "resource" => identity(marker, &mut messages),
        _ => {}
    }
    messages
}

/// Arguments such as `values={Old: New}`.
fn objects_of_strings(marker: &Marker, messages: &mut Vec<String>) {
    let keys: &[&str] = match operation(marker) {
        "values" => &["values", "nearest"],
        "split" => &["to"],
        "join" => &["from"],
        _ => &[],
    };
    for key in keys {
        let is_well_formed = match argument(marker, key) {
            None => true,
            Some(Value::Object(entries)) => {
                !entries.is_empty() && entries.iter().all(|(_, value)| matches!(value, Value::String(_)))
            }
            Some(_) => false,
        };
        if !is_well_formed {
            messages
                .push(format!("`+{}`: `{key}` needs names and strings, such as `{key}={{one: \"two\"}}`", marker.name));
        }
    }
}

fn scale(marker: &Marker, messages: &mut Vec<String>) {
    let factors = ["multiply", "divide"].map(|key| (key, argument(marker, key)));
    if factors.iter().all(|(_, factor)| factor.is_none()) {
        messages.push(format!("`+{}` needs `multiply` or `divide`", marker.name));
    }
    for (key, factor) in factors {
        if let Some(Value::Integer(factor)) = factor
            && !(1..=i64::from(u32::MAX)).contains(factor)
        {
            messages.push(format!(
                "`+{}`: `{key}={factor}` is not a factor: write an integer from 1 to {}",
                marker.name,
                u32::MAX
            ));
        }
    }
}

fn identity(marker: &Marker, messages: &mut Vec<String>) {
    let parts = [
        ("group", is_group as fn(&str) -> bool, "an API group"),
        ("kind", is_kind, "a kind"),
        ("version", is_version_name, "an API version"),
    ];
    if parts.iter().all(|(key, ..)| argument(marker, key).is_none()) {
        messages.push(format!("`+{}` needs the old `group`, `kind` or `version`", marker.name));
    }
    for (key, is_well_formed, what) in parts {
        if let Some(text) = marker.arguments.text(key)
            && !is_well_formed(text)
        {
            messages.push(format!("`+{}`: `{key}={text}` is not {what}", marker.name));
        }
    }
}
