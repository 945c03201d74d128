//! The CEL by which an object uses something.
//!
//! Invariants: nothing is read before it is known to be there; names and values may hold any characters; a null is never looked into.

use crd_cel::RESERVED;
use serde_json::Value;

use crd_model::schema::Step;

/// A step of the path, and whether its value may be null.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::admission) struct Hop {
    pub(in crate::admission) step: Step,
    pub(in crate::admission) nullable: bool,
}

/// What has to be at the end of the way.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::admission) enum End {
    /// Something, but none of these.
    Other(Vec<Value>),
    Is(Value),
    /// Nothing, or an empty text. The last step is a field.
    Empty,
}

/// Whether what `base` names uses it.
pub(in crate::admission) fn condition(base: &str, way: &[Hop], end: &End) -> String {
    let mut all = Vec::new();
    collect(base, way, end, 1, &mut all);
    if all.is_empty() { "true".to_owned() } else { all.join(" && ") }
}

fn collect(base: &str, way: &[Hop], end: &End, depth: usize, all: &mut Vec<String>) {
    let Some((hop, rest)) = way.split_first() else {
        match end {
            End::Other(values) if values.is_empty() => {}
            End::Other(values) => all.push(format!("!({base} in [{}])", list(values))),
            End::Is(value) => all.push(format!("{base} == {}", literal(value))),
            // Decided where the last step is taken.
            End::Empty => {}
        }
        return;
    };
    if let (Step::Field(name), [], End::Empty) = (&hop.step, rest, end) {
        let name = text(name);
        all.push(format!("(!({name} in {base}) || {base}[{name}] in [dyn(''), dyn(null)])"));
        return;
    }
    let is_field = matches!(hop.step, Step::Field(_));
    let inside = |name: String, all: &mut Vec<String>| {
        if hop.nullable {
            all.push(format!("{name} != null"));
        }
        collect(&name, rest, end, if is_field { depth } else { depth + 1 }, all);
    };
    let each = |variable: String, name: String| {
        let mut conditions = Vec::new();
        inside(name, &mut conditions);
        let conditions = if conditions.is_empty() { "true".to_owned() } else { conditions.join(" && ") };
        format!("{base}.exists({variable}, {conditions})")
    };
    let variable = format!("x{depth}");
    match &hop.step {
        Step::Field(name) if is_identifier(name) => {
            all.push(format!("has({base}.{name})"));
            inside(format!("{base}.{name}"), all);
        }
        Step::Field(name) => {
            all.push(format!("{} in {base}", text(name)));
            inside(format!("{base}[{}]", text(name)), all);
        }
        Step::Item => all.push(each(variable.clone(), variable)),
        Step::Value => all.push(each(variable.clone(), format!("{base}[{variable}]"))),
    }
}

/// A value as CEL writes it.
pub(in crate::admission) fn literal(value: &Value) -> String {
    match value {
        Value::String(string) => text(string),
        Value::Array(items) => format!("[{}]", list(items)),
        Value::Object(entries) => {
            let values = together(entries.values());
            let entries = entries.keys().zip(values).map(|(key, value)| format!("{}: {value}", text(key)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        // Beyond the integers of CEL it is a number of the other kind.
        Value::Number(number) if number.is_u64() && !number.is_i64() => format!("{number}.0"),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

fn list(values: &[Value]) -> String {
    together(values.iter()).join(", ")
}

/// Values of one list or map. A server refuses such literals of several types, unless it cannot see the types.
fn together<'v>(values: impl Iterator<Item = &'v Value> + Clone) -> Vec<String> {
    let is_of_one_type = values.clone().all(Value::is_string) || values.clone().all(Value::is_i64);
    values.map(literal).map(|value| if is_of_one_type { value } else { format!("dyn({value})") }).collect()
}

/// Text as CEL writes it.
pub(in crate::admission) fn text(text: &str) -> String {
    let mut written = String::from("'");
    for character in text.chars() {
        match character {
            '\\' | '\'' => written.extend(['\\', character]),
            control if control.is_control() => written.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => written.push(other),
        }
    }
    written.push('\'');
    written
}

/// Whether a field may be named after a dot: an identifier that CEL does not reserve.
fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|other| other.is_ascii_alphanumeric() || other == '_')
        && !RESERVED.contains(&name)
}
