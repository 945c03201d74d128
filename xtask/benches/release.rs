//! What the artefacts of a release cost, step by step, with the whole of Gateway API.
//!
//! `cargo bench -p crd-benches --bench release`. The whole, with the gate and the disk, is `xtask release`; see the README's figures.
#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark fails by panicking")]

#[path = "../src/catalogue.rs"]
mod catalogue;

use crd_bundle::admission::{ReleasedChannel, guardrails, safe_upgrades};
use crd_bundle::{BundleVersion, files, stamp};
use crd_channels::Channel;
use crd_generate::generate;
use crd_release::template::Templates;
use crd_release::{Release, archive, chart, install, sbom, sums};
use criterion::{Criterion, criterion_group, criterion_main};

fn release() -> Release {
    let catalogue = catalogue::with_settings();
    let version: BundleVersion = "v1.6.1".parse().unwrap();
    let channels = Channel::ALL.into_iter().map(|channel| {
        let mut crds = generate(&catalogue, channel).unwrap();
        crds.iter_mut().for_each(|crd| stamp(crd, catalogue.prefix(), version, channel));
        ReleasedChannel { channel, files: files(crds) }
    });
    Release {
        documents: Vec::new(),
        webhook: None,
        policies: Vec::new(),
        name: catalogue.settings().name().to_owned(),
        prefix: catalogue.prefix().to_owned(),
        version,
        released: "2026-11-21".parse().unwrap(),
        channels: channels.collect(),
    }
}

fn artefacts(criterion: &mut Criterion) {
    let (release, templates) = (release(), Templates::embedded());
    criterion.bench_function("policies", |bench| {
        bench.iter(|| (safe_upgrades::policies(&release), guardrails::policies(&release)));
    });
    let (upgrades, guards) = (safe_upgrades::policies(&release), guardrails::policies(&release));
    criterion.bench_function("install file", |bench| {
        bench.iter(|| install::install(&release, Channel::Experimental, &upgrades, &templates).unwrap());
    });
    criterion.bench_function("chart", |bench| {
        bench.iter(|| chart::chart(&release, Channel::Experimental, &upgrades, &guards, &templates).unwrap());
    });
    criterion.bench_function("archive", |bench| {
        bench.iter(|| archive::bundle_archive(&release, &upgrades, &guards, &templates).unwrap());
    });
    let archive = [archive::bundle_archive(&release, &upgrades, &guards, &templates).unwrap()];
    let lock = include_str!("../../Cargo.lock");
    criterion.bench_function("SBOM", |bench| bench.iter(|| sbom::sbom(&release, &archive, Some(lock), "0").unwrap()));
    criterion.bench_function("SHA256SUMS", |bench| bench.iter(|| sums::sha256sums(&archive)));
}

criterion_group!(benches, artefacts);
criterion_main!(benches);
