//! The path from the root of an object to a value in it.
//!
//! Invariants: a path is a list on the stack that borrows the names of the object, so that a walk allocates nothing; text is made only for
//! an error. The server writes paths in two ways: structural errors have dots before all names, all other errors have keys of maps in
//! brackets.

use std::fmt::{self, Write as _};

use crd_model::path::Step;
use crd_model::schema::{AdditionalProperties, Schema};
use serde_json::Value;

/// A keyword that combines schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Combinator {
    /// `allOf`
    AllOf,
    /// `anyOf`
    AnyOf,
    /// `oneOf`
    OneOf,
    /// `not`
    Not,
}

/// A branch on the way to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Branch {
    /// How many steps lead to the node that has the branch.
    pub depth: usize,
    /// The keyword.
    pub combinator: Combinator,
    /// The index among the branches of the keyword.
    pub index: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Segment<'v> {
    /// A field that the schema names.
    Field(&'v str),
    /// A key of a map.
    Key(&'v str),
    Item(usize),
    /// To the same value, as a branch of the node describes it.
    Branch(Combinator, usize),
}

/// The last segment and the path before it; nothing at the root.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path<'p, 'v>(Option<(&'p Path<'p, 'v>, Segment<'v>)>);

impl<'v> Path<'_, 'v> {
    pub(crate) const ROOT: Path<'static, 'static> = Path(None);

    pub(crate) fn below<'c>(&'c self, segment: Segment<'v>) -> Path<'c, 'v> {
        Path(Some((self, segment)))
    }

    pub(crate) fn field<'c>(&'c self, name: &'v str) -> Path<'c, 'v> {
        self.below(Segment::Field(name))
    }

    pub(crate) fn key<'c>(&'c self, name: &'v str) -> Path<'c, 'v> {
        self.below(Segment::Key(name))
    }

    pub(crate) fn item<'c>(&'c self, index: usize) -> Path<'c, 'v> {
        self.below(Segment::Item(index))
    }

    pub(crate) fn is_root(&self) -> bool {
        match self.0 {
            Some((before, Segment::Branch(..))) => before.is_root(),
            found => found.is_none(),
        }
    }

    /// The segments, to keep them longer than the walk is here.
    pub(crate) fn trail(&self) -> Trail<'v> {
        let mut segments = Vec::new();
        let mut at = self;
        while let Some((before, segment)) = at.0 {
            segments.push(segment);
            at = before;
        }
        segments.reverse();
        Trail(segments)
    }
}

/// The segments of a path.
#[derive(Clone, Debug)]
pub(crate) struct Trail<'v>(Vec<Segment<'v>>);

impl Trail<'_> {
    pub(crate) fn steps(&self) -> Vec<Step> {
        let step = |segment: &Segment<'_>| match *segment {
            Segment::Field(name) | Segment::Key(name) => Some(Step::Field(name.to_owned())),
            Segment::Item(index) => Some(Step::Item(index)),
            Segment::Branch(..) => None,
        };
        self.0.iter().filter_map(step).collect()
    }

    /// The branches on the way.
    pub(crate) fn branches(&self) -> Vec<Branch> {
        let mut depth = 0;
        let mut branches = Vec::new();
        for segment in &self.0 {
            match *segment {
                Segment::Branch(combinator, index) => branches.push(Branch { depth, combinator, index }),
                _ => depth += 1,
            }
        }
        branches
    }

    /// The path in messages of structural errors: `spec.map.key[0]`. A key of a map at the root begins with a dot.
    pub(crate) fn dotted(&self) -> String {
        self.text(|text, name| write!(text, ".{name}"))
    }

    /// The path of all other errors: `spec.map[key][0]`.
    pub(crate) fn bracketed(&self) -> String {
        self.text(|text, name| write!(text, "[{name}]"))
    }

    fn text(&self, write_key: fn(&mut String, &str) -> fmt::Result) -> String {
        let mut text = String::new();
        let steps = self.0.iter().filter(|segment| !matches!(segment, Segment::Branch(..)));
        for (index, segment) in steps.enumerate() {
            // Writing to a String cannot fail.
            let _ = match segment {
                Segment::Branch(..) => Ok(()),
                Segment::Field(name) if index == 0 => write!(text, "{name}"),
                Segment::Field(name) => write!(text, ".{name}"),
                Segment::Key(name) => write_key(&mut text, name),
                Segment::Item(item) => write!(text, "[{item}]"),
            };
        }
        text
    }
}

/// Visits a value, and then the values in it that the schema describes.
pub(crate) fn visit<'v>(
    schema: &'v Schema,
    value: &'v Value,
    path: &Path<'_, 'v>,
    visitor: &mut impl FnMut(&'v Schema, &'v Value, &Path<'_, 'v>),
) {
    visitor(schema, value, path);
    match value {
        Value::Object(object) => {
            for (name, member) in object {
                match (schema.properties.get(name), &schema.additional_properties) {
                    (Some(property), _) => visit(property, member, &path.field(name), visitor),
                    (None, Some(AdditionalProperties::Values(values))) => {
                        visit(values, member, &path.key(name), visitor);
                    }
                    (None, _) => {}
                }
            }
        }
        Value::Array(items) => {
            let Some(below) = &schema.items else { return };
            for (index, item) in items.iter().enumerate() {
                visit(below, item, &path.item(index), visitor);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
