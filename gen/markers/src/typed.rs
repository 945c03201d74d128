//! Types that can be in a schema: `#[api]` types and Rust's own.
//!
//! Invariants: `Option` and `Box` are transparent; nothing here looks at values.

use std::collections::BTreeMap;

use crate::deferred::Deferred;
use crate::descriptor::{TypeDescriptor, TypeRef};
use crate::facts::{Facts, Kind};

/// A type that can be a field of an `#[api]` type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no `#[api]`",
    label = "write `#[api]` above the type `{Self}`",
    note = "a type of another crate that implements schemars' `JsonSchema` can be used in a field marked `#[api(foreign)]`",
    note = "an instance of a generic type with `#[api]` has a name: `#[api(instances(Name = Type<Argument>))]`",
    note = "maps are `BTreeMap<String, _>`, bytes are `crd_channels::Bytes`",
    note = "times, durations and quantities of other crates are `Time`, `Duration` and `Quantity` of crd_channels; types of k8s-openapi such as \
            `EnvVar` are foreign types"
)]
pub trait Typed {
    /// What it is in a schema.
    const TYPE: TypeRef;
    /// What it is on the wire.
    const KIND: Kind;
    /// Facts for constant evaluation.
    const FACTS: Facts;
    /// How many `Option`s stand around it.
    const OPTIONS: u8 = 0;
    /// The value as JSON text, for types whose text needs no feature: scalars, strings, and lists and maps of them.
    fn json_text(&self) -> Option<String> {
        None
    }
    /// The parts that a field of the type needs.
    const PARTS: TypeParts = TypeParts { reference: Self::TYPE, kind: Self::KIND, options: Self::OPTIONS };
}

/// The parts of a type that its fields need, in one constant.
#[derive(Clone, Copy, Debug)]
pub struct TypeParts {
    /// What it is in a schema.
    pub reference: TypeRef,
    /// What it is on the wire.
    pub kind: Kind,
    /// How many `Option`s stand around it.
    pub options: u8,
}

/// A type with `#[api]`.
pub trait Described: Typed {
    /// What the macro read.
    const DESCRIPTOR: &'static TypeDescriptor;

    /// The same from a function, as [`TypeRef::named`] needs it.
    fn descriptor() -> &'static TypeDescriptor {
        Self::DESCRIPTOR
    }
}

impl TypeRef {
    /// The type with `#[api]`, compiled.
    pub const fn named<T: Described>() -> TypeRef {
        TypeRef::Named(Deferred::Compiled(T::descriptor))
    }
}

/// The root type of a resource: a type with `#[api(group = …, version = …, kind = …)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a resource",
    label = "write `#[api(group = \"…\", version = \"…\", kind = \"…\")]` above `{Self}`"
)]
pub trait Resource: Described {
    /// The API group.
    const GROUP: &'static str;
    /// The API version.
    const VERSION: &'static str;
    /// The kind.
    const KIND: &'static str;
    /// `group/version`, as objects carry it.
    const API_VERSION: &'static str;
}

macro_rules! integers {
    ($($rust:ty => $format:expr),* $(,)?) => {
        $(#[diagnostic::do_not_recommend]
        impl Typed for $rust {
            const TYPE: TypeRef = TypeRef::Integer { rust: stringify!($rust), format: $format };
            const KIND: Kind = Kind::Integer;
            const FACTS: Facts = Facts::integer(<$rust>::MIN as i128, <$rust>::MAX as i128);
            fn json_text(&self) -> Option<String> {
                Some(self.to_string())
            }
        })*
    };
}

// Formats as controller-gen gives them to Go's integers of the same size.
integers! {
    i8 => None, u8 => None, i16 => None, u16 => None,
    i32 => Some("int32"), u32 => Some("int32"), i64 => Some("int64"), u64 => Some("int64"),
    isize => None, usize => None,
}

macro_rules! scalars {
    ($($rust:ty => $kind:expr, $reference:expr, $text:expr);* $(;)?) => {
        $(#[diagnostic::do_not_recommend]
        impl Typed for $rust {
            const TYPE: TypeRef = $reference;
            const KIND: Kind = $kind;
            const FACTS: Facts = Facts::of($kind);
            fn json_text(&self) -> Option<String> {
                let text: fn(&$rust) -> Option<String> = $text;
                text(self)
            }
        })*
    };
}

scalars! {
    String => Kind::String, TypeRef::String, |text| Some(quoted(text));
    bool => Kind::Boolean, TypeRef::Boolean, |value| Some(value.to_string());
    f32 => Kind::Number, TypeRef::Number(None), |number| number.is_finite().then(|| number.to_string());
    f64 => Kind::Number, TypeRef::Number(None), |number| number.is_finite().then(|| number.to_string());
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            control if control < ' ' => quoted.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

impl<T: Typed> Typed for Option<T> {
    const TYPE: TypeRef = T::TYPE;
    const KIND: Kind = T::KIND;
    const FACTS: Facts = T::FACTS;
    const OPTIONS: u8 = T::OPTIONS + 1;
    fn json_text(&self) -> Option<String> {
        self.as_ref().map_or_else(|| Some("null".to_owned()), T::json_text)
    }
}

impl<T: Typed> Typed for Box<T> {
    const TYPE: TypeRef = T::TYPE;
    const KIND: Kind = T::KIND;
    const FACTS: Facts = T::FACTS;
    const OPTIONS: u8 = T::OPTIONS;
    fn json_text(&self) -> Option<String> {
        T::json_text(self)
    }
}

impl<T: Typed> Typed for Vec<T> {
    const TYPE: TypeRef = TypeRef::List(&T::TYPE);
    const KIND: Kind = Kind::List;
    const FACTS: Facts = Facts { items: Some(&T::FACTS), ..Facts::of(Kind::List) };
    fn json_text(&self) -> Option<String> {
        let items: Option<Vec<String>> = self.iter().map(T::json_text).collect();
        Some(format!("[{}]", items?.join(",")))
    }
}

impl<K: Typed, V: Typed> Typed for BTreeMap<K, V> {
    const TYPE: TypeRef = {
        assert!(matches!(K::KIND, Kind::String), "the keys of a map must be strings on the wire");
        TypeRef::Map(&K::TYPE, &V::TYPE)
    };
    const KIND: Kind = Kind::Map;
    const FACTS: Facts = Facts::of(Kind::Map);
    fn json_text(&self) -> Option<String> {
        let entry = |(key, value): (&K, &V)| Some(format!("{}:{}", key.json_text()?, value.json_text()?));
        let entries: Option<Vec<String>> = self.iter().map(entry).collect();
        Some(format!("{{{}}}", entries?.join(",")))
    }
}

#[cfg(feature = "kube")]
#[diagnostic::do_not_recommend]
impl Typed for k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta {
    const TYPE: TypeRef = TypeRef::Base(crate::descriptor::BaseType::ObjectMeta);
    const KIND: Kind = Kind::Object;
    const FACTS: Facts = Facts::of(Kind::Object);
}
