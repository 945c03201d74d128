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
        of_core("Service", "services")
    }

    fn read(_: Value) -> Result<Self, String> {
        Ok(Self)
    }
}

impl Watched for Namespace {
    fn resource() -> WatchedResource {
        of_core("Namespace", "namespaces")
    }

    fn read(object: Value) -> Result<Self, String> {
        let labels = object.pointer("/metadata/labels").and_then(Value::as_object);
        let text = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
        Ok(Self { labels: labels.into_iter().flatten().filter_map(text).collect() })
    }
}

fn of_core(kind: &str, plural: &str) -> WatchedResource {
    WatchedResource {
        group: String::new(),
        version: "v1".to_owned(),
        kind: kind.to_owned(),
        plural: plural.to_owned(),
        is_metadata_only: true,
    }
}
