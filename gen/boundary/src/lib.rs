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

use crd_model::schema::{self, AdditionalProperties, Schema, SchemaPath, Text, below};

pub use object_paths::{ObjectStep, show_object_path};
pub use search::{AcceptedObject, Boundary, Search, Unreached};
pub use values::size;
pub use variety::Dice;

/// One requirement of a node of a schema on its value.
#[derive(Clone, Debug)]
pub struct Constraint<'s> {
    /// The path of the value.
    pub path: SchemaPath,
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

impl Keyword {
    /// The keyword of the schema that has the constraint.
    pub fn of_schema(&self) -> schema::Keyword {
        match self {
            Keyword::Type => schema::Keyword::Type,
            Keyword::Enum => schema::Keyword::Enum,
            Keyword::Format => schema::Keyword::Format,
            Keyword::Pattern => schema::Keyword::Pattern,
            Keyword::Minimum => schema::Keyword::Minimum,
            Keyword::Maximum => schema::Keyword::Maximum,
            Keyword::MultipleOf => schema::Keyword::MultipleOf,
            Keyword::MinLength => schema::Keyword::MinLength,
            Keyword::MaxLength => schema::Keyword::MaxLength,
            Keyword::MinItems => schema::Keyword::MinItems,
            Keyword::MaxItems => schema::Keyword::MaxItems,
            Keyword::UniqueItems => schema::Keyword::UniqueItems,
            Keyword::MinProperties => schema::Keyword::MinProperties,
            Keyword::MaxProperties => schema::Keyword::MaxProperties,
            Keyword::Required(_) => schema::Keyword::Required,
            Keyword::AdditionalProperties => schema::Keyword::AdditionalProperties,
            Keyword::ListMapKeys => schema::Keyword::ListMapKeys,
            Keyword::ListSet => schema::Keyword::ListType,
            Keyword::AnyOf => schema::Keyword::AnyOf,
            Keyword::OneOf => schema::Keyword::OneOf,
            Keyword::Not => schema::Keyword::Not,
        }
    }
}

impl fmt::Display for Keyword {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Keyword::Required(name) => write!(formatter, "required {name}"),
            Keyword::ListSet => formatter.write_str("x-kubernetes-list-type: set"),
            keyword => formatter.write_str(keyword.of_schema().name()),
        }
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

/// The constraints of a node on its own value, without those of its `allOf`, sorted.
pub fn keywords(node: &Schema) -> Vec<Keyword> {
    let mut found = node.required.iter().cloned().map(Keyword::Required).collect::<Vec<_>>();
    let has_text = |text: &Option<Text>| text.as_deref().is_some_and(|text| !text.is_empty());
    for keyword in schema::Keyword::ALL {
        let (is_set, keyword) = match keyword {
            schema::Keyword::Type => (has_text(&node.kind) || node.int_or_string, Keyword::Type),
            schema::Keyword::Enum => {
                (node.enumeration.as_ref().is_some_and(|members| !members.is_empty()), Keyword::Enum)
            }
            schema::Keyword::Format => (has_text(&node.format), Keyword::Format),
            schema::Keyword::Pattern => (has_text(&node.pattern), Keyword::Pattern),
            schema::Keyword::Minimum => (node.minimum.is_some(), Keyword::Minimum),
            schema::Keyword::Maximum => (node.maximum.is_some(), Keyword::Maximum),
            schema::Keyword::MultipleOf => (node.multiple_of.is_some(), Keyword::MultipleOf),
            schema::Keyword::MinLength => (node.min_length.is_some(), Keyword::MinLength),
            schema::Keyword::MaxLength => (node.max_length.is_some(), Keyword::MaxLength),
            schema::Keyword::MinItems => (node.min_items.is_some(), Keyword::MinItems),
            schema::Keyword::MaxItems => (node.max_items.is_some(), Keyword::MaxItems),
            schema::Keyword::UniqueItems => (node.unique_items, Keyword::UniqueItems),
            schema::Keyword::MinProperties => (node.min_properties.is_some(), Keyword::MinProperties),
            schema::Keyword::MaxProperties => (node.max_properties.is_some(), Keyword::MaxProperties),
            schema::Keyword::AdditionalProperties => {
                let is_closed = node.additional_properties == Some(AdditionalProperties::Allowed(false));
                (is_closed, Keyword::AdditionalProperties)
            }
            schema::Keyword::ListMapKeys => (node.list_type.as_deref() == Some("map"), Keyword::ListMapKeys),
            schema::Keyword::ListType => (node.list_type.as_deref() == Some("set"), Keyword::ListSet),
            schema::Keyword::AnyOf => (!node.any_of.is_empty(), Keyword::AnyOf),
            schema::Keyword::OneOf => (!node.one_of.is_empty(), Keyword::OneOf),
            schema::Keyword::Not => (node.not.is_some(), Keyword::Not),
            // Names of `required` are above, and parts of `allOf` and rules are asked by themselves. The remaining keywords refuse no value.
            schema::Keyword::Required
            | schema::Keyword::AllOf
            | schema::Keyword::Default
            | schema::Keyword::Description
            | schema::Keyword::EmbeddedResource
            | schema::Keyword::Example
            | schema::Keyword::ExclusiveMaximum
            | schema::Keyword::ExclusiveMinimum
            | schema::Keyword::ExternalDocs
            | schema::Keyword::Id
            | schema::Keyword::IntOrString
            | schema::Keyword::Items
            | schema::Keyword::MapType
            | schema::Keyword::Nullable
            | schema::Keyword::PreserveUnknownFields
            | schema::Keyword::Properties
            | schema::Keyword::Title
            | schema::Keyword::Validations => continue,
        };
        found.extend(is_set.then_some(keyword));
    }
    found.sort();
    found
}
