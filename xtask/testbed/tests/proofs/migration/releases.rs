//! From release to release of Gateway API: no value of an object is lost, and each object is valid at the end.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use crd_apiserver::objects::MINORS;
use crd_bundle::{Release, stamp};
use crd_channels::Channel;
use crd_convert::{Conversions, Document};
use crd_diagnostics::Diagnostic;
use crd_model::{CustomResourceDefinition, yaml};
use crd_upgrade::migrate::{BundlePlan, Replacement, roll_back};
use gateway_api_types::conversions::FUNCTIONS;
use serde_json::{Value, json};

use super::{FAST, collection, connect_to, content, create, has_all, migrate, stored_versions, target};
use crate::lenses::{Lenses, archive, document, kinds};
use crate::requests::wait_for;
use crate::served::Served;
use crate::server::{Crds, Server, start};

/// How many objects of each kind and release are migrated.
const OBJECTS: usize = 8;

/// An object on its way.
struct Traveller {
    what: String,
    /// As the server of its release stored it.
    before: Value,
}

/// The CRDs of a release in one channel.
fn crds_of(release: &Release, channel: Channel) -> Vec<CustomResourceDefinition> {
    let crds = release.channels.get(&channel).into_iter().flatten();
    crds.map(|crd| (**crd).clone()).collect()
}

/// Every form that the CRDs of the target had.
fn known(releases: &[&Release]) -> Vec<CustomResourceDefinition> {
    let mut known = Vec::<Arc<CustomResourceDefinition>>::new();
    for crd in releases.iter().flat_map(|release| release.channels.values().flatten()) {
        if !known.contains(crd) {
            known.push(crd.clone());
        }
    }
    known.iter().map(|crd| (**crd).clone()).collect()
}

/// Whether each release on the way accepts the object, as the lenses up to the release convert it, and loses nothing of it.
fn is_welcome(object: &Value, way: &[&Release], document: &Document) -> bool {
    way.iter().all(|release| {
        let mut document = document.clone();
        document.lenses.retain(|lens| Some(lens.since) <= release.version);
        let conversions = Conversions::with_code(&document, &FUNCTIONS).expect("lenses");
        let mut object = object.clone();
        if conversions.forward(&mut object).is_err() {
            return false;
        }
        let (group, _) = object["apiVersion"].as_str().and_then(|text| text.split_once('/')).expect("a group");
        let crds = crds_of(release, Channel::Experimental);
        let crd = crds.iter().find(|crd| *crd.group == *group && object["kind"] == *crd.names.kind);
        // The CRD stays as it is if a release does not have it.
        crd.is_none_or(|crd| {
            let version = crd.versions.iter().find(|version| version.storage).expect("a storage version");
            object["apiVersion"] = json!(format!("{}/{}", crd.group, version.name));
            let is_whole = crd_apiserver::prune(&version.schema, &mut object.clone()).is_empty();
            is_whole && Served::new(crd, version, MINORS.1).is_some_and(|served| served.refusal(&object).is_none())
        })
    })
}

/// Creates objects of a release that have a way to the newest one.
fn depart(
    server: &Server,
    release: &Release,
    way: &[&Release],
    lenses: &mut Lenses<'_>,
    document: &Document,
    only: Option<&str>,
    travellers: &mut Vec<Traveller>,
) {
    let kinds = kinds(document);
    for crd in crds_of(release, Channel::Experimental) {
        if !kinds.contains(&*crd.names.kind) || only.is_some_and(|kind| crd.names.kind != kind) {
            continue;
        }
        for version in crd.versions.iter().filter(|version| version.served) {
            let objects = lenses.objects(&crd, version, crd_testdata::sample(OBJECTS) * 4);
            let objects = objects.into_iter().map(|([object, _], _)| object);
            let objects = objects.filter(|object| is_welcome(object, way, document));
            // A busy server needs a moment to serve a version of a new CRD.
            server.block_on(wait_for(&server.client(), &[collection(&crd, &version.name)]));
            for (index, mut object) in objects.take(crd_testdata::sample(OBJECTS)).enumerate() {
                let release = release.name.replace('.', "-");
                object["metadata"]["name"] = json!(format!("{}-{release}-{}-{index}", crd.names.plural, version.name));
                if crd.scope == crd_model::crd::Scope::Namespaced {
                    object["metadata"]["namespace"] = json!("default");
                }
                let client = server.client();
                let created = server.block_on(create(&client, &collection(&crd, &version.name), &object));
                let what = format!("{} {release} {}", crd.names.kind, object["metadata"]["name"]);
                let namespace = created["metadata"]["namespace"].as_str().map(|name| format!("/{name}"));
                let (group, plural, name) = (&crd.group, &crd.names.plural, object["metadata"]["name"].as_str());
                let place = format!("{group}/{plural}{}/{}", namespace.unwrap_or_default(), name.expect("a name"));
                // Defaults that are only shown can differ between releases.
                let before = server.stored(&format!("/registry/{place}")).expect("stored");
                // Defaults of an old release can be refused by later ones.
                if is_welcome(&before, way, document) {
                    travellers.push(Traveller { what, before });
                } else {
                    let path = format!("{}/{}", collection(&crd, &version.name), name.expect("a name"));
                    server.send("DELETE", &path, None);
                }
            }
        }
    }
}

/// Checks that each object is there, is valid, and has all its values in the newest form.
fn arrive(server: &Server, crds: &[CustomResourceDefinition], travellers: &[Traveller], lenses: &Lenses<'_>) {
    let mut table = BTreeMap::<String, usize>::new();
    for Traveller { what, before } in travellers {
        let mut expected = before.clone();
        lenses.conversions.forward(&mut expected).expect("it has a form");
        let (group, _) = expected["apiVersion"].as_str().and_then(|text| text.split_once('/')).expect("a group");
        let crd = crds.iter().find(|crd| *crd.group == *group && expected["kind"] == *crd.names.kind);
        let crd = crd.unwrap_or_else(|| panic!("{what}: no CRD"));
        let version = crd.versions.iter().find(|version| version.storage).expect("a storage version");
        let path =
            format!("{}/{}", collection(crd, &version.name), before["metadata"]["name"].as_str().expect("a name"));
        let client = server.client();
        let now = server.send("GET", &path, None).expect(what);
        // A status is not part of a successor of another kind.
        let mut wanted = content(&expected);
        if expected["kind"] != before["kind"] {
            wanted.as_object_mut().expect("an object").remove("status");
        }
        assert!(has_all(&wanted, &content(&now)), "{what}: {before:#}\n{expected:#}\n{now:#}");
        let served = Served::new(crd, version, MINORS.1).expect("rules");
        assert_eq!(served.refusal(&now), None, "{what}: {now:#}");
        *table.entry(crd.names.kind.to_string()).or_default() += 1;
        let stored = server.block_on(stored_versions(&client, &crd.name));
        assert_eq!(stored, json!([*version.name]), "{what}");
    }
    println!("Kubernetes {}: {table:?}", server.minor());
}

#[test]
fn backend_tls_policies_of_the_first_release_reach_the_newest_one() {
    let Some(server) = start(Crds::Nothing) else { return };
    let (document, archive) = (document(), archive());
    let releases = archive.releases().iter().collect::<Vec<_>>();
    let release = |name: &str| *releases.iter().find(|release| release.name == name).expect(name);
    let (first, last) = (release("v1.0.0"), release("v1.7.0"));
    let mut lenses = Lenses::new(&document);
    let only = |crds: Vec<CustomResourceDefinition>| {
        crds.into_iter().filter(|crd| crd.names.kind == "BackendTLSPolicy").collect::<Vec<_>>()
    };
    let known = known(&releases);
    let start = only(crds_of(first, Channel::Experimental));
    migrate(&server, &target("v1.0.0 experimental", start, known.clone(), &document, &FUNCTIONS));
    let mut travellers = Vec::new();
    depart(&server, first, &[last], &mut lenses, &document, Some("BackendTLSPolicy"), &mut travellers);
    assert!(!travellers.is_empty());
    for channel in [Channel::Experimental, Channel::Standard] {
        let crds = only(crds_of(last, channel));
        let name = format!("v1.7.0 {channel}");
        let mut target = target(&name, crds.clone(), known.clone(), &document, &FUNCTIONS);
        if channel == Channel::Standard {
            target.experimental = only(crds_of(last, Channel::Experimental));
        }
        migrate(&server, &target);
        arrive(&server, &crds, &travellers, &lenses);
    }
}

/// A migration that stops after some objects is taken back, and then done.
#[test]
fn objects_of_v1_6_1_reach_v1_7_0_and_return() {
    let Some(server) = start(Crds::Nothing) else { return };
    let (document, archive) = (document(), archive());
    let release = |name: &str| archive.releases().iter().find(|release| release.name == name).expect(name);
    let (before, after) = (release("v1.6.1"), release("v1.7.0"));
    let known = known(&[before, after]);
    let to = |release: &Release| {
        let mut crds = crds_of(release, Channel::Experimental);
        // The archive has no stamps, and the way back needs the version of the bundle before.
        for crd in &mut crds {
            stamp(crd, "gateway.networking.k8s.io", release.version.expect("a version"), Channel::Experimental);
        }
        target(&format!("{} experimental", release.name), crds, known.clone(), &document, &FUNCTIONS)
    };
    migrate(&server, &to(before));
    let crds = crds_of(before, Channel::Experimental);
    let place = |object: &Value| {
        let crd = crds.iter().find(|crd| object["kind"] == *crd.names.kind).expect("a CRD");
        collection(crd, object["apiVersion"].as_str().and_then(|text| text.rsplit_once('/')).expect("a version").1)
    };
    let mut travellers = Vec::new();
    for object in yaml::read(include_str!("v1.6.1.yaml")).expect("our own YAML") {
        let (what, name) = (object["kind"].to_string(), object["metadata"]["name"].as_str().expect("a name"));
        // A busy server needs a moment to serve a version of a new CRD.
        server.block_on(wait_for(&server.client(), &[place(&object)]));
        // With two objects of each, one is converted before the migration stops.
        for name in [name.to_owned(), format!("{name}-copy")] {
            let mut object = object.clone();
            object["metadata"]["name"] = json!(name);
            let before = server.block_on(create(&server.client(), &place(&object), &object));
            travellers.push(Traveller { what: what.clone(), before });
        }
    }
    let target = to(after);
    let cluster = connect_to(&server);
    let mut returned = BTreeMap::new();
    for crd in &target.crds {
        let written = Cell::new(0);
        let stops = |_: &Value| match written.replace(written.get() + 1) {
            0 => Ok(()),
            _ => Err(Diagnostic::error("stopped", "as the test wants it")),
        };
        server.block_on(async {
            let plan = BundlePlan::new(&cluster, crd, &target).await.expect("a plan");
            if plan.run(&cluster, &FAST, &stops, &mut |_| {}).await.is_err() {
                let back = roll_back(&cluster, &crd.name, &target.conversions, &FAST, &|_| Ok(()), &mut |_| {}).await;
                assert!(back.expect("the CRD is on its way").is_done(), "{}", crd.name);
                returned.insert(crd.names.kind.to_string(), 0);
            }
        });
    }
    for Traveller { what, before: object } in &travellers {
        let Some(count) = returned.get_mut(object["kind"].as_str().expect("a kind")) else { continue };
        let path = format!("{}/{}", place(object), object["metadata"]["name"].as_str().expect("a name"));
        assert_eq!(content(&server.send("GET", &path, None).expect(what)), content(object), "{what}");
        *count += 1;
    }
    println!("Kubernetes {}: {returned:?} returned", server.minor());
    let lensed = ["GRPCRoute", "HTTPRoute", "XBackend", "XBackendTrafficPolicy"];
    assert!(returned.keys().eq(lensed), "{returned:?}");
    migrate(&server, &target);
    arrive(&server, &target.crds, &travellers, &Lenses::new(&document));
}

#[test]
fn objects_of_each_release_travel_through_all_later_ones() {
    let Some(server) = start(Crds::Nothing) else { return };
    let (document, archive) = (document(), archive());
    let all = archive.releases().iter().filter(|release| release.channels.contains_key(&Channel::Experimental));
    let releases = crd_testdata::sample_of(all.collect::<Vec<_>>(), |release| release.name == "v1.7.0");
    let releases = releases.into_iter().filter(|release| release.version <= "v1.7.0".parse().ok());
    let releases = releases.collect::<Vec<_>>();
    let mut lenses = Lenses::new(&document);
    let (mut travellers, known) = (Vec::new(), known(&releases));
    let mut last = Vec::new();
    for (index, release) in releases.iter().enumerate() {
        let name = format!("{} experimental", release.name);
        last = crds_of(release, Channel::Experimental);
        let target = target(&name, last.clone(), known.clone(), &document, &FUNCTIONS);
        migrate(&server, &target);
        server.block_on(async {
            let cluster = super::connect(server.client()).await;
            let groups = ["gateway.networking.k8s.io", "gateway.networking.x-k8s.io"].map(str::to_owned).to_vec();
            let selection = crd_cluster::Selection { groups, prefix: None };
            for installed in cluster.crds(&selection).await.expect("listed") {
                if target.crd(&installed.metadata.name).is_some() {
                    continue;
                }
                if let Some(replacement) = Replacement::of(&installed, &target).expect("readable") {
                    let migrated = replacement.run(&cluster, &super::FAST, false, &|_| Ok(()), &mut |_| {}).await;
                    let migrated = migrated.expect("replaced");
                    assert!(migrated.counts.is_complete(), "{:?}", migrated.counts.refused);
                }
            }
        });
        let way = &releases[index + 1..];
        depart(&server, release, way, &mut lenses, &document, None, &mut travellers);
        println!("{name}: {} objects", travellers.len());
    }
    let _ = connect_to(&server);
    arrive(&server, &last, &travellers, &lenses);
}
