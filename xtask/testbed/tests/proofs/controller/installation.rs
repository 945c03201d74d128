//! CRDs of a bundle on a server, as a user installs them: updated in place, and with a migration of stored versions where the server refuses the update.
//!
//! Invariants: an object that the new storage version cannot hold is deleted, as a rollback requires it. CRDs of other bundles stay, unless they are cleaned up.

use crd_convert::Conversions;
use crd_model::CustomResourceDefinition;
use gateway_api_types::conversions::FUNCTIONS;
use serde_json::{Value, json};

use super::Stop;
use crate::lenses::document;
use crate::migration::{content, has_all};
use crate::requests::{Answer, CRDS, wait_for};
use crate::server::Server;

/// Brings the CRDs of the server to those of a stop.
pub(super) fn install(server: &Server, stop: &Stop) {
    for crd in &stop.crds {
        let path = format!("{CRDS}/{}", crd.name);
        let installed = server.send("GET", &path, None);
        if installed.code == 404 {
            server.send("POST", CRDS, Some(&crd.to_value())).expect("created");
            continue;
        }
        let installed = installed.expect("read");
        let answer = replace(server, &path, crd.to_value()["spec"].take());
        if answer.code == 422 {
            assert!(answer.message().contains("status.storedVersions"), "{}: {}", stop.name, answer.message());
            move_storage(server, &path, &installed, crd);
        } else {
            answer.expect(&stop.name);
        }
    }
    let served = stop.crds.iter().flat_map(|crd| {
        let versions = crd.versions.iter().filter(|version| version.served);
        versions.map(move |version| format!("/apis/{}/{}/{}", crd.group, version.name, crd.names.plural))
    });
    server.block_on(wait_for(&server.client(), &served.collect::<Vec<_>>()));
    if stop.is_clean {
        let all = server.send("GET", CRDS, None).expect("listed");
        let names = all["items"].as_array().into_iter().flatten().filter_map(|crd| crd["metadata"]["name"].as_str());
        for name in names.filter(|name| stop.crds.iter().all(|crd| crd.name != **name)) {
            server.send("DELETE", &format!("{CRDS}/{name}"), None).expect("deleted");
            while server.send("GET", &format!("{CRDS}/{name}"), None).code != 404 {
                std::thread::sleep(std::time::Duration::from_millis(50));
            }
        }
    }
}

/// Replaces the `spec` of a CRD.
fn replace(server: &Server, path: &str, spec: Value) -> Answer {
    loop {
        let mut crd = server.send("GET", path, None).expect("read");
        crd["spec"] = spec.clone();
        let answer = server.send("PUT", path, Some(&crd));
        if answer.code != 409 {
            return answer;
        }
    }
}

/// Installs a CRD that does not have a stored version: both have their versions until each object is written in the new storage version.
fn move_storage(server: &Server, path: &str, installed: &Value, target: &CustomResourceDefinition) {
    let old = installed["spec"]["versions"].as_array().expect("versions");
    let mut both = target.to_value()["spec"].take();
    let versions = both["versions"].as_array_mut().expect("versions");
    let is_new = |version: &&Value| target.versions.iter().all(|other| version["name"] != *other.name);
    let left = old.iter().filter(is_new).cloned().map(|mut version| {
        version["storage"] = json!(false);
        version
    });
    versions.extend(left.collect::<Vec<_>>());
    versions.iter_mut().for_each(|version| version["served"] = json!(true));
    replace(server, path, both).expect("both");
    let (group, plural) = (&target.group, &target.names.plural);
    let storage = target.versions.iter().find(|version| version.storage).expect("a storage version");
    let of = |version: &str| format!("/apis/{group}/{version}");
    server.block_on(wait_for(&server.client(), &[format!("{}/{plural}", of(&storage.name))]));
    let conversions = Conversions::with_code(&document(), &FUNCTIONS).expect("lenses");
    let current = format!("{group}/{}", storage.name);
    loop {
        let listed = server.send("GET", &format!("{}/{plural}", of(&storage.name)), None).expect("listed");
        let mut is_done = true;
        for item in listed["items"].as_array().into_iter().flatten() {
            let name = item["metadata"]["name"].as_str().expect("a name");
            let namespace = item["metadata"]["namespace"].as_str();
            let place = namespace.map(|namespace| format!("{namespace}/")).unwrap_or_default();
            let Some(stored) = server.stored(&format!("/registry/{group}/{plural}/{place}{name}")) else { continue };
            if stored["apiVersion"] == current {
                continue;
            }
            is_done = false;
            let place = namespace.map(|namespace| format!("/namespaces/{namespace}")).unwrap_or_default();
            let (_, version) = stored["apiVersion"].as_str().and_then(|text| text.split_once('/')).expect("a version");
            let path = |version: &str| format!("{}{place}/{plural}/{name}", of(version));
            let read = server.send("GET", &path(version), None);
            if !read.is_success() {
                continue;
            }
            let mut object = read.body;
            conversions.forward(&mut object).expect("it has a form");
            object["apiVersion"] = json!(current);
            let written = server.send("PUT", &path(&storage.name), Some(&object));
            // A server accepts an unchanged object that lacks required fields, so it accepts a form whose fields it drops.
            if written.code == 422 || written.is_success() && !has_all(&content(&object), &content(&written.body)) {
                server.send("DELETE", &path(&storage.name), None);
            }
        }
        if is_done {
            break;
        }
    }
    let stored = json!({"status": {"storedVersions": [storage.name]}});
    server.send("PATCH", &format!("{path}/status"), Some(&stored)).expect("pruned");
    replace(server, path, target.to_value()["spec"].take()).expect("the target");
}
