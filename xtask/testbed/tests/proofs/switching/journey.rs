//! The journey: from standard to experimental, back and there again, on the server of the standard channel.
//!
//! Invariants: the journey is made once and recorded; only what it needs to go on is asserted here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use crd_channels::Channel;
use crd_model::yaml;
use serde_json::{Value, json};

use crate::documents::{Place, our_examples};
use crate::install::{apply, installed, settle, stored_crds};
use crate::requests::{Answer, TIME_LIMIT, create_namespace, send};
use crate::server::{Printed, Server};

use super::difference::{is_in_standard, lost};

const NAMESPACE: &str = "switching";

/// What somebody writes on standard.
pub(super) const ANNOTATION: &str = "example.com/seen";

/// Objects that use everything that only experimental has.
pub(super) fn experimental_objects() -> Vec<Value> {
    yaml::read(include_str!("during.yaml")).expect("our own YAML")
}

/// Objects that only an older version takes, one that standard does not serve.
pub(super) fn older_objects() -> Vec<Value> {
    yaml::read(include_str!("older.yaml")).expect("our own YAML")
}

/// Objects that standard takes and experimental would not.
pub(super) fn stricter_objects() -> Vec<Value> {
    yaml::read(include_str!("stricter.yaml")).expect("our own YAML")
}

/// What becomes of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Made on standard, and never written again.
    Before,
    /// Made on standard against rules that experimental has, and never written again.
    Stricter,
    /// Made on experimental, and never written again.
    Left,
    /// Made on experimental; somebody annotates it on standard.
    Annotated,
    /// Made on experimental; a controller writes its status on standard.
    Reported,
    /// Made on experimental through an older version whose rules are looser; annotated on standard.
    Older,
}

/// An object of the journey.
pub(super) struct Made {
    /// What it was made through.
    pub(super) place: Place,
    pub(super) role: Role,
    pub(super) namespace: String,
    pub(super) name: String,
    /// The status that is written in its role.
    pub(super) status: Value,
}

/// The resource and the version of a list.
pub(super) type Listed = (&'static str, &'static str);

/// What a server shows: the objects of each list by `NAMESPACE/NAME`, or the code of its refusal.
pub(super) type Seen = BTreeMap<Listed, Result<BTreeMap<String, Value>, u16>>;

/// A stop of the journey.
pub(super) struct Stop {
    pub(super) seen: Seen,
    /// What etcd holds of every object that was made so far, in the order of [`Journey::made`].
    pub(super) stored: Vec<Value>,
    pub(super) crds: BTreeMap<String, Value>,
}

/// The record.
pub(super) struct Journey {
    pub(super) made: Vec<Made>,
    /// Standard, with objects.
    pub(super) standard: Stop,
    pub(super) to_experimental: Printed,
    /// An annotation, and a change of what is against the rules, on experimental (`dryRun`), by their place in `made`.
    pub(super) stricter: Vec<(usize, Answer, Answer)>,
    /// Experimental, with the objects of standard alone.
    pub(super) experimental: Stop,
    /// Experimental, with the objects that were made there.
    pub(super) during: Stop,
    pub(super) to_standard: Printed,
    /// Standard again, and nothing was written.
    pub(super) back: Stop,
    /// Writes on standard, by their place in `made`.
    pub(super) written: Vec<(usize, Answer)>,
    /// Changes to a part that standard has no longer, or only a version that it does not serve (`dryRun`), by their place in `made`.
    pub(super) changed: Vec<(usize, Answer)>,
    /// The same, after the part was mended (`dryRun`).
    pub(super) mended: Vec<(usize, Answer)>,
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
        &self.place.crd.name
    }

    /// The place through which the object is written on standard: the version it was made through, or the storage version.
    pub(super) fn place_on_standard(&self) -> Place {
        let of_resource = || Place::all(Channel::Standard).filter(|place| place.crd.name == self.place.crd.name);
        of_resource()
            .find(|place| place.version.name == self.place.version.name && place.version.served)
            .or_else(|| of_resource().find(|place| place.version.storage))
            .unwrap_or(self.place)
    }

    /// The version that is stored.
    pub(super) fn storage(&self) -> Place {
        let crd = self.place.crd;
        Place { crd, version: crd.versions.iter().find(|version| version.storage).expect("a storage version") }
    }

    /// A version through which it can be read on standard.
    pub(super) fn readable_version(&self) -> &'static str {
        &self.place_on_standard().version.name
    }

    pub(super) fn etcd_key(&self) -> String {
        let (group, plural) = (&self.place.crd.group, &self.place.crd.names.plural);
        let namespace = if self.place.is_cluster_wide() { String::new() } else { format!("{}/", self.namespace) };
        format!("/registry/{group}/{plural}/{namespace}{}", self.name)
    }
}

/// Where the object of a document is made.
fn path_of(place: Place, namespace: &str, name: &str) -> String {
    format!("{}/{name}", place.collection(namespace))
}

/// What the server shows through every version that experimental has.
fn look(server: &Server, made: &[Made]) -> Stop {
    let client = server.client();
    let seen = server.block_on(async {
        let mut seen = Seen::new();
        for place in Place::all(Channel::Experimental) {
            let path = format!("/apis/{}/{}", place.api_version(), place.crd.names.plural);
            let mut answer = send(&client, "GET", &path, None).await;
            let objects = match answer.body.get_mut("items").and_then(Value::as_array_mut) {
                Some(items) if answer.code == 200 => {
                    Ok(std::mem::take(items).into_iter().map(|object| (key(&object), object)).collect())
                }
                _ => Err(answer.code),
            };
            seen.insert((place.crd.name.as_ref(), place.version.name.as_ref()), objects);
        }
        seen
    });
    let stored =
        |object: &Made| server.stored(&object.etcd_key()).unwrap_or_else(|| panic!("{} is lost", object.etcd_key()));
    Stop { seen, stored: made.iter().map(stored).collect(), crds: stored_crds(server) }
}

fn key(object: &Value) -> String {
    let text = |name: &str| object["metadata"][name].as_str().unwrap_or_default().to_owned();
    format!("{}/{}", text("namespace"), text("name"))
}

/// Waits until the server serves what this channel has: versions, and fields (`during.yaml`, strictly).
fn wait_for_channel(server: &Server, channel: Channel) {
    settle(server, channel);
    let client = server.client();
    let (start, documents, present) = (Instant::now(), experimental_objects(), stored_crds(server));
    let is_there = async || {
        for place in Place::all(Channel::Experimental) {
            let served = match Place::all(channel)
                .find(|other| (other.api_version(), other.kind()) == (place.api_version(), place.kind()))
            {
                Some(place) => place.version.served,
                // What a bundle does not have, applying it does not touch.
                None => present.contains_key(place.crd.name.as_ref()),
            };
            let code = send(&client, "GET", &format!("{}?limit=1", place.collection(NAMESPACE)), None).await.code;
            if (code == 200) != served {
                return Err(format!("{} answers {code}", place.name()));
            }
        }
        for document in &documents {
            let place = Place::of(Channel::Experimental, document).expect("a resource of ours");
            if is_in_standard(&place.crd.name) {
                let path = format!("{}?dryRun=All&fieldValidation=Strict", place.collection(NAMESPACE));
                let answer = send(&client, "POST", &path, Some(document)).await;
                if answer.is_success() != (channel == Channel::Experimental) {
                    return Err(format!(
                        "a create of {} is answered with {} {}",
                        place.name(),
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

/// Makes an object, and gives it its status where it has one.
async fn make(client: &kube::Client, made: &Made, document: &Value) {
    let mut object = document.clone();
    object["apiVersion"] = json!(made.place.api_version());
    object["metadata"]["name"] = json!(made.name);
    if !made.place.is_cluster_wide() {
        object["metadata"]["namespace"] = json!(made.namespace);
    }
    let path = format!("{}?fieldValidation=Strict", made.place.collection(&made.namespace));
    let mut answer = send(client, "POST", &path, Some(&object)).await.expect(&made.key());
    if made.role == Role::Before && made.place.has_status() && !made.status.is_null() {
        answer["status"] = made.status.clone();
        let path = format!("{}/status", path_of(made.place, &made.namespace, &made.name));
        send(client, "PUT", &path, Some(&answer)).await.expect(&made.key());
    }
}

/// Makes the object of a document through every version that a channel serves.
fn make_through_all(server: &Server, channel: Channel, document: &Value, role: Role) -> Vec<Made> {
    let resource = Place::of(channel, document).expect("a resource of ours").crd;
    let places = Place::all(channel).filter(|place| place.crd.name == resource.name && place.version.served);
    places.map(|place| make_through(server, place, document, role)).collect()
}

/// Makes the object of a document through this version, with a name that tells the version and the role.
fn make_through(server: &Server, place: Place, document: &Value, role: Role) -> Made {
    let namespace = if place.is_cluster_wide() { String::new() } else { NAMESPACE.to_owned() };
    let name = document["metadata"]["name"].as_str().unwrap_or_default();
    let name = format!("{name}-{}-{role:?}", place.version.name).to_lowercase();
    let made = Made { place, role, namespace, name, status: document["status"].clone() };
    let mut document = document.clone();
    document.as_object_mut().expect("an object").remove("status");
    server.block_on(make(&server.client(), &made, &document));
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

/// Whether something in an object's rules, or beside them, is what standard would not take.
fn is_held_up(object: &Value) -> bool {
    let Some(rules) = object["spec"]["rules"].as_array() else { return false };
    let is_guarded = rules.iter().any(|rule| rule.pointer("/filters/0/type") == Some(&json!("ExternalAuth")));
    is_guarded || rules.len() > 1 || (object["kind"] == "TLSRoute" && object["spec"].get("hostnames").is_none())
}

/// The object as standard takes it: without filters of an unknown type, with one rule, with hostnames.
fn mend(mut object: Value) -> Value {
    let rule = object["spec"]["rules"][0].as_object_mut().expect("a rule");
    rule.remove("filters");
    rule["backendRefs"][0].as_object_mut().expect("a backend").remove("filters");
    object["spec"]["rules"].as_array_mut().expect("rules").truncate(1);
    if object["kind"] == "TLSRoute" {
        object["spec"]["hostnames"] = json!(["mended.example.com"]);
    }
    object
}

/// The journey, made once; `None` if there can be no server here, which has been said then.
pub(super) fn journey() -> Option<&'static Journey> {
    // Poisoned by a step that failed: then every test fails, and the first tells why.
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
        let place = Place::of(Channel::Standard, &example.object).expect("a resource of ours");
        let text = |name: &str| example.object["metadata"][name].as_str().unwrap_or_default().to_owned();
        let status = example.object["status"].clone();
        let object = Made { place, role: Role::Before, namespace: text("namespace"), name: text("name"), status };
        server.block_on(async {
            if !object.namespace.is_empty() && namespaces.insert(object.namespace.clone()) {
                create_namespace(&client, &object.namespace).await;
            }
            make(&client, &object, &example.object).await;
        });
        made.push(object);
    }
    for document in stricter_objects() {
        made.extend(make_through_all(server, Channel::Standard, &document, Role::Stricter));
    }
    let standard = look(server, &made);

    // Experimental.
    let to_experimental = apply(server, Channel::Experimental, &[]);
    wait_for_channel(server, Channel::Experimental);
    let experimental = look(server, &made);
    let stricter = server.block_on(async {
        let mut stricter = Vec::new();
        for (index, object) in made.iter().enumerate().filter(|(_, object)| object.role == Role::Stricter) {
            let path = format!("{}?dryRun=All", path_of(object.place, &object.namespace, &object.name));
            let seen = experimental.object(object, &object.place.version.name);
            let annotated = send(&client, "PUT", &path, Some(&with_annotation(seen))).await;
            let changed = send(&client, "PUT", &path, Some(&with_other_port(seen))).await;
            stricter.push((index, annotated, changed));
        }
        stricter
    });
    for document in experimental_objects() {
        for role in [Role::Left, Role::Annotated, Role::Reported] {
            made.extend(make_through_all(server, Channel::Experimental, &document, role));
        }
    }
    for document in older_objects() {
        let place = Place::of(Channel::Experimental, &document).expect("a resource of ours");
        made.push(make_through(server, place, &document, Role::Older));
    }
    let during = look(server, &made);

    // Standard again.
    let to_standard = apply(server, Channel::Standard, &[]);
    wait_for_channel(server, Channel::Standard);
    let back = look(server, &made);
    let (mut written, mut changed, mut mended) = (Vec::new(), Vec::new(), Vec::new());
    let created = server.block_on(async {
        for (index, object) in made.iter().enumerate() {
            let place = object.place_on_standard();
            let path = path_of(place, &object.namespace, &object.name);
            let seen = back.object(object, &place.version.name);
            if matches!(object.role, Role::Left | Role::Older) && is_held_up(seen) {
                let (path, next) = (format!("{path}?dryRun=All"), with_other_port(seen));
                changed.push((index, send(&client, "PUT", &path, Some(&next)).await));
                mended.push((index, send(&client, "PUT", &path, Some(&mend(next))).await));
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
            let place = Place::of(Channel::Experimental, &document).expect("a resource of ours");
            if !is_in_standard(&place.crd.name) {
                let path = format!("{}?dryRun=All&fieldValidation=Strict", place.collection(NAMESPACE));
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
        mended,
        created,
        to_experimental_again,
        again,
    }
}

impl Stop {
    /// The objects of a list, if it is served here.
    pub(super) fn listed(&self, resource: &str, version: &str) -> Option<&BTreeMap<String, Value>> {
        let (_, objects) = self.seen.iter().find(|(listed, _)| **listed == (resource, version))?;
        objects.as_ref().ok()
    }

    /// An object as it is read through a version, if that is served here.
    pub(super) fn read(&self, made: &Made, version: &str) -> Option<&Value> {
        Some(&self.listed(made.resource(), version)?[&made.key()])
    }

    /// The same of a version that is served here.
    pub(super) fn object(&self, made: &Made, version: &str) -> &Value {
        self.read(made, version).expect("the version is served")
    }
}

/// What everybody can say of an object, whatever version it is read through.
pub(super) fn without_version(object: &Value) -> Value {
    let mut object = object.clone();
    object.as_object_mut().expect("an object").remove("apiVersion");
    object
}

impl Journey {
    pub(super) fn with_role(&self, role: Role) -> impl Iterator<Item = (usize, &Made)> {
        self.made.iter().enumerate().filter(move |(_, made)| made.role == role)
    }

    /// Objects of this role whose change was refused: the refusal, and what was said when the change had been mended.
    pub(super) fn held_up(&self, role: Role) -> impl Iterator<Item = (&Made, &Answer, &Answer)> {
        let both = self.changed.iter().zip(&self.mended);
        let all = both.map(|((index, changed), (_, mended))| (&self.made[*index], changed, mended));
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

    /// What is not shown any more on standard, by resource and version: computed from what the server showed.
    pub(super) fn hidden(&self) -> BTreeMap<Listed, BTreeSet<String>> {
        let mut hidden: BTreeMap<Listed, BTreeSet<String>> = BTreeMap::new();
        for (_, made) in self.with_role(Role::Left) {
            for version in &made.place.crd.versions {
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
