//! `convert`: objects of files in another form. What a lens does to an object is proven in `crd-convert`. These tests prove which bytes change,
//! what is reported, and that an object that fails stays as it is.

use anstream::adapter::strip_str;
use crd_channels_cli::{Exit, Session, run_without_types_in};
use serde_json::{Value, json};

use crate::shape;
use crate::support::Place;

/// A rename in v1.1.0 and a list of one in v1.2.0.
pub(crate) const LENSES: &str = r#"{"schemaVersion": 1, "generator": "test", "prefix": "example.com", "lenses": [
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
fn json_keeps_its_indentation_and_lists_in_lists_are_unpacked() {
    let item = |name: &str| format!(r#"{{"apiVersion":"example.com/v1","kind":"Policy","spec":{{"{name}":"List"}}}}"#);
    let list = |items: &str| format!(r#"{{"kind":"List","apiVersion":"v1","items":[{items}]}}"#);
    for nested in [list(&list(&item("tls"))), (0..30).fold(item("tls"), |inner, _| list(&inner))] {
        assert_eq!(converted(&nested, &[]), nested.replace("tls", "validation"));
    }
    // Escapes, and a word of lists in other places.
    let escaped = list(&item("tls")).replace("\"List\",", "\"L\\u0069st\",");
    assert_eq!(converted(&escaped, &[]), escaped.replace("tls", "validation"));
    let with = |indent: &str, tls: &str| {
        format!(
            "{{\n{indent}\"apiVersion\": \"example.com/v1\",\n{indent}\"kind\": \"Policy\",\n{indent}\"spec\": {{\n{indent}{indent}\"{tls}\": []\n{indent}}}\n}}\n"
        )
    };
    for indent in ["\t", "   "] {
        assert_eq!(converted(&with(indent, "tls"), &[]), with(indent, "validation"));
    }
    // Lines without indentation get the usual one, and empty lines do not count.
    assert_eq!(converted(&with("", "tls"), &[]), with("  ", "validation"));
    assert_eq!(converted(&with("\t", "tls").replacen('\n', "\n\n", 1), &[]), with("\t", "validation"));
}

#[test]
fn byte_order_marks_line_ends_and_other_line_breaks_stay() {
    let json = "{\r\n  \"apiVersion\": \"example.com/v1\",\r\n  \"kind\": \"Policy\",\r\n  \"spec\": {\r\n    \"tls\": \"\u{85}\"\r\n  }\r\n}\r\n";
    let yaml = "# a\r\napiVersion: example.com/v1\r\nkind: Policy\r\nspec:\r\n  tls: x\r\n---\r\nkind: A\r\napiVersion: v1\r\n";
    for text in [json, yaml] {
        for mark in ["", "\u{feff}"] {
            let text = format!("{mark}{text}");
            assert_eq!(converted(&text, &[]), text.replace("tls", "validation"));
        }
    }
}

/// Colours are removed from the output of a program without a terminal, and texts of the user are not.
#[test]
fn the_program_prints_texts_byte_for_byte() {
    let place = place();
    let text = "{\"apiVersion\": \"v1\", \"kind\": \"Secret\", \"a\": \"\u{7f}\"}\n";
    place.write("in.json", text);
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_crd-channels"));
    let ran = program.args(["convert", "in.json", "--conversions", "lenses.json"]).current_dir(place.path()).output();
    let ran = ran.unwrap();
    assert_eq!(String::from_utf8(ran.stdout).unwrap(), text, "{}", String::from_utf8_lossy(&ran.stderr));
}

#[test]
fn an_older_form_keeps_what_it_cannot_express_in_an_annotation() {
    let new = policy("{targetRefs: [a, b], validation: x}");
    let printed = run(&place(), &new, &["-", "--to", "v1.0.0"]);
    assert_eq!(printed.exit, Exit::Fine, "{}", printed.err);
    assert!(printed.err.contains("converted by `target-ref-to-target-refs`, `tls-to-validation`"), "{}", printed.err);
    let kept = "`spec.targetRefs` in the annotation `example.com/conversion-data`";
    assert!(
        printed.err.contains(&format!("note:   kept: {kept}\n")) && !printed.err.contains("lost"),
        "{}",
        printed.err
    );
    let document = run(&place(), &new, &["-", "--to", "v1.0.0", "--format", "json"]).out;
    let document: Value = serde_json::from_str(&document).unwrap();
    assert_eq!((&document["objects"][0]["lost"], &document["objects"][0]["kept"]), (&json!([]), &json!([kept])));
    assert!(printed.out.contains("  targetRef: a\n  tls: x\n"), "{}", printed.out);
    let read = |text: &str| crd_model::yaml::read(text).unwrap();
    assert_eq!(read(&converted(&printed.out, &[])), read(&new));
    // A form between both.
    assert!(converted(&new, &["--to", "v1.1.0"]).contains("  targetRef: a\n  validation: x\n"));
    let old = policy("{tls: x}");
    assert_eq!(converted(&old, &["--to", "v1.0.0"]), old);
}

/// A workspace whose history archive has these releases: the CRD has this text in each.
fn place_with_releases(releases: &[(&str, &str)]) -> Place {
    let place = place();
    place.write("Cargo.toml", "[workspace]\n");
    place.write("bundles/tombstones.yaml", "");
    let mut dates = String::new();
    for (version, crd) in releases {
        place.write(&format!("releases/{version}/standard/crds.yaml"), crd);
        dates.push_str(&format!("{version} 2026-01-02\n"));
    }
    place.write("dates", dates);
    let line = "history releases --format archive --dates dates --out bundles/history.tar.xz";
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut session = Session::new(place.path(), &mut out, &mut err);
    let exit = run_without_types_in(line.split(' '), &mut session);
    assert_eq!(exit, Exit::Fine, "{}", String::from_utf8_lossy(&err));
    place
}

#[test]
fn an_older_bundle_must_have_the_resource_and_serve_the_version() {
    let route = CRD.replace("policies", "routes").replace("policy", "route").replace("Policy", "Route");
    let early = CRD.replace("name: v1\n    served: true", "name: v1\n    served: false");
    let releases = [("v1.0.0", early), ("v1.1.0", CRD.to_owned()), ("v1.2.0", format!("{CRD}---\n{route}"))];
    let place = place_with_releases(&releases.each_ref().map(|(version, crd)| (*version, &**crd)));
    place.write("crd.yaml", CRD);
    let old = policy("{validation: x}");
    let new = old.replace("Policy", "Route");
    for (text, arguments, message) in [
        (&old, "--to v1.1.0", None),
        (&new, "--to v1.2.0", None),
        (
            &new,
            "--to v1.1.0",
            Some("error[convert::resource]: v1.1.0 does not have the resource Route of `example.com`"),
        ),
        (&new, "--to v1.0.0", Some("= help: it is new in v1.2.0: convert to that bundle or a later one")),
        (&old, "--to v1.0.0", Some("error[convert::version]: v1.0.0 does not serve `example.com/v1` of Policy")),
        (&old, "--to v1.0.0", Some("= help: it serves `v1beta1`: choose one with `--to-api-version`")),
        (&old.replace("Policy", "Gate"), "--to v1.1.0", Some("= help: no bundle has it")),
        (
            &new,
            "--to v1.2.0 --channel experimental --crds crd.yaml",
            Some("of experimental does not have the resource Route"),
        ),
        // Objects of other projects, and bundles that are not released.
        (&old.replace("example.com", "example.org"), "--to v1.0.0", None),
        (&new, "--to v1.0.9", None),
    ] {
        let printed = run(&place, text, &[&["-"], &*arguments.split(' ').collect::<Vec<_>>()].concat());
        match message {
            None => assert_eq!(printed.exit, Exit::Fine, "{arguments}: {}", printed.err),
            Some(message) => {
                assert_eq!((printed.exit, &*printed.out), (Exit::Findings, &**text), "{arguments}");
                assert!(printed.err.contains(message) && printed.err.contains(" --> -:1:1"), "{}", printed.err);
            }
        }
    }
    place.write("crd.yaml", CRD.replace("validation", "tls"));
    let printed = run(&place, &old, &["-", "--to", "v1.0.0", "--to-api-version", "v1beta1", "--crds", "crd.yaml"]);
    assert_eq!(printed.exit, Exit::Fine, "{}", printed.err);
    assert!(
        printed.out.starts_with("apiVersion: example.com/v1beta1\n") && printed.out.contains("  tls: x\n"),
        "{}",
        printed.out
    );
}

/// Here `README.md` is not a document with lenses: the error names the line and column where JSON ends.
#[test]
fn lenses_that_are_not_json_are_reported_at_their_place() {
    let place = place();
    place.write("README.md", "{\n  \"lenses\": [\n# Things\n");
    for arguments in
        [&["convert", "-", "--conversions", "README.md"][..], &["conversions", "--conversions", "README.md"]]
    {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut session = Session::new(place.path(), &mut out, &mut err);
        assert_eq!(run_without_types_in(arguments.iter().copied(), &mut session), Exit::Unusable);
        let err = strip_str(&String::from_utf8(err).unwrap()).to_string();
        assert!(err.contains("convert::lenses") && err.contains("--> README.md:3:1\n"), "{err}");
    }
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
fn in_place_writes_no_file_if_one_cannot_be_written() {
    let place = place();
    let names = ["objects/a.yaml", "objects/b.yaml", "objects/c.yaml"];
    names.iter().for_each(|name| place.write(name, policy("{tls: x}")));
    let locked = place.path().join(names[1]);
    if !crate::support::immutable(&locked, true) {
        return;
    }
    let printed = run(&place, "", &["objects", "--in-place"]);
    crate::support::immutable(&locked, false);
    assert_eq!(printed.exit, Exit::Unusable);
    assert!(printed.err.contains("`b.yaml` cannot be replaced"), "{}", printed.err);
    let written = names.map(|name| place.read(name));
    assert_eq!(written, names.map(|_| policy("{tls: x}")));
    let files = std::fs::read_dir(place.path().join("objects")).unwrap().count();
    assert_eq!(files, 3, "temporary files are left");
}

#[test]
fn without_objects_nothing_is_counted() {
    for arguments in [&["missing.yaml"][..], &["missing.yaml", "--check"], &["missing.yaml", "--in-place"]] {
        let printed = run(&place(), "", arguments);
        assert_eq!((printed.exit, &*printed.out), (Exit::Unusable, ""));
        assert!(printed.err.contains("missing.yaml") && !printed.err.contains("object"), "{}", printed.err);
    }
}

/// Standard input is the output of another command, which may have failed.
#[test]
fn inputs_without_objects_are_errors() {
    let place = place();
    place.write("in.yaml", policy("{tls: x}"));
    for (input, arguments, expected) in [
        ("", &["-"][..], "error[object::none]: standard input contains no objects\n"),
        (" \n", &["in.yaml", "-", "--check"], "error[object::none]: standard input contains no objects\n"),
        ("---\n# nothing\n", &["-"], "error[object::none]: the inputs contain no objects\n"),
        ("apiVersion: v1\nkind: List\n", &["-"], "error[object::not-an-object]: this list has no list of `items`\n"),
        ("{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": {}}", &["-"], "error[object::not-an-object]: "),
    ] {
        let printed = run(&place, input, arguments);
        assert_ne!(printed.exit, Exit::Fine, "{input:?}");
        assert!(printed.err.starts_with(expected), "{}", printed.err);
    }
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
    let aliases = (1..9).map(|level| format!("b{level}: &b{level} [{}]\n", format!("*b{}, ", level - 1).repeat(10)));
    let bomb = format!(
        "kind: Policy\napiVersion: example.com/v1\nb0: &b0 [{}]\n{}",
        "x, ".repeat(10),
        aliases.collect::<String>()
    );
    let lists = format!("{}1{}", r#"{"kind": "List", "apiVersion": "v1", "items": ["#.repeat(5000), "]}".repeat(5000));
    let data = |data: &str| {
        policy("{tls: x}")
            .replace("  name: a\n", &format!("  name: a\n  annotations:\n    example.com/conversion-data: {data}\n"))
    };
    for (text, message) in [
        (anchors, "error[convert::text]: an object in this file cannot be replaced"),
        (repeated, "the key `spec.tls` is already in this map"),
        (&deep, "levels deep"),
        ("{\"apiVersion\": ", "error["),
        ("1\n", "error[object::not-an-object]"),
        // Numbers that JSON does not have, other encodings, and keys that are not strings.
        ("apiVersion: example.com/v1\nkind: Policy\nspec: {tls: .nan}\n", "JSON has no infinity and no not-a-number"),
        ("apiVersion: example.com/v1\nkind: Policy\nspec: {tls: x, null: 1}\n", "the key of a map must be a string"),
        ("{apiVersion: example.com/v1, kind: Policy, spec: {tls: \"\\ud800\"}}", "error[yaml]"),
        (&bomb, "anchors and aliases copy more than 20 MB"),
        (&lists, "levels deep"),
        // Two `items`: which one is converted would be a guess.
        (
            r#"{"kind": "List", "apiVersion": "v1", "items": [], "items": [{"kind": "A", "apiVersion": "v1"}]}"#,
            "the key `items` is already in this map",
        ),
        // Conversion data of another type, and data that nests deeply.
        (&data("5"), "conversion data of version 1 is expected"),
        (&data("junk"), "conversion data of version 1 is expected"),
        (
            &data(&format!("'{{\"version\": 1, \"new\": {}1{}}}'", "[".repeat(5000), "]".repeat(5000))),
            "conversion data of version 1 is expected",
        ),
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
