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

/// The text as Go quotes it (`%q`), with escapes for what is not printable.
pub fn quoted(text: &str) -> String {
    quoted_by(text, |character, quoted| match character {
        printable if is_printable(printable) => quoted.push(printable),
        ascii if ascii.is_ascii() => quoted.push_str(&format!("\\x{:02x}", u32::from(ascii))),
        other if u32::from(other) < 0x1_0000 => quoted.push_str(&format!("\\u{:04x}", u32::from(other))),
        other => quoted.push_str(&format!("\\U{:08x}", u32::from(other))),
    })
}

/// Whether Go prints a character as it is: letters, marks, numbers, punctuation, symbols and the plain space. The standard library has
/// them: it escapes all other characters.
pub fn is_printable(character: char) -> bool {
    if character.is_ascii() {
        return (' '..='~').contains(&character);
    }
    // A mark is escaped at the start of a text, so a letter precedes it.
    format!("a{character}").escape_debug().count() == 2
}

/// The text in quotation marks. Characters with an escape of one letter have it, and `write` writes the rest.
pub(super) fn quoted_by(text: &str, write: fn(char, &mut String)) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{b}' => quoted.push_str("\\v"),
            other => write(other, &mut quoted),
        }
    }
    quoted.push('"');
    quoted
}

impl Failure {
    /// A server has no value either, and this text.
    pub fn new(text: impl Into<Cow<'static, str>>) -> Self {
        Self { text: text.into(), kind: FailureKind::Ordinary }
    }

    /// This crate cannot decide what a server would compute.
    pub fn undecided(text: impl Into<Cow<'static, str>>) -> Self {
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
