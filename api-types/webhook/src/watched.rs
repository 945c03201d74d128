//! Resources of Kubernetes' core that rules look up. Only their metadata is read.

use std::collections::BTreeMap;

use crd_webhook::{Watched, WatchedResource};
use serde_json::Value;

/// A Service, of which rules read only that it exists.
#[derive(Clone, Copy, Debug)]
pub struct Service;

/// A Namespace: its labels, by which a Gateway can select it.
#[derive(Clone, Debug)]
pub struct Namespace {
    pub(crate) labels: BTreeMap<String, String>,
}

impl Watched for Service {
    fn resource() -> WatchedResource {
        WatchedResource::of_metadata("", "v1", "Service", "services")
    }

    fn read(_: Value) -> Result<Self, String> {
        Ok(Self)
    }
}

impl Watched for Namespace {
    fn resource() -> WatchedResource {
        WatchedResource::of_metadata("", "v1", "Namespace", "namespaces")
    }

    fn read(object: Value) -> Result<Self, String> {
        let labels = object.pointer("/metadata/labels").and_then(Value::as_object);
        let text = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
        Ok(Self { labels: labels.into_iter().flatten().filter_map(text).collect() })
    }
}
