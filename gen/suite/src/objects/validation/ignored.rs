//! What an object sets and its request leaves as it is: the status, or with `--subresource status` everything else.
//!
//! Invariants: a stored object can have more than the new one, because a server fills in defaults. So only what the new object sets is compared.

use crd_diagnostics::Diagnostic;
use serde_json::Value;

/// A warning for each field of an object that its request does not change, with the path. An object that a server wrote can be created
/// again with its status.
pub(super) fn warnings(
    object: &Value,
    old: Option<&Value>,
    has_status: bool,
    is_status: bool,
) -> Vec<(Diagnostic, String)> {
    let is_exported = old.is_none() && object.pointer("/metadata/uid").is_some();
    let fields = object.as_object().into_iter().flatten().filter(|(name, value)| {
        let is_ignored = match &***name {
            "apiVersion" | "kind" | "metadata" => false,
            "status" => has_status && !is_status && !is_exported,
            _ => is_status,
        };
        is_ignored && sets(value, old.and_then(|old| old.get(&***name)))
    });
    let warning = |name: &String| {
        let (message, help) = match &**name {
            "status" => (
                "a server ignores `status` in this request".to_owned(),
                "to check it, pass `--subresource status`, and the stored object with `--old`",
            ),
            name => (
                format!("a server ignores `{name}` in an update of the status"),
                "to check it, leave out `--subresource`",
            ),
        };
        Diagnostic::warning("object::ignored", message).help(help)
    };
    fields.map(|(name, _)| (warning(name), name.clone())).collect()
}

/// Whether a value sets something other than the old one.
fn sets(new: &Value, old: Option<&Value>) -> bool {
    match new {
        Value::Null => false,
        Value::Object(fields) => fields.iter().any(|(name, value)| sets(value, old.and_then(|old| old.get(name)))),
        Value::Array(items) => {
            let old = old.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            items.len() != old.len() || items.iter().zip(old).any(|(new, old)| sets(new, Some(old)))
        }
        _ => Some(new) != old,
    }
}
