//! How long the conversion of objects takes: `cargo bench -p crd-benches --bench convert`.
//!
//! The bars are 200 ns for one rename, and 200 µs for a step over the 1,000 items of a list. The time includes finding the lenses of the
//! object and the check of its depth, and excludes the copy of the object and its destruction.
//!
//! The laws of all lenses of Gateway API, as `check` proves them with 100 objects for each lens and direction: the bar is 300 ms.
//!
//! `convert --in-place` of 10,000 HTTPRoutes, from files to files: the bar is 100 MB/s of JSON. The time includes reading and writing the files.

#![allow(clippy::unwrap_used, reason = "a benchmark of what does not work ends with a panic")]

#[path = "../src/catalogue.rs"]
mod catalogue;

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crd_bundle::history_archive::HistoryArchive;
use crd_bundle::published::Input;
use crd_channels_cli::{Exit, Session, run_without_types_in};
use crd_convert::{Conversions, Document};
use crd_review::history::ARCHIVE;
use crd_review::laws::Laws;
use criterion::{BatchSize, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use serde_json::{Value, json};

fn conversions(step: &Value) -> Conversions {
    let document = json!({
        "schemaVersion": 1,
        "generator": "bench",
        "prefix": "gateway.networking.k8s.io",
        "lenses": [{
            "name": "lens",
            "resource": "backendtlspolicies.gateway.networking.k8s.io",
            "group": "gateway.networking.k8s.io",
            "kind": "BackendTLSPolicy",
            "since": "v1.1.0",
            "steps": [step],
        }],
    });
    Conversions::new(&Document::from_value(&document).unwrap()).unwrap()
}

fn policy(spec: &Value) -> Value {
    json!({
        "apiVersion": "gateway.networking.k8s.io/v1alpha3",
        "kind": "BackendTLSPolicy",
        "metadata": {"name": "policy", "namespace": "default"},
        "spec": spec,
    })
}

fn convert(criterion: &mut Criterion, name: &str, step: &Value, object: &Value) {
    let conversions = conversions(step);
    let mut converted = object.clone();
    assert_eq!(conversions.forward(&mut converted).unwrap(), ["lens"]);
    assert_ne!(converted, *object);
    criterion.bench_function(name, |bencher| {
        bencher.iter_batched_ref(
            || object.clone(),
            |object| conversions.forward(object).unwrap().len(),
            BatchSize::SmallInput,
        );
    });
    criterion.bench_function(&format!("{name}, current already"), |bencher| {
        bencher.iter(|| conversions.forward(std::hint::black_box(&mut converted)).unwrap().len());
    });
}

fn objects(criterion: &mut Criterion) {
    let tls = json!({"hostname": "example.com", "wellKnownCACertificates": "System"});
    let rename = json!({"operation": "rename", "from": "spec.tls", "to": "spec.validation"});
    convert(
        criterion,
        "one rename",
        &rename,
        &policy(&json!({"targetRefs": [{"kind": "Service", "name": "a"}], "tls": tls})),
    );
    let items: Vec<Value> = (0..1_000).map(|index| json!({"name": format!("n{index}"), "old": index})).collect();
    let object = policy(&json!({ "rules": items }));
    for (name, step) in [
        ("rename", json!({"operation": "rename", "from": "spec.rules[*].old", "to": "spec.rules[*].new"})),
        ("wrapInList", json!({"operation": "wrapInList", "from": "spec.rules[*].old", "to": "spec.rules[*].new"})),
    ] {
        convert(criterion, &format!("{name} in 1,000 items"), &step, &object);
    }
}

/// The routes of the files, always the same (xorshift): `backends` is the name of the converted field.
fn routes(backends: &str) -> Vec<Value> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let route = |index: u32| {
        let count = 4 + random(5);
        let rules = (0..count).map(|rule| {
            json!({
                "matches": [{"path": {"type": "PathPrefix", "value": format!("/p{}", random(1_000))}}],
                backends: [{"name": format!("service-{index}-{rule}"), "port": 8_000 + random(1_000), "weight": random(100)}],
            })
        });
        let rules = rules.collect::<Vec<_>>();
        json!({
            "apiVersion": "gateway.networking.k8s.io/v1",
            "kind": "HTTPRoute",
            "metadata": {"name": format!("route-{index}"), "namespace": "default", "labels": {"app": format!("a{}", random(100))}},
            "spec": {
                "parentRefs": [{"name": "gateway", "sectionName": "https"}],
                "hostnames": [format!("h{}.example.com", random(10_000))],
                "rules": rules,
            },
        })
    };
    (0..10_000).map(route).collect()
}

fn documents(routes: &[Value]) -> String {
    routes.iter().fold(String::new(), |mut text, route| {
        writeln!(text, "{route:#}").unwrap();
        text
    })
}

/// Converts all files of the folder.
fn convert_folder(folder: &Path) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut session = Session::new(folder, &mut out, &mut err);
    let exit = run_without_types_in(["convert", "objects", "--conversions", "lenses", "--in-place"], &mut session);
    assert!(exit == Exit::Fine, "{}", String::from_utf8_lossy(&err));
}

fn files(criterion: &mut Criterion) {
    let lenses = json!({
        "schemaVersion": 1,
        "generator": "bench",
        "prefix": "gateway.networking.k8s.io",
        "lenses": [{
            "name": "backends-to-backend-refs",
            "resource": "httproutes.gateway.networking.k8s.io",
            "group": "gateway.networking.k8s.io",
            "kind": "HTTPRoute",
            "since": "v1.1.0",
            "steps": [{"operation": "rename", "from": "spec.rules[*].backends", "to": "spec.rules[*].backendRefs"}],
        }],
    });
    let [old, new] = ["backends", "backendRefs"].map(routes);
    let list = |items: &[Value]| vec![json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()];
    let mut group = criterion.benchmark_group("10,000 HTTPRoutes");
    group.sampling_mode(SamplingMode::Flat).sample_size(20);
    for (name, old, new) in [
        ("one file", vec![documents(&old)], vec![documents(&new)]),
        ("100 files", old.chunks(100).map(documents).collect(), new.chunks(100).map(documents).collect()),
        ("a list without white space", list(&old), list(&new)),
        ("one file, current already", vec![documents(&new)], vec![documents(&new)]),
    ] {
        let place = tempfile::tempdir().unwrap();
        let path = |index: usize| place.path().join(format!("objects/{index}.json"));
        fs::create_dir(place.path().join("objects")).unwrap();
        fs::write(place.path().join("lenses"), lenses.to_string()).unwrap();
        let write = || (0..).zip(&old).for_each(|(index, text)| fs::write(path(index), text).unwrap());
        write();
        convert_folder(place.path());
        for (index, text) in new.iter().enumerate() {
            assert!(fs::read_to_string(path(index)).unwrap() == *text, "{name} is converted to something else");
        }
        let bytes = old.iter().map(|text| text.len() as u64).sum();
        group.throughput(Throughput::BytesDecimal(bytes));
        group.bench_function(name, |bencher| {
            bencher.iter_batched(write, |()| convert_folder(place.path()), BatchSize::PerIteration);
        });
    }
    group.finish();
}

fn laws(criterion: &mut Criterion) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| fs::read(root.join(path)).unwrap();
    let archive = HistoryArchive::read(Input::new(ARCHIVE, read(ARCHIVE))).unwrap();
    let releases = archive.releases().iter().filter_map(|release| Some((release.version?, release)));
    let releases = releases.collect::<Vec<_>>();
    let text = String::from_utf8(read("bundles/unreleased/conversions.json")).unwrap();
    let document = Document::read(&text).unwrap();
    let catalogue = catalogue::with_settings();
    let laws = Laws { document: &document, functions: catalogue.lens_functions(), releases: &releases, count: 100 };
    assert!(laws.prove().unwrap().iter().all(|proven| proven.broken.is_empty()));
    let mut group = criterion.benchmark_group("laws");
    group.sampling_mode(SamplingMode::Flat).sample_size(20);
    let name = format!("{} lenses, 100 objects in each direction", document.lenses.len());
    group.bench_function(name, |bencher| bencher.iter(|| laws.prove().unwrap().len()));
    group.finish();
}

criterion_group!(benches, objects, laws, files);
criterion_main!(benches);
