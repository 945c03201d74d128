//! The kinds of diagnostics of a crate as a table: their names, and their pages for `explain`.

use crate::diagnostic::{Diagnostic, Severity};

/// A kind of diagnostic.
#[derive(Debug)]
pub struct Code {
    /// Its name.
    pub name: &'static str,
    /// How much it matters. Notes are facts, and not a reason to act.
    pub severity: Severity,
    /// Its meaning in one sentence.
    pub summary: &'static str,
    /// Why it matters, and what to do.
    pub explanation: &'static str,
    /// An example.
    pub example: &'static str,
}

impl Code {
    /// A diagnostic of this kind.
    pub fn finding(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.name, self.severity, message)
    }
}

/// The table of an area: for each kind a constant, the name, the severity, the summary, the explanation and the example. All of them are `CODES`.
#[macro_export]
macro_rules! codes {
    ($area:literal $($constant:ident $name:literal $severity:ident $summary:literal $explanation:literal $example:literal)*) => {
        $(pub(crate) const $constant: $crate::Code = $crate::Code {
            name: concat!($area, "::", $name),
            severity: $crate::Severity::$severity,
            summary: $summary,
            explanation: $explanation,
            example: $example,
        };)*
        /// Every kind of diagnostic, in the order of reports.
        pub const CODES: &[&$crate::Code] = &[$(&$constant),*];
    };
}
