//! How long the steps of generation take for the whole Gateway API in both channels: `cargo bench -p crd-benches`.

#![allow(clippy::unwrap_used, reason = "a benchmark of what does not work ends with a panic")]

#[path = "../src/catalogue.rs"]
mod catalogue;

use std::hint::black_box;

use crd_bundle::{files, stamp};
use crd_channels::Channel;
use crd_generate::annotated;
use crd_model::CustomResourceDefinition;
use criterion::{Criterion, criterion_group, criterion_main};

fn projected() -> Vec<CustomResourceDefinition> {
    let catalogue = catalogue::with_settings();
    let resources = annotated(&catalogue).unwrap();
    let version = catalogue.next_version();
    let mut crds = Vec::new();
    for channel in Channel::ALL {
        for resource in &resources {
            crds.extend(resource.project(&catalogue, channel).unwrap().map(|mut crd| {
                stamp(&mut crd, catalogue.prefix(), version, channel);
                crd
            }));
        }
    }
    crds
}

fn steps(criterion: &mut Criterion) {
    let catalogue = catalogue::with_settings();
    criterion.bench_function("annotate 13 resources", |bencher| {
        bencher.iter(|| annotated(black_box(&catalogue)).unwrap());
    });
    criterion.bench_function("annotate, project and check 23 CRDs", |bencher| bencher.iter(projected));
    let crds = projected();
    criterion.bench_function("write 23 CRDs as YAML", |bencher| {
        bencher.iter_batched(|| crds.clone(), files, criterion::BatchSize::LargeInput);
    });
    let written = files(crds);
    criterion.bench_function("read 23 files back and compare", |bencher| {
        bencher.iter(|| written.iter().all(|file| file.read_back().is_ok()));
    });
}

criterion_group!(benches, steps);
criterion_main!(benches);
