//! The journey: from standard to experimental, back to standard, and to experimental again, on the server of the standard channel.
//!
//! Invariants: the journey is made once and recorded. This file asserts only what the next steps need.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use crd_channels::Channel;
use crd_model::yaml;
use serde_json::{Value, json};

use crate::documents::{VersionedKind, our_examples};
use crate::install::{apply, installed, settle, stored_crds};
use crate::requests::{Answer, TIME_LIMIT, create_namespace, send};
use crate::server::{Printed, Server};

use super::difference::{is_in_standard, lost};

const NAMESPACE: &str = "switching";

/// The annotation that a user writes on standard.
pub(super) const ANNOTATION: &str = "example.com/seen";

/// Objects that use all experimental fields and resources.
pub(super) fn experimental_objects() -> Vec<Value> {
    yaml::read(include_str!("during.yaml")).expect("our own YAML")
}

/// Objects that only an older version accepts, which standard does not serve.
pub(super) fn older_objects() -> Vec<Value> {
    yaml::read(include_str!("older.yaml")).expect("our own YAML")
}

/// Objects that standard accepts and experimental refuses.
pub(super) fn stricter_objects() -> Vec<Value> {
    yaml::read(include_str!("stricter.yaml")).expect("our own YAML")
}

/// The role of an object in the journey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Created on standard, and never written again.
    Before,
    /// Created on standard in violation of experimental rules, and never written again.
    Stricter,
    /// Created on experimental, and never written again.
    Left,
    /// Created on experimental, and annotated on standard.
    Annotated,
    /// Created on experimental; a controller writes its status on standard.
    Reported,
    /// Created on experimental through an older version with fewer rules, and annotated on standard.
    Older,
}

/// An object of the journey.
pub(super) struct Made {
    /// The version through which it was created.
    pub(super) versioned: VersionedKind,
    pub(super) role: Role,
    pub(super) namespace: String,
    pub(super) name: String,
    /// The status that is written in its role.
    pub(super) status: Value,
}

/// The resource and the version of a list.
pub(super) type Listed = (&'static str, &'static str);

/// The answers of a server: the objects of each list by `NAMESPACE/NAME`, or the error code.
pub(super) type Seen = BTreeMap<Listed, Result<BTreeMap<String, Value>, u16>>;

/// A stop of the journey.
pub(super) struct Stop {
    pub(super) seen: Seen,
    /// The object in etcd for every object created so far, in the order of [`Journey::made`].
    pub(super) stored: Vec<Value>,
    pub(super) crds: BTreeMap<String, Value>,
}

/// The record.
pub(super) struct Journey {
    pub(super) made: Vec<Made>,
    /// Standard, with objects.
    pub(super) standard: Stop,
    pub(super) to_experimental: Printed,
    /// The answers to an annotation and to a change of the violating part, on experimental (`dryRun`), by index in `made`.
    pub(super) stricter: Vec<(usize, Answer, Answer)>,
    /// Experimental, with only the objects of standard.
    pub(super) experimental: Stop,
    /// Experimental, with the objects that were created there.
    pub(super) during: Stop,
    pub(super) to_standard: Printed,
    /// Standard again, without writes.
    pub(super) back: Stop,
    /// Writes on standard, by index in `made`.
    pub(super) written: Vec<(usize, Answer)>,
    /// Changes of a part that standard does not have, or has only in an unserved version (`dryRun`), by index in `made`.
    pub(super) changed: Vec<(usize, Answer)>,
    /// The same changes after the part was corrected (`dryRun`).
    pub(super) corrected: Vec<(usize, Answer)>,
    /// A create of each resource that only experimental has, on standard (`dryRun`).
    pub(super) created: Vec<Answer>,
    pub(super) to_experimental_again: Printed,
    /// Experimental again.
    pub(super) again: Stop,
}

impl Made {
    pub(super) fn key(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }

    pub(super) fn resource(&self) -> &'static str {
        &self.versioned.crd.name
    }

    /// The version through which the object is written on standard: the version it was made through, or the storage version.
    pub(super) fn version_on_standard(&self) -> VersionedKind {
        let of_resource =
            || VersionedKind::all(Channel::Standard).filter(|versioned| versioned.crd.name == self.versioned.crd.name);
        of_resource()
            .find(|versioned| versioned.version.name == self.versioned.version.name && versioned.version.served)
            .or_else(|| of_resource().find(|versioned| versioned.version.storage))
            .unwrap_or(self.versioned)
    }

    /// The version that is stored.
    pub(super) fn storage(&self) -> VersionedKind {
        let crd = self.versioned.crd;
        VersionedKind { crd, version: crd.versions.iter().find(|version| version.storage).expect("a storage version") }
    }

    /// A version through which standard can read it.
    pub(super) fn readable_version(&self) -> &'static str {
        &self.version_on_standard().version.name
    }

    pub(super) fn etcd_key(&self) -> String {
        let (group, plural) = (&self.versioned.crd.group, &self.versioned.crd.names.plural);
        let namespace = if self.versioned.is_cluster_wide() { String::new() } else { format!("{}/", self.namespace) };
        format!("/registry/{group}/{plural}/{namespace}{}", self.name)
    }
}

/// The path of an object.
fn path_of(versioned: VersionedKind, namespace: &str, name: &str) -> String {
    format!("{}/{name}", versioned.collection(namespace))
}

/// Reads all objects through every version of experimental.
fn look(server: &Server, made: &[Made]) -> Stop {
    let client = server.client();
    let seen = server.block_on(async {
        let mut seen = Seen::new();
        for versioned in VersionedKind::all(Channel::Experimental) {
            let path = format!("/apis/{}/{}", versioned.api_version(), versioned.crd.names.plural);
            let mut answer = send(&client, "GET", &path, None).await;
            let objects = match answer.body.get_mut("items").and_then(Value::as_array_mut) {
                Some(items) if answer.code == 200 => {
                    Ok(std::mem::take(items).into_iter().map(|object| (key(&object), object)).collect())
                }
                _ => Err(answer.code),
            };
            seen.insert((versioned.crd.name.as_ref(), versioned.version.name.as_ref()), objects);
        }
        seen
    });
    let stored = |object: &Made| {
        server.stored(&object.etcd_key()).unwrap_or_else(|| panic!("{} is not in etcd", object.etcd_key()))
    };
    Stop { seen, stored: made.iter().map(stored).collect(), crds: stored_crds(server) }
}

fn key(object: &Value) -> String {
    let text = |name: &str| object["metadata"][name].as_str().unwrap_or_default().to_owned();
    format!("{}/{}", text("namespace"), text("name"))
}

/// Waits until the server serves the versions and fields of this channel (`during.yaml`, with strict validation).
fn wait_for_channel(server: &Server, channel: Channel) {
    settle(server, channel);
    let client = server.client();
    let (start, documents, present) = (Instant::now(), experimental_objects(), stored_crds(server));
    let is_there = async || {
        for versioned in VersionedKind::all(Channel::Experimental) {
            let served = match VersionedKind::all(channel)
                .find(|other| (other.api_version(), other.kind()) == (versioned.api_version(), versioned.kind()))
            {
                Some(versioned) => versioned.version.served,
                // Applying a bundle does not change resources that it does not have.
                None => present.contains_key(versioned.crd.name.as_ref()),
            };
            let code = send(&client, "GET", &format!("{}?limit=1", versioned.collection(NAMESPACE)), None).await.code;
            if (code == 200) != served {
                return Err(format!("{} answers {code}", versioned.name()));
            }
        }
        for document in &documents {
            let versioned = VersionedKind::of(Channel::Experimental, document).expect("a resource of the bundle");
            if is_in_standard(&versioned.crd.name) {
                let path = format!("{}?dryRun=All&fieldValidation=Strict", versioned.collection(NAMESPACE));
                let answer = send(&client, "POST", &path, Some(document)).await;
                if answer.is_success() != (channel == Channel::Experimental) {
                    return Err(format!(
                        "a create of {} is answered with {} {}",
                        versioned.name(),
                        answer.code,
                        answer.body
                    ));
                }
            }
        }
        Ok(())
    };
    while let Err(what) = server.block_on(is_there()) {
        assert!(start.elapsed() < TIME_LIMIT, "{channel}: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Creates an object, and writes its status if it has one.
async fn create(client: &kube::Client, made: &Made, document: &Value) {
    let mut object = document.clone();
    object["apiVersion"] = json!(made.versioned.api_version());
    object["metadata"]["name"] = json!(made.name);
    if !made.versioned.is_cluster_wide() {
        object["metadata"]["namespace"] = json!(made.namespace);
    }
    let path = format!("{}?fieldValidation=Strict", made.versioned.collection(&made.namespace));
    let mut answer = send(client, "POST", &path, Some(&object)).await.expect(&made.key());
    if made.role == Role::Before && made.versioned.has_status() && !made.status.is_null() {
        answer["status"] = made.status.clone();
        let path = format!("{}/status", path_of(made.versioned, &made.namespace, &made.name));
        send(client, "PUT", &path, Some(&answer)).await.expect(&made.key());
    }
}

/// Creates the object of a document through every version that a channel serves.
fn create_through_all(server: &Server, channel: Channel, document: &Value, role: Role) -> Vec<Made> {
    let resource = VersionedKind::of(channel, document).expect("a resource of the bundle").crd;
    let places =
        VersionedKind::all(channel).filter(|versioned| versioned.crd.name == resource.name && versioned.version.served);
    places.map(|versioned| create_through(server, versioned, document, role)).collect()
}

/// Creates the object of a document through this version, with the version and the role in its name.
fn create_through(server: &Server, versioned: VersionedKind, document: &Value, role: Role) -> Made {
    let namespace = if versioned.is_cluster_wide() { String::new() } else { NAMESPACE.to_owned() };
    let name = document["metadata"]["name"].as_str().unwrap_or_default();
    let name = format!("{name}-{}-{role:?}", versioned.version.name).to_lowercase();
    let made = Made { versioned, role, namespace, name, status: document["status"].clone() };
    let mut document = document.clone();
    document.as_object_mut().expect("an object").remove("status");
    server.block_on(create(&server.client(), &made, &document));
    made
}

fn with_annotation(object: &Value) -> Value {
    let mut object = object.clone();
    object["metadata"]["annotations"][ANNOTATION] = json!("yes");
    object
}

/// The object with another port in its first rule: a change of the list that the rule is in.
fn with_other_port(object: &Value) -> Value {
    let mut object = object.clone();
    *object.pointer_mut("/spec/rules/0/backendRefs/0/port").expect("a backend") = json!(4711);
    object
}

/// Whether standard refuses a part of the object in its rules, or next to them.
fn is_blocked(object: &Value) -> bool {
    let Some(rules) = object["spec"]["rules"].as_array() else { return false };
    let is_guarded = rules.iter().any(|rule| rule.pointer("/filters/0/type") == Some(&json!("ExternalAuth")));
    is_guarded || rules.len() > 1 || (object["kind"] == "TLSRoute" && object["spec"].get("hostnames").is_none())
}

/// The object corrected for standard: without filters of an unknown type, with one rule, with hostnames.
fn correct(mut object: Value) -> Value {
    let rule = object["spec"]["rules"][0].as_object_mut().expect("a rule");
    rule.remove("filters");
    rule["backendRefs"][0].as_object_mut().expect("a backend").remove("filters");
    object["spec"]["rules"].as_array_mut().expect("rules").truncate(1);
    if object["kind"] == "TLSRoute" {
        object["spec"]["hostnames"] = json!(["corrected.example.com"]);
    }
    object
}

/// The journey, made once. Prints `skipped` and returns `None` if no server can be started.
pub(super) fn journey() -> Option<&'static Journey> {
    // After a failed step every test fails; the first failure has the reason.
    static JOURNEY: LazyLock<Option<Journey>> = LazyLock::new(|| Some(travel(installed(Channel::Standard)?.server)));
    JOURNEY.as_ref()
}

fn travel(server: &Server) -> Journey {
    let client = server.client();
    let mut made = Vec::new();

    // Standard.
    server.block_on(create_namespace(&client, NAMESPACE));
    wait_for_channel(server, Channel::Standard);
    let mut namespaces = BTreeSet::new();
    for example in our_examples(Channel::Standard) {
        let versioned = VersionedKind::of(Channel::Standard, &example.object).expect("a resource of the bundle");
        let text = |name: &str| example.object["metadata"][name].as_str().unwrap_or_default().to_owned();
        let status = example.object["status"].clone();
        let object = Made { versioned, role: Role::Before, namespace: text("namespace"), name: text("name"), status };
        server.block_on(async {
            if !object.namespace.is_empty() && namespaces.insert(object.namespace.clone()) {
                create_namespace(&client, &object.namespace).await;
            }
            create(&client, &object, &example.object).await;
        });
        made.push(object);
    }
    for document in stricter_objects() {
        made.extend(create_through_all(server, Channel::Standard, &document, Role::Stricter));
    }
    let standard = look(server, &made);

    // Experimental.
    let to_experimental = apply(server, Channel::Experimental, &[]);
    wait_for_channel(server, Channel::Experimental);
    let experimental = look(server, &made);
    let stricter = server.block_on(async {
        let mut stricter = Vec::new();
        for (index, object) in made.iter().enumerate().filter(|(_, object)| object.role == Role::Stricter) {
            let path = format!("{}?dryRun=All", path_of(object.versioned, &object.namespace, &object.name));
            let seen = experimental.object(object, &object.versioned.version.name);
            let annotated = send(&client, "PUT", &path, Some(&with_annotation(seen))).await;
            let changed = send(&client, "PUT", &path, Some(&with_other_port(seen))).await;
            stricter.push((index, annotated, changed));
        }
        stricter
    });
    for document in experimental_objects() {
        for role in [Role::Left, Role::Annotated, Role::Reported] {
            made.extend(create_through_all(server, Channel::Experimental, &document, role));
        }
    }
    for document in older_objects() {
        let versioned = VersionedKind::of(Channel::Experimental, &document).expect("a resource of the bundle");
        made.push(create_through(server, versioned, &document, Role::Older));
    }
    let during = look(server, &made);

    // Standard again.
    let to_standard = apply(server, Channel::Standard, &[]);
    wait_for_channel(server, Channel::Standard);
    let back = look(server, &made);
    let (mut written, mut changed, mut corrected) = (Vec::new(), Vec::new(), Vec::new());
    let created = server.block_on(async {
        for (index, object) in made.iter().enumerate() {
            let versioned = object.version_on_standard();
            let path = path_of(versioned, &object.namespace, &object.name);
            let seen = back.object(object, &versioned.version.name);
            if matches!(object.role, Role::Left | Role::Older) && is_blocked(seen) {
                let (path, next) = (format!("{path}?dryRun=All"), with_other_port(seen));
                changed.push((index, send(&client, "PUT", &path, Some(&next)).await));
                corrected.push((index, send(&client, "PUT", &path, Some(&correct(next))).await));
            }
            let (path, next) = match object.role {
                Role::Before | Role::Stricter | Role::Left => continue,
                Role::Annotated | Role::Older => (path, with_annotation(seen)),
                Role::Reported => {
                    let mut next = seen.clone();
                    next["status"] = object.status.clone();
                    (format!("{path}/status"), next)
                }
            };
            written.push((index, send(&client, "PUT", &path, Some(&next)).await));
        }
        let mut created = Vec::new();
        for document in experimental_objects() {
            let versioned = VersionedKind::of(Channel::Experimental, &document).expect("a resource of the bundle");
            if !is_in_standard(&versioned.crd.name) {
                let path = format!("{}?dryRun=All&fieldValidation=Strict", versioned.collection(NAMESPACE));
                created.push(send(&client, "POST", &path, Some(&document)).await);
            }
        }
        created
    });

    // Experimental again.
    let to_experimental_again = apply(server, Channel::Experimental, &[]);
    wait_for_channel(server, Channel::Experimental);
    let again = look(server, &made);
    Journey {
        made,
        standard,
        to_experimental,
        stricter,
        experimental,
        during,
        to_standard,
        back,
        written,
        changed,
        corrected,
        created,
        to_experimental_again,
        again,
    }
}

impl Stop {
    /// The objects of a list, if it is served.
    pub(super) fn listed(&self, resource: &str, version: &str) -> Option<&BTreeMap<String, Value>> {
        let (_, objects) = self.seen.iter().find(|(listed, _)| **listed == (resource, version))?;
        objects.as_ref().ok()
    }

    /// The object read through a version, if that is served.
    pub(super) fn read(&self, made: &Made, version: &str) -> Option<&Value> {
        Some(&self.listed(made.resource(), version)?[&made.key()])
    }

    /// The object read through a served version.
    pub(super) fn object(&self, made: &Made, version: &str) -> &Value {
        self.read(made, version).expect("the version is served")
    }
}

/// The object without its version, for comparisons between versions.
pub(super) fn without_version(object: &Value) -> Value {
    let mut object = object.clone();
    object.as_object_mut().expect("an object").remove("apiVersion");
    object
}

impl Journey {
    pub(super) fn with_role(&self, role: Role) -> impl Iterator<Item = (usize, &Made)> {
        self.made.iter().enumerate().filter(move |(_, made)| made.role == role)
    }

    /// Objects of this role whose change was refused: the error, and the answer to the corrected change.
    pub(super) fn blocked(&self, role: Role) -> impl Iterator<Item = (&Made, &Answer, &Answer)> {
        let both = self.changed.iter().zip(&self.corrected);
        let all = both.map(|((index, changed), (_, corrected))| (&self.made[*index], changed, corrected));
        all.filter(move |(made, ..)| made.role == role)
    }

    pub(super) fn stops(&self) -> [(&'static str, Channel, &Stop); 5] {
        [
            ("standard", Channel::Standard, &self.standard),
            ("experimental", Channel::Experimental, &self.experimental),
            ("experimental, objects made", Channel::Experimental, &self.during),
            ("standard again", Channel::Standard, &self.back),
            ("experimental again", Channel::Experimental, &self.again),
        ]
    }

    /// The fields that standard hides, by resource and version: computed from the answers of the server.
    pub(super) fn hidden(&self) -> BTreeMap<Listed, BTreeSet<String>> {
        let mut hidden: BTreeMap<Listed, BTreeSet<String>> = BTreeMap::new();
        for (_, made) in self.with_role(Role::Left) {
            for version in &made.versioned.crd.versions {
                let read = |stop: &'_ Stop| stop.read(made, &version.name).cloned();
                if let (Some(during), Some(back)) = (read(&self.during), read(&self.back)) {
                    let found = hidden.entry((made.resource(), version.name.as_ref())).or_default();
                    lost(&during, &back, "", found);
                }
            }
        }
        hidden.retain(|_, paths| !paths.is_empty());
        hidden
    }
}
