//! Paths of objects as paths of the CRD document that describes them.
//!
//! Invariants: the path is followed in the schema itself, so that a property of any name is found; it is followed as far
//! as the schema goes.

use crd_model::CustomResourceDefinition;
use crd_model::path::{self, Part};
use crd_model::schema::Schema;

/// The path to an API version: `spec.versions[1]`.
pub(super) fn of_version(crd: &CustomResourceDefinition, version: &str) -> String {
    match crd.versions.iter().position(|known| known.name == version) {
        Some(index) => format!("spec.versions[{index}]"),
        None => "spec.versions".to_owned(),
    }
}

/// The path to what describes `path` in objects of an API version.
pub(super) fn in_schema(crd: &CustomResourceDefinition, version: &str, path: &str) -> String {
    let mut found = of_version(crd, version);
    let Some(version) = crd.versions.iter().find(|known| known.name == version) else { return found };
    found.push_str(".schema.openAPIV3Schema");
    let (mut schema, mut rest) = (&version.schema, path);
    while let Some((next, left)) = step(schema, rest, &mut found) {
        (schema, rest) = (next, left);
    }
    found
}

/// One step down; `None` at the end of the path or of the schema.
fn step<'s, 'p>(schema: &'s Schema, path: &'p str, found: &mut String) -> Option<(&'s Schema, &'p str)> {
    let path = path.strip_prefix('.').unwrap_or(path);
    let mut parts = path::parts(path);
    let next = match parts.next()?.ok()?.1 {
        Part::Name(name) => {
            let next = schema.properties.get(&name)?;
            if name.contains(['.', '[', ']', '"', ' ', '\n']) || name.is_empty() {
                found.push_str(&format!(".properties[{name:?}]"));
            } else {
                found.push_str(&format!(".properties.{name}"));
            }
            next
        }
        Part::Sign(sign) if sign == "[*]" && schema.items.is_some() => {
            found.push_str(".items");
            schema.items.as_deref()?
        }
        Part::Sign(sign) if sign == "[*]" => {
            let values = schema.values()?;
            found.push_str(".additionalProperties");
            values
        }
        Part::Sign(sign) => {
            let combinator = sign.strip_prefix('{')?.strip_suffix('}')?;
            let (keyword, index) =
                combinator.strip_suffix(']').and_then(|text| text.split_once('[')).unwrap_or((combinator, "0"));
            let index: usize = index.parse().ok()?;
            let next = match keyword {
                "allOf" => schema.all_of.get(index),
                "anyOf" => schema.any_of.get(index),
                "oneOf" => schema.one_of.get(index),
                _ => schema.not.as_deref(),
            }?;
            found.push('.');
            found.push_str(combinator);
            next
        }
    };
    Some((next, parts.rest()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_of_objects_lead_into_the_schema() {
        let schema = Schema::from_value(&json!({"properties": {
            "spec": {"properties": {
                "list": {"items": {"properties": {"odd.name [x]": {"additionalProperties": {"type": "string"}}}}},
                "either": {"anyOf": [{"type": "string"}, {"properties": {"x": {"not": {"type": "object"}}}}]},
            }},
        }}))
        .unwrap();
        let version = crd_model::crd::Version { name: "v1".into(), schema, ..Default::default() };
        let other = crd_model::crd::Version { name: "v0".into(), ..Default::default() };
        let crd = CustomResourceDefinition { versions: vec![other, version], ..Default::default() };
        let root = "spec.versions[1].schema.openAPIV3Schema";
        for (path, expected) in [
            ("", ""),
            ("spec", ".properties.spec"),
            ("spec.list[*]", ".properties.spec.properties.list.items"),
            (
                "spec.list[*][\"odd.name [x]\"][*]",
                ".properties.spec.properties.list.items.properties[\"odd.name [x]\"].additionalProperties",
            ),
            ("spec.either.{anyOf[1]}.x.{not}", ".properties.spec.properties.either.anyOf[1].properties.x.not"),
            ("spec.missing.more", ".properties.spec"),
            ("spec.{anyOf[x]}", ".properties.spec"),
            ("spec[*]", ".properties.spec"),
        ] {
            assert_eq!(in_schema(&crd, "v1", path), format!("{root}{expected}"), "{path}");
        }
        assert_eq!(in_schema(&crd, "v9", "spec"), "spec.versions");
    }
}
