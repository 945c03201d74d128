//! Generation from annotated types: all tests in one program.
#![allow(clippy::too_many_lines, reason = "a test lists its cases")]
#![allow(unreachable_pub, reason = "the macro writes public items of types in modules")]

mod defaults;
mod deprecated;
mod descriptions;
mod features;
mod instances;
mod lenses;
mod marker_effects;
mod marks;
mod read;
mod settings;
mod unions;
mod written;
