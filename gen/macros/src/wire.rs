//! Emits the wire form: derives, `WireValue`, serde's traits and those of k8s-openapi and kube, if the features of `crd-channels` are on.
//!
//! Invariants: type parameters have names that no API type has; wire names are those of the descriptor; whether a zero is
//! written depends on the types and on the markers that apply in all channels.

use std::collections::BTreeSet;

use crd_markers::fit::Kind;
use crd_markers::table::{Meaning, RuleKind};
use crd_markers::value::Value;
use crd_names::wire::plural;
use crd_regexp as re2;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Generics, LitStr, Type};

use crd_syntax::ast::{Body, Data, DataVariant, Field, Item, NamedKind, Union, strip_options};
use crd_syntax::attr::{LocatedMarker, SerdeDefault};
use crd_syntax::check::{is_zero_scalar, number};

/// The derives of Rust's own traits, without those that the author derives.
pub(crate) fn derives(item: &Item) -> TokenStream {
    if !cfg!(feature = "serde") {
        // Without a wire form nothing makes or reads values of types that are not public: they are there to be described.
        return quote!(#[allow(dead_code)]);
    }
    let orderable = match &item.body {
        Body::Enum(_) => true,
        Body::Newtype { named_kind, .. } => {
            matches!(named_kind.kind, Some(Kind::String | Kind::Integer | Kind::Boolean))
        }
        _ => false,
    };
    let list = [
        ("Clone", quote!(::core::clone::Clone), true),
        ("Debug", quote!(::core::fmt::Debug), true),
        // An enum's default is an unrecognised empty value: written by hand below.
        ("Default", quote!(::core::default::Default), !matches!(item.body, Body::Enum(_) | Body::Union(_))),
        ("PartialEq", quote!(::core::cmp::PartialEq), true),
        ("Eq", quote!(::core::cmp::Eq), orderable),
        ("PartialOrd", quote!(::core::cmp::PartialOrd), orderable),
        ("Ord", quote!(::core::cmp::Ord), orderable),
        ("Hash", quote!(::core::hash::Hash), orderable),
    ]
    .into_iter()
    .filter(|(name, _, wanted)| *wanted && !item.derived(name))
    .map(|(_, path, _)| path);
    // Not every struct of floating-point numbers could be `Eq`, and whether there are any is not known here.
    let partial = (!orderable).then(|| quote!(#[allow(clippy::derive_partial_eq_without_eq)]));
    quote!(#[derive(#(#list),*)] #partial)
}

/// Everything of the wire form.
pub(crate) fn item(item: &Item, krate: &TokenStream) -> TokenStream {
    if !cfg!(feature = "serde") {
        return TokenStream::new();
    }
    let serde = quote!(#krate::exports::serde);
    match &item.body {
        Body::Struct(fields) => {
            let record = record(item, fields, krate, &serde);
            let kube = kube(item, fields, krate);
            quote!(#record #kube)
        }
        Body::Newtype { inner, named_kind, .. } => newtype(item, inner, *named_kind, krate, &serde),
        Body::Enum(variants) => {
            let refused = if item.options.open {
                zero_is_refused(&item.markers, NamedKind::only(Kind::String), &quote!(Self), krate)
            } else {
                let refused = !variants.iter().any(|variant| variant.wire_name.is_empty());
                quote!(#refused)
            };
            let names = variants.iter().map(|variant| (&variant.name, variant.wire_name.as_str(), &*variant.aliases));
            enumeration(item, names.collect(), &refused, krate, &serde)
        }
        Body::Union(union) => self::union(item, union, krate, &serde),
        Body::Refused { .. } => TokenStream::new(),
    }
}

fn newtype(item: &Item, inner: &Type, named_kind: NamedKind, krate: &TokenStream, serde: &TokenStream) -> TokenStream {
    let name = &item.name;
    let refused = zero_is_refused(&item.markers, named_kind, &quote!(#inner), krate);
    let text = (named_kind.kind == Some(Kind::String)).then(|| {
        quote! {
            impl ::core::convert::From<&str> for #name {
                fn from(value: &str) -> Self {
                    Self(::std::string::String::from(value))
                }
            }
            impl ::core::fmt::Display for #name {
                fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    formatter.write_str(&self.0)
                }
            }
        }
    });
    // A newtype can be flattened if it is one of a struct.
    let flattened = named_kind.kind.is_none().then(|| {
        let inner_type = inner;
        let inner = quote!(#krate::wire::WireValue);
        let fields = fields(
            &quote!(#inner::read_field(&mut self.0, name, map)),
            &quote!(#inner::write_fields(&self.0, map)),
            serde,
        );
        quote! {
            const KEEPS_UNKNOWN_FIELDS: bool = <#inner_type as #inner>::KEEPS_UNKNOWN_FIELDS;
            fn absent() -> Self {
                Self(#inner::absent())
            }
            #fields
        }
    });
    let serde_impls = serde_impls(
        name,
        &quote!(#serde::Serialize::serialize(&self.0, serializer)),
        &quote!(::core::result::Result::map(#serde::Deserialize::deserialize(deserializer), Self)),
        serde,
    );
    quote! {
        impl #krate::wire::WireValue for #name {
            const ZERO_IS_REFUSED: bool = #refused || <#inner as #krate::wire::WireValue>::ZERO_IS_REFUSED;
            fn is_zero(&self) -> bool {
                #krate::wire::WireValue::is_zero(&self.0)
            }
            #flattened
        }
        #serde_impls
        impl ::core::convert::From<#inner> for #name {
            fn from(value: #inner) -> Self {
                Self(value)
            }
        }
        #text
    }
}

/// serde's traits of a type: the expressions that write and read it.
fn serde_impls(name: &Ident, write: &TokenStream, read: &TokenStream, serde: &TokenStream) -> TokenStream {
    quote! {
        impl #serde::Serialize for #name {
            fn serialize<__S: #serde::Serializer>(&self, serializer: __S) -> ::core::result::Result<__S::Ok, __S::Error> {
                #write
            }
        }
        impl<'de> #serde::Deserialize<'de> for #name {
            fn deserialize<__D: #serde::Deserializer<'de>>(deserializer: __D) -> ::core::result::Result<Self, __D::Error> {
                #read
            }
        }
    }
}

/// How the fields of a struct are read and written, each in the object of the struct or of one around it.
fn fields(read: &TokenStream, write: &TokenStream, serde: &TokenStream) -> TokenStream {
    quote! {
        fn read_field<'de, __A: #serde::de::MapAccess<'de>>(
            &mut self,
            name: &str,
            map: &mut __A,
        ) -> ::core::result::Result<bool, __A::Error> {
            #read
        }
        fn write_fields<__M: #serde::ser::SerializeMap>(&self, map: &mut __M) -> ::core::result::Result<(), __M::Error> {
            #write
        }
    }
}

fn enumeration(
    item: &Item,
    values: Vec<(&Ident, &str, &[LitStr])>,
    refused: &TokenStream,
    krate: &TokenStream,
    serde: &TokenStream,
) -> TokenStream {
    let Item { name, visibility, .. } = item;
    // What the empty string reads as.
    let zero = match values.iter().find(|(_, wire_name, _)| wire_name.is_empty()) {
        Some((variant, _, _)) => quote!(Self::#variant),
        None => quote!(Self::Unrecognized(::std::string::String::new())),
    };
    let write = values.iter().map(|(name, wire_name, _)| quote!(Self::#name => #wire_name));
    let mut seen = BTreeSet::new();
    let read: Vec<TokenStream> = values
        .iter()
        .filter_map(|(name, wire_name, aliases)| {
            let pattern = pattern(wire_name, aliases, &mut seen)?;
            Some(quote!(#pattern => Self::#name))
        })
        .collect();
    let serde_impls = serde_impls(
        name,
        &quote!(serializer.serialize_str(self.as_str())),
        &quote! {
            let text: ::std::string::String = #serde::Deserialize::deserialize(deserializer)?;
            ::core::result::Result::Ok(Self::from(text.as_str()))
        },
        serde,
    );
    let from_text = from_text(name, &zero, &read);
    quote! {
        impl #name {
            /// The value on the wire.
            #[must_use]
            #visibility fn as_str(&self) -> &str {
                match self {
                    #(#write,)*
                    Self::Unrecognized(value) => value,
                }
            }
        }
        #from_text
        impl #krate::wire::WireValue for #name {
            const ZERO_IS_REFUSED: bool = #refused;
            fn is_zero(&self) -> bool {
                self.as_str().is_empty()
            }
        }
        #serde_impls
    }
}

/// What makes an enum of a text, and a text of an enum. `zero`: what the empty text is.
fn from_text(name: &Ident, zero: &TokenStream, read: &[TokenStream]) -> TokenStream {
    quote! {
        impl ::core::default::Default for #name {
            fn default() -> Self {
                #zero
            }
        }
        impl ::core::convert::From<&str> for #name {
            fn from(value: &str) -> Self {
                match value {
                    #(#read,)*
                    other => Self::Unrecognized(::std::string::String::from(other)),
                }
            }
        }
        impl ::core::str::FromStr for #name {
            type Err = ::core::convert::Infallible;
            fn from_str(value: &str) -> ::core::result::Result<Self, ::core::convert::Infallible> {
                ::core::result::Result::Ok(Self::from(value))
            }
        }
        impl ::core::fmt::Display for #name {
            fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                formatter.write_str(self.as_str())
            }
        }
    }
}

/// An enum with data. It is read as a whole first, because its form depends on all fields.
fn union(item: &Item, union: &Union, krate: &TokenStream, serde: &TokenStream) -> TokenStream {
    let name = &item.name;
    let mut seen = BTreeSet::new();
    let read: Vec<TokenStream> = union
        .variants
        .iter()
        .filter_map(|variant| {
            let pattern = pattern(&variant.wire_name, &variant.aliases, &mut seen)?;
            let read = read_variant(variant);
            Some(quote!(::core::option::Option::Some((#pattern, data)) => { let data = #krate::variants::read_data(data)?; #read }))
        })
        .collect();
    let find = match &union.tag {
        Some(tag) => quote!(#krate::variants::tagged_variant(&object, #tag)?),
        None => {
            // Each field of a name may be the variant, and two of them are none.
            quote!(#krate::variants::only_variant(&object, &[#(#seen),*]))
        }
    };
    let write = union.variants.iter().map(|variant| write_variant(variant, union.tag.as_ref(), krate));
    let serde_impls = serde_impls(
        name,
        &quote! {
            match self {
                #(#write,)*
                Self::Unrecognized(object) => #serde::Serialize::serialize(object, serializer),
            }
        },
        &quote! {
            let object: #krate::RawExtension = #serde::Deserialize::deserialize(deserializer)?;
            ::core::result::Result::Ok(match #find {
                #(#read)*
                _ => Self::Unrecognized(object),
            })
        },
        serde,
    );
    quote! {
        impl ::core::default::Default for #name {
            fn default() -> Self {
                Self::Unrecognized(::core::default::Default::default())
            }
        }
        impl #krate::wire::WireValue for #name {
            const ZERO_IS_REFUSED: bool = true;
            fn is_zero(&self) -> bool {
                ::core::matches!(self, Self::Unrecognized(object) if #krate::wire::WireValue::is_zero(object))
            }
        }
        #serde_impls
    }
}

/// The arm that writes a variant.
fn write_variant(variant: &DataVariant, tag: Option<&LitStr>, krate: &TokenStream) -> TokenStream {
    let DataVariant { name, wire_name, data, .. } = variant;
    let (pattern, value) = match data {
        Data::Newtype { .. } => (quote!(Self::#name(data)), quote!(data)),
        Data::Fields { record, .. } => {
            let (fields, record) = (field_names(record), &record.name);
            // A field may have the name of a variable here.
            let bound: Vec<_> = (0..fields.len()).map(|index| quote::format_ident!("__{index}")).collect();
            (
                quote!(Self::#name { #(#fields: #bound),* }),
                quote!(&#record { #(#fields: ::core::clone::Clone::clone(#bound)),* }),
            )
        }
    };
    match tag {
        Some(tag) => quote!(#pattern => #krate::variants::write_tagged(serializer, #tag, #wire_name, #value)),
        None => quote!(#pattern => #krate::variants::write_variant(serializer, #wire_name, #value)),
    }
}

/// The expression of a variant from its `data`.
fn read_variant(variant: &DataVariant) -> TokenStream {
    let name = &variant.name;
    match &variant.data {
        Data::Newtype { .. } => quote!(Self::#name(data)),
        Data::Fields { record, .. } => {
            let (fields, record) = (field_names(record), &record.name);
            quote!({ let #record { #(#fields),* } = data; Self::#name { #(#fields),* } })
        }
    }
}

fn field_names(record: &Item) -> Vec<&Ident> {
    match &record.body {
        Body::Struct(fields) => fields.iter().map(|field| &field.name).collect(),
        _ => Vec::new(),
    }
}

fn record(item: &Item, fields: &[Field], krate: &TokenStream, serde: &TokenStream) -> TokenStream {
    let name = &item.name;
    let own: Vec<&Field> = fields.iter().filter(|field| field.is_named() && !field.refused_type).collect();
    let flattened: Vec<&Field> = fields.iter().filter(|field| field.is_flattened()).collect();
    let options = &item.options;
    let is_resource = options.group.is_some() && options.version.is_some() && options.kind.is_some();
    let identity = is_resource.then(|| {
        (
            quote! {
                "apiVersion" => #krate::wire::read_identity(map, "apiVersion", <Self as #krate::Resource>::API_VERSION)?,
                "kind" => #krate::wire::read_identity(map, "kind", <Self as #krate::Resource>::KIND)?,
            },
            quote! {
                map.serialize_entry("apiVersion", &<Self as #krate::Resource>::API_VERSION)?;
                map.serialize_entry("kind", &<Self as #krate::Resource>::KIND)?;
            },
        )
    });
    let (read_identity, write_identity) = identity.unzip();
    let writes = own.iter().map(|field| write(field, is_resource, krate));
    let write_flattened = flattened.iter().map(|field| {
        let Field { name, kind, .. } = field;
        quote!(<#kind as #krate::wire::WireValue>::write_fields(&self.#name, map)?;)
    });
    let kinds = flattened.iter().map(|field| &field.kind);
    let keeps_unknown_fields = (!flattened.is_empty()).then(
        || quote!(const KEEPS_UNKNOWN_FIELDS: bool = #(<#kinds as #krate::wire::WireValue>::KEEPS_UNKNOWN_FIELDS)||*;),
    );
    let refused = refusals(&own, &flattened, krate);
    let refused_by_markers =
        zero_is_refused(&item.markers, NamedKind { kind: None, items: None }, &quote!(Self), krate);
    let has_fields = is_resource || !own.is_empty();
    let read_fields = read_fields(&own, &flattened, read_identity.as_ref(), krate);
    let absent = absent(&own, &flattened, krate);
    let unused_map = (!has_fields && flattened.is_empty()).then(|| quote!(let _ = map;));
    let write_fields = quote! {
        #unused_map
        #write_identity
        #(#writes)*
        #(#write_flattened)*
        ::core::result::Result::Ok(())
    };
    let fields = self::fields(&read_fields, &write_fields, serde);
    let serde_impls = serde_impls(
        name,
        &quote!(#krate::wire::write_record(self, serializer)),
        &quote!(#krate::wire::read_record(deserializer)),
        serde,
    );
    quote! {
        impl #krate::wire::WireValue for #name {
            const ZERO_IS_REFUSED: bool = #refused_by_markers #(|| #refused)*;
            #keeps_unknown_fields
            fn is_zero(&self) -> bool {
                *self == <Self as ::core::default::Default>::default()
            }
            #absent
            #fields
        }
        #serde_impls
    }
}

/// The body of the function that reads a field of a struct. `identity`: the fields that only a resource has.
fn read_fields(
    own: &[&Field],
    flattened: &[&Field],
    identity: Option<&TokenStream>,
    krate: &TokenStream,
) -> TokenStream {
    let mut seen = BTreeSet::new();
    let reads: Vec<TokenStream> = own
        .iter()
        .filter_map(|field| {
            let pattern = pattern(&field.wire_name, &field.aliases, &mut seen)?;
            let (name, read) = (&field.name, read(field, krate));
            Some(quote!(#pattern => self.#name = #read(map)?))
        })
        .collect();
    let read_flattened = |field: &&Field| {
        let Field { name, kind, .. } = field;
        quote!(<#kind as #krate::wire::WireValue>::read_field(&mut self.#name, name, map))
    };
    let read_rest = match flattened {
        [] => quote!(::core::result::Result::Ok(false)),
        [only] => read_flattened(only),
        // One that keeps unknown fields comes last.
        several => {
            let reads = several.iter().map(read_flattened).collect::<Vec<_>>();
            let kinds = several.iter().map(|field| &field.kind);
            let keeps = kinds.map(|kind| quote!(<#kind as #krate::wire::WireValue>::KEEPS_UNKNOWN_FIELDS));
            let keeps = keeps.collect::<Vec<_>>();
            quote!(::core::result::Result::Ok(#(!#keeps && #reads?)||* || #(#keeps && #reads?)||*))
        }
    };
    if identity.is_some() || !own.is_empty() {
        quote! {
            match name {
                #identity
                #(#reads,)*
                _ => return #read_rest,
            }
            ::core::result::Result::Ok(true)
        }
    } else {
        quote!(let _ = (name, &map); #read_rest)
    }
}

/// For each field, an expression: whether its zero makes the zero of the struct invalid.
fn refusals(own: &[&Field], flattened: &[&Field], krate: &TokenStream) -> Vec<TokenStream> {
    own.iter()
        .filter(|field| field.options == 0 && !field.foreign)
        .map(|field| {
            let kind = &field.kind;
            let refused = zero_is_refused(&field.markers, field.named_kind, &quote!(#kind), krate);
            match field.named_kind.kind {
                // The zeros of Rust's own types can be valid.
                Some(_) => refused,
                // An alias may hide an `Option`, whose zero is legal.
                None => quote! {
                    (<#kind as #krate::Typed>::OPTIONS == 0
                        && (#refused || <#kind as #krate::wire::WireValue>::ZERO_IS_REFUSED))
                },
            }
        })
        .chain(flattened.iter().map(|field| {
            let kind = &field.kind;
            quote!(<#kind as #krate::wire::WireValue>::ZERO_IS_REFUSED)
        }))
        .collect()
}

/// The value of an empty object, if it is not a struct of zeros.
fn absent(own: &[&Field], flattened: &[&Field], krate: &TokenStream) -> Option<TokenStream> {
    let functions: Vec<TokenStream> = own
        .iter()
        .filter_map(|field| match &field.default {
            Some(SerdeDefault::Function(text, function)) => {
                let name = &field.name;
                Some(quote_spanned!(text.span()=> #name: #function()))
            }
            _ => None,
        })
        .collect();
    if functions.is_empty() && flattened.is_empty() {
        return None;
    }
    let flattened = flattened.iter().map(|field| {
        let Field { name, kind, .. } = field;
        quote!(#name: <#kind as #krate::wire::WireValue>::absent())
    });
    Some(quote! {
        #[allow(clippy::needless_update)]
        fn absent() -> Self {
            Self { #(#functions,)* #(#flattened,)* ..::core::default::Default::default() }
        }
    })
}

/// The names that something is read from, without those that are taken already, which is reported elsewhere.
fn pattern(wire_name: &str, aliases: &[LitStr], seen: &mut BTreeSet<String>) -> Option<TokenStream> {
    let names = std::iter::once(wire_name.to_owned()).chain(aliases.iter().map(LitStr::value));
    let names: Vec<String> = names.filter(|name| seen.insert(name.clone())).collect();
    (!names.is_empty()).then(|| quote!(#(#names)|*))
}

/// The function that reads a field. The type is named, so that an error underlines it, and only once.
fn read(field: &Field, krate: &TokenStream) -> TokenStream {
    let kind = &field.kind;
    if let Some(SerdeDefault::Function(text, function)) = &field.default {
        return quote_spanned!(text.span()=> (|map| #krate::wire::read_or_else(map, #function)));
    }
    match (field.foreign, field.options) {
        (true, 0 | 1) => quote!(#krate::wire::read_foreign),
        (true, _) => quote!(#krate::wire::read_nullable),
        (false, 2) => {
            let (_, stripped) = strip_options(kind);
            quote!(<#stripped as #krate::wire::WireValue>::read_nullable_member)
        }
        (false, _) => quote!(<#kind as #krate::wire::WireValue>::read_member),
    }
}

/// The statement that writes a field.
fn write(field: &Field, is_resource: bool, krate: &TokenStream) -> TokenStream {
    let Field { name, wire_name, kind, .. } = field;
    if field.required_nullable() || (field.foreign && field.options == 0) {
        return quote!(map.serialize_entry(#wire_name, &self.#name)?;);
    }
    if field.foreign {
        return quote! {
            if let ::core::option::Option::Some(value) = &self.#name {
                map.serialize_entry(#wire_name, value)?;
            }
        };
    }
    let refused = if field.options > 0 || field.skip_empty {
        quote!(true)
    } else if is_resource && wire_name == "metadata" {
        // An object without any metadata does not have a name, so it does not exist yet.
        quote!(true)
    } else {
        zero_is_refused(&field.markers, field.named_kind, &quote!(#kind), krate)
    };
    quote!(<#kind as #krate::wire::WireValue>::write_member(&self.#name, map, #wire_name, #refused)?;)
}

/// An expression: whether markers of all channels make the zero of this value invalid, for any type.
fn zero_is_refused(
    markers: &[LocatedMarker],
    named_kind: NamedKind,
    kind: &TokenStream,
    krate: &TokenStream,
) -> TokenStream {
    let of_all_channels =
        || markers.iter().map(|placed| &placed.marker).filter(|marker| !marker.items && marker.channel.is_none());
    let is_exclusive = |wanted: RuleKind| {
        of_all_channels().any(|marker| {
            marker.spec.meaning == Meaning::Rule(wanted) && marker.arguments.value() == Some(&Value::Boolean(true))
        })
    };
    let mut reasons = Vec::new();
    for marker in of_all_channels() {
        let Meaning::Rule(rule) = marker.spec.meaning else { continue };
        let bound = number(marker).unwrap_or(0.0);
        let refused = match (rule, marker.arguments.value()) {
            (RuleKind::MinLength, _) if bound >= 1.0 => Refused::Text,
            (RuleKind::MinItems, _) if bound >= 1.0 => Refused::Always,
            (RuleKind::MinProperties, _) if bound >= 1.0 => Refused::Members(bound as usize),
            (RuleKind::Minimum, _) if bound > 0.0 || (bound == 0.0 && is_exclusive(RuleKind::ExclusiveMinimum)) => {
                Refused::Always
            }
            (RuleKind::Maximum, _) if bound < 0.0 || (bound == 0.0 && is_exclusive(RuleKind::ExclusiveMaximum)) => {
                Refused::Always
            }
            (RuleKind::Pattern, Some(Value::String(pattern)))
                if re2::recognise(pattern).is_ok_and(|pattern| !pattern.matches_empty()) =>
            {
                Refused::Text
            }
            (RuleKind::Format, Some(Value::String(format))) if REFUSES_EMPTY.contains(&format.as_str()) => {
                Refused::Text
            }
            (RuleKind::Enum, Some(Value::List(values))) if !values.iter().any(is_zero_scalar) => Refused::Always,
            // The zero of a struct has no optional field set.
            (RuleKind::ExactlyOneOf | RuleKind::AtLeastOneOf, _) => Refused::Always,
            _ => continue,
        };
        reasons.push(match (refused, named_kind.kind) {
            (Refused::Always, _) | (Refused::Text, Some(Kind::String)) | (Refused::Members(_), Some(Kind::Map)) => {
                return quote!(true);
            }
            (Refused::Text, Some(_)) => continue,
            (Refused::Text, None) => quote!(#krate::wire::is_text(<#kind as #krate::Typed>::KIND)),
            (Refused::Members(count), _) => {
                quote!(#krate::wire::zero_has_fewer_members(&<#kind as #krate::Typed>::FACTS, #count))
            }
        });
    }
    if reasons.is_empty() { quote!(false) } else { quote!((#(#reasons)||*)) }
}

/// When a marker refuses the zero.
enum Refused {
    /// Whatever the value is.
    Always,
    /// If it is a string; an int-or-string has the zero 0.
    Text,
    /// Whether it has fewer members than the limit: a struct of zeros has its required fields.
    Members(usize),
}

/// Formats that the API server checks and that no empty string has.
const REFUSES_EMPTY: [&str; 15] = [
    "cidr",
    "date",
    "date-time",
    "datetime",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "mac",
    "uri",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
];

/// Impls of a refused item, so that what uses it has no errors of its own.
pub(crate) fn stand_in(item: &Item, generics: &Generics, krate: &TokenStream) -> TokenStream {
    if !cfg!(feature = "serde") {
        return TokenStream::new();
    }
    let serde = quote!(#krate::exports::serde);
    let name = &item.name;
    let (parameters, arguments, condition) = generics.split_for_impl();
    let own = [
        ("Clone", quote!(::core::clone::Clone), quote! { fn clone(&self) -> Self { loop {} } }),
        ("Default", quote!(::core::default::Default), quote! { fn default() -> Self { loop {} } }),
        ("PartialEq", quote!(::core::cmp::PartialEq), quote! { fn eq(&self, _: &Self) -> bool { loop {} } }),
        (
            "Debug",
            quote!(::core::fmt::Debug),
            quote! {
                fn fmt(&self, _: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result { loop {} }
            },
        ),
    ]
    .into_iter()
    .filter(|(derived, _, _)| !item.derived(derived))
    .map(|(_, path, body)| quote!(impl #parameters #path for #name #arguments #condition { #body }));
    let with_lifetime = generics.params.iter().map(|parameter| match parameter {
        syn::GenericParam::Type(parameter) => {
            let syn::TypeParam { ident, bounds, .. } = parameter;
            quote!(#ident: #bounds)
        }
        syn::GenericParam::Const(parameter) => {
            let syn::ConstParam { ident, ty, .. } = parameter;
            quote!(const #ident: #ty)
        }
        lifetime => lifetime.to_token_stream(),
    });
    quote! {
        #(#own)*
        impl #parameters #krate::wire::WireValue for #name #arguments #condition {
            const ZERO_IS_REFUSED: bool = false;
            fn is_zero(&self) -> bool { loop {} }
        }
        impl #parameters #serde::Serialize for #name #arguments #condition {
            fn serialize<__S: #serde::Serializer>(&self, _: __S) -> ::core::result::Result<__S::Ok, __S::Error> { loop {} }
        }
        impl<'de, #(#with_lifetime),*> #serde::Deserialize<'de> for #name #arguments #condition {
            fn deserialize<__D: #serde::Deserializer<'de>>(_: __D) -> ::core::result::Result<Self, __D::Error> { loop {} }
        }
    }
}

/// What kube-rs' derive gives a root type: `k8s_openapi`'s traits, from which `kube::Resource` follows, `new`, and access to spec and status.
fn kube(item: &Item, fields: &[Field], krate: &TokenStream) -> TokenStream {
    let complete = item.options.group.is_some() && item.options.version.is_some() && item.options.kind.is_some();
    let has_metadata =
        fields.iter().any(|field| field.is_named() && field.is_object_meta() && field.name == "metadata");
    if !cfg!(feature = "kube") || !complete || !has_metadata {
        return TokenStream::new();
    }
    let name = &item.name;
    let names = item.markers.iter().find(|placed| placed.marker.spec.meaning == Meaning::Rule(RuleKind::Resource));
    let argument = |key: &str| names.and_then(|placed| placed.marker.arguments.text(key)).map(str::to_owned);
    let kind = item.options.kind.as_ref().map(syn::LitStr::value).unwrap_or_default();
    let plural = argument("path").unwrap_or_else(|| plural(&kind));
    let scope = if argument("scope").as_deref() == Some("Cluster") {
        quote!(ClusterResourceScope)
    } else {
        quote!(NamespaceResourceScope)
    };
    let k8s = quote!(#krate::exports::k8s_openapi);
    let core = quote!(#krate::exports::kube_core);
    let parts = parts(item, fields, krate);
    let group = item.options.group.as_ref().map(LitStr::value).unwrap_or_default();
    let crd_name = format!("{plural}.{group}");
    quote! {
        impl #core::crd::CustomResourceExt for #name {
            fn crd() -> #krate::definition::CustomResourceDefinition {
                #krate::definition::crd::<Self>()
            }
            fn crd_name() -> &'static str {
                #crd_name
            }
            fn api_resource() -> #core::ApiResource {
                #core::ApiResource::erase::<Self>(&())
            }
            fn shortnames() -> &'static [&'static str] {
                #krate::definition::short_names::<Self>()
            }
        }
        impl #k8s::Resource for #name {
            const API_VERSION: &'static str = <Self as #krate::Resource>::API_VERSION;
            const GROUP: &'static str = <Self as #krate::Resource>::GROUP;
            const KIND: &'static str = <Self as #krate::Resource>::KIND;
            const VERSION: &'static str = <Self as #krate::Resource>::VERSION;
            const URL_PATH_SEGMENT: &'static str = #plural;
            type Scope = #k8s::#scope;
        }
        impl #k8s::Metadata for #name {
            type Ty = #krate::ObjectMeta;
            fn metadata(&self) -> &#krate::ObjectMeta {
                &self.metadata
            }
            fn metadata_mut(&mut self) -> &mut #krate::ObjectMeta {
                &mut self.metadata
            }
        }
        #parts
    }
}

/// `new`, `HasSpec` and `HasStatus` for a root type with these fields.
fn parts(item: &Item, fields: &[Field], krate: &TokenStream) -> TokenStream {
    let Item { name, visibility, .. } = item;
    let core = quote!(#krate::exports::kube_core::object);
    let field = |wanted: &str| fields.iter().find(|field| field.is_named() && field.name == wanted);
    let mut parts = TokenStream::new();
    if let Some(Field { kind, .. }) = field("spec") {
        // Other fields, if there are any, are zero.
        let rest = (fields.len() > 2).then(|| quote!(..::core::default::Default::default()));
        parts.extend(quote! {
            impl #name {
                /// An object of that name.
                #[must_use]
                #[allow(dead_code, unreachable_pub)]
                #visibility fn new(name: &str, spec: #kind) -> Self {
                    let name = ::core::option::Option::Some(::std::string::String::from(name));
                    let metadata = #krate::ObjectMeta { name, ..::core::default::Default::default() };
                    Self { metadata, spec, #rest }
                }
            }
            impl #core::HasSpec for #name {
                type Spec = #kind;
                fn spec(&self) -> &#kind {
                    &self.spec
                }
                fn spec_mut(&mut self) -> &mut #kind {
                    &mut self.spec
                }
            }
        });
    }
    if let Some(field) = field("status").filter(|field| field.options == 1) {
        let (_, kind) = strip_options(&field.kind);
        parts.extend(quote! {
            impl #core::HasStatus for #name {
                type Status = #kind;
                fn status(&self) -> ::core::option::Option<&#kind> {
                    ::core::option::Option::as_ref(&self.status)
                }
                fn status_mut(&mut self) -> &mut ::core::option::Option<#kind> {
                    &mut self.status
                }
            }
        });
    }
    parts
}
