//! Names of past releases, which only the history archive has: they need tombstones as names of bundles do.

use super::{buried, lacking, whole};
use crate::support::{Place, Ran, api, published};
use crd_channels::api;
use crd_channels_cli::{Catalogue, Exit};
use serde_json::{Value, json};

/// The colour is removed, with the release that first lacked it.
mod buried_early {
    use super::*;

    crate::support::root!(Thing, "v1", "Thing", ThingSpec);

    /// +tombstone:name=colour,removed=v1.5.0,reason="not wanted"
    #[api]
    pub struct ThingSpec {
        pub size: Option<i32>,
        /// +kubebuilder:validation:Enum=Left;Right
        pub side: Option<String>,
    }
}

/// A workspace whose archive has these releases, as the catalogues of their versions publish them.
#[track_caller]
fn place(releases: &[&Catalogue]) -> Place {
    let place = Place::new();
    let mut dates = "version\treleased\n".to_owned();
    for catalogue in releases {
        let (folder, version) = (published(catalogue), catalogue.next_version());
        for (path, bytes) in crate::support::files_below(folder.path()) {
            place.write(&format!("releases/{version}/{path}"), bytes);
        }
        dates.push_str(&format!("{version}\t2026-01-02\n"));
    }
    place.write("dates.tsv", dates);
    std::fs::create_dir(place.path().join("bundles")).unwrap();
    let line = "history releases --format archive --dates dates.tsv --out bundles/history.tar.xz";
    let ran = place.run_line(releases[0], line);
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""), "{ran:?}");
    place
}

fn check(place: &Place, catalogue: &Catalogue) -> Ran {
    place.run_unchanged(catalogue, &["check", "--format", "json"])
}

/// The codes, messages and fixes of the problems of `check`.
#[track_caller]
fn problems(ran: &Ran) -> Vec<[String; 3]> {
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let problems = report["problems"].as_array().unwrap_or_else(|| panic!("{ran:?}")).iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    problems.map(|problem| ["kind", "message", "fix"].map(|key| text(&problem[key]))).collect()
}

#[test]
fn a_name_that_only_a_past_release_had_needs_a_tombstone() {
    let place =
        place(&[&api::<whole::Thing>("v1.0.0"), &api::<whole::Thing>("v1.1.0"), &api::<lacking::Thing>("v1.5.0")]);
    place.publish(&api::<lacking::Thing>("v1.6.0"));
    let ran = check(&place, &api::<lacking::Thing>("v2.0.0"));
    let [[code, message, help]] = &problems(&ran)[..] else { panic!("{ran:?}") };
    assert_eq!((ran.exit, &**code), (Exit::Findings, "tombstone-missing"));
    assert_eq!(message, "the field `colour` is gone; v1.1.0 had it last, and it has no tombstone");
    assert!(help.ends_with("/// +tombstone:name=colour,removed=v1.5.0,reason=\"…\""), "{help}");

    let buried = api::<buried_early::Thing>("v2.0.0");
    let added = place.run(&buried, &["tombstones", "add"]);
    assert_eq!((added.exit, &*added.err), (Exit::Fine, ""), "{added:?}");
    assert_eq!(problems(&check(&place, &buried)), [[""; 3]; 0]);
}

#[test]
fn the_release_of_a_tombstone_is_compared_with_past_releases() {
    let place =
        place(&[&api::<whole::Thing>("v1.0.0"), &api::<lacking::Thing>("v1.5.0"), &api::<whole::Thing>("v1.6.0")]);
    let add = |name: &str, removed: &str| {
        let line = format!("tombstones add --kind field --crd things.things.example.com --path spec --name {name}");
        place.run_line(&api::<lacking::Thing>("v2.0.0"), &format!("{line} --removed {removed} --reason 'not wanted'"))
    };
    for (name, removed, error) in [
        (
            "color",
            "v1.5.0",
            "no bundle in `bundles/` had the field `color` [tombstone-unknown]. Did you mean `colour`?",
        ),
        ("colour", "v1.0.0", "names v1.0.0, and v1.0.0 still has it"),
        ("colour", "v1.6.0", "names v1.6.0, and v1.6.0 still has it"),
    ] {
        let ran = add(name, removed);
        assert!(ran.exit == Exit::Unusable && ran.err.contains(error), "{ran:?}");
    }
    let ran = add("colour", "v1.5.0");
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
}

#[test]
fn a_name_of_a_past_release_does_not_return() {
    let place = place(&[&api::<whole::Thing>("v1.0.0"), &api::<lacking::Thing>("v1.5.0")]);
    place.run(&api::<buried_early::Thing>("v2.0.0"), &["tombstones", "add"]);
    let ran = check(&place, &api::<whole::Thing>("v2.0.0"));
    let [[code, message, _]] = &problems(&ran)[..] else { panic!("{ran:?}") };
    assert_eq!((ran.exit, &**code), (Exit::Findings, "tombstone-returned"));
    assert_eq!(message, "the field `colour` was removed in v1.5.0 (not wanted) and must not return");
}

/// Texts and stamps are not structure.
#[test]
fn a_bundle_counts_and_must_have_the_structure_of_the_archive() {
    let place = place(&[&api::<whole::Thing>("v1.0.0"), &api::<lacking::Thing>("v1.5.0")]);
    place.publish(&api::<lacking::Thing>("v1.5.0"));
    let catalogue = api::<buried_early::Thing>("v2.0.0");
    place.run(&catalogue, &["tombstones", "add"]);
    assert_eq!(problems(&check(&place, &catalogue)), [[""; 3]; 0]);
    place.publish(&api::<buried::Thing>("v1.0.0"));
    let ran = check(&place, &catalogue);
    assert_eq!(ran.exit, Exit::Unusable);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let error = &report["errors"][0];
    let message = "v1.0.0 differs from the bundle `bundles/v1.0.0`: standard things.things.example.com and 1 more";
    assert_eq!((&error["code"], &error["message"]), (&json!("history::differs"), &json!(message)), "{ran:?}");
}

#[test]
fn an_archive_that_cannot_be_read_ends_the_command() {
    let place = place(&[&api::<whole::Thing>("v1.0.0")]);
    let catalogue = api::<whole::Thing>("v2.0.0");
    let archive = place.path().join("bundles/history.tar.xz");
    let bytes = std::fs::read(&archive).unwrap();
    place.write("bundles/history.tar.xz", &bytes[..bytes.len() / 2]);
    let ran = place.run_unchanged(&catalogue, &["check"]);
    assert_eq!(ran.exit, Exit::Unusable);
    assert!(ran.err.contains("bundles/history.tar.xz: this archive ends too early"), "{ran:?}");
    std::fs::rename(&archive, place.path().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", &archive).unwrap();
    let ran = place.run_unchanged(&catalogue, &["check"]);
    assert!(ran.err.contains("is a symlink, so git would not commit its content"), "{ran:?}");
}

/// The CRD of things with these API versions: name, and whether objects are stored in it.
fn versions(versions: &[(&str, bool)]) -> String {
    let version = |(name, storage): &(&str, bool)| {
        json!({
            "name": name, "served": true, "storage": storage,
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object"}}}},
        })
    };
    let mut crd = crd_testdata::thing_crd(&json!({"type": "object"}), &json!({}));
    crd["spec"]["versions"] = versions.iter().map(version).collect();
    crd.to_string()
}

#[test]
fn a_version_that_a_past_release_stored_is_not_removed_without_a_migration() {
    let catalogue = api::<whole::Thing>("v2.0.0");
    let place = Place::new();
    place.write("releases/v1.0.0/things.json", versions(&[("v1alpha1", true)]));
    place.write("bundles/v1.5.0/standard/things.json", versions(&[("v1alpha1", false), ("v1", true)]));
    place.write("new/things.json", versions(&[("v1", true)]));
    place.write("dates.tsv", "v1.0.0 2026-01-02");
    let diff = || place.run_line(&catalogue, "diff v1.5.0 new --channel standard --format json").out;
    assert!(!diff().contains("\"stored-version-removed\""));
    let line = "history releases --format archive --dates dates.tsv --out bundles/history.tar.xz";
    let ran = place.run_line(&catalogue, line);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    assert!(diff().contains("\"stored-version-removed\""));
}
