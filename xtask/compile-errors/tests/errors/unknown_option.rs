//! Options of `#[api(…)]` that do not exist, stand twice, or are misplaced.

use crd_channels::{ObjectMeta, api};

#[api(grup = "things.example.com", colour = "red", versoin(v1), kind = "Thing", kind = "Thing")]
pub struct Thing {
    pub metadata: ObjectMeta,
    #[api(foriegn)]
    pub one: String,
    #[api(group = "things.example.com")]
    pub two: String,
    #[api]
    pub three: String,
}

#[api]
#[api(open)]
pub enum Choice {
    #[api(foreign)]
    Yes,
}

#[api(open)]
pub struct Name(String);

fn main() {}
