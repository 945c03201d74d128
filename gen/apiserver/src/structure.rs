//! The structure of a value: types, bounds, patterns, formats, enums, required fields, the keywords that combine schemas, and lists whose
//! items are unique. What is wrong is a typed [`Fault`]; who asks renders it: as a server ([`crate::objects`]), or in words
//! ([`mod@crate::validate`]).
//!
//! Invariants, those of the server (kube-openapi's validator):
//! * Every keyword checks values of its own kind only, for any `type`; a wrong type does not disable the other keywords.
//! * The order of a node is: type, `anyOf`, `oneOf`, `allOf`, `not`, texts, format, numbers, items, enum, fields.
//! * Of alternatives that all fail, the one with the most successful checks counts.
//! * In an update, the faults of a node that is equal to its stored value do not count (ratcheting). Inside of `allOf` and its like they
//!   do, and so do those of a node without a stored value of its own.
//! * A `format` on anything that is not a number makes the check of `type` accept every string and every list.
//! * Bounds and `multipleOf` are cut to integers where the value is an integer (`minimum: 1.5` lets 1 through).

use std::cmp::Ordering;
use std::collections::HashMap;

use crd_model::identity::Identity;
use crd_model::schema::{AdditionalProperties, Schema, Text};
use serde_json::{Map, Number, Value};

use crate::correlation::Correlation;
use crate::formats::{Checker, checker};
use crate::go_text;
use crate::numbers::{Members, NumberRange, Numeric, is_member, is_nearly_whole, is_same};
use crate::path::{Combinator, Path, Segment, Trail, visit};

/// One thing that is wrong, and where.
#[derive(Debug)]
pub(crate) struct Found<'w> {
    pub(crate) trail: Trail<'w>,
    pub(crate) fault: Fault<'w>,
}

/// A fault; nothing for one of too many, of which only the number matters. It is small, because an unusable object has one for each value.
pub(crate) type Counted<'w> = Option<Box<Found<'w>>>;

#[derive(Debug)]
pub(crate) enum Fault<'w> {
    /// Another type. If the format excludes the value, `is_of_format` is set.
    Type {
        types: Types<'w>,
        format: &'w str,
        value: &'w Value,
        is_of_format: bool,
    },
    Format {
        format: &'w str,
        text: &'w str,
    },
    /// The name of an absent field.
    Required(&'w str),
    /// The name of a field that `additionalProperties: false` excludes.
    NotAllowed(&'w str),
    Length {
        limit: i64,
        is_most: bool,
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
        number: Numeric,
        limit: Limit,
        types: Types<'w>,
        format: &'w str,
        breach: Breach,
    },
    /// Too few or too many `items` or `properties`.
    Count {
        what: &'static str,
        limit: i64,
        is_most: bool,
        count: usize,
    },
    /// An item that equals an earlier one, against `uniqueItems`.
    Repeated(&'w Value),
    /// An item that a list of type `set` or `map` has already. The keys are those of a map.
    Duplicate {
        item: &'w Value,
        keys: Option<&'w [Text]>,
    },
    /// An item of a list of type `map` that has no keys.
    NotAnObject(&'w Value),
    Combined {
        combinator: Combinator,
        valid: usize,
        failed: Alternatives<'w>,
    },
    /// The pattern could not be searched for.
    UndecidedPattern(&'w str),
    /// The format could not be checked.
    UndecidedFormat(&'w str),
}

/// What a number is compared with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Limit {
    /// The numbers of its type and format.
    Range(NumberRange),
    MultipleOf(f64),
    Minimum {
        bound: f64,
        is_exclusive: bool,
    },
    Maximum {
        bound: f64,
        is_exclusive: bool,
    },
}

impl Limit {
    fn value(self) -> Option<f64> {
        match self {
            Self::Range(_) => None,
            Self::MultipleOf(bound) | Self::Minimum { bound, .. } | Self::Maximum { bound, .. } => Some(bound),
        }
    }

    /// The number and the limit as they are compared: as integers if the number is one, and type and format hold the limit.
    pub(crate) fn compared(self, number: Numeric, range: NumberRange) -> (Numeric, Numeric) {
        let limit = self.value().unwrap_or_default();
        match number {
            Numeric::Integer(_) if range.holds(Numeric::Float(limit)) => (number, Numeric::Integer(limit as i64)),
            _ => (Numeric::Float(number.as_float()), Numeric::Float(limit)),
        }
    }

    fn is_broken(self, number: Numeric, range: NumberRange, minor: u32) -> bool {
        let (compared, limit) = self.compared(number, range);
        let order = || match (compared, limit) {
            (Numeric::Integer(number), Numeric::Integer(limit)) => Some(number.cmp(&limit)),
            (number, limit) => number.as_float().partial_cmp(&limit.as_float()),
        };
        let is_beyond = |wrong: Ordering, is_exclusive: bool| {
            order().is_some_and(|order| order == wrong || is_exclusive && order.is_eq())
        };
        match self {
            Self::Range(range) => !range.holds(number),
            Self::MultipleOf(_) => limit.as_float() <= 0.0 || !is_multiple(compared, limit, minor),
            Self::Minimum { is_exclusive, .. } => is_beyond(Ordering::Less, is_exclusive),
            Self::Maximum { is_exclusive, .. } => is_beyond(Ordering::Greater, is_exclusive),
        }
    }
}

/// What is wrong with a number and its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Breach {
    pub(crate) range: NumberRange,
    /// Type and format do not hold the limit itself.
    pub(crate) is_unusable: bool,
    pub(crate) is_broken: bool,
}

/// Alternatives that failed: the one with the most successful checks with all its faults, each other one with its first two.
#[derive(Debug, Default)]
pub(crate) struct Alternatives<'w> {
    pub(crate) faults: Vec<Vec<Counted<'w>>>,
    pub(crate) best: usize,
    matches: Matches,
}

impl<'w> Alternatives<'w> {
    fn push(&mut self, mut branch: Branch<'w>) {
        let is_best = self.faults.is_empty() || branch.matches > self.matches;
        let other = if is_best { self.faults.get_mut(self.best) } else { Some(&mut branch.found) };
        if let Some(other) = other {
            other.truncate(2);
            other.shrink_to_fit();
        }
        if is_best {
            (self.best, self.matches) = (self.faults.len(), branch.matches);
        }
        self.faults.push(branch.found);
    }
}

/// The types that a node allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Types<'w> {
    Any,
    One(&'w str),
    IntegerOrText,
}

impl<'w> Types<'w> {
    fn has(self, kind: &str) -> bool {
        match self {
            Self::Any => false,
            Self::One(one) => one == kind,
            Self::IntegerOrText => matches!(kind, "integer" | "string"),
        }
    }

    /// The only type.
    pub(crate) fn single(self) -> Option<&'w str> {
        match self {
            Self::One(kind) => Some(kind),
            Self::Any | Self::IntegerOrText => None,
        }
    }
}

/// How a schema is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dialect {
    /// The minor of the server.
    pub(crate) minor: u32,
    /// Whether the value is a default. There, `x-kubernetes-int-or-string` does not check the type, and unknown formats are not stripped.
    pub(crate) is_default: bool,
}

impl Dialect {
    pub(crate) fn types(self, schema: &Schema) -> Types<'_> {
        match schema.kind.as_deref() {
            _ if schema.int_or_string && !self.is_default => Types::IntegerOrText,
            None | Some("") => Types::Any,
            Some(kind) => Types::One(kind),
        }
    }

    /// The format, and how it is checked. A server strips formats that do not fit the type before it validates an object.
    fn format<'w>(self, schema: &'w Schema, types: Types<'_>) -> (&'w str, Option<Checker>) {
        let Some(format) = schema.format.as_deref() else { return ("", None) };
        let check = checker(format, self.minor);
        let is_kept = match types {
            _ if self.is_default => true,
            Types::One("integer") if matches!(format, "int32" | "int64") => true,
            Types::One("number") if matches!(format, "float" | "double") => true,
            // Before 1.36, servers keep the formats of strings for every type.
            Types::One(kind) if kind != "string" => self.minor < 36 && check.is_some(),
            _ => check.is_some(),
        };
        if is_kept { (format, check) } else { ("", None) }
    }

    fn range(self, types: Types<'_>, format: &str) -> NumberRange {
        // Before 1.36, servers do not enforce the range of a number.
        if self.minor >= 36 { NumberRange::of(types.single(), format) } else { NumberRange::Any }
    }
}

/// What became of an alternative.
struct Branch<'w> {
    found: Vec<Counted<'w>>,
    undecided: Vec<Found<'w>>,
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

/// How many checks succeeded. The server prefers the alternative with the most.
type Matches = i64;

/// A long enum with which values were compared.
#[derive(Default)]
struct Comparisons {
    count: u32,
    members: Option<Members>,
}

/// A node of a schema, and where the value is that it is compared with.
#[derive(Clone, Copy)]
struct Node<'p, 'w> {
    schema: &'w Schema,
    types: Types<'w>,
    format: &'w str,
    path: &'p Path<'p, 'w>,
}

/// Checks a value.
pub(crate) struct Walk<'w, 'm> {
    dialect: Dialect,
    /// Whether a pattern matches somewhere in a text; nothing where that cannot be decided.
    matches: &'m dyn Fn(&str, &str) -> Option<bool>,
    /// How many faults are kept.
    most: usize,
    pub(crate) found: Vec<Counted<'w>>,
    pub(crate) undecided: Vec<Found<'w>>,
    /// Long enums.
    enums: HashMap<Identity<'w, [Value]>, Comparisons>,
}

impl<'w, 'm> Walk<'w, 'm> {
    pub(crate) fn new(dialect: Dialect, matches: &'m dyn Fn(&str, &str) -> Option<bool>, most: usize) -> Self {
        Self { dialect, matches, most, found: Vec::new(), undecided: Vec::new(), enums: HashMap::new() }
    }

    fn fail(&mut self, path: &Path<'_, 'w>, fault: Fault<'w>) {
        let is_kept = self.found.len() < self.most;
        self.found.push(is_kept.then(|| Box::new(Found { trail: path.trail(), fault })));
    }

    /// Checks a value, with its stored value in an update.
    pub(crate) fn node(
        &mut self,
        schema: &'w Schema,
        value: &'w Value,
        old: Option<&Correlation<'w>>,
        path: &Path<'_, 'w>,
    ) -> Matches {
        let before = (self.found.len(), self.undecided.len());
        let types = self.dialect.types(schema);
        let (format, checker) = self.dialect.format(schema, types);
        let node = Node { schema, types, format, path };
        let mut matches = 0;
        if value.is_null() {
            matches += self.type_of(node, value);
            self.enumeration(node, value);
        } else {
            if types != Types::Any || !format.is_empty() {
                matches += self.type_of(node, value) + 1;
            }
            matches += self.combinators(node, value) + 1;
            match value {
                Value::Null | Value::Bool(_) => {}
                Value::String(text) => {
                    self.text(node, text);
                    if let Some(check) = checker {
                        self.format(node, check, text);
                        matches += 1;
                    }
                    matches += 1;
                }
                Value::Number(number) => {
                    self.number(node, Numeric::of(number));
                    matches += 2;
                }
                Value::Array(items) => matches += self.list(node, items, old) + 2,
                Value::Object(object) => matches += self.object(node, object, old) + 1,
            }
            self.enumeration(node, value);
            // The check of the enum, and the node.
            matches += 2;
        }
        if before != (self.found.len(), self.undecided.len()) && old.is_some_and(Correlation::is_equal) {
            self.found.truncate(before.0);
            self.undecided.truncate(before.1);
        }
        matches
    }

    fn type_of(&mut self, Node { schema, types, format, path }: Node<'_, 'w>, value: &'w Value) -> Matches {
        let found = type_name(value);
        let is_whole = |number: &Number| matches!(Numeric::of(number), Numeric::Float(float) if is_nearly_whole(float, self.dialect.minor));
        let is_whole_float = matches!(value, Value::Number(number) if is_whole(number));
        let has_type =
            types.has(found) || is_whole_float && types.has("integer") || found == "integer" && types.has("number");
        let is_text_or_list = matches!(value, Value::String(_) | Value::Array(_));
        let is_any = is_text_or_list && !format.is_empty() && !types.has("number") && !types.has("integer");
        let fits = match value {
            Value::Null => has_type || types == Types::Any || schema.nullable,
            _ => has_type || is_any,
        };
        if !fits {
            let has_format = value.is_null() || is_text_or_list || format.is_empty() || format_of(value) == format;
            self.fail(path, Fault::Type { types, format, value, is_of_format: !has_format });
        }
        Matches::from(fits)
    }

    fn combinators(&mut self, node: Node<'_, 'w>, value: &'w Value) -> Matches {
        let Node { schema, path, .. } = node;
        let mut matches = 0;
        for (combinator, alternatives) in [(Combinator::AnyOf, &schema.any_of), (Combinator::OneOf, &schema.one_of)] {
            if !alternatives.is_empty() {
                matches += self.alternatives(combinator, alternatives, value, path);
            }
        }
        let mut valid = 0;
        for (index, schema) in schema.all_of.iter().enumerate() {
            let branch = self.branch(schema, value, &path.below(Segment::Branch(Combinator::AllOf, index)));
            matches += branch.matches;
            valid += usize::from(branch.found.is_empty());
            self.found.extend(branch.found);
            self.undecided.extend(branch.undecided);
        }
        if valid != schema.all_of.len() {
            self.combined(Combinator::AllOf, valid, Alternatives::default(), path);
        }
        if let Some(schema) = &schema.not {
            let branch = self.branch(schema, value, &path.below(Segment::Branch(Combinator::Not, 0)));
            match branch.verdict() {
                Verdict::Holds => self.combined(Combinator::Not, 1, Alternatives::default(), path),
                Verdict::Undecided => self.undecided.extend(branch.undecided),
                Verdict::Fails => {}
            }
        }
        matches
    }

    fn combined(&mut self, combinator: Combinator, valid: usize, failed: Alternatives<'w>, path: &Path<'_, 'w>) {
        self.fail(path, Fault::Combined { combinator, valid, failed });
    }

    fn branch(&mut self, schema: &'w Schema, value: &'w Value, path: &Path<'_, 'w>) -> Branch<'w> {
        let (found, undecided) = (self.found.len(), self.undecided.len());
        let matches = self.node(schema, value, None, path);
        Branch { found: self.found.split_off(found), undecided: self.undecided.split_off(undecided), matches }
    }

    /// `anyOf` and `oneOf`.
    fn alternatives(
        &mut self,
        combinator: Combinator,
        schemas: &'w [Schema],
        value: &'w Value,
        path: &Path<'_, 'w>,
    ) -> Matches {
        let is_any_of = combinator == Combinator::AnyOf;
        let mut failed = Alternatives::default();
        let mut undecided = Vec::new();
        let mut first: Option<Matches> = None;
        let mut valid = 0;
        for (index, schema) in schemas.iter().enumerate() {
            let branch = self.branch(schema, value, &path.below(Segment::Branch(combinator, index)));
            match branch.verdict() {
                Verdict::Holds if is_any_of => return branch.matches,
                Verdict::Holds => {
                    valid += 1;
                    first = first.or(Some(branch.matches));
                }
                // One alternative that may hold is enough.
                Verdict::Undecided if is_any_of && first.is_some() => {}
                Verdict::Undecided => {
                    undecided.extend(branch.undecided);
                    first = first.or(is_any_of.then_some(branch.matches));
                }
                Verdict::Fails => failed.push(branch),
            }
        }
        if !undecided.is_empty() && valid < 2 {
            self.undecided.extend(undecided);
            return first.unwrap_or_default();
        }
        if valid == 1 {
            return first.unwrap_or_default();
        }
        let matches = if valid == 0 { failed.matches } else { 0 };
        self.combined(combinator, valid, failed, path);
        matches
    }

    fn text(&mut self, Node { schema, path, .. }: Node<'_, 'w>, text: &'w str) {
        // The server stops at the first of these three. A text has at most as many characters as bytes.
        let bytes = i64::try_from(text.len()).unwrap_or(i64::MAX);
        let count = || i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        if let Some(limit) = schema.max_length.filter(|most| bytes > *most && count() > *most) {
            self.fail(path, Fault::Length { limit, is_most: true, text });
        } else if let Some(limit) = schema.min_length.filter(|least| count() < *least) {
            self.fail(path, Fault::Length { limit, is_most: false, text });
        } else if let Some(pattern) = schema.pattern.as_deref().filter(|pattern| !pattern.is_empty()) {
            match (self.matches)(pattern, text) {
                Some(true) => {}
                Some(false) => self.fail(path, Fault::Pattern { pattern, text }),
                None => self.undecided(path, Fault::UndecidedPattern(pattern)),
            }
        }
    }

    fn format(&mut self, Node { format, path, .. }: Node<'_, 'w>, check: Checker, text: &'w str) {
        match check(text) {
            Some(true) => {}
            Some(false) => self.fail(path, Fault::Format { format, text }),
            None => self.undecided(path, Fault::UndecidedFormat(format)),
        }
    }

    fn undecided(&mut self, path: &Path<'_, 'w>, fault: Fault<'w>) {
        self.undecided.push(Found { trail: path.trail(), fault });
    }

    fn enumeration(&mut self, Node { schema, path, .. }: Node<'_, 'w>, value: &'w Value) {
        if let Some(allowed) = schema.enumeration.as_deref()
            && !allowed.is_empty()
            && !self.is_one_of(value, allowed)
        {
            self.fail(path, Fault::Enum { allowed, value });
        }
    }

    /// A long enum is prepared for the search if many values, such as the items of a list, are compared with it.
    fn is_one_of(&mut self, value: &Value, allowed: &'w [Value]) -> bool {
        const FEW: usize = 16;
        const OFTEN: u32 = 16;
        let one_by_one = || allowed.iter().any(|allowed| is_member(value, allowed));
        if allowed.len() <= FEW {
            return one_by_one();
        }
        let comparisons = self.enums.entry(Identity(allowed)).or_default();
        comparisons.count = comparisons.count.saturating_add(1);
        if comparisons.count == OFTEN {
            comparisons.members = Members::of(allowed);
        }
        comparisons.members.as_ref().map_or_else(one_by_one, |members| members.contain(value))
    }

    fn number(&mut self, Node { schema, types, format, path }: Node<'_, 'w>, number: Numeric) {
        let range = self.dialect.range(types, format);
        let value = |number: &Option<Number>| number.as_ref().and_then(Number::as_f64);
        let (is_least_exclusive, is_most_exclusive) = (schema.exclusive_minimum, schema.exclusive_maximum);
        let limits = [
            Some(Limit::Range(range)),
            value(&schema.multiple_of).map(Limit::MultipleOf),
            value(&schema.minimum).map(|bound| Limit::Minimum { bound, is_exclusive: is_least_exclusive }),
            value(&schema.maximum).map(|bound| Limit::Maximum { bound, is_exclusive: is_most_exclusive }),
        ];
        for limit in limits.into_iter().flatten() {
            let is_unusable = limit.value().is_some_and(|limit| !range.holds(Numeric::Float(limit)));
            let breach = Breach { range, is_unusable, is_broken: limit.is_broken(number, range, self.dialect.minor) };
            if breach.is_unusable || breach.is_broken {
                self.fail(path, Fault::Number { number, limit, types, format, breach });
            }
        }
    }

    /// Checks the number of items or properties.
    fn count(&mut self, what: &'static str, count: usize, least: Option<i64>, most: Option<i64>, path: &Path<'_, 'w>) {
        let size = i64::try_from(count).unwrap_or(i64::MAX);
        if let Some(limit) = least.filter(|least| size < *least) {
            self.fail(path, Fault::Count { what, limit, is_most: false, count });
        }
        if let Some(limit) = most.filter(|most| size > *most) {
            self.fail(path, Fault::Count { what, limit, is_most: true, count });
        }
    }

    fn list(&mut self, node: Node<'_, 'w>, items: &'w [Value], old: Option<&Correlation<'w>>) -> Matches {
        let Node { schema, path, .. } = node;
        let mut matches = 0;
        if let Some(below) = &schema.items {
            let stored = old.map(Correlation::items);
            for (index, item) in items.iter().enumerate() {
                let old = stored.as_ref().and_then(|stored| stored.of(item));
                matches += self.node(below, item, old.as_ref(), &path.item(index));
            }
        }
        self.count("items", items.len(), schema.min_items, schema.max_items, path);
        if schema.unique_items {
            let is_repeated =
                |(index, item): &(usize, &Value)| items[..*index].iter().any(|before| is_same(before, item));
            if let Some((_, item)) = items.iter().enumerate().find(is_repeated) {
                self.fail(path, Fault::Repeated(item));
            }
        }
        matches
    }

    fn object(
        &mut self,
        Node { schema, path, .. }: Node<'_, 'w>,
        object: &'w Map<String, Value>,
        old: Option<&Correlation<'w>>,
    ) -> Matches {
        let mut matches = 0;
        let is_root = path.is_root();
        self.count("properties", object.len(), schema.min_properties, schema.max_properties, path);
        // Keys of maps come first.
        if let Some(additional) = &schema.additional_properties {
            for (name, value) in object.iter().filter(|(name, _)| !schema.properties.contains_key(name)) {
                match additional {
                    AdditionalProperties::Values(below) => {
                        let old = old.and_then(|old| old.member(name, is_root));
                        matches += self.node(below, value, old.as_ref(), &path.key(name));
                    }
                    AdditionalProperties::Allowed(false) => self.fail(path, Fault::NotAllowed(name)),
                    AdditionalProperties::Allowed(true) => {}
                }
            }
        }
        for (name, value) in object {
            let Some(below) = schema.properties.get(name) else { continue };
            let old = old.and_then(|old| old.member(name, is_root));
            matches += self.node(below, value, old.as_ref(), &path.field(name));
        }
        for name in schema.required.iter().filter(|name| !object.contains_key(name.as_ref())) {
            self.fail(path, Fault::Required(name));
        }
        matches
    }
}

/// The type that the server sees in a value.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.as_i64().is_some() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The format that the server sees in a value.
pub(crate) fn format_of(value: &Value) -> &'static str {
    match value {
        Value::Number(number) if number.as_i64().is_some() => "int64",
        Value::Number(_) => "float64",
        _ => "",
    }
}

fn is_multiple(number: Numeric, factor: Numeric, minor: u32) -> bool {
    match (number, factor) {
        (Numeric::Integer(integer), Numeric::Integer(factor)) => integer.checked_rem(factor) == Some(0),
        (number, factor) => {
            let (data, factor) = (number.as_float(), factor.as_float());
            let quotient = if factor < 1.0 { 1.0 / factor * data } else { data / factor };
            is_nearly_whole(quotient, minor)
        }
    }
}

/// Items that a list of type `set` or `map` (`x-kubernetes-list-type`) has twice: of equal items, the second is found, once.
pub(crate) fn duplicates<'w>(schema: &'w Schema, value: &'w Value) -> Vec<Found<'w>> {
    let mut found = Vec::new();
    visit(schema, value, &Path::ROOT, &mut |schema, value, path| {
        let (Some(kind), Value::Array(items)) = (schema.list_type.as_deref(), value) else { return };
        let mut fail = |index: usize, fault| found.push(Found { trail: path.item(index).trail(), fault });
        let keys = &schema.list_map_keys[..];
        let (repeated, keys) = match kind {
            "set" => (repeated(items.iter().map(|item| Some(identity(item)))), None),
            "map" => {
                if let Some(index) = items.iter().position(|item| !item.is_object() && !item.is_null()) {
                    return fail(index, Fault::NotAnObject(&items[index]));
                }
                // One key is compared as it is, several as JSON, in which 1 and 1.0 are one.
                let repeated = match keys {
                    [single] => repeated(items.iter().map(|item| item.get(single.as_ref()).map(identity))),
                    _ => repeated(items.iter().map(|item| Some(go_text::json(&keys_of(item, keys))))),
                };
                (repeated, Some(keys))
            }
            _ => return,
        };
        for index in repeated {
            fail(index, Fault::Duplicate { item: &items[index], keys });
        }
    });
    found
}

/// The keys that an item of a list of type `map` has.
pub(crate) fn keys_of(item: &Value, keys: &[Text]) -> Value {
    let keys = keys.iter();
    Value::Object(keys.filter_map(|key| Some((key.to_string(), item.get(key.as_ref())?.clone()))).collect())
}

/// The second index of each identity. All items without one count as equal.
fn repeated(identities: impl ExactSizeIterator<Item = Option<String>>) -> Vec<usize> {
    if identities.len() <= 1 {
        return Vec::new();
    }
    let mut seen: HashMap<Option<String>, usize> = HashMap::new();
    let mut indices = Vec::new();
    for (index, identity) in identities.enumerate() {
        let times = seen.entry(identity).or_default();
        *times += 1;
        if *times == 2 {
            indices.push(index);
        }
    }
    indices
}

/// A text that two items have in common exactly when they are equal to the server.
fn identity(item: &Value) -> String {
    match item {
        Value::Number(number) => match Numeric::of(number) {
            Numeric::Integer(integer) => integer.to_string(),
            Numeric::Float(float) => format!("{float:?}f"),
        },
        other => go_text::json(other),
    }
}
