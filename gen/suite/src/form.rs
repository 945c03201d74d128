//! Writing suites in our form: few bases, and short edits of them.
//!
//! Invariants: what is written reads back as the same cases, except for their lines and a [`crate::Selection`].

use std::collections::BTreeMap;
use std::path::Path;

use crd_model::document::send_value;
use crd_model::path::text;
use crd_model::yaml::{Start, YamlWriter};
use serde_json::{Map, Value, json};

use crate::case::{Case, Expected, NAME, Suite, completed};
use crate::edit::{Edit, differences};
use crate::file::read;
use crate::repeat::{expanded, shortened};

/// A file of the suite.
#[must_use]
pub fn yaml(suite: &Suite) -> String {
    let first = suite.cases.first().map(|case| &case.object);
    let identity = |key: &str| first.and_then(|object| object.get(key)?.as_str()).unwrap_or_default();
    let form = Form { api_version: identity("apiVersion"), kind: identity("kind") };
    let bases = form.bases(&suite.cases);
    let head = [("apiVersion", json!(form.api_version)), ("kind", json!(form.kind)), ("name", json!(suite.name))];
    let mut text = head.iter().map(|(key, value)| line(key, value)).collect::<String>();
    for (index, base) in bases.iter().enumerate() {
        match index {
            0 => text.push_str(&line("base", &shortened(&form.incomplete(base)))),
            index => {
                let heading = if index == 1 { "bases:\n" } else { "" };
                text.push_str(heading);
                let base = line(&name(index), &shortened(&form.incomplete(base)));
                base.lines().for_each(|line| text.push_str(&format!("  {line}\n")));
            }
        }
    }
    text.push_str("cases:\n");
    for case in &suite.cases {
        text.push_str(&self::case(case, &bases));
    }
    text
}

/// The text of a file with more cases at its end, which edit its base. None if the file does not end with its cases, or has values for all cases.
#[must_use]
pub fn added(text: &str, file: &Path, cases: &[Case]) -> Option<String> {
    let mut wanted = read(text, file).ok()?.cases;
    let root = crd_model::yaml::read(text).ok()?.into_iter().next()?;
    let identity = |key: &str| root.get(key).and_then(Value::as_str).unwrap_or_default();
    let base = expanded(root.get("base").unwrap_or(&json!({}))).ok()?;
    let base = completed(base, identity("apiVersion"), identity("kind"));
    let mut text = format!("{}\n", text.trim_end());
    text.extend(cases.iter().map(|case| self::case(case, std::slice::from_ref(&base))));
    wanted.extend(cases.iter().cloned());
    wanted.iter_mut().for_each(|case| case.line = 0);
    let read = read(&text, file).ok()?.cases.into_iter().map(|case| Case { line: 0, ..case });
    read.eq(wanted).then_some(text)
}

/// The name of a base after the first.
fn name(index: usize) -> String {
    format!("base-{}", index + 1)
}

/// The longest line with a list or map in it.
const WIDTH: usize = 110;

struct Form<'s> {
    api_version: &'s str,
    kind: &'s str,
}

impl Form<'_> {
    /// The objects that cases begin with. A case whose edits are longer than most of its object is a base itself.
    fn bases(&self, cases: &[Case]) -> Vec<Value> {
        let mut bases: Vec<Value> = Vec::new();
        for case in cases {
            let edits = bases.iter().map(|base| length(&differences(base, &case.object))).min();
            let whole = shortened(&self.incomplete(&case.object)).to_string().len();
            if edits.is_none_or(|edits| edits > whole * 3 / 4 + 40) {
                bases.push(completed(case.object.clone(), self.api_version, self.kind));
            }
        }
        bases
    }

    /// A base without the parts that reading fills in.
    fn incomplete(&self, base: &Value) -> Value {
        let mut short = base.clone();
        let Some(map) = short.as_object_mut() else { return short };
        map.retain(|key, value| match key.as_str() {
            "apiVersion" => value != self.api_version,
            "kind" => value != self.kind,
            _ => true,
        });
        if let Some(metadata) = map.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.retain(|key, value| key != "name" || value != NAME);
            if metadata.is_empty() {
                map.remove("metadata");
            }
        }
        short
    }
}

/// How long edits are in a file.
fn length(edits: &[Edit]) -> usize {
    let of_value = |value: &Value| shortened(value).to_string().len();
    edits.iter().map(|(path, value)| text(path).len() + 8 + value.as_ref().map_or(0, of_value)).sum()
}

/// The lines of a case.
fn case(case: &Case, bases: &[Value]) -> String {
    let edits = bases.iter().map(|base| differences(base, &case.object));
    let (index, edits) = edits.enumerate().min_by_key(|(_, edits)| length(edits)).unwrap_or_default();
    let base = bases.get(index).unwrap_or(&Value::Null);
    let mut lines = vec![("name", json!(case.name))];
    if index > 0 {
        lines.push(("base", json!(name(index))));
    }
    lines.extend(case.channel.map(|channel| ("channel", json!(channel.name()))));
    lines.extend(case.minors.as_ref().map(|minors| {
        let (first, last) = minors.clone().into_inner();
        ("kubernetes", json!(if first == last { format!("1.{first}") } else { format!("1.{first}..1.{last}") }))
    }));
    if let Some(old) = &case.old {
        let edits = of_edits(&differences(base, old)).into_iter().map(|(key, value)| (key.to_owned(), value));
        let edits = edits.collect::<Map<_, _>>();
        if !case.is_status || !edits.is_empty() {
            lines.push(("old", Value::Object(edits)));
        }
    }
    if case.is_status {
        lines.push(("status", json!(true)));
    }
    lines.extend(of_edits(&edits));
    lines.extend(expectation(&case.expected));
    let lines = lines.iter().map(|(key, value)| line(key, value)).collect::<String>();
    lines.lines().enumerate().map(|(index, line)| format!("{} {line}\n", if index == 0 { "-" } else { " " })).collect()
}

/// The keys of edits.
fn of_edits(edits: &[Edit]) -> Vec<(&'static str, Value)> {
    let set = edits.iter().filter_map(|(path, value)| Some((text(path), shortened(value.as_ref()?))));
    let set = set.collect::<Map<_, _>>();
    let removed = edits.iter().filter(|(_, value)| value.is_none()).map(|(path, _)| Value::String(text(path)));
    let removed = removed.collect::<Vec<_>>();
    let keys = [("set", Value::Object(set)), ("remove", Value::Array(removed))];
    keys.into_iter().filter(|(_, value)| *value != json!({}) && *value != json!([])).collect()
}

/// The keys of an expected answer, as they are in a file.
#[must_use]
pub fn expectation(expected: &Expected) -> BTreeMap<&'static str, Value> {
    match expected {
        Expected::Refused(parts) if parts.len() == 1 => [("refused", json!(parts[0]))].into(),
        Expected::Refused(parts) => [("refused", json!(parts))].into(),
        Expected::RefusedWith(part) => [("refused", json!(part))].into(),
        Expected::Accepted { stored, parts, warnings } => {
            let of_part = |(path, value): &Edit| (text(path), value.as_ref().map_or(Value::Null, shortened));
            let parts = (!parts.is_empty()).then(|| ("accepted", Value::Object(parts.iter().map(of_part).collect())));
            let stored = stored.as_ref().map(|stored| ("stored", shortened(stored)));
            parts
                .into_iter()
                .chain(stored)
                .chain(warnings.as_ref().map(|warnings| ("warnings", json!(warnings))))
                .collect()
        }
    }
}

/// The lines of a key. What fits into one line is written in one.
pub(crate) fn line(key: &str, value: &Value) -> String {
    let is_empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty) || value == &json!({});
    if (value.is_array() || value.is_object()) && !is_empty(value) {
        let flow = format!("{}: {}\n", scalar(&json!(key), false), in_line(value));
        if flow.chars().count() <= WIDTH {
            return flow;
        }
    }
    let indented = |text: String, first: &str| {
        let lines = text.lines().enumerate();
        lines.map(|(index, line)| format!("{}{line}\n", if index == 0 { first } else { "  " })).collect::<String>()
    };
    let below = match value {
        Value::Object(map) => map.iter().map(|(key, value)| indented(line(key, value), "  ")).collect::<String>(),
        Value::Array(items) => items.iter().map(|item| indented(self::item(item), "- ")).collect(),
        _ => String::new(),
    };
    match below.is_empty() {
        true if is_empty(value) => format!("{}: {}\n", scalar(&json!(key), false), in_line(value)),
        true => format!("{}: {}\n", scalar(&json!(key), false), scalar(value, false)),
        false => format!("{}:\n{below}", scalar(&json!(key), false)),
    }
}

/// The lines of an item of a list.
fn item(value: &Value) -> String {
    let short = in_line(value);
    match value {
        Value::Object(map) if !map.is_empty() && short.chars().count() > WIDTH => {
            map.iter().map(|(key, value)| line(key, value)).collect()
        }
        Value::Array(_) | Value::Object(_) => format!("{short}\n"),
        value => format!("{}\n", scalar(value, false)),
    }
}

/// A value in one line: `{ $repeat: [a, 16] }`.
fn in_line(value: &Value) -> String {
    let joined = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::Array(items) => format!("[{}]", joined(items.iter().map(in_line).collect())),
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Object(map) => {
            let entry = |(key, value): (&String, &Value)| format!("{}: {}", scalar(&json!(key), true), in_line(value));
            format!("{{ {} }}", joined(map.iter().map(entry).collect()))
        }
        value => scalar(value, true),
    }
}

/// A text, number or other value without parts. In flow style, a text with characters of that style is quoted.
fn scalar(value: &Value, is_flow: bool) -> String {
    let mut writer = YamlWriter::new(Start::None);
    send_value(&json!({ "k": value }), &mut writer);
    let text = writer.finish();
    let text = text.trim_start_matches("k:").trim();
    match text.contains(['\n', '{', '}', '[', ']', ',']) && is_flow || text.contains('\n') {
        true => value.to_string(),
        false => text.to_owned(),
    }
}
