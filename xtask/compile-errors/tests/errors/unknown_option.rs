//! Options of `#[api(…)]` that do not exist, stand twice, or are misplaced.

use crd_channels::{ObjectMeta, api};

/// A thing.
#[api(grup = "things.example.com", colour = "red", versoin(v1), kind = "Thing", kind = "Thing")]
pub struct Thing {
    /// Metadata.
    pub metadata: ObjectMeta,
    /// One.
    #[api(foriegn)]
    pub one: String,
    /// Two.
    #[api(group = "things.example.com")]
    pub two: String,
    /// Three.
    #[api]
    pub three: String,
}

/// A choice.
#[api]
#[api(open)]
pub enum Choice {
    /// Yes.
    #[api(foreign)]
    Yes,
}

/// A name.
#[api(open)]
pub struct Name(String);

fn main() {}
