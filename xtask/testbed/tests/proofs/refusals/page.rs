//! `gen/schema/REFUSALS.md`: what our engine says of malformed CRDs, beside what the server says.
//!
//! Invariants: the same documents and the same server give the same bytes, whatever order the server and our JSON maps have.

use std::fmt::Write as _;
use std::path::Path;

use crd_apiserver::refusal::Authority;
use serde_json::Value;

use super::asking::Causes;
use super::engine::Said;
use super::malformed::{Expected, Gap, specimen};
use super::{Judged, JudgedRow};

const COMMAND: &str = "CRD_TESTBED_WRITE=1 cargo test -p crd-testbed --test proofs refusals";

/// The longest text in a cell.
const LONGEST: usize = 300;

/// How many sentences a cell has at most.
const MOST: usize = 3;

/// The whole page.
pub(super) fn render(examples: &[Judged], rows: &[JudgedRow], minor: &str) -> String {
    let specimen = sorted(&specimen());
    let mut page = format!(
        "<!-- Written by `{COMMAND}`. Do not edit. -->\n\
         # What is refused as a CRD\n\
         \n\
         What the engine says of malformed CRDs before any server sees them, and what a real Kubernetes {minor} says of the same documents. A \
         test holds the two against each other for every document below, and for more: all examples of every rule, and our own CRDs after \
         random edits. Each document is `crd_apiserver::refusal::example(EDIT)`: a small good CRD whose field `spec.field` (`field`), whole \
         schema (`root`), version (`version`) or document (`document`) was edited; where only a rule is shown, it stands on `spec.field`, \
         which is `SPECIMEN`, an object with properties of many types. The server is asked with `fieldValidation=Strict`, as `kubectl` asks \
         it. Long texts are cut, and in what the server says, `…` stands for `spec.validation.openAPIV3Schema` and for long values.\n\
         \n\
         ```json\n\
         SPECIMEN = {specimen}\n\
         ```\n\
         \n\
         ## The rules\n\
         \n\
         One example of each. Rules marked *ours* are about documents that the server takes although they can only be a mistake.\n"
    );
    heading(&mut page, "rule");
    for rule in examples.chunk_by(|one, other| one.rule.id == other.rule.id) {
        let Some(judged) = rule.iter().find(|judged| judged.is_bad) else { continue };
        let mark = if judged.rule.authority == Authority::House { " (*ours*)" } else { "" };
        let first = format!("`{}`{mark}<br>{}", judged.rule.id, code(&in_one_line(judged.edit)));
        let said: Vec<Said> = judged.said.iter().filter(|said| said.rule == judged.rule.id).cloned().collect();
        row(&mut page, &first, &said, &judged.causes);
    }
    for section in rows.chunk_by(|one, other| one.row.section == other.row.section) {
        let _ = write!(page, "\n## {}\n", section[0].row.section);
        heading(&mut page, "document");
        for JudgedRow { row: malformed, said, causes } in section {
            let mark = match malformed.expected {
                Expected::Refused | Expected::Taken | Expected::RefusedByUs => String::new(),
                Expected::RefusedSince(since) => format!(" (refused from 1.{since} on)"),
                Expected::Unreadable(gap) | Expected::LetThrough(gap) => format!(" ([{}](#{}))", name(gap), name(gap)),
                Expected::LetThroughUntil(until, gap) => {
                    format!(" ([{}](#{}): refused up to 1.{until})", name(gap), name(gap))
                }
            };
            row(&mut page, &format!("{}{mark}<br>{}", malformed.what, code(&shown(&malformed.edit))), said, causes);
        }
    }
    page.push_str("\n## Where the two differ\n\nEvery difference that is known, with its reason.\n");
    for gap in Gap::ALL {
        let _ = write!(page, "\n### {}\n\n{}\n", name(gap), gap.reason());
    }
    page
}

/// The edit, or only the rule where that is all that is special about it.
fn shown(edit: &Value) -> String {
    let mut specimen = specimen();
    let rules = edit.pointer("/field/x-kubernetes-validations").and_then(Value::as_array);
    if let Some([rule]) = rules.map(Vec::as_slice) {
        specimen["x-kubernetes-validations"] = Value::from(vec![rule.clone()]);
        if edit["field"] == specimen {
            return match (rule.as_object().map(serde_json::Map::len), rule["rule"].as_str()) {
                (Some(1), Some(text)) if !text.is_empty() => in_one_line(text),
                _ => sorted(rule),
            };
        }
    }
    sorted(edit)
}

fn name(gap: Gap) -> &'static str {
    match gap {
        Gap::Cost => "cost",
        Gap::OpenType => "open-types",
        Gap::Evaluation => "evaluation",
        Gap::UnicodeClass => "unicode",
        Gap::Null => "null",
        Gap::NewFunction => "new-functions",
    }
}

fn heading(page: &mut String, first: &str) {
    let _ = write!(page, "\n| {first} | we say | the server says |\n|---|---|---|\n");
}

fn row(page: &mut String, first: &str, said: &[Said], causes: &Causes) {
    let ours = cell(said.iter().map(|said| escaped(&shortened(&said.words))).collect(), "*nothing*");
    let theirs = causes.iter().map(|cause| {
        let place = match cause.place.strip_prefix("spec.validation.openAPIV3Schema") {
            _ if cause.place.is_empty() => String::new(),
            Some(rest) => format!("{}: ", code(&format!("…{rest}"))),
            None => format!("{}: ", code(&cause.place)),
        };
        format!("{place}{}", escaped(&shortened(&without_value(&without_drawing(&cause.words)))))
    });
    let _ = writeln!(page, "| {first} | {ours} | {} |", cell(theirs.collect(), "*takes it*"));
}

/// The first sentences, and how many there are besides.
fn cell(mut sentences: Vec<String>, none: &str) -> String {
    let more = sentences.len().saturating_sub(MOST);
    sentences.truncate(MOST);
    match (sentences.is_empty(), more) {
        (true, _) => none.to_owned(),
        (false, 0) => sentences.join("<br>"),
        (false, more) => format!("{}<br>and {more} more", sentences.join("<br>")),
    }
}

/// Without the lines in which the server draws the rule with a hat under the fault.
fn without_drawing(words: &str) -> String {
    let lines: Vec<&str> = words.lines().map(str::trim).filter(|line| !line.starts_with('|')).collect();
    lines.join(" ")
}

/// Without the value that the server repeats, where it is long: `Invalid value: {…}: why` becomes `Invalid value: …: why`.
fn without_value(words: &str) -> String {
    let Some((kind, rest)) = words.split_once(": ") else { return words.to_owned() };
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
    let read = matches!(values.next(), Some(Ok(_)));
    let end = values.byte_offset();
    match rest.get(end..).and_then(|after| after.strip_prefix(": ")) {
        Some(why) if read && end > 60 => format!("{kind}: …: {why}"),
        _ => words.to_owned(),
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// Text as it stands in a table. `<` and `*` and the like mean nothing in it.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut in_code = false;
    for character in in_one_line(text).chars() {
        in_code ^= character == '`';
        match character {
            '|' => escaped.push_str("\\|"),
            '<' | '*' | '_' | '[' | ']' | '\\' if !in_code => {
                escaped.push('\\');
                escaped.push(character);
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

fn code(text: &str) -> String {
    let text = shortened(text).replace('|', "\\|");
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// JSON with the keys of every object in alphabetical order.
fn sorted(value: &Value) -> String {
    match value {
        Value::Object(object) => {
            let mut entries: Vec<(&String, &Value)> = object.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            let entries: Vec<String> = entries
                .iter()
                .map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), sorted(value)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(sorted).collect::<Vec<_>>().join(", ")),
        scalar => scalar.to_string(),
    }
}

/// Compares the page with the one in the tree, or writes it there.
pub(super) fn compare(page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../gen/schema/REFUSALS.md");
    if std::env::var_os("CRD_TESTBED_WRITE").is_some() {
        std::fs::write(&path, page).expect("the page can be written");
        return;
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let first = page.lines().zip(committed.lines()).find(|(now, committed)| now != committed);
    assert!(committed == page, "gen/schema/REFUSALS.md is stale; `{COMMAND}` writes it. First difference: {first:#?}");
}
