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
pub use walk::{Counterpart, VisitBoth, below, keeps_unknown, missing_fields, nodes, walk, walk_together};

/// What a keyword is for. Who treats keywords by their role treats a new one too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// It is for readers, and servers ignore it.
    Text,
    /// It is the type of a value.
    Type,
    /// It describes the values in a value.
    Structure,
    /// It refuses values by itself.
    Limit,
    /// It refuses values by other schemas.
    Branch,
    /// It refuses values by a CEL rule.
    Rule,
    /// It decides what is stored.
    Content,
    /// It decides how applied objects are merged.
    Merge,
}

/// The table of the keywords: each field with its type, its key, its name in [`Keyword`] and its role.
macro_rules! keywords {
    ($(#[$docs:meta])* $name:ident {
        $($(#[$more:meta])* $field:ident: $kind:ty = $key:literal $variant:ident $role:ident,)*
    }) => {
        entries! { $(#[$docs])* $name { $($(#[$more])* $field: $kind = $key,)* } }

        /// A keyword of a schema. A match without `_` does not compile until it treats a new one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Keyword {
            $(#[doc = concat!("`", $key, "`")] $variant,)*
        }

        impl Keyword {
            /// All keywords, in the order of their names.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// How many keywords have a role.
            const fn count(role: Role) -> usize {
                let (mut index, mut count) = (0, 0);
                while index < Self::ALL.len() {
                    count += (Self::ALL[index].role() as usize == role as usize) as usize;
                    index += 1;
                }
                count
            }

            /// The keywords that servers ignore.
            pub const TEXTS: [Self; Self::count(Role::Text)] = {
                let (mut index, mut count) = (0, 0);
                let mut texts = [Self::ALL[0]; Self::count(Role::Text)];
                while index < Self::ALL.len() {
                    if matches!(Self::ALL[index].role(), Role::Text) {
                        texts[count] = Self::ALL[index];
                        count += 1;
                    }
                    index += 1;
                }
                texts
            };

            /// The name, as schemas have it.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $key,)*
                }
            }

            /// The name in backticks, as messages have it.
            pub const fn quoted(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!("`", $key, "`"),)*
                }
            }

            /// What it is for.
            pub const fn role(self) -> Role {
                match self {
                    $(Self::$variant => Role::$role,)*
                }
            }
        }

        impl $name {
            /// The value of a keyword; none if the node does not have it.
            pub fn value(&self, keyword: Keyword) -> Option<Value> {
                let mut builder = ValueBuilder::default();
                builder.begin_map();
                match keyword {
                    $(Keyword::$variant => Entry::send(&self.$field, $key, &mut builder),)*
                }
                builder.end_map();
                builder.finish().get_mut(keyword.name()).map(Value::take)
            }

            /// Whether two nodes have the same value of a keyword.
            pub fn is_equal_in(&self, other: &Self, keyword: Keyword) -> bool {
                match keyword {
                    $(Keyword::$variant => self.$field == other.$field,)*
                }
            }

            /// Whether the node has a keyword; a list without entries is none.
            pub fn has(&self, keyword: Keyword) -> bool {
                match keyword {
                    $(Keyword::$variant => self.$field != <$kind>::default(),)*
                }
            }

            /// Exchanges what two nodes have of a keyword.
            pub fn swap(&mut self, other: &mut Self, keyword: Keyword) {
                match keyword {
                    $(Keyword::$variant => std::mem::swap(&mut self.$field, &mut other.$field),)*
                }
            }

            /// Gives the node the value that another one has of a keyword.
            pub fn copy(&mut self, other: &Self, keyword: Keyword) {
                match keyword {
                    $(Keyword::$variant => self.$field.clone_from(&other.$field),)*
                }
            }
        }
    };
}

keywords! {
    /// One node of a schema.
    Schema {
        /// The values of a map, or whether unnamed properties are allowed.
        additional_properties: Option<AdditionalProperties> = "additionalProperties" AdditionalProperties Structure,
        all_of: Vec<Schema> = "allOf" AllOf Branch,
        any_of: Vec<Schema> = "anyOf" AnyOf Branch,
        /// In the JSON form that the API server stores.
        default: Option<Value> = "default" Default Content,
        description: Option<Text> = "description" Description Text,
        /// In the author's order.
        enumeration: Option<Vec<Value>> = "enum" Enum Limit,
        example: Option<Value> = "example" Example Text,
        exclusive_maximum: bool = "exclusiveMaximum" ExclusiveMaximum Limit,
        exclusive_minimum: bool = "exclusiveMinimum" ExclusiveMinimum Limit,
        external_docs: Option<ExternalDocs> = "externalDocs" ExternalDocs Text,
        format: Option<Text> = "format" Format Limit,
        id: Option<Text> = "id" Id Text,
        /// The schema of every list item (the list form of `items` is not structural and is refused when read).
        items: Option<Box<Schema>> = "items" Items Structure,
        max_items: Option<i64> = "maxItems" MaxItems Limit,
        /// In Unicode code points.
        max_length: Option<i64> = "maxLength" MaxLength Limit,
        max_properties: Option<i64> = "maxProperties" MaxProperties Limit,
        maximum: Option<Number> = "maximum" Maximum Limit,
        min_items: Option<i64> = "minItems" MinItems Limit,
        /// In Unicode code points.
        min_length: Option<i64> = "minLength" MinLength Limit,
        min_properties: Option<i64> = "minProperties" MinProperties Limit,
        minimum: Option<Number> = "minimum" Minimum Limit,
        multiple_of: Option<Number> = "multipleOf" MultipleOf Limit,
        not: Option<Box<Schema>> = "not" Not Branch,
        nullable: bool = "nullable" Nullable Content,
        one_of: Vec<Schema> = "oneOf" OneOf Branch,
        /// An RE2 expression searched anywhere in the value.
        pattern: Option<Text> = "pattern" Pattern Limit,
        properties: Properties = "properties" Properties Structure,
        required: Vec<Text> = "required" Required Limit,
        title: Option<Text> = "title" Title Text,
        kind: Option<Text> = "type" Type Type,
        unique_items: bool = "uniqueItems" UniqueItems Limit,
        embedded_resource: bool = "x-kubernetes-embedded-resource" EmbeddedResource Content,
        int_or_string: bool = "x-kubernetes-int-or-string" IntOrString Type,
        /// In the author's order.
        list_map_keys: Vec<Text> = "x-kubernetes-list-map-keys" ListMapKeys Merge,
        list_type: Option<Text> = "x-kubernetes-list-type" ListType Merge,
        map_type: Option<Text> = "x-kubernetes-map-type" MapType Merge,
        preserve_unknown_fields: Option<bool> = "x-kubernetes-preserve-unknown-fields" PreserveUnknownFields Content,
        /// CEL rules in the order in which the server reports them.
        validations: Vec<Validation> = "x-kubernetes-validations" Validations Rule,
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_keywords_are_those_of_the_written_schema() {
        let whole = json!({
            "description": "a", "type": "object", "x-kubernetes-int-or-string": true, "required": ["b"], "maxLength": 3,
            "additionalProperties": {"type": "string"}, "not": {"minLength": 1}, "enum": [1], "example": null,
        });
        let node = Schema::from_value(&whole).unwrap();
        let Value::Object(map) = node.to_value() else { panic!("a schema is an object") };
        for keyword in Keyword::ALL {
            assert_eq!(node.value(*keyword).as_ref(), map.get(keyword.name()), "{}", keyword.name());
            assert_eq!(node.has(*keyword), map.contains_key(keyword.name()), "{}", keyword.name());
        }
        let mut copy = Schema::default();
        Keyword::ALL.iter().for_each(|keyword| copy.copy(&node, *keyword));
        assert_eq!(copy, node);
        let mut empty = Schema::default();
        Keyword::ALL.iter().for_each(|keyword| empty.swap(&mut copy, *keyword));
        assert_eq!((empty, copy), (node, Schema::default()));
    }
}
