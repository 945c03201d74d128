//! The typed item: the meaning of its attributes, without `syn` attributes.
//!
//! Invariants: a field or variant with an error is kept, so that the impls of the item can be emitted; wire names are final.

use crd_markers::fit::Kind;
use crd_markers::table::{Meaning, RuleKind, Target};
use crd_markers::value::Value;
use crd_names::channel::{Channel, ChannelSet};
use crd_names::wire::Case;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::token::Comma;
use syn::{Attribute, DeriveInput, Fields, GenericArgument, Generics, LitStr, Path, PathArguments, Type, Visibility};

pub use crate::attr::plain;
use crate::attr::{Attributes, ItemOptions, LocatedMarker, Serde, SerdeDefault, attributes, is_taken};
use crate::compile_errors::CompileErrors;

/// An item under `#[api]`.
pub struct Item {
    pub name: Ident,
    /// The name in messages.
    pub display_name: String,
    pub visibility: Visibility,
    pub kept: Vec<Attribute>,
    pub description: String,
    pub markers: Vec<LocatedMarker>,
    pub options: ItemOptions,
    pub body: Body,
}

/// What the item is made of.
#[allow(clippy::large_enum_variant, reason = "an item has one")]
pub enum Body {
    Struct(Vec<Field>),
    Newtype {
        visibility: Visibility,
        kept: Vec<Attribute>,
        inner: Type,
        named_kind: NamedKind,
    },
    Enum(Vec<Variant>),
    Union(Union),
    /// Refused already; the item is emitted as it was, with impls that let the rest of the crate compile.
    Refused {
        untouched: TokenStream,
        generics: Generics,
    },
}

pub struct Field {
    pub name: Ident,
    pub visibility: Visibility,
    pub kept: Vec<Attribute>,
    pub description: String,
    pub markers: Vec<LocatedMarker>,
    pub kind: Type,
    /// How many `Option`s are written around the type.
    pub options: usize,
    pub named_kind: NamedKind,
    pub wire_name: String,
    pub aliases: Vec<LitStr>,
    pub flatten: bool,
    pub skip: bool,
    pub default: Option<SerdeDefault>,
    /// Whether an empty list or map is not written.
    pub skip_empty: bool,
    pub foreign: bool,
    /// Whether the descriptions of the foreign type are published.
    pub foreign_descriptions: bool,
    /// Whether its type was rejected, so that the descriptor needs a placeholder.
    pub refused_type: bool,
}

/// A variant of an enum.
pub struct Variant {
    pub name: Ident,
    pub kept: Vec<Attribute>,
    pub description: String,
    pub markers: Vec<LocatedMarker>,
    pub wire_name: String,
    pub aliases: Vec<LitStr>,
}

/// An enum whose variants hold data.
pub struct Union {
    /// The field that names the variant; `None`: each variant is a field.
    pub tag: Option<LitStr>,
    pub variants: Vec<DataVariant>,
}

/// A variant of an enum with data.
pub struct DataVariant {
    pub name: Ident,
    pub kept: Vec<Attribute>,
    pub description: String,
    /// Markers about the variant and not about its data.
    pub markers: Vec<LocatedMarker>,
    pub channels: ChannelSet,
    pub experimental: Option<u32>,
    pub wire_name: String,
    pub aliases: Vec<LitStr>,
    pub data: Data,
}

/// What a variant holds.
pub enum Data {
    /// Named fields, as a struct of their own that the author does not see. It has the markers of the variant.
    Fields {
        record: Box<Item>,
        is_unit: bool,
    },
    Newtype {
        kept: Vec<Attribute>,
        markers: Vec<LocatedMarker>,
        inner: Box<Type>,
    },
}

/// What the name of a type alone determines. An alias or a type of another crate is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedKind {
    pub kind: Option<Kind>,
    /// Of the items, if it is a list.
    pub items: Option<Kind>,
}

impl NamedKind {
    pub const fn only(kind: Kind) -> Self {
        NamedKind { kind: Some(kind), items: None }
    }
}

impl Field {
    pub fn has(&self, meaning: Meaning) -> bool {
        self.markers.iter().any(|placed| placed.marker.spec.meaning == meaning)
    }

    pub fn channels(&self) -> ChannelSet {
        channels(&self.markers)
    }

    /// Whether it is on the wire under a name of its own.
    pub fn is_named(&self) -> bool {
        !self.skip && !self.flatten
    }

    /// Whether the macro cannot determine its type.
    pub fn is_opaque(&self) -> bool {
        self.foreign || self.refused_type
    }

    /// Whether it is what the metadata of a resource must be, by its name.
    pub fn is_object_meta(&self) -> bool {
        let last = path_of(&self.kind).and_then(|path| path.segments.last());
        self.wire_name == "metadata" && last.is_some_and(|last| last.ident == "ObjectMeta")
    }

    /// Whether it may be absent although its type is not an `Option`.
    pub fn is_defaulted(&self) -> bool {
        self.default.is_some() && self.options == 0 && self.is_named()
    }

    /// Whether it must be present, where the `Option`s of its type do not decide.
    pub fn required(&self) -> Option<bool> {
        if self.required_nullable() {
            return Some(true);
        }
        (self.is_opaque() && self.options > 0 || self.is_defaulted()).then_some(false)
    }

    /// The default in Rust, where it must be equal to the default in the schema.
    pub fn compared_default(&self) -> Option<&SerdeDefault> {
        self.schema_default()?;
        let is_unknown = self.is_defaulted() && self.named_kind.kind.is_none();
        self.default.as_ref().filter(|default| is_unknown || matches!(default, SerdeDefault::Function(..)))
    }

    /// The marker of its default in the schema.
    pub fn schema_default(&self) -> Option<&LocatedMarker> {
        self.markers.iter().find(|placed| {
            placed.marker.spec.meaning == Meaning::Rule(RuleKind::Default) && placed.marker.channel.is_none()
        })
    }

    /// Whether its fields stand in the outer object; refused ones do not.
    pub fn is_flattened(&self) -> bool {
        self.flatten && !self.skip && !self.is_opaque() && self.options == 0
    }

    /// Whether `null` is a value of its own.
    pub fn nullable(&self) -> bool {
        self.options >= 2 || self.has(Meaning::Nullable)
    }

    /// Whether an `Option` must be present, with null as a value.
    pub fn required_nullable(&self) -> bool {
        self.options == 1 && self.has(Meaning::Nullable) && self.has(Meaning::Required)
    }
}

impl Variant {
    pub fn channels(&self) -> ChannelSet {
        channels(&self.markers)
    }
}

impl Item {
    pub fn channels(&self) -> ChannelSet {
        channels(&self.markers)
    }

    /// What the name of the type determines.
    pub fn named_kind(&self) -> NamedKind {
        match &self.body {
            Body::Struct(_) => NamedKind::only(Kind::Struct),
            Body::Newtype { named_kind, .. } => *named_kind,
            Body::Enum(_) => NamedKind::only(Kind::String),
            Body::Union(_) => NamedKind::only(Kind::Object),
            Body::Refused { .. } => NamedKind::only(Kind::Any),
        }
    }

    /// The fields, values or variants that have this name on the wire.
    pub fn named(&self, name: &str) -> Vec<&Ident> {
        match &self.body {
            Body::Struct(fields) => {
                let named = fields.iter().filter(|field| field.is_named() && field.wire_name == name);
                named.map(|field| &field.name).collect()
            }
            Body::Enum(variants) => {
                variants.iter().filter(|variant| variant.wire_name == name).map(|variant| &variant.name).collect()
            }
            Body::Union(union) => {
                let named = union.variants.iter().filter(|variant| variant.wire_name == name);
                named.map(|variant| &variant.name).collect()
            }
            Body::Newtype { .. } | Body::Refused { .. } => Vec::new(),
        }
    }

    /// The tombstones of the item, with the lines they stand on.
    pub fn tombstones(&self) -> impl Iterator<Item = &LocatedMarker> {
        self.markers.iter().filter(|placed| placed.marker.spec.meaning == Meaning::Tombstone)
    }

    /// Whether the author derives the trait of that name.
    pub fn derived(&self, name: &str) -> bool {
        self.kept.iter().filter_map(derive_list).flatten().any(|path| ends_in(&path, name))
    }

    /// The path to `crd_channels` in emitted code.
    pub fn krate(&self) -> TokenStream {
        match &self.options.krate {
            // With a span of the macro, so that lints ignore it.
            Some(path) => at(quote!(#path), Span::call_site()),
            None => quote!(::crd_channels),
        }
    }

    /// Whether the author marked parts of it as deprecated, or allowed such parts.
    pub fn has_deprecated_parts(&self) -> bool {
        let parts: Vec<&[Attribute]> = match &self.body {
            Body::Struct(fields) => fields.iter().map(|field| field.kept.as_slice()).collect(),
            Body::Enum(variants) => variants.iter().map(|variant| variant.kept.as_slice()).collect(),
            Body::Union(union) => {
                let in_fields = |variant: &DataVariant| match &variant.data {
                    Data::Fields { record, .. } => record.has_deprecated_parts(),
                    Data::Newtype { .. } => false,
                };
                if union.variants.iter().any(in_fields) {
                    return true;
                }
                union.variants.iter().map(|variant| variant.kept.as_slice()).collect()
            }
            Body::Newtype { kept, .. } => vec![kept],
            Body::Refused { .. } => Vec::new(),
        };
        parts
            .into_iter()
            .flatten()
            .chain(&self.kept)
            .any(|attribute| mentions(attribute.meta.to_token_stream(), "deprecated"))
    }
}

fn channels(markers: &[LocatedMarker]) -> ChannelSet {
    if markers.iter().any(|placed| placed.marker.spec.meaning == Meaning::Experimental) {
        ChannelSet::from(Channel::Experimental)
    } else {
        ChannelSet::ALL
    }
}

/// The line of the marker `+experimental`.
pub fn experimental(markers: &[LocatedMarker]) -> Option<u32> {
    let marker = markers.iter().find(|placed| placed.marker.spec.meaning == Meaning::Experimental)?;
    Some(line(marker.lines.first()))
}

/// The line of a span in its file.
pub fn line(span: Span) -> u32 {
    u32::try_from(span.start().line).unwrap_or(u32::MAX)
}

/// The tokens with that span.
pub fn at(tokens: TokenStream, span: Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token| {
            token.set_span(span);
            token
        })
        .collect()
}

/// Whether the tokens contain a word.
fn mentions(tokens: TokenStream, word: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == word,
        TokenTree::Group(group) => mentions(group.stream(), word),
        _ => false,
    })
}

/// The traits of a `#[derive(…)]`.
fn derive_list(attribute: &Attribute) -> Option<Punctuated<Path, Comma>> {
    let is_derive = attribute.path().is_ident("derive");
    is_derive.then(|| attribute.parse_args_with(Punctuated::parse_terminated).ok()).flatten()
}

fn ends_in(path: &Path, name: &str) -> bool {
    path.segments.last().is_some_and(|last| last.ident == name)
}

/// Traits that the macro implements itself, and where: a second impl would be another wire form or schema, and fail where fields have no such impl.
const OWN_TRAITS: [(&str, &str); 7] = [
    ("Serialize", WIRE_FORM),
    ("Deserialize", WIRE_FORM),
    ("Default", "for an enum, as the value that an absent one reads as (`Unrecognized` with an empty string)"),
    ("JsonSchema", SCHEMA),
    ("KubeSchema", SCHEMA),
    ("CELSchema", SCHEMA),
    (
        "CustomResource",
        "for a root struct that you write, `#[api(group = …, version = …, kind = …)]`, with the feature `kube` of crd-channels",
    ),
];
const WIRE_FORM: &str = "with the feature `serde` of crd-channels, so that wire form and schema stay the same";
const SCHEMA: &str = "with the feature `schemars` of crd-channels, as the schema of the CRD";

/// Takes these traits out of derives.
fn refuse_derives(kept: &mut [Attribute], is_enum: bool, errors: &mut CompileErrors) {
    for attribute in kept {
        let Some(list) = derive_list(attribute) else { continue };
        let own =
            |path: &Path| OWN_TRAITS.iter().find(|(name, _)| ends_in(path, name) && (is_enum || *name != "Default"));
        let (refused, accepted): (Vec<Path>, Vec<Path>) = list.into_iter().partition(|path| own(path).is_some());
        for (path, (name, why)) in refused.iter().filter_map(|path| Some((path, own(path)?))) {
            errors.at(path, format!("`#[api]` implements `{name}` {why}: leave it out here"));
        }
        if !refused.is_empty() {
            attribute.meta = syn::parse_quote!(derive(#(#accepted),*));
        }
    }
}

/// Makes the typed item.
pub fn item(input: DeriveInput, untouched: TokenStream, options: ItemOptions, errors: &mut CompileErrors) -> Item {
    let target = if options.is_resource() { Target::Resource } else { Target::Type };
    let Attributes { description, markers, serde, mut kept, .. } = attributes(input.attrs, target, errors);
    refuse_derives(&mut kept, matches!(input.data, syn::Data::Enum(_)), errors);
    if let (Some(instance), true) = (options.instances.first(), input.generics.params.is_empty()) {
        errors.at(&instance.name, "this type is not generic, so it is the only instance: remove `instances`");
    }
    let refused_for_generics = !input.generics.params.is_empty();
    if refused_for_generics {
        let only_types = input.generics.params.iter().all(|parameter| matches!(parameter, syn::GenericParam::Type(_)));
        errors.at(&input.generics, if only_types { GENERIC } else { ONLY_TYPE_PARAMETERS });
    }
    if let Some(name) = &serde.only_for_unions
        && !matches!(&input.data, syn::Data::Enum(data) if is_union(data, &serde))
    {
        errors.at(name, format!("`{name}` is for an enum whose variants hold data: remove it"));
    }
    let is_refused = refused_for_generics || serde.is_refused_form;
    let body = body(&input.ident, input.data, serde, &options, errors);
    Item {
        display_name: plain(&input.ident),
        name: input.ident,
        visibility: input.vis,
        kept,
        description,
        markers,
        options,
        body: match body {
            Some(body) if !is_refused => body,
            _ => Body::Refused { untouched: without_own_attributes(untouched), generics: input.generics },
        },
    }
}

/// Whether the variants of an enum hold data.
fn is_union(data: &syn::DataEnum, serde: &Serde) -> bool {
    serde.tag.is_some()
        || serde.is_refused_form
        || data.variants.iter().any(|variant| !matches!(variant.fields, Fields::Unit))
}

/// What the item consists of. `None`: it is refused, and has been reported.
fn body(
    name: &Ident,
    data: syn::Data,
    serde: Serde,
    options: &ItemOptions,
    errors: &mut CompileErrors,
) -> Option<Body> {
    let case = serde.rename_all;
    match data {
        syn::Data::Struct(data) => match data.fields {
            Fields::Named(fields) => Some(Body::Struct(
                fields.named.into_iter().map(|field| self::field(field, case.unwrap_or(Case::Camel), errors)).collect(),
            )),
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                if case.is_some() {
                    errors.at(name, "`rename_all` means nothing on a newtype, which has no names");
                }
                fields.unnamed.into_iter().next().and_then(|field| newtype(field, name, errors))
            }
            Fields::Unnamed(_) | Fields::Unit => {
                errors.at(
                    name,
                    "an `#[api]` struct must have named fields, or one unnamed field (a newtype): anything else has no wire form in Kubernetes",
                );
                None
            }
        },
        syn::Data::Enum(data) if is_union(&data, &serde) => {
            let count = data.variants.len();
            let make = VariantsOf {
                name,
                krate: options.krate.as_ref(),
                is_tagged: serde.tag.is_some() || serde.is_refused_form,
                case,
                case_of_fields: serde.rename_all_fields.unwrap_or(Case::Camel),
            };
            let variants: Vec<DataVariant> =
                data.variants.into_iter().filter_map(|variant| make.variant(variant, errors)).collect();
            (variants.len() == count).then_some(Body::Union(Union { tag: serde.tag, variants }))
        }
        syn::Data::Enum(data) => Some(Body::Enum(
            data.variants.into_iter().filter_map(|variant| self::variant(variant, case, errors)).collect(),
        )),
        syn::Data::Union(_) => {
            errors.at(
                name,
                "a Rust union cannot be an `#[api]` type: write a struct with a discriminator and optional fields",
            );
            None
        }
    }
}

const GENERIC: &str = "a generic type has a schema for each instance: name the instances that the API uses, as in `#[api(instances(Name = Type<Argument>))]`";
const ONLY_TYPE_PARAMETERS: &str = "an `#[api]` type can have type parameters only: its values own all of their data, and the numbers in it are values";

/// The item without the attributes of `#[api]`. Parsing it again is cheap and rare.
fn without_own_attributes(item: TokenStream) -> TokenStream {
    let Ok(mut item) = syn::parse2::<DeriveInput>(item) else { return TokenStream::new() };
    let clean = |attributes: &mut Vec<Attribute>| {
        attributes.retain(|attribute| !is_taken(attribute.path()));
    };
    let clean_fields = |fields: &mut Fields| fields.iter_mut().for_each(|field| clean(&mut field.attrs));
    clean(&mut item.attrs);
    // They are reported already.
    refuse_derives(&mut item.attrs, matches!(item.data, syn::Data::Enum(_)), &mut CompileErrors::default());
    match &mut item.data {
        syn::Data::Struct(data) => clean_fields(&mut data.fields),
        syn::Data::Enum(data) => {
            for variant in &mut data.variants {
                clean(&mut variant.attrs);
                clean_fields(&mut variant.fields);
            }
        }
        syn::Data::Union(data) => data.fields.named.iter_mut().for_each(|field| clean(&mut field.attrs)),
    }
    item.to_token_stream()
}

fn field(field: syn::Field, case: Case, errors: &mut CompileErrors) -> Field {
    let span = field.span();
    let name = field.ident.unwrap_or_else(|| Ident::new("unnamed", span));
    let Attributes { description, markers, serde, foreign, foreign_descriptions, kept } =
        attributes(field.attrs, Target::Field, errors);
    let (options, stripped) = strip_options(&field.ty);
    let named_kind = named_kind(stripped);
    let refused_type = !foreign && !serde.skip && refuse_types(&field.ty, errors);
    if (serde.flatten || serde.skip) && (serde.rename.is_some() || !serde.aliases.is_empty()) {
        let what = if serde.skip { "skipped" } else { "flattened" };
        errors.at(&name, format!("a {what} field has no name on the wire: remove `rename` and `alias`"));
    }
    if serde.flatten && serde.skip {
        errors.at(&name, "a field is either flattened or skipped");
    }
    if let (Some(value), None) = (&serde.skip_empty, &serde.default) {
        errors.at(value, "a list or map that is not written when it is empty may be absent: write `default` too");
    }
    let wire_name = match &serde.rename {
        Some(rename) => rename.value(),
        None => case.field(&plain(&name)),
    };
    Field {
        visibility: field.vis,
        kept,
        description,
        markers,
        options,
        named_kind,
        wire_name,
        aliases: serde.aliases,
        flatten: serde.flatten,
        skip: serde.skip,
        default: serde.default,
        skip_empty: serde.skip_empty.is_some(),
        foreign,
        foreign_descriptions,
        refused_type,
        name,
        kind: field.ty,
    }
}

/// `None`: it is refused, and has been reported.
fn newtype(field: syn::Field, name: &Ident, errors: &mut CompileErrors) -> Option<Body> {
    let Attributes { markers, serde, foreign, kept, .. } = attributes(field.attrs, Target::Field, errors);
    for placed in &markers {
        errors.at(&placed.lines, "the field of a newtype has no markers of its own: put them on the type");
    }
    if serde.is_used() {
        errors.at(&field.ty, "a newtype is on the wire what its field is: serde's attributes mean nothing here");
    }
    if foreign {
        errors.at(
            &field.ty,
            "a newtype cannot be around a foreign type: put `#[api(foreign)]` on the fields that have the type",
        );
    }
    let named_kind = named_kind(&field.ty);
    if refuse_types(&field.ty, errors) {
        return None;
    }
    if strip_options(&field.ty).0 > 0 {
        errors.at(&field.ty, NEWTYPE_AROUND_OPTION);
    }
    if is_made_of(&field.ty, name) {
        errors.at(
            &field.ty,
            format!("`{name}` is made of itself, which no Kubernetes schema can be: it must name every level"),
        );
        return None;
    }
    Some(Body::Newtype { visibility: field.vis, kept, inner: field.ty, named_kind })
}

/// Whether this type contains the type of that name.
fn is_made_of(kind: &Type, name: &Ident) -> bool {
    let Some(path) = path_of(kind) else { return false };
    path.is_ident(name)
        || path.is_ident("Self")
        || path.segments.iter().any(|part| arguments_of(&part.arguments).any(|argument| is_made_of(argument, name)))
}

pub const NEWTYPE_AROUND_OPTION: &str = "a newtype cannot be around an `Option`: put the `Option` around the newtype";

/// `None`: the variant is one that the macro adds itself, and has been reported.
fn variant(variant: syn::Variant, case: Option<Case>, errors: &mut CompileErrors) -> Option<Variant> {
    let Attributes { description, markers, serde, kept, .. } = attributes(variant.attrs, Target::Variant, errors);
    for placed in markers.iter().filter(|placed| placed.marker.spec.meaning == Meaning::Tombstone) {
        errors.at(&placed.lines, NO_FIELDS_OF_ITS_OWN);
    }
    if let Some((_, value)) = &variant.discriminant {
        errors.at(value, "a discriminant means nothing on the wire: remove it");
    }
    if is_added_by_the_macro(&variant.ident, errors) {
        return None;
    }
    let name = plain(&variant.ident);
    let wire_name = match (&serde.rename, case) {
        (Some(rename), _) => rename.value(),
        (None, Some(case)) => case.variant(&name),
        (None, None) => name,
    };
    Some(Variant { kept, description, markers, wire_name, aliases: serde.aliases, name: variant.ident })
}

const NO_FIELDS_OF_ITS_OWN: &str = "a tombstone on a variant is for a field that was written in it: put it on the enum, or on the type that had the field";

/// Reports a variant with the name of the macro's own.
fn is_added_by_the_macro(name: &Ident, errors: &mut CompileErrors) -> bool {
    let is_added = name == "Unrecognized";
    if is_added {
        errors.at(
            name,
            "`#[api]` adds a variant `Unrecognized` itself, for values of newer bundles: choose another Rust name, and give it the wire name with `#[serde(rename = \"Unrecognized\")]`",
        );
    }
    is_added
}

/// What the variants of an enum with data have in common.
struct VariantsOf<'a> {
    name: &'a Ident,
    krate: Option<&'a Path>,
    is_tagged: bool,
    case: Option<Case>,
    case_of_fields: Case,
}

impl VariantsOf<'_> {
    /// `None`: it is refused, and has been reported.
    fn variant(&self, variant: syn::Variant, errors: &mut CompileErrors) -> Option<DataVariant> {
        let Attributes { description, markers, serde, kept, .. } = attributes(variant.attrs, Target::Variant, errors);
        if is_added_by_the_macro(&variant.ident, errors) {
            return None;
        }
        let name = plain(&variant.ident);
        // A variant is a field or a value on the wire, and has the usual names of such.
        let usual_case = if self.is_tagged { Case::Pascal } else { Case::Camel };
        let wire_name = match &serde.rename {
            Some(rename) => rename.value(),
            None => self.case.unwrap_or(usual_case).variant(&name),
        };
        let (channels, experimental) = (channels(&markers), experimental(&markers));
        let is_of_variant = |placed: &LocatedMarker| {
            matches!(
                placed.marker.spec.meaning,
                Meaning::Rule(RuleKind::ConformanceFeature | RuleKind::GoName | RuleKind::Lint)
            )
        };
        let (of_variant, markers): (Vec<_>, Vec<_>) = markers.into_iter().partition(is_of_variant);
        let data = match variant.fields {
            Fields::Unit if !self.is_tagged => {
                errors.at(
                    &variant.ident,
                    format!(
                        "a variant without data is a string on the wire, and the other variants are objects: write `{name} {{}}`, or `#[serde(tag = \"…\")]` above the enum"
                    ),
                );
                return None;
            }
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                self.newtype(fields.unnamed.into_iter().next()?, markers, errors)?
            }
            Fields::Unnamed(fields) => {
                errors.at(
                    &fields,
                    "unnamed fields are a list on the wire, with a type for each position, which no Kubernetes schema can describe: give each field a name",
                );
                return None;
            }
            fields => {
                let is_unit = matches!(fields, Fields::Unit);
                let fields = fields.into_iter().map(|field| self::field(field, self.case_of_fields, errors)).collect();
                let record = self.record(&variant.ident, description.clone(), markers, fields);
                Data::Fields { record: Box::new(record), is_unit }
            }
        };
        Some(DataVariant {
            name: variant.ident,
            kept,
            description,
            markers: of_variant,
            channels,
            experimental,
            wire_name,
            aliases: serde.aliases,
            data,
        })
    }

    /// The struct that holds the fields of a variant.
    fn record(&self, variant: &Ident, description: String, markers: Vec<LocatedMarker>, fields: Vec<Field>) -> Item {
        let name = plain(variant);
        Item {
            name: quote::format_ident!("__{}{name}", plain(self.name), span = variant.span()),
            display_name: format!("{}::{name}", plain(self.name)),
            visibility: Visibility::Inherited,
            kept: Vec::new(),
            description,
            markers,
            options: ItemOptions { krate: self.krate.map(|path| syn::parse_quote!(#path)), ..ItemOptions::default() },
            body: Body::Struct(fields),
        }
    }

    fn newtype(&self, field: syn::Field, markers: Vec<LocatedMarker>, errors: &mut CompileErrors) -> Option<Data> {
        let attributes = attributes(field.attrs, Target::Field, errors);
        for placed in &attributes.markers {
            errors.at(&placed.lines, "the data of a variant has no markers of its own: put them on its type");
        }
        for placed in markers.iter().filter(|placed| placed.marker.spec.meaning == Meaning::Tombstone) {
            errors.at(&placed.lines, NO_FIELDS_OF_ITS_OWN);
        }
        if attributes.serde.is_used() {
            errors.at(
                &field.ty,
                "the data of a variant is on the wire what its type is: serde's attributes mean nothing here",
            );
        }
        if attributes.foreign {
            errors.at(&field.ty, "a foreign type is the type of a field: give the data of the variant a name");
        }
        if refuse_types(&field.ty, errors) {
            return None;
        }
        if strip_options(&field.ty).0 > 0 {
            errors.at(&field.ty, VARIANT_OF_OPTION);
            return None;
        }
        Some(Data::Newtype { kept: attributes.kept, markers, inner: Box::new(field.ty) })
    }
}

pub const VARIANT_OF_OPTION: &str =
    "a variant cannot hold an `Option`, because `None` and an absent variant are the same on the wire";

impl DataVariant {
    /// The type of the data.
    pub fn kind(&self) -> TokenStream {
        match &self.data {
            Data::Fields { record, .. } => record.name.to_token_stream(),
            Data::Newtype { inner, .. } => inner.to_token_stream(),
        }
    }
}

/// The path of a type, also of one that came through a `macro_rules!` or is in parentheses.
fn path_of(kind: &Type) -> Option<&Path> {
    match kind {
        Type::Path(path) => Some(&path.path),
        Type::Group(group) => path_of(&group.elem),
        Type::Paren(paren) => path_of(&paren.elem),
        _ => None,
    }
}

/// The type inside the `Option`s that are written around it.
pub fn strip_options(kind: &Type) -> (usize, &Type) {
    match inner_of(kind, "Option") {
        Some(inner) => {
            let (options, stripped) = strip_options(inner);
            (options + 1, stripped)
        }
        None => (0, kind),
    }
}

/// The one type argument of a path that ends in `name`.
fn inner_of<'t>(kind: &'t Type, name: &str) -> Option<&'t Type> {
    let last = path_of(kind)?.segments.last()?;
    if last.ident != name {
        return None;
    }
    arguments_of(&last.arguments).next()
}

/// The type arguments of the last part of a path.
fn arguments_of(arguments: &PathArguments) -> impl Iterator<Item = &Type> {
    let arguments = match arguments {
        PathArguments::AngleBracketed(arguments) => Some(&arguments.args),
        _ => None,
    };
    arguments.into_iter().flatten().filter_map(|argument| match argument {
        GenericArgument::Type(inner) => Some(inner),
        _ => None,
    })
}

/// Rust types that are recognised by their names.
const NAMED_KINDS: &[(&str, Kind)] = &[
    ("Vec", Kind::List),
    ("BTreeMap", Kind::Map),
    ("String", Kind::String),
    ("bool", Kind::Boolean),
    ("f32", Kind::Number),
    ("f64", Kind::Number),
    ("i8", Kind::Integer),
    ("u8", Kind::Integer),
    ("i16", Kind::Integer),
    ("u16", Kind::Integer),
    ("i32", Kind::Integer),
    ("u32", Kind::Integer),
    ("i64", Kind::Integer),
    ("u64", Kind::Integer),
    ("isize", Kind::Integer),
    ("usize", Kind::Integer),
];

fn named_kind(kind: &Type) -> NamedKind {
    if let Some(inner) = inner_of(kind, "Box") {
        return named_kind(inner);
    }
    let found = path_of(kind)
        .and_then(|path| path.segments.last())
        .and_then(|last| NAMED_KINDS.iter().find(|(name, _)| last.ident == name))
        .map(|(_, kind)| *kind);
    let items = inner_of(kind, "Vec").and_then(|items| named_kind(items).kind);
    NamedKind { kind: found, items }
}

/// Rust's own types that have no place in a schema, and what to write instead.
const UNFIT: &[(&str, &str)] = &[
    ("HashMap", "`BTreeMap<String, …>`, which keeps a stable order"),
    ("HashSet", "`Vec<…>` with `+listType=set`"),
    ("BTreeSet", "`Vec<…>` with `+listType=set`"),
    ("VecDeque", "`Vec<…>`"),
    ("char", "`String` with `+kubebuilder:validation:MaxLength=1`"),
    ("i128", "`i64`: JSON numbers go no further"),
    ("u128", "`u64`: JSON numbers go no further"),
    ("PathBuf", "`String`: paths of another machine may not be paths here"),
    ("OsString", "`String`"),
    ("SystemTime", "`crd_channels::Time`"),
    ("DateTime", "`crd_channels::Time`"),
    ("NaiveDateTime", "`crd_channels::Time`"),
    ("Zoned", "`crd_channels::Time`"),
];

/// Types of other crates, by the first part of their path, which have names that a type of the API may have too.
const FOREIGN: &[(&[&str], &str, &str)] = &[
    (
        &["std", "core", "chrono", "jiff", "time", "k8s_openapi"],
        "Duration",
        "an integer with its unit in the name, such as `timeout_seconds`, or `crd_channels::Duration` for a text",
    ),
    (&["jiff"], "Timestamp", "`crd_channels::Time`"),
    (&["k8s_openapi"], "Time", "`crd_channels::Time`"),
    (&["k8s_openapi"], "MicroTime", "`crd_channels::Time`"),
    (&["k8s_openapi"], "Quantity", "`crd_channels::Quantity`"),
    (&["k8s_openapi"], "IntOrString", "`crd_channels::IntOrString`"),
    (&["k8s_openapi"], "Condition", "`crd_channels::Condition`"),
    (&["k8s_openapi"], "LabelSelector", "`crd_channels::LabelSelector`"),
    (&["k8s_openapi"], "ObjectMeta", "`crd_channels::ObjectMeta`"),
    (
        &["k8s_openapi"],
        "",
        "`#[api(foreign)]` above the field, with the feature `schemars` of crd-channels and of k8s-openapi",
    ),
    (&["std", "core", "alloc"], "Arc", "the type in it, or `Box<…>`"),
    (&["std", "core", "alloc"], "Rc", "the type in it, or `Box<…>`"),
    (&["std", "core", "alloc"], "Cow", "`String`"),
    (&["std", "core", "alloc"], "Result", "an enum with `#[api]`"),
    (&["std", "core"], "IpAddr", "`String`"),
    (&["std", "core"], "Ipv4Addr", "`String` with `+kubebuilder:validation:Format=ipv4`"),
    (&["std", "core"], "Ipv6Addr", "`String` with `+kubebuilder:validation:Format=ipv6`"),
    (&["serde_json"], "Value", "`crd_channels::AnyJson`"),
    (&["serde_json"], "Map", "`crd_channels::RawExtension`"),
    (&["uuid"], "Uuid", "`String` with `+kubebuilder:validation:Format=uuid`"),
    (&["url"], "Url", "`String` with `+kubebuilder:validation:Format=uri`"),
];

/// What to write instead of a type of another crate, if its path names the crate.
fn instead_of_foreign(path: &Path) -> Option<&'static str> {
    let first = &path.segments.first()?.ident;
    let last = &path.segments.last().filter(|_| path.segments.len() > 1)?.ident;
    instead_of(&plain(first), &plain(last))
}

/// What to write instead of a type of this crate.
pub fn instead_of(krate: &str, name: &str) -> Option<&'static str> {
    let row =
        |(crates, known, _): &&(&[&str], &str, &str)| crates.contains(&krate) && (known.is_empty() || name == *known);
    FOREIGN.iter().find(row).map(|(_, _, instead)| *instead)
}

/// What a type without a name is, and what to write instead. The compiler checks the types of macros and of associated types.
fn nameless(kind: &Type) -> Option<(&'static str, &'static str)> {
    Some(match kind {
        Type::Group(group) => return nameless(&group.elem),
        Type::Paren(paren) => return nameless(&paren.elem),
        Type::Tuple(tuple) if tuple.elems.is_empty() => ("`()`", "a struct with `#[api]`, or remove the field"),
        Type::Tuple(_) => ("a tuple", "a struct with `#[api]`, whose fields have names"),
        Type::Array(_) | Type::Slice(_) => {
            ("an array", "`Vec<…>` with `+kubebuilder:validation:MinItems` and `+kubebuilder:validation:MaxItems`")
        }
        Type::Reference(_) => ("a reference", "a type that owns its data, such as `String` or `Vec<…>`"),
        Type::TraitObject(_) | Type::ImplTrait(_) => ("a trait", "an enum with `#[api]`, with a variant for each type"),
        _ => return None,
    })
}

/// Rejects types that cannot be in an API; the compiler checks types with other names. `true`: a placeholder goes into the
/// descriptor, so that there is one error only.
fn refuse_types(kind: &Type, errors: &mut CompileErrors) -> bool {
    if let Some((what, instead)) = nameless(kind) {
        errors.at(kind, format!("{what} is not supported: write {instead}"));
        return true;
    }
    let Some(last) = path_of(kind).and_then(|path| path.segments.last()) else { return false };
    if let Some((name, instead)) = UNFIT.iter().find(|(name, _)| last.ident == name) {
        errors.at(kind, format!("`{name}` is not supported: write {instead}"));
        return true;
    }
    if let Some(instead) = path_of(kind).and_then(instead_of_foreign) {
        let text = kind.to_token_stream().to_string().replace(' ', "");
        errors.at(kind, format!("`{text}` is not supported: write {instead}"));
        return true;
    }
    if inner_of(kind, "Vec").and_then(path_of).is_some_and(|item| item.is_ident("u8")) {
        errors.at(kind, "bytes are a base64 string on the wire: write `crd_channels::Bytes`");
        return true;
    }
    let mut refused = false;
    if last.ident == "BTreeMap"
        && let Some(key) = arguments_of(&last.arguments).next()
        && let named = named_kind(key).kind.filter(|kind| *kind != Kind::String).map(Kind::in_words)
        && let Some(what) = named.or_else(|| nameless(key).map(|(what, _)| what))
    {
        errors.at(
            key,
            format!("the keys of a map are strings on the wire, and this is {what}: write `BTreeMap<String, …>`"),
        );
        refused = true;
    }
    for argument in arguments_of(&last.arguments).skip(usize::from(refused)) {
        refused |= refuse_types(argument, errors);
    }
    refused
}

/// The kind of a node: that of its Rust type, or the kind that a marker sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// What the Rust type is.
    Rust(NamedKind),
    /// Something else, of that kind if one can say.
    Fixed(Option<Kind>),
}

impl Shape {
    pub fn of(markers: &[LocatedMarker], named_kind: NamedKind) -> Self {
        let reshaping = markers.iter().filter(|placed| !placed.marker.items).filter_map(|placed| {
            Some(match (placed.marker.spec.meaning, placed.marker.arguments.value()) {
                (Meaning::Rule(RuleKind::IntOrString), _) => Some(Kind::IntOrString),
                (Meaning::Rule(RuleKind::Schemaless), _) => None,
                (Meaning::Rule(RuleKind::Type), Some(Value::String(word))) => {
                    let kind = SCHEMA_KINDS.iter().find(|(name, _)| name == word).map(|(_, kind)| *kind);
                    // It may well repeat what the Rust type is.
                    let is_object = matches!(named_kind.kind, Some(Kind::Struct | Kind::Map));
                    if named_kind.kind.is_some() && (kind == named_kind.kind || is_object && kind == Some(Kind::Object))
                    {
                        return None;
                    }
                    kind
                }
                _ => return None,
            })
        });
        reshaping.fold(Shape::Rust(named_kind), |shape, kind| match shape {
            Shape::Rust(_) => Shape::Fixed(kind),
            // Several markers disagree, maybe for one channel each: undecided here.
            Shape::Fixed(other) => Shape::Fixed(kind.filter(|kind| Some(*kind) == other)),
        })
    }
}

/// What `+kubebuilder:validation:Type` can say.
const SCHEMA_KINDS: [(&str, Kind); 6] = [
    ("array", Kind::List),
    ("boolean", Kind::Boolean),
    ("integer", Kind::Integer),
    ("number", Kind::Number),
    ("object", Kind::Object),
    ("string", Kind::String),
];
