//! Names: one number for each expression, so that equal expressions are one fact.
//!
//! Invariants: two expressions with one name have the same value. A variable has the name of its value, so that two rules with
//! different names of variables agree. Numbers are given in the order of reading, so that they are the same in each run.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::sync::LazyLock;

use crd_model::Schema;
use crd_model::path::Step;
use foldhash::HashMap;

use super::facts::{Name, Place};
use super::{Binding, Part, Question, Scope, Variable, is_dropped};
use crate::fields::{escape, property, unescaped};
use crate::lexer::TokenKind;
use crate::parser::{Children, Macro, MacroCall, Node, Span};
use crate::plan::literal_value;
use crate::value::Value;

/// What every stored object has, of the fields that rules can read: a server makes a name from `generateName`, and refuses an object without one.
static OBJECT: LazyLock<Schema> = LazyLock::new(|| {
    let text = || Schema { kind: Some("string".into()), ..Schema::default() };
    let object = |properties: [(&'static str, Schema); 2], required: &'static str| Schema {
        kind: Some("object".into()),
        properties: properties.map(|(name, schema)| (name.into(), schema)).into_iter().collect(),
        required: vec![required.into()],
        preserve_unknown_fields: Some(true),
        ..Schema::default()
    };
    let metadata = object([("name", text()), ("generateName", text())], "name");
    let mut whole = object([("apiVersion", text()), ("kind", text())], "metadata");
    whole.properties.insert("metadata".into(), metadata);
    whole
});

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
    /// The item of a list that has at most one.
    OnlyItem,
    /// One of the items of a list or map.
    Example(usize),
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

    /// The variables of a macro, and its other arguments.
    pub(super) fn macro_parts(&self, part: Part, call: MacroCall) -> (Vec<Part>, Vec<Part>) {
        let mut variables = self.parts(part, call.arguments);
        let rest = variables.split_off(usize::from(call.variables).min(variables.len()));
        (variables, rest)
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
        ["self", "oldSelf"].contains(&name).then(|| Binding::Place(self.root(name)))
    }

    pub(super) fn root(&self, name: &'q str) -> Place<'q> {
        Place { schema: Some(self.schema), name: self.form(Form::Root(name), []) }
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
        if (is_root || schema.embedded_resource) && OBJECT.properties.contains_key(written) {
            let of_object = OBJECT.properties.get(written).filter(|_| is_root);
            return (named(written.into(), of_object), is_root.then_some(true));
        }
        let Some((name, child)) = property(&schema.properties, written) else {
            let is_closed = schema.preserve_unknown_fields != Some(true)
                && schema.additional_properties.is_none()
                && !schema.embedded_resource;
            return (unknown(), (is_closed && self.uses_schema).then_some(false));
        };
        // A default is filled in after the assumed rules were checked.
        let is_always_there = !child.nullable && child.default.is_none();
        let is_listed =
            self.uses_schema && is_always_there && schema.required.iter().any(|required| **required == *name);
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

    /// The list or map that a macro visits, as it was before defaults were filled in: filling in adds no item.
    pub(super) fn range(&self, part: Part) -> Place<'q> {
        self.place(part).unwrap_or_else(|| Place { schema: None, name: self.name(part) })
    }

    /// The place of any item of a range. The only item of a list has one name.
    pub(super) fn item(&self, part: Part, range: Place<'q>) -> Place<'q> {
        let items = range.schema.and_then(|schema| schema.items.as_deref());
        let form = if self.has_one_item(range) { Form::OnlyItem } else { Form::Item(self.depth(part)) };
        Place { schema: items, name: self.form(form, [range.name]) }
    }

    /// The name of the only item of a list.
    pub(super) fn item_of(&self, range: Place<'q>) -> Name {
        self.form(Form::OnlyItem, [range.name])
    }

    /// One of the items of a range, by number.
    pub(super) fn example(&self, range: Place<'q>, number: usize) -> Place<'q> {
        let schema = range.schema.and_then(|schema| schema.items.as_deref());
        Place { schema, name: self.form(Form::Example(number), [range.name]) }
    }

    /// The way from `self` to the place with this name; none if the name is that of another expression.
    pub(super) fn path_of(&self, name: Name) -> Option<Vec<Step>> {
        let (form, of) = self.names.borrow().known.values.get(name.0)?.clone();
        match (form, &of[..]) {
            (Form::Root("self"), []) => Some(Vec::new()),
            (Form::Node("filled"), [of]) => self.path_of(*of),
            (Form::Field(written), [of]) => {
                let mut path = self.path_of(*of)?;
                path.push(Step::Field(unescaped(&written).into_owned()));
                Some(path)
            }
            (Form::Example(number), [of]) => {
                let mut path = self.path_of(*of)?;
                path.push(Step::Item(number));
                Some(path)
            }
            _ => None,
        }
    }

    /// Whether a place is a list of at most one item.
    pub(super) fn has_one_item(&self, range: Place<'q>) -> bool {
        let is_short =
            |schema: &Schema| schema.kind.as_deref() == Some("array") && schema.max_items.is_some_and(|most| most <= 1);
        self.uses_schema && range.schema.is_some_and(is_short)
    }

    /// The names of the keys of a list whose items are distinct texts, or have distinct texts as keys; none if they are not.
    pub(super) fn keys_of_items(&self, range: Place<'q>) -> Option<Vec<&'q str>> {
        let schema = range.schema.filter(|_| self.uses_schema)?;
        let items = schema.items.as_deref()?;
        let is_text = |schema: &Schema| schema.kind.as_deref() == Some("string") && is_exact(schema);
        match schema.list_type.as_deref()? {
            "set" => is_text(items).then(Vec::new),
            "map" => {
                let is_key = |key: &str| {
                    items.properties.get(key).is_some_and(is_text) && escape(key).is_some_and(|written| written == key)
                };
                schema.list_map_keys.iter().map(|key| is_key(key).then_some(&**key)).collect()
            }
            _ => None,
        }
    }

    /// The items of the same range that variables around a part are.
    pub(super) fn items_around(&self, part: Part, range: Place<'q>) -> Vec<Place<'q>> {
        let names = self.names.borrow();
        let mut items = Vec::new();
        let mut scope = part.scope;
        while let Some(variable) = scope.and_then(|scope| names.variables.values.get(scope)) {
            if let Binding::Place(place) = variable.is
                && matches!(&names.known.values[place.name.0], (Form::Item(_), of) if **of == [range.name])
            {
                items.push(place);
            }
            scope = variable.outer;
        }
        items
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
            return self.name_at(part, place);
        }
        match self.node(part) {
            Node::Name { name, .. } if let Some(Binding::Part(bound)) = self.binding(part, self.text(part, name)) => {
                self.name(bound)
            }
            Node::Macro(MacroCall { kind: Macro::Bind, .. }) if let [body] = self.operands(part)[..] => self.name(body),
            node => {
                let mut names = self.operands(part).into_iter().map(|of| self.name(of)).collect::<Vec<_>>();
                if let Node::Macro(call) = node
                    && call.kind.is_quantifier()
                {
                    names[0] = self.range(self.at(part, call.target)).name;
                }
                self.composed(part, names)
            }
        }
    }

    /// The name of the value at a place. For the first rule, defaults are filled in and fields are dropped.
    pub(super) fn name_at(&self, part: Part, place: Place<'q>) -> Name {
        let is_filled = part.rule == 0 && self.is_changed && place.schema.is_some_and(is_changed);
        if is_filled { self.form(Form::Node("filled"), [place.name]) } else { place.name }
    }

    /// The expressions in an expression, with the variables around them.
    pub(super) fn operands(&self, part: Part) -> Vec<Part> {
        match self.node(part) {
            Node::Name { .. } | Node::Literal(_) => Vec::new(),
            Node::Select { of, .. }
            | Node::Has { field: of }
            | Node::OptionalEntry { of }
            | Node::Not { of }
            | Node::Negate { of } => vec![self.at(part, of)],
            Node::Index { of, key, .. } => vec![self.at(part, of), self.at(part, key)],
            Node::Call { target, arguments, .. } => {
                target.map(|target| self.at(part, target)).into_iter().chain(self.parts(part, arguments)).collect()
            }
            Node::Macro(call) => {
                let (variables, rest) = self.macro_parts(part, call);
                if let (Macro::Bind, [variable], [value, body]) = (call.kind, &variables[..], &rest[..]) {
                    return vec![self.below(*body, self.bound(part, *variable, Binding::Part(*value)))];
                }
                let target = self.at(part, call.target);
                [vec![target], self.bodies(part, self.range(target), &variables, &rest)].concat()
            }
            Node::List { items: run }
            | Node::Map { entries: run }
            | Node::Message { values: run }
            | Node::Logic { terms: run, .. } => self.parts(part, run),
            Node::Comparison { left, right, .. }
            | Node::In { left, right, .. }
            | Node::Sum { left, right, .. }
            | Node::Calculation { left, right, .. } => vec![self.at(part, left), self.at(part, right)],
            Node::Conditional { test, yes, no } => [test, yes, no].map(|node| self.at(part, node)).into(),
        }
    }

    /// The name of an expression whose operands have these names.
    pub(super) fn composed(&self, part: Part, of: Vec<Name>) -> Name {
        let form = match self.node(part) {
            Node::Name { name, .. } => Form::Root(self.text(part, name)),
            Node::Literal(_) => {
                return self
                    .literal(part)
                    .map_or_else(|| self.form_of(Form::Node(""), of), |value| self.constant(&value));
            }
            Node::Select { name: field, optional, .. } => {
                Form::Text(if optional { ".?" } else { "." }, self.text(part, field))
            }
            Node::Has { .. } => Form::Node("has"),
            Node::Index { optional, .. } => Form::Node(if optional { "[?]" } else { "[]" }),
            Node::Call { name: function, .. } => Form::Text("call", self.text(part, function)),
            Node::Macro(MacroCall { name: function, .. }) => Form::Text("macro", self.text(part, function)),
            Node::List { .. } => Form::Node("list"),
            Node::Map { .. } => Form::Node("map"),
            Node::OptionalEntry { .. } => Form::Node("optional"),
            Node::Message { .. } => Form::Message(part.rule, part.node),
            Node::Logic { is_or, .. } => Form::Node(if is_or { "or" } else { "and" }),
            Node::Not { .. } => Form::Node("not"),
            Node::Negate { .. } => Form::Node("negative"),
            Node::In { .. } => Form::Node("in"),
            Node::Sum { .. } => Form::Node("sum"),
            Node::Comparison { operator, .. } | Node::Calculation { operator, .. } => Form::Operator(operator),
            Node::Conditional { .. } => Form::Node("if"),
        };
        self.form_of(form, of)
    }

    /// The name of how many of these are true, where one may fail or none does.
    pub(super) fn counted(&self, mut of: Vec<Name>, can_fail: bool) -> Name {
        of.sort_unstable();
        self.form_of(Form::Node(if can_fail { "possible count" } else { "count" }), of)
    }

    /// The name of a constant.
    pub(super) fn constant(&self, value: &Value<'_>) -> Name {
        self.form(Form::Literal(format!("{value:?}")), [])
    }

    /// The name with one value in place of an equal one: in paths of fields, or in all expressions.
    pub(super) fn replaced(&self, name: Name, from: Name, to: Name, in_all: bool) -> Name {
        if name == from {
            return to;
        }
        // The parts of a name are numbered before it.
        if name.0 < from.0 {
            return name;
        }
        let (is_field, of) = {
            let (form, of) = &self.names.borrow().known.values[name.0];
            (matches!(form, Form::Field(_)), of.clone())
        };
        if of.is_empty() || !in_all && !is_field {
            return name;
        }
        let replaced = of.iter().map(|name| self.replaced(*name, from, to, in_all)).collect::<Vec<_>>();
        if replaced == of {
            return name;
        }
        let form = self.names.borrow().known.values[name.0].0.clone();
        self.form_of(form, replaced)
    }

    /// The arguments of a macro, in which each variable is any item.
    pub(super) fn bodies(&self, part: Part, range: Place<'q>, variables: &[Part], bodies: &[Part]) -> Vec<Part> {
        let item = self.item(part, range);
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

/// Whether equal values of a node are the same value, so that no rule distinguishes them.
pub(super) fn is_exact(schema: &Schema) -> bool {
    !schema.nullable
        && !schema.int_or_string
        && match schema.kind.as_deref() {
            Some("string") => schema.format.is_none(),
            Some("boolean" | "integer") => true,
            Some("array") => {
                !matches!(schema.list_type.as_deref(), Some("set" | "map"))
                    && schema.items.as_deref().is_some_and(is_exact)
            }
            Some("object") => {
                schema.preserve_unknown_fields != Some(true)
                    && !schema.embedded_resource
                    && schema.values().map_or(schema.additional_properties.is_none(), is_exact)
                    && schema.properties.values().all(is_exact)
            }
            _ => false,
        }
}

/// Whether a default is filled in at a node or below it, or a field is dropped.
pub(super) fn is_changed(schema: &Schema) -> bool {
    schema.default.is_some()
        || is_dropped(schema)
        || schema.items.as_deref().is_some_and(is_changed)
        || schema.values().is_some_and(is_changed)
        || schema.properties.values().any(is_changed)
}
