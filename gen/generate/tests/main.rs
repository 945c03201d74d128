//! Generation from annotated types: all tests in one program.
#![allow(unreachable_pub, reason = "the macro writes public items of types in modules")]

mod defaults;
mod descriptions;
mod instances;
mod lenses;
mod marker_effects;
mod marks;
mod settings;
mod unions;
