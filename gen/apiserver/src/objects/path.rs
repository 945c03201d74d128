//! Where a walk over an object is.
//!
//! Invariants: a path borrows the names of the object; text is made only for an error. The server writes paths in two ways: structural
//! errors have dots before all names, all other errors have keys of maps in brackets.

use std::fmt::Write as _;

/// One step from a value to a value in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// To the field or key of this name.
    Field(String),
    /// To the item of a list, counted from 0.
    Item(usize),
}

#[derive(Clone, Copy, Debug)]
enum Segment<'v> {
    /// A field that the schema names.
    Field(&'v str),
    /// A key of a map.
    Key(&'v str),
    Item(usize),
}

/// The steps from the root.
#[derive(Clone, Debug, Default)]
pub(super) struct Path<'v>(Vec<Segment<'v>>);

impl<'v> Path<'v> {
    pub(super) fn root() -> Self {
        Self::default()
    }

    pub(super) fn field(mut self, name: &'v str) -> Self {
        self.0.push(Segment::Field(name));
        self
    }

    pub(super) fn push_field(&mut self, name: &'v str) {
        self.0.push(Segment::Field(name));
    }

    pub(super) fn push_key(&mut self, name: &'v str) {
        self.0.push(Segment::Key(name));
    }

    pub(super) fn push_item(&mut self, index: usize) {
        self.0.push(Segment::Item(index));
    }

    pub(super) fn pop(&mut self) {
        self.0.pop();
    }

    pub(super) fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn steps(&self) -> Vec<Step> {
        let step = |segment: &Segment<'v>| match *segment {
            Segment::Field(name) | Segment::Key(name) => Step::Field(name.to_owned()),
            Segment::Item(index) => Step::Item(index),
        };
        self.0.iter().map(step).collect()
    }

    /// The path in messages of structural errors: `spec.map.key[0]`. A key of a map at the root begins with a dot.
    pub(super) fn dotted(&self) -> String {
        let mut text = String::new();
        for (index, segment) in self.0.iter().enumerate() {
            // Writing to a String cannot fail.
            let _ = match segment {
                Segment::Field(name) if index == 0 => write!(text, "{name}"),
                Segment::Field(name) | Segment::Key(name) => write!(text, ".{name}"),
                Segment::Item(item) => write!(text, "[{item}]"),
            };
        }
        text
    }

    /// The path of all other errors: `spec.map[key][0]`.
    pub(super) fn bracketed(&self) -> String {
        let mut text = String::new();
        for (index, segment) in self.0.iter().enumerate() {
            let _ = match segment {
                Segment::Field(name) if index == 0 => write!(text, "{name}"),
                Segment::Field(name) => write!(text, ".{name}"),
                Segment::Key(name) => write!(text, "[{name}]"),
                Segment::Item(item) => write!(text, "[{item}]"),
            };
        }
        text
    }
}
