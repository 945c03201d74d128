//! Positions of documents and of their values, and diagnostics about several documents.

use serde_json::{Value, json};

use super::super::read::{MOST_COPIED, MOST_IN_MEMORY};
use super::super::*;

fn sections(text: &str) -> Vec<(usize, Section)> {
    documents(text)
        .map(|document| document.unwrap_or_else(|errors| panic!("{errors:?}")).section)
        .map(|section| (section.content_position().line, section))
        .collect()
}

fn positions(text: &str, section: Section, paths: &[&str]) -> Vec<(usize, usize)> {
    locate(text, section, paths).into_iter().map(|position| (position.line, position.column)).collect()
}

#[test]
fn every_document_knows_its_line() {
    let text = "# a file\n\n---\n# a comment\na: 1\n---\n---\n  b:\n    c: 2\n...\n%YAML 1.2\n---\n{d: [1, {e: 2}]}\n";
    let found = sections(text);
    assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [5, 8, 13]);
    assert_eq!(positions(text, found[0].1, &["a", "b"]), [(5, 1), (5, 1)]);
    assert_eq!(positions(text, found[1].1, &["b", "b.c", "b.c.d"]), [(8, 3), (9, 5), (9, 5)]);
    assert_eq!(positions(text, found[2].1, &["d", "d[0]", "d[1].e", "d.[1]"]), [(13, 2), (13, 6), (13, 10), (13, 9)]);
    let indented = "\u{feff}  a:\n    b: 1\n  c: 2\n";
    assert_eq!(positions(indented, sections(indented)[0].1, &["a.b", "c"]), [(2, 5), (3, 3)]);
    let returns = "a: 1\r\n---\r\nb:\r\n  c: 1\r\n";
    assert_eq!(positions(returns, sections(returns)[1].1, &["b.c"]), [(4, 3)]);
}

#[test]
fn paths_are_followed_as_far_as_the_text_goes() {
    let text = "\
metadata:
  annotations:
    example.com/a: x
    example.com: {a: y}
    'odd [key]': z
  list:
  - - 1
    - 2
  -
    x: 1
anchored: &here
  y: 1
alias: *here
merged:
  <<: *here
  z: 1
true: word
1: number
? [complex]
: {inside: 1}
a:
  b.c:
    d: 1
  b:
    c:
      e: 1
";
    // A map as a key cannot be read, and does not confuse the lines of what is behind it.
    let section = Section::default();
    for (path, position) in [
        ("metadata.annotations.example.com/a", (3, 5)),
        ("metadata.annotations.example.com.a", (4, 19)),
        ("metadata.annotations[\"odd [key]\"]", (5, 5)),
        ("metadata.annotations.missing.more", (2, 3)),
        ("metadata.list[0][1]", (8, 7)),
        ("metadata.list.[1].x", (10, 5)),
        ("metadata.list[7].x", (6, 3)),
        ("alias.y", (13, 1)),
        ("merged.y", (14, 1)),
        ("merged.z", (16, 3)),
        ("true", (17, 1)),
        ("1", (18, 1)),
        ("inside", (1, 1)),
        ("a.b.c.d", (23, 5)),
        ("a.b.c.e", (26, 7)),
        ("nowhere", (1, 1)),
        ("", (1, 1)),
    ] {
        assert_eq!(positions(text, section, &[path]), [position], "{path}");
    }
    assert!(locate(text, section, &[] as &[&str]).is_empty());
    let items = |list: &str| -> Vec<usize> {
        item_positions(text, section, list).iter().map(|position| position.line).collect()
    };
    assert_eq!((items("metadata.list"), items("metadata.list[0]"), items("a")), (vec![7, 10], vec![7, 8], vec![]));
}

#[test]
fn documents_behind_a_broken_one_are_read() {
    let text = "a: [1\n---\nb: 1\n---\nc: 1\nc: 2\nd: {e: 1, e: 2, e: 3}\n---\nx: !!int odd\n---\nf: 1\n";
    let found: Vec<Result<Value, Vec<String>>> = documents(text)
        .map(|document| {
            document.map(|document| document.value).map_err(|errors| errors.iter().map(ToString::to_string).collect())
        })
        .collect();
    let fault = |text: &str| text.to_owned();
    assert_eq!(
        found,
        [
            Err(vec![fault("line 1, column 4: this is not YAML: unclosed bracket '[', and the text ends")]),
            Ok(json!({"b": 1})),
            Err(vec![
                fault("line 6, column 1: the key \"c\" is already in this map, in line 5: remove one"),
                fault("line 7, column 11: the key \"e\" is already in this map, in line 7: remove one"),
                fault("line 7, column 17: the key \"e\" is already in this map, in line 7: remove one"),
            ]),
            Err(vec![fault("line 9, column 4: the tag is `!!int`, and the value is the string \"odd\"")]),
            Ok(json!({"f": 1})),
        ]
    );
}

#[test]
fn repeated_keys_are_told_with_both_lines_wherever_they_are() {
    let text = "x:\n- - a: 1\n  - 'b.c':\n      d: 1\n      e: 2\n      d: 3\n";
    let errors = documents(text).next().unwrap().unwrap_err();
    assert_eq!(errors[0].to_string(), "line 6, column 7: the key \"d\" is already in this map, in line 4: remove one");
    let many: String = (0..300).map(|number| format!("k{}: 1\n", number / 2)).collect();
    assert_eq!(documents(&many).next().unwrap().unwrap_err().len(), 100);
}

#[test]
fn small_texts_stay_small() {
    // Maps weigh much more than their text, also when an alias copies them.
    let maps = format!("a: &a [{}]\nb: [{}]\n", ["{x: 1}"; 1000].join(","), ["*a"; 1000].join(","));
    assert!(maps.len() < 12_000);
    let error = read(&maps).unwrap_err();
    assert!(error.message.contains("20 MB"), "{error}");
    const { assert!(MOST_COPIED < MOST_IN_MEMORY) };
    // 700,000 maps are a text of 2 MB. They count as if each had an entry, and would be 450 MB then.
    let many = format!("[{}]", vec!["{}"; 700_000].join(","));
    let error = read(&many).unwrap_err();
    assert!(error.message.contains("400 MB") && error.line == 1, "{error}");
    // In several documents, they pass one at a time.
    let parts = vec![format!("[{}]", vec!["{}"; 70_000].join(",")); 10].join("\n---\n");
    assert_eq!(documents(&parts).filter(Result::is_ok).count(), 10);
}

/// By default they are errors.
#[test]
fn repeated_keys_are_read_on_request() {
    let text = "a: 1\nb:\n- {c: 1, c: 2}\na: 3\n---\na: 4\n---\nx: 1\nx: 2\ny: !!int z\n";
    assert_eq!(documents(text).next().unwrap().unwrap_err().len(), 2);
    let mut read = documents(text).with_repeated_keys();
    let first = read.next().unwrap().unwrap();
    assert_eq!(first.value, json!({"a": 3, "b": [{"c": 2}]}), "the last one counts");
    let repeated = first.repeated.iter().map(|key| (&*key.path, key.position.line, key.position.column));
    assert_eq!(repeated.collect::<Vec<_>>(), [("b[0].c", 3, 10), ("a", 4, 1)]);
    let second = read.next().unwrap().unwrap();
    assert_eq!((second.value, second.repeated), (json!({"a": 4}), Vec::new()));
    // A document that cannot be read has both kinds of errors.
    assert_eq!(read.next().unwrap().unwrap_err().len(), 2);
}

/// Paths into a long list are found in one pass.
#[test]
fn items_of_a_long_list_are_found() {
    let text = (0..3000).map(|index| format!("- {{a: [{index}]}}\n")).collect::<String>();
    let paths = (0..3000).map(|index| format!("[{index}].a[0]")).collect::<Vec<_>>();
    let found = locate(&text, Section::default(), &paths);
    assert!(found.iter().enumerate().all(|(index, position)| (position.line, position.column) == (index + 1, 8)));
    assert_eq!(positions(&text, Section::default(), &["[3000]", "[x]", "[1].b"]), [(1, 1), (1, 1), (2, 3)]);
}

/// Each document of JSON without separators, also behind one in the same line, and YAML behind one.
#[test]
fn documents_of_json_are_found() {
    let text = "\n {\"a\": {\"b\":\n [1, \"x\\\"\", {\"c\": 2}]}} {\"é\": 1, \"d\": {}}\n";
    let found = sections(text);
    assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(positions(text, found[0].1, &["a", "a.b[0]", "a.b[2].c", ""]), [(2, 3), (3, 3), (3, 14), (2, 2)]);
    assert_eq!(positions(text, found[1].1, &["é", "d"]), [(3, 26), (3, 34)]);
    let mixed = "{\"a\": 1}\n---\n# words\ne: [1]\n";
    let found = sections(mixed);
    assert_eq!(positions(mixed, found[1].1, &["e[0]"]), [(4, 5)]);
    let repeated = "{\"a\": 1}\n{\"a\": 1, \"a\": 2}\n";
    let errors = documents(repeated).nth(1).unwrap().unwrap_err();
    assert_eq!(errors[0].to_string(), "line 2, column 10: the key \"a\" is already in this map, in line 2: remove one");
}
