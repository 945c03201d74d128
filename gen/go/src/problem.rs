//! The codes of this crate, and what is wrong at a byte of a file.
//!
//! Invariants: every code has a page.

crd_diagnostics::codes! {
    "go"
    DISGUISE "disguise" Error
    GATE "gate" Error
    MARKER "marker" Error
    PACKAGES "packages" Error
    SYNTAX "syntax" Error
    TAG "tag" Error
    TYPES "types" Error
    UNUSED "unused-marker" Error
}

/// The pages of the codes.
pub const PAGES: &str = include_str!("codes.md");

/// What is wrong, before it has a place.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    /// The byte in the file.
    pub(crate) at: usize,
    pub(crate) code: &'static crd_diagnostics::Code,
    pub(crate) message: String,
    /// How to fix it; may be empty.
    pub(crate) help: String,
}

impl Fault {
    pub(crate) fn new(at: usize, code: &'static crd_diagnostics::Code, message: impl Into<String>) -> Self {
        Fault { at, code, message: message.into(), help: String::new() }
    }

    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Fault { help: help.into(), ..self }
    }
}
