//! What the macro's output needs besides the public items. Not for use by hand.
//!
//! Fed by nobody. Read by the code that the macro writes: each token of that code costs time in every build of an annotated
//! crate, so what is the same for most fields, values and markers is said here once.
//!
//! Invariants: everything is constant; the short forms say the common case, and the macro overrides what differs.

use crate::channel::ChannelSet;
use crate::descriptor::{BaseType, Field, Presence, TypeRef, Variant};
use crate::facts::{Facts, FieldFact, Kind};
use crate::rule::{Marker, Rule};
use crate::typed::Place;

#[cfg(feature = "kube")]
pub use k8s_openapi;
#[cfg(feature = "kube")]
pub use kube_core;
#[cfg(feature = "serde")]
pub use serde;

/// A field without markers, in all channels.
pub const fn field(
    name: &'static str,
    wire_name: &'static str,
    description: &'static str,
    line: u32,
    place: Place,
) -> Field {
    Field {
        name,
        wire_name,
        description,
        kind: place.reference,
        presence: if place.options == 0 { Presence::Required } else { Presence::Optional },
        nullable: false,
        flatten: false,
        channels: ChannelSet::ALL,
        markers: &[],
        line,
    }
}

/// What the compiler can know of a field.
pub const fn fact(name: &'static str, place: Place) -> FieldFact {
    FieldFact { name, kind: place.kind, required: place.options == 0 }
}

/// A value of an enum, in all channels.
pub const fn variant(name: &'static str, wire_name: &'static str, description: &'static str, line: u32) -> Variant {
    Variant { name, wire_name, description, channels: ChannelSet::ALL, line }
}

/// A marker in all channels, on the thing itself.
pub const fn always(rule: Rule, line: u32) -> Marker {
    Marker { channels: ChannelSet::ALL, items: false, rule, line }
}

/// Facts of a struct without fields.
pub const STRUCT: Facts = Facts::of(Kind::Struct);

/// What stands in a descriptor where the type is not known: a foreign one, or one that was refused.
pub const OPAQUE: Place = Place { reference: TypeRef::Base(BaseType::AnyJson), kind: Kind::Any, options: 0 };
