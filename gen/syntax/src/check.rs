//! Checks that need only the item itself.
//!
//! What needs other types is an [`assertion`](crate::assertion); checks that need all types run at generation.
//!
//! Invariants: all errors are reported; the item is not changed.

use std::collections::{BTreeMap, HashSet};

use crd_markers::fit::{Applies, Kind, mismatch, no_list};
use crd_markers::marker::{Arguments, Marker, TAGS};
use crd_markers::table::{ArgumentSpec, BOUNDS, Meaning, RuleKind};
use crd_markers::value::Value;
use crd_names::channel::ChannelSet;
use crd_names::wire::{is_bundle_version, is_feature, is_go_name, is_group, is_kind, is_version_name};
use crd_names::{nearest, shortened};
use crd_regexp as re2;
use proc_macro2::Ident;
use syn::LitStr;

use crate::ast::{Body, Data, Field, Item, NamedKind, Shape, Union, Variant, plain};
use crate::attr::{LocatedMarker, SerdeDefault};
use crate::compile_errors::CompileErrors;
use crate::lens;

/// The names of a field, value or variant: in Rust, on the wire, and when read.
macro_rules! names {
    ($list:expr) => {
        $list.map(|named| (&named.name, named.wire_name.as_str(), named.aliases.as_slice()))
    };
}

/// Checks an item. `foreign`: whether this build has foreign types.
pub fn item(item: &Item, foreign: bool, errors: &mut CompileErrors) {
    resource(item, errors);
    tombstones(item, errors);
    lens::check(item, errors);
    check_markers(&item.markers, item.channels(), item.named_kind(), errors);
    match &item.body {
        Body::Struct(fields) => {
            wire_names(names!(fields.iter().filter(|field| field.is_named())), "field", errors);
            for field in fields {
                self::field(field, item.channels(), foreign, errors);
            }
            unions(&item.markers, fields, errors);
            if item.options.is_resource() {
                root_fields(item, fields, errors);
            }
        }
        Body::Enum(variants) => {
            wire_names(names!(variants.iter()), "value", errors);
            for variant in variants {
                check_markers(&variant.markers, variant.channels(), NamedKind::only(Kind::String), errors);
            }
            enumeration(item, variants, errors);
        }
        Body::Union(union) => self::union(item, union, foreign, errors),
        Body::Newtype { .. } | Body::Refused { .. } => {}
    }
    if item.options.open && !matches!(item.body, Body::Enum(_)) {
        errors.at(
            &item.name,
            "`#[api(open)]` is for enums without data: it makes a string of which some values are named",
        );
    }
    if !matches!(item.body, Body::Enum(_)) || item.options.open {
        for placed in item.markers.iter().filter(|placed| placed.marker.spec.meaning == Meaning::EnumVariants) {
            errors.at(
                &placed.lines,
                "`+k8s:enum` makes the variants the only values: write it on a Rust enum without `#[api(open)]`, or remove it",
            );
        }
    }
}

fn resource(item: &Item, errors: &mut CompileErrors) {
    let options = &item.options;
    if !options.is_resource() {
        return;
    }
    for (name, value) in [("group", &options.group), ("version", &options.version), ("kind", &options.kind)] {
        if value.is_none() && !options.misspelt.contains(&name) {
            errors.at(
                &item.name,
                format!("a resource needs `{name}`: write `#[api(group = \"…\", version = \"…\", kind = \"…\")]`"),
            );
        }
    }
    for (value, is_well_formed, expected) in [
        (
            &options.group,
            is_group as fn(&str) -> bool,
            "not an API group: write a DNS name in lower case with at least one dot, such as `widgets.example.com`",
        ),
        (
            &options.version,
            is_version_name,
            "not an API version: write v1, v2 and so on, or a level as in v1beta1 and v1alpha2",
        ),
        (&options.kind, is_kind, "not a kind: write a word in CamelCase, such as `HTTPRoute`"),
    ] {
        if let Some(value) = value
            && !is_well_formed(&value.value())
        {
            errors.at(value, format!("`{}` is {expected}", value.value()));
        }
    }
    for placed in &item.markers {
        if placed.marker.spec.meaning == Meaning::Rule(RuleKind::GoName) {
            errors.at(&placed.lines, "the name of a resource in Go is its kind: remove the marker");
        }
    }
    if !matches!(item.body, Body::Struct(_) | Body::Refused { .. }) {
        errors
            .at(&item.name, "a resource must be a struct with the fields `metadata`, `spec` and, optionally, `status`");
    }
}

fn root_fields(item: &Item, fields: &[Field], errors: &mut CompileErrors) {
    match fields.iter().find(|field| field.wire_name == "metadata" && field.is_named()) {
        None => errors.at(&item.name, "a resource needs the field `pub metadata: ObjectMeta`"),
        Some(metadata) if !metadata.is_object_meta() => {
            errors.at(
                &metadata.kind,
                "`metadata` must have the type of Kubernetes' object metadata: write `pub metadata: crd_channels::ObjectMeta`",
            );
        }
        Some(_) => {}
    }
    for field in fields {
        if matches!(field.wire_name.as_str(), "apiVersion" | "kind") && field.is_named() {
            errors.at(&field.name, "`#[api]` writes apiVersion and kind itself: remove the field");
        }
    }
}

fn wire_names<'a>(
    names: impl Iterator<Item = (&'a Ident, &'a str, &'a [LitStr])>,
    what: &str,
    errors: &mut CompileErrors,
) {
    let mut seen: BTreeMap<String, &Ident> = BTreeMap::new();
    let mut aliases = Vec::new();
    let mut in_rust = HashSet::new();
    for (name, wire_name, further) in names {
        if !in_rust.insert(plain(name)) {
            errors.at(name, format!("the name `{name}` is defined twice"));
        }
        if wire_name.is_empty() && what == "field" {
            errors.at(name, "a field needs a name on the wire");
        }
        if let Some(other) = seen.get(wire_name) {
            errors.at(
                name,
                format!(
                    "this {what} and `{other}` are both `{wire_name}` on the wire: rename one with `#[serde(rename = \"…\")]`"
                ),
            );
        } else {
            seen.insert(wire_name.to_owned(), name);
        }
        aliases.extend(further.iter().map(|alias| (name, alias)));
    }
    for (name, alias) in aliases {
        if let Some(other) = seen.insert(alias.value(), name) {
            errors.at(alias, format!("`{}` already belongs to `{other}` already", alias.value()));
        }
    }
}

fn tombstones(item: &Item, errors: &mut CompileErrors) {
    let mut seen: Vec<&str> = Vec::new();
    for placed in item.tombstones() {
        let text = |argument: &str| placed.marker.arguments.text(argument);
        let (Some(name), Some(removed), Some(reason)) = (text("name"), text("removed"), text("reason")) else {
            continue;
        };
        if seen.contains(&name) {
            errors.at(&placed.lines, format!("`{name}` has a tombstone already"));
        }
        seen.push(name);
        if !is_bundle_version(removed) {
            errors.at(
                &placed.lines,
                format!(
                    "`removed={removed}` is not a bundle version: write vMAJOR.MINOR.PATCH, such as `removed=v1.4.0`"
                ),
            );
        }
        if reason.trim().is_empty() {
            errors.at(&placed.lines, "a tombstone needs a reason: why the name must not return");
        }
        let reason = if reason.trim().is_empty() { String::new() } else { format!(" ({reason})") };
        let message = format!(
            "`{name}` was removed in {removed}{reason} and must never return, because values of it may still be stored: {}",
            match text("replacement") {
                Some(replacement) => format!("`{replacement}` replaces it"),
                None => "choose another name".to_owned(),
            }
        );
        for again in item.named(name) {
            errors.at(again, &message);
        }
        if matches!(item.body, Body::Newtype { .. }) {
            errors.at(
                &placed.lines,
                "a newtype has no field or value names: put the tombstone on the struct or enum that had the name",
            );
        }
    }
}

/// An enum with data: its names, and each variant.
fn union(item: &Item, union: &Union, foreign: bool, errors: &mut CompileErrors) {
    let what = if union.tag.is_some() { "value" } else { "field" };
    wire_names(names!(union.variants.iter()), what, errors);
    for variant in &union.variants {
        check_markers(&variant.markers, variant.channels, NamedKind::only(Kind::Any), errors);
        match &variant.data {
            Data::Fields { record, .. } => {
                self::item(record, foreign, errors);
                if let (Some(tag), Body::Struct(fields)) = (&union.tag, &record.body) {
                    for field in fields.iter().filter(|field| field.is_named() && field.wire_name == tag.value()) {
                        errors.at(
                            &field.name,
                            format!(
                                "`{}` is the field that names the variant: rename one of both, with `#[serde(rename = \"…\")]` or `tag`",
                                field.wire_name
                            ),
                        );
                    }
                }
            }
            Data::Newtype { markers, .. } => {
                check_markers(markers, variant.channels, NamedKind { kind: None, items: None }, errors);
            }
        }
    }
    has_variants(item, union.variants.iter().map(|variant| variant.channels), "variants", errors);
}

/// An enum has variants, and standard has some of them. `what`: what the schema has for each.
fn has_variants(item: &Item, channels: impl Iterator<Item = ChannelSet>, what: &str, errors: &mut CompileErrors) {
    let channels: Vec<ChannelSet> = channels.collect();
    if channels.is_empty() {
        errors.at(&item.name, "an enum without variants has no values");
    } else if item.channels().is_all() && channels.iter().all(|channels| !channels.is_all()) {
        errors.at(
            &item.name,
            format!(
                "every variant is experimental, so standard would have an enum without {what}: mark the enum itself `+experimental`"
            ),
        );
    }
}

fn enumeration(item: &Item, variants: &[Variant], errors: &mut CompileErrors) {
    if !item.options.open {
        for placed in item.markers.iter().filter(|placed| placed.marker.spec.meaning == Meaning::Rule(RuleKind::Enum)) {
            errors.at(
                &placed.lines,
                "the variants of the Rust enum are the values: remove the marker, or write `#[api(open)]`",
            );
        }
    }
    // The schema of an open enum is a string.
    let channels = |variant: &Variant| if item.options.open { ChannelSet::ALL } else { variant.channels() };
    has_variants(item, variants.iter().map(channels), "values", errors);
}

fn field(field: &Field, channels_of_item: ChannelSet, foreign: bool, errors: &mut CompileErrors) {
    let named_kind = if field.is_opaque() { NamedKind::only(Kind::Any) } else { field.named_kind };
    check_markers(&field.markers, field.channels().and(channels_of_item), named_kind, errors);
    presence(field, errors);
    rust_default(field, errors);
    if field.options > 2 {
        errors.at(&field.kind, "more than two nested `Option`s have no wire form");
    }
    if field.flatten {
        if field.options > 0 {
            errors.at(&field.kind, FLATTEN_OPTIONAL);
        }
        for placed in &field.markers {
            errors.at(
                &placed.lines,
                if placed.marker.spec.meaning == Meaning::Experimental {
                    "a flattened field cannot be experimental as a whole: mark the fields of its type"
                } else {
                    "a flattened field has no schema of its own: put the marker on its type, or on one of the fields of its type"
                },
            );
        }
        if field.foreign {
            errors.at(&field.name, "a foreign type cannot be flattened: the macro cannot see its fields");
        }
    }
    if field.skip {
        for placed in &field.markers {
            errors.at(&placed.lines, "a skipped field is not part of the schema: remove its markers");
        }
    }
    if field.foreign && !foreign {
        errors.at(
            &field.name,
            "`#[api(foreign)]` needs the feature `schemars` of crd-channels: write `crd-channels = { version = \"…\", features = [\"schemars\"] }` in Cargo.toml",
        );
    }
}

/// What an absent field reads as in Rust, and what it means in the schema.
fn rust_default(field: &Field, errors: &mut CompileErrors) {
    let Some(default) = &field.default else { return };
    match default {
        SerdeDefault::Function(text, _) if !field.is_named() => {
            errors.at(text, "a flattened or skipped field is not on the wire under a name of its own: remove the default");
        }
        SerdeDefault::Function(text, _) if field.options > 1 => {
            errors.at(text, "an absent field is `None`, because null is a value of its own: remove the default");
        }
        SerdeDefault::Function(text, _) if field.schema_default().is_none() => errors.at(
            text,
            "the schema does not have this default: write `+kubebuilder:default=…` with the same value, so that the server fills it in. `generate` compares both",
        ),
        SerdeDefault::Zero(word) if field.is_defaulted() => match (field.schema_default(), field.named_kind.kind) {
            (Some(marker), Some(_)) if !marker.marker.arguments.value().is_some_and(is_zero) => errors.at(
                word,
                "an absent field reads as the zero of the type, and the marker has another default: write `default = \"…\"` with a function that returns the value of the marker",
            ),
            (None, kind) if !matches!(kind, Some(Kind::List | Kind::Map)) && (kind.is_some() || field.is_opaque()) => {
                errors.at(word, DEFAULT_OF_REQUIRED);
            }
            _ => {}
        },
        _ => {}
    }
}

/// Whether a type that the macro recognises has this value as its zero.
fn is_zero(value: &Value) -> bool {
    match value {
        Value::List(items) => items.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        value => is_zero_scalar(value),
    }
}

/// Whether the value is a scalar that something absent reads as.
pub fn is_zero_scalar(value: &Value) -> bool {
    match value {
        Value::String(text) => text.is_empty(),
        Value::Integer(integer) => *integer == 0,
        Value::Float(float) => *float == 0.0,
        Value::Boolean(boolean) => !boolean,
        Value::Null | Value::List(_) | Value::Object(_) => false,
    }
}

pub const DEFAULT_OF_REQUIRED: &str = "this field is required in the schema, and `default` is for a field that may be absent: write `Option<…>`, or add `+kubebuilder:default=…` with the value that an absent field reads as";

fn presence(field: &Field, errors: &mut CompileErrors) {
    let find = |meaning: Meaning| field.markers.iter().find(|placed| placed.marker.spec.meaning == meaning);
    match (find(Meaning::Optional), find(Meaning::Required)) {
        (Some(optional), Some(required)) => errors.at(
            &required.lines,
            format!(
                "`+{}` and `+{}` contradict each other: `Option<…>` makes the field optional, any other type required, and no marker is needed",
                optional.marker.name, required.marker.name
            ),
        ),
        (None, Some(required)) if field.is_defaulted() => {
            errors.at(&required.lines, "`#[serde(default)]` makes the field optional: remove it, or the marker");
        }
        (Some(_), None) if field.is_defaulted() => {}
        (Some(optional), None) if field.options == 0 && field.named_kind.kind.is_some() => {
            errors.at(&optional.lines, OPTIONAL_ON_REQUIRED);
        }
        (None, Some(required)) if field.options > 0 && !field.required_nullable() => {
            errors.at(&required.lines, REQUIRED_ON_OPTIONAL);
        }
        _ => {}
    }
    if let Some(nullable) = find(Meaning::Nullable)
        && field.options < 2
        && !field.required_nullable()
    {
        errors.at(
            &nullable.lines,
            "the Rust type cannot hold null: write `Option<Option<…>>` (absent, null or a value), or `Option<…>` with `+required` (null or a value)",
        );
    }
}

pub const OPTIONAL_ON_REQUIRED: &str =
    "the Rust type makes this field required: write `Option<…>`, or remove the marker";
pub const REQUIRED_ON_OPTIONAL: &str = "the Rust type makes this field optional: remove the `Option`, or the marker";
pub const FLATTEN_OPTIONAL: &str =
    "a flattened field cannot be an `Option`: on the wire, `None` and a struct of `None`s are the same";

/// Checks the markers of any target.
fn check_markers(markers: &[LocatedMarker], channels: ChannelSet, named_kind: NamedKind, errors: &mut CompileErrors) {
    for (index, placed) in markers.iter().enumerate() {
        let marker = &placed.marker;
        if let Some(earlier) = markers[..index].iter().find(|earlier| collide(&earlier.marker, marker)) {
            let message = if earlier.marker.name != marker.name {
                format!("`+{}` and `+{}` have the same meaning: keep one", earlier.marker.name, marker.name)
            } else if earlier.marker.arguments == marker.arguments {
                format!("`+{}` appears twice: remove one", marker.name)
            } else {
                format!("`+{}` appears twice with different values: keep one", marker.name)
            };
            errors.at(&placed.lines, message);
        }
        if let Some(channel) = marker.channel
            && !channels.contains(channel)
        {
            errors.at(
                &placed.lines,
                format!(
                    "this exists in the experimental channel only, so a marker for {channel} has no effect: remove it"
                ),
            );
        }
        value(placed, errors);
    }
    list_map_keys(markers, errors);
    bounds(markers, errors);
    defaults(markers, errors);
    repeated_values(markers, errors);
    let kind = match Shape::of(markers, named_kind) {
        Shape::Rust(named_kind) => {
            kinds(markers, named_kind, errors);
            named_kind.kind
        }
        Shape::Fixed(kind) => kind,
    };
    if kind == Some(Kind::Integer) {
        whole_bounds(markers, errors);
    }
}

/// Whether two markers exclude each other.
fn collide(earlier: &Marker, later: &Marker) -> bool {
    earlier.items == later.items
        && earlier.spec.meaning == later.spec.meaning
        && share_a_channel(earlier, later)
        && (!later.spec.repeatable
            // Two tombstones of one name are reported even if they differ otherwise.
            || (earlier.arguments == later.arguments && later.spec.meaning != Meaning::Tombstone))
        && !(is_tag(earlier) != is_tag(later) && earlier.arguments == later.arguments)
}

/// Whether it is a tag of Kubernetes' declarative validation. Go types have it next to the older marker of the same meaning.
fn is_tag(marker: &Marker) -> bool {
    marker.name.starts_with(TAGS)
}

fn share_a_channel(left: &Marker, right: &Marker) -> bool {
    let channels = |marker: &Marker| marker.channel.map_or(ChannelSet::ALL, ChannelSet::only);
    !channels(left).and(channels(right)).is_empty()
}

/// Values other than a word or a number.
fn value(placed: &LocatedMarker, errors: &mut CompileErrors) {
    let marker = &placed.marker;
    let name = &marker.name;
    match (marker.spec.meaning, &marker.arguments) {
        (Meaning::Rule(RuleKind::Pattern), Arguments::Value(Value::String(pattern))) => {
            if let Err(error) = re2::recognise(pattern) {
                errors.at(
                    &placed.lines,
                    format!("`+{name}`: not a valid RE2 expression, which Kubernetes requires: {error}"),
                );
            }
        }
        (Meaning::Rule(RuleKind::Default), Arguments::Value(value)) => {
            if let Some(message) = refused_default(value) {
                errors.at(&placed.lines, format!("`+{name}`: {message}"));
            }
        }
        (Meaning::Rule(RuleKind::ConformanceFeature), Arguments::Value(Value::String(feature)))
            if !is_feature(feature) =>
        {
            errors.at(
                &placed.lines,
                format!(
                    "`+{name}`: `{}` is not the name of a feature: write one word of letters and digits, such as `HTTPRouteRetry`",
                    shortened(feature)
                ),
            );
        }
        (Meaning::Rule(RuleKind::GoName), Arguments::Value(Value::String(go))) if !is_go_name(go) => {
            errors.at(
                &placed.lines,
                format!(
                    "`+{name}`: `{}` is not an exported Go identifier: write a capital letter, then letters and digits, such as `TLSConfig`",
                    shortened(go)
                ),
            );
        }
        (Meaning::Rule(RuleKind::UniqueItems), Arguments::Value(Value::Boolean(true))) => {
            errors.at(
                &placed.lines,
                "API servers reject `uniqueItems: true`, because the check is slow: write `+listType=set`",
            );
        }
        (Meaning::Rule(RuleKind::XValidation), arguments)
            if arguments.text("rule").is_some_and(|rule| rule.trim().is_empty()) =>
        {
            errors.at(&placed.lines, format!("`+{name}`: the rule is empty"));
        }
        (Meaning::Rule(RuleKind::Lint), arguments)
            if arguments.text("reason").is_some_and(|reason| reason.trim().is_empty()) =>
        {
            errors.at(&placed.lines, format!("`+{name}`: the reason is empty"));
        }
        (Meaning::Rule(RuleKind::Metadata), Arguments::Named(arguments)) => metadata(placed, arguments, errors),
        _ => {}
    }
}

/// The entries of labels and annotations are pairs.
fn metadata(placed: &LocatedMarker, arguments: &[(&ArgumentSpec, Value)], errors: &mut CompileErrors) {
    let name = &placed.marker.name;
    if arguments.is_empty() {
        errors.at(&placed.lines, format!("`+{name}` needs `annotations=…` or `labels=…`"));
    }
    for (spec, value) in arguments {
        let Value::List(entries) = value else { continue };
        for entry in entries {
            if let Value::String(entry) = entry
                && !entry.contains('=')
            {
                errors.at(
                    &placed.lines,
                    format!("`+{name}`: `{entry}` has no value: write `{}=\"{entry}=…\"`", spec.name),
                );
            }
        }
    }
}

/// The message for a default that is rejected for every type.
pub fn refused_default(value: &Value) -> Option<&'static str> {
    match value {
        Value::Null => Some("a default of null has no effect: remove the marker"),
        Value::String(text) if text.starts_with("ref(") => {
            Some("`ref(…)` refers to a Go constant: write the value itself")
        }
        _ => None,
    }
}

fn list_map_keys(markers: &[LocatedMarker], errors: &mut CompileErrors) {
    let of =
        |wanted: RuleKind| markers.iter().filter(move |placed| placed.marker.spec.meaning == Meaning::Rule(wanted));
    let is_map = |placed: &&LocatedMarker| placed.marker.arguments.value() == Some(&Value::String("map".to_owned()));
    for list_type in of(RuleKind::ListType).filter(is_map) {
        if !of(RuleKind::ListMapKey).any(|key| share_a_channel(&key.marker, &list_type.marker)) {
            errors.at(
                &list_type.lines,
                "a list of type `map` needs at least one `+listMapKey=…`: the field that identifies an item",
            );
        }
    }
    for key in of(RuleKind::ListMapKey) {
        if !of(RuleKind::ListType).filter(is_map).any(|list_type| share_a_channel(&key.marker, &list_type.marker)) {
            errors.at(&key.lines, format!("`+{}` has no effect without `+listType=map`", key.marker.name));
        }
    }
}

/// Bounds that contradict each other at one place; across types, constants assert it.
fn bounds(markers: &[LocatedMarker], errors: &mut CompileErrors) {
    for (smallest, largest) in BOUNDS {
        for upper in markers.iter().filter(|placed| placed.marker.spec.meaning == Meaning::Rule(largest)) {
            for lower in markers.iter().filter(|placed| placed.marker.spec.meaning == Meaning::Rule(smallest)) {
                if lower.marker.items == upper.marker.items
                    && share_a_channel(&lower.marker, &upper.marker)
                    && let (Some(low), Some(high)) = (number(&lower.marker), number(&upper.marker))
                    && low > high
                {
                    errors.at(
                        &lower.lines,
                        format!(
                            "`+{}={low}` is above `+{}={high}`: no value can be valid",
                            lower.marker.name, upper.marker.name
                        ),
                    );
                }
            }
        }
    }
}

fn whole_bounds(markers: &[LocatedMarker], errors: &mut CompileErrors) {
    for placed in markers.iter().filter(|placed| !placed.marker.items) {
        if let (Meaning::Rule(RuleKind::Minimum | RuleKind::Maximum | RuleKind::MultipleOf), Some(Value::Float(float))) =
            (placed.marker.spec.meaning, placed.marker.arguments.value())
            && float.fract() != 0.0
        {
            errors.at(
                &placed.lines,
                format!("`+{}={float}`: this is an integer, so its bounds must be whole numbers", placed.marker.name),
            );
        }
    }
}

/// Defaults that other markers do not permit. Constants assert that the type permits them.
fn defaults(markers: &[LocatedMarker], errors: &mut CompileErrors) {
    for default in markers.iter().filter(|placed| placed.marker.spec.meaning == Meaning::Rule(RuleKind::Default)) {
        let Some(value) = default.marker.arguments.value() else { continue };
        for other in
            markers.iter().filter(|other| !other.marker.items && share_a_channel(&default.marker, &other.marker))
        {
            let Meaning::Rule(rule) = other.marker.spec.meaning else { continue };
            if !permits(&other.marker, rule, value) {
                errors.at(
                    &default.lines,
                    match number(&other.marker) {
                        Some(bound) => {
                            format!("the default {value} is not one that `+{}={bound}` permits", other.marker.name)
                        }
                        None => format!("the default {value} is not a value that `+{}` permits", other.marker.name),
                    },
                );
            }
        }
    }
}

/// Values that `Enum` lists twice.
fn repeated_values(markers: &[LocatedMarker], errors: &mut CompileErrors) {
    for placed in markers {
        let Meaning::Rule(RuleKind::Enum) = placed.marker.spec.meaning else { continue };
        let Some(Value::List(values)) = placed.marker.arguments.value() else { continue };
        let mut seen = HashSet::new();
        for value in values {
            if !seen.insert(format!("{value:?}")) {
                errors.at(&placed.lines, format!("`+{}` has the value {value} twice", placed.marker.name));
            }
        }
    }
}

/// Whether the marker permits the value. Undecided cases are permitted.
fn permits(marker: &Marker, rule: RuleKind, value: &Value) -> bool {
    if let (RuleKind::Enum, Some(Value::List(values))) = (rule, marker.arguments.value()) {
        return values.contains(value);
    }
    let measure = match (rule, value) {
        (RuleKind::Minimum | RuleKind::Maximum, Value::Integer(integer)) => *integer as f64,
        (RuleKind::Minimum | RuleKind::Maximum, Value::Float(float)) => *float,
        (RuleKind::MinLength | RuleKind::MaxLength, Value::String(text)) => text.chars().count() as f64,
        (RuleKind::MinItems | RuleKind::MaxItems, Value::List(items)) => items.len() as f64,
        (RuleKind::MinProperties | RuleKind::MaxProperties, Value::Object(entries)) => entries.len() as f64,
        _ => return true,
    };
    let Some(bound) = number(marker) else { return true };
    if rule.is_lower_bound() { measure >= bound } else { measure <= bound }
}

/// Markers on what is evidently of another kind; types of other names are asserted by constants.
fn kinds(markers: &[LocatedMarker], named_kind: NamedKind, errors: &mut CompileErrors) {
    let Some(kind) = named_kind.kind else { return };
    for placed in markers {
        let marker = &placed.marker;
        let (kind, has_items_form) = match (marker.items, kind, named_kind.items) {
            (false, kind, _) => (kind, marker.spec.for_items),
            (true, Kind::List, Some(items)) => (items, false),
            (true, Kind::List | Kind::Any, _) => continue,
            (true, other, _) => {
                errors.at(&placed.lines, no_list(&marker.name, other).as_str());
                continue;
            }
        };
        if !marker.spec.applies.takes(kind) {
            errors.at(&placed.lines, mismatch(&marker.name, marker.spec.applies, has_items_form, kind).as_str());
        }
    }
}

/// Unions over fields that this very item has; those of flattened structs are asserted by constants.
fn unions(markers: &[LocatedMarker], fields: &[Field], errors: &mut CompileErrors) {
    for (placed, name) in union_fields(markers) {
        let marker = &placed.marker.name;
        if name.contains('.') {
            errors.at(
                &placed.lines,
                format!("`+{marker}`: `{name}` is a nested field, and only fields of this struct can be named"),
            );
            continue;
        }
        match fields.iter().find(|field| field.is_named() && field.wire_name == name) {
            Some(field) if field.options == 0 && (field.named_kind.kind.is_some() || field.foreign) => errors.at(
                &placed.lines,
                format!(
                    "`+{marker}`: the field `{name}` is required, so it cannot be one of several optional fields: make it an `Option`"
                ),
            ),
            Some(_) => {}
            None if fields.iter().any(Field::is_flattened) => {}
            None => {
                let names = fields.iter().filter(|field| field.is_named()).map(|field| field.wire_name.as_str());
                let hint = match nearest(name, names.clone()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("it has {}", names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")),
                };
                errors.at(&placed.lines, format!("`+{marker}`: this struct has no field `{name}` on the wire: {hint}"));
            }
        }
    }
}

/// The names of fields in union markers.
pub fn union_fields(markers: &[LocatedMarker]) -> impl Iterator<Item = (&LocatedMarker, &str)> {
    markers
        .iter()
        .filter(|placed| placed.marker.spec.applies == Applies::Struct)
        .filter_map(|placed| match placed.marker.arguments.value() {
            Some(Value::List(names)) => Some(names.iter().map(move |name| (placed, name))),
            _ => None,
        })
        .flatten()
        .filter_map(|(placed, name)| match name {
            Value::String(name) => Some((placed, name.as_str())),
            _ => None,
        })
}

/// The number behind a marker.
pub fn number(marker: &Marker) -> Option<f64> {
    match marker.arguments.value() {
        Some(Value::Integer(integer)) => Some(*integer as f64),
        Some(Value::Float(float)) => Some(*float),
        _ => None,
    }
}
