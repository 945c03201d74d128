//! The operator: each Cache becomes a Deployment.

pub use cache_api::v1;

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec};
use k8s_openapi::api::core::v1::{
    Container, EmptyDirVolumeSource, EphemeralVolumeSource, PersistentVolumeClaimSpec, PersistentVolumeClaimTemplate,
    ResourceRequirements, Volume, VolumeResourceRequirements,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, LabelSelector, ObjectMeta, Time};
use k8s_openapi::jiff::Timestamp;
use kube::api::{Patch, PatchParams};
use kube::{Api, Client, Resource, ResourceExt};
use serde_json::json;

use v1::{Cache, CacheStatus, Eviction, Storage};

const MANAGER: &str = "cache-operator";

/// The Deployment of a cache.
pub fn deployment(cache: &Cache) -> Deployment {
    let name = cache.name_any();
    let mut labels = cache.spec.labels.clone();
    labels.insert("app".to_owned(), name.clone());
    let selector = BTreeMap::from([("app".to_owned(), name.clone())]);
    let mut template = cache.spec.template.clone().unwrap_or_default();
    template.metadata.get_or_insert_default().labels.get_or_insert_default().extend(labels.clone());
    let pod = template.spec.get_or_insert_default();
    pod.containers.insert(0, container(cache));
    pod.volumes.get_or_insert_default().push(volume(cache));
    Deployment {
        metadata: ObjectMeta {
            name: Some(name),
            namespace: cache.namespace(),
            labels: Some(labels),
            owner_references: cache.controller_owner_ref(&()).map(|owner| vec![owner]),
            ..ObjectMeta::default()
        },
        spec: Some(DeploymentSpec {
            replicas: Some(cache.spec.replicas),
            selector: LabelSelector { match_labels: Some(selector), ..LabelSelector::default() },
            template,
            ..DeploymentSpec::default()
        }),
        status: None,
    }
}

fn container(cache: &Cache) -> Container {
    let eviction = match cache.spec.eviction {
        Some(Eviction::LeastRecent) => "lru",
        _ => "fifo",
    };
    let limits = cache.spec.memory.clone().map(|memory| BTreeMap::from([("memory".to_owned(), memory)]));
    Container {
        name: "cache".to_owned(),
        image: Some("registry.example.com/cache:1".to_owned()),
        args: Some(vec![format!("--eviction={eviction}")]),
        resources: Some(ResourceRequirements { limits, ..ResourceRequirements::default() }),
        ..Container::default()
    }
}

fn volume(cache: &Cache) -> Volume {
    let mut volume = Volume { name: "entries".to_owned(), ..Volume::default() };
    match &cache.spec.storage {
        Some(Storage::Volume(storage)) => {
            let requests = Some(BTreeMap::from([("storage".to_owned(), storage.size.clone())]));
            volume.ephemeral = Some(EphemeralVolumeSource {
                volume_claim_template: Some(PersistentVolumeClaimTemplate {
                    metadata: None,
                    spec: PersistentVolumeClaimSpec {
                        access_modes: Some(vec!["ReadWriteOnce".to_owned()]),
                        resources: Some(VolumeResourceRequirements { requests, limits: None }),
                        storage_class_name: storage.storage_class_name.clone(),
                        ..PersistentVolumeClaimSpec::default()
                    },
                }),
            });
        }
        _ => {
            volume.empty_dir =
                Some(EmptyDirVolumeSource { medium: Some("Memory".to_owned()), ..EmptyDirVolumeSource::default() });
        }
    }
    volume
}

/// The status of a cache whose Deployment is in that state.
pub fn status(cache: &Cache, deployment: &Deployment, now: Timestamp) -> CacheStatus {
    let ready = deployment.status.as_ref().and_then(|status| status.ready_replicas).unwrap_or(0);
    let is_ready = ready >= cache.spec.replicas;
    let condition = Condition {
        type_: "Ready".to_owned(),
        status: if is_ready { "True" } else { "False" }.to_owned(),
        reason: if is_ready { "AllReplicasReady" } else { "ReplicasMissing" }.to_owned(),
        message: format!("{ready} of {} replicas are ready", cache.spec.replicas),
        observed_generation: cache.meta().generation,
        last_transition_time: Time(now),
    };
    CacheStatus {
        replicas: Some(ready),
        selector: Some(format!("app={}", cache.name_any())),
        conditions: Some(vec![condition.into()]),
    }
}

/// Brings the Deployment of a cache to its wanted state, and writes the status of the cache.
///
/// # Errors
/// Those of the API server.
pub async fn reconcile(client: &Client, cache: &Cache, now: Timestamp) -> kube::Result<Cache> {
    let namespace = cache.namespace().unwrap_or_default();
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), &namespace);
    let parameters = PatchParams::apply(MANAGER).force();
    let applied = deployments.patch(&cache.name_any(), &parameters, &Patch::Apply(deployment(cache))).await?;
    let caches: Api<Cache> = Api::namespaced(client.clone(), &namespace);
    let status = json!({
        "apiVersion": Cache::api_version(&()),
        "kind": Cache::kind(&()),
        "status": status(cache, &applied, now),
    });
    caches.patch_status(&cache.name_any(), &parameters, &Patch::Apply(status)).await
}
