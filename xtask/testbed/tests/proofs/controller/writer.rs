//! Clients that create, change and delete objects while the CRDs change.
//!
//! Invariants: an object has the form that the installed CRDs accept with strict field validation. Refusals are part of the journey, and not counted.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crd_model::CustomResourceDefinition;
use crd_model::crd::Scope;
use kube::Client;
use serde_json::{Value, json};
use tokio::sync::Mutex as TurnTaking;

use crate::requests::{create_whole, send_once};
use crd_testdata::Dice;

/// The annotation with the form that an object was written in.
pub(super) const TEMPLATE: &str = "controller.test/template";
/// The most objects of one form.
const MOST: usize = 8;

/// A form of the objects of a kind.
#[derive(Clone, Debug)]
pub(super) struct Template {
    pub(super) id: String,
    pub(super) kind: String,
    /// What is written.
    pub(super) written: Value,
    /// What the controller must see, if it is something else.
    pub(super) current: Option<Value>,
}

/// The forms of `objects.yaml`.
pub(super) fn templates() -> Vec<Template> {
    let documents = crd_model::yaml::read(include_str!("objects.yaml")).expect("our own YAML");
    let template = |entry: &Value| {
        let kind = entry["kind"].as_str().expect("a kind").to_owned();
        let id = format!("{}-{}", kind.to_lowercase(), entry["name"].as_str().unwrap_or("plain"));
        let mut written = json!({"spec": entry["spec"]});
        if !entry["status"].is_null() {
            written["status"] = entry["status"].clone();
        }
        Template { id, kind, written, current: entry.get("current").cloned() }
    };
    documents[0].as_array().expect("a list").iter().map(template).collect()
}

pub(super) struct Writer {
    templates: Vec<Template>,
    crds: Mutex<Vec<CustomResourceDefinition>>,
    written: Mutex<BTreeMap<String, usize>>,
    rounds: AtomicUsize,
    /// Held during a write, and while the server is quiet.
    turn: TurnTaking<bool>,
}

impl Writer {
    pub(super) fn new(templates: Vec<Template>) -> Self {
        Self {
            templates,
            crds: Mutex::default(),
            written: Mutex::default(),
            rounds: AtomicUsize::new(0),
            turn: TurnTaking::new(true),
        }
    }

    /// How often each form was written.
    pub(super) fn written(&self) -> BTreeMap<String, usize> {
        self.written.lock().expect("no panic").clone()
    }

    /// Writes no more, after the write that has begun.
    pub(super) async fn pause(&self) {
        *self.turn.lock().await = false;
    }

    /// Writes again, for these CRDs.
    pub(super) fn go_on(&self, crds: &[CustomResourceDefinition]) {
        *self.crds.lock().expect("no panic") = crds.to_vec();
        crate::server::runtime().block_on(async { *self.turn.lock().await = true });
    }

    /// Writes until the task is dropped.
    pub(super) async fn run(self: Arc<Self>, client: Client) {
        let mut dice = Dice::new(1);
        loop {
            for template in &self.templates {
                while !*self.turn.lock().await {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                let _turn = self.turn.lock().await;
                self.write(&client, template, &mut dice).await;
            }
            self.rounds.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// How often all forms were written or tried.
    pub(super) fn rounds(&self) -> usize {
        self.rounds.load(Ordering::SeqCst)
    }

    async fn write(&self, client: &Client, template: &Template, dice: &mut Dice) {
        let crds = self.crds.lock().expect("no panic").clone();
        let Some(crd) = crds.iter().find(|crd| crd.names.kind == template.kind) else { return };
        let served = crd.versions.iter().filter(|version| version.served).collect::<Vec<_>>();
        let version = &dice.pick(&served).name;
        let namespace = if crd.scope == Scope::Namespaced { "/namespaces/default" } else { "" };
        let collection = format!("/apis/{}/{version}{namespace}/{}", crd.group, crd.names.plural);
        let name = format!("{}-{}", template.id, dice.below(MOST));
        let path = format!("{collection}/{name}");
        // A server that changes a CRD may drop a connection.
        let Ok(found) = send_once(client, "GET", &path, &[], None).await else { return };
        match found.code {
            200 if dice.percent(25) => drop(send_once(client, "DELETE", &path, &[], None).await),
            200 => {
                let mut object = found.body;
                object["metadata"]["labels"] = json!({"round": dice.below(1_000_000).to_string()});
                let _ = send_once(client, "PUT", &path, &[], Some(&object)).await;
            }
            404 => {
                let mut object = template.written.clone();
                object["apiVersion"] = json!(format!("{}/{version}", crd.group));
                object["kind"] = json!(template.kind);
                object["metadata"] = json!({"name": name, "annotations": {TEMPLATE: template.id}});
                if create_whole(client, &collection, &object, "Strict").await.is_success() {
                    *self.written.lock().expect("no panic").entry(template.id.clone()).or_default() += 1;
                }
            }
            _ => {}
        }
    }
}
