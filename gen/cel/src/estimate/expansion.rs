//! From a checked tree to the tree that the server estimates: macros become loops.
//!
//! Invariants: parts are in the order in which the server visits them. The size grows with the length of the expression only: what the
//! server copies (`optMap`) is one part that is visited twice.

use super::super::cost;
use super::super::infer::Typed;
use super::super::lexer::TokenKind;
use super::super::library;
use super::super::parser::{Children, Macro, MacroCall, MacroParts, Node, NodeId, Span, Tree};
use super::super::plan::literal_value;
use super::super::shapes::{OLDEST_MINOR, Scalar};
use super::super::types::{BOOLEAN, INTEGER, Kind, TEXT, Type};
use super::super::value::{Value, type_named};

/// The variable with the result of a loop.
pub(super) const RESULT: &str = "@result";
/// The variable of `sortBy` with the list.
const SORTED: &str = "@sorted";

/// The index of a part.
pub(super) type PartId = usize;

/// What a part is.
#[derive(Clone, Debug)]
pub(super) enum Form<'r> {
    /// A literal with its size, and its value if it is an integer.
    Constant { size: u64, whole: Option<i64> },
    /// A variable, or the name of a type.
    Name(&'r str),
    /// A field of an object or an entry of a map.
    Field { of: PartId, name: &'r str },
    /// `has(…)` of a field of this part.
    Test { of: PartId },
    /// A call, with the overloads that the type checker leaves. Operators have the names that the server gives them.
    Call { name: &'r str, ways: Vec<Way>, target: Option<PartId>, arguments: Vec<PartId> },
    /// The terms of `&&` or `||`.
    Logic(Vec<PartId>),
    /// A list with these items.
    List(Vec<PartId>),
    /// A map: keys and values alternate.
    Map(Vec<PartId>),
    /// A loop over a list or a map.
    Loop(Box<Loop<'r>>),
    /// A variable with a value, and the result in which it is read.
    Bind { name: &'r str, value: PartId, result: PartId },
    /// A part that was visited before.
    Again(PartId),
}

/// The overloads that a call can have where their costs differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Any overload without a rule of its own.
    Plain,
    /// Texts or bytes are read, joined or compared.
    Sized,
    List,
    Map,
}

impl Way {
    /// The overload of a function with this deciding operand.
    fn of(name: &str, operand: Kind) -> Self {
        let is_text = operand == Kind::Scalar(Scalar::Text);
        let is_bytes = operand == Kind::Scalar(Scalar::Bytes);
        match (name, operand) {
            ("_+_" | "_<_" | "sort" | "@sortByAssociatedKeys", _) if is_text || is_bytes => Self::Sized,
            ("bytes" | "containsIP" | "containsCIDR", _) if is_text => Self::Sized,
            ("string", _) if is_bytes => Self::Sized,
            ("_+_" | "@in" | "_[_]", Kind::List) => Self::List,
            ("@in" | "_[_]", Kind::Map) => Self::Map,
            _ => Self::Plain,
        }
    }
}

/// What a loop consists of.
#[derive(Clone, Debug)]
pub(super) struct Loop<'r> {
    pub(super) range: PartId,
    pub(super) first: &'r str,
    pub(super) second: Option<&'r str>,
    pub(super) start: PartId,
    pub(super) condition: PartId,
    pub(super) step: PartId,
    pub(super) result: PartId,
}

/// An expression as the server estimates it.
#[derive(Debug)]
pub(super) struct Expansion<'r, 'n> {
    pub(super) forms: Vec<Form<'r>>,
    pub(super) types: Vec<Type<'n>>,
    pub(super) root: PartId,
    /// The first Kubernetes minor that has all functions and macros.
    pub(super) since: u32,
}

/// Expands a tree without problems.
pub(super) fn expand<'r, 'n>(tree: &Tree<'r>, typed: &Typed<'n>) -> Expansion<'r, 'n> {
    let parts = Expansion { forms: Vec::new(), types: Vec::new(), root: 0, since: OLDEST_MINOR };
    let mut expander = Expander { tree, typed, scope: vec!["self", "oldSelf"], parts };
    expander.parts.root = expander.part(tree.root);
    expander.parts
}

struct Expander<'r, 't, 'n> {
    tree: &'t Tree<'r>,
    typed: &'t Typed<'n>,
    scope: Vec<&'r str>,
    parts: Expansion<'r, 'n>,
}

impl<'r, 'n> Expander<'r, '_, 'n> {
    fn type_of(&self, id: NodeId) -> Type<'n> {
        self.typed.types.get(id as usize).cloned().unwrap_or(Type::Dynamic)
    }

    fn add(&mut self, form: Form<'r>, of: Type<'n>) -> PartId {
        self.parts.forms.push(form);
        self.parts.types.push(of);
        self.parts.forms.len() - 1
    }

    /// A call that the server adds, which has one overload.
    fn call(&mut self, name: &'r str, arguments: Vec<PartId>, of: Type<'n>) -> PartId {
        self.add(Form::Call { name, ways: vec![Way::Plain], target: None, arguments }, of)
    }

    fn method(&mut self, name: &'r str, target: PartId, arguments: Vec<PartId>, of: Type<'n>) -> PartId {
        self.add(Form::Call { name, ways: vec![Way::Plain], target: Some(target), arguments }, of)
    }

    /// A list and one more item.
    fn longer(&mut self, list: PartId, items: PartId, of: Type<'n>) -> PartId {
        self.add(Form::Call { name: "_+_", ways: vec![Way::List], target: None, arguments: vec![list, items] }, of)
    }

    /// A call of the expression.
    fn resolved(&mut self, id: NodeId, name: &'r str, target: Option<PartId>, arguments: Vec<PartId>) -> PartId {
        let mut ways = Vec::new();
        for overload in self.typed.overloads.get(id as usize).into_iter().flatten() {
            let way = Way::of(name, *overload);
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
        if ways.is_empty() {
            ways.push(Way::Plain);
        }
        let of = self.type_of(id);
        self.add(Form::Call { name, ways, target, arguments }, of)
    }

    /// An operator with the overloads that its operands leave.
    fn operator(&mut self, id: NodeId, name: &'r str, operands: &[NodeId]) -> PartId {
        let arguments = self.parts_of(operands);
        self.resolved(id, name, None, arguments)
    }

    /// An operator whose overloads cost the same.
    fn plain_operator(&mut self, name: &'r str, operands: &[NodeId], of: Type<'n>) -> PartId {
        let arguments = self.parts_of(operands);
        self.call(name, arguments, of)
    }

    fn parts_of(&mut self, nodes: &[NodeId]) -> Vec<PartId> {
        nodes.iter().map(|node| self.part(*node)).collect()
    }

    fn part(&mut self, id: NodeId) -> PartId {
        let tree = self.tree;
        let of = self.type_of(id);
        match tree.node(id) {
            Node::Name { name, .. } => self.add(Form::Name(self.tree.text(name)), of),
            Node::Literal(literal) => {
                let value = literal_value(tree.source_from(id), literal);
                let whole = if let Value::Integer(whole) = value { Some(whole) } else { None };
                self.add(Form::Constant { size: cost::size(&value), whole }, of)
            }
            Node::Select { of: object, name, optional } => self.select(id, object, name, optional),
            Node::Has { field } => match tree.node(field) {
                Node::Select { of: object, .. } => {
                    let object = self.part(object);
                    self.add(Form::Test { of: object }, BOOLEAN)
                }
                _ => self.part(field),
            },
            Node::Index { of: container, key, optional, .. } => {
                self.operator(id, if optional { "_[?_]" } else { "_[_]" }, &[container, key])
            }
            Node::Call { target, name, arguments } => self.written_call(id, target, name, arguments),
            Node::Macro(call) => self.expanded(id, call),
            Node::List { items } => {
                let items = self.parts_of(tree.children(items));
                self.add(Form::List(items), of)
            }
            Node::Map { entries } => {
                let entries = self.parts_of(tree.children(entries));
                self.add(Form::Map(entries), of)
            }
            Node::OptionalEntry { of } => self.part(of),
            Node::Message { values } => {
                let values = self.parts_of(tree.children(values));
                self.add(Form::List(values), of)
            }
            Node::Logic { terms, .. } => {
                let terms = self.parts_of(tree.children(terms));
                self.add(Form::Logic(terms), of)
            }
            Node::Not { of: operand } => self.plain_operator("!_", &[operand], of),
            Node::Negate { of: operand } => self.plain_operator("-_", &[operand], of),
            Node::Comparison { operator, left, right, .. } => {
                let name = match operator {
                    TokenKind::Equal => "_==_",
                    TokenKind::NotEqual => "_!=_",
                    _ => "_<_",
                };
                self.operator(id, name, &[left, right])
            }
            Node::In { left, right, .. } => self.operator(id, "@in", &[left, right]),
            Node::Sum { left, right, .. } => self.operator(id, "_+_", &[left, right]),
            Node::Calculation { left, right, .. } => self.plain_operator("_-_", &[left, right], of),
            Node::Conditional { test, yes, no } => self.plain_operator("_?_:_", &[test, yes, no], of),
        }
    }

    fn select(&mut self, id: NodeId, object: NodeId, name: Span, optional: bool) -> PartId {
        let of = self.type_of(id);
        if !optional
            && let Some(qualified) = self.tree.qualified(object)
            && let qualified = format!("{qualified}.{}", self.tree.text(name))
            && let Some((type_name, _)) = type_named(&qualified)
            && !self.scope.contains(&qualified.split('.').next().unwrap_or_default())
        {
            return self.add(Form::Name(type_name), of);
        }
        let object = self.part(object);
        let name = self.tree.field(name);
        if optional {
            let size = u64::try_from(name.chars().count()).unwrap_or(u64::MAX);
            let field = self.add(Form::Constant { size, whole: None }, TEXT);
            return self.call("_?._", vec![object, field], of);
        }
        self.add(Form::Field { of: object, name }, of)
    }

    fn written_call(&mut self, id: NodeId, target: Option<NodeId>, name: Span, arguments: Children) -> PartId {
        let tree = self.tree;
        let name = self.tree.text(name);
        let arguments = tree.children(arguments);
        let namespaced = target
            .and_then(|target| self.tree.qualified(target))
            .and_then(|namespace| library::overloads(&format!("{namespace}.{name}")).first());
        if let Some(function) = namespaced {
            self.need(function.name, false, arguments.len());
            let arguments = self.parts_of(arguments);
            return self.resolved(id, function.name, None, arguments);
        }
        self.need(name, target.is_some(), arguments.len() + usize::from(target.is_some()));
        // The server visits the arguments before the target.
        let arguments = self.parts_of(arguments);
        let target = target.map(|target| self.part(target));
        self.resolved(id, name, target, arguments)
    }

    /// Remembers the minor that has a function.
    fn need(&mut self, name: &str, is_method: bool, count: usize) {
        let fits = library::overloads(name)
            .iter()
            .filter(|overload| overload.is_method == is_method && overload.takes.len() == count);
        let since = fits.map(|overload| overload.since).min().unwrap_or(OLDEST_MINOR);
        self.parts.since = self.parts.since.max(since);
    }

    // ---- macros ----

    fn expanded(&mut self, id: NodeId, call: MacroCall) -> PartId {
        let parts = self.tree.macro_parts(call);
        self.parts.since = self.parts.since.max(call.kind.since(call.variables));
        let of = self.type_of(id);
        match call.kind {
            Macro::OptionalMap | Macro::OptionalFlatMap => self.optional_map(call.target, parts, of),
            Macro::SortBy => self.sorted_by(id, call.target, parts),
            _ => {
                let range = self.part(call.target);
                self.looped(parts, range, of)
            }
        }
    }

    fn looped(&mut self, parts: MacroParts<'r>, range: PartId, of: Type<'n>) -> PartId {
        let MacroParts { kind, names: [first, second], is_pair, .. } = parts;
        let second = is_pair.then_some(second);
        let outside = self.scope.len();
        let counts = kind == Macro::ExistsOne;
        let result_type = if counts { INTEGER } else { of.clone() };
        let start = match kind {
            Macro::ExistsOne => self.whole(0),
            Macro::All | Macro::Exists => self.truth(),
            Macro::TransformMap | Macro::TransformMapEntry => self.add(Form::Map(Vec::new()), of.clone()),
            _ => self.add(Form::List(Vec::new()), of.clone()),
        };
        self.scope.extend([Some(first), second].into_iter().flatten());
        let condition = match kind {
            Macro::All | Macro::Exists => {
                let mut value = self.add(Form::Name(RESULT), BOOLEAN);
                if kind == Macro::Exists {
                    value = self.call("!_", vec![value], BOOLEAN);
                }
                self.call("@not_strictly_false", vec![value], BOOLEAN)
            }
            _ => self.truth(),
        };
        let step = self.step(parts, &result_type);
        self.scope.truncate(outside);
        let mut result = self.add(Form::Name(RESULT), result_type);
        if counts {
            let one = self.whole(1);
            result = self.call("_==_", vec![result, one], BOOLEAN);
        }
        let parts = Loop { range, first, second, start, condition, step, result };
        self.add(Form::Loop(Box::new(parts)), of)
    }

    fn whole(&mut self, whole: i64) -> PartId {
        self.add(Form::Constant { size: 1, whole: Some(whole) }, INTEGER)
    }

    fn truth(&mut self) -> PartId {
        self.add(Form::Constant { size: 1, whole: None }, BOOLEAN)
    }

    /// The result after an item, from the result before it, which has this type.
    fn step(&mut self, parts: MacroParts<'r>, of: &Type<'n>) -> PartId {
        let result = |parts: &mut Self| parts.add(Form::Name(RESULT), of.clone());
        if let Macro::All | Macro::Exists = parts.kind {
            let predicate = parts.condition.map(|predicate| self.part(predicate));
            let before = result(self);
            return self.add(Form::Logic(std::iter::once(before).chain(predicate).collect()), BOOLEAN);
        }
        let condition = parts.condition.map(|condition| self.part(condition));
        let before = result(self);
        let value = |parts: &mut Self, of: &MacroParts<'r>| of.result.map(|value| parts.part(value));
        let next = match parts.kind {
            Macro::ExistsOne => {
                let one = self.whole(1);
                self.call("_+_", vec![before, one], INTEGER)
            }
            Macro::TransformMap => {
                let key_type = if let Type::Map(entries, _) = of { entries.0.clone() } else { Type::Dynamic };
                let key = self.add(Form::Name(parts.names[0]), key_type);
                let value = value(self, &parts);
                self.call("cel.@mapInsert", [before, key].into_iter().chain(value).collect(), of.clone())
            }
            Macro::TransformMapEntry => {
                let entry = value(self, &parts);
                self.call("cel.@mapInsert", std::iter::once(before).chain(entry).collect(), of.clone())
            }
            _ => {
                let item = value(self, &parts).unwrap_or_else(|| {
                    let item = if let Type::List(items, _) = of { Type::clone(items) } else { Type::Dynamic };
                    self.add(Form::Name(parts.names[0]), item)
                });
                let items = self.add(Form::List(vec![item]), of.clone());
                self.longer(before, items, of.clone())
            }
        };
        let Some(condition) = condition else { return next };
        let same = result(self);
        self.call("_?_:_", vec![condition, next, same], of.clone())
    }

    /// `x.hasValue() ? optional.of(bind(v, x.value(), result)) : optional.none()`
    fn optional_map(&mut self, target: NodeId, parts: MacroParts<'r>, of: Type<'n>) -> PartId {
        let name = parts.names[0];
        let optional = self.type_of(target);
        let content = match &optional {
            Type::Optional(content, _) => Type::clone(content),
            _ => Type::Dynamic,
        };
        let target = self.part(target);
        let test = self.method("hasValue", target, Vec::new(), BOOLEAN);
        let again = self.add(Form::Again(target), optional);
        let value = self.method("value", again, Vec::new(), content);
        self.scope.push(name);
        let (result_type, result) = match parts.result {
            Some(result) => (self.type_of(result), self.part(result)),
            None => (Type::Dynamic, value),
        };
        self.scope.pop();
        let mut yes = self.add(Form::Bind { name, value, result }, result_type);
        if parts.kind == Macro::OptionalMap {
            yes = self.call("optional.of", vec![yes], of.clone());
        }
        let no = self.call("optional.none", Vec::new(), of.clone());
        self.call("_?_:_", vec![test, yes, no], of)
    }

    /// `bind(s, x, s.@sortByAssociatedKeys(s.map(v, key)))`
    fn sorted_by(&mut self, id: NodeId, target: NodeId, parts: MacroParts<'r>) -> PartId {
        let list = self.type_of(target);
        let value = self.part(target);
        let key = parts.result.map_or(Type::Dynamic, |key| self.type_of(key));
        let range = self.add(Form::Name(SORTED), list.clone());
        let keys = self.looped(MacroParts { kind: Macro::Map, ..parts }, range, Type::list(key));
        let sorted = self.add(Form::Name(SORTED), list);
        let result = self.resolved(id, "@sortByAssociatedKeys", Some(sorted), vec![keys]);
        self.add(Form::Bind { name: SORTED, value, result }, self.type_of(id))
    }
}
