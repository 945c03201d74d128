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
use serde_json::json;

fn run(folder: &Path, arguments: &[&str]) -> Exit {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    run_in(&catalogue::with_settings(), arguments, &mut Session::new(folder, &mut out, &mut err))
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
            bencher
                .iter(|| assert_eq!(run(folder.path(), &["diff", "old", candidate, "--expect", "major"]), Exit::Fine));
        });
    }
}

/// A CRD with 2,000 fields, each with a pattern or a rule of its own; the candidate has another one everywhere.
fn costly(by_rule: bool, is_new: bool) -> String {
    let properties = (0..2000).map(|index| {
        let (upper, last) = if is_new { ("[A-Y]", "(y?x") } else { ("[A-Z]", "(x") };
        let name = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?";
        let pattern =
            format!(r"^({name}(\.{name}){{0,{}}}|{upper}{{1,{}}}){last}{index})?$", 40 + index % 7, 60 + index % 5);
        let field = json!({ "type": "string", "maxLength": 253 });
        let with_pattern = json!({ "type": "string", "maxLength": 253, "pattern": pattern });
        (format!("f{index}"), if by_rule { field } else { with_pattern })
    });
    let mut spec = json!({ "type": "object", "properties": properties.collect::<serde_json::Map<_, _>>() });
    if by_rule {
        let (digits, longest) = if is_new { ("0-9", 63) } else { ("0-8", 60) };
        let rules = (0..2000).map(|index| {
            let (next, other) = ((index + 1) % 2000, (index + 7) % 2000);
            json!({ "rule": format!("!has(self.f{index}) || self.f{index}.matches('^[a-z{digits}]*$') || (has(self.f{next}) \
                && self.f{next}.size() < {} && self.f{other} != self.f{index}) || self.f{index}.split('.').all(p, p.size() < {longest} \
                && self.f{index}.contains(p))", index % 200), "message": format!("rule {index}") })
        });
        spec["x-kubernetes-validations"] = rules.collect();
    }
    let schema = json!({ "type": "object", "properties": { "spec": spec } });
    crd_testdata::thing_crd(&schema, &json!({})).to_string()
}

/// The bar is 5 s. The findings state what the search did not decide.
fn bounds(criterion: &mut Criterion) {
    let folder = tempfile::Builder::new().prefix("crd-channels-bench-").tempdir().unwrap();
    let mut group = criterion.benchmark_group("2,000 changes of one CRD");
    group.sample_size(10);
    for (name, by_rule) in [("patterns", false), ("rules", true)] {
        for (file, is_new) in [("old.json", false), ("new.json", true)] {
            fs::write(folder.path().join(file), costly(by_rule, is_new)).unwrap();
        }
        for witness in [&[][..], &["--witness"]] {
            let line =
                [&["diff", "old.json", "new.json", "--channel", "standard", "--expect", "major"], witness].concat();
            group.bench_function(format!("{name} {}", witness.concat()), |bencher| {
                bencher.iter(|| assert_eq!(run(folder.path(), &line), Exit::Fine));
            });
        }
    }
}

/// A CRD with 1,000 rules, of which the candidate changes 100, or with 20,000 fields, which the candidate tightens.
fn searched(by_rule: bool, is_new: bool) -> String {
    let field = |index: usize| match by_rule {
        true => {
            let text = json!({ "type": "string", "maxLength": 20 });
            let most = 10 + index % 13 + usize::from(is_new && index < 100);
            let rule = format!("!has(self.a) || !has(self.b) || self.a.size() + self.b.size() < {most}");
            json!({ "type": "object", "properties": { "a": text, "b": text }, "x-kubernetes-validations": [{ "rule": rule }] })
        }
        false => json!({ "type": "string", "maxLength": if is_new { 40 } else { 50 } + index % 7 }),
    };
    let count = if by_rule { 1000 } else { 20_000 };
    let properties = (0..count).map(|index| (format!("f{index}"), field(index))).collect::<serde_json::Map<_, _>>();
    let schema = json!({ "type": "object", "properties": { "spec": { "type": "object", "properties": properties } } });
    crd_testdata::thing_crd(&schema, &json!({})).to_string()
}

/// The bar is 5 s each.
fn searches(criterion: &mut Criterion) {
    let folder = tempfile::Builder::new().prefix("crd-channels-bench-").tempdir().unwrap();
    let mut group = criterion.benchmark_group("witnesses");
    group.sample_size(10);
    for (name, by_rule) in [("100 of 1,000 rules changed", true), ("20,000 fields tightened", false)] {
        for (file, is_new) in [("old.json", false), ("new.json", true)] {
            fs::write(folder.path().join(file), searched(by_rule, is_new)).unwrap();
        }
        group.bench_function(name, |bencher| {
            let line = ["diff", "old.json", "new.json", "--channel", "standard", "--expect", "major", "--witness"];
            bencher.iter(|| assert_eq!(run(folder.path(), &line), Exit::Fine));
        });
    }
}

criterion_group!(benches, verdicts, bounds, searches);
criterion_main!(benches);
