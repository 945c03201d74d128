//! How the facts of a type follow from its item: the macro writes them as constants, and a reader of source computes them.
//!
//! Invariants: the facts of a struct need only the parts of its fields and not their facts, so that a recursive type has facts.

use crd_markers::facts::{Bounds, Facts, FieldFact, Kind};
use crd_markers::leaked;
use crd_markers::marker::Marker;
use crd_markers::table::{Meaning, RuleKind};
use crd_markers::typed::TypeParts;
use crd_markers::usual::{OPAQUE, STRUCT, fact};
use crd_markers::value::Value;
use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::Type;

use crate::ast::{Body, Field, Item, Shape};
use crate::attr::LocatedMarker;
use crate::check::number;

/// A type that an item names, or the item itself.
#[derive(Clone, Copy)]
pub enum Subject<'a> {
    Item(&'a Ident),
    Type(&'a Type),
}

impl ToTokens for Subject<'_> {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Subject::Item(name) => name.to_tokens(tokens),
            Subject::Type(kind) => kind.to_tokens(tokens),
        }
    }
}

/// What a reader of source finds out about types. `None`: it did not find the type, and has reported that.
pub trait Types {
    /// What a field of the type needs.
    fn parts(&mut self, subject: Subject<'_>) -> Option<TypeParts>;
    /// What a marker must fit. The result is for the type behind `Option` and `Box`.
    fn facts(&mut self, subject: Subject<'_>) -> Option<&'static Facts>;
}

/// How the facts of a type are made.
pub enum Plan<'a> {
    /// Only the kind is known.
    Kind(Kind),
    /// One of these strings.
    Values(Vec<&'a str>),
    /// What the inner type is, within the bounds and values of the markers.
    Newtype {
        inner: &'a Type,
        bounds: Bounds,
        values: Option<Vec<&'a str>>,
    },
    Struct {
        named: Vec<&'a Field>,
        flattened: Vec<&'a Type>,
    },
}

impl<'a> Plan<'a> {
    pub fn of(item: &'a Item) -> Self {
        // A marker may make something else of it, and what it then permits is not known here.
        if let Shape::Fixed(kind) = Shape::of(&item.markers, item.named_kind()) {
            return Plan::Kind(kind.unwrap_or(Kind::Any));
        }
        match &item.body {
            Body::Struct(fields) => Plan::Struct {
                named: fields.iter().filter(|field| field.is_named()).collect(),
                flattened: fields.iter().filter(|field| field.is_flattened()).map(|field| &field.kind).collect(),
            },
            Body::Newtype { inner, .. } => {
                Plan::Newtype { inner, bounds: bounds(&item.markers), values: own_values(&item.markers) }
            }
            Body::Enum(variants) if !item.options.open => {
                Plan::Values(variants.iter().map(|variant| variant.wire_name.as_str()).collect())
            }
            Body::Enum(_) => Plan::Kind(Kind::String),
            Body::Union(_) => Plan::Kind(Kind::Object),
            Body::Refused { .. } => Plan::Kind(Kind::Any),
        }
    }

    /// The kind of the type.
    pub fn kind(&self, types: &mut dyn Types) -> Option<Kind> {
        Some(match self {
            Plan::Kind(kind) => *kind,
            Plan::Values(_) => Kind::String,
            Plan::Newtype { inner, .. } => types.parts(Subject::Type(inner))?.kind,
            Plan::Struct { .. } => Kind::Struct,
        })
    }

    /// The facts of the type. Their texts are never freed, because descriptors are not.
    pub fn facts(&self, types: &mut dyn Types) -> Option<Facts> {
        let values = |values: &[&str]| leaked::list(values.iter().map(|value| leaked::text(value)).collect());
        Some(match self {
            Plan::Kind(kind) => Facts::of(*kind),
            Plan::Values(list) => Facts::of(Kind::String).with_values(values(list)),
            Plan::Newtype { inner, bounds, values: list } => {
                let facts = types.facts(Subject::Type(inner))?.bounded(*bounds);
                list.as_ref().map_or(facts, |list| facts.with_values(values(list)))
            }
            Plan::Struct { named, flattened } => {
                let field = |field: &&Field| {
                    let opaque = field.is_opaque().then_some(OPAQUE);
                    let parts = opaque.or_else(|| types.parts(Subject::Type(&field.kind)))?;
                    let fact = fact(leaked::text(&field.wire_name), parts);
                    Some(FieldFact { required: field.required().unwrap_or(fact.required), ..fact })
                };
                let fields = leaked::list(named.iter().map(field).collect::<Option<_>>()?);
                let inner = flattened.iter().map(|kind| types.facts(Subject::Type(kind)));
                Facts { fields, flattened: leaked::list(inner.collect::<Option<_>>()?), ..STRUCT }
            }
        })
    }
}

/// Bounds that markers of all channels put on the thing itself.
pub fn bounds(markers: &[LocatedMarker]) -> Bounds {
    let find = |rule| number(of_all_channels(markers).find(|marker| marker.spec.meaning == Meaning::Rule(rule))?);
    // Only values are numbers with a fraction; everything else is counted.
    let counts = |low, high| (find(low).map(|count| count as i64), find(high).map(|count| count as i64));
    Bounds {
        value: (find(RuleKind::Minimum), find(RuleKind::Maximum)),
        length: counts(RuleKind::MinLength, RuleKind::MaxLength),
        items: counts(RuleKind::MinItems, RuleKind::MaxItems),
        properties: counts(RuleKind::MinProperties, RuleKind::MaxProperties),
    }
}

/// The markers on the thing itself that hold in every channel.
fn of_all_channels(markers: &[LocatedMarker]) -> impl Iterator<Item = &Marker> {
    markers.iter().map(|placed| &placed.marker).filter(|marker| !marker.items && marker.channel.is_none())
}

/// The strings of an `Enum` marker that holds in all channels.
fn own_values(markers: &[LocatedMarker]) -> Option<Vec<&str>> {
    let marker = of_all_channels(markers).find(|marker| marker.spec.meaning == Meaning::Rule(RuleKind::Enum))?;
    let Some(Value::List(values)) = marker.arguments.value() else { return None };
    values
        .iter()
        .map(|value| match value {
            Value::String(text) => Some(text.as_str()),
            _ => None,
        })
        .collect()
}
