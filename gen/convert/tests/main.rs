//! Tests of lenses: each operation in both directions, the laws on random objects, hostile objects, and documents.
#![allow(clippy::too_many_lines, reason = "a test lists its cases")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod conversions;
mod data;
mod documents;
mod dropped;
mod edits;
mod examples;
mod hostile;
mod laws;
mod operations;

use crd_convert::{Conversions, Document};
use serde_json::{Value, json};

/// A document with one lens for each list of steps, of bundles v1.1.0, v1.2.0, ….
fn document(lenses: &[Value]) -> Value {
    let lens = |(index, steps): (usize, &Value)| {
        json!({
            "name": format!("lens-{index}"),
            "resource": "things.example.com",
            "group": "example.com",
            "kind": "Thing",
            "since": format!("v1.{}.0", index + 1),
            "steps": steps,
        })
    };
    let lenses: Vec<_> = lenses.iter().enumerate().map(lens).collect();
    json!({"schemaVersion": 1, "generator": "test", "prefix": "example.com", "lenses": lenses})
}

#[track_caller]
fn conversions(document: &Value) -> Conversions {
    Conversions::new(&Document::from_value(document).unwrap()).unwrap()
}

/// One lens with one step.
#[track_caller]
fn one(step: Value) -> Conversions {
    conversions(&document(&[json!([step])]))
}

fn thing(spec: Value) -> Value {
    json!({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": spec})
}

/// The object in the form of v1.0.0, with its conversion data.
#[track_caller]
fn back(conversions: &Conversions, object: &Value) -> Value {
    conversions.convert_back(object, "v1.0.0".parse().unwrap()).unwrap().object
}

#[track_caller]
fn forward(conversions: &Conversions, object: &Value) -> Value {
    let mut object = object.clone();
    conversions.forward(&mut object).unwrap();
    object
}

/// Why forward conversion fails. The object is unchanged.
#[track_caller]
fn failure(conversions: &Conversions, object: &Value) -> String {
    let mut converted = object.clone();
    let failure = conversions.forward(&mut converted).unwrap_err();
    assert_eq!(converted, *object);
    failure.to_string()
}
