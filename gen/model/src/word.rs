//! Words and texts as values: enums, and types with a text form, as documents have them.
//!
//! Invariants: a value has one word, in JSON, in its schema, in files and in text. Values are ordered as they are defined.

/// Defines an enum, each value of which has a word. The descriptions of its values are those of the JSON schema.
///
/// ```
/// crd_model::words! {
///     /// How much.
///     pub enum Size {
///         /// Little.
///         Small = "small",
///         /// Much.
///         Large = "large",
///     }
/// }
/// assert_eq!(Size::ALL.map(Size::word), ["small", "large"]);
/// assert_eq!(Size::named("large"), Some(Size::Large));
/// assert_eq!(serde_json::to_value(Size::Small).unwrap(), "small");
/// ```
#[macro_export]
macro_rules! words {
    ($(#[doc = $about:expr])+ $visibility:vis enum $name:ident { $($(#[doc = $doc:expr])+ $value:ident = $word:literal,)+ }) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visibility enum $name {
            $($(#[doc = $doc])+ $value,)+
        }

        #[allow(dead_code, reason = "not every enum is used in all ways")]
        impl $name {
            /// Every value, in their order.
            $visibility const ALL: [Self; [$(Self::$value),+].len()] = [$(Self::$value),+];

            /// Its word in documents and texts.
            $visibility const fn word(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)+
                }
            }

            /// The value with this word.
            $visibility fn named(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.word() == word)
            }
        }

        impl $crate::word::Serialize for $name {
            fn serialize<S: $crate::word::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.word())
            }
        }

        $crate::word_schema! { $name [$($about)+] $([$($doc)+] $word)+ }
    };
}

/// Makes the text of a type its value in documents. The description is that of the JSON schema.
#[macro_export]
macro_rules! text_value {
    ($name:ident, $about:literal) => {
        impl $crate::word::Serialize for $name {
            fn serialize<S: $crate::word::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        $crate::text_schema! { $name $about }
    };
}

#[doc(hidden)]
pub use serde::{Serialize, Serializer};

#[cfg(feature = "schema")]
#[doc(hidden)]
pub use schemars;

/// The JSON schema of an enum of words, with the lines of its description, and of those of each word.
#[cfg(feature = "schema")]
#[doc(hidden)]
pub fn schema(about: &[&str], words: &[(&str, &[&str])]) -> schemars::Schema {
    let text = |lines: &[&str]| lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join("\n");
    let words = words.iter().map(|(word, about)| serde_json::json!({ "const": word, "description": text(about) }));
    schemars::json_schema!({ "description": text(about), "oneOf": words.collect::<Vec<_>>() })
}

/// The JSON schema of an enum of words.
#[cfg(feature = "schema")]
#[doc(hidden)]
#[macro_export]
macro_rules! word_schema {
    ($name:ident [$($about:expr)+] $([$($doc:expr)+] $word:literal)+) => {
        impl $crate::word::schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut $crate::word::schemars::SchemaGenerator) -> $crate::word::schemars::Schema {
                $crate::word::schema(&[$($about),+], &[$(($word, &[$($doc),+])),+])
            }
        }
    };
}

/// The JSON schema of a text.
#[cfg(feature = "schema")]
#[doc(hidden)]
#[macro_export]
macro_rules! text_schema {
    ($name:ident $about:literal) => {
        impl $crate::word::schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut $crate::word::schemars::SchemaGenerator) -> $crate::word::schemars::Schema {
                $crate::word::schemars::json_schema!({ "description": $about, "type": "string" })
            }
        }
    };
}

/// Without schemas, nothing.
#[cfg(not(feature = "schema"))]
#[doc(hidden)]
#[macro_export]
macro_rules! text_schema {
    ($($tokens:tt)*) => {};
}

/// Without schemas, nothing.
#[cfg(not(feature = "schema"))]
#[doc(hidden)]
#[macro_export]
macro_rules! word_schema {
    ($($tokens:tt)*) => {};
}
