//! What differs between OpenAPI v2 and v3: references, parameters, bodies and answers.
//!
//! Invariant: Kubernetes' own schemas and parameters are written once, for v3, and translated here.

use serde_json::{Map, Value, json};

/// A version of OpenAPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    V2,
    V3,
}

/// Where documents of v3 have their schemas.
pub(super) const SCHEMAS: &str = "#/components/schemas/";

/// The formats of objects.
const FORMATS: [&str; 2] = ["application/json", "application/yaml"];
/// The formats of patches.
const PATCHES: [&str; 3] =
    ["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"];

/// What a request contains.
pub(super) struct Body {
    /// The name of its schema.
    pub(super) schema: String,
    pub(super) is_required: bool,
    pub(super) is_patch: bool,
}

impl Dialect {
    /// A reference to a schema.
    pub(super) fn reference(self, name: &str) -> Value {
        let folder = if self == Self::V2 { "#/definitions/" } else { SCHEMAS };
        json!({ "$ref": format!("{folder}{name}") })
    }

    /// A reference with a description, which v3 allows in `allOf` only.
    pub(super) fn described(self, name: &str, description: &str) -> Value {
        self.translate(&json!({ "description": description, "allOf": [Self::V3.reference(name)] }))
    }

    /// A schema of v3 in this dialect. It has no `allOf` except around one reference.
    pub(super) fn translate(self, schema: &Value) -> Value {
        match schema {
            _ if self == Self::V3 => schema.clone(),
            Value::Array(items) => items.iter().map(|item| self.translate(item)).collect(),
            Value::Object(map) => {
                let mut translated = Map::new();
                // A server publishes defaults in v3 only.
                for (key, value) in map.iter().filter(|(key, _)| *key != "default") {
                    match (&**key, value) {
                        ("$ref", Value::String(reference)) => {
                            let reference = self.reference(reference.strip_prefix(SCHEMAS).unwrap_or(reference));
                            translated.insert(key.clone(), reference["$ref"].clone());
                        }
                        ("allOf", Value::Array(all)) => {
                            let all = all.iter().map(|schema| self.translate(schema));
                            translated.extend(all.filter_map(|schema| schema.as_object().cloned()).flatten());
                        }
                        _ => {
                            translated.insert(key.clone(), self.translate(value));
                        }
                    }
                }
                Value::Object(translated)
            }
            other => other.clone(),
        }
    }

    /// A parameter in a path or query, from its `name`, `in`, `type` and `description`.
    pub(super) fn parameter(self, data: &Value) -> Value {
        let mut parameter = data.clone();
        // Kubernetes marks each parameter so.
        parameter["uniqueItems"] = json!(true);
        if let (Self::V3, Some(map)) = (self, parameter.as_object_mut()) {
            let schema = ["type", "uniqueItems"].map(|key| (key.to_owned(), map.remove(key).unwrap_or_default()));
            map.insert("schema".to_owned(), schema.into_iter().collect());
        }
        if data["in"] == "path" {
            parameter["required"] = json!(true);
        }
        parameter
    }

    /// A parameter that the document has once (v2), or a copy of it.
    pub(super) fn shared_parameter(self, key: &str, data: &Value) -> Value {
        match self {
            Self::V2 => json!({ "$ref": format!("#/parameters/{key}") }),
            Self::V3 => self.parameter(data),
        }
    }

    /// Adds the formats and the body of a request to its operation.
    pub(super) fn request(self, operation: &mut Value, body: Option<&Body>) {
        let formats = if body.is_some_and(|body| body.is_patch) { &PATCHES[..] } else { &FORMATS };
        if self == Self::V2 {
            operation["consumes"] = json!(formats);
            operation["produces"] = json!(FORMATS);
            operation["schemes"] = json!(["https"]);
        }
        let Some(body) = body else { return };
        let mut request = match self {
            Self::V2 => json!({ "name": "body", "in": "body", "schema": self.reference(&body.schema) }),
            Self::V3 => json!({ "content": self.content(formats, &body.schema) }),
        };
        if body.is_required {
            request["required"] = json!(true);
        }
        match (self, operation["parameters"].as_array_mut()) {
            (Self::V2, Some(parameters)) => parameters.insert(0, request),
            (Self::V2, None) => operation["parameters"] = json!([request]),
            (Self::V3, _) => operation["requestBody"] = request,
        }
    }

    /// An answer with a schema.
    pub(super) fn answer(self, description: &str, schema: &str) -> Value {
        match self {
            Self::V2 => json!({ "description": description, "schema": self.reference(schema) }),
            Self::V3 => json!({ "description": description, "content": self.content(&FORMATS, schema) }),
        }
    }

    fn content(self, formats: &[&str], schema: &str) -> Value {
        formats.iter().map(|format| ((*format).to_owned(), json!({ "schema": self.reference(schema) }))).collect()
    }
}
