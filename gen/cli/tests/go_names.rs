//! `bindings go --crds`: names stay, all values and fields have one, and errors are at the CRD.

use anstream::adapter::strip_str;
use crd_channels_cli::{Exit, Session, run_without_types_in};
use serde_json::Value;

use crate::support::Place;

const BEFORE: &str = include_str!("../../../testdata/go-names/before.yaml");
const AFTER: &str = include_str!("../../../testdata/go-names/after.yaml");

/// Runs `bindings go` for CRDs: the exit, what is printed, and the files.
fn go(place: &Place, crds: &str, arguments: &[&str]) -> (Exit, String) {
    place.write("crds.yaml", crds);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let arguments = [&["bindings", "go", "--crds", "crds.yaml", "--module", "example.com/api"], arguments].concat();
    let mut session = Session::new(place.path(), &mut out, &mut err);
    let exit = run_without_types_in(arguments, &mut session);
    let text = [out, err].concat();
    (exit, strip_str(&String::from_utf8(text).unwrap()).to_string())
}

/// What a file declares: its types with their fields, and its constants, without spaces.
fn declared(place: &Place, file: &str) -> String {
    let text = place.read(&format!("go/{file}"));
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    lines.map(words).collect::<Vec<_>>().join("\n")
}

fn crd(version: &str, spec: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: lamps.example.com}}\nspec:\n  group: example.com\n  \
         scope: Namespaced\n  names: {{kind: Lamp, plural: lamps}}\n  versions:\n  - name: {version}\n    served: true\n    storage: true\n    schema:\n      \
         openAPIV3Schema:\n        type: object\n        properties:\n          spec:\n            type: object\n            properties: {{{spec}}}\n"
    )
}

#[test]
fn an_addition_changes_no_name() {
    let place = Place::new();
    assert_eq!(go(&place, BEFORE, &[]).0, Exit::Fine);
    let before = declared(&place, "example/v1/rollout_types.go");
    assert_eq!(go(&place, AFTER, &[]).0, Exit::Fine);
    let after = declared(&place, "example/v1/rollout_types.go");
    for part in before.split("\ntype ").skip(1).filter(|part| !part.starts_with("RolloutSpec struct")) {
        assert!(after.contains(part.trim_end()), "{part}\n{after}");
    }
    let added = "type Rollout_Spec_Foo struct {\nBarBaz *Rollout_Spec_Foo_BarBaz `json:\"barBaz,omitempty\"`";
    assert!(after.contains(added), "{after}");
    assert_eq!(go(&place, AFTER, &["--check"]).0, Exit::Fine);
    // What is gone keeps its name.
    go(&place, BEFORE, &[]);
    go(&place, AFTER, &[]);
    assert_eq!(declared(&place, "example/v1/rollout_types.go"), after);
    std::fs::remove_file(place.path().join("go/go-names.json")).unwrap();
    let (exit, text) = go(&place, AFTER, &["--check"]);
    assert_eq!(exit, Exit::Stale);
    let note = "note: without `go-names.json`, `example/v1/rollout_types.go` has no `Foos []RolloutSpecFoo`";
    assert!(text.contains(note), "{text}");
}

/// Properties before, those that are added, and a type or constant that both modules have.
#[test]
fn names_stay_in_other_places() {
    let enumeration = "{type: string, enum: [A]}";
    for (before, added, name) in [
        // A map, an enum and a field.
        (
            "bulbs: {type: object, additionalProperties: {type: object, properties: {a: {type: string}}}}",
            "bulb: {type: object, properties: {b: {type: string}}}",
            "type LampSpecBulb struct {\nA *string",
        ),
        (
            &*format!("modeKind: {enumeration}"),
            "mode: {type: object, properties: {kind: {type: string, enum: [B]}}}",
            "LampSpecModeKindA LampSpecModeKind = \"A\"",
        ),
        ("b-c: {type: string}", "bC: {type: integer}", "BC *string `json:\"b-c,omitempty\"`"),
        (
            "mode: {type: string, enum: [a-b]}",
            "modeA: {type: string, enum: [b]}, mode2: {type: string, enum: [x]}",
            "LampSpecModeAB LampSpecMode = \"a-b\"",
        ),
        (
            "v: {type: array, items: {type: array, items: {type: object, properties: {q: {type: string}}}}}",
            "vs: {type: object, properties: {r: {type: string}}}",
            "Q *string",
        ),
    ] {
        let place = Place::new();
        assert_eq!(go(&place, &crd("v1", before), &[]).0, Exit::Fine);
        let old = declared(&place, "example/v1/lamp_types.go");
        assert!(old.contains(name), "{name}\n{old}");
        let (exit, text) = go(&place, &crd("v1", &format!("{before}, {added}")), &[]);
        assert_eq!(exit, Exit::Fine, "{text}");
        let new = declared(&place, "example/v1/lamp_types.go");
        assert!(new.contains(name), "{name}\n{new}");
    }
}

#[test]
fn values_and_fields_have_names_by_rule() {
    let place = Place::new();
    let (exit, text) = go(&place, include_str!("../../../testdata/go-names/ops.yaml"), &[]);
    assert_eq!(exit, Exit::Fine, "{text}");
    let file = declared(&place, "example/v1/alert_types.go");
    for constant in [
        "AlertSpecMatchTypeNotEqual AlertSpecMatchType = \"!=\"",
        "AlertSpecMatchTypeEqual AlertSpecMatchType = \"=\"",
        "AlertSpecMatchTypeEqualTilde AlertSpecMatchType = \"=~\"",
        "AlertSpecActionReplace AlertSpecAction = \"replace\"",
        "AlertSpecAction_Replace AlertSpecAction = \"Replace\"",
        "AlertSpecEmptyEmpty AlertSpecEmpty = \"\"",
        "AlertSpecBools1 AlertSpecBools = \"1\"",
        "AlertSpecBoolsMinus1 AlertSpecBools = \"-1\"",
        "AlertSpecSpacesAB AlertSpecSpaces = \"a b\"",
        "AlertSpecSpacesAMinusB AlertSpecSpaces = \"a-b\"",
        "AlertSpecSpaces_a_b AlertSpecSpaces = \"a_b\"",
        "AlertSpecSpacesADotB AlertSpecSpaces = \"a.b\"",
    ] {
        assert!(file.contains(constant), "{constant}\n{file}");
    }
    go(&place, include_str!("../../../testdata/go-names/collide.yaml"), &[]);
    let file = declared(&place, "example/v1/widget_types.go");
    assert!(file.contains("NatOutgoing *bool `json:\"natOutgoing,omitempty\"`"), "{file}");
    assert!(file.contains("NatMinusOutgoing *bool `json:\"nat-outgoing,omitempty\"`"), "{file}");
    let place = Place::new();
    let odd = "3d: {type: string}, $ref: {type: string}, ref: {type: string}, a/b: {type: string, enum: ['é', 'e']}";
    go(&place, &crd("v1", odd), &[]);
    let file = declared(&place, "example/v1/lamp_types.go");
    for part in ["Field3d *string `json:\"3d", "U0024Ref *string", "LampSpecABU00E9 LampSpecAB = \"é\""] {
        assert!(file.contains(part), "{part}\n{file}");
    }
}

#[test]
fn a_mapping_names_places() {
    let place = Place::new();
    let ops = include_str!("../../../testdata/go-names/ops.yaml");
    place.write("names.yaml", "alerts.example.com/v1:\n  value spec.matchType =~: AlertMatches\n  type spec.action: AlertAction\n  field spec.bools: Booleans\n");
    assert_eq!(go(&place, ops, &["--names", "names.yaml"]).0, Exit::Fine);
    let file = declared(&place, "example/v1/alert_types.go");
    for part in [
        "AlertMatches AlertSpecMatchType = \"=~\"",
        "AlertActionReplace AlertAction = \"replace\"",
        "Booleans *AlertSpecBools",
    ] {
        assert!(file.contains(part), "{part}\n{file}");
    }
    // The module records them.
    assert_eq!(go(&place, ops, &["--check"]).0, Exit::Fine);
    let recorded: Value = serde_json::from_str(&place.read("go/go-names.json")).unwrap();
    assert_eq!(recorded["alerts.example.com/v1"]["type spec.action"], "AlertAction");
    for (names, error) in
        [("{a: {b: lower}}", "`b` has the name `lower`, which Go does not export"), ("[]", "invalid type")]
    {
        place.write("names.yaml", names);
        let (exit, text) = go(&place, ops, &["--names", "names.yaml"]);
        assert!(exit == Exit::Unusable && text.contains(error), "{text}");
    }
    assert!(go(&place, ops, &["--names", "none.yaml"]).1.contains("does not exist"));
}

#[test]
fn versions_of_kubernetes_are_packages_and_no_module_is_empty() {
    let place = Place::new();
    assert_eq!(go(&place, include_str!("../../../testdata/go-names/version.yaml"), &[]).0, Exit::Fine);
    assert!(place.read("go/example/v1api20210601/cluster_types.go").contains("package v1api20210601\n"));
    for (version, folder) in [("v1-preview", "v1preview"), ("stable", "stable"), ("v1alpha", "v1alpha")] {
        let place = Place::new();
        let (exit, text) = go(&place, &crd(version, "a: {type: string}"), &[]);
        assert_eq!(exit, Exit::Fine, "{text}");
        assert!(place.read(&format!("go/example/{folder}/doc.go")).contains(&format!("package {folder}\n")));
    }
    let place = Place::new();
    let (exit, text) = go(&place, &crd("v1", "a: {type: string}").replace("kind: Lamp", "kind: lamp-odd"), &[]);
    assert_eq!(exit, Exit::Unusable);
    assert!(
        text.contains("error[bindings::go]: the module would be empty") && text.contains("--> crds.yaml:1"),
        "{text}"
    );
    assert!(!place.path().join("go").exists());
}

#[test]
fn packages_that_go_ignores_or_refuses_are_errors() {
    for (label, why) in [
        ("testdata", "Go ignores"),
        ("vendor", "Go takes for copies of other modules"),
        ("internal", "only the module itself can import"),
        ("aux", "Windows has no such folder"),
        ("com1", "Windows has no such folder"),
    ] {
        let place = Place::new();
        let text = crd("v1", "a: {type: string}").replace("example.com", &format!("{label}.example.com"));
        let (exit, text) = go(&place, &text, &[]);
        assert_eq!(exit, Exit::Unusable, "{text}");
        let message = format!("error[bindings::go]: the package `{label}/v1` has the folder `{label}`, which ");
        assert!(text.contains(&message) && text.contains(why) && text.contains("--> crds.yaml:1"), "{text}");
        assert!(!place.path().join("go").exists());
    }
    for label in ["internals", "vendors", "test-data", "com", "com10", "nulls"] {
        let place = Place::new();
        let text = crd("v1", "a: {type: string}").replace("example.com", &format!("{label}.example.com"));
        let (exit, text) = go(&place, &text, &[]);
        assert_eq!(exit, Exit::Fine, "{text}");
    }
}

#[test]
fn errors_are_at_the_crd() {
    let place = Place::new();
    let (exit, text) = go(&place, &crd("v1", "\"a,b\": {type: string}"), &[]);
    assert_eq!(exit, Exit::Unusable);
    assert!(text.contains("no Go name follows from the wire name `a,b`\n  --> crds.yaml:1"), "{text}");
}
