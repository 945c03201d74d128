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

/// Converts an object from standard input with these lenses, to a bundle or to the newest form: the object, what is lost, and what is kept.
fn reported(lenses: &str, object: &str, to: Option<&str>) -> (Value, Vec<String>, Vec<String>) {
    let place = Place::new();
    place.write("lenses.json", lenses);
    let to = to.map_or_else(Vec::new, |to| vec!["--to", to]);
    let printed = run(&place, object, &[&["-", "--format", "json"], &*to].concat());
    assert_eq!(printed.exit, Exit::Fine, "{}{}", printed.out, printed.err);
    let document: Value = serde_json::from_str(&printed.out).unwrap();
    let schema = serde_json::from_str(include_str!("../schemas/conversion.json")).unwrap();
    assert_eq!(shape::errors(&schema, &document), [] as [&str; 0]);
    let done = &document["objects"][0];
    let texts = |key: &str| serde_json::from_value::<Vec<String>>(done[key].clone()).unwrap();
    let object = if done["outcome"] == "unchanged" {
        crd_model::yaml::read(object).unwrap()[0].clone()
    } else {
        done["object"].clone()
    };
    (object, texts("lost"), texts("kept"))
}

const KEPT_IN: &str = "in the annotation `example.com/conversion-data`";

#[test]
fn a_kept_value_returns_or_is_named() {
    let lenses = include_str!("../../../testdata/kept-values/conversions.json");
    let removed = include_str!("../../../testdata/kept-values/removed.yaml");
    let lost = [format!("`spec.rules[0].legacy`: its item was changed or removed; it stays {KEPT_IN}")];
    let (object, named, _) = reported(lenses, removed, Some("v1.0.0"));
    let spec =
        json!({"raw": "old text", "rules": [{"legacy": "L2", "name": "two"}, {"name": "three"}], "tls": {"host": "x"}});
    assert_eq!((&object["spec"], &*named), (&spec, &lost[..]));
    // A later run finds it where its item is again.
    let (_, named, _) = reported(lenses, &object.to_string(), Some("v1.0.0"));
    assert_eq!(named, lost);
    let (mut again, _, kept) = reported(lenses, &object.to_string(), None);
    assert_eq!(kept, [format!("`spec.rules[0].legacy` {KEPT_IN}"), format!("`spec.raw` {KEPT_IN}")]);
    again["spec"]["rules"].as_array_mut().unwrap().insert(0, json!({"name": "one"}));
    let (object, named, _) = reported(lenses, &again.to_string(), Some("v1.0.0"));
    let all = json!([{"legacy": "L1", "name": "one"}, {"legacy": "L2", "name": "two"}, {"name": "three"}]);
    assert_eq!((&object["spec"]["rules"], named.len()), (&all, 0));
    assert_eq!(object["metadata"], json!({"name": "a"}));
}

/// The specification in one form, that of the other form with an edit, that after the way back, and what is named.
type Edited = (Value, fn(&mut Value), Value, &'static [&'static str]);

#[test]
fn kept_values_return_after_edits_of_other_places() {
    let lenses = |step: Value| {
        json!({"schemaVersion": 1, "generator": "test", "prefix": "example.com", "lenses": [{"name": "lens", "resource": "tunnels.net.example.com",
            "group": "net.example.com", "kind": "Tunnel", "since": "v2.0.0", "steps": [step]}]})
        .to_string()
    };
    let kept = |path: &str, keys: Value| json!({"operation": "drop", "path": path, "reason": "unused", "keeps": true, "keys": keys});
    let by_port = json!({"spec.peers[*]": ["host", "port"]});
    let peers = || json!([{"host": "a", "port": 1, "mtu": 9000}, {"host": "a", "port": 2, "mtu": 1500}]);
    let cases: Vec<(Value, bool, Edited)> = vec![
        (
            kept("spec.peers[*].mtu", by_port.clone()),
            true,
            (
                json!({"peers": peers()}),
                |spec| spec["peers"].as_array_mut().unwrap().reverse(),
                json!({"peers": [{"host": "a", "port": 2, "mtu": 1500}, {"host": "a", "port": 1, "mtu": 9000}]}),
                &[],
            ),
        ),
        (
            kept("spec.peers[*].mtu", by_port),
            true,
            (
                json!({"peers": peers()}),
                |spec| spec["peers"][0]["port"] = json!(7),
                json!({"peers": [{"host": "a", "port": 7}, {"host": "a", "port": 2, "mtu": 1500}]}),
                &["`spec.peers[host=\"a\",port=1].mtu`: its item was changed or removed"],
            ),
        ),
        // A list in a list, of which another item goes.
        (
            kept("spec.routes[*].hops[*].cost", json!({})),
            true,
            (
                json!({"routes": [{"hops": [{"via": "x", "cost": true}, {"via": "y", "cost": [1]}]}]}),
                |spec| drop(spec["routes"][0]["hops"].as_array_mut().unwrap().remove(0)),
                json!({"routes": [{"hops": [{"via": "y", "cost": [1]}]}]}),
                &["`spec.routes[0].hops[0].cost`: its item was changed or removed"],
            ),
        ),
        // A map of lists, between which an item moves.
        (
            kept("spec.zones{*}[*].cost", json!({})),
            true,
            (
                json!({"zones": {"a": [{"via": "x", "cost": {"k": 1}}], "b": []}}),
                |spec| {
                    let item = spec["zones"]["a"].as_array_mut().unwrap().remove(0);
                    spec["zones"]["b"] = json!([{"via": "z"}, item]);
                },
                json!({"zones": {"a": [], "b": [{"via": "z"}, {"via": "x", "cost": {"k": 1}}]}}),
                &[],
            ),
        ),
        // The other direction.
        (
            json!({"operation": "wrapInList", "from": "spec.peers[*].name", "to": "spec.peers[*].names"}),
            false,
            (
                json!({"peers": [{"names": ["a", "b"], "x": 1}, {"names": ["c", "d"], "x": 2}]}),
                |spec| drop(spec["peers"].as_array_mut().unwrap().remove(0)),
                json!({"peers": [{"names": ["c", "d"], "x": 2}]}),
                &["`spec.peers[0].names`: its item was changed or removed"],
            ),
        ),
        (
            json!({"operation": "wrapInList", "from": "spec.name", "to": "spec.names"}),
            false,
            (
                json!({"names": ["a", "b"]}),
                |spec| spec["name"] = json!("z"),
                json!({"names": ["z"]}),
                &["`spec.names`: its place was changed"],
            ),
        ),
        // The object around a place, and the place itself.
        (
            kept("spec.deep.er.place", json!({})),
            true,
            (
                json!({"deep": {"er": {"place": 1, "x": 2}}}),
                |spec| drop(spec.as_object_mut().unwrap().remove("deep")),
                json!({}),
                &["`spec.deep.er.place`: the object around it was removed, or is not an object"],
            ),
        ),
        (
            kept("spec.deep.er.place", json!({})),
            true,
            (
                json!({"deep": {"er": {"place": 1, "x": 2}}}),
                |spec| spec["deep"]["er"]["place"] = json!(5),
                json!({"deep": {"er": {"place": 5, "x": 2}}}),
                &["`spec.deep.er.place`: its place has another value"],
            ),
        ),
    ];
    for (step, is_old, (spec, edit, expected, named)) in cases {
        let lenses = lenses(step);
        let object =
            json!({"apiVersion": "net.example.com/v1", "kind": "Tunnel", "metadata": {"name": "t"}, "spec": spec});
        let ways = if is_old { [None, Some("v1.0.0")] } else { [Some("v1.0.0"), None] };
        let (mut middle, lost, kept) = reported(&lenses, &object.to_string(), ways[0]);
        assert!(lost.is_empty() && !kept.is_empty(), "{lost:?}");
        edit(&mut middle["spec"]);
        let (after, lost, _) = reported(&lenses, &middle.to_string(), ways[1]);
        let named = named.iter().map(|named| format!("{named}; it stays {KEPT_IN}")).collect::<Vec<_>>();
        assert_eq!((&after["spec"], &lost), (&expected, &named), "{middle}");
        assert_eq!(after["metadata"].get("annotations").is_some(), !named.is_empty());
    }
}
