//! Paths from a node to a field below it, as `fieldPath` of CEL rules and selectable fields write them: `.a.b`,
//! `.a['b.c']`.
//!
//! Invariants: what a server accepts resolves here, and nothing else does. Lists cannot be entered; a step into a map
//! (`additionalProperties`) takes any key.

use crd_model::schema::{AdditionalProperties, Schema};

/// Where a path leads.
pub(crate) struct Field<'s> {
    /// The path as errors show it below the path of its node: `tls.options[key]`.
    pub(crate) shown: String,
    /// The names on the way.
    pub(crate) names: Vec<String>,
    /// The node at its end; none in a map whose values have no schema.
    pub(crate) node: Option<&'s Schema>,
}

/// Follows a path.
///
/// # Errors
/// Why the path leads nowhere, in words.
pub(crate) fn resolve<'s>(schema: &'s Schema, path: &str, with_brackets: bool) -> Result<Field<'s>, String> {
    let (mut shown, mut names) = (String::new(), Vec::new());
    let mut at = Some(schema);
    let mut tokens = Tokens { rest: path };
    while let Some(token) = tokens.next() {
        let name = match token {
            "." => tokens.next().ok_or("it ends in a dot")?.to_owned(),
            "[" if !with_brackets => return Err("brackets are not allowed in it".to_owned()),
            "[" => {
                let quoted = tokens.next().ok_or("it ends in a bracket")?;
                let inside = quoted.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
                let inside = inside.ok_or_else(|| format!("{quoted} must be a name in single quotes"))?;
                let name = unescape(inside)?;
                match tokens.next() {
                    Some("]") => name,
                    other => {
                        return Err(format!("expected `]` after {quoted}, found {:?}", other.unwrap_or("its end")));
                    }
                }
            }
            other => return Err(format!("expected `.` or `['` before {other:?}")),
        };
        let nowhere = || format!("there is no field {name:?}");
        let node = at.ok_or_else(nowhere)?;
        if node.properties.is_empty() {
            at = match &node.additional_properties {
                Some(AdditionalProperties::Values(values)) => Some(values),
                Some(AdditionalProperties::Allowed(_)) => None,
                None => return Err(nowhere()),
            };
            shown.extend(["[", &name, "]"]);
        } else {
            at = Some(node.properties.get(name.as_str()).ok_or_else(nowhere)?);
            shown.extend([if shown.is_empty() { "" } else { "." }, &name]);
        }
        names.push(name);
    }
    Ok(Field { shown, names, node: at })
}

/// Dots and brackets one by one, texts in single quotes, and everything between them.
struct Tokens<'p> {
    rest: &'p str,
}

impl<'p> Tokens<'p> {
    fn next(&mut self) -> Option<&'p str> {
        let length = match self.rest.chars().next()? {
            '.' | '[' | ']' => 1,
            '\'' => {
                let bytes = self.rest.as_bytes();
                let end = (1..bytes.len()).find(|index| bytes[*index] == b'\'' && bytes[index - 1] != b'\\');
                end.map_or(bytes.len(), |end| end + 1)
            }
            _ => self.rest.find(['.', '[', ']']).unwrap_or(self.rest.len()),
        };
        let (token, rest) = self.rest.split_at(length);
        self.rest = rest;
        Some(token)
    }
}

fn unescape(text: &str) -> Result<String, String> {
    let mut result = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            result.push(character);
            continue;
        }
        result.push(match characters.next() {
            Some('a') => '\u{7}',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('v') => '\u{b}',
            Some('\'') => '\'',
            Some('\\') => '\\',
            Some(other) => return Err(format!("\\{other} is not an escape")),
            None => '\\',
        });
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_brackets_and_maps() {
        let schema = Schema::from_value(&json!({"type": "object", "properties": {
            "a": {"type": "object", "properties": {"b.c": {"type": "string"}, "it's": {"type": "integer"}}},
            "map": {"type": "object", "additionalProperties": {"type": "boolean"}},
            "any": {"type": "object", "additionalProperties": true},
            "list": {"type": "array", "items": {"type": "string"}}}}))
        .unwrap();
        let kind = |path: &str| resolve(&schema, path, true).map(|field| field.node.and_then(|node| node.kind.clone()));
        for (path, expected) in [
            (".a", Some("object")),
            (".a['b.c']", Some("string")),
            ("['a']['it\\'s']", Some("integer")),
            (".map.x", Some("boolean")),
            (".map['x']", Some("boolean")),
            (".any.x", None),
            (".list", Some("array")),
            ("", Some("object")),
        ] {
            assert_eq!(kind(path).unwrap().as_deref(), expected, "{path}");
        }
        for path in [
            "a",
            ".",
            ".b",
            ".a.b.c",
            ".a['b.c'",
            ".a[b]",
            ".a[0]",
            ".list[0]",
            ".list.x",
            ".any.x.y",
            "..a",
            ".a['\\x']",
            ".a['b.c]",
        ] {
            assert!(kind(path).is_err(), "{path}");
        }
        assert!(resolve(&schema, "['a']", false).is_err());
    }
}
