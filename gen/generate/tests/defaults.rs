//! Defaults of Rust are compared with those of the schema.

use crd_channels::deferred::Deferred;
use crd_channels::json::Json;
use crd_channels::rule::Rule;
use crd_channels::{Channel, ChannelSet, Field, Location, Shape, TypeDescriptor, Typed, exports};
use crd_generate::schema_of;

const fn of(rust_default: fn() -> Option<String>, markers: &'static [crd_channels::rule::Marker]) -> Field {
    let field = exports::field("count", "count", "", 7, <f64 as Typed>::PARTS);
    Field { rust_default: Some(Deferred::Compiled(rust_default)), markers, ..field }
}

fn message(fields: &'static [Field]) -> Option<(String, Option<String>)> {
    let descriptor: &'static TypeDescriptor = Box::leak(Box::new(TypeDescriptor {
        name: "Thing",
        module: "",
        description: "",
        channels: ChannelSet::ALL,
        experimental: None,
        shape: Shape::Struct(fields),
        markers: &[],
        tombstones: &[],
        resource: None,
        location: Location { file: "thing.rs", line: 1 },
    }));
    let mut errors = schema_of(descriptor, Channel::Standard).err()?;
    let error = errors.remove(0);
    assert_eq!((errors.len(), error.code), (0, "types::default"));
    Some((error.message, error.help))
}

#[test]
fn a_difference_is_an_error_with_both_values() {
    static EQUAL: [Field; 1] = [of(|| Some("1".to_owned()), &[exports::always(Rule::Default(Json::Float(1.0)), 7)])];
    assert_eq!(message(&EQUAL), None);
    static OTHER: [Field; 1] = [of(|| Some("2.5".to_owned()), &[exports::always(Rule::Default(Json::Integer(1)), 7)])];
    let (text, help) = message(&OTHER).unwrap();
    assert_eq!(text, "an absent field reads as 2.5 in Rust, and its marker has the default 1");
    assert_eq!(help.as_deref(), Some("make both equal"));
}

#[test]
fn a_build_that_cannot_compare_is_an_error() {
    static UNKNOWN: [Field; 1] = [of(exports::no_text, &[exports::always(Rule::Default(Json::Integer(1)), 7)])];
    let (text, help) = message(&UNKNOWN).unwrap();
    assert_eq!(text, "the Rust default of this field cannot be compared with its marker in this build");
    assert!(help.is_some_and(|help| help.contains("feature `serde`")));
}
