//! The Rust type that the keywords of one schema node call for.
//!
//! Invariants: a shape is chosen only if its type has exactly the keywords that [`rest`] takes out of the node; each further keyword is a marker or
//! a difference.

use crd_channels::descriptor::TypeDescriptor;
use crd_channels::{Channel, Condition, Described, LabelSelector};
use crd_generate::schema_of;
use crd_markers::fit::Kind;
use crd_model::schema::{AdditionalProperties, Properties, Schema, Text};
use serde_json::Value;

/// What the Rust type of a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A type of Rust or of `crd_channels`.
    Leaf(Leaf),
    /// An enum: a string with these values.
    Values,
    List,
    Map,
    Struct,
    /// Markers alone describe the value.
    Loose,
}

/// A type without parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaf {
    String,
    Time,
    Bytes,
    Boolean,
    Integer(&'static str),
    Number,
    IntOrString,
    Quantity,
    AnyJson,
    RawExtension,
    ObjectMeta,
    Condition,
    LabelSelector,
}

impl Leaf {
    /// The Rust type, and whether it is one of `crd_channels`.
    pub(crate) fn rust(self) -> (&'static str, bool) {
        match self {
            Leaf::String => ("String", false),
            Leaf::Boolean => ("bool", false),
            Leaf::Integer(name) => (name, false),
            Leaf::Number => ("f64", false),
            Leaf::Time => ("Time", true),
            Leaf::Bytes => ("Bytes", true),
            Leaf::IntOrString => ("IntOrString", true),
            Leaf::Quantity => ("Quantity", true),
            Leaf::AnyJson => ("AnyJson", true),
            Leaf::RawExtension => ("RawExtension", true),
            Leaf::ObjectMeta => ("ObjectMeta", true),
            Leaf::Condition => ("Condition", true),
            Leaf::LabelSelector => ("LabelSelector", true),
        }
    }
}

impl Shape {
    /// The kind of its values, which decides which markers apply.
    pub(crate) fn kind(self) -> Kind {
        match self {
            Shape::Leaf(Leaf::String | Leaf::Time | Leaf::Bytes) | Shape::Values => Kind::String,
            Shape::Leaf(Leaf::Boolean) => Kind::Boolean,
            Shape::Leaf(Leaf::Integer(_)) => Kind::Integer,
            Shape::Leaf(Leaf::Number) => Kind::Number,
            Shape::Leaf(Leaf::IntOrString | Leaf::Quantity) => Kind::IntOrString,
            Shape::Leaf(Leaf::AnyJson) | Shape::Loose => Kind::Any,
            Shape::Leaf(Leaf::RawExtension | Leaf::ObjectMeta) => Kind::Object,
            Shape::Leaf(Leaf::Condition | Leaf::LabelSelector) | Shape::Struct => Kind::Struct,
            Shape::List => Kind::List,
            Shape::Map => Kind::Map,
        }
    }
}

/// The structures of the base types that are structs.
pub(crate) struct BaseTypes {
    condition: Option<Schema>,
    label_selector: Option<Schema>,
}

impl BaseTypes {
    pub(crate) fn new() -> Self {
        let structure = |descriptor: &'static TypeDescriptor| {
            schema_of(descriptor, Channel::Standard).ok().map(|schema| bare(&schema))
        };
        Self { condition: structure(Condition::DESCRIPTOR), label_selector: structure(LabelSelector::DESCRIPTOR) }
    }
}

/// The structure of a node without what a field adds, and without texts.
fn bare(schema: &Schema) -> Schema {
    let mut bare = schema.clone();
    bare.default = None;
    bare.nullable = false;
    bare.title = None;
    bare.example = None;
    bare.external_docs = None;
    bare.each_mut(&mut |node| node.description = None);
    bare
}

/// What the type of a node is. `name` is the name of the property, if it is one.
pub(crate) fn shape(schema: &Schema, name: Option<&str>, bases: &BaseTypes) -> Shape {
    let shape = shape_of(schema, name, bases);
    // `generate` merges `allOf` into base types, but not into types of Rust and not where there is no type.
    match shape {
        Shape::Leaf(_) if schema.all_of.is_empty() => shape,
        Shape::Leaf(Leaf::Time | Leaf::Bytes) => Shape::Leaf(Leaf::String),
        Shape::Leaf(Leaf::IntOrString | Leaf::Quantity | Leaf::RawExtension | Leaf::AnyJson) => Shape::Loose,
        other => other,
    }
}

fn shape_of(schema: &Schema, name: Option<&str>, bases: &BaseTypes) -> Shape {
    if schema.int_or_string {
        return match (is_int_or_string(schema), schema.pattern.as_deref() == Some(quantity_pattern().as_ref())) {
            (true, true) => Shape::Leaf(Leaf::Quantity),
            (true, false) => Shape::Leaf(Leaf::IntOrString),
            (false, _) => Shape::Loose,
        };
    }
    match kind_of(schema).or_else(|| implied(schema)) {
        Some("string") => match (&schema.enumeration, schema.format.as_deref()) {
            (Some(values), None) if !values.is_empty() && values.iter().all(Value::is_string) => Shape::Values,
            (None, Some("date-time")) => Shape::Leaf(Leaf::Time),
            (None, Some("byte")) => Shape::Leaf(Leaf::Bytes),
            _ => Shape::Leaf(Leaf::String),
        },
        Some("boolean") => Shape::Leaf(Leaf::Boolean),
        Some("integer") => Shape::Leaf(Leaf::Integer(match schema.format.as_deref() {
            Some("int32") => "i32",
            Some("int64") => "i64",
            _ => "isize",
        })),
        Some("number") => Shape::Leaf(Leaf::Number),
        Some("array") => Shape::List,
        Some("object") if schema.properties.is_empty() => match schema.additional_properties {
            Some(AdditionalProperties::Values(_) | AdditionalProperties::Allowed(true)) => Shape::Map,
            Some(AdditionalProperties::Allowed(false)) => Shape::Struct,
            None if schema.preserve_unknown_fields == Some(true) => Shape::Leaf(Leaf::RawExtension),
            None if name == Some("metadata") => Shape::Leaf(Leaf::ObjectMeta),
            None => Shape::Struct,
        },
        Some("object") => {
            let is = |base: &Option<Schema>| base.as_ref().is_some_and(|base| *base == bare(schema));
            if schema.properties.contains_key("lastTransitionTime") && is(&bases.condition) {
                Shape::Leaf(Leaf::Condition)
            } else if schema.properties.contains_key("matchLabels") && is(&bases.label_selector) {
                Shape::Leaf(Leaf::LabelSelector)
            } else {
                Shape::Struct
            }
        }
        // Without a type, a server accepts only what preserves unknown fields.
        _ => Shape::Leaf(Leaf::AnyJson),
    }
}

/// The type that the other keywords of a node ask for. Servers accepted nodes without a type in v1beta1, and accept them where unknown fields
/// are kept.
fn implied(schema: &Schema) -> Option<&'static str> {
    if !schema.properties.is_empty() || schema.additional_properties.is_some() {
        return Some("object");
    }
    schema.items.as_ref().map(|_| "array")
}

fn kind_of(schema: &Schema) -> Option<&str> {
    schema.kind.as_deref().filter(|kind| !kind.is_empty())
}

/// The keywords of a node that neither the type of its shape nor a marker has, and those that only the type has; each with the reason.
pub(crate) fn lost(schema: &Schema, shape: Shape) -> Vec<(&'static str, String)> {
    let (published, what) = (kind_of(schema), shape.kind().in_words());
    let kind = match shape.kind() {
        _ if shape == Shape::Loose => published,
        Kind::String => Some("string"),
        Kind::Boolean => Some("boolean"),
        Kind::Integer => Some("integer"),
        Kind::Number => Some("number"),
        Kind::List => Some("array"),
        Kind::Map | Kind::Struct | Kind::Object => Some("object"),
        Kind::IntOrString | Kind::Any => None,
    };
    let mut lost = Vec::new();
    if published != kind {
        lost.push((
            "type",
            match published {
                Some(_) => format!("the types have {what}"),
                None => format!("a Rust type has one; the types have {what}, as the other keywords ask for"),
            },
        ));
    }
    if matches!(shape, Shape::Leaf(Leaf::AnyJson | Leaf::RawExtension)) && schema.preserve_unknown_fields != Some(true)
    {
        let reason = "servers need a type or this keyword; the types have any value, of which servers keep all fields";
        lost.push(("x-kubernetes-preserve-unknown-fields", reason.to_owned()));
    }
    let has_fields = matches!(shape, Shape::Struct | Shape::Leaf(Leaf::Condition | Leaf::LabelSelector));
    for (keyword, is_lost) in [
        ("properties", !schema.properties.is_empty() && !has_fields),
        ("required", !schema.required.is_empty() && !has_fields),
        ("items", schema.items.is_some() && shape != Shape::List),
        (
            "additionalProperties",
            match schema.additional_properties {
                Some(AdditionalProperties::Values(_)) => shape != Shape::Map,
                Some(AdditionalProperties::Allowed(_)) => !matches!(shape.kind(), Kind::Map | Kind::Struct),
                None => false,
            },
        ),
    ] {
        if is_lost {
            lost.push((keyword, format!("the types have {what}, for which there is no such keyword")));
        }
    }
    lost
}

/// The pattern of a quantity, as the base type has it.
pub(crate) fn quantity_pattern() -> Text {
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
        .into()
}

pub(crate) fn is_int_or_string(schema: &Schema) -> bool {
    let only = |kind: &'static str| Schema { kind: Some(kind.into()), ..Schema::default() };
    matches!(schema.any_of.as_slice(), [first, second] if *first == only("integer") && *second == only("string"))
}

/// The keywords of the node that its Rust type does not have, without properties and items.
pub(crate) fn rest(schema: &Schema, shape: Shape) -> Schema {
    let mut rest = Schema {
        properties: Properties::new(),
        items: None,
        additional_properties: match schema.additional_properties {
            Some(AdditionalProperties::Allowed(allowed)) => Some(AdditionalProperties::Allowed(allowed)),
            _ => None,
        },
        required: Vec::new(),
        description: None,
        nullable: false,
        ..schema.clone()
    };
    if shape == Shape::Loose {
        return rest;
    }
    rest.kind = None;
    match shape {
        Shape::Values => rest.enumeration = None,
        Shape::Leaf(Leaf::Time | Leaf::Bytes) | Shape::Leaf(Leaf::Integer("i32" | "i64")) => rest.format = None,
        Shape::Leaf(Leaf::IntOrString | Leaf::Quantity) => {
            rest.int_or_string = false;
            rest.any_of = Vec::new();
            if shape == Shape::Leaf(Leaf::Quantity) {
                rest.pattern = None;
            }
        }
        Shape::Leaf(Leaf::AnyJson | Leaf::RawExtension) => rest.preserve_unknown_fields = None,
        Shape::Leaf(Leaf::Condition | Leaf::LabelSelector) => rest.map_type = None,
        _ => {}
    }
    rest
}
