//! Witnesses of what the scale subresource refuses in the objects themselves.
//!
//! Invariant: only the field that the subresource reads is refused. A status is written to an object without one.

use std::cell::Cell;
use std::rc::Rc;

use crd_apiserver::objects::Resource;
use crd_boundary::Search;
use crd_model::Schema;
use crd_model::schema::SchemaPath;
use serde_json::{Map, Value, json};

use super::trial::work_of;
use super::written::written;
use super::{Witness, take, with};

/// An object that the old version accepts and the scale subresource of the new one refuses at this path.
pub(super) fn search(
    schema: &Schema,
    [before, after]: [Option<Rc<Resource>>; 2],
    scaled: &str,
    path: &SchemaPath,
    frame: &Map<String, Value>,
    work: &Cell<usize>,
) -> Option<Witness> {
    let (before, after) = (before?, after?);
    let accepts = |object: &Value| {
        take(work, work_of(schema, object));
        written(&before, None, object).0.is_accepted()
    };
    let mut search = Search::new(schema, frame.clone(), Vec::new(), |_, object| accepts(object)).limited(work);
    let values = [json!(-1), json!(2_147_483_648_i64), json!("a"), json!(1), json!({}), json!(1.5), Value::Null];
    // The path ends early where the schema does not list the rest.
    let names = scaled.strip_prefix('.').unwrap_or(scaled).split('.').skip(path.steps().len()).collect::<Vec<_>>();
    for found in search.accepted(path) {
        for value in &values {
            let value = names.iter().rev().fold(value.clone(), |below, name| json!({ *name: below }));
            let Some(object) = with(&found, value).filter(&accepts) else { continue };
            match written(&after, None, &object) {
                (answer, is_status) if matches!(&answer.errors[..], [only] if only.field == scaled) => {
                    return Some(Witness::refused(object, is_status));
                }
                _ => {}
            }
        }
    }
    None
}
