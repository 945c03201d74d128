//! Words and examples of lenses: each operation has both, and an example is converted by its lens.

use crd_convert::{Code, Document, Example};
use serde_json::{Value, json};

use crate::{document, thing};

const REVERSED: Code = Code {
    name: "reversed",
    forward: |item| reverse(item, "old", "new"),
    backward: |item| reverse(item, "new", "old"),
    example: r#"{"old": "example"}"#,
};

fn reverse(item: &mut Value, from: &str, to: &str) -> Result<(), String> {
    let spec = item.as_object_mut().unwrap();
    let text = spec.remove(from).unwrap();
    let text = text.as_str().ok_or("not a text")?.chars().rev().collect::<String>();
    spec.insert(to.to_owned(), text.into());
    Ok(())
}

/// The words of the first of these lenses, what it loses and keeps, and its example.
#[track_caller]
fn first(lenses: &[Value], codes: &[Code]) -> (Vec<String>, Option<Example>) {
    let document = Document::from_value(&document(lenses)).unwrap();
    let lens = &document.lenses[0];
    let losses = lens.loses().into_iter().map(|loss| format!("lost: {loss}"));
    let kept = lens.keeps().into_iter().map(|kept| format!("kept: {kept}"));
    (lens.words().into_iter().chain(losses).chain(kept).collect(), document.example(lens, codes))
}

#[test]
fn every_operation_has_words_and_an_example_that_returns() {
    let pattern =
        json!({"pattern": "^(?P<host>[a-z]{2,}):(?P<port>[0-9]+)$", "template": "{host}:{port}", "integers": ["port"]});
    let with = |mut step: Value| {
        step.as_object_mut().unwrap().extend(pattern.as_object().unwrap().clone());
        step
    };
    for (step, words, old, new) in [
        (
            json!({"operation": "rename", "from": "spec.a", "to": "spec.b"}),
            &["`spec.a` is renamed to `spec.b`"][..],
            json!({"a": "example"}),
            json!({"b": "example"}),
        ),
        (
            json!({"operation": "move", "from": "spec.a", "to": "spec.b.c"}),
            &["`spec.a` moves to `spec.b.c`", "lost: an empty object around the new field"],
            json!({"a": "example"}),
            json!({"b": {"c": "example"}}),
        ),
        (
            json!({"operation": "wrapInList", "from": "spec.a", "to": "spec.b"}),
            &["`spec.a` becomes the only item of the list `spec.b`", "kept: items of `spec.b` after the first one"],
            json!({"a": "example"}),
            json!({"b": ["example"]}),
        ),
        (
            json!({"operation": "unwrapList", "from": "spec.a", "to": "spec.b"}),
            &["the only item of the list `spec.a` becomes `spec.b`"],
            json!({"a": ["example"]}),
            json!({"b": "example"}),
        ),
        (
            json!({"operation": "wrapInObject", "from": "spec.a[*]", "to": "spec.a[*]", "field": "name"}),
            &[
                "`spec.a[*]` becomes the field `name` of the object `spec.a[*]`",
                "kept: fields of `spec.a[*]` other than `name`",
            ],
            json!({"a": ["example"]}),
            json!({"a": [{"name": "example"}]}),
        ),
        (
            json!({"operation": "unwrapObject", "from": "spec.a{*}.b", "to": "spec.a{*}.c", "field": "name"}),
            &["the field `name` of the object `spec.a{*}.b` becomes `spec.a{*}.c`"],
            json!({"a": {"example": {"b": {"name": "example"}}}}),
            json!({"a": {"example": {"c": "example"}}}),
        ),
        (
            json!({"operation": "listToMap", "from": "spec.a", "to": "spec.b", "key": "name", "value": "size"}),
            &[
                "the list `spec.a` becomes the map `spec.b`: `name` of each item is the key, and `size` the value",
                "lost: the order of the items",
            ],
            json!({"a": [{"name": "a", "size": "example-a"}, {"name": "b", "size": "example-b"}]}),
            json!({"b": {"a": "example-a", "b": "example-b"}}),
        ),
        (
            json!({"operation": "mapToList", "from": "spec.a", "to": "spec.a", "key": "name"}),
            &[
                "the map `spec.a` becomes the list: `name` of each item is the key, and the other fields the value",
                "kept: items of `spec.a` with the same `name`, or in another order",
            ],
            json!({"a": {"a": {"example": "a"}, "b": {"example": "b"}}}),
            json!({"a": [{"name": "a", "example": "a"}, {"name": "b", "example": "b"}]}),
        ),
        (
            json!({"operation": "values", "from": "spec.a", "to": "spec.a", "values": {"On": "Yes", "Off": "No"}, "nearest": {"Maybe": "On"}}),
            &[
                "`spec.a` has other values: `Off` becomes `No` and `On` becomes `Yes`",
                "kept: the values `Maybe` of `spec.a`",
            ],
            json!({"a": "Off"}),
            json!({"a": "No"}),
        ),
        (
            json!({"operation": "values", "from": "spec.a", "to": "spec.b", "values": {"On": "Yes", "Up": "Yes"}, "merged": ["Up"], "keeps": true}),
            &[
                "`spec.a` becomes `spec.b`, and has other values: `On` becomes `Yes` and `Up` becomes `Yes`",
                "kept: that the value was `Up`",
            ],
            json!({"a": "On"}),
            json!({"b": "Yes"}),
        ),
        (
            json!({"operation": "scale", "from": "spec.hours", "to": "spec.minutes", "multiply": 60, "divide": 1}),
            &[
                "`spec.hours` becomes `spec.minutes`, multiplied by 60",
                "kept: values of `spec.minutes` that no integer in the old unit gives",
            ],
            json!({"hours": 5}),
            json!({"minutes": 300}),
        ),
        (
            json!({"operation": "scale", "from": "spec.a", "to": "spec.b", "multiply": 1, "divide": 1000}),
            &["`spec.a` becomes `spec.b`, divided by 1000"],
            json!({"a": 5000}),
            json!({"b": 5}),
        ),
        (
            with(json!({"operation": "split", "from": "spec.a", "to": {"host": "spec.host", "port": "spec.port"}})),
            &[
                "`spec.a` of the form `{host}:{port}` becomes `spec.host` and `spec.port`",
                "kept: values of `spec.host` and `spec.port` that the form `{host}:{port}` cannot contain",
            ],
            json!({"a": "aa:0"}),
            json!({"host": "aa", "port": 0}),
        ),
        (
            with(json!({"operation": "join", "from": {"host": "spec.host", "port": "spec.port"}, "to": "spec.b"})),
            &[
                "`spec.host` and `spec.port` become `spec.b` of the form `{host}:{port}`",
                "kept: values of `spec.b` that are not of the form `{host}:{port}`",
            ],
            json!({"host": "aa", "port": 0}),
            json!({"b": "aa:0"}),
        ),
        (
            json!({"operation": "default", "path": "spec.b", "value": {"c": 1}}),
            &[
                "`spec.b` becomes required: older objects get `{\"c\":1}`",
                "kept: values of `spec.b` other than `{\"c\":1}`",
            ],
            json!({}),
            json!({"b": {"c": 1}}),
        ),
        (
            json!({"operation": "constant", "path": "spec.a", "value": "Only", "keeps": true}),
            &["`spec.a` is removed: it is always `\"Only\"`", "kept: old values that the new form cannot express"],
            json!({"a": "Only"}),
            json!({}),
        ),
        (
            json!({"operation": "code", "name": "reversed", "from": ["spec.old"], "to": ["spec.new"]}),
            &[
                "`spec.old` becomes `spec.new`, by the functions `reversed`",
                "kept: parts of `spec.new` that the old form cannot express",
            ],
            json!({"old": "example"}),
            json!({"new": "elpmaxe"}),
        ),
    ] {
        let (found, example) = first(&[json!([step])], &[REVERSED]);
        assert_eq!(found, words);
        let example = example.unwrap_or_else(|| panic!("{step} has no example"));
        let named = |spec: Value| {
            let mut object = thing(spec);
            object["metadata"]["name"] = json!("example");
            object
        };
        assert_eq!((example.old, example.new), (named(old.clone()), named(new)), "{step}");
        assert_eq!(example.back, named(old), "{step}");
    }
}

#[test]
fn a_dropped_value_does_not_return() {
    let (words, example) = first(
        &[json!([{"operation": "drop", "path": "spec.a[*].b", "reason": "unused", "keys": {"spec.a[*]": ["name"]}}])],
        &[],
    );
    assert_eq!(words, ["`spec.a[*].b` is removed", "lost: the value of `spec.a[*].b` (unused)"]);
    let example = example.unwrap();
    assert_eq!(example.old["spec"], json!({"a": [{"name": "example", "b": "example"}]}));
    assert_eq!(example.new["spec"], json!({"a": [{"name": "example"}]}));
    assert_eq!(example.back, example.new);
}

/// The steps of a lens apply to what the steps before it write, and later lenses show what is inside a value.
#[test]
fn an_example_has_the_values_of_all_steps() {
    let steps = json!([
        {"operation": "rename", "from": "spec.a", "to": "spec.b"},
        {"operation": "values", "from": "spec.b.mode", "to": "spec.b.mode", "values": {"Old": "New"}}
    ]);
    let later = json!([{"operation": "rename", "from": "spec.b.c", "to": "spec.b.d"}]);
    let example = first(&[steps, later], &[]).1.unwrap();
    assert_eq!(example.old["spec"], json!({"a": {"c": "example", "mode": "Old"}}));
    assert_eq!(example.new["spec"], json!({"b": {"c": "example", "mode": "New"}}));
    assert_eq!(example.back, example.old);
}

#[test]
fn a_lens_without_its_functions_or_without_a_value_has_no_example() {
    let code = json!([{"operation": "code", "name": "reversed", "from": ["spec.old"], "to": ["spec.new"]}]);
    assert_eq!(first(&[code], &[]).1, None);
    let impossible = json!([{"operation": "split", "from": "spec.a", "to": {"b": "spec.b"}, "pattern": "^(?P<b>x)\\By$", "template": "{b}z"}]);
    assert_eq!(first(&[impossible], &[]).1, None);
}

/// The old identities of merged lenses are in the conversion data.
#[test]
fn identities_have_words_and_examples() {
    let lens = |kind: &str, merged: bool| {
        json!({
            "name": kind, "resource": "things.example.com", "group": "example.com", "kind": "Thing", "since": "v1.1.0", "merged": merged,
            "from": {"apiVersion": "example.com/v1alpha1", "kind": kind}, "to": {"apiVersion": "example.com/v1", "kind": "Thing"}, "steps": []
        })
    };
    let field = json!({
        "name": "field", "resource": "things.example.com", "group": "example.com", "kind": "Thing", "since": "v1.2.0",
        "steps": [{"operation": "rename", "from": "spec.a", "to": "spec.b"}]
    });
    let document = json!({
        "schemaVersion": 1, "generator": "test", "prefix": "example.com", "lenses": [lens("Thing", false), lens("Object", true), field]
    });
    let document = Document::from_value(&document).unwrap();
    let example = |at: usize| document.example(&document.lenses[at], &[]).unwrap();
    assert_eq!(document.lenses[0].words(), ["`example.com/v1alpha1` becomes `example.com/v1`"]);
    assert_eq!(document.lenses[1].words(), ["`example.com/v1alpha1 Object` becomes `example.com/v1 Thing`"]);
    assert_eq!(document.lenses[1].keeps(), ["that the object was `example.com/v1alpha1 Object`"]);
    for at in [0, 1] {
        let example = example(at);
        assert_eq!(example.back, example.old);
        assert_eq!(example.new["kind"], "Thing");
    }
    // The API version of its time.
    assert_eq!(example(2).old["apiVersion"], "example.com/v1");
}
