//! The reader of plain YAML, compared with the parser.

use std::sync::OnceLock;

use crd_testdata::PROJECTS;
use proptest::prelude::*;
use serde_json::Value;

use super::write;
use crate::yaml::read::{Document, parsed};
use crate::yaml::{block, item_positions, locate, push_key};

/// What both readers make of a text, and where they find its values; true if it was read without the parser.
fn compare(text: &str) -> bool {
    let Some(found) = block::documents(text) else { return false };
    let found = found.into_iter().filter(|(value, _)| !value.is_null());
    let found =
        found.map(|(value, section)| Ok(Document { value, section: section.with_parser(), repeated: Vec::new() }));
    let parsed = parsed(text).collect::<Vec<_>>();
    assert_eq!(found.collect::<Vec<_>>(), parsed, "{text}");
    for (value, section) in block::documents(text).unwrap_or_default() {
        let (mut paths, mut lists) = (Vec::new(), Vec::new());
        paths_of(&value, "", &mut paths, &mut lists);
        let positions = |section| locate(text, section, &paths);
        assert_eq!(positions(section), positions(section.with_parser()), "{text}");
        for list in lists.iter().take(3) {
            let items = |section| item_positions(text, section, list);
            assert_eq!(items(section), items(section.with_parser()), "{list} of {text}");
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
fn texts() -> Vec<String> {
    let projects = PROJECTS.iter().flat_map(|(name, version)| crd_testdata::project(name, version).into_values());
    let written = projects.flatten().map(|file| write(&file.json()));
    let examples = ["standard", "experimental"].map(crd_testdata::gateway_api_examples);
    written.chain(examples.into_iter().flatten().map(|file| file.text.to_owned())).collect()
}

#[test]
fn usual_files_are_read_as_by_the_parser() {
    let texts = texts();
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
        assert!(block::documents(text).is_none(), "{text}");
    }
}

#[test]
fn deep_and_long_texts_do_not_end_the_program() {
    let deep: String = (0..10_000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    assert!(block::documents(&deep).is_none());
    assert!(block::documents(&"a: b\n---\n".repeat(300_000)).is_none());
}

static TEXTS: OnceLock<Vec<String>> = OnceLock::new();

proptest! {
    #![proptest_config(ProptestConfig { cases: crd_testdata::sample(200_000).try_into().unwrap_or(u32::MAX), ..ProptestConfig::default() })]

    /// A part of a published file with a few characters changed: never a second meaning.
    #[test]
    fn changed_files_are_read_as_by_the_parser(
        file in any::<prop::sample::Index>(),
        from in any::<prop::sample::Index>(),
        count in 1_usize..40,
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..6, prop::sample::select(
            vec![" ", "  ", ":", ": ", "#", " #", "-", "- ", "'", "\"", "\n", "|", ">", "a", "{", "[", "&", "*", "!", "?", "1", "~", "---\n", "\n\n", ".", ",", "%", "\\", "é"]
        )), 0..4),
    ) {
        let texts = TEXTS.get_or_init(texts);
        let text = &texts[file.index(texts.len())];
        let lines = text.split_inclusive('\n').collect::<Vec<_>>();
        let from = from.index(lines.len());
        let part = &lines[from..(from + count).min(lines.len())];
        // The least indented line begins the document.
        let least = part.iter().filter(|line| !line.trim().is_empty()).map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
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
        compare(&text);
    }
}
