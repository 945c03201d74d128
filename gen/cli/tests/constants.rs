//! Recommended condition types and reasons: `generate` and `release` write them, and `check` and `diff` compare them.

use crate::support::{Place, api, good, things};
use crd_channels::{Constant, ConstantKind};
use crd_channels_cli::{Catalogue, Exit};
use serde_json::{Value, json};

/// A thing, with one reason of this string.
fn catalogue(version: &str, reason: &'static str) -> Catalogue {
    let constant = Constant::new(ConstantKind::Reason, "THING_REASON_PENDING", reason);
    api::<good::Thing>(version).constants("v1", &[constant])
}

/// A workspace with the release v1.0.0 of things whose reason is `Pending`.
fn released() -> Place {
    let catalogue = catalogue("v1.0.0", "Pending");
    let place = Place::with(&catalogue);
    let ran = place.run(&catalogue, &["release", "v1.0.0", "--date", "2026-03-01"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    place
}

const PENDING: &str =
    "{\n\"v1\": [\n{\"name\":\"THING_REASON_PENDING\",\"type\":\"reason\",\"value\":\"Pending\"}\n]\n}\n";

#[track_caller]
fn check(place: &Place, catalogue: &Catalogue, arguments: &[&str]) -> (Exit, Value) {
    let ran = place.run_unchanged(catalogue, &[&["check", "--format", "json"], arguments].concat());
    (ran.exit, serde_json::from_str(&ran.out).unwrap())
}

/// Rule, required bump, location and values of each finding that requires a bump.
fn rows(document: &Value) -> Vec<Value> {
    let findings = document["findings"].as_array().unwrap().iter().filter(|finding| finding["requiredBump"] != "none");
    let keys = ["rule", "requiredBump", "channel", "crd", "version", "path", "before", "after"];
    findings.map(|finding| keys.iter().map(|key| finding[key].clone()).collect()).collect()
}

#[test]
fn generate_writes_the_constants_and_checks_them() {
    let place = Place::with(&things());
    assert!(!place.path().join("bundles/unreleased/constants.json").exists());
    let catalogue = catalogue("v1.0.0", "Pending");
    let place = Place::with(&catalogue);
    assert_eq!(place.read("bundles/unreleased/constants.json"), PENDING);
    assert_eq!(place.run_unchanged(&catalogue, &["generate", "--check"]).exit, Exit::Fine);
    let other = self::catalogue("v1.0.0", "Waiting");
    let stale = place.run_unchanged(&other, &["generate", "--check"]);
    assert_eq!(stale.exit, Exit::Stale);
    assert!(stale.out.contains("\"value\":\"Waiting\""), "{}", stale.out);
    let document = place.run_unchanged(&other, &["generate", "--check", "--format", "json"]).out;
    assert_eq!(serde_json::from_str::<Value>(&document).unwrap()["constants"], "bundles/unreleased/constants.json");
    assert!(place.run(&other, &["generate"]).out.contains("constants  changed → bundles/unreleased/constants.json\n"));
    // An API without constants empties the file, which it would not write.
    let without = api::<good::Thing>("v1.0.0");
    assert_eq!(place.run(&without, &["generate"]).exit, Exit::Fine);
    assert_eq!(place.read("bundles/unreleased/constants.json"), "{\n\n}\n");
}

#[test]
fn a_release_has_the_constants_and_their_digest() {
    let place = released();
    assert_eq!(place.read("bundles/v1.0.0/constants.json"), PENDING);
    let digest = crd_bundle::Digest::of(PENDING);
    assert!(
        place.read("bundles/v1.0.0/bundle.yaml").contains(&format!("- path: constants.json\n  sha256: {digest}\n"))
    );
    // Built again, it is the same bundle.
    let again = place.run(&catalogue("v1.0.0", "Pending"), &["release", "v1.0.0"]);
    assert_eq!(again.exit, Exit::Fine, "{again:?}");
    // An altered file is found.
    place.write("bundles/v1.0.0/constants.json", PENDING.replace("Pending", "Waiting"));
    let ran = place.run_unchanged(&catalogue("v1.1.0", "Pending"), &["check"]);
    assert_eq!(ran.exit, Exit::Unusable);
    assert!(ran.err.contains("does not have the checksum that bundle.yaml lists"), "{}", ran.err);
}

/// A bundle that was released without constants is built again without them, and they count as unknown.
#[test]
fn an_older_bundle_stays_as_it_is() {
    let without = api::<good::Thing>("v1.0.0");
    let place = Place::with(&without);
    assert_eq!(place.run(&without, &["release", "v1.0.0", "--date", "2026-03-01"]).exit, Exit::Fine);
    let with = catalogue("v1.0.0", "Pending");
    assert_eq!(place.run(&with, &["generate"]).exit, Exit::Fine);
    let again = place.run(&with, &["release", "v1.0.0"]);
    assert_eq!(again.exit, Exit::Fine, "{again:?}");
    assert!(!place.path().join("bundles/v1.0.0/constants.json").exists());
    let (exit, document) = check(&place, &catalogue("v1.0.1", "Pending"), &[]);
    assert_eq!((exit, rows(&document)), (Exit::Fine, Vec::new()));
}

#[test]
fn a_changed_reason_needs_a_minor_bundle() {
    let place = released();
    let (exit, document) = check(&place, &catalogue("v1.0.1", "Pending"), &[]);
    assert_eq!((exit, rows(&document)), (Exit::Fine, Vec::new()));
    let finding = json!([
        "condition-changed",
        "minor",
        "standard",
        "constants.json",
        "v1",
        "THING_REASON_PENDING",
        "Pending",
        "Waiting"
    ]);
    let (exit, document) = check(&place, &catalogue("v1.0.1", "Waiting"), &[]);
    assert_eq!((exit, rows(&document)), (Exit::Findings, vec![finding.clone()]));
    assert_eq!(document["needed"], "v1.1.0");
    let (exit, document) = check(&place, &catalogue("v1.1.0", "Waiting"), &[]);
    assert_eq!((exit, rows(&document)), (Exit::Fine, vec![finding]));
    // Removed, so that none is left.
    let (exit, document) = check(&place, &api::<good::Thing>("v1.0.1"), &[]);
    let removed = json!([
        "condition-changed",
        "minor",
        "standard",
        "constants.json",
        "v1",
        "THING_REASON_PENDING",
        "Pending",
        null
    ]);
    assert_eq!((exit, rows(&document)), (Exit::Findings, vec![removed]));
    // A change since the release of the same version.
    let (_, document) = check(&place, &catalogue("v1.0.0", "Waiting"), &[]);
    assert!(document["problems"].to_string().contains("v1.0.0 is released, and the types have changed since then"));
    // The release notes list it.
    let next = catalogue("v1.1.0", "Waiting");
    assert_eq!(place.run(&next, &["generate"]).exit, Exit::Fine);
    let ran = place.run(&next, &["release", "v1.1.0", "--date", "2026-03-02"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    let notes = place.read("dist/release-notes.md");
    assert!(
        notes.contains("* **The reason was changed**: ")
            && notes.contains("`THING_REASON_PENDING`, `Pending` → `Waiting`"),
        "{notes}"
    );
    std::fs::remove_dir_all(place.path().join("bundles/v1.1.0")).unwrap();
    // A waiver lowers it, as any finding.
    place.write(
        "bundles/waivers.yaml",
        "waivers:\n- {rule: condition-changed, crd: constants.json, path: THING_REASON_PENDING, bundle: v1.0.1, to: patch, reason: a typo}\n",
    );
    assert_eq!(check(&place, &catalogue("v1.0.1", "Waiting"), &[]).0, Exit::Fine);
}

#[test]
fn diff_and_history_compare_the_constants_of_folders() {
    let place = released();
    let next = catalogue("v1.0.1", "Waiting");
    assert_eq!(place.run(&next, &["generate"]).exit, Exit::Fine);
    let ran = place.run_unchanged(&next, &["diff", "v1.0.0", "bundles/unreleased"]);
    let lines = "\nconstants.json\n  standard v1 THING_REASON_PENDING\n    minor: the reason was changed";
    assert!(ran.out.contains(lines), "{}", ran.out);
    // Of a bundle that does not list them, they are not known.
    std::fs::remove_file(place.path().join("bundles/unreleased/constants.json")).unwrap();
    let ran = place.run_unchanged(&next, &["diff", "v1.0.0", "bundles/unreleased"]);
    assert!(!ran.out.contains("constants.json"), "{}", ran.out);
    for (tag, reason) in [("v1.0.0", "Pending"), ("v1.0.1", "Waiting")] {
        let out = format!("things/{tag}");
        assert_eq!(place.run(&catalogue(tag, reason), &["generate", "--out", &out]).exit, Exit::Fine);
    }
    let document = place.run_unchanged(&next, &["history", "things", "--format", "json"]).out;
    let document: Value = serde_json::from_str(&document).unwrap();
    let comparison = &document["projects"][0]["releases"][1]["comparison"];
    assert_eq!([&comparison["verdict"], &comparison["rules"]["condition-changed"]], [&json!("minor"), &json!(1)]);
}

#[test]
fn errors_of_the_file_are_reported_together() {
    let place = Place::with(&catalogue("v1.0.0", "Pending"));
    place.write("bundles/unreleased/constants.json", r#"{"v1": [{"name": "A"}], "v2": 1}"#);
    let ran = place.run_unchanged(&things(), &["diff", "bundles/unreleased", "bundles/unreleased"]);
    assert_eq!(ran.exit, Exit::Unusable);
    for message in [
        "v1[0]: `type` must be a string",
        "v1[0]: `value` must be a string",
        "v2: expected a list of constants, found a number",
    ] {
        assert!(
            ran.err.contains(&format!("error: bundles/unreleased/constants.json: {message}")),
            "{message}\n{}",
            ran.err
        );
    }
}
