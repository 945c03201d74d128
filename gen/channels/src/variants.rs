//! The wire form of enums with data (feature `serde`), for the code that the macro writes.
//!
//! Invariants: an enum is read as a whole object first, because its variant depends on all fields; an object that is not exactly one variant
//! is not an error; `null` is absent.

use serde::de::Deserialize;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use crate::base::RawExtension;
use crate::wire::WireValue;

/// The one field of an enum with data that is set, with its value; `None` if several are set, or none of these names. `null` is absent.
pub fn only_variant<'o>(object: &'o RawExtension, names: &[&str]) -> Option<(&'o str, &'o Value)> {
    let is_set = |(name, value): &(&String, &Value)| names.contains(&name.as_str()) && !value.is_null();
    let mut set = object.0.iter().filter(is_set);
    match (set.next(), set.next()) {
        (Some((name, value)), None) => Some((name, value)),
        _ => None,
    }
}

/// The variant that the tag of an enum with data names, with the whole object; `None` without a tag.
///
/// # Errors
/// If the tag is not a string.
pub fn tagged_variant<'o, E: serde::de::Error>(
    object: &'o RawExtension,
    tag: &str,
) -> Result<Option<(&'o str, &'o RawExtension)>, E> {
    match object.0.get(tag) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(name)) => Ok(Some((name, object))),
        Some(_) => Err(E::custom(format_args!("`{tag}` must be a string"))),
    }
}

/// What the data of a variant is read from: a value, or the fields of an object.
pub trait VariantData<'o> {
    /// Reads it.
    ///
    /// # Errors
    /// When a value is of another kind.
    fn read<T: Deserialize<'o>>(self) -> Result<T, serde_json::Error>;
}

impl<'o> VariantData<'o> for &'o Value {
    fn read<T: Deserialize<'o>>(self) -> Result<T, serde_json::Error> {
        T::deserialize(self)
    }
}

impl<'o> VariantData<'o> for &'o RawExtension {
    fn read<T: Deserialize<'o>>(self) -> Result<T, serde_json::Error> {
        T::deserialize(&self.0)
    }
}

/// Reads the data of a variant.
///
/// # Errors
/// When a value is of another kind.
pub fn read_data<'o, T: Deserialize<'o>, E: serde::de::Error>(data: impl VariantData<'o>) -> Result<T, E> {
    data.read().map_err(E::custom)
}

/// Writes a variant as an object with one field.
///
/// # Errors
/// Those of the format.
pub fn write_variant<T: Serialize, S: Serializer>(
    serializer: S,
    name: &'static str,
    data: &T,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(name, data)?;
    map.end()
}

/// Writes a variant as an object with the tag and the fields of the data.
///
/// # Errors
/// Those of the format.
pub fn write_tagged<T: WireValue, S: Serializer>(
    serializer: S,
    tag: &'static str,
    name: &'static str,
    data: &T,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry(tag, name)?;
    data.write_fields(&mut map)?;
    map.end()
}
