//! JSONPath as print columns and the scale subresource write it: which part of a schema a path reaches.
//!
//! Servers accept paths to fields that do not exist, and print nothing or zero. This module finds them.
//!
//! Invariants: a path that this module cannot follow to its end (recursive descent, functions, fields that the schema does not list but keeps)
//! is taken to be right; only a name that a structural schema would prune is reported.

use std::fmt;

use crd_model::schema::{AdditionalProperties, Schema};
use crd_names::nearest;

use crate::objects::OBJECT_META;

/// Why a path reaches nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Missing<'s> {
    /// The name that is missing.
    name: String,
    /// A name at that place that is near to it.
    suggestion: Option<&'s str>,
    /// Whether the place is a list, which has items, not fields.
    is_list: bool,
}

impl fmt::Display for Missing<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_list {
            return write!(formatter, "{:?} is read from a list; write `[*]` or `[0]` before it", self.name);
        }
        write!(formatter, "there is no field {:?}", self.name)?;
        match self.suggestion {
            Some(suggestion) => write!(formatter, "; did you mean {suggestion:?}?"),
            None => Ok(()),
        }
    }
}

/// The schema at the end of a path below the root of an object; `None` where the path cannot be followed. To suggest a near name is what takes
/// long, so that is up to the caller.
pub(crate) fn resolve<'s>(root: &'s Schema, path: &str, suggests: bool) -> Result<Option<&'s Schema>, Missing<'s>> {
    let mut segments = Segments { rest: path };
    let is_in_metadata = match segments.clone().next() {
        Some(Segment::Name(name)) => name == "metadata",
        _ => false,
    };
    if is_in_metadata {
        segments.next();
        return match segments.next() {
            Some(Segment::Name(name)) if !OBJECT_META.iter().any(|(known, _)| *known == name) => {
                let suggestion = nearest(&name, OBJECT_META.iter().map(|(known, _)| *known));
                Err(Missing { name, suggestion, is_list: false })
            }
            _ => Ok(None),
        };
    }
    follow(root, &mut segments, suggests)
}

fn follow<'s>(
    schema: &'s Schema,
    segments: &mut Segments<'_>,
    suggests: bool,
) -> Result<Option<&'s Schema>, Missing<'s>> {
    let mut at = schema;
    while let Some(segment) = segments.next() {
        at = match segment {
            Segment::Unknown => return Ok(None),
            Segment::Items(filter) => {
                let Some(items) = at.items.as_deref() else { return Ok(None) };
                for path in filter {
                    follow(items, &mut Segments { rest: &path }, suggests)?;
                }
                items
            }
            Segment::Name(name) => {
                if let Some(property) = at.properties.get(name.as_str()) {
                    property
                } else if let Some(AdditionalProperties::Values(values)) = &at.additional_properties {
                    values
                } else if keeps_unknown_fields(at) {
                    return Ok(None);
                } else {
                    let known = at.properties.iter().filter(|_| suggests).map(|(known, _)| &**known);
                    let suggestion = nearest(&name, known);
                    return Err(Missing { name, suggestion, is_list: at.kind.as_deref() == Some("array") });
                }
            }
        };
    }
    Ok(Some(at))
}

fn keeps_unknown_fields(schema: &Schema) -> bool {
    schema.preserve_unknown_fields == Some(true)
        || schema.embedded_resource
        || matches!(schema.additional_properties, Some(AdditionalProperties::Allowed(true)))
}

/// One segment of a path.
enum Segment {
    /// `.name`, `['name']`
    Name(String),
    /// `[0]`, `[1:2]`, `[*]`, or `[?(@.name == "…")]` with the paths that its filter reads.
    Items(Vec<String>),
    /// Everything else.
    Unknown,
}

/// The segments of a path, one after the other.
#[derive(Clone)]
struct Segments<'p> {
    rest: &'p str,
}

impl Segments<'_> {
    fn next(&mut self) -> Option<Segment> {
        let rest = self.rest.trim();
        if rest.is_empty() {
            return None;
        }
        if let Some(inside) = rest.strip_prefix('[') {
            let Some(end) = closing(inside) else { return Some(Segment::Unknown) };
            self.rest = &rest[end + 2..];
            return Some(in_brackets(inside[..end].trim()));
        }
        let Some(name) = rest.strip_prefix('.') else { return Some(Segment::Unknown) };
        let mut text = String::new();
        let mut characters = name.char_indices();
        let mut end = name.len();
        while let Some((index, character)) = characters.next() {
            match character {
                // `foo\.bar` is one name.
                '\\' => text.extend(characters.next().map(|(_, escaped)| escaped)),
                '.' | '[' | ' ' => {
                    end = index;
                    break;
                }
                _ => text.push(character),
            }
        }
        self.rest = &rest[end + 1..];
        Some(if text.is_empty() || text == "*" { Segment::Unknown } else { Segment::Name(text) })
    }
}

/// Where the bracket that is open before the text closes, quoted text left out.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0_usize, None);
    for (index, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(character),
            (None, '[') => depth += 1,
            (None, ']') if depth == 0 => return Some(index),
            (None, ']') => depth -= 1,
            (None, _) => {}
        }
    }
    None
}

fn in_brackets(inside: &str) -> Segment {
    let quoted = |quote: char| inside.strip_prefix(quote)?.strip_suffix(quote).filter(|name| !name.contains(quote));
    if let Some(name) = quoted('\'').or_else(|| quoted('"')) {
        return Segment::Name(name.to_owned());
    }
    if let Some(filter) = inside.strip_prefix('?') {
        return Segment::Items(read_by(filter));
    }
    let is_index = |character: char| character.is_ascii_digit() || matches!(character, '*' | ':' | '-' | ',' | ' ');
    if !inside.is_empty() && inside.chars().all(is_index) { Segment::Items(Vec::new()) } else { Segment::Unknown }
}

/// The paths after `@` in a filter.
fn read_by(filter: &str) -> Vec<String> {
    let is_name = |character: char| character.is_alphanumeric() || matches!(character, '.' | '_' | '-');
    let path = |part: &str| part.chars().take_while(|character| is_name(*character)).collect::<String>();
    // Text in quotes may contain `@`.
    let unquoted = filter.split(['"', '\'']).step_by(2);
    unquoted.flat_map(|text| text.split('@').skip(1)).map(path).filter(|path| path.starts_with('.')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_lists_and_filters() {
        let schema = Schema::from_value(&json!({"type": "object", "properties": {
            "spec": {"type": "object", "properties": {
                "engine": {"type": "string"}, "a.b": {"type": "string"},
                "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                "map": {"type": "object", "additionalProperties": {"type": "object", "properties": {"x": {"type": "string"}}}}}},
            "status": {"type": "object", "properties": {"conditions": {"type": "array", "items": {
                "type": "object", "properties": {"type": {"type": "string"}, "status": {"type": "string"}}}}}}}}))
        .unwrap();
        let missing = |path: &str| resolve(&schema, path, true).err().map(|missing| missing.name);
        for path in [
            ".spec.engine",
            ".spec['engine']",
            ".spec.a\\.b",
            ".spec['a.b']",
            ".spec.any.x.y",
            ".spec.map.key.x",
            ".spec.map.*.x",
            "..engine",
            ".*",
            ".metadata.name",
            ".metadata.labels.x",
            ".metadata.ownerReferences[0].name",
            ".status.conditions[?(@.type==\"Ready\")].status",
            ".status.conditions[*].type",
            ".status.conditions[0:2].type",
            ".status.conditions[-1:].type",
            ".status.conditions[?(@.type=='a@.b')].status",
            "spec",
            ".status.conditions[",
            "",
        ] {
            assert_eq!(missing(path), None, "{path}");
        }
        for (path, name) in [
            (".spec.enginee", "enginee"),
            (".spec['x']", "x"),
            (".spec.engine.x", "x"),
            (".spec.map.key.y", "y"),
            (".metadata.nam", "nam"),
            (".statu", "statu"),
            (".status.conditions[?(@.typ==\"Ready\")].status", "typ"),
            (".status.conditions[0].x", "x"),
            (".status.conditions.type", "type"),
        ] {
            assert_eq!(missing(path).as_deref(), Some(name), "{path}");
        }
    }
}
