//! Descriptors that were read from source: they are used like compiled ones.

use std::sync::OnceLock;

use crd_channels::deferred::Deferred;
use crd_channels::exports::{OPAQUE, field};
use crd_channels::typed::TypeParts;
use crd_channels::{Channel, ChannelSet, Described, Field, Location, Shape, TypeDescriptor, TypeRef, api};
use crd_generate::schema_of;

/// A part.
#[api]
struct Part {
    /// Its name.
    name: Option<String>,
}

fn described(name: &'static str, fields: Vec<Field>) -> TypeDescriptor {
    TypeDescriptor {
        name,
        module: "",
        description: "",
        channels: ChannelSet::ALL,
        experimental: None,
        shape: Shape::Struct(Vec::leak(fields)),
        markers: &[],
        tombstones: &[],
        resource: None,
        location: Location { file: "whole.rs", line: 1 },
    }
}

fn named(name: &'static str, kind: TypeRef) -> Field {
    field(name, name, "", 2, TypeParts { reference: kind, ..OPAQUE })
}

#[test]
fn a_type_a_schema_and_a_default_are_values() {
    let schema = Deferred::read(r#"{"type": "boolean"}"#.to_owned());
    let fields = vec![
        named("part", TypeRef::Named(Deferred::read(Part::DESCRIPTOR))),
        named("foreign", TypeRef::Foreign { name: "F", schema, descriptions: true }),
        Field {
            rust_default: Some(Deferred::read(Some("1".to_owned()))),
            ..named("defaulted", TypeRef::Integer { rust: "isize", format: None })
        },
    ];
    let errors = schema_of(Box::leak(Box::new(described("Whole", fields.clone()))), Channel::Standard).unwrap_err();
    assert_eq!(errors[0].message, "an absent field reads as 1 in Rust, and its marker has the default null");
    let whole = described("Whole", fields[..2].to_vec());
    let schema = schema_of(Box::leak(Box::new(whole)), Channel::Standard).unwrap();
    let part = schema_of(Part::DESCRIPTOR, Channel::Standard).unwrap();
    assert_eq!(schema.properties.get("part"), Some(&part));
    assert_eq!(schema.required, ["foreign", "part"]);
}

#[test]
fn a_type_that_contains_itself_is_reported_and_printed() {
    static WHOLE: OnceLock<&'static TypeDescriptor> = OnceLock::new();
    let fields = vec![named("part", TypeRef::List(Box::leak(Box::new(TypeRef::Named(Deferred::Read(&WHOLE))))))];
    let whole: &'static TypeDescriptor = Box::leak(Box::new(described("Whole", fields)));
    WHOLE.set(whole).unwrap();
    let errors = schema_of(whole, Channel::Standard).unwrap_err();
    assert_eq!(errors[0].message, "the type contains itself: Whole → Whole");
    assert!(format!("{whole:?}").contains("List(Named(…))"), "{whole:?}");
}
