//! What a reader of source computes of an item is what the compiler computes of the macro's output.

use std::collections::BTreeMap;

use crd_channels::descriptor::TypeRef;
use crd_channels::facts::{Facts, Kind};
use crd_channels::typed::TypeParts;
use crd_channels::{AnyJson, Bytes, Condition, IntOrString, ObjectMeta, Typed, api};
use crd_syntax::assertion::assertions;
use crd_syntax::ast::Item;
use crd_syntax::facts::{Plan, Subject, Types};
use crd_syntax::{Read, read};
use proc_macro2::TokenStream;
use quote::ToTokens;

/// Items that are compiled, with their text.
macro_rules! items {
    ($({ #[api$(($($argument:tt)*))?] $($token:tt)* })*) => {
        $(#[api$(($($argument)*))?] $($token)*)*
        const ITEMS: &[(&str, &str)] = &[$((stringify!($($($argument)*)?), stringify!($($token)*))),*];
    };
}

pub type Maybe = Option<Word>;
pub type Rest = BTreeMap<String, AnyJson>;

items! {
    {#[api]
    /// +kubebuilder:validation:MaxLength=5
    /// +experimental:kubebuilder:validation:MinLength=1
    pub struct Word(pub String);}
    {#[api]
    /// +kubebuilder:validation:Enum=a;b
    pub struct Chosen(pub Word);}
    {#[api]
    /// +kubebuilder:validation:items:MaxLength=3
    pub struct Words(pub Vec<Chosen>);}
    {#[api]
    pub enum Closed { One, #[serde(rename = "2")] Two }}
    {#[api(open)]
    pub enum Open { One }}
    {#[api]
    /// +kubebuilder:validation:Type=integer
    pub struct Reshaped { pub one: Option<i32> }}
    {#[api]
    #[serde(tag = "type")]
    pub enum Tagged { One(Part), Two { three: i32 }, Four }}
    {#[api]
    /// +kubebuilder:validation:AtMostOneOf=words;closed
    pub struct Part {
        pub words: Option<Words>,
        /// +k8s:enum
        /// +kubebuilder:default=One
        #[serde(default = "one")]
        pub closed: Closed,
        /// +nullable
        /// +required
        pub maybe: Option<Word>,
        #[serde(default)]
        pub list: Vec<Part>,
        #[serde(skip)]
        pub skipped: i32,
        /// +kubebuilder:default=abc
        pub alias: Maybe,
        #[api(foreign)]
        pub foreign: Option<u8>,
    }}
    {#[api]
    /// +kubebuilder:validation:ExactlyOneOf=words;own
    pub struct Whole {
        #[serde(flatten)]
        pub part: Part,
        #[serde(flatten)]
        pub open: Named,
        /// +optional
        pub own: Maybe,
        /// +listType=map
        /// +listMapKey=type
        pub conditions: Vec<Condition>,
    }}
    {#[api]
    pub struct Named { pub opened: Option<Open>, pub port: IntOrString, pub bytes: Bytes }}
    {#[api]
    pub struct Kept { pub one: Option<i32>, #[serde(flatten)] pub rest: Rest }}
}

fn one() -> Closed {
    Closed::One
}

macro_rules! known {
    ($($kind:ty),* $(,)?) => {
        BTreeMap::from([$((stringify!($kind).replace(' ', ""), (<$kind>::PARTS, &<$kind>::FACTS))),*])
    };
}

/// Types as rustc finds them.
struct Known<'i> {
    item: &'i Item,
    types: BTreeMap<String, (TypeParts, &'static Facts)>,
}

impl<'i> Known<'i> {
    fn of(item: &'i Item) -> Self {
        let types = known![
            Word,
            Chosen,
            Words,
            Closed,
            Open,
            Reshaped,
            Tagged,
            Part,
            Whole,
            Named,
            Kept,
            Rest,
            Maybe,
            String,
            i32,
            u8,
            Condition,
            IntOrString,
            Bytes,
            ObjectMeta,
            BTreeMap<String, i32>,
            Vec<Chosen>,
            Vec<Word>,
            Vec<Part>,
            Vec<Condition>,
            Option<Words>,
            Option<Word>,
            Option<Open>,
            Option<i32>,
            Option<Maybe>
        ];
        Known { item, types }
    }

    fn find(&mut self, subject: Subject<'_>) -> Option<(TypeParts, &'static Facts)> {
        let Subject::Type(kind) = subject else {
            let facts = Box::leak(Box::new(Plan::of(self.item).facts(self)?));
            let kind = Plan::of(self.item).kind(self)?;
            return Some((TypeParts { reference: TypeRef::String, kind, options: 0 }, facts));
        };
        self.types.get(&kind.to_token_stream().to_string().replace(' ', "")).copied()
    }
}

impl Types for Known<'_> {
    fn parts(&mut self, subject: Subject<'_>) -> Option<TypeParts> {
        Some(self.find(subject)?.0)
    }

    fn facts(&mut self, subject: Subject<'_>) -> Option<&'static Facts> {
        Some(self.find(subject)?.1)
    }
}

fn item(arguments: &str, text: &str) -> Item {
    let tokens = |text: &str| text.parse::<TokenStream>().expect("these are tokens");
    let (Read::Item(item), errors) = read(tokens(arguments), tokens(text), true) else { panic!("{text}") };
    assert_eq!(errors.sorted().iter().map(ToString::to_string).collect::<Vec<_>>(), [""; 0], "{text}");
    item
}

fn errors(item: &Item) -> Vec<String> {
    let mut known = Known::of(item);
    let checked = assertions(item).into_iter().map(|assertion| assertion.check(&mut known));
    checked.filter_map(Result::err).map(|text| text.as_str().to_owned()).collect()
}

#[test]
fn facts_are_those_of_the_compiler() {
    for (arguments, text) in ITEMS {
        let item = item(arguments, text);
        let mut known = Known::of(&item);
        let (compiled, facts) = known.types[&item.display_name];
        assert_eq!(Plan::of(&item).kind(&mut known), Some(compiled.kind), "{text}");
        let read = Plan::of(&item).facts(&mut known).expect("all types are known");
        assert_eq!(format!("{read:?}"), format!("{facts:?}"), "{text}");
        assert_eq!(errors(&item), [""; 0], "{text}");
    }
    assert!(matches!(
        Whole::FACTS.field("maybe").map(|field| (field.kind, field.required)),
        Some((Kind::String, true))
    ));
}

/// The errors that `crd-compile-errors` has from rustc, one of each check.
#[test]
fn an_assertion_that_fails_has_the_text_of_its_check() {
    for (text, expected) in [
        (
            "/// +kubebuilder:validation:Maximum=3\nstruct T(Word);",
            "`+kubebuilder:validation:Maximum` is for numbers, and this is a string",
        ),
        (
            "struct T { /// +kubebuilder:validation:items:Maximum=3\na: Words }",
            "`+kubebuilder:validation:items:Maximum` is for numbers, and this is a string",
        ),
        ("struct T { /// +optional\na: Word }", "the Rust type makes this field required"),
        ("struct T { /// +required\na: Maybe }", "the Rust type makes this field optional"),
        ("struct T(Maybe);", "a newtype cannot be around an `Option`"),
        ("struct T { a: Option<Maybe> }", "an alias hides one `Option` behind another"),
        ("struct T { /// +k8s:enum\na: Open }", "`+k8s:enum` makes the variants of an enum the only values"),
        (
            "struct T { /// +listType=map\n/// +listMapKey=b\na: Vec<Part> }",
            "the items of this list have no field `b` on the wire",
        ),
        (
            "struct T { /// +kubebuilder:default=abcdef\na: Word }",
            "this has 6 characters, and the field can have at most 5",
        ),
        (
            "struct T { /// +kubebuilder:validation:Enum=a;c\na: Chosen }",
            "`c` is none of the values that the field can have: `a`, `b`",
        ),
        (
            "struct T { /// +kubebuilder:validation:items:Enum=c\na: Vec<Chosen> }",
            "`c` is none of the values that each item can have",
        ),
        ("struct T { /// +kubebuilder:validation:MinLength=6\na: Word }", "the smallest length is 6 and the largest 5"),
        (
            "/// +kubebuilder:validation:AtMostOneOf=a;b\nstruct T { a: Maybe, b: Word }",
            "the field `b` is required, so it cannot be one of several",
        ),
        ("struct T { #[serde(flatten)] a: Tagged }", "only a struct or a map can be flattened"),
        ("struct T { #[serde(flatten)] a: BTreeMap<String, i32> }", "write `BTreeMap<String, AnyJson>`"),
        (
            "struct T { #[serde(flatten)] a: Rest, #[serde(flatten)] b: Kept }",
            "another flattened field keeps the unknown fields already",
        ),
        ("#[serde(tag = \"type\")] enum T { One(Kept) }", "which would take `type`"),
        ("struct T { #[serde(flatten)] a: Part, words: i32 }", "both have a field `words`"),
        (
            "/// +tombstone:name=words,removed=v1.0.0,reason=\"a\"\nstruct T { #[serde(flatten)] a: Part }",
            "the flattened struct has a field `words`, for which",
        ),
        ("struct T { #[serde(flatten)] a: Part, #[serde(flatten)] b: Part }", "both have a field `words`"),
        (
            "#[serde(tag = \"words\")] enum T { One(Part) }",
            "the struct has a field `words`, which is the field that names",
        ),
        ("struct T { #[serde(default)] a: Word }", "this field is required in the schema"),
    ] {
        let found = errors(&item("", text));
        assert!(found.len() == 1 && found[0].contains(expected), "{text}: {found:#?}");
    }
    let resource =
        item("group = \"a.example.com\", version = \"v1\", kind = \"T\"", "struct T { metadata: other::ObjectMeta }");
    assert_eq!(errors(&resource), [""; 0], "a type that was not found is reported elsewhere");
}
