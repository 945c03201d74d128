//! Emits the item, its descriptor, and assertions.
//!
//! Invariants: descriptors are constants; the item and its impls are emitted even after errors, without invalid markers;
//! assertions carry the span of their doc line.

use crd_markers::facts::{Bounds, Kind};
use crd_markers::marker::{Arguments, Marker};
use crd_markers::table::{ArgumentSpec, LENS, RuleKind};
use crd_markers::value::{Value, ValueKind};
use crd_names::channel::{Channel, ChannelSet};
use crd_names::wire::plural;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Generics, LitStr};

use crate::wire;
use crd_syntax::assertion::{Assertion, That, assertions as assertions_of};
use crd_syntax::ast::{
    Body, Data, DataVariant, Field, Item, Union, Variant, at, experimental, line, plain, strip_options,
};
use crd_syntax::attr::{LocatedMarker, SerdeDefault};
use crd_syntax::facts::Plan;
use crd_syntax::instances::Generic;

/// The whole output for an item. The impls are first: rustc then reports a type without `#[api]` before the derives that it does not have.
pub(crate) fn item(item: &Item) -> TokenStream {
    let (declaration, impls) = (declaration(item, &Generics::default()), impls(item));
    quote!(#impls #declaration)
}

/// The whole output for a generic type with named instances: the type as its author wrote it, and each alias with its impls.
pub(crate) fn generic(generic: &Generic) -> TokenStream {
    let Generic { item, generics, instances } = generic;
    let declaration = declaration(item, generics);
    let description = format!("An instance of [`{}`].", plain(&item.name));
    let instances = instances.iter().map(|(kind, item)| {
        let (Item { name, visibility, .. }, impls) = (item, impls(item));
        quote! {
            #[doc = #description]
            #visibility type #name = #kind;
            #impls
        }
    });
    quote!(#(#instances)* #declaration)
}

/// Everything but the declaration.
fn impls(item: &Item) -> TokenStream {
    let krate = item.krate();
    if let Body::Refused { generics, .. } = &item.body {
        return stand_in(item, generics, &krate);
    }
    let typed = typed(item, &krate);
    let described = described(item, &krate);
    let assertions = assertions(item, &krate);
    let wire = wire::item(item, &krate);
    let records = records(item);
    let json_schema = json_schema(item, &krate);
    let impls = quote!(#records #typed #described #assertions #wire #json_schema);
    if item.has_deprecated_parts() {
        return quote!(#[allow(deprecated)] const _: () = { #impls };);
    }
    if !records.is_empty() {
        return quote!(const _: () = { #impls };);
    }
    impls
}

/// The structs that hold the fields of variants. They are in a block of their own, so that the author does not see them.
fn records(item: &Item) -> TokenStream {
    let Body::Union(union) = &item.body else { return TokenStream::new() };
    let records = union.variants.iter().filter_map(|variant| match &variant.data {
        Data::Fields { record, .. } => Some(self::item(record)),
        Data::Newtype { .. } => None,
    });
    records.collect()
}

/// The item as its author wrote it, with the derives.
fn declaration(item: &Item, generics: &Generics) -> TokenStream {
    let Item { name, visibility, kept, body, .. } = item;
    let condition = &generics.where_clause;
    let derives = wire::derives(item);
    match body {
        Body::Struct(fields) => {
            let fields = fields.iter().map(|field| {
                let Field { name, visibility, kept, kind, .. } = field;
                quote!(#(#kept)* #visibility #name: #kind)
            });
            quote! {
                #(#kept)*
                #derives
                #visibility struct #name #generics #condition { #(#fields,)* }
            }
        }
        Body::Newtype { visibility: inner_visibility, kept: inner_kept, inner, .. } => quote! {
            #(#kept)*
            #derives
            #visibility struct #name #generics (#(#inner_kept)* #inner_visibility #inner) #condition;
        },
        Body::Enum(variants) => {
            let variants = variants.iter().map(|variant| {
                let Variant { name, kept, .. } = variant;
                quote!(#(#kept)* #name)
            });
            quote! {
                #(#kept)*
                #derives
                #visibility enum #name #generics #condition {
                    #(#variants,)*
                    /// A value that this version of the types does not know, as it was read.
                    Unrecognized(::std::string::String),
                }
            }
        }
        Body::Union(union) => {
            let krate = item.krate();
            let variants = union.variants.iter().map(data_variant);
            quote! {
                #(#kept)*
                #derives
                #visibility enum #name #generics #condition {
                    #(#variants,)*
                    /// An object that this version of the types does not know, as it was read.
                    Unrecognized(#krate::RawExtension),
                }
            }
        }
        Body::Refused { untouched, .. } => untouched.clone(),
    }
}

/// A variant of an enum with data, as its author wrote it.
fn data_variant(variant: &DataVariant) -> TokenStream {
    let DataVariant { name, kept, data, .. } = variant;
    match data {
        Data::Newtype { kept: inner_kept, inner, .. } => quote!(#(#kept)* #name(#(#inner_kept)* #inner)),
        Data::Fields { is_unit: true, .. } => quote!(#(#kept)* #name),
        Data::Fields { record, .. } => {
            let Body::Struct(fields) = &record.body else { return TokenStream::new() };
            let fields = fields.iter().map(|field| {
                let Field { name, kept, kind, .. } = field;
                quote!(#(#kept)* #name: #kind)
            });
            quote!(#(#kept)* #name { #(#fields),* })
        }
    }
}

/// schemars' `JsonSchema`, if the feature is on. The fields of a variant are described by their enum.
fn json_schema(item: &Item, krate: &TokenStream) -> TokenStream {
    let Item { name, display_name: text, .. } = item;
    if !cfg!(feature = "schemars") || *text != plain(name) {
        return TokenStream::new();
    }
    let schemars = quote!(#krate::exports::schemars);
    let cow = quote!(::std::borrow::Cow<'static, ::core::primitive::str>);
    quote! {
        impl #schemars::JsonSchema for #name {
            fn schema_name() -> #cow {
                ::std::borrow::Cow::Borrowed(#text)
            }
            fn schema_id() -> #cow {
                ::std::borrow::Cow::Borrowed(::core::concat!(::core::module_path!(), "::", #text))
            }
            fn json_schema(_: &mut #schemars::SchemaGenerator) -> #schemars::Schema {
                #krate::json_schema::schema::<Self>()
            }
        }
    }
}

fn typed(item: &Item, krate: &TokenStream) -> TokenStream {
    let name = &item.name;
    let variant = |kind: Kind| {
        let variant = format_ident!("{kind:?}");
        quote!(#krate::facts::Kind::#variant)
    };
    let of = |kind| {
        let kind = variant(kind);
        (kind.clone(), quote!(#krate::facts::Facts::of(#kind)))
    };
    let (kind, facts) = match Plan::of(item) {
        Plan::Kind(kind) => of(kind),
        Plan::Values(values) => {
            let (kind, facts) = of(Kind::String);
            (kind, quote!(#facts.with_values(&[#(#values),*])))
        }
        Plan::Newtype { inner, bounds, values } => {
            let bounds = (bounds != Bounds::NONE).then(|| self::bounds(&bounds, krate));
            let bounds = bounds.map(|bounds| quote!(.bounded(#bounds)));
            let values = values.map(|values| quote!(.with_values(&[#(#values),*])));
            (quote!(<#inner as #krate::Typed>::KIND), quote!(<#inner as #krate::Typed>::FACTS #bounds #values))
        }
        Plan::Struct { named, flattened } => {
            let fields = named.iter().map(|field| fact(field, krate));
            let fields = quote!(fields: &[#(#fields),*]);
            let flattened = quote!(flattened: &[#(&<#flattened as #krate::Typed>::FACTS),*]);
            (variant(Kind::Struct), quote!(#krate::facts::Facts { #fields, #flattened, ..#krate::exports::STRUCT }))
        }
    };
    quote! {
        impl #krate::Typed for #name {
            const TYPE: #krate::TypeRef = #krate::TypeRef::named::<#name>();
            const KIND: #krate::facts::Kind = #kind;
            const FACTS: #krate::facts::Facts = #facts;
        }
    }
}

/// What is known at compile time of a field of a struct.
fn fact(field: &Field, krate: &TokenStream) -> TokenStream {
    let (wire_name, parts) = (&field.wire_name, parts(field, krate));
    let usual = quote!(#krate::exports::fact(#wire_name, #parts));
    let required = field.required().map(|required| quote!(required: #required));
    with(&quote!(#krate::facts::FieldFact), required.as_slice(), usual)
}

fn described(item: &Item, krate: &TokenStream) -> TokenStream {
    let name = &item.name;
    let name_text = &item.display_name;
    let description = &item.description;
    let channels = channel_set(item.channels(), krate);
    let mark = match experimental(&item.markers) {
        Some(line) => quote!(::core::option::Option::Some(#line)),
        None => quote!(::core::option::Option::None),
    };
    let shape = match &item.body {
        Body::Struct(fields) => {
            let fields = fields.iter().filter(|field| !field.skip).map(|field| self::field(field, krate));
            quote!(#krate::Shape::Struct(&[#(#fields),*]))
        }
        Body::Newtype { inner, .. } => quote!(#krate::Shape::Newtype(<#inner as #krate::Typed>::TYPE)),
        Body::Enum(variants) => {
            let open = item.options.open;
            let variants = variants.iter().map(|variant| described_value(variant, krate));
            quote!(#krate::Shape::Enum { variants: &[#(#variants),*], open: #open })
        }
        Body::Union(Union { tag, variants }) => {
            let tag = option(tag.as_ref().map(LitStr::value).as_deref());
            let variants = variants.iter().map(|variant| described_variant(variant, krate));
            quote!(#krate::Shape::Union { tag: #tag, variants: &[#(#variants),*] })
        }
        Body::Refused { .. } => return TokenStream::new(),
    };
    let markers = markers(&item.markers, krate);
    let tombstones = item.tombstones().map(|placed| tombstone(&placed.marker, line(placed.lines.first()), krate));
    let resource = match (&item.options.group, &item.options.version, &item.options.kind) {
        (Some(group), Some(version), Some(kind)) => {
            let plural = plural(&kind.value());
            quote!(::core::option::Option::Some(#krate::ResourceDescriptor {
                group: #group, version: #version, kind: #kind, plural: #plural,
            }))
        }
        _ => quote!(::core::option::Option::None),
    };
    let line = line(name.span());
    let mut tokens = quote! {
        impl #krate::Described for #name {
            const DESCRIPTOR: &'static #krate::TypeDescriptor = {
                static DESCRIPTOR: #krate::TypeDescriptor = #krate::TypeDescriptor {
                name: #name_text,
                module: ::core::module_path!(),
                description: #description,
                channels: #channels,
                experimental: #mark,
                shape: #shape,
                markers: #markers,
                tombstones: &[#(#tombstones),*],
                resource: #resource,
                location: #krate::Location { file: ::core::file!(), line: #line },
                };
                &DESCRIPTOR
            };
        }
    };
    tokens.extend(identity(item, krate));
    tokens
}

/// The identity of a root type.
fn identity(item: &Item, krate: &TokenStream) -> Option<TokenStream> {
    let (name, options) = (&item.name, &item.options);
    let (group, version, kind) = (options.group.as_ref()?, options.version.as_ref()?, options.kind.as_ref()?);
    let api_version = format!("{}/{}", group.value(), version.value());
    Some(quote! {
        impl #krate::Resource for #name {
            const GROUP: &'static str = #group;
            const VERSION: &'static str = #version;
            const KIND: &'static str = #kind;
            const API_VERSION: &'static str = #api_version;
        }
    })
}

fn tombstone(marker: &Marker, line: u32, krate: &TokenStream) -> TokenStream {
    let text = |argument: &str| marker.arguments.text(argument).unwrap_or_default().to_owned();
    let (name, removed, reason) = (text("name"), text("removed"), text("reason"));
    let replacement = option(marker.arguments.text("replacement"));
    quote!(#krate::Tombstone {
        name: #name, removed: #removed, reason: #reason, replacement: #replacement, line: #line,
    })
}

/// A variant without data in the descriptor.
fn described_value(variant: &Variant, krate: &TokenStream) -> TokenStream {
    let name = plain(&variant.name);
    let Variant { wire_name, description, .. } = variant;
    let line = line(variant.name.span());
    let usual = quote!(#krate::exports::variant(#name, #wire_name, #description, #line));
    let different = different(experimental(&variant.markers), &variant.markers, &variant.aliases, krate);
    with(&quote!(#krate::Variant), &different, usual)
}

/// A variant with data in the descriptor: an optional field.
fn described_variant(variant: &DataVariant, krate: &TokenStream) -> TokenStream {
    let name = plain(&variant.name);
    let DataVariant { wire_name, description, .. } = variant;
    let (line, kind) = (line(variant.name.span()), variant.kind());
    let parts = quote!(<::core::option::Option<#kind> as #krate::Typed>::PARTS);
    let usual = quote!(#krate::exports::field(#name, #wire_name, #description, #line, #parts));
    let different = different(variant.experimental, &variant.markers, &variant.aliases, krate);
    with(&quote!(#krate::Field), &different, usual)
}

/// The parts of a type's descriptor that its field needs.
fn parts(field: &Field, krate: &TokenStream) -> TokenStream {
    let kind = &field.kind;
    if field.is_opaque() { quote!(#krate::exports::OPAQUE) } else { quote!(<#kind as #krate::Typed>::PARTS) }
}

/// A field: a short form of the common case, and the differences.
fn field(field: &Field, krate: &TokenStream) -> TokenStream {
    let name = plain(&field.name);
    let Field { wire_name, description, kind, .. } = field;
    let line = line(field.name.span());
    let parts = parts(field, krate);
    let usual = quote!(#krate::exports::field(#name, #wire_name, #description, #line, #parts));
    let mut different = different(experimental(&field.markers), &field.markers, &field.aliases, krate);
    if field.foreign && cfg!(feature = "schemars") {
        let (_, stripped) = strip_options(kind);
        let text = quote!(#stripped).to_string().replace(' ', "");
        let descriptions = field.foreign_descriptions;
        different.push(quote! {
            kind: #krate::TypeRef::Foreign {
                name: #text,
                schema: #krate::deferred::Deferred::Compiled(<#stripped as #krate::foreign::ForeignSchema>::schema_text),
                descriptions: #descriptions,
            }
        });
    }
    different.extend(field.required().map(|required| {
        let presence = format_ident!("{}", if required { "Required" } else { "Optional" });
        quote!(presence: #krate::Presence::#presence)
    }));
    if let Some(default) = rust_default(field, krate) {
        different
            .push(quote!(rust_default: ::core::option::Option::Some(#krate::deferred::Deferred::Compiled(#default))));
    }
    if field.nullable() {
        different.push(quote!(nullable: true));
    }
    if field.flatten {
        different.push(quote!(flatten: true));
    }
    with(&quote!(#krate::Field), &different, usual)
}

/// What an absent field reads as, where it must be compared with a default in the schema.
fn rust_default(field: &Field, krate: &TokenStream) -> Option<TokenStream> {
    let kind = &field.kind;
    let default = field.compared_default()?;
    let value = match default {
        SerdeDefault::Function(text, function) => quote_spanned!(text.span()=> #function()),
        SerdeDefault::Zero(_) => quote!(<#kind as ::core::default::Default>::default()),
    };
    let is_function = matches!(default, SerdeDefault::Function(..));
    Some(match (cfg!(feature = "serde"), is_function && !field.is_opaque()) {
        (true, _) => quote!(|| #krate::exports::text_of::<#kind>(&#value)),
        (false, true) => quote!(|| <#kind as #krate::Typed>::json_text(&#value)),
        // Without the feature, types have no zero, and foreign types no text.
        (false, false) => quote!(#krate::exports::no_text),
    })
}

/// What differs from the short form because of the line of `+experimental`, markers and aliases.
fn different(
    line: Option<u32>,
    markers: &[LocatedMarker],
    aliases: &[LitStr],
    krate: &TokenStream,
) -> Vec<TokenStream> {
    let mut different = Vec::new();
    if let Some(line) = line {
        let channels = channel_set(ChannelSet::from(Channel::Experimental), krate);
        different.extend([quote!(channels: #channels), quote!(experimental: ::core::option::Option::Some(#line))]);
    }
    if markers.iter().any(|placed| placed.marker.spec.rule().is_some()) {
        let markers = self::markers(markers, krate);
        different.push(quote!(markers: #markers));
    }
    if !aliases.is_empty() {
        different.push(quote!(aliases: &[#(#aliases),*]));
    }
    different
}

/// A value in its short form, with what differs from it.
fn with(structure: &TokenStream, different: &[TokenStream], usual: TokenStream) -> TokenStream {
    // An update that updates nothing is a lint.
    if different.is_empty() { usual } else { quote!(#structure { #(#different,)* ..#usual }) }
}

fn channel_set(channels: ChannelSet, krate: &TokenStream) -> TokenStream {
    if channels.is_all() {
        quote!(#krate::ChannelSet::ALL)
    } else {
        quote!(#krate::ChannelSet::from(#krate::Channel::Experimental))
    }
}

fn markers(markers: &[LocatedMarker], krate: &TokenStream) -> TokenStream {
    let list = markers.iter().filter_map(|placed| {
        let rule = self::rule(&placed.marker, placed.marker.spec.rule()?, krate);
        let line = line(placed.lines.first());
        let usual = quote!(#krate::exports::always(#rule, #line));
        let mut different = Vec::new();
        if let Some(channel) = placed.marker.channel {
            let variant = format_ident!("{channel:?}");
            different.push(quote!(channels: #krate::ChannelSet::only(#krate::Channel::#variant)));
        }
        if placed.marker.items {
            different.push(quote!(items: true));
        }
        Some(with(&quote!(#krate::rule::Marker), &different, usual))
    });
    quote!(&[#(#list),*])
}

fn rule(marker: &Marker, rule: RuleKind, krate: &TokenStream) -> TokenStream {
    let variant = Ident::new(rule.name(), Span::call_site());
    let path = quote!(#krate::rule::Rule::#variant);
    match &marker.arguments {
        Arguments::Flag => path,
        Arguments::Value(value) => {
            let value = argument(value, marker.value_kind(), krate);
            quote!(#path(#value))
        }
        Arguments::Named(found) if rule == RuleKind::Lens => {
            let operation = marker.spec.name.strip_prefix(LENS).unwrap_or(marker.spec.name);
            let arguments = found.iter().map(|(spec, value)| {
                let (name, value) = (spec.name, json(value, krate));
                quote!((#name, #value))
            });
            quote!(#path(#krate::rule::Lens { operation: #operation, arguments: &[#(#arguments),*] }))
        }
        Arguments::Named(found) => {
            let structure =
                Ident::new(if rule == RuleKind::Resource { "ResourceNames" } else { rule.name() }, Span::call_site());
            let specs: &[ArgumentSpec] = match marker.spec.arguments {
                crd_markers::table::ArgumentsSpec::Named(specs) => specs,
                _ => &[],
            };
            let fields = found.iter().map(|(spec, value)| {
                let name = Ident::new(spec.field, Span::call_site());
                let value = argument(value, spec.kind, krate);
                if spec.optional {
                    quote!(#name: ::core::option::Option::Some(#value),)
                } else {
                    quote!(#name: #value,)
                }
            });
            // An update that updates nothing is a lint.
            let remaining = (found.len() < specs.len()).then(|| quote!(..#krate::rule::#structure::NONE));
            quote!(#path(#krate::rule::#structure { #(#fields)* #remaining }))
        }
    }
}

/// A typed argument as a constant expression.
fn argument(value: &Value, kind: ValueKind, krate: &TokenStream) -> TokenStream {
    match (kind, value) {
        (ValueKind::Number, Value::Integer(integer)) => quote!(#krate::json::Number::Integer(#integer)),
        (ValueKind::Number, Value::Float(float)) => quote!(#krate::json::Number::Float(#float)),
        (ValueKind::Any, value) => json(value, krate),
        (ValueKind::AnyList, Value::List(items)) => {
            let items = items.iter().map(|item| json(item, krate));
            quote!(&[#(#items),*])
        }
        (ValueKind::TextList, Value::List(items)) => {
            let items = items.iter().map(|item| match item {
                Value::String(text) => text.as_str(),
                _ => "",
            });
            quote!(&[#(#items),*])
        }
        (_, Value::String(text)) => quote!(#text),
        (_, Value::Integer(integer)) => quote!(#integer),
        (_, Value::Boolean(boolean)) => quote!(#boolean),
        (_, other) => json(other, krate),
    }
}

/// A value as a constant expression.
fn json(value: &Value, krate: &TokenStream) -> TokenStream {
    match value {
        Value::Null => quote!(#krate::json::Json::Null),
        Value::Boolean(boolean) => quote!(#krate::json::Json::Boolean(#boolean)),
        Value::Integer(integer) => quote!(#krate::json::Json::Integer(#integer)),
        Value::Float(float) => quote!(#krate::json::Json::Float(#float)),
        Value::String(text) => quote!(#krate::json::Json::String(#text)),
        Value::List(items) => {
            let items = items.iter().map(|item| json(item, krate));
            quote!(#krate::json::Json::List(&[#(#items),*]))
        }
        Value::Object(entries) => {
            let entries = entries.iter().map(|(key, value)| {
                let value = json(value, krate);
                quote!((#key, #value))
            });
            quote!(#krate::json::Json::Object(&[#(#entries),*]))
        }
    }
}

fn option(text: Option<&str>) -> TokenStream {
    match text {
        Some(text) => quote!(::core::option::Option::Some(#text)),
        None => quote!(::core::option::Option::None),
    }
}

/// Bounds as a constant expression.
fn bounds(bounds: &Bounds, krate: &TokenStream) -> TokenStream {
    fn side(number: Option<impl ToTokens>) -> TokenStream {
        match number {
            Some(number) => quote!(::core::option::Option::Some(#number)),
            None => quote!(::core::option::Option::None),
        }
    }
    fn pair<T: ToTokens>(name: &str, (low, high): (Option<T>, Option<T>)) -> Option<TokenStream> {
        let name = Ident::new(name, Span::call_site());
        let is_bound = low.is_some() || high.is_some();
        let (low, high) = (side(low), side(high));
        is_bound.then(|| quote!(#name: (#low, #high),))
    }
    let counts = [("length", bounds.length), ("items", bounds.items), ("properties", bounds.properties)];
    let (value, counts) =
        (pair("value", bounds.value), counts.into_iter().filter_map(|(name, count)| pair(name, count)));
    quote!(#krate::facts::Bounds { #value #(#counts)* ..#krate::facts::Bounds::NONE })
}

/// Constants whose evaluation fails where a marker contradicts its type.
fn assertions(item: &Item, krate: &TokenStream) -> TokenStream {
    assertions_of(item)
        .iter()
        .map(|assertion| self::assertion(assertion, item.options.krate.is_some(), krate))
        .collect()
}

/// A call of a check, from the first to the last line that an error is to underline. `own_path`: whether `crate = "…"` was written.
fn assertion(assertion: &Assertion<'_>, own_path: bool, krate: &TokenStream) -> TokenStream {
    let (first, last) = assertion.ends;
    let (check, arguments) = check(assertion, krate);
    let check = Ident::new(check, first);
    // With the author's own path to the crate, lints must know that the author did not write it here.
    let first = if own_path { Span::call_site().located_at(first) } else { first };
    let call = |path: TokenStream, arguments: TokenStream| {
        let path = at(path, first);
        let mut arguments = Group::new(Delimiter::Parenthesis, arguments);
        arguments.set_span(last);
        let arguments = TokenTree::Group(arguments);
        quote!(#path #arguments)
    };
    let checked = call(quote!(#krate::check::#check), arguments);
    let assertion = call(quote!(#krate::check::assert), checked);
    quote!(const _: () = #assertion;)
}

/// The function that checks an assertion, and its arguments.
fn check(assertion: &Assertion<'_>, krate: &TokenStream) -> (&'static str, TokenStream) {
    let subject = assertion.subject;
    let typed = quote!(<#subject as #krate::Typed>);
    let facts = quote!(&#typed::FACTS);
    let applies = |marker: &Marker| {
        let applies = Ident::new(&format!("{:?}", marker.spec.applies), Span::call_site());
        quote!(#krate::check::Applies::#applies)
    };
    match &assertion.that {
        That::MarkerFits(marker) => {
            let (name, applies, for_items) = (&marker.name, applies(marker), marker.spec.for_items);
            ("marker_fits", quote!(#name, #applies, #for_items, #typed::KIND))
        }
        That::ItemsMarkerFits(marker) => {
            let (name, applies) = (&marker.name, applies(marker));
            ("items_marker_fits", quote!(#name, #applies, #facts))
        }
        That::IsOptional(message) => ("is_optional", quote!(#typed::OPTIONS, #message)),
        That::IsRequired(message) => ("is_required", quote!(#typed::OPTIONS, #message)),
        That::IsAtMostOptional => ("is_at_most_optional", quote!(#typed::OPTIONS)),
        That::IsClosedEnum => ("is_closed_enum", facts),
        That::IsObjectMeta => ("is_object_meta", quote!(#typed::TYPE)),
        That::HasListMapKey(Marker { name, .. }, key) => ("has_list_map_key", quote!(#name, #facts, #key)),
        That::ValueFits(Marker { name, .. }, value) => {
            let value = json(value, krate);
            ("value_fits", quote!(#name, #facts, &#value))
        }
        That::ValuesFit(Marker { name, items, .. }, values) => {
            let values = values.iter().map(|value| json(value, krate));
            ("values_fit", quote!(#name, #items, #facts, &[#(#values),*]))
        }
        That::BoundsAreOrdered(bounds) => {
            let bounds = self::bounds(bounds, krate);
            ("bounds_are_ordered", quote!(#facts, #bounds))
        }
        That::UnionNamesOptionalField(Marker { name, .. }, field) => {
            ("union_names_optional_field", quote!(#name, #facts, #field))
        }
        That::CanBeFlattened(message) => {
            ("can_be_flattened", quote!(#typed::KIND, #typed::TYPE, #typed::OPTIONS, #message))
        }
        That::IsStructOfVariant(tag) => ("is_struct_of_variant", quote!(#tag, #facts)),
        That::IsEmptyIfAbsent(message) => ("is_empty_if_absent", quote!(#typed::KIND, #typed::OPTIONS, #message)),
        That::FlattenedNamesAreFree(names) => ("flattened_names_are_free", quote!(&[#(#names),*], #facts)),
        That::FlattenedNamesAreNotTombstoned(names) => {
            ("flattened_names_are_not_tombstoned", quote!(&[#(#names),*], #facts))
        }
        That::FlattenedStructsAreDisjoint(earlier) => {
            ("flattened_structs_are_disjoint", quote!(&<#earlier as #krate::Typed>::FACTS, #facts))
        }
    }
}

/// Impls of an item that was refused, so that what uses it has no errors of its own.
fn stand_in(item: &Item, generics: &Generics, krate: &TokenStream) -> TokenStream {
    let name = &item.name;
    let name_text = plain(name);
    let (parameters, arguments, condition) = generics.split_for_impl();
    let any = quote!(#krate::TypeRef::Base(#krate::descriptor::BaseType::AnyJson));
    let kind = quote!(#krate::facts::Kind::Any);
    let wire = wire::stand_in(item, generics, krate);
    quote! {
        impl #parameters #krate::Typed for #name #arguments #condition {
            const TYPE: #krate::TypeRef = #any;
            const KIND: #krate::facts::Kind = #kind;
            const FACTS: #krate::facts::Facts = #krate::facts::Facts::of(#kind);
        }
        impl #parameters #krate::Described for #name #arguments #condition {
            const DESCRIPTOR: &'static #krate::TypeDescriptor = &#krate::TypeDescriptor {
                name: #name_text,
                module: ::core::module_path!(),
                description: "",
                channels: #krate::ChannelSet::ALL,
                experimental: ::core::option::Option::None,
                shape: #krate::Shape::Newtype(#any),
                markers: &[],
                tombstones: &[],
                resource: ::core::option::Option::None,
                location: #krate::Location { file: ::core::file!(), line: 0 },
            };
        }
        #wire
    }
}
