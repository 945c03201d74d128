//! Tests of the YAML writer, the reader, and the comparison.
#![allow(clippy::too_many_lines, reason = "a test lists its cases")]

mod block;
mod kubectl;
mod positions;
mod shared;
mod tables;

use proptest::prelude::*;
use serde_json::{Map, Number, Value, json};

use super::parse::DEEPEST;
use super::*;
use crate::crd::{CustomResourceDefinition, Version};
use crate::document::send_value;
use crate::schema::Schema;

fn write(value: &Value) -> String {
    let mut writer = YamlWriter::new(Start::None);
    send_value(value, &mut writer);
    writer.finish()
}

fn read_one(text: &str) -> Value {
    let mut documents = read(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert!(documents.len() < 2, "{text}");
    documents.pop().unwrap_or(Value::Null)
}

fn assert_round_trip(value: &Value) {
    let text = write(value);
    assert_eq!(read_one(&text), *value, "{text}");
    if let Err(mismatch) = reads_back(&text, |sink| send_value(value, sink)) {
        panic!("{mismatch}\n{text}");
    }
}

fn map(entries: impl IntoIterator<Item = (String, Value)>) -> Value {
    Value::Object(entries.into_iter().collect::<Map<_, _>>())
}

#[test]
fn strings_are_written_as_the_table_says() {
    assert!(tables::STRINGS.len() >= 150);
    for (string, written) in tables::STRINGS {
        assert_eq!(write(&json!({"v": string})), format!("v: {written}\n"), "{string:?}");
        assert_eq!(write(&json!([string])), format!("- {written}\n"), "{string:?}");
    }
}

#[test]
fn strings_of_the_table_read_back_in_every_place() {
    for (string, _) in tables::STRINGS {
        let value = json!(string);
        assert_round_trip(&value);
        assert_round_trip(&json!({"a": value, "b": 1}));
        assert_round_trip(&json!([value, [value, value], {"a": value}]));
        assert_round_trip(&json!({"a": {"b": [{"c": value, "d": [[value]]}, value]}}));
        let keyed = map([((*string).to_owned(), value.clone())]);
        assert_round_trip(&keyed);
        assert_round_trip(&map([((*string).to_owned(), keyed.clone())]));
        assert_round_trip(&map([((*string).to_owned(), json!([keyed, [keyed]]))]));
    }
    assert_round_trip(&map(tables::STRINGS.iter().map(|(string, _)| ((*string).to_owned(), json!(string)))));
    assert_round_trip(&Value::Array(tables::STRINGS.iter().map(|(string, _)| json!(string)).collect()));
}

#[test]
fn the_layout_is_that_of_kubernetes() {
    let value = json!({
        "apiVersion": "v1",
        "empty": {"list": [], "map": {}, "text": ""},
        "list": [{"a": 1, "b": {"c": [true, null]}}, [1, [2, 3], []], "text", {}, {"a": [{"b": "c\nd\n"}]}],
        "numbers": [0, -1, 1.5, 1e300, -2.5e-8, 1e21, u64::MAX, i64::MIN],
        "rule": "self.size() <= 16 ? true : self.all(x, x.matches('^[a-z]+$')) && self.all(x, x.size() < 64) && !has(self.y)",
        "text": "first\n  second\n\nthird",
    });
    assert_eq!(
        write(&value),
        "\
apiVersion: v1
empty:
  list: []
  map: {}
  text: ''
list:
- a: 1
  b:
    c:
    - true
    - null
- - 1
  - - 2
    - 3
  - []
- text
- {}
- a:
  - b: |
      c
      d
numbers:
- 0
- -1
- 1.5
- 1.0e+300
- -2.5e-8
- 1.0e+21
- 18446744073709551615
- -9223372036854775808
rule: 'self.size() <= 16 ? true : self.all(x, x.matches(''^[a-z]+$'')) && self.all(x, x.size() < 64) && !has(self.y)'
text: |-
  first
    second

  third
"
    );
    assert_round_trip(&value);
}

#[test]
fn documents_that_are_one_value() {
    for (value, text) in [
        (json!({}), "{}\n"),
        (json!([]), "[]\n"),
        (json!("a"), "a\n"),
        (json!("a\nb"), "\"a\\nb\"\n"),
        (json!(null), "null\n"),
        (json!(true), "true\n"),
        (json!(7), "7\n"),
    ] {
        assert_eq!(write(&value), text);
        assert_round_trip(&value);
    }
}

#[test]
fn documents_follow_each_other_in_one_text() {
    let mut text = "# made by hand".to_owned();
    for document in [json!({"a": "b\n\n"}), json!([1]), json!("c")] {
        let mut writer = YamlWriter::append_to(text, Start::Marker);
        send_value(&document, &mut writer);
        text = writer.finish();
    }
    assert_eq!(text, "# made by hand\n---\na: |+\n  b\n\n---\n- 1\n---\nc\n");
    assert_eq!(read(&text), Ok(vec![json!({"a": "b\n\n"}), json!([1]), json!("c")]));
}

#[test]
fn long_strings_stay_on_one_line_and_long_keys_get_their_own_form() {
    let rule = "self.all(listener, listener.name != '') && ".repeat(200);
    let text = write(&json!({"rule": rule}));
    assert_eq!(text.lines().count(), 1);
    for length in [127, 128, 129, 900, 999, 1000, 1001, 1023, 1024, 1025, 5000] {
        for key in ["k".repeat(length), "é".repeat(length), "\n".repeat(length), ":'".repeat(length)] {
            for value in
                [json!("v"), json!({"a": 1}), json!(["a"]), json!({}), json!([]), json!("a\nb\n"), json!([[1]])]
            {
                assert_round_trip(&map([(key.clone(), value.clone()), ("z".to_owned(), value.clone())]));
                assert_round_trip(&json!([map([(key.clone(), map([(key.clone(), value)]))])]));
            }
        }
    }
}

#[test]
fn plain_scalars_mean_what_they_mean_to_kubernetes() {
    for (scalar, expected) in tables::VALUES {
        // Not read as JSON: serde_json's floats may be off by the last bit.
        let expected = match expected.parse::<f64>() {
            Ok(float) if expected.contains(['.', 'e']) => json!(float),
            _ => serde_json::from_str(expected).unwrap(),
        };
        assert_eq!(read_one(&format!("- {scalar}\n")), json!([expected]), "{scalar}");
    }
    for scalar in tables::TEXTS {
        assert_eq!(read_one(&format!("- {scalar}\n")), json!([scalar]), "{scalar}");
    }
    for (scalar, _) in tables::VALUES {
        assert_eq!(
            read_one(&format!("- '{scalar}'\n- \"{scalar}\"\n- !!str {scalar}\n")),
            json!([scalar, scalar, scalar])
        );
    }
}

/// The same number for each reader, and an integer for servers.
#[test]
fn floats_without_a_fraction_are_integers() {
    for (float, integer) in
        [(1.0, 1_i64), (-3.0, -3), (1e15, 1_000_000_000_000_000), (1e16, 10_000_000_000_000_000), (-0.0, 0)]
    {
        let value = json!({"a": float});
        let text = write(&value);
        assert_eq!(reads_back(&text, |sink| send_value(&value, sink)), Ok(()), "{text}");
        assert_eq!(read_one(&text), json!({"a": integer}), "{text}");
    }
    // The digits are those of the shortest decimal number that is this float.
    assert_eq!(read_one("4611686018427387904.0"), json!(4_611_686_018_427_388_000_i64));
    assert_eq!(read_one("9223372036854775808.0"), json!(9_223_372_036_854_776_000_u64));
    assert_eq!(read_one("1e20"), json!(1e20));
    assert_eq!(read_one("[{\"a\": 1.0}]"), json!([{"a": 1}]));
    assert_eq!(read_one("{\"a\": 1.0}"), json!({"a": 1.0}), "JSON is read as a request");
}

#[test]
fn streams_and_styles_are_read() {
    for (text, expected) in [
        ("", vec![]),
        ("# only a comment\n", vec![]),
        ("---\n---\n# nothing\n---\n", vec![]),
        ("a: 1\n---\n---\nb: 2\n...\n", vec![json!({"a": 1}), json!({"b": 2})]),
        ("\u{feff}a: 1\r\nb: x\r\n", vec![json!({"a": 1, "b": "x"})]),
        ("---\n%YAML 1.1\n---\na: 1\n", vec![json!({"a": 1})]),
        ("{\"a\": [1, 2.5, null, true, \"\\ud83d\\ude00\"]}", vec![json!({"a": [1, 2.5, null, true, "😀"]})]),
        ("a:\n- 1\n-   - 2\n    - 3\n", vec![json!({"a": [1, [2, 3]]})]),
        ("a: >\n  b\n  c\n\n  d\n", vec![json!({"a": "b c\nd\n"})]),
        ("a: x\n  y\nb: 'it''s\n\n  z'\n", vec![json!({"a": "x y", "b": "it's\nz"})]),
        ("? a\n: b\n? c\n", vec![json!({"a": "b", "c": null})]),
        ("a:\nb: # nothing\n", vec![json!({"a": null, "b": null})]),
        ("1: a\ny: b\nyes_: c\n", vec![json!({"1": "a", "true": "b", "yes_": "c"})]),
        ("a: &x {k: [1]}\nb: *x\n", vec![json!({"a": {"k": [1]}, "b": {"k": [1]}})]),
        ("&k a: 1\nb: {*k : 2}\n", vec![json!({"a": 1, "b": {"a": 2}})]),
        ("b: &b {x: 1, z: 2}\nm: {<<: *b, z: 3}\n", vec![json!({"b": {"x": 1, "z": 2}, "m": {"x": 1, "z": 3}})]),
        ("m: {!!str <<: 4}\n", vec![json!({"m": {"<<": 4}})]),
        ("m: {<<: [{x: 1}, {x: 2, z: 2}], '<<': 4}\n", vec![json!({"m": {"x": 1, "z": 2, "<<": 4}})]),
        (
            "a: !!int \"1\"\nb: ! 1\nc: !!float 1\nd: !!map {}\ne: !!seq []\n",
            vec![json!({"a": 1, "b": "1", "c": 1, "d": {}, "e": []})],
        ),
    ] {
        assert_eq!(read(text), Ok(expected), "{text:?}");
    }
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (text, position, part) in [
        ("a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n", (5, 3), "the key \"c\" is already in this map"),
        ("a: 1\n\"a\": 2\n", (2, 1), "already in this map"),
        ("1: a\n'1': b\n", (2, 1), "already in this map"),
        ("a: .inf\n", (1, 4), "no infinity"),
        ("a: [1, -.INF]\n", (1, 8), "no infinity"),
        ("~: a\n", (1, 1), "this is null"),
        ("18446744073709551615: a\n", (1, 1), "put it in quotes"),
        ("[a]: b\n", (1, 1), "the key of a map must be a string"),
        ("? {a: b}\n: c\n", (1, 3), "the key of a map must be a string"),
        ("x: &x [1]\n*x : b\n", (2, 1), "the key of a map must be a string"),
        ("a: &x [*x]\n", (1, 8), "inside the value"),
        ("a: *x\n", (1, 4), "not YAML"),
        ("a: !!binary aGVsbG8\n", (1, 4), "the tag is `!!binary`"),
        ("a: !!int b\n", (1, 4), "the tag is `!!int`"),
        ("a: 1\n--- {b: 1}\n", (2, 1), "begin it in the next line"),
        ("%YAML 1.1\n---\na: 1\n", (1, 1), "not YAML"),
        ("a: \"\\/\"\n", (1, 6), "unknown escape"),
        ("a: [b?c]\n", (1, 6), "expected ',' or ']'"),
        ("a: [::1]\n", (1, 5), "expected node content"),
        ("{\"a\": 1}\n{\"b\": 2}\n{\"c\" 3}\n", (3, 6), "not JSON: expected `:`"),
        ("a: {<<: 1}\n", (1, 9), "the merge key"),
        ("a: [1\n", (1, 4), "not YAML"),
        ("a: 'x\n", (1, 4), "not YAML"),
        ("a: b: c\n", (1, 5), "not YAML"),
        ("a:\n\t- b\n", (2, 1), "not YAML"),
        ("ok: 1\n---\na: \u{1}\n", (3, 4), "not YAML"),
    ] {
        let error = read(text).expect_err(text);
        assert!(error.message.contains(part), "{text:?}: {error}");
        assert_eq!((error.line, error.column), position, "{text:?}: {error}");
    }
}

#[test]
fn small_texts_do_not_become_large_values() {
    let mut laughs = "a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]\n".to_owned();
    for level in 1..12 {
        let below = format!("*a{}", level - 1);
        laughs.push_str(&format!("a{level}: &a{level} [{}]\n", [below.as_str(); 9].join(", ")));
    }
    assert!(read(&laughs).expect_err("too much").message.contains("20 MB"));
    let mut stream = String::new();
    for _ in 0..200 {
        stream.push_str(&format!("---\na: &a '{}'\nb: [*a, *a, *a, *a]\n", "x".repeat(30_000)));
    }
    assert!(read(&stream).expect_err("too much in all documents").message.contains("20 MB"));
    let mut deep = "a0: &a0 []\n".to_owned();
    for level in 1..400 {
        deep.push_str(&format!("a{level}: &a{level} [*a{}]\n", level - 1));
    }
    assert!(read(&deep).expect_err("too deep").message.contains("levels deep"));
    for text in [
        "[".repeat(100_000),
        "{a: ".repeat(100_000),
        "- ".repeat(100_000),
        (0..1000).map(|level| format!("{}a:\n", " ".repeat(level))).collect(),
    ] {
        assert!(read(&text).expect_err("too deep").message.contains("levels deep"));
    }
}

#[test]
fn documents_may_nest_to_the_limit_and_no_further() {
    for (text, expected) in [
        (nested(DEEPEST, |_, value| json!([value])), true),
        (nested(DEEPEST, |_, value| json!({"k": value})), true),
        (nested(DEEPEST, |level, value| if level % 2 == 0 { json!([value]) } else { json!({"k": value}) }), true),
        (nested(DEEPEST + 1, |_, value| json!({"k": value})), false),
        (nested(DEEPEST + 1, |_, value| json!([value])), false),
    ] {
        let read_back = reads_back(&write(&text), |sink| send_value(&text, sink));
        assert_eq!(read_back.is_ok(), expected, "{read_back:?}");
        assert_eq!(read(&write(&text)).is_ok(), expected);
    }
}

fn nested(levels: usize, wrap: impl Fn(usize, Value) -> Value) -> Value {
    (0..levels).fold(json!("x"), |value, level| wrap(level, value))
}

#[test]
fn differences_are_told_with_their_path() {
    let intended =
        json!({"a": {"b.c": [{"d": "yes"}, 1]}, "e": "text", "f": 1.5, "g": null, "h": true, "i": [], "j": {}});
    let text = write(&intended);
    assert_eq!(reads_back(&text, |sink| send_value(&intended, sink)), Ok(()));
    for (from, to, path, found) in [
        ("'yes'", "yes", "a[\"b.c\"][0].d", "the boolean true"),
        ("'yes'", "'no'", "a[\"b.c\"][0].d", "the string \"no\""),
        ("'yes'", "&x 'yes'", "a[\"b.c\"][0].d", "a value with a tag or an anchor"),
        ("'yes'", "!!str yes", "a[\"b.c\"][0].d", "a value with a tag or an anchor"),
        ("  - 1\n", "  - 2\n", "a[\"b.c\"][1]", "the number 2"),
        ("  - 1\n", "  - '1'\n", "a[\"b.c\"][1]", "the string \"1\""),
        ("  - 1\n", "", "a[\"b.c\"][1]", "the end of a list"),
        ("  - 1\n", "  - 1\n  - 1\n", "a[\"b.c\"]", "the number 1"),
        ("e: text", "E: text", "", "the string \"E\""),
        ("e: text\n", "", "", "the string \"f\""),
        ("e: text\n", "d: x\ne: text\n", "", "the string \"d\""),
        ("e: text", "e: [text]", "e", "a list"),
        ("f: 1.5", "f: 1.25", "f", "the number 1.25"),
        ("g: null", "g: nil", "g", "the string \"nil\""),
        ("h: true", "h: False", "h", "the boolean false"),
        ("i: []", "i: {}", "i", "a map"),
        ("j: {}", "j: {k: l}", "j", "the string \"k\""),
        ("j: {}", "j: {}\nj: {}", "", "the string \"j\""),
        ("j: {}", "j: {}\n---\nk: 1", "", "another document"),
        ("j: {}", "j: {", "j", "not YAML"),
        ("j: {}", "j: {}\n]", "", "not YAML"),
    ] {
        assert!(text.contains(from), "{from}");
        let changed = text.replacen(from, to, 1);
        let mismatch = reads_back(&changed, |sink| send_value(&intended, sink)).expect_err(&changed);
        assert_eq!(mismatch.path, path, "{mismatch}");
        assert!(mismatch.found.contains(found), "{mismatch}");
        if !to.is_empty() && !mismatch.found.contains("not YAML") {
            let line = changed[..changed.find(to).unwrap()].lines().count();
            assert!((line..=line + 2).contains(&mismatch.line), "{mismatch}\n{changed}");
        }
    }
    assert!(reads_back("", |sink| send_value(&intended, sink)).is_err());
    assert!(reads_back("a\n", |_| ()).is_err());
    let long = json!("x".repeat(200) + "a");
    let mismatch = reads_back(&write(&json!("x".repeat(200) + "b")), |sink| send_value(&long, sink)).unwrap_err();
    assert!(mismatch.intended.contains("from byte 200 on: \"a\""), "{mismatch}");
}

#[test]
fn a_plain_string_that_only_some_readers_take_for_a_string_is_a_difference() {
    for scalar in [
        "2001-01-01",
        "2001-01-01T00:00:00Z",
        "2001-12-14t21:59:43.10-05:00",
        "2001-12-14 21:59:43.10 -5",
        "12:30:45",
        "190:20:30.15",
        "1.0.0",
        ".",
        "=",
        "<<",
    ] {
        let text = format!("v: {scalar}\n");
        assert_eq!(read_one(&text.replace("<<", "'<<'")), json!({"v": scalar}));
        let intended = json!({"v": scalar});
        assert!(reads_back(&text, |sink| send_value(&intended, sink)).is_err(), "{scalar}");
    }
}

#[test]
fn a_text_of_five_megabytes_is_read() {
    let description = "What the field means, in some words: more or less of them. ".repeat(6);
    let node = json!({"description": description, "type": "string"});
    let properties = map((0..13_500).map(|index| (format!("field{index}"), node.clone())));
    let value = json!({"properties": properties});
    let text = write(&value);
    assert!(text.len() > 5_000_000, "{}", text.len());
    assert_round_trip(&value);
}

#[test]
fn published_crds_survive() {
    let mut count = 0;
    for (label, file) in crd_testdata::all_gateway_api() {
        let crd =
            CustomResourceDefinition::from_value(&file.json()).unwrap_or_else(|errors| panic!("{label}: {errors:?}"));
        let mut writer = YamlWriter::new(Start::Marker);
        crd.send(&mut writer);
        let text = writer.finish();
        if let Err(mismatch) = reads_back_as(&text, &crd) {
            panic!("{label}: {mismatch}");
        }
        let read = CustomResourceDefinition::from_value(&read_one(&text));
        assert_eq!(read.as_ref(), Ok(&crd), "{label}");
        count += 1;
    }
    assert_eq!(count, 237);
}

/// Strings of pieces that mean something to some reader of YAML somewhere.
fn odd_string() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "a",
        "b",
        "é",
        "日",
        "😀",
        " ",
        "  ",
        "\n",
        "\n\n",
        "\t",
        "\r",
        ":",
        ": ",
        "#",
        " #",
        "-",
        "- ",
        "?",
        "? ",
        "'",
        "\"",
        "\\",
        ",",
        "[",
        "]",
        "{",
        "}",
        "&",
        "*",
        "!",
        "|",
        ">",
        "%",
        "@",
        "`",
        "=",
        "<<",
        "~",
        ".",
        "_",
        "+",
        "/",
        "0",
        "1",
        "9",
        "0x",
        "0o",
        "0b",
        "e",
        "E",
        "T",
        "Z",
        "null",
        "true",
        "yes",
        "off",
        "y",
        "N",
        ".inf",
        ".nan",
        "2001-01-01",
        "12:30:45",
        "1e3",
        "---",
        "...",
        "\0",
        "\u{7}",
        "\u{7f}",
        "\u{85}",
        "\u{9f}",
        "\u{a0}",
        "\u{2028}",
        "\u{2029}",
        "\u{feff}",
        "\u{fffe}",
        "\u{ffff}",
    ];
    prop_oneof![
        4 => prop::collection::vec(prop::sample::select(PIECES), 0..8).prop_map(|pieces| pieces.concat()),
        1 => prop::collection::vec(any::<char>(), 0..12).prop_map(String::from_iter),
        1 => prop::collection::vec(prop::sample::select(b"0123456789_.:+-eExobTZ ".to_vec()), 1..9)
            .prop_map(|bytes| bytes.into_iter().map(char::from).collect()),
        1 => prop::collection::vec(prop::sample::select(PIECES), 100..400).prop_map(|pieces| pieces.concat()),
    ]
}

fn any_json() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        6 => odd_string().prop_map(Value::String),
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::Bool),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<u64>().prop_map(Value::from),
        // Floats without a fraction become integers.
        1 => any::<f64>().prop_filter_map("finite", |float| {
            Number::from_f64(float).filter(|_| float.fract() != 0.0 || float.abs() >= 1e21).map(Value::Number)
        }),
    ];
    scalar.prop_recursive(12, 60, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((odd_string(), inner), 0..4).prop_map(map),
        ]
    })
}

proptest! {
    #[test]
    fn random_documents_read_back_as_they_were(value in any_json()) {
        let text = write(&value);
        prop_assert_eq!(&read_one(&text), &value, "{}", text);
        let read_back = reads_back(&text, |sink| send_value(&value, sink));
        prop_assert!(read_back.is_ok(), "{:?}\n{}", read_back, text);
        prop_assert_eq!(write(&read_one(&text)), text.clone());
        prop_assert!(text.ends_with('\n'));
        let unprintable = ['\r', '\0', '\u{7f}', '\u{85}', '\u{2028}', '\u{feff}'];
        prop_assert!(!text.contains(unprintable), "{}", text);
    }

    #[test]
    fn different_documents_do_not_compare_equal(left in any_json(), right in any_json()) {
        let compared = reads_back(&write(&left), |sink| send_value(&right, sink));
        prop_assert_eq!(compared.is_ok(), left == right);
    }

    #[test]
    fn crds_with_any_default_read_back(default in any_json(), description in odd_string(), name in odd_string()) {
        let property = Schema { default: Some(default), description: Some(description.into()), ..Schema::default() };
        let mut schema = Schema::default();
        schema.properties.insert(name.into(), property);
        let version = Version { name: "v1".into(), schema, ..Version::default() };
        let crd = CustomResourceDefinition { versions: vec![version], ..CustomResourceDefinition::default() };
        let mut writer = YamlWriter::new(Start::Marker);
        crd.send(&mut writer);
        let text = writer.finish();
        prop_assert!(reads_back_as(&text, &crd).is_ok(), "{:?}\n{}", reads_back_as(&text, &crd), text);
        prop_assert_eq!(CustomResourceDefinition::from_value(&read_one(&text)), Ok(crd));
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in odd_string(), deep in any_json()) {
        let _ = read(&text);
        let mut cut = write(&deep);
        let _ = read(&cut.replace('\'', ""));
        let _ = read(&cut.replace("  ", " "));
        cut.truncate((0..=cut.len() / 2).rev().find(|index| cut.is_char_boundary(*index)).unwrap_or(0));
        let _ = read(&cut);
    }
}
