//! The macro's output compiles without a warning in crates that deny all warnings, whatever names they define.
//!
//! The types below are the test: it fails if they do not compile, or if clippy reports a warning.

#![deny(warnings, missing_docs, future_incompatible, nonstandard_style, rust_2018_idioms, unused)]
#![deny(
    deprecated,
    elided_lifetimes_in_paths,
    let_underscore_drop,
    missing_debug_implementations,
    single_use_lifetimes
)]
#![deny(trivial_casts, trivial_numeric_casts, unreachable_pub, unused_lifetimes, unused_qualifications, unused_results)]
#![deny(clippy::all, clippy::pedantic, clippy::nursery)]

use crd_channels::{Described as _, Shape, api};

/// Every name that the macro's output could lean on is something else here.
#[allow(
    dead_code,
    unused_macros,
    unused_imports,
    missing_debug_implementations,
    clippy::pedantic,
    reason = "the names only stand in the way"
)]
pub mod shadowed {
    use ::crd_channels::api;

    pub(crate) mod core {}
    pub(crate) mod std {}
    pub(crate) mod alloc {}
    pub(crate) mod serde {}
    pub(crate) mod crd_channels {}
    pub(crate) struct Option;
    pub(crate) struct Some;
    pub(crate) struct None;
    pub(crate) struct Result;
    pub(crate) struct Ok;
    pub(crate) struct Err;
    pub(crate) struct String;
    pub(crate) struct Vec;
    pub(crate) struct Box;
    pub(crate) struct Typed;
    pub(crate) struct Rule;
    pub(crate) struct Field;
    pub(crate) struct Marker;
    pub(crate) trait Clone {}
    pub(crate) trait Default {}
    pub(crate) trait Debug {}
    pub(crate) trait PartialEq {}
    pub(crate) trait From {}
    pub(crate) trait Into {}
    pub(crate) trait Sized {}
    macro_rules! assert {
        () => {};
    }
    macro_rules! panic {
        () => {};
    }
    pub(crate) use {assert, panic};

    /// A struct.
    ///
    /// +kubebuilder:validation:AtMostOneOf=one;two
    #[api(group = "things.example.com", version = "v1", kind = "Thing")]
    pub struct Thing {
        /// Metadata.
        pub metadata: ::crd_channels::ObjectMeta,
        /// One.
        ///
        /// +kubebuilder:default=Yes
        pub one: ::std::option::Option<Choice>,
        /// Two.
        ///
        /// +nullable
        /// +kubebuilder:validation:MaxLength=3
        pub two: ::std::option::Option<::std::option::Option<Name>>,
        /// Three.
        ///
        /// +listType=map
        /// +listMapKey=key
        pub three: ::std::vec::Vec<Inner>,
    }

    /// A struct.
    ///
    /// +tombstone:name=gone,removed=v1.0.0,reason="gone"
    #[api]
    pub struct Inner {
        /// A key.
        pub key: ::std::boxed::Box<::std::string::String>,
        /// The rest.
        #[serde(flatten)]
        pub rest: Rest,
    }

    /// A struct.
    #[api]
    pub struct Rest {
        /// A value.
        pub value: i64,
    }

    /// A newtype.
    ///
    /// +kubebuilder:validation:Pattern=`^a`
    #[api]
    pub struct Name(::std::string::String);

    /// An enum.
    #[api]
    pub enum Choice {
        /// Yes.
        Yes,
        /// Another value.
        None,
        /// An error.
        Err,
    }

    /// An enum with data.
    #[api]
    pub enum Union {
        /// A struct.
        Some(Inner),
        /// Fields.
        None {
            /// A key.
            key: ::std::string::String,
            /// A value.
            value: ::std::option::Option<Choice>,
        },
    }

    /// An enum with a tag.
    #[api]
    #[serde(tag = "type")]
    pub enum Tagged {
        /// A struct.
        Ok(Inner),
        /// Fields.
        Err {
            /// A key.
            key: ::std::string::String,
        },
        /// Nothing.
        Default,
    }
}

/// Names that one likes to give to type parameters.
pub mod short {
    use crd_channels::api;

    /// A struct.
    #[api]
    pub struct A {
        /// A field.
        pub s: Option<S>,
        /// A field.
        pub d: D,
        /// Fields.
        #[serde(flatten)]
        pub m: M,
    }

    /// A newtype.
    #[api]
    pub struct S(String);

    /// An enum with a tag.
    #[api]
    #[serde(tag = "t")]
    pub enum T {
        /// A value.
        M(M),
        /// A value.
        E {
            /// A field.
            s: Option<S>,
        },
    }

    /// An enum.
    #[api]
    pub enum D {
        /// A value.
        E,
    }

    /// A struct.
    #[api]
    pub struct M {
        /// A field.
        pub k: Option<String>,
    }
}

/// A struct without fields.
#[api]
pub struct Empty {}

/// A generic struct.
#[api(instances(OfText = Of<String>, OfEmpty = Of<Empty>))]
pub struct Of<T> {
    /// A field.
    pub field: T,
}

/// A struct without fields on the wire.
#[api]
pub struct Skipped {
    /// A field.
    #[serde(skip)]
    pub one: Option<String>,
}

/// A struct without fields of its own.
#[api]
pub struct Around {
    /// Nothing.
    #[serde(flatten)]
    pub nothing: Empty,
}

/// A struct of two flattened structs.
#[api]
pub struct AroundTwo {
    /// Nothing.
    #[serde(flatten)]
    pub nothing: Skipped,
    /// Something.
    #[serde(flatten)]
    pub something: FromMacro,
}

/// Names that are keywords.
#[api]
pub struct Keywords {
    /// A field.
    pub r#type: Option<String>,
    /// A field.
    pub r#struct: i32,
    /// A field with the name of a variable of the macro's.
    pub map: Option<bool>,
    /// Another.
    pub name: Option<bool>,
    /// Another.
    pub value: Option<bool>,
    /// Another.
    pub serializer: Option<bool>,
}

/// Fields of variants with the names of variables of the macro's.
#[api]
pub enum Variables {
    /// Keywords.
    r#Box {
        /// A field.
        r#type: Option<String>,
        /// A field.
        #[deprecated]
        serializer: Option<bool>,
        /// A field.
        data: i32,
        /// A field.
        object: Option<bool>,
        /// A field that is not on the wire.
        #[serde(skip)]
        skipped: Option<bool>,
        /// Fields.
        #[serde(flatten)]
        flattened: Skipped,
    },
    /// Nothing.
    #[deprecated]
    Empty {},
}

/// Variants that are keywords.
#[allow(non_camel_case_types, reason = "that is the test")]
#[api]
pub enum KeywordValues {
    /// A value.
    r#type,
    /// A value.
    r#match,
}

/// A path to the crate under another name.
pub mod elsewhere {
    /// The way to it.
    pub mod reexported {
        pub use crd_channels as channels;
    }

    /// A struct.
    #[reexported::channels::api(crate = "crate::elsewhere::reexported::channels")]
    pub struct Thing {
        /// A field.
        ///
        /// +kubebuilder:default="a"
        pub one: Text,
        /// A field.
        pub choice: Option<Choice>,
    }

    /// A text.
    ///
    /// +kubebuilder:validation:MinLength=1
    #[reexported::channels::api(crate = "crate::elsewhere::reexported::channels")]
    pub struct Text(String);

    /// A choice.
    #[reexported::channels::api(crate = "crate::elsewhere::reexported::channels")]
    pub enum Choice {
        /// A value.
        Yes,
    }
}

/// Private types.
mod private {
    use crd_channels::api;

    #[api]
    struct Struct {
        one: Option<Newtype>,
        pub(crate) two: Enum,
        pub(super) three: super::Visible,
    }

    #[api]
    struct Newtype(String);

    #[api]
    enum Enum {
        Yes,
    }

    #[test]
    fn they_can_be_used() {
        let value = Struct { one: None, two: Enum::Yes, three: super::Visible { one: 3 } };
        assert_eq!((value.two.as_str(), value.one, value.three.one), ("Yes", None, 3));
    }
}

/// Visible in this crate.
#[api]
pub(crate) struct Visible {
    pub(crate) one: i32,
}

/// A struct whose parts are on their way out.
#[api]
pub struct Leaving {
    /// A field that is.
    #[deprecated(note = "use `stays`")]
    pub leaves: Option<String>,
    /// A required one that is.
    #[deprecated(note = "use `stays`")]
    #[serde(alias = "old")]
    pub leaves_too: LeavingChoice,
    /// A flattened one that is.
    #[deprecated(note = "use `stays`")]
    #[serde(flatten)]
    pub leaves_as_well: Keywords,
    /// A field that is not.
    pub stays: Option<String>,
}

/// An enum whose parts are on their way out.
#[api]
pub enum LeavingChoice {
    /// A value that is.
    #[deprecated(note = "use `Stays`")]
    Leaves,
    /// A value that is not.
    Stays,
}

/// A type that is on its way out as a whole.
#[deprecated(note = "use `Leaving`")]
#[api]
pub struct Left {
    /// A field.
    pub one: Option<String>,
}

/// A newtype that is.
#[deprecated(note = "use `Leaving`")]
#[api]
pub struct LeftNewtype(String);

/// An enum that is.
#[deprecated(note = "use `Leaving`")]
#[api]
pub enum LeftEnum {
    /// A value.
    Yes,
}

/// A user of types that are on their way out.
#[api]
pub struct LeavingUser {
    /// A field.
    #[allow(deprecated, reason = "old objects have it")]
    pub left: Option<Left>,
    /// A field.
    ///
    /// +kubebuilder:default=Yes
    #[allow(deprecated, reason = "old objects have it")]
    pub choice: LeftEnum,
}

/// A type with derives and attributes of its own.
#[must_use]
#[api]
#[derive(Copy, Clone, Eq, Hash, PartialOrd)]
#[non_exhaustive]
pub struct Derived {
    /// A field.
    pub one: Option<i32>,
}

/// Markers that make assertions of all kinds, with large numbers.
///
/// +kubebuilder:validation:MinProperties=1
#[api]
pub struct Asserted {
    /// A field.
    ///
    /// +required
    /// +kubebuilder:default=1000000
    /// +kubebuilder:validation:Maximum=100000000
    pub count: Count,
    /// A field.
    ///
    /// +optional
    /// +listType=set
    /// +kubebuilder:validation:items:Enum=a;b
    /// +kubebuilder:default=`a`;`b`
    pub list: Maybe,
    /// A field.
    #[allow(clippy::option_option, reason = "absent, null and a value are three things")]
    pub nullable: Option<Option<Count>>,
    /// A field.
    #[allow(clippy::type_complexity, reason = "that is the test")]
    pub long: Option<std::collections::BTreeMap<String, Vec<Box<std::collections::BTreeMap<String, Vec<Count>>>>>>,
}

/// A number.
///
/// +kubebuilder:validation:Maximum=1000000000
#[api]
pub struct Count(i64);

/// A list.
pub type Maybe = Option<Vec<String>>;

macro_rules! thing {
    ($(#[$attribute:meta])* $name:ident { $($(#[$of_field:meta])* $field:ident: $kind:ty,)* }) => {
        $(#[$attribute])*
        #[api]
        pub struct $name { $($(#[$of_field])* pub $field: $kind,)* }
    };
}

thing! {
    /// A struct from a macro.
    ///
    /// +structType=atomic
    FromMacro {
        /// A field.
        ///
        /// +kubebuilder:validation:MaxLength=3
        one: Option<String>,
        /// A field.
        ///
        /// +nullable
        two: Option<Option<i32>>,
    }
}

#[test]
fn a_type_from_a_macro_is_read_like_any_other() {
    let Shape::Struct(fields) = FromMacro::DESCRIPTOR.shape else { panic!("it is a struct") };
    assert_eq!((fields[0].description, fields[0].markers.len(), fields[1].nullable), ("A field.", 1, true));
}

#[test]
fn a_type_in_a_function_is_a_type() {
    /// A struct.
    #[api]
    struct Local {
        /// A field.
        ///
        /// +kubebuilder:default=1
        one: Option<i32>,
    }
    assert_eq!((Local::DESCRIPTOR.name, Local { one: None }.one), ("Local", None));
}

#[test]
fn fields_of_variants_may_have_any_name() {
    let read = serde_json::from_str::<Variables>(r#"{"box": {"type": "a", "serializer": true, "data": 3}}"#);
    let written = read.and_then(|variables| serde_json::to_string(&variables));
    assert_eq!(written.ok().as_deref(), Some(r#"{"box":{"type":"a","serializer":true,"data":3}}"#));
}

#[test]
fn raw_names_are_plain_on_the_wire() {
    let Shape::Struct(fields) = Keywords::DESCRIPTOR.shape else { panic!("it is a struct") };
    assert_eq!((fields[0].name, fields[0].wire_name, fields[1].wire_name), ("type", "type", "struct"));
    assert_eq!((KeywordValues::r#type.as_str(), KeywordValues::r#match.as_str()), ("type", "match"));
}
