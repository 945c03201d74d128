//! Which object a manifest describes: two manifests with the same identity describe one object on a server.

use crd_diagnostics::ObjectName;
use crd_model::crd::Scope;
use serde_json::{Map, Value};

/// API group, kind, namespace and name. The API version is not part of it: a server converts between versions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Identity {
    group: String,
    name: ObjectName,
}

impl Identity {
    /// The identity of an object with a name. One with `generateName` only has none.
    pub(super) fn of(group: &str, name: &ObjectName) -> Option<Self> {
        (!name.name.is_empty()).then(|| Self { group: group.to_owned(), name: name.clone() })
    }
}

/// The API version and the kind of an object, or what is missing.
pub(super) fn type_of(value: &Value) -> Result<(&str, &str), String> {
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
pub(super) fn group_of(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

/// The name of an object. A namespaced object without a namespace gets the given one, as a client does.
pub(super) fn named(value: &mut Value, kind: &str, scope: Scope, namespace: &str) -> ObjectName {
    let metadata = value.get_mut("metadata").and_then(Value::as_object_mut);
    let of = |metadata: Option<&Map<String, Value>>, key: &str| {
        metadata.and_then(|metadata| metadata.get(key)).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let name = of(metadata.as_deref(), "name");
    let own = of(metadata.as_deref(), "namespace");
    if scope == Scope::Cluster {
        return ObjectName { kind: kind.to_owned(), namespace: None, name };
    }
    let Some(metadata) = metadata.filter(|_| own.is_empty()) else {
        let namespace = Some(own).filter(|own| !own.is_empty());
        return ObjectName { kind: kind.to_owned(), namespace, name };
    };
    // A value of another type is an error of the object.
    if metadata.get("namespace").is_none_or(|value| value.is_null() || value == "") {
        metadata.insert("namespace".to_owned(), Value::from(namespace));
    }
    ObjectName { kind: kind.to_owned(), namespace: Some(namespace.to_owned()), name }
}
