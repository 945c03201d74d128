//! Names: of channels, on the wire and in Rust; the nearest known name, and quotes in messages.
//!
//! Knows nothing of `crd-markers`, `crd-model` or `serde_json`.
//!
//! The macro and the model both need them, so this crate is below both.
//!
//! ```
//! use crd_names::{Channel, nearest, wire};
//!
//! assert_eq!(Channel::named("standard"), Some(Channel::Standard));
//! assert_eq!(wire::plural("Gateway"), "gateways");
//! assert_eq!(nearest("optionl", ["optional", "listType"]), Some("optional"));
//! ```
//!
//! Invariants: pure functions over text, without dependencies, because every annotated crate compiles them: documents need `serde`.

pub mod channel;
mod nearest;
mod quote;
pub mod rust;
pub mod wire;

pub use channel::{Channel, ChannelSet};
pub use nearest::{distance, nearest};
pub use quote::shortened;
