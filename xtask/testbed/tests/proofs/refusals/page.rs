//! The page `docs/reference/refusals.md`: the messages of the engine for malformed CRDs, next to those of the server.
//!
//! Invariants: the same documents and the same server give the same bytes, whatever the order of the server's answers and of JSON maps.

use std::fmt::Write as _;

use crd_apiserver::refusal::Authority;
use serde_json::Value;

use crate::pages::filled;

use super::engine::Finding;
use super::malformed::{Expected, Gap, specimen};
use super::server_answers::Causes;
use super::{Tested, TestedRow};

/// The maximum length of a text in a cell, in characters.
const LONGEST: usize = 300;

/// The maximum number of messages in a cell.
const MOST_MESSAGES: usize = 3;

/// The whole page.
pub(super) fn render(examples: &[Tested], rows: &[TestedRow], minor: &str) -> String {
    let mut page = String::new();
    heading(&mut page, "rule");
    for rule in examples.chunk_by(|one, other| one.rule.id == other.rule.id) {
        let Some(tested) = rule.iter().find(|tested| tested.is_bad) else { continue };
        let mark = match tested.rule.authority {
            Authority::Server => "",
            Authority::House => " (*engine only*)",
            Authority::Advice => " (*warning*)",
        };
        let first = format!("`{}`{mark}<br>{}", tested.rule.id, code(&in_one_line(tested.edit)));
        let findings: Vec<Finding> =
            tested.findings.iter().filter(|finding| finding.rule == tested.rule.id).cloned().collect();
        row(&mut page, &first, &findings, &tested.causes);
    }
    for section in rows.chunk_by(|one, other| one.row.section == other.row.section) {
        let _ = write!(page, "\n## {}\n", section[0].row.section);
        heading(&mut page, "document");
        for TestedRow { row: malformed, findings, causes } in section {
            let mark = match malformed.expected {
                Expected::Refused | Expected::Accepted | Expected::RefusedByEngine => String::new(),
                Expected::RefusedSince(since) => format!(" (refused from 1.{since} on)"),
                Expected::Unreadable(gap) | Expected::AcceptedByEngine(gap) => {
                    format!(" ([{}](#{}))", name(gap), name(gap))
                }
                Expected::AcceptedByEngineUntil(until, gap) => {
                    format!(" ([{}](#{}): refused up to 1.{until})", name(gap), name(gap))
                }
            };
            row(&mut page, &format!("{}{mark}<br>{}", malformed.what, code(&shown(&malformed.edit))), findings, causes);
        }
    }
    let gaps = Gap::ALL.map(|gap| format!("\n### {}\n\n{}\n", name(gap), gap.reason())).concat();
    filled(
        include_str!("page.md"),
        &[("minor", minor), ("specimen", &sorted(&specimen())), ("rules and documents", &page), ("gaps", &gaps)],
    )
}

/// The edit, or only the CEL rule if the edit consists of it.
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
        Gap::Evaluation => "evaluation",
        Gap::Null => "null",
        Gap::NewFunction => "new-functions",
    }
}

fn heading(page: &mut String, first: &str) {
    let _ = write!(page, "\n| {first} | engine | server |\n|---|---|---|\n");
}

fn row(page: &mut String, first: &str, findings: &[Finding], causes: &Causes) {
    let ours = cell(findings.iter().map(|findings| escaped(&shortened(&findings.words))).collect(), "*accepted*");
    let theirs = causes.iter().map(|cause| {
        let place = match cause.place.strip_prefix("spec.validation.openAPIV3Schema") {
            _ if cause.place.is_empty() => String::new(),
            Some(rest) => format!("{}: ", code(&format!("…{rest}"))),
            None => format!("{}: ", code(&cause.place)),
        };
        format!("{place}{}", escaped(&shortened(&without_value(&without_drawing(&cause.words)))))
    });
    let _ = writeln!(page, "| {first} | {ours} | {} |", cell(theirs.collect(), "*accepted*"));
}

/// The first messages, and the number of further messages.
fn cell(mut sentences: Vec<String>, none: &str) -> String {
    let more = sentences.len().saturating_sub(MOST_MESSAGES);
    sentences.truncate(MOST_MESSAGES);
    match (sentences.is_empty(), more) {
        (true, _) => none.to_owned(),
        (false, 0) => sentences.join("<br>"),
        (false, more) => format!("{}<br>and {more} more", sentences.join("<br>")),
    }
}

/// The message without the lines in which the server marks the error in the rule.
fn without_drawing(words: &str) -> String {
    let lines: Vec<&str> = words.lines().map(str::trim).filter(|line| !line.starts_with('|')).collect();
    lines.join(" ")
}

/// The message without a long value that the server repeats: `Invalid value: {…}: why` becomes `Invalid value: …: why`.
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

/// Text for a table, with Markdown characters such as `<` and `*` escaped.
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
