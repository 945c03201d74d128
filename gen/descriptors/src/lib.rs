//! Descriptors of annotated types: the constants that the macro writes, and the traits through which types name them.
//!
//! Authors use them through `crd-channels`, which has all of it under the same names. The generator needs only this crate, so that
//! `crd-channels` can use the generator for `JsonSchema` and `crd()`.
//!
//! Invariants: descriptors are constants; a named type is reached through a [`deferred::Deferred`], so that a recursive type compiles and
//! generation can report the recursion.
#![deny(missing_docs)]

pub mod check;
pub mod constant;
pub mod deferred;
pub mod descriptor;
pub mod facts;
pub mod json;
pub mod rule;
pub mod typed;
pub mod usual;

pub use constant::{Constant, ConstantKind};
pub use crd_markers::channel::{self, Channel, ChannelSet};
