//! Warnings of a server, by what they are about. Their texts are those of `Warning` headers.

use std::fmt;

use super::error::FieldError;
use crate::go_text::quoted;

/// One warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// A field that the schema does not have, by its path, such as `spec.a[0].b`.
    UnknownField(String),
    /// A field that the document has twice, by its path.
    DuplicateField(String),
    /// A new finalizer.
    Finalizer {
        /// Its name.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A rule fails for a part of the object that is equal to its stored value.
    Rule(FieldError),
}

impl fmt::Display for Warning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownField(path) => write!(formatter, "unknown field \"{path}\""),
            Self::DuplicateField(path) => write!(formatter, "duplicate field \"{path}\""),
            Self::Finalizer { name, problem } => {
                write!(formatter, "metadata.finalizers: {}: {problem}", quoted(name))
            }
            Self::Rule(error) => error.fmt(formatter),
        }
    }
}
