//! What can be found wrong with an item by looking at it alone.
//!
//! Fed with the typed item. Read by authors, as compile errors on the doc line. What needs to know other types is asserted by
//! the constants that [`crate::expand`] writes; what needs all types is found at generation.
//!
//! Invariants: every fault is reported; nothing here changes the item.

use std::collections::BTreeMap;

use crd_markers::channel::ChannelSet;
use crd_markers::fit::{Applies, Kind, mismatch, no_list};
use crd_markers::marker::{Arguments, Marker};
use crd_markers::nearest::nearest;
use crd_markers::table::{BOUNDS, Meaning, RuleKind};
use crd_markers::value::Value;
use crd_regexp as re2;
use proc_macro2::Ident;
use syn::LitStr;

use crate::ast::{Body, Field, Item, Known, Shape, Variant};
use crate::attr::PlacedMarker;
use crate::faults::Faults;

/// Checks an item.
pub(crate) fn item(item: &Item, faults: &mut Faults) {
    resource(item, faults);
    tombstones(item, faults);
    place(&item.markers, item.channels(), item.known(), faults);
    match &item.body {
        Body::Struct(fields) => {
            wire_names(fields.iter().filter(|field| field.is_named()).map(Field::names), "field", faults);
            for field in fields {
                self::field(field, item.channels(), faults);
            }
            unions(&item.markers, fields, faults);
            if item.options.is_resource() {
                root_fields(item, fields, faults);
            }
        }
        Body::Enum(variants) => {
            wire_names(variants.iter().map(Variant::names), "value", faults);
            for variant in variants {
                place(&variant.markers, variant.channels(), Known::only(Kind::String), faults);
            }
            enumeration(item, variants, faults);
        }
        Body::Newtype { .. } | Body::Refused { .. } => {}
    }
    if item.options.open && !matches!(item.body, Body::Enum(_)) {
        faults.at(&item.name, "`#[api(open)]` is for enums: it makes a string of which some values are named");
    }
    if !matches!(item.body, Body::Enum(_)) || item.options.open {
        for placed in item.markers.iter().filter(|placed| placed.marker.spec.meaning == Meaning::EnumVariants) {
            faults.at(
                &placed.lines,
                "`+k8s:enum` says that the variants are the only values: write it on a Rust enum without `#[api(open)]`, or leave it out",
            );
        }
    }
}

fn resource(item: &Item, faults: &mut Faults) {
    let options = &item.options;
    if !options.is_resource() {
        return;
    }
    for (name, value) in [("group", &options.group), ("version", &options.version), ("kind", &options.kind)] {
        if value.is_none() && !options.misspelt.contains(&name) {
            faults.at(
                &item.name,
                format!("a resource needs `{name}`: write `#[api(group = \"…\", version = \"…\", kind = \"…\")]`"),
            );
        }
    }
    for (value, is_well_formed, expected) in [
        (
            &options.group,
            is_group as fn(&str) -> bool,
            "no API group: a DNS name in lower case with at least one dot, such as `widgets.example.com`",
        ),
        (
            &options.version,
            is_kubernetes_version,
            "no API version: v1, v2, and so on, or with a level, as v1beta1 and v1alpha2",
        ),
        (&options.kind, is_kind, "no kind: a word in CamelCase, such as `HTTPRoute`"),
    ] {
        if let Some(value) = value
            && !is_well_formed(&value.value())
        {
            faults.at(value, format!("`{}` is {expected}", value.value()));
        }
    }
    if !matches!(item.body, Body::Struct(_) | Body::Refused { .. }) {
        faults.at(&item.name, "a resource is a struct with the fields `metadata`, `spec` and, if it has one, `status`");
    }
}

fn is_group(text: &str) -> bool {
    text.contains('.')
        && text.split('.').all(|label| {
            !label.is_empty()
                && label.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-')
                && !label.starts_with('-')
                && !label.ends_with('-')
        })
}

/// `v1`, `v2beta3`: what Kubernetes orders as versions.
fn is_kubernetes_version(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('v') else { return false };
    let number = |digits: &str| {
        !digits.is_empty() && !digits.starts_with('0') && digits.bytes().all(|digit| digit.is_ascii_digit())
    };
    match rest.split_once("alpha").or_else(|| rest.split_once("beta")) {
        Some((major, level)) => number(major) && number(level),
        None => number(rest),
    }
}

fn is_kind(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_uppercase())
        && text.chars().all(|letter| letter.is_ascii_alphanumeric())
}

fn root_fields(item: &Item, fields: &[Field], faults: &mut Faults) {
    match fields.iter().find(|field| field.wire_name == "metadata" && field.is_named()) {
        None => faults.at(&item.name, "a resource needs the field `pub metadata: ObjectMeta`"),
        Some(metadata) if !metadata.is_object_meta() => {
            faults.at(
                &metadata.kind,
                "every object has metadata of Kubernetes' own type: write `pub metadata: crd_channels::ObjectMeta`",
            );
        }
        Some(_) => {}
    }
    for field in fields {
        if matches!(field.wire_name.as_str(), "apiVersion" | "kind") && field.is_named() {
            faults.at(&field.name, "`#[api]` writes apiVersion and kind itself: remove the field");
        }
    }
}

impl Field {
    /// Its name in Rust, on the wire, and when read.
    fn names(&self) -> (&Ident, &str, &[LitStr]) {
        (&self.name, &self.wire_name, &self.aliases)
    }
}

impl Variant {
    /// Its name in Rust, on the wire, and when read.
    fn names(&self) -> (&Ident, &str, &[LitStr]) {
        (&self.name, &self.wire_name, &self.aliases)
    }
}

fn wire_names<'a>(names: impl Iterator<Item = (&'a Ident, &'a str, &'a [LitStr])>, what: &str, faults: &mut Faults) {
    let mut seen: BTreeMap<String, &Ident> = BTreeMap::new();
    let mut aliases = Vec::new();
    for (name, wire_name, further) in names {
        if wire_name.is_empty() && what == "field" {
            faults.at(name, "a field needs a name on the wire");
        }
        if let Some(other) = seen.get(wire_name) {
            faults.at(
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
            faults.at(alias, format!("`{}` is read into `{other}` already", alias.value()));
        }
    }
}

fn tombstones(item: &Item, faults: &mut Faults) {
    let mut seen: Vec<&str> = Vec::new();
    for placed in item.tombstones() {
        let text = |argument: &str| placed.marker.arguments.text(argument);
        let (Some(name), Some(removed), Some(reason)) = (text("name"), text("removed"), text("reason")) else {
            continue;
        };
        if seen.contains(&name) {
            faults.at(&placed.lines, format!("`{name}` has a tombstone already"));
        }
        seen.push(name);
        if !is_bundle_version(removed) {
            faults.at(
                &placed.lines,
                format!("`removed={removed}` is no bundle version: write vMAJOR.MINOR.PATCH, such as `removed=v1.4.0`"),
            );
        }
        if reason.trim().is_empty() {
            faults.at(&placed.lines, "a tombstone needs a reason that says why the name must not return");
        }
        let reason = if reason.trim().is_empty() { String::new() } else { format!(" ({reason})") };
        let told = format!(
            "`{name}` was removed in {removed}{reason} and must never return, because values of it may still be stored: {}",
            match text("replacement") {
                Some(replacement) => format!("`{replacement}` took over"),
                None => "choose another name".to_owned(),
            }
        );
        match &item.body {
            Body::Struct(fields) => {
                for field in fields.iter().filter(|field| field.is_named() && field.wire_name == name) {
                    faults.at(&field.name, &told);
                }
            }
            Body::Enum(variants) => {
                for variant in variants.iter().filter(|variant| variant.wire_name == name) {
                    faults.at(&variant.name, &told);
                }
            }
            Body::Newtype { .. } => faults.at(
                &placed.lines,
                "a newtype has no names that could return: put the tombstone on the struct or enum that had it",
            ),
            Body::Refused { .. } => {}
        }
    }
}

fn is_bundle_version(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('v') else { return false };
    let core = rest.split_once('-').map_or(rest, |(core, _)| core);
    let parts: Vec<&str> = core.split('.').collect();
    parts.len() == 3
        && parts.iter().all(|part| {
            !part.is_empty()
                && part.len() <= 4
                && part.bytes().all(|digit| digit.is_ascii_digit())
                && (*part == "0" || !part.starts_with('0'))
        })
}

fn enumeration(item: &Item, variants: &[Variant], faults: &mut Faults) {
    if !item.options.open {
        for placed in item.markers.iter().filter(|placed| placed.marker.spec.meaning == Meaning::Rule(RuleKind::Enum)) {
            faults.at(
                &placed.lines,
                "the variants of the Rust enum are the values: leave the marker out, or write `#[api(open)]`",
            );
        }
    }
    if variants.is_empty() {
        faults.at(&item.name, "an enum without variants has no values");
    } else if !item.options.open
        && item.channels().is_all()
        && variants.iter().all(|variant| !variant.channels().is_all())
    {
        faults.at(
            &item.name,
            "every variant is experimental, so standard would have an enum without values: mark the enum itself `+experimental`",
        );
    }
}

fn field(field: &Field, channels_of_item: ChannelSet, faults: &mut Faults) {
    let known = if field.is_opaque() { Known::only(Kind::Any) } else { field.known };
    place(&field.markers, field.channels().and(channels_of_item), known, faults);
    presence(field, faults);
    if field.options > 2 {
        faults.at(&field.kind, "more than two `Option`s around each other have no form on the wire");
    }
    if field.flatten {
        if field.options > 0 {
            faults.at(&field.kind, FLATTEN_OPTIONAL);
        }
        for placed in &field.markers {
            faults.at(
                &placed.lines,
                if placed.marker.spec.meaning == Meaning::Experimental {
                    "a flattened field cannot be experimental as a whole: mark the fields of its type"
                } else {
                    "a flattened field has no schema of its own: put the marker on its type, or on one of the fields of its type"
                },
            );
        }
        if field.foreign {
            faults.at(&field.name, "a foreign type cannot be flattened: its fields are not known here");
        }
    }
    if field.skip {
        for placed in &field.markers {
            faults.at(&placed.lines, "a skipped field is not part of the schema: remove its markers");
        }
    }
    if field.foreign && !cfg!(feature = "foreign") {
        faults.at(
            &field.name,
            "`#[api(foreign)]` needs the feature `schemars` of crd-channels: write `crd-channels = { version = \"…\", features = [\"schemars\"] }` in Cargo.toml",
        );
    }
}

fn presence(field: &Field, faults: &mut Faults) {
    let find = |meaning: Meaning| field.markers.iter().find(|placed| placed.marker.spec.meaning == meaning);
    match (find(Meaning::Optional), find(Meaning::Required)) {
        (Some(optional), Some(required)) => faults.at(
            &required.lines,
            format!(
                "`+{}` and `+{}` contradict each other: `Option<…>` makes the field optional, any other type required, and no marker is needed",
                optional.marker.name, required.marker.name
            ),
        ),
        (Some(optional), None) if field.options == 0 && field.known.kind.is_some() => {
            faults.at(&optional.lines, OPTIONAL_ON_REQUIRED);
        }
        (None, Some(required)) if field.options > 0 && !field.required_nullable() => {
            faults.at(&required.lines, REQUIRED_ON_OPTIONAL);
        }
        _ => {}
    }
    if let Some(nullable) = find(Meaning::Nullable)
        && field.options < 2
        && !field.required_nullable()
    {
        faults.at(
            &nullable.lines,
            "null needs a place in the Rust type: write `Option<Option<…>>` (absent, null or a value), or `Option<…>` with `+required` (null or a value)",
        );
    }
}

pub(crate) const OPTIONAL_ON_REQUIRED: &str =
    "the Rust type says that this field is always there: write `Option<…>`, or remove the marker";
pub(crate) const REQUIRED_ON_OPTIONAL: &str =
    "the Rust type says that this field may be absent: remove the `Option`, or the marker";
pub(crate) const FLATTEN_OPTIONAL: &str =
    "a flattened struct cannot be an `Option`: nothing on the wire would tell `None` from a struct of `None`s";

/// What holds for the markers of any place.
fn place(markers: &[PlacedMarker], channels: ChannelSet, known: Known, faults: &mut Faults) {
    for (index, placed) in markers.iter().enumerate() {
        let marker = &placed.marker;
        if let Some(earlier) = markers[..index].iter().find(|earlier| collide(&earlier.marker, marker)) {
            let message = if earlier.marker.name != marker.name {
                format!("`+{}` and `+{}` say the same thing: keep one", earlier.marker.name, marker.name)
            } else if earlier.marker.arguments == marker.arguments {
                format!("`+{}` stands here twice: remove one", marker.name)
            } else {
                format!("`+{}` stands here twice, with different values: keep one", marker.name)
            };
            faults.at(&placed.lines, message);
        }
        if let Some(channel) = marker.channel
            && !channels.contains(channel)
        {
            faults.at(
                &placed.lines,
                format!(
                    "this exists in the experimental channel only, so a marker for {channel} never holds: remove it"
                ),
            );
        }
        value(placed, faults);
    }
    list_map_keys(markers, faults);
    bounds(markers, faults);
    defaults(markers, faults);
    let kind = match Shape::of(markers, known) {
        Shape::Rust(known) => {
            kinds(markers, known, faults);
            known.kind
        }
        Shape::Given(kind) => kind,
    };
    if kind == Some(Kind::Integer) {
        whole_bounds(markers, faults);
    }
}

/// Whether two markers cannot stand together.
fn collide(earlier: &Marker, later: &Marker) -> bool {
    earlier.items == later.items
        && earlier.spec.meaning == later.spec.meaning
        && share_a_channel(earlier, later)
        && (!later.spec.repeatable
            // Two tombstones of one name are reported as such, whatever else they say.
            || (earlier.arguments == later.arguments && later.spec.meaning != Meaning::Tombstone))
}

fn share_a_channel(left: &Marker, right: &Marker) -> bool {
    let channels = |marker: &Marker| marker.channel.map_or(ChannelSet::ALL, ChannelSet::only);
    !channels(left).and(channels(right)).is_empty()
}

/// Values that are more than a word or a number.
fn value(placed: &PlacedMarker, faults: &mut Faults) {
    let marker = &placed.marker;
    let name = &marker.name;
    match (marker.spec.meaning, &marker.arguments) {
        (Meaning::Rule(RuleKind::Pattern), Arguments::Value(Value::String(pattern))) => {
            if let Err(error) = re2::recognise(pattern) {
                faults.at(
                    &placed.lines,
                    format!("`+{name}`: this is no RE2 expression, and API servers read no others: {error}"),
                );
            }
        }
        (Meaning::Rule(RuleKind::Default), Arguments::Value(value)) => {
            if let Some(told) = refused_default(value) {
                faults.at(&placed.lines, format!("`+{name}`: {told}"));
            }
        }
        (Meaning::Rule(RuleKind::UniqueItems), Arguments::Value(Value::Boolean(true))) => {
            faults.at(
                &placed.lines,
                "API servers refuse `uniqueItems: true`, because checking it is slow: write `+listType=set`",
            );
        }
        (Meaning::Rule(RuleKind::XValidation), arguments)
            if arguments.text("rule").is_some_and(|rule| rule.trim().is_empty()) =>
        {
            faults.at(&placed.lines, format!("`+{name}`: the rule is empty"));
        }
        (Meaning::Rule(RuleKind::Metadata), Arguments::Named(arguments)) => {
            if arguments.is_empty() {
                faults.at(&placed.lines, format!("`+{name}` needs `annotations=…` or `labels=…`"));
            }
            for (spec, value) in arguments {
                let Value::List(entries) = value else { continue };
                for entry in entries {
                    if let Value::String(entry) = entry
                        && !entry.contains('=')
                    {
                        faults.at(
                            &placed.lines,
                            format!("`+{name}`: `{entry}` has no value: write `{}=\"{entry}=…\"`", spec.name),
                        );
                    }
                }
            }
        }
        _ => {}
    }
}

/// What is told of a default that is refused whatever the type of its field is.
pub(crate) fn refused_default(value: &Value) -> Option<&'static str> {
    match value {
        Value::Null => Some("null has no effect here: remove the marker"),
        Value::String(text) if text.starts_with("ref(") => {
            Some("`ref(…)` points at a Go constant: write the value itself")
        }
        _ => None,
    }
}

fn list_map_keys(markers: &[PlacedMarker], faults: &mut Faults) {
    let of =
        |wanted: RuleKind| markers.iter().filter(move |placed| placed.marker.spec.meaning == Meaning::Rule(wanted));
    let is_map = |placed: &&PlacedMarker| placed.marker.arguments.value() == Some(&Value::String("map".to_owned()));
    for list_type in of(RuleKind::ListType).filter(is_map) {
        if !of(RuleKind::ListMapKey).any(|key| share_a_channel(&key.marker, &list_type.marker)) {
            faults.at(
                &list_type.lines,
                "a list of type `map` needs at least one `+listMapKey=…`: the field that tells its items apart",
            );
        }
    }
    for key in of(RuleKind::ListMapKey) {
        if !of(RuleKind::ListType).filter(is_map).any(|list_type| share_a_channel(&key.marker, &list_type.marker)) {
            faults.at(&key.lines, "`+listMapKey` means nothing without `+listType=map` beside it");
        }
    }
}

/// Bounds that contradict each other at one place; across types, constants assert it.
fn bounds(markers: &[PlacedMarker], faults: &mut Faults) {
    for (smallest, largest) in BOUNDS {
        for upper in markers.iter().filter(|placed| placed.marker.spec.meaning == Meaning::Rule(largest)) {
            for lower in markers.iter().filter(|placed| placed.marker.spec.meaning == Meaning::Rule(smallest)) {
                if lower.marker.items == upper.marker.items
                    && share_a_channel(&lower.marker, &upper.marker)
                    && let (Some(low), Some(high)) = (number(&lower.marker), number(&upper.marker))
                    && low > high
                {
                    faults.at(
                        &lower.lines,
                        format!(
                            "`+{}={low}` is above `+{}={high}`: no value could be valid",
                            lower.marker.name, upper.marker.name
                        ),
                    );
                }
            }
        }
    }
}

fn whole_bounds(markers: &[PlacedMarker], faults: &mut Faults) {
    for placed in markers.iter().filter(|placed| !placed.marker.items) {
        if let (Meaning::Rule(RuleKind::Minimum | RuleKind::Maximum | RuleKind::MultipleOf), Some(Value::Float(float))) =
            (placed.marker.spec.meaning, placed.marker.arguments.value())
            && float.fract() != 0.0
        {
            faults.at(
                &placed.lines,
                format!("`+{}={float}`: this is an integer, so its bounds must be whole numbers", placed.marker.name),
            );
        }
    }
}

/// Defaults that markers beside them do not permit; what the type does not permit, constants assert.
fn defaults(markers: &[PlacedMarker], faults: &mut Faults) {
    for default in markers.iter().filter(|placed| placed.marker.spec.meaning == Meaning::Rule(RuleKind::Default)) {
        let Some(value) = default.marker.arguments.value() else { continue };
        for other in
            markers.iter().filter(|other| !other.marker.items && share_a_channel(&default.marker, &other.marker))
        {
            let Meaning::Rule(rule) = other.marker.spec.meaning else { continue };
            if !permits(&other.marker, rule, value) {
                faults.at(
                    &default.lines,
                    match number(&other.marker) {
                        Some(bound) => {
                            format!(
                                "the default {value} is not one that `+{}={bound}` beside it permits",
                                other.marker.name
                            )
                        }
                        None => format!(
                            "the default {value} is none of the values that `+{}` beside it permits",
                            other.marker.name
                        ),
                    },
                );
            }
        }
    }
}

/// Whether the value is one that the marker permits, as far as one can tell.
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
fn kinds(markers: &[PlacedMarker], known: Known, faults: &mut Faults) {
    let Some(kind) = known.kind else { return };
    for placed in markers {
        let marker = &placed.marker;
        let (kind, has_items_form) = match (marker.items, kind, known.items) {
            (false, kind, _) => (kind, marker.spec.for_items),
            (true, Kind::List, Some(items)) => (items, false),
            (true, Kind::List | Kind::Any, _) => continue,
            (true, other, _) => {
                faults.at(&placed.lines, no_list(&marker.name, other).as_str());
                continue;
            }
        };
        if !marker.spec.applies.takes(kind) {
            faults.at(&placed.lines, mismatch(&marker.name, marker.spec.applies, has_items_form, kind).as_str());
        }
    }
}

/// Unions over fields that this very item has; those of flattened structs are asserted by constants.
fn unions(markers: &[PlacedMarker], fields: &[Field], faults: &mut Faults) {
    for (placed, name) in union_fields(markers) {
        let marker = &placed.marker.name;
        if name.contains('.') {
            faults.at(
                &placed.lines,
                format!("`+{marker}`: `{name}` is a nested field, and only fields of this struct can be named"),
            );
            continue;
        }
        match fields.iter().find(|field| field.is_named() && field.wire_name == name) {
            Some(field) if field.options == 0 && (field.known.kind.is_some() || field.foreign) => faults.at(
                &placed.lines,
                format!(
                    "`+{marker}`: the field `{name}` is always there, so it cannot be one of several that are set or not: make it an `Option`"
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
                faults.at(&placed.lines, format!("`+{marker}`: this struct has no field `{name}` on the wire: {hint}"));
            }
        }
    }
}

/// The names of fields in union markers.
pub(crate) fn union_fields(markers: &[PlacedMarker]) -> impl Iterator<Item = (&PlacedMarker, &str)> {
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
pub(crate) fn number(marker: &Marker) -> Option<f64> {
    match marker.arguments.value() {
        Some(Value::Integer(integer)) => Some(*integer as f64),
        Some(Value::Float(float)) => Some(*float),
        _ => None,
    }
}
