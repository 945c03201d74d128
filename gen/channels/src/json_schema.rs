//! schemars' `JsonSchema` for `#[api]` types and base types (feature `schemars`).
//!
//! Invariants: the schema is the one that `cargo xtask generate` writes for the type in the experimental channel, which contains
//! everything that a value can hold. Named types inside are written in place, as in a CRD.

use std::borrow::Cow;

use crd_generate::schema_of;
use schemars::{JsonSchema, Schema, SchemaGenerator};

#[cfg(not(feature = "kube"))]
use crate::base::ObjectMeta;
use crate::base::{AnyJson, Bytes, Duration, IntOrString, Quantity, RawExtension, Time};
use crate::descriptor::{Location, Shape, TypeDescriptor};
use crate::{Channel, ChannelSet, Described, Typed};

/// The schema of a type with `#[api]`.
///
/// # Panics
/// If `cargo xtask generate` would report an error about the type, such as a recursion. The panic lists all errors.
pub fn schema<T: Described>() -> Schema {
    described(T::DESCRIPTOR)
}

fn described(descriptor: &'static TypeDescriptor) -> Schema {
    let schema = match schema_of(descriptor, Channel::Experimental) {
        Ok(schema) => schema.to_value(),
        Err(errors) => {
            let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
            panic!("`{}` has no schema: {}", descriptor.name, texts.join("\n"));
        }
    };
    Schema::try_from(schema).unwrap_or_default()
}

macro_rules! base_types {
    ($($rust:ident),*) => {
        $(impl JsonSchema for $rust {
            fn schema_name() -> Cow<'static, str> {
                stringify!($rust).into()
            }
            fn schema_id() -> Cow<'static, str> {
                concat!("crd_channels::", stringify!($rust)).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                static DESCRIPTOR: TypeDescriptor = TypeDescriptor {
                    module: module_path!(),
                    name: stringify!($rust),
                    description: "",
                    channels: ChannelSet::ALL,
                    experimental: None,
                    shape: Shape::Newtype(<$rust as Typed>::TYPE),
                    markers: &[],
                    tombstones: &[],
                    resource: None,
                    location: Location { file: file!(), line: line!() },
                };
                described(&DESCRIPTOR)
            }
        })*
    };
}

base_types!(AnyJson, Bytes, Duration, IntOrString, Quantity, RawExtension, Time);
#[cfg(not(feature = "kube"))]
base_types!(ObjectMeta);
