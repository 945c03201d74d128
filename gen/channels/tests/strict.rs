//! Strict reading reports what lenient reading accepts silently, and an object with zeros is written only by choice.

use std::collections::BTreeMap;

use crd_channels::strict::{AsRead, StrictError, read};
use crd_channels::{AnyJson, ObjectMeta, api};
use serde_json::{Value, json};

#[api(group = "example.com", version = "v1", kind = "Lamp")]
pub struct Lamp {
    pub metadata: ObjectMeta,
    pub spec: LampSpec,
}

#[api]
pub struct LampSpec {
    #[serde(alias = "lm")]
    pub lumens: i32,
    pub colour: Option<Colour>,
    pub bulbs: Option<Vec<Bulb>>,
    #[serde(flatten)]
    pub place: Place,
    /// +required
    /// +nullable
    pub shade: Option<String>,
    pub plug: Option<Plug>,
}

#[api]
pub struct Plug {
    pub pins: i32,
    #[serde(flatten)]
    pub rest: BTreeMap<String, AnyJson>,
}

#[api]
pub enum Colour {
    #[serde(alias = "Crimson")]
    Red,
    Blue,
}

#[api]
pub struct Place {
    pub room: String,
}

/// +kubebuilder:pruning:PreserveUnknownFields
#[api]
pub struct Bulb {
    pub socket: String,
}

fn lamp(spec: Value) -> Value {
    json!({"apiVersion": "example.com/v1", "kind": "Lamp", "metadata": {"name": "a"}, "spec": spec})
}

fn complete() -> Value {
    lamp(
        json!({"lm": 3, "room": "hall", "shade": null, "colour": "Crimson", "bulbs": [{"socket": "E27", "watts": 4}], "plug": {"pins": 2, "earth": null}}),
    )
}

#[test]
fn everything_that_a_lenient_reader_accepts_silently_is_reported_together() {
    let object = read::<Lamp>(&complete()).unwrap();
    assert_eq!((object.spec.lumens, object.spec.place.room.as_str()), (3, "hall"));
    let error = read::<Lamp>(&lamp(json!({"colour": "Green", "size": 1, "room": null, "bulbs": [{}]}))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "spec.bulbs[0].socket: a required field is absent\nspec.colour: the value \"Green\" is unknown\nspec.size: the field is unknown\n\
         spec.lumens: a required field is absent\nspec.room: a required field is absent\nspec.shade: a required field is absent"
    );
    assert!(matches!(read::<Lamp>(&lamp(json!({"lumens": "3"}))), Err(StrictError::Kind(_))));
    assert_eq!(read::<Lamp>(&json!({})).unwrap_err().to_string(), "spec: a required field is absent");
}

#[test]
fn zeros_are_written_only_by_choice() {
    let read = |value: &Value| serde_json::from_value::<AsRead<Lamp>>(value.clone()).unwrap();
    let whole = read(&complete());
    assert!(whole.zeros().is_empty() && serde_json::to_value(&whole).is_ok());
    assert_eq!(whole.spec.lumens, 3);

    let mut partial = read(&lamp(json!({"room": "hall", "shade": "dark", "unknown": 1})));
    assert_eq!(partial.zeros(), ["spec.lumens"]);
    let error = serde_json::to_value(&partial).unwrap_err().to_string();
    assert!(error.contains("spec.lumens") && error.contains("with_zeros"), "{error}");
    partial.object_mut().spec.lumens = 5;
    assert_eq!(serde_json::to_value(partial.with_zeros()).unwrap()["spec"]["lumens"], 5);
    assert!(serde_json::to_value(AsRead::new(Lamp::default())).is_ok());
}
