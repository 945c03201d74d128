//! What the operator makes of a Cache, and what it sends to the server.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use cache_operator::v1::{Cache, CacheSpec, CacheStatus, Eviction, Storage, VolumeStorage};
use cache_operator::{deployment, reconcile, status};
use http::{Request, Response};
use k8s_openapi::api::apps::v1::DeploymentStatus;
use k8s_openapi::api::core::v1::{PodSpec, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::jiff::Timestamp;
use kube::api::ObjectMeta;
use kube::client::Body;
use kube::core::object::HasStatus;
use kube::{Client, CustomResourceExt, Resource, ResourceExt};
use serde_json::{Value, from_value, json, to_value};

fn cache() -> Cache {
    let spec = CacheSpec {
        replicas: 2,
        memory: Some(Quantity("1Gi".to_owned())),
        eviction: Some(Eviction::LeastRecent),
        storage: Some(Storage::Volume(VolumeStorage { size: Quantity("8Gi".to_owned()), storage_class_name: None })),
        labels: BTreeMap::from([("team".to_owned(), "shop".to_owned())]),
        ..CacheSpec::default()
    };
    let mut cache = Cache::new("front", spec);
    cache.meta_mut().namespace = Some("shop".to_owned());
    cache.meta_mut().uid = Some("1".to_owned());
    cache
}

#[test]
fn the_crd_has_the_names_that_clients_use() {
    let crd = Cache::crd();
    assert_eq!(crd.name_any(), "caches.cache.example.com");
    assert_eq!(Cache::crd_name(), "caches.cache.example.com");
    assert_eq!(crd.spec.names.short_names.as_deref(), Some(&["ca".to_owned()][..]));
    assert_eq!(Cache::api_version(&()), "cache.example.com/v1");
    let version = &crd.spec.versions[0];
    let scale = version.subresources.as_ref().and_then(|subresources| subresources.scale.as_ref()).unwrap();
    assert_eq!(scale.spec_replicas_path, ".spec.replicas");
    assert_eq!(version.additional_printer_columns.as_ref().map(Vec::len), Some(2));
}

#[test]
fn a_cache_has_the_same_json_in_both_directions() {
    let json = json!({
        "apiVersion": "cache.example.com/v1",
        "kind": "Cache",
        "metadata": {"name": "front", "namespace": "shop", "uid": "1"},
        "spec": {
            "replicas": 2,
            "memory": "1Gi",
            "eviction": "LeastRecent",
            "storage": {"volume": {"size": "8Gi"}},
            "labels": {"team": "shop"},
        },
    });
    let read: Cache = from_value(json.clone()).unwrap();
    assert_eq!(read, cache());
    assert_eq!(without_nulls(to_value(&read).unwrap()), json);
    let memory: Storage = from_value(json!({"memory": {}})).unwrap();
    assert_eq!(memory, Storage::Memory {});
    assert!(from_value::<Cache>(json!({"spec": {"replicas": "two"}})).is_err());
}

#[test]
fn the_deployment_has_the_replicas_the_memory_and_the_volume() {
    let made = to_value(deployment(&cache())).unwrap();
    let pod = &made["spec"]["template"]["spec"];
    assert_eq!(made["spec"]["replicas"], 2);
    assert_eq!(made["metadata"]["labels"], json!({"app": "front", "team": "shop"}));
    assert_eq!(made["metadata"]["ownerReferences"][0]["kind"], "Cache");
    assert_eq!(pod["containers"][0]["args"], json!(["--eviction=lru"]));
    assert_eq!(pod["containers"][0]["resources"]["limits"], json!({"memory": "1Gi"}));
    let claim = &pod["volumes"][0]["ephemeral"]["volumeClaimTemplate"]["spec"];
    assert_eq!(claim["resources"]["requests"], json!({"storage": "8Gi"}));
}

#[test]
fn without_storage_entries_are_in_memory() {
    for storage in [None, Some(Storage::Memory {})] {
        let mut cache = cache();
        cache.spec.storage = storage;
        cache.spec.eviction = None;
        let made = to_value(deployment(&cache)).unwrap();
        let pod = &made["spec"]["template"]["spec"];
        assert_eq!(pod["volumes"][0]["emptyDir"], json!({"medium": "Memory"}));
        assert_eq!(pod["containers"][0]["args"], json!(["--eviction=fifo"]));
    }
}

#[test]
fn the_template_of_the_cache_is_the_base_of_the_pods() {
    let mut cache = cache();
    cache.spec.template = Some(PodTemplateSpec {
        metadata: Some(ObjectMeta {
            annotations: Some(BTreeMap::from([("a".to_owned(), "b".to_owned())])),
            ..ObjectMeta::default()
        }),
        spec: Some(PodSpec { node_name: Some("node-1".to_owned()), ..PodSpec::default() }),
    });
    let made = to_value(deployment(&cache)).unwrap();
    assert_eq!(made["spec"]["template"]["metadata"]["annotations"], json!({"a": "b"}));
    assert_eq!(made["spec"]["template"]["metadata"]["labels"], json!({"app": "front", "team": "shop"}));
    assert_eq!(made["spec"]["template"]["spec"]["nodeName"], "node-1");
}

#[test]
fn the_status_counts_the_replicas_that_are_ready() {
    for (ready, expected) in [(1, "False"), (2, "True")] {
        let mut deployment = deployment(&cache());
        deployment.status = Some(DeploymentStatus { ready_replicas: Some(ready), ..DeploymentStatus::default() });
        let mut cache = cache();
        *cache.status_mut() = Some(status(&cache, &deployment, Timestamp::UNIX_EPOCH));
        assert_eq!(cache.is_ready(), expected == "True");
        let status: &CacheStatus = cache.status().unwrap();
        assert_eq!(status.replicas, Some(ready));
        assert_eq!(status.selector.as_deref(), Some("app=front"));
        let conditions = to_value(&status.conditions).unwrap();
        assert_eq!(conditions[0]["status"], expected);
        assert_eq!(conditions[0]["lastTransitionTime"], "1970-01-01T00:00:00Z");
    }
}

#[tokio::test]
async fn reconcile_applies_the_deployment_and_then_the_status() {
    let requests = Arc::new(Mutex::new(Vec::new()));
    let recorded = Arc::clone(&requests);
    let server = tower::service_fn(move |request: Request<Body>| {
        let recorded = Arc::clone(&recorded);
        async move {
            let (method, path) = (request.method().to_string(), request.uri().path().to_owned());
            let body: Value = serde_json::from_slice(&request.into_body().collect_bytes().await.unwrap()).unwrap();
            recorded.lock().unwrap().push((method, path.clone(), body.clone()));
            let answer = if path.contains("/deployments/") {
                body
            } else {
                let mut answer = to_value(cache()).unwrap();
                answer["status"] = body["status"].clone();
                answer
            };
            Ok::<_, tower::BoxError>(Response::new(Body::from(answer.to_string().into_bytes())))
        }
    });
    let client = Client::new(server, "default");
    let answer = reconcile(&client, &cache(), Timestamp::UNIX_EPOCH).await.unwrap();
    assert_eq!(answer.status.unwrap().replicas, Some(0));

    let requests = requests.lock().unwrap();
    let sent: Vec<(&str, &str)> = requests.iter().map(|(method, path, _)| (&**method, &**path)).collect();
    assert_eq!(
        sent,
        [
            ("PATCH", "/apis/apps/v1/namespaces/shop/deployments/front"),
            ("PATCH", "/apis/cache.example.com/v1/namespaces/shop/caches/front/status"),
        ]
    );
    assert_eq!(requests[0].2, without_nulls(to_value(deployment(&cache())).unwrap()));
    assert_eq!(requests[1].2["status"]["conditions"][0]["reason"], "ReplicasMissing");
}

fn without_nulls(mut value: Value) -> Value {
    match &mut value {
        Value::Object(map) => {
            map.retain(|_, member| !member.is_null());
            for member in map.values_mut() {
                *member = without_nulls(member.take());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = without_nulls(item.take())),
        _ => {}
    }
    value
}
