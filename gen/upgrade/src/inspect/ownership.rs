//! Whose items and fields a changed list or map type endangers, as the managed fields of an object show.
//!
//! Invariants: a list, map or object whose parts had owners of their own becomes atomic: each of its owners owns all of it, so that the next apply of one
//! conflicts with the rest, and removes what they own if it is forced. If it was atomic, its owner no longer owns the parts: they stay when it stops applying them.
//!
//! Source: <https://kubernetes.io/docs/reference/using-api/server-side-apply/#compatibility-across-toplogy-changes>; the proof `ownership` of the testbed.

use std::collections::BTreeSet;

use crd_model::Schema;
use crd_model::schema::path::{Step, text};
use crd_model::schema::{Counterpart, walk_together};
use serde_json::Value;

/// The lists, maps and objects of a version whose type changes.
#[derive(Debug, Default)]
pub(crate) struct TypeChanges(Vec<TypeChange>);

#[derive(Debug)]
struct TypeChange {
    steps: Vec<Step>,
    becomes_atomic: bool,
}

/// What a change means for the owners of a list or map in an object.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Endangered {
    /// The path of the list or map in objects.
    pub(crate) path: String,
    pub(crate) effect: String,
}

impl TypeChanges {
    /// The changes between the schemas of a version.
    pub(crate) fn between(installed: &Schema, target: &Schema) -> Self {
        let mut found = Vec::new();
        walk_together(installed, target, &mut |steps, node, other| {
            if let Counterpart::Node(other) = other
                && let (Some(was), Some(is)) = (is_atomic(node), is_atomic(other))
                && was != is
            {
                let steps = steps.iter().map(Step::owned).collect();
                found.push(TypeChange { steps, becomes_atomic: is });
            }
        });
        Self(found)
    }

    /// What they mean for an object with these managed fields.
    pub(crate) fn endangered(&self, managed_fields: &Value) -> Vec<Endangered> {
        let entries = managed_fields.as_array().map(Vec::as_slice).unwrap_or_default();
        self.0.iter().filter_map(|change| change.endangered(entries)).collect()
    }
}

impl TypeChange {
    fn endangered(&self, entries: &[Value]) -> Option<Endangered> {
        let manager = |entry: &Value| entry["manager"].as_str().unwrap_or_default().to_owned();
        let path = text(&self.steps);
        if !self.becomes_atomic {
            let is_owner = |entry: &&Value| nodes(&entry["fieldsV1"], &self.steps).iter().any(|node| !has_parts(node));
            let owners = entries.iter().filter(|entry| entry["operation"] == "Apply").filter(is_owner);
            let owners = owners.map(manager).collect::<BTreeSet<_>>();
            let names = in_words(&owners);
            return (!owners.is_empty()).then(|| Endangered {
                effect: format!("{names} no longer owns what is in it: what {names} stops applying stays"),
                path,
            });
        }
        let is_owner = |entry: &&Value| nodes(&entry["fieldsV1"], &self.steps).iter().any(|node| has_parts(node));
        let owners = entries.iter().filter(is_owner).map(manager).collect::<BTreeSet<_>>();
        (owners.len() > 1).then(|| Endangered {
            effect: format!(
                "{} own parts of it: the next apply of one conflicts with the rest, and removes their parts if it is forced",
                in_words(&owners)
            ),
            path,
        })
    }
}

/// `a`, `b` and `c`
fn in_words(names: &BTreeSet<String>) -> String {
    let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
    match &*names {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => names.join(""),
    }
}

/// Whether a list, a map or an object has one owner as a whole. `None` for every other node.
fn is_atomic(node: &Schema) -> Option<bool> {
    match node.kind.as_deref() {
        Some("array") => Some(!matches!(node.list_type.as_deref(), Some("map" | "set"))),
        Some("object") => Some(node.map_type.as_deref() == Some("atomic")),
        _ => None,
    }
}

/// The nodes of managed fields at a path: one for each item or value.
fn nodes<'v>(fields: &'v Value, steps: &[Step]) -> Vec<&'v Value> {
    let Some((first, rest)) = steps.split_first() else { return vec![fields] };
    let is_next = |key: &str| match first {
        Step::Field(name) => key.strip_prefix("f:") == Some(name),
        Step::Item => ["k:", "v:", "i:"].iter().any(|prefix| key.starts_with(prefix)),
        Step::Value => key.starts_with("f:"),
    };
    let below = fields.as_object().into_iter().flatten().filter(|(key, _)| is_next(key));
    below.flat_map(|(_, below)| nodes(below, rest)).collect()
}

/// Whether something in it is owned, not only itself.
fn has_parts(node: &Value) -> bool {
    node.as_object().is_some_and(|parts| parts.keys().any(|key| key != "."))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema(list: &Value, map: &Value) -> Schema {
        let mut schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
            "bulbs": {"type": "array", "items": {"type": "object"}},
            "opts": {"type": "object"},
        }}}});
        let properties = &mut schema["properties"]["spec"]["properties"];
        for (name, more) in [("bulbs", list), ("opts", map)] {
            let more = more.as_object().unwrap().clone();
            properties[name].as_object_mut().unwrap().extend(more);
        }
        Schema::from_value(&schema).unwrap()
    }

    /// The managed fields are those that an API server of Kubernetes 1.36 had after two applies.
    #[test]
    fn owners_of_parts_are_endangered() {
        let granular =
            schema(&json!({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}), &json!({}));
        let atomic = schema(&json!({}), &json!({"x-kubernetes-map-type": "atomic"}));
        let entry = |manager: &str, fields: Value| json!({"manager": manager, "operation": "Apply", "fieldsV1": {"f:spec": fields}});
        let item = |name: &str| json!({format!("k:{{\"name\":\"{name}\"}}"): {".": {}, "f:name": {}}});
        let a = entry("A", json!({"f:bulbs": item("a"), "f:opts": {"f:a": {}}}));
        let b = entry("B", json!({"f:bulbs": item("b")}));
        let found = |from, to, entries: &Value| {
            TypeChanges::between(from, to)
                .endangered(entries)
                .into_iter()
                .map(|it| format!("{}: {}", it.path, it.effect))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            found(&granular, &atomic, &json!([a, b])),
            [
                "spec.bulbs: `A` and `B` own parts of it: the next apply of one conflicts with the rest, and removes their parts if it is forced"
            ]
        );
        assert_eq!(found(&granular, &atomic, &json!([a])), [""; 0]);
        assert_eq!(found(&granular, &granular, &json!([a, b])), [""; 0]);
        let whole = entry("A", json!({"f:bulbs": {}, "f:opts": {}}));
        assert_eq!(
            found(&atomic, &granular, &json!([whole])),
            ["spec.bulbs", "spec.opts"]
                .map(|path| format!("{path}: `A` no longer owns what is in it: what `A` stops applying stays"))
        );
        assert_eq!(found(&atomic, &granular, &Value::Null), [""; 0]);
    }
}
