//! Short forms of what is equal for most fields, values and markers.
//!
//! Each token of the macro's output costs time in every build of an annotated crate, and a reader of source has the same defaults.
//!
//! Invariants: everything is constant; the short forms hold the common case, and the macro and the reader override the differences.

use crate::descriptor::{BaseType, Field, Presence, TypeRef, Variant};
use crate::facts::{Facts, FieldFact, Kind};
use crate::rule::{Marker, Rule};
use crate::typed::TypeParts;
use crd_names::channel::ChannelSet;

/// A field without markers, in all channels.
pub const fn field(
    name: &'static str,
    wire_name: &'static str,
    description: &'static str,
    line: u32,
    parts: TypeParts,
) -> Field {
    Field {
        name,
        wire_name,
        aliases: &[],
        description,
        kind: parts.reference,
        presence: if parts.options == 0 { Presence::Required } else { Presence::Optional },
        nullable: false,
        flatten: false,
        rust_default: None,
        channels: ChannelSet::ALL,
        experimental: None,
        markers: &[],
        line,
    }
}

/// Facts about a field for constant evaluation.
pub const fn fact(name: &'static str, parts: TypeParts) -> FieldFact {
    FieldFact { name, kind: parts.kind, required: parts.options == 0 }
}

/// A value of an enum without markers, in all channels.
pub const fn variant(name: &'static str, wire_name: &'static str, description: &'static str, line: u32) -> Variant {
    Variant {
        name,
        wire_name,
        aliases: &[],
        description,
        channels: ChannelSet::ALL,
        experimental: None,
        markers: &[],
        line,
    }
}

/// A marker in all channels, on the thing itself.
pub const fn always(rule: Rule, line: u32) -> Marker {
    Marker { channels: ChannelSet::ALL, items: false, rule, line }
}

/// Facts of a struct without fields.
pub const STRUCT: Facts = Facts::of(Kind::Struct);

/// The placeholder in a descriptor for an unknown type: a foreign one, or one that was rejected.
pub const OPAQUE: TypeParts = TypeParts { reference: TypeRef::Base(BaseType::AnyJson), kind: Kind::Any, options: 0 };
