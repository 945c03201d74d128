//! Transitional CRDs from each release of Gateway API to v1.6.1.
//!
//! Invariants: our own API server decides. The objects are those that the CRD of their release accepts, and the same in every run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use crd_apiserver::objects::{Request, Resource};
use crd_apiserver::{prune, refusal};
use crd_boundary::Search;
use crd_bundle::history_archive::{FILE_NAME, HistoryArchive};
use crd_bundle::published::Input;
use crd_model::channel::Channel;
use crd_model::crd::{CustomResourceDefinition, Scope, Version};
use crd_model::schema::{Step, nodes};
use crd_upgrade::migrate::transition::{gate, may_have_old_forms, open};
use serde_json::{Map, Value, json};

const TARGET: &str = "v1.6.1";
/// The oldest and the newest minor that Gateway API supports.
const MINORS: [u32; 2] = [33, 37];
/// How many nodes of a schema have objects with a value there.
const PATHS: usize = 160;

/// The different structures of a CRD, oldest first, and its target.
struct Resources {
    old: Vec<Arc<CustomResourceDefinition>>,
    target: Arc<CustomResourceDefinition>,
}

/// The CRDs of the history that the target has, for both channels of the target.
fn resources() -> BTreeMap<(String, Channel), Resources> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bundles").join(FILE_NAME);
    let archive = HistoryArchive::read(Input::new(FILE_NAME, fs::read(path).unwrap())).unwrap();
    let target = archive.releases().iter().find(|release| release.name == TARGET).unwrap();
    let mut resources = BTreeMap::new();
    for (channel, crd) in target.channels.iter().flat_map(|(channel, crds)| crds.iter().map(move |crd| (channel, crd)))
    {
        let past = archive.releases().iter().filter(|release| release.version < target.version);
        let past = past.flat_map(|release| release.channels.values().flatten()).filter(|old| old.name == crd.name);
        let mut old = Vec::<Arc<CustomResourceDefinition>>::new();
        for crd in past {
            if !old.iter().any(|known| known == crd) {
                old.push(crd.clone());
            }
        }
        resources.insert((crd.name.to_string(), *channel), Resources { old, target: crd.clone() });
    }
    resources
}

fn names(crd: &CustomResourceDefinition) -> Vec<String> {
    crd.versions.iter().map(|version| version.name.to_string()).collect()
}

fn resource(crd: &CustomResourceDefinition, version: &str, minor: u32) -> Resource {
    Resource::prepare(crd, version, minor).unwrap().unwrap()
}

/// The first error of the creation of an object, or of its status. Unknown fields are errors.
fn refusal(resource: &Resource, object: &Value) -> Option<String> {
    let mut bare = object.clone();
    bare.as_object_mut().unwrap().remove("status");
    let created = resource.answer(Request::create(bare));
    let answer = match (&created.stored, object.get("status")) {
        (Some(stored), Some(_)) => {
            let stored = Request::versioned(stored);
            resource.answer(Request::update_status(&stored, Request::versioned(object)))
        }
        _ => created,
    };
    answer.errors.iter().chain(&answer.undecided).next().map(ToString::to_string)
}

/// Objects of a version that its CRD accepts, with values at many of its nodes.
fn made(crd: &CustomResourceDefinition, version: &Version) -> Vec<Value> {
    let metadata = match crd.scope {
        Scope::Cluster => json!({"name": "a"}),
        Scope::Namespaced => json!({"name": "a", "namespace": "default"}),
    };
    let frame = [
        ("apiVersion", json!(format!("{}/{}", crd.group, version.name))),
        ("kind", json!(crd.names.kind)),
        ("metadata", metadata),
    ];
    let frame = frame.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>();
    let served = resource(crd, &version.name, MINORS[1]);
    let mut search = Search::new(&version.schema, frame, Vec::new(), |_, object| refusal(&served, object).is_none());
    let of_server = |step: Option<&Step>| matches!(step, Some(Step::Field(name)) if ["apiVersion", "kind", "metadata"].contains(&&**name));
    let paths = nodes(&version.schema).into_iter().map(|(path, _)| path);
    let paths = paths.filter(|path| !of_server(path.steps().first())).collect::<Vec<_>>();
    let stride = paths.len().div_ceil(crd_testdata::sample(PATHS)).max(1);
    let found = paths.iter().step_by(stride).filter_map(|path| Some(search.accepted(path).first()?.object.clone()));
    let mut seen = BTreeSet::new();
    found.filter(|object| seen.insert(object.to_string())).collect()
}

fn as_version(object: &Value, group: &str, version: &str) -> Value {
    let mut object = object.clone();
    object["apiVersion"] = json!(format!("{group}/{version}"));
    object
}

#[track_caller]
fn check_accepted_by_servers(crd: &CustomResourceDefinition) {
    assert_eq!(refusal::refusals(crd).iter().map(ToString::to_string).collect::<Vec<_>>(), [""; 0], "{}", crd.name);
}

#[test]
fn objects_of_past_releases_are_kept_by_the_open_crd_and_old_forms_are_refused_by_the_gate() {
    let mut known_objects = BTreeMap::new();
    let (mut accepted, mut refused, mut with_old_forms) = (0, 0, 0);
    for ((name, channel), Resources { old, target }) in resources() {
        for (index, installed) in crd_testdata::sample_of(old.iter().enumerate().collect(), |_| false) {
            let known = old[..index].iter().map(|crd| &**crd).collect::<Vec<_>>();
            let stored = names(installed);
            let open = open(installed, &known, &target, &stored);
            let gate = gate(installed, &known, &target, &stored);
            check_accepted_by_servers(&open);
            check_accepted_by_servers(&gate);
            let may_have_old_forms = may_have_old_forms(installed, &known, &target);
            with_old_forms += usize::from(may_have_old_forms);
            // The objects of older releases are those of the last pair.
            let holders = if index + 1 == old.len() { &old[..] } else { &old[index..=index] };
            let mut objects = Vec::new();
            for holder in holders {
                let of_holder = known_objects.entry((name.clone(), Arc::as_ptr(holder).addr())).or_insert_with(|| {
                    let versions = holder.versions.iter().filter(|version| version.served);
                    versions.flat_map(|version| made(holder, version)).collect::<Vec<_>>()
                });
                assert!(!of_holder.is_empty(), "{name}");
                objects.extend_from_slice(of_holder);
            }
            for minor in MINORS {
                for version in open.versions.iter().filter(|version| version.served) {
                    let resource = resource(&open, &version.name, minor);
                    for object in &objects {
                        let object = as_version(object, &open.group, &version.name);
                        let mut read = object.clone();
                        assert_eq!(prune(&version.schema, &mut read), [""; 0], "{name} {channel:?}");
                        assert_eq!(read, object);
                        assert_eq!(refusal(&resource, &object), None, "{name} {channel:?} {object}");
                    }
                }
                for version in target.versions.iter().filter(|version| version.served) {
                    let own = gate.versions.iter().find(|own| own.name == version.name).unwrap();
                    let [gate, target] = [&gate, &*target].map(|crd| resource(crd, &version.name, minor));
                    for object in &objects {
                        let object = as_version(object, &open.group, &version.name);
                        assert_eq!(prune(&own.schema, &mut object.clone()), [""; 0], "{name} {channel:?}");
                        let pruned = prune(&version.schema, &mut object.clone());
                        assert!(pruned.is_empty() || may_have_old_forms, "{name} {channel:?}: {pruned:?}");
                        // A server refuses unknown fields here.
                        let answers = [&gate, &target].map(|resource| refusal(resource, &object));
                        assert_eq!(answers[0].is_some(), answers[1].is_some(), "{name} {object} {answers:?}");
                        match pruned.first() {
                            Some(_) => refused += 1,
                            None if answers[0].is_none() => accepted += 1,
                            None => {}
                        }
                    }
                }
            }
        }
        assert!(!may_have_old_forms(&target, &[], &target), "{name}");
    }
    println!(
        "{with_old_forms} pairs have old forms; the gate accepts {accepted} objects, and refuses {refused} with removed fields"
    );
    assert!(accepted > 100 && refused > 100 && with_old_forms > 5);
}
