//! Colours of text output.
//!
//! Colours are always written; the program removes them where standard output or standard error is not a terminal.

use anstyle::{AnsiColor, Style};

use crate::Severity;

/// The word `error`.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
/// The word `warning`.
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// The word `note`.
pub const NOTE: Style = AnsiColor::Cyan.on_default().bold();
pub const HEADING: Style = Style::new().bold().underline();
/// A name in a list.
pub const NAME: Style = Style::new().bold();
/// A removed line or an old value.
pub const REMOVED: Style = AnsiColor::Red.on_default();
/// An added line or a new value.
pub const ADDED: Style = AnsiColor::Green.on_default();
/// Text that only guides the eye.
pub const FAINT: Style = Style::new().dimmed();

/// The style of a severity's word.
pub const fn of_severity(severity: Severity) -> Style {
    match severity {
        Severity::Note => NOTE,
        Severity::Warning => WARNING,
        Severity::Error => ERROR,
    }
}
