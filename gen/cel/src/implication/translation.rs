//! Rules as formulas: when an expression is true, when it is false, and which values it can have.
//!
//! Invariants: an expression that fails is neither true nor false, so the two formulas of an expression exclude each other, and `&&`, `||`,
//! `all` and `exists` absorb failures as servers do. What is not understood is an atom of its own, or leaves its constraint out: formulas have
//! at least the models that objects make. The first rule reads defaults where fields are absent, and no field that was dropped; the assumed
//! rules read the fields as they were before.

use std::collections::BTreeSet;
use std::rc::Rc;

use crd_regexp::recognise;
use foldhash::HashMap;
use serde_json::Value as Json;

use super::beginning::Class;
use super::evaluation::has_read_format;
use super::facts::{Name, Place};
use super::formula::{Atom, Count, FALSE, Formula, Formulas, TRUE, certain};
use super::names::is_exact;
use super::theory::{Theory, escaped};
use super::{About, Binding, Part, Question, is_dropped};
use crate::lexer::TokenKind;
use crate::parser::{Macro, MacroCall, Node};
use crate::quantity::{Quantity, parsed};
use crate::value::Value;

/// How many expressions are read inside each other.
const DEEPEST: usize = 64;
/// How many values of an expression are distinguished.
const MOST_VALUES: usize = 64;

/// A value of an expression, where it is not a failure.
#[derive(Clone)]
pub(super) enum Term<'q> {
    Place(Place<'q>),
    Truth(bool),
    Integer(i128),
    Text(Rc<str>),
    /// A number of the theory.
    Number(usize),
    /// An expression of which only its form is known.
    Part(Part),
}

/// A value and when an expression has it.
pub(super) type Values<'q> = Vec<(Formula, Term<'q>)>;

/// Turns the rules of a question into formulas.
pub(super) struct Translation<'a, 'q> {
    pub(super) question: &'a Question<'q>,
    pub(super) formulas: Formulas<'q>,
    pub(super) theory: Theory,
    pub(super) work: usize,
    /// How many expressions are inside each other.
    depth: usize,
    /// Set where something would be wrong in a formula: no answer is right then.
    pub(super) has_given_up: bool,
    literals: HashMap<(Part, bool), Formula>,
    known_values: HashMap<Part, Values<'q>>,
    /// The quantities that rules name, in their order.
    quantities: Vec<Quantity>,
    /// Formulas that every object makes true.
    pub(super) axioms: BTreeSet<Formula>,
    pub(super) counts: Vec<Count<'q>>,
}

impl<'a, 'q> Translation<'a, 'q> {
    pub(super) fn new(question: &'a Question<'q>, work: usize) -> Self {
        let mut quantities = Vec::new();
        for rule in 0..question.rules.len() {
            let tree = &question.rules[rule].tree;
            for node in 0..tree.nodes.len() {
                let part = Part { rule, node: u32::try_from(node).unwrap_or_default(), scope: None };
                if let Node::Call { target: None, name, arguments } = question.node(part)
                    && question.text(part, name) == "quantity"
                    && let [argument] = question.parts(part, arguments)[..]
                    && let Some(Value::Text(text)) = question.literal(argument)
                {
                    quantities.extend(parsed(&text).ok());
                }
            }
        }
        quantities.sort_by(Quantity::compare);
        quantities.dedup_by(|one, other| one.compare(other).is_eq());
        Self {
            question,
            formulas: Formulas::new(),
            theory: Theory::default(),
            work,
            depth: 0,
            has_given_up: false,
            literals: HashMap::default(),
            known_values: HashMap::default(),
            quantities,
            axioms: BTreeSet::new(),
            counts: Vec::new(),
        }
    }

    pub(super) fn gives_up<T>(&mut self, value: T) -> T {
        self.has_given_up = true;
        value
    }

    pub(super) fn and(&mut self, parts: impl IntoIterator<Item = Formula>) -> Formula {
        self.formulas.and(parts)
    }

    pub(super) fn or(&mut self, parts: impl IntoIterator<Item = Formula>) -> Formula {
        self.formulas.or(parts)
    }

    /// The name of a present value. Where it has a default, it is that of its own.
    fn name_of(&self, part: Part, place: Place<'q>) -> Name {
        let has_default = place.schema.is_some_and(|schema| schema.default.is_some());
        if has_default { place.name } else { self.question.name_at(part, place) }
    }

    fn atom(&mut self, atom: Atom) -> Formula {
        self.formulas.atom(atom, true)
    }

    /// When an expression is true, or when it is false.
    pub(super) fn literal(&mut self, part: Part, wanted: bool) -> Formula {
        if let Some(known) = self.literals.get(&(part, wanted)) {
            return *known;
        }
        if self.work == 0 || self.depth == DEEPEST || self.has_given_up {
            return self.gives_up(TRUE);
        }
        self.work -= 1;
        self.depth += 1;
        let formula = self.new_literal(part, wanted);
        self.depth -= 1;
        self.literals.insert((part, wanted), formula);
        formula
    }

    fn new_literal(&mut self, part: Part, wanted: bool) -> Formula {
        let question = self.question;
        match question.node(part) {
            Node::Not { of } => self.literal(question.at(part, of), !wanted),
            Node::Logic { terms, is_or } => {
                let terms = question.parts(part, terms).into_iter().map(|term| self.literal(term, wanted));
                let terms = terms.collect::<Vec<_>>();
                if is_or == wanted { self.or(terms) } else { self.and(terms) }
            }
            Node::Has { field } => self.has(part, question.at(part, field), wanted),
            Node::Comparison { operator, left, right, .. } => {
                self.comparison(part, operator, question.at(part, left), question.at(part, right), wanted)
            }
            Node::In { left, right, .. } => self.membership(question.at(part, left), question.at(part, right), wanted),
            Node::Macro(call) if call.is_over_items() => self.quantifier(part, call, wanted),
            Node::Call { target, name, arguments } => {
                let arguments = question.parts(part, arguments);
                let target = target.map(|target| question.at(part, target));
                self.call(part, target, question.text(part, name), &arguments, wanted)
            }
            Node::Macro(_) | Node::Name { .. } | Node::Select { .. } | Node::Conditional { .. } | Node::Literal(_) => {
                let values = self.values(part);
                self.truths(part, values, wanted)
            }
            _ => self.opaque(part, wanted),
        }
    }

    fn truth(&mut self, part: Part, term: &Term<'q>, wanted: bool) -> Formula {
        match term {
            Term::Truth(truth) => {
                if *truth == wanted {
                    TRUE
                } else {
                    FALSE
                }
            }
            Term::Place(place) => self.formulas.atom(Atom::Truth(self.name_of(part, *place)), wanted),
            Term::Part(leaf) if self.question.is_truth(*leaf) => self.literal(*leaf, wanted),
            Term::Part(leaf) => self.formulas.atom(Atom::Truth(self.question.name(*leaf)), wanted),
            _ => self.gives_up(TRUE),
        }
    }

    /// An expression of which only its form is known.
    fn opaque(&mut self, part: Part, wanted: bool) -> Formula {
        let success = self.leaf_success(part);
        let truth = self.formulas.atom(Atom::Truth(self.question.name(part)), wanted);
        self.and([success, truth])
    }

    /// When an expression has a value.
    pub(super) fn success(&mut self, part: Part) -> Formula {
        let is_call = matches!(self.question.node(part), Node::Call { .. });
        if self.question.is_truth(part) || is_call && self.is_condition(part) {
            let both = [true, false].map(|wanted| self.literal(part, wanted));
            return self.or(both);
        }
        let guards = self.values(part).into_iter().map(|(guard, _)| guard).collect::<Vec<_>>();
        self.or(guards)
    }

    /// Whether it is a call whose result is true or false, and that has formulas.
    fn is_condition(&self, part: Part) -> bool {
        let Node::Call { name, .. } = self.question.node(part) else { return false };
        matches!(
            self.question.text(part, name),
            "startsWith"
                | "endsWith"
                | "contains"
                | "matches"
                | "hasValue"
                | "isQuantity"
                | "isGreaterThan"
                | "isLessThan"
        )
    }

    fn leaf_success(&mut self, part: Part) -> Formula {
        let question = self.question;
        let own = Atom::Succeeds(question.name(part));
        let (needed, can_fail) = match question.node(part) {
            Node::Literal(_) | Node::Name { .. } => return TRUE,
            Node::Call { target, name, arguments } => {
                let arguments = question.parts(part, arguments);
                let can_fail = question.can_fail(question.text(part, name), &arguments);
                let target = target.map(|target| question.at(part, target));
                (target.into_iter().chain(arguments).collect(), can_fail)
            }
            Node::List { items } => (question.parts(part, items), false),
            Node::Index { of, key, optional: false, .. } => (vec![question.at(part, of), question.at(part, key)], true),
            Node::Sum { left, right, .. } | Node::Calculation { left, right, .. } => {
                (vec![question.at(part, left), question.at(part, right)], true)
            }
            _ => (Vec::new(), true),
        };
        let mut all = needed.into_iter().map(|needed| self.success(needed)).collect::<Vec<_>>();
        if can_fail {
            all.push(self.atom(own));
        }
        self.and(all)
    }

    fn leaf(&mut self, part: Part) -> Values<'q> {
        let success = self.leaf_success(part);
        vec![(success, Term::Part(part))]
    }

    /// The values of an expression. None of them fails.
    pub(super) fn values(&mut self, part: Part) -> Values<'q> {
        if let Some(known) = self.known_values.get(&part) {
            return known.clone();
        }
        if self.work == 0 || self.depth == DEEPEST || self.has_given_up {
            return self.gives_up(Vec::new());
        }
        self.work -= 1;
        self.depth += 1;
        let mut values = self.all_values(part);
        self.depth -= 1;
        if values.len() > MOST_VALUES {
            values = self.gives_up(Vec::new());
        }
        self.known_values.insert(part, values.clone());
        values
    }

    fn all_values(&mut self, part: Part) -> Values<'q> {
        let question = self.question;
        match question.node(part) {
            Node::Literal(_) => vec![(TRUE, self.constant(part))],
            Node::Negate { of } => match question.literal(question.at(part, of)) {
                Some(Value::Integer(integer)) => vec![(TRUE, Term::Integer(-i128::from(integer)))],
                _ => self.leaf(part),
            },
            Node::Name { name, .. } => match question.binding(part, question.text(part, name)) {
                Some(Binding::Place(place)) => vec![(self.readable(place), Term::Place(place))],
                Some(Binding::Part(bound)) => self.values(bound),
                None => self.leaf(part),
            },
            Node::Select { of, name, optional: false } => {
                self.selected(part, question.at(part, of), question.text(part, name))
            }
            Node::Conditional { test, yes, no } => {
                let [test, yes, no] = [test, yes, no].map(|node| question.at(part, node));
                let guards = [(yes, true), (no, false)].map(|(branch, truth)| (self.literal(test, truth), branch));
                let values = guards.into_iter().flat_map(|(guard, branch)| self.guarded(guard, branch));
                let values = values.collect();
                merged(self, values)
            }
            Node::Macro(MacroCall { kind: Macro::Bind, .. }) if let [body] = question.operands(part)[..] => {
                self.values(body)
            }
            Node::Call { target: Some(target), .. } if let Some(fallback) = question.fallback(part) => {
                let Some(options) = self.optional(question.at(part, target)) else { return self.leaf(part) };
                let values = options.into_iter().flat_map(|(guard, term)| match term {
                    Some(term) => vec![(guard, term)],
                    None => self.guarded(guard, fallback),
                });
                let values = values.collect();
                merged(self, values)
            }
            Node::Call { target: Some(target), name, .. } if question.text(part, name) == "value" => {
                let Some(options) = self.optional(question.at(part, target)) else { return self.leaf(part) };
                options.into_iter().filter_map(|(guard, term)| Some((guard, term?))).collect()
            }
            Node::Call { name, .. }
                if let ("size", [of]) = (question.text(part, name), &question.operands(part)[..]) =>
            {
                self.size(part, *of)
            }
            Node::Sum { left, right, .. } => self.sum(part, question.at(part, left), question.at(part, right)),
            _ if question.is_truth(part) || self.is_condition(part) => {
                let truths = [true, false].map(|truth| (self.literal(part, truth), Term::Truth(truth)));
                truths.into()
            }
            _ => self.leaf(part),
        }
    }

    fn constant(&self, part: Part) -> Term<'q> {
        match self.question.literal(part) {
            Some(Value::Boolean(truth)) => Term::Truth(truth),
            Some(Value::Integer(integer)) => Term::Integer(integer.into()),
            Some(Value::Text(text)) => Term::Text(text.to_string().into()),
            _ => Term::Part(part),
        }
    }

    /// The values of an expression where a formula is true.
    fn guarded(&mut self, guard: Formula, part: Part) -> Values<'q> {
        let values = self.values(part);
        values.into_iter().map(|(own, term)| (self.and([guard, own]), term)).collect()
    }

    /// The values of `of.name`.
    fn selected(&mut self, part: Part, of: Part, name: &'q str) -> Values<'q> {
        let mut values = Vec::new();
        for (guard, term) in self.values(of) {
            let Term::Place(of) = term else { return self.leaf(part) };
            for (there, term) in self.field(part, of, name) {
                values.push((self.and([guard, there]), term));
            }
        }
        values
    }

    /// The sum of constants, as in `(a ? 1 : 0) + (b ? 1 : 0)`.
    fn sum(&mut self, part: Part, left: Part, right: Part) -> Values<'q> {
        let (left, right) = (self.values(left), self.values(right));
        let mut sums = Vec::new();
        for (one_guard, one) in &left {
            for (other_guard, other) in &right {
                let (Term::Integer(one), Term::Integer(other)) = (one, other) else { return self.leaf(part) };
                let sum = one + other;
                if i64::try_from(sum).is_err() {
                    return self.leaf(part);
                }
                sums.push((self.and([*one_guard, *other_guard]), Term::Integer(sum)));
            }
        }
        merged(self, sums)
    }

    /// When rules can read a place. Rules fail for some texts that have these formats.
    fn readable(&mut self, place: Place<'q>) -> Formula {
        if has_read_format(place) { self.atom(Atom::Succeeds(place.name)) } else { TRUE }
    }

    /// The values of a field, where it is there.
    fn field(&mut self, part: Part, of: Place<'q>, written: &'q str) -> Values<'q> {
        let (place, there) = self.question.field(of, written);
        if part.rule == 0 && place.schema.is_some_and(is_dropped) {
            return Vec::new();
        }
        let there = match there {
            Some(true) => TRUE,
            Some(false) => FALSE,
            None => self.atom(Atom::Present(place.name)),
        };
        let readable = self.readable(place);
        let mut values = vec![(self.and([there, readable]), Term::Place(place))];
        if let Some(default) = place.schema.filter(|_| part.rule == 0).and_then(|schema| schema.default.as_ref()) {
            let term = match default {
                Json::Bool(truth) => Term::Truth(*truth),
                Json::String(text) if readable == TRUE => Term::Text(text.as_str().into()),
                other => match other.as_i64() {
                    Some(integer) if place.schema.is_some_and(|schema| schema.kind.as_deref() == Some("integer")) => {
                        Term::Integer(integer.into())
                    }
                    _ => return self.gives_up(Vec::new()),
                },
            };
            if place.schema.is_some_and(|schema| schema.nullable || schema.int_or_string) {
                return self.gives_up(Vec::new());
            }
            values.push((self.formulas.not(there), term));
        }
        values
    }

    fn has(&mut self, part: Part, field: Part, wanted: bool) -> Formula {
        let question = self.question;
        let Node::Select { of, name, optional: false } = question.node(field) else {
            return self.opaque_or_failed(part, wanted);
        };
        let mut cases = Vec::new();
        for (guard, term) in self.values(question.at(field, of)) {
            let Term::Place(of) = term else { return self.opaque_or_failed(part, wanted) };
            let written = question.text(field, name);
            let place = question.field(of, written).0;
            let readable = self.readable(place);
            let there = self.field(part, of, written).into_iter().map(|(there, _)| there).collect::<Vec<_>>();
            let there = self.or(there);
            let holds = if wanted {
                there
            } else if readable == TRUE {
                self.formulas.not(there)
            } else {
                // A present field that cannot be read fails.
                let present = match question.field(of, written).1 {
                    Some(true) => TRUE,
                    Some(false) => FALSE,
                    None => self.atom(Atom::Present(place.name)),
                };
                self.formulas.not(present)
            };
            cases.push(self.and([guard, holds]));
        }
        self.or(cases)
    }

    fn opaque_or_failed(&mut self, part: Part, wanted: bool) -> Formula {
        let name = self.question.name(part);
        let atoms = [self.formulas.atom(Atom::Succeeds(name), true), self.formulas.atom(Atom::Truth(name), wanted)];
        self.and(atoms)
    }

    /// The values of an optional expression, and when it has none; none if it is not a path.
    #[allow(clippy::type_complexity)]
    fn optional(&mut self, part: Part) -> Option<Vec<(Formula, Option<Term<'q>>)>> {
        let question = self.question;
        match question.node(part) {
            Node::Select { of, name, optional } => {
                let of = question.at(part, of);
                let options = match self.optional(of) {
                    Some(options) => options,
                    None if optional => self.values(of).into_iter().map(|(guard, term)| (guard, Some(term))).collect(),
                    None => return None,
                };
                let mut fields = Vec::new();
                for (guard, term) in options {
                    match term {
                        None => fields.push((guard, None)),
                        Some(Term::Place(of)) => {
                            let values = self.field(part, of, question.text(part, name));
                            let there = values.iter().map(|(there, _)| *there).collect::<Vec<_>>();
                            let there = self.or(there);
                            let absent = self.formulas.not(there);
                            if has_read_format(question.field(of, question.text(part, name)).0) {
                                return None;
                            }
                            fields.push((self.and([guard, absent]), None));
                            for (there, term) in values {
                                fields.push((self.and([guard, there]), Some(term)));
                            }
                        }
                        Some(_) => return None,
                    }
                }
                Some(fields)
            }
            Node::Macro(call) if call.kind == Macro::OptionalMap && call.variables == 1 => {
                let options = self.optional(question.at(part, call.target))?;
                let (variables, rest) = question.macro_parts(part, call);
                let ([variable], [body]) = (&variables[..], &rest[..]) else { return None };
                let mut mapped = Vec::new();
                for (guard, term) in options {
                    match term {
                        None => mapped.push((guard, None)),
                        Some(Term::Place(place)) => {
                            let scope = question.bound(part, *variable, Binding::Place(place));
                            for (own, term) in self.values(question.below(*body, scope)) {
                                mapped.push((self.and([guard, own]), Some(term)));
                            }
                        }
                        Some(_) => return None,
                    }
                }
                Some(mapped)
            }
            _ => None,
        }
    }

    /// The text of which `find` returns the beginning, and of which characters that is made.
    fn beginning(&self, part: Part) -> Option<(Part, Class)> {
        let question = self.question;
        let Node::Call { target: Some(target), name, arguments } = question.node(part) else { return None };
        let [pattern] = question.parts(part, arguments)[..] else { return None };
        match question.literal(pattern) {
            Some(Value::Text(pattern)) if question.text(part, name) == "find" => {
                Some((question.at(part, target), Class::of_beginning(&pattern)?))
            }
            _ => None,
        }
    }

    fn call(&mut self, part: Part, target: Option<Part>, function: &str, arguments: &[Part], wanted: bool) -> Formula {
        let question = self.question;
        match (function, target.as_ref(), arguments) {
            ("hasValue", Some(target), []) => match self.optional(*target) {
                Some(options) => {
                    let cases = options.into_iter().filter(|(_, term)| term.is_some() == wanted);
                    let cases = cases.map(|(guard, _)| guard).collect::<Vec<_>>();
                    self.or(cases)
                }
                None => self.opaque(part, wanted),
            },
            ("startsWith" | "endsWith" | "contains" | "matches", Some(target), [argument])
            | ("matches", None, [target, argument]) => match question.literal(*argument) {
                Some(Value::Text(text)) => match self.beginning(*target) {
                    Some((whole, class)) => match class.pattern_of(function, &text) {
                        Some(pattern) => self.matching(part, whole, &pattern, wanted),
                        None => self.opaque(part, wanted),
                    },
                    None => self.matching(part, *target, &pattern_of(function, &text), wanted),
                },
                _ => self.opaque(part, wanted),
            },
            ("isQuantity", None, [argument]) => {
                let mut cases = Vec::new();
                for (guard, term) in self.values(*argument) {
                    let Some(holds) = self.quantifiable(*argument, &term) else { return self.opaque(part, wanted) };
                    let holds = if wanted { holds } else { self.formulas.not(holds) };
                    cases.push(self.and([guard, holds]));
                }
                self.or(cases)
            }
            ("isGreaterThan", Some(target), [other]) => self
                .quantities_compare(*other, *target, TokenKind::Less, wanted)
                .unwrap_or_else(|| self.opaque(part, wanted)),
            ("isLessThan", Some(target), [other]) => self
                .quantities_compare(*target, *other, TokenKind::Less, wanted)
                .unwrap_or_else(|| self.opaque(part, wanted)),
            // Otherwise its values would be those of its formulas.
            _ if self.is_condition(part) => self.opaque(part, wanted),
            _ => {
                let values = self.values(part);
                match &values[..] {
                    [(_, Term::Part(leaf))] if *leaf == part => self.opaque(part, wanted),
                    _ => self.truths(part, values, wanted),
                }
            }
        }
    }

    /// When a text matches a pattern, or does not.
    fn matching(&mut self, part: Part, target: Part, pattern: &str, wanted: bool) -> Formula {
        let mut cases = Vec::new();
        for (guard, term) in self.values(target) {
            let holds = match term {
                Term::Text(own) => {
                    let matches = recognise(pattern).ok().and_then(|pattern| pattern.is_match(&own));
                    matches.map(|matches| certain(matches == wanted))
                }
                term => {
                    let text = self.text_of(target, &term);
                    text.map(|text| self.formulas.atom(Atom::Matches(text, pattern.into()), wanted))
                }
            };
            let Some(holds) = holds else { return self.opaque(part, wanted) };
            cases.push(self.and([guard, holds]));
        }
        self.or(cases)
    }

    /// When one of these values is true, or false.
    fn truths(&mut self, part: Part, values: Values<'q>, wanted: bool) -> Formula {
        let truths = values.into_iter().map(|(guard, term)| {
            let truth = self.truth(part, &term, wanted);
            self.and([guard, truth])
        });
        let truths = truths.collect::<Vec<_>>();
        self.or(truths)
    }

    fn quantifiable(&mut self, part: Part, term: &Term<'q>) -> Option<Formula> {
        Some(match term {
            Term::Text(text) => {
                if parsed(text).is_ok() {
                    TRUE
                } else {
                    FALSE
                }
            }
            Term::Place(place) => self.atom(Atom::IsQuantity(self.name_of(part, *place))),
            _ => return None,
        })
    }

    /// Whether one quantity is less than another, or equal.
    fn quantities_compare(&mut self, left: Part, right: Part, operator: TokenKind, wanted: bool) -> Option<Formula> {
        let (left, right) = (self.quantity(left)?, self.quantity(right)?);
        let mut cases = Vec::new();
        for (one_guard, one) in &left {
            for (other_guard, other) in &right {
                let holds = self.ordered(operator, *one, *other, wanted);
                cases.push(self.and([*one_guard, *other_guard, holds]));
            }
        }
        Some(self.or(cases))
    }

    /// The values of `quantity(…)` as numbers of the theory: those that rules name are even numbers in their order.
    fn quantity(&mut self, part: Part) -> Option<Vec<(Formula, (usize, i128))>> {
        let question = self.question;
        let Node::Call { target: None, name, arguments } = question.node(part) else { return None };
        let arguments = question.parts(part, arguments);
        let [argument] = arguments[..] else { return None };
        if question.text(part, name) != "quantity" {
            return None;
        }
        let mut values = Vec::new();
        for (guard, term) in self.values(argument) {
            let holds = self.quantifiable(argument, &term)?;
            let number = match &term {
                Term::Text(text) => {
                    let Ok(own) = parsed(text) else { continue };
                    let rank = self.quantities.iter().position(|known| known.compare(&own).is_eq())?;
                    (0, i128::try_from(rank).ok()? * 2)
                }
                Term::Place(place) => {
                    let most = i128::try_from(self.quantities.len()).ok()? * 2;
                    (self.theory.quantity(self.name_of(argument, *place), -1, most), 0)
                }
                _ => return None,
            };
            values.push((self.and([guard, holds]), number));
        }
        Some(values)
    }

    /// The text of the theory that a value is, if it can be one.
    pub(super) fn text_of(&mut self, part: Part, term: &Term<'q>) -> Option<usize> {
        match term {
            Term::Place(place) => {
                let schema = place.schema;
                if schema.is_some_and(|schema| {
                    schema.kind.as_deref() != Some("string")
                        || schema.nullable
                        || schema.int_or_string
                        || schema.format.is_some()
                }) {
                    return None;
                }
                let name = self.name_of(part, *place);
                let schema = schema.filter(|_| self.question.uses_schema);
                self.theory.text(name, schema)
            }
            Term::Part(leaf) => self.theory.text(self.question.name(*leaf), None),
            _ => None,
        }
    }

    /// The number of the theory that a value is, and what is added to it.
    fn number_of(&mut self, part: Part, term: &Term<'q>) -> Option<(usize, i128)> {
        match term {
            Term::Integer(integer) => Some((0, *integer)),
            Term::Number(number) => Some((*number, 0)),
            Term::Place(place) => {
                let schema = place.schema?;
                if schema.kind.as_deref() != Some("integer") || schema.nullable || schema.int_or_string {
                    return None;
                }
                let name = self.name_of(part, *place);
                let schema = self.question.uses_schema.then_some(schema);
                self.theory.integer(name, schema).map(|number| (number, 0))
            }
            _ => None,
        }
    }

    fn comparison(&mut self, part: Part, operator: TokenKind, left: Part, right: Part, wanted: bool) -> Formula {
        let question = self.question;
        // The result of `compareTo` is -1, 0 or 1.
        if let Node::Call { target: Some(target), name, arguments } = question.node(left)
            && question.text(left, name) == "compareTo"
            && let [other] = question.parts(left, arguments)[..]
            && let Some(Value::Integer(constant)) = question.literal(right)
        {
            let target = question.at(left, target);
            let mut cases = Vec::new();
            for (result, relation) in [(-1, TokenKind::Less), (0, TokenKind::Equal), (1, TokenKind::Greater)] {
                if holds(operator, result, constant) == wanted {
                    let Some(case) = self.quantities_compare(target, other, relation, true) else {
                        return self.opaque(part, wanted);
                    };
                    cases.push(case);
                }
            }
            return self.or(cases);
        }
        let (ones, others) = (self.values(left), self.values(right));
        let mut cases = Vec::new();
        for (one_guard, one) in &ones {
            for (other_guard, other) in &others {
                let Some(holds) = self.relation(operator, (left, one), (right, other), wanted) else {
                    return self.opaque_comparison(part, left, right, wanted);
                };
                cases.push(self.and([*one_guard, *other_guard, holds]));
            }
        }
        self.or(cases)
    }

    fn opaque_comparison(&mut self, part: Part, left: Part, right: Part, wanted: bool) -> Formula {
        let name = self.question.name(part);
        let success = [self.success(left), self.success(right), self.formulas.atom(Atom::Succeeds(name), true)];
        let truth = self.formulas.atom(Atom::Truth(name), wanted);
        self.and(success.into_iter().chain([truth]))
    }

    /// Whether two values are in a relation; none if it is not known. Both have a value.
    pub(super) fn relation(
        &mut self,
        operator: TokenKind,
        (left, one): (Part, &Term<'q>),
        (right, other): (Part, &Term<'q>),
        wanted: bool,
    ) -> Option<Formula> {
        if operator == TokenKind::NotEqual {
            return self.relation(TokenKind::Equal, (left, one), (right, other), !wanted);
        }
        if let (Some(one), Some(other)) = (self.number_of(left, one), self.number_of(right, other)) {
            return Some(self.ordered(operator, one, other, wanted));
        }
        if operator != TokenKind::Equal {
            return None;
        }
        match (one, other) {
            (Term::Text(one), Term::Text(other)) => return Some(certain((one == other) == wanted)),
            (Term::Text(text), term) => {
                if let Some(known) = self.text_of(right, term) {
                    return Some(self.formulas.atom(Atom::Is(known, text.clone()), wanted));
                }
            }
            (term, Term::Text(text)) => {
                if let Some(known) = self.text_of(left, term) {
                    return Some(self.formulas.atom(Atom::Is(known, text.clone()), wanted));
                }
            }
            (Term::Part(one), Term::Part(other)) => {
                if let (Some(ones), Some(others)) = (self.question.listed(*one), self.question.listed(*other)) {
                    return self.lists_equal(ones, others, wanted);
                }
            }
            _ => {}
        }
        if self.has_truth(one) && self.has_truth(other) {
            let [yes, no] = [true, false].map(|truth| {
                let both = [self.truth(left, one, truth), self.truth(right, other, truth == wanted)];
                self.and(both)
            });
            return Some(self.or([yes, no]));
        }
        self.same((left, one), (right, other), wanted)
    }

    /// Whether a value is true or false.
    fn has_truth(&self, term: &Term<'q>) -> bool {
        match term {
            Term::Truth(_) => true,
            Term::Place(place) => {
                place.schema.is_some_and(|schema| schema.kind.as_deref() == Some("boolean") && !schema.nullable)
            }
            Term::Part(leaf) => self.question.is_truth(*leaf),
            _ => false,
        }
    }

    fn name_of_term(&self, part: Part, term: &Term<'q>) -> Option<Name> {
        Some(match term {
            Term::Place(place) => self.name_of(part, *place),
            Term::Part(leaf) => self.question.name(*leaf),
            Term::Truth(truth) => self.question.constant(&Value::Boolean(*truth)),
            Term::Integer(integer) => self.question.constant(&Value::Integer(i64::try_from(*integer).ok()?)),
            Term::Text(text) => self.question.constant(&Value::text(&**text)),
            Term::Number(_) => return None,
        })
    }

    /// Whether two values are the same, as far as their names and schemas show it.
    fn same(
        &mut self,
        (left, one): (Part, &Term<'q>),
        (right, other): (Part, &Term<'q>),
        wanted: bool,
    ) -> Option<Formula> {
        let names = (self.name_of_term(left, one)?, self.name_of_term(right, other)?);
        if let (Term::Place(one_place), Term::Place(other_place)) = (one, other) {
            if names.0 == names.1 && one_place.schema.is_some_and(is_exact) {
                return Some(certain(wanted));
            }
            let is_text =
                |place: &Place<'_>| place.schema.is_some_and(|schema| schema.kind.as_deref() == Some("string"));
            if is_text(one_place)
                && is_text(other_place)
                && let (Some(one), Some(other)) = (self.text_of(left, one), self.text_of(right, other))
            {
                return Some(self.formulas.atom(Atom::Same(one.min(other), one.max(other)), wanted));
            }
        }
        Some(self.formulas.atom(Atom::Opaque(About::equality(names.0, names.1)), wanted))
    }

    /// Whether two written lists are equal.
    fn lists_equal(&mut self, ones: Vec<Part>, others: Vec<Part>, wanted: bool) -> Option<Formula> {
        if ones.len() != others.len() {
            return Some(if wanted { FALSE } else { TRUE });
        }
        let mut equal = Vec::new();
        for (one, other) in ones.into_iter().zip(others) {
            let mut cases = Vec::new();
            for (one_guard, one_term) in self.values(one) {
                for (other_guard, other_term) in self.values(other) {
                    let holds = self.relation(TokenKind::Equal, (one, &one_term), (other, &other_term), true)?;
                    cases.push(self.and([one_guard, other_guard, holds]));
                }
            }
            equal.push(self.or(cases));
        }
        let all = self.and(equal);
        Some(if wanted { all } else { self.formulas.not(all) })
    }

    /// A relation of two numbers of the theory, to each of which something is added.
    pub(super) fn ordered(
        &mut self,
        operator: TokenKind,
        (one, added): (usize, i128),
        (other, added_to_other): (usize, i128),
        wanted: bool,
    ) -> Formula {
        let most = added_to_other - added;
        let formula = match operator {
            TokenKind::LessEqual => self.at_most(one, other, most),
            TokenKind::Less => self.at_most(one, other, most - 1),
            TokenKind::GreaterEqual => self.at_most(other, one, -most),
            TokenKind::Greater => self.at_most(other, one, -most - 1),
            _ => {
                let both = [self.at_most(one, other, most), self.at_most(other, one, -most)];
                self.and(both)
            }
        };
        if wanted { formula } else { self.formulas.not(formula) }
    }

    /// Whether a number is larger than another one by at most so much.
    pub(super) fn at_most(&mut self, one: usize, other: usize, most: i128) -> Formula {
        match one.cmp(&other) {
            std::cmp::Ordering::Equal => {
                if most >= 0 {
                    TRUE
                } else {
                    FALSE
                }
            }
            std::cmp::Ordering::Less => self.formulas.atom(Atom::Order(one, other, most), true),
            std::cmp::Ordering::Greater => self.formulas.atom(Atom::Order(other, one, -most - 1), false),
        }
    }
}

/// The values without those that are impossible, and equal integers as one.
fn merged<'q>(translation: &mut Translation<'_, 'q>, values: Values<'q>) -> Values<'q> {
    let mut merged: Values<'q> = Vec::new();
    for (guard, term) in values {
        if guard == FALSE {
            continue;
        }
        let is_same = |known: &Term<'q>| match (known, &term) {
            (Term::Integer(one), Term::Integer(other)) => one == other,
            (Term::Truth(one), Term::Truth(other)) => one == other,
            (Term::Text(one), Term::Text(other)) => one == other,
            (Term::Place(one), Term::Place(other)) => one == other,
            _ => false,
        };
        match merged.iter().position(|(_, known)| is_same(known)) {
            Some(index) => merged[index].0 = translation.or([merged[index].0, guard]),
            None => merged.push((guard, term)),
        }
    }
    merged
}

fn holds(operator: TokenKind, one: i64, other: i64) -> bool {
    match operator {
        TokenKind::Equal => one == other,
        TokenKind::NotEqual => one != other,
        TokenKind::Less => one < other,
        TokenKind::LessEqual => one <= other,
        TokenKind::Greater => one > other,
        _ => one >= other,
    }
}

/// The pattern of the texts for which a function of texts is true.
fn pattern_of(function: &str, text: &str) -> String {
    match function {
        "startsWith" => format!("^{}", escaped(text)),
        "endsWith" => format!("{}$", escaped(text)),
        "contains" => escaped(text),
        _ => text.to_owned(),
    }
}
