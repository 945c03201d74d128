//! The operator of {{ kind }} objects: it writes the condition `Ready` into the status of each object.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use k8s_openapi::jiff::Timestamp;
use kube::api::{Api, Patch, PatchParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::watcher;
use kube::{Client, Resource, ResourceExt};
use serde_json::json;

use {{ crate_name }}::{{ api_version }};

const MANAGER: &str = "{{ operator }}";

#[tokio::main]
async fn main() -> kube::Result<()> {
    let client = Client::try_default().await?;
    let objects = Api::<{{ api_version }}::{{ root }}>::all(client.clone());
    Controller::new(objects, watcher::Config::default())
        .run(reconcile, retry, Arc::new(client))
        .for_each(|result| async {
            if let Err(error) = result {
                eprintln!("{error}");
            }
        })
        .await;
    Ok(())
}

/// Brings what an object describes to the desired state.
async fn reconcile(object: Arc<{{ api_version }}::{{ root }}>, client: Arc<Client>) -> kube::Result<Action> {
    if is_current(&object) {
        return Ok(Action::await_change());
    }
    let ready = Condition {
        type_: "Ready".to_owned(),
        status: "True".to_owned(),
        reason: "Reconciled".to_owned(),
        message: "the object was read".to_owned(),
        observed_generation: object.meta().generation,
        last_transition_time: Time(Timestamp::now()),
    };
    let status = {{ api_version }}::{{ root }}Status {
        conditions: Some(vec![ready.into()]),
    };
    let patch = json!({
        "apiVersion": {{ api_version }}::{{ root }}::api_version(&()),
        "kind": {{ api_version }}::{{ root }}::kind(&()),
        "status": status,
    });
    let namespace = object.namespace().unwrap_or_default();
    let objects = Api::<{{ api_version }}::{{ root }}>::namespaced(Client::clone(&client), &namespace);
    let parameters = PatchParams::apply(MANAGER).force();
    objects
        .patch_status(&object.name_any(), &parameters, &Patch::Apply(patch))
        .await?;
    Ok(Action::await_change())
}

/// Whether the status is about this generation: a status that changes is an event too.
fn is_current(object: &{{ api_version }}::{{ root }}) -> bool {
    let status = object.status.as_ref();
    let conditions = status.and_then(|status| status.conditions.as_deref());
    conditions.unwrap_or_default().iter().any(|condition| {
        condition.r#type == "Ready" && condition.observed_generation == object.meta().generation
    })
}

fn retry(_: Arc<{{ api_version }}::{{ root }}>, _: &kube::Error, _: Arc<Client>) -> Action {
    Action::requeue(Duration::from_secs(10))
}
