//! `validate`: objects against CRDs, as files, folders and standard input.
//!
//! What a server answers is proven in `crd-apiserver`. These tests prove which objects are asked about, where findings are, and how results
//! are printed.

mod formats;
mod hostile;
mod inputs;
mod limits;
mod page;
mod updates;
mod upstream;

use anstream::adapter::strip_str;
use crd_channels_cli::{Exit, Session, run_without_types_in};

use crate::support::Place;

/// A CRD with a finding of each kind.
const CRD: &str = include_str!("validate/widgets.yaml");

/// The note about what the CRDs do not decide.
const NOT_CHECKED: &str = "note: not checked, because it is not in the CRDs: admission policies and webhooks, quotas, permissions, names that exist, and references to other objects\n";

/// The result of the program `crd-channels`, as it is printed.
struct Printed {
    exit: Exit,
    out: String,
    /// Without the note about what the CRDs do not decide.
    err: String,
    has_note: bool,
}

/// Runs `crd-channels validate` in a place.
fn run(place: &Place, input: &[u8], arguments: &[&str]) -> Printed {
    let (mut out, mut err, mut input) = (Vec::new(), Vec::new(), input);
    let arguments = [&["validate"], arguments].concat();
    let mut session = Session::new(place.path(), &mut out, &mut err).input(&mut input);
    let exit = run_without_types_in(arguments, &mut session);
    let plain = |bytes: Vec<u8>| strip_str(&String::from_utf8(bytes).unwrap()).to_string();
    let err = plain(err);
    Printed { exit, out: plain(out), has_note: err.contains(NOT_CHECKED), err: err.replace(NOT_CHECKED, "") }
}

/// A place with the CRD and a file with objects.
fn place(text: &str) -> Place {
    let place = Place::new();
    place.write("crd.yaml", CRD);
    place.write("in.yaml", text);
    place
}

/// Validates a text against the CRD.
fn validate(text: &str, arguments: &[&str]) -> Printed {
    run(&place(text), b"", &[&["in.yaml", "--crds", "crd.yaml"], arguments].concat())
}

/// A widget with this spec in flow style.
fn widget(spec: &str) -> String {
    format!("apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: a\nspec: {spec}\n")
}

/// The errors and warnings of a report, each with its location.
fn findings(text: &str) -> Vec<String> {
    let mut findings: Vec<String> = Vec::new();
    let mut is_note = false;
    for line in text.lines() {
        if line.starts_with("error[") || line.starts_with("warning[") {
            findings.push(line.to_owned());
            is_note = false;
        } else if line.starts_with("note[") {
            is_note = true;
        } else if let (Some(location), Some(last), false) = (line.strip_prefix("  --> "), findings.last_mut(), is_note)
        {
            last.push_str(&format!(" @ {location}"));
        }
    }
    findings
}

#[test]
fn each_kind_of_error_has_its_code_and_location() {
    for (spec, expected) in [
        ("{}", "error[object::required]: spec.size: Required value @ in.yaml:5:1"),
        (
            "{size: x}",
            "error[object::type]: spec.size: Invalid value: \"string\": spec.size in body must be of type integer: \"string\" @ in.yaml:5:8",
        ),
        (
            "{size: 11}",
            "error[object::invalid]: spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10 @ in.yaml:5:8",
        ),
        (
            "{size: 1, mode: c}",
            "error[object::unsupported]: spec.mode: Unsupported value: \"c\": supported values: \"a\", \"b\" @ in.yaml:5:17",
        ),
        ("{size: 1, tags: [x, x]}", "error[object::duplicate]: spec.tags[1]: Duplicate value: \"x\" @ in.yaml:5:27"),
        (
            "{size: 1, label: aaaa}",
            "error[object::too-long]: spec.label: Too long: may not be more than 3 bytes @ in.yaml:5:17",
        ),
        (
            "{size: 1, tags: [u, v, w]}",
            "error[object::too-many]: spec.tags: Too many: 3: must have at most 2 items @ in.yaml:5:17",
        ),
        ("{size: 1, min: 2}", "error[object::invalid]: spec: Invalid value: min is above size @ in.yaml:5:1"),
        ("{size: 1, sise: 2}", "error[object::unknown-field]: unknown field \"spec.sise\" @ in.yaml:5:17"),
        ("{size: 1, size: 2}", "error[object::duplicate-field]: duplicate field \"spec.size\" @ in.yaml:5:17"),
    ] {
        let printed = validate(&widget(spec), &[]);
        let found = findings(&printed.out);
        assert_eq!(printed.exit, Exit::Findings, "{spec}: {}", printed.out);
        assert!(found.first().is_some_and(|first| first == expected), "{spec}:\n{}\n{expected}", printed.out);
        assert_eq!(printed.err, "");
    }
}

#[test]
fn metadata_that_a_server_cannot_read_is_malformed() {
    let text = widget("{size: 1}").replace("  name: a", "  name: a\n  labels:\n    tier: 1");
    let printed = validate(&text, &[]);
    let expected = "error[object::malformed]: metadata.labels.tier: expected a string, found a number @ in.yaml:6:5";
    assert_eq!((printed.exit, findings(&printed.out)), (Exit::Findings, vec![expected.to_owned()]));
}

#[test]
fn a_finding_shows_the_line_and_the_object() {
    let printed = validate(
        "# First.\napiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: a\nspec:\n  size: 11 # too much\n  mode: a\n",
        &[],
    );
    assert_eq!(
        printed.out,
        "error[object::invalid]: spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10
  --> in.yaml:7:3
  |
7 |   size: 11 # too much
  |   ^^^^^^^^
   = in: `Widget default/a`
0 objects are valid, 1 refused (Kubernetes 1.33 to 1.37)
"
    );
}

#[test]
fn all_errors_of_all_objects_are_reported_together() {
    let text = format!(
        "{}---\n{}---\n{}",
        widget("{size: 11, mode: c, sise: 1}"),
        widget("{size: 12}").replace("name: a", "name: b"),
        widget("{size: 1}").replace("name: a", "name: c"),
    );
    let printed = validate(&text, &[]);
    assert_eq!(printed.exit, Exit::Findings);
    assert!(
        printed.out.contains("note[object::rules-not-checked]: <nil>: Invalid value: null: some validation rules "),
        "{}",
        printed.out
    );
    assert_eq!(findings(&printed.out).len(), 3 + 1, "{}", printed.out);
    assert!(printed.out.ends_with("1 object is valid, 2 refused (Kubernetes 1.33 to 1.37)\n"), "{}", printed.out);
}

#[test]
fn an_accepted_object_exits_with_0() {
    let printed = validate(&widget("{size: 1}"), &[]);
    let out = "1 object is valid (Kubernetes 1.33 to 1.37)\n";
    assert_eq!((printed.exit, &*printed.out), (Exit::Fine, out));
}

#[test]
fn fields_chooses_what_happens_to_unknown_and_repeated_fields() {
    let text = widget("{size: 11, size: 1, sise: 2}");
    let of = |fields: &str| validate(&text, &["--fields", fields]);
    let strict = of("strict");
    assert_eq!((strict.exit, findings(&strict.out).len()), (Exit::Findings, 2), "{}", strict.out);
    assert!(strict.out.contains("   = help: did you mean `size`?\n"), "{}", strict.out);
    let warn = of("warn");
    assert_eq!((warn.exit, findings(&warn.out).len()), (Exit::Fine, 2), "{}", warn.out);
    assert!(findings(&warn.out).iter().all(|finding| finding.starts_with("warning[object::")), "{}", warn.out);
    let ignore = of("ignore");
    assert_eq!((ignore.exit, findings(&ignore.out).len()), (Exit::Fine, 0), "{}", ignore.out);
}

#[test]
fn an_error_of_some_minors_names_them() {
    // Servers before 1.34 do not know this format, so they do not check it.
    let text = widget("{size: 1, short: Not_A_Label}");
    let all = validate(&text, &["--kubernetes", "1.32..1.37"]);
    assert_eq!(findings(&all.out).len(), 1, "{}", all.out);
    assert!(all.out.contains("   = note: only on Kubernetes 1.34 to 1.37\n"), "{}", all.out);
    assert!(all.out.ends_with("0 objects are valid, 1 refused (Kubernetes 1.32 to 1.37)\n"), "{}", all.out);
    let old = validate(&text, &["--kubernetes", "1.32,1.33"]);
    assert_eq!((old.exit, &*old.out), (Exit::Fine, "1 object is valid (Kubernetes 1.32 and 1.33)\n"));
    let new = validate(&text, &["--kubernetes", "1.34"]);
    assert_eq!(new.exit, Exit::Findings);
    assert!(!new.out.contains("only on"), "{}", new.out);
}

/// Servers before 1.34 show a map in Go's syntax. It is one error nevertheless.
#[test]
fn an_error_that_minors_show_differently_is_reported_once() {
    let printed = validate(&widget("{size: 1, ports: [{port: 1}, {port: 1}]}"), &["--kubernetes", "1.33,1.34"]);
    assert_eq!(
        findings(&printed.out),
        ["error[object::duplicate]: spec.ports[1]: Duplicate value: {\"port\":1} @ in.yaml:5:36"],
        "{}",
        printed.out
    );
}

#[test]
fn wrong_minors_are_wrong_usage() {
    for (minors, expected) in [
        ("1.31", "`1.31` is not one of the minors 1.32 to 1.37"),
        ("36", "`36` is not one of the minors 1.32 to 1.37"),
        ("1.37..1.35", "the range `1.37..1.35` is empty: write the lower minor first"),
        ("1.36,", "`` is not one of the minors 1.32 to 1.37"),
    ] {
        let printed = validate(&widget("{size: 1}"), &["--kubernetes", minors]);
        assert_eq!(printed.exit, Exit::Unusable);
        assert!(printed.err.contains(expected), "{}", printed.err);
    }
}

#[test]
fn a_deprecated_version_is_a_warning() {
    let printed = validate(&widget("{size: 1}").replace("/v1\n", "/v1alpha1\n"), &[]);
    assert_eq!(printed.exit, Exit::Fine);
    assert_eq!(
        findings(&printed.out),
        ["warning[object::warning]: example.com/v1alpha1 Widget is deprecated @ in.yaml:1:1"]
    );
}

#[test]
fn an_undecided_value_is_not_accepted() {
    let printed = validate(&widget("{size: 1, word: größe}"), &[]);
    assert_eq!(printed.exit, Exit::Findings, "{}", printed.out);
    assert!(findings(&printed.out)[0].starts_with("error[object::undecided]: "), "{}", printed.out);
}
