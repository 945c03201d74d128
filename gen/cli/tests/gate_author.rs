//! Ways past the gate: the author of a change sets one more value in addition to a break, in the CRDs, in their files or in the settings. Nothing of that makes
//! the gate pass. The values come from a walk over the CRDs, not from a list of what the program reads.

use std::fs;

use crd_channels_cli::Exit;
use serde_json::{Map, Value, json};

use crate::commits::git;
use crate::projects::run;
use crate::support::{Place, Ran};

const PREFIX: &str = "home.example.com";
/// What a change breaks: this maximum is lower.
const BROKEN: &str = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size";

/// A layout of a project: the path of each CRD, its plural, and the channel of its stamp.
struct Layout {
    name: &'static str,
    crds: &'static [(&'static str, &'static str, Option<&'static str>)],
    settings: &'static str,
}

const LAYOUTS: [Layout; 3] = [
    Layout {
        name: "one channel, stamped",
        crds: &[("crds/lamps.yaml", "lamps", Some("standard")), ("crds/torches.yaml", "torches", Some("standard"))],
        settings: "prefix: home.example.com\ngate: {fail-on: major}\n",
    },
    Layout {
        name: "without stamps and settings",
        crds: &[("crds/lamps.yaml", "lamps", None), ("crds/torches.yaml", "torches", None)],
        settings: "",
    },
    Layout {
        name: "folders of two channels",
        crds: &[
            ("crds/standard/lamps.yaml", "lamps", Some("standard")),
            ("crds/standard/torches.yaml", "torches", Some("standard")),
            ("crds/experimental/lamps.yaml", "lamps", Some("experimental")),
            ("crds/experimental/torches.yaml", "torches", Some("experimental")),
        ],
        settings: "prefix: home.example.com\nprofile: gep-922\n",
    },
];

fn crd(plural: &str, channel: Option<&str>) -> Value {
    let annotations = channel.map_or_else(
        || json!({"team": "light"}),
        |channel| json!({format!("{PREFIX}/channel"): channel, format!("{PREFIX}/bundle-version"): "v1.0.0"}),
    );
    let schema = json!({"type": "object", "properties": {
        "spec": {"type": "object", "required": ["colour"], "properties": {
            "colour": {"type": "string", "enum": ["red", "blue"]},
            "size": {"type": "integer", "maximum": 10},
        }},
        "status": {"type": "object", "properties": {"lit": {"type": "boolean"}}},
    }});
    let version = |name: &str, storage: bool| json!({"name": name, "served": true, "storage": storage, "subresources": {"status": {}}, "schema": {"openAPIV3Schema": schema.clone()}});
    let kind = plural.to_uppercase();
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{PREFIX}"), "annotations": annotations},
        "spec": {
            "group": PREFIX,
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": kind, "singular": kind.to_lowercase(), "listKind": format!("{kind}List")},
            "versions": [version("v1", true), version("v1beta1", false)],
        },
    })
}

fn broken(mut crd: Value) -> Value {
    *crd.pointer_mut(&format!("{BROKEN}/maximum")).unwrap() = json!(5);
    crd
}

/// A repository whose HEAD has the project without the break.
fn repository(layout: &Layout) -> Place {
    let place = Place::new();
    for (path, plural, channel) in layout.crds {
        place.write(path, crd(plural, *channel).to_string());
    }
    if !layout.settings.is_empty() {
        place.write("crd-channels.yaml", layout.settings);
    }
    git(place.path(), &["init", "--quiet"]);
    git(place.path(), &["add", "--all"]);
    git(place.path(), &["commit", "--quiet", "--message", "a"]);
    place
}

fn write_broken(place: &Place, layout: &Layout) {
    for (path, plural, channel) in layout.crds.iter().filter(|(_, plural, _)| *plural == "lamps") {
        place.write(path, broken(crd(plural, *channel)).to_string());
    }
}

#[track_caller]
fn is_stopped(place: &Place, layout: &Layout, what: &str) -> Ran {
    let ran = run(place, &["gate", "crds", "--base", "HEAD"]);
    assert_ne!(ran.exit, Exit::Fine, "{}: {what}: {ran:?}", layout.name);
    ran
}

/// Other values of the same and of other types.
fn others(value: &Value) -> Vec<Value> {
    let mut others = match value {
        Value::Bool(is) => vec![json!(!is)],
        Value::Number(_) => vec![json!(1), json!(1000)],
        Value::String(_) => ["experimental", "standard", "v0.1.0", "v2.0.0", "2024-01", "Cluster", "x", ""]
            .map(|text| json!(text))
            .to_vec(),
        Value::Array(items) => vec![json!([]), Value::Array(items.iter().rev().cloned().collect())],
        Value::Object(_) => vec![json!({})],
        Value::Null => Vec::new(),
    };
    others.retain(|other| other != value);
    others
}

/// What an author may add to an object of a CRD.
fn additions() -> Vec<(&'static str, Value)> {
    let stamps = |prefix: &str, channel: &str, version: &str| json!({format!("{prefix}/channel"): channel, format!("{prefix}/bundle-version"): version});
    vec![
        ("/metadata/annotations", stamps("a.example", "experimental", "v1.1.0")),
        ("/metadata/annotations", stamps("a.example", "experimental", "v0.1.0")),
        ("/metadata/annotations", stamps("z.example", "experimental", "v9.0.0")),
        ("/metadata/annotations", json!({"a.example/channel": "experimental"})),
        ("/metadata/annotations", json!({"api-approved.kubernetes.io": "unapproved, experimental"})),
        ("/metadata", json!({"labels": {"channel": "experimental"}})),
        ("/spec", json!({"preserveUnknownFields": true})),
        ("/spec", json!({"conversion": {"strategy": "None"}})),
        ("/spec/versions/0", json!({"deprecated": true})),
        ("/spec/versions/0", json!({"deprecated": true, "served": false})),
        ("/spec/versions/0", json!({"deprecated": true, "deprecationWarning": "gone"})),
        ("/spec/versions/0/schema/openAPIV3Schema", json!({"x-kubernetes-preserve-unknown-fields": true})),
        ("/spec/versions/0/schema/openAPIV3Schema/properties/spec", json!({"default": {"colour": "red"}})),
        ("/spec/versions/0/schema/openAPIV3Schema/properties/spec", json!({"nullable": true})),
        ("", json!({"status": {"storedVersions": ["v1beta1"]}})),
    ]
}

/// Each value of the broken CRD, changed alone: the paths are those of the document.
fn changes(crd: &Value) -> Vec<(String, Value)> {
    let mut paths = vec![String::new()];
    let mut found = Vec::new();
    while let Some(path) = paths.pop() {
        let key = |key: &str| format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"));
        match crd.pointer(&path).unwrap() {
            Value::Object(map) => paths.extend(map.keys().map(|name| key(name))),
            Value::Array(items) => paths.extend((0..items.len()).map(|index| key(&index.to_string()))),
            _ => {}
        }
        // The break itself, and what is around it, can be undone. An identity is not one of the values.
        let is_around = BROKEN.starts_with(&path) || path.starts_with(BROKEN);
        for other in others(crd.pointer(&path).unwrap()).into_iter().filter(|_| !is_around) {
            let mut changed = crd.clone();
            *changed.pointer_mut(&path).unwrap() = other.clone();
            found.push((format!("{path} = {other}"), changed));
        }
        if let (Some((parent, name)), false) = (path.rsplit_once('/'), is_around) {
            let mut changed = crd.clone();
            match changed.pointer_mut(parent).unwrap() {
                Value::Object(map) => drop(map.remove(&name.replace("~1", "/").replace("~0", "~"))),
                Value::Array(items) => drop(items.remove(name.parse().unwrap())),
                _ => unreachable!("it has members"),
            }
            found.push((format!("{path} is removed"), changed));
        }
    }
    for (path, addition) in additions() {
        let mut changed = crd.clone();
        if let Some(Value::Object(map)) = changed.pointer_mut(path) {
            map.extend(addition.as_object().cloned().unwrap_or_else(Map::new));
        }
        found.push((format!("{path} + {addition}"), changed));
    }
    found
}

/// Each value of the CRDs, changed alone in one CRD and in all copies of it.
#[test]
fn no_value_of_the_crds_hides_a_break() {
    for layout in &LAYOUTS {
        let place = repository(layout);
        write_broken(&place, layout);
        is_stopped(&place, layout, "nothing else");
        let lamps = layout.crds.iter().filter(|(_, plural, _)| *plural == "lamps").collect::<Vec<_>>();
        let cases = changes(&broken(crd("lamps", lamps[0].2)));
        assert!(cases.len() > 200, "{}", cases.len());
        for (what, changed) in crd_testdata::sample_of(cases, |(what, _)| what.contains(" + ")) {
            place.write(lamps[0].0, changed.to_string());
            is_stopped(&place, layout, &what);
        }
    }
}

/// Files next to the CRDs, and where the CRDs are.
#[test]
fn no_file_hides_a_break() {
    let tombstone =
        |more: &str| format!("tombstones:\n- {{crd: lamps.{PREFIX}, removed: v1.1.0, reason: a, {more}}}\n");
    let files = [
        ("crd-channels.yaml", "gate: {expect: major}\n".to_owned()),
        ("crd-channels.yaml", "prefix: home.example.com\ngate: {expect: major}\nprofile: semver\n".to_owned()),
        ("crd-channels.yaml", "prefix: a.example\n".to_owned()),
        ("crd-channels.yaml", "prefix: home.example.com\nprofile: api-guide\nchannels: [standard]\n".to_owned()),
        ("crd-channels.yaml", String::new()),
        ("crds/crd-channels.yaml", "gate: {expect: major}\n".to_owned()),
        ("bundles/tombstones.yaml", tombstone("kind: resource, name: ''")),
        ("bundles/tombstones.yaml", tombstone("kind: field, path: spec, name: size, replacement: colour")),
        ("bundles/tombstones.yaml", tombstone("kind: version, name: v1, migrated: true")),
        (
            "bundles/waivers.yaml",
            format!("waivers:\n- {{rule: tightened, crd: lamps.{PREFIX}, bundle: v1.1.0, to: none, reason: a}}\n"),
        ),
        ("crds/kustomization.yaml", "resources: [torches.yaml]\n".to_owned()),
        ("crds/kustomization.yaml", "resources: [lamps.yaml, torches.yaml]\npatches: [{path: p.yaml}]\n".to_owned()),
        ("crds/manifest.json", "{\"profile\": \"api-guide\", \"version\": \"v2.0.0\"}".to_owned()),
        (".gitattributes", "*.yaml -diff -text filter=x\n".to_owned()),
        (".gitignore", "crds\n".to_owned()),
        ("Cargo.toml", "[workspace]\n".to_owned()),
    ];
    for layout in &LAYOUTS {
        for (path, text) in &files {
            let place = repository(layout);
            write_broken(&place, layout);
            place.write(path, text);
            is_stopped(&place, layout, &format!("{path}: {text}"));
        }
        for target in [
            "crds/.lamps.yaml",
            "crds/lamps.txt",
            "crds/experimental/lamps.yaml",
            "crds/a/lamps.yaml",
            "lamps.yaml",
            "",
        ] {
            let place = repository(layout);
            write_broken(&place, layout);
            let (source, ..) = layout.crds[0];
            let text = fs::read(place.path().join(source)).unwrap();
            fs::remove_file(place.path().join(source)).unwrap();
            if !target.is_empty() {
                place.write(target, text);
            }
            is_stopped(&place, layout, &format!("{source} is moved to `{target}`"));
        }
        if !layout.settings.is_empty() {
            let place = repository(layout);
            write_broken(&place, layout);
            fs::remove_file(place.path().join("crd-channels.yaml")).unwrap();
            let ran = is_stopped(&place, layout, "without settings");
            assert!((ran.out + &ran.err).contains("git::settings"), "the settings of the base count, with a warning");
        }
    }
}

/// A CRD leaves standard only by a finding, also without another change. To graduate is an addition.
#[test]
fn a_stamp_moves_no_crd_out_of_standard() {
    let place = Place::new();
    place.write("old.yaml", crd("lamps", Some("standard")).to_string());
    for (new, expected) in [("experimental", Exit::Findings), ("standard", Exit::Fine)] {
        place.write("new.yaml", crd("lamps", Some(new)).to_string());
        place.write("both/b.yaml", crd("torches", Some("standard")).to_string());
        let both = |name: &str| {
            place.write(&format!("{name}/b.yaml"), crd("torches", Some("standard")).to_string());
            place.write(&format!("{name}/a.yaml"), place.read(&format!("{name}.yaml")));
        };
        both("old");
        both("new");
        let ran = run(&place, &["diff", "old", "new", "--fail-on", "major"]);
        assert_eq!(ran.exit, expected, "{ran:?}");
        assert_eq!(ran.out.contains("removed from standard"), expected == Exit::Findings, "{ran:?}");
    }
    let ran = run(&place, &["diff", "new.yaml", "old.yaml"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
}
