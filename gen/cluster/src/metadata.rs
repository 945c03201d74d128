//! The metadata of objects, as far as a report needs it.

use std::collections::BTreeMap;
use std::str::FromStr;

use crd_diagnostics::ObjectName;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// The metadata of an object in a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// `name`
    pub name: String,
    /// `namespace`; nothing for an object of the whole cluster.
    pub namespace: Option<String>,
    /// `uid`
    #[serde(default, deserialize_with = "or_default")]
    pub uid: String,
    /// `resourceVersion`
    #[serde(default, deserialize_with = "or_default")]
    pub resource_version: String,
    /// `generation`: how often `spec` has changed.
    #[serde(default, deserialize_with = "or_unknown")]
    pub generation: Option<i64>,
    /// `annotations`
    #[serde(default, deserialize_with = "or_default")]
    pub annotations: BTreeMap<String, String>,
    /// `labels`
    #[serde(default, deserialize_with = "or_default")]
    pub labels: BTreeMap<String, String>,
    /// `deletionTimestamp`: since when the object is being deleted.
    pub deletion_timestamp: Option<String>,
    /// `finalizers`: what has to happen before it is deleted.
    #[serde(default, deserialize_with = "or_default")]
    pub finalizers: Vec<String>,
    /// `managedFields`, without the fields: who wrote the object.
    #[serde(default, deserialize_with = "or_default")]
    pub managed_fields: Vec<ManagedField>,
}

/// A client that wrote an object, and how. Its order is that of reports.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ManagedField {
    /// `apiVersion`: the API version that the client used.
    #[serde(default, deserialize_with = "or_default")]
    pub api_version: String,
    /// `manager`: the name of the client.
    #[serde(default, deserialize_with = "or_default")]
    pub manager: String,
    /// `operation`: `Apply` or `Update`.
    #[serde(default, deserialize_with = "or_default")]
    pub operation: String,
    /// `subresource`: such as `status`; nothing for the object itself.
    #[serde(default, deserialize_with = "or_nothing")]
    pub subresource: Option<String>,
    /// `time`: when the client last changed its fields, as in RFC 3339.
    #[serde(skip_serializing)]
    pub time: Option<String>,
}

/// An object of which only the metadata is read.
#[derive(Deserialize)]
pub(crate) struct WithMetadata {
    pub(crate) metadata: Metadata,
}

/// `null` is absent.
pub(crate) fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(from: D) -> Result<T, D::Error> {
    Option::<T>::deserialize(from).map(Option::unwrap_or_default)
}

/// A number that the type does not have is absent: nothing depends on it that a whole object or page would have to fail for.
pub(crate) fn or_unknown<'de, D: Deserializer<'de>, T: FromStr>(from: D) -> Result<Option<T>, D::Error> {
    Ok(Option::<Box<RawValue>>::deserialize(from)?.and_then(|number| number.get().parse().ok()))
}

/// An empty text is absent.
fn or_nothing<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Option::<String>::deserialize(from).map(|text| text.filter(|text| !text.is_empty()))
}

impl Metadata {
    /// The metadata of an object; empty if it cannot be read.
    pub fn of(object: &Value) -> Self {
        object.get("metadata").and_then(|metadata| Self::deserialize(metadata).ok()).unwrap_or_default()
    }

    /// The name of the object, for messages.
    pub fn object(&self, kind: &str) -> ObjectName {
        ObjectName { kind: kind.to_owned(), namespace: self.namespace.clone(), name: self.name.clone() }
    }

    /// The UID and the generation: the same for two states of an object between which neither it nor its `spec` was replaced.
    pub fn identity(&self) -> (&str, Option<i64>) {
        (&self.uid, self.generation)
    }

    /// Whether an annotation or label has a key with this prefix: `prefix/name`.
    pub fn has_prefix(&self, prefix: &str) -> bool {
        let mut keys = self.annotations.keys().chain(self.labels.keys());
        keys.any(|key| key.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('/')))
    }

    /// The key by which a server orders the objects of a listing.
    pub(crate) fn key(&self) -> String {
        match &self.namespace {
            Some(namespace) => format!("{namespace}/{}", self.name),
            None => self.name.clone(),
        }
    }
}
