//! Containment: GEP-922 says that experimental holds everything that standard holds. Where it does not, an object that one
//! channel accepts is refused or cut down by the other.
//!
//! Fed with the CRDs of a more stable and a less stable channel. Read by `generate`, which reports every breach. Upstream's
//! Gateway API has some on purpose (patterns of header values), so a breach is a report and no error.
//!
//! Invariants: both schemas are walked together; a breach is reported where it begins and not again below; rules that cannot
//! be compared (CEL, patterns) count as stricter when the less stable channel has one that the other lacks.

use std::collections::BTreeMap;

use crd_schema::CustomResourceDefinition;
use crd_schema::schema::{AdditionalProperties, Schema};
use serde_json::Number;

/// A place where standard is not contained in experimental.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The name of the CRD.
    pub crd: String,
    /// The API version; `None`: the CRD as a whole.
    pub version: Option<String>,
    /// Where in the schema: `spec.rules[*].matches`.
    pub path: String,
    /// What is breached.
    pub kind: BreachKind,
}

/// What is breached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BreachKind {
    /// The less stable channel lacks it.
    Missing(&'static str),
    /// The less stable channel refuses what the other accepts, by this keyword.
    Stricter(&'static str, String),
}

impl std::fmt::Display for BreachKind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BreachKind::Missing(what) => write!(formatter, "experimental lacks this {what}"),
            // Nobody can tell what a CEL rule refuses; it may only guard a field that standard lacks.
            BreachKind::Stricter("rule", detail) => write!(formatter, "experimental may be stricter: rule {detail}"),
            BreachKind::Stricter(keyword, detail) => write!(formatter, "experimental is stricter: {keyword} {detail}"),
        }
    }
}

/// Every place where `stable` is not contained in `wider`, by CRD, version and path.
pub fn containment(stable: &[CustomResourceDefinition], wider: &[CustomResourceDefinition]) -> Vec<Breach> {
    let by_name: BTreeMap<&str, &CustomResourceDefinition> = wider.iter().map(|crd| (&*crd.name, crd)).collect();
    let mut breaches = Vec::new();
    for crd in stable {
        let Some(other) = by_name.get(&*crd.name) else {
            breaches.push(Breach {
                crd: crd.name.to_string(),
                version: None,
                path: String::new(),
                kind: BreachKind::Missing("resource"),
            });
            continue;
        };
        for version in &crd.versions {
            let mut walk = Walk { crd: &crd.name, version: &version.name, path: Vec::new(), breaches: &mut breaches };
            match other.versions.iter().find(|known| known.name == version.name) {
                None => walk.report(BreachKind::Missing("API version")),
                Some(known) if version.served && !known.served => {
                    walk.report(BreachKind::Missing("served API version"))
                }
                Some(known) => walk.node(&version.schema, &known.schema),
            }
        }
    }
    breaches
}

struct Walk<'a> {
    crd: &'a str,
    version: &'a str,
    path: Vec<&'a str>,
    breaches: &'a mut Vec<Breach>,
}

impl<'a> Walk<'a> {
    fn report(&mut self, kind: BreachKind) {
        self.breaches.push(Breach {
            crd: self.crd.to_owned(),
            version: Some(self.version.to_owned()),
            path: self.path.join(".").replace(".[", "["),
            kind,
        });
    }

    fn stricter(&mut self, keyword: &'static str, detail: impl Into<String>) {
        self.report(BreachKind::Stricter(keyword, detail.into()));
    }

    fn below(&mut self, step: &'a str, stable: &'a Schema, wider: &'a Schema) {
        self.path.push(step);
        self.node(stable, wider);
        self.path.pop();
    }

    fn node(&mut self, stable: &'a Schema, wider: &'a Schema) {
        self.scalars(stable, wider);
        if stable.kind != wider.kind || stable.int_or_string != wider.int_or_string {
            let name = |schema: &Schema| schema.kind.as_deref().unwrap_or("anything").to_owned();
            self.stricter("type", format!("is {} instead of {}", name(wider), name(stable)));
            return;
        }
        for (name, property) in &stable.properties {
            match wider.properties.get(name) {
                Some(known) => self.below(name, property, known),
                None if wider.preserve_unknown_fields == Some(true) => {}
                None => {
                    self.path.push(name);
                    self.report(BreachKind::Missing("field"));
                    self.path.pop();
                }
            }
        }
        for name in &wider.required {
            // A field that only the wider channel has cannot be in an object of the other.
            if !stable.required.contains(name)
                && wider.properties.get(name).is_none_or(|property| property.default.is_none())
            {
                self.stricter("required", format!("has `{name}`"));
            }
        }
        if let (Some(stable), Some(wider)) = (&stable.items, &wider.items) {
            self.below("[*]", stable, wider);
        }
        match (&stable.additional_properties, &wider.additional_properties) {
            (Some(AdditionalProperties::Values(stable)), Some(AdditionalProperties::Values(wider))) => {
                self.below("[*]", stable, wider);
            }
            (Some(_), None) if wider.preserve_unknown_fields != Some(true) => {
                self.stricter("additionalProperties", "is missing");
            }
            _ => {}
        }
    }

    fn scalars(&mut self, stable: &Schema, wider: &Schema) {
        let number = |number: &Option<Number>| number.as_ref().and_then(Number::as_f64);
        let count = |count: Option<i64>| count.map(|count| count as f64);
        for (keyword, stable, wider) in [
            ("maximum", number(&stable.maximum), number(&wider.maximum)),
            ("maxLength", count(stable.max_length), count(wider.max_length)),
            ("maxItems", count(stable.max_items), count(wider.max_items)),
            ("maxProperties", count(stable.max_properties), count(wider.max_properties)),
        ] {
            if let Some(limit) = wider
                && stable.is_none_or(|known| limit < known)
            {
                self.stricter(keyword, format!("is {limit}"));
            }
        }
        for (keyword, stable, wider) in [
            ("minimum", number(&stable.minimum), number(&wider.minimum)),
            ("minLength", count(stable.min_length), count(wider.min_length)),
            ("minItems", count(stable.min_items), count(wider.min_items)),
            ("minProperties", count(stable.min_properties), count(wider.min_properties)),
        ] {
            if let Some(limit) = wider
                && stable.is_none_or(|known| limit > known)
            {
                self.stricter(keyword, format!("is {limit}"));
            }
        }
        for (keyword, stable, wider) in [
            ("exclusiveMaximum", stable.exclusive_maximum, wider.exclusive_maximum),
            ("exclusiveMinimum", stable.exclusive_minimum, wider.exclusive_minimum),
            ("uniqueItems", stable.unique_items, wider.unique_items),
        ] {
            if wider && !stable {
                self.stricter(keyword, "is set");
            }
        }
        if stable.nullable && !wider.nullable {
            self.stricter("nullable", "is missing");
        }
        for (keyword, stable, wider) in
            [("pattern", &stable.pattern, &wider.pattern), ("format", &stable.format, &wider.format)]
        {
            if let Some(text) = wider
                && stable.as_ref() != Some(text)
            {
                self.stricter(keyword, format!("is `{text}`"));
            }
        }
        if wider.multiple_of.is_some() && wider.multiple_of != stable.multiple_of {
            self.stricter("multipleOf", "differs");
        }
        if let Some(values) = &wider.enumeration {
            match &stable.enumeration {
                None => self.stricter("enum", "is set"),
                Some(known) => {
                    let lost: Vec<String> =
                        known.iter().filter(|value| !values.contains(value)).map(ToString::to_string).collect();
                    if !lost.is_empty() {
                        self.stricter("enum", format!("lacks {}", lost.join(", ")));
                    }
                }
            }
        }
        for (keyword, stable, wider) in [
            ("allOf", &stable.all_of, &wider.all_of),
            ("anyOf", &stable.any_of, &wider.any_of),
            ("oneOf", &stable.one_of, &wider.one_of),
        ] {
            if !wider.is_empty() && stable != wider {
                self.stricter(keyword, "differs");
            }
        }
        if wider.not.is_some() && stable.not != wider.not {
            self.stricter("not", "differs");
        }
        let list_type = |schema: &Schema| schema.list_type.clone().filter(|kind| kind != "atomic");
        if list_type(wider).is_some()
            && (list_type(stable), &stable.list_map_keys) != (list_type(wider), &wider.list_map_keys)
        {
            self.stricter("x-kubernetes-list-type", "differs");
        }
        if stable.preserve_unknown_fields == Some(true) && wider.preserve_unknown_fields != Some(true) {
            self.stricter("x-kubernetes-preserve-unknown-fields", "is missing");
        }
        for validation in &wider.validations {
            if !stable.validations.iter().any(|known| known.rule == validation.rule) {
                let words = validation.message.clone().unwrap_or_else(|| validation.rule.clone());
                self.stricter("rule", format!("`{words}`"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn crd(schema: serde_json::Value) -> CustomResourceDefinition {
        CustomResourceDefinition {
            name: "widgets.example.com".into(),
            versions: vec![crd_schema::crd::Version {
                name: "v1".into(),
                served: true,
                storage: true,
                schema: Schema::from_value(&schema).unwrap(),
                ..Default::default()
            }],
            ..Default::default()
        }
    }

    fn breaches(stable: serde_json::Value, wider: serde_json::Value) -> Vec<String> {
        containment(&[crd(stable)], &[crd(wider)])
            .into_iter()
            .map(|breach| format!("{}: {}", breach.path, breach.kind))
            .collect()
    }

    #[test]
    fn what_only_adds_is_contained() {
        let stable = json!({"type": "object", "properties": {"a": {"type": "string", "maxLength": 5, "enum": ["x"]}}});
        let wider = json!({"type": "object", "required": ["b"], "properties": {
            "a": {"type": "string", "maxLength": 9, "enum": ["x", "y"]}, "b": {"type": "integer", "default": 1}}});
        assert_eq!(breaches(stable.clone(), wider), Vec::<String>::new());
        assert_eq!(breaches(stable.clone(), stable), Vec::<String>::new());
    }

    /// One case per keyword: (what standard says, what experimental says, what is reported).
    #[test]
    fn every_keyword_that_is_stricter_is_reported() {
        for (stable, wider, part) in [
            (json!({"type": "string"}), json!({"type": "string", "maxLength": 3}), "maxLength is 3"),
            (json!({"type": "string"}), json!({"type": "string", "minLength": 1}), "minLength is 1"),
            (json!({"type": "string"}), json!({"type": "string", "pattern": "^a"}), "pattern is `^a`"),
            (json!({"type": "string"}), json!({"type": "string", "format": "uri"}), "format is `uri`"),
            (json!({"type": "string"}), json!({"type": "string", "enum": ["a"]}), "enum is set"),
            (
                json!({"type": "string", "enum": ["a", "b"]}),
                json!({"type": "string", "enum": ["a"]}),
                "enum lacks \"b\"",
            ),
            (json!({"type": "string", "nullable": true}), json!({"type": "string"}), "nullable is missing"),
            (json!({"type": "string"}), json!({"type": "integer"}), "type is integer instead of string"),
            (json!({"type": "integer", "maximum": 9}), json!({"type": "integer", "maximum": 8}), "maximum is 8"),
            (json!({"type": "integer"}), json!({"type": "integer", "minimum": 8}), "minimum is 8"),
            (json!({"type": "integer"}), json!({"type": "integer", "multipleOf": 8}), "multipleOf differs"),
            (
                json!({"type": "integer", "maximum": 9}),
                json!({"type": "integer", "maximum": 9, "exclusiveMaximum": true}),
                "exclusiveMaximum is set",
            ),
            (json!({"type": "string"}), json!({"type": "string", "anyOf": [{"pattern": "a"}]}), "anyOf differs"),
            (json!({"type": "string"}), json!({"type": "string", "not": {"pattern": "a"}}), "not differs"),
            (
                json!({"type": "array", "items": {"type": "string"}}),
                json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}),
                "list-type differs",
            ),
            (
                json!({"type": "object", "additionalProperties": {"type": "string"}}),
                json!({"type": "object"}),
                "additionalProperties is missing",
            ),
            (
                json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
                json!({"type": "object"}),
                "preserve-unknown-fields is missing",
            ),
            (
                json!({"type": "string"}),
                json!({"type": "string", "x-kubernetes-validations": [{"rule": "self != ''"}]}),
                "rule `self != ''`",
            ),
            (
                json!({"type": "object", "properties": {"x": {"type": "string"}}}),
                json!({"type": "object", "required": ["x"], "properties": {"x": {"type": "string"}}}),
                "required has `x`",
            ),
        ] {
            let wrap = |inner| json!({"type": "object", "properties": {"list": {"type": "array", "items": inner}}});
            let found = breaches(wrap(stable.clone()), wrap(wider.clone()));
            assert_eq!(found.len(), 1, "{stable} {wider}: {found:?}");
            assert!(found[0].starts_with("list[*]: ") && found[0].contains(part), "{found:?}");
            // The other way round it is contained, except where the kinds differ.
            if !part.contains("instead") {
                assert_eq!(breaches(wrap(wider), wrap(stable)).len(), 0, "{part}");
            }
        }
    }

    #[test]
    fn what_is_missing_is_reported_once() {
        let stable =
            json!({"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "string"}}}}});
        assert_eq!(breaches(stable.clone(), json!({"type": "object"})), ["a: experimental lacks this field"]);
        let found = containment(&[crd(stable.clone())], &[]);
        assert_eq!(found[0].kind, BreachKind::Missing("resource"));
        let mut unserved = crd(stable.clone());
        unserved.versions[0].served = false;
        assert_eq!(
            containment(&[crd(stable.clone())], &[unserved.clone()])[0].kind,
            BreachKind::Missing("served API version")
        );
        unserved.versions.clear();
        assert_eq!(containment(&[crd(stable)], &[unserved])[0].kind, BreachKind::Missing("API version"));
    }
}
