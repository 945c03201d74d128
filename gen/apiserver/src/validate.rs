//! Values against schemas, in words: what the newest API server refuses of a custom resource or of a default, without CEL.
//!
//! Invariants: for a schema that a server accepts, the verdict is that of Kubernetes 1.37, its oddities included,
//! because a default that passes here and fails there (or the other way round) is worse than an oddity:
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

mod patterns;
#[cfg(test)]
mod tests;

use std::fmt;

use serde_json::Value;

use crd_model::path::{self, Step};
use crd_model::schema::{Schema, Text, kind_of};

use crate::numbers::{NumberRange, Numeric};
use crate::objects::{ErrorKind, FieldError, MINORS, ResourceFaults, resource_faults};
use crate::path::{Combinator, Path};
use crate::prune::unknown_fields;
use crate::structure::{Alternatives, Dialect, Fault, Found, Limit, Types, Walk, duplicates, type_name};
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
    /// `apiVersion`, `kind` or `metadata` of a resource is not what Kubernetes demands of every resource. The message is that of a server.
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
    /// Everything that is wrong with the value for the newest minor.
    pub fn validate(&self, schema: &Schema, value: &Value) -> Vec<Violation> {
        self.validate_on(MINORS.1, schema, value)
    }

    /// The same for a Kubernetes minor (1.x).
    pub(crate) fn validate_on(&self, minor: u32, schema: &Schema, value: &Value) -> Vec<Violation> {
        let is_default = self.subject == Subject::Default;
        let is_resource = self.subject == Subject::Resource;
        let mut walk = Walk::new(Dialect { minor, is_default }, self.matches, usize::MAX);
        walk.node(schema, value, None, &Path::ROOT);
        let mut violations: Vec<Violation> = walk.found.iter().flatten().filter_map(|found| violation(found)).collect();
        if !is_default {
            violations.extend(duplicates(schema, value).iter().filter_map(violation));
        }
        violations.extend(metadata_violations(schema, value, self.subject));
        unknown_fields(schema, value, is_resource, &mut |path| {
            let (path, message) = (path::text(&path.trail().steps()), "the schema has no such field".to_owned());
            violations.push(Violation { kind: ViolationKind::UnknownField, path, message });
        });
        if is_default && !walk.undecided.is_empty() && violations.is_empty() {
            let message = "whether it has its `pattern` or `format` is not decided here, so it counts as refused; use a text of ASCII \
                           characters or a smaller pattern";
            let (path, message) = (String::new(), message.to_owned());
            violations.push(Violation { kind: ViolationKind::Undecided, path, message });
        }
        violations
    }
}

/// Whether a bound fits the type and format of its node. Servers since 1.36 refuse every number where one does not.
pub fn fits(schema: &Schema, bound: f64) -> bool {
    let kind = schema.kind.as_deref().filter(|_| !schema.int_or_string);
    NumberRange::of(kind, schema.format.as_deref().unwrap_or_default()).holds(Numeric::Float(bound))
}

/// What is wrong with `apiVersion`, `kind` and `metadata` of a resource and of embedded ones. Unknown fields of metadata in a default are
/// dropped silently.
pub(crate) fn metadata_violations(schema: &Schema, value: &Value, subject: Subject) -> Vec<Violation> {
    let ResourceFaults { errors, unknown } = resource_faults(schema, value, subject == Subject::Resource);
    let errors = errors.into_iter().map(|error| {
        let kind = match error.kind {
            ErrorKind::Required => ViolationKind::Missing,
            ErrorKind::Malformed => ViolationKind::WrongType,
            _ => ViolationKind::Metadata,
        };
        Violation { kind, path: path::text(&error.steps), message: error.message }
    });
    let unknown = unknown.into_iter().filter(|_| subject != Subject::Default).map(|path| {
        let message = "metadata has no such field".to_owned();
        Violation { kind: ViolationKind::UnknownField, path, message }
    });
    errors.chain(unknown).collect()
}

/// A fault in words. The fault of an `allOf` itself has none: those of its schemas count.
fn violation(found: &Found<'_>) -> Option<Violation> {
    let mut steps = found.trail.steps();
    let (kind, message) = match &found.fault {
        Fault::Type { types, format, value, is_of_format } => {
            let is_whole_wanted = *types == Types::One("integer") || *types == Types::IntegerOrText;
            let found = match type_name(value) {
                "number" if is_whole_wanted && !is_of_format => "a number that is not whole",
                _ => kind_of(value),
            };
            (ViolationKind::WrongType, format!("expected {}, found {found}", expected(*types, format)))
        }
        Fault::Format { format, text } => {
            (ViolationKind::FormatMismatch, format!("{text:?} does not have the format {format}"))
        }
        Fault::Required(name) => {
            steps.push(Step::Field((*name).to_owned()));
            (ViolationKind::Missing, "this required property is absent".to_owned())
        }
        Fault::NotAllowed(name) => {
            steps.push(Step::Field((*name).to_owned()));
            (ViolationKind::Disallowed, "only the named properties are allowed here".to_owned())
        }
        Fault::Length { limit, is_most, text } => {
            let length = text.chars().count();
            let message = match is_most {
                true => format!("{length} characters are more than maxLength {limit}"),
                false => format!("{length} characters are fewer than minLength {limit}"),
            };
            (ViolationKind::WrongLength, message)
        }
        Fault::Pattern { pattern, text } => {
            (ViolationKind::PatternMismatch, format!("{text:?} does not match the pattern {pattern}"))
        }
        Fault::Enum { allowed, value } => (ViolationKind::NotInEnum, not_in_enum(value, allowed)),
        Fault::Number { number, limit, .. } => (ViolationKind::OutOfRange, beyond(*number, *limit)),
        Fault::Count { what, limit, is_most, count } => {
            let (more, most) = if *is_most { ("more", "max") } else { ("fewer", "min") };
            let (kind, what_keyword) = match *what {
                "items" => (ViolationKind::WrongItemCount, "Items"),
                _ => (ViolationKind::WrongPropertyCount, "Properties"),
            };
            (kind, format!("{count} {what} are {more} than {most}{what_keyword} {limit}"))
        }
        Fault::Repeated(item) => (ViolationKind::Duplicate, format!("{} is in the list twice", short(item))),
        Fault::Duplicate { item, keys } => {
            (ViolationKind::Duplicate, format!("{} is in the list already", identity(item, *keys)))
        }
        Fault::NotAnObject(item) => {
            (ViolationKind::WrongType, format!("a list of type map has objects only, found {}", kind_of(item)))
        }
        Fault::Combined { combinator, valid, failed } => {
            (ViolationKind::Junctor, combined(*combinator, *valid, failed)?)
        }
        Fault::UndecidedPattern(_) | Fault::UndecidedFormat(_) => return None,
    };
    Some(Violation { kind, path: path::text(&steps), message })
}

fn not_in_enum(value: &Value, allowed: &[Value]) -> String {
    const LISTED: usize = 50;
    let mut listed: Vec<String> = allowed.iter().take(LISTED).map(Value::to_string).collect();
    if allowed.len() > LISTED {
        listed.push(format!("and {} more", allowed.len() - LISTED));
    }
    format!("{} is not one of {}", short(value), listed.join(", "))
}

/// What makes an item of a list a duplicate.
fn identity(item: &Value, keys: Option<&[Text]>) -> String {
    let key = |key: &Text| item.get(key.as_ref()).map_or_else(|| "(absent)".to_owned(), Value::to_string);
    match keys {
        Some(keys) => keys.iter().map(key).collect::<Vec<_>>().join(","),
        None => item.to_string(),
    }
}

fn combined(combinator: Combinator, valid: usize, failed: &Alternatives<'_>) -> Option<String> {
    let firsts = failed.faults.iter().filter_map(|found| violation(found.first()?.as_ref()?));
    let reasons = || firsts.map(|violation| violation.to_string()).collect::<Vec<_>>().join("; ");
    Some(match (combinator, valid) {
        (Combinator::AllOf, _) => return None,
        (Combinator::AnyOf, _) => format!("none of the alternatives of anyOf holds ({})", reasons()),
        (Combinator::OneOf, 0) => format!("none of the alternatives of oneOf holds ({})", reasons()),
        (Combinator::OneOf, many) => format!("{many} alternatives of oneOf hold instead of one"),
        (Combinator::Not, _) => "what `not` forbids holds".to_owned(),
    })
}

fn expected(types: Types<'_>, format: &str) -> String {
    let types = match types {
        Types::Any => return format!("a value of the format {format}"),
        Types::One(kind) => kind,
        Types::IntegerOrText => "integer or string",
    };
    if format.is_empty() { types.to_owned() } else { format!("{types} ({format})") }
}

fn beyond(number: Numeric, limit: Limit) -> String {
    let number = match number {
        Numeric::Integer(integer) => integer.to_string(),
        Numeric::Float(float) => float.to_string(),
    };
    let exclusive = |is_exclusive: bool| if is_exclusive { "exclusive " } else { "" };
    match limit {
        Limit::Range(range) => format!("{number} does not fit into {}", range.name()),
        Limit::MultipleOf(factor) => format!("{number} is not a multiple of {factor}"),
        Limit::Minimum { bound, is_exclusive } => {
            format!("{number} is beyond the {}minimum {bound}", exclusive(is_exclusive))
        }
        Limit::Maximum { bound, is_exclusive } => {
            format!("{number} is beyond the {}maximum {bound}", exclusive(is_exclusive))
        }
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
