//! How long it takes from two full bundles on disk to the verdict: `cargo bench -p crd-benches --bench diff`.
//!
//! The bundles are those of Gateway API, 23 CRDs each, as YAML. What is measured is all that the command does but starting the process,
//! which takes a millisecond more. The bar is 50 ms on two idle processors; on a busy machine the time is not meaningful, and
//! `valgrind --tool=callgrind xtask diff A B` counts instructions instead.

#![allow(clippy::unwrap_used, reason = "a benchmark of what does not work ends with a panic")]

#[path = "../src/catalogue.rs"]
mod catalogue;

use std::fs;
use std::path::Path;

use crd_channels_cli::{Exit, Session, run_in};
use criterion::{Criterion, criterion_group, criterion_main};

fn run(folder: &Path, arguments: &[&str]) -> Exit {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    run_in(&catalogue::catalogue(), arguments, &mut Session::new(folder, &mut out, &mut err))
}

/// Changes a bound here and there, as a release would.
fn edit(bundle: &Path) {
    for channel in ["standard", "experimental"] {
        for plural in ["gateways", "httproutes"] {
            let path = bundle.join(channel).join(format!("gateway.networking.k8s.io_{plural}.yaml"));
            let text = fs::read_to_string(&path).unwrap();
            let edited = text.replace("maxItems: 64", "maxItems: 63").replace("maxLength: 253", "maxLength: 250");
            assert_ne!(text, edited, "{}", path.display());
            fs::write(path, edited).unwrap();
        }
    }
}

fn verdicts(criterion: &mut Criterion) {
    let folder = tempfile::Builder::new().prefix("crd-channels-bench-").tempdir().unwrap();
    for bundle in ["old", "same", "edited"] {
        assert_eq!(run(folder.path(), &["generate", "--out", bundle]), Exit::Fine);
    }
    edit(&folder.path().join("edited"));
    for (name, candidate) in [("two equal bundles", "same"), ("two bundles with some edits", "edited")] {
        criterion.bench_function(&format!("{name} of 23 CRDs to verdict"), |bencher| {
            bencher.iter(|| assert_eq!(run(folder.path(), &["diff", "old", candidate]), Exit::Fine));
        });
    }
}

criterion_group!(benches, verdicts);
criterion_main!(benches);
