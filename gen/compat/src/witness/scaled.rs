//! Witnesses of what the scale subresource refuses in the objects themselves.
//!
//! Invariant: only the field that the subresource reads is refused. A status is written to an object without one.

use std::rc::Rc;

use crd_apiserver::objects::{Answer, FieldValidation, Request, Resource};
use crd_boundary::{SchemaPath, Search, Step};
use crd_model::crd::Version;
use serde_json::{Map, Value, json};

use super::{as_sent, with};

/// An object that the old version accepts and the scale subresource of the new one refuses at this path.
pub(super) fn search(
    [(old, before), (new, after)]: [(&Version, Option<Rc<Resource>>); 2],
    scaled: &str,
    path: &SchemaPath,
    frame: &Map<String, Value>,
) -> Option<Value> {
    let (before, after) = (before?, after?);
    let answers =
        |object: &Value| [(old, &before), (new, &after)].map(|(version, of)| written(version, of, path, object));
    let is_witness = |object: &Value| {
        let [before, after] = answers(object);
        before.is_accepted() && matches!(&after.errors[..], [only] if only.field == scaled)
    };
    let mut search = Search::new(&old.schema, frame.clone(), Vec::new(), |_, object| {
        written(old, &before, path, object).is_accepted()
    });
    let values = [json!(-1), json!(2_147_483_648_i64), json!("a"), json!(1), json!({}), json!(1.5), Value::Null];
    // The path ends early where the schema does not list the rest.
    let names = scaled.strip_prefix('.').unwrap_or(scaled).split('.').skip(path.steps().len()).collect::<Vec<_>>();
    for found in search.accepted(path) {
        for value in &values {
            let value = names.iter().rev().fold(value.clone(), |below, name| json!({ *name: below }));
            if let Some(object) = with(&found, value).filter(|object| is_witness(object)) {
                return Some(object);
            }
        }
    }
    None
}

/// The answer to a request that writes the object with the value at the path.
fn written(version: &Version, resource: &Resource, path: &SchemaPath, object: &Value) -> Answer {
    let is_in_status = matches!(path.steps().first(), Some(Step::Field(name)) if name == "status")
        && version.subresources.as_ref().is_some_and(|subresources| subresources.status);
    let mut object = as_sent(resource, object.clone());
    object["apiVersion"] = json!(resource.api_version());
    if !is_in_status {
        return resource.answer(Request::create(object).fields(FieldValidation::Ignore));
    }
    let mut bare = object.clone();
    bare.as_object_mut().map(|bare| bare.remove("status"));
    let made = resource.answer(Request::create(bare.clone()).fields(FieldValidation::Ignore));
    if !made.is_accepted() {
        return made;
    }
    // Servers demand it of updates.
    for object in [&mut bare, &mut object] {
        object["metadata"]["resourceVersion"] = json!("1");
    }
    resource.answer(Request::update_status(&bare, object).fields(FieldValidation::Ignore))
}
