//! Templates of Helm: what of them is read without Helm.
//!
//! Invariants: a text without its actions has the length and the lines of the template. What an action could print into a CRD, labels and annotations
//! aside, is never left out: such a template is an error.

use crd_model::yaml::{Document, YamlError, documents};
use serde_json::Value;

use super::found::{Found, KIND, TEMPLATE, error, is_in};
use super::skips::LeftOut;
use super::{PassedOver, Source, codes};

/// The parts of the metadata of a CRD that actions may print.
const PRINTED: [&str; 2] = ["labels:", "annotations:"];

/// The text of a template of CRDs without its actions, if they are only around its documents, or print labels and annotations: every condition counts as
/// true. `None` for every other text.
pub(super) fn without_actions(source: &Source) -> Option<String> {
    let is_template = !source.is_rendered && source.text.contains("{{") && is_in("templates", &source.name);
    if !is_template || !source.text.contains(KIND) || makes_other_objects(&source.text) {
        return None;
    }
    let lines = classified(&source.text)?;
    lines.iter().find(|(line, _)| is_kind(line))?;
    let mut kept = vec![true; lines.len()];
    let mut start = 0;
    while start < lines.len() {
        let end =
            lines[start..].iter().position(|(line, _)| line.starts_with("---")).map_or(lines.len(), |at| start + at);
        keep(&lines[start..end], &mut kept[start..end])?;
        start = end + 1;
    }
    let mut text = String::with_capacity(source.text.len());
    for ((line, _), is_kept) in lines.iter().zip(kept) {
        match is_kept {
            true => text.push_str(line),
            false => text.extend(line.chars().flat_map(|one| std::iter::repeat_n(blank(one), one.len_utf8()))),
        }
    }
    Some(text)
}

/// What of such a template is left out.
pub(super) fn note(source: &Source) -> LeftOut {
    LeftOut::new(source.name.clone(), "its actions: `helm` is not used, so every condition counts as true".to_owned())
}

/// A character that is left out. Line breaks stay.
fn blank(character: char) -> char {
    if matches!(character, '\n' | '\r') { character } else { ' ' }
}

/// What a line of a template is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    /// A condition, its end, a comment or a variable: it prints nothing.
    Action,
    /// Blank, or a comment of YAML.
    Empty,
    Content,
}

/// Whether a line states the kind of a CRD, or of an item of a list.
fn is_kind(line: &str) -> bool {
    let line = line.trim();
    let kind = line.strip_prefix("- ").unwrap_or(line).strip_prefix("kind:");
    kind.is_some_and(|kind| kind.trim().trim_matches(['"', '\'']) == KIND)
}

/// The lines with their breaks. `None` if one of two branches is there, or if a loop repeats what is in it.
fn classified(text: &str) -> Option<Vec<(&str, Line)>> {
    let mut is_in_comment = false;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        let action = content.trim_start_matches("{{").trim_start_matches('-').trim_start();
        if prints_nothing(content) && ["else", "range"].iter().any(|word| action.starts_with(word)) {
            return None;
        }
        let is_comment = is_in_comment || content.starts_with("{{") && action.starts_with("/*");
        is_in_comment = is_comment && !content.contains("*/");
        let kind = match () {
            () if is_comment || prints_nothing(content) => Line::Action,
            () if content.is_empty() || content.starts_with('#') => Line::Empty,
            () => Line::Content,
        };
        lines.push((line, kind));
    }
    Some(lines)
}

/// Marks the lines of a document that stay. `None` if an action is elsewhere than around it, or in its labels and annotations.
fn keep(document: &[(&str, Line)], kept: &mut [bool]) -> Option<()> {
    let is_content = |(_, kind): &(&str, Line)| *kind == Line::Content;
    let first = document.iter().position(is_content).unwrap_or(document.len());
    let last = document.iter().rposition(is_content).unwrap_or_default();
    let mut place = Place::Elsewhere;
    for (index, (line, kind)) in document.iter().enumerate() {
        let has_action = line.contains("{{");
        if *kind == Line::Content {
            place = place.of_line(line);
        }
        let is_printed = matches!(place, Place::Printed { .. });
        kept[index] = match kind {
            Line::Action if index < first || index > last => false,
            Line::Action if place != Place::Elsewhere => false,
            Line::Action => return None,
            Line::Empty => !has_action,
            Line::Content if !has_action => true,
            Line::Content if is_printed => false,
            Line::Content => return None,
        };
    }
    Some(())
}

/// The part of a document that a line is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The metadata of the document, without labels and annotations.
    Metadata,
    /// Labels or annotations, below a key with so many columns before it.
    Printed {
        indent: usize,
    },
    Elsewhere,
}

impl Place {
    /// The place of the next line with content.
    fn of_line(self, line: &str) -> Self {
        let indent = line.len() - line.trim_start().len();
        let key = line.trim();
        match self {
            Place::Printed { indent: of_key } if indent > of_key || key.starts_with("{{") => self,
            _ if indent == 0 && key == "metadata:" => Place::Metadata,
            Place::Metadata | Place::Printed { .. } if indent > 0 && PRINTED.contains(&key) => {
                Place::Printed { indent }
            }
            Place::Metadata | Place::Printed { .. } if indent > 0 => Place::Metadata,
            _ => Place::Elsewhere,
        }
    }
}

/// A template of CRDs is an error; other templates are skipped.
pub(super) fn unrendered(source: &Source, wrong: Option<&YamlError>) -> Found {
    let of = |text: &str| source.text.lines().position(|line| line.contains(text)).map(|index| index + 1);
    if source.text.contains(KIND) && !makes_other_objects(&source.text) {
        let line = wrong.map(|wrong| wrong.line).or_else(|| of("{{"));
        let (message, fix) = TEMPLATE;
        return Found::Error(error(codes::TEMPLATE, &source.name, line, None, message, fix));
    }
    let kind = "a Helm template".to_owned();
    Found::PassedOver(PassedOver { kind, name: None, file: source.name.clone(), line: of("{{") })
}

/// Whether a template is a text of whole objects, none of them a CRD, of which Helm only decides whether they are there: without the lines
/// that hold only a condition or similar, it can be read, and the kind of every document is visible. A policy that names CRDs
/// is such a template. What cannot be read without Helm may become anything.
fn makes_other_objects(text: &str) -> bool {
    let lines = text.lines().map(|line| if prints_nothing(line) { "" } else { line });
    let text = lines.flat_map(|line| [line, "\n"]).collect::<String>();
    let mut is_any = false;
    let is_other = |value: &Value| {
        let word = |key: &str| value.get(key).and_then(Value::as_str);
        let is_extension = word("apiVersion").is_some_and(|version| version.starts_with("apiextensions.k8s.io/"));
        // An item of a list is one more object, and a template may print a CRD.
        let is_other = |kind: &str| !kind.starts_with(KIND) && !kind.ends_with("List") && !kind.contains("{{");
        !is_extension && word("kind").is_some_and(is_other)
    };
    for document in documents(&text) {
        match document {
            Ok(Document { value: Value::Null, .. }) => {}
            Ok(Document { value, .. }) if is_other(&value) => is_any = true,
            _ => return false,
        }
    }
    is_any
}

/// Whether a line is one action of a template that prints nothing: a condition, a loop, its end, a comment, or a variable. What other actions
/// print could be anything.
fn prints_nothing(line: &str) -> bool {
    const WORDS: [&str; 5] = ["if", "else", "with", "range", "end"];
    let line = line.trim();
    let Some(action) = line.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}")) else { return false };
    let action = action.strip_prefix('-').unwrap_or(action);
    let action = action.strip_suffix('-').unwrap_or(action).trim();
    if action.contains("{{") || action.contains("}}") {
        return false;
    }
    let first = action.split_whitespace().next().unwrap_or_default();
    let is_comment = action.starts_with("/*") && action.find("*/").is_some_and(|end| end + 2 == action.len());
    let is_variable =
        first.starts_with('$') && action.split_whitespace().nth(1).is_some_and(|sign| sign == ":=" || sign == "=");
    is_comment || is_variable || WORDS.contains(&first)
}
