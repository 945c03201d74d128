//! The version v1beta1 of the API: without storage, template and labels. A write through it keeps them.

use crd_channels::{ObjectMeta, api};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use crate::v1::{CacheStatus, Eviction};

/// A cache for the objects of a namespace.
///
/// +kubebuilder:resource:shortName=ca
/// +kubebuilder:deprecatedversion:warning="cache.example.com/v1beta1 is deprecated; use v1"
/// +kubebuilder:subresource:status
/// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
/// +kubebuilder:printcolumn:name=Wanted,type=integer,JSONPath=.spec.replicas
/// +kubebuilder:printcolumn:name=Ready,type=integer,JSONPath=.status.replicas
#[api(group = "cache.example.com", version = "v1beta1", kind = "Cache")]
pub struct Cache {
    /// Standard object metadata.
    pub metadata: ObjectMeta,
    /// The wanted state.
    pub spec: CacheSpec,
    /// The observed state.
    pub status: Option<CacheStatus>,
}

/// The wanted state of a cache. Fields that only v1 has are kept.
///
/// +kubebuilder:pruning:PreserveUnknownFields
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
}
