//! Both sides of every constraint: for each constraint of a schema an object that just satisfies it, and one that just breaks it.
//!
//! Knows nothing of `crd-markers`, `crd-diagnostics`, `crd-inclusion` or `crd-compat`.
//!
//! It is a crate of its own because `generate` needs no objects. The testbed sends these objects to a real API server, `crd-compat` searches
//! for an object that one schema accepts and the other rejects, and conversions are checked with generated objects. No subcommand runs a
//! search on user input.
//!
//! [`constraints`] has one entry for each constraint of a node on its own value: `type`, bounds, lengths, counts,
//! `pattern`, `format`, `enum`, each name in `required`, the keys of a list of type map, the items of a set, and each `anyOf`, `oneOf` and
//! `not` as a whole. CEL rules are not constraints, and are not evaluated here: the caller of [`Search`] decides whether an object is
//! accepted, and the search continues with another object if it is not.
//!
//! Invariants: every checked object is valid for our own validator, and every outside object breaks this constraint. The outside
//! object differs from the accepted inside object in this one node. The same input produces the same objects, in the same order.
#![deny(missing_docs)]

mod edges;
mod narrowed;
mod object_paths;
mod search;
#[cfg(test)]
mod tests;
mod texts;
mod values;
mod variety;

use std::fmt;

use crd_model::schema::{AdditionalProperties, Schema, SchemaPath, Text, below};

pub use object_paths::{ObjectStep, show_object_path};
pub use search::{AcceptedObject, Boundary, Search, Unreached};
pub use values::size;
pub use variety::Dice;

/// One requirement of a node of a schema on its value.
#[derive(Clone, Debug)]
pub struct Constraint<'s> {
    /// The path of the value.
    pub path: SchemaPath,
    /// The keyword.
    pub keyword: Keyword,
    /// The node with the keyword: the one at that path, or a part of its `allOf`.
    pub node: &'s Schema,
}

impl fmt::Display for Constraint<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.path, self.keyword)
    }
}

/// The keyword of a constraint.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Keyword {
    /// `type`, or `x-kubernetes-int-or-string`
    Type,
    /// `enum`
    Enum,
    /// `format`
    Format,
    /// `pattern`
    Pattern,
    /// `minimum`, with `exclusiveMinimum`
    Minimum,
    /// `maximum`, with `exclusiveMaximum`
    Maximum,
    /// `multipleOf`
    MultipleOf,
    /// `minLength`
    MinLength,
    /// `maxLength`
    MaxLength,
    /// `minItems`
    MinItems,
    /// `maxItems`
    MaxItems,
    /// `uniqueItems`
    UniqueItems,
    /// `minProperties`
    MinProperties,
    /// `maxProperties`
    MaxProperties,
    /// One name in `required`.
    Required(Text),
    /// `additionalProperties: false`
    AdditionalProperties,
    /// `x-kubernetes-list-type: map`
    ListMapKeys,
    /// `x-kubernetes-list-type: set`
    ListSet,
    /// `anyOf`
    AnyOf,
    /// `oneOf`
    OneOf,
    /// `not`
    Not,
}

impl fmt::Display for Keyword {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Keyword::Type => "type",
            Keyword::Enum => "enum",
            Keyword::Format => "format",
            Keyword::Pattern => "pattern",
            Keyword::Minimum => "minimum",
            Keyword::Maximum => "maximum",
            Keyword::MultipleOf => "multipleOf",
            Keyword::MinLength => "minLength",
            Keyword::MaxLength => "maxLength",
            Keyword::MinItems => "minItems",
            Keyword::MaxItems => "maxItems",
            Keyword::UniqueItems => "uniqueItems",
            Keyword::MinProperties => "minProperties",
            Keyword::MaxProperties => "maxProperties",
            Keyword::Required(name) => return write!(formatter, "required {name}"),
            Keyword::AdditionalProperties => "additionalProperties",
            Keyword::ListMapKeys => "x-kubernetes-list-map-keys",
            Keyword::ListSet => "x-kubernetes-list-type: set",
            Keyword::AnyOf => "anyOf",
            Keyword::OneOf => "oneOf",
            Keyword::Not => "not",
        };
        formatter.write_str(name)
    }
}

/// Every leaf constraint of a schema, a node before those below it.
pub fn constraints(schema: &Schema) -> Vec<Constraint<'_>> {
    let mut found = Vec::new();
    collect(schema, &SchemaPath::root(), &mut found);
    found
}

fn collect<'s>(node: &'s Schema, path: &SchemaPath, found: &mut Vec<Constraint<'s>>) {
    found.extend(own(node).into_iter().map(|constraint| Constraint { path: path.clone(), ..constraint }));
    for part in &node.all_of {
        collect(part, path, found);
    }
    for (step, below) in below(node) {
        collect(below, &path.with(step.owned()), found);
    }
}

/// The constraints of a node on its own value, without the path.
fn own(node: &Schema) -> Vec<Constraint<'_>> {
    let keywords = keywords(node).into_iter();
    keywords.map(|keyword| Constraint { path: SchemaPath::root(), keyword, node }).collect()
}

/// The constraints of a node on its own value, without those of its `allOf`.
pub fn keywords(node: &Schema) -> Vec<Keyword> {
    let mut found = Vec::new();
    let mut add = |is_set: bool, keyword: Keyword| {
        if is_set {
            found.push(keyword);
        }
    };
    add(node.kind.as_deref().is_some_and(|kind| !kind.is_empty()) || node.int_or_string, Keyword::Type);
    add(node.enumeration.as_ref().is_some_and(|members| !members.is_empty()), Keyword::Enum);
    add(node.format.as_deref().is_some_and(|format| !format.is_empty()), Keyword::Format);
    add(node.pattern.as_deref().is_some_and(|pattern| !pattern.is_empty()), Keyword::Pattern);
    add(node.minimum.is_some(), Keyword::Minimum);
    add(node.maximum.is_some(), Keyword::Maximum);
    add(node.multiple_of.is_some(), Keyword::MultipleOf);
    add(node.min_length.is_some(), Keyword::MinLength);
    add(node.max_length.is_some(), Keyword::MaxLength);
    add(node.min_items.is_some(), Keyword::MinItems);
    add(node.max_items.is_some(), Keyword::MaxItems);
    add(node.unique_items, Keyword::UniqueItems);
    add(node.min_properties.is_some(), Keyword::MinProperties);
    add(node.max_properties.is_some(), Keyword::MaxProperties);
    for name in &node.required {
        add(true, Keyword::Required(name.clone()));
    }
    add(node.additional_properties == Some(AdditionalProperties::Allowed(false)), Keyword::AdditionalProperties);
    add(node.list_type.as_deref() == Some("map"), Keyword::ListMapKeys);
    add(node.list_type.as_deref() == Some("set"), Keyword::ListSet);
    add(!node.any_of.is_empty(), Keyword::AnyOf);
    add(!node.one_of.is_empty(), Keyword::OneOf);
    add(node.not.is_some(), Keyword::Not);
    found
}
