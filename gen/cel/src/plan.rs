//! From a checked tree to a flat program.
//!
//! Invariants: the steps do what the API server's planner (cel-go) plans, so that each step charges what the server charges: constants are
//! computed once and cost nothing, a chain of selections costs one and one for each selection, and macros cost what their loops cost.
//! The number of steps grows with the length of the expression only.

use std::sync::Arc;

use super::cost::{self, Cost};
use super::format;
use super::lexer::TokenKind;
use super::library::{self, lists};
use super::literals::{self, Quoted};
use super::parser::{Children, Macro, MacroCall, MacroParts, Node, NodeId, Span, Tree};
use super::problem::{CelProblem, ProblemKind};
use super::shapes::Scalar;
use super::types::Kind;
use super::value::{List, Map, Run, Value, type_named};

/// The index of a step.
pub(super) type Address = u32;
/// The index of a local variable.
pub(super) type Slot = u32;

/// One step of a program. Values come from a stack and go to it. A failure is a value.
#[derive(Clone, Debug)]
pub(super) enum Instruction {
    Constant(Value<'static>),
    /// Pushes `self`, `oldSelf` or another variable of the rule.
    Input(u32),
    /// Pushes a variable of a macro.
    Local(Slot),
    /// Reads the content of an optional value again, as the server does for what is not a variable.
    Reread,
    /// Pushes a variable that gets its value when it is read first, from the steps at the address.
    Lazy {
        slot: Slot,
        value: Address,
    },
    /// Forgets the value of a variable.
    Clear(Slot),
    /// Sets a variable to the top of the stack, and continues after the call.
    ReturnTo(Slot),
    /// Runs the steps at the address, until `Return`.
    Gosub(Address),
    /// Continues after the call.
    Return,
    Jump(Address),
    /// Adds to the cost.
    Charge(u32),
    /// Selects a field of the top of the stack.
    Field {
        name: Value<'static>,
        optional: bool,
    },
    /// Whether the top of the stack has the field.
    Test(Value<'static>),
    /// Selects with a key that is on top of the object.
    Index {
        optional: bool,
    },
    /// Skips the key of a selection, because there is no object.
    SkipKey(Address),
    /// Skips the other operands if the top of the stack is a failure, which replaces this many operands before it.
    Abort {
        below: u32,
        charge: u32,
        to: Address,
    },
    /// Calls a function with the arguments on top of the stack.
    Call {
        name: &'static str,
        run: Run,
        count: u32,
        cost: Cost,
    },
    /// `matches` with a constant pattern, whose length is counted in code points.
    Matches {
        matcher: Option<Arc<crd_regexp::Matcher>>,
        length: u64,
    },
    /// Applies an operator to two values.
    Operate(TokenKind, Cost),
    /// Whether the top of the stack is in a constant list.
    Member(List<'static>),
    /// `-x`
    Negate,
    /// `!x`
    Not,
    /// A new list of the values on top of the stack; the flags mark optional items.
    List {
        count: u32,
        optional: Option<Box<[bool]>>,
    },
    /// A new map of keys and values; the flags mark optional entries.
    Map {
        count: u32,
        optional: Option<Box<[bool]>>,
    },
    /// Combines a term of `||` or `&&` with the result so far, and skips the other terms if the result is certain.
    Term {
        is_or: bool,
        to: Address,
    },
    /// Takes a condition: continues there if it is false, and at the end if it fails.
    Branch {
        otherwise: Address,
        end: Address,
    },
    /// `or`, `orValue`: skips the alternative if there is a value.
    Alternative {
        is_value: bool,
        to: Address,
    },
    /// Begins a loop over the top of the stack. The slot has the result, and the next ones have the variables.
    Fold {
        slot: Slot,
        is_pair: bool,
        start: Value<'static>,
        failed: Address,
    },
    /// Sets the variables to the next item, or continues there after the last one.
    Next {
        slot: Slot,
        is_pair: bool,
        to: Address,
    },
    /// Leaves the loop of `all` or `exists` if its result is certain.
    Certain {
        slot: Slot,
        is_or: bool,
        to: Address,
    },
    /// Combines a condition with the result of `all` or `exists`.
    Quantify {
        slot: Slot,
        is_or: bool,
    },
    /// Counts a condition that is true.
    Count(Slot),
    /// Continues there if the condition is not true; a failure becomes the result.
    Guard {
        slot: Slot,
        to: Address,
    },
    /// Adds an item to the list that is the result.
    Append {
        slot: Slot,
        is_constant: bool,
    },
    /// Skips a new entry if the result is a failure.
    SkipEntry {
        slot: Slot,
        to: Address,
    },
    /// Adds an entry to the map that is the result: the key is in the next slot.
    Insert(Slot),
    /// Adds the entries of a map to the map that is the result.
    Merge(Slot),
    /// Whether exactly one was counted.
    IsOne(Slot),
    EndFold,
}

/// How a part was planned.
enum Planned {
    /// Not at all: it has this value.
    Constant(Value<'static>),
    /// As a chain of selections, which the server extends without evaluating it, and which costs this in the end.
    Chain(u32),
    /// As steps that push the value.
    Steps,
}

/// The items of a list, or the keys and values of a map.
enum Parts {
    Constants(Vec<Value<'static>>),
    /// Their number, which of them are optional, and the steps that skip the rest after a failure.
    Steps {
        count: u32,
        optional: Option<Box<[bool]>>,
        aborts: Vec<usize>,
    },
}

/// The name, the implementation and the cost of a function.
fn implementation(name: &str, is_method: bool) -> Option<(&'static str, Run, Cost)> {
    let overloads = library::overloads(name);
    let overload = overloads.iter().find(|overload| overload.is_method == is_method).or(overloads.first())?;
    Some((overload.name, overload.run?, overload.cost))
}

/// The steps of an expression, and what is wrong with its constants.
pub(super) fn plan(
    tree: &Tree<'_>,
    kinds: &[Kind],
    variables: &[&str],
    minor: u32,
) -> (Vec<Instruction>, u32, Vec<CelProblem>) {
    let mut planner =
        Planner { tree, kinds, variables, minor, scope: Vec::new(), steps: Vec::new(), slots: 0, problems: Vec::new() };
    planner.value(tree.root);
    (planner.steps, planner.slots, planner.problems)
}

/// The value of the literal at the beginning of this source.
pub(super) fn literal_value(source: &str, literal: Scalar) -> Value<'static> {
    let unsigned = source.strip_prefix('-').map(|rest| {
        // Blanks and comments can be between a sign and its number.
        let token = super::lexer::Lexer::new(rest).next_token();
        rest.get(token.map_or(0, |token| token.start)..).unwrap_or_default()
    });
    let is_negative = unsigned.is_some();
    let rest = unsigned.unwrap_or(source);
    let token = super::lexer::Lexer::new(rest).next_token();
    let written = token.ok().and_then(|token| rest.get(token.start..token.end)).unwrap_or_default();
    let whole = || literals::integer(written).unwrap_or_default();
    match literal {
        Scalar::Boolean => Value::Boolean(written == "true"),
        Scalar::Null => Value::Null,
        Scalar::Integer if is_negative => Value::Integer(whole().wrapping_neg().cast_signed()),
        Scalar::Integer => Value::Integer(whole().cast_signed()),
        Scalar::Unsigned => Value::Unsigned(whole()),
        Scalar::Double => {
            let number: f64 = written.parse().unwrap_or_default();
            Value::Double(if is_negative { -number } else { number })
        }
        _ => match literals::quoted(rest) {
            Some(Quoted::Text(text)) => Value::text(text),
            Some(Quoted::Bytes(bytes)) => Value::Bytes(bytes.into()),
            None => Value::failed("invalid literal"),
        },
    }
}

/// A variable of a macro.
#[derive(Clone, Copy)]
struct Bound<'r> {
    name: &'r str,
    slot: Slot,
    /// Where the steps of its value are, if it is not set by a loop.
    lazy: Option<Address>,
}

struct Planner<'r> {
    tree: &'r Tree<'r>,
    kinds: &'r [Kind],
    variables: &'r [&'r str],
    minor: u32,
    scope: Vec<Bound<'r>>,
    steps: Vec<Instruction>,
    slots: u32,
    problems: Vec<CelProblem>,
}

/// Conversions of constants are computed once.
const CONVERSIONS: [&str; 10] =
    ["bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"];

impl<'r> Planner<'r> {
    fn here(&self) -> Address {
        u32::try_from(self.steps.len()).unwrap_or(u32::MAX)
    }

    fn emit(&mut self, step: Instruction) -> usize {
        self.steps.push(step);
        self.steps.len() - 1
    }

    fn push(&mut self, step: Instruction) {
        self.steps.push(step);
    }

    /// Lets these steps lead here.
    fn land(&mut self, steps: &[usize]) {
        let here = self.here();
        for step in steps {
            match &mut self.steps[*step] {
                Instruction::Jump(to)
                | Instruction::SkipKey(to)
                | Instruction::Abort { to, .. }
                | Instruction::Term { to, .. }
                | Instruction::Branch { end: to, .. }
                | Instruction::Alternative { to, .. }
                | Instruction::Fold { failed: to, .. }
                | Instruction::Next { to, .. }
                | Instruction::Certain { to, .. } => *to = here,
                _ => {}
            }
        }
    }

    /// Plans a part so that its value is pushed and its cost is charged.
    fn value(&mut self, id: NodeId) {
        let planned = self.part(id);
        self.pushed(planned);
    }

    fn pushed(&mut self, planned: Planned) {
        match planned {
            Planned::Constant(value) => self.push(Instruction::Constant(value)),
            Planned::Chain(charge) if charge > 0 => self.push(Instruction::Charge(charge)),
            Planned::Chain(_) | Planned::Steps => {}
        }
    }

    /// Plans a part so that its value is pushed; a chain is not charged.
    fn open(&mut self, id: NodeId) -> Planned {
        let planned = self.part(id);
        match &planned {
            Planned::Constant(value) => self.push(Instruction::Constant(value.clone())),
            Planned::Steps => self.push(Instruction::Reread),
            Planned::Chain(_) => {}
        }
        planned
    }

    /// What a chain on this part costs in the end.
    fn charge_of(planned: &Planned) -> u32 {
        match planned {
            Planned::Chain(charge) => *charge,
            Planned::Constant(_) | Planned::Steps => 1,
        }
    }

    fn part(&mut self, id: NodeId) -> Planned {
        match self.tree.node(id) {
            Node::Literal(literal) => self.literal(id, literal),
            Node::Name { name, absolute } => self.name(self.tree.text(name), absolute),
            Node::Select { of, name, optional } => self.select(id, of, name, optional),
            Node::Has { field } => self.has(field),
            Node::Index { of, key, optional, .. } => self.index(of, key, optional),
            Node::Call { target, name, arguments } => self.call(id, target, name, arguments),
            Node::Macro(call) => self.expand(id, call),
            Node::List { items } => self.list(items),
            Node::Map { entries } => self.map(entries),
            Node::OptionalEntry { of } => self.part(of),
            Node::Message { .. } => self.message(id),
            Node::Logic { terms, is_or } => self.logic(terms, is_or),
            Node::Not { of } | Node::Negate { of } => {
                self.value(of);
                self.push(if let Node::Not { .. } = self.tree.node(id) {
                    Instruction::Not
                } else {
                    Instruction::Negate
                });
                Planned::Steps
            }
            Node::Comparison { operator, left, right, .. } => self.comparison(id, operator, left, right),
            Node::In { left, right, .. } => self.membership(id, left, right),
            Node::Sum { left, right, .. } => {
                let cost = match self.kinds[id as usize] {
                    Kind::Scalar(Scalar::Text | Scalar::Bytes) => Cost::ScanBoth,
                    _ => Cost::One,
                };
                self.operator(TokenKind::Plus, cost, left, right)
            }
            Node::Calculation { operator, left, right, .. } => self.operator(operator, Cost::One, left, right),
            Node::Conditional { test, yes, no } => self.conditional(test, yes, no),
        }
    }

    // ---- values ----

    fn literal(&mut self, id: NodeId, literal: Scalar) -> Planned {
        Planned::Constant(literal_value(self.tree.source_from(id), literal))
    }

    /// Servers do not have types for messages in rules.
    fn message(&mut self, id: NodeId) -> Planned {
        let at = self.tree.start(id);
        let name = self.tree.source_from(id).split('{').next().unwrap_or_default().trim().to_owned();
        let kind = ProblemKind::UnknownVariable { name, suggestion: None, variables: Vec::new() };
        self.problems.push(CelProblem { at, kind });
        Planned::Constant(Value::failed("unknown type"))
    }

    fn bound(&self, name: &str) -> Option<Bound<'r>> {
        self.scope.iter().rev().find(|bound| bound.name == name).copied()
    }

    fn input(&self, name: &str) -> Option<u32> {
        if let Some(at) = self.variables.iter().position(|variable| *variable == name) {
            return u32::try_from(at + 2).ok();
        }
        ["self", "oldSelf"].iter().position(|input| *input == name).and_then(|at| u32::try_from(at).ok())
    }

    fn name(&mut self, name: &str, absolute: bool) -> Planned {
        if let Some(bound) = self.bound(name).filter(|_| !absolute) {
            self.emit(match bound.lazy {
                Some(value) => Instruction::Lazy { slot: bound.slot, value },
                None => Instruction::Local(bound.slot),
            });
        } else if let Some(input) = self.input(name) {
            self.push(Instruction::Input(input));
        } else if let Some((name, _)) = type_named(name) {
            return Planned::Constant(Value::Type(name));
        } else {
            return Planned::Constant(Value::failed(format!("undeclared reference to '{name}'")));
        }
        Planned::Chain(1)
    }

    fn select(&mut self, id: NodeId, of: NodeId, name: Span, optional: bool) -> Planned {
        if let Node::Name { .. } | Node::Select { .. } = self.tree.node(of)
            && let Some(qualified) = self.tree.qualified(id)
            && !self.is_variable(&qualified)
            && let Some((name, _)) = type_named(&qualified)
        {
            return Planned::Constant(Value::Type(name));
        }
        let base = self.open(of);
        self.push(Instruction::Field { name: Value::text(self.tree.field(name)), optional });
        Planned::Chain(Self::charge_of(&base))
    }

    fn is_variable(&self, qualified: &str) -> bool {
        let first = qualified.split('.').next().unwrap_or_default();
        self.bound(first).is_some() || self.input(first).is_some()
    }

    fn has(&mut self, field: NodeId) -> Planned {
        let Node::Select { of, name, .. } = self.tree.node(field) else {
            return Planned::Constant(Value::failed("invalid argument to has() macro"));
        };
        self.open(of);
        self.push(Instruction::Test(Value::text(self.tree.field(name))));
        Planned::Chain(0)
    }

    fn index(&mut self, of: NodeId, key: NodeId, optional: bool) -> Planned {
        let base = self.open(of);
        let skip = self.emit(Instruction::SkipKey(0));
        let planned = self.open(key);
        if let Planned::Constant(value) = &planned
            && !value.can_be_key()
        {
            let why = format!("it is {}", value.type_name());
            self.refuse(key, "key", self.written(key), why);
        }
        self.push(Instruction::Index { optional });
        self.land(&[skip]);
        Planned::Chain(Self::charge_of(&base))
    }

    /// Plans parts in order; the rest is skipped after a failure.
    fn parts(&mut self, parts: &[NodeId], charge: u64) -> Parts {
        let start = self.steps.len();
        let mut constants = Some(Vec::with_capacity(parts.len()));
        let mut aborts = Vec::new();
        let optional: Vec<bool> =
            parts.iter().map(|part| matches!(self.tree.node(*part), Node::OptionalEntry { .. })).collect();
        for (at, part) in parts.iter().enumerate() {
            let planned = self.part(*part);
            match (&planned, &mut constants) {
                (Planned::Constant(value), Some(constants)) if !optional[at] && !value.is_failed() => {
                    constants.push(value.clone());
                }
                _ => constants = None,
            }
            let is_constant = matches!(&planned, Planned::Constant(value) if !value.is_failed());
            self.pushed(planned);
            if !is_constant {
                let below = u32::try_from(at).unwrap_or(u32::MAX);
                let charge = u32::try_from(charge).unwrap_or(u32::MAX);
                aborts.push(self.emit(Instruction::Abort { below, charge, to: 0 }));
            }
        }
        if let Some(constants) = constants {
            self.steps.truncate(start);
            return Parts::Constants(constants);
        }
        let optional = optional.contains(&true).then(|| optional.into_boxed_slice());
        Parts::Steps { count: u32::try_from(parts.len()).unwrap_or(u32::MAX), optional, aborts }
    }

    fn list(&mut self, items: Children) -> Planned {
        let tree = self.tree;
        match self.parts(tree.children(items), cost::LIST) {
            Parts::Constants(items) => Planned::Constant(Value::list(items)),
            Parts::Steps { count, optional, aborts } => {
                self.push(Instruction::List { count, optional });
                self.land(&aborts);
                Planned::Steps
            }
        }
    }

    fn map(&mut self, entries: Children) -> Planned {
        let tree = self.tree;
        match self.parts(tree.children(entries), cost::MAP) {
            Parts::Constants(parts) => {
                let mut entries = Vec::with_capacity(parts.len() / 2);
                let mut parts = parts.into_iter();
                while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
                    entries.push((key, value));
                }
                let map = Value::map(entries);
                Planned::Constant(map.unwrap_or_else(|failure| Value::Failed(Arc::new(failure))))
            }
            Parts::Steps { count, optional, aborts } => {
                self.push(Instruction::Map { count, optional });
                self.land(&aborts);
                Planned::Steps
            }
        }
    }

    // ---- operators ----

    fn operator(&mut self, operator: TokenKind, cost: Cost, left: NodeId, right: NodeId) -> Planned {
        self.value(left);
        self.value(right);
        self.push(Instruction::Operate(operator, cost));
        Planned::Steps
    }

    fn comparison(&mut self, id: NodeId, operator: TokenKind, left: NodeId, right: NodeId) -> Planned {
        let ordered = match self.kinds[id as usize] {
            Kind::Scalar(Scalar::Text | Scalar::Bytes) => Cost::ScanShorter,
            _ => Cost::One,
        };
        let cost = match operator {
            TokenKind::Equal => Cost::Equality,
            TokenKind::NotEqual => Cost::ScanShorter,
            _ => ordered,
        };
        self.operator(operator, cost, left, right)
    }

    fn membership(&mut self, id: NodeId, left: NodeId, right: NodeId) -> Planned {
        let start = self.steps.len();
        self.value(left);
        let is_list = self.kinds[id as usize] == Kind::List;
        let planned = self.part(right);
        if let (true, Planned::Constant(Value::List(items))) = (is_list, &planned) {
            if items.is_empty() {
                self.steps.truncate(start);
                return Planned::Constant(Value::Boolean(false));
            }
            if items.iter().all(|item| item.can_be_key()) {
                self.push(Instruction::Member(items.clone()));
                return Planned::Steps;
            }
        }
        self.pushed(planned);
        self.push(Instruction::Operate(TokenKind::In, if is_list { Cost::Items } else { Cost::One }));
        Planned::Steps
    }

    fn logic(&mut self, terms: Children, is_or: bool) -> Planned {
        self.push(Instruction::Constant(Value::Boolean(!is_or)));
        let tree = self.tree;
        let mut ends = Vec::new();
        for term in tree.children(terms) {
            self.value(*term);
            ends.push(self.emit(Instruction::Term { is_or, to: 0 }));
        }
        self.land(&ends);
        Planned::Steps
    }

    fn conditional(&mut self, test: NodeId, yes: NodeId, no: NodeId) -> Planned {
        self.value(test);
        let branch = self.emit(Instruction::Branch { otherwise: 0, end: 0 });
        self.open(yes);
        let jump = self.emit(Instruction::Jump(0));
        self.otherwise(branch);
        self.open(no);
        self.land(&[branch, jump]);
        Planned::Chain(0)
    }

    /// Lets a condition that is false lead here.
    fn otherwise(&mut self, branch: usize) {
        let here = self.here();
        if let Instruction::Branch { otherwise, .. } = &mut self.steps[branch] {
            *otherwise = here;
        }
    }

    // ---- calls ----

    fn call(&mut self, id: NodeId, target: Option<NodeId>, name: Span, arguments: Children) -> Planned {
        let tree = self.tree;
        let function = self.tree.text(name);
        let mut parts: Vec<NodeId> = Vec::new();
        if let Some(target) = target {
            if let Some(namespace) = self.tree.qualified(target) {
                let qualified = format!("{namespace}.{function}");
                if !library::overloads(&qualified).is_empty() {
                    return self.function(id, &qualified, false, tree.children(arguments));
                }
            }
            parts.push(target);
        }
        parts.extend(tree.children(arguments));
        match (function, &parts[..]) {
            ("or" | "orValue", [first, second]) if target.is_some() => {
                self.value(*first);
                let skip = self.emit(Instruction::Alternative { is_value: function == "orValue", to: 0 });
                self.value(*second);
                self.land(&[skip]);
                Planned::Steps
            }
            _ => self.function(id, function, target.is_some(), &parts),
        }
    }

    fn function(&mut self, id: NodeId, name: &str, is_method: bool, parts: &[NodeId]) -> Planned {
        if let Some(format) = name.strip_prefix("format.").filter(|_| parts.is_empty()).and_then(format::named) {
            self.push(Instruction::Constant(Value::Format(format)));
            self.push(Instruction::Charge(1));
            return Planned::Steps;
        }
        let Some((name, run, cost)) = implementation(name, is_method) else {
            return Planned::Constant(Value::failed(format!("unbound function: {name}")));
        };
        let kind = self.kinds[id as usize];
        let cost = cost.of_overload(kind);
        if let [single] = parts
            && CONVERSIONS.contains(&name)
            && !is_method
        {
            return match self.part(*single) {
                Planned::Constant(value) => self.converted(*single, name, run, value),
                planned => {
                    self.pushed(planned);
                    self.push(Instruction::Call { name, run, count: 1, cost });
                    Planned::Steps
                }
            };
        }
        let mut aborts = Vec::new();
        let count = parts.len();
        // A search with a constant pattern does not cost anything without a text.
        let is_search = matches!(name, "matches" | "find" | "findAll")
            && parts.get(1).is_some_and(|part| matches!(self.tree.node(*part), Node::Literal(Scalar::Text)));
        for (at, part) in parts.iter().enumerate() {
            let planned = self.part(*part);
            if let (1, "matches", Planned::Constant(Value::Text(pattern)), 2) = (at, name, &planned, count) {
                match crd_regexp::recognise(pattern) {
                    Ok(recognised) => {
                        let length = u64::try_from(pattern.chars().count()).unwrap_or(u64::MAX);
                        self.push(Instruction::Matches { matcher: recognised.matcher().map(Arc::new), length });
                        self.land(&aborts);
                        return Planned::Steps;
                    }
                    Err(problem) => self.refuse(*part, "pattern", pattern, problem.to_string()),
                }
            }
            let is_constant = matches!(planned, Planned::Constant(_));
            self.pushed(planned);
            if (count > 2 || is_search) && at + 1 < count && !is_constant {
                let below = u32::try_from(at).unwrap_or(u32::MAX);
                aborts.push(self.emit(Instruction::Abort { below, charge: 0, to: 0 }));
            }
        }
        let mut count = u32::try_from(count).unwrap_or(u32::MAX);
        if name == "sum" {
            // An empty list has the zero of its type.
            self.emit(Instruction::Constant(match kind {
                Kind::Scalar(Scalar::Unsigned) => Value::Unsigned(0),
                Kind::Scalar(Scalar::Double) => Value::Double(0.0),
                Kind::Scalar(Scalar::Duration) => Value::Duration(super::calendar::Duration(0)),
                _ => Value::Integer(0),
            }));
            count += 1;
        }
        self.push(Instruction::Call { name, run, count, cost });
        self.land(&aborts);
        Planned::Steps
    }

    fn converted(&mut self, part: NodeId, name: &str, run: Run, value: Value<'static>) -> Planned {
        let result = if value.is_failed() { Ok(value.clone()) } else { run(std::slice::from_ref(&value), self.minor) };
        Planned::Constant(match result {
            Ok(result) => result,
            Err(failure) => {
                if let Value::Text(text) = &value {
                    self.refuse(part, "argument", text, failure.to_string());
                } else {
                    self.refuse(part, "argument", name, failure.to_string());
                }
                Value::Failed(Arc::new(failure))
            }
        })
    }

    /// The beginning of a part of the source.
    fn written(&self, part: NodeId) -> &'r str {
        let source = self.tree.source_from(part);
        &source[..source.char_indices().nth(20).map_or(source.len(), |(at, _)| at)]
    }

    fn refuse(&mut self, part: NodeId, what: &'static str, text: &str, why: String) {
        let kind = ProblemKind::BadLiteral { what, text: text.to_owned(), why };
        self.problems.push(CelProblem { at: self.tree.start(part), kind });
    }

    // ---- macros ----

    fn slots(&mut self, count: u32) -> Slot {
        let first = self.slots;
        self.slots += count;
        first
    }

    fn expand(&mut self, id: NodeId, call: MacroCall) -> Planned {
        let target = call.target;
        let parts = self.tree.macro_parts(call);
        match call.kind {
            Macro::Bind => {
                let value = self.deferred(parts.condition.unwrap_or(target));
                self.with_lazy(parts.names[0], value, |planner| planner.value(parts.result.unwrap_or(target)));
            }
            Macro::OptionalMap | Macro::OptionalFlatMap => {
                self.optional_map(target, parts);
                // To the server it is a conditional.
                return Planned::Chain(0);
            }
            Macro::SortBy => self.sort_by(id, target, parts),
            _ => {
                self.value(target);
                self.fold(parts);
            }
        }
        Planned::Steps
    }

    /// The steps of a value that is computed when it is needed: the slot that gets the value, and their address.
    fn deferred(&mut self, value: NodeId) -> (Slot, Address) {
        let jump = self.emit(Instruction::Jump(0));
        let address = self.here();
        self.value(value);
        let slot = self.slots(1);
        self.push(Instruction::ReturnTo(slot));
        self.land(&[jump]);
        (slot, address)
    }

    fn with_lazy(&mut self, name: &'r str, (slot, value): (Slot, Address), body: impl FnOnce(&mut Self)) {
        // A macro inside a loop begins without the value of the iteration before.
        self.push(Instruction::Clear(slot));
        self.scope.push(Bound { name, slot, lazy: Some(value) });
        body(self);
        self.scope.pop();
    }

    /// `target.hasValue() ? optional.of(result) : optional.none()`, with the target evaluated again for the variable.
    fn optional_map(&mut self, target: NodeId, parts: MacroParts<'r>) {
        let call = |planner: &mut Self, name: &str, count| {
            if let Some((name, run, _)) = implementation(name, true) {
                planner.push(Instruction::Call { name, run, count, cost: Cost::One });
            }
        };
        let jump = self.emit(Instruction::Jump(0));
        let subroutine = self.here();
        self.value(target);
        self.push(Instruction::Return);
        let value = self.here();
        let slot = self.slots(1);
        self.push(Instruction::Gosub(subroutine));
        call(self, "value", 1);
        self.push(Instruction::ReturnTo(slot));
        self.land(&[jump]);
        self.push(Instruction::Gosub(subroutine));
        call(self, "hasValue", 1);
        let branch = self.emit(Instruction::Branch { otherwise: 0, end: 0 });
        self.with_lazy(parts.names[0], (slot, value), |planner| match parts.result {
            Some(result) => planner.value(result),
            None => planner.pushed(Planned::Constant(Value::no_overload())),
        });
        if parts.kind == Macro::OptionalMap {
            call(self, "optional.of", 1);
        }
        self.push(Instruction::Reread);
        let end = self.emit(Instruction::Jump(0));
        self.otherwise(branch);
        call(self, "optional.none", 0);
        self.land(&[branch, end]);
    }

    fn sort_by(&mut self, id: NodeId, target: NodeId, parts: MacroParts<'r>) {
        const INPUT: &str = "@__sortBy_input__";
        let value = self.deferred(target);
        self.with_lazy(INPUT, value, |planner| {
            let input = planner.name(INPUT, false);
            planner.pushed(input);
            let input = planner.name(INPUT, false);
            planner.pushed(input);
            planner.fold(MacroParts { kind: Macro::Map, ..parts });
            let cost = Cost::Sort(1).of_overload(planner.kinds[id as usize]);
            planner.push(Instruction::Call { name: "@sortByAssociatedKeys", run: lists::sort_by, count: 2, cost });
        });
    }

    /// A loop over the value on top of the stack.
    fn fold(&mut self, parts: MacroParts<'r>) {
        let MacroParts { kind, names, is_pair, .. } = parts;
        let slot = self.slots(3);
        let start = match kind {
            Macro::All | Macro::Exists => Value::Boolean(kind == Macro::All),
            Macro::ExistsOne => Value::Integer(0),
            Macro::TransformMap | Macro::TransformMapEntry => Value::Map(Map::Shared(Arc::default())),
            _ => Value::list(Vec::new()),
        };
        let fold = self.emit(Instruction::Fold { slot, is_pair, start, failed: 0 });
        let next = self.here();
        let mut exits = vec![self.emit(Instruction::Next { slot, is_pair, to: 0 })];
        let outside = self.scope.len();
        let variables = names.into_iter().zip([slot + 1, slot + 2]).take(1 + usize::from(is_pair));
        self.scope.extend(variables.map(|(name, slot)| Bound { name, slot, lazy: None }));
        if let Macro::All | Macro::Exists = kind {
            exits.push(self.emit(Instruction::Certain { slot, is_or: kind == Macro::Exists, to: 0 }));
        }
        self.fold_step(parts, slot, next);
        self.scope.truncate(outside);
        self.push(Instruction::Jump(next));
        self.land(&exits);
        match kind {
            Macro::ExistsOne => self.push(Instruction::IsOne(slot)),
            _ => {
                self.push(Instruction::Local(slot));
                self.push(Instruction::Charge(1));
            }
        }
        self.push(Instruction::EndFold);
        self.land(&[fold]);
    }

    /// What a loop does for each item.
    fn fold_step(&mut self, parts: MacroParts<'r>, slot: Slot, next: Address) {
        if let Some(condition) = parts.condition {
            self.value(condition);
            match parts.kind {
                Macro::All | Macro::Exists => {
                    return self.push(Instruction::Quantify { slot, is_or: parts.kind == Macro::Exists });
                }
                Macro::ExistsOne => return self.push(Instruction::Count(slot)),
                _ => self.push(Instruction::Guard { slot, to: next }),
            }
        }
        match (parts.kind, parts.result) {
            (Macro::TransformMap, Some(result)) => {
                self.push(Instruction::SkipEntry { slot, to: next });
                self.value(result);
                self.push(Instruction::Insert(slot));
            }
            (Macro::TransformMapEntry, Some(result)) => {
                self.push(Instruction::Charge(1));
                self.value(result);
                self.push(Instruction::Merge(slot));
            }
            (_, Some(result)) => {
                let planned = self.part(result);
                let is_constant = matches!(planned, Planned::Constant(_));
                self.pushed(planned);
                self.push(Instruction::Append { slot, is_constant });
            }
            (_, None) => {
                self.push(Instruction::Local(slot + 1));
                self.push(Instruction::Charge(1));
                self.push(Instruction::Append { slot, is_constant: false });
            }
        }
    }
}
