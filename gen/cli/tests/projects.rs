//! CRDs of several projects in one folder: `diff` and `history` compare each project with itself.

use std::fs;
use std::path::Path;

use crd_channels_cli::{Exit, Session, run_without_types_in};
use serde_json::{Value, json};

use crate::support::{Place, Ran};

/// The prefixes of two projects.
const SHIPS: &str = "fleet.example.org";
const NETS: &str = "nets.example.net";

/// A CRD with an integer that is at most 10.
fn crd(plural: &str, group: &str, annotations: &[(&str, &str)]) -> Value {
    let annotations = annotations.iter().map(|(key, value)| ((*key).to_owned(), json!(value)));
    let spec = json!({"type": "object", "properties": {"size": {"type": "integer", "maximum": 10}}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": format!("{plural}.{group}"),
            "annotations": annotations.collect::<serde_json::Map<_, _>>(),
        },
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": plural.to_uppercase()},
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}},
            }],
        },
    })
}

/// A CRD with the stamps of a project.
fn stamped(plural: &str, group: &str, prefix: &str, channel: &str, version: &str) -> Value {
    let [version_key, channel_key] = ["bundle-version", "channel"].map(|key| format!("{prefix}/{key}"));
    crd(plural, group, &[(&version_key, version), (&channel_key, channel)])
}

/// A CRD without stamps.
fn plain(plural: &str) -> Value {
    crd(plural, "ships.example.org", &[])
}

/// The same with a smaller maximum.
fn tighter(mut crd: Value) -> Value {
    *crd.pointer_mut("/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size/maximum").unwrap() =
        json!(9);
    crd
}

fn write(place: &Place, path: &str, crds: &[Value]) {
    let path = place.path().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, crds.iter().map(|crd| format!("---\n{crd}\n")).collect::<String>()).unwrap();
}

/// Runs the program without types.
pub(crate) fn run(place: &Place, arguments: &[&str]) -> Ran {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let exit = run_without_types_in(arguments, &mut Session::new(place.path(), &mut out, &mut err));
    let plain = |bytes: Vec<u8>| anstream::adapter::strip_str(&String::from_utf8(bytes).unwrap()).to_string();
    Ran { exit, out: plain(out), err: plain(err) }
}

/// The document of `diff` without further options.
#[track_caller]
fn document(old: &[Value], new: &[Value]) -> Value {
    let place = Place::new();
    write(&place, "old.yaml", old);
    write(&place, "new.yaml", new);
    let ran = run(&place, &["diff", "old.yaml", "new.yaml", "--format", "json"]);
    serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{ran:?}"))
}

/// Findings as `CHANNEL CRD RULE`, without known ones and those without a bump.
fn findings(document: &Value) -> Vec<String> {
    let word = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    let all = document["findings"].as_array().unwrap().iter();
    let counted = all.filter(|finding| finding["known"] == false && finding["effectiveBump"] != "none");
    let mut found = counted
        .map(|finding| format!("{} {} {}", word(finding, "channel"), word(finding, "crd"), word(finding, "rule")))
        .collect::<Vec<_>>();
    found.sort();
    found
}

#[test]
fn a_removed_crd_of_another_project_is_in_every_output() {
    let own = [plain("boats"), plain("masts")];
    for net in [
        stamped("nets", "nets.example.net", NETS, "experimental", "v0.1.0"),
        stamped("nets", "ships.example.org", NETS, "experimental", "v0.1.0"),
        stamped("nets", "nets.example.net", NETS, "standard", "v0.1.0"),
        crd("nets", "nets.example.net", &[]),
        crd("nets", "nets.example.net", &[(&format!("{NETS}/channel"), "experimental")]),
    ] {
        let name = net["metadata"]["name"].as_str().unwrap().to_owned();
        let place = Place::new();
        write(&place, "fleet/v1.0.0/crds.yaml", &[&own[..], std::slice::from_ref(&net)].concat());
        write(&place, "fleet/v1.0.1/crds.yaml", &own);
        for format in ["text", "json", "github", "sarif"] {
            for options in [&[][..], &["--channel", "standard"]] {
                let arguments =
                    [&["diff", "fleet/v1.0.0", "fleet/v1.0.1", "--format", format, "--expect", "none"], options];
                let ran = run(&place, &arguments.concat());
                assert_eq!(ran.exit, Exit::Findings, "{format} {ran:?}");
                assert!(ran.out.contains(&name) && ran.out.contains("resource-removed"), "{format} {ran:?}");
            }
        }
        let ran = run(&place, &["diff", "fleet/v1.0.0", "fleet/v1.0.1"]);
        assert!(!ran.out.contains("not checked"), "{ran:?}");
        let history = run(&place, &["history", "fleet", "--format", "json"]);
        let history: Value = serde_json::from_str(&history.out).unwrap();
        let comparison = &history["projects"][0]["releases"][1]["comparison"];
        assert_eq!((&comparison["fits"], &comparison["rules"]["resource-removed"]), (&json!(false), &json!(1)));
    }
}

#[test]
fn an_added_crd_of_another_project_changes_no_finding_about_others() {
    let old = [plain("boats"), plain("masts"), plain("oars")];
    let new = [plain("boats"), tighter(plain("masts")), plain("oars"), plain("sails")];
    let of_own = [
        "standard masts.ships.example.org tightened".to_owned(),
        "standard sails.ships.example.org name-added".to_owned(),
    ];
    assert_eq!(findings(&document(&old, &new)), of_own);
    for (channel, group) in
        [("experimental", "nets.example.net"), ("experimental", "ships.example.org"), ("standard", "nets.example.net")]
    {
        let net = || stamped("nets", group, NETS, channel, "v0.1.0");
        let with = |crds: &[Value]| [crds, &[net()]].concat();
        let added = format!("{channel} nets.{group} name-added");
        let document_of = document(&old, &with(&new));
        assert_eq!(document_of["profile"], "semver");
        let mut expected = [&of_own[..], &[added]].concat();
        expected.sort();
        assert_eq!(findings(&document_of), expected);
        // In both bundles.
        assert_eq!(findings(&document(&with(&old), &with(&new))), of_own);
    }
}

#[test]
fn a_project_has_several_groups_and_its_own_channels() {
    let ship = |plural, group, channel| stamped(plural, group, SHIPS, channel, "v1.0.0");
    let fleet = [
        ship("boats", "ships.example.org", "standard"),
        ship("boats", "ships.example.org", "experimental"),
        ship("masts", "x-ships.example.org", "experimental"),
    ];
    let others = [plain("oars"), stamped("nets", "nets.example.net", NETS, "standard", "v3.0.0")];
    let all = [&fleet[..], &others].concat();
    let same = document(&all, &all);
    assert_eq!(
        same["projects"],
        json!([
            {"prefix": SHIPS, "groups": ["ships.example.org", "x-ships.example.org"], "channels": ["standard", "experimental"], "crds": 2},
            {"prefix": null, "groups": ["ships.example.org"], "channels": ["standard"], "crds": 1},
            {"prefix": NETS, "groups": ["nets.example.net"], "channels": ["standard"], "crds": 1},
        ])
    );
    // The profile of most CRDs, and the version of the largest project.
    assert_eq!((&same["profile"], &same["baseline"]["version"]), (&json!("gep-922"), &json!("v1.0.0")));
    assert_eq!(same["findings"], json!([]));
    // Within the project, standard must be contained in experimental, and names start there.
    let mut less = all.clone();
    less[0] = ship("rafts", "ships.example.org", "standard");
    less.push(ship("boats", "ships.example.org", "standard"));
    assert_eq!(
        findings(&document(&all, &less)),
        ["standard rafts.ships.example.org containment", "standard rafts.ships.example.org name-added"]
    );
    // A CRD without stamps need not start in the experimental channel of another project.
    let more = [&all[..], &[plain("sails")]].concat();
    let more = document(&all, &more);
    assert_eq!(
        (findings(&more), &more["verdict"]),
        (vec!["standard sails.ships.example.org name-added".to_owned()], &json!("minor"))
    );
}

/// A bundle of one channel next to one of both: the other channel is not checked, and CRDs of other projects are.
#[test]
fn a_channel_that_a_project_lacks_is_skipped_for_this_project_only() {
    let ship = |plural, channel| stamped(plural, "ships.example.org", SHIPS, channel, "v1.0.0");
    let standard = [ship("boats", "standard")];
    let both = [ship("boats", "standard"), ship("boats", "experimental"), ship("masts", "experimental")];
    let net = [stamped("nets", "nets.example.net", NETS, "experimental", "v0.1.0")];
    let reason = |document: &Value| document["channels"][1]["reason"].clone();
    let removed = document(&both, &standard);
    assert_eq!((findings(&removed), reason(&removed)), (vec![], json!("the candidate has no such channel")));
    let added = document(&standard, &both);
    assert_eq!((findings(&added), reason(&added)), (vec![], json!("the baseline has no such channel")));
    for (old, new, rule) in [
        ([&both[..], &net].concat(), standard.to_vec(), "resource-removed"),
        (both.to_vec(), [&standard[..], &net].concat(), "name-added"),
    ] {
        let document = document(&old, &new);
        assert_eq!(findings(&document), [format!("experimental nets.nets.example.net {rule}")]);
        let note = "experimental of `fleet.example.org` was not checked: one of the bundles has no such channel";
        assert!(document["notes"].as_array().unwrap().contains(&json!(note)), "{document}");
    }
    // The whole project is removed.
    let none = document(&[&both[..], &net].concat(), &net);
    assert_eq!(
        findings(&none),
        [
            "experimental boats.ships.example.org resource-removed",
            "experimental masts.ships.example.org resource-removed",
            "standard boats.ships.example.org resource-removed",
        ]
    );
}

/// A folder with some CRDs of each channel does not have two channels.
#[test]
fn crds_of_both_channels_are_one_set_where_no_name_is_in_both() {
    let net = |plural, channel| stamped(plural, "nets.example.net", NETS, channel, "v0.1.0");
    let own = [plain("boats"), plain("masts"), plain("oars")];
    let with = |crds: &[Value]| [&own[..], crds].concat();
    let (one, two) = (with(&[net("nets", "standard")]), with(&[net("nets", "standard"), net("hooks", "experimental")]));
    assert_eq!(findings(&document(&one, &two)), ["experimental hooks.nets.example.net name-added"]);
    assert_eq!(findings(&document(&two, &one)), ["experimental hooks.nets.example.net resource-removed"]);
    // A CRD that changes its channel is compared in that of the baseline, and is removed from standard if it leaves it.
    for (from, to, rules) in [
        ("experimental", "standard", &["tightened"][..]),
        ("standard", "experimental", &["resource-removed", "tightened"]),
    ] {
        let named = |rules: &[&str]| {
            rules.iter().map(|rule| format!("{from} nets.nets.example.net {rule}")).collect::<Vec<_>>()
        };
        let (old, new) = (with(&[net("nets", from)]), with(&[net("nets", to)]));
        assert_eq!(findings(&document(&old, &new)), named(&rules[..rules.len() - 1]));
        let new = with(&[tighter(net("nets", to))]);
        assert_eq!(findings(&document(&old, &new)), named(rules));
        let [old, new] = [&old, &new].map(|crds| [&crds[..], &[net("hooks", "standard")]].concat());
        assert_eq!(findings(&document(&old, &new)), named(rules));
    }
    // Stamps that are new in the candidate.
    let stamps = with(&[crd("nets", "nets.example.net", &[])]);
    assert_eq!(findings(&document(&stamps, &one)), Vec::<String>::new());
}

/// The folder of a channel declares the channel of CRDs without stamps.
#[test]
fn folders_of_channels_are_compared_without_stamps() {
    let place = Place::new();
    let channels = |version: &str, standard: &[Value], experimental: &[Value]| {
        write(&place, &format!("fleet/{version}/standard/crds.yaml"), standard);
        write(&place, &format!("fleet/{version}/experimental/crds.yaml"), experimental);
    };
    channels("v1.0.0", &[plain("boats")], &[plain("boats"), plain("masts")]);
    channels("v1.1.0", &[plain("boats"), plain("oars")], &[plain("boats")]);
    let ran = run(&place, &["diff", "fleet/v1.0.0", "fleet/v1.1.0", "--format", "json"]);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        findings(&document),
        [
            "experimental masts.ships.example.org resource-removed",
            "standard oars.ships.example.org containment",
            "standard oars.ships.example.org name-added",
        ]
    );
    fs::remove_dir_all(Path::new(&place.path().join("fleet/v1.1.0/experimental"))).unwrap();
    let ran = run(&place, &["diff", "fleet/v1.0.0", "fleet/v1.1.0"]);
    assert!(ran.out.contains("experimental: not checked: the candidate has no such channel"), "{ran:?}");
}

/// The version of a project does not become unknown by a CRD of another one, which would permit every change.
#[test]
fn the_version_is_that_of_the_largest_project() {
    let ships =
        |version| ["boats", "masts"].map(|plural| stamped(plural, "ships.example.org", SHIPS, "standard", version));
    let net = [stamped("nets", "nets.example.net", NETS, "experimental", "v0.1.0")];
    let mut new = [&ships("v1.0.1")[..], &net].concat();
    new[1] = tighter(new[1].clone());
    let document = document(&[&ships("v1.0.0")[..], &net].concat(), &new);
    assert_eq!((&document["permitted"], &document["fits"]), (&json!("patch"), &json!(false)));
    assert_eq!(findings(&document), ["standard masts.ships.example.org tightened"]);
}

/// A CRD whose stamp names an unknown channel is neither standard nor experimental.
#[test]
fn an_unknown_channel_is_an_error_of_its_crd_only() {
    let place = Place::new();
    write(&place, "old.yaml", &[plain("boats")]);
    write(&place, "new.yaml", &[plain("boats"), stamped("nets", "nets.example.net", NETS, "beta", "v0.1.0")]);
    let ran = run(&place, &["diff", "old.yaml", "new.yaml"]);
    assert_eq!(ran.exit, Exit::Unusable);
    assert!(ran.err.contains("unknown channel \"beta\"") && !ran.err.contains("more"), "{ran:?}");
    let ran = run(&place, &["diff", "old.yaml", "new.yaml", "--channel", "standard"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
}
