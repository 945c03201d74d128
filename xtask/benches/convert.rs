//! How long the conversion of objects takes: `cargo bench -p crd-benches --bench convert`.
//!
//! The bars are 200 ns for one rename, and 200 µs for a step over the 1,000 items of a list. The time includes finding the lenses of the
//! object and the check of its depth, and excludes the copy of the object and its destruction.

#![allow(clippy::unwrap_used, reason = "a benchmark of what does not work ends with a panic")]

use crd_convert::{Conversions, Document};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
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

criterion_group!(benches, objects);
criterion_main!(benches);
