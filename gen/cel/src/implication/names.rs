//! Names: one number for each expression, so that equal expressions are one fact.
//!
//! Invariants: two expressions with one name have the same value. A variable has the name of its value, so that two rules with
//! different names of variables agree. Numbers are given in the order of reading, so that they are the same in each run.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::hash::Hash;

use crd_model::Schema;
use foldhash::HashMap;

use super::facts::{Name, Place};
use super::{Binding, Part, Question, Scope, Variable};
use crate::fields::{escape, property};
use crate::lexer::TokenKind;
use crate::parser::{Children, Macro, Node, Span};
use crate::plan::literal_value;
use crate::value::Value;

/// The names of a question, and what was computed for them.
#[derive(Default)]
pub(super) struct Names<'q> {
    known: Numbers<(Form<'q>, Vec<Name>)>,
    variables: Numbers<Variable<'q>>,
    of_parts: HashMap<Part, Name>,
    places: HashMap<Part, Option<Place<'q>>>,
    fields: HashMap<(Name, &'q str), (Place<'q>, Option<bool>)>,
}

/// What a name is made of, next to the names in it.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Form<'q> {
    /// A variable that the rule does not bind, such as `self`.
    Root(&'q str),
    /// The field of a place, as rules write it.
    Field(Cow<'q, str>),
    /// Any item of a range, below so many other variables.
    Item(usize),
    /// Another variable of a macro over items.
    Variable(usize),
    Literal(String),
    /// A node without a place: what it does.
    Node(&'static str),
    Operator(TokenKind),
    /// A function, a macro, or the field of an expression.
    Text(&'static str, &'q str),
    /// A message, which equals no other.
    Message(usize, u32),
}

/// Values with a number for each.
struct Numbers<T> {
    numbers: HashMap<T, usize>,
    values: Vec<T>,
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Self { numbers: HashMap::default(), values: Vec::new() }
    }
}

impl<T: Clone + Eq + Hash> Numbers<T> {
    fn number(&mut self, value: T) -> usize {
        match self.numbers.entry(value) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                self.values.push(new.key().clone());
                *new.insert(self.values.len() - 1)
            }
        }
    }
}

impl<'q> Question<'q> {
    pub(super) fn node(&self, part: Part) -> Node {
        self.rules[part.rule].tree.node(part.node)
    }

    pub(super) fn text(&self, part: Part, span: Span) -> &'q str {
        self.rules[part.rule].source.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// Another node of the same rule, below the same variables.
    pub(super) fn at(&self, part: Part, node: u32) -> Part {
        Part { node, ..part }
    }

    pub(super) fn parts(&self, part: Part, run: Children) -> Vec<Part> {
        self.rules[part.rule].tree.children(run).iter().map(|node| self.at(part, *node)).collect()
    }

    pub(super) fn literal(&self, part: Part) -> Option<Value<'static>> {
        let Node::Literal(literal) = self.node(part) else { return None };
        let rule = &self.rules[part.rule];
        Some(literal_value(rule.source.get(rule.tree.start(part.node)..).unwrap_or_default(), literal))
    }

    fn variable(&self, scope: Scope) -> Option<Variable<'q>> {
        self.names.borrow().variables.values.get(scope?).copied()
    }

    /// How many variables around a part are any item of a list or map.
    pub(super) fn depth(&self, part: Part) -> usize {
        self.variable(part.scope).map_or(0, |variable| variable.depth)
    }

    /// The value of a variable.
    pub(super) fn binding(&self, part: Part, name: &'q str) -> Option<Binding<'q>> {
        let mut scope = part.scope;
        while let Some(variable) = self.variable(scope) {
            if variable.name == name {
                return Some(variable.is);
            }
            scope = variable.outer;
        }
        ["self", "oldSelf"]
            .contains(&name)
            .then(|| Binding::Place(Place { schema: Some(self.schema), name: self.form(Form::Root(name), []) }))
    }

    fn form<const N: usize>(&self, form: Form<'q>, of: [Name; N]) -> Name {
        self.form_of(form, of.into())
    }

    fn form_of(&self, form: Form<'q>, of: Vec<Name>) -> Name {
        Name(self.names.borrow_mut().known.number((form, of)))
    }

    /// The place of a field of a place, and whether it is always or never there by the schema.
    pub(super) fn field(&self, of: Place<'q>, written: &'q str) -> (Place<'q>, Option<bool>) {
        if let Some(field) = self.names.borrow().fields.get(&(of.name, written)) {
            return *field;
        }
        let field = self.new_field(of, written);
        self.names.borrow_mut().fields.insert((of.name, written), field);
        field
    }

    fn new_field(&self, of: Place<'q>, written: &'q str) -> (Place<'q>, Option<bool>) {
        let named = |name: Cow<'q, str>, schema| Place { schema, name: self.form(Form::Field(name), [of.name]) };
        let unknown = || named(written.into(), None);
        let Some(schema) = of.schema.filter(|schema| is_object(schema)) else { return (unknown(), None) };
        if let Some(values) = schema.values() {
            return (named(written.into(), Some(values)), None);
        }
        let is_root = std::ptr::eq(schema, self.schema) && self.is_resource;
        if (is_root || schema.embedded_resource) && ["apiVersion", "kind", "metadata"].contains(&written) {
            return (unknown(), is_root.then_some(true));
        }
        let Some((name, child)) = property(&schema.properties, written) else {
            let is_closed = schema.preserve_unknown_fields != Some(true)
                && schema.additional_properties.is_none()
                && !schema.embedded_resource;
            return (unknown(), (is_closed && self.uses_schema).then_some(false));
        };
        let is_listed =
            self.uses_schema && !child.nullable && schema.required.iter().any(|required| **required == *name);
        (named(escape(name).unwrap_or_default(), Some(child)), is_listed.then_some(true))
    }

    /// The place that an expression names, present or not.
    pub(super) fn place(&self, part: Part) -> Option<Place<'q>> {
        if let Some(place) = self.names.borrow().places.get(&part) {
            return *place;
        }
        let place = match self.node(part) {
            Node::Name { name, .. } => self.binding(part, self.text(part, name)).and_then(|binding| match binding {
                Binding::Place(place) => Some(place),
                Binding::Part(part) => self.place(part),
            }),
            Node::Select { of, name, optional: false } => {
                self.place(self.at(part, of)).map(|of| self.field(of, self.text(part, name)).0)
            }
            _ => None,
        };
        self.names.borrow_mut().places.insert(part, place);
        place
    }

    /// The place of any item of a range.
    pub(super) fn item(&self, part: Part, range: Part) -> Place<'q> {
        let place = self.place(range);
        let items = place.and_then(|place| place.schema).and_then(|schema| schema.items.as_deref());
        let range = place.map_or_else(|| self.name(range), |place| place.name);
        Place { schema: items, name: self.form(Form::Item(self.depth(part)), [range]) }
    }

    /// The name of an expression.
    pub(super) fn name(&self, part: Part) -> Name {
        if let Some(name) = self.names.borrow().of_parts.get(&part) {
            return *name;
        }
        let name = self.new_name(part);
        self.names.borrow_mut().of_parts.insert(part, name);
        name
    }

    fn new_name(&self, part: Part) -> Name {
        if let Some(place) = self.place(part) {
            return place.name;
        }
        let name = |node: u32| self.name(self.at(part, node));
        let names = |parts: &[Part]| parts.iter().map(|part| self.name(*part)).collect::<Vec<_>>();
        let all = |run: Children| names(&self.parts(part, run));
        match self.node(part) {
            Node::Name { name, .. } => match self.binding(part, self.text(part, name)) {
                Some(Binding::Part(part)) => self.name(part),
                _ => self.form(Form::Root(self.text(part, name)), []),
            },
            Node::Literal(_) => {
                let value = self.literal(part).map_or_else(String::new, |value| format!("{value:?}"));
                self.form(Form::Literal(value), [])
            }
            Node::Select { of, name: field, optional } => {
                self.form(Form::Text(if optional { ".?" } else { "." }, self.text(part, field)), [name(of)])
            }
            Node::Has { field } => self.form(Form::Node("has"), [name(field)]),
            Node::Index { of, key, optional, .. } => {
                self.form(Form::Node(if optional { "[?]" } else { "[]" }), [name(of), name(key)])
            }
            Node::Call { target, name: function, arguments } => {
                let of = target.map(name).into_iter().chain(all(arguments)).collect();
                self.form_of(Form::Text("call", self.text(part, function)), of)
            }
            Node::Macro { kind, variables, target, name: function, arguments } => {
                let arguments = self.parts(part, arguments);
                let (variables, rest) = arguments.split_at(usize::from(variables).min(arguments.len()));
                if let (Macro::Bind, [variable], [value, body]) = (kind, variables, rest) {
                    return self.name(self.below(*body, self.bound(part, *variable, Binding::Part(*value))));
                }
                let target = self.at(part, target);
                let rest = self.bodies(part, target, variables, rest);
                self.form_of(
                    Form::Text("macro", self.text(part, function)),
                    [vec![self.name(target)], names(&rest)].concat(),
                )
            }
            Node::List { items } => self.form_of(Form::Node("list"), all(items)),
            Node::Map { entries } => self.form_of(Form::Node("map"), all(entries)),
            Node::OptionalEntry { of } => self.form(Form::Node("optional"), [name(of)]),
            Node::Message { values } => self.form_of(Form::Message(part.rule, part.node), all(values)),
            Node::Logic { terms, is_or } => self.form_of(Form::Node(if is_or { "or" } else { "and" }), all(terms)),
            Node::Not { of } => self.form(Form::Node("not"), [name(of)]),
            Node::Negate { of } => self.form(Form::Node("negative"), [name(of)]),
            Node::In { left, right, .. } => self.form(Form::Node("in"), [name(left), name(right)]),
            Node::Sum { left, right, .. } => self.form(Form::Node("sum"), [name(left), name(right)]),
            Node::Comparison { operator, left, right, .. } | Node::Calculation { operator, left, right, .. } => {
                self.form(Form::Operator(operator), [name(left), name(right)])
            }
            Node::Conditional { test, yes, no } => self.form(Form::Node("if"), [name(test), name(yes), name(no)]),
        }
    }

    /// The arguments of a macro, in which each variable is any item.
    pub(super) fn bodies(&self, part: Part, target: Part, variables: &[Part], bodies: &[Part]) -> Vec<Part> {
        let item = self.item(part, target);
        let mut inner = part;
        for (index, variable) in variables.iter().enumerate() {
            let place = match index {
                0 => item,
                _ => Place { schema: None, name: self.form(Form::Variable(index), [item.name]) },
            };
            inner.scope = self.bound(inner, *variable, Binding::Place(place));
        }
        bodies.iter().map(|body| self.below(*body, inner.scope)).collect()
    }

    /// A part below other variables.
    pub(super) fn below(&self, part: Part, scope: Scope) -> Part {
        Part { scope, ..part }
    }

    /// The variables around the body of a macro.
    pub(super) fn bound(&self, part: Part, variable: Part, is: Binding<'q>) -> Scope {
        let name = match self.node(variable) {
            Node::Name { name, .. } => self.text(variable, name),
            _ => "",
        };
        let depth = self.depth(part) + usize::from(matches!(is, Binding::Place(_)));
        let variable = Variable { name, is, depth, outer: part.scope };
        Some(self.names.borrow_mut().variables.number(variable))
    }
}

pub(super) fn is_object(schema: &Schema) -> bool {
    schema.kind.as_deref() == Some("object")
}
