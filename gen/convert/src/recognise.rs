//! Whether an object has the current form.

use serde_json::Value;

/// What the current schemas contain. The caller answers from its own types or CRDs.
///
/// "Implementers MUST ignore CRs that don't fit a version that their controller supports" ("API versioning guide").
pub trait CurrentForm {
    /// Whether the resource is served in this version.
    fn has_version(&self, api_version: &str, kind: &str) -> bool;

    /// Whether the schema of a kind contains a place with this value. The place has the names of fields and the keys of maps, and `[*]` for
    /// the items of lists. For a string, the answer also covers the values of an enum.
    fn find(&self, kind: &str, place: &[&str], value: &Value) -> Known;
}

/// Whether the current form contains a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// It does; what is below the place is checked too.
    Yes,
    /// It does, with everything below.
    WithAllBelow,
    /// The field does not exist.
    UnknownField,
    /// The field exists, and the value is not one of its enum.
    UnknownValue,
}

/// What the current form does not contain, the first place in the order of the object.
pub(crate) fn unknown(current: &dyn CurrentForm, kind: &str, object: &Value) -> Option<String> {
    let members = object.as_object()?.iter();
    let mut below = members.filter(|(name, _)| !["apiVersion", "kind", "metadata"].contains(&name.as_str()));
    below.find_map(|(name, value)| visit(current, kind, &mut vec![name.as_str()], value))
}

/// The depth of objects is limited before they come here.
fn visit<'v>(current: &dyn CurrentForm, kind: &str, place: &mut Vec<&'v str>, value: &'v Value) -> Option<String> {
    let name = |place: &[&str]| place.join(".").replace(".[*]", "[*]");
    match current.find(kind, place, value) {
        Known::WithAllBelow => None,
        Known::UnknownField => Some(format!("the field `{}` is not in the current form", name(place))),
        Known::UnknownValue => Some(format!("the value {value} of `{}` is not in the current form", name(place))),
        Known::Yes => {
            let mut below = |name: &'v str, value: &'v Value| {
                place.push(name);
                let found = visit(current, kind, place, value);
                place.pop();
                found
            };
            match value {
                Value::Object(object) => object.iter().find_map(|(name, value)| below(name, value)),
                Value::Array(items) => items.iter().find_map(|item| below("[*]", item)),
                _ => None,
            }
        }
    }
}
