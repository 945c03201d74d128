//! The structural schema: Kubernetes' subset of OpenAPI v3 as one Rust type.
//!
//! Invariants: every property of `JSONSchemaProps` (apiextensions.k8s.io/v1) that a CRD may carry has a field here, written and
//! read under the same keyword, so that reading what was written gives an equal value; `required` is kept sorted.

pub mod path;
mod properties;
mod walk;

use serde_json::{Map, Number, Value};

use crate::document::{Sink, ValueBuilder};
use crate::entries::{Entries, Entry, Part, Reader, entries};

pub use crate::entries::{ReadError, ReadErrorKind, Text, kind_of};
pub use path::{SchemaPath, Step};
pub use properties::Properties;
pub use walk::{Counterpart, below, keeps_unknown, missing_fields, nodes, walk, walk_together};

entries! {
    /// One node of a schema.
    Schema {
        /// The values of a map, or whether unnamed properties are allowed.
        additional_properties: Option<AdditionalProperties> = "additionalProperties",
        all_of: Vec<Schema> = "allOf",
        any_of: Vec<Schema> = "anyOf",
        /// In the JSON form that the API server stores.
        default: Option<Value> = "default",
        description: Option<Text> = "description",
        /// In the author's order.
        enumeration: Option<Vec<Value>> = "enum",
        example: Option<Value> = "example",
        exclusive_maximum: bool = "exclusiveMaximum",
        exclusive_minimum: bool = "exclusiveMinimum",
        external_docs: Option<ExternalDocs> = "externalDocs",
        format: Option<Text> = "format",
        id: Option<Text> = "id",
        /// The schema of every list item (the list form of `items` is not structural and is refused when read).
        items: Option<Box<Schema>> = "items",
        max_items: Option<i64> = "maxItems",
        /// In Unicode code points.
        max_length: Option<i64> = "maxLength",
        max_properties: Option<i64> = "maxProperties",
        maximum: Option<Number> = "maximum",
        min_items: Option<i64> = "minItems",
        /// In Unicode code points.
        min_length: Option<i64> = "minLength",
        min_properties: Option<i64> = "minProperties",
        minimum: Option<Number> = "minimum",
        multiple_of: Option<Number> = "multipleOf",
        not: Option<Box<Schema>> = "not",
        nullable: bool = "nullable",
        one_of: Vec<Schema> = "oneOf",
        /// An RE2 expression searched anywhere in the value.
        pattern: Option<Text> = "pattern",
        properties: Properties = "properties",
        /// Sorted.
        required: Vec<Text> = "required",
        title: Option<Text> = "title",
        kind: Option<Text> = "type",
        unique_items: bool = "uniqueItems",
        embedded_resource: bool = "x-kubernetes-embedded-resource",
        int_or_string: bool = "x-kubernetes-int-or-string",
        /// In the author's order.
        list_map_keys: Vec<Text> = "x-kubernetes-list-map-keys",
        list_type: Option<Text> = "x-kubernetes-list-type",
        map_type: Option<Text> = "x-kubernetes-map-type",
        preserve_unknown_fields: Option<bool> = "x-kubernetes-preserve-unknown-fields",
        /// CEL rules in the order in which the server reports them.
        validations: Vec<Validation> = "x-kubernetes-validations",
    }
}

entries! {
    /// `externalDocs`
    ExternalDocs, "key of externalDocs", |_| &[], {
        description: Option<Text> = "description",
        url: Option<Text> = "url",
    }
}

entries! {
    /// One entry of `x-kubernetes-validations`.
    Validation, "key of a validation rule", |reader| if reader.is_published { &["rule"] } else { &[] }, {
        /// Which field the error is reported for.
        field_path: Option<Text> = "fieldPath",
        message: Option<Text> = "message",
        /// A CEL expression that makes the message.
        message_expression: Option<Text> = "messageExpression",
        optional_old_self: Option<bool> = "optionalOldSelf",
        /// One of `FieldValueInvalid`, `FieldValueForbidden`, `FieldValueRequired`, `FieldValueDuplicate`.
        reason: Option<Text> = "reason",
        /// The CEL expression that must hold.
        rule: Text = "rule",
    }
}

/// `additionalProperties`
#[derive(Clone, Debug, PartialEq)]
pub enum AdditionalProperties {
    /// `true` or `false`
    Allowed(bool),
    /// The schema of every value.
    Values(Box<Schema>),
}

impl Part for AdditionalProperties {
    fn send(&self, sink: &mut dyn Sink) {
        match self {
            Self::Allowed(allowed) => sink.boolean(*allowed),
            Self::Values(values) => values.send(sink),
        }
    }
    fn read(reader: &mut Reader, value: &Value) -> Option<Self> {
        Some(match value {
            Value::Bool(allowed) => Self::Allowed(*allowed),
            other => Self::Values(Box::new(reader.schema(other))),
        })
    }
}

impl Entry for Properties {
    fn send(&self, key: &str, sink: &mut dyn Sink) {
        if !self.is_empty() {
            sink.key(key);
            sink.begin_map();
            for (name, property) in self {
                sink.key(name);
                property.send(sink);
            }
            sink.end_map();
        }
    }
    fn read(reader: &mut Reader, value: &Value) -> Self {
        let mut properties = Self::new();
        reader.entries(value, |reader, name, property| {
            properties.insert(Text::Owned(name.to_owned()), reader.schema(property));
        });
        properties
    }
}

impl Part for Schema {
    fn send(&self, sink: &mut dyn Sink) {
        Entries::send(self, sink);
    }
    fn read(reader: &mut Reader, value: &Value) -> Option<Self> {
        Some(reader.schema(value))
    }
}

impl Schema {
    /// The schema of the values of a map.
    pub fn values(&self) -> Option<&Self> {
        match &self.additional_properties {
            Some(AdditionalProperties::Values(values)) => Some(values),
            _ => None,
        }
    }

    /// The schema of a field, also where the field is a key of a map.
    pub fn entry(&self, name: &str) -> Option<&Self> {
        self.properties.get(name).or_else(|| self.values())
    }

    /// The schema of the values of a map, to be changed.
    pub fn values_mut(&mut self) -> Option<&mut Self> {
        match &mut self.additional_properties {
            Some(AdditionalProperties::Values(values)) => Some(values),
            _ => None,
        }
    }

    /// Sends the node and all nodes below it, keywords in alphabetical order, absent ones left out.
    pub fn send(&self, sink: &mut dyn Sink) {
        Entries::send(self, sink);
    }

    /// Sends the node without its description and without the nodes that are its fields, items and values.
    pub fn send_own(&self, sink: &mut dyn Sink) {
        let left_out = ["description", "items", "properties", "additionalProperties"];
        let left_out = if self.values().is_some() { &left_out[..] } else { &left_out[..3] };
        Entries::send_without(self, left_out, sink);
    }

    /// The node as a JSON value.
    pub fn to_value(&self) -> Value {
        let mut builder = ValueBuilder::default();
        self.send(&mut builder);
        builder.finish()
    }

    /// Reads a schema of a CRD.
    ///
    /// # Errors
    /// Every keyword that is unknown or has a value of the wrong kind, each with its path.
    pub fn from_value(value: &Value) -> Result<Self, Vec<ReadError>> {
        let mut reader = Reader::default();
        let schema = reader.schema(value);
        if reader.errors.is_empty() { Ok(schema) } else { Err(reader.errors) }
    }
}

impl Reader {
    pub(crate) fn schema(&mut self, value: &Value) -> Schema {
        let mut schema = Schema::default();
        self.entries(value, |reader, keyword, value| reader.keyword(&mut schema, keyword, value));
        schema
    }

    pub(crate) fn keyword(&mut self, schema: &mut Schema, keyword: &str, value: &Value) {
        if self.is_published && value.is_null() {
            // What is read of it is dropped: only its name is checked.
            let before = std::mem::take(&mut self.errors);
            self.value_of(&mut Schema::default(), keyword, value);
            let errors = std::mem::replace(&mut self.errors, before);
            if errors.is_empty() {
                self.is_absent(value);
            }
            self.errors.extend(errors);
        } else {
            self.value_of(schema, keyword, value);
        }
    }

    fn value_of(&mut self, schema: &mut Schema, keyword: &str, value: &Value) {
        if schema.read_entry(self, keyword, value) {
            if keyword == "required" {
                schema.required.sort();
            }
            return;
        }
        match keyword {
            "$ref" | "$schema" | "definitions" | "dependencies" | "patternProperties" | "additionalItems" => {
                if self.is_absent(value) {
                    return;
                }
                let is_empty = match keyword {
                    "definitions" | "patternProperties" => value.as_object().is_some_and(Map::is_empty),
                    "$schema" => value.as_str().is_some_and(str::is_empty),
                    _ => false,
                };
                if self.is_published && is_empty {
                    return self.absent("the keyword is empty");
                }
                self.fail_as(ReadErrorKind::NotStructural, "a structural schema cannot have this keyword");
            }
            _ => self.unknown("keyword of a Kubernetes schema"),
        }
    }
}
