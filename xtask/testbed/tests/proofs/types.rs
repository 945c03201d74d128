//! The Rust types of Gateway API, for `kube::Api`.
//!
//! Invariants: the list is complete, compared with [`gateway_api_types::RESOURCES`].

use std::collections::BTreeSet;
use std::fmt::Debug;

use k8s_openapi::{ClusterResourceScope, NamespaceResourceScope};
use kube::{Api, Client, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Calls a macro with all types.
macro_rules! for_all_types {
    ($call:ident) => {
        $call! {
            v1::BackendTLSPolicy, v1alpha3::BackendTLSPolicy,
            v1::Gateway, v1beta1::Gateway,
            v1::GatewayClass, v1beta1::GatewayClass,
            v1::GRPCRoute, v1alpha2::GRPCRoute,
            v1::HTTPRoute, v1beta1::HTTPRoute,
            v1::ListenerSet,
            v1::ReferenceGrant, v1beta1::ReferenceGrant,
            v1::TCPRoute, v1alpha2::TCPRoute,
            v1::TLSRoute, v1alpha3::TLSRoute, v1alpha2::TLSRoute,
            v1::UDPRoute, v1alpha2::UDPRoute,
            v1alpha1::XBackend,
            v1alpha1::XBackendTrafficPolicy,
            v1alpha1::XMesh,
            v1alpha1::XTelemetryPolicy,
        }
    };
}
pub(crate) use for_all_types;

/// The traits that `kube::Api` needs.
pub(crate) trait Object:
    Resource<DynamicType = (), Scope: Reach>
    + crd_channels::Resource
    + Clone
    + Debug
    + Serialize
    + DeserializeOwned
    + Send
    + Sync
    + 'static
{
    /// `gateway.networking.k8s.io/v1 Gateway`
    fn name() -> String {
        format!("{} {}", Self::API_VERSION, <Self as crd_channels::Resource>::KIND)
    }

    /// The API of the resource, in this namespace where it has namespaces.
    fn api(client: &Client, namespace: &str) -> Api<Self> {
        Self::Scope::reach(client.clone(), namespace)
    }
}

impl<T> Object for T where
    T: Resource<DynamicType = (), Scope: Reach>
        + crd_channels::Resource
        + Clone
        + Debug
        + Serialize
        + DeserializeOwned
        + Send
        + Sync
        + 'static
{
}

/// The two scopes, since each has a constructor of its own.
pub(crate) trait Reach: Sized {
    fn reach<T: Resource<DynamicType = (), Scope = Self>>(client: Client, namespace: &str) -> Api<T>;
}

impl Reach for ClusterResourceScope {
    fn reach<T: Resource<DynamicType = (), Scope = Self>>(client: Client, _namespace: &str) -> Api<T> {
        Api::all(client)
    }
}

impl Reach for NamespaceResourceScope {
    fn reach<T: Resource<DynamicType = (), Scope = Self>>(client: Client, namespace: &str) -> Api<T> {
        Api::namespaced(client, namespace)
    }
}

macro_rules! names {
    ($($module:ident::$name:ident),* $(,)?) => { vec![$(<gateway_api_types::$module::$name as Object>::name()),*] };
}

/// The names of all types.
pub(crate) fn names() -> Vec<String> {
    for_all_types!(names)
}

#[test]
fn the_list_of_types_is_complete() {
    let all: BTreeSet<String> = gateway_api_types::RESOURCES
        .iter()
        .map(|descriptor| {
            let resource = descriptor.resource.expect("a resource");
            format!("{}/{} {}", resource.group, resource.version, resource.kind)
        })
        .collect();
    assert_eq!(names().into_iter().collect::<BTreeSet<_>>(), all);
}
