//! OpenAPI documents that `bindings` writes and those that a server publishes for the same CRDs, and what generators of other languages make of them.
//!
//! Invariants: what the comparison leaves out is listed in `comparison::LEFT_OUT`. The documents for `record.yaml` are recorded for the fast
//! tests of `crd-bindings`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crd_bindings::openapi::{INDEX, files};
use crd_channels::Channel;
use crd_model::{CustomResourceDefinition, yaml};
use serde_json::Value;

use crate::documents::{crds, crds_of};
use crate::requests::{CRDS, TIME_LIMIT};
use crate::server::{Crds, Server, server};

mod clients;
#[path = "../../../../gen/bindings/tests/openapi/comparison.rs"]
mod comparison;
use comparison::{comparable, differences};

/// Our documents of CRDs, by path.
fn written(channel: Channel, crds: &[CustomResourceDefinition]) -> BTreeMap<String, Value> {
    let channels = [(channel, crds.iter().cloned().map(Arc::new).collect())].into_iter().collect();
    let mut files = files(&channels).expect("documents");
    files.remove(INDEX);
    files.into_iter().map(|(path, text)| (path, serde_json::from_str(&text).expect("JSON"))).collect()
}

/// The document that the server publishes at the same place, as soon as it has all of our paths. It publishes them some time after it serves the
/// versions.
fn published(server: &Server, path: &str, ours: &Value) -> Value {
    let url = match path.split_once("/v3/apis/") {
        Some((_, rest)) => format!("/openapi/v3/apis/{}", rest.strip_suffix(".json").expect("a JSON file")),
        None => "/openapi/v2".to_owned(),
    };
    let start = Instant::now();
    loop {
        let theirs = server.send("GET", &url, None).body;
        let is_published = |path: &String| theirs["paths"].get(path).is_some();
        if ours["paths"].as_object().expect("paths").keys().all(is_published) {
            return theirs;
        }
        assert!(start.elapsed() < TIME_LIMIT, "{url} lacks paths");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Of `/openapi/v2`, which has all groups: the paths of our groups and versions, and the schemas that ours has.
fn restrict(theirs: &mut Value, ours: &Value) {
    let keys = |value: &Value, key: &str| value[key].as_object().map(|map| map.keys().cloned().collect::<Vec<_>>());
    let (paths, schemas) = (keys(ours, "paths").expect("paths"), keys(ours, "definitions").expect("schemas"));
    // As `/apis/GROUP/VERSION/`.
    let roots = paths.iter().map(|path| path.split_inclusive('/').take(4).collect::<String>()).collect::<Vec<_>>();
    let is_ours = |path: &String| roots.iter().any(|root| path.starts_with(root) && path != root);
    theirs["paths"].as_object_mut().expect("paths").retain(|path, _| is_ours(path));
    let prefixes =
        schemas.iter().filter(|name| !name.starts_with("io.k8s.api")).filter_map(|name| name.rsplit_once('.'));
    let prefixes = prefixes.map(|(prefix, _)| prefix.to_owned()).collect::<Vec<_>>();
    let is_of_group =
        |name: &str| name.rsplit_once('.').is_some_and(|(prefix, _)| prefixes.iter().any(|other| other == prefix));
    theirs["definitions"]
        .as_object_mut()
        .expect("schemas")
        .retain(|name, _| schemas.contains(name) || is_of_group(name));
}

/// Compares all documents; returns those of the server.
fn compare(server: &Server, ours: &BTreeMap<String, Value>) -> BTreeMap<String, Value> {
    let (mut found, mut documents) = (Vec::new(), BTreeMap::new());
    for (path, ours) in ours {
        let mut theirs = published(server, path, ours);
        if ours.get("swagger").is_some() {
            restrict(&mut theirs, ours);
        }
        let theirs = comparable(&theirs);
        let ours = comparable(ours);
        found.extend(differences(&ours, &theirs).into_iter().map(|difference| format!("{path}{difference}")));
        let count = |key: &str| theirs[key].as_object().map_or(0, |map| map.len());
        println!("{path}: {} schemas and {} paths are equal", count("schemas"), count("paths"));
        documents.insert(path.clone(), theirs);
    }
    assert!(found.is_empty(), "{} differences: {:#?}", found.len(), &found[..found.len().min(40)]);
    documents
}

#[test]
fn documents_of_both_channels_are_those_of_a_server() {
    for channel in Channel::ALL {
        let Some(server) = server(crds_of(channel)) else { return };
        compare(server, &written(channel, crds(channel)));
    }
}

const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../gen/bindings/tests/openapi");

/// The CRD with special cases: as YAML has it, and read.
fn record() -> (Value, CustomResourceDefinition) {
    let text = std::fs::read_to_string(Path::new(RECORD).join("record.yaml")).expect("the CRD");
    let document = yaml::read(&text).expect("YAML").remove(0);
    let crd = CustomResourceDefinition::from_value(&document).expect("a CRD");
    (document, crd)
}

#[test]
fn documents_of_a_special_crd_are_those_of_a_server() {
    let Some(server) = server(Crds::Nothing) else { return };
    let (document, crd) = record();
    server.send("POST", CRDS, Some(&document)).expect("the CRD is created");
    for (path, theirs) in compare(server, &written(Channel::Standard, &[crd])) {
        let file = if path.ends_with("swagger.json") { "published-v2.json" } else { "published-v3.json" };
        let file = PathBuf::from(RECORD).join(file);
        let text = format!("{theirs}\n");
        if std::env::var_os("CRD_TESTBED_WRITE").is_some() {
            std::fs::write(&file, &text).expect("the file is written");
        }
        let recorded = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(recorded == text, "{} is stale; write it with CRD_TESTBED_WRITE=1", file.display());
    }
}
