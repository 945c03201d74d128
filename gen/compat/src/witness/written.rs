//! Writes of whole objects: a server with the status subresource takes the status apart, through `/status`.

use crd_apiserver::objects::{Answer, FieldValidation, Request, Resource};
use serde_json::{Value, json};

/// The answer to the request that decides, and whether that is the write of the status. Without a stored object it is created first.
pub(super) fn written(resource: &Resource, stored: Option<&Value>, object: &Value) -> (Answer, bool) {
    let sent = |object: &Value| {
        let mut object = object.clone();
        object["apiVersion"] = json!(resource.api_version());
        if resource.is_namespaced() {
            object["metadata"]["namespace"] = json!("default");
        }
        object
    };
    let versioned = |object: &Value| Request::versioned(&sent(object));
    let before = stored.map(versioned);
    let request = match &before {
        Some(before) => Request::update(before, versioned(object)),
        None => Request::create(sent(object)),
    };
    let answer = resource.answer(request.fields(FieldValidation::Ignore));
    match answer.stored.as_ref().filter(|_| resource.has_status() && object.get("status").is_some()) {
        Some(bare) => {
            let bare = versioned(bare);
            let request = Request::update_status(&bare, versioned(object));
            (resource.answer(request.fields(FieldValidation::Ignore)), true)
        }
        None => (answer, false),
    }
}
