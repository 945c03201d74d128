//! The identity of an object: a server has one object of each identity.

use crd_diagnostics::ObjectName;
use crd_model::crd::Scope;
use serde_json::{Map, Value};

/// API group, kind, namespace and name. The API version is not part of it: a server converts between versions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    group: String,
    name: ObjectName,
}

impl Identity {
    /// The identity of an object with a name. One with `generateName` only has none.
    pub fn of(group: &str, name: &ObjectName) -> Option<Self> {
        (!name.name.is_empty()).then(|| Self { group: group.to_owned(), name: name.clone() })
    }
}

/// The API version and the kind of an object, or what is missing.
pub fn type_of(value: &Value) -> Result<(&str, &str), String> {
    let Some(object) = value.as_object() else {
        return Err(format!("this is {}, not a Kubernetes object", crd_model::schema::kind_of(value)));
    };
    let word = |key: &str| match object.get(key) {
        Some(Value::String(word)) if !word.is_empty() => Ok(&**word),
        Some(Value::String(_) | Value::Null) | None => Err(format!("this object has no `{key}`")),
        Some(other) => Err(format!("the `{key}` of this object is {}", crd_model::schema::kind_of(other))),
    };
    Ok((word("apiVersion")?, word("kind")?))
}

/// The API group of an API version; empty for the core group.
pub fn group_of(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

/// The name of an object. A namespaced object without a namespace gets the given one, as a client does.
pub fn named(value: &mut Value, kind: &str, scope: Scope, namespace: &str) -> ObjectName {
    if let (Some(object), Scope::Namespaced) = (value.as_object_mut(), scope) {
        let metadata = object.entry("metadata").or_insert_with(|| Value::Object(Map::new())).as_object_mut();
        let lacks = |own: &Value| own.is_null() || own == "";
        if let Some(metadata) = metadata.filter(|metadata| metadata.get("namespace").is_none_or(lacks)) {
            metadata.insert("namespace".to_owned(), Value::from(namespace));
        }
    }
    ObjectName { namespace: text(value, "namespace").filter(|_| scope == Scope::Namespaced), ..unscoped(value, kind) }
}

/// The name of an object whose scope is unknown, with the namespace that it has.
pub fn unscoped(value: &Value, kind: &str) -> ObjectName {
    let name = text(value, "name").unwrap_or_default();
    ObjectName { kind: kind.to_owned(), namespace: text(value, "namespace"), name }
}

fn text(value: &Value, key: &str) -> Option<String> {
    value.get("metadata")?.get(key)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}
