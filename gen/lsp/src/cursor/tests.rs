//! Positions in texts, and the parts at them.

use super::*;

/// The position of `¦` in a text, and the text without it.
pub(crate) fn marked(text: &str) -> (String, TextPosition) {
    let (before, _) = text.split_once('¦').unwrap();
    let column = before.rsplit('\n').next().unwrap().chars().count() + 1;
    (text.replace('¦', ""), TextPosition { line: before.matches('\n').count() + 1, column })
}

/// What is at a position, in one line: the kind, the path, the part of the text, and the siblings.
fn shown(text: &str) -> String {
    let (text, position) = marked(text);
    let Some(cursor) = cursor(&text, position, &|_, _| false) else { return "nothing".to_owned() };
    let Cursor { kind, path, at, word, .. } = cursor;
    let path = crd_model::schema::path::text(&path);
    let Word { raw, typed, start, .. } = word;
    match at {
        At::Key { siblings, indent, is_entry } => {
            let colon = if is_entry { ":" } else { "" };
            format!("{kind} [{path}] key {start} {typed}|{raw}{colon} in {indent} with {}", siblings.join(","))
        }
        At::Value { needs_space } => {
            format!("{kind} [{path}] value {start} {typed}|{raw}{}", if needs_space { " directly" } else { "" })
        }
    }
}

const CASES: &[(&str, &str)] = &[
    ("¦", " [] key 1 | in 0 with "),
    ("kind: A\nsp¦", "A [] key 1 sp|sp in 0 with kind"),
    ("kind: A\nspec:\n  na¦\n  port: 1", "A [spec] key 3 na|na in 2 with port"),
    ("kind: A\nspec:\n  ¦\n  port: 1", "A [spec] key 3 | in 2 with port"),
    ("spec:\n  a: 1\n  ¦\nkind: A\n", "A [spec] key 3 | in 2 with a"),
    ("spec:\n    ¦\n  port: 1", "nothing"),
    ("spec:\n  a: 1\n ¦", "nothing"),
    ("spec:\n  a: 1\n    ¦", "nothing"),
    ("spec:\n  na¦me: x # c", " [spec] key 3 na|name: in 2 with "),
    ("spec:\n  'na¦me': x", " [spec] key 4 na|name: in 2 with "),
    ("spec:\n  name: ¦", " [spec.name] value 9 |"),
    ("spec:\n  name:¦", " [spec.name] value 8 | directly"),
    ("spec:\n  name: x¦y # c", " [spec.name] value 9 x|xy"),
    ("spec:\n  name: \"x¦y\" # c", " [spec.name] value 10 x|xy"),
    ("spec:\n  name: \"x¦", " [spec.name] value 10 x|x"),
    ("spec:\n  name: xy # c¦", "nothing"),
    ("spec: # c\n  # a¦\n", "nothing"),
    ("spec: # c\n# d\n  # a\n  n¦", " [spec] key 3 n|n in 2 with "),
    ("spec:\n  list:\n  - ¦", " [spec.list[*]] key 5 | in 4 with "),
    ("spec:\n  list:\n    - ¦\n      a: 1", " [spec.list[*]] key 7 | in 6 with a"),
    ("spec:\n  list:\n  - a: 1\n    ¦\n  - b: 2", " [spec.list[*]] key 5 | in 4 with a"),
    ("spec:\n  list:\n  - a: 1\n  - b¦: 2", " [spec.list[*]] key 5 b|b: in 4 with "),
    ("spec:\n  list:\n  - a: 1\n  ¦", " [spec] key 3 | in 2 with list"),
    ("spec:\n  list:\n    - a: 1\n    ¦", " [spec.list] key 5 | in 4 with "),
    ("spec:\n  list:\n  - E¦x", " [spec.list[*]] key 5 E|Ex in 4 with "),
    ("spec:\n  list:\n  - a b¦", " [spec.list[*]] value 5 a b|a b"),
    ("spec:\n  - - a: 1\n      b¦", " [spec[*][*]] key 7 b|b in 6 with a"),
    ("a:\n- b:\n  - c: 1\n    d:\n      e: ¦", " [a[*].b[*].d.e] value 10 |"),
    ("spec:\n  list:\n  -¦", "nothing"),
    ("spec:\n  text: |\n    a:\n      b¦", "nothing"),
    ("spec:\n  text: |\n    a: 1\n  b¦", " [spec] key 3 b|b in 2 with text"),
    ("spec:\n  text: |\n    a\n¦\n    b", "nothing"),
    ("spec:\n  text: |\n    a\n¦\nmore: b", " [] key 1 | in 0 with spec,more"),
    ("spec:\n  text: 'a\n\n  ¦\n    b'", "nothing"),
    ("spec:\n  ¦\n  list:\n  - b", " [spec] key 3 | in 2 with list"),
    ("spec:\n  list:\n    ¦\n  - b", "nothing"),
    ("  ¦\nkind: A", "nothing"),
    ("a:\n-\tb: 1\n  c¦", "nothing"),
    ("a:\n- b: 1\n   c¦", "nothing"),
    ("a:\n  b: 1\n   c:\n     d¦", "nothing"),
    ("? a\n: b¦", "nothing"),
    ("a: [b¦: 1]", "nothing"),
    ("a:\n- &x\n  b¦: 1", " [a[*]] key 3 b|b: in 2 with "),
    ("'a\\b': ¦", r#" [["a\\b"]] value 8 |"#),
    ("a: \"b\" c¦", "nothing"),
    ("a:\n  'it''s': ¦", "nothing"),
    ("a: {b: 1, # c¦\n}", "nothing"),
    ("a: {b: 1, # c\n  ¦}", " [a] key 3 | in 0 with b"),
    ("a: {b: \"x\ny¦\"}", "nothing"),
    ("a:\n- b: {c: 1}\n  d: [{e: ¦}]", " [a[*].d[*].e] value 11 |"),
    ("spec:\n  list:\n  - |\n    a¦: 1", "nothing"),
    ("spec:\n  text: one\n    two¦", "nothing"),
    ("spec:\n\tna¦", "nothing"),
    ("spec:\n  a: 1\n\tx: 2\n  na¦", "nothing"),
    ("spec: &x\n  a¦", " [spec] key 3 a|a in 2 with "),
    ("spec: *x¦", "nothing"),
    ("spec:\n  m: {a: 1, b¦}", " [spec.m] key 13 b|b in 0 with a"),
    ("spec:\n  m: {a: ¦}", " [spec.m.a] value 10 |"),
    ("spec:\n  m: {a: Ex¦}", " [spec.m.a] value 10 Ex|Ex"),
    ("spec:\n  m: [{a: 1}, {¦}]", " [spec.m[*]] key 16 | in 0 with "),
    ("spec:\n  m: [a, b¦]", " [spec.m[*]] value 10 b|b"),
    ("spec:\n  m: {a: 1} ¦", "nothing"),
    ("spec:\n  m: {\n    a: 1,\n    b¦", " [spec.m] key 5 b|b in 0 with a"),
    ("kind: A\nspec:\n  a:\n---\nkind: B\nspec:\n  ¦", "B [spec] key 3 | in 2 with "),
    ("kind: A\nspec:\n  ¦\n---\nkind: B\n", "A [spec] key 3 | in 2 with "),
    ("kind: List\nitems:\n- kind: A\n  spec:\n    a¦\n- kind: B", "A [spec] key 5 a|a in 4 with "),
    ("kind: List\nitems:\n- spec:\n    a: ¦\n  kind: B", "B [spec.a] value 8 |"),
    ("kind: AList\nitems:\n- spec:\n    a: ¦", "A [spec.a] value 8 |"),
    ("--- x\nspec:\n  ¦", "nothing"),
    ("spec:\r\n  a: 1\r\n  ¦\r\n", " [spec] key 3 | in 2 with a"),
    ("spec:\n  ä: 1\n  \"ö\": é¦x", " [spec.ö] value 8 é|éx"),
    ("{{ if x }}\nspec:\n{{ end }}\n  ¦", " [spec] key 3 | in 2 with "),
    ("{\"kind\": \"A\", \"spec\": {\"a¦\": 1, \"b\": 2}}", "A [spec] key 25 a|a: in 0 with b"),
    ("{\"spec\": {\n  \"a\": 1\n  \"b¦\n}, \"kind\": \"A\"}", "A [spec] key 4 b|b in 0 with a"),
    ("{\"spec\": {\n  \"a\": ¦\n}}", " [spec.a] value 8 |"),
    ("{\"spec\": {\n  \"a\": [\"x\", \"y¦\"]}}", " [spec.a[*]] value 15 y|y"),
    ("{\"spec\": {\"a\": [{\"x\": ¦", " [spec.a[*].x] value 23 |"),
    ("{\n  ¦\n}", " [] key 3 | in 0 with "),
    ("{\"kind\": \"A\"}\n{\"kind\": \"B\", ¦}", "B [] key 15 | in 0 with kind"),
    ("{\"kind\": \"List\", \"items\": [{\"kind\": \"A\", \"spec\": {¦}}]}", "A [spec] key 51 | in 0 with "),
];

#[test]
fn a_position_has_a_path() {
    let found = CASES.iter().map(|(text, _)| (*text, shown(text))).collect::<Vec<_>>();
    let wrong = found.iter().zip(CASES).filter(|((_, found), (_, expected))| found != expected).collect::<Vec<_>>();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The path and the typed word at a position, which do not depend on the text behind it.
fn place(text: &str, position: TextPosition) -> Option<(Vec<Step>, String)> {
    let Cursor { path, word, .. } = cursor(text, position, &|_, _| false)?;
    Some((path.iter().map(Step::owned).collect(), word.typed.to_owned()))
}

#[test]
fn a_text_that_ends_at_a_position_has_the_same_path_there() {
    let mut count = 0;
    for file in crd_testdata::gateway_api_examples("standard").into_iter().step_by(3) {
        let mut start = 0;
        for (index, line) in file.text.split('\n').enumerate() {
            for column in 1..=line.len() + 1 {
                let position = TextPosition { line: index + 1, column };
                let (before, rest) = file.text.split_at(start + column - 1);
                let Some((path, word)) = place(file.text, position) else { continue };
                if !before.ends_with([' ', '\n', ':']) {
                    // What is typed has no colon yet, and ends the text, or is in a line of a whole text.
                    let behind = rest.split_once('\n').map_or("", |(_, behind)| behind);
                    for text in [before.to_owned(), format!("{before}\n{behind}")] {
                        assert_eq!(place(&text, position), Some((path.clone(), word.clone())), "{position:?}: {text}");
                    }
                    count += 1;
                }
            }
            start += line.len() + 1;
        }
    }
    assert!(count > 5_000, "{count}");
}
