//! Conversion of objects in texts to the form of a bundle, an API version or a channel.
//!
//! Steps: the objects of a text with their bytes (`text`) → each object in its new form (`target`) → the text with only these objects changed.
//!
//! Invariants: an object that cannot be converted stays as it is, and is named. Text outside converted objects stays byte for byte. A text in
//! which an object cannot be replaced is an error, never another document: the new text is read and compared.

mod resources;
mod target;
mod text;

use std::path::PathBuf;

use crd_diagnostics::{Diagnostic, ObjectName};
use serde_json::Value;

pub use resources::Resources;
pub use target::{Lenses, Target};

/// A text with its objects in their new form.
#[derive(Debug, Default)]
pub struct ConvertedFile {
    /// Its name in messages.
    pub name: String,
    /// Where to write it, without symlinks above it; none for standard input and for the files of an archive.
    pub path: Option<PathBuf>,
    /// The new text, if it differs.
    pub new: Option<String>,
    /// The text as it was read.
    pub old: std::sync::Arc<String>,
    /// The objects of the text, in its order.
    pub objects: Vec<ConvertedObject>,
    /// Parts that are not objects.
    pub errors: Vec<Diagnostic>,
}

/// An object of a text.
#[derive(Debug)]
pub struct ConvertedObject {
    /// The API version that the text has.
    pub api_version: String,
    /// Kind, namespace and name.
    pub name: ObjectName,
    /// The line where the object begins.
    pub line: usize,
    /// The column where it begins.
    pub column: usize,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of an object.
#[derive(Debug)]
pub enum Outcome {
    /// It has the form already, or no lens is about it. What the annotation keeps and does not return is lost for this form.
    Unchanged {
        /// What is lost, in words.
        lost: Vec<String>,
    },
    /// It has another form now.
    Converted(Converted),
    /// It stays as it is.
    Failed(Diagnostic),
}

/// An object in its new form.
#[derive(Clone, Debug)]
pub struct Converted {
    /// None if only its text is wanted.
    pub object: Option<Value>,
    /// The lenses that converted it, in their order.
    pub applied: Vec<String>,
    /// What they do not carry, in words.
    pub lost: Vec<String>,
    /// What the form cannot express and the annotation keeps, in words.
    pub kept: Vec<String>,
}

/// The errors of a document with lenses, at its file.
pub fn document_errors(errors: Vec<crd_convert::DocumentError>, file: &str) -> Vec<Diagnostic> {
    let located = errors.into_iter().map(|error| {
        let message = format!("{}: {}", error.path, error.message);
        let (line, column) = error.position.unzip();
        Diagnostic::error("convert::lenses", message).at_position(file, line, column).help(error.help)
    });
    located.collect()
}
