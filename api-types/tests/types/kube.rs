//! `kube::Api` requests the resources at the paths where API servers serve them (feature `kube`).
//!
//! `K8S_OPENAPI_ENABLED_VERSION` selects the Kubernetes version if no other crate of the build does.
//!
//! Invariants: names and scope are compared with the generated CRDs, where the server takes them from.

use std::any::TypeId;
use std::fmt::Debug;

use crd_channels::exports::k8s_openapi::{ClusterResourceScope, NamespaceResourceScope};
use crd_channels::exports::kube_core::{ObjectMeta, Resource, ResourceExt};
use crd_channels::{Channel, Resource as Described};
use crd_model::crd::Scope;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::objects::{crds, for_all_versions};

fn check<T>() -> String
where
    // What `kube::Api` asks of an object that it reads, writes and watches.
    T: Described
        + Resource<DynamicType = ()>
        + Clone
        + Debug
        + Serialize
        + DeserializeOwned
        + Send
        + Sync
        + Default
        + 'static,
    T::Scope: 'static,
{
    let (group, version, kind, plural) = (T::group(&()), T::version(&()), T::kind(&()), T::plural(&()));
    assert_eq!((group.as_ref(), version.as_ref(), kind.as_ref()), (T::GROUP, T::VERSION, <T as Described>::KIND));
    assert_eq!(T::api_version(&()), T::API_VERSION);
    let crd = crds(Channel::Experimental).iter().find(|crd| crd.names.kind == kind).unwrap();
    assert_eq!((&crd.group, &crd.names.plural), (&group, &plural));
    let is_cluster_wide = match TypeId::of::<T::Scope>() {
        scope if scope == TypeId::of::<ClusterResourceScope>() => true,
        scope if scope == TypeId::of::<NamespaceResourceScope>() => false,
        _ => panic!("{kind} has another scope"),
    };
    assert_eq!(is_cluster_wide, crd.scope == Scope::Cluster, "{kind}");

    let namespace = (!is_cluster_wide).then_some("shop");
    let place = if is_cluster_wide { "" } else { "namespaces/shop/" };
    assert_eq!(T::url_path(&(), namespace), format!("/apis/{group}/{version}/{place}{plural}"));
    assert_eq!(T::url_path(&(), None), format!("/apis/{group}/{version}/{plural}"));

    let mut object = T::default();
    *object.meta_mut() =
        ObjectMeta { name: Some("a".to_owned()), namespace: namespace.map(str::to_owned), ..ObjectMeta::default() };
    assert_eq!((object.name_any().as_str(), object.namespace().as_deref()), ("a", namespace));
    format!("{group}/{version}/{plural}")
}

macro_rules! checks {
    ($($module:ident::$name:ident),* $(,)?) => { vec![$(check::<gateway_api_types::$module::$name>()),*] };
}

#[test]
fn every_resource_is_where_its_crd_says() {
    let mut paths: Vec<String> = for_all_versions!(checks);
    assert_eq!(paths.len(), gateway_api_types::RESOURCES.len());
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), gateway_api_types::RESOURCES.len());
    assert!(paths.contains(&"gateway.networking.k8s.io/v1/backendtlspolicies".to_owned()));
    assert!(paths.contains(&"gateway.networking.x-k8s.io/v1alpha1/xmeshes".to_owned()));
}
