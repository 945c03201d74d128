//! Why an expression does not have a value.

use std::borrow::Cow;
use std::fmt::{Display, Formatter};

/// Why an expression does not have a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The text, as API servers have it.
    text: Cow<'static, str>,
    kind: FailureKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FailureKind {
    Ordinary,
    Panic,
    Undecided,
    Budget,
}

/// The text as Go quotes it.
pub(super) fn quoted(text: &str) -> String {
    use std::fmt::Write as _;
    let mut written = String::from('"');
    for character in text.chars() {
        match character {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            '\u{7}' => written.push_str("\\a"),
            '\u{8}' => written.push_str("\\b"),
            '\u{c}' => written.push_str("\\f"),
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            '\u{b}' => written.push_str("\\v"),
            control if u32::from(control) < 0x20 || control == '\u{7f}' => {
                let _ = write!(written, "\\x{:02x}", u32::from(control));
            }
            control if control.is_control() => {
                let _ = write!(written, "\\u{:04x}", u32::from(control));
            }
            plain => written.push(plain),
        }
    }
    written.push('"');
    written
}

impl Failure {
    pub(super) fn new(text: impl Into<Cow<'static, str>>) -> Self {
        Self { text: text.into(), kind: FailureKind::Ordinary }
    }

    /// This crate cannot decide what a server would compute.
    pub(super) fn undecided(text: impl Into<Cow<'static, str>>) -> Self {
        Self { text: text.into(), kind: FailureKind::Undecided }
    }

    /// The server panics, which ends the evaluation.
    pub(super) fn panic(text: impl std::fmt::Display) -> Self {
        Self { text: format!("internal error: {text}").into(), kind: FailureKind::Panic }
    }

    pub(super) fn is_panic(&self) -> bool {
        self.kind == FailureKind::Panic
    }

    /// Whether it is an error of the expression, which a comparison may absorb.
    pub(super) fn is_ordinary(&self) -> bool {
        self.kind == FailureKind::Ordinary
    }

    pub(super) fn no_overload() -> Self {
        Self::new("no such overload")
    }

    /// Whether a server may have a value here: a text beyond ASCII under a Unicode class, a time zone with a name, or sums that may share memory.
    pub fn is_undecided(&self) -> bool {
        self.kind == FailureKind::Undecided
    }

    /// The evaluation cost more than its budget.
    pub(super) fn over_budget() -> Self {
        Self { text: "operation cancelled: actual cost limit exceeded".into(), kind: FailureKind::Budget }
    }

    /// Whether the evaluation was stopped because it cost more than its budget.
    pub fn is_over_budget(&self) -> bool {
        self.kind == FailureKind::Budget
    }
}

impl Display for Failure {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl std::error::Error for Failure {}
