//! Conversion of objects in files to the form of a bundle, an API version or a channel.
//!
//! Steps: arguments → files (`objects`) → texts with their objects in the new form (`crd-suite`) → a report, and files.
//!
//! Invariants: files are written together or not at all.

mod document;
pub(crate) mod in_place;
pub(crate) mod listed;
pub(crate) mod report;
mod resources;

use std::ffi::OsString;

use crd_diagnostics::Diagnostic;
use crd_generator::session::Session;
use crd_model::parallel;
use crd_suite::codes;
use crd_suite::objects::conversion::{ConvertedFile, ConvertedObject, Outcome, Target};
use crd_suite::objects::document::no_objects;

use crate::objects::files::{self, ObjectFile};

pub use document::{PUBLISHED, chosen};
pub(crate) use resources::resources;

/// The result for all files.
#[derive(Debug, Default)]
pub(crate) struct Conversion {
    pub(crate) files: Vec<ConvertedFile>,
    /// Inputs that cannot be read.
    pub(crate) errors: Vec<Diagnostic>,
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
            ConvertedFile { path, ..target.file(&source) }
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
        conversion.errors.push(no_objects("the inputs contain no objects"));
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
        let is_read = |error: &Diagnostic| error.code == codes::NOT_AN_OBJECT;
        let mut parts = self.files.iter().flat_map(|file| &file.errors);
        !self.errors.is_empty() || !parts.all(is_read) || self.objects().next().is_none()
    }

    /// How many objects were converted.
    pub(crate) fn converted(&self) -> usize {
        self.objects().filter(|(_, object)| matches!(object.outcome, Outcome::Converted(_))).count()
    }
}
