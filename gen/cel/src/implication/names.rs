//! Names: one text for each expression, so that equal expressions are one fact.
//!
//! Invariants: two expressions with one name have the same value. A variable has the name of its value, so that two rules with
//! different names of variables agree.

use crd_model::Schema;

use super::facts::Place;
use super::{Binding, Part, Question, Scope};
use crate::fields::{escape, property};
use crate::parser::{Macro, Node, Span};
use crate::plan::literal_value;
use crate::value::Value;

impl<'q> Question<'q> {
    pub(super) fn node(&self, part: &Part<'q>) -> Node {
        self.rules[part.rule].tree.node(part.node)
    }

    pub(super) fn text(&self, part: &Part<'q>, span: Span) -> &'q str {
        self.rules[part.rule].source.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// Another node of the same rule, below the same variables.
    pub(super) fn at(&self, part: &Part<'q>, node: u32) -> Part<'q> {
        Part { rule: part.rule, node, scope: part.scope.clone() }
    }

    pub(super) fn parts(&self, part: &Part<'q>, run: crate::parser::Children) -> Vec<Part<'q>> {
        self.rules[part.rule].tree.children(run).iter().map(|node| self.at(part, *node)).collect()
    }

    pub(super) fn literal(&self, part: &Part<'q>) -> Option<Value<'static>> {
        let Node::Literal(literal) = self.node(part) else { return None };
        let rule = &self.rules[part.rule];
        Some(literal_value(rule.source.get(rule.tree.start(part.node)..).unwrap_or_default(), literal))
    }

    /// The value of a variable.
    pub(super) fn binding(&self, part: &Part<'q>, name: &str) -> Option<Binding<'q>> {
        let mut scope: &Scope<'q> = &part.scope;
        while let Some(variable) = scope {
            if variable.name == name {
                return Some(variable.is.clone());
            }
            scope = &variable.outer;
        }
        let place = |name: &str| Place { schema: Some(self.schema), name: name.to_owned() };
        ["self", "oldSelf"].contains(&name).then(|| Binding::Place(place(name)))
    }

    /// The place of a field of a place, and whether it is always or never there by the schema.
    pub(super) fn field(&self, of: &Place<'q>, written: &str) -> (Place<'q>, Option<bool>) {
        let unknown = |name: &str| Place { schema: None, name: format!("{}.{name}", of.name) };
        let Some(schema) = of.schema.filter(|schema| is_object(schema)) else { return (unknown(written), None) };
        if let Some(values) = schema.values() {
            return (Place { schema: Some(values), ..unknown(written) }, None);
        }
        let is_root = std::ptr::eq(schema, self.schema) && self.is_resource;
        if (is_root || schema.embedded_resource) && ["apiVersion", "kind", "metadata"].contains(&written) {
            return (unknown(written), is_root.then_some(true));
        }
        let Some((name, child)) = property(&schema.properties, written) else {
            let is_closed = schema.preserve_unknown_fields != Some(true)
                && schema.additional_properties.is_none()
                && !schema.embedded_resource;
            return (unknown(written), (is_closed && self.uses_schema).then_some(false));
        };
        let is_listed =
            self.uses_schema && !child.nullable && schema.required.iter().any(|required| **required == *name);
        let place = Place { schema: Some(child), ..unknown(&escape(name).unwrap_or_default()) };
        (place, is_listed.then_some(true))
    }

    /// The place that an expression names, present or not.
    pub(super) fn place(&self, part: &Part<'q>) -> Option<Place<'q>> {
        match self.node(part) {
            Node::Name { name, .. } => match self.binding(part, self.text(part, name))? {
                Binding::Place(place) => Some(place),
                Binding::Part(part) => self.place(&part),
            },
            Node::Select { of, name, optional: false } => {
                Some(self.field(&self.place(&self.at(part, of))?, self.text(part, name)).0)
            }
            _ => None,
        }
    }

    /// The place of any item of a range.
    pub(super) fn item(&self, part: &Part<'q>, range: &Part<'q>) -> Place<'q> {
        let depth = part.scope.as_ref().map_or(0, |variable| variable.depth);
        let place = self.place(range);
        let items = place.as_ref().and_then(|place| place.schema).and_then(|schema| schema.items.as_deref());
        let range = place.map_or_else(|| self.name(range), |place| place.name);
        Place { schema: items, name: format!("{range}[#{depth}]") }
    }

    /// The name of an expression.
    pub(super) fn name(&self, part: &Part<'q>) -> String {
        if let Some(place) = self.place(part) {
            return place.name;
        }
        let name = |node: u32| self.name(&self.at(part, node));
        let names = |parts: Vec<Part<'q>>| parts.iter().map(|part| self.name(part)).collect::<Vec<_>>().join(", ");
        match self.node(part) {
            Node::Name { name, .. } => match self.binding(part, self.text(part, name)) {
                Some(Binding::Part(part)) => self.name(&part),
                _ => self.text(part, name).to_owned(),
            },
            Node::Literal(_) => self.literal(part).map_or_else(String::new, |value| written(&value)),
            Node::Select { of, name: field, optional } => {
                format!("({}).{}{}", name(of), if optional { "?" } else { "" }, self.text(part, field))
            }
            Node::Has { field } => format!("has({})", name(field)),
            Node::Index { of, key, optional, .. } => {
                format!("({})[{}{}]", name(of), if optional { "?" } else { "" }, name(key))
            }
            Node::Call { target, name: function, arguments } => {
                let arguments =
                    target.map(|target| self.at(part, target)).into_iter().chain(self.parts(part, arguments));
                format!("{}({})", self.text(part, function), names(arguments.collect()))
            }
            Node::Macro { kind, variables, target, name: function, arguments } => {
                let arguments = self.parts(part, arguments);
                let (variables, rest) = arguments.split_at(usize::from(variables).min(arguments.len()));
                if let (Macro::Bind, [variable], [value, body]) = (kind, variables, rest) {
                    let scope = self.bound(part, variable, Binding::Part(value.clone()));
                    return self.name(&Part { scope, ..body.clone() });
                }
                let target = self.at(part, target);
                let rest = self.bodies(part, &target, variables, rest);
                format!("{}({}; {})", self.text(part, function), self.name(&target), names(rest))
            }
            Node::List { items } => format!("[{}]", names(self.parts(part, items))),
            Node::Map { entries } => format!("{{{}}}", names(self.parts(part, entries))),
            Node::OptionalEntry { of } => format!("?{}", name(of)),
            Node::Message { values } => {
                format!("message {} of {} ({})", part.node, part.rule, names(self.parts(part, values)))
            }
            Node::Logic { terms, is_or } => {
                format!("{}({})", if is_or { "or" } else { "and" }, names(self.parts(part, terms)))
            }
            Node::Not { of } => format!("!({})", name(of)),
            Node::Negate { of } => format!("-({})", name(of)),
            Node::Comparison { operator, left, right, .. } => {
                format!("({}) {operator:?} ({})", name(left), name(right))
            }
            Node::In { left, right, .. } => format!("({}) in ({})", name(left), name(right)),
            Node::Sum { left, right, .. } => format!("({}) + ({})", name(left), name(right)),
            Node::Calculation { operator, left, right, .. } => {
                format!("({}) {operator:?} ({})", name(left), name(right))
            }
            Node::Conditional { test, yes, no } => format!("({}) ? ({}) : ({})", name(test), name(yes), name(no)),
        }
    }

    /// The arguments of a macro, in which each variable is any item.
    pub(super) fn bodies(
        &self,
        part: &Part<'q>,
        target: &Part<'q>,
        variables: &[Part<'q>],
        bodies: &[Part<'q>],
    ) -> Vec<Part<'q>> {
        let item = self.item(part, target);
        let mut inner = part.clone();
        for (index, variable) in variables.iter().enumerate() {
            let place = match index {
                0 => item.clone(),
                _ => Place { schema: None, name: format!("{}:{index}", item.name) },
            };
            inner.scope = self.bound(&inner, variable, Binding::Place(place));
        }
        bodies.iter().map(|body| Part { scope: inner.scope.clone(), ..body.clone() }).collect()
    }

    /// The variables around the body of a macro.
    pub(super) fn bound(&self, part: &Part<'q>, variable: &Part<'q>, is: Binding<'q>) -> Scope<'q> {
        let name = match self.node(variable) {
            Node::Name { name, .. } => self.text(variable, name),
            _ => "",
        };
        let depth = part.scope.as_ref().map_or(0, |outer| outer.depth) + usize::from(matches!(is, Binding::Place(_)));
        Some(std::rc::Rc::new(super::Variable { name, is, depth, outer: part.scope.clone() }))
    }
}

pub(super) fn is_object(schema: &Schema) -> bool {
    schema.kind.as_deref() == Some("object")
}

/// A literal, so that equal values have equal names.
fn written(value: &Value<'_>) -> String {
    format!("{value:?}")
}
