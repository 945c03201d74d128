//! Walks over the nodes of a schema.
//!
//! Invariants: a node is visited before those below it: its properties by name, then its items, then its values. The
//! steps of a walk are those from the root; branches (`allOf`, `anyOf`, `oneOf`, `not`) are not below a node.

use super::path::{SchemaPath, Step, text};
use super::{AdditionalProperties, Schema};

/// The nodes directly below one, with the steps to them.
pub fn below(node: &Schema) -> impl Iterator<Item = (Step<&str>, &Schema)> {
    let properties = node.properties.iter().map(|(name, property)| (Step::Field(&**name), property));
    let items = node.items.as_deref().map(|items| (Step::Item, items));
    properties.chain(items).chain(node.values().map(|values| (Step::Value, values)))
}

/// Visits every node of a schema, with the steps to it.
pub fn walk<'s>(schema: &'s Schema, visit: &mut dyn FnMut(&[Step<&'s str>], &'s Schema)) {
    fn go<'s>(node: &'s Schema, steps: &mut Vec<Step<&'s str>>, visit: &mut dyn FnMut(&[Step<&'s str>], &'s Schema)) {
        visit(steps, node);
        for (step, below) in below(node) {
            steps.push(step);
            go(below, steps, visit);
            steps.pop();
        }
    }
    go(schema, &mut Vec::new(), visit);
}

/// A node of a schema, and what another schema has at the same path.
#[derive(Clone, Copy, Debug)]
pub enum Counterpart<'s> {
    Node(&'s Schema),
    /// No such field in this node.
    NoField(&'s Schema),
}

/// What a walk over two schemas does with the steps to a node, the node and its counterpart.
pub type VisitBoth<'v, 's> = dyn FnMut(&[Step<&'s str>], &'s Schema, Counterpart<'s>) + 'v;

/// Visits the nodes of a schema with their counterparts. What is below a node without a counterpart is left out, and so
/// are items and values that the other schema does not have.
pub fn walk_together<'s>(schema: &'s Schema, other: &'s Schema, visit: &mut VisitBoth<'_, 's>) {
    fn go<'s>([node, other]: [&'s Schema; 2], steps: &mut Vec<Step<&'s str>>, visit: &mut VisitBoth<'_, 's>) {
        visit(steps, node, Counterpart::Node(other));
        for (step, below) in below(node) {
            steps.push(step);
            match (step.below(other), step) {
                (Some(other), _) => go([below, other], steps, visit),
                (None, Step::Field(_)) => visit(steps, below, Counterpart::NoField(other)),
                (None, Step::Item | Step::Value) => {}
            }
            steps.pop();
        }
    }
    go([schema, other], &mut Vec::new(), visit);
}

/// Whether a server keeps the fields that a node does not list.
pub fn keeps_unknown(node: &Schema) -> bool {
    node.preserve_unknown_fields == Some(true) || node.additional_properties.is_some()
}

/// The paths of the fields of a schema that another one neither has nor keeps, as findings have them.
pub fn missing_fields(known: &Schema, schema: &Schema) -> Vec<String> {
    let mut found = Vec::new();
    walk_together(schema, known, &mut |path, _, known| {
        let is_missing = matches!(known, Counterpart::NoField(above) if !keeps_unknown(above));
        found.extend(is_missing.then(|| text(path)));
    });
    found
}

/// Every node of a schema with its path, the schema itself first.
pub fn nodes(schema: &Schema) -> Vec<(SchemaPath, &Schema)> {
    let mut found = Vec::new();
    walk(schema, &mut |steps, node| found.push((steps.into(), node)));
    found
}

impl Schema {
    /// The node and all nodes below it.
    pub fn all_nodes(&self) -> impl Iterator<Item = &Self> {
        let mut open = vec![self];
        std::iter::from_fn(move || {
            let node = open.pop()?;
            let (properties, below) =
                (node.properties.values(), node.items.as_deref().into_iter().chain(node.values()));
            let first = open.len();
            open.extend(properties.chain(below));
            open[first..].reverse();
            Some(node)
        })
    }

    /// The branches of a node: `allOf`, `anyOf`, `oneOf` and `not`.
    pub fn branches(&self) -> impl Iterator<Item = &Self> {
        self.all_of.iter().chain(&self.any_of).chain(&self.one_of).chain(self.not.as_deref())
    }

    /// The nodes directly below the node, to be changed.
    pub fn below_mut(&mut self) -> impl Iterator<Item = &mut Self> {
        let Self { properties, items, additional_properties, .. } = self;
        let values = match additional_properties {
            Some(AdditionalProperties::Values(values)) => Some(&mut **values),
            _ => None,
        };
        properties.values_mut().chain(items.as_deref_mut()).chain(values)
    }

    /// Changes the node and all nodes below it, those of branches included.
    pub fn each_mut(&mut self, change: &mut dyn FnMut(&mut Self)) {
        change(self);
        let Self { all_of, any_of, one_of, not, .. } = self;
        for branch in all_of.iter_mut().chain(any_of).chain(one_of).chain(not.as_deref_mut()) {
            branch.each_mut(change);
        }
        self.below_mut().for_each(|below| below.each_mut(change));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Schema {
        Schema::from_value(&json!({
            "type": "object",
            "properties": {
                "map": { "additionalProperties": { "properties": { "x": { "type": "string" } } } },
                "list": { "items": { "items": { "anyOf": [{ "type": "integer" }] } } },
            },
        }))
        .unwrap()
    }

    #[test]
    fn every_node_has_one_path() {
        let schema = schema();
        let paths = nodes(&schema).into_iter().map(|(path, node)| {
            assert_eq!(path.node(&schema), Some(node));
            path.to_string()
        });
        let expected = ["(root)", "list", "list[*]", "list[*][*]", "map", "map[*]", "map[*].x"];
        assert_eq!(paths.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn walks_have_the_same_order() {
        let schema = schema();
        let nodes = nodes(&schema).into_iter().map(|(_, node)| std::ptr::from_ref(node)).collect::<Vec<_>>();
        assert_eq!(schema.all_nodes().map(std::ptr::from_ref).collect::<Vec<_>>(), nodes);
    }

    #[test]
    fn branches_are_changed_and_not_walked() {
        let mut schema = schema();
        let mut count = 0;
        schema.each_mut(&mut |_| count += 1);
        assert_eq!((count, schema.all_nodes().count()), (8, 7));
    }

    #[test]
    fn a_walk_together_ends_where_a_field_is_missing() {
        let other = json!({ "properties": { "map": { "additionalProperties": {} }, "more": {} } });
        let (schema, other) = (schema(), Schema::from_value(&other).unwrap());
        let mut found = Vec::new();
        walk_together(&schema, &other, &mut |steps, _, counterpart| {
            found.push((text(steps), matches!(counterpart, Counterpart::Node(_))));
        });
        let expected = [("", true), ("list", false), ("map", true), ("map[*]", true), ("map[*].x", false)];
        assert_eq!(found, expected.map(|(path, has)| (path.to_owned(), has)));
        assert_eq!(missing_fields(&other, &schema), ["list", "map[*].x"]);
    }
}
