//! The kinds of diagnostics of a crate as a table of their names.

use crate::diagnostic::{Diagnostic, Severity};

/// A kind of diagnostic.
#[derive(Debug)]
pub struct Code {
    pub name: &'static str,
    /// How much it matters. Notes are facts, and not a reason to act.
    pub severity: Severity,
}

impl Code {
    /// A diagnostic of this kind.
    pub fn finding(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.name, self.severity, message)
    }
}

/// The table of an area: for each kind a constant, the name and the severity. All of them are `CODES`. Their pages are in a document ([`crate::page::pages`]).
#[macro_export]
macro_rules! codes {
    ($area:literal $($constant:ident $name:literal $severity:ident)*) => {
        $(pub(crate) const $constant: $crate::Code =
            $crate::Code { name: concat!($area, "::", $name), severity: $crate::Severity::$severity };)*
        /// Every kind of diagnostic, in the order of reports.
        pub const CODES: &[&$crate::Code] = &[$(&$constant),*];
    };
}
