//! The ledger that `tombstones` writes: the digests of its entries, their names, and writers at the same time. The rest are sessions.

use crate::support::{Place, api, good, removed};
use crd_bundle::Digest;
use crd_channels_cli::Exit;
use serde_json::{Value, json};

const CRD: &str = "things.things.example.com";

/// The digest of an entry, from its definition: a line for each key with its value as JSON, sorted by key.
fn digest(entry: &[(&str, &str)]) -> String {
    let mut lines = entry.iter().map(|(key, value)| format!("{key}={}\n", json!(value))).collect::<Vec<_>>();
    lines.sort();
    Digest::of(lines.concat()).to_string()
}

#[test]
fn a_release_records_the_digests_of_the_entries() {
    let place = Place::new();
    let thing = api::<removed::Thing>("v1.0.0");
    let add = format!(
        "tombstones add --kind field --crd {CRD} --path spec --name volume --removed v1.0.0 --reason 'too loud'"
    );
    for command in [&*add, "generate", "release v1.0.0 --date 2026-01-01"] {
        let ran = place.run_line(&thing, command);
        assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    }
    let entry = [
        ("crd", CRD),
        ("kind", "field"),
        ("path", "spec"),
        ("name", "volume"),
        ("removed", "v1.0.0"),
        ("reason", "too loud"),
    ];
    let expected =
        format!("tombstones:\n  entries:\n  - id: field spec.volume of {CRD}\n    sha256: {}\n", digest(&entry));
    let manifest = place.read("bundles/v1.0.0/bundle.yaml");
    assert!(manifest.contains(&expected), "{manifest}");
}

/// YAML reads some names as other types, so they are quoted.
#[test]
fn any_name_is_read_back_as_it_was_written() {
    let place = Place::new();
    let thing = api::<good::Thing>("v1.0.0");
    let names = ["Off", "-1", "null", "1.0", "0x1", "- a", "é: \"b\" # c", " ", "{}", "~"];
    for name in names {
        let arguments = ["tombstones", "add", "--kind", "value", "--crd", CRD, "--path", "spec.mode", "--name", name];
        let ran = place.run(&thing, &[&arguments as &[&str], &["--removed", "v1.0.0", "--reason", "true"]].concat());
        assert_eq!(ran.exit, Exit::Fine, "{name}: {}", ran.err);
    }
    let ran = place.run(&thing, &["tombstones", "list", "--format", "json"]);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    let read = document["tombstones"].as_array().unwrap().iter();
    assert_eq!(
        read.map(|entry| (&entry["name"], &entry["reason"])).collect::<Vec<_>>(),
        names.map(|name| (json!(name), json!("true"))).iter().map(|(name, reason)| (name, reason)).collect::<Vec<_>>()
    );
}

#[test]
fn concurrent_additions_are_all_recorded() {
    let place = Place::new();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let place = &place;
            scope.spawn(move || {
                let name = format!("field{number}");
                let line = format!("tombstones add --kind field --crd {CRD} --name {name} --removed v2.0.0 --reason x");
                let ran = place.run_line(&api::<good::Thing>("v2.0.0"), &line);
                assert_eq!(ran.exit, Exit::Fine, "{}", ran.err);
            });
        }
    });
    let ran = place.run(&api::<good::Thing>("v2.0.0"), &["tombstones", "list"]);
    assert!(ran.out.ends_with("\n8 tombstones\n"), "{}", ran.out);
}
