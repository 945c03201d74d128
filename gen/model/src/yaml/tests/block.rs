//! The reader of plain YAML, compared with the reader of nodes.

use std::sync::OnceLock;

use crd_testdata::PROJECTS;
use proptest::prelude::*;
use serde_json::Value;

use super::write;
use crate::yaml::read::{Document, parsed};
use crate::yaml::{block, item_positions, locate, push_key};

/// What both readers make of a text, and where they find its values; true if it was read without the parser.
fn compare(text: &str) -> bool {
    let Some(found) = block::documents(text, None) else { return false };
    let found = found.into_iter().filter(|(value, ..)| !value.is_null());
    let found =
        found.map(|(value, section, _)| Ok(Document { value, section: section.with_nodes(), repeated: Vec::new() }));
    let parsed = parsed(text).collect::<Vec<_>>();
    assert_eq!(found.collect::<Vec<_>>(), parsed, "{text}");
    for (value, section, _) in block::documents(text, None).unwrap_or_default() {
        let (mut paths, mut lists) = (Vec::new(), Vec::new());
        paths_of(&value, "", &mut paths, &mut lists);
        let positions = |section| locate(text, section, &paths);
        assert_eq!(positions(section), positions(section.with_nodes()), "{text}");
        for list in lists.iter().take(3) {
            let items = |section| item_positions(text, section, list);
            assert_eq!(items(section), items(section.with_nodes()), "{list} of {text}");
        }
    }
    true
}

/// The paths of all values below this one, and of some that are not there; those of lists once more.
fn paths_of(value: &Value, path: &str, paths: &mut Vec<String>, lists: &mut Vec<String>) {
    paths.push(path.to_owned());
    match value {
        Value::Object(map) => {
            paths.push(format!("{path}.none[0].such"));
            for (key, value) in map {
                let mut below = path.to_owned();
                push_key(&mut below, key);
                paths_of(value, &below, paths, lists);
            }
        }
        Value::Array(items) => {
            lists.push(path.to_owned());
            paths.push(format!("{path}[{}].such", items.len()));
            for (index, item) in items.iter().enumerate() {
                paths_of(item, &format!("{path}[{index}]"), paths, lists);
            }
        }
        _ => {}
    }
}

/// The examples of Gateway API, and every CRD of eight projects as this module writes it.
pub(super) fn texts() -> Vec<String> {
    let projects = PROJECTS.iter().flat_map(|(name, version)| crd_testdata::project(name, version).into_values());
    let written = projects.flatten().map(|file| write(&file.json()));
    let examples = ["standard", "experimental"].map(crd_testdata::gateway_api_examples);
    written.chain(examples.into_iter().flatten().map(|file| file.text.to_owned())).collect()
}

#[test]
fn usual_files_are_read_as_by_the_parser() {
    let mut texts = texts();
    if !crd_testdata::is_proof() {
        texts = texts.into_iter().step_by(4).collect();
    }
    let read = texts.iter().filter(|text| compare(text)).count();
    println!("{read} of {} texts are plain YAML", texts.len());
    assert!(read * 100 >= texts.len() * 95, "{read} of {}", texts.len());
}

#[test]
fn each_form_is_read_as_by_the_parser() {
    for text in [
        "a: b\n",
        "a:\n  b: 1\n  c:\n  - d\n  - e: f\n    g: 'it''s'\n",
        "---\n# words\na: |-\n  x\n\n    y # no comment\n  z\n\nb: |\n  x\n",
        "a: one\n  two\n  three\nb: 'one\n  two'\n",
        "---\na: 1\n---\nb: yes\n---\n---\nc: ~\n",
        "a: -1\nb: 0x10\nc: 1.5\nd: on\ne: 2001-01-01\nf: \"x\"\ng: {}\nh: []\ni:\n",
        "a:\n    b: c\n    d:\n        - e\n        - f\n",
        "a: \"one\\n\\ntwo\n  three\\tfour\\\n  \\ five \\\"six\\\" \\\\\"\nb: \"x \\\n  y\"\n",
        "a.b/c: d\n$ref: e\n",
        "# only words\n",
        "a: b   \n\n\nc: d",
    ] {
        assert!(compare(text), "{text}");
    }
}

/// These are YAML with another meaning than the plain one, or not YAML.
#[test]
fn other_forms_are_left_to_the_parser() {
    for text in [
        "a: &x b\n",
        "a: *x\n",
        "a: !!str 1\n",
        "a: [b]\n",
        "a: {b: c}\n",
        "a: >-\n  b\n",
        "a: b: c\n",
        "a: b # c\n",
        "a: b\na: c\n",
        "a: 'b' c\n",
        "a: \"b\\x41\"\n",
        "? a\n",
        "- a\n",
        "a\n",
        "a: .inf\n",
        "<<: b\n",
        "1: b\n",
        "yes: b\n",
        "a:\tb\n",
        "a: b\r\n",
        "a:\n  b: c\n d: e\n",
        "a: |2\n   b\n",
        "a: b\n\n  c\n",
        "...\na: b\n",
        "--- a\n",
        "%YAML 1.2\n---\na: b\n",
        "a: @b\n",
        "a: 'b\n",
        "a: - b\n",
        "- - a\n",
        "a:b\n",
        "a: b:\n",
        "\u{feff}a: b\n",
        "a:\n- b\n c: d\n",
    ] {
        assert!(block::documents(text, None).is_none(), "{text}");
    }
}

#[test]
fn deep_and_long_texts_do_not_end_the_program() {
    let deep: String = (0..10_000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    assert!(block::documents(&deep, None).is_none());
    assert!(block::documents(&"a: b\n---\n".repeat(300_000), None).is_none());
}

pub(super) static TEXTS: OnceLock<Vec<String>> = OnceLock::new();

/// A part of one of these texts with a few characters changed.
pub(super) fn part_of(texts: &'static [String]) -> impl Strategy<Value = String> {
    const INSERTED: [&str; 29] = [
        " ", "  ", ":", ": ", "#", " #", "-", "- ", "'", "\"", "\n", "|", ">", "a", "{", "[", "&", "*", "!", "?", "1",
        "~", "---\n", "\n\n", ".", ",", "%", "\\", "é",
    ];
    let edit = (any::<prop::sample::Index>(), 0_usize..6, prop::sample::select(&INSERTED[..]));
    let edits = prop::collection::vec(edit, 0..4);
    let place = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 1_usize..40);
    (place, edits).prop_map(|((file, from, count), edits)| {
        let lines = texts[file.index(texts.len())].split_inclusive('\n').collect::<Vec<_>>();
        let from = from.index(lines.len());
        let part = &lines[from..(from + count).min(lines.len())];
        // The least indented line begins the document.
        let indents =
            part.iter().filter(|line| !line.trim().is_empty()).map(|line| line.len() - line.trim_start().len());
        let least = indents.min().unwrap_or(0);
        let mut text = part.iter().map(|line| line.get(least..).unwrap_or("\n")).collect::<String>();
        for (at, kind, inserted) in edits {
            let places = text.char_indices().map(|(place, _)| place).collect::<Vec<_>>();
            if places.is_empty() {
                break;
            }
            let place = places[at.index(places.len())];
            match kind {
                0 => drop(text.remove(place)),
                _ => text.insert_str(place, inserted),
            }
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crd_testdata::sample(200_000).try_into().unwrap_or(u32::MAX), ..ProptestConfig::default() })]

    #[test]
    fn changed_files_are_read_as_by_the_parser(text in part_of(TEXTS.get_or_init(texts))) {
        compare(&text);
    }
}
