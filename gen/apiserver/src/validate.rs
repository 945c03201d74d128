//! Values against schemas: what an API server checks of a custom resource without CEL.
//!
//! Invariants: for a schema that a server accepts, the verdict is that of Kubernetes 1.37, its oddities included,
//! because a default that passes here and fails there (or the other way round) is worse than an oddity:
//! * every keyword checks values of its own kind only, for any `type`; a wrong type does not disable the
//!   other keywords;
//! * a `format` on anything that is not a number makes the check of `type` accept every string and every list;
//! * bounds and `multipleOf` are cut to integers where the value is an integer (`minimum: 1.5` lets 1 through);
//! * `enum` compares after Go's conversions (1.7 is a member of `[1]`, 65 of `["A"]`), and null is a member of no
//!   `enum`;
//! * in a default, `x-kubernetes-int-or-string` does not check the type, unknown formats are not stripped, and
//!   `x-kubernetes-list-type` is not checked (see [`Subject`]).
//!
//! What older servers do differently: the ranges of `int32`, `int64` and `float` are enforced from 1.36 on; the formats
//! `k8s-…` from 1.34 on; before 1.36 a string format is also checked if the type is not `string`.
//!
//! A pattern or a format that cannot be decided is a violation of a default only, and a junctor fails only where it fails for both
//! results. For patterns that is rare: see [`Patterns`].
//!
//! Before it validates, the server drops nulls where the schema is not nullable and fills in defaults: see
//! [`crate::apply_defaults`], which [`validate`] does not call.

pub(crate) mod formats;
pub(crate) mod metadata;
pub(crate) mod names;
pub(crate) mod numbers;
mod patterns;
#[cfg(test)]
mod tests;
pub(crate) mod url;

use std::collections::{HashMap, HashSet};
use std::fmt;

use serde_json::{Map, Number, Value};

use crd_model::schema::{AdditionalProperties, Schema, is_plain_name, kind_of};

use crate::objects::FieldError;
use numbers::{Members, NumberRange, Numeric, is_member, is_nearly_whole};
pub use patterns::Patterns;

/// One thing that a server would refuse, or (see [`ViolationKind::UnknownField`]) drop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What kind of thing.
    pub kind: ViolationKind,
    /// Where in the value: `spec.listeners[0].port`; empty for the value itself.
    pub path: String,
    /// What is wrong, in words.
    pub message: String,
}

impl Violation {
    fn new(kind: ViolationKind, path: &Path, message: &str) -> Self {
        Self { kind, path: path.to_string(), message: message.to_owned() }
    }

    /// What a CEL rule reported of a part of the value.
    pub(crate) fn of_rule(error: FieldError) -> Self {
        let path = if error.field == "<nil>" { String::new() } else { error.field };
        Self { kind: ViolationKind::Rule, path, message: format!("a CEL rule refuses it: {}", error.message) }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            formatter.write_str(&self.message)
        } else {
            write!(formatter, "{}: {}", self.path, self.message)
        }
    }
}

/// What kind of thing is wrong with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ViolationKind {
    /// Not of the schema's type, or null where null is not allowed.
    WrongType,
    /// A required property is absent.
    Missing,
    /// Not one of the values of `enum`.
    NotInEnum,
    /// Beyond `minimum` or `maximum`, no multiple of `multipleOf`, or beyond the numeric format.
    OutOfRange,
    /// Shorter than `minLength` or longer than `maxLength`.
    WrongLength,
    /// `pattern` is nowhere in the text.
    PatternMismatch,
    /// The text has not the `format`.
    FormatMismatch,
    /// Fewer than `minItems` or more than `maxItems`.
    WrongItemCount,
    /// Fewer than `minProperties` or more than `maxProperties`.
    WrongPropertyCount,
    /// An item, or the keys of an item, that the list has already.
    Duplicate,
    /// A property that `additionalProperties: false` forbids.
    Disallowed,
    /// `anyOf`, `oneOf` or `not` does not hold.
    Junctor,
    /// A CEL rule does not hold, or cannot be evaluated.
    Rule,
    /// A pattern or a format of a default that cannot be decided. It counts as refused.
    Undecided,
    /// `apiVersion`, `kind` or `metadata` of a resource is not what Kubernetes demands of every resource.
    Metadata,
    /// A field that the schema does not know. Strict field validation refuses it; otherwise it is dropped silently.
    UnknownField,
}

/// What a value is to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A whole custom resource. Its `apiVersion`, `kind` and `metadata` are checked and need not be in the schema.
    Resource,
    /// A part of a custom resource, or an embedded resource.
    Part,
    /// A default in a CRD.
    Default,
}

/// How to validate.
pub struct Validator<'a> {
    /// Whether a pattern (an RE2 expression) matches somewhere in a text; `None`, "cannot decide", is not a violation. Usually
    /// [`Patterns::matches`].
    pub matches: &'a dyn Fn(&str, &str) -> Option<bool>,
    /// What the values are.
    pub subject: Subject,
}

impl fmt::Debug for Validator<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Validator").field("subject", &self.subject).finish_non_exhaustive()
    }
}

/// Validates a part of a custom resource. For many values of one schema, keep [`Patterns`] for a [`Validator`].
pub fn validate(schema: &Schema, value: &Value) -> Vec<Violation> {
    let patterns = Patterns::default();
    let matches = |pattern: &str, text: &str| patterns.matches(pattern, text);
    Validator { matches: &matches, subject: Subject::Part }.validate(schema, value)
}

impl Validator<'_> {
    /// Everything that is wrong with the value.
    pub fn validate(&self, schema: &Schema, value: &Value) -> Vec<Violation> {
        let mut walk = Walk::new(self, Path::default());
        walk.node(schema, value);
        if self.subject != Subject::Default {
            walk.lists(schema, value);
        }
        walk.resources(schema, value, self.subject == Subject::Resource);
        walk.unknown_fields(Some(schema), value, self.subject == Subject::Resource);
        if self.subject == Subject::Default && walk.undecided && walk.violations.is_empty() {
            walk.fail(
                ViolationKind::Undecided,
                "whether it has its `pattern` or `format` is not decided here, so it counts as refused; use a text of ASCII characters or a \
                 smaller pattern",
            );
        }
        walk.violations
    }
}

/// Whether a bound fits the type and format of its node. Servers since 1.36 refuse every number where one does not.
pub fn fits(schema: &Schema, bound: f64) -> bool {
    let kind = schema.kind.as_deref().filter(|_| !schema.int_or_string);
    let range = NumberRange::of(kind.as_slice(), schema.format.as_deref().unwrap_or_default());
    range.holds(Numeric::Float(bound))
}

/// What is wrong with `apiVersion`, `kind` and `metadata` of an embedded resource, its unknown fields apart.
pub(crate) fn metadata_violations(schema: &Schema, value: &Value) -> Vec<Violation> {
    // The walk over resources looks at no pattern.
    let validator = Validator { matches: &|_, _| None, subject: Subject::Default };
    let mut walk = Walk::new(&validator, Path::default());
    walk.resources(schema, value, false);
    walk.violations
}

/// Where a walk is.
#[derive(Clone, Debug, Default)]
struct Path {
    segments: Vec<Segment>,
}

#[derive(Clone, Debug)]
enum Segment {
    Field(String),
    Item(usize),
}

impl Path {
    fn field<T>(&mut self, name: &str, visit: impl FnOnce(&mut Self) -> T) -> T {
        self.segments.push(Segment::Field(name.to_owned()));
        let result = visit(self);
        self.segments.pop();
        result
    }

    fn item<T>(&mut self, index: usize, visit: impl FnOnce(&mut Self) -> T) -> T {
        self.segments.push(Segment::Item(index));
        let result = visit(self);
        self.segments.pop();
        result
    }
}

impl fmt::Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, segment) in self.segments.iter().enumerate() {
            match segment {
                Segment::Field(name) if is_plain_name(name) => {
                    let dot = if position == 0 { "" } else { "." };
                    write!(formatter, "{dot}{name}")?;
                }
                Segment::Field(name) => write!(formatter, "[{name:?}]")?,
                Segment::Item(index) => write!(formatter, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// The entries of an object, sorted by key.
fn entries(object: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut entries: Vec<(&String, &Value)> = object.iter().collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    entries
}

const INT_OR_STRING: [&str; 2] = ["integer", "string"];

/// What became of an alternative of a junctor.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Holds,
    /// It holds unless a pattern or format that could not be decided does not.
    Undecided,
    Fails(Violation),
}

struct Walk<'v> {
    validator: &'v Validator<'v>,
    path: Path,
    violations: Vec<Violation>,
    /// Whether something could not be decided.
    undecided: bool,
    /// The members of enums, by the address of the first one.
    members: HashMap<*const Value, Option<Members>>,
}

impl<'v> Walk<'v> {
    fn new(validator: &'v Validator<'v>, path: Path) -> Self {
        Self { validator, path, violations: Vec::new(), undecided: false, members: HashMap::new() }
    }

    fn fail(&mut self, kind: ViolationKind, message: impl AsRef<str>) {
        self.violations.push(Violation::new(kind, &self.path, message.as_ref()));
    }

    fn in_field(&mut self, name: &str, visit: impl FnOnce(&mut Self)) {
        self.path.segments.push(Segment::Field(name.to_owned()));
        visit(self);
        self.path.segments.pop();
    }

    fn in_item(&mut self, index: usize, visit: impl FnOnce(&mut Self)) {
        self.path.segments.push(Segment::Item(index));
        visit(self);
        self.path.segments.pop();
    }

    /// The keywords of one node, and of what is below it.
    fn node(&mut self, schema: &Schema, value: &Value) {
        let is_default = self.validator.subject == Subject::Default;
        let single;
        let types: &[&str] = match schema.kind.as_deref() {
            _ if schema.int_or_string && !is_default => &INT_OR_STRING,
            None | Some("") => &[],
            Some(kind) => {
                single = [kind];
                &single
            }
        };
        let format = schema.format.as_deref().filter(|format| is_default || is_kept(format, types)).unwrap_or_default();

        self.type_of(schema, types, format, value);
        if !value.is_null() {
            self.junctors(schema, value);
        }
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::String(text) => self.text(schema, format, text),
            Value::Number(number) => self.number(schema, types, format, Numeric::of(number)),
            Value::Array(items) => self.list(schema, items),
            Value::Object(object) => self.object(schema, object),
        }
        if let Some(allowed) = &schema.enumeration
            && !allowed.is_empty()
            && !self.is_one_of(value, allowed)
        {
            const LISTED: usize = 50;
            let mut listed: Vec<String> = allowed.iter().take(LISTED).map(Value::to_string).collect();
            if allowed.len() > LISTED {
                listed.push(format!("and {} more", allowed.len() - LISTED));
            }
            self.fail(ViolationKind::NotInEnum, format!("{} is not one of {}", short(value), listed.join(", ")));
        }
    }

    /// Long enums are prepared once, because each item of a list may be compared with them.
    fn is_one_of(&mut self, value: &Value, allowed: &[Value]) -> bool {
        let members = self.members.entry(allowed.as_ptr()).or_insert_with(|| Members::of(allowed));
        match members {
            Some(members) => members.contain(value),
            None => allowed.iter().any(|allowed| is_member(value, allowed)),
        }
    }

    fn type_of(&mut self, schema: &Schema, types: &[&str], format: &str, value: &Value) {
        if value.is_null() {
            if !types.is_empty() && !types.contains(&"null") && !schema.nullable {
                self.fail(ViolationKind::WrongType, format!("expected {}, found null", expected(types, format)));
            }
            return;
        }
        if types.is_empty() && format.is_empty() {
            return;
        }
        let (found, found_format, whole_float, integer) = match value {
            Value::Bool(_) => ("boolean", "", false, false),
            Value::Number(number) => match Numeric::of(number) {
                Numeric::Integer(_) => ("integer", "int64", false, true),
                Numeric::Float(float) => ("number", "float64", is_nearly_whole(float), false),
            },
            Value::String(_) => ("string", "", false, false),
            Value::Array(_) => ("array", "", false, false),
            Value::Null | Value::Object(_) => ("object", "", false, false),
        };
        let has = |kind: &str| types.contains(&kind);
        let fits = has(found) || whole_float && has("integer") || integer && has("number");
        let is_text_or_list = matches!(value, Value::String(_) | Value::Array(_));
        if !is_text_or_list && !format.is_empty() && !fits && found_format != format {
            self.fail(
                ViolationKind::WrongType,
                format!("expected {}, found {}", expected(types, format), kind_of(value)),
            );
            return;
        }
        if is_text_or_list && !format.is_empty() && !has("number") && !has("integer") {
            return;
        }
        if !fits {
            let found = if found == "number" && has("integer") { "a number that is not whole" } else { kind_of(value) };
            self.fail(ViolationKind::WrongType, format!("expected {}, found {found}", expected(types, format)));
        }
    }

    fn junctors(&mut self, schema: &Schema, value: &Value) {
        for part in &schema.all_of {
            self.node(part, value);
        }
        if !schema.any_of.is_empty() {
            let verdicts = self.verdicts(&schema.any_of, value);
            if verdicts.contains(&Verdict::Undecided) && !verdicts.contains(&Verdict::Holds) {
                self.undecided = true;
            } else if !verdicts.contains(&Verdict::Holds) {
                self.fail(
                    ViolationKind::Junctor,
                    format!("none of the alternatives of anyOf holds ({})", reasons(&verdicts)),
                );
            }
        }
        if !schema.one_of.is_empty() {
            let verdicts = self.verdicts(&schema.one_of, value);
            match verdicts.iter().filter(|verdict| **verdict == Verdict::Holds).count() {
                0 | 1 if verdicts.contains(&Verdict::Undecided) => self.undecided = true,
                0 => self.fail(
                    ViolationKind::Junctor,
                    format!("none of the alternatives of oneOf holds ({})", reasons(&verdicts)),
                ),
                1 => {}
                many => self.fail(ViolationKind::Junctor, format!("{many} alternatives of oneOf hold instead of one")),
            }
        }
        if let Some(not) = &schema.not {
            match self.verdicts(std::slice::from_ref(not), value).as_slice() {
                [Verdict::Holds] => self.fail(ViolationKind::Junctor, "what `not` forbids holds"),
                [Verdict::Undecided] => self.undecided = true,
                _ => {}
            }
        }
    }

    fn verdicts(&self, alternatives: &[Schema], value: &Value) -> Vec<Verdict> {
        alternatives
            .iter()
            .map(|alternative| {
                let mut walk = Walk::new(self.validator, self.path.clone());
                walk.node(alternative, value);
                match walk.violations.into_iter().next() {
                    Some(violation) => Verdict::Fails(violation),
                    None if walk.undecided => Verdict::Undecided,
                    None => Verdict::Holds,
                }
            })
            .collect()
    }

    fn text(&mut self, schema: &Schema, format: &str, text: &str) {
        // The server stops at the first of these three.
        let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        if let Some(longest) = schema.max_length.filter(|longest| length > *longest) {
            self.fail(ViolationKind::WrongLength, format!("{length} characters are more than maxLength {longest}"));
        } else if let Some(shortest) = schema.min_length.filter(|shortest| length < *shortest) {
            self.fail(ViolationKind::WrongLength, format!("{length} characters are fewer than minLength {shortest}"));
        } else if let Some(pattern) = schema.pattern.as_deref().filter(|pattern| !pattern.is_empty()) {
            match (self.validator.matches)(pattern, text) {
                Some(true) => {}
                Some(false) => {
                    self.fail(ViolationKind::PatternMismatch, format!("{text:?} does not match the pattern {pattern}"))
                }
                None => self.undecided = true,
            }
        }
        match formats::checker(format).map(|check| check(text)) {
            Some(Some(false)) => {
                self.fail(ViolationKind::FormatMismatch, format!("{text:?} does not have the format {format}"))
            }
            Some(None) => self.undecided = true,
            _ => {}
        }
    }

    fn number(&mut self, schema: &Schema, types: &[&str], format: &str, number: Numeric) {
        let range = NumberRange::of(types, format);
        if !range.holds(number) {
            self.fail(ViolationKind::OutOfRange, format!("{} does not fit into {}", show(number), range.name()));
        }
        if let Some(factor) = schema.multiple_of.as_ref().and_then(Number::as_f64) {
            let as_integer = match number {
                Numeric::Integer(integer) if range.holds(Numeric::Float(factor)) => Some(integer),
                _ => None,
            };
            let holds = match as_integer {
                Some(integer) => {
                    let factor = factor as i64;
                    factor > 0 && integer % factor == 0
                }
                None => {
                    let data = number.as_float();
                    let quotient = if factor < 1.0 { 1.0 / factor * data } else { data / factor };
                    factor > 0.0 && is_nearly_whole(quotient)
                }
            };
            if !holds || !range.holds(Numeric::Float(factor)) {
                self.fail(ViolationKind::OutOfRange, format!("{} is not a multiple of {factor}", show(number)));
            }
        }
        let bounds = [
            (&schema.maximum, schema.exclusive_maximum, "maximum"),
            (&schema.minimum, schema.exclusive_minimum, "minimum"),
        ];
        for (bound, exclusive, keyword) in bounds {
            let Some(bound) = bound.as_ref().and_then(Number::as_f64) else { continue };
            let is_usable = range.holds(Numeric::Float(bound));
            let order = match number {
                Numeric::Integer(integer) if is_usable => Some(integer.cmp(&(bound as i64))),
                other => other.as_float().partial_cmp(&bound),
            };
            let Some(order) = order else { continue };
            let order = if keyword == "maximum" { order } else { order.reverse() };
            if order.is_gt() || exclusive && order.is_eq() || !is_usable {
                let kind = if exclusive { "exclusive " } else { "" };
                self.fail(ViolationKind::OutOfRange, format!("{} is beyond the {kind}{keyword} {bound}", show(number)));
            }
        }
    }

    fn list(&mut self, schema: &Schema, items: &[Value]) {
        if let Some(item_schema) = &schema.items {
            for (index, item) in items.iter().enumerate() {
                self.in_item(index, |walk| walk.node(item_schema, item));
            }
        }
        let count = i64::try_from(items.len()).unwrap_or(i64::MAX);
        if let Some(fewest) = schema.min_items.filter(|fewest| count < *fewest) {
            self.fail(ViolationKind::WrongItemCount, format!("{count} items are fewer than minItems {fewest}"));
        }
        if let Some(most) = schema.max_items.filter(|most| count > *most) {
            self.fail(ViolationKind::WrongItemCount, format!("{count} items are more than maxItems {most}"));
        }
        if schema.unique_items {
            let mut seen = HashSet::new();
            if let Some(item) = items.iter().find(|item| !seen.insert(*item)) {
                self.fail(ViolationKind::Duplicate, format!("{} is in the list twice", short(item)));
            }
        }
    }

    fn object(&mut self, schema: &Schema, object: &Map<String, Value>) {
        let count = i64::try_from(object.len()).unwrap_or(i64::MAX);
        if let Some(fewest) = schema.min_properties.filter(|fewest| count < *fewest) {
            self.fail(
                ViolationKind::WrongPropertyCount,
                format!("{count} properties are fewer than minProperties {fewest}"),
            );
        }
        if let Some(most) = schema.max_properties.filter(|most| count > *most) {
            self.fail(
                ViolationKind::WrongPropertyCount,
                format!("{count} properties are more than maxProperties {most}"),
            );
        }
        for (name, value) in entries(object) {
            match (schema.properties.get(name.as_str()), &schema.additional_properties) {
                (Some(property), _) => self.in_field(name, |walk| walk.node(property, value)),
                (None, Some(AdditionalProperties::Values(values))) => {
                    self.in_field(name, |walk| walk.node(values, value))
                }
                (None, Some(AdditionalProperties::Allowed(false))) => {
                    self.in_field(name, |walk| {
                        walk.fail(ViolationKind::Disallowed, "only the named properties are allowed here")
                    });
                }
                (None, _) => {}
            }
        }
        for name in &schema.required {
            if !object.contains_key(name.as_ref()) {
                self.in_field(name, |walk| walk.fail(ViolationKind::Missing, "this required property is absent"));
            }
        }
    }

    /// `x-kubernetes-list-type`: no item twice in a set, no keys twice in a map.
    fn lists(&mut self, schema: &Schema, value: &Value) {
        match value {
            Value::Array(items) => {
                match schema.list_type.as_deref() {
                    Some("set") => self.duplicates(items.iter().map(|item| identity(Some(item))).collect()),
                    Some("map") => self.duplicate_keys(schema, items),
                    _ => {}
                }
                if let Some(item_schema) = &schema.items {
                    for (index, item) in items.iter().enumerate() {
                        self.in_item(index, |walk| walk.lists(item_schema, item));
                    }
                }
            }
            Value::Object(object) => {
                for (name, value) in entries(object) {
                    self.in_field(name, |walk| {
                        if let Some(AdditionalProperties::Values(values)) = &schema.additional_properties {
                            walk.lists(values, value);
                        }
                        if let Some(property) = schema.properties.get(name.as_str()) {
                            walk.lists(property, value);
                        }
                    });
                }
            }
            _ => {}
        }
    }

    fn duplicate_keys(&mut self, schema: &Schema, items: &[Value]) {
        if let Some((index, item)) = items.iter().enumerate().find(|(_, item)| !item.is_object() && !item.is_null()) {
            let message = format!("a list of type map has objects only, found {}", kind_of(item));
            self.in_item(index, |walk| walk.fail(ViolationKind::WrongType, message));
            return;
        }
        let keys = |item: &Value| -> String {
            schema.list_map_keys.iter().map(|key| identity(item.get(key.as_ref()))).collect::<Vec<_>>().join(",")
        };
        self.duplicates(items.iter().map(keys).collect());
    }

    fn duplicates(&mut self, identities: Vec<String>) {
        let mut seen = HashSet::new();
        let mut reported = HashSet::new();
        for (index, identity) in identities.iter().enumerate() {
            if !seen.insert(identity) && reported.insert(identity) {
                self.in_item(index, |walk| {
                    walk.fail(ViolationKind::Duplicate, format!("{identity} is in the list already"))
                });
            }
        }
    }

    /// `apiVersion`, `kind` and `metadata` of the resource and of the resources in it.
    fn resources(&mut self, schema: &Schema, value: &Value, is_root: bool) {
        match value {
            Value::Object(object) => {
                if is_root || schema.embedded_resource {
                    let owner = if is_root { metadata::Owner::Resource } else { metadata::Owner::Embedded };
                    let strict = self.validator.subject != Subject::Default;
                    metadata::check(object, owner, strict, &mut self.path, &mut self.violations);
                }
                for (name, value) in entries(object) {
                    if let Some(below) = schema_of(schema, name).flatten() {
                        self.in_field(name, |walk| walk.resources(below, value, false));
                    }
                }
            }
            Value::Array(items) => {
                if let Some(item_schema) = &schema.items {
                    for (index, item) in items.iter().enumerate() {
                        self.in_item(index, |walk| walk.resources(item_schema, item, false));
                    }
                }
            }
            _ => {}
        }
    }

    /// What pruning would drop.
    fn unknown_fields(&mut self, schema: Option<&Schema>, value: &Value, is_resource: bool) {
        let preserve = schema.is_some_and(|schema| schema.preserve_unknown_fields == Some(true));
        match value {
            Value::Object(object) => {
                let is_resource = is_resource || schema.is_some_and(|schema| schema.embedded_resource);
                for (name, value) in entries(object) {
                    if is_resource && matches!(name.as_str(), "apiVersion" | "kind" | "metadata") {
                        continue;
                    }
                    match schema.and_then(|schema| schema_of(schema, name)) {
                        Some(below) => self.in_field(name, |walk| walk.unknown_fields(below, value, false)),
                        None if preserve => {}
                        None => self.in_field(name, |walk| {
                            walk.fail(ViolationKind::UnknownField, "the schema has no such field");
                        }),
                    }
                }
            }
            Value::Array(items) => {
                let below = schema.and_then(|schema| schema.items.as_deref());
                // Where unknown fields are kept, a list without a schema for its items keeps everything; with one, its
                // items keep what the list keeps.
                for (index, item) in items.iter().enumerate() {
                    match below {
                        None if preserve => {}
                        Some(below) if preserve && below.preserve_unknown_fields != Some(true) => {
                            self.in_item(index, |walk| walk.kept_fields(below, item));
                        }
                        _ => self.in_item(index, |walk| walk.unknown_fields(below, item, false)),
                    }
                }
            }
            _ => {}
        }
    }

    /// Inside an item of a list that keeps unknown fields: what is named is pruned, everything else kept.
    fn kept_fields(&mut self, schema: &Schema, value: &Value) {
        match value {
            Value::Object(object) => {
                for (name, value) in entries(object) {
                    if schema.embedded_resource && matches!(name.as_str(), "apiVersion" | "kind" | "metadata") {
                        continue;
                    }
                    if let Some(below) = schema_of(schema, name) {
                        self.in_field(name, |walk| walk.unknown_fields(below, value, false));
                    }
                }
            }
            Value::Array(items) => {
                if let Some(below) = &schema.items {
                    for (index, item) in items.iter().enumerate() {
                        self.in_item(index, |walk| walk.kept_fields(below, item));
                    }
                }
            }
            _ => {}
        }
    }
}

/// What a schema states about a field: the schema of its value, or nothing about the value where any is allowed. Nothing at all
/// where it has no such field.
fn schema_of<'s>(schema: &'s Schema, name: &str) -> Option<Option<&'s Schema>> {
    match (schema.properties.get(name), &schema.additional_properties) {
        (Some(property), _) => Some(Some(property)),
        (None, Some(AdditionalProperties::Values(values))) => Some(Some(values)),
        // Values of any kind are kept here, but no fields in them.
        (None, Some(AdditionalProperties::Allowed(_))) => Some(None),
        (None, None) => None,
    }
}

/// Whether the server keeps a format for these types; it strips other formats before it validates an object.
fn is_kept(format: &str, types: &[&str]) -> bool {
    match types {
        ["integer"] => matches!(format, "int32" | "int64"),
        ["number"] => matches!(format, "float" | "double"),
        [] | ["string"] | [_, _, ..] => formats::checker(format).is_some(),
        _ => false,
    }
}

fn expected(types: &[&str], format: &str) -> String {
    match (types, format) {
        ([], format) => format!("a value of the format {format}"),
        (types, "") => types.join(" or "),
        (types, format) => format!("{} ({format})", types.join(" or ")),
    }
}

fn reasons(verdicts: &[Verdict]) -> String {
    let reasons = verdicts.iter().filter_map(|verdict| match verdict {
        Verdict::Fails(violation) => Some(violation.to_string()),
        _ => None,
    });
    reasons.collect::<Vec<_>>().join("; ")
}

fn show(number: Numeric) -> String {
    match number {
        Numeric::Integer(integer) => integer.to_string(),
        Numeric::Float(float) => float.to_string(),
    }
}

/// A value in a message: no more than the beginning of a long one.
pub fn short(value: &Value) -> String {
    const LONGEST: usize = 60;
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// A text that two items have in common exactly when the server takes them for the same; `None` is an absent key.
fn identity(value: Option<&Value>) -> String {
    match value {
        None => "(absent)".to_owned(),
        Some(Value::Array(items)) => {
            format!("[{}]", items.iter().map(identity_below).collect::<Vec<_>>().join(","))
        }
        Some(Value::Object(object)) => {
            let entries = entries(object);
            let entries: Vec<String> =
                entries.iter().map(|(key, value)| format!("{key:?}:{}", identity_below(value))).collect();
            format!("{{{}}}", entries.join(","))
        }
        // A scalar item: 1 and 1.0 are two.
        Some(Value::Number(number)) => match Numeric::of(number) {
            Numeric::Integer(integer) => integer.to_string(),
            Numeric::Float(float) => format!("{float:?}"),
        },
        Some(other) => other.to_string(),
    }
}

/// Inside lists and objects the server compares JSON texts, in which 1 and 1.0 are one.
fn identity_below(value: &Value) -> String {
    match value {
        Value::Number(number) => match Numeric::of(number) {
            Numeric::Integer(integer) => integer.to_string(),
            Numeric::Float(float) => format!("{float}"),
        },
        other => identity(Some(other)),
    }
}
