//! `#[serde(default)]`: what an absent field reads as, in Rust and in the schema.

use std::collections::BTreeMap;

use crd_channels::strict::read;
use crd_channels::{Described, Presence, Shape, api};
use schemars::schema_for;
use serde_json::json;

fn three() -> i32 {
    3
}

mod functions {
    use super::{Limits, Mode};

    pub(super) fn name() -> Option<String> {
        Some("a".to_owned())
    }

    pub(super) fn mode() -> Mode {
        Mode::Fast
    }

    pub(super) fn limits() -> Limits {
        Limits { cpu: 2, memory: None }
    }
}

#[api]
pub struct Defaults {
    #[serde(default)]
    pub list: Vec<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub map: BTreeMap<String, i32>,
    /// +optional
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Texts,
    /// +kubebuilder:default=0
    #[serde(default)]
    pub zero: i64,
    /// +kubebuilder:default=3
    #[serde(default = "three")]
    pub count: i32,
    /// +default="a"
    #[serde(default = "functions::name")]
    pub name: Option<String>,
    /// +kubebuilder:default=Fast
    #[serde(default = "functions::mode")]
    pub mode: Mode,
    #[serde(flatten)]
    pub inner: Inner,
}

type Texts = Vec<String>;

#[api]
pub struct Inner {
    /// +kubebuilder:default={cpu:2}
    #[serde(default = "functions::limits")]
    pub limits: Limits,
}

#[api]
pub struct Limits {
    pub cpu: i32,
    pub memory: Option<i32>,
}

#[api]
pub enum Mode {
    Fast,
    Slow,
}

#[test]
fn fields_with_a_default_are_optional() {
    let Shape::Struct(fields) = Defaults::DESCRIPTOR.shape else { panic!("it is a struct") };
    assert!(fields[..7].iter().all(|field| field.presence == Presence::Optional));
    assert_eq!(schema_for!(Defaults).get("required"), None);
}

#[test]
fn absent_fields_read_as_their_defaults() {
    let inner = Inner { limits: Limits { cpu: 2, memory: None } };
    let expected = Defaults { count: 3, name: Some("a".to_owned()), mode: Mode::Fast, inner, ..Defaults::default() };
    for document in [json!({}), json!({"list": null, "zero": null, "count": null, "name": null, "limits": null})] {
        assert_eq!(read::<Defaults>(&document).unwrap(), expected, "{document}");
    }
    assert_eq!(
        serde_json::to_value(&expected).unwrap(),
        json!({"list": [], "zero": 0, "count": 3, "name": "a", "mode": "Fast", "limits": {"cpu": 2}})
    );
    let written = json!({"list": ["b"], "map": {"c": 1}, "texts": ["d"], "zero": 4, "count": 5, "name": "e", "mode": "Slow", "limits": {"cpu": 6}});
    assert_eq!(serde_json::to_value(read::<Defaults>(&written).unwrap()).unwrap(), written);
    assert_eq!(Defaults::default().count, 0, "`Default` is the zero of each field");
}

#[api]
pub struct AnotherNumber {
    /// +kubebuilder:default=4
    #[serde(default = "three")]
    pub count: i32,
}

#[test]
#[should_panic(expected = "an absent field reads as 3 in Rust, and its marker has the default 4")]
fn a_function_that_differs_from_the_marker_is_an_error() {
    let _ = schema_for!(AnotherNumber);
}

#[api]
pub struct AnotherValue {
    /// +kubebuilder:default=Fast
    #[serde(default)]
    pub mode: Mode,
}

#[test]
#[should_panic(expected = "an absent field reads as \"\" in Rust, and its marker has the default \"Fast\"")]
fn the_zero_of_an_enum_differs_from_every_marker() {
    let _ = schema_for!(AnotherValue);
}
