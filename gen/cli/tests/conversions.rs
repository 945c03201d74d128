//! Lenses: `generate` writes `conversions.json` and checks it, `release` publishes it, and `conversions` lists it.

use anstream::adapter::strip_str;
use crd_channels::{ObjectMeta, api};
use crd_channels_cli::{Catalogue, Exit, Session, run_without_types_in};
use serde_json::{Value, json};

use crate::support::{Place, api, good, things, with};

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
        /// +lens:rename:from=length,since=v2.0.0
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
    api::<renamed::Thing>("v2.0.0")
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
            "name": "things.example.com/Thing v2.0.0 rename spec.length",
            "resource": "things.things.example.com", "group": "things.example.com", "kind": "Thing", "since": "v2.0.0",
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
    let lens = "{name: a, resource: olds.example.com, group: example.com, kind: Old, since: v1.1.0, steps: [{operation: rename, from: spec.a, to: spec.b}]}";
    let place = Place::with(&renamed());
    let ran = place.run_unchanged(&with(&renamed(), &format!("lenses:\n- {lens}\n- {lens}\n")), &["generate"]);
    assert_eq!(ran.exit, Exit::Unusable);
    assert!(ran.err.contains("error: crd-channels.yaml:5: "), "{}", ran.err);
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

/// A workspace with the release v1.0.0 of the old thing and v2.0.0 of the renamed one.
fn released() -> Place {
    let old = api::<old::Thing>("v1.0.0");
    let place = Place::with(&old);
    assert_eq!(place.run(&old, &["release", "v1.0.0", "--date", "2026-03-01"]).exit, Exit::Fine);
    let renamed = renamed();
    for arguments in
        [&["generate"][..], &["tombstones", "add"], &["release", "v2.0.0", "--date", "2026-03-02", "--allow-major"]]
    {
        let ran = place.run(&renamed, arguments);
        assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    }
    place
}

#[test]
fn a_release_publishes_the_conversions() {
    let place = released();
    assert!(place.read("bundles/v1.0.0/bundle.yaml").contains("\nformat: 1\n"));
    assert!(!place.path().join("bundles/v1.0.0/conversions.json").exists());
    let text = place.read(FILE);
    let digest = crd_bundle::Digest::of(&text);
    assert_eq!(place.read("bundles/v2.0.0/conversions.json"), text);
    let manifest = place.read("bundles/v2.0.0/bundle.yaml");
    assert!(manifest.contains(&format!("- path: conversions.json\n  sha256: {digest}\n")), "{manifest}");
    assert!(manifest.contains("\nformat: 2\n"), "{manifest}");
    assert_eq!(place.read("dist/conversions.json"), text);
    assert!(place.read("dist/SHA256SUMS").contains(&format!("{digest}  conversions.json\n")));
    let sbom: Value = serde_json::from_str(&place.read("dist/things-v2.0.0.cdx.json")).unwrap();
    let parts = sbom["metadata"]["component"]["components"].as_array().unwrap();
    let hashes = json!([{"alg": "SHA-256", "content": digest.to_string()}]);
    assert!(
        parts.iter().any(|part| part["bom-ref"] == "document:conversions.json" && part["hashes"] == hashes),
        "{parts:?}"
    );
    let notes = place.read("dist/release-notes.md");
    assert!(
        notes.contains("| `conversions.json` | how controllers convert objects of older bundles, as data |"),
        "{notes}"
    );
    assert!(notes.contains("\n* Thing: `spec.length` is renamed to `spec.size`.\n"), "{notes}");
    // Built again, both are the same bundles.
    let again = place.run(&renamed(), &["release", "v2.0.0"]);
    assert_eq!((again.exit, place.read("bundles/v2.0.0/bundle.yaml")), (Exit::Fine, manifest), "{again:?}");
    // An altered file is found.
    place.write("bundles/v2.0.0/conversions.json", text.replace("spec.size", "spec.sizes"));
    let ran = place.run_unchanged(&api::<renamed::Thing>("v2.1.0"), &["check"]);
    assert_eq!(ran.exit, Exit::Unusable);
    assert!(ran.err.contains("does not have the checksum that bundle.yaml lists"), "{}", ran.err);
}

/// Programs that compare bundles take conversions for a document of the bundle, and not for a CRD.
#[test]
fn bundles_with_conversions_are_read_from_folders_and_archives() {
    let place = released();
    place.write("old.yaml", "apiVersion: things.example.com/v1\nkind: Thing\nspec:\n  length: 1\n");
    for bundle in ["bundles/v2.0.0", "dist/things-v2.0.0.tar.gz", "bundles/v2.0.0/conversions.json"] {
        let ran = place.run_unchanged(&things(), &["convert", "old.yaml", "--conversions", bundle]);
        assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
        assert!(ran.out.ends_with("spec:\n  size: 1\n"), "{bundle}: {ran:?}");
    }
    let ran = place.run_unchanged(&things(), &["diff", "bundles/v2.0.0", "dist/things-v2.0.0.tar.gz"]);
    assert_eq!((ran.exit, ran.err.as_str()), (Exit::Fine, ""), "{ran:?}");
    assert_eq!(place.run_unchanged(&renamed(), &["check"]).exit, Exit::Fine);
    for (bundle, message) in [
        ("bundles/v1.0.0", "bundles/v1.0.0/conversions.json: does not exist, so there are no lenses"),
        ("dist/things-standard-2.0.0.tgz", "dist/things-standard-2.0.0.tgz: does not contain `conversions.json`"),
    ] {
        let ran = place.run_unchanged(&things(), &["convert", "old.yaml", "--conversions", bundle]);
        assert_eq!(ran.exit, Exit::Unusable, "{ran:?}");
        assert!(ran.err.contains(message), "{}", ran.err);
    }
}

/// A bundle that was released without conversions is built again without them.
#[test]
fn a_bundle_without_conversions_stays_as_it_is() {
    let old = api::<old::Thing>("v1.0.0");
    let place = Place::with(&old);
    assert_eq!(place.run(&old, &["release", "v1.0.0", "--date", "2026-03-01"]).exit, Exit::Fine);
    let manifest = place.read("bundles/v1.0.0/bundle.yaml");
    let lens = json!({
            "name": "kind", "resource": "things.things.example.com", "group": "things.example.com", "kind": "Thing",
            "since": "v1.0.0", "steps": [{"operation": "rename", "from": "spec.size", "to": "spec.length"}]
    });
    let with = with(&old, &format!("lenses: [{lens}]"));
    assert_eq!(place.run(&with, &["generate"]).exit, Exit::Fine);
    let again = place.run(&with, &["release", "v1.0.0"]);
    assert_eq!((again.exit, place.read("bundles/v1.0.0/bundle.yaml")), (Exit::Fine, manifest), "{again:?}");
    assert!(!place.path().join("bundles/v1.0.0/conversions.json").exists());
    assert!(!place.path().join("dist/conversions.json").exists());
}

#[test]
fn lenses_are_listed_in_words_and_examples() {
    let place = released();
    let ran = place.run_unchanged(&renamed(), &["conversions"]);
    assert_eq!((ran.exit, ran.err.as_str()), (Exit::Fine, ""));
    let object = |name: &str| {
        format!(
            "      apiVersion: things.example.com/v1\n      kind: Thing\n      metadata:\n        name: example\n      spec:\n        {name}: example\n"
        )
    };
    let (old, new) = (object("length"), object("size"));
    let expected = format!(
        "v2.0.0 Thing  things.example.com/Thing v2.0.0 rename spec.length\n    `spec.length` is renamed to `spec.size`\n    old\n{old}    new\n{new}\n"
    );
    assert_eq!(ran.out, expected);
    // Without the types, of the workspace or of a bundle.
    let without_types = |arguments: &[&str]| {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut session = Session::new(place.path(), &mut out, &mut err);
        let exit = run_without_types_in(arguments, &mut session);
        (exit, strip_str(&String::from_utf8(out).unwrap()).to_string(), String::from_utf8(err).unwrap())
    };
    for arguments in [&["conversions"][..], &["conversions", "--conversions", "dist/things-v2.0.0.tar.gz"]] {
        assert_eq!(without_types(arguments), (Exit::Fine, expected.clone(), String::new()));
    }
    let document = place.run_unchanged(&renamed(), &["conversions", "--format", "json"]).out;
    let document: Value = serde_json::from_str(&document).unwrap();
    let example = &document["conversions"][0]["example"];
    assert_eq!(
        (&example["old"]["spec"], &example["new"]["spec"]),
        (&json!({"length": "example"}), &json!({"size": "example"}))
    );
    assert_eq!(example["back"], example["old"]);
    assert_eq!(document["conversions"][0]["words"], json!(["`spec.length` is renamed to `spec.size`"]));
    assert_eq!(document["removed"], json!([]));
    assert_eq!(place.run_unchanged(&things(), &["conversions"]).out, "no lenses\n");
}

#[test]
fn the_page_is_written_and_checked() {
    let place = released();
    let page = ["conversions", "--page", "conversions.md"];
    assert_eq!(place.run(&renamed(), &page).exit, Exit::Fine);
    let text = place.read("conversions.md");
    for part in [
        "## Thing\n\nThe CRD is `things.things.example.com`.\n",
        "**v2.0.0**: `spec.length` is renamed to `spec.size`.\n\n```yaml\n# the old form\napiVersion: things.example.com/v1\n",
        "# the new form; backward conversion gives the old form again\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let check = [&page[..], &["--check"]].concat();
    assert_eq!(place.run_unchanged(&renamed(), &check).exit, Exit::Fine);
    assert_eq!(place.run_unchanged(&things(), &check).exit, Exit::Stale);
}

/// What functions convert is listed without an example where the functions are missing.
#[test]
fn lenses_with_functions_and_removed_names_are_listed() {
    let place = Place::new();
    let lenses = json!({
        "schemaVersion": 1, "generator": "test", "prefix": "example.com",
        "lenses": [{
            "name": "swap", "resource": "things.example.com", "group": "example.com", "kind": "Thing", "since": "v1.1.0",
            "steps": [{"operation": "code", "name": "swap", "from": ["spec.a"], "to": ["spec.b"]}]
        }],
        "removed": [
            {"group": "example.com", "kind": "Thing", "path": "spec.mode", "value": "A|B", "since": "v1.1.0", "reason": "a <b> | c"},
            {"group": "example.com", "kind": "Thing", "version": "v1alpha1", "since": "v1.1.0", "reason": "a draft"}
        ]
    });
    place.write("lenses.json", lenses.to_string());
    let arguments = ["conversions", "--conversions", "lenses.json"];
    let ran = place.run_unchanged(&things(), &arguments);
    assert_eq!(
        ran.out,
        "v1.1.0 Thing  swap\n    `spec.a` becomes `spec.b`, by the functions `swap`\n    kept: parts of `spec.b` that the old form cannot express\n\nWithout a conversion\n\n\
         v1.1.0 Thing  spec.mode: A|B\n    a <b> | c\nv1.1.0 Thing  example.com/v1alpha1\n    a draft\n"
    );
    assert_eq!(place.run(&things(), &[&arguments[..], &["--page", "page.md"]].concat()).exit, Exit::Fine);
    let text = place.read("page.md");
    assert!(text.contains("\nThere is no example.\n"), "{text}");
    assert!(text.contains("| `Thing` | `spec.mode: A\\|B` | v1.1.0 | a \\<b\\> \\| c |\n"), "{text}");
}
