//! The version v1 of the API.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::PodTemplateSpec;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The wanted state of a cache.
#[derive(CustomResource, KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[kube(
    group = "cache.example.com",
    version = "v1",
    kind = "Cache",
    doc = "A cache for the objects of a namespace.",
    namespaced,
    status = "CacheStatus",
    derive = "PartialEq",
    derive = "Default",
    shortname = "ca",
    scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.replicas",
        label_selector_path = ".status.selector"
    ),
    printcolumn(name = "Wanted", type_ = "integer", json_path = ".spec.replicas"),
    printcolumn(name = "Ready", type_ = "integer", json_path = ".status.replicas")
)]
#[serde(rename_all = "camelCase")]
pub struct CacheSpec {
    /// The number of replicas.
    #[schemars(range(min = 1, max = 9))]
    pub replicas: i32,
    /// The memory of each replica.
    pub memory: Option<Quantity>,
    /// What is removed when the cache is full. The default is Oldest.
    pub eviction: Option<Eviction>,
    /// Where entries are kept.
    #[x_kube(validation = Rule::new("self == oldSelf").message("the storage of a cache cannot change"))]
    pub storage: Option<Storage>,
    /// What the pods of the cache have in addition.
    pub template: Option<PodTemplateSpec>,
    /// Labels of the pods.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
}

impl Cache {
    /// Whether the operator observed that all replicas are ready.
    pub fn is_ready(&self) -> bool {
        let conditions = self.status.as_ref().and_then(|status| status.conditions.as_deref()).unwrap_or_default();
        conditions.iter().any(|condition| condition.type_ == "Ready" && condition.status == "True")
    }
}

/// What is removed when a cache is full.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub enum Eviction {
    /// The oldest entry.
    Oldest,
    /// The entry that was read least recently.
    LeastRecent,
}

/// Where entries are kept.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Storage {
    /// In memory.
    Memory {},
    /// On a volume.
    Volume(VolumeStorage),
}

/// A volume for the entries.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VolumeStorage {
    /// Its size.
    pub size: Quantity,
    /// Its storage class.
    pub storage_class_name: Option<String>,
}

/// The observed state of a cache.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CacheStatus {
    /// The number of replicas that are ready.
    pub replicas: Option<i32>,
    /// The labels of the pods, as a selector.
    pub selector: Option<String>,
    /// What the controller observed.
    pub conditions: Option<Vec<Condition>>,
}
