//! Descriptions: a marker is never published as text, and the backslash of an escape is not published.

use crd_channels::descriptor::{Field, Shape, TypeRef, Variant};
use crd_channels::{Channel, ChannelSet, Described, Location, Presence, TypeDescriptor, api};
use crd_generate::schema_of;

/// States what the marker \+experimental means; the pattern `^\+[0-9]$` is text.
#[api]
struct Escaped {
    /// Written as `\+ optional`.
    field: Option<String>,
}

#[test]
fn the_backslash_of_an_escape_is_not_published() {
    let schema = schema_of(Escaped::DESCRIPTOR, Channel::Standard).unwrap();
    assert_eq!(
        schema.description.as_deref(),
        Some("States what the marker +experimental means; the pattern `^\\+[0-9]$` is text.")
    );
    let field = schema.properties.get("field").unwrap();
    assert_eq!(field.description.as_deref(), Some("Written as `+ optional`."));
}

const HERE: Location = Location { file: file!(), line: line!() };

const fn described(description: &'static str, shape: Shape) -> TypeDescriptor {
    let (channels, markers, tombstones) = (ChannelSet::ALL, &[], &[]);
    TypeDescriptor { name: "ByHand", description, channels, shape, markers, tombstones, resource: None, location: HERE }
}

const FIELD: Field = Field {
    name: "field",
    wire_name: "field",
    description: "Its size. +experimental",
    kind: TypeRef::String,
    presence: Presence::Optional,
    nullable: false,
    flatten: false,
    channels: ChannelSet::ALL,
    markers: &[],
    line: HERE.line,
};

const VARIANT: Variant = Variant {
    name: "A",
    wire_name: "A",
    description: "- \u{200b}+experimental",
    channels: ChannelSet::ALL,
    line: HERE.line,
};

#[test]
fn descriptors_written_by_hand_contain_no_disguised_marker() {
    static TYPE: TypeDescriptor = described("Text.\n+ experimental", Shape::Newtype(TypeRef::String));
    static STRUCT: TypeDescriptor = described("", Shape::Struct(&[FIELD]));
    static ENUM: TypeDescriptor = described("", Shape::Enum { variants: &[VARIANT], open: false });
    for (descriptor, text) in [(&TYPE, "`+ experimental`"), (&STRUCT, "`+experimental`"), (&ENUM, "`+experimental`")] {
        let errors = schema_of(descriptor, Channel::Standard).unwrap_err();
        let messages: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
        assert!(matches!(messages[..], [message] if message.contains(text)), "{messages:?}");
    }
}
