//! The types of a rule: whether operators and functions take what they are given, and whether the rule is true or false at all.
//!
//! Fed with the tree of a rule in which [`super::resolver`] has found nothing wrong. Its findings are read by [`super`].
//!
//! Invariants: a part of the rule has the type that the API server's type checker (cel-go) gives it, or is left open; what is open fits
//! everything, so a finding is always a rule that a server refuses. Open are: values that can be of any type
//! (`x-kubernetes-int-or-string`, `dyn(…)`), names of types, messages, null on the left of a comparison, optional entries of lists and maps
//! that a rule makes, and whatever lies deeper than [`NESTING_LIMIT`] in lists and maps. A part that has a finding fits everything, so that
//! one mistake is told once. What a rule may cost is not looked at.

use std::rc::Rc;

use crd_markers::nearest::nearest;

use super::functions::{self, ORDERED_SCALARS, Overload, Scalar, Shape};
use super::lexer::TokenKind;
use super::parser::{Children, Literal, Macro, Node, NodeId, Span, Tree};
use super::resolver::{Root, TYPE_NAMESPACES, TYPES, describes_resource, is_visible};
use super::{CelFinding, CelProblem, literals, names};
use crd_model::schema::{AdditionalProperties, Schema};

#[cfg(test)]
mod tests;

/// How many lists, maps and optional values are followed into each other. A rule can pile up any number of them; comparing two piles must
/// not take long.
const NESTING_LIMIT: u8 = 8;

/// What a part of the rule is.
#[derive(Clone, Debug)]
enum Type<'n> {
    /// Nobody knows.
    Open,
    /// It can be anything, and the server knows no more.
    Dynamic,
    /// Nothing decides what it is: an item of `[]`, the content of `optional.none()`, a part that has a finding.
    Fitting,
    Scalar(Scalar),
    /// An object with the properties of a schema; two are of one type where they are in the same place of the schema.
    Object {
        schema: &'n Schema,
        resource: bool,
    },
    /// What every resource has as its `metadata`.
    ResourceMetadata,
    /// The items, and how deep these types lie in each other.
    List(Rc<Type<'n>>, u8),
    /// Keys and values.
    Map(Rc<(Type<'n>, Type<'n>)>, u8),
    /// What is in it, if anything is.
    Optional(Rc<Type<'n>>, u8),
}

use Type::{Dynamic, Fitting, Open};

const BOOLEAN: Type<'static> = Type::Scalar(Scalar::Boolean);
const INTEGER: Type<'static> = Type::Scalar(Scalar::Integer);
const TEXT: Type<'static> = Type::Scalar(Scalar::Text);

impl<'n> Type<'n> {
    fn depth(&self) -> u8 {
        match self {
            Self::List(_, depth) | Self::Map(_, depth) | Self::Optional(_, depth) => *depth,
            _ => 0,
        }
    }

    /// Itself, or open where it lies too deep to be put into something else.
    fn inner(self) -> Self {
        if self.depth() < NESTING_LIMIT { self } else { Open }
    }

    fn list(items: Self) -> Self {
        let items = items.inner();
        let depth = items.depth() + 1;
        Self::List(Rc::new(items), depth)
    }

    fn map(keys: Self, values: Self) -> Self {
        let (keys, values) = (keys.inner(), values.inner());
        let depth = keys.depth().max(values.depth()) + 1;
        Self::Map(Rc::new((keys, values)), depth)
    }

    fn optional(of: Self) -> Self {
        let of = of.inner();
        let depth = of.depth() + 1;
        Self::Optional(Rc::new(of), depth)
    }

    fn of_schema(schema: &'n Schema, resource: bool) -> Self {
        if schema.int_or_string {
            return Dynamic;
        }
        match schema.kind.as_deref() {
            Some("object") => match &schema.additional_properties {
                Some(AdditionalProperties::Values(values)) if is_visible(values) => {
                    Self::map(TEXT, Self::of_schema(values, false))
                }
                Some(AdditionalProperties::Values(_)) => Open,
                _ => Self::Object { schema, resource: resource || schema.embedded_resource },
            },
            Some("array") => match &schema.items {
                Some(items) if is_visible(items) => Self::list(Self::of_schema(items, false)),
                _ => Open,
            },
            Some("string") => Self::Scalar(match schema.format.as_deref() {
                Some("byte") => Scalar::Bytes,
                Some("duration") => Scalar::Duration,
                Some("date" | "date-time") => Scalar::Timestamp,
                _ => Scalar::Text,
            }),
            Some("boolean") => BOOLEAN,
            Some("integer") => INTEGER,
            Some("number") => Self::Scalar(Scalar::Double),
            _ => Open,
        }
    }

    /// The type of what can be the one or the other; nothing where no type is both.
    fn joined(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Open | Dynamic, _) | (_, Open | Dynamic) => Some(Open),
            (Fitting, known) | (known, Fitting) => Some(known.clone()),
            (Self::Scalar(Scalar::Null), Self::Scalar(Scalar::Null)) => Some(self.clone()),
            (Self::Scalar(Scalar::Null), known) | (known, Self::Scalar(Scalar::Null)) => {
                known.can_be_null().then(|| known.clone())
            }
            (Self::Scalar(one), Self::Scalar(other)) => (one == other).then(|| self.clone()),
            (Self::Object { schema: one, .. }, Self::Object { schema: other, .. }) => {
                std::ptr::eq(*one, *other).then(|| self.clone())
            }
            (Self::ResourceMetadata, Self::ResourceMetadata) => Some(Open),
            (Self::List(one, _), Self::List(other, _)) => Some(Self::list(one.joined(other)?)),
            (Self::Map(one, _), Self::Map(other, _)) => {
                Some(Self::map(one.0.joined(&other.0)?, one.1.joined(&other.1)?))
            }
            (Self::Optional(one, _), Self::Optional(other, _)) => Some(Self::optional(one.joined(other)?)),
            _ => None,
        }
    }

    fn is_open(&self) -> bool {
        matches!(self, Open | Dynamic | Fitting)
    }

    fn can_be_null(&self) -> bool {
        match self {
            Self::Scalar(scalar) => scalar.can_be_null(),
            Self::List(..) | Self::Map(..) => false,
            _ => true,
        }
    }

    /// Whether it is, or may be, this.
    fn may_be(&self, wanted: Scalar) -> bool {
        match self {
            Open | Dynamic | Fitting => true,
            Self::Scalar(scalar) => *scalar == wanted,
            _ => false,
        }
    }

    /// One of it, in words.
    fn one(&self) -> String {
        match self {
            Open | Dynamic | Fitting => "a value of any type".to_owned(),
            Self::Scalar(scalar) => scalar.one().to_owned(),
            Self::Object { .. } | Self::ResourceMetadata => "an object".to_owned(),
            Self::List(items, _) => format!("a list of {}", items.several()),
            Self::Map(entries, _) => format!("a map of {}", entries.1.several()),
            Self::Optional(of, _) => format!("an optional value ({})", of.one()),
        }
    }

    /// Several of it, in words.
    fn several(&self) -> &'static str {
        match self {
            Open | Dynamic | Fitting => "values of any type",
            Self::Scalar(scalar) => scalar.several(),
            Self::Object { .. } | Self::ResourceMetadata => "objects",
            Self::List(..) => "lists",
            Self::Map(..) => "maps",
            Self::Optional(..) => "optional values",
        }
    }

    /// What the function's parameters are if it takes this; whether it does.
    fn fits(&self, shape: Shape, parameters: &mut [Option<Self>; 2]) -> bool {
        match (shape, self) {
            (Shape::Dynamic, _) => true,
            (Shape::Parameter(index), _) => self.binds(index, parameters),
            (Shape::OneOf(index, allowed), Self::Scalar(scalar)) => {
                allowed.contains(scalar) && self.binds(index, parameters)
            }
            (Shape::OneOf(index, _), Open | Dynamic | Fitting) => self.binds(index, parameters),
            (_, Open | Dynamic | Fitting) => true,
            (Shape::Scalar(wanted), Self::Scalar(Scalar::Null)) => wanted.can_be_null(),
            (Shape::Scalar(wanted), Self::Scalar(scalar)) => wanted == *scalar,
            (Shape::List(wanted), Self::List(items, _)) => items.fits(*wanted, parameters),
            (Shape::Map(keys, values), Self::Map(entries, _)) => {
                entries.0.fits(*keys, parameters) && entries.1.fits(*values, parameters)
            }
            (Shape::Optional(wanted), Self::Optional(of, _)) => of.fits(*wanted, parameters),
            (Shape::Optional(_), Self::Scalar(Scalar::Null)) => true,
            _ => false,
        }
    }

    fn binds(&self, index: usize, parameters: &mut [Option<Self>; 2]) -> bool {
        let joined = match &parameters[index] {
            None => Some(self.clone()),
            Some(bound) => bound.joined(self),
        };
        let fits = joined.is_some();
        if fits {
            parameters[index] = joined;
        }
        fits
    }

    /// What a function gives.
    fn given(shape: Shape, parameters: &[Option<Self>; 2]) -> Self {
        match shape {
            Shape::Dynamic => Open,
            Shape::Scalar(scalar) => Self::Scalar(scalar),
            Shape::Parameter(index) | Shape::OneOf(index, _) => parameters[index].clone().unwrap_or(Open),
            // To the server these are several functions. Which one it is, is open as a whole.
            Shape::List(Shape::OneOf(index, _)) if parameters[*index].as_ref().is_none_or(Self::is_open) => Open,
            Shape::List(items) => Self::list(Self::given(*items, parameters)),
            Shape::Map(keys, values) => Self::map(Self::given(*keys, parameters), Self::given(*values, parameters)),
            Shape::Optional(of) => Self::optional(Self::given(*of, parameters)),
        }
    }
}

/// What the expression as a whole must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    /// Its type, if it matters.
    pub(super) result: Option<Scalar>,
    /// Whether `oldSelf` is an optional value (`optionalOldSelf: true`).
    pub(super) optional_old_self: bool,
}

/// Everything that is wrong with the types of an expression.
pub(super) fn check(source: &str, tree: &Tree, root: Root<'_>, wanted: Wanted) -> Vec<CelFinding> {
    let mut checker = Checker { source, tree, root, wanted, variables: Vec::new(), findings: Vec::new() };
    let result = checker.type_of(tree.root);
    if let Some(scalar) = wanted.result.filter(|scalar| !result.may_be(*scalar) || matches!(result, Dynamic)) {
        let kind = CelProblem::WrongResult { is: result.one(), wanted: scalar.one() };
        checker.find(tree.start(tree.root), kind);
    }
    let mut findings = checker.findings;
    findings.sort_by_key(|finding| finding.at);
    findings
}

struct Checker<'r, 'n> {
    source: &'r str,
    tree: &'r Tree,
    root: Root<'n>,
    wanted: Wanted,
    /// The variables of the macros around this place, innermost last.
    variables: Vec<(&'r str, Type<'n>)>,
    findings: Vec<CelFinding>,
}

impl<'r, 'n> Checker<'r, 'n> {
    fn text(&self, span: Span) -> &'r str {
        self.source.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    fn find(&mut self, at: usize, kind: CelProblem) -> Type<'n> {
        self.findings.push(CelFinding { at, kind });
        Fitting
    }

    fn type_of(&mut self, id: NodeId) -> Type<'n> {
        match self.tree.node(id) {
            Node::Name { name, .. } => self.variable(name),
            Node::Literal(literal) => Type::Scalar(match literal {
                Literal::Boolean => Scalar::Boolean,
                Literal::Null => Scalar::Null,
                Literal::Integer => Scalar::Integer,
                Literal::Unsigned => Scalar::Unsigned,
                Literal::Double => Scalar::Double,
                Literal::Text => Scalar::Text,
                Literal::Bytes => Scalar::Bytes,
            }),
            Node::Select { of, name, optional } => self.select(of, name, optional),
            Node::Has { field } => {
                self.type_of(field);
                BOOLEAN
            }
            Node::Index { of, key, optional, at } => self.index(of, key, optional, at as usize),
            Node::Call { target, name, arguments } => self.call(target, name, arguments),
            Node::Macro { kind, variables, target, name, arguments } => {
                self.expand(kind, variables, target, name, arguments)
            }
            Node::List { items } => {
                let tree = self.tree;
                let items = self.agreed(tree.children(items).iter().copied(), "the items of a list");
                Type::list(items)
            }
            Node::Map { entries } => {
                let entries = self.tree.children(entries);
                let keys = self.agreed(entries.iter().step_by(2).copied(), "the keys of a map");
                let values = self.agreed(entries.iter().skip(1).step_by(2).copied(), "the values of a map");
                Type::map(keys, values)
            }
            Node::Message { values } => {
                for value in self.tree.children(values) {
                    self.type_of(*value);
                }
                Open
            }
            Node::Logic { terms } => {
                for term in self.tree.children(terms) {
                    self.boolean(*term, "`&&` and `||` join");
                }
                BOOLEAN
            }
            Node::Not { of } => {
                self.boolean(of, "`!` negates");
                BOOLEAN
            }
            Node::Negate { of } => {
                let operand = self.type_of(of);
                let numbers = [Scalar::Integer, Scalar::Double];
                match &operand {
                    Type::Scalar(scalar) if numbers.contains(scalar) => operand,
                    Open | Dynamic | Fitting => Open,
                    _ => self.refuse(self.tree.start(id), "-", &[operand]),
                }
            }
            Node::Comparison { operator, left, right, at } => self.comparison(operator, left, right, at as usize),
            Node::In { left, right, at } => self.membership(left, right, at as usize),
            Node::Sum { left, right, at } => self.calculation(TokenKind::Plus, left, right, at as usize),
            Node::Calculation { operator, left, right, at } => self.calculation(operator, left, right, at as usize),
            Node::Conditional { test, yes, no } => {
                self.boolean(test, "`? :` asks");
                let (yes, no) = (self.type_of(yes), self.type_of(no));
                match yes.joined(&no) {
                    Some(joined) => joined,
                    None => self.refuse(self.tree.start(id), "? :", &[yes, no]),
                }
            }
        }
    }

    /// The type of all these parts; a finding where they do not agree.
    fn agreed(&mut self, parts: impl Iterator<Item = NodeId>, what: &'static str) -> Type<'n> {
        let mut all = Fitting;
        for part in parts {
            let found = match self.type_of(part) {
                // `[?a]` and `{?'a': b}` hold what is in the optional value, `[a]` the optional value.
                Type::Optional(..) => Open,
                found => found,
            };
            all = match all.joined(&found) {
                Some(joined) => joined,
                None => {
                    let kind = CelProblem::MixedTypes { what, one: all.one(), other: found.one() };
                    return self.find(self.tree.start(part), kind);
                }
            };
        }
        all
    }

    fn boolean(&mut self, part: NodeId, what: &'static str) {
        let found = self.type_of(part);
        if !found.may_be(Scalar::Boolean) {
            let kind = CelProblem::NotABoolean { what, is: found.one() };
            self.find(self.tree.start(part), kind);
        }
    }

    // ---- operators ----

    /// Reports operands that an operator or function does not take.
    fn refuse(&mut self, at: usize, function: &str, operands: &[Type<'n>]) -> Type<'n> {
        let is = |wanted: fn(&Type<'n>) -> bool| operands.iter().any(wanted);
        let scalar =
            |wanted: Scalar| operands.iter().any(|operand| matches!(operand, Type::Scalar(is) if *is == wanted));
        let advice = if is(|operand| matches!(operand, Type::Optional(..))) {
            Some("take what is in an optional value with `.orValue(…)`, after `.hasValue()` with `.value()`")
        } else if scalar(Scalar::Null) {
            Some("only objects can be null; ask whether a field is there with `has(…)`")
        } else if scalar(Scalar::Integer) && scalar(Scalar::Double) {
            Some("write whole numbers as `1.0` here, or convert with `double(…)` or `int(…)`")
        } else if scalar(Scalar::Text) && (scalar(Scalar::Integer) || scalar(Scalar::Double)) {
            Some("convert one of them with `string(…)` or `int(…)`")
        } else {
            None
        };
        let given = operands.iter().map(Type::one).collect();
        self.find(at, CelProblem::WrongOperands { function: function.to_owned(), given, advice })
    }

    fn comparison(&mut self, operator: TokenKind, left: NodeId, right: NodeId, at: usize) -> Type<'n> {
        let (left, right) = (self.type_of(left), self.type_of(right));
        let fits = match operator {
            TokenKind::Equal | TokenKind::NotEqual => left.joined(&right).is_some(),
            _ => are_ordered(&left, &right),
        };
        if !fits {
            let operator = self.source.get(at..).unwrap_or_default();
            let length = if operator[1..].starts_with('=') { 2 } else { 1 };
            self.refuse(at, &operator[..length], &[left, right]);
        }
        BOOLEAN
    }

    fn calculation(&mut self, operator: TokenKind, left: NodeId, right: NodeId, at: usize) -> Type<'n> {
        use Scalar::{Bytes, Double, Duration, Integer, Text, Timestamp, Unsigned};
        let (left, right) = (self.type_of(left), self.type_of(right));
        let numbers = [(Integer, Integer, Integer), (Unsigned, Unsigned, Unsigned), (Double, Double, Double)];
        let (count, others): (usize, &[(Scalar, Scalar, Scalar)]) = match operator {
            TokenKind::Plus => (
                3,
                &[
                    (Text, Text, Text),
                    (Bytes, Bytes, Bytes),
                    (Duration, Duration, Duration),
                    (Duration, Timestamp, Timestamp),
                    (Timestamp, Duration, Timestamp),
                ],
            ),
            TokenKind::Minus => (
                3,
                &[(Duration, Duration, Duration), (Timestamp, Timestamp, Duration), (Timestamp, Duration, Timestamp)],
            ),
            TokenKind::Percent => (2, &[]),
            _ => (3, &[]),
        };
        if operator == TokenKind::Plus
            && (matches!(left, Type::List(..)) || matches!(right, Type::List(..)))
            && let Some(joined) = left.joined(&right)
        {
            return joined;
        }
        let mut results = numbers[..count]
            .iter()
            .chain(others)
            .filter(|(one, other, _)| takes(*one, &left) && takes(*other, &right))
            .map(|(_, _, result)| *result);
        let Some(first) = results.next() else {
            let operator = self.source.get(at..at + 1).unwrap_or_default();
            return self.refuse(at, operator, &[left, right]);
        };
        // Where several are possible, nobody knows which it is.
        if results.all(|result| result == first) && !(left.is_open() && right.is_open()) {
            Type::Scalar(first)
        } else {
            Open
        }
    }

    fn membership(&mut self, left: NodeId, right: NodeId, at: usize) -> Type<'n> {
        let (item, container) = (self.type_of(left), self.type_of(right));
        let fits = match &container {
            Type::List(items, _) => item.joined(items).is_some(),
            Type::Map(entries, _) => item.joined(&entries.0).is_some(),
            Open | Dynamic | Fitting => true,
            _ => false,
        };
        if !fits {
            self.refuse(at, "in", &[item, container]);
        }
        BOOLEAN
    }

    fn index(&mut self, of: NodeId, key: NodeId, optional: bool, at: usize) -> Type<'n> {
        let (container, key) = (self.type_of(of), self.type_of(key));
        let (inner, is_optional) = match &container {
            Type::Optional(inner, _) => (&**inner, true),
            other => (other, optional),
        };
        let element = match inner {
            Type::List(items, _) if key.may_be(Scalar::Integer) => Type::clone(items),
            Type::Map(entries, _) if key.joined(&entries.0).is_some() => entries.1.clone(),
            Dynamic => return Dynamic,
            // Which of them is optional is not known either; null can be an optional list.
            Open | Fitting | Type::Scalar(Scalar::Null) => return Open,
            _ => return self.refuse(at, "[ ]", &[container, key]),
        };
        if is_optional { Type::optional(element) } else { element }
    }

    // ---- names ----

    fn variable(&mut self, name: Span) -> Type<'n> {
        let text = self.text(name);
        if let Some((_, bound)) = self.variables.iter().rev().find(|(variable, _)| *variable == text) {
            return bound.clone();
        }
        let root = || Type::of_schema(self.root.schema, self.root.resource);
        match text {
            "self" => root(),
            "oldSelf" if self.wanted.optional_old_self => Type::optional(root()),
            "oldSelf" => root(),
            // The name of a type, or found already.
            _ => Open,
        }
    }

    fn is_variable(&self, name: &str) -> bool {
        matches!(name, "self" | "oldSelf") || self.variables.iter().any(|(variable, _)| *variable == name)
    }

    fn select(&mut self, of: NodeId, name: Span, optional: bool) -> Type<'n> {
        let object = self.type_of(of);
        let quoted = self.text(name);
        let field = quoted.strip_prefix('`').and_then(|inner| inner.strip_suffix('`')).unwrap_or(quoted);
        let (inner, is_optional) = match &object {
            Type::Optional(inner, _) => (Type::clone(inner), true),
            other => (other.clone(), optional),
        };
        let selected = match inner {
            Type::Object { schema, resource } => property(schema, resource, field),
            Type::ResourceMetadata => TEXT,
            Type::Map(entries, _) => entries.1.clone(),
            Dynamic => Dynamic,
            Open | Fitting => Open,
            Type::Scalar(scalar) => {
                let kind =
                    CelProblem::NoFields { field: field.to_owned(), of: "this value".to_owned(), is: scalar.one() };
                return self.find(name.start as usize, kind);
            }
            Type::List(..) => {
                let kind = CelProblem::NoFields { field: field.to_owned(), of: "this value".to_owned(), is: "a list" };
                return self.find(name.start as usize, kind);
            }
            Type::Optional(..) => Open,
        };
        if is_optional { Type::optional(selected) } else { selected }
    }

    // ---- calls ----

    fn call(&mut self, target: Option<NodeId>, name: Span, arguments: Children) -> Type<'n> {
        let tree = self.tree;
        let arguments = tree.children(arguments);
        let function = self.text(name);
        let qualified = match target {
            None => Some(function.to_owned()),
            Some(target) => self.qualified(target).map(|namespace| format!("{namespace}.{function}")),
        };
        let at = name.start as usize;
        if let Some(qualified) = qualified
            && (target.is_none() || !functions::overloads(&qualified).is_empty())
        {
            let given: Vec<Type<'n>> = arguments.iter().map(|argument| self.type_of(*argument)).collect();
            self.literal(function, arguments);
            return match qualified.as_str() {
                "dyn" if given.len() == 1 => Dynamic,
                "type" if given.len() == 1 => Open,
                "optional.none" if given.is_empty() => Type::optional(Fitting),
                name => self.applied(at, name, false, &given),
            };
        }
        let Some(target) = target else { return Open };
        if let Some(unknown) = self.unknown_namespace(target) {
            let mut name = unknown;
            name.push('.');
            name.push_str(function);
            return self.unknown_function(tree.start(target), name, false);
        }
        let mut given = vec![self.type_of(target)];
        given.extend(arguments.iter().map(|argument| self.type_of(*argument)));
        self.literal(function, arguments);
        self.applied(at, function, true, &given)
    }

    /// The names of a value, with dots between them, if it consists of names only.
    fn qualified(&self, of: NodeId) -> Option<String> {
        match self.tree.node(of) {
            Node::Name { name, .. } => Some(self.text(name).to_owned()),
            Node::Select { of, name, optional: false } => {
                let mut qualified = self.qualified(of)?;
                qualified.push('.');
                qualified.push_str(self.text(name));
                Some(qualified)
            }
            _ => None,
        }
    }

    /// The names of a value that is neither a variable nor a field of one, nor the name of a type.
    fn unknown_namespace(&self, of: NodeId) -> Option<String> {
        let qualified = self.qualified(of)?;
        let first = qualified.split('.').next().unwrap_or_default();
        let is_type = TYPES.binary_search(&first).is_ok() || TYPE_NAMESPACES.binary_search(&first).is_ok();
        (!self.is_variable(first) && !is_type).then_some(qualified)
    }

    fn unknown_function(&mut self, at: usize, name: String, is_method: bool) -> Type<'n> {
        let known = functions::names().filter(|overload| overload.is_method == is_method).map(|overload| overload.name);
        let suggestion = nearest(&name, known).map(str::to_owned);
        self.find(at, CelProblem::UnknownFunction { name, suggestion })
    }

    /// What a function gives for arguments of these types.
    fn applied(&mut self, at: usize, name: &str, is_method: bool, given: &[Type<'n>]) -> Type<'n> {
        let overloads = functions::overloads(name);
        if overloads.is_empty() {
            // A name that nobody writes by hand may belong to an operator.
            let is_internal = name.starts_with('_');
            return if is_internal { Open } else { self.unknown_function(at, name.to_owned(), is_method) };
        }
        let mut result: Option<Type<'n>> = None;
        for overload in overloads {
            let Some(gives) = of_overload(overload, is_method, given) else { continue };
            result = Some(match result {
                None => gives,
                Some(before) => before.joined(&gives).unwrap_or(Open),
            });
        }
        match result {
            Some(result) => result,
            None => self.refuse(at, name, given),
        }
    }

    /// Texts that the server reads when it reads the rule.
    fn literal(&mut self, function: &str, arguments: &[NodeId]) {
        let argument = match (function, arguments) {
            ("matches", [pattern]) | ("matches", [_, pattern]) => *pattern,
            ("duration" | "timestamp", [text]) => *text,
            _ => return,
        };
        if !matches!(self.tree.node(argument), Node::Literal(Literal::Text)) {
            return;
        }
        let start = self.tree.start(argument);
        let Some(text) = literals::text(self.source.get(start..).unwrap_or_default()) else { return };
        let why = match function {
            "matches" => crd_regexp::recognise(&text).err().map(|problem| problem.to_string()),
            "duration" if !literals::is_duration(&text) => {
                Some("it consists of numbers with the units h, m, s, ms, us and ns: `1h30m`".to_owned())
            }
            "timestamp" if !literals::is_timestamp(&text) => {
                Some("it is written as in RFC 3339: `2006-01-02T15:04:05Z`".to_owned())
            }
            _ => None,
        };
        if let Some(why) = why {
            let what = match function {
                "matches" => "pattern",
                "duration" => "duration",
                _ => "timestamp",
            };
            self.find(start, CelProblem::BadLiteral { what, text, why });
        }
    }

    // ---- macros ----

    fn expand(&mut self, kind: Macro, variables: u8, target: NodeId, name: Span, arguments: Children) -> Type<'n> {
        let tree = self.tree;
        let arguments = tree.children(arguments);
        let (names, rest) = arguments.split_at(usize::from(variables).min(arguments.len()));
        let name_at = |index: usize| match names.get(index).map(|id| tree.node(*id)) {
            Some(Node::Name { name, .. }) => self.text(name),
            _ => "",
        };
        let (first, second) = (name_at(0), name_at(1));
        let function = self.text(name);
        if kind == Macro::Bind {
            // The server does not have it.
            return self.unknown_function(tree.start(target), "cel.bind".to_owned(), false);
        }
        let range = self.type_of(target);
        if kind == Macro::OptionalMap {
            return self.optional_map(function, &range, first, rest, name.start as usize);
        }
        let (key, value) = match &range {
            Type::List(items, _) => (INTEGER, Type::clone(items)),
            Type::Map(entries, _) => (entries.0.clone(), entries.1.clone()),
            Open | Dynamic | Fitting => (Open, Open),
            other => {
                let kind = CelProblem::NotARange { function: function.to_owned(), is: other.one() };
                self.find(name.start as usize, kind);
                (Fitting, Fitting)
            }
        };
        let item = if matches!(range, Type::Map(..)) { key.clone() } else { value.clone() };
        let outside = self.variables.len();
        if second.is_empty() {
            self.variables.push((first, item.clone()));
        } else {
            self.variables.push((first, key.clone()));
            self.variables.push((second, value));
        }
        let result = match (kind, rest) {
            (Macro::Quantifier, [condition]) | (Macro::Filter, [condition]) => {
                self.boolean(
                    *condition,
                    if kind == Macro::Filter { "`filter` asks" } else { "`all` and its like ask" },
                );
                if kind == Macro::Filter { Type::list(item) } else { BOOLEAN }
            }
            (_, [condition, result]) => {
                self.boolean(*condition, "the condition asks");
                self.type_of(*result)
            }
            (_, [result]) => self.type_of(*result),
            _ => Open,
        };
        self.variables.truncate(outside);
        match kind {
            Macro::Quantifier | Macro::Filter => result,
            Macro::Map | Macro::TransformList => Type::list(result),
            Macro::TransformMap => Type::map(key, result),
            Macro::TransformMapEntry => match result {
                Type::Map(..) | Open | Dynamic | Fitting => result,
                other => self.refuse(name.start as usize, function, &[other]),
            },
            Macro::SortBy => {
                let is_ordered = matches!(&result, Type::Scalar(scalar) if ORDERED_SCALARS.contains(scalar));
                match range {
                    _ if !is_ordered && !result.is_open() => self.refuse(name.start as usize, function, &[result]),
                    Type::List(..) => range,
                    _ => Open,
                }
            }
            Macro::OptionalMap | Macro::Bind => Open,
        }
    }

    fn optional_map(
        &mut self,
        function: &str,
        range: &Type<'n>,
        variable: &'r str,
        rest: &[NodeId],
        at: usize,
    ) -> Type<'n> {
        let content = match range {
            Type::Optional(of, _) => Type::clone(of),
            Open | Dynamic | Fitting => Open,
            other => self.refuse(at, function, std::slice::from_ref(other)),
        };
        self.variables.push((variable, content));
        let result = rest.first().map_or(Open, |result| self.type_of(*result));
        self.variables.pop();
        match (function, result) {
            ("optMap", result) => Type::optional(result),
            (_, result @ (Type::Optional(..) | Open | Dynamic | Fitting)) => result,
            (_, result) => self.refuse(at, function, &[result]),
        }
    }
}

/// Whether `<` compares the two: numbers with any numbers, other values with their like.
fn are_ordered(left: &Type<'_>, right: &Type<'_>) -> bool {
    let is_number = |scalar: Scalar| matches!(scalar, Scalar::Integer | Scalar::Unsigned | Scalar::Double);
    match (left, right) {
        (one, other) if one.is_open() && other.is_open() => true,
        (Type::Scalar(known), open) | (open, Type::Scalar(known)) if open.is_open() => {
            ORDERED_SCALARS.contains(known) || *known == Scalar::Null
        }
        (Type::Scalar(one), Type::Scalar(other)) => {
            is_number(*one) && is_number(*other)
                || one == other && ORDERED_SCALARS.contains(one)
                || *one == Scalar::Null && other.can_be_null()
                || *other == Scalar::Null && one.can_be_null()
        }
        _ => false,
    }
}

fn takes(wanted: Scalar, given: &Type<'_>) -> bool {
    given.may_be(wanted) || wanted.can_be_null() && given.may_be(Scalar::Null)
}

/// What this way to call a function gives, if it takes arguments of these types.
fn of_overload<'n>(overload: &Overload, is_method: bool, given: &[Type<'n>]) -> Option<Type<'n>> {
    if overload.is_method != is_method || overload.takes.len() != given.len() {
        return None;
    }
    let mut parameters = [None, None];
    let fits = overload.takes.iter().zip(given).all(|(shape, given)| given.fits(*shape, &mut parameters));
    fits.then(|| Type::given(overload.gives, &parameters))
}

fn property<'n>(schema: &'n Schema, resource: bool, field: &str) -> Type<'n> {
    if resource && matches!(field, "apiVersion" | "kind" | "metadata") && !describes_resource(schema) {
        return if field == "metadata" { Type::ResourceMetadata } else { TEXT };
    }
    match names::property(&schema.properties, field) {
        Some((_, found)) if is_visible(found) => Type::of_schema(found, false),
        _ => Open,
    }
}
