//! The Go module of an API: types → [`model`] → text.

mod comment;
mod constants;
mod deepcopy;
mod elements;
mod foreign;
mod imports;
mod literals;
mod markers;
pub mod model;
mod named;
pub mod names;
mod packages;
pub mod places;
mod register;
mod types;
mod unions;
mod write;

pub use elements::Options;
pub use literals::MARK;
pub use types::module;
pub use write::files;
