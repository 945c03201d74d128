//! The types of values in expressions, as the API server's type checker (cel-go) has them.
//!
//! Invariants: a type that cannot be decided is [`Type::Unknown`] and is accepted everywhere, so a mismatch is always one that a server
//! refuses. Comparing two types takes a bounded number of steps, however deep the literals of a rule are nested.

use std::rc::Rc;

use super::functions::{ORDERED_SCALARS, Overload, Scalar, Shape};
use crd_model::schema::Schema;

/// How many lists, maps and optional values can be nested before the innermost type becomes unknown.
const NESTING_LIMIT: u8 = 32;
/// The same for the keys of maps. A comparison of two maps compares keys and values, so it would double with each level.
const KEY_NESTING_LIMIT: u8 = 8;

/// The index of a path in the inference: where a value is in the object that the rule belongs to.
pub(super) type PathId = u32;

/// The type of a part of the expression.
#[derive(Clone, Debug)]
pub(super) enum Type<'n> {
    /// It cannot be decided here.
    Unknown,
    /// It can be anything, to the server too: `dyn(…)`, `x-kubernetes-int-or-string`.
    Dynamic,
    /// Any type that the context expects: an item of `[]`, the content of `optional.none()`, a part with a problem.
    Unconstrained,
    /// A value without parts.
    Scalar(Scalar),
    /// An object with the properties of a schema. Two objects have the same type where they have the same schema node.
    Object {
        /// The schema.
        schema: &'n Schema,
        /// Whether it is the root of a resource, embedded or not.
        resource: bool,
        /// Where it is.
        path: PathId,
    },
    /// The `metadata` of a resource: `name` and `generateName`.
    ResourceMetadata {
        /// Where it is.
        path: PathId,
    },
    /// The type of the items, and the nesting.
    List(Rc<Type<'n>>, u8),
    /// The types of keys and values, and the nesting.
    Map(Rc<(Type<'n>, Type<'n>)>, u8),
    /// The type of the content, and the nesting.
    Optional(Rc<Type<'n>>, u8),
}

use Type::{Dynamic, Unconstrained, Unknown};

pub(super) const BOOLEAN: Type<'static> = Type::Scalar(Scalar::Boolean);
pub(super) const INTEGER: Type<'static> = Type::Scalar(Scalar::Integer);
pub(super) const TEXT: Type<'static> = Type::Scalar(Scalar::Text);

impl<'n> Type<'n> {
    fn depth(&self) -> u8 {
        match self {
            Self::List(_, depth) | Self::Map(_, depth) | Self::Optional(_, depth) => *depth,
            _ => 0,
        }
    }

    /// The type as a part of another type: unknown where it is nested too deeply.
    fn within(self, limit: u8) -> Self {
        if self.depth() < limit { self } else { Unknown }
    }

    /// A list of these items.
    pub(super) fn list(items: Self) -> Self {
        let items = items.within(NESTING_LIMIT);
        let depth = items.depth() + 1;
        Self::List(Rc::new(items), depth)
    }

    /// A map of these keys and values.
    pub(super) fn map(keys: Self, values: Self) -> Self {
        let (keys, values) = (keys.within(KEY_NESTING_LIMIT), values.within(NESTING_LIMIT));
        let depth = keys.depth().max(values.depth()) + 1;
        Self::Map(Rc::new((keys, values)), depth)
    }

    /// An optional value.
    pub(super) fn optional(of: Self) -> Self {
        let of = of.within(NESTING_LIMIT);
        let depth = of.depth() + 1;
        Self::Optional(Rc::new(of), depth)
    }

    /// The type of a value that has one of the two types; nothing where the server refuses to mix them.
    pub(super) fn joined(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Unknown | Dynamic, _) | (_, Unknown | Dynamic) => Some(Unknown),
            (Unconstrained, known) | (known, Unconstrained) => Some(known.clone()),
            (Self::Scalar(Scalar::Null), Self::Scalar(Scalar::Null)) => Some(self.clone()),
            (Self::Scalar(Scalar::Null), known) | (known, Self::Scalar(Scalar::Null)) => {
                known.can_be_null().then(|| known.clone())
            }
            (Self::Scalar(one), Self::Scalar(other)) => (one == other).then(|| self.clone()),
            (Self::Object { schema: one, .. }, Self::Object { schema: other, .. }) => {
                std::ptr::eq(*one, *other).then(|| self.clone())
            }
            (Self::ResourceMetadata { .. }, Self::ResourceMetadata { .. }) => Some(self.clone()),
            (Self::List(one, _), Self::List(other, _)) => Some(Self::list(one.joined(other)?)),
            (Self::Map(one, _), Self::Map(other, _)) => {
                Some(Self::map(one.0.joined(&other.0)?, one.1.joined(&other.1)?))
            }
            (Self::Optional(one, _), Self::Optional(other, _)) => Some(Self::optional(one.joined(other)?)),
            _ => None,
        }
    }

    /// Whether nothing is known about the type.
    pub(super) fn is_open(&self) -> bool {
        matches!(self, Unknown | Dynamic | Unconstrained)
    }

    /// Whether a part of the type is what the context expects.
    pub(super) fn is_unsettled(&self) -> bool {
        match self {
            Unconstrained => true,
            Self::List(items, _) => items.is_unsettled(),
            Self::Optional(of, _) => of.is_unsettled(),
            Self::Map(entries, _) => entries.0.is_unsettled() || entries.1.is_unsettled(),
            _ => false,
        }
    }

    /// Whether null is accepted where this type is expected.
    pub(super) fn can_be_null(&self) -> bool {
        match self {
            Self::Scalar(scalar) => scalar.can_be_null(),
            Self::List(..) | Self::Map(..) => false,
            _ => true,
        }
    }

    /// Whether the value is, or can be, of this type.
    pub(super) fn may_be(&self, wanted: Scalar) -> bool {
        match self {
            Unknown | Dynamic | Unconstrained => true,
            Self::Scalar(scalar) => *scalar == wanted,
            _ => false,
        }
    }

    /// One value of this type, in words.
    pub(super) fn one(&self) -> String {
        match self {
            Unknown | Dynamic | Unconstrained => "a value of any type".to_owned(),
            Self::Scalar(scalar) => scalar.one().to_owned(),
            Self::Object { .. } | Self::ResourceMetadata { .. } => "an object".to_owned(),
            Self::List(items, _) => format!("a list of {}", items.several()),
            Self::Map(entries, _) => format!("a map of {}", entries.1.several()),
            Self::Optional(of, _) => format!("an optional value ({})", of.one()),
        }
    }

    /// Several values of this type, in words.
    fn several(&self) -> &'static str {
        match self {
            Unknown | Dynamic | Unconstrained => "values of any type",
            Self::Scalar(scalar) => scalar.several(),
            Self::Object { .. } | Self::ResourceMetadata { .. } => "objects",
            Self::List(..) => "lists",
            Self::Map(..) => "maps",
            Self::Optional(..) => "optional values",
        }
    }

    /// Whether a function accepts this type for the shape. Binds the function's type parameters.
    pub(super) fn fits(&self, shape: Shape, parameters: &mut [Option<Self>; 2]) -> bool {
        match (shape, self) {
            (Shape::Dynamic, _) => true,
            (Shape::Parameter(index), _) => self.binds(index, parameters),
            (Shape::OneOf(index, allowed), Self::Scalar(scalar)) => {
                allowed.contains(scalar) && self.binds(index, parameters)
            }
            (Shape::OneOf(index, _), Unknown | Dynamic | Unconstrained) => self.binds(index, parameters),
            (_, Unknown | Dynamic | Unconstrained) => true,
            (Shape::Scalar(wanted), Self::Scalar(Scalar::Null)) => wanted.can_be_null(),
            (Shape::Scalar(wanted), Self::Scalar(scalar)) => wanted == *scalar,
            (Shape::List(wanted), Self::List(items, _)) => items.fits(*wanted, parameters),
            (Shape::Map(keys, values), Self::Map(entries, _)) => {
                entries.0.fits(*keys, parameters) && entries.1.fits(*values, parameters)
            }
            (Shape::Optional(wanted), Self::Optional(of, _)) => of.fits(*wanted, parameters),
            (Shape::Optional(_), Self::Scalar(Scalar::Null)) => true,
            _ => false,
        }
    }

    fn binds(&self, index: usize, parameters: &mut [Option<Self>; 2]) -> bool {
        let joined = match &parameters[index] {
            None => Some(self.clone()),
            Some(bound) => bound.joined(self),
        };
        let fits = joined.is_some();
        if fits {
            parameters[index] = joined;
        }
        fits
    }

    /// The result of a function, with its type parameters bound.
    fn result(shape: Shape, parameters: &[Option<Self>; 2]) -> Self {
        match shape {
            Shape::Dynamic => Unknown,
            Shape::Scalar(scalar) => Self::Scalar(scalar),
            // An argument of any type leaves the parameter to the context.
            Shape::Parameter(index) => parameters[index].clone().unwrap_or(Unconstrained),
            Shape::OneOf(index, _) => parameters[index].clone().unwrap_or(Unknown),
            // To the server these are several functions, and it is not known which one is called.
            Shape::List(Shape::OneOf(index, _)) if parameters[*index].as_ref().is_none_or(Self::is_open) => Unknown,
            Shape::List(items) => Self::list(Self::result(*items, parameters)),
            Shape::Map(keys, values) => Self::map(Self::result(*keys, parameters), Self::result(*values, parameters)),
            Shape::Optional(of) => Self::optional(Self::result(*of, parameters)),
        }
    }
}

/// Whether `<` compares the two: any numbers, or two values of the same ordered type.
pub(super) fn are_ordered(left: &Type<'_>, right: &Type<'_>) -> bool {
    let is_number = |scalar: Scalar| matches!(scalar, Scalar::Integer | Scalar::Unsigned | Scalar::Double);
    match (left, right) {
        (one, other) if one.is_open() && other.is_open() => true,
        (Type::Scalar(known), open) | (open, Type::Scalar(known)) if open.is_open() => {
            ORDERED_SCALARS.contains(known) || *known == Scalar::Null
        }
        (Type::Scalar(one), Type::Scalar(other)) => {
            is_number(*one) && is_number(*other)
                || one == other && ORDERED_SCALARS.contains(one)
                || *one == Scalar::Null && other.can_be_null()
                || *other == Scalar::Null && one.can_be_null()
        }
        _ => false,
    }
}

/// Whether an operator that expects this type accepts the value.
pub(super) fn takes(wanted: Scalar, actual: &Type<'_>) -> bool {
    actual.may_be(wanted) || wanted.can_be_null() && actual.may_be(Scalar::Null)
}

/// The result of an overload, if it accepts arguments of these types.
pub(super) fn of_overload<'n>(overload: &Overload, is_method: bool, actual: &[Type<'n>]) -> Option<Type<'n>> {
    if overload.is_method != is_method || overload.takes.len() != actual.len() {
        return None;
    }
    let mut parameters = [None, None];
    let fits = overload.takes.iter().zip(actual).all(|(shape, actual)| actual.fits(*shape, &mut parameters));
    fits.then(|| Type::result(overload.gives, &parameters))
}
