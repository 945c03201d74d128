//! The checks as assertions: the macro writes `const _: () = check::assert(check::…);` at the doc line of a marker.
//!
//! Invariants: the assertion is `track_caller`, so that the error shows the doc line and not this file.

pub use crd_markers::check::*;

/// Fails with the text of the error.
///
/// # Panics
/// If the check found one.
#[track_caller]
pub const fn assert(checked: Checked) {
    if let Err(text) = checked {
        panic!("{}", text.as_str());
    }
}
