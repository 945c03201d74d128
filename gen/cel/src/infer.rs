//! Type inference: one pass over the tree finds the type of every part, the fields that it reads, and everything that a server refuses.
//!
//! Invariants: a part has the type that the API server's type checker (cel-go) gives it, with the same variables for types that are not
//! decided yet, so that exactly those rules have problems that a server refuses. A part with a problem is accepted everywhere, so that one
//! mistake is reported once.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crd_names::nearest;

use super::calendar::{Duration, Timestamp};
use super::functions::Overload;
use super::lexer::TokenKind;
use super::library::{self, format_text};
use super::operators::{self, Signature};
use super::parser::{Children, Macro, MacroCall, MacroParts, Node, NodeId, Span, Tree};
use super::problem::{CelProblem, ProblemKind};
use super::shapes::{ORDERED_LIST, Scalar, Shape};
use super::types::Kind;
use super::types::Type::{self, Dynamic, Error};
use super::types::{BOOLEAN, Bindings, INTEGER, PathId, TEXT, alternatives};
use super::{Environment, fields, literals, value};
use crd_model::schema::{AdditionalProperties, Schema};

/// How many names a problem lists.
const NAMES_LISTED: usize = 8;
/// The longest piece of the rule that a problem quotes, in bytes.
const LONGEST_QUOTE: usize = 80;

/// Where a value is, from the object that the rule belongs to.
#[derive(Clone, Copy)]
enum Origin<'n> {
    /// `self`
    Itself,
    /// `oldSelf`
    Old,
    /// A property of the object before it.
    Property(PathId, &'n str),
    /// Any item of the list, or any value of the map.
    Each(PathId),
}

/// How many problems of an expression are reported.
const MOST_PROBLEMS: usize = 20;

/// What a call was resolved to.
struct Resolution<'n> {
    result: Type<'n>,
    /// What each overload expects that accepts the arguments, at this moment.
    takes: Vec<Vec<Type<'n>>>,
}

/// What a tree without problems is to a server, by node.
pub(super) struct Typed<'n> {
    /// The types in the end.
    pub(super) types: Vec<Type<'n>>,
    /// For a call, the deciding operand of each overload that accepts the operands, in the server's order.
    pub(super) overloads: Vec<Vec<Kind>>,
}

/// The parts of a literal, which must have one type.
struct Aggregate<'n> {
    what: &'static str,
    /// Where each part begins, and its type.
    parts: Vec<(usize, Type<'n>)>,
}

/// All problems of an expression, sorted by position.
pub(super) fn check(tree: &Tree<'_>, context: Environment<'_>) -> Vec<CelProblem> {
    resolve(tree, context).0
}

/// The problems that [`check`] returns, and for each node the kind of its deciding operand.
pub(super) fn resolve(tree: &Tree<'_>, context: Environment<'_>) -> (Vec<CelProblem>, Vec<Kind>) {
    let mut inference = Inference::new(tree, context);
    (inference.checked(), inference.kinds)
}

/// The types and overloads of an expression, if it has no problems.
pub(super) fn typed<'n>(tree: &Tree<'_>, context: Environment<'n>) -> Option<Typed<'n>> {
    let mut inference = Inference::new(tree, context);
    let nodes = tree.nodes.len();
    inference.typed = Some(Typed { types: vec![Dynamic; nodes], overloads: vec![Vec::new(); nodes] });
    let problems = inference.checked();
    let mut typed = inference.typed.take().filter(|_| problems.is_empty())?;
    for found in &mut typed.types {
        *found = inference.bindings.resolved(found, true);
    }
    Some(typed)
}

/// A name that is wrong ten times in one rule is one mistake: its first position is reported.
fn first_of_each_name(problems: Vec<CelProblem>) -> Vec<CelProblem> {
    if problems.len() < 2 {
        return problems;
    }
    let mut seen: HashSet<ProblemKind> = HashSet::with_capacity(problems.len());
    let is_first = |problem: &CelProblem| !problem.kind.is_about_a_name() || seen.insert(problem.kind.clone());
    problems.into_iter().filter(is_first).collect()
}

struct Inference<'r, 'n> {
    tree: &'r Tree<'r>,
    context: Environment<'n>,
    /// The variables of the macros around the current part, innermost last.
    variables: Vec<(&'r str, Type<'n>)>,
    paths: Vec<Origin<'n>>,
    problems: Vec<CelProblem>,
    kinds: Vec<Kind>,
    /// What a server records, where it is asked for.
    typed: Option<Typed<'n>>,
    /// How many calls of `format` are around the current part. Inside them, items of a list can have any types.
    formats: u32,
    bindings: Bindings<'n>,
    aggregates: Vec<Aggregate<'n>>,
    /// Where `format` is called with a constant pattern and a list: the position, the pattern, and the list.
    patterns: Vec<(usize, String, Children)>,
    /// The types of the parts of literals in calls of `format`.
    formatted: HashMap<NodeId, Type<'n>>,
}

impl<'r, 'n> Inference<'r, 'n> {
    fn new(tree: &'r Tree<'r>, context: Environment<'n>) -> Self {
        Self {
            tree,
            context,
            variables: Vec::new(),
            paths: vec![Origin::Itself, Origin::Old],
            problems: Vec::new(),
            kinds: vec![Kind::Open; tree.nodes.len()],
            typed: None,
            formats: 0,
            bindings: Bindings::default(),
            aggregates: Vec::new(),
            patterns: Vec::new(),
            formatted: HashMap::new(),
        }
    }

    /// Whether the next problem comes with the names that may be meant.
    fn suggests(&self) -> bool {
        self.problems.len() < self.context.suggestions.min(MOST_PROBLEMS)
    }

    fn report(&mut self, at: usize, kind: ProblemKind) -> Type<'n> {
        // Each problem is printed with the expression.
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(CelProblem { at, kind });
        }
        Error
    }

    // ---- from schemas to types ----

    fn of_schema(&mut self, schema: &'n Schema, resource: bool, path: PathId) -> Type<'n> {
        if schema.int_or_string {
            return Dynamic;
        }
        match schema.kind.as_deref() {
            Some("object") => match &schema.additional_properties {
                Some(AdditionalProperties::Values(values)) if fields::is_visible(values) => {
                    Type::map(TEXT, self.each(values, path))
                }
                Some(AdditionalProperties::Values(_)) => Error,
                _ => Type::Object { schema, resource: resource || schema.embedded_resource, path },
            },
            Some("array") => match &schema.items {
                Some(items) if fields::is_visible(items) => Type::list(self.each(items, path)),
                _ => Error,
            },
            Some("string") => Type::Scalar(match schema.format.as_deref() {
                Some("byte") => Scalar::Bytes,
                Some("duration") => Scalar::Duration,
                Some("date" | "date-time") => Scalar::Timestamp,
                _ => Scalar::Text,
            }),
            Some("boolean") => BOOLEAN,
            Some("integer") => INTEGER,
            Some("number") => Type::Scalar(Scalar::Double),
            _ => Error,
        }
    }

    /// The type of the items of a list, or of the values of a map.
    fn each(&mut self, schema: &'n Schema, path: PathId) -> Type<'n> {
        let each = self.add_path(Origin::Each(path));
        self.of_schema(schema, false, each)
    }

    fn add_path(&mut self, origin: Origin<'n>) -> PathId {
        let id = u32::try_from(self.paths.len()).unwrap_or(u32::MAX);
        self.paths.push(origin);
        id
    }

    // ---- expressions ----

    /// All problems of the expression, sorted by position.
    fn checked(&mut self) -> Vec<CelProblem> {
        let root = self.tree.root;
        let result = self.type_of(root);
        let result = self.bindings.resolved(&result, true);
        let is_wanted = |wanted: Scalar| matches!(&result, Type::Scalar(found) if *found == wanted);
        let wanted = self.context.result;
        if let Some(scalar) = wanted.filter(|scalar| !matches!(result, Error) && !is_wanted(*scalar)) {
            let kind = ProblemKind::WrongResult { is: result.one(), wanted: scalar.words().0 };
            self.report(self.tree.start(root), kind);
        }
        self.check_aggregates();
        self.check_patterns();
        let mut problems = std::mem::take(&mut self.problems);
        problems.sort_by_key(|problem| problem.at);
        first_of_each_name(problems)
    }

    fn type_of(&mut self, id: NodeId) -> Type<'n> {
        let found = self.inferred(id);
        if let Some(typed) = &mut self.typed {
            typed.types[id as usize] = found.clone();
        }
        found
    }

    /// Remembers what decides which overload is called, where it is one of the expected operands.
    fn decide(&mut self, id: NodeId, found: &Resolution<'n>, deciding: impl Fn(&[Type<'n>]) -> Kind) {
        if let [takes] = &found.takes[..] {
            let takes: Vec<_> = takes.iter().map(|takes| self.bindings.resolved(takes, false)).collect();
            self.kinds[id as usize] = deciding(&takes);
        }
        if let Some(typed) = &mut self.typed {
            typed.overloads[id as usize] = found.takes.iter().map(|takes| deciding(takes)).collect();
        }
    }

    fn inferred(&mut self, id: NodeId) -> Type<'n> {
        match self.tree.node(id) {
            Node::Name { name, absolute } => self.variable(name, absolute),
            Node::Literal(scalar) => Type::Scalar(scalar),
            Node::Select { of, name, optional } => self.select(id, of, name, optional),
            Node::Has { field } => {
                self.type_of(field);
                BOOLEAN
            }
            Node::Index { of, key, optional, at } => self.index(id, of, key, optional, at as usize),
            Node::Call { target, name, arguments } => self.call(id, target, name, arguments),
            Node::Macro(call) => self.expand(id, call),
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
            Node::OptionalEntry { of } => self.optional_entry(of),
            Node::Message { values } => {
                for value in self.tree.children(values) {
                    self.type_of(*value);
                }
                Error
            }
            Node::Logic { terms, .. } => {
                for term in self.tree.children(terms) {
                    self.condition(*term, "each side of `&&` and `||`");
                }
                BOOLEAN
            }
            Node::Not { of } => {
                self.condition(of, "`!`");
                BOOLEAN
            }
            Node::Negate { of } => self.negated(id, of),
            Node::Comparison { operator, left, right, at } => self.binary(id, operator, left, right, at as usize),
            Node::In { left, right, at } => self.membership(id, left, right, at as usize),
            Node::Sum { left, right, at } => self.binary(id, TokenKind::Plus, left, right, at as usize),
            Node::Calculation { operator, left, right, at } => self.binary(id, operator, left, right, at as usize),
            Node::Conditional { test, yes, no } => {
                self.condition(test, "`? :`");
                let yes = self.type_of(yes);
                self.alternative(id, yes, no)
            }
        }
    }

    fn alternative(&mut self, id: NodeId, yes: Type<'n>, no: NodeId) -> Type<'n> {
        let no = self.type_of(no);
        self.conditional(self.tree.start(id), yes, no)
    }

    fn optional_entry(&mut self, of: NodeId) -> Type<'n> {
        let found = self.type_of(of);
        match self.bindings.resolved(&found, false) {
            Type::Optional(content, _) => Type::clone(&content),
            Error => Error,
            found => self.refuse(self.tree.start(of), "?", &[found]),
        }
    }

    fn negated(&mut self, id: NodeId, of: NodeId) -> Type<'n> {
        let operand = self.type_of(of);
        self.operator(self.tree.start(id), "-", operators::NEGATE, &[operand]).result
    }

    /// The common type of these parts. Whether it is the same type is checked in the end.
    fn agreed(&mut self, parts: impl Iterator<Item = NodeId>, what: &'static str) -> Type<'n> {
        let mut all: Option<Type<'n>> = None;
        let mut found = Vec::new();
        for part in parts {
            let of = self.type_of(part);
            all = Some(match all {
                None => of.clone(),
                Some(all) => self.bindings.joined(&all, &of),
            });
            if self.formats > 0 {
                self.formatted.insert(part, of.clone());
            }
            found.push((self.tree.start(part), of));
        }
        if self.formats == 0 && found.len() > 1 {
            self.aggregates.push(Aggregate { what, parts: found });
        }
        all.unwrap_or_else(|| self.bindings.variable())
    }

    /// Reports literals whose parts do not have one type, now that all types are decided.
    fn check_aggregates(&mut self) {
        if !self.problems.is_empty() {
            return;
        }
        for Aggregate { what, parts } in std::mem::take(&mut self.aggregates) {
            let mut types = parts.iter().map(|(at, found)| (*at, self.bindings.resolved(found, true)));
            let Some((_, first)) = types.next() else { continue };
            if let Some((at, other)) = types.find(|(_, other)| !first.is_same(other)) {
                let kind = ProblemKind::MixedTypes { what, one: first.one(), other: other.one() };
                self.report(at, kind);
            }
        }
    }

    /// Reports calls of `format` whose clauses do not accept the values, now that all types are decided.
    fn check_patterns(&mut self) {
        if !self.problems.is_empty() {
            return;
        }
        for (at, text, items) in std::mem::take(&mut self.patterns) {
            let items = self.tree.children(items);
            let why = match format_text::clauses(&text) {
                Err(why) => why,
                Ok(clauses) if clauses.len() != items.len() => {
                    format!("it has {} clauses, and there are {} values", clauses.len(), items.len())
                }
                Ok(clauses) => {
                    let refused = clauses.iter().zip(items).find(|(clause, item)| !self.is_formatted(**clause, **item));
                    let Some((clause, item)) = refused else { continue };
                    let found = self.formatted.get(item).map(|found| self.bindings.resolved(found, true));
                    format!("`%{clause}` does not accept {}", found.unwrap_or(Error).one())
                }
            };
            self.report(at, ProblemKind::BadLiteral { what: "format", text, why });
        }
    }

    /// Whether a clause of `format` accepts the value.
    fn is_formatted(&self, clause: char, item: NodeId) -> bool {
        use Scalar::{Boolean, Bytes, Double, Duration, Integer, Null, Text, Timestamp, Unsigned};
        let found = self.formatted.get(&item).map_or(Error, |found| self.bindings.resolved(found, true));
        let allowed: &[Scalar] = match clause {
            's' => &[Integer, Unsigned, Double, Boolean, Text, Timestamp, Bytes, Duration, Null],
            'd' | 'o' => &[Integer, Unsigned],
            'f' | 'e' => &[Double, Text],
            'b' => &[Integer, Unsigned, Boolean],
            _ => &[Integer, Unsigned, Text, Bytes],
        };
        let is_allowed = match found {
            Error | Dynamic => true,
            Type::Scalar(scalar) => allowed.contains(&scalar),
            Type::List(..) | Type::Map(..) | Type::Name(_) => clause == 's',
            _ => false,
        };
        let parts = match self.tree.node(item) {
            Node::List { items } if clause == 's' => self.tree.children(items),
            Node::Map { entries } if clause == 's' => self.tree.children(entries),
            _ => &[],
        };
        is_allowed && parts.iter().all(|part| self.is_formatted('s', *part))
    }

    fn condition(&mut self, part: NodeId, what: &'static str) {
        let found = self.type_of(part);
        if !self.bindings.accept(&[(&found, &BOOLEAN)]) {
            let found = self.bindings.resolved(&found, false);
            let kind = ProblemKind::NotABoolean { what, is: found.one() };
            self.report(self.tree.start(part), kind);
        }
    }

    // ---- operators ----

    /// Reports operands that an operator or function does not accept.
    fn refuse(&mut self, at: usize, function: &str, operands: &[Type<'n>]) -> Type<'n> {
        let is = |wanted: fn(&Type<'n>) -> bool| operands.iter().any(wanted);
        let scalar =
            |wanted: Scalar| operands.iter().any(|operand| matches!(operand, Type::Scalar(is) if *is == wanted));
        let advice = if is(|operand| matches!(operand, Type::Optional(..))) {
            Some("read the content of an optional value with `.orValue(…)`, or with `.value()` after `.hasValue()`")
        } else if scalar(Scalar::Null) {
            Some("only objects can be null; ask whether a field exists with `has(…)`")
        } else if scalar(Scalar::Integer) && scalar(Scalar::Double) {
            Some("write whole numbers as `1.0` here, or convert with `double(…)` or `int(…)`")
        } else if scalar(Scalar::Text) && (scalar(Scalar::Integer) || scalar(Scalar::Double)) {
            Some("convert one of them with `string(…)` or `int(…)`")
        } else {
            None
        };
        let actual = operands.iter().map(Type::one).collect();
        self.report(at, ProblemKind::WrongOperands { function: function.to_owned(), actual, advice })
    }

    /// Reports an object that is used as a map.
    fn refuse_object(&mut self, container: &Type<'n>, at: usize) -> bool {
        let (Type::Object { path, .. } | Type::ResourceMetadata { path }) = container else { return false };
        let of = self.written(*path);
        self.report(at, ProblemKind::NotAMap { of });
        true
    }

    fn binary(&mut self, id: NodeId, operator: TokenKind, left: NodeId, right: NodeId, at: usize) -> Type<'n> {
        let operands = [self.type_of(left), self.type_of(right)];
        let written = self.tree.source.get(at..).unwrap_or_default();
        let length = if written.len() > 1 && written[1..].starts_with('=') { 2 } else { 1 };
        let found = self.operator(at, &written[..length.min(written.len())], operators::of_token(operator), &operands);
        self.decide(id, &found, |takes| Kind::of(&takes[0]));
        found.result
    }

    /// The result of an operator, and what it expects. Reports operands that it does not accept.
    fn operator(&mut self, at: usize, name: &str, signatures: &[Signature], actual: &[Type<'n>]) -> Resolution<'n> {
        if let Some(found) = self.resolve(signatures, actual) {
            return found;
        }
        let actual: Vec<Type<'n>> = actual.iter().map(|found| self.bindings.resolved(found, false)).collect();
        Resolution { result: self.refuse(at, name, &actual), takes: Vec::new() }
    }

    /// The overloads that accept the arguments, as the server resolves them: each one decides types for the next ones.
    fn resolve(&mut self, signatures: &[Signature], actual: &[Type<'n>]) -> Option<Resolution<'n>> {
        let mut found: Option<Resolution<'n>> = None;
        for (takes, gives) in signatures.iter().filter(|(takes, _)| takes.len() == actual.len()) {
            let scalars = takes.iter().find_map(alternatives);
            for scalar in scalars.map_or_else(|| vec![None], |scalars| scalars.iter().copied().map(Some).collect()) {
                let mut parameters = [scalar.map(Type::Scalar), None];
                let wanted: Vec<Type<'n>> =
                    takes.iter().map(|shape| self.bindings.of_shape(*shape, &mut parameters)).collect();
                let pairs: Vec<_> = actual.iter().zip(&wanted).collect();
                if !self.bindings.accept(&pairs) {
                    continue;
                }
                let result = self.bindings.of_shape(*gives, &mut parameters);
                let result = self.bindings.resolved(&result, false);
                match &mut found {
                    None => found = Some(Resolution { result, takes: vec![wanted] }),
                    Some(before) => {
                        if !result.is_same(&before.result) {
                            before.result = Dynamic;
                        }
                        before.takes.push(wanted);
                    }
                }
            }
        }
        found
    }

    fn conditional(&mut self, at: usize, yes: Type<'n>, no: Type<'n>) -> Type<'n> {
        match self.resolve(operators::CONDITIONAL, &[BOOLEAN, yes.clone(), no.clone()]) {
            Some(found) => found.result,
            None => {
                let operands = [self.bindings.resolved(&yes, false), self.bindings.resolved(&no, false)];
                self.refuse(at, "? :", &operands)
            }
        }
    }

    fn membership(&mut self, id: NodeId, left: NodeId, right: NodeId, at: usize) -> Type<'n> {
        let (item, container) = (self.type_of(left), self.type_of(right));
        if self.refuse_object(&container, at) {
            return BOOLEAN;
        }
        let found = self.operator(at, "in", operators::IN, &[item, container]);
        self.decide(id, &found, |takes| Kind::of(&takes[1]));
        BOOLEAN
    }

    fn index(&mut self, id: NodeId, of: NodeId, key: NodeId, optional: bool, at: usize) -> Type<'n> {
        let (container, key) = (self.type_of(of), self.type_of(key));
        let inner = match &container {
            Type::Optional(inner, _) => inner,
            other => other,
        };
        if self.refuse_object(inner, at) {
            return Error;
        }
        let signatures = if optional { operators::OPTIONAL_INDEX } else { operators::INDEX };
        let found = self.operator(at, "[ ]", signatures, &[container, key]);
        self.decide(id, &found, |takes| Kind::of(&takes[0]));
        found.result
    }

    // ---- names ----

    /// The type of a variable of a macro, of `self` or of `oldSelf`. An absolute name is not a variable of a macro.
    fn known_variable(&mut self, name: &str, absolute: bool) -> Option<Type<'n>> {
        if let Some((_, bound)) = self.variables.iter().rev().find(|(variable, _)| !absolute && *variable == name) {
            return Some(bound.clone());
        }
        let Environment { schema, resource, optional_old_self, variables, .. } = self.context;
        if variables.contains(&name) {
            return Some(Dynamic);
        }
        match name {
            "self" => Some(self.of_schema(schema, resource, 0)),
            "oldSelf" => {
                let old = self.of_schema(schema, resource, 1);
                Some(if optional_old_self { Type::optional(old) } else { old })
            }
            _ => None,
        }
    }

    fn variable(&mut self, name: Span, absolute: bool) -> Type<'n> {
        let text = self.tree.text(name);
        match self.known_variable(text, absolute) {
            Some(property_schema) => property_schema,
            None => match type_named(text) {
                Some(found) => found,
                // The first part of a longer name.
                None if value::begins_type_name(text) => Error,
                None => self.unknown_variable(name),
            },
        }
    }

    fn is_variable(&self, name: &str) -> bool {
        self.variable_names().any(|variable| variable == name)
    }

    fn variable_names(&self) -> impl Iterator<Item = &'r str> {
        self.variables.iter().rev().map(|(variable, _)| *variable).chain(["self", "oldSelf"])
    }

    fn unknown_variable(&mut self, name: Span) -> Type<'n> {
        let text = self.tree.text(name);
        let suggestion = if self.is_field_of_self(text) {
            Some(format!("self.{text}"))
        } else {
            // Every name of one letter is similar to every other.
            Some(text)
                .filter(|text| text.len() > 2 && self.suggests())
                .and_then(|text| nearest(text, self.variable_names()))
                .map(str::to_owned)
        };
        let inner = self.variables.iter().rev().take(NAMES_LISTED).map(|(variable, _)| *variable);
        let variables = inner.chain(["self", "oldSelf"]).map(str::to_owned).collect();
        let kind = ProblemKind::UnknownVariable { name: text.to_owned(), suggestion, variables };
        self.report(name.start as usize, kind)
    }

    fn is_field_of_self(&self, name: &str) -> bool {
        fields::property(&self.context.schema.properties, name).is_some()
    }

    fn select(&mut self, id: NodeId, of: NodeId, name: Span, optional: bool) -> Type<'n> {
        if let Some(qualified) = self.tree.qualified(id)
            && !self.is_variable(qualified.split('.').next().unwrap_or_default())
            && let Some(found) = type_named(&qualified)
        {
            return found;
        }
        let object = self.type_of(of);
        let object = self.bindings.resolved(&object, false);
        let field = self.tree.field(name);
        let (inner, is_optional) = match &object {
            Type::Optional(inner, _) => (Type::clone(inner), true),
            other => (other.clone(), optional),
        };
        let selected = match inner {
            Type::Object { schema, resource, path } => self.property(schema, resource, path, name, field),
            Type::ResourceMetadata { path } => match field {
                "name" | "generateName" => TEXT,
                _ => self.missing_field(name, field, path, None, &fields::OF_METADATA),
            },
            Type::Map(entries, _) => entries.1.clone(),
            Dynamic => Dynamic,
            Error => Error,
            Type::Variable(_) => {
                self.bindings.accept(&[(&Dynamic, &inner)]);
                Dynamic
            }
            Type::Scalar(scalar) => return self.no_fields(of, name, field, scalar.words().0),
            Type::List(..) => return self.no_fields(of, name, field, "a list"),
            Type::Optional(..) => return self.no_fields(of, name, field, "an optional value"),
            Type::Name(_) => return self.no_fields(of, name, field, "a type"),
        };
        if is_optional { Type::optional(selected) } else { selected }
    }

    fn property(&mut self, schema: &'n Schema, resource: bool, path: PathId, name: Span, field: &str) -> Type<'n> {
        let property_schema = fields::property(&schema.properties, field);
        if resource && !fields::describes_resource(schema) {
            let implied = fields::OF_RESOURCE.into_iter().find(|implied| *implied == field);
            if let Some(implied) = implied {
                let path = match property_schema {
                    Some((property, _)) => self.add_path(Origin::Property(path, property)),
                    None => self.add_path(Origin::Property(path, implied)),
                };
                return if implied == "metadata" { Type::ResourceMetadata { path } } else { TEXT };
            }
        }
        let Some((property, found)) = property_schema else {
            let implied = if resource { &fields::OF_RESOURCE[..] } else { &[] };
            return self.missing_field(name, field, path, Some(schema), implied);
        };
        if fields::is_visible(found) {
            let path = self.add_path(Origin::Property(path, property));
            return self.of_schema(found, false, path);
        }
        let of = self.written(path);
        self.report(name.start as usize, ProblemKind::HiddenField { field: field.to_owned(), of })
    }

    // ---- calls ----

    fn call(&mut self, id: NodeId, target: Option<NodeId>, name: Span, arguments: Children) -> Type<'n> {
        let tree = self.tree;
        let arguments = tree.children(arguments);
        let function = self.tree.text(name);
        let at = name.start as usize;
        let Some(target) = target else { return self.function(id, at, function, arguments) };
        if let Some(namespace) = self.tree.qualified(target) {
            let qualified = format!("{namespace}.{function}");
            if !library::overloads(&qualified).is_empty() {
                return self.function(id, at, &qualified, arguments);
            }
            let first = namespace.split('.').next().unwrap_or_default();
            if !self.is_variable(first)
                && !value::begins_type_name(first)
                && !self.is_misspelt_variable(first, function)
            {
                self.types_of(arguments);
                return self.unknown_function(tree.start(target), qualified, false);
            }
        }
        let is_format = u32::from(function == "format");
        self.formats += is_format;
        let arguments_types = self.types_of(arguments);
        let mut actual = vec![self.type_of(target)];
        actual.extend(arguments_types);
        self.formats -= is_format;
        if let (1, [list]) = (is_format, arguments)
            && let (Node::Literal(Scalar::Text), Node::List { items }) = (tree.node(target), tree.node(*list))
            && let Some(pattern) = literals::text(tree.source_from(target))
        {
            self.patterns.push((tree.start(target), pattern, items));
        }
        self.literal(function, arguments);
        self.applied(id, at, function, true, &actual)
    }

    fn types_of(&mut self, parts: &[NodeId]) -> Vec<Type<'n>> {
        parts.iter().map(|part| self.type_of(*part)).collect()
    }

    /// A call without a target, or with a namespace.
    fn function(&mut self, id: NodeId, at: usize, name: &str, arguments: &[NodeId]) -> Type<'n> {
        let actual = self.types_of(arguments);
        self.literal(name, arguments);
        match name {
            "dyn" if actual.len() == 1 => Dynamic,
            "type" if actual.len() == 1 => {
                let of = self.bindings.resolved(&actual[0], false);
                Type::Name(Some(Rc::new(of)))
            }
            name => self.applied(id, at, name, false, &actual),
        }
    }

    /// Whether an unknown name before a method is probably a variable, and not the namespace of an unknown function.
    fn is_misspelt_variable(&self, name: &str, method: &str) -> bool {
        if NAMESPACES.binary_search(&name).is_ok() {
            return false;
        }
        library::overloads(method).iter().any(|overload| overload.is_method)
            || MACROS.contains(&method)
            || name.len() > 2 && self.suggests() && nearest(name, self.variable_names()).is_some()
            || self.is_field_of_self(name)
    }

    fn unknown_function(&mut self, at: usize, name: String, is_method: bool) -> Type<'n> {
        let names =
            library::functions().filter(|overload| overload.is_method == is_method).map(|overload| overload.name);
        let suggestion = nearest(&name, names.take_while(|_| self.suggests())).map(str::to_owned);
        self.report(at, ProblemKind::UnknownFunction { name, suggestion })
    }

    /// The result of a function for arguments of these types.
    fn applied(&mut self, id: NodeId, at: usize, name: &str, is_method: bool, actual: &[Type<'n>]) -> Type<'n> {
        let overloads = library::overloads(name);
        if overloads.is_empty() {
            // Names of operators begin with an underscore.
            let is_internal = name.starts_with('_');
            return if is_internal { Error } else { self.unknown_function(at, name.to_owned(), is_method) };
        }
        let minor = self.context.minor;
        let of_minor =
            |overload: &&Overload| overload.is_method == is_method && overload.since <= minor && minor < overload.until;
        let signatures: Vec<Signature> =
            overloads.iter().filter(of_minor).map(|overload| (overload.takes, overload.gives)).collect();
        let Some(found) = self.resolve(&signatures, actual) else {
            let newer = overloads.iter().filter(|overload| overload.is_method == is_method && overload.since > minor);
            let newer: Vec<&Overload> = newer.collect();
            let signatures: Vec<Signature> = newer.iter().map(|overload| (overload.takes, overload.gives)).collect();
            if self.resolve(&signatures, actual).is_some()
                && let Some(since) = newer.iter().map(|overload| overload.since).min()
            {
                return self.report(at, ProblemKind::NewerKubernetes { name: name.to_owned(), since, minor });
            }
            let actual: Vec<Type<'n>> = actual.iter().map(|found| self.bindings.resolved(found, false)).collect();
            return self.refuse(at, name, &actual);
        };
        self.decide(id, &found, |takes| match (name, takes) {
            ("sort" | "sum", [list]) => Kind::of_items(list),
            ("containsIP" | "containsCIDR", [_, other]) => Kind::of(other),
            (_, [first, ..]) => Kind::of(first),
            _ => Kind::Open,
        });
        found.result
    }

    /// Checks a string literal that the server parses together with the rule.
    fn literal(&mut self, function: &str, arguments: &[NodeId]) {
        let argument = match (function, arguments) {
            ("matches", [pattern]) | ("matches", [_, pattern]) => *pattern,
            ("duration" | "timestamp", [text]) => *text,
            _ => return,
        };
        if !matches!(self.tree.node(argument), Node::Literal(Scalar::Text)) {
            return;
        }
        let start = self.tree.start(argument);
        let Some(text) = literals::text(self.tree.source_from(argument)) else { return };
        let (what, why) = match function {
            "matches" => ("pattern", crd_regexp::recognise(&text).err().map(|problem| problem.to_string())),
            "duration" => (
                "duration",
                (!Duration::is_written(&text))
                    .then(|| "write numbers with the units h, m, s, ms, us and ns, as in `1h30m`".to_owned()),
            ),
            _ => (
                "timestamp",
                (!Timestamp::is_written(&text)).then(|| "write it as in RFC 3339: `2006-01-02T15:04:05Z`".to_owned()),
            ),
        };
        if let Some(why) = why {
            self.report(start, ProblemKind::BadLiteral { what, text, why });
        }
    }

    // ---- macros ----

    fn expand(&mut self, id: NodeId, call: MacroCall) -> Type<'n> {
        let MacroCall { kind, target, name, .. } = call;
        let parts = self.tree.macro_parts(call);
        if kind == Macro::Bind {
            return self.bind(target, parts);
        }
        let since = kind.since(call.variables);
        if since > self.context.minor {
            let (name_of_macro, minor) = (self.tree.text(name).to_owned(), self.context.minor);
            let problem = ProblemKind::NewerKubernetes { name: name_of_macro, since, minor };
            self.report(name.start as usize, problem);
        }
        let range = self.type_of(target);
        match kind {
            Macro::OptionalMap | Macro::OptionalFlatMap => self.optional_map(&range, parts, name),
            _ => self.fold(id, &range, parts, name),
        }
    }

    /// The types of the keys or positions of a range, and of its values.
    fn types_in(&mut self, range: &Type<'n>, name: Span) -> (Type<'n>, Type<'n>) {
        match range {
            Type::List(items, _) => (INTEGER, Type::clone(items)),
            Type::Map(entries, _) => (entries.0.clone(), entries.1.clone()),
            Error => (Error, Error),
            Dynamic => (Dynamic, Dynamic),
            Type::Variable(_) => {
                self.bindings.accept(&[(&Dynamic, range)]);
                (Dynamic, Dynamic)
            }
            other => {
                let at = name.start as usize;
                if !self.refuse_object(other, at) {
                    let function = self.tree.text(name).to_owned();
                    self.report(at, ProblemKind::NotARange { function, is: other.one() });
                }
                (Error, Error)
            }
        }
    }

    /// A loop over a range.
    fn fold(&mut self, id: NodeId, range: &Type<'n>, parts: MacroParts<'r>, name: Span) -> Type<'n> {
        let at = name.start as usize;
        let MacroParts { kind, names: [first, second], is_pair, .. } = parts;
        let range = self.bindings.resolved(range, false);
        let (key, value) = self.types_in(&range, name);
        let item = if matches!(range, Type::Map(..)) { key.clone() } else { value.clone() };
        let outside = self.variables.len();
        let result = match kind {
            _ if kind.is_quantifier() => BOOLEAN,
            Macro::TransformMap | Macro::TransformMapEntry => {
                let (key, value) = (self.bindings.variable(), self.bindings.variable());
                Type::map(key, value)
            }
            _ => Type::list(self.bindings.variable()),
        };
        if is_pair {
            self.variables.extend([(first, key.clone()), (second, value)]);
        } else {
            self.variables.push((first, item.clone()));
        }
        let what = if kind.is_quantifier() { "the condition of `all` or `exists`" } else { "the condition of a macro" };
        parts.condition.into_iter().for_each(|condition| self.condition(condition, what));
        let made = match parts.result {
            Some(made) => Some(self.type_of(made)),
            None => (kind == Macro::Filter).then_some(item),
        };
        self.variables.truncate(outside);
        let Some(made) = made else { return result };
        // Each step of the loop adds to the result so far.
        let step = match kind {
            Macro::TransformMap => self.resolve(operators::INSERT, &[result.clone(), key, made]),
            Macro::TransformMapEntry => {
                let Some(found) = self.resolve(operators::INSERT, &[result.clone(), made.clone()]) else {
                    return self.refuse_in_macro(name, &made);
                };
                Some(found)
            }
            _ => self.resolve(operators::of_token(TokenKind::Plus), &[result.clone(), Type::list(made)]),
        };
        let step = step.map_or(Error, |step| step.result);
        let step = if parts.condition.is_none() { step } else { self.conditional(at, step, result.clone()) };
        if !self.bindings.accept(&[(&result, &step)]) {
            return self.refuse_in_macro(name, &step);
        }
        let result = self.bindings.resolved(&result, false);
        if kind == Macro::SortBy { self.sorted(id, at, range, result) } else { result }
    }

    /// Reports a part of a macro that does not have the type of its result.
    fn refuse_in_macro(&mut self, name: Span, found: &Type<'n>) -> Type<'n> {
        let found = self.bindings.resolved(found, false);
        self.refuse(name.start as usize, self.tree.text(name), &[found])
    }

    /// `sortBy`: the list sorted by a list of keys.
    fn sorted(&mut self, id: NodeId, at: usize, range: Type<'n>, keys: Type<'n>) -> Type<'n> {
        const SORT: &[Signature] =
            &[(&[Shape::List(&Shape::Parameter(1)), ORDERED_LIST], Shape::List(&Shape::Parameter(1)))];
        let found = self.operator(at, "sortBy", SORT, &[range, keys]);
        self.decide(id, &found, |takes| Kind::of_items(&takes[1]));
        found.result
    }

    /// `cel.bind`, which API servers do not have. Its parts are checked too.
    fn bind(&mut self, target: NodeId, parts: MacroParts<'r>) -> Type<'n> {
        let result = self.unknown_function(self.tree.start(target), "cel.bind".to_owned(), false);
        if let Some(value) = parts.condition {
            let value = self.type_of(value);
            self.variables.push((parts.names[0], value));
            parts.result.map(|result| self.type_of(result));
            self.variables.pop();
        }
        result
    }

    fn optional_map(&mut self, range: &Type<'n>, parts: MacroParts<'r>, name: Span) -> Type<'n> {
        const VALUE: &[Signature] = &[(&[Shape::Optional(&Shape::Parameter(0))], Shape::Parameter(0))];
        let (at, function) = (name.start as usize, self.tree.text(name));
        let content = self.operator(at, function, VALUE, std::slice::from_ref(range)).result;
        self.variables.push((parts.names[0], content));
        let result = parts.result.map_or(Error, |result| self.type_of(result));
        self.variables.pop();
        let result = self.bindings.resolved(&result, false);
        let result = if parts.kind == Macro::OptionalMap { Type::optional(result) } else { result };
        let none = self.bindings.variable();
        match self.resolve(operators::CONDITIONAL, &[BOOLEAN, result.clone(), Type::optional(none)]) {
            Some(found) => found.result,
            None => self.refuse(at, function, &[result]),
        }
    }

    // ---- problems with fields ----

    /// Reports a field that the schema does not list. `implied` are the fields of every resource.
    fn missing_field(
        &mut self,
        name: Span,
        field: &str,
        object: PathId,
        schema: Option<&'n Schema>,
        implied: &[&str],
    ) -> Type<'n> {
        let properties = schema.filter(|_| self.suggests()).into_iter().flat_map(|schema| &schema.properties);
        let mut fields: Vec<String> = properties
            .filter(|(_, property)| fields::is_visible(property))
            .filter_map(|(property, _)| fields::escape(property))
            .chain(implied.iter().filter(|_| self.suggests()).map(|name| Cow::Borrowed(*name)))
            .map(Cow::into_owned)
            .collect();
        fields.sort_unstable();
        fields.dedup();
        // A property of exactly this name has another spelling in rules.
        let same = schema.and_then(|schema| schema.properties.get_key_value(field));
        let suggestion = match same.and_then(|(property, _)| fields::escape(property)) {
            Some(escaped) => Some(escaped.into_owned()),
            None => nearest(field, fields.iter().map(String::as_str)).map(str::to_owned),
        };
        if let Some(position) = suggestion.as_ref().and_then(|near| fields.iter().position(|other| other == near)) {
            fields[..=position].rotate_right(1);
        }
        let more = fields.len().saturating_sub(NAMES_LISTED);
        fields.truncate(NAMES_LISTED);
        let (field, of) = (field.to_owned(), self.written(object));
        self.report(name.start as usize, ProblemKind::MissingField { field, of, suggestion, fields, more })
    }

    fn no_fields(&mut self, of: NodeId, name: Span, field: &str, is: &'static str) -> Type<'n> {
        let of = self.source_of(of, name);
        self.report(name.start as usize, ProblemKind::NoFields { field: field.to_owned(), of, is })
    }

    /// The source text of the value before a dot, where its beginning is known and it is short.
    fn source_of(&self, of: NodeId, selected: Span) -> String {
        let mut first = of;
        let start = loop {
            match self.tree.node(first) {
                Node::Select { of, .. } | Node::Index { of, .. } => first = of,
                Node::Call { target: Some(of), .. } | Node::Macro(MacroCall { target: of, .. }) => first = of,
                Node::Call { name, .. } | Node::Name { name, .. } => break name.start,
                _ => return "this value".to_owned(),
            }
        };
        let before = self.tree.source.get(start as usize..selected.start as usize).unwrap_or_default();
        let before = before.trim_end_matches(['.', '?', ' ', '\n', '\t', '\r']);
        let balanced = before.matches('(').count() == before.matches(')').count();
        if balanced && before.len() <= LONGEST_QUOTE { format!("`{before}`") } else { "this value".to_owned() }
    }

    /// The path as a rule writes it.
    fn written(&self, path: PathId) -> String {
        let mut parts: Vec<Cow<'_, str>> = Vec::new();
        let mut current = path;
        loop {
            match self.paths[current as usize] {
                Origin::Itself => break parts.push("self".into()),
                Origin::Old => break parts.push("oldSelf".into()),
                Origin::Property(parent, name) => {
                    parts.push(fields::escape(name).unwrap_or_else(|| name.into()));
                    parts.push(".".into());
                    current = parent;
                }
                Origin::Each(parent) => {
                    parts.push("[*]".into());
                    current = parent;
                }
            }
        }
        parts.reverse();
        parts.concat()
    }
}

/// The type of the name of a type.
fn type_named<'n>(name: &str) -> Option<Type<'n>> {
    let of = match value::type_named(name)? {
        (_, Some(scalar)) => Type::Scalar(scalar),
        ("list", _) => Type::list(Dynamic),
        ("map", _) => Type::map(Dynamic, Dynamic),
        ("optional_type", _) => Type::optional(Dynamic),
        _ => return Some(Type::Name(None)),
    };
    Some(Type::Name(Some(Rc::new(of))))
}

/// First parts of the names of functions: `optional.of`, `sets.contains`. Not all of these libraries are in Kubernetes.
const NAMESPACES: [&str; 14] = [
    "base64",
    "cel",
    "cidr",
    "format",
    "ip",
    "jsonpatch",
    "lists",
    "math",
    "optional",
    "proto",
    "regex",
    "semver",
    "sets",
    "strings",
];

/// Names of macros, which are calls where the number of arguments is wrong.
const MACROS: [&str; 8] = ["all", "exists", "existsOne", "exists_one", "filter", "map", "optFlatMap", "optMap"];

#[cfg(test)]
mod tests {
    use super::NAMESPACES;
    use crate::parser::RESERVED;

    #[test]
    fn tables_are_sorted_for_binary_search() {
        for table in [&NAMESPACES[..], &RESERVED[..]] {
            assert!(table.is_sorted(), "{table:?}");
        }
    }
}
