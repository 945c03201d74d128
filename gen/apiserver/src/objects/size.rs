//! The size of a request, as a client writes the object and a server counts it.
//!
//! Invariants: the size is that of the JSON that `kubectl` sends, whatever the file looks like: without spaces, with escapes for HTML, and
//! with a line break at the end. It is computed only for objects that can be too large.

use crd_model::document::{HtmlCharacters, JsonWriter, send_value};
use serde_json::Value;

/// The largest request that a server reads, in bytes.
pub const REQUEST_LIMIT: usize = 3 * 1024 * 1024;

/// The largest object that etcd stores unless it is configured otherwise, in bytes.
pub const STORAGE_LIMIT: usize = 3 * 512 * 1024;

/// The bytes of an object in a request, if there are more than `most`.
pub fn bytes_above(object: &Value, most: usize) -> Option<usize> {
    let mut left = most;
    if is_small(object, &mut left) {
        return None;
    }
    let mut writer = JsonWriter::new(HtmlCharacters::Escaped);
    send_value(object, &mut writer);
    Some(writer.finish().len() + 1).filter(|bytes| *bytes > most)
}

/// Whether the object fits into the bytes that are left, whatever is escaped in it.
fn is_small(value: &Value, left: &mut usize) -> bool {
    let mut take = |bytes: usize| left.checked_sub(bytes).map(|rest| *left = rest).is_some();
    let text = |text: &str| text.len().saturating_mul(6).saturating_add(4);
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => take(32),
        Value::String(value) => take(text(value)),
        Value::Array(items) => take(3) && items.iter().all(|item| is_small(item, left)),
        Value::Object(object) => {
            take(3)
                && object.iter().all(|(name, member)| {
                    left.checked_sub(text(name)).map(|rest| *left = rest).is_some() && is_small(member, left)
                })
        }
    }
}
