//! What is wrong with the structure of an object, in the server's words.
//!
//! Invariants: two structural errors with one text are one.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crd_model::schema::{Keyword, Schema};
use crd_regexp::Matcher;
use serde_json::Value;

use super::error::{Broken, ErrorKind, FieldError, Origin, Report, Shown};
use crate::correlation::Correlation;
use crate::go_text;
use crate::numbers::Numeric;
use crate::path::{Combinator, Path};
use crate::structure::{
    Alternatives, Counted, Dialect, Fault, Found, Limit, Types, Walk, duplicates, format_of, keys_of, type_name,
};

/// The patterns of a schema, compiled once for many objects.
#[derive(Clone, Debug, Default)]
pub(super) struct Patterns {
    /// Nothing for a pattern that is not valid or too large.
    compiled: HashMap<Arc<str>, Option<Arc<Matcher>>>,
    /// The instructions of all of them.
    size: usize,
}

/// How many instructions the patterns of a schema have together. Further ones are not decided.
const LARGEST_PATTERNS: usize = 2_000_000;

impl Patterns {
    pub(super) fn prepare(schema: &Schema) -> Self {
        let mut patterns = Self::default();
        patterns.add(schema);
        patterns
    }

    /// Adds the patterns of a schema.
    pub(super) fn add(&mut self, schema: &Schema) {
        if let Some(pattern) = schema.pattern.as_deref().filter(|pattern| !self.compiled.contains_key(*pattern)) {
            let matcher = crd_regexp::recognise(pattern).ok().filter(|_| self.size < LARGEST_PATTERNS);
            let matcher = matcher.and_then(|pattern| pattern.matcher());
            self.size += matcher.as_ref().map_or(0, Matcher::size);
            self.compiled.insert(pattern.into(), matcher.map(Arc::new));
        }
        let combined = schema.all_of.iter().chain(&schema.any_of).chain(&schema.one_of).chain(schema.not.as_deref());
        let below = schema.properties.values().chain(schema.items.as_deref()).chain(schema.values());
        combined.chain(below).for_each(|schema| self.add(schema));
    }

    /// Checks an object, or the status of one. `old` is its stored value in an update.
    pub(super) fn check<'w>(
        &self,
        schema: &'w Schema,
        value: &'w Value,
        old: Option<&Correlation<'w>>,
        report: &mut Report,
    ) {
        let searching = Cell::new(report.searching);
        let matches = |pattern: &str, text: &str| {
            let mut left = searching.get();
            let found = self.compiled.get(pattern)?.as_ref()?.is_match_within(text, &mut left);
            searching.set(left);
            found
        };
        let mut walk = Walk::new(Dialect { minor: report.minor, is_default: false }, &matches, report.most_errors);
        walk.node(schema, value, old, &Path::ROOT);
        let Walk { found, undecided, .. } = walk;
        report.searching = searching.get();
        let mut server = Server { report, texts: HashSet::new() };
        server.all(&found);
        for found in undecided.iter().take(server.report.most_errors) {
            server.undecided(found);
        }
    }
}

/// Reports items that lists of type `set` and `map` have twice. In an update, nothing is reported if the stored object has such an error.
pub(super) fn check_lists(schema: &Schema, old: Option<&Value>, object: &Value, report: &mut Report) {
    let found = duplicates(schema, object);
    if !found.is_empty() && old.is_some_and(|old| !duplicates(schema, old).is_empty()) {
        return;
    }
    for found in found {
        let value;
        let keys_listed = !matches!(found.fault, Fault::Duplicate { keys: None, .. });
        let (kind, shown, detail) = match found.fault {
            Fault::NotAnObject(item) => {
                (ErrorKind::Invalid, Shown::Value(item), "must be an object for an array of list-type map")
            }
            Fault::Duplicate { item, keys: None } => (ErrorKind::Duplicate, Shown::Value(item), ""),
            Fault::Duplicate { item, keys: Some(keys) } => {
                value = keys_of(item, keys);
                (ErrorKind::Duplicate, Shown::Value(&value), "")
            }
            _ => continue,
        };
        let steps = found.trail.steps();
        let keyword = if keys_listed { Keyword::ListMapKeys } else { Keyword::ListType };
        let list = steps[..steps.len().saturating_sub(1)].to_vec();
        let origins = vec![Origin { steps: list, branches: Vec::new(), broken: Broken::Keyword(keyword) }];
        let error = report.with_field(kind, found.trail.bracketed(), steps, shown, detail);
        report.errors.push(FieldError { origins, ..error });
    }
}

/// How many members of an enum a text lists. A server lists all, so that an answer can be as large as the list times the enum.
const LISTED_MEMBERS: usize = 200;

/// Adds what is broken, and what alone keeps another branch from holding. The faults of the best branch are errors of their own.
fn add_origins(found: &Found<'_>, origins: &mut Vec<Origin>) {
    origins.extend(broken(&found.fault).map(|broken| Origin::at(&found.trail, broken)));
    let Fault::Combined { valid: 0, failed, .. } = &found.fault else { return };
    let others = failed.faults.iter().enumerate().filter(|(index, _)| *index != failed.best);
    for (_, faults) in others {
        if let [Some(only)] = &faults[..] {
            add_origins(only, origins);
        }
    }
}

fn broken(fault: &Fault<'_>) -> Option<Broken> {
    Some(Broken::Keyword(match fault {
        Fault::Required(name) => return Some(Broken::Required((*name).to_owned())),
        Fault::Type { .. } | Fault::Number { limit: Limit::Range(_), format: "", .. } => Keyword::Type,
        Fault::Format { .. } | Fault::Number { limit: Limit::Range(_), .. } => Keyword::Format,
        Fault::NotAllowed(_) => Keyword::AdditionalProperties,
        Fault::Length { is_most: true, .. } => Keyword::MaxLength,
        Fault::Length { .. } => Keyword::MinLength,
        Fault::Pattern { .. } => Keyword::Pattern,
        Fault::Enum { .. } => Keyword::Enum,
        Fault::Number { limit: Limit::MultipleOf(_), .. } => Keyword::MultipleOf,
        Fault::Number { limit: Limit::Minimum { .. }, .. } => Keyword::Minimum,
        Fault::Number { limit: Limit::Maximum { .. }, .. } => Keyword::Maximum,
        Fault::Count { what: "items", is_most: true, .. } => Keyword::MaxItems,
        Fault::Count { what: "items", .. } => Keyword::MinItems,
        Fault::Count { is_most: true, .. } => Keyword::MaxProperties,
        Fault::Count { .. } => Keyword::MinProperties,
        Fault::Repeated(_) => Keyword::UniqueItems,
        Fault::Combined { combinator: Combinator::AnyOf, .. } => Keyword::AnyOf,
        Fault::Combined { combinator: Combinator::OneOf, .. } => Keyword::OneOf,
        Fault::Combined { combinator: Combinator::Not, .. } => Keyword::Not,
        // The parts are errors of their own.
        Fault::Combined { combinator: Combinator::AllOf, .. }
        | Fault::Duplicate { .. }
        | Fault::NotAnObject(_)
        | Fault::UndecidedPattern(_)
        | Fault::UndecidedFormat(_) => return None,
    }))
}

/// Writes faults as errors of a server.
struct Server<'r> {
    report: &'r mut Report,
    /// The texts of the validator so far.
    texts: HashSet<String>,
}

impl Server<'_> {
    fn all(&mut self, found: &[Counted<'_>]) {
        found.iter().flatten().for_each(|found| self.one(found));
    }

    fn one(&mut self, found: &Found<'_>) {
        let name = &found.trail.dotted();
        match &found.fault {
            Fault::Type { types, format, value, is_of_format } => {
                let (expected, found_type) =
                    if *is_of_format { (*format, format_of(value)) } else { (types_text(*types), type_name(value)) };
                let text = format!("{name} in body must be of type {expected}: {}", go_text::quoted(found_type));
                self.error(found, ErrorKind::TypeInvalid, Shown::Text(found_type), text);
            }
            Fault::Format { format, text: data } => {
                let text = format!("{name} in body must be of type {format}: {}", go_text::quoted(data));
                self.error(found, ErrorKind::TypeInvalid, Shown::Text(data), text);
            }
            Fault::Required(field) => {
                let text = format!("{name}.{field} in body is required");
                self.detailed(found, &format!("{name}.{field}"), ErrorKind::Required, Shown::Omitted, text, "");
            }
            Fault::NotAllowed(field) => {
                let text = format!("{name}.{field} in body is a forbidden property");
                self.error(found, ErrorKind::Invalid, Shown::Text(field), text);
            }
            Fault::Length { limit, is_most: true, .. } => {
                let text = format!("{name} in body should be at most {limit} chars long");
                let detail = format!("may not be more than {limit} {}", self.plural(*limit, "byte"));
                self.detailed(found, name, ErrorKind::TooLong, Shown::Omitted, text, &detail);
            }
            Fault::Length { limit, is_most: false, text: data } => {
                let text = format!("{name} in body should be at least {limit} chars long");
                self.error(found, ErrorKind::Invalid, Shown::Text(data), text);
            }
            Fault::Pattern { pattern, text: data } => {
                let text = format!("{name} in body should match '{pattern}'");
                self.error(found, ErrorKind::Invalid, Shown::Text(data), text);
            }
            Fault::Enum { allowed, value } => self.not_in_enum(found, name, allowed, value),
            Fault::Number { .. } => self.number(found, name),
            Fault::Count { what, limit, is_most: false, count } => {
                let text = format!("{name} in body should have at least {limit} {what}");
                self.error(found, ErrorKind::Invalid, Shown::Count(*count), text);
            }
            Fault::Count { what, limit, is_most: true, count } => {
                let text = format!("{name} in body should have at most {limit} {what}");
                let detail = format!("must have at most {limit} {}", self.plural(*limit, "item"));
                self.detailed(found, name, ErrorKind::TooMany, Shown::Count(*count), text, &detail);
            }
            Fault::Repeated(_) => {
                let text = format!("{name} in body shouldn't contain duplicates");
                self.error(found, ErrorKind::Invalid, Shown::Text(""), text);
            }
            Fault::Combined { combinator, valid, failed } => self.combined(found, *combinator, *valid, failed),
            Fault::Duplicate { .. }
            | Fault::NotAnObject(_)
            | Fault::UndecidedPattern(_)
            | Fault::UndecidedFormat(_) => {}
        }
    }

    fn combined(&mut self, found: &Found<'_>, combinator: Combinator, valid: usize, failed: &Alternatives<'_>) {
        let text = match (combinator, valid) {
            (Combinator::AllOf, 0) => "must validate all the schemas (allOf). None validated",
            (Combinator::AllOf, _) => "must validate all the schemas (allOf)",
            (Combinator::AnyOf, _) => "must validate at least one schema (anyOf)",
            (Combinator::OneOf, 0) => "must validate one and only one schema (oneOf). Found none valid",
            (Combinator::OneOf, valid) => {
                &format!("must validate one and only one schema (oneOf). Found {valid} valid alternatives")
            }
            (Combinator::Not, _) => "must not validate the schema (not)",
        };
        self.whole(found, format!("{} {text}", go_text::quoted(&found.trail.dotted())));
        if let Some(best) = failed.faults.get(failed.best).filter(|_| valid == 0) {
            self.all(best);
        }
    }

    /// An error whose detail is the text of the validator.
    fn error(&mut self, found: &Found<'_>, kind: ErrorKind, shown: Shown<'_>, text: String) {
        self.detailed(found, &found.trail.dotted(), kind, shown, text.clone(), &text);
    }

    /// An error that the server reports for the whole object. Only the steps are those of the value.
    fn whole(&mut self, found: &Found<'_>, text: String) {
        self.detailed(found, "", ErrorKind::Invalid, Shown::Text(""), text.clone(), &text);
    }

    fn detailed(
        &mut self,
        found: &Found<'_>,
        name: &str,
        kind: ErrorKind,
        shown: Shown<'_>,
        text: String,
        detail: &str,
    ) {
        if self.texts.insert(text) {
            let mut origins = Vec::new();
            add_origins(found, &mut origins);
            self.report.structural(kind, name, found.trail.steps(), origins, shown, detail);
        }
    }

    fn plural(&self, count: i64, one: &str) -> String {
        if count == 1 && self.report.minor >= 34 { one.to_owned() } else { format!("{one}s") }
    }

    fn not_in_enum(&mut self, found: &Found<'_>, name: &str, allowed: &[Value], value: &Value) {
        let listed = allowed.iter().take(LISTED_MEMBERS);
        let text: Vec<String> = listed.clone().map(go_text::shown).collect();
        let text = format!("{name} in body should be one of [{}]", text.join(" "));
        let quoted = |value: &Value| match value {
            Value::String(text) => go_text::quoted(text),
            other => go_text::quoted(&go_text::json(other)),
        };
        let members: Vec<String> = listed.map(quoted).collect();
        let mut detail = format!("supported values: {}", members.join(", "));
        if allowed.len() > LISTED_MEMBERS {
            detail.push_str(&format!(", and {} more", allowed.len() - LISTED_MEMBERS));
        }
        self.detailed(found, name, ErrorKind::NotSupported, Shown::Value(value), text, &detail);
    }

    fn number(&mut self, found: &Found<'_>, name: &str) {
        let Fault::Number { number, limit, types, format, breach } = found.fault else { return };
        let (what, relation, is_exclusive) = match limit {
            Limit::Range(_) => ("Checked", "", true),
            Limit::MultipleOf(_) => ("MultipleOf", "a multiple of", true),
            Limit::Minimum { is_exclusive, .. } => ("Minimum boundary", "greater than", is_exclusive),
            Limit::Maximum { is_exclusive, .. } => ("Maximum boundary", "less than", is_exclusive),
        };
        let is_of_range = matches!(limit, Limit::Range(_));
        if breach.is_unusable || is_of_range {
            let kind = types_text(types);
            let text = match format {
                "" => format!("{what} value must be of type {kind} (default format) in {name}"),
                format => format!("{what} value must be of type {kind} with format {format} in {name}"),
            };
            self.whole(found, text);
        }
        if !breach.is_broken || is_of_range {
            return;
        }
        let json = |number| match number {
            Numeric::Integer(integer) => Value::from(integer),
            Numeric::Float(float) => Value::from(float),
        };
        let (number, bound) = limit.compared(number, breach.range);
        let shown = go_text::number(bound);
        if matches!(limit, Limit::MultipleOf(_)) && bound.as_float() <= 0.0 {
            let text = format!("factor MultipleOf declared for {name} must be positive: {shown}");
            return self.error(found, ErrorKind::Invalid, Shown::Value(&json(bound)), text);
        }
        let or_equal = if is_exclusive { "" } else { " or equal to" };
        let text = format!("{name} in body should be {relation}{or_equal} {shown}");
        self.error(found, ErrorKind::Invalid, Shown::Value(&json(number)), text);
    }

    fn undecided(&mut self, found: &Found<'_>) {
        let text = match found.fault {
            Fault::UndecidedPattern(pattern) => format!("whether the text matches '{pattern}' is not decided here"),
            Fault::UndecidedFormat(format) => format!("whether the text is {format} is not decided here"),
            _ => return,
        };
        let steps = self.report.prefixed(found.trail.steps());
        let name = found.trail.bracketed();
        let error = self.report.with_field(ErrorKind::Invalid, name, steps, Shown::Omitted, &text);
        self.report.undecided.push(error);
    }
}

fn types_text(types: Types<'_>) -> &str {
    match types {
        Types::Any => "",
        Types::One(kind) => kind,
        Types::IntegerOrText => "integer,string",
    }
}
