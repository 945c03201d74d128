//! Candidates that no server takes: each kind of `docs/reference/refusals.md`, for each command that reads CRDs.

use crd_apiserver::refusal::{Authority, RULES, example};
use crd_channels_cli::Exit;

use crate::commits::repository;
use crate::projects::run;
use crate::support::Place;

/// The commands that read `v1.0.0` as baseline, and `v1.1.0` as candidate.
const READERS: [&[&str]; 3] = [
    &["diff", "releases/v1.0.0", "releases/v1.1.0", "--expect", "major"],
    &["history", "releases"],
    &["docs", "--crds", "releases"],
];

const GATE: [&str; 6] = ["gate", "releases/v1.1.0", "--base", "v1.0.0", "--expect", "major"];

fn write(place: &Place, version: &str, edit: &str) {
    place.write(&format!("releases/{version}/crd.json"), example(edit).unwrap().to_string());
}

/// Releases, oldest first.
fn releases(edits: &[&str]) -> Place {
    let place = Place::new();
    for (minor, edit) in edits.iter().enumerate() {
        write(&place, &format!("v1.{minor}.0"), edit);
    }
    place
}

/// Each kind as candidate of these commands.
fn each_kind(place: &Place, readers: &[&[&str]]) {
    let mut kinds = 0;
    for rule in RULES {
        let edit = rule.refused().next().unwrap();
        write(place, "v1.1.0", edit);
        for reader in readers {
            let ran = run(place, reader);
            let context = format!("{} of {}: {ran:?}", reader[0], rule.id);
            if rule.authority == Authority::Server {
                kinds += 1;
                assert_eq!(ran.exit, Exit::Unusable, "{context}");
                // What cannot be read has another code.
                let codes = [format!("error[{}]: ", rule.id), "error[crd-".to_owned()];
                assert!(codes.iter().any(|code| ran.err.contains(&**code)), "{context}");
                assert!(ran.err.contains("releases/v1.1.0/crd.json:1:"), "{context}");
            } else {
                // Servers take it.
                assert_ne!(ran.exit, Exit::Unusable, "{context}");
            }
        }
    }
    assert!(kinds >= 40 * readers.len(), "{kinds}");
}

#[test]
fn each_reader_refuses_each_kind() {
    each_kind(&releases(&["{}"]), &READERS);
}

#[test]
fn gate_refuses_each_kind() {
    let place = repository(|place| write(place, "v1.1.0", "{}"));
    each_kind(&place, &[&GATE]);
}

/// A field with this schema.
fn field(schema: &str) -> String {
    format!("{{\"field\": {schema}}}")
}

/// What is refused of a baseline is one warning, and nothing about it is a finding.
#[test]
fn a_baseline_that_servers_refuse_is_a_warning() {
    for (schema, code) in [
        (r#"{"type": "x"}"#, "type-unknown"),
        (r#"{"type": "array"}"#, "items-missing"),
        (r#"{"type": "string", "pattern": "("}"#, "pattern"),
        (r#"{"type": "string", "x-kubernetes-validations": [{"rule": "self >"}]}"#, "object::crd-rule"),
        (r#"{"type": "string", "x-kubernetes-validations": [{"rule": "size(self)"}]}"#, "object::crd-rule"),
        (r#"{"type": "string", "default": 1}"#, "default-invalid"),
        (r#"{"type": "object", "properties": {"a": {"type": "array"}, "b": {"type": "y"}}}"#, "type-unknown"),
    ] {
        let bad = field(schema);
        for reader in READERS {
            // Two refused baselines are one warning of a history.
            let ran = run(&releases(&[&bad, "{}"]), reader);
            let context = format!("{} {schema} {ran:?}", reader[0]);
            assert_ne!(ran.exit, Exit::Unusable, "{context}");
            assert_eq!(ran.err.matches(&format!("warning[{code}]: servers of today refuse ")).count(), 1, "{context}");
            assert_eq!(ran.err.matches("error[").count(), 0, "{context}");
            assert!(!ran.out.contains("not-installable"), "{context}");
            // The same in both is refused, with one error.
            let ran = run(&releases(&[&bad, &bad]), reader);
            assert_eq!(ran.exit, Exit::Unusable, "{context}");
            assert_eq!(ran.err.matches(&format!("[{code}]: ")).count(), 1, "{ran:?}");
        }
    }
}

/// Near misses: servers take them, or took them, or an installer renders them before a server sees them.
#[test]
fn candidates_that_servers_take() {
    let rule = r#"{"type": "array", "items": {"type": "string", "x-kubernetes-validations": [{"rule": "self.matches('^a+$')"}]}}"#;
    let costly = field(rule);
    for edits in [
        // Servers do not ask again about what a rule costs.
        [&*costly, &*costly],
        ["{}", r#"{"document": {"metadata": {"labels": {"app": "{{ .Release.Name }}"}}}}"#],
        ["{}", r#"{"field": {"type": "string", "pattern": "^[a-z]+$", "default": "a"}}"#],
        ["{}", r#"{"field": {"type": "array", "items": {"type": "string"}}}"#],
    ] {
        for reader in READERS {
            let ran = run(&releases(&edits), reader);
            assert_ne!(ran.exit, Exit::Unusable, "{} {edits:?} {ran:?}", reader[0]);
        }
    }
    for reader in READERS {
        let ran = run(&releases(&["{}", &costly]), reader);
        assert_eq!(ran.exit, Exit::Unusable, "{ran:?}");
        assert!(ran.err.contains("error[validation-cost]: "), "{ran:?}");
    }
}
