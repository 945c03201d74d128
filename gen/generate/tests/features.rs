//! `features.json` of types, and what the settings declare about implementations.

#![allow(unreachable_pub, reason = "the types are as those of an API")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crd_channels::{ObjectMeta, api};
use crd_generate::settings::{REQUIRED, Settings};
use crd_generate::{Catalogue, Projection, annotated};
use serde_json::json;

/// A cat.
/// +conformance:feature=Cat
#[api(group = "example.com", version = "v1", kind = "Cat")]
pub struct Cat {
    pub metadata: ObjectMeta,
    pub spec: Spec,
    pub status: Option<Status>,
}

/// A dog.
#[api(group = "example.com", version = "v1", kind = "Dog")]
pub struct Dog {
    pub metadata: ObjectMeta,
    pub spec: Spec,
}

#[api]
pub struct Spec {
    pub owner: String,
    /// +conformance:feature=Request
    /// +conformance:feature=Backend
    pub timeouts: Option<Timeouts>,
    /// +conformance:feature=Retry
    /// +lint:allow=no-floats,reason="measured"
    pub retry: Option<Retry>,
    /// +conformance:feature=Code303=303
    /// +conformance:feature="CodeEmpty="
    pub code: Option<i32>,
    /// +conformance:feature=Cat/Purr
    /// +conformance:feature=Dog/Bark
    /// +conformance:feature=Dog/Howl
    pub voice: Option<Voice>,
}

#[api]
pub struct Timeouts {
    /// +conformance:feature=Request
    pub request: Option<String>,
    /// +conformance:feature=Backend
    pub backend: Option<String>,
    pub plain: Option<String>,
}

#[api]
pub struct Retry {
    /// +conformance:feature=RetryCodes
    pub codes: Option<i32>,
}

#[api]
pub enum Voice {
    Low,
    /// +conformance:feature=Loud
    /// +lint:allow=enum-names,reason="a brand"
    Loud,
}

#[api]
pub struct Status {
    /// +conformance:feature=Seen
    pub seen: Option<String>,
}

fn catalogue(implementations: &str) -> Catalogue {
    let text = format!("prefix: example.com\nversion: v1.0.0\n{implementations}");
    let settings = Settings::read("crd-channels.yaml".as_ref(), &text, &REQUIRED).unwrap();
    Catalogue::new(settings).resource::<Cat>().resource::<Dog>()
}

/// The document, or the errors with their lines.
fn document(implementations: &str) -> Result<serde_json::Value, Vec<String>> {
    let catalogue = catalogue(implementations);
    let types = Projection::new(&catalogue, annotated(&catalogue).unwrap(), "test");
    let features = types.features();
    let text = |error: &crd_diagnostics::Diagnostic| format!("{} {}", error.location.line.unwrap(), error.message);
    let features = features.map_err(|errors| errors.iter().map(text).collect::<Vec<_>>())?;
    Ok(serde_json::from_str(&features.to_json()).unwrap())
}

/// An exception is at the path of its field, or of the enum with its value.
#[test]
fn exceptions_are_at_their_elements_of_each_version() {
    let catalogue = catalogue("");
    let resources = annotated(&catalogue).unwrap();
    let found = resources.iter().flat_map(|resource| resource.exceptions()).map(|exception| {
        assert!(exception.location.file.ends_with("features.rs") && exception.location.line > 0);
        format!("{} {:?} {}", exception.path, exception.value, exception.rule)
    });
    assert_eq!(
        found.collect::<Vec<_>>(),
        [
            "spec.retry None no-floats",
            "spec.voice Some(\"Loud\") enum-names",
            "spec.retry None no-floats",
            "spec.voice Some(\"Loud\") enum-names"
        ]
    );
}

#[test]
fn elements_have_the_features_of_their_kind_and_containers_have_none() {
    let document = document("").unwrap();
    assert_eq!(document["implementations"], json!(null));
    let element = |element: &serde_json::Value| {
        let value = element.get("value").map(|value| format!("={}", value.as_str().unwrap())).unwrap_or_default();
        format!(
            "{} {}{value} {}",
            element["crd"].as_str().unwrap(),
            element["path"].as_str().unwrap(),
            element["features"]
        )
    };
    let elements = document["elements"].as_array().unwrap().iter().map(element).collect::<Vec<_>>();
    let of_both = |plural: &str, voice: &str| {
        [
            ("spec.code=", r#"["CodeEmpty"]"#),
            ("spec.code=303", r#"["Code303"]"#),
            ("spec.retry", r#"["Retry"]"#),
            ("spec.retry.codes", r#"["RetryCodes"]"#),
            ("spec.timeouts.backend", r#"["Backend"]"#),
            ("spec.timeouts.request", r#"["Request"]"#),
            ("spec.voice", voice),
            ("spec.voice=Loud", r#"["Loud"]"#),
        ]
        .map(|(path, features)| format!("{plural}.example.com {path} {features}"))
    };
    let whole = [r#"cats.example.com  ["Cat"]"#.to_owned()];
    let expected = [&whole[..], &of_both("cats", r#"["Purr"]"#), &of_both("dogs", r#"["Bark","Howl"]"#)].concat();
    assert_eq!(elements, expected);
}

#[test]
fn names_and_paths_of_the_settings_are_those_of_the_types() {
    let right = "implementations: {class: dogs.example.com, features: spec.code, references: [{from: cats.example.com, path: spec.owner, to: dogs.example.com}]}\n";
    assert_eq!(document(right).unwrap()["implementations"]["references"][0]["to"], json!(["dogs.example.com"]));
    let wrong = "implementations:\n  class: cats.example.com\n  features: status.seen[*].nam\n  references:\n  - {from: cows.example.com, path: spec.owner, to: cats.example.com}\n  - {from: cats.example.com, path: 'spec.owners[*]', to: [dogs.example.com, cows.example.com]}\n";
    assert_eq!(
        document(wrong).unwrap_err(),
        [
            "4 `implementations` names the path `status.seen[*].nam`, which cats.example.com does not have",
            "7 `implementations` names `cows.example.com`, which is not a CRD of the types",
            "8 `implementations` names the path `spec.owners[*]`, which cats.example.com does not have",
            "8 `implementations` names `cows.example.com`, which is not a CRD of the types",
        ]
    );
}
