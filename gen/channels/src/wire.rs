//! The wire form: lenient readers and strict writers of `#[api]` types (feature `serde`).
//!
//! The code is written by hand, because derives of serde cannot express these invariants (GEP-922: implementers must survive
//! loosened validation): `null` reads as absent; an absent required field reads as zero; an unknown enum value is kept; unknown
//! fields are dropped, unless a flattened map keeps them; schema defaults are never applied, except by a function in `#[serde(default = "…")]`. Writing omits `None`,
//! and a required field with a zero that cannot be valid. A JSON value of another kind, or an integer beyond the Rust type, is an
//! error. The generator builds without the feature `serde`, so this module costs it nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{
    Deserialize, DeserializeOwned, Deserializer, Error as _, IgnoredAny, IntoDeserializer as _, MapAccess, Visitor,
};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::facts::{Facts, Kind};

/// A value that can be a field of an `#[api]` type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no form on the wire",
    label = "write `#[api]` above the type `{Self}`",
    note = "a type of another crate that implements schemars' `JsonSchema` can be used in a field marked `#[api(foreign)]`"
)]
pub trait WireValue: Serialize + DeserializeOwned + Default {
    /// Whether its zero can never be valid.
    const ZERO_IS_REFUSED: bool;
    /// Whether it takes fields of any name when it is flattened, so that all other fields are asked first.
    const KEEPS_UNKNOWN_FIELDS: bool = false;

    /// Whether it is its zero: empty, 0, false, a struct of zeros, an unrecognised empty enum value.
    fn is_zero(&self) -> bool;

    /// Of a struct, what an object without fields reads as: zeros, and the results of default functions.
    fn absent() -> Self {
        Self::default()
    }

    /// Reads it as a member of an object; `null` is absent.
    ///
    /// # Errors
    /// When the value is of another kind.
    fn read_member<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Self, A::Error> {
        read_foreign(map)
    }

    /// Reads it where `null` is a value of its own.
    ///
    /// # Errors
    /// When the value is of another kind.
    fn read_nullable_member<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Option<Option<Self>>, A::Error> {
        read_nullable(map)
    }

    /// Reads the value of the named field of a struct, or of an entry of a map. `false`: there is no such field, and nothing was read.
    ///
    /// # Errors
    /// When the value is of another kind than the field.
    fn read_field<'de, A: MapAccess<'de>>(&mut self, _name: &str, _map: &mut A) -> Result<bool, A::Error> {
        Ok(false)
    }

    /// Writes the fields of a struct, or the entries of a map.
    ///
    /// # Errors
    /// Those of the format.
    fn write_fields<M: SerializeMap>(&self, _map: &mut M) -> Result<(), M::Error> {
        Ok(())
    }

    /// Writes it as a member of an object, unless it is a zero that cannot be valid.
    ///
    /// # Errors
    /// Those of the format.
    fn write_member<M: SerializeMap>(
        &self,
        map: &mut M,
        name: &'static str,
        zero_is_refused: bool,
    ) -> Result<(), M::Error> {
        if (zero_is_refused || Self::ZERO_IS_REFUSED) && self.is_zero() {
            return Ok(());
        }
        map.serialize_entry(name, self)
    }
}

macro_rules! zeros {
    ($($rust:ty),*) => {
        $(#[diagnostic::do_not_recommend]
        impl WireValue for $rust {
            const ZERO_IS_REFUSED: bool = false;
            fn is_zero(&self) -> bool {
                *self == <$rust>::default()
            }
        })*
    };
}

zeros!(bool, i8, u8, i16, u16, i32, u32, i64, u64, isize, usize, f32, f64, String);

impl<T: WireValue> WireValue for Option<T> {
    const ZERO_IS_REFUSED: bool = true;
    fn is_zero(&self) -> bool {
        self.is_none()
    }
}

impl<T: WireValue> WireValue for Vec<T> {
    const ZERO_IS_REFUSED: bool = false;
    fn is_zero(&self) -> bool {
        self.is_empty()
    }
}

impl<K: WireValue + Ord, V: WireValue> WireValue for BTreeMap<K, V> {
    const ZERO_IS_REFUSED: bool = false;
    const KEEPS_UNKNOWN_FIELDS: bool = true;
    fn is_zero(&self) -> bool {
        self.is_empty()
    }
    fn read_field<'de, A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error> {
        let name = K::deserialize(name.into_deserializer())?;
        self.insert(name, map.next_value()?);
        Ok(true)
    }
    fn write_fields<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        self.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))
    }
}

impl<T: WireValue> WireValue for Box<T> {
    const ZERO_IS_REFUSED: bool = T::ZERO_IS_REFUSED;
    const KEEPS_UNKNOWN_FIELDS: bool = T::KEEPS_UNKNOWN_FIELDS;
    fn is_zero(&self) -> bool {
        T::is_zero(self)
    }
    fn absent() -> Self {
        Box::new(T::absent())
    }
    fn read_field<'de, A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error> {
        T::read_field(self, name, map)
    }
    fn write_fields<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        T::write_fields(self, map)
    }
}

/// Whether the zero of such a value is the empty string.
pub const fn is_text(kind: Kind) -> bool {
    matches!(kind, Kind::String)
}

/// Whether the zero of a map or struct has fewer members than the limit: a map has none, a struct has its required fields.
pub const fn zero_has_fewer_members(facts: &Facts, count: usize) -> bool {
    matches!(facts.kind, Kind::Map | Kind::Object | Kind::Struct) && facts.required_fields() < count
}

/// Reads a struct.
///
/// # Errors
/// If it is not an object, or a field's value is of another kind.
pub fn read_record<'de, R: WireValue, D: Deserializer<'de>>(deserializer: D) -> Result<R, D::Error> {
    struct RecordVisitor<R>(PhantomData<R>);

    impl<'de, R: WireValue> Visitor<'de> for RecordVisitor<R> {
        type Value = R;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<R, A::Error> {
            let mut record = R::absent();
            while let Some(name) = map.next_key::<String>()? {
                if !record.read_field(&name, &mut map)? {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            Ok(record)
        }
    }

    deserializer.deserialize_map(RecordVisitor(PhantomData))
}

/// Writes a struct.
///
/// # Errors
/// Those of the format.
pub fn write_record<R: WireValue, S: Serializer>(record: &R, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    record.write_fields(&mut map)?;
    map.end()
}

/// Reads a member of any type; `null` is absent.
///
/// # Errors
/// When the value is of another kind.
pub fn read_foreign<'de, T: Deserialize<'de> + Default, A: MapAccess<'de>>(map: &mut A) -> Result<T, A::Error> {
    Ok(map.next_value::<Option<T>>()?.unwrap_or_default())
}

/// Reads a member of any type; `null` is absent, which reads as the result of the function.
///
/// # Errors
/// When the value is of another kind.
pub fn read_or_else<'de, T: Deserialize<'de>, A: MapAccess<'de>>(
    map: &mut A,
    default: impl FnOnce() -> T,
) -> Result<T, A::Error> {
    Ok(map.next_value::<Option<T>>()?.unwrap_or_else(default))
}

/// Reads a member that may be null; `null` is a value of its own.
///
/// # Errors
/// When the value is of another kind.
pub fn read_nullable<'de, T: Deserialize<'de>, A: MapAccess<'de>>(map: &mut A) -> Result<Option<Option<T>>, A::Error> {
    map.next_value::<Option<T>>().map(Some)
}

/// Reads `apiVersion` or `kind` of a root object and compares it.
///
/// # Errors
/// If it is another one, so that an object of another kind is not read as an empty object of this kind.
pub fn read_identity<'de, A: MapAccess<'de>>(map: &mut A, key: &str, expected: &str) -> Result<(), A::Error> {
    match map.next_value::<Option<String>>()? {
        Some(found) if !found.is_empty() && found != expected => {
            Err(A::Error::custom(format_args!("expected {key} {expected}, found {found}")))
        }
        _ => Ok(()),
    }
}
