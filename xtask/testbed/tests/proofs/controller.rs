//! The example controller `api-types/controller` on a real server, while the CRDs of all releases of Gateway API are installed: up, down and across the channels.
//!
//! Invariants: CRDs are changed as users change them ([`installation`]), and other clients write objects meanwhile ([`writer`]). At each stop the server is quiet,
//! and what the controller has seen is compared with what the server lists. What it must decide is computed from the CRDs, which it does not read. What it
//! must see of objects in old forms is written by hand, in `objects.yaml`.

mod installation;
mod writer;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crd_channels::Channel;
use crd_model::CustomResourceDefinition;
use gateway_api_controller::{Decided, Decision, Handler, KINDS, KindUse, Object, Seen};
use serde_json::Value;

use crate::lenses::archive;
use crate::migration::{content, has_all};
use crate::requests::{CRDS, wait};
use crate::server::{Crds, Server, runtime, start};

use installation::install;
use writer::{TEMPLATE, Template, Writer, templates};

/// How long the controller may take until it has seen everything.
const TIME_LIMIT: Duration = Duration::from_secs(120);
/// How often all forms are written at each stop, after the CRDs have changed.
const ROUNDS: usize = 3;

/// What the controller has seen: by kind and `namespace/name`.
#[derive(Default)]
struct View {
    decided: BTreeMap<String, Decision>,
    objects: BTreeMap<&'static str, BTreeMap<String, Object>>,
    /// Objects of a listing that has not ended.
    listing: BTreeMap<&'static str, BTreeMap<String, Object>>,
    events: usize,
    ignored: BTreeSet<String>,
}

struct Recorder(Arc<Mutex<View>>);

impl Handler for Recorder {
    fn decided(&self, decided: &[Decided]) {
        let mut view = self.0.lock().expect("no panic");
        view.decided = decided.iter().map(|one| (one.kind.kind.clone(), one.decision.clone())).collect();
        let View { decided, objects, listing, .. } = &mut *view;
        let is_watched = |kind: &str| matches!(decided[kind], Decision::Watch { .. });
        objects.retain(|kind, _| is_watched(kind));
        listing.retain(|kind, _| is_watched(kind));
    }

    fn seen(&self, kind: &'static KindUse<'static>, seen: Seen) {
        let mut view = self.0.lock().expect("no panic");
        let view = &mut *view;
        view.events += 1;
        let text = |(namespace, name): (Option<String>, String)| format!("{}/{name}", namespace.unwrap_or_default());
        let objects = match view.listing.get_mut(kind.kind) {
            Some(listing) => listing,
            None => view.objects.entry(kind.kind).or_default(),
        };
        match seen {
            Seen::Listing => drop(view.listing.insert(kind.kind, BTreeMap::new())),
            Seen::Listed => view.objects.extend(view.listing.remove_entry(kind.kind)),
            Seen::Object(key, Ok(object)) => drop(objects.insert(text(key), object)),
            Seen::Object(key, Err(why)) => {
                let key = text(key);
                objects.remove(&key);
                view.ignored.insert(format!("{} {key}: {why}", kind.kind));
            }
            Seen::Deleted(key) => drop(objects.remove(&text(key))),
        }
    }
}

/// A stop of the journey.
struct Stop {
    name: String,
    crds: Vec<CustomResourceDefinition>,
    /// Whether CRDs that the bundle does not have are deleted.
    is_clean: bool,
}

/// What the controller must decide, by the CRDs of the server.
fn expected(crds: &[Value]) -> BTreeMap<String, Decision> {
    let decision = |kind: &KindUse<'_>| {
        let Some(crd) = crds.iter().find(|crd| crd["metadata"]["name"] == kind.crd()) else { return Decision::Absent };
        let versions = crd["spec"]["versions"].as_array().into_iter().flatten();
        let served =
            versions.filter(|version| version["served"] == true).map(|version| &version["name"]).collect::<Vec<_>>();
        let version = kind.versions.iter().find(|version| served.iter().any(|name| *name == **version));
        Decision::Watch { version: (*version.expect("each release has one")).to_owned(), without: Vec::new() }
    };
    KINDS.iter().map(|kind| (kind.kind.to_owned(), decision(kind))).collect()
}

/// What the controller has not seen yet, or has seen wrongly; and the number of objects.
fn missing(server: &Server, view: &Mutex<View>, templates: &[Template]) -> Result<usize, String> {
    let crds = server.send("GET", CRDS, None).expect("listed")["items"].take();
    let expected = expected(crds.as_array().map(Vec::as_slice).unwrap_or_default());
    let mut listed = Vec::new();
    for kind in KINDS {
        let Decision::Watch { version, .. } = &expected[kind.kind] else { continue };
        let path = format!("/apis/{}/{version}/{}", kind.group, kind.plural);
        let answer = server.send("GET", &path, None);
        if !answer.is_success() {
            return Err(format!("{path}: {} {}", answer.code, answer.message()));
        }
        listed.push((kind, answer.body["items"].as_array().cloned().unwrap_or_default()));
    }
    let view = view.lock().expect("no panic");
    if view.decided != expected {
        return Err(format!("decided: {:?}\nexpected: {expected:?}", view.decided));
    }
    if !view.listing.is_empty() {
        return Err("a listing has not ended".to_owned());
    }
    let mut number = 0;
    for (kind, items) in &listed {
        let seen = view.objects.get(kind.kind).cloned().unwrap_or_default();
        if seen.len() != items.len() {
            return Err(format!("{}: {} objects instead of {}", kind.kind, seen.len(), items.len()));
        }
        for item in items {
            let metadata = &item["metadata"];
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let key = format!("{}/{}", text(&metadata["namespace"]), text(&metadata["name"]));
            let object = seen.get(&key).ok_or_else(|| format!("{} {key} was not seen", kind.kind))?;
            compare(item, &serde_json::to_value(object).expect("JSON"), templates)
                .map_err(|why| format!("{} {key}: {why}", kind.kind))?;
            number += 1;
        }
    }
    Ok(number)
}

/// Compares an object of the server with what the controller saw.
fn compare(item: &Value, seen: &Value, templates: &[Template]) -> Result<(), String> {
    let name = item["metadata"]["annotations"][TEMPLATE].as_str().expect("a template");
    let template = templates.iter().find(|template| template.id == name).expect("a template");
    if seen["metadata"]["resourceVersion"] != item["metadata"]["resourceVersion"] {
        return Err("another resource version".to_owned());
    }
    if seen["apiVersion"] != "gateway.networking.k8s.io/v1" {
        return Err(format!("{} is not current", seen["apiVersion"]));
    }
    let (item, seen) = (content(item), content(seen));
    let is_as_expected = match &template.current {
        // An old form, of which newer CRDs hide a part.
        Some(current) if has_all(&template.written, &item) => has_all(current, &seen),
        Some(_) => true,
        None => item == seen,
    };
    if is_as_expected { Ok(()) } else { Err(format!("{seen:#} for {item:#}")) }
}

/// The stops: up and down in one channel, then in the other one, then across the channels at each release.
fn journey() -> Vec<Stop> {
    let (first, last) = ("v1.0.0".parse().ok(), "v1.7.0".parse().ok());
    let archive = archive();
    let releases = archive.releases().iter().filter(|release| release.version >= first && release.version <= last);
    let releases = releases.collect::<Vec<_>>();
    let stop = |index: usize, channel: Channel, is_clean: bool| {
        let release = releases[index];
        let crds = release.channels[&channel].iter().map(|crd| (**crd).clone()).collect();
        Stop { name: format!("{} {channel}", release.name), crds, is_clean }
    };
    let (standard, experimental) = (Channel::Standard, Channel::Experimental);
    let end = releases.len() - 1;
    if !crd_testdata::is_proof() {
        // Up, across, down, across.
        let at = |name: &str| releases.iter().position(|release| release.name == name).expect(name);
        return vec![
            stop(0, standard, false),
            stop(0, experimental, false),
            stop(at("v1.4.0"), experimental, false),
            stop(end, experimental, false),
            stop(end, standard, true),
            stop(at("v1.1.0"), experimental, true),
        ];
    }
    let mut stops = Vec::new();
    for channel in [standard, experimental] {
        stops.extend((0..=end).map(|index| stop(index, channel, false)));
        stops.extend((0..=end).rev().map(|index| stop(index, channel, true)));
    }
    stops.extend((0..=end).flat_map(|index| [stop(index, standard, false), stop(index, experimental, index % 2 == 0)]));
    stops.extend(
        (0..=end).rev().flat_map(|index| [stop(index, experimental, false), stop(index, standard, index % 2 == 0)]),
    );
    stops
}

#[test]
fn the_example_controller_survives_each_release_and_channel() {
    let Some(server) = start(Crds::Nothing) else { return };
    let (view, templates) = (Arc::new(Mutex::new(View::default())), templates());
    let controller = gateway_api_controller::run(server.client(), Recorder(view.clone()));
    let controller = runtime().spawn(controller);
    let writer = Arc::new(Writer::new(templates.clone()));
    let writing = runtime().spawn(writer.clone().run(server.client()));
    let begun = Instant::now();
    let (mut most, mut absent) = (0, 0);
    let stops = journey();
    for stop in &stops {
        writer.go_on(&stop.crds);
        install(&server, stop);
        let rounds = writer.rounds() + ROUNDS;
        wait("the writer goes on", || writer.rounds() > rounds);
        server.block_on(writer.pause());
        let reached = Instant::now();
        let number = loop {
            assert!(!controller.is_finished(), "{}: the controller has ended", stop.name);
            match missing(&server, &view, &templates) {
                Ok(number) => break number,
                Err(why) => assert!(reached.elapsed() < TIME_LIMIT, "{}: {why}", stop.name),
            }
            std::thread::sleep(Duration::from_millis(200));
        };
        assert!(!writing.is_finished(), "{}: the writer has ended", stop.name);
        most = most.max(number);
        let view = view.lock().expect("no panic");
        absent += view.decided.values().filter(|decision| **decision == Decision::Absent).count();
        println!(
            "{:>6.1} s {:24} {number:4} objects, {:.1} s",
            begun.elapsed().as_secs_f64(),
            stop.name,
            reached.elapsed().as_secs_f64()
        );
        assert_eq!(view.ignored, BTreeSet::new(), "{}", stop.name);
    }
    controller.abort();
    writing.abort();
    let written = writer.written();
    println!(
        "Kubernetes {}: {} stops, {} events, at most {most} objects; {written:?}",
        server.minor(),
        stops.len(),
        view.lock().expect("no panic").events
    );
    let never = templates.iter().filter(|template| !written.contains_key(&template.id)).map(|template| &template.id);
    assert_eq!(never.collect::<Vec<_>>(), Vec::<&String>::new(), "each form was written");
    assert!(absent > 0 && most > KINDS.len());
}
