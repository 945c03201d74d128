//! How long the validation of objects takes: `cargo bench -p crd-benches --bench objects`.
//!
//! The bars are 15 ms for preparing the 13 experimental resources, and a median of 30 µs for an HTTPRoute of upstream's examples. The
//! name of a benchmark has the form of the object: JSON bytes, as a JSON value, or as a typed value.

#![allow(clippy::unwrap_used, reason = "a benchmark of what does not work ends with a panic")]

use std::hint::black_box;

use crd_apiserver::objects::{Request, Resource, read_json};
use crd_channels::Channel;
use crd_channels::validation::Validate;
use crd_model::{CustomResourceDefinition, yaml};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use gateway_api_types::v1::HTTPRoute;
use serde_json::{Value, json};

const MINOR: u32 = 36;

fn crds() -> Vec<CustomResourceDefinition> {
    let files = crd_testdata::gateway_api("v1.6.1", "experimental");
    files.iter().map(|file| CustomResourceDefinition::from_value(&file.json()).unwrap()).collect()
}

/// The HTTPRoutes of upstream's examples for version v1, with a namespace.
fn routes() -> Vec<Value> {
    let files = crd_testdata::gateway_api_examples("experimental");
    let documents = files.iter().flat_map(|file| yaml::read(file.text).unwrap());
    let mut routes: Vec<Value> = documents
        .filter(|object| object["kind"] == "HTTPRoute" && object["apiVersion"] == "gateway.networking.k8s.io/v1")
        .collect();
    routes.iter_mut().for_each(|route| route["metadata"]["namespace"] = json!("default"));
    routes
}

fn objects(criterion: &mut Criterion) {
    let crds = crds();
    criterion.bench_function("prepare all versions of the experimental resources", |bencher| {
        bencher.iter(|| {
            for crd in &crds {
                for version in &crd.versions {
                    black_box(Resource::prepare(crd, &version.name, MINOR).unwrap().unwrap());
                }
            }
        });
    });
    let crd = crds.iter().find(|crd| crd.names.kind == "HTTPRoute").unwrap();
    let resource = Resource::prepare(crd, "v1", MINOR).unwrap().unwrap();
    let mut routes = routes();
    routes.sort_by_key(|route| route.to_string().len());
    for route in &routes {
        assert!(resource.answer(Request::create(route.clone())).is_accepted(), "{route}");
    }
    for (name, route) in [("median", &routes[routes.len() / 2]), ("largest", &routes[routes.len() - 1])] {
        let text = route.to_string();
        criterion.bench_function(
            &format!("create the {name} HTTPRoute, {} bytes, from a value", text.len()),
            |bencher| {
                bencher.iter_batched(
                    || route.clone(),
                    |route| resource.answer(Request::create(route)),
                    BatchSize::SmallInput,
                );
            },
        );
        criterion.bench_function(&format!("create the {name} HTTPRoute, from bytes"), |bencher| {
            bencher.iter(|| resource.answer(Request::create(read_json(black_box(&text)).unwrap().0)));
        });
        let typed: HTTPRoute = serde_json::from_value(route.clone()).unwrap();
        criterion.bench_function(&format!("create the {name} HTTPRoute, from a typed value"), |bencher| {
            bencher.iter(|| black_box(&typed).validate(Channel::Experimental).unwrap());
        });
        let mut stored = route.clone();
        stored["metadata"]["resourceVersion"] = json!("1");
        criterion.bench_function(&format!("update the {name} HTTPRoute, from values"), |bencher| {
            bencher.iter_batched(
                || stored.clone(),
                |route| resource.answer(Request::update(&stored, route)),
                BatchSize::SmallInput,
            );
        });
    }
}

criterion_group!(benches, objects);
criterion_main!(benches);
