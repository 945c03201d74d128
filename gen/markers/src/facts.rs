//! Facts about types for the assertions that the macro writes, available in constant evaluation.
//!
//! Invariants: facts of a struct name its fields but do not hold the facts of their types, so that a recursive type has facts.

pub use crate::fit::Kind;
use crate::text::same;

/// Facts of a type.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// What it is on the wire.
    pub kind: Kind,
    /// The smallest and largest integer of the Rust type.
    pub range: Option<(i128, i128)>,
    /// Bounds that newtypes put on it.
    pub bounds: Bounds,
    /// The legal strings of a closed enum.
    pub values: Option<&'static [&'static str]>,
    /// Facts of the items of a list.
    pub items: Option<&'static Facts>,
    /// The fields of a struct.
    pub fields: &'static [FieldFact],
    /// Facts of the structs and the map whose fields stand in this one.
    pub flattened: &'static [&'static Facts],
}

/// Facts about a field.
#[derive(Clone, Copy, Debug)]
pub struct FieldFact {
    /// The wire name.
    pub name: &'static str,
    /// What it is on the wire.
    pub kind: Kind,
    /// Whether it must be present.
    pub required: bool,
}

/// Lower and upper bounds of all kinds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// `minimum` and `maximum`
    pub value: (Option<f64>, Option<f64>),
    /// `minLength` and `maxLength`
    pub length: (Option<i64>, Option<i64>),
    /// `minItems` and `maxItems`
    pub items: (Option<i64>, Option<i64>),
    /// `minProperties` and `maxProperties`
    pub properties: (Option<i64>, Option<i64>),
}

impl Bounds {
    /// No bounds.
    pub const NONE: Bounds =
        Bounds { value: (None, None), length: (None, None), items: (None, None), properties: (None, None) };

    /// The narrower of both on each side.
    pub const fn within(self, outer: Bounds) -> Bounds {
        Bounds {
            value: (larger_number(self.value.0, outer.value.0), smaller_number(self.value.1, outer.value.1)),
            length: (larger(self.length.0, outer.length.0), smaller(self.length.1, outer.length.1)),
            items: (larger(self.items.0, outer.items.0), smaller(self.items.1, outer.items.1)),
            properties: (larger(self.properties.0, outer.properties.0), smaller(self.properties.1, outer.properties.1)),
        }
    }
}

// Generic code over numbers is not constant.
macro_rules! narrower {
    ($name:ident, $number:ty, $left_wins:tt) => {
        const fn $name(left: Option<$number>, right: Option<$number>) -> Option<$number> {
            match (left, right) {
                (Some(left), Some(right)) => Some(if left $left_wins right { left } else { right }),
                (Some(one), None) | (None, Some(one)) => Some(one),
                (None, None) => None,
            }
        }
    };
}

narrower!(larger, i64, >);
narrower!(smaller, i64, <);
narrower!(larger_number, f64, >);
narrower!(smaller_number, f64, <);

impl Facts {
    /// Facts of something of which only the kind is known.
    pub const fn of(kind: Kind) -> Facts {
        Facts { kind, range: None, bounds: Bounds::NONE, values: None, items: None, fields: &[], flattened: &[] }
    }

    /// The same with the range of an integer type.
    pub const fn integer(smallest: i128, largest: i128) -> Facts {
        Facts { range: Some((smallest, largest)), ..Facts::of(Kind::Integer) }
    }

    /// The same within further bounds: what a newtype with markers makes of it.
    pub const fn bounded(self, bounds: Bounds) -> Facts {
        Facts { bounds: self.bounds.within(bounds), ..self }
    }

    /// The same with only these strings.
    pub const fn with_values(self, values: &'static [&'static str]) -> Facts {
        Facts { values: Some(values), ..self }
    }

    /// The field of that wire name, also in flattened structs.
    pub const fn field(&self, name: &str) -> Option<FieldFact> {
        let mut index = 0;
        while index < self.fields.len() {
            if same(self.fields[index].name, name) {
                return Some(self.fields[index]);
            }
            index += 1;
        }
        let mut index = 0;
        while index < self.flattened.len() {
            if let Some(found) = self.flattened[index].field(name) {
                return Some(found);
            }
            index += 1;
        }
        None
    }

    /// Whether it takes fields of any name when it is flattened: a map, or a struct with a flattened map.
    pub const fn keeps_unknown_fields(&self) -> bool {
        let mut index = 0;
        while index < self.flattened.len() {
            if self.flattened[index].keeps_unknown_fields() {
                return true;
            }
            index += 1;
        }
        matches!(self.kind, Kind::Map)
    }

    /// How many fields are always there, also in flattened structs.
    pub const fn required_fields(&self) -> usize {
        let mut count = 0;
        let mut index = 0;
        while index < self.fields.len() {
            count += self.fields[index].required as usize;
            index += 1;
        }
        let mut index = 0;
        while index < self.flattened.len() {
            count += self.flattened[index].required_fields();
            index += 1;
        }
        count
    }
}
