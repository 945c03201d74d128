//! Paths, edits, repetitions, and the lines of expected answers in a file.

use std::path::Path;

use crd_model::path::{steps, text, value_at};
use crd_suite::edit::{apply, differences};
use crd_suite::repeat::{expanded, shortened};
use crd_suite::update::updated;
use crd_suite::{Expected, read};
use serde_json::{Value, json};

#[test]
fn a_path_is_read_as_it_is_written() {
    for path in
        ["spec", "spec.rules[0].name", "metadata.annotations[\"example.com/a b\"]", "a[\"\\\"\"][12].$b-c", "[0]"]
    {
        assert_eq!(text(&steps(path).unwrap()), path);
    }
    for path in ["", ".", "a.", "a..b", "a[", "a[x]", "a[0", "a[\"b]", "a[\"b\"", "a b", "a[0]b", "a[-1]"] {
        let error = steps(path).unwrap_err();
        assert!(error.contains("is not a part of a path"), "{path}: {error}");
    }
}

#[test]
fn edits_make_one_object_of_the_other() {
    let objects = [
        json!({"a": 1, "b": {"c": [1, 2, 3], "d": "x"}, "e": [{"f": 1}, {"f": 2}]}),
        json!({"a": 1, "b": {"c": [1], "d": "x", "g": null}, "e": [{"f": 1}, {"f": 3}, {"f": 4}]}),
        json!({"b": [], "e": "text"}),
        json!({}),
        json!({"a": {"b": {"c": {"a long name of a field": 1}}}, "e": [[], [0, 1]]}),
    ];
    for old in &objects {
        for new in &objects {
            let mut edited = old.clone();
            for edit in differences(old, new) {
                apply(&mut edited, &edit).unwrap();
            }
            assert_eq!(edited, *new, "{old}");
        }
    }
    // The smaller of both: the parts, or the whole.
    let edits = |old: &Value, new: &Value| differences(old, new).iter().map(|(path, _)| text(path)).collect::<Vec<_>>();
    assert_eq!(edits(&objects[0], &objects[1]), ["b.c", "b.g", "e[1].f", "e[2]"]);
    let long = json!({"a": {"b": "a text that is long", "c": 1, "d": 2}});
    assert_eq!(edits(&long, &json!({"a": {"b": "a text that is long", "c": 1}})), ["a.d"]);
    assert_eq!(edits(&long, &json!({"a": {"e": 1}})), ["a"]);
}

#[test]
fn an_edit_that_leads_nowhere_is_an_error() {
    let object = json!({"a": [1], "b": "x"});
    for (path, value) in
        [("b.c", Some(1)), ("a[2]", Some(1)), ("a.c", Some(1)), ("c", None), ("a[1]", None), ("b.c", None)]
    {
        let mut edited = object.clone();
        let error = apply(&mut edited, &(steps(path).unwrap(), value.map(Value::from))).unwrap_err();
        assert_eq!(error, format!("the object has nothing at `{path}`"));
    }
    let mut edited = object;
    apply(&mut edited, &(steps("c.d[0].e").unwrap(), Some(json!(1)))).unwrap();
    assert_eq!(value_at(&edited, &steps("c.d[0]").unwrap()), Some(&json!({"e": 1})));
}

#[test]
fn repetitions_are_written_out_and_found_again() {
    let values = [
        (json!({"$repeat": ["ab", 3]}), json!("ababab")),
        (
            json!([{"$repeat": [[{"name": "r%", "at": [1]}], 2]}]),
            json!([[{"name": "r0", "at": [1]}, {"name": "r1", "at": [1]}]]),
        ),
        (json!({"$repeat": [{"k%": "v"}, 2]}), json!({"k0": "v", "k1": "v"})),
        (json!({"$repeat": [[{"$repeat": ["a", 2]}, 1], 0]}), json!([])),
    ];
    for (short, long) in values {
        assert_eq!(expanded(&short), Ok(long.clone()), "{short}");
        assert_eq!(expanded(&shortened(&long)), Ok(long), "{short}");
    }
    let host = |index: usize| Value::from(format!("host-{index}.example.com"));
    let long = json!({"texts": "a".repeat(1025), "hosts": (0..17).map(host).collect::<Value>(), "same": vec!["one"; 40], "odd": "b".repeat(30) + "c"});
    let short = shortened(&long);
    assert_eq!(short["texts"], json!({"$repeat": ["a", 1025]}));
    assert_eq!(short["hosts"], json!({"$repeat": [["host-%.example.com"], 17]}));
    assert_eq!(short["same"], json!({"$repeat": [["one"], 40]}));
    assert_eq!((expanded(&short), &short["odd"]), (Ok(long.clone()), &long["odd"]));
    for wrong in [
        json!({"$repeat": "a"}),
        json!({"$repeat": ["a", -1]}),
        json!({"$repeat": [1, 2]}),
        json!({"$repeat": ["a", 1], "b": 1}),
    ] {
        assert!(expanded(&wrong).is_err(), "{wrong}");
    }
    let large = json!({"$repeat": [{"$repeat": ["a", 4_000_000]}, 4_000_000]});
    assert_eq!(expanded(&large), Err("a value of `$repeat` has at most 4194304 characters".to_owned()));
}

#[test]
fn only_the_lines_of_expected_answers_change() {
    let file = Path::new("a.suite.yaml");
    let head = "apiVersion: example.com/v1\nkind: Thing\ncases:\n";
    let refused = |text: &str| Expected::Refused(vec![text.to_owned()]);
    let same = [
        // A key with a list below it, a comment, and an empty line.
        (
            "- name: a\n  refused:\n  - x\n  - u\n  # more\n\n- name: b\n",
            "- name: a\n  refused: z\n  # more\n\n- name: b\n",
        ),
        ("- name: a\n  refused:\n    - x\n  set: {}\n", "- name: a\n  refused: z\n  set: {}\n"),
        ("- name: a\n  accepted:\n    spec.a: 1\n  warnings: []\n  set: {}\n", "- name: a\n  refused: z\n  set: {}\n"),
        // Without a key and without an end of the line.
        ("- name: a", "- name: a\n  refused: z\n"),
        ("  - name: a\n    set: {}\n\n", "  - name: a\n    set: {}\n    refused: z\n\n"),
        ("-\n  name: a\n  refused: |\n    x\n", "-\n  name: a\n  refused: z\n"),
    ];
    for (old, new) in same {
        let text = updated(&format!("{head}{old}"), file, &[(0, refused("z"))]);
        assert_eq!(text, Some(format!("{head}{new}")), "{old}");
        assert!(read(&text.unwrap(), file).is_ok());
    }
    let accepted = updated(&format!("{head}- name: a\n  refused: x\n  set: {{}}\n"), file, &[(0, Expected::ACCEPTED)]);
    assert_eq!(accepted, Some(format!("{head}- name: a\n  set: {{}}\n")));
    for other in ["- { name: a, refused: x }\n", "- refused: x\n  name: a\n", "- name: a\n  'refused': x\n"] {
        assert_eq!(updated(&format!("{head}{other}"), file, &[(0, refused("z"))]), None, "{other}");
    }
}
