//! How large a value of a schema can be, as the server declares it to the cost model.
//!
//! Invariants: a bound is that of the schema, or the largest that fits into one request. Bounds in `allOf` and similar keywords do not count.

use crd_model::schema::{AdditionalProperties, Schema};

use super::super::fields;

/// The size of the largest request that a server accepts, in bytes.
pub(super) const REQUEST_SIZE: i64 = 3 * 1024 * 1024;
/// The first minor that counts `maxLength` of int-or-string.
const INT_OR_STRING_BOUND_SINCE: u32 = 34;
/// The first minor that bounds `metadata.name` and `metadata.generateName`.
const NAME_BOUND_SINCE: u32 = 37;
/// The longest name of an object.
const NAME_LENGTH: i64 = 253;
/// A code point in bytes.
const CODE_POINT_SIZE: i64 = 4;

/// One step from a value to a part of it, as a field path of the server has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathElement<'r> {
    /// A variable, or a field as the rule writes it.
    Name(&'r str),
    /// An item of a list.
    Items,
    /// The index of an item.
    Indices,
    /// The key of an entry.
    Keys,
    /// The value of an entry.
    Values,
}

/// The declared type of a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Declared<'n> {
    /// A value with this schema. A resource has `apiVersion`, `kind` and `metadata` whatever the schema lists.
    Value { schema: &'n Schema, resource: bool },
    /// The metadata of a resource with this schema.
    Metadata(&'n Schema),
    /// A string of at most this size.
    Text(i64),
    /// The key of a map, which is declared without a size.
    Key,
}

fn text_size() -> i64 {
    // The quotation marks.
    REQUEST_SIZE - 2
}

fn positive(bound: i64) -> i64 {
    bound.max(0)
}

impl<'n> Declared<'n> {
    /// The type of a schema below another one.
    pub(super) fn of(schema: &'n Schema) -> Self {
        Self::Value { schema, resource: schema.embedded_resource }
    }

    /// A part of the value, if it is declared.
    pub(super) fn below(self, step: PathElement<'_>, minor: u32) -> Option<Self> {
        match self {
            Self::Value { schema, resource } => below_schema(schema, resource, step),
            Self::Metadata(resource) => {
                let (name, bound) = match step {
                    PathElement::Name("name") => ("name", NAME_LENGTH),
                    // A server adds at least one character.
                    PathElement::Name("generateName") => ("generateName", NAME_LENGTH - 1),
                    _ => return None,
                };
                if minor < NAME_BOUND_SINCE {
                    return Some(Self::Text(text_size()));
                }
                let metadata = resource.properties.get("metadata");
                let own = metadata.and_then(|metadata| metadata.properties.get(name)).and_then(|name| name.max_length);
                let bound = own.map_or(bound, |own| bound.min(own));
                Some(Self::Text(positive(bound) * CODE_POINT_SIZE))
            }
            Self::Text(_) | Self::Key => None,
        }
    }

    /// The largest size: bytes, items or entries; 0 for everything else.
    pub(super) fn largest(self, minor: u32) -> u64 {
        let size = match self {
            Self::Value { schema, .. } => largest(schema, minor),
            Self::Text(size) => size,
            Self::Metadata(_) | Self::Key => 0,
        };
        size.cast_unsigned()
    }

    /// Whether the largest size differs between minors.
    pub(super) fn depends_on_minor(self) -> bool {
        match self {
            Self::Value { schema, .. } => schema.int_or_string && schema.max_length.is_some(),
            // A name of a resource.
            Self::Text(_) => true,
            Self::Metadata(_) | Self::Key => false,
        }
    }

    /// The smallest size in JSON, in bytes.
    pub(super) fn smallest(self) -> i64 {
        match self {
            Self::Value { schema, resource } => smallest(schema, resource),
            Self::Metadata(_) | Self::Text(_) | Self::Key => 2,
        }
    }
}

fn below_schema<'n>(schema: &'n Schema, resource: bool, step: PathElement<'_>) -> Option<Declared<'n>> {
    if schema.int_or_string {
        return None;
    }
    match (schema.kind.as_deref()?, step) {
        ("array", PathElement::Items | PathElement::Values) => schema.items.as_deref().map(Declared::of),
        ("object", PathElement::Items | PathElement::Values) => schema.values().map(Declared::of),
        ("object", PathElement::Keys) => schema.values().map(|_| Declared::Key),
        ("object", PathElement::Name(written)) if schema.values().is_none() => {
            if resource && !fields::describes_resource(schema) {
                match written {
                    "apiVersion" | "kind" => return Some(Declared::Text(text_size())),
                    "metadata" => return Some(Declared::Metadata(schema)),
                    _ => {}
                }
            }
            let (name, property) = fields::property(&schema.properties, written)?;
            // A reserved word that is written as it is has a type, but the cost model does not find it.
            let is_found = fields::escape(name).is_some_and(|escaped| escaped == written);
            (is_found && fields::is_visible(property)).then(|| Declared::of(property))
        }
        _ => None,
    }
}

fn largest(schema: &Schema, minor: u32) -> i64 {
    let bounded = |bound: i64| positive(bound).wrapping_mul(CODE_POINT_SIZE);
    if schema.int_or_string {
        let bound = schema.max_length.filter(|_| minor >= INT_OR_STRING_BOUND_SINCE);
        return bound.map_or(text_size(), bounded);
    }
    match (schema.kind.as_deref(), schema.max_length) {
        (Some("array"), _) => schema.max_items.map(positive).unwrap_or_else(|| {
            let item = schema.items.as_deref().map_or(0, |items| Declared::of(items).smallest());
            (REQUEST_SIZE - 2) / (item + 1)
        }),
        (Some("object"), _) => match &schema.additional_properties {
            Some(AdditionalProperties::Values(values)) => schema.max_properties.map(positive).unwrap_or_else(|| {
                // A key with its quotation marks, a colon and a comma.
                (REQUEST_SIZE - 2) / (Declared::of(values).smallest() + 6)
            }),
            _ => 0,
        },
        (Some("string"), bound) => match (schema.format.as_deref(), bound) {
            (Some("byte"), Some(bound)) => positive(bound),
            (Some("duration" | "date-time"), _) => 32,
            (Some("date"), _) => 12,
            (_, Some(bound)) => bounded(bound),
            (Some("byte"), None) => text_size(),
            (_, None) => match schema.enumeration.as_deref() {
                Some(values @ [_, ..]) => {
                    let lengths = values.iter().filter_map(|value| Some(value.as_str()?.len()));
                    i64::try_from(lengths.max().unwrap_or_default()).unwrap_or(i64::MAX)
                }
                _ => text_size(),
            },
        },
        _ => 0,
    }
}

fn smallest(schema: &Schema, resource: bool) -> i64 {
    if schema.int_or_string {
        return 1;
    }
    match schema.kind.as_deref() {
        Some("object") if schema.values().is_none() => {
            let declared = |name: &str| {
                let step = PathElement::Name(name);
                if resource && matches!(name, "apiVersion" | "kind" | "metadata") {
                    return below_schema(schema, resource, step);
                }
                let property = schema.properties.get(name)?;
                (property.default.is_none() && fields::is_visible(property)).then(|| Declared::of(property))
            };
            let required = schema.required.iter().filter_map(|name| {
                let length = i64::try_from(name.len()).unwrap_or(i64::MAX);
                Some(length + declared(name)?.smallest() + 4)
            });
            2 + required.sum::<i64>()
        }
        Some("string") => match schema.format.as_deref() {
            Some("duration") => 3,
            Some("date") => 12,
            Some("date-time") => 21,
            _ => 2,
        },
        Some("boolean") => 4,
        Some("integer" | "number") => 1,
        _ => 2,
    }
}
