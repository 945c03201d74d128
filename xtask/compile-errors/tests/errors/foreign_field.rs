//! A type that cannot be foreign, and places where foreign types are not allowed.

use crd_channels::api;
use crd_channels::exports::serde::{Deserialize, Deserializer, Serialize, Serializer};

#[api]
pub struct Thing {
    #[api(foreign)]
    pub one: Option<Plain>,
    #[api(foreign)]
    #[serde(flatten)]
    pub two: Plain,
}

/// Without `JsonSchema`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plain;

impl Serialize for Plain {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Ok(Plain)
    }
}

fn main() {}
