//! Lenses: `generate` writes `conversions.json`, and checks it.

use crate::support::{Place, api, good, things};
use crd_channels::{ObjectMeta, api};
use crd_channels_cli::{Catalogue, Exit};
use serde_json::{Value, json};

mod renamed {
    use super::*;

    /// A thing.
    #[api(group = "things.example.com", version = "v1", kind = "Thing")]
    pub struct Thing {
        pub metadata: ObjectMeta,
        pub spec: ThingSpec,
    }

    #[api]
    pub struct ThingSpec {
        /// +lens:rename:from=length,since=v1.1.0
        pub size: Option<i32>,
    }
}

mod old {
    use super::*;

    /// A thing.
    #[api(group = "things.example.com", version = "v1", kind = "Thing")]
    pub struct Thing {
        pub metadata: ObjectMeta,
        pub spec: ThingSpec,
    }

    #[api]
    pub struct ThingSpec {
        pub length: Option<i32>,
    }
}

fn renamed() -> Catalogue {
    api::<renamed::Thing>("v1.1.0")
}

const FILE: &str = "bundles/unreleased/conversions.json";

#[test]
fn generate_writes_the_conversions_and_checks_them() {
    let without = things();
    let place = Place::with(&without);
    assert!(!place.path().join(FILE).exists());
    let renamed = renamed();
    let stale = place.run_unchanged(&renamed, &["generate", "--check", "--format", "json"]);
    assert_eq!(stale.exit, Exit::Stale);
    assert_eq!(serde_json::from_str::<Value>(&stale.out).unwrap()["conversions"], FILE);
    assert!(place.run(&renamed, &["generate"]).out.contains(&format!("conversions  changed → {FILE}\n")));
    let document: Value = serde_json::from_str(&place.read(FILE)).unwrap();
    assert_eq!(
        document["lenses"],
        json!([{
            "name": "things.example.com/Thing v1.1.0 rename spec.length",
            "resource": "things.things.example.com", "group": "things.example.com", "kind": "Thing", "since": "v1.1.0",
            "steps": [{"operation": "rename", "from": "spec.length", "to": "spec.size"}]
        }])
    );
    assert_eq!(crd_convert::Document::read(&place.read(FILE)).unwrap().to_value(), document);
    assert_eq!(place.run_unchanged(&renamed, &["generate", "--check"]).exit, Exit::Fine);
    // An API without lenses keeps the file, without lenses.
    assert_eq!(place.run(&api::<good::Thing>("v1.1.0"), &["generate"]).exit, Exit::Fine);
    assert_eq!(serde_json::from_str::<Value>(&place.read(FILE)).unwrap()["lenses"], json!([]));
}

/// The file of the workspace may be out of date; the types are not.
#[test]
fn convert_uses_the_lenses_of_the_types() {
    let place = Place::new();
    let object = "apiVersion: things.example.com/v1\nkind: Thing\nmetadata:\n  name: a\nspec:\n  length: 1\n";
    place.write("old.yaml", object);
    let ran = place.run_unchanged(&renamed(), &["convert", "old.yaml"]);
    assert_eq!((ran.exit, ran.out), (Exit::Fine, object.replace("length", "size")), "{}", ran.err);
    let back = place.run(&renamed(), &["convert", "old.yaml", "--to", "v1.0.0", "--check"]);
    assert_eq!((back.exit, &*back.out), (Exit::Fine, "1 object: 0 converted, 1 unchanged, 0 failed\n"), "{}", back.err);
    // Types without lenses leave every object as it is.
    assert_eq!(place.run(&things(), &["convert", "old.yaml"]).out, object);
}

#[test]
fn errors_of_lenses_are_reported_with_those_of_resources() {
    let catalogue = renamed().lens("{");
    let place = Place::with(&renamed());
    let ran = place.run_unchanged(&catalogue, &["generate"]);
    assert_eq!(ran.exit, Exit::Unusable);
    assert!(ran.err.contains("lens 1 of the catalogue: $: not valid JSON"), "{}", ran.err);
}

#[test]
fn the_old_name_of_a_lens_needs_its_place_in_the_ledger() {
    let old = api::<old::Thing>("v1.0.0");
    let place = Place::with(&old);
    assert_eq!(place.run(&old, &["release", "v1.0.0", "--date", "2026-03-01"]).exit, Exit::Fine);
    let renamed = renamed();
    assert_eq!(place.run(&renamed, &["generate"]).exit, Exit::Fine);
    let ran = place.run(&renamed, &["tombstones", "add"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    assert!(place.read("bundles/tombstones.yaml").contains("length"), "{ran:?}");
}
