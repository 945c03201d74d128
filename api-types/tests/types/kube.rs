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

#[test]
fn a_root_type_has_what_kube_gives() {
    use crd_channels::exports::k8s_openapi::{self, Metadata};
    use crd_channels::exports::kube_core::object::{HasSpec, HasStatus};
    use gateway_api_types::v1::{HTTPRoute, HTTPRouteSpec, HTTPRouteStatus};

    fn spec_of<T: HasSpec<Spec = HTTPRouteSpec> + HasStatus<Status = HTTPRouteStatus>>(object: &T) -> usize {
        assert!(object.status().is_none());
        object.spec().hostnames.as_ref().map_or(0, Vec::len)
    }

    let spec = HTTPRouteSpec { hostnames: Some(vec!["a.example.com".into()]), ..HTTPRouteSpec::default() };
    let mut route = HTTPRoute::new("shop", spec);
    assert_eq!((route.name_any().as_str(), spec_of(&route)), ("shop", 1));
    route.spec_mut().hostnames = None;
    *route.status_mut() = Some(HTTPRouteStatus::default());
    assert!(route.spec().hostnames.is_none() && route.status().is_some());
    assert_eq!(route.metadata().name.as_deref(), Some("shop"));
    assert_eq!(k8s_openapi::kind(&route), "HTTPRoute");
    assert_eq!(<HTTPRoute as k8s_openapi::Resource>::URL_PATH_SEGMENT, "httproutes");
}

#[test]
fn crd_is_the_generated_version_in_the_most_stable_channel() {
    use crd_channels::definition::{CustomResourceDefinition, definition};
    use crd_channels::exports::kube_core::crd::CustomResourceExt;
    use gateway_api_types::{v1, v1alpha1, v1alpha2};

    fn agrees<T: CustomResourceExt + Resource<DynamicType = ()>>(channel: Channel, version: &str) {
        let generated = crds(channel).iter().find(|crd| crd.names.kind == T::kind(&())).unwrap();
        let mut expected = generated.clone();
        expected.annotations.clear();
        expected.labels.clear();
        expected.versions.retain(|found| found.name == version);
        expected.versions[0].storage = true;
        let expected: CustomResourceDefinition = serde_json::from_value(expected.to_value()).unwrap();
        let mut crd = T::crd();
        crd.metadata.annotations = None;
        crd.metadata.labels = None;
        assert_eq!(crd, expected);
        assert_eq!(Some(T::crd_name()), crd.metadata.name.as_deref());
        let resource = T::api_resource();
        assert_eq!((resource.plural, resource.version.as_str()), (crd.spec.names.plural, version));
        assert_eq!(crd.spec.names.short_names.unwrap_or_default(), T::shortnames());
    }
    agrees::<v1::GatewayClass>(Channel::Standard, "v1");
    agrees::<v1::HTTPRoute>(Channel::Standard, "v1");
    // Only experimental serves alpha versions.
    agrees::<v1alpha2::TLSRoute>(Channel::Experimental, "v1alpha2");
    agrees::<v1alpha1::XMesh>(Channel::Experimental, "v1alpha1");
    assert_eq!(v1::GatewayClass::shortnames(), ["gc"]);
    assert!(definition::<v1alpha1::XMesh>(Channel::Standard).unwrap().is_none());
}

#[test]
fn base_types_convert_to_those_of_k8s_openapi_and_back() {
    use crd_channels::exports::k8s_openapi::apimachinery::pkg::api::resource::Quantity as TheirQuantity;
    use crd_channels::exports::k8s_openapi::apimachinery::pkg::apis::meta::v1;
    use crd_channels::exports::k8s_openapi::apimachinery::pkg::util::intstr::IntOrString as TheirIntOrString;
    use crd_channels::{Condition, IntOrString, LabelSelector, Quantity, Time};
    use serde_json::{from_value, json, to_value};

    // Both have the same JSON.
    let condition = json!({"lastTransitionTime": "2026-11-21T10:00:00Z", "message": "", "observedGeneration": 3, "reason": "Done", "status": "True", "type": "Ready"});
    let ours: Condition = from_value(condition.clone()).unwrap();
    let theirs = v1::Condition::try_from(ours.clone()).unwrap();
    assert_eq!(to_value(&theirs).unwrap(), condition);
    assert_eq!(Condition::from(theirs), ours);
    let selector =
        json!({"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}], "matchLabels": {"c": "d"}});
    let ours: LabelSelector = from_value(selector.clone()).unwrap();
    let theirs = v1::LabelSelector::from(ours.clone());
    assert_eq!(to_value(&theirs).unwrap(), selector);
    assert_eq!(LabelSelector::from(theirs), ours);
    for text in ["500m", "2Gi"] {
        let ours = Quantity::from(TheirQuantity(text.to_owned()));
        assert_eq!(TheirQuantity::from(ours), TheirQuantity(text.to_owned()));
    }
    assert_eq!(TheirQuantity::from(Quantity(IntOrString::Integer(3))).0, "3");
    for theirs in [TheirIntOrString::Int(80), TheirIntOrString::String("http".to_owned())] {
        assert_eq!(TheirIntOrString::try_from(IntOrString::from(theirs.clone())), Ok(theirs));
    }
    // What theirs cannot hold.
    let error = TheirIntOrString::try_from(IntOrString::Integer(1 << 40)).unwrap_err();
    assert_eq!(error.to_string(), "`1099511627776` is not an integer of 32 bits");
    let error = v1::Time::try_from(Time("yesterday".to_owned())).unwrap_err();
    assert_eq!(error.to_string(), "`yesterday` is not a time in RFC 3339");
    let time = Time("2026-11-21T10:00:00.5Z".to_owned());
    assert_eq!(Time::from(v1::Time::try_from(time.clone()).unwrap()), time);
}
