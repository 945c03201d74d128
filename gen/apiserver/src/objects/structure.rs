//! The structure of objects: types, bounds, patterns, formats, enums, required fields, and the keywords that combine schemas.
//!
//! Invariants, those of the server (kube-openapi's validator):
//! * Every keyword checks values of its own kind only, for any `type`; a wrong type does not disable the other keywords.
//! * The order of a node is: type, `anyOf`, `oneOf`, `allOf`, `not`, texts, format, numbers, items, enum, fields.
//! * Of alternatives that all fail, the one with the most successful checks gives its errors.
//! * In an update, the errors of a node that is equal to its stored value do not count (ratcheting). Inside of `allOf` and its like they
//!   do, and so do those of a node without a stored value of its own.
//! * Two errors with one text are one.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crd_model::schema::{AdditionalProperties, Schema};
use crd_regexp::Matcher;
use serde_json::{Map, Number, Value};

use super::correlation::Correlation;
use super::error::{ErrorKind, Report, Shown};
use super::go_text;
use super::path::{Path, Step};
use crate::validate::formats::{Checker, checker, is_separated_mac};
use crate::validate::numbers::{Members, NumberRange, Numeric, is_member, is_nearly_whole, is_same};

/// A schema node with everything that is prepared once for many objects.
#[derive(Debug)]
pub(super) struct Structure {
    types: Types,
    format: Format,
    range: NumberRange,
    matcher: Option<Arc<Matcher>>,
    members: Option<Members>,
    properties: Vec<Structure>,
    items: Option<Box<Structure>>,
    values: Option<Box<Structure>>,
    all_of: Vec<Structure>,
    any_of: Vec<Structure>,
    one_of: Vec<Structure>,
    not: Option<Box<Structure>>,
}

/// The types that a node allows.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Types {
    Any,
    One(String),
    IntegerOrText,
}

impl Types {
    fn has(&self, kind: &str) -> bool {
        match self {
            Self::Any => false,
            Self::One(one) => one == kind,
            Self::IntegerOrText => matches!(kind, "integer" | "string"),
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::Any => "",
            Self::One(one) => one,
            Self::IntegerOrText => "integer,string",
        }
    }
}

/// A format that the server does not ignore.
#[derive(Clone, Debug)]
struct Format {
    /// Empty where there is none.
    name: String,
    checker: Option<Checker>,
}

/// Patterns that were compiled before.
#[derive(Default)]
struct Patterns<'s> {
    compiled: HashMap<&'s str, Option<Arc<Matcher>>>,
    /// The instructions of all of them.
    size: usize,
}

/// How many instructions the patterns of a schema have together. Further ones are not decided.
const LARGEST_PATTERNS: usize = 2_000_000;

impl<'s> Patterns<'s> {
    fn matcher(&mut self, pattern: &'s str) -> Option<Arc<Matcher>> {
        let size = &mut self.size;
        let compile = || {
            let matcher = crd_regexp::recognise(pattern).ok().filter(|_| *size < LARGEST_PATTERNS)?.matcher()?;
            *size += matcher.size();
            Some(Arc::new(matcher))
        };
        self.compiled.entry(pattern).or_insert_with(compile).clone()
    }
}

impl Structure {
    pub(super) fn prepare(schema: &Schema, minor: u32) -> Self {
        Self::node(schema, minor, &mut Patterns::default())
    }

    fn node<'s>(schema: &'s Schema, minor: u32, patterns: &mut Patterns<'s>) -> Self {
        let types = match schema.kind.as_deref() {
            _ if schema.int_or_string => Types::IntegerOrText,
            None | Some("") => Types::Any,
            Some(kind) => Types::One(kind.to_owned()),
        };
        let format = Format::of(schema.format.as_deref().unwrap_or_default(), &types, minor);
        let pattern = schema.pattern.as_deref().filter(|pattern| !pattern.is_empty());
        let matcher = pattern.and_then(|pattern| patterns.matcher(pattern));
        let members = schema.enumeration.as_deref().and_then(Members::of);
        let mut list = |schemas: &'s [Schema]| -> Vec<Self> {
            schemas.iter().map(|schema| Self::node(schema, minor, patterns)).collect()
        };
        let (all_of, any_of, one_of) = (list(&schema.all_of), list(&schema.any_of), list(&schema.one_of));
        let mut one = |schema: Option<&'s Schema>| schema.map(|schema| Box::new(Self::node(schema, minor, patterns)));
        let (not, items, values) = (one(schema.not.as_deref()), one(schema.items.as_deref()), one(schema.values()));
        let properties = schema.properties.values().map(|schema| Self::node(schema, minor, patterns)).collect();
        // Before 1.36, servers do not enforce the range of a number.
        let range = match &types {
            Types::One(kind) if minor >= 36 => NumberRange::of(&[kind], &format.name),
            _ => NumberRange::of(&[], ""),
        };
        Self { range, types, format, matcher, members, properties, items, values, all_of, any_of, one_of, not }
    }

    /// The node of a property, by its position.
    pub(super) fn property(&self, position: usize) -> Option<&Self> {
        self.properties.get(position)
    }

    /// Checks an object, or the status of one. `old` is its stored value in an update.
    pub(super) fn check(&self, schema: &Schema, value: &Value, old: Option<&Correlation<'_>>, report: &mut Report) {
        let (path, found, undecided) = (Path::root(), Vec::new(), Vec::new());
        let mut walk = Walk { path, found, undecided, most: report.most_errors, searching: report.searching };
        walk.node(schema, self, value, old, true);
        let Walk { found, undecided, searching, .. } = walk;
        report.searching = searching;
        let mut texts = HashSet::new();
        for found in found.into_iter().flatten() {
            let Found { name, steps, fault } = *found;
            let text = fault.text(&name);
            if !texts.insert(text.clone()) {
                continue;
            }
            fault.report(&name, steps, &text, report);
        }
        for (name, steps, text) in undecided.into_iter().take(report.most_errors) {
            let steps = report.prefixed(steps);
            let error = report.with_field(ErrorKind::Invalid, name, steps, Shown::Omitted, &text);
            report.undecided.push(error);
        }
    }
}

impl Format {
    fn of(format: &str, types: &Types, minor: u32) -> Self {
        let name: String = format.chars().filter(|character| *character != '-').collect();
        let is_kept = match types {
            Types::One(kind) if kind == "integer" => matches!(format, "int32" | "int64") || before_36(minor, &name),
            Types::One(kind) if kind == "number" => matches!(format, "float" | "double") || before_36(minor, &name),
            Types::One(kind) if kind != "string" => before_36(minor, &name),
            _ => is_known(&name, minor),
        };
        let check = match &*name {
            "mac" if minor < 36 => Some((|text| Some(is_separated_mac(text))) as Checker),
            name => checker(name),
        };
        Self { name: if is_kept { format.to_owned() } else { String::new() }, checker: check.filter(|_| is_kept) }
    }
}

/// Before 1.36, servers keep the formats of strings for every type.
fn before_36(minor: u32, name: &str) -> bool {
    minor < 36 && is_known(name, minor)
}

fn is_known(name: &str, minor: u32) -> bool {
    checker(name).is_some() && (minor >= 34 || !matches!(name, "k8sshortname" | "k8slongname"))
}

/// How many members of an enum a text lists. A server lists all, so that an answer can be as large as the list times the enum.
const LISTED_MEMBERS: usize = 200;

/// One thing that is wrong, before its text is made.
#[derive(Debug)]
struct Found<'w> {
    /// The path in dots.
    name: String,
    steps: Vec<Step>,
    fault: Fault<'w>,
}

/// An error; nothing for one of too many, of which only the number matters. It is small, because an unusable object has one for each value.
type Counted<'w> = Option<Box<Found<'w>>>;

#[derive(Debug)]
enum Fault<'w> {
    /// The expected type or format, and what was found.
    Type {
        expected: String,
        found: String,
    },
    Format {
        format: &'w str,
        text: &'w str,
    },
    Required,
    TooLong(i64),
    TooShort {
        least: i64,
        text: &'w str,
    },
    Pattern {
        pattern: &'w str,
        text: &'w str,
    },
    Enum {
        allowed: &'w [Value],
        value: &'w Value,
    },
    Number {
        value: Numeric,
        text: String,
    },
    /// A `multipleOf` that is not positive.
    Factor(Numeric),
    /// An error that the server reports for the whole object.
    Whole(String),
    TooFewItems {
        least: i64,
        count: usize,
    },
    TooManyItems {
        most: i64,
        count: usize,
    },
    TooFewFields {
        least: i64,
        count: usize,
    },
    TooManyFields {
        most: i64,
        count: usize,
    },
    Repeated,
    NotAllowed(&'w str),
}

impl Fault<'_> {
    /// The text of the validator. Two errors with one text are one error to the server.
    fn text(&self, name: &str) -> String {
        match self {
            Self::Type { expected, found } => {
                format!("{name} in body must be of type {expected}: {}", go_text::quoted(found))
            }
            Self::Format { format, text } => {
                format!("{name} in body must be of type {format}: {}", go_text::quoted(text))
            }
            Self::Required => format!("{name} in body is required"),
            Self::TooLong(most) => format!("{name} in body should be at most {most} chars long"),
            Self::TooShort { least, .. } => format!("{name} in body should be at least {least} chars long"),
            Self::Pattern { pattern, .. } => format!("{name} in body should match '{pattern}'"),
            Self::Enum { allowed, .. } => {
                let allowed: Vec<String> = allowed.iter().take(LISTED_MEMBERS).map(go_text::shown).collect();
                format!("{name} in body should be one of [{}]", allowed.join(" "))
            }
            Self::Number { text, .. } => format!("{name} in body should be {text}"),
            Self::Factor(factor) => {
                format!("factor MultipleOf declared for {name} must be positive: {}", go_text::number(*factor))
            }
            Self::Whole(text) => text.clone(),
            Self::TooFewItems { least, .. } => format!("{name} in body should have at least {least} items"),
            Self::TooManyItems { most, .. } => format!("{name} in body should have at most {most} items"),
            Self::TooFewFields { least, .. } => format!("{name} in body should have at least {least} properties"),
            Self::TooManyFields { most, .. } => format!("{name} in body should have at most {most} properties"),
            Self::Repeated => format!("{name} in body shouldn't contain duplicates"),
            Self::NotAllowed(field) => format!("{name}.{field} in body is a forbidden property"),
        }
    }

    fn report(&self, name: &str, steps: Vec<Step>, text: &str, report: &mut Report) {
        let minor = report.minor;
        let plural = |count: i64, one: &str| {
            if count == 1 && minor >= 34 { one.to_owned() } else { format!("{one}s") }
        };
        let value;
        let (kind, shown, detail) = match self {
            Self::Type { found, .. } => (ErrorKind::TypeInvalid, Shown::Text(found), text.to_owned()),
            Self::Format { text: data, .. } => (ErrorKind::TypeInvalid, Shown::Text(data), text.to_owned()),
            Self::Required => (ErrorKind::Required, Shown::Omitted, String::new()),
            Self::TooLong(most) => {
                (ErrorKind::TooLong, Shown::Omitted, format!("may not be more than {most} {}", plural(*most, "byte")))
            }
            Self::TooShort { text: data, .. } | Self::Pattern { text: data, .. } => {
                (ErrorKind::Invalid, Shown::Text(data), text.to_owned())
            }
            Self::Enum { allowed, value } => {
                let name = |value: &Value| match value {
                    Value::String(text) => go_text::quoted(text),
                    other => go_text::quoted(&go_text::json(other)),
                };
                let more = allowed.len().saturating_sub(LISTED_MEMBERS);
                let allowed: Vec<String> = allowed.iter().take(LISTED_MEMBERS).map(name).collect();
                let mut detail = format!("supported values: {}", allowed.join(", "));
                if more > 0 {
                    detail.push_str(&format!(", and {more} more"));
                }
                (ErrorKind::NotSupported, Shown::Value(value), detail)
            }
            Self::Number { value: number, .. } | Self::Factor(number) => {
                value = match number {
                    Numeric::Integer(integer) => Value::from(*integer),
                    Numeric::Float(float) => Value::from(*float),
                };
                (ErrorKind::Invalid, Shown::Value(&value), text.to_owned())
            }
            Self::Whole(_) => {
                report.structural(ErrorKind::Invalid, "", Vec::new(), Shown::Text(""), text);
                // The server does not say where; the steps do.
                if let Some(error) = report.errors.last_mut() {
                    error.steps = steps;
                }
                return;
            }
            Self::TooFewItems { count, .. } | Self::TooFewFields { count, .. } => {
                (ErrorKind::Invalid, Shown::Count(*count), text.to_owned())
            }
            Self::TooManyItems { most, count } | Self::TooManyFields { most, count } => {
                let detail = format!("must have at most {most} {}", plural(*most, "item"));
                (ErrorKind::TooMany, Shown::Count(*count), detail)
            }
            Self::Repeated => (ErrorKind::Invalid, Shown::Text(""), text.to_owned()),
            Self::NotAllowed(field) => (ErrorKind::Invalid, Shown::Text(field), text.to_owned()),
        };
        report.structural(kind, name, steps, shown, &detail);
    }
}

struct Walk<'w> {
    path: Path<'w>,
    found: Vec<Counted<'w>>,
    /// Path, steps and reason.
    undecided: Vec<(String, Vec<Step>, String)>,
    /// How many errors have their path and text.
    most: usize,
    /// The steps that are left for searches for patterns.
    searching: u64,
}

/// How many checks succeeded. The server prefers the alternative with the most.
type Matches = i64;

impl<'w> Walk<'w> {
    fn fail(&mut self, fault: Fault<'w>) {
        let is_listed = self.found.len() < self.most;
        let found = || Box::new(Found { name: self.path.dotted(), steps: self.path.steps(), fault });
        self.found.push(is_listed.then(found));
    }

    fn node(
        &mut self,
        schema: &'w Schema,
        structure: &'w Structure,
        value: &'w Value,
        old: Option<&Correlation<'w>>,
        is_root: bool,
    ) -> Matches {
        let before = (self.found.len(), self.undecided.len());
        let mut matches = 0;
        let has_type_check = structure.types != Types::Any || !structure.format.name.is_empty();
        if value.is_null() {
            matches += self.type_of(schema, structure, value);
            self.enumeration(schema, structure, value);
        } else {
            if has_type_check {
                matches += self.type_of(schema, structure, value) + 1;
            }
            matches += self.junctors(schema, structure, value) + 1;
            match value {
                Value::Null | Value::Bool(_) => {}
                Value::String(text) => {
                    self.text(schema, structure, text);
                    matches += 1 + Matches::from(structure.format.checker.is_some());
                }
                Value::Number(number) => {
                    self.number(schema, structure, Numeric::of(number));
                    matches += 2;
                }
                Value::Array(items) => matches += self.list(schema, structure, items, old) + 2,
                Value::Object(object) => matches += self.object(schema, structure, object, old, is_root) + 1,
            }
            self.enumeration(schema, structure, value);
            // The check of the enum, and the node.
            matches += 2;
        }
        if before != (self.found.len(), self.undecided.len()) && old.is_some_and(Correlation::is_equal) {
            self.found.truncate(before.0);
            self.undecided.truncate(before.1);
        }
        matches
    }

    fn type_of(&mut self, schema: &Schema, structure: &'w Structure, value: &Value) -> Matches {
        let Structure { types, format: Format { name: format, .. }, .. } = structure;
        let mut fail = |expected: &str, found: &str| {
            self.fail(Fault::Type { expected: expected.to_owned(), found: found.to_owned() });
            0
        };
        if value.is_null() {
            let is_refused = *types != Types::Any && !types.has("null") && !schema.nullable;
            return if is_refused { fail(types.text(), "null") } else { 1 };
        }
        let (found, found_format, whole_float) = match value {
            Value::Bool(_) => ("boolean", "", false),
            Value::Number(number) => match Numeric::of(number) {
                Numeric::Integer(_) => ("integer", "int64", false),
                Numeric::Float(float) => ("number", "float64", is_nearly_whole(float)),
            },
            Value::String(_) => ("string", "", false),
            Value::Array(_) => ("array", "", false),
            Value::Null | Value::Object(_) => ("object", "", false),
        };
        let fits = types.has(found) || whole_float && types.has("integer") || found == "integer" && types.has("number");
        let is_text_or_list = matches!(value, Value::String(_) | Value::Array(_));
        if !is_text_or_list && !format.is_empty() && !fits && found_format != format {
            return fail(format, found_format);
        }
        if is_text_or_list && !format.is_empty() && !types.has("number") && !types.has("integer") {
            return 1;
        }
        if fits { 1 } else { fail(types.text(), found) }
    }

    fn junctors(&mut self, schema: &'w Schema, structure: &'w Structure, value: &'w Value) -> Matches {
        let mut matches = 1;
        if !structure.any_of.is_empty() {
            matches += self.any_of(schema, structure, value);
        }
        if !structure.one_of.is_empty() {
            matches += self.one_of(schema, structure, value);
        }
        if !structure.all_of.is_empty() {
            let mut valid = 0;
            for (schema, structure) in schema.all_of.iter().zip(&structure.all_of) {
                let before = self.found.len();
                matches += self.node(schema, structure, value, None, false);
                valid += usize::from(self.found.len() == before);
            }
            if valid != structure.all_of.len() {
                let none = if valid == 0 { ". None validated" } else { "" };
                self.whole(&format!("must validate all the schemas (allOf){none}"));
            }
        }
        if let (Some(schema), Some(structure)) = (&schema.not, &structure.not) {
            let branch = self.branch(schema, structure, value);
            match branch.verdict() {
                Verdict::Holds => self.whole("must not validate the schema (not)"),
                Verdict::Undecided => self.undecided.extend(branch.undecided),
                Verdict::Fails => {}
            }
        }
        matches
    }

    fn whole(&mut self, text: &str) {
        let text = format!("{} {text}", go_text::quoted(&self.path.dotted()));
        self.fail(Fault::Whole(text));
    }

    fn branch(&mut self, schema: &'w Schema, structure: &'w Structure, value: &'w Value) -> Branch<'w> {
        let (found, undecided) = (self.found.len(), self.undecided.len());
        let matches = self.node(schema, structure, value, None, false);
        Branch { found: self.found.split_off(found), undecided: self.undecided.split_off(undecided), matches }
    }

    fn any_of(&mut self, schema: &'w Schema, structure: &'w Structure, value: &'w Value) -> Matches {
        let mut best: Option<Branch<'w>> = None;
        let mut undecided: Option<Branch<'w>> = None;
        for (schema, structure) in schema.any_of.iter().zip(&structure.any_of) {
            let branch = self.branch(schema, structure, value);
            match branch.verdict() {
                Verdict::Holds => return branch.matches,
                Verdict::Undecided => undecided = undecided.or(Some(branch)),
                Verdict::Fails if best.as_ref().is_none_or(|best| branch.matches > best.matches) => best = Some(branch),
                Verdict::Fails => {}
            }
        }
        if let Some(branch) = undecided {
            self.undecided.extend(branch.undecided);
            return branch.matches;
        }
        self.whole("must validate at least one schema (anyOf)");
        best.map_or(0, |best| {
            self.found.extend(best.found);
            best.matches
        })
    }

    fn one_of(&mut self, schema: &'w Schema, structure: &'w Structure, value: &'w Value) -> Matches {
        let mut best: Option<Branch<'w>> = None;
        let mut first: Option<Matches> = None;
        let mut undecided = Vec::new();
        let mut valid = 0;
        for (schema, structure) in schema.one_of.iter().zip(&structure.one_of) {
            let branch = self.branch(schema, structure, value);
            match branch.verdict() {
                Verdict::Holds => {
                    valid += 1;
                    best = None;
                    first = first.or(Some(branch.matches));
                }
                Verdict::Undecided => undecided.extend(branch.undecided),
                Verdict::Fails if valid == 0 && best.as_ref().is_none_or(|best| branch.matches > best.matches) => {
                    best = Some(branch);
                }
                Verdict::Fails => {}
            }
        }
        if !undecided.is_empty() && valid < 2 {
            self.undecided.extend(undecided);
            return first.unwrap_or_default();
        }
        if valid == 1 {
            return first.unwrap_or_default();
        }
        let how_many =
            if valid == 0 { "Found none valid".to_owned() } else { format!("Found {valid} valid alternatives") };
        self.whole(&format!("must validate one and only one schema (oneOf). {how_many}"));
        best.map_or(0, |best| {
            self.found.extend(best.found);
            best.matches
        })
    }

    fn text(&mut self, schema: &'w Schema, structure: &'w Structure, text: &'w str) {
        // The server stops at the first of these three. A text has at most as many characters as bytes.
        let bytes = i64::try_from(text.len()).unwrap_or(i64::MAX);
        let count = || i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        if let Some(most) = schema.max_length.filter(|most| bytes > *most && count() > *most) {
            self.fail(Fault::TooLong(most));
        } else if let Some(least) = schema.min_length.filter(|least| count() < *least) {
            self.fail(Fault::TooShort { least, text });
        } else if let Some(pattern) = schema.pattern.as_deref().filter(|pattern| !pattern.is_empty()) {
            match structure.matcher.as_ref().and_then(|matcher| matcher.is_match_within(text, &mut self.searching)) {
                Some(true) => {}
                Some(false) => self.fail(Fault::Pattern { pattern, text }),
                None => self.undecided(format!("whether the text matches '{pattern}' is not decided here")),
            }
        }
        if let Some(check) = structure.format.checker {
            match check(text) {
                Some(true) => {}
                Some(false) => self.fail(Fault::Format { format: &structure.format.name, text }),
                None => self.undecided(format!("whether the text is {} is not decided here", structure.format.name)),
            }
        }
    }

    fn undecided(&mut self, text: String) {
        self.undecided.push((self.path.bracketed(), self.path.steps(), text));
    }

    fn enumeration(&mut self, schema: &'w Schema, structure: &'w Structure, value: &'w Value) {
        if let Some(allowed) = &schema.enumeration
            && !allowed.is_empty()
            && !structure.members.as_ref().map_or_else(
                || allowed.iter().any(|allowed| is_member(value, allowed)),
                |members| members.contain(value),
            )
        {
            self.fail(Fault::Enum { allowed, value });
        }
    }

    fn number(&mut self, schema: &Schema, structure: &Structure, number: Numeric) {
        let range = structure.range;
        let out_of_range = |walk: &mut Self, what: &str| {
            let name = walk.path.dotted();
            let kind = structure.types.text();
            let text = match structure.format.name.as_str() {
                "" => format!("{what} value must be of type {kind} (default format) in {name}"),
                format => format!("{what} value must be of type {kind} with format {format} in {name}"),
            };
            walk.fail(Fault::Whole(text));
        };
        if !range.holds(number) {
            out_of_range(self, "Checked");
        }
        // A bound is cut to an integer where the value is one.
        let held = |as_integer: bool, bound: f64| match as_integer {
            true => Numeric::Integer(bound as i64),
            false => Numeric::Float(bound),
        };
        let compared = |is_usable: bool| if is_usable { number } else { Numeric::Float(number.as_float()) };
        let is_integer = matches!(number, Numeric::Integer(_));
        if let Some(factor) = schema.multiple_of.as_ref().and_then(Number::as_f64) {
            let is_usable = range.holds(Numeric::Float(factor));
            if !is_usable {
                out_of_range(self, "MultipleOf");
            }
            let factor = held(is_usable && is_integer, factor);
            if factor.as_float() <= 0.0 {
                self.fail(Fault::Factor(factor));
            } else if !is_multiple(compared(is_usable), factor) {
                let text = format!("a multiple of {}", go_text::number(factor));
                self.fail(Fault::Number { value: compared(is_usable), text });
            }
        }
        let bounds = [
            (&schema.minimum, schema.exclusive_minimum, "Minimum", "greater than"),
            (&schema.maximum, schema.exclusive_maximum, "Maximum", "less than"),
        ];
        for (bound, is_exclusive, keyword, relation) in bounds {
            let Some(bound) = bound.as_ref().and_then(Number::as_f64) else { continue };
            let is_usable = range.holds(Numeric::Float(bound));
            if !is_usable {
                out_of_range(self, &format!("{keyword} boundary"));
            }
            let bound = held(is_usable && is_integer, bound);
            let value = compared(is_usable);
            let order = match (value, bound) {
                (Numeric::Integer(value), Numeric::Integer(bound)) => Some(value.cmp(&bound)),
                (value, bound) => value.as_float().partial_cmp(&bound.as_float()),
            };
            let Some(order) = order else { continue };
            let order = if keyword == "Maximum" { order } else { order.reverse() };
            if order.is_gt() || is_exclusive && order.is_eq() {
                let or_equal = if is_exclusive { "" } else { " or equal to" };
                let text = format!("{relation}{or_equal} {}", go_text::number(bound));
                self.fail(Fault::Number { value, text });
            }
        }
    }

    fn list(
        &mut self,
        schema: &'w Schema,
        structure: &'w Structure,
        items: &'w [Value],
        old: Option<&Correlation<'w>>,
    ) -> Matches {
        let mut matches = 0;
        if let (Some(below), Some(structure)) = (&schema.items, &structure.items) {
            let stored = old.map(Correlation::items);
            for (index, item) in items.iter().enumerate() {
                self.path.push_item(index);
                let old = stored.as_ref().and_then(|stored| stored.of(item));
                matches += self.node(below, structure, item, old.as_ref(), false);
                self.path.pop();
            }
        }
        let count = items.len();
        let size = i64::try_from(count).unwrap_or(i64::MAX);
        if let Some(least) = schema.min_items.filter(|least| size < *least) {
            self.fail(Fault::TooFewItems { least, count });
        }
        if let Some(most) = schema.max_items.filter(|most| size > *most) {
            self.fail(Fault::TooManyItems { most, count });
        }
        if schema.unique_items
            && items.iter().enumerate().any(|(index, item)| items[..index].iter().any(|before| is_same(before, item)))
        {
            self.fail(Fault::Repeated);
        }
        matches
    }

    fn object(
        &mut self,
        schema: &'w Schema,
        structure: &'w Structure,
        object: &'w Map<String, Value>,
        old: Option<&Correlation<'w>>,
        is_root: bool,
    ) -> Matches {
        let mut matches = 0;
        let count = object.len();
        let size = i64::try_from(count).unwrap_or(i64::MAX);
        if let Some(least) = schema.min_properties.filter(|least| size < *least) {
            self.fail(Fault::TooFewFields { least, count });
        }
        if let Some(most) = schema.max_properties.filter(|most| size > *most) {
            self.fail(Fault::TooManyFields { most, count });
        }
        // Keys of maps come first.
        if let Some(additional) = &schema.additional_properties {
            for (name, value) in object.iter().filter(|(name, _)| !schema.properties.contains_key(name)) {
                match (additional, &structure.values) {
                    (AdditionalProperties::Values(below), Some(structure)) => {
                        self.path.push_key(name);
                        let old = old.and_then(|old| old.member(name, is_root));
                        matches += self.node(below, structure, value, old.as_ref(), false);
                        self.path.pop();
                    }
                    (AdditionalProperties::Allowed(false), _) => self.fail(Fault::NotAllowed(name)),
                    _ => {}
                }
            }
        }
        for (name, value) in object {
            let Some((position, below)) = schema.properties.find(name) else { continue };
            let Some(structure) = structure.properties.get(position) else { continue };
            self.path.push_field(name);
            let old = old.and_then(|old| old.member(name, is_root));
            matches += self.node(below, structure, value, old.as_ref(), false);
            self.path.pop();
        }
        for name in schema.required.iter().filter(|name| !object.contains_key(name.as_ref())) {
            let steps = self.path.steps();
            let name = format!("{}.{name}", self.path.dotted());
            self.found.push(Some(Box::new(Found { name, steps, fault: Fault::Required })));
        }
        matches
    }
}

fn is_multiple(number: Numeric, factor: Numeric) -> bool {
    match (number, factor) {
        (Numeric::Integer(integer), Numeric::Integer(factor)) => integer.checked_rem(factor) == Some(0),
        (number, factor) => {
            let (data, factor) = (number.as_float(), factor.as_float());
            let quotient = if factor < 1.0 { 1.0 / factor * data } else { data / factor };
            is_nearly_whole(quotient)
        }
    }
}

/// What became of an alternative.
struct Branch<'w> {
    found: Vec<Counted<'w>>,
    undecided: Vec<(String, Vec<Step>, String)>,
    matches: Matches,
}

enum Verdict {
    Holds,
    /// It holds unless something that was not decided does not.
    Undecided,
    Fails,
}

impl Branch<'_> {
    fn verdict(&self) -> Verdict {
        match (self.found.is_empty(), self.undecided.is_empty()) {
            (false, _) => Verdict::Fails,
            (true, true) => Verdict::Holds,
            (true, false) => Verdict::Undecided,
        }
    }
}
