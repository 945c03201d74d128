//! The types of values in expressions, as the API server's type checker (cel-go) has them.
//!
//! Invariants: a part with a problem has the type [`Type::Error`], which is accepted everywhere, so that one mistake is reported once. Comparing
//! and resolving types takes a bounded number of steps, however deep the literals of a rule are nested; what is nested deeper is dynamic.

use std::rc::Rc;

use super::shapes::{Scalar, Shape};
use crd_model::schema::Schema;

/// How many lists, maps and optional values can be nested before the innermost type becomes dynamic. The parser of a server accepts no
/// literal that is nested deeper.
const NESTING_LIMIT: u8 = 250;
/// The same for the keys of maps. A comparison of two maps compares keys and values, so it would double with each level.
const KEY_NESTING_LIMIT: u8 = 8;
/// How many parts of types one comparison reads.
const WORK_LIMIT: u32 = 10_000;
/// How deep types are read, through variables.
const READ_LIMIT: u8 = u8::MAX;

/// The index of a path in the inference: where a value is in the object that the rule belongs to.
pub(super) type PathId = u32;
/// The index of a type that is not decided yet.
pub(super) type Variable = u32;

/// The type of a part of the expression.
#[derive(Clone, Debug)]
pub(super) enum Type<'n> {
    /// A part with a problem.
    Error,
    /// It can be anything: `dyn(…)`, `x-kubernetes-int-or-string`.
    Dynamic,
    /// What the context expects: an item of `[]`, the content of `optional.none()`.
    Variable(Variable),
    /// A value without parts.
    Scalar(Scalar),
    /// A type, which is a value: `int`, `type(…)`. The type of all types has no type in it.
    Name(Option<Rc<Type<'n>>>),
    /// An object with the properties of a schema. Two objects have the same type where they have the same schema node.
    Object {
        schema: &'n Schema,
        /// Whether it is the root of a resource, embedded or not.
        resource: bool,
        path: PathId,
    },
    /// The `metadata` of a resource: `name` and `generateName`.
    ResourceMetadata { path: PathId },
    /// The type of the items, and the nesting.
    List(Rc<Type<'n>>, u8),
    /// The types of keys and values, and the nesting.
    Map(Rc<(Type<'n>, Type<'n>)>, u8),
    /// The type of the content, and the nesting.
    Optional(Rc<Type<'n>>, u8),
}

use Type::{Dynamic, Error};

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

    /// The type as a part of another type: dynamic where it is nested too deeply.
    fn within(self, limit: u8) -> Self {
        if self.depth() < limit { self } else { Dynamic }
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

    pub(super) fn optional(of: Self) -> Self {
        let of = of.within(NESTING_LIMIT);
        let depth = of.depth() + 1;
        Self::Optional(Rc::new(of), depth)
    }

    /// Whether null is accepted where this type is expected.
    fn can_be_null(&self) -> bool {
        match self {
            Self::Scalar(scalar) => scalar.can_be_null(),
            Self::List(..) | Self::Map(..) | Self::Name(_) => false,
            _ => true,
        }
    }

    /// One value of this type, in words.
    pub(super) fn one(&self) -> String {
        match self {
            Error | Dynamic | Self::Variable(_) => "a value of any type".to_owned(),
            Self::Scalar(scalar) => scalar.words().0.to_owned(),
            Self::Name(_) => "a type".to_owned(),
            Self::Object { .. } | Self::ResourceMetadata { .. } => "an object".to_owned(),
            Self::List(items, _) => format!("a list of {}", items.several()),
            Self::Map(entries, _) => format!("a map of {}", entries.1.several()),
            Self::Optional(of, _) => format!("an optional value ({})", of.one()),
        }
    }

    /// Several values of this type, in words.
    fn several(&self) -> &'static str {
        match self {
            Error | Dynamic | Self::Variable(_) => "values of any type",
            Self::Scalar(scalar) => scalar.words().1,
            Self::Name(_) => "types",
            Self::Object { .. } | Self::ResourceMetadata { .. } => "objects",
            Self::List(..) => "lists",
            Self::Map(..) => "maps",
            Self::Optional(..) => "optional values",
        }
    }

    /// Whether both are the same type. Variables have been replaced.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Error, Error) | (Dynamic, Dynamic) | (Self::ResourceMetadata { .. }, Self::ResourceMetadata { .. }) => {
                true
            }
            (Self::Variable(one), Self::Variable(other)) => one == other,
            (Self::Scalar(one), Self::Scalar(other)) => one == other,
            (Self::Name(one), Self::Name(other)) => match (one, other) {
                (Some(one), Some(other)) => one.is_same(other),
                (None, None) => true,
                _ => false,
            },
            (Self::Object { schema: one, .. }, Self::Object { schema: other, .. }) => std::ptr::eq(*one, *other),
            (Self::List(one, _), Self::List(other, _)) | (Self::Optional(one, _), Self::Optional(other, _)) => {
                Rc::ptr_eq(one, other) || one.is_same(other)
            }
            (Self::Map(one, _), Self::Map(other, _)) => {
                Rc::ptr_eq(one, other) || one.0.is_same(&other.0) && one.1.is_same(&other.1)
            }
            _ => false,
        }
    }

    /// Whether it is the same as the other type, or less specific because a part is dynamic.
    fn is_general(&self, other: &Self) -> bool {
        match (self, other) {
            (Dynamic | Self::Variable(_), _) | (Self::Name(_), Self::Name(_)) => true,
            (Self::List(one, _), Self::List(other, _)) | (Self::Optional(one, _), Self::Optional(other, _)) => {
                one.is_general(other)
            }
            (Self::Map(one, _), Self::Map(other, _)) => one.0.is_general(&other.0) && one.1.is_general(&other.1),
            _ => self.is_same(other),
        }
    }
}

/// What is known about the type of the operand that decides which overload is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing: the overload is chosen at run time.
    Open,
    List,
    Map,
    /// A value without parts.
    Scalar(Scalar),
    Other,
}

impl Kind {
    pub(super) fn of(found: &Type<'_>) -> Self {
        match found {
            Error | Dynamic | Type::Variable(_) => Self::Open,
            Type::List(..) => Self::List,
            Type::Map(..) => Self::Map,
            Type::Scalar(scalar) => Self::Scalar(*scalar),
            _ => Self::Other,
        }
    }

    pub(super) fn of_items(list: &Type<'_>) -> Self {
        match list {
            Type::List(items, _) => Self::of(items),
            _ => Self::Open,
        }
    }
}

/// The types of variables.
#[derive(Default)]
pub(super) struct Bindings<'n> {
    types: Vec<Option<Type<'n>>>,
    /// What to restore if a comparison fails.
    changed: Vec<(Variable, Option<Type<'n>>)>,
    work: u32,
}

impl<'n> Bindings<'n> {
    pub(super) fn variable(&mut self) -> Type<'n> {
        self.types.push(None);
        Type::Variable(u32::try_from(self.types.len() - 1).unwrap_or(u32::MAX))
    }

    fn bound(&self, variable: Variable) -> Option<&Type<'n>> {
        self.types.get(variable as usize)?.as_ref()
    }

    fn bind(&mut self, variable: Variable, to: Type<'n>) {
        if let Some(known) = self.types.get_mut(variable as usize) {
            self.changed.push((variable, known.replace(to)));
        }
    }

    /// The type with its variables replaced; those that are not bound stay, or are dynamic.
    pub(super) fn resolved(&self, found: &Type<'n>, is_final: bool) -> Type<'n> {
        let mut work = WORK_LIMIT;
        self.replaced(found, is_final, &mut work, 0)
    }

    fn replaced(&self, found: &Type<'n>, is_final: bool, work: &mut u32, depth: u8) -> Type<'n> {
        let Some(left) = work.checked_sub(1).filter(|_| depth < READ_LIMIT) else { return Dynamic };
        *work = left;
        let mut inner = |found: &Type<'n>| self.replaced(found, is_final, work, depth + 1);
        match found {
            Type::Variable(variable) => match self.bound(*variable) {
                Some(bound) => inner(bound),
                None if is_final => Dynamic,
                None => found.clone(),
            },
            Type::List(items, _) => Type::list(inner(items)),
            Type::Map(entries, _) => {
                let keys = inner(&entries.0);
                Type::map(keys, inner(&entries.1))
            }
            Type::Optional(of, _) => Type::optional(inner(of)),
            Type::Name(Some(of)) => Type::Name(Some(Rc::new(inner(of)))),
            found => found.clone(),
        }
    }

    /// Whether values of the first types are accepted where the other ones are expected. Binds variables.
    pub(super) fn accept(&mut self, pairs: &[(&Type<'n>, &Type<'n>)]) -> bool {
        self.changed.clear();
        self.work = WORK_LIMIT;
        if pairs.iter().all(|(one, other)| self.fits(one, other, 0)) {
            return true;
        }
        while let Some((variable, before)) = self.changed.pop() {
            self.types[variable as usize] = before;
        }
        false
    }

    fn fits(&mut self, one: &Type<'n>, other: &Type<'n>, depth: u8) -> bool {
        let Some(left) = self.work.checked_sub(1).filter(|_| depth < READ_LIMIT) else { return true };
        self.work = left;
        if let Type::Variable(variable) = other {
            match self.substitutes(one, *variable, depth) {
                (true, _) => return true,
                (false, true) => return false,
                (false, false) => {}
            }
        }
        if let Type::Variable(variable) = one {
            return self.substitutes(other, *variable, depth).0;
        }
        match (one, other) {
            (Error | Dynamic, _) | (_, Error | Dynamic) => true,
            (Type::Scalar(Scalar::Null), Type::Scalar(Scalar::Null)) => true,
            (Type::Scalar(Scalar::Null), known) | (known, Type::Scalar(Scalar::Null)) => known.can_be_null(),
            (Type::Name(_), Type::Name(_)) => true,
            (Type::List(one, _), Type::List(other, _)) | (Type::Optional(one, _), Type::Optional(other, _)) => {
                self.fits(one, other, depth + 1)
            }
            (Type::Map(one, _), Type::Map(other, _)) => {
                self.fits(&one.0, &other.0, depth + 1) && self.fits(&one.1, &other.1, depth + 1)
            }
            (one, other) => one.is_same(other),
        }
    }

    /// Whether the variable is, or can be, this type; and whether the variable had a type before.
    fn substitutes(&mut self, found: &Type<'n>, variable: Variable, depth: u8) -> (bool, bool) {
        if matches!(found, Type::Variable(other) if *other == variable) {
            return (true, true);
        }
        if let Some(bound) = self.bound(variable).cloned() {
            if found.is_same(&bound) {
                return (true, true);
            }
            if !self.fits(found, &bound, depth + 1) {
                return (false, true);
            }
            let general = if found.is_general(&bound) { found.clone() } else { bound };
            if !self.is_in(variable, &general, depth) {
                self.bind(variable, general);
            }
            return (true, true);
        }
        if self.is_in(variable, found, depth) {
            return (false, false);
        }
        self.bind(variable, found.clone());
        (true, false)
    }

    /// Whether the variable is part of the type.
    fn is_in(&mut self, variable: Variable, of: &Type<'n>, depth: u8) -> bool {
        let Some(left) = self.work.checked_sub(1).filter(|_| depth < READ_LIMIT) else { return true };
        self.work = left;
        match of {
            Type::Variable(other) if *other == variable => true,
            Type::Variable(other) => match self.bound(*other).cloned() {
                Some(bound) => self.is_in(variable, &bound, depth + 1),
                None => false,
            },
            Type::List(items, _) => self.is_in(variable, items, depth + 1),
            Type::Optional(of, _) | Type::Name(Some(of)) => self.is_in(variable, of, depth + 1),
            Type::Map(entries, _) => {
                self.is_in(variable, &entries.0, depth + 1) || self.is_in(variable, &entries.1, depth + 1)
            }
            _ => false,
        }
    }

    /// The type of a list of both; dynamic where they do not agree.
    pub(super) fn joined(&mut self, before: &Type<'n>, found: &Type<'n>) -> Type<'n> {
        match self.accept(&[(before, found)]) {
            true if before.is_general(found) => before.clone(),
            true => found.clone(),
            false => Dynamic,
        }
    }

    /// The type of a shape.
    pub(super) fn of_shape(&mut self, shape: Shape, parameters: &mut [Option<Type<'n>>; 2]) -> Type<'n> {
        match shape {
            Shape::Dynamic => Dynamic,
            Shape::Scalar(scalar) => Type::Scalar(scalar),
            Shape::Parameter(index) | Shape::OneOf(index, _) => {
                parameters[index].get_or_insert_with(|| self.variable()).clone()
            }
            Shape::List(items) => Type::list(self.of_shape(*items, parameters)),
            Shape::Map(keys, values) => {
                let keys = self.of_shape(*keys, parameters);
                Type::map(keys, self.of_shape(*values, parameters))
            }
            Shape::Optional(of) => Type::optional(self.of_shape(*of, parameters)),
        }
    }
}

/// The types of which a shape expects one, if it does.
pub(super) fn alternatives(shape: &Shape) -> Option<&'static [Scalar]> {
    match shape {
        Shape::OneOf(_, allowed) => Some(allowed),
        Shape::List(inner) | Shape::Optional(inner) => alternatives(inner),
        _ => None,
    }
}
