//! Karpenter's history in the profile `semver`: a project with one set of CRDs, from v0.33.0 on.
//!
//! The facts come from the published documents, as in [`super::facts`].

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crd_channels_cli::{Catalogue, Exit};
use crd_generate::settings::Settings;
use crd_testdata::KARPENTER;
use serde_json::{Value, json};

use super::raw;
use super::releases::Report;
use crate::support::{Place, with};

/// A catalogue whose own types do not matter.
fn catalogue() -> Catalogue {
    with(
        &Catalogue::new(Settings::new("karpenter.sh", "v1.15.0".parse().unwrap())),
        "profile: semver\nchannels: [standard]\n",
    )
}

/// The comparison of a release with the previous one: by the profile of its manifest, and by that of Gateway API.
struct Pair {
    baseline: &'static str,
    candidate: &'static str,
    semver: Report,
    gep_922: Report,
}

/// Every release with the previous one. They are imported without the name of a channel.
static PAIRS: LazyLock<Vec<Pair>> = LazyLock::new(|| {
    let place = Place::new();
    for version in KARPENTER {
        let folder = tempfile::tempdir().unwrap();
        crd_testdata::unpack_karpenter(version, folder.path());
        let ran = place.run(&catalogue(), &["import", folder.path().to_str().unwrap(), "--version", version]);
        assert_eq!(ran.exit, Exit::Fine, "{version}: {ran:?}");
        assert!(place.read(&format!("bundles/{version}/bundle.yaml")).contains("\nprofile: semver\n"), "{version}");
    }
    let pair = |pair: &[&'static str]| {
        let diff = |more: &[&str]| Report::by(&place, &catalogue(), &[&["diff", pair[0], pair[1]], more].concat());
        Pair { baseline: pair[0], candidate: pair[1], semver: diff(&[]), gep_922: diff(&["--profile", "gep-922"]) }
    };
    KARPENTER.windows(2).map(pair).collect()
});

fn pair(candidate: &str) -> &'static Pair {
    PAIRS.iter().find(|pair| pair.candidate == candidate).unwrap()
}

/// The comparison of a release with the previous one.
fn into(version: &str) -> &'static Report {
    &pair(version).semver
}

/// The CRDs of a release, by their plural.
fn crds(version: &str) -> BTreeMap<String, Value> {
    let crds = crd_testdata::karpenter(version).into_iter().map(|file| file.json());
    crds.map(|crd| (crd["spec"]["names"]["plural"].as_str().unwrap().to_owned(), crd)).collect()
}

/// What a report is in the words of a release: its verdict, what its version permits, and whether it fits.
fn outcome(report: &Report) -> (&str, &str, bool) {
    let word = |key: &str| report.document[key].as_str().unwrap();
    (word("verdict"), word("permitted"), report.exit == Exit::Fine)
}

#[test]
fn every_change_has_a_rule_and_the_profile_of_the_manifests() {
    let mut count = 0;
    for Pair { baseline: version, semver: report, .. } in PAIRS.iter() {
        let found = [&report.document["profile"], &report.document["profileReason"]];
        assert_eq!(found, [&json!("semver"), &json!(format!("the manifest of {version} declares it"))]);
        assert_eq!(report.document["channels"].as_array().unwrap().len(), 1);
        assert!(report.findings.iter().all(|found| found.rule != "unclaimed"), "{version}");
        count += report.findings.len();
    }
    assert!(count > 90, "{count}");
}

#[test]
fn v0_35_required_the_spec_in_a_minor() {
    let report = into("v0.35.0");
    let mut required = Vec::new();
    raw::shared_nodes(&crds("v0.34.0"), &crds("v0.35.0"), |plural, version, path, old, new| {
        let names = raw::required(new).into_iter().filter(|name| !raw::required(old).contains(name));
        required.extend(names.map(|name| format!("standard {plural} {version} {path}{name}: minor required-at-root")));
    });
    assert_eq!(report.lines(|found| found.rule == "required-at-root"), required);
    assert_eq!((required.len(), outcome(report)), (2, ("minor", "minor", true)));
}

/// Another type is refused at every version.
#[test]
fn v0_36_changed_the_type_of_reserved_resources() {
    let report = into("v0.36.0");
    let mut changed = Vec::new();
    raw::shared_nodes(&crds("v0.35.0"), &crds("v0.36.0"), |plural, version, path, old, new| {
        let int_or_string = |node: &Value| node["x-kubernetes-int-or-string"] == json!(true);
        if int_or_string(old) && !int_or_string(new) {
            assert_eq!(new["type"], "string", "{path}");
            changed.push(format!("standard {plural} {version} {path}: minor type-changed"));
        }
    });
    assert_eq!(report.lines(|found| found.rule == "type-changed"), changed);
    assert_eq!((changed.len(), outcome(report)), (4, ("minor", "minor", true)));
}

/// The list types of stable versions are a major, and those of the alpha version a minor. The release was a minor.
#[test]
fn v1_13_declared_list_types() {
    let report = into("v1.13.0");
    let mut changed = Vec::new();
    raw::shared_nodes(&crds("v1.12.0"), &crds("v1.13.0"), |plural, version, path, old, new| {
        for (keyword, default) in [("list-type", "atomic"), ("list-map-keys", ""), ("map-type", "granular")] {
            let keyword = format!("x-kubernetes-{keyword}");
            // Absent equals the default, and keys belong to the list type.
            let is_of_type =
                keyword.ends_with("keys") && old["x-kubernetes-list-type"] != new["x-kubernetes-list-type"];
            if old[&keyword] != new[&keyword] && new[&keyword] != json!(default)
                && !is_of_type
                // Within an atomic list, only the duplicates count.
                && !path.contains("budgets[*]")
            {
                let bump = if version.contains("alpha") { "minor" } else { "major" };
                changed.push(format!("standard {plural} {version} {path}: {bump} list-type"));
            }
        }
    });
    changed.sort();
    assert_eq!(report.lines(|found| found.rule == "list-type"), changed);
    let bumps = |bump: &str| changed.iter().filter(|line| line.ends_with(&format!(": {bump} list-type"))).count();
    assert_eq!(([bumps("major"), bumps("minor")], outcome(report)), ([3, 1], ("major", "minor", false)));
}

/// In the profile of Gateway API, each of these minors is a major.
#[test]
fn gep_922_requires_majors_below_v1_0_0() {
    for candidate in ["v0.34.0", "v0.35.0", "v0.37.0"] {
        assert_eq!(outcome(&pair(candidate).gep_922), ("major", "minor", false), "{candidate}");
    }
}
