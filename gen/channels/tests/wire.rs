//! The wire form (invariant 8 of the design): readers are lenient, writers are strict. Hand-written and random JSON documents
//! are read and written, and compared with the invariant and with the descriptor.

use std::collections::BTreeMap;
use std::fmt::Debug;

use crd_channels::{
    AnyJson, Bytes, Condition, ConditionStatus, Described, Duration, IntOrString, LabelSelector, ObjectMeta, Quantity,
    RawExtension, Shape, Time, api,
};
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

fn read<T: DeserializeOwned>(document: Value) -> T {
    let text = document.to_string();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn refused<T: DeserializeOwned + Debug>(document: Value) -> String {
    serde_json::from_str::<T>(&document.to_string()).expect_err("it should be refused").to_string()
}

fn written<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).expect("it can be written")
}

#[track_caller]
fn reads_and_writes_back<T: DeserializeOwned + Serialize>(document: Value) {
    assert_eq!(written(&read::<T>(document.clone())), document);
}

/// A bit of everything.
#[api]
pub struct Everything {
    pub text: String,
    pub flag: bool,
    pub count: i32,
    pub small: u8,
    pub ratio: f64,
    pub list: Vec<String>,
    pub labels: BTreeMap<String, i32>,
    pub inner: Inner,
    pub choice: Choice,
    pub boxed: Box<Inner>,
    pub maybe_text: Option<String>,
    pub maybe_list: Option<Vec<Inner>>,
    pub maybe_labels: Option<BTreeMap<String, String>>,
    pub maybe_inner: Option<Inner>,
    pub maybe_choice: Option<Choice>,
    pub null_or_text: Option<Option<String>>,
    /// +nullable
    /// +required
    pub always_null_or_text: Option<String>,
    pub r#type: Option<String>,
}

/// A struct in it.
#[api]
pub struct Inner {
    pub name: Option<String>,
    pub port: Option<u16>,
}

/// A closed enum.
#[api]
pub enum Choice {
    Yes,
    #[serde(rename = "no", alias = "No", alias = "NO")]
    No,
}

#[test]
fn an_absent_required_field_reads_as_zero() {
    let zero: Everything = read(json!({}));
    assert_eq!(zero, Everything::default());
    assert_eq!((zero.text.as_str(), zero.flag, zero.count, zero.small, zero.ratio), ("", false, 0, 0, 0.0));
    assert!(zero.list.is_empty() && zero.labels.is_empty());
    assert_eq!((zero.inner, *zero.boxed), (Inner::default(), Inner::default()));
    assert_eq!(zero.choice, Choice::Unrecognized(String::new()));
    assert_eq!((zero.maybe_text, zero.maybe_list, zero.null_or_text), (None, None, None));
}

#[test]
fn null_reads_as_absent() {
    let Shape::Struct(fields) = Everything::DESCRIPTOR.shape else { panic!("it is a struct") };
    let all_null: serde_json::Map<String, Value> =
        fields.iter().map(|field| (field.wire_name.to_owned(), Value::Null)).collect();
    let expected = Everything { null_or_text: Some(None), ..Everything::default() };
    assert_eq!(read::<Everything>(Value::Object(all_null)), expected);
}

#[test]
fn absent_null_and_a_value_are_three_things_where_null_is_one() {
    for (document, value) in [
        (json!({}), None),
        (json!({"nullOrText": null}), Some(None)),
        (json!({"nullOrText": "a"}), Some(Some("a".to_owned()))),
    ] {
        let read: Everything = read(document.clone());
        assert_eq!(read.null_or_text, value);
        assert_eq!(written(&read).get("nullOrText"), document.get("nullOrText"));
    }
    assert_eq!(written(&Everything::default())["alwaysNullOrText"], Value::Null, "the key is always there");
    let text: Everything = read(json!({"alwaysNullOrText": "a"}));
    assert_eq!(written(&text)["alwaysNullOrText"], "a");
}

#[test]
fn zeros_that_can_be_valid_are_written_and_absent_values_are_not() {
    assert_eq!(
        written(&Everything::default()),
        json!({
            "text": "", "flag": false, "count": 0, "small": 0, "ratio": 0.0, "list": [], "labels": {}, "inner": {},
            "boxed": {}, "alwaysNullOrText": null,
        })
    );
}

#[test]
fn an_unknown_enum_value_is_kept_and_written_back() {
    reads_and_writes_back::<Vec<Choice>>(json!(["Yes", "no", "Perhaps", ""]));
    assert_eq!(read::<Choice>(json!("Perhaps")), Choice::Unrecognized("Perhaps".to_owned()));
    assert_eq!(written(&read::<Vec<Choice>>(json!(["No", "NO"]))), json!(["no", "no"]), "aliases are read only");
    for kind in [json!(1), json!(null), json!(["Yes"]), json!({"Yes": 1})] {
        refused::<Choice>(kind);
    }
}

#[test]
fn an_enum_has_the_usual_conversions() {
    assert_eq!((Choice::Yes.as_str(), Choice::No.as_str()), ("Yes", "no"));
    assert_eq!(Choice::Unrecognized("Perhaps".to_owned()).as_str(), "Perhaps");
    assert_eq!((Choice::from("no"), Choice::from("NO")), (Choice::No, Choice::No));
    assert_eq!(Choice::from("other"), Choice::Unrecognized("other".to_owned()));
    assert_eq!(format!("{}, {:>6}", Choice::No, Choice::Yes.to_string()), "no,    Yes");
    assert_eq!(Choice::default(), Choice::Unrecognized(String::new()));
    let mut sorted = [Choice::No, Choice::Yes];
    sorted.sort();
    assert_eq!(sorted, [Choice::Yes, Choice::No], "in the order of the source");
}

#[test]
fn unknown_fields_are_dropped() {
    let document = json!({"text": "a", "unheard": {"of": [1, 2, {"text": "b"}]}, "inner": {"name": "c", "more": null}});
    let everything: Everything = read(document);
    assert_eq!((everything.text.as_str(), everything.inner.name.as_deref()), ("a", Some("c")));
    assert_eq!(written(&everything).get("unheard"), None);
    assert_eq!(written(&everything)["inner"], json!({"name": "c"}));
}

#[test]
fn another_kind_of_value_is_an_error() {
    for (document, part) in [
        (json!({"text": 1}), "expected a string"),
        (json!({"flag": "true"}), "expected a boolean"),
        (json!({"count": "1"}), "expected i32"),
        (json!({"count": 1.5}), "expected i32"),
        (json!({"list": {}}), "expected a sequence"),
        (json!({"list": [1]}), "expected a string"),
        (json!({"labels": []}), "expected a map"),
        (json!({"inner": "a"}), "expected an object"),
        (json!({"inner": []}), "expected an object"),
        (json!({"maybeInner": 1}), "expected an object"),
        (json!({"choice": 1}), "expected a string"),
        (json!([]), "expected an object"),
        (json!(null), "expected an object"),
    ] {
        let error = refused::<Everything>(document.clone());
        assert!(error.contains(part), "{document}: {error}");
    }
}

#[test]
fn an_integer_beyond_the_rust_type_is_an_error() {
    for document in [
        json!({"count": 2_147_483_648_i64}),
        json!({"small": 256}),
        json!({"small": -1}),
        json!({"inner": {"port": 65536}}),
    ] {
        let error = refused::<Everything>(document.clone());
        assert!(error.contains("invalid value: integer"), "{document}: {error}");
    }
    reads_and_writes_back::<Inner>(json!({"port": 65535}));
}

/// Names of all kinds.
#[api]
#[serde(rename_all = "kebab-case")]
pub struct Names {
    pub first_name: Option<String>,
    #[serde(rename = "lastName")]
    pub last_name: Option<String>,
    #[serde(alias = "mail", alias = "e-mail")]
    pub mail_address: Option<String>,
    #[serde(skip)]
    pub cached: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age: Option<u8>,
}

/// Values with a case.
#[api]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Cased {
    AllOf,
    #[serde(rename = "any")]
    AnyOf,
}

#[test]
fn names_follow_the_attributes() {
    let names: Names = read(json!({"first-name": "A", "lastName": "B", "e-mail": "C", "cached": "D"}));
    assert_eq!(names.cached, None);
    assert_eq!(written(&names), json!({"first-name": "A", "lastName": "B", "mail-address": "C"}));
    assert_eq!(written(&read::<Names>(json!({"mail": "a", "mail-address": "b"}))), json!({"mail-address": "b"}));
    let cached = Names { cached: Some("D".to_owned()), ..Names::default() };
    assert_eq!(written(&cached), json!({}));
    reads_and_writes_back::<Vec<Cased>>(json!(["ALL_OF", "any", "AllOf"]));
    assert_eq!(read::<Cased>(json!("ALL_OF")), Cased::AllOf);
    let Shape::Struct(fields) = Names::DESCRIPTOR.shape else { panic!("it is a struct") };
    let wire_names: Vec<&str> = fields.iter().map(|field| field.wire_name).collect();
    assert_eq!(wire_names, ["first-name", "lastName", "mail-address", "age"], "the descriptor has the same names");
}

macro_rules! cases {
    ($($module:ident $case:literal: $field:literal, $variant:literal;)*) => {
        $(mod $module {
            use super::*;

            #[api]
            #[serde(rename_all = $case)]
            pub struct Fields {
                pub one_two3_four: Option<bool>,
            }

            #[api]
            #[serde(rename_all = $case)]
            pub enum Variants {
                OneTwo3Four,
            }
        })*

        #[test]
        fn cases_are_those_of_serde() {
            $(
                assert_eq!(written(&$module::Fields { one_two3_four: Some(true) }), json!({$field: true}));
                assert_eq!($module::Variants::OneTwo3Four.as_str(), $variant);
            )*
        }

        /// What serde's own derive makes of the same names.
        mod by_serde {
            $(pub mod $module {
                #[derive(serde::Serialize)]
                #[serde(rename_all = $case)]
                pub struct Fields {
                    pub one_two3_four: bool,
                }

                #[derive(serde::Serialize)]
                #[serde(rename_all = $case)]
                pub enum Variants {
                    OneTwo3Four,
                }
            })*
        }

        #[test]
        fn serde_agrees_about_cases() {
            $(
                assert_eq!(written(&by_serde::$module::Fields { one_two3_four: true }), json!({$field: true}));
                assert_eq!(written(&by_serde::$module::Variants::OneTwo3Four), $variant);
            )*
        }
    };
}

cases! {
    lower "lowercase": "one_two3_four", "onetwo3four";
    upper "UPPERCASE": "ONE_TWO3_FOUR", "ONETWO3FOUR";
    pascal "PascalCase": "OneTwo3Four", "OneTwo3Four";
    camel "camelCase": "oneTwo3Four", "oneTwo3Four";
    snake "snake_case": "one_two3_four", "one_two3_four";
    screaming_snake "SCREAMING_SNAKE_CASE": "ONE_TWO3_FOUR", "ONE_TWO3_FOUR";
    kebab "kebab-case": "one-two3-four", "one-two3-four";
    screaming_kebab "SCREAMING-KEBAB-CASE": "ONE-TWO3-FOUR", "ONE-TWO3-FOUR";
}

/// Two flattened structs, one with another in it.
#[api]
pub struct Outer {
    pub own: Option<String>,
    #[serde(flatten)]
    pub first: First,
    #[serde(flatten)]
    pub second: Second,
}

/// The first.
#[api]
pub struct First {
    pub one: Option<String>,
    #[serde(flatten)]
    pub deeper: Deeper,
}

/// One in the first.
#[api]
pub struct Deeper {
    #[serde(alias = "tief")]
    pub deep: Option<i32>,
}

/// The second.
#[api]
pub struct Second {
    pub two: bool,
    /// +kubebuilder:validation:MinLength=1
    pub three: String,
}

#[test]
fn flattened_structs_share_the_object() {
    reads_and_writes_back::<Outer>(json!({"own": "a", "one": "b", "deep": 1, "two": true, "three": "c"}));
    let outer: Outer = read(json!({"tief": 2, "unheard": {}, "two": null}));
    assert_eq!(outer.first.deeper.deep, Some(2));
    assert_eq!(written(&outer), json!({"deep": 2, "two": false}), "the zero of `three` cannot be valid");
    assert!(refused::<Outer>(json!({"deep": "a"})).contains("expected i32"));
}

/// A map that keeps what no field takes, above a struct that takes some.
#[api]
pub struct Keeping {
    pub own: Option<String>,
    #[serde(flatten)]
    pub rest: BTreeMap<String, AnyJson>,
    #[serde(flatten)]
    pub deeper: Deeper,
}

/// Around one.
#[api]
pub struct AroundKeeping {
    #[serde(flatten)]
    pub open: BoxedKeeping,
    #[serde(flatten)]
    pub second: Second,
}

/// A newtype.
#[api]
pub struct BoxedKeeping(pub Box<Keeping>);

#[test]
fn a_flattened_map_keeps_what_no_field_takes() {
    let whole = json!({"own": "a", "tone": null, "two": {"x": [1]}, "ünheard": 1.5, "deep": 1});
    reads_and_writes_back::<Keeping>(whole.clone());
    let open: Keeping = read(whole);
    assert_eq!(open.rest.keys().map(String::as_str).collect::<Vec<_>>(), ["tone", "two", "ünheard"]);
    let around = json!({"own": "a", "two": true, "three": "c", "deep": 1, "four": {}});
    reads_and_writes_back::<AroundKeeping>(around.clone());
    let around: AroundKeeping = read(around);
    assert_eq!(around.open.0.rest.keys().map(String::as_str).collect::<Vec<_>>(), ["four"]);
    assert_eq!((around.second.two, around.open.0.deeper.deep), (true, Some(1)));
}

/// A resource.
#[api(group = "things.example.com", version = "v1", kind = "Thing")]
pub struct Thing {
    pub metadata: ObjectMeta,
    pub spec: Inner,
}

#[test]
fn a_resource_says_what_it_is_and_takes_no_other() {
    let identity = json!({"apiVersion": "things.example.com/v1", "kind": "Thing", "spec": {}});
    assert_eq!(written(&Thing::default()), identity);
    for (document, part) in [
        (json!({"apiVersion": "things.example.com/v1", "kind": "Gadget"}), "expected kind Thing, found Gadget"),
        (json!({"apiVersion": "v1", "kind": "Thing"}), "expected apiVersion things.example.com/v1, found v1"),
        (json!({"kind": 1}), "expected a string"),
    ] {
        let error = refused::<Thing>(document);
        assert!(error.contains(part), "{error}");
    }
    for document in [json!({}), json!({"apiVersion": null, "kind": ""}), identity] {
        assert_eq!(read::<Thing>(document), Thing::default());
    }
    reads_and_writes_back::<Thing>(json!({
        "apiVersion": "things.example.com/v1", "kind": "Thing",
        "metadata": {"name": "a", "labels": {"b": "c"}}, "spec": {"name": "d"},
    }));
}

#[test]
fn object_metadata_reads_and_writes_back() {
    reads_and_writes_back::<ObjectMeta>(json!({
        "annotations": {"a": "b"}, "creationTimestamp": "2026-11-21T10:00:00Z", "deletionGracePeriodSeconds": 30,
        "deletionTimestamp": "2026-11-21T10:00:00Z", "finalizers": ["a"], "generateName": "a-", "generation": 3,
        "labels": {}, "name": "a", "namespace": "b", "resourceVersion": "1", "selfLink": "/a", "uid": "u",
        "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "u", "controller": true}],
        "managedFields": [{
            "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:metadata": {}}, "manager": "kubectl",
            "operation": "Apply", "subresource": "status", "time": "2026-11-21T10:00:00Z",
        }],
    }));
    assert_eq!(read::<ObjectMeta>(json!({"name": null, "unheard": 1})), ObjectMeta::default());
}

#[test]
fn base_types_read_and_write_back() {
    reads_and_writes_back::<Vec<IntOrString>>(json!([80, -1, i64::MAX, "http", "80%", ""]));
    reads_and_writes_back::<Vec<Quantity>>(json!([1, "500m", "2Gi", "1e3"]));
    reads_and_writes_back::<Vec<RawExtension>>(json!([{}, {"a": {"b": [1, 2.5, null, true]}}]));
    reads_and_writes_back::<Vec<AnyJson>>(json!([null, 1, "a", [{}]]));
    reads_and_writes_back::<Vec<Time>>(json!(["2026-11-21T10:00:00Z"]));
    reads_and_writes_back::<Vec<Duration>>(json!(["1h30m", "0s"]));
    reads_and_writes_back::<Vec<Bytes>>(json!(["", "AAEC"]));
    reads_and_writes_back::<Condition>(json!({
        "lastTransitionTime": "2026-11-21T10:00:00Z", "message": "", "observedGeneration": 1, "reason": "Accepted",
        "status": "True", "type": "Accepted",
    }));
    reads_and_writes_back::<LabelSelector>(json!({
        "matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}], "matchLabels": {"c": "d"},
    }));
    assert_eq!(read::<Condition>(json!({"status": "Maybe"})).status, ConditionStatus::from("Maybe"));
    for document in [json!(1.5), json!(true), json!(null), json!([1]), json!(18_446_744_073_709_551_615_u64)] {
        refused::<IntOrString>(document.clone());
        refused::<Quantity>(document);
    }
    for document in [json!(1), json!([]), json!("a"), json!(null)] {
        refused::<RawExtension>(document);
    }
    refused::<Time>(json!(1));
}

/// A newtype in a newtype.
///
/// +kubebuilder:validation:MinLength=1
#[api]
pub struct Name(pub String);

/// Another name for it.
pub type Alias = Name;

/// A number.
///
/// +kubebuilder:validation:Minimum=1
#[api]
pub struct Port(pub i32);

/// A list.
#[api]
pub struct Names2(pub Vec<Name>);

#[test]
fn a_newtype_is_what_it_is_made_of() {
    reads_and_writes_back::<Names2>(json!(["a", "b"]));
    assert_eq!(Name::from("a"), Name::from("a".to_owned()));
    assert_eq!((Name::from("a").to_string(), Port::from(80).0), ("a".to_owned(), 80));
    assert!(Name::from("a") < Name::from("b") && Port::from(1) < Port::from(2));
    assert!(refused::<Port>(json!("a")).contains("expected i32"));
}

// Structs for the zeros below.

/// Its zero has no member.
#[api]
pub struct Optional {
    pub a: Option<String>,
}

/// Its zero has a member that is valid.
#[api]
pub struct RequiredText {
    pub a: String,
}

/// Its zero has a member that cannot be valid.
#[api]
pub struct RequiredName {
    pub a: Name,
}

/// One of two, and none in its zero.
///
/// +kubebuilder:validation:ExactlyOneOf=a;b
#[api]
pub struct ExactlyOne {
    pub a: Option<String>,
    pub b: Option<String>,
}

/// At least one of two, and none in its zero.
///
/// +kubebuilder:validation:AtLeastOneOf=a;b
#[api]
pub struct AtLeastOne {
    pub a: Option<String>,
    pub b: Option<String>,
}

/// At most one of two: none is fine.
///
/// +kubebuilder:validation:AtMostOneOf=a;b
#[api]
pub struct AtMostOne {
    pub a: Option<String>,
    pub b: Option<String>,
}

/// A struct that must have a member, and has none in its zero.
///
/// +kubebuilder:validation:MinProperties=1
#[api]
pub struct NotEmpty {
    pub a: Option<String>,
}

/// A struct that must have a member, and has one in its zero.
///
/// +kubebuilder:validation:MinProperties=1
#[api]
pub struct NotEmptyAnyway {
    pub a: bool,
    pub b: Option<String>,
}

/// A struct whose flattened part refuses its zero.
#[api]
pub struct FlattenedName {
    #[serde(flatten)]
    pub name: RequiredName,
}

/// An enum with an empty value.
#[api]
pub enum Emptyable {
    #[serde(rename = "")]
    Nothing,
    Something,
}

/// An enum whose values are open.
#[api(open)]
pub enum Open {
    Something,
}

/// An enum whose values are open, but not empty.
///
/// +kubebuilder:validation:MinLength=1
#[api(open)]
pub enum OpenNotEmpty {
    Something,
}

/// A newtype of a newtype.
#[api]
pub struct Outermost(pub Name);

/// An int-or-string with a pattern for its strings.
///
/// +kubebuilder:validation:Pattern=`^[0-9]+%$`
#[api]
pub struct Percentage(pub IntOrString);

macro_rules! zeros {
    ($($module:ident: $kind:ty, $marker:literal, $zero:tt;)*) => {
        $(mod $module {
            use super::*;

            #[api]
            pub struct Holder {
                #[doc = $marker]
                pub field: $kind,
            }
        })*

        #[test]
        fn a_required_zero_is_left_out_where_it_cannot_be_valid() {
            $(
                assert_eq!(written(&$module::Holder::default()), zeros!(@expected $zero), "{}", stringify!($module));
                assert_eq!(read::<$module::Holder>(zeros!(@expected $zero)), $module::Holder::default());
            )*
        }
    };
    (@expected left_out) => { json!({}) };
    (@expected ($zero:expr)) => { json!({"field": $zero}) };
}

zeros! {
    // Every rule that can refuse a zero, and the same where it does not.
    min_length: String, "+kubebuilder:validation:MinLength=1", left_out;
    min_length_zero: String, "+kubebuilder:validation:MinLength=0", ("");
    max_length: String, "+kubebuilder:validation:MaxLength=3", ("");
    min_items: Vec<String>, "+kubebuilder:validation:MinItems=1", left_out;
    max_items: Vec<String>, "+kubebuilder:validation:MaxItems=1", (json!([]));
    items_min_length: Vec<String>, "+kubebuilder:validation:items:MinLength=1", (json!([]));
    min_properties: BTreeMap<String, String>, "+kubebuilder:validation:MinProperties=1", left_out;
    max_properties: BTreeMap<String, String>, "+kubebuilder:validation:MaxProperties=1", (json!({}));
    min_properties_of_a_struct: Optional, "+kubebuilder:validation:MinProperties=1", left_out;
    min_properties_of_a_full_struct: RequiredText, "+kubebuilder:validation:MinProperties=1", (json!({"a": ""}));
    more_properties_of_a_full_struct: RequiredText, "+kubebuilder:validation:MinProperties=2", left_out;
    minimum: i32, "+kubebuilder:validation:Minimum=1", left_out;
    minimum_zero: i32, "+kubebuilder:validation:Minimum=0", (0);
    minimum_of_a_number: f64, "+kubebuilder:validation:Minimum=0.5", left_out;
    exclusive_minimum: i32, "+kubebuilder:validation:Minimum=0\n+kubebuilder:validation:ExclusiveMinimum=true", left_out;
    not_exclusive_minimum: i32, "+kubebuilder:validation:Minimum=0\n+kubebuilder:validation:ExclusiveMinimum=false", (0);
    maximum: i32, "+kubebuilder:validation:Maximum=-1", left_out;
    maximum_zero: i32, "+kubebuilder:validation:Maximum=0", (0);
    exclusive_maximum: i32, "+kubebuilder:validation:Maximum=0\n+kubebuilder:validation:ExclusiveMaximum=true", left_out;
    pattern: String, "+kubebuilder:validation:Pattern=`^a`", left_out;
    pattern_of_anything: String, "+kubebuilder:validation:Pattern=`a*`", ("");
    format: String, "+kubebuilder:validation:Format=date-time", left_out;
    format_that_takes_anything: String, "+kubebuilder:validation:Format=byte", ("");
    enumeration: String, "+kubebuilder:validation:Enum=a;b", left_out;
    enumeration_with_empty: String, "+kubebuilder:validation:Enum=\"\";a", ("");
    enumeration_of_integers: i32, "+kubebuilder:validation:Enum=1;2", left_out;
    enumeration_with_zero: i32, "+kubebuilder:validation:Enum=0;1", (0);
    enumeration_of_true: bool, "+kubebuilder:validation:Enum=true", left_out;
    in_one_channel: String, "+experimental:kubebuilder:validation:MinLength=1", ("");
    a_rule: String, "+kubebuilder:validation:XValidation:rule=\"self != ''\"", ("");
    // What types say.
    closed_enum: Choice, "+k8s:enum", left_out;
    enum_with_empty: Emptyable, "A field.", ("");
    open_enum: Open, "A field.", ("");
    open_enum_not_empty: OpenNotEmpty, "A field.", left_out;
    open_enum_narrowed: Open, "+kubebuilder:validation:Enum=Something", left_out;
    newtype: Name, "A field.", left_out;
    newtype_of_a_newtype: Outermost, "A field.", left_out;
    newtype_by_another_name: Alias, "A field.", left_out;
    newtype_of_a_number: Port, "A field.", left_out;
    newtype_in_a_box: Box<Name>, "A field.", left_out;
    newtype_of_a_list: Names2, "A field.", (json!([]));
    newtype_of_a_list_not_empty: Names2, "+kubebuilder:validation:MinItems=1", left_out;
    struct_of_optional: Optional, "A field.", (json!({}));
    struct_of_required: RequiredText, "A field.", (json!({"a": ""}));
    struct_of_refused: RequiredName, "A field.", left_out;
    struct_of_flattened_refused: FlattenedName, "A field.", left_out;
    struct_not_empty: NotEmpty, "A field.", left_out;
    struct_not_empty_anyway: NotEmptyAnyway, "A field.", (json!({"a": false}));
    exactly_one: ExactlyOne, "A field.", left_out;
    at_least_one: AtLeastOne, "A field.", left_out;
    at_most_one: AtMostOne, "A field.", (json!({}));
    time: Time, "A field.", left_out;
    duration: Duration, "A field.", ("");
    bytes: Bytes, "A field.", ("");
    int_or_string: IntOrString, "A field.", (0);
    int_or_string_with_pattern: IntOrString, "+kubebuilder:validation:Pattern=`^[0-9]+%$`", (0);
    int_or_string_newtype: Percentage, "+kubebuilder:validation:MinLength=1", (0);
    quantity: Quantity, "A field.", (0);
    raw_extension: RawExtension, "A field.", (json!({}));
    raw_extension_not_empty: RawExtension, "+kubebuilder:validation:MinProperties=1", left_out;
    any_json: AnyJson, "A field.", left_out;
    metadata_of_a_template: ObjectMeta, "A field.", (json!({}));
}

#[test]
fn an_optional_zero_is_always_written() {
    /// Options of what refuses its zero.
    #[api]
    pub struct Options {
        /// +kubebuilder:validation:MinLength=1
        pub text: Option<String>,
        pub name: Option<Name>,
        /// +kubebuilder:validation:MinItems=1
        pub list: Option<Vec<String>>,
        pub choice: Option<Choice>,
        pub sometimes: Sometimes,
    }
    type Sometimes = Option<Name>;

    reads_and_writes_back::<Options>(json!({"text": "", "name": "", "list": [], "choice": "", "sometimes": ""}));
    assert_eq!(written(&Options::default()), json!({}));
}

/// A type with only serde and schemars.
mod foreign {
    #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
    pub struct Foreign {
        pub a: i32,
    }

    impl schemars::JsonSchema for Foreign {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "Foreign".into()
        }

        fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
            schemars::json_schema!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]})
        }
    }
}

#[test]
fn foreign_types_are_read_and_written_by_their_own_impls() {
    #[api]
    pub struct Holder {
        #[api(foreign)]
        pub required: foreign::Foreign,
        #[api(foreign, descriptions = false)]
        pub optional: Option<foreign::Foreign>,
        #[api(foreign)]
        pub nullable: Option<Option<foreign::Foreign>>,
    }

    reads_and_writes_back::<Holder>(json!({"required": {"a": 1}, "optional": {"a": 2}, "nullable": {"a": 3}}));
    reads_and_writes_back::<Holder>(json!({"required": {"a": 1}, "nullable": null}));
    assert_eq!(written(&read::<Holder>(json!({"optional": null}))), json!({"required": {"a": 0}}));
    refused::<Holder>(json!({"required": {"a": "b"}}));
    let Shape::Struct(fields) = Holder::DESCRIPTOR.shape else { panic!("it is a struct") };
    let crd_channels::TypeRef::Foreign { name, schema, descriptions } = fields[1].kind else { panic!("it is foreign") };
    assert_eq!((name, descriptions), ("foreign::Foreign", false));
    assert!(matches!(fields[0].kind, crd_channels::TypeRef::Foreign { descriptions: true, .. }));
    assert!(schema.get().contains("\"required\":[\"a\"]"), "{}", schema.get());
}

prop_compose! {
    fn inner()(name in proptest::option::of(".{0,4}"), port in any::<Option<u16>>()) -> Inner {
        Inner { name, port }
    }
}

prop_compose! {
    /// Any value. A known enum value has one form only, so unknown ones are none of the known.
    fn everything()(
        (text, flag, count, small, ratio) in (".{0,4}", any::<bool>(), any::<i32>(), any::<u8>(), any::<i16>()),
        (list, labels) in (
            proptest::collection::vec(".{0,4}", 0..3),
            proptest::collection::btree_map(".{0,4}", any::<i32>(), 0..3),
        ),
        (first, boxed, maybe_inner) in (inner(), inner(), proptest::option::of(inner())),
        maybe_list in proptest::option::of(proptest::collection::vec(inner(), 0..3)),
        (choice, maybe_choice) in ("Yes|no|[a-m]{0,3}", proptest::option::of("Yes|no|[a-m]{0,3}")),
        null_or_text in proptest::option::of(proptest::option::of(".{0,4}")),
        (maybe_text, always_null_or_text) in (proptest::option::of(".{0,4}"), proptest::option::of(".{0,4}")),
    ) -> Everything {
        Everything {
            text, flag, count, small, ratio: f64::from(ratio) / 8.0, list, labels, inner: first, choice: Choice::from(choice.as_str()),
            boxed: Box::new(boxed), maybe_text: maybe_text.clone(), maybe_list, maybe_labels: None, maybe_inner,
            maybe_choice: maybe_choice.map(|choice| Choice::from(choice.as_str())), null_or_text, always_null_or_text,
            r#type: maybe_text,
        }
    }
}

/// Any JSON value, not too large.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f32>().prop_filter("finite", |number| number.is_finite()).prop_map(Value::from),
        ".{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map("[a-z]{1,3}", inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_reads_back_equal(value in everything()) {
        prop_assert_eq!(read::<Everything>(written(&value)), value);
    }

    #[test]
    fn unknown_and_missing_fields_never_fail(value in everything(), keep in any::<u32>(), unknown in any_json()) {
        let Value::Object(map) = written(&value) else { panic!("a struct is an object") };
        let count = map.len();
        let mut kept: serde_json::Map<String, Value> =
            map.into_iter().enumerate().filter(|(index, _)| keep & (1 << (index % 32)) != 0).map(|(_, entry)| entry).collect();
        let is_whole = kept.len() == count;
        kept.insert("unheardOf".to_owned(), unknown);
        let read: Everything = read(Value::Object(kept));
        if is_whole {
            prop_assert_eq!(read, value);
        } else {
            // Written once more, it is stable.
            prop_assert_eq!(self::read::<Everything>(written(&read)), read);
        }
    }

    #[test]
    fn no_document_makes_a_reader_panic(document in any_json()) {
        let text = document.to_string();
        let _ = serde_json::from_str::<Everything>(&text);
        let _ = serde_json::from_str::<Thing>(&text);
        let _ = serde_json::from_str::<Outer>(&text);
    }

    #[test]
    fn int_or_string_stays_what_it_was(number in any::<i64>(), text in ".{0,6}") {
        prop_assert_eq!(read::<IntOrString>(json!(number)), IntOrString::Integer(number));
        prop_assert_eq!(read::<IntOrString>(json!(text.clone())), IntOrString::String(text.clone()));
        reads_and_writes_back::<Vec<Quantity>>(json!([number, text]));
    }
}
