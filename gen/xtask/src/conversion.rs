//! Conversion of objects in files to the form of a bundle, an API version or a channel.
//!
//! Steps: arguments → files (`objects`) → the objects of a text with their bytes (`text`) → each object in its new form (`target`) → the text
//! with only these objects changed.
//!
//! Invariants: an object that cannot be converted stays as it is, and is named. Text outside converted objects stays byte for byte. A text in
//! which an object cannot be replaced is an error, never another document: the new text is read and compared. Files are written together or not at all.

mod document;
pub(crate) mod in_place;
mod report;
mod resources;
mod target;
mod text;

use std::ffi::OsString;
use std::path::PathBuf;

use crd_diagnostics::{Diagnostic, ObjectName};
use crd_model::parallel;
use serde_json::Value;

use crate::objects::files::{self, ObjectFile};
use crate::session::Session;

pub use document::{PUBLISHED, chosen};
pub use report::document_errors;
pub(crate) use resources::Resources;
pub(crate) use target::{Lenses, Target};

/// The result for all files.
#[derive(Debug, Default)]
pub(crate) struct Conversion {
    pub(crate) files: Vec<ConvertedFile>,
    /// Inputs that cannot be read.
    pub(crate) errors: Vec<Diagnostic>,
}

/// A text with its objects in their new form.
#[derive(Debug, Default)]
pub(crate) struct ConvertedFile {
    /// Its name in messages.
    pub(crate) name: String,
    /// Where to write it, without symlinks above it; none for standard input and for the files of an archive.
    pub(crate) path: Option<PathBuf>,
    /// The new text, if it differs.
    pub(crate) new: Option<String>,
    /// The text as it was read.
    pub(crate) old: std::sync::Arc<String>,
    pub(crate) objects: Vec<ConvertedObject>,
    /// Parts that are not objects.
    pub(crate) errors: Vec<Diagnostic>,
}

/// An object of a text.
#[derive(Debug)]
pub(crate) struct ConvertedObject {
    pub(crate) api_version: String,
    pub(crate) name: ObjectName,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) outcome: Outcome,
}

/// What became of an object.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It has the form already, or no lens is about it. What the annotation keeps and does not return is lost for this form.
    Unchanged {
        lost: Vec<String>,
    },
    Converted(Converted),
    /// It stays as it is.
    Failed(Diagnostic),
}

/// An object in its new form.
#[derive(Clone, Debug)]
pub(crate) struct Converted {
    /// None if only its text is wanted.
    pub(crate) object: Option<Value>,
    /// The lenses that converted it, in their order.
    pub(crate) applied: Vec<String>,
    /// What they do not carry, in words.
    pub(crate) lost: Vec<String>,
    /// What the form cannot express and the annotation keeps, in words.
    pub(crate) kept: Vec<String>,
}

/// Converts the objects of the inputs.
pub(crate) fn convert(inputs: &[OsString], target: &Target<'_>, session: &Session<'_>) -> Conversion {
    let mut conversion = Conversion::default();
    session.begin("reading the files");
    let files = files::files(inputs, session, &mut conversion.errors);
    session.begin(format_args!("converting {}", crd_diagnostics::layout::count(files.len(), "file")));
    let converted = parallel::each(&files, |file| {
        let (sources, errors) = file.texts();
        let path = match file {
            // A file of an archive has another name.
            ObjectFile::Named(path, name) => Some((path, name)),
            ObjectFile::Read(_) => None,
        };
        let texts = sources.into_iter().map(|source| {
            let path = path.filter(|(_, name)| **name == source.name).map(|(path, _)| path.clone());
            ConvertedFile { path, ..text::convert(&source, target) }
        });
        (texts.collect::<Vec<_>>(), errors)
    });
    for (texts, errors) in converted {
        conversion.files.extend(texts);
        conversion.errors.extend(errors);
    }
    if conversion.errors.is_empty()
        && conversion.files.iter().all(|file| file.objects.is_empty() && file.errors.is_empty())
    {
        conversion.errors.push(files::none("the inputs contain no objects"));
    }
    conversion
}

impl Conversion {
    pub(crate) fn objects(&self) -> impl Iterator<Item = (&ConvertedFile, &ConvertedObject)> {
        self.files.iter().flat_map(|file| file.objects.iter().map(move |object| (file, object)))
    }

    /// Everything that is wrong: inputs, texts and objects.
    pub(crate) fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        let failed = self.objects().filter_map(|(_, object)| match &object.outcome {
            Outcome::Failed(diagnostic) => Some(diagnostic),
            _ => None,
        });
        self.errors.iter().chain(self.files.iter().flat_map(|file| &file.errors)).chain(failed)
    }

    /// Whether nothing, or not all, can be read. A document without an object is read.
    pub(crate) fn has_unread(&self) -> bool {
        let is_read = |error: &Diagnostic| error.code == "object::not-an-object";
        let mut parts = self.files.iter().flat_map(|file| &file.errors);
        !self.errors.is_empty() || !parts.all(is_read) || self.objects().next().is_none()
    }

    /// How many objects were converted.
    pub(crate) fn converted(&self) -> usize {
        self.objects().filter(|(_, object)| matches!(object.outcome, Outcome::Converted(_))).count()
    }
}
