//! Messages to the user: one type, a page for each code, and one set of renderers.
//!
//! Knows nothing of `crd-markers`, `crd-cel`, `crd-apiserver` or `clap`.
//!
//! Invariants:
//! * A [`Diagnostic`] is data. It contains no colour and no layout, and its location is not part of its message.
//! * A code is stable. `cargo xtask explain CODE` prints a page for each.
//! * Every format contains the same facts. Text of inputs is made [`printable`] before it is rendered, and a whole text is [`printed`].
//! * The crate is light: `cargo xtask generate` compiles it.
//!
//! ```
//! use crd_diagnostics::{Diagnostic, text};
//!
//! let diagnostic = Diagnostic::error("types::leftover-marker", "unknown marker `+experimentl`")
//!     .at_line("api/src/widget.rs", 88)
//!     .help("did you mean `+experimental`?");
//! assert_eq!(
//!     text::plain(&diagnostic),
//!     "error[types::leftover-marker]: unknown marker `+experimentl`\n  --> api/src/widget.rs:88\n   = help: did you mean `+experimental`?\n"
//! );
//! ```

mod code;
mod diagnostic;
pub mod entries;
mod format;
pub mod github;
pub mod json;
pub mod junit;
pub mod layout;
pub mod markdown;
pub mod page;
mod printable;
pub mod sarif;
pub mod style;
pub mod text;

pub use code::Code;
pub use diagnostic::{
    CrdLocation, Diagnostic, Excerpt, Location, ObjectName, Related, RustItem, Severity, SourceLine, all, both,
    fail_on, merged, successes,
};
pub use format::Format;
pub use printable::{Printed, is_invisible, printable, printed, push_visible, visible};
