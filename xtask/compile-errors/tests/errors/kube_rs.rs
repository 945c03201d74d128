//! What is left of kube-rs' derives: an error for each, and no error of rustc that follows from them.

use crd_channels::{Condition, ObjectMeta, Quantity, api};

#[api(group = "cache.example.com", version = "v1", kind = "Cache")]
pub struct Cache {
    pub metadata: ObjectMeta,
    /// What is wanted.
    pub spec: CacheSpec,
    /// What is observed.
    pub status: Option<CacheStatus>,
}

/// What is wanted.
#[api]
#[derive(CustomResource, KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[kube(group = "cache.example.com", version = "v1", kind = "Cache", status = "CacheStatus")]
pub struct CacheSpec {
    #[schemars(length(min = 1))]
    pub memory: Option<Quantity>,
    /// Where entries are kept.
    #[x_kube(validation = "self == oldSelf")]
    pub storage: Option<Storage>,
}

/// Where entries are kept.
#[api]
#[derive(Clone, Debug, PartialEq, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
#[serde(untagged)]
#[schemars(deny_unknown_fields)]
pub enum Storage {
    /// In memory.
    Memory(String),
}

/// What is observed.
#[api]
#[derive(Clone, Debug, PartialEq, JsonSchema)]
pub struct CacheStatus {
    pub conditions: Option<Vec<Condition>>,
}

fn main() {}
