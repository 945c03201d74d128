//! Emits the item, its descriptor, and assertions.
//!
//! Invariants: descriptors are constants; the item and its impls are emitted even after errors, without invalid markers;
//! assertions carry the span of their doc line; no assertion is emitted where the type name decides, because each assertion
//! costs time in every build.

use crd_markers::channel::{Channel, ChannelSet};
use crd_markers::fit::{Applies, Kind};
use crd_markers::marker::{Arguments, Marker};
use crd_markers::names::plural;
use crd_markers::table::{ArgumentSpec, LENS, Meaning, RuleKind};
use crd_markers::value::{Value, ValueKind};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Generics, LitStr, Type};

use crate::wire;
use crd_syntax::ast::{
    Body, Data, DataVariant, Field, Item, NEWTYPE_AROUND_OPTION, NamedKind, Shape, Union, VARIANT_OF_OPTION, Variant,
    at, experimental, line, plain, strip_options,
};
use crd_syntax::attr::{LocatedMarker, SerdeDefault};
use crd_syntax::check::{
    DEFAULT_OF_REQUIRED, FLATTEN_OPTIONAL, OPTIONAL_ON_REQUIRED, REQUIRED_ON_OPTIONAL, number, refused_default,
    union_fields,
};
use crd_syntax::lens;

/// The whole output for an item.
pub(crate) fn item(item: &Item) -> TokenStream {
    let impls = impls(item);
    if let Body::Refused { untouched, .. } = &item.body {
        return quote!(#untouched #impls);
    }
    let declaration = declaration(item, &Generics::default());
    quote!(#declaration #impls)
}

/// Everything but the declaration.
pub(crate) fn impls(item: &Item) -> TokenStream {
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
pub(crate) fn declaration(item: &Item, generics: &Generics) -> TokenStream {
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
        Body::Refused { .. } => TokenStream::new(),
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
    let (kind, facts) = match &item.body {
        Body::Struct(fields) => (quote!(#krate::facts::Kind::Struct), facts_of_struct(fields, krate)),
        Body::Newtype { inner, .. } => {
            let bounds = bounds(&item.markers, krate);
            let values = own_values(&item.markers);
            let mut facts = quote!(<#inner as #krate::Typed>::FACTS);
            if let Some(bounds) = bounds {
                facts = quote!(#facts.bounded(#bounds));
            }
            if let Some(values) = values {
                facts = quote!(#facts.with_values(&[#(#values),*]));
            }
            (quote!(<#inner as #krate::Typed>::KIND), facts)
        }
        Body::Enum(variants) => {
            let string = quote!(#krate::facts::Kind::String);
            let mut facts = quote!(#krate::facts::Facts::of(#string));
            if !item.options.open {
                let values = variants.iter().map(|variant| &variant.wire_name);
                facts = quote!(#facts.with_values(&[#(#values),*]));
            }
            (string, facts)
        }
        Body::Union(_) => {
            let object = quote!(#krate::facts::Kind::Object);
            (object.clone(), quote!(#krate::facts::Facts::of(#object)))
        }
        Body::Refused { .. } => return TokenStream::new(),
    };
    // A marker may make something else of it, and what it then permits is not known here.
    let (kind, facts) = match Shape::of(&item.markers, item.named_kind()) {
        Shape::Rust(_) => (kind, facts),
        Shape::Fixed(kind) => {
            let kind = kind.unwrap_or(Kind::Any);
            let variant = format_ident!("{kind:?}");
            let kind = quote!(#krate::facts::Kind::#variant);
            (kind.clone(), quote!(#krate::facts::Facts::of(#kind)))
        }
    };
    quote! {
        impl #krate::Typed for #name {
            const TYPE: #krate::TypeRef = #krate::TypeRef::Named(<#name as #krate::Described>::descriptor);
            const KIND: #krate::facts::Kind = #kind;
            const FACTS: #krate::facts::Facts = #facts;
        }
    }
}

/// What is known at compile time of the fields of a struct.
fn facts_of_struct(fields: &[Field], krate: &TokenStream) -> TokenStream {
    let own = fields.iter().filter(|field| field.is_named()).map(|field| {
        let wire_name = &field.wire_name;
        let parts = parts(field, krate);
        let fact = quote!(#krate::exports::fact(#wire_name, #parts));
        match (field.required_nullable(), field.is_opaque() && field.options > 0 || field.is_defaulted()) {
            (true, _) => quote!(#krate::facts::FieldFact { required: true, ..#fact }),
            (_, true) => quote!(#krate::facts::FieldFact { required: false, ..#fact }),
            _ => fact,
        }
    });
    let flattened = fields.iter().filter(|field| field.is_flattened()).map(|field| {
        let kind = &field.kind;
        quote!(&<#kind as #krate::Typed>::FACTS)
    });
    quote!(#krate::facts::Facts {
        fields: &[#(#own),*],
        flattened: &[#(#flattened),*],
        ..#krate::exports::STRUCT
    })
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
                schema: <#stripped as #krate::foreign::ForeignSchema>::schema_text,
                descriptions: #descriptions,
            }
        });
    }
    if field.required_nullable() {
        different.push(quote!(presence: #krate::Presence::Required));
    } else if field.is_opaque() && field.options > 0 || field.is_defaulted() {
        different.push(quote!(presence: #krate::Presence::Optional));
    }
    if let Some(default) = rust_default(field, krate) {
        different.push(quote!(rust_default: ::core::option::Option::Some(#default)));
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
    let value = match field.default.as_ref()? {
        SerdeDefault::Function(text, function) => quote_spanned!(text.span()=> #function()),
        SerdeDefault::Zero(_) if field.is_defaulted() && field.named_kind.kind.is_none() => {
            quote!(<#kind as ::core::default::Default>::default())
        }
        SerdeDefault::Zero(_) => return None,
    };
    field.schema_default()?;
    let is_function = matches!(field.default, Some(SerdeDefault::Function(..)));
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

/// Bounds that markers of all channels put on the thing itself; `None`: there are none.
fn bounds(markers: &[LocatedMarker], krate: &TokenStream) -> Option<TokenStream> {
    let find = |rule: RuleKind| {
        let marker = of_all_channels(markers).find(|marker| marker.spec.meaning == Meaning::Rule(rule))?;
        number(marker)
    };
    let fields: Vec<TokenStream> = [
        ("value", RuleKind::Minimum, RuleKind::Maximum),
        ("length", RuleKind::MinLength, RuleKind::MaxLength),
        ("items", RuleKind::MinItems, RuleKind::MaxItems),
        ("properties", RuleKind::MinProperties, RuleKind::MaxProperties),
    ]
    .into_iter()
    .filter_map(|(field, low, high)| {
        let (low, high) = (find(low), find(high));
        if low.is_none() && high.is_none() {
            return None;
        }
        let side = |number: Option<f64>| match number {
            // Only values are numbers with a fraction; everything else is counted.
            Some(number) if field == "value" => quote!(::core::option::Option::Some(#number)),
            Some(number) => {
                let count = number as i64;
                quote!(::core::option::Option::Some(#count))
            }
            None => quote!(::core::option::Option::None),
        };
        let (field, low, high) = (Ident::new(field, Span::call_site()), side(low), side(high));
        Some(quote!(#field: (#low, #high)))
    })
    .collect();
    (!fields.is_empty()).then(|| quote!(#krate::facts::Bounds { #(#fields,)* ..#krate::facts::Bounds::NONE }))
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

fn assertions(item: &Item, krate: &TokenStream) -> TokenStream {
    let mut assertions = Assertions { krate, own_path: item.options.krate.is_some(), list: TokenStream::new() };
    let name = &item.name;
    match &item.body {
        Body::Struct(fields) => {
            let subject: Type = syn::parse_quote!(#name);
            assertions.unions(item, fields, &subject);
            assertions.flattened(item, fields);
            for field in fields.iter().filter(|field| field.is_named() && !field.is_opaque()) {
                assertions.field(field);
            }
            if item.options.is_resource()
                && let Some(metadata) = fields.iter().find(|field| field.is_named() && field.is_object_meta())
            {
                let kind = &metadata.kind;
                assertions.push(ends(kind), "is_object_meta", quote!(<#kind as #krate::Typed>::TYPE));
            }
        }
        Body::Newtype { inner, named_kind, .. } => {
            assertions.markers(&item.markers, inner, *named_kind);
            assertions.unions(item, &[], inner);
            if named_kind.kind.is_none() && strip_options(inner).0 == 0 {
                let options = quote!(<#inner as #krate::Typed>::OPTIONS, #NEWTYPE_AROUND_OPTION);
                assertions.push(ends(inner), "is_required", options);
            }
        }
        Body::Union(union) => assertions.variants(union),
        Body::Enum(_) | Body::Refused { .. } => {}
    }
    assertions.list
}

/// Where a type begins and ends.
fn ends(kind: &Type) -> (Span, Span) {
    let mut tokens = kind.to_token_stream().into_iter();
    let first = tokens.next().map_or_else(Span::call_site, |token| token.span());
    (first, tokens.last().map_or(first, |token| token.span()))
}

/// Writes constants whose evaluation fails where a marker contradicts its type.
struct Assertions<'a> {
    krate: &'a TokenStream,
    /// Whether `crate = "…"` was written.
    own_path: bool,
    list: TokenStream,
}

impl Assertions<'_> {
    /// A call of a check, from the first to the last line that an error is to underline.
    fn push(&mut self, (first, last): (Span, Span), check: &str, arguments: TokenStream) {
        let krate = self.krate;
        let check = Ident::new(check, first);
        // With the author's own path to the crate, lints must know that the author did not write it here.
        let first = if self.own_path { Span::call_site().located_at(first) } else { first };
        let path = at(quote!(#krate::check::#check), first);
        let mut arguments = Group::new(Delimiter::Parenthesis, arguments);
        arguments.set_span(last);
        let arguments = TokenTree::Group(arguments);
        self.list.extend(quote!(const _: () = #path #arguments;));
    }

    /// Flattened structs, whose names must be free here.
    fn flattened(&mut self, item: &Item, fields: &[Field]) {
        let krate = self.krate;
        let names: Vec<&str> =
            fields.iter().filter(|field| field.is_named()).map(|field| field.wire_name.as_str()).collect();
        let mut tombstoned: Vec<&str> =
            item.tombstones().filter_map(|placed| placed.marker.arguments.text("name")).collect();
        tombstoned.extend(lens::old_names(item).into_iter().map(|(_, name)| name));
        let flattened: Vec<&Field> = fields.iter().filter(|field| field.is_flattened()).collect();
        for (index, field) in flattened.iter().enumerate() {
            let kind = &field.kind;
            let facts = quote!(&<#kind as #krate::Typed>::FACTS);
            self.push(
                ends(kind),
                "is_flattened_struct",
                quote!(<#kind as #krate::Typed>::KIND, <#kind as #krate::Typed>::OPTIONS, #FLATTEN_OPTIONAL),
            );
            self.push(ends(kind), "flattened_names_are_free", quote!(&[#(#names),*], #facts));
            if !tombstoned.is_empty() {
                self.push(ends(kind), "flattened_names_are_not_tombstoned", quote!(&[#(#tombstoned),*], #facts));
            }
            for earlier in &flattened[..index] {
                let earlier = &earlier.kind;
                self.push(
                    ends(kind),
                    "flattened_structs_are_disjoint",
                    quote!(&<#earlier as #krate::Typed>::FACTS, #facts),
                );
            }
        }
    }

    /// Variants around one type: an object where its fields are next to the tag.
    fn variants(&mut self, union: &Union) {
        let krate = self.krate;
        for variant in &union.variants {
            let Data::Newtype { inner, .. } = &variant.data else { continue };
            self.push(ends(inner), "is_required", quote!(<#inner as #krate::Typed>::OPTIONS, #VARIANT_OF_OPTION));
            if let Some(tag) = &union.tag {
                self.push(ends(inner), "is_struct_of_variant", quote!(#tag, &<#inner as #krate::Typed>::FACTS));
            }
        }
    }

    fn field(&mut self, field: &Field) {
        let krate = self.krate;
        let kind = &field.kind;
        let options = quote!(<#kind as #krate::Typed>::OPTIONS);
        for placed in &field.markers {
            let lines = placed.lines.ends();
            let unknown = field.options == 0 && field.named_kind.kind.is_none();
            match placed.marker.spec.meaning {
                Meaning::Optional if unknown && !field.is_defaulted() => {
                    self.push(lines, "is_optional", quote!(#options, #OPTIONAL_ON_REQUIRED));
                }
                Meaning::Required if unknown && !field.has(Meaning::Optional) => {
                    self.push(lines, "is_required", quote!(#options, #REQUIRED_ON_OPTIONAL));
                }
                Meaning::EnumVariants => {
                    self.push(lines, "is_closed_enum", quote!(&<#kind as #krate::Typed>::FACTS));
                }
                _ => {}
            }
        }
        if let Some(SerdeDefault::Zero(word)) = &field.default
            && field.is_defaulted()
            && field.named_kind.kind.is_none()
            && field.schema_default().is_none()
        {
            // An alias may be an `Option`, which may be absent anyway.
            let kind = quote!(if #options > 0 { #krate::facts::Kind::Any } else { <#kind as #krate::Typed>::KIND });
            self.push((word.span(), word.span()), "is_empty_if_absent", quote!(#kind, #DEFAULT_OF_REQUIRED));
        }
        // Two written ones are meant; one of them in an alias is a trap.
        if field.named_kind.kind.is_none() && field.options < 2 {
            self.push(ends(kind), "is_at_most_optional", options);
        }
        self.markers(&field.markers, kind, field.named_kind);
    }

    /// Markers whose meaning depends on the type.
    fn markers(&mut self, markers: &[LocatedMarker], kind: &Type, named_kind: NamedKind) {
        let Shape::Rust(named_kind) = Shape::of(markers, named_kind) else { return };
        for placed in markers {
            self.kind(placed, kind, named_kind);
            self.list_map_key(placed, kind);
            self.values(placed, kind);
        }
        if named_kind.kind.is_none() {
            self.bounds(markers, kind);
        }
    }

    /// A marker on a type whose name does not determine its kind.
    fn kind(&mut self, placed: &LocatedMarker, kind: &Type, named_kind: NamedKind) {
        let krate = self.krate;
        let marker = &placed.marker;
        let name = &marker.name;
        let applies = applies(marker.spec.applies, krate);
        if marker.items {
            let is_decided = named_kind.items.is_some() || named_kind.kind.is_some_and(|kind| kind != Kind::List);
            let needs_no_look = named_kind.kind == Some(Kind::List) && marker.spec.applies == Applies::Anything;
            if !is_decided && !needs_no_look {
                self.push(
                    placed.lines.ends(),
                    "items_marker_fits",
                    quote!(#name, #applies, &<#kind as #krate::Typed>::FACTS),
                );
            }
        } else if named_kind.kind.is_none() && marker.spec.applies != Applies::Anything {
            let for_items = marker.spec.for_items;
            self.push(
                placed.lines.ends(),
                "marker_fits",
                quote!(#name, #applies, #for_items, <#kind as #krate::Typed>::KIND),
            );
        }
    }

    /// Bounds of the field within those of its type.
    fn bounds(&mut self, markers: &[LocatedMarker], kind: &Type) {
        let krate = self.krate;
        let Some(bounds) = bounds(markers, krate) else { return };
        let is_bound = |placed: &&LocatedMarker| {
            !placed.marker.items
                && placed.marker.channel.is_none()
                && matches!(placed.marker.spec.meaning, Meaning::Rule(rule) if rule.is_lower_bound() || rule.is_upper_bound())
        };
        let Some(first) = markers.iter().find(is_bound) else { return };
        self.push(first.lines.ends(), "bounds_are_ordered", quote!(&<#kind as #krate::Typed>::FACTS, #bounds));
    }

    fn list_map_key(&mut self, placed: &LocatedMarker, kind: &Type) {
        let krate = self.krate;
        if let (Meaning::Rule(RuleKind::ListMapKey), Some(Value::String(key))) =
            (placed.marker.spec.meaning, placed.marker.arguments.value())
        {
            let name = &placed.marker.name;
            self.push(placed.lines.ends(), "has_list_map_key", quote!(#name, &<#kind as #krate::Typed>::FACTS, #key));
        }
    }

    /// Defaults and values of `Enum`.
    fn values(&mut self, placed: &LocatedMarker, kind: &Type) {
        let krate = self.krate;
        let marker = &placed.marker;
        let name = &marker.name;
        let facts = quote!(&<#kind as #krate::Typed>::FACTS);
        match (marker.spec.meaning, marker.arguments.value()) {
            (Meaning::Rule(RuleKind::Default), Some(value)) if refused_default(value).is_none() => {
                let value = json(value, krate);
                self.push(placed.lines.ends(), "value_fits", quote!(#name, #facts, &#value));
            }
            (Meaning::Rule(RuleKind::Enum), Some(Value::List(values))) => {
                let check = if marker.items { "items_values_fit" } else { "values_fit" };
                let values = values.iter().map(|value| json(value, krate));
                self.push(placed.lines.ends(), check, quote!(#name, #facts, &[#(#values),*]));
            }
            _ => {}
        }
    }

    /// Unions over fields that [`crate::check`] could not see.
    fn unions(&mut self, item: &Item, fields: &[Field], subject: &Type) {
        let krate = self.krate;
        for (placed, name) in union_fields(&item.markers) {
            let own = fields.iter().find(|field| field.is_named() && field.wire_name == name);
            let is_decided = match own {
                Some(field) => field.options > 0 || field.named_kind.kind.is_some() || field.foreign,
                None => matches!(item.body, Body::Struct(_)) && !fields.iter().any(Field::is_flattened),
            };
            if !is_decided && !name.contains('.') {
                let marker = &placed.marker.name;
                self.push(
                    placed.lines.ends(),
                    "union_names_optional_field",
                    quote!(#marker, &<#subject as #krate::Typed>::FACTS, #name),
                );
            }
        }
    }
}

fn applies(applies: Applies, krate: &TokenStream) -> TokenStream {
    let variant = format_ident!("{applies:?}");
    quote!(#krate::check::Applies::#variant)
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
