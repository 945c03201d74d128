//! Every marker on each of its targets: an annotated sample whose descriptor has the marker's rule, and a plain sample whose
//! descriptor does not. A test fails if a row of the table of markers does not have a sample.

use std::collections::{BTreeMap, BTreeSet};

use crd_channels::json::{Json, Number};
use crd_channels::rule::{
    self, DeprecatedVersion, ExternalDocs, Metadata, PrintColumn, ResourceNames, Rule, SelectableField,
    SubresourceScale, XValidation,
};
use crd_channels::{
    AnyJson, Channel, ChannelSet, Described, IntOrString, ObjectMeta, Presence, RawExtension, Shape, TypeDescriptor,
    api,
};
use crd_markers::marker::parse;
use crd_markers::table::{Meaning, Target, entries};

/// What a marker does to a descriptor.
enum Effect {
    /// It is carried as a rule.
    Rule(Rule),
    /// The thing exists in the experimental channel only.
    Experimental,
    /// A name is buried.
    Tombstone,
    /// The field is listed in `required`, although it is an `Option`.
    RequiredNullable,
    /// Nothing: the marker repeats the Rust type.
    Repeats,
}

/// A sample with a marker and the same without.
struct Sample {
    marker: &'static str,
    target: Target,
    effect: Effect,
    fires: &'static TypeDescriptor,
    silent: &'static TypeDescriptor,
}

/// What a descriptor has where a sample has its marker.
#[derive(Debug, PartialEq)]
struct Seen {
    channels: ChannelSet,
    rules: Vec<(ChannelSet, bool, Rule)>,
    tombstones: usize,
    nullable: bool,
    presence: Option<Presence>,
}

fn seen(descriptor: &'static TypeDescriptor, target: Target) -> Seen {
    let rules = |markers: &[crd_channels::rule::Marker]| {
        markers.iter().map(|marker| (marker.channels, marker.items, marker.rule)).collect()
    };
    match (target, descriptor.shape) {
        (Target::Field, Shape::Struct(fields)) => Seen {
            channels: fields[0].channels,
            rules: rules(fields[0].markers),
            tombstones: 0,
            nullable: fields[0].nullable,
            presence: Some(fields[0].presence),
        },
        (Target::Variant, Shape::Enum { variants, .. }) => Seen {
            channels: variants[0].channels,
            rules: rules(variants[0].markers),
            tombstones: 0,
            nullable: false,
            presence: None,
        },
        (Target::Variant, Shape::Union { variants, .. }) => {
            let crd_channels::TypeRef::Named(data) = variants[0].kind else { panic!("the variant has named fields") };
            assert!(data.get().markers.is_empty(), "a marker of the variant is not one of its data");
            Seen {
                channels: variants[0].channels,
                rules: rules(variants[0].markers),
                tombstones: data.get().tombstones.len(),
                nullable: false,
                presence: None,
            }
        }
        _ => Seen {
            channels: descriptor.channels,
            rules: rules(descriptor.markers),
            tombstones: descriptor.tombstones.len(),
            nullable: false,
            presence: None,
        },
    }
}

macro_rules! samples {
    (@module $module:ident $target:ident $marker:literal $effect:expr; $($types:tt)*) => {
        mod $module {
            use super::*;

            $($types)*

            pub fn samples(all: &mut Vec<Sample>) {
                let (fires, silent) = (Fires::DESCRIPTOR, Silent::DESCRIPTOR);
                all.push(Sample { marker: $marker, target: Target::$target, effect: $effect, fires, silent });
            }
        }
    };
    (@types field $module:ident ($kind:ty) $marker:literal $effect:expr) => {
        samples!(@module $module Field $marker $effect;
            #[api]
            pub struct Fires {
                /// A field.
                #[doc = $marker]
                pub field: $kind,
            }
            #[api]
            pub struct Silent { pub field: $kind }
        );
    };
    (@types newtype $module:ident ($kind:ty) $marker:literal $effect:expr) => {
        samples!(@module $module Type $marker $effect;
            /// With the marker.
            #[doc = $marker]
            #[api]
            pub struct Fires($kind);
            #[api]
            pub struct Silent($kind);
        );
    };
    // A field of the type, and a newtype around it.
    (@types both $module:ident ($kind:ty) $marker:literal $effect:expr) => {
        mod $module {
            use super::*;

            samples!(@types field field ($kind) $marker $effect);
            samples!(@types newtype newtype ($kind) $marker $effect);

            pub fn samples(all: &mut Vec<Sample>) {
                field::samples(all);
                newtype::samples(all);
            }
        }
    };
    (@types structure $module:ident ($($name:ident: $kind:ty),*) $marker:literal $effect:expr) => {
        samples!(@module $module Type $marker $effect;
            /// With the marker.
            #[doc = $marker]
            #[api]
            pub struct Fires { $(pub $name: $kind),* }
            #[api]
            pub struct Silent { $(pub $name: $kind),* }
        );
    };
    (@types enumeration $module:ident ($($name:ident),*) $marker:literal $effect:expr) => {
        samples!(@module $module Type $marker $effect;
            /// With the marker.
            #[doc = $marker]
            #[api]
            pub enum Fires { $($name),* }
            #[api]
            pub enum Silent { $($name),* }
        );
    };
    (@types variant $module:ident ($name:ident $({ $($fields:tt)* })?) $marker:literal $effect:expr) => {
        samples!(@module $module Variant $marker $effect;
            #[api]
            pub enum Fires {
                #[doc = $marker]
                $name $({ $($fields)* })?,
                Other $({ $($fields)* })?,
            }
            #[api]
            pub enum Silent { $name $({ $($fields)* })?, Other $({ $($fields)* })? }
        );
    };
    (@types resource $module:ident () $marker:literal $effect:expr) => {
        samples!(@module $module Resource $marker $effect;
            /// With the marker.
            #[doc = $marker]
            #[api(group = "things.example.com", version = "v1", kind = "Thing")]
            pub struct Fires { pub metadata: ObjectMeta }
            #[api(group = "things.example.com", version = "v1", kind = "Thing")]
            pub struct Silent { pub metadata: ObjectMeta }
        );
    };
    ($($what:ident $module:ident $arguments:tt $marker:literal => $effect:expr;)*) => {
        $(samples!(@types $what $module $arguments $marker $effect);)*

        fn samples() -> Vec<Sample> {
            let mut all = Vec::new();
            $($module::samples(&mut all);)*
            all
        }
    };
}

use Effect::{Experimental, Repeats, RequiredNullable, Tombstone};
use Rule::*;

/// The item of lists of type `map`.
#[api]
pub struct Item {
    pub name: String,
    pub port: Option<i32>,
}

/// A struct without required fields.
#[api]
pub struct Inner {
    pub one: Option<String>,
}

/// A closed enum.
#[api]
pub enum Choice {
    Yes,
    No,
}

const fn carries(rule: Rule) -> Effect {
    Effect::Rule(rule)
}

const MINIMUM: Json = Json::Object(&[("minimum", Json::Integer(3))]);

const fn lens(operation: &'static str, arguments: &'static [(&'static str, Json)]) -> Effect {
    carries(Lens(rule::Lens { operation, arguments }))
}

const OLD: (&str, Json) = ("from", Json::String("old"));
const TO: (&str, Json) = ("to", Json::String("one"));
const SINCE: (&str, Json) = ("since", Json::String("v1.1.0"));
const FIELD: (&str, Json) = ("field", Json::String("name"));
const KEY: (&str, Json) = ("key", Json::String("k"));
const VALUES: (&str, Json) = ("values", Json::Object(&[("Old", Json::String("New"))]));
const MULTIPLY: (&str, Json) = ("multiply", Json::Integer(1000));
const PATTERN: (&str, Json) = ("pattern", Json::String("(?P<a>.*)"));
const TEMPLATE: (&str, Json) = ("template", Json::String("{a}"));

fn cel(rule: &'static str) -> XValidation {
    XValidation {
        field_path: None,
        message: None,
        message_expression: None,
        optional_old_self: None,
        reason: None,
        rule,
    }
}

const ALLOWED: Rule = Rule::Lint(rule::Lint { allow: "no-floats", reason: "measured" });

samples! {
    // Ours.
    field experimental_field(Option<String>) "+experimental" => Experimental;
    newtype experimental_newtype(String) "+experimental" => Experimental;
    enumeration experimental_enum(Yes, No) "+experimental" => Experimental;
    structure experimental_struct(one: Option<String>) "+experimental" => Experimental;
    variant experimental_variant(Yes) "+experimental" => Experimental;
    variant experimental_variant_with_data(Yes { one: i32 }) "+experimental" => Experimental;
    resource experimental_resource() "+experimental" => Experimental;
    variant tombstone_variant(Yes { one: i32 }) "+tombstone:name=two,removed=v1.4.0,reason=\"gone\"" => Tombstone;
    structure tombstone_struct(one: Option<String>) "+tombstone:name=two,removed=v1.4.0,reason=\"gone\"" => Tombstone;
    enumeration tombstone_enum(Yes, No) "+tombstone:name=Maybe,removed=v1.4.0,reason=\"gone\",replacement=No" => Tombstone;
    field feature_field(Option<String>) "+conformance:feature=ThingColour" => carries(ConformanceFeature("ThingColour"));
    newtype feature_newtype(String) "+conformance:feature=A" => carries(ConformanceFeature("A"));
    structure feature_struct(one: Option<String>) "+conformance:feature=303Redirect" => carries(ConformanceFeature("303Redirect"));
    field feature_of_value(Option<String>) "+conformance:feature=Thing/Colour=red" => carries(ConformanceFeature("Thing/Colour=red"));
    enumeration feature_enum(Yes, No) "+conformance:feature=\"A\"" => carries(ConformanceFeature("A"));
    variant feature_variant(Yes) "+conformance:feature=A" => carries(ConformanceFeature("A"));
    variant feature_variant_with_data(Yes { one: i32 }) "+conformance:feature=A" => carries(ConformanceFeature("A"));
    resource feature_resource() "+conformance:feature=Thing" => carries(ConformanceFeature("Thing"));
    field go_name_field(Option<String>) "+go:name=URL" => carries(GoName("URL"));
    newtype go_name_newtype(String) "+go:name=A" => carries(GoName("A"));
    structure go_name_struct(one: Option<String>) "+go:name=A1" => carries(GoName("A1"));
    enumeration go_name_enum(Yes, No) "+go:name=\"A\"" => carries(GoName("A"));
    variant go_name_variant(Yes) "+go:name=A_B" => carries(GoName("A_B"));
    variant go_name_variant_with_data(Yes { one: i32 }) "+go:name=A" => carries(GoName("A"));
    field go_type_field(Option<String>) "+go:type=value" => carries(GoType("value"));
    field lint_field(Option<String>) "+lint:allow=no-floats,reason=\"measured\"" => carries(ALLOWED);
    newtype lint_newtype(String) "+lint:allow=no-floats,reason=\"measured\"" => carries(ALLOWED);
    structure lint_struct(one: Option<String>) "+lint:allow=no-floats,reason=\"measured\"" => carries(ALLOWED);
    enumeration lint_enum(Yes, No) "+lint:allow=no-floats,reason=\"measured\"" => carries(ALLOWED);
    variant lint_variant(Yes) "+lint:allow=no-floats,reason=\"measured\"" => carries(ALLOWED);
    variant lint_variant_with_data(Yes { one: i32 }) "+lint:allow=no-floats,reason=\"measured\"" => carries(ALLOWED);
    resource lint_resource() "+lint:allow=no-floats,reason=\"measured\"" => carries(ALLOWED);
    // Conversion.
    field lens_rename(Option<String>) "+lens:rename:from=old,since=v1.1.0" => lens("rename", &[OLD, SINCE]);
    structure lens_rename_of_type(one: Option<String>) "+lens:rename:from=old,to=one,since=v1.1.0" => lens("rename", &[OLD, TO, SINCE]);
    field lens_wrap_in_list(Option<String>) "+lens:wrapInList:from=old,since=v1.1.0" => lens("wrapInList", &[OLD, SINCE]);
    structure lens_wrap_in_list_of_type(one: Option<String>) "+lens:wrapInList:from=old,to=one,since=v1.1.0" => lens("wrapInList", &[OLD, TO, SINCE]);
    field lens_unwrap_list(Option<String>) "+lens:unwrapList:from=old,since=v1.1.0" => lens("unwrapList", &[OLD, SINCE]);
    structure lens_unwrap_list_of_type(one: Option<String>) "+lens:unwrapList:from=old,to=one,since=v1.1.0" => lens("unwrapList", &[OLD, TO, SINCE]);
    field lens_wrap_in_object(Option<String>) "+lens:wrapInObject:field=name,from=old,since=v1.1.0" => lens("wrapInObject", &[FIELD, OLD, SINCE]);
    structure lens_wrap_in_object_of_type(one: Option<String>) "+lens:wrapInObject:field=name,from=old,to=one,since=v1.1.0" => lens("wrapInObject", &[FIELD, OLD, TO, SINCE]);
    field lens_unwrap_object(Option<String>) "+lens:unwrapObject:field=name,from=old,since=v1.1.0" => lens("unwrapObject", &[FIELD, OLD, SINCE]);
    structure lens_unwrap_object_of_type(one: Option<String>) "+lens:unwrapObject:field=name,from=old,to=one,since=v1.1.0" => lens("unwrapObject", &[FIELD, OLD, TO, SINCE]);
    field lens_map_to_list(Option<String>) "+lens:mapToList:from=old,key=k,since=v1.1.0" => lens("mapToList", &[OLD, KEY, SINCE]);
    structure lens_map_to_list_of_type(one: Option<String>) "+lens:mapToList:from=old,key=k,to=one,since=v1.1.0" => lens("mapToList", &[OLD, KEY, TO, SINCE]);
    field lens_move(Option<String>) "+lens:move:from=a.old,since=v1.1.0" => lens("move", &[("from", Json::String("a.old")), SINCE]);
    structure lens_move_of_type(one: Option<String>) "+lens:move:from=\"a{*}.old\",to=\"a{*}.b.c\",since=v1.1.0" => lens("move", &[("from", Json::String("a{*}.old")), ("to", Json::String("a{*}.b.c")), SINCE]);
    field lens_list_to_map(Option<String>) "+lens:listToMap:from=old,key=k,keeps=true,since=v1.1.0" => lens("listToMap", &[OLD, KEY, ("keeps", Json::Boolean(true)), SINCE]);
    structure lens_list_to_map_of_type(one: Option<String>) "+lens:listToMap:from=old,key=k,to=one,value=v,since=v1.1.0" => lens("listToMap", &[OLD, KEY, TO, ("value", Json::String("v")), SINCE]);
    field lens_values(Option<String>) "+lens:values:values={Old: New},merged=A;B,nearest={C: Old},since=v1.1.0" => lens("values", &[("merged", Json::List(&[Json::String("A"), Json::String("B")])), ("nearest", Json::Object(&[("C", Json::String("Old"))])), VALUES, SINCE]);
    enumeration lens_values_of_enum(New, Other) "+lens:values:values={Old: New},since=v1.1.0" => lens("values", &[VALUES, SINCE]);
    field lens_scale(Option<i32>) "+lens:scale:from=old,multiply=1000,since=v1.1.0" => lens("scale", &[OLD, MULTIPLY, SINCE]);
    structure lens_scale_of_type(one: Option<String>) "+lens:scale:divide=3,from=old,multiply=1000,to=one,since=v1.1.0" => lens("scale", &[("divide", Json::Integer(3)), OLD, MULTIPLY, TO, SINCE]);
    structure lens_split(one: Option<String>) "+lens:split:from=old,integers=a,pattern=\"(?P<a>.*)\",template=\"{a}\",to={a: one},since=v1.1.0" => lens("split", &[OLD, ("integers", Json::List(&[Json::String("a")])), PATTERN, TEMPLATE, ("to", Json::Object(&[("a", Json::String("one"))])), SINCE]);
    field lens_join(Option<String>) "+lens:join:from={a: old},pattern=\"(?P<a>.*)\",template=\"{a}\",since=v1.1.0" => lens("join", &[("from", Json::Object(&[("a", Json::String("old"))])), PATTERN, TEMPLATE, SINCE]);
    structure lens_join_of_type(one: Option<String>) "+lens:join:from={a: old},pattern=\"(?P<a>.*)\",template=\"{a}\",to=one,since=v1.1.0" => lens("join", &[("from", Json::Object(&[("a", Json::String("old"))])), PATTERN, TEMPLATE, TO, SINCE]);
    field lens_default(String) "+lens:default:value={a: 1},since=v1.1.0" => lens("default", &[("value", Json::Object(&[("a", Json::Integer(1))])), SINCE]);
    structure lens_constant(one: Option<String>) "+lens:constant:path=old,value=3,reason=\"one value\",since=v1.1.0" => lens("constant", &[("path", Json::String("old")), ("value", Json::Integer(3)), SINCE, ("reason", Json::String("one value"))]);
    structure lens_drop(one: Option<String>) "+lens:drop:path=old,reason=unused,keeps=true,since=v1.1.0" => lens("drop", &[("keeps", Json::Boolean(true)), ("path", Json::String("old")), ("reason", Json::String("unused")), SINCE]);
    structure lens_code(one: Option<String>) "+lens:code:name=f,from=old,to=one;two,since=v1.1.0" => lens("code", &[("from", Json::List(&[Json::String("old")])), ("name", Json::String("f")), ("to", Json::List(&[Json::String("one"), Json::String("two")])), SINCE]);
    resource lens_resource() "+lens:resource:kind=Old,version=v1alpha1,since=v1.1.0" => lens("resource", &[("kind", Json::String("Old")), ("version", Json::String("v1alpha1")), SINCE]);
    // Presence.
    field optional(Option<String>) "+optional" => Repeats;
    field kubebuilder_optional(Option<String>) "+kubebuilder:validation:Optional" => carries(DeprecatedName);
    field k8s_optional(Option<String>) "+k8s:optional" => Repeats;
    field required(String) "+required" => Repeats;
    field kubebuilder_required(String) "+kubebuilder:validation:Required" => carries(DeprecatedName);
    field k8s_required(String) "+k8s:required" => carries(NotEmpty);
    field nullable_repeats(Option<Option<String>>) "+nullable" => Repeats;
    field nullable_required(Option<String>) "+nullable\n+required" => RequiredNullable;
    // Defaults and words.
    field default(i32) "+kubebuilder:default=3" => carries(Default(Json::Integer(3)));
    field default_list(Vec<i32>) "+kubebuilder:default={80,443}" => carries(Default(Json::List(&[Json::Integer(80), Json::Integer(443)])));
    field default_object(Item) "+kubebuilder:default={name: a, port: 80}" => carries(Default(Json::Object(&[("name", Json::String("a")), ("port", Json::Integer(80))])));
    field default_boolean(bool) "+kubebuilder:default=true" => carries(Default(Json::Boolean(true)));
    field default_float(f64) "+kubebuilder:default=0.5" => carries(Default(Json::Float(0.5)));
    field default_enum(Choice) "+kubebuilder:default=Yes" => carries(Default(Json::String("Yes")));
    field plain_default(String) "+default=\"a, b\"" => carries(Default(Json::String("a, b")));
    field example(Option<i32>) "+kubebuilder:example=5" => carries(Example(Json::Integer(5)));
    both title(String) "+kubebuilder:title=\"A title\"" => carries(Title("A title"));
    both description(String) "+schema:description=\"Another text, with a\\nline\"" => carries(Description("Another text, with a\nline"));
    both external_docs(String) "+kubebuilder:externalDocs:url=\"https://example.com\",description=more" => carries(ExternalDocs(ExternalDocs { description: Some("more"), url: "https://example.com" }));
    // Numbers.
    both maximum(i32) "+kubebuilder:validation:Maximum=9" => carries(Maximum(Number::Integer(9)));
    both minimum(f64) "+kubebuilder:validation:Minimum=-0.5" => carries(Minimum(Number::Float(-0.5)));
    both exclusive_maximum(i32) "+kubebuilder:validation:ExclusiveMaximum=true" => carries(ExclusiveMaximum(true));
    both exclusive_minimum(i32) "+kubebuilder:validation:ExclusiveMinimum=false" => carries(ExclusiveMinimum(false));
    both multiple_of(u16) "+kubebuilder:validation:MultipleOf=5" => carries(MultipleOf(Number::Integer(5)));
    both items_maximum(Vec<i32>) "+kubebuilder:validation:items:Maximum=9" => carries(Maximum(Number::Integer(9)));
    both items_minimum(Vec<f32>) "+kubebuilder:validation:items:Minimum=1" => carries(Minimum(Number::Integer(1)));
    both items_exclusive_maximum(Vec<i64>) "+kubebuilder:validation:items:ExclusiveMaximum=true" => carries(ExclusiveMaximum(true));
    both items_exclusive_minimum(Vec<u16>) "+kubebuilder:validation:items:ExclusiveMinimum=true" => carries(ExclusiveMinimum(true));
    both items_multiple_of(Vec<i8>) "+kubebuilder:validation:items:MultipleOf=2" => carries(MultipleOf(Number::Integer(2)));
    // Strings.
    both max_length(String) "+kubebuilder:validation:MaxLength=253" => carries(MaxLength(253));
    both min_length(String) "+kubebuilder:validation:MinLength=1" => carries(MinLength(1));
    both pattern(String) "+kubebuilder:validation:Pattern=`^[a-z]+$`" => carries(Pattern("^[a-z]+$"));
    both items_max_length(Vec<String>) "+kubebuilder:validation:items:MaxLength=63" => carries(MaxLength(63));
    both items_min_length(Vec<String>) "+kubebuilder:validation:items:MinLength=1" => carries(MinLength(1));
    both items_pattern(Vec<String>) "+kubebuilder:validation:items:Pattern=\"^\\\\d{2}$\"" => carries(Pattern("^\\d{2}$"));
    // Lists.
    both max_items(Vec<String>) "+kubebuilder:validation:MaxItems=16" => carries(MaxItems(16));
    both min_items(Vec<Item>) "+kubebuilder:validation:MinItems=1" => carries(MinItems(1));
    both unique_items(Vec<String>) "+kubebuilder:validation:UniqueItems=false" => carries(UniqueItems(false));
    both items_max_items(Vec<Vec<String>>) "+kubebuilder:validation:items:MaxItems=2" => carries(MaxItems(2));
    both items_min_items(Vec<Vec<String>>) "+kubebuilder:validation:items:MinItems=2" => carries(MinItems(2));
    both items_unique_items(Vec<Vec<String>>) "+kubebuilder:validation:items:UniqueItems=false" => carries(UniqueItems(false));
    // Objects.
    both max_properties(BTreeMap<String, String>) "+kubebuilder:validation:MaxProperties=8" => carries(MaxProperties(8));
    both min_properties(Inner) "+kubebuilder:validation:MinProperties=1" => carries(MinProperties(1));
    both items_max_properties(Vec<Inner>) "+kubebuilder:validation:items:MaxProperties=8" => carries(MaxProperties(8));
    both items_min_properties(Vec<BTreeMap<String, String>>) "+kubebuilder:validation:items:MinProperties=1" => carries(MinProperties(1));
    // General.
    both enumeration_marker(String) "+kubebuilder:validation:Enum=\"\";\"with space\";x" => carries(Enum(&[Json::String(""), Json::String("with space"), Json::String("x")]));
    both enumeration_of_integers(i32) "+kubebuilder:validation:Enum=1;2;3" => carries(Enum(&[Json::Integer(1), Json::Integer(2), Json::Integer(3)]));
    both items_enumeration(Vec<String>) "+kubebuilder:validation:items:Enum={a,b}" => carries(Enum(&[Json::String("a"), Json::String("b")]));
    both format(String) "+kubebuilder:validation:Format=date-time" => carries(Format("date-time"));
    both items_format(Vec<String>) "+kubebuilder:validation:items:Format=uri" => carries(Format("uri"));
    both kind(String) "+kubebuilder:validation:Type=integer" => carries(Type("integer"));
    both items_kind(Vec<String>) "+kubebuilder:validation:items:Type=integer" => carries(Type("integer"));
    both preserve(Inner) "+kubebuilder:validation:XPreserveUnknownFields" => carries(PreserveUnknownFields);
    both items_preserve(Vec<Inner>) "+kubebuilder:validation:items:XPreserveUnknownFields" => carries(PreserveUnknownFields);
    both pruning(AnyJson) "+kubebuilder:pruning:PreserveUnknownFields" => carries(PreserveUnknownFields);
    both embedded(RawExtension) "+kubebuilder:validation:XEmbeddedResource" => carries(EmbeddedResource);
    both items_embedded(Vec<RawExtension>) "+kubebuilder:validation:items:XEmbeddedResource" => carries(EmbeddedResource);
    field embedded_resource(Inner) "+kubebuilder:validation:EmbeddedResource" => carries(EmbeddedResource);
    both int_or_string(IntOrString) "+kubebuilder:validation:XIntOrString" => carries(Rule::IntOrString);
    both items_int_or_string(Vec<String>) "+kubebuilder:validation:items:XIntOrString" => carries(Rule::IntOrString);
    field schemaless(Inner) "+kubebuilder:validation:Schemaless" => carries(Schemaless);
    both validation(Inner) "+kubebuilder:validation:XValidation:rule=\"has(self.one)\",message=\"one, please\",fieldPath=.one,reason=FieldValueForbidden,optionalOldSelf=true" => carries(XValidation(XValidation { message: Some("one, please"), field_path: Some(".one"), reason: Some("FieldValueForbidden"), optional_old_self: Some(true), ..cel("has(self.one)") }));
    both validation_expression(Inner) "+kubebuilder:validation:XValidation:rule=\"has(self.one)\",messageExpression=\"'a' + self.one\"" => carries(XValidation(XValidation { message_expression: Some("'a' + self.one"), ..cel("has(self.one)") }));
    both items_validation(Vec<String>) "+kubebuilder:validation:items:XValidation:rule=\"self != ''\"" => carries(XValidation(cel("self != ''")));
    field immutable(String) "+k8s:immutable" => carries(Immutable);
    field k8s_maximum(i32) "+k8s:maximum=9 # nine" => carries(Maximum(Number::Integer(9)));
    field k8s_minimum(f64) "+k8s:minimum=-0.5" => carries(Minimum(Number::Float(-0.5)));
    field k8s_max_items(Vec<String>) "+k8s:maxItems=16" => carries(MaxItems(16));
    both k8s_list_type(Vec<String>) "+k8s:listType=set" => carries(ListType("set"));
    both k8s_list_map_key(Vec<Item>) "+k8s:listMapKey=name\n+k8s:listType=map" => carries(ListMapKey("name"));
    structure at_most_one_of(a: Option<String>, b: Option<String>) "+kubebuilder:validation:AtMostOneOf=a;b" => carries(AtMostOneOf(&["a", "b"]));
    structure exactly_one_of(a: Option<String>, b: Option<String>) "+kubebuilder:validation:ExactlyOneOf={a,b}" => carries(ExactlyOneOf(&["a", "b"]));
    structure at_least_one_of(a: Option<String>, b: Option<String>) "+kubebuilder:validation:AtLeastOneOf=b" => carries(AtLeastOneOf(&["b"]));
    newtype at_most_one_of_newtype(Item) "+kubebuilder:validation:AtMostOneOf=port" => carries(AtMostOneOf(&["port"]));
    field k8s_enum_field(Option<Choice>) "+k8s:enum" => Repeats;
    enumeration k8s_enum_type(Yes, No) "+k8s:enum" => Repeats;
    // Combinators.
    both one_of(i32) "+schema:oneOf={{minimum: 3}}" => carries(OneOf(&[MINIMUM]));
    both any_of(i32) "+schema:anyOf={{minimum: 3},{minimum: 3}}" => carries(AnyOf(&[MINIMUM, MINIMUM]));
    both all_of(i32) "+schema:allOf={{minimum: 3}}" => carries(AllOf(&[MINIMUM]));
    both not(i32) "+schema:not={minimum: 3}" => carries(Not(MINIMUM));
    // Merging.
    both list_type(Vec<String>) "+listType=set" => carries(ListType("set"));
    both list_map_key(Vec<Item>) "+listMapKey=name\n+listType=map" => carries(ListMapKey("name"));
    both map_type(BTreeMap<String, String>) "+mapType=atomic" => carries(MapType("atomic"));
    both struct_type(Inner) "+structType=granular" => carries(StructType("granular"));
    structure struct_type_struct(a: Option<String>) "+structType=atomic" => carries(StructType("atomic"));
    // Resources.
    resource resource() "+kubebuilder:resource:categories=a;b,path=thingies,scope=Cluster,shortName={th,thn},singular=thingy" => carries(Resource(ResourceNames { categories: Some(&["a", "b"]), path: Some("thingies"), scope: Some("Cluster"), short_names: Some(&["th", "thn"]), singular: Some("thingy") }));
    resource print_column() "+kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp,priority=1,format=date-time,description=\"How old\"" => carries(PrintColumn(PrintColumn { json_path: ".metadata.creationTimestamp", description: Some("How old"), format: Some("date-time"), name: "Age", priority: Some(1), kind: "date" }));
    resource selectable_field() "+kubebuilder:selectablefield:JSONPath=.spec.one" => carries(SelectableField(SelectableField { json_path: ".spec.one" }));
    resource status() "+kubebuilder:subresource:status" => carries(SubresourceStatus);
    resource scale() "+kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector" => carries(SubresourceScale(SubresourceScale { selector_path: Some(".status.selector"), spec_path: ".spec.replicas", status_path: ".status.replicas" }));
    resource storage_version() "+kubebuilder:storageversion" => carries(StorageVersion);
    resource unserved_version() "+kubebuilder:unservedversion" => carries(UnservedVersion);
    resource deprecated_version() "+kubebuilder:deprecatedversion:warning=\"use v2\"" => carries(DeprecatedVersion(DeprecatedVersion { warning: Some("use v2") }));
    resource deprecated_version_silently() "+kubebuilder:deprecatedversion" => carries(DeprecatedVersion(DeprecatedVersion { warning: None }));
    resource skip_version() "+kubebuilder:skipversion" => carries(SkipVersion);
    resource metadata() "+kubebuilder:metadata:annotations=\"a.example.com/b=c\",labels=d=e;f=g" => carries(Metadata(Metadata { annotations: Some(&["a.example.com/b=c"]), labels: Some(&["d=e", "f=g"]) }));
}

/// The marker of a sample: the first one, if it needs a second marker.
fn marker_of(sample: &Sample) -> crd_markers::marker::Marker {
    let text = sample.marker.lines().next().unwrap_or_default().trim_start_matches('+');
    parse(text, sample.target).unwrap_or_else(|errors| panic!("{}: {errors:?}", sample.marker))
}

#[test]
fn every_marker_fires_on_every_target() {
    for sample in samples() {
        let marker = marker_of(&sample);
        let fires = seen(sample.fires, sample.target);
        let place = format!("{} on a {}: {fires:?}", sample.marker, sample.target.name());
        match sample.effect {
            Effect::Rule(rule) => assert!(fires.rules.contains(&(ChannelSet::ALL, marker.items, rule)), "{place}"),
            Experimental => assert_eq!(fires.channels, ChannelSet::from(Channel::Experimental), "{place}"),
            Tombstone => assert_eq!(fires.tombstones, 1, "{place}"),
            RequiredNullable => assert!(fires.nullable && fires.presence == Some(Presence::Required), "{place}"),
            Repeats => assert_eq!(fires, seen(sample.silent, sample.target), "{place}"),
        }
    }
}

/// A reader of source makes the same rules of the text as the macro.
#[test]
fn every_marker_is_read_as_it_is_compiled() {
    for sample in samples() {
        let texts = crd_markers::docs::documentation(sample.marker.lines()).markers;
        let markers = texts.iter().map(|text| parse(&text.text, sample.target).expect("it is valid"));
        let read = markers.filter_map(|marker| rule::Marker::read(&marker, 0));
        let read: Vec<_> = read.map(|marker| (marker.channels, marker.items, marker.rule)).collect();
        assert_eq!(read, seen(sample.fires, sample.target).rules, "{}", sample.marker);
    }
    let Shape::Struct(fields) = Forms::DESCRIPTOR.shape else { panic!("it is a struct") };
    let compiled = fields[1].markers[1];
    let marker = parse("experimental:kubebuilder:validation:items:MaxLength=4", Target::Field).expect("it is valid");
    assert_eq!(rule::Marker::read(&marker, compiled.line), Some(compiled));
}

#[test]
fn without_markers_there_is_nothing() {
    for sample in samples() {
        let silent = seen(sample.silent, sample.target);
        assert!(silent.rules.is_empty(), "{}: {silent:?}", sample.marker);
        assert_eq!((silent.channels, silent.tombstones), (ChannelSet::ALL, 0), "{}", sample.marker);
        if !matches!(sample.effect, Repeats) {
            assert!(!silent.nullable && silent != seen(sample.fires, sample.target), "{}", sample.marker);
        }
    }
}

#[test]
fn markers_never_reach_a_description() {
    for sample in samples() {
        assert!(!sample.fires.description.contains('+'), "{}: {}", sample.marker, sample.fires.description);
        if let Shape::Struct(fields) = sample.fires.shape {
            assert!(fields.iter().all(|field| !field.description.contains('+')), "{}", sample.marker);
        }
    }
}

/// The table determines which samples must exist.
#[test]
fn every_row_of_the_table_has_a_sample_for_each_target() {
    let covered: BTreeSet<(String, &str)> =
        samples().iter().map(|sample| (marker_of(sample).name, sample.target.name())).collect();
    let mut missing = Vec::new();
    for entry in entries().iter().filter(|entry| !matches!(entry.spec.meaning, Meaning::Refused(_))) {
        for target in entry.spec.targets.names() {
            if !covered.contains(&(entry.name.clone(), target)) {
                missing.push(format!("+{} on a {target}", entry.name));
            }
        }
    }
    assert!(missing.is_empty(), "without a sample: {missing:#?}");
    assert!(covered.len() > 120, "{}", covered.len());
}

/// Ways of writing markers.
#[api]
pub struct Forms {
    /// In one channel each.
    ///
    /// +standard:kubebuilder:validation:MaxLength=3
    /// +experimental:kubebuilder:validation:MaxLength=4
    pub channels: String,
    /// In both, and for items in one.
    ///
    /// +kubebuilder:validation:MaxItems=3
    /// +experimental:kubebuilder:validation:items:MaxLength=4
    pub items_in_a_channel: Vec<String>,
    /// As kubebuilder also writes it.
    ///
    /// +kubebuilder:validation:Minimum:=400
    /// +kubebuilder:validation:XValidation:rule:="self > 0",message:="positive"
    pub assigned: i32,
    /// A rule that one can read.
    ///
    /// +kubebuilder:validation:XValidation:message="a, or b with c",rule=`has(self.a) ||
    ///   (
    ///     has(self.b) && has(self.c)
    ///   )`,reason=FieldValueInvalid
    ///
    /// And prose behind it.
    pub several_lines: Inner,
    /// Words, quotes and backticks are one string.
    ///
    /// +kubebuilder:validation:Enum=bare;"quo\"ted";`ra\w`
    pub quotes: String,
    #[doc = "As attributes."]
    #[doc = ""]
    #[doc = " +kubebuilder:validation:MinLength=1"]
    #[doc = "+kubebuilder:validation:MaxLength=2"]
    pub attributes: String,
    /** As a block.

    +kubebuilder:validation:MinLength=1
     */
    pub block: String,
    /**
     * As a block with stars.
     *
     * +kubebuilder:validation:Pattern=`^a
     * b`
     */
    pub stars: String,
    /// With an example.
    ///
    /// ```yaml
    /// +optional: not a marker
    /// ```
    /// +kubebuilder:validation:MinLength=1
    pub fenced: String,
    /// + no marker, +1 neither.
    pub prose: String,
    /// What a marker makes of a type holds where the type is used.
    ///
    /// +kubebuilder:default=80
    pub reshaped: Reshaped,
    /// A marker that repeats what the type is changes nothing.
    ///
    /// +listType=map
    /// +listMapKey=name
    /// +kubebuilder:default={{name: a}}
    pub repeated: Vec<Repeated>,
}

/// A port by number or name.
///
/// +kubebuilder:validation:XIntOrString
#[api]
pub struct Reshaped(String);

/// An object with that content.
///
/// +kubebuilder:validation:Type=object
#[api]
pub struct Repeated {
    /// Its name.
    pub name: String,
}

fn rules_of(name: &str) -> (&'static str, Vec<(ChannelSet, bool, Rule)>) {
    let Shape::Struct(fields) = Forms::DESCRIPTOR.shape else { panic!("Forms is a struct") };
    let field = fields.iter().find(|field| field.name == name).unwrap_or_else(|| panic!("no field {name}"));
    (field.description, field.markers.iter().map(|marker| (marker.channels, marker.items, marker.rule)).collect())
}

#[test]
fn channels_limit_a_marker() {
    let standard = ChannelSet::only(Channel::Standard);
    let experimental = ChannelSet::only(Channel::Experimental);
    assert_eq!(
        rules_of("channels").1,
        [(standard, false, Rule::MaxLength(3)), (experimental, false, Rule::MaxLength(4))]
    );
    assert_eq!(
        rules_of("items_in_a_channel").1,
        [(ChannelSet::ALL, false, Rule::MaxItems(3)), (experimental, true, Rule::MaxLength(4))]
    );
}

#[test]
fn a_colon_before_the_equals_sign_changes_nothing() {
    assert_eq!(
        rules_of("assigned").1,
        [
            (ChannelSet::ALL, false, Rule::Minimum(Number::Integer(400))),
            (ChannelSet::ALL, false, Rule::XValidation(XValidation { message: Some("positive"), ..cel("self > 0") })),
        ]
    );
}

#[test]
fn a_backtick_string_keeps_its_lines_without_one_leading_space_each() {
    let (description, rules) = rules_of("several_lines");
    assert_eq!(description, "A rule that one can read.\n\nAnd prose behind it.");
    let expected = XValidation {
        message: Some("a, or b with c"),
        reason: Some("FieldValueInvalid"),
        ..cel("has(self.a) ||\n  (\n    has(self.b) && has(self.c)\n  )")
    };
    assert_eq!(rules, [(ChannelSet::ALL, false, Rule::XValidation(expected))]);
}

#[test]
fn a_string_is_a_string_however_it_is_quoted() {
    let values: &[Json] = &[Json::String("bare"), Json::String("quo\"ted"), Json::String("ra\\w")];
    assert_eq!(rules_of("quotes").1, [(ChannelSet::ALL, false, Rule::Enum(values))]);
}

#[test]
fn every_kind_of_comment_holds_markers() {
    let all = |rules: &[Rule]| rules.iter().map(|rule| (ChannelSet::ALL, false, *rule)).collect::<Vec<_>>();
    assert_eq!(rules_of("attributes"), ("As attributes.", all(&[Rule::MinLength(1), Rule::MaxLength(2)])));
    assert_eq!(rules_of("block"), ("As a block.", all(&[Rule::MinLength(1)])));
    assert_eq!(rules_of("stars"), ("As a block with stars.", all(&[Rule::Pattern("^a\nb")])));
    let (description, rules) = rules_of("fenced");
    assert!(description.ends_with("```yaml\n+optional: not a marker\n```"), "{description}");
    assert_eq!(rules, all(&[Rule::MinLength(1)]));
    assert_eq!(rules_of("prose"), ("+ no marker, +1 neither.", Vec::new()));
}

/// Several features.
///
/// +conformance:feature=One
/// +conformance:feature=Two
#[api]
pub enum Features {
    /// +conformance:feature=Three
    /// +experimental
    /// +conformance:feature=Four
    One(Item),
    /// +experimental
    Two {
        /// +experimental
        field: Option<String>,
    },
    Three(Inner),
}

#[test]
fn something_can_have_several_features() {
    let features =
        |markers: &[crd_channels::rule::Marker]| markers.iter().map(|marker| marker.rule).collect::<Vec<_>>();
    let descriptor = Features::DESCRIPTOR;
    assert_eq!(features(descriptor.markers), [ConformanceFeature("One"), ConformanceFeature("Two")]);
    let Shape::Union { variants, .. } = descriptor.shape else { panic!("Features is an enum with data") };
    assert_eq!(features(variants[0].markers), [ConformanceFeature("Three"), ConformanceFeature("Four")]);
}

/// Lines of markers, tombstones, fields, variants and types are those of this file.
#[test]
fn lines_are_those_of_the_source() {
    let source = include_str!("markers.rs");
    let line_of = |text: &str| source.lines().position(|line| line.trim() == text).map(|line| line as u32 + 1);
    let descriptor = Forms::DESCRIPTOR;
    assert!(descriptor.location.file.ends_with("markers.rs"), "{}", descriptor.location);
    assert_eq!(Some(descriptor.location.line), line_of("pub struct Forms {"));
    let Shape::Struct(fields) = descriptor.shape else { panic!("Forms is a struct") };
    let assigned = fields.iter().find(|field| field.name == "assigned").expect("it is above");
    assert_eq!(Some(assigned.line), line_of("pub assigned: i32,"));
    assert_eq!(Some(assigned.markers[0].line), line_of("/// +kubebuilder:validation:Minimum:=400"));

    let Shape::Union { variants, .. } = Features::DESCRIPTOR.shape else { panic!("Features is an enum with data") };
    let first = line_of("/// +experimental").expect("it is above");
    let mark = |offset: u32| Some(first + offset);
    assert_eq!((variants[0].experimental, variants[0].markers[0].line), (mark(0), first - 1));
    assert_eq!(variants[1].experimental, mark(3));
    let crd_channels::TypeRef::Named(data) = variants[1].kind else { panic!("the variant has named fields") };
    assert_eq!(data.get().experimental, mark(3));
    let Shape::Struct(fields) = data.get().shape else { panic!("the data is a struct") };
    assert_eq!(fields[0].experimental, mark(5));
    assert_eq!((Features::DESCRIPTOR.experimental, assigned.experimental), (None, None));
}
