//! What must hold of the types that an item names: the macro writes each assertion as a constant at its place, and a reader of source checks it.
//!
//! Invariants: nothing is asserted where the name of the type decides, because each assertion costs time in every build; [`crate::check`] checks
//! what the item alone decides.

use crd_markers::check::{self, Applies, Checked};
use crd_markers::facts::{Bounds, Kind};
use crd_markers::json::Json;
use crd_markers::marker::Marker;
use crd_markers::table::{Meaning, RuleKind};
use crd_markers::value::Value;
use proc_macro2::Span;
use quote::ToTokens;
use syn::Type;

use crate::ast::{
    Body, Data, Field, Item, NEWTYPE_AROUND_OPTION, NamedKind, Shape, Union, VARIANT_OF_OPTION, strip_options,
};
use crate::attr::{LocatedMarker, SerdeDefault};
use crate::check::{
    DEFAULT_OF_REQUIRED, FLATTEN_OPTIONAL, OPTIONAL_ON_REQUIRED, REQUIRED_ON_OPTIONAL, refused_default, union_fields,
};
use crate::facts::{self, Subject, Types};
use crate::lens;

/// What must hold of a type, and where an error is reported.
pub struct Assertion<'a> {
    /// The first and the last line, or the type.
    pub ends: (Span, Span),
    pub subject: Subject<'a>,
    pub that: That<'a>,
}

/// What must hold: the name and the further arguments of a function in [`crd_markers::check`].
pub enum That<'a> {
    MarkerFits(&'a Marker),
    ItemsMarkerFits(&'a Marker),
    IsOptional(&'static str),
    IsRequired(&'static str),
    IsAtMostOptional,
    IsClosedEnum,
    IsObjectMeta,
    HasListMapKey(&'a Marker, &'a str),
    ValueFits(&'a Marker, &'a Value),
    ValuesFit(&'a Marker, &'a [Value]),
    BoundsAreOrdered(Bounds),
    UnionNamesOptionalField(&'a Marker, &'a str),
    /// With the message about an `Option`.
    CanBeFlattened(&'static str),
    IsStructOfVariant(String),
    IsEmptyIfAbsent(&'static str),
    FlattenedNamesAreFree(Vec<&'a str>),
    FlattenedNamesAreNotTombstoned(Vec<&'a str>),
    /// With the earlier one.
    FlattenedStructsAreDisjoint(&'a Type),
}

impl Assertion<'_> {
    /// Checks it. It holds where a type was not found, which has been reported.
    ///
    /// # Errors
    /// The text for the author.
    pub fn check(&self, types: &mut dyn Types) -> Checked {
        let Some((parts, facts)) = types.parts(self.subject).zip(types.facts(self.subject)) else { return Ok(()) };
        let (kind, options) = (parts.kind, parts.options);
        match &self.that {
            That::MarkerFits(marker) => {
                check::marker_fits(&marker.name, marker.spec.applies, marker.spec.for_items, kind)
            }
            That::ItemsMarkerFits(marker) => check::items_marker_fits(&marker.name, marker.spec.applies, facts),
            That::IsOptional(message) => check::is_optional(options, message),
            That::IsRequired(message) => check::is_required(options, message),
            That::IsAtMostOptional => check::is_at_most_optional(options),
            That::IsClosedEnum => check::is_closed_enum(facts),
            That::IsObjectMeta => check::is_object_meta(parts.reference),
            That::HasListMapKey(marker, key) => check::has_list_map_key(&marker.name, facts, key),
            That::ValueFits(marker, value) => check::value_fits(&marker.name, facts, &Json::leaked(value)),
            That::ValuesFit(marker, values) => {
                let values: Vec<Json> = values.iter().map(Json::leaked).collect();
                check::values_fit(&marker.name, marker.items, facts, &values)
            }
            That::BoundsAreOrdered(bounds) => check::bounds_are_ordered(facts, *bounds),
            That::UnionNamesOptionalField(marker, name) => check::union_names_optional_field(&marker.name, facts, name),
            That::CanBeFlattened(message) => check::can_be_flattened(kind, parts.reference, options, message),
            That::IsStructOfVariant(tag) => check::is_struct_of_variant(tag, facts),
            That::IsEmptyIfAbsent(message) => check::is_empty_if_absent(kind, options, message),
            That::FlattenedNamesAreFree(names) => check::flattened_names_are_free(names, facts),
            That::FlattenedNamesAreNotTombstoned(names) => check::flattened_names_are_not_tombstoned(names, facts),
            That::FlattenedStructsAreDisjoint(earlier) => match types.facts(Subject::Type(earlier)) {
                Some(earlier) => check::flattened_structs_are_disjoint(earlier, facts),
                None => Ok(()),
            },
        }
    }
}

/// What must hold for an item. The structs of its variants are items of their own.
pub fn assertions(item: &Item) -> Vec<Assertion<'_>> {
    let mut assertions = Assertions(Vec::new());
    match &item.body {
        Body::Struct(fields) => {
            assertions.unions(item, fields, Subject::Item(&item.name));
            assertions.flattened(item, fields);
            for field in fields.iter().filter(|field| field.is_named() && !field.is_opaque()) {
                assertions.field(field);
            }
            if item.options.is_resource()
                && let Some(metadata) = fields.iter().find(|field| field.is_named() && field.is_object_meta())
            {
                assertions.of_type(&metadata.kind, That::IsObjectMeta);
            }
        }
        Body::Newtype { inner, named_kind, .. } => {
            assertions.markers(&item.markers, inner, *named_kind);
            assertions.unions(item, &[], Subject::Type(inner));
            if named_kind.kind.is_none() && strip_options(inner).0 == 0 {
                assertions.of_type(inner, That::IsRequired(NEWTYPE_AROUND_OPTION));
            }
        }
        Body::Union(union) => assertions.variants(union),
        Body::Enum(_) | Body::Refused { .. } => {}
    }
    assertions.0
}

/// Where a type begins and ends.
fn ends(kind: &Type) -> (Span, Span) {
    let mut tokens = kind.to_token_stream().into_iter();
    let first = tokens.next().map_or_else(Span::call_site, |token| token.span());
    (first, tokens.last().map_or(first, |token| token.span()))
}

struct Assertions<'a>(Vec<Assertion<'a>>);

impl<'a> Assertions<'a> {
    fn push(&mut self, placed: &LocatedMarker, subject: Subject<'a>, that: That<'a>) {
        self.0.push(Assertion { ends: placed.lines.ends(), subject, that });
    }

    fn of_type(&mut self, kind: &'a Type, that: That<'a>) {
        self.0.push(Assertion { ends: ends(kind), subject: Subject::Type(kind), that });
    }

    /// Flattened structs, whose names must be free here.
    fn flattened(&mut self, item: &'a Item, fields: &'a [Field]) {
        let names = || fields.iter().filter(|field| field.is_named()).map(|field| field.wire_name.as_str()).collect();
        let tombstoned = || {
            let own = item.tombstones().filter_map(|placed| placed.marker.arguments.text("name"));
            own.chain(lens::old_names(item).into_iter().map(|(_, name)| name)).collect::<Vec<_>>()
        };
        let flattened: Vec<&Type> =
            fields.iter().filter(|field| field.is_flattened()).map(|field| &field.kind).collect();
        for (index, kind) in flattened.iter().enumerate() {
            self.of_type(kind, That::CanBeFlattened(FLATTEN_OPTIONAL));
            self.of_type(kind, That::FlattenedNamesAreFree(names()));
            let tombstoned = tombstoned();
            if !tombstoned.is_empty() {
                self.of_type(kind, That::FlattenedNamesAreNotTombstoned(tombstoned));
            }
            for earlier in &flattened[..index] {
                self.of_type(kind, That::FlattenedStructsAreDisjoint(earlier));
            }
        }
    }

    /// Variants around one type: an object where its fields are next to the tag.
    fn variants(&mut self, union: &'a Union) {
        for variant in &union.variants {
            let Data::Newtype { inner, .. } = &variant.data else { continue };
            self.of_type(inner, That::IsRequired(VARIANT_OF_OPTION));
            if let Some(tag) = &union.tag {
                self.of_type(inner, That::IsStructOfVariant(tag.value()));
            }
        }
    }

    fn field(&mut self, field: &'a Field) {
        let kind = &field.kind;
        let is_unknown = field.named_kind.kind.is_none();
        for placed in &field.markers {
            let that = match placed.marker.spec.meaning {
                Meaning::Optional if is_unknown && field.options == 0 && !field.is_defaulted() => {
                    That::IsOptional(OPTIONAL_ON_REQUIRED)
                }
                Meaning::Required if is_unknown && field.options == 0 && !field.has(Meaning::Optional) => {
                    That::IsRequired(REQUIRED_ON_OPTIONAL)
                }
                Meaning::EnumVariants => That::IsClosedEnum,
                _ => continue,
            };
            self.push(placed, Subject::Type(kind), that);
        }
        if let Some(SerdeDefault::Zero(word)) = &field.default
            && field.is_defaulted()
            && is_unknown
            && field.schema_default().is_none()
        {
            let (ends, that) = ((word.span(), word.span()), That::IsEmptyIfAbsent(DEFAULT_OF_REQUIRED));
            self.0.push(Assertion { ends, subject: Subject::Type(kind), that });
        }
        // Two written ones are meant; one of them in an alias is a trap.
        if is_unknown && field.options < 2 {
            self.of_type(kind, That::IsAtMostOptional);
        }
        self.markers(&field.markers, kind, field.named_kind);
    }

    /// Markers whose meaning depends on the type.
    fn markers(&mut self, markers: &'a [LocatedMarker], kind: &'a Type, named_kind: NamedKind) {
        let Shape::Rust(named_kind) = Shape::of(markers, named_kind) else { return };
        for placed in markers {
            self.kind(placed, kind, named_kind);
            self.values(placed, kind);
        }
        if named_kind.kind.is_none() {
            self.bounds(markers, kind);
        }
    }

    /// A marker on a type whose name does not determine its kind.
    fn kind(&mut self, placed: &'a LocatedMarker, kind: &'a Type, named_kind: NamedKind) {
        let marker = &placed.marker;
        let is_for_anything = marker.spec.applies == Applies::Anything;
        if marker.items {
            let is_decided = named_kind.items.is_some() || named_kind.kind.is_some_and(|kind| kind != Kind::List);
            let needs_no_look = named_kind.kind == Some(Kind::List) && is_for_anything;
            if !is_decided && !needs_no_look {
                self.push(placed, Subject::Type(kind), That::ItemsMarkerFits(marker));
            }
        } else if named_kind.kind.is_none() && !is_for_anything {
            self.push(placed, Subject::Type(kind), That::MarkerFits(marker));
        }
    }

    /// Bounds of the field within those of its type.
    fn bounds(&mut self, markers: &'a [LocatedMarker], kind: &'a Type) {
        let is_bound = |placed: &&LocatedMarker| {
            !placed.marker.items
                && placed.marker.channel.is_none()
                && matches!(placed.marker.spec.meaning, Meaning::Rule(rule) if rule.is_lower_bound() || rule.is_upper_bound())
        };
        if let Some(first) = markers.iter().find(is_bound) {
            self.push(first, Subject::Type(kind), That::BoundsAreOrdered(facts::bounds(markers)));
        }
    }

    /// Keys, defaults and values of `Enum`.
    fn values(&mut self, placed: &'a LocatedMarker, kind: &'a Type) {
        let marker = &placed.marker;
        let (Meaning::Rule(rule), Some(value)) = (marker.spec.meaning, marker.arguments.value()) else { return };
        let that = match (rule, value) {
            (RuleKind::ListMapKey, Value::String(key)) => That::HasListMapKey(marker, key),
            (RuleKind::Default, value) if refused_default(value).is_none() => That::ValueFits(marker, value),
            (RuleKind::Enum, Value::List(values)) => That::ValuesFit(marker, values),
            _ => return,
        };
        self.push(placed, Subject::Type(kind), that);
    }

    /// Unions over fields that [`crate::check`] could not see.
    fn unions(&mut self, item: &'a Item, fields: &[Field], subject: Subject<'a>) {
        for (placed, name) in union_fields(&item.markers) {
            let own = fields.iter().find(|field| field.is_named() && field.wire_name == name);
            let is_decided = match own {
                Some(field) => field.options > 0 || field.named_kind.kind.is_some() || field.foreign,
                None => matches!(item.body, Body::Struct(_)) && !fields.iter().any(Field::is_flattened),
            };
            if !is_decided && !name.contains('.') {
                self.push(placed, subject, That::UnionNamesOptionalField(&placed.marker, name));
            }
        }
    }
}
