//! `convert`: which bytes change, the documented JSON, hostile texts, and a file that cannot be written. The rest are sessions.

use anstream::adapter::strip_str;
use crd_channels_cli::{Exit, Session, run_without_types_in};
use serde_json::{Value, json};

use crate::shape;
use crate::support::Place;

/// A rename in v1.1.0 and a list of one in v1.2.0.
pub(crate) const LENSES: &str = include_str!("sessions/lenses.json");

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
