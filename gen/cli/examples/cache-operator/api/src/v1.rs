//! The version v1 of the API.

use std::collections::BTreeMap;

#[cfg(feature = "kube")]
use crd_channels::ConditionStatus;
use crd_channels::{Condition, ObjectMeta, api};
use k8s_openapi::api::core::v1::PodTemplateSpec;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

/// A cache for the objects of a namespace.
///
/// +kubebuilder:resource:shortName=ca
/// +kubebuilder:storageversion
/// +kubebuilder:subresource:status
/// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
/// +kubebuilder:printcolumn:name=Wanted,type=integer,JSONPath=.spec.replicas
/// +kubebuilder:printcolumn:name=Ready,type=integer,JSONPath=.status.replicas
#[api(group = "cache.example.com", version = "v1", kind = "Cache")]
pub struct Cache {
    /// Standard object metadata.
    pub metadata: ObjectMeta,
    /// The wanted state.
    pub spec: CacheSpec,
    /// The observed state.
    pub status: Option<CacheStatus>,
}

/// The wanted state of a cache.
#[api]
pub struct CacheSpec {
    /// The number of replicas.
    ///
    /// +kubebuilder:validation:Minimum=1
    /// +kubebuilder:validation:Maximum=9
    pub replicas: i32,
    /// The memory of each replica.
    #[api(foreign)]
    pub memory: Option<Quantity>,
    /// What is removed when the cache is full. The default is Oldest.
    pub eviction: Option<Eviction>,
    /// Where entries are kept.
    ///
    /// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="the storage of a cache cannot change"
    pub storage: Option<Storage>,
    /// What the pods of the cache have in addition.
    #[api(foreign, descriptions = false)]
    pub template: Option<PodTemplateSpec>,
    /// Labels of the pods.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
}

#[cfg(feature = "kube")]
impl Cache {
    /// Whether the operator observed that all replicas are ready.
    pub fn is_ready(&self) -> bool {
        let conditions = self.status.as_ref().and_then(|status| status.conditions.as_deref()).unwrap_or_default();
        conditions.iter().any(|condition| condition.r#type == "Ready" && condition.status == ConditionStatus::True)
    }
}

/// What is removed when a cache is full.
#[api]
pub enum Eviction {
    /// The oldest entry.
    Oldest,
    /// The entry that was read least recently.
    LeastRecent,
}

/// Where entries are kept.
#[api]
pub enum Storage {
    /// In memory.
    Memory {},
    /// On a volume.
    Volume(VolumeStorage),
}

/// A volume for the entries.
#[api]
pub struct VolumeStorage {
    /// Its size.
    #[api(foreign)]
    pub size: Quantity,
    /// Its storage class.
    pub storage_class_name: Option<String>,
}

/// The observed state of a cache.
#[api]
pub struct CacheStatus {
    /// The number of replicas that are ready.
    pub replicas: Option<i32>,
    /// The labels of the pods, as a selector.
    pub selector: Option<String>,
    /// What the controller observed.
    ///
    /// +listType=map
    /// +listMapKey=type
    pub conditions: Option<Vec<Condition>>,
}
