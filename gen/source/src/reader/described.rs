//! The types of source as values: what `Typed` and `Described` are for compiled types.
//!
//! Invariants: the assertions of the macro are checked on the same facts; a type is reached through a reference that is set before the
//! descriptors are returned, so that generation reports a recursive type as it does a compiled one; all errors are collected, each once.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::sync::OnceLock;

use crd_channels::{
    AnyJson, Bytes, Condition, ConditionStatus, Duration, IntOrString, LabelSelector, LabelSelectorRequirement,
    ObjectMeta, Quantity, RawExtension, Time, Typed,
};
use crd_markers::deferred::Deferred;
use crd_markers::descriptor::{
    Field as FieldDescriptor, Location, Presence, ResourceDescriptor, Shape, Tombstone, TypeDescriptor, TypeRef,
    Variant as VariantDescriptor,
};
use crd_markers::facts::{Facts, Kind};
use crd_markers::leaked;
use crd_markers::rule::Marker;
use crd_markers::typed::TypeParts;
use crd_markers::usual;
use crd_names::wire::plural;
use crd_syntax::assertion::assertions;
use crd_syntax::ast::{Body, Data, DataVariant, Field, Item, Variant, experimental, line, plain, strip_options};
use crd_syntax::attr::{LocatedMarker, SerdeDefault};
use crd_syntax::facts::{Plan, Subject, Types};
use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{LitStr, Type};

use crate::reader::compiled::{self, Need};
use crate::reader::names::{Crates, ItemId, ModuleId, Ty};
use crate::reader::problem::Problems;

/// How many types can be made of each other.
const DEEPEST: usize = 100;

/// How many structs can be flattened into one, those of these included.
const MOST_FLATTENED: usize = 100;

/// A type: the item, and for a generic type the number of the instance.
pub(crate) type Key = (ItemId, usize);

/// A checked item and what becomes of it.
pub(crate) struct Entry {
    item: Item,
    module: ModuleId,
    /// What `Self` means in it.
    own: Ty,
    file: &'static str,
    descriptor: &'static OnceLock<&'static TypeDescriptor>,
    kind: OnceCell<Option<Kind>>,
    facts: OnceCell<Option<&'static Facts>>,
    /// Whether its kind, and whether its facts, are being computed: what needs them then is made of itself.
    is_open: [Cell<bool>; 2],
}

impl Entry {
    pub(crate) fn new(item: Item, module: ModuleId, own: Ty, file: &'static str) -> Self {
        let descriptor = leaked::value(OnceLock::new());
        let (kind, facts, is_open) = Default::default();
        Self { item, module, own, file, descriptor, kind, facts, is_open }
    }

    /// The descriptor, after [`Described::describe`].
    pub(crate) fn descriptor(&self) -> Option<&'static TypeDescriptor> {
        self.descriptor.get().copied()
    }
}

pub(crate) struct Described<'a> {
    pub(crate) crates: &'a Crates,
    pub(crate) entries: BTreeMap<Key, Entry>,
    pub(crate) problems: &'a RefCell<Problems>,
    /// How many types are being computed.
    pub(crate) depth: Cell<usize>,
    /// The value that only compiled code has, as JSON text.
    pub(crate) compiled: &'a dyn Fn(&Need) -> Option<String>,
}

impl Described<'_> {
    /// Makes the descriptors of all types, and checks what the macro asserts.
    pub(crate) fn describe(&self) {
        for entry in self.entries.values() {
            let view = View { types: self, entry };
            // It is set once, here.
            let _ = entry.descriptor.set(view.described(&entry.item));
            view.assertions(&entry.item);
        }
    }
}

/// The types as an item sees them: its module decides what a name means.
#[derive(Clone, Copy)]
struct View<'a> {
    types: &'a Described<'a>,
    entry: &'a Entry,
}

/// The base types and the scalars are compiled in.
fn of<T: Typed>() -> (TypeParts, &'static Facts) {
    (T::PARTS, &const { T::FACTS })
}

impl Types for View<'_> {
    fn parts(&mut self, subject: Subject<'_>) -> Option<TypeParts> {
        match subject {
            Subject::Item(_) => self.own_parts(),
            Subject::Type(kind) => self.parts_of(&self.resolved(kind)?),
        }
    }

    fn facts(&mut self, subject: Subject<'_>) -> Option<&'static Facts> {
        match subject {
            Subject::Item(_) => self.own_facts(),
            Subject::Type(kind) => self.facts_of(&self.resolved(kind)?),
        }
    }
}

impl<'a> View<'a> {
    fn resolved(&self, kind: &Type) -> Option<Ty> {
        let resolved = self.types.crates.resolve(self.entry.module, kind, Some(&self.entry.own));
        let resolved = resolved.map_err(|refusal| self.types.problems.borrow_mut().refuse(refusal)).ok()?;
        if !self.has_string_keys(&resolved) {
            self.error(kind.span(), "the keys of a map must be strings on the wire");
        }
        Some(resolved)
    }

    fn has_string_keys(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Map(key, values) => {
                self.parts_of(key).is_none_or(|parts| parts.kind == Kind::String) && self.has_string_keys(values)
            }
            Ty::Option(inner) | Ty::Boxed(inner) | Ty::List(inner) => self.has_string_keys(inner),
            _ => true,
        }
    }

    fn error(&self, span: Span, message: impl ToString) {
        self.types.problems.borrow_mut().at(self.entry.file, span, message);
    }

    /// The view of another type. One that could not be read has been reported.
    fn named(&self, key: Key) -> Option<View<'a>> {
        Some(View { types: self.types, entry: self.types.entries.get(&key)? })
    }

    fn parts_of(&self, ty: &Ty) -> Option<TypeParts> {
        Some(match ty {
            Ty::Option(inner) => {
                let inner = self.parts_of(inner)?;
                TypeParts { options: inner.options.saturating_add(1), ..inner }
            }
            Ty::Boxed(inner) => self.parts_of(inner)?,
            Ty::List(items) => {
                let items = self.parts_of(items)?.reference;
                TypeParts { reference: TypeRef::List(leaked::value(items)), kind: Kind::List, options: 0 }
            }
            Ty::Map(keys, values) => {
                let parts = (self.parts_of(keys)?.reference, self.parts_of(values)?.reference);
                let (keys, values) = leaked::value(parts);
                TypeParts { reference: TypeRef::Map(keys, values), kind: Kind::Map, options: 0 }
            }
            Ty::Api(item) => self.named((*item, 0))?.own_parts()?,
            Ty::Instance(item, index) => self.named((*item, *index))?.own_parts()?,
            scalar => scalar_of(scalar)?.0,
        })
    }

    fn facts_of(&self, ty: &Ty) -> Option<&'static Facts> {
        Some(match ty {
            Ty::Option(inner) | Ty::Boxed(inner) => self.facts_of(inner)?,
            Ty::List(items) => {
                let items = Some(self.facts_of(items)?);
                leaked::value(Facts { items, ..Facts::of(Kind::List) })
            }
            Ty::Map(..) => &const { Facts::of(Kind::Map) },
            Ty::Api(item) => self.named((*item, 0))?.own_facts()?,
            Ty::Instance(item, index) => self.named((*item, *index))?.own_facts()?,
            scalar => scalar_of(scalar)?.1,
        })
    }

    /// What a field of this type needs.
    fn own_parts(mut self) -> Option<TypeParts> {
        let reference = TypeRef::Named(Deferred::Read(self.entry.descriptor));
        let kind = match self.entry.kind.get() {
            Some(kind) => *kind,
            None => {
                let kind = self.once(0, |view| Plan::of(&view.entry.item).kind(view));
                *self.entry.kind.get_or_init(|| kind)
            }
        };
        Some(TypeParts { reference, kind: kind?, options: 0 })
    }

    fn own_facts(mut self) -> Option<&'static Facts> {
        if let Some(facts) = self.entry.facts.get() {
            return *facts;
        }
        let facts = self.once(1, |view| Plan::of(&view.entry.item).facts(view)).filter(|facts| {
            // Checks compare each of them with each other one.
            let is_allowed = flattened(facts) <= MOST_FLATTENED;
            if !is_allowed {
                let message = format!("more than {MOST_FLATTENED} structs are flattened into this one");
                self.error(self.entry.item.name.span(), message);
            }
            is_allowed
        });
        let facts = facts.map(leaked::value);
        *self.entry.facts.get_or_init(|| facts)
    }

    /// Computes something of the type, unless that needs itself.
    fn once<T>(&mut self, what: usize, compute: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.entry.is_open[what].replace(true) {
            let name = &self.entry.item.name;
            self.error(
                name.span(),
                format!("`{name}` is made of itself, which no Kubernetes schema can be: it must name every level"),
            );
            return None;
        }
        let depth = &self.types.depth;
        let computed = if depth.get() < DEEPEST {
            depth.set(depth.get() + 1);
            let computed = compute(self);
            depth.set(depth.get() - 1);
            computed
        } else {
            self.error(self.entry.item.name.span(), format!("more than {DEEPEST} types are made of each other"));
            None
        };
        self.entry.is_open[what].set(false);
        computed
    }

    fn assertions(mut self, item: &Item) {
        for assertion in assertions(item) {
            if let Err(text) = assertion.check(&mut self) {
                self.error(assertion.ends.0, text.as_str());
            }
        }
        if let Body::Union(union) = &item.body {
            for variant in &union.variants {
                if let Data::Fields { record, .. } = &variant.data {
                    self.assertions(record);
                }
            }
        }
    }
}

/// How many structs are flattened into this one. Each of them is within the limit.
fn flattened(facts: &Facts) -> usize {
    facts.flattened.iter().map(|inner| flattened(inner).saturating_add(1)).sum()
}

pub(crate) fn scalar_of(ty: &Ty) -> Option<(TypeParts, &'static Facts)> {
    macro_rules! by_name {
        ($name:expr, $($kind:ident)*) => {
            match $name {
                $(stringify!($kind) => of::<$kind>(),)*
                _ => return None,
            }
        };
    }
    Some(match ty {
        Ty::String => of::<String>(),
        Ty::Boolean => of::<bool>(),
        Ty::Float(name) => by_name!(*name, f32 f64),
        Ty::Integer(name) => by_name!(*name, i8 u8 i16 u16 i32 u32 i64 u64 isize usize),
        Ty::Base(name) => {
            by_name!(*name, AnyJson Bytes Condition ConditionStatus Duration IntOrString LabelSelector LabelSelectorRequirement
            ObjectMeta Quantity RawExtension Time)
        }
        _ => return None,
    })
}

impl View<'_> {
    fn described(mut self, item: &Item) -> &'static TypeDescriptor {
        let shape = match &item.body {
            Body::Struct(fields) => Shape::Struct(leaked::list(
                fields.iter().filter(|field| !field.skip).map(|field| self.field(item, field)).collect(),
            )),
            Body::Newtype { inner, .. } => Shape::Newtype(self.parts_at(inner).reference),
            Body::Enum(variants) => {
                Shape::Enum { variants: leaked::list(variants.iter().map(variant).collect()), open: item.options.open }
            }
            Body::Union(union) => Shape::Union {
                tag: union.tag.as_ref().map(|tag| leaked::text(&tag.value())),
                variants: leaked::list(union.variants.iter().map(|variant| self.data_variant(variant)).collect()),
            },
            // It has been reported.
            Body::Refused { .. } => Shape::Newtype(usual::OPAQUE.reference),
        };
        let resource = match (&item.options.group, &item.options.version, &item.options.kind) {
            (Some(group), Some(version), Some(kind)) => Some(ResourceDescriptor {
                group: leaked::text(&group.value()),
                version: leaked::text(&version.value()),
                kind: leaked::text(&kind.value()),
                plural: leaked::text(&plural(&kind.value())),
            }),
            _ => None,
        };
        leaked::value(TypeDescriptor {
            name: leaked::text(&item.display_name),
            module: leaked::text(&self.types.crates.path_of(self.entry.module)),
            description: leaked::text(&item.description),
            channels: item.channels(),
            experimental: experimental(&item.markers),
            shape,
            markers: markers(&item.markers),
            tombstones: leaked::list(item.tombstones().map(tombstone).collect()),
            resource,
            location: Location { file: self.entry.file, line: line(item.name.span()) },
        })
    }

    /// The parts of a type. One that was not found has been reported.
    fn parts_at(&mut self, kind: &Type) -> TypeParts {
        self.parts(Subject::Type(kind)).unwrap_or(usual::OPAQUE)
    }

    fn field(&mut self, item: &Item, field: &Field) -> FieldDescriptor {
        let parts = if field.is_opaque() { usual::OPAQUE } else { self.parts_at(&field.kind) };
        let (name, line) = (leaked::text(&plain(&field.name)), line(field.name.span()));
        let usual = usual::field(name, leaked::text(&field.wire_name), leaked::text(&field.description), line, parts);
        let presence = match field.required() {
            Some(true) => Presence::Required,
            Some(false) => Presence::Optional,
            None => usual.presence,
        };
        FieldDescriptor {
            kind: self.foreign(item, field).unwrap_or(usual.kind),
            presence,
            rust_default: field.compared_default().map(|default| self.rust_default(item, field, default)),
            nullable: field.nullable(),
            flatten: field.flatten,
            channels: field.channels(),
            experimental: experimental(&field.markers),
            markers: markers(&field.markers),
            aliases: aliases(&field.aliases),
            ..usual
        }
    }

    /// The schema of a foreign type, which only compiled code has.
    fn foreign(&self, item: &Item, field: &Field) -> Option<TypeRef> {
        if !field.foreign {
            return None;
        }
        let (_, stripped) = strip_options(&field.kind);
        let schema = self.compiled(compiled::Kind::Foreign, item, field, stripped)?;
        let name = leaked::text(&stripped.to_token_stream().to_string().replace(' ', ""));
        Some(TypeRef::Foreign { name, schema: Deferred::read(schema), descriptions: field.foreign_descriptions })
    }

    /// What an absent field reads as, which only compiled code has.
    fn rust_default(&self, item: &Item, field: &Field, default: &SerdeDefault) -> Deferred<Option<String>> {
        let text = match default {
            SerdeDefault::Function(_, path) => self.compiled(compiled::Kind::Default, item, field, path),
            SerdeDefault::Zero(_) => self.compiled(compiled::Kind::Default, item, field, &field.kind),
        };
        Deferred::read(text)
    }

    fn compiled(&self, kind: compiled::Kind, item: &Item, field: &Field, tokens: &impl ToTokens) -> Option<String> {
        let at = tokens.span().start();
        (self.types.compiled)(&Need {
            kind,
            file: self.entry.file.into(),
            type_name: item.display_name.clone(),
            field: plain(&field.name),
            tokens: tokens.to_token_stream(),
            at: (at.line, at.column + 1),
        })
    }

    /// A variant with data: an optional field.
    fn data_variant(&mut self, variant: &DataVariant) -> FieldDescriptor {
        let parts = match &variant.data {
            Data::Fields { record, .. } => {
                let reference = TypeRef::Named(Deferred::read(self.described(record)));
                TypeParts { reference, kind: Kind::Struct, options: 0 }
            }
            Data::Newtype { inner, .. } => self.parts_at(inner),
        };
        let (name, line) = (leaked::text(&plain(&variant.name)), line(variant.name.span()));
        let parts = TypeParts { options: parts.options + 1, ..parts };
        FieldDescriptor {
            channels: variant.channels,
            experimental: variant.experimental,
            markers: markers(&variant.markers),
            aliases: aliases(&variant.aliases),
            ..usual::field(name, leaked::text(&variant.wire_name), leaked::text(&variant.description), line, parts)
        }
    }
}

/// A variant without data.
fn variant(variant: &Variant) -> VariantDescriptor {
    let (name, line) = (leaked::text(&plain(&variant.name)), line(variant.name.span()));
    VariantDescriptor {
        channels: variant.channels(),
        experimental: experimental(&variant.markers),
        markers: markers(&variant.markers),
        aliases: aliases(&variant.aliases),
        ..usual::variant(name, leaked::text(&variant.wire_name), leaked::text(&variant.description), line)
    }
}

fn aliases(names: &[LitStr]) -> &'static [&'static str] {
    leaked::list(names.iter().map(|name| leaked::text(&name.value())).collect())
}

fn markers(markers: &[LocatedMarker]) -> &'static [Marker] {
    let read = markers.iter().filter_map(|placed| Marker::read(&placed.marker, line(placed.lines.first())));
    leaked::list(read.collect())
}

fn tombstone(placed: &LocatedMarker) -> Tombstone {
    let text = |name: &str| placed.marker.arguments.text(name).map(leaked::text);
    Tombstone {
        name: text("name").unwrap_or_default(),
        removed: text("removed").unwrap_or_default(),
        reason: text("reason").unwrap_or_default(),
        replacement: text("replacement"),
        line: line(placed.lines.first()),
    }
}
