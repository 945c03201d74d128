//! The outline of a CRD: what tombstones and the life of API versions need, read without the rest of the text.
//!
//! Invariants: names, enum values, API versions and what they are for (served, storage, deprecated) are those of the whole CRD. All other parts
//! are absent, so an outline is never compared with a CRD.

use std::fmt;

use crd_model::CustomResourceDefinition;
use crd_model::crd::{Names, Version};
use crd_model::schema::{AdditionalProperties, Properties, Schema, Text};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

/// The outline of a CRD in a text of JSON.
pub(super) fn outline(text: &str) -> Result<CustomResourceDefinition, serde_json::Error> {
    let Crd { metadata, spec } = serde_json::from_str::<Crd>(text)?;
    let version = |version: CrdVersion| Version {
        name: version.name.into(),
        served: version.served,
        storage: version.storage,
        deprecated: version.deprecated,
        schema: version.schema.schema.0,
        ..Version::default()
    };
    Ok(CustomResourceDefinition {
        name: metadata.name.into(),
        names: Names { kind: spec.names.kind.into(), ..Names::default() },
        versions: spec.versions.into_iter().map(version).collect(),
        ..CustomResourceDefinition::default()
    })
}

/// A key of an object as its position in a list of keys; none if the list does not have it.
struct Key(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key {
    type Value = Option<usize>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|known| *known == key))
    }
}

/// Types of objects of which some keys are read. Other keys are skipped, and absent ones have the default value.
macro_rules! objects {
    ($($name:ident { $($key:literal $field:ident: $kind:ty),* })*) => {$(
        #[derive(Default)]
        struct $name {
            $($field: $kind,)*
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Object;

                impl<'de> Visitor<'de> for Object {
                    type Value = $name;

                    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                        formatter.write_str("an object")
                    }

                    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                        const KEYS: &[&str] = &[$($key),*];
                        let mut read = $name::default();
                        while let Some(key) = map.next_key_seed(Key(KEYS))? {
                            match key.map(|key| KEYS[key]) {
                                $(Some($key) => read.$field = map.next_value()?,)*
                                _ => drop(map.next_value::<IgnoredAny>()?),
                            }
                        }
                        Ok(read)
                    }
                }

                deserializer.deserialize_map(Object)
            }
        }
    )*};
}

objects! {
    Crd { "metadata" metadata: Metadata, "spec" spec: Spec }
    Metadata { "name" name: String }
    Spec { "names" names: CrdNames, "versions" versions: Vec<CrdVersion> }
    CrdNames { "kind" kind: String }
    CrdVersion {
        "deprecated" deprecated: bool,
        "name" name: String,
        "schema" schema: CrdSchema,
        "served" served: bool,
        "storage" storage: bool
    }
    CrdSchema { "openAPIV3Schema" schema: Node }
    Keywords {
        "additionalProperties" values: Values,
        "enum" enumeration: Option<Vec<Value>>,
        "items" items: Option<Box<Node>>,
        "properties" properties: Fields
    }
}

/// A node of a schema.
#[derive(Default)]
struct Node(Schema);

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Keywords { values, enumeration, items, properties } = Keywords::deserialize(deserializer)?;
        Ok(Self(Schema {
            additional_properties: values.0,
            enumeration,
            items: items.map(|items| Box::new(items.0)),
            properties: properties.0,
            ..Schema::default()
        }))
    }
}

/// The fields of a node.
#[derive(Default)]
struct Fields(Properties);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Map;

        impl<'de> Visitor<'de> for Map {
            type Value = Fields;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a map of schemas")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some((name, Node(schema))) = map.next_entry::<String, Node>()? {
                    fields.push((Text::from(name), schema));
                }
                Ok(Fields(fields.into_iter().collect()))
            }
        }

        deserializer.deserialize_map(Map)
    }
}

/// `additionalProperties`: a boolean, or the schema of the values.
#[derive(Default)]
struct Values(Option<AdditionalProperties>);

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = Values;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a boolean or a schema")
            }

            fn visit_bool<E: Error>(self, allowed: bool) -> Result<Values, E> {
                Ok(Values(Some(AdditionalProperties::Allowed(allowed))))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Values, A::Error> {
                let Node(schema) = Node::deserialize(serde::de::value::MapAccessDeserializer::new(map))?;
                Ok(Values(Some(AdditionalProperties::Values(Box::new(schema)))))
            }
        }

        deserializer.deserialize_any(Either)
    }
}
