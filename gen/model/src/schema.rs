//! The structural schema: Kubernetes' subset of OpenAPI v3 as one Rust type.
//!
//! Invariants: every property of `JSONSchemaProps` (apiextensions.k8s.io/v1) that a CRD may carry has a field here, written and
//! read under the same keyword, so that reading what was written gives an equal value; `required` is kept sorted.

mod properties;

use std::borrow::Cow;

use serde_json::{Map, Number, Value};

use crate::document::{
    Sink, ValueBuilder, send_list, send_optional_boolean, send_optional_text, send_text, send_texts, send_value,
};

pub use properties::Properties;

/// Text that is either a constant of the annotated types or was read from a file.
pub type Text = Cow<'static, str>;

/// One node of a schema.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    /// `additionalProperties`: the values of a map, or whether unnamed properties are allowed.
    pub additional_properties: Option<AdditionalProperties>,
    /// `allOf`
    pub all_of: Vec<Schema>,
    /// `anyOf`
    pub any_of: Vec<Schema>,
    /// `default`, in the JSON form that the API server stores.
    pub default: Option<Value>,
    /// `description`
    pub description: Option<Text>,
    /// `enum`, in the author's order.
    pub enumeration: Option<Vec<Value>>,
    /// `example`
    pub example: Option<Value>,
    /// `exclusiveMaximum`
    pub exclusive_maximum: bool,
    /// `exclusiveMinimum`
    pub exclusive_minimum: bool,
    /// `externalDocs`
    pub external_docs: Option<ExternalDocs>,
    /// `format`
    pub format: Option<Text>,
    /// `id`
    pub id: Option<Text>,
    /// `items`: the schema of every list item (the list form of `items` is not structural and is refused when read).
    pub items: Option<Box<Schema>>,
    /// `maxItems`
    pub max_items: Option<i64>,
    /// `maxLength`, in Unicode code points.
    pub max_length: Option<i64>,
    /// `maxProperties`
    pub max_properties: Option<i64>,
    /// `maximum`
    pub maximum: Option<Number>,
    /// `minItems`
    pub min_items: Option<i64>,
    /// `minLength`, in Unicode code points.
    pub min_length: Option<i64>,
    /// `minProperties`
    pub min_properties: Option<i64>,
    /// `minimum`
    pub minimum: Option<Number>,
    /// `multipleOf`
    pub multiple_of: Option<Number>,
    /// `not`
    pub not: Option<Box<Schema>>,
    /// `nullable`
    pub nullable: bool,
    /// `oneOf`
    pub one_of: Vec<Schema>,
    /// `pattern`, an RE2 expression searched anywhere in the value.
    pub pattern: Option<Text>,
    /// `properties`
    pub properties: Properties,
    /// `required`, sorted.
    pub required: Vec<Text>,
    /// `title`
    pub title: Option<Text>,
    /// `type`
    pub kind: Option<Text>,
    /// `uniqueItems`
    pub unique_items: bool,
    /// `x-kubernetes-embedded-resource`
    pub embedded_resource: bool,
    /// `x-kubernetes-int-or-string`
    pub int_or_string: bool,
    /// `x-kubernetes-list-map-keys`, in the author's order.
    pub list_map_keys: Vec<Text>,
    /// `x-kubernetes-list-type`
    pub list_type: Option<Text>,
    /// `x-kubernetes-map-type`
    pub map_type: Option<Text>,
    /// `x-kubernetes-preserve-unknown-fields`
    pub preserve_unknown_fields: Option<bool>,
    /// `x-kubernetes-validations`: CEL rules in the order in which the server reports them.
    pub validations: Vec<Validation>,
}

/// `additionalProperties`
#[derive(Clone, Debug, PartialEq)]
pub enum AdditionalProperties {
    /// `true` or `false`
    Allowed(bool),
    /// The schema of every value.
    Values(Box<Schema>),
}

/// `externalDocs`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExternalDocs {
    /// `description`
    pub description: Option<Text>,
    /// `url`
    pub url: Option<Text>,
}

/// One entry of `x-kubernetes-validations`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Validation {
    /// `fieldPath`: which field the error is reported for.
    pub field_path: Option<Text>,
    /// `message`
    pub message: Option<Text>,
    /// `messageExpression`: a CEL expression that makes the message.
    pub message_expression: Option<Text>,
    /// `optionalOldSelf`
    pub optional_old_self: Option<bool>,
    /// `reason`: one of `FieldValueInvalid`, `FieldValueForbidden`, `FieldValueRequired`, `FieldValueDuplicate`.
    pub reason: Option<Text>,
    /// `rule`: the CEL expression that must hold.
    pub rule: Text,
}

impl Validation {
    fn send(&self, sink: &mut dyn Sink) {
        sink.begin_map();
        send_optional_text(sink, "fieldPath", &self.field_path);
        send_optional_text(sink, "message", &self.message);
        send_optional_text(sink, "messageExpression", &self.message_expression);
        send_optional_boolean(sink, "optionalOldSelf", self.optional_old_self);
        send_optional_text(sink, "reason", &self.reason);
        send_text(sink, "rule", &self.rule);
        sink.end_map();
    }
}

fn optional_integer(sink: &mut dyn Sink, key: &str, value: Option<i64>) {
    if let Some(integer) = value {
        sink.key(key);
        sink.number(&Number::from(integer));
    }
}

fn optional_number(sink: &mut dyn Sink, key: &str, value: &Option<Number>) {
    if let Some(number) = value {
        sink.key(key);
        sink.number(number);
    }
}

fn flag(sink: &mut dyn Sink, key: &str, value: bool) {
    send_optional_boolean(sink, key, value.then_some(true));
}

fn optional_value(sink: &mut dyn Sink, key: &str, value: &Option<Value>) {
    if let Some(value) = value {
        sink.key(key);
        send_value(value, sink);
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

    /// Changes the node and all nodes below it, those of `allOf` and its like included.
    pub fn each_mut(&mut self, change: &mut dyn FnMut(&mut Self)) {
        change(self);
        let Self { all_of, any_of, one_of, not, properties, items, additional_properties, .. } = self;
        let values = match additional_properties {
            Some(AdditionalProperties::Values(values)) => Some(&mut **values),
            _ => None,
        };
        let junctors = all_of.iter_mut().chain(any_of).chain(one_of).chain(not.as_deref_mut());
        for below in junctors.chain(properties.values_mut()).chain(items.as_deref_mut()).chain(values) {
            below.each_mut(change);
        }
    }

    /// Sends the node and all nodes below it, keywords in alphabetical order, absent ones left out.
    pub fn send(&self, sink: &mut dyn Sink) {
        sink.begin_map();
        match &self.additional_properties {
            Some(AdditionalProperties::Allowed(allowed)) => {
                sink.key("additionalProperties");
                sink.boolean(*allowed);
            }
            Some(AdditionalProperties::Values(values)) => {
                sink.key("additionalProperties");
                values.send(sink);
            }
            None => {}
        }
        send_list(sink, "allOf", &self.all_of, Schema::send);
        send_list(sink, "anyOf", &self.any_of, Schema::send);
        optional_value(sink, "default", &self.default);
        send_optional_text(sink, "description", &self.description);
        if let Some(values) = &self.enumeration {
            sink.key("enum");
            sink.begin_list();
            for value in values {
                sink.item();
                send_value(value, sink);
            }
            sink.end_list();
        }
        optional_value(sink, "example", &self.example);
        flag(sink, "exclusiveMaximum", self.exclusive_maximum);
        flag(sink, "exclusiveMinimum", self.exclusive_minimum);
        if let Some(docs) = &self.external_docs {
            sink.key("externalDocs");
            sink.begin_map();
            send_optional_text(sink, "description", &docs.description);
            send_optional_text(sink, "url", &docs.url);
            sink.end_map();
        }
        send_optional_text(sink, "format", &self.format);
        send_optional_text(sink, "id", &self.id);
        if let Some(items) = &self.items {
            sink.key("items");
            items.send(sink);
        }
        optional_integer(sink, "maxItems", self.max_items);
        optional_integer(sink, "maxLength", self.max_length);
        optional_integer(sink, "maxProperties", self.max_properties);
        optional_number(sink, "maximum", &self.maximum);
        optional_integer(sink, "minItems", self.min_items);
        optional_integer(sink, "minLength", self.min_length);
        optional_integer(sink, "minProperties", self.min_properties);
        optional_number(sink, "minimum", &self.minimum);
        optional_number(sink, "multipleOf", &self.multiple_of);
        if let Some(not) = &self.not {
            sink.key("not");
            not.send(sink);
        }
        flag(sink, "nullable", self.nullable);
        send_list(sink, "oneOf", &self.one_of, Schema::send);
        send_optional_text(sink, "pattern", &self.pattern);
        if !self.properties.is_empty() {
            sink.key("properties");
            sink.begin_map();
            for (name, property) in &self.properties {
                sink.key(name);
                property.send(sink);
            }
            sink.end_map();
        }
        send_texts(sink, "required", &self.required);
        send_optional_text(sink, "title", &self.title);
        send_optional_text(sink, "type", &self.kind);
        flag(sink, "uniqueItems", self.unique_items);
        flag(sink, "x-kubernetes-embedded-resource", self.embedded_resource);
        flag(sink, "x-kubernetes-int-or-string", self.int_or_string);
        send_texts(sink, "x-kubernetes-list-map-keys", &self.list_map_keys);
        send_optional_text(sink, "x-kubernetes-list-type", &self.list_type);
        send_optional_text(sink, "x-kubernetes-map-type", &self.map_type);
        send_optional_boolean(sink, "x-kubernetes-preserve-unknown-fields", self.preserve_unknown_fields);
        send_list(sink, "x-kubernetes-validations", &self.validations, Validation::send);
        sink.end_map();
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

/// A part of a document that could not be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// Where, in dots and brackets from the top of what was read: `properties.spec.type`.
    pub path: String,
    /// What kind of error.
    pub kind: ReadErrorKind,
    /// What is wrong.
    pub message: String,
}

/// What kind of error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadErrorKind {
    /// A key that is not part of the format.
    Unknown,
    /// A keyword of JSON Schema that a structural schema cannot have.
    NotStructural,
    /// A required key is missing.
    Missing,
    /// A value of another kind than expected.
    Unexpected,
    /// A value that counts as absent: `null`, or a keyword that a structural schema cannot have, without content. Only readers of published CRDs
    /// make this distinction: [`crate::CustomResourceDefinition::from_published`].
    Absent,
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.path.is_empty() {
            formatter.write_str(&self.message)
        } else {
            write!(formatter, "{}: {}", self.path, self.message)
        }
    }
}

impl std::error::Error for ReadError {}

/// Reads values and collects what it cannot understand.
#[derive(Default)]
pub(crate) struct Reader {
    pub(crate) path: Vec<String>,
    pub(crate) errors: Vec<ReadError>,
    /// Whether `null` and empty keywords count as absent, as on a server.
    pub(crate) is_published: bool,
}

impl Reader {
    /// Adds an error: a value of another kind than expected.
    pub(crate) fn fail(&mut self, message: impl Into<String>) {
        self.fail_as(ReadErrorKind::Unexpected, message);
    }

    pub(crate) fn fail_as(&mut self, kind: ReadErrorKind, message: impl Into<String>) {
        self.errors.push(ReadError { path: self.path.join("."), kind, message: message.into() });
    }

    pub(crate) fn unknown(&mut self, whole: &str) {
        self.fail_as(ReadErrorKind::Unknown, format!("this is not a {whole}"));
    }

    pub(crate) fn missing(&mut self, key: &str) {
        self.fail_as(ReadErrorKind::Missing, format!("`{key}` is missing"));
    }

    /// Adds that a value counts as absent.
    pub(crate) fn absent(&mut self, what: &str) {
        self.fail_as(ReadErrorKind::Absent, format!("{what}, which counts as absent"));
    }

    /// Whether a value is null where that counts as absent, which is added.
    pub(crate) fn is_absent(&mut self, value: &Value) -> bool {
        let is_absent = self.is_published && value.is_null();
        if is_absent {
            self.absent("the value is null");
        }
        is_absent
    }

    pub(crate) fn at<T>(&mut self, key: impl Into<String>, read: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(key.into());
        let value = read(self);
        self.path.pop();
        value
    }

    /// What was read of a value; without it, the value is of another kind than expected.
    fn expect<T>(&mut self, read: Option<T>, expected: &str, value: &Value) -> Option<T> {
        if read.is_none() && !self.is_absent(value) {
            self.fail(format!("expected {expected}, found {}", kind_of(value)));
        }
        read
    }

    pub(crate) fn object<'v>(&mut self, value: &'v Value) -> Option<&'v Map<String, Value>> {
        self.expect(value.as_object(), "an object", value)
    }

    /// Reads every entry of an object. Another value has none.
    pub(crate) fn entries<'v>(
        &mut self,
        value: &'v Value,
        mut read: impl FnMut(&mut Self, &str, &'v Value),
    ) -> Option<&'v Map<String, Value>> {
        let map = self.object(value)?;
        for (key, value) in map {
            self.at(key.clone(), |reader| read(reader, key, value));
        }
        Some(map)
    }

    pub(crate) fn text(&mut self, value: &Value) -> Option<Text> {
        self.expect(value.as_str(), "a string", value).map(|text| Text::Owned(text.to_owned()))
    }

    pub(crate) fn boolean(&mut self, value: &Value) -> bool {
        self.expect(value.as_bool(), "true or false", value).unwrap_or_default()
    }

    pub(crate) fn integer(&mut self, value: &Value) -> Option<i64> {
        let integer = value.as_i64();
        if integer.is_none() && !self.is_absent(value) {
            self.fail(format!("expected an integer, found {value}"));
        }
        integer
    }

    fn number(&mut self, value: &Value) -> Option<Number> {
        self.expect(value.as_number(), "a number", value).cloned()
    }

    pub(crate) fn list<T>(&mut self, value: &Value, mut read: impl FnMut(&mut Self, &Value) -> T) -> Vec<T> {
        let Some(items) = self.expect(value.as_array(), "a list", value) else { return Vec::new() };
        items
            .iter()
            .enumerate()
            .map(|(index, item)| self.at(format!("[{index}]"), |reader| read(reader, item)))
            .collect()
    }

    pub(crate) fn texts(&mut self, value: &Value) -> Vec<Text> {
        self.list(value, |reader, item| reader.text(item).unwrap_or_default())
    }

    pub(crate) fn schema(&mut self, value: &Value) -> Schema {
        let mut schema = Schema::default();
        self.entries(value, |reader, keyword, value| reader.keyword(&mut schema, keyword, value));
        schema
    }

    pub(crate) fn keyword(&mut self, schema: &mut Schema, keyword: &str, value: &Value) {
        if self.is_published && value.is_null() {
            // What is read of it is dropped: only its name is checked.
            let (mut nothing, known) = (Schema::default(), self.errors.len());
            self.value_of(&mut nothing, keyword, value);
            if self.errors.len() == known {
                self.is_absent(value);
            }
        } else {
            self.value_of(schema, keyword, value);
        }
    }

    fn value_of(&mut self, schema: &mut Schema, keyword: &str, value: &Value) {
        match keyword {
            "additionalProperties" => {
                schema.additional_properties = Some(match value {
                    Value::Bool(allowed) => AdditionalProperties::Allowed(*allowed),
                    other => AdditionalProperties::Values(Box::new(self.schema(other))),
                });
            }
            "allOf" => schema.all_of = self.list(value, Self::schema),
            "anyOf" => schema.any_of = self.list(value, Self::schema),
            "default" => schema.default = Some(value.clone()),
            "description" => schema.description = self.text(value),
            "enum" => schema.enumeration = Some(self.list(value, |_, item| item.clone())),
            "example" => schema.example = Some(value.clone()),
            "exclusiveMaximum" => schema.exclusive_maximum = self.boolean(value),
            "exclusiveMinimum" => schema.exclusive_minimum = self.boolean(value),
            "externalDocs" => schema.external_docs = self.external_docs(value),
            "format" => schema.format = self.text(value),
            "id" => schema.id = self.text(value),
            "items" => schema.items = Some(Box::new(self.schema(value))),
            "maxItems" => schema.max_items = self.integer(value),
            "maxLength" => schema.max_length = self.integer(value),
            "maxProperties" => schema.max_properties = self.integer(value),
            "maximum" => schema.maximum = self.number(value),
            "minItems" => schema.min_items = self.integer(value),
            "minLength" => schema.min_length = self.integer(value),
            "minProperties" => schema.min_properties = self.integer(value),
            "minimum" => schema.minimum = self.number(value),
            "multipleOf" => schema.multiple_of = self.number(value),
            "not" => schema.not = Some(Box::new(self.schema(value))),
            "nullable" => schema.nullable = self.boolean(value),
            "oneOf" => schema.one_of = self.list(value, Self::schema),
            "pattern" => schema.pattern = self.text(value),
            "properties" => {
                self.entries(value, |reader, name, property| {
                    schema.properties.insert(Text::Owned(name.to_owned()), reader.schema(property));
                });
            }
            "required" => {
                schema.required = self.texts(value);
                schema.required.sort();
            }
            "title" => schema.title = self.text(value),
            "type" => schema.kind = self.text(value),
            "uniqueItems" => schema.unique_items = self.boolean(value),
            "x-kubernetes-embedded-resource" => schema.embedded_resource = self.boolean(value),
            "x-kubernetes-int-or-string" => schema.int_or_string = self.boolean(value),
            "x-kubernetes-list-map-keys" => schema.list_map_keys = self.texts(value),
            "x-kubernetes-list-type" => schema.list_type = self.text(value),
            "x-kubernetes-map-type" => schema.map_type = self.text(value),
            "x-kubernetes-preserve-unknown-fields" => schema.preserve_unknown_fields = Some(self.boolean(value)),
            "x-kubernetes-validations" => schema.validations = self.list(value, Self::validation),
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

    fn external_docs(&mut self, value: &Value) -> Option<ExternalDocs> {
        let mut docs = ExternalDocs::default();
        self.entries(value, |reader, key, value| match key {
            "description" => docs.description = reader.text(value),
            "url" => docs.url = reader.text(value),
            _ => reader.unknown("key of externalDocs"),
        })?;
        Some(docs)
    }

    fn validation(&mut self, value: &Value) -> Validation {
        let mut validation = Validation::default();
        let found = self.entries(value, |reader, key, value| match key {
            "fieldPath" => validation.field_path = reader.text(value),
            "message" => validation.message = reader.text(value),
            "messageExpression" => validation.message_expression = reader.text(value),
            "optionalOldSelf" => {
                validation.optional_old_self = (!reader.is_absent(value)).then(|| reader.boolean(value));
            }
            "reason" => validation.reason = reader.text(value),
            "rule" => validation.rule = reader.text(value).unwrap_or_default(),
            _ => reader.unknown("key of a validation rule"),
        });
        let lacks = |found: &Map<String, Value>| found.get("rule").is_none_or(Value::is_null);
        if self.is_published && found.map_or(value.is_null(), lacks) {
            self.missing("rule");
        }
        validation
    }
}

/// What kind of JSON value this is, in words for a message.
pub fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Whether a property is written in a schema path without quotes.
pub fn is_plain_name(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|character| character.is_alphanumeric() || matches!(character, '_' | '-' | '$'))
}
