//! Random typed rules: all functions of the library's table, operators, macros, literals and variables of a schema.
//!
//! A rule is built for a wanted type, so that most rules compile. Some parts have a type that is not wanted.

use crd_cel::{Overload, Scalar, Shape, escape, functions};
use serde_json::{Value, json};

use super::object;
use super::words::WORDS;
use crd_testdata::Dice;

/// The type of an expression.
#[derive(Clone, Copy, Debug)]
pub(super) enum Type<'s> {
    Scalar(Scalar),
    /// An object with the properties of a schema; the flag marks a resource.
    Object(&'s Value, bool),
    List(&'s Type<'s>),
    Map(&'s Type<'s>, &'s Type<'s>),
    Optional(&'s Type<'s>),
    Dynamic,
}

impl PartialEq for Type<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Scalar(one), Self::Scalar(other)) => one == other,
            (Self::Object(one, _), Self::Object(other, _)) => std::ptr::eq(*one, *other),
            (Self::List(one), Self::List(other)) | (Self::Optional(one), Self::Optional(other)) => one == other,
            (Self::Map(key, value), Self::Map(other_key, other_value)) => key == other_key && value == other_value,
            (Self::Dynamic, Self::Dynamic) => true,
            _ => false,
        }
    }
}

const BOOLEAN: Type<'static> = Type::Scalar(Scalar::Boolean);
const INTEGER: Type<'static> = Type::Scalar(Scalar::Integer);
const DOUBLE: Type<'static> = Type::Scalar(Scalar::Double);
const TEXT: Type<'static> = Type::Scalar(Scalar::Text);

/// The scalars that have literals or conversions.
const SCALARS: [Scalar; 14] = [
    Scalar::Boolean,
    Scalar::Integer,
    Scalar::Unsigned,
    Scalar::Double,
    Scalar::Text,
    Scalar::Bytes,
    Scalar::Duration,
    Scalar::Timestamp,
    Scalar::Quantity,
    Scalar::Address,
    Scalar::Network,
    Scalar::Location,
    Scalar::Semver,
    Scalar::Format,
];

/// The type of a value with this schema, as rules see it.
pub(super) fn type_of<'s>(schema: &'s Value, is_resource: bool) -> Option<Type<'s>> {
    if schema["x-kubernetes-int-or-string"] == json!(true) {
        return Some(Type::Dynamic);
    }
    Some(match schema["type"].as_str()? {
        "object" => match schema.get("additionalProperties").filter(|values| values.is_object()) {
            Some(values) => Type::Map(&TEXT, kept(type_of(values, false)?)),
            None => Type::Object(schema, is_resource || schema["x-kubernetes-embedded-resource"] == json!(true)),
        },
        "array" => Type::List(kept(type_of(&schema["items"], false)?)),
        "string" => Type::Scalar(match schema["format"].as_str() {
            Some("byte") => Scalar::Bytes,
            Some("duration") => Scalar::Duration,
            Some("date" | "date-time") => Scalar::Timestamp,
            _ => Scalar::Text,
        }),
        "boolean" => BOOLEAN,
        "integer" => INTEGER,
        "number" => DOUBLE,
        _ => return None,
    })
}

/// A type for the rest of the process. Types are small, and a proof makes few.
fn kept(found: Type<'_>) -> &Type<'_> {
    Box::leak(Box::new(found))
}

/// Makes rules of one schema node.
pub(super) struct Rules<'d, 's> {
    pub(super) dice: &'d mut Dice,
    pub(super) minor: u32,
    /// How many of 1000 parts have a type that is not wanted.
    pub(super) wrong: usize,
    /// Expressions without calls, and their types: variables and what is selected from them.
    scope: Vec<(String, Type<'s>)>,
    functions: Vec<&'static Overload>,
    /// How many variables of macros exist.
    variables: usize,
    /// How many parts the rule can still have.
    left: usize,
}

impl<'d, 's> Rules<'d, 's> {
    pub(super) fn new(dice: &'d mut Dice, minor: u32) -> Self {
        let is_for_rules = |overload: &&'static Overload| {
            !overload.takes.iter().any(|shape| matches!(shape, Shape::Scalar(Scalar::Authorization)))
        };
        let functions = functions().filter(is_for_rules).collect();
        Self { dice, minor, wrong: 0, scope: Vec::new(), functions, variables: 0, left: 0 }
    }

    /// A rule or, for `TEXT`, a message expression.
    pub(super) fn rule(&mut self, node: Type<'s>, old: Option<bool>, is_message: bool) -> String {
        self.scope.clear();
        self.variables = 0;
        self.left = 60;
        self.add("self".to_owned(), node, 3);
        if let Some(is_optional) = old {
            let found = if is_optional { Type::Optional(kept(node)) } else { node };
            self.add("oldSelf".to_owned(), found, 2);
        }
        let wrong = self.dice.below(100);
        self.wrong = if wrong < 12 { 60 } else { 0 };
        let depth = 2 + self.dice.below(3);
        match (is_message, self.dice.below(10)) {
            (true, _) => self.part(TEXT, depth),
            // Each function is as probable as each other function.
            (false, 0..6) => {
                let at = self.dice.below(self.functions.len());
                let overload = self.functions[at];
                if overload.since > self.minor && !self.dice.percent(10) {
                    return self.part(BOOLEAN, depth);
                }
                let (call, result) = self.called(overload, None, depth - 1);
                self.condition(call, result, depth - 1)
            }
            (false, 6..8) if self.scope.len() > 1 => {
                let at = self.dice.below(self.scope.len());
                let (value, found) = self.scope[at].clone();
                self.condition(value, found, depth)
            }
            _ => self.part(BOOLEAN, depth),
        }
    }

    /// Adds a variable and what can be selected from it.
    fn add(&mut self, name: String, found: Type<'s>, depth: usize) {
        if self.scope.len() > 300 {
            return;
        }
        match found {
            _ if depth == 0 => {}
            Type::Object(schema, is_resource) => self.add_properties(&name, schema, is_resource, depth),
            Type::List(items) => {
                if self.dice.percent(50) {
                    let at = self.dice.below(2);
                    self.add(format!("{name}[{at}]"), *items, depth - 1);
                }
                if self.dice.percent(15) {
                    self.add(format!("{name}[?0]"), Type::Optional(items), depth - 1);
                }
            }
            Type::Map(_, values) => {
                let key = self.dice.one(&["['a']", ".k", "['x-y']", ".?a"]);
                let found = if key.contains('?') { Type::Optional(values) } else { *values };
                self.add(format!("{name}{key}"), found, depth - 1);
            }
            Type::Optional(Type::Object(schema, is_resource)) => {
                // A selection in an optional value is optional.
                let before = self.scope.len();
                self.add_properties(&name, schema, *is_resource, 1);
                for at in before..self.scope.len() {
                    let (text, found) = self.scope[at].clone();
                    if !matches!(found, Type::Optional(_)) {
                        self.scope[at] = (text, Type::Optional(kept(found)));
                    }
                }
            }
            _ => {}
        }
        self.scope.push((name, found));
    }

    fn add_properties(&mut self, name: &str, schema: &'s Value, is_resource: bool, depth: usize) {
        for (property, schema) in schema["properties"].as_object().into_iter().flatten() {
            let (Some(found), Some(escaped)) = (type_of(schema, false), escape(property)) else { continue };
            if self.dice.percent(8) {
                self.add(format!("{name}.?{escaped}"), Type::Optional(kept(found)), depth - 1);
            } else {
                self.add(format!("{name}.{escaped}"), found, depth - 1);
            }
        }
        if is_resource {
            for field in ["apiVersion", "kind", "metadata.name", "metadata.generateName"] {
                self.scope.push((format!("{name}.{field}"), TEXT));
            }
        }
    }

    /// A condition about a value.
    fn condition(&mut self, value: String, found: Type<'s>, depth: usize) -> String {
        match found {
            Type::Scalar(Scalar::Boolean) => value,
            Type::List(items) if self.dice.percent(60) => self.quantified(&value, INTEGER, *items, true, depth),
            Type::Map(keys, values) if self.dice.percent(60) => self.quantified(&value, *keys, *values, false, depth),
            Type::List(_) | Type::Map(..) if self.dice.percent(50) => {
                format!("{value}.size() {} {}", self.dice.one(&[">", "<=", "=="]), self.dice.below(4))
            }
            Type::Optional(_) if self.dice.percent(30) => format!("{value}.hasValue()"),
            Type::Optional(content) => {
                let other = self.part(*content, depth.saturating_sub(1));
                self.condition(format!("{value}.orValue({other})"), *content, depth.saturating_sub(1))
            }
            Type::Object(schema, is_resource) if self.dice.percent(60) => {
                let before = self.scope.len();
                self.add_properties(&value, schema, is_resource, 1);
                let added = self.scope.split_off(before);
                let Some((field, found)) = (!added.is_empty()).then(|| self.dice.pick(&added).clone()) else {
                    return format!("{value} == {value}");
                };
                if self.dice.percent(40) && !field.contains('?') {
                    return format!("has({field})");
                }
                self.condition(field, found, depth.saturating_sub(1))
            }
            found => {
                let other = self.part(found, depth.saturating_sub(1));
                let is_ordered = matches!(
                    found,
                    Type::Scalar(
                        Scalar::Integer
                            | Scalar::Unsigned
                            | Scalar::Double
                            | Scalar::Text
                            | Scalar::Bytes
                            | Scalar::Duration
                            | Scalar::Timestamp
                    ) | Type::Dynamic
                );
                let operators: &[&str] = if is_ordered { &["==", "!=", "<", "<=", ">", ">="] } else { &["==", "!="] };
                match self.dice.below(12) {
                    0 => format!("{value} in [{other}]"),
                    1 => format!("type({value}) == type({other})"),
                    _ => format!("{value} {} {other}", self.dice.one(operators)),
                }
            }
        }
    }

    /// `all`, `exists` and `exists_one` over a list or map.
    fn quantified(&mut self, range: &str, keys: Type<'s>, values: Type<'s>, is_list: bool, depth: usize) -> String {
        let function = self.dice.one(&["all", "exists", "exists_one"]);
        if self.has_pairs() && self.dice.percent(30) {
            let function = if function == "exists_one" { "existsOne" } else { function };
            let (names, body) = self.within(&[keys, values], BOOLEAN, depth.saturating_sub(1));
            return format!("{range}.{function}({}, {}, {body})", names[0], names[1]);
        }
        let (names, body) = self.within(&[if is_list { values } else { keys }], BOOLEAN, depth.saturating_sub(1));
        format!("{range}.{function}({}, {body})", names[0])
    }

    /// Whether the minor accepts macros with two variables in new rules, or one of few rules that it refuses.
    fn has_pairs(&mut self) -> bool {
        self.minor >= 33 || self.dice.percent(3)
    }

    /// A body of a macro with variables of these types.
    fn within(&mut self, variables: &[Type<'s>], wanted: Type<'s>, depth: usize) -> (Vec<String>, String) {
        let before = self.scope.len();
        let mut names = Vec::new();
        for found in variables {
            let name = format!("{}{}", ["x", "y", "z"][self.variables % 3], self.variables);
            self.variables += 1;
            self.add(name.clone(), *found, 2);
            names.push(name);
        }
        // The new variables are probable.
        let body = if depth > 0 && self.dice.percent(40) && wanted == BOOLEAN {
            let at = before + self.dice.below(self.scope.len() - before);
            let (value, found) = self.scope[at].clone();
            self.condition(value, found, depth.saturating_sub(1))
        } else {
            self.part(wanted, depth)
        };
        self.scope.truncate(before);
        (names, body)
    }

    /// An expression of the wanted type.
    fn part(&mut self, wanted: Type<'s>, depth: usize) -> String {
        self.left = self.left.saturating_sub(1);
        let depth = if self.left == 0 { 0 } else { depth };
        let wanted = if self.dice.below(1000) < self.wrong { self.any_type(2) } else { wanted };
        let variables: Vec<usize> = (0..self.scope.len()).filter(|at| self.scope[*at].1 == wanted).collect();
        if !variables.is_empty() && self.dice.percent(if depth == 0 { 70 } else { 35 }) {
            let at = *self.dice.pick(&variables);
            return self.scope[at].0.clone();
        }
        if depth == 0 || self.dice.percent(15) {
            return self.literal(wanted, depth);
        }
        let below = depth - 1;
        match self.dice.below(24) {
            0 => {
                let (test, yes, no) = (self.part(BOOLEAN, below), self.part(wanted, below), self.part(wanted, below));
                return format!("({test} ? {yes} : {no})");
            }
            1 => {
                let list = self.part(Type::List(kept(wanted)), below);
                return format!("{list}[{}]", self.part(INTEGER, 0));
            }
            2 => {
                let map = self.part(Type::Map(&TEXT, kept(wanted)), below);
                return format!("{map}[{}]", self.part(TEXT, 0));
            }
            3 => {
                let optional = self.part(Type::Optional(kept(wanted)), below);
                if self.dice.percent(30) {
                    return format!("{optional}.value()");
                }
                return format!("{optional}.orValue({})", self.part(wanted, below));
            }
            _ => {}
        }
        if self.dice.percent(55)
            && let Some(made) = self.operation(wanted, below)
        {
            return made;
        }
        let fitting: Vec<&'static Overload> = self
            .functions
            .iter()
            .filter(|overload| overload.since <= self.minor)
            .filter(|overload| matches(overload.gives, wanted, &mut [None, None]))
            .copied()
            .collect();
        if fitting.is_empty() {
            return self.literal(wanted, depth);
        }
        let overload = *self.dice.pick(&fitting);
        self.called(overload, Some(wanted), below).0
    }

    /// An operator or macro with a result of this type.
    fn operation(&mut self, wanted: Type<'s>, depth: usize) -> Option<String> {
        use Scalar::{Boolean, Bytes, Double, Duration, Integer, Text, Timestamp, Unsigned};
        Some(match wanted {
            Type::Scalar(Boolean) => match self.dice.below(10) {
                0 => format!("!({})", self.part(BOOLEAN, depth)),
                1 => format!("({} && {})", self.part(BOOLEAN, depth), self.part(BOOLEAN, depth)),
                2 => format!("({} || {})", self.part(BOOLEAN, depth), self.part(BOOLEAN, depth)),
                3 => {
                    let item = self.any_type(1);
                    format!("{} in {}", self.part(item, depth), self.part(Type::List(kept(item)), depth))
                }
                4 => {
                    let items = self.any_type(1);
                    let list = self.part(Type::List(kept(items)), depth);
                    self.quantified(&list, INTEGER, items, true, depth)
                }
                5 => {
                    // Numbers of different types.
                    let numbers = [INTEGER, DOUBLE, Type::Scalar(Unsigned), Type::Dynamic];
                    let (one, other) = (*self.dice.pick(&numbers), *self.dice.pick(&numbers));
                    let operator = self.dice.one(&["<", "<=", ">", ">="]);
                    format!("{} {operator} {}", self.part(one, depth), self.part(other, depth))
                }
                _ => {
                    let found = self.any_type(2);
                    let value = self.part(found, depth);
                    self.condition(value, found, depth)
                }
            },
            Type::Scalar(Integer | Unsigned | Double) => {
                let operators: &[&str] =
                    if wanted == DOUBLE { &["+", "-", "*", "/"] } else { &["+", "-", "*", "/", "%"] };
                if self.dice.percent(10) && wanted != Type::Scalar(Unsigned) {
                    return Some(format!("-({})", self.part(wanted, depth)));
                }
                let operator = self.dice.one(operators);
                format!("({} {operator} {})", self.part(wanted, depth), self.part(wanted, depth))
            }
            Type::Scalar(Text | Bytes) | Type::List(_) if self.dice.percent(25) => {
                format!("({} + {})", self.part(wanted, depth), self.part(wanted, depth))
            }
            Type::Scalar(Duration) => match self.dice.below(3) {
                0 => format!("({} + {})", self.part(wanted, depth), self.part(wanted, depth)),
                1 => format!("({} - {})", self.part(wanted, depth), self.part(wanted, depth)),
                _ => {
                    let times = Type::Scalar(Timestamp);
                    format!("({} - {})", self.part(times, depth), self.part(times, depth))
                }
            },
            Type::Scalar(Timestamp) => {
                let operator = self.dice.one(&["+", "-"]);
                format!("({} {operator} {})", self.part(wanted, depth), self.part(Type::Scalar(Duration), depth))
            }
            Type::List(items) => match self.dice.below(6) {
                0 => {
                    let list = self.part(wanted, depth);
                    let (names, body) = self.within(&[*items], BOOLEAN, depth);
                    format!("{list}.filter({}, {body})", names[0])
                }
                1 => {
                    let (range, from) = self.range(depth);
                    let (names, body) = self.within(&[from.2], *items, depth);
                    if self.dice.percent(20) {
                        let (_, condition) = (0, self.part(BOOLEAN, 0));
                        return Some(format!("{range}.map({}, {condition}, {body})", names[0]));
                    }
                    format!("{range}.map({}, {body})", names[0])
                }
                2 if self.has_pairs() => {
                    let (range, from) = self.range(depth);
                    let (names, body) = self.within(&[from.0, from.1], *items, depth);
                    let condition =
                        if self.dice.percent(30) { format!("{}, ", self.part(BOOLEAN, 0)) } else { String::new() };
                    format!("{range}.transformList({}, {}, {condition}{body})", names[0], names[1])
                }
                3 if self.minor >= 35 => {
                    let list = self.part(wanted, depth);
                    let key = Type::Scalar(*self.dice.pick(&SCALARS[..8]));
                    let (names, body) = self.within(&[*items], key, depth);
                    format!("{list}.sortBy({}, {body})", names[0])
                }
                _ => return None,
            },
            Type::Map(keys, values) if self.has_pairs() => {
                let (range, from) = self.range(depth);
                if self.dice.percent(50) && **keys_of(&wanted)? == from.0 {
                    let (names, body) = self.within(&[from.0, from.1], *values, depth);
                    let condition =
                        if self.dice.percent(30) { format!("{}, ", self.part(BOOLEAN, 0)) } else { String::new() };
                    format!("{range}.transformMap({}, {}, {condition}{body})", names[0], names[1])
                } else {
                    let entry = Type::Map(keys, values);
                    let (names, body) = self.within(&[from.0, from.1], entry, depth);
                    format!("{range}.transformMapEntry({}, {}, {body})", names[0], names[1])
                }
            }
            Type::Optional(content) => {
                let from = self.any_type(1);
                let optional = self.part(Type::Optional(kept(from)), depth);
                match self.dice.below(3) {
                    0 => {
                        let (names, body) = self.within(&[from], *content, depth);
                        format!("{optional}.optMap({}, {body})", names[0])
                    }
                    1 => {
                        let (names, body) = self.within(&[from], wanted, depth);
                        format!("{optional}.optFlatMap({}, {body})", names[0])
                    }
                    _ => {
                        let list = self.part(Type::List(content), depth);
                        format!("{list}[?{}]", self.part(INTEGER, 0))
                    }
                }
            }
            Type::Dynamic => {
                let found = self.any_type(1);
                format!("dyn({})", self.part(found, depth))
            }
            _ => return None,
        })
    }

    /// A range of a macro, and the types of its keys, values, and the single variable.
    fn range(&mut self, depth: usize) -> (String, (Type<'s>, Type<'s>, Type<'s>)) {
        let ranges: Vec<usize> =
            (0..self.scope.len()).filter(|at| matches!(self.scope[*at].1, Type::List(_) | Type::Map(..))).collect();
        let (range, found) = if !ranges.is_empty() && self.dice.percent(70) {
            let at = *self.dice.pick(&ranges);
            self.scope[at].clone()
        } else {
            let items = self.any_type(1);
            let found = if self.dice.percent(60) { Type::List(kept(items)) } else { Type::Map(&TEXT, kept(items)) };
            (self.part(found, depth), found)
        };
        match found {
            Type::Map(keys, values) => (range, (*keys, *values, *keys)),
            Type::List(items) => (range, (INTEGER, *items, *items)),
            _ => (range, (INTEGER, INTEGER, INTEGER)),
        }
    }

    /// Any type that an expression can have.
    fn any_type(&mut self, depth: usize) -> Type<'s> {
        if !self.scope.is_empty() && self.dice.percent(40) {
            let at = self.dice.below(self.scope.len());
            return self.scope[at].1;
        }
        match self.dice.below(if depth == 0 { 12 } else { 16 }) {
            12 | 13 => Type::List(kept(self.any_type(depth - 1))),
            14 => Type::Map(&TEXT, kept(self.any_type(depth - 1))),
            15 => Type::Optional(kept(self.any_type(depth - 1))),
            11 => Type::Dynamic,
            _ => Type::Scalar(*self.dice.pick(&SCALARS)),
        }
    }

    /// A call of a function, and its type.
    fn called(&mut self, overload: &'static Overload, wanted: Option<Type<'s>>, depth: usize) -> (String, Type<'s>) {
        let mut parameters = [None, None];
        if let Some(wanted) = wanted {
            matches(overload.gives, wanted, &mut parameters);
        }
        let mut arguments = Vec::new();
        for (at, shape) in overload.takes.iter().enumerate() {
            let found = self.bound(*shape, &mut parameters);
            arguments.push(self.argument(overload, at, found, depth));
        }
        let result = self.bound(overload.gives, &mut parameters);
        let call = if overload.is_method {
            let target = arguments.remove(0);
            let target = if target.starts_with('-') { format!("({target})") } else { target };
            format!("{target}.{}({})", overload.name, arguments.join(", "))
        } else {
            format!("{}({})", overload.name, arguments.join(", "))
        };
        (call, result)
    }

    /// The type of a shape, with a random type for each new parameter.
    fn bound(&mut self, shape: Shape, parameters: &mut [Option<Type<'s>>; 2]) -> Type<'s> {
        match shape {
            Shape::Scalar(scalar) => Type::Scalar(scalar),
            Shape::Dynamic => Type::Dynamic,
            Shape::Parameter(at) => match parameters[at] {
                Some(found) => found,
                None => {
                    let found = self.any_type(1);
                    parameters[at] = Some(found);
                    found
                }
            },
            Shape::OneOf(at, allowed) => match parameters[at] {
                Some(found) => found,
                None => {
                    let found = Type::Scalar(*self.dice.pick(allowed));
                    parameters[at] = Some(found);
                    found
                }
            },
            Shape::List(items) => Type::List(kept(self.bound(*items, parameters))),
            Shape::Map(keys, values) => {
                let keys = match self.bound(*keys, parameters) {
                    found @ Type::Scalar(Scalar::Integer | Scalar::Text | Scalar::Boolean | Scalar::Unsigned) => found,
                    _ => TEXT,
                };
                Type::Map(kept(keys), kept(self.bound(*values, parameters)))
            }
            Shape::Optional(of) => Type::Optional(kept(self.bound(*of, parameters))),
        }
    }

    /// An argument: mostly a text that the function can read.
    fn argument(&mut self, overload: &Overload, at: usize, found: Type<'s>, depth: usize) -> String {
        let listed = WORDS.arguments.iter().find(|row| row.of.contains(&(overload.name, at)));
        let texts: &[&str] = match (listed, overload.name) {
            (Some(row), _) => &row.texts,
            // A server makes a list of any length before it counts the cost.
            (None, "lists.range") if at == 0 => return format!("({} % 40)", self.part(found, depth)),
            (None, "format") if at == 0 => return self.format_text(),
            (None, "format") if at == 1 => return self.format_arguments(depth),
            (None, name) if at > 0 && self.dice.percent(3) && found == TEXT && name.starts_with("get") => &["UTC"],
            (None, name) if at == 1 && name.starts_with("get") => {
                &["+02:00", "-23:59", "UTC", "02:00", "Z", "", "+24:00", "1:30", "+2:00"]
            }
            _ => &[],
        };
        if !texts.is_empty() && found == TEXT && self.dice.percent(75) {
            let text = self.dice.one(texts);
            return self.quoted(text);
        }
        if found == INTEGER && at > 0 && self.dice.percent(75) {
            return self.dice.one(&["0", "1", "2", "-1", "3", "10"]).to_owned();
        }
        self.part(found, depth)
    }

    fn format_text(&mut self) -> String {
        let text = self.dice.one(&WORDS.formats);
        self.quoted(text)
    }

    fn format_arguments(&mut self, depth: usize) -> String {
        let count = self.dice.below(4);
        let items: Vec<String> = (0..count)
            .map(|_| {
                let found = match self.dice.below(4) {
                    0 => INTEGER,
                    1 => DOUBLE,
                    2 => TEXT,
                    _ => self.any_type(1),
                };
                self.part(found, depth.saturating_sub(1))
            })
            .collect();
        format!("[{}]", items.join(", "))
    }

    fn quoted(&mut self, text: &str) -> String {
        let is_plain = !text.contains(['\'', '\\', '\n', '\u{0}']);
        if is_plain && self.dice.percent(90) { format!("'{text}'") } else { json!(text).to_string() }
    }

    fn literal(&mut self, wanted: Type<'s>, depth: usize) -> String {
        let below = depth.saturating_sub(1);
        match wanted {
            Type::Scalar(scalar) => self.scalar(scalar),
            Type::List(items) => {
                let count = self.dice.below(4);
                let optional = if self.dice.percent(5) { "?" } else { "" };
                let items: Vec<String> = (0..count)
                    .map(|_| {
                        if optional.is_empty() {
                            self.part(*items, below)
                        } else {
                            format!("?{}", self.part(Type::Optional(items), below))
                        }
                    })
                    .collect();
                format!("[{}]", items.join(", "))
            }
            Type::Map(keys, values) => {
                let count = self.dice.below(3);
                let optional = self.dice.percent(5);
                let entries: Vec<String> = (0..count)
                    .map(|_| {
                        let key = self.part(*keys, 0);
                        if optional {
                            format!("?{key}: {}", self.part(Type::Optional(values), below))
                        } else {
                            format!("{key}: {}", self.part(*values, below))
                        }
                    })
                    .collect();
                format!("{{{}}}", entries.join(", "))
            }
            Type::Optional(content) => match self.dice.below(4) {
                0 => "optional.none()".to_owned(),
                1 => format!("optional.ofNonZeroValue({})", self.part(*content, below)),
                _ => format!("optional.of({})", self.part(*content, below)),
            },
            Type::Dynamic => {
                let found = Type::Scalar(*self.dice.pick(&SCALARS));
                format!("dyn({})", self.literal(found, 0))
            }
            // There are no literals of objects, and null is one.
            Type::Object(..) => {
                let objects: Vec<usize> = (0..self.scope.len()).filter(|at| self.scope[*at].1 == wanted).collect();
                if objects.is_empty() { "null".to_owned() } else { self.scope[*self.dice.pick(&objects)].0.clone() }
            }
        }
    }

    fn scalar(&mut self, scalar: Scalar) -> String {
        let called = |rules: &mut Self, function: &str, texts: &[&str]| {
            let text = rules.dice.one(texts);
            format!("{function}({})", rules.quoted(text))
        };
        match scalar {
            Scalar::Boolean => self.dice.one(&["true", "false"]).to_owned(),
            Scalar::Integer => self.dice.pick(&WORDS.integers).to_string(),
            Scalar::Unsigned => format!("{}u", self.dice.pick(&[0, 1, 2, 3, 10, u64::MAX])),
            Scalar::Double if self.dice.percent(5) => {
                self.dice.one(&["double('NaN')", "double('inf')", "double('-inf')", "-0.0"]).to_owned()
            }
            Scalar::Double => format!("{:?}", self.dice.pick(&object::DOUBLES)),
            Scalar::Text => {
                let text = self.dice.one(&WORDS.texts);
                self.quoted(text)
            }
            Scalar::Bytes => self.dice.one(&["b''", "b'ab'", "b'\\xff\\x00'", "b'é'", "b'hello world'"]).to_owned(),
            Scalar::Duration => called(self, "duration", &["1h30m", "-2s", "1.5h", "100ms", "1ns", "0s", "2540400h"]),
            Scalar::Timestamp => called(
                self,
                "timestamp",
                &[
                    "2024-02-29T12:30:45.123Z",
                    "1970-01-01T00:00:00Z",
                    "9999-12-31T23:59:59.999Z",
                    "0001-01-01T00:00:00Z",
                ],
            ),
            Scalar::Null | Scalar::Authorization => "null".to_owned(),
            Scalar::Quantity => called(self, "quantity", &["1Gi", "1.5Ki", "100m", "1e9", "12E", "-5k", "0", "1", "2"]),
            Scalar::Address => called(self, "ip", &["10.0.0.1", "::1", "127.0.0.1", "fe80::1", "224.0.0.1", "0.0.0.0"]),
            Scalar::Network => {
                called(self, "cidr", &["10.0.0.0/8", "10.0.0.1/8", "::/0", "2001:db8::/32", "127.0.0.0/31"])
            }
            Scalar::Location => called(
                self,
                "url",
                &["https://user@example.com:8080/p/%20q?x=1&x=2#f", "http://[::1]:80/", "/path", "https://a/b?c"],
            ),
            Scalar::Semver if self.minor < 34 => "null".to_owned(),
            Scalar::Semver => called(self, "semver", &["1.2.3", "1.2.3-alpha.1+b", "0.0.0", "1.10.0"]),
            Scalar::Format => {
                self.dice.one(&["format.dns1123Label()", "format.uri()", "format.byte()", "format.date()"]).to_owned()
            }
        }
    }
}

fn keys_of<'t, 's>(found: &'t Type<'s>) -> Option<&'t &'s Type<'s>> {
    match found {
        Type::Map(keys, _) => Some(keys),
        _ => None,
    }
}

/// Whether a function of this shape gives the type. Binds its parameters.
fn matches<'s>(shape: Shape, wanted: Type<'s>, parameters: &mut [Option<Type<'s>>; 2]) -> bool {
    match (shape, wanted) {
        (Shape::Scalar(scalar), Type::Scalar(wanted)) => scalar == wanted,
        (Shape::Dynamic, wanted) => wanted == Type::Dynamic,
        (Shape::OneOf(at, allowed), Type::Scalar(scalar)) => {
            allowed.contains(&scalar) && *parameters[at].get_or_insert(wanted) == wanted
        }
        (Shape::Parameter(at), wanted) => *parameters[at].get_or_insert(wanted) == wanted,
        (Shape::List(shape), Type::List(items)) => matches(*shape, *items, parameters),
        (Shape::Map(keys, values), Type::Map(wanted_keys, wanted_values)) => {
            matches(*keys, *wanted_keys, parameters) && matches(*values, *wanted_values, parameters)
        }
        (Shape::Optional(shape), Type::Optional(content)) => matches(*shape, *content, parameters),
        _ => false,
    }
}
