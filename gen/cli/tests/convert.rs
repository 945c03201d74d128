//! `convert`: objects of files in another form. What a lens does to an object is proven in `crd-convert`. These tests prove which bytes change,
//! what is reported, and that an object that fails stays as it is.

use anstream::adapter::strip_str;
use crd_channels_cli::{Exit, Session, run_without_types_in};
use serde_json::{Value, json};

use crate::shape;
use crate::support::Place;

/// A rename in v1.1.0 and a list of one in v1.2.0.
const LENSES: &str = r#"{"schemaVersion": 1, "generator": "test", "prefix": "example.com", "lenses": [
    {"name": "tls-to-validation", "resource": "policies.example.com", "group": "example.com", "kind": "Policy", "since": "v1.1.0",
     "steps": [{"operation": "rename", "from": "spec.tls", "to": "spec.validation"}]},
    {"name": "target-ref-to-target-refs", "resource": "policies.example.com", "group": "example.com", "kind": "Policy", "since": "v1.2.0",
     "steps": [{"operation": "wrapInList", "from": "spec.targetRef", "to": "spec.targetRefs"}]}
]}"#;

const CRD: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: policies.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Policy, plural: policies, singular: policy, listKind: PolicyList}
  versions:
  - {name: v1alpha1, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}
  - name: v1beta1
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {validation: {type: string}}}}}}
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {validation: {type: string}, targetRefs: {type: array, items: {type: string}}}}}}}
";

struct Printed {
    exit: Exit,
    out: String,
    err: String,
}

fn place() -> Place {
    let place = Place::new();
    place.write("lenses.json", LENSES);
    place
}

fn run(place: &Place, input: &str, arguments: &[&str]) -> Printed {
    let (mut out, mut err, mut input) = (Vec::new(), Vec::new(), input.as_bytes());
    let arguments = [&["convert", "--conversions", "lenses.json"], arguments].concat();
    let mut session = Session::new(place.path(), &mut out, &mut err).input(&mut input);
    let exit = run_without_types_in(arguments, &mut session);
    let plain = |bytes: Vec<u8>| strip_str(&String::from_utf8(bytes).unwrap()).to_string();
    Printed { exit, out: plain(out), err: plain(err) }
}

fn policy(spec: &str) -> String {
    format!("apiVersion: example.com/v1\nkind: Policy\nmetadata:\n  name: a\nspec: {spec}\n")
}

/// Converts a text from standard input; it must succeed.
fn converted(text: &str, arguments: &[&str]) -> String {
    let printed = run(&place(), text, &[&["-"], arguments].concat());
    assert_eq!(printed.exit, Exit::Fine, "{}", printed.err);
    printed.out
}

#[test]
fn text_outside_converted_objects_stays_byte_for_byte() {
    let text = "# first\n---\n# a policy\napiVersion: example.com/v1\nkind: Policy\nspec:\n    tls: x\n# after\n\n---   \napiVersion: v1\n\
                kind: ConfigMap\ndata: {a: b}   # stays\n---\nkind: List\napiVersion: v1\nitems:\n- kind: Secret   # stays\n  apiVersion: v1\n\n\
                -   kind: Policy\n    apiVersion: example.com/v1\n    spec: {tls: w}\n# between\n- {kind: Policy, apiVersion: example.com/v1, spec: {tls: \"z}\"}}\n...\n";
    let expected = "# first\n---\n# a policy\napiVersion: example.com/v1\nkind: Policy\nspec:\n  validation: x\n# after\n\n---   \napiVersion: v1\n\
                kind: ConfigMap\ndata: {a: b}   # stays\n---\nkind: List\napiVersion: v1\nitems:\n- kind: Secret   # stays\n  apiVersion: v1\n\n\
                -   apiVersion: example.com/v1\n    kind: Policy\n    spec:\n      validation: w\n# between\n- {\"apiVersion\":\"example.com/v1\",\"kind\":\"Policy\",\"spec\":{\"validation\":\"z}\"}}\n...\n";
    assert_eq!(converted(text, &[]), expected);
    assert_eq!(converted(expected, &[]), expected);
}

#[test]
fn json_stays_json() {
    let text = "{\n    \"apiVersion\": \"v1\",   \"kind\": \"List\",\n    \"items\": [\n        {\"kind\": \"Secret\", \"apiVersion\": \"v1\"},\n        {\n            \
                \"apiVersion\": \"example.com/v1\",\n            \"kind\": \"Policy\",\n            \"spec\": {\"tls\": \"]\\\"\"}\n        }\n    ]\n}\n";
    let expected = text.replace("{\"tls\": \"]\\\"\"}", "{\n                \"validation\": \"]\\\"\"\n            }");
    assert_eq!(converted(text, &[]), expected);
    let compact =
        r#"{"apiVersion":"example.com/v1","kind":"Policy","spec":{"tls":"x"}} {"apiVersion": "v1", "kind": "Secret"}"#;
    assert_eq!(converted(compact, &[]), compact.replace("tls", "validation"));
    // The items of a typed list need not repeat its type.
    let typed = r#"{"apiVersion":"example.com/v1","kind":"PolicyList","items":[{"spec":{"tls":"x"}}]}"#;
    let item = r#"{"apiVersion":"example.com/v1","kind":"Policy","spec":{"validation":"x"}}"#;
    assert_eq!(converted(typed, &[]), typed.replace(r#"{"spec":{"tls":"x"}}"#, item));
}

#[test]
fn an_older_form_keeps_what_it_cannot_express_in_an_annotation() {
    let new = policy("{targetRefs: [a, b], validation: x}");
    let printed = run(&place(), &new, &["-", "--to", "v1.0.0"]);
    assert_eq!(printed.exit, Exit::Fine, "{}", printed.err);
    assert!(printed.err.contains("converted by `target-ref-to-target-refs`, `tls-to-validation`"), "{}", printed.err);
    assert!(
        printed.err.contains("`spec.targetRefs` is kept in the annotation `example.com/conversion-data`"),
        "{}",
        printed.err
    );
    assert!(printed.out.contains("  targetRef: a\n  tls: x\n"), "{}", printed.out);
    let read = |text: &str| crd_model::yaml::read(text).unwrap();
    assert_eq!(read(&converted(&printed.out, &[])), read(&new));
    // A form between both.
    assert!(converted(&new, &["--to", "v1.1.0"]).contains("  targetRef: a\n  validation: x\n"));
    let old = policy("{tls: x}");
    assert_eq!(converted(&old, &["--to", "v1.0.0"]), old);
}

#[test]
fn what_is_lost_is_reported() {
    let printed = run(&place(), &policy("{tls: x}   # why"), &["-"]);
    assert!(printed.err.contains("note: -:1: Policy a: converted by `tls-to-validation`\n"), "{}", printed.err);
    assert!(printed.err.contains("note:   lost: the comments in it\n"), "{}", printed.err);
    assert!(printed.err.contains("note: 1 object: 1 converted, 0 unchanged, 0 failed\n"), "{}", printed.err);
    let printed = run(&place(), &policy("{tls: x}"), &["-"]);
    assert!(!printed.err.contains("lost"), "{}", printed.err);
}

#[test]
fn check_changes_nothing_and_ends_with_3_if_something_is_old() {
    let place = place();
    place.write("new.yaml", policy("{validation: x}"));
    let printed = run(&place, "", &["new.yaml", "--check"]);
    assert_eq!((printed.exit, &*printed.out), (Exit::Fine, "1 object: 0 converted, 1 unchanged, 0 failed\n"));
    place.write("old.yaml", policy("{tls: x}"));
    let printed = run(&place, "", &["new.yaml", "old.yaml", "--check"]);
    assert_eq!(printed.exit, Exit::Stale);
    assert!(printed.out.starts_with("old.yaml:1: Policy a: converted by `tls-to-validation`\n"), "{}", printed.out);
    assert_eq!(place.read("old.yaml"), policy("{tls: x}"));
}

#[test]
fn in_place_writes_the_files_that_change() {
    let place = place();
    let new = policy("{validation: x}");
    place.write("objects/new.yaml", &new);
    place.write("objects/old.yaml", policy("{tls: x}"));
    let age = |name: &str| std::fs::metadata(place.path().join(name)).unwrap().modified().unwrap();
    let before = (age("objects/new.yaml"), age("objects/old.yaml"));
    let printed = run(&place, "", &["objects", "--in-place"]);
    assert_eq!(printed.exit, Exit::Fine, "{}", printed.err);
    assert!(printed.out.ends_with("2 objects: 1 converted, 1 unchanged, 0 failed\n"), "{}", printed.out);
    assert!(place.read("objects/old.yaml").contains("  validation: x\n"));
    assert_eq!((place.read("objects/new.yaml"), age("objects/new.yaml")), (new, before.0));
    assert_ne!(age("objects/old.yaml"), before.1);
}

#[test]
fn an_object_that_fails_stays_as_it_is_and_is_named() {
    let both = policy("{tls: x, validation: y}");
    let place = place();
    place.write("in.yaml", format!("{}---\n{both}", policy("{tls: x}")));
    let printed = run(&place, "", &["in.yaml", "--in-place"]);
    assert_eq!(printed.exit, Exit::Findings);
    assert!(
        printed.err.contains("error[convert::failed]: ") && printed.err.contains(" --> in.yaml:7:1"),
        "{}",
        printed.err
    );
    assert!(printed.out.ends_with("2 objects: 1 converted, 0 unchanged, 1 failed\n"), "{}", printed.out);
    assert!(place.read("in.yaml").ends_with(&format!("  validation: x\n---\n{both}")), "{}", place.read("in.yaml"));
}

#[test]
fn an_api_version_must_be_served_and_have_every_field() {
    let place = place();
    place.write("crd.yaml", CRD);
    let to = |version: &str, spec: &str| {
        run(&place, &policy(spec), &["-", "--crds", "crd.yaml", "--to-api-version", version])
    };
    let printed = to("v1beta1", "{tls: x}");
    assert_eq!(printed.exit, Exit::Fine, "{}", printed.err);
    assert!(printed.out.starts_with("apiVersion: example.com/v1beta1\n"), "{}", printed.out);
    for (version, spec, message) in [
        ("v1alpha1", "{}", "error[convert::version]: policies.example.com does not serve the version `v1alpha1`"),
        ("v2", "{}", "it serves `v1beta1`, `v1`"),
        ("v1beta1", "{targetRefs: [a]}", "`example.com/v1beta1` does not have `spec.targetRefs`"),
        ("v1", "{a: 1, b: 2}", "`example.com/v1` does not have `spec.a` and 1 field more"),
    ] {
        let printed = to(version, spec);
        assert_eq!((printed.exit, &*printed.out), (Exit::Findings, &*policy(spec)));
        assert!(printed.err.contains(message), "{}", printed.err);
    }
    // Kinds without a CRD are not presented in another version.
    let service = "apiVersion: v1\nkind: Service\n";
    assert_eq!(run(&place, service, &["-", "--crds", "crd.yaml", "--to-api-version", "v9"]).out, service);
    let printed = run(&place, "", &["-", "--to-api-version", "v1"]);
    assert_eq!(printed.exit, Exit::Unusable);
    assert!(printed.err.contains("the CRDs are missing"), "{}", printed.err);
}

#[test]
fn a_channel_must_have_every_field() {
    let place = place();
    place.write("crd.yaml", CRD);
    let printed =
        run(&place, &policy("{validation: x, retry: 1}"), &["-", "--channel", "standard", "--crds", "crd.yaml"]);
    assert_eq!(printed.exit, Exit::Findings);
    assert!(printed.err.contains("`example.com/v1` of standard does not have `spec.retry`"), "{}", printed.err);
    let printed = run(&place, &policy("{tls: x}"), &["-", "--channel", "standard", "--crds", "crd.yaml"]);
    assert_eq!(printed.exit, Exit::Fine, "{}", printed.err);
}

#[test]
fn json_has_every_object_and_the_documented_shape() {
    let text =
        format!("{}---\n{}---\n{}---\n- 1\n", policy("{tls: x}"), policy("{}"), policy("{tls: x, validation: y}"));
    let printed = run(&place(), &text, &["-", "--format", "json"]);
    assert_eq!((printed.exit, &*printed.err), (Exit::Findings, ""));
    let document: Value = serde_json::from_str(&printed.out).unwrap();
    let schema = serde_json::from_str(include_str!("../schemas/conversion.json")).unwrap();
    assert_eq!(shape::errors(&schema, &document), [] as [&str; 0]);
    let objects = document["objects"].as_array().unwrap();
    let outcomes = objects.iter().map(|object| &object["outcome"]).collect::<Vec<_>>();
    assert_eq!(outcomes, ["converted", "unchanged", "failed"]);
    assert_eq!(objects[0]["object"]["spec"], json!({"validation": "x"}));
    assert_eq!(objects[0]["applied"], json!(["tls-to-validation"]));
    assert_eq!(objects[2]["error"]["code"], "convert::failed");
    assert_eq!(document["errors"][0]["code"], "object::not-an-object");
}

#[test]
fn bad_lenses_are_reported_together() {
    let place = Place::new();
    let printed = run(&place, "", &["-"]);
    assert_eq!(printed.exit, Exit::Unusable);
    assert!(printed.err.contains("`lenses.json` does not exist"), "{}", printed.err);
    place.write("lenses.json", LENSES.replace("\"since\": \"v1.1.0\",", "").replace("wrapInList", "wrap"));
    let printed = run(&place, &policy("{}"), &["-"]);
    assert_eq!((printed.exit, &*printed.out), (Exit::Unusable, ""));
    assert!(
        printed.err.contains("$.lenses[0].since") && printed.err.contains("$.lenses[1].steps[0]"),
        "{}",
        printed.err
    );
}

/// Nothing that someone may find in a file ends the program or changes another object.
#[test]
fn hostile_texts_stay_as_they_are() {
    let deep = format!("{{\"a\": {}1{}}}", "[".repeat(5000), "]".repeat(5000));
    let anchors = "kind: List\napiVersion: v1\nitems:\n- kind: Policy\n  apiVersion: example.com/v1\n  spec: &s\n    tls: x\n- kind: Secret\n  \
                   apiVersion: v1\n  data: *s\n";
    let repeated = r#"{"apiVersion": "example.com/v1", "kind": "Policy", "spec": {"tls": "x", "tls": "y"}}"#;
    for (text, message) in [
        (anchors, "error[convert::text]: an object in this file cannot be replaced"),
        (repeated, "the key `spec.tls` is already in this map"),
        (&deep, "levels deep"),
        ("{\"apiVersion\": ", "error["),
        ("1\n", "error[object::not-an-object]"),
        ("apiVersion: example.com/v1\nkind: Policy\nspec: {tls: &a [*a]}\n", "error["),
    ] {
        let place = place();
        place.write("in.yaml", text);
        let printed = run(&place, "", &["in.yaml", "--in-place"]);
        assert_ne!(printed.exit, Exit::Fine, "{text:.80}");
        assert!(printed.err.contains(message), "{}", printed.err);
        assert_eq!(place.read("in.yaml"), text);
    }
}

#[test]
fn standard_input_cannot_be_changed_in_place() {
    let printed = run(&place(), &policy("{}"), &["-", "--in-place"]);
    assert_eq!(printed.exit, Exit::Unusable);
    assert!(printed.err.contains("standard input cannot be changed in place"), "{}", printed.err);
}

/// Functions are in the program of a project, and not in `conversions.json`.
#[test]
fn an_object_that_needs_functions_stays_as_it_is_and_names_the_lens() {
    let place = Place::new();
    let lenses = LENSES.replace(
        r#"{"operation": "wrapInList", "from": "spec.targetRef", "to": "spec.targetRefs"}"#,
        r#"{"operation": "code", "name": "merge", "from": ["spec.targets[*].ref"], "to": ["spec.refs"]}"#,
    );
    place.write("lenses.json", lenses);
    let needs = policy("{targets: [{ref: a}], tls: x}");
    let printed = run(&place, &format!("{}---\n{needs}", policy("{tls: x}")), &["-"]);
    assert_eq!(
        (printed.exit, printed.out),
        (
            Exit::Findings,
            format!(
                "{}---\n{needs}",
                policy("{validation: x}").replace("spec: {validation: x}", "spec:\n  validation: x")
            )
        )
    );
    let message =
        "`the object`: this program does not have the functions of the lens (lens `target-ref-to-target-refs`)";
    assert!(printed.err.contains("error[convert::failed]: ") && printed.err.contains(message), "{}", printed.err);
    assert!(
        printed.err.contains("help: convert it with the program of the project, such as `cargo xtask convert`"),
        "{}",
        printed.err
    );
    assert!(printed.err.contains("2 objects: 1 converted, 0 unchanged, 1 failed"), "{}", printed.err);
}
