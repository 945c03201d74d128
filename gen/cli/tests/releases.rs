//! `history`: the shapes of its documents, and the pages about other projects. The rest are sessions.

mod compatibility;

use crate::shape;
use crate::support::{Place, things};
use crd_bundle::published::{Input, texts};
use crd_channels_cli::Exit;
use crd_testdata::thing_crd;
use serde_json::{Value, json};

/// The CRD of things whose `spec.name` has this schema.
fn crd(name: &Value) -> Value {
    let spec = json!({"type": "object", "properties": {"name": name}});
    thing_crd(&json!({"type": "object", "properties": {"spec": spec}}), &json!({}))
}

fn text(most: u64) -> Value {
    json!({"type": "string", "maxLength": most})
}

/// A workspace with releases of things below `things`.
fn place(releases: &[(&str, Value)]) -> Place {
    let place = Place::new();
    for (tag, name) in releases {
        place.write(&format!("things/{tag}/thing.json"), crd(name).to_string());
    }
    place
}

fn shape_errors(document: &Value) -> Vec<String> {
    shape::errors(&serde_json::from_str(include_str!("../schemas/history.json")).unwrap(), document)
}

#[test]
fn a_document_of_another_shape_is_noticed() {
    let place = place(&[("v1.0.0", text(5)), ("v1.1.0", text(2))]);
    let ran = place.run_unchanged(&things(), &["history", "things", "--format", "json"]);
    let right = serde_json::from_str::<Value>(&ran.out).unwrap();
    assert_eq!(shape_errors(&right), [] as [&str; 0]);
    let comparison = "/projects/0/releases/1/comparison";
    for (pointer, value, part) in [
        ("/projects/0/releases/1/version".to_owned(), json!(1), "/version: 1 is not of type"),
        (format!("{comparison}/verdict"), json!("huge"), comparison),
        (format!("{comparison}/rules/tightened"), json!("1"), comparison),
        (format!("{comparison}/findings/0/witness"), json!(true), comparison),
        ("/projects/0/leftOut".to_owned(), json!([{"name": "a"}]), "\"reason\" is a required property"),
    ] {
        let mut wrong = right.clone();
        *wrong.pointer_mut(&pointer).unwrap() = value;
        let errors = shape_errors(&wrong).join("\n");
        assert!(errors.contains(part), "{pointer}: {errors}");
    }
}

#[test]
fn the_list_of_releases_has_the_documented_shape() {
    let place = place(&[("v1.0.0", text(5)), ("v1.1.0", text(6))]);
    place.write("dates.tsv", "v1.0.0 2021-01-01\nv1.1.0 2022-01-01T01:02:03Z\n");
    let ran = place.run_line(&things(), "history things --format archive --dates dates.tsv --out history.tar.xz");
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    let archive = std::fs::read(place.path().join("history.tar.xz")).unwrap();
    let (sources, errors) = texts(Input::new("archive", archive));
    assert!(errors.is_empty());
    let index = sources.iter().find(|source| source.name == "archive!history.json").unwrap();
    let index = serde_json::from_str::<Value>(&index.text).unwrap();
    let schema = serde_json::from_str(include_str!("../schemas/history-archive.json")).unwrap();
    assert_eq!(shape::errors(&schema, &index), [] as [&str; 0]);
    assert_eq!(
        index["releases"][1],
        json!({
            "version": "v1.1.0",
            "released": "2022-01-01T01:02:03Z",
            "channels": {"standard": ["things.example.com"]}
        })
    );
}
