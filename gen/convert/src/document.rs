//! `conversions.json`: the lenses of a project as data, for implementers in any language.
//!
//! The schema is `gen/convert/schemas/conversions.json`. Invariants: the reader is strict and reports all errors together; a document that is
//! written is read as the same document.

mod chains;
mod read;
mod write;

use std::fmt;

use crd_model::{BundleVersion, yaml};
use serde_json::Value;

use crate::lens::{Lens, Step};
use crate::operation::Registered;
use crate::path::Path;
use crate::recognise::Unknown;
use crate::step::Prepared;

/// The name of the file in a bundle.
pub const FILE_NAME: &str = "conversions.json";

/// The JSON schema of a document.
pub const SCHEMA: &str = include_str!("../schemas/conversions.json");

/// The version of the format.
pub const SCHEMA_VERSION: u64 = 1;

/// The lenses of a project.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// What wrote the document.
    pub generator: String,
    /// The prefix of annotations: conversion data is in `PREFIX/conversion-data`.
    pub prefix: String,
    /// The lenses. Those of one bundle apply in this order.
    pub lenses: Vec<Lens>,
    /// Names that were removed and cannot be converted.
    pub removed: Vec<Removed>,
}

/// A removed resource, API version, field or enum value that has no conversion.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Removed {
    /// The API group of the objects.
    pub group: String,
    /// The kind of the objects.
    pub kind: String,
    /// The API version that was removed. Without it and without a path, the whole resource was.
    pub version: Option<String>,
    /// The field that was removed, or the field that had the value.
    pub path: Option<Path>,
    /// The enum value that was removed.
    pub value: Option<String>,
    /// The first bundle without the name.
    pub since: BundleVersion,
    /// Why, and why there is no conversion.
    pub reason: String,
}

impl Removed {
    /// What was removed: a resource, an API version, a field, or a value of a field.
    #[must_use]
    pub fn name(&self) -> String {
        match (&self.path, &self.value, &self.version) {
            (Some(path), Some(value), _) => format!("{path}: {value}"),
            (Some(path), None, _) => path.to_string(),
            (None, _, Some(version)) => format!("{}/{version}", self.group),
            (None, _, None) => self.kind.clone(),
        }
    }

    /// Whether it is what an object with this `apiVersion` has and the current form does not contain.
    pub(crate) fn is_name(&self, api_version: &str, unknown: &Unknown) -> bool {
        let version = api_version.rsplit('/').next();
        let is_version = self.version.as_deref().is_none_or(|removed| Some(removed) == version);
        match &self.path {
            Some(path) => unknown.is_at(path, self.value.as_deref()),
            None => unknown.is_identity() && is_version,
        }
    }
}

impl fmt::Display for Removed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "it was removed in {} and has no conversion ({})", self.since, self.reason)
    }
}

/// One thing that is wrong in a document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DocumentError {
    /// Where: a JSON path such as `$.lenses[2].steps[0].from`.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// How to fix it.
    pub help: String,
    /// The line and column of a text that is not JSON, from 1.
    pub position: Option<(usize, usize)>,
}

/// The keys that an object of a JSON text has twice: the last value would replace the first one silently.
fn repeated(text: &str) -> Vec<DocumentError> {
    // JSON is YAML, and the reader of YAML reports them.
    let documents = yaml::documents(text).with_repeated_keys().filter_map(Result::ok);
    let error = |key: yaml::RepeatedKey| {
        let path = format!("$.{}", key.path);
        let message = format!("the key is repeated in line {}", key.position.line);
        DocumentError::new(path, message, "write each key once")
    };
    documents.flat_map(|document| document.repeated).map(error).collect()
}

impl DocumentError {
    fn new(path: impl Into<String>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into(), help: help.into(), position: None }
    }

    /// A text is not JSON.
    #[must_use]
    pub fn not_json(path: impl Into<String>, error: &serde_json::Error, help: impl Into<String>) -> Self {
        let position = (error.line() > 0).then(|| (error.line(), error.column().max(1)));
        Self { position, ..Self::new(path, format!("not valid JSON: {error}"), help) }
    }
}

impl fmt::Display for DocumentError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}; {}", self.path, self.message, self.help)
    }
}

impl std::error::Error for DocumentError {}

impl Document {
    /// Reads a document.
    ///
    /// # Errors
    ///
    /// Everything that is wrong in the document: unknown keys and operations, missing and wrong values, and lenses that do not fit together
    /// (cyclic lenses, two lenses for one place, and chains with a gap).
    pub fn read(text: &str) -> Result<Self, Vec<DocumentError>> {
        let value: Value = serde_json::from_str(text)
            .map_err(|error| vec![DocumentError::not_json("$", &error, "fix the JSON, or generate the file again")])?;
        let repeated = repeated(text);
        match Self::from_value(&value) {
            Err(errors) => Err(repeated.into_iter().chain(errors).collect()),
            Ok(_) if !repeated.is_empty() => Err(repeated),
            Ok(document) => Ok(document),
        }
    }

    /// Reads a document from a JSON value.
    ///
    /// # Errors
    ///
    /// As [`Self::read`].
    pub fn from_value(value: &Value) -> Result<Self, Vec<DocumentError>> {
        let (document, mut errors) = read::document(value);
        errors.extend(
            prepare(&document.lenses, Registered { codes: &[], must_be_complete: false }).err().into_iter().flatten(),
        );
        if !errors.is_empty() {
            errors.sort();
            errors.dedup();
            return Err(errors);
        }
        let lenses = document.lenses.into_iter().map(|(_, lens)| lens).collect();
        Ok(Self { generator: document.generator, prefix: document.prefix, lenses, removed: document.removed })
    }

    /// The document as a JSON value.
    #[must_use]
    pub fn to_value(&self) -> Value {
        write::document(self)
    }

    /// The text of the file.
    #[must_use]
    pub fn write(&self) -> String {
        format!("{:#}\n", self.to_value())
    }
}

impl Lens {
    /// Reads a lens of `conversions.json`.
    ///
    /// # Errors
    ///
    /// Everything that is wrong in it. Whether it fits other lenses is not checked.
    pub fn from_value(value: &Value) -> Result<Self, Vec<DocumentError>> {
        let mut errors = Vec::new();
        let lens = read::lens(value, "$".to_owned(), &mut errors);
        lens.filter(|_| errors.is_empty()).ok_or(errors)
    }
}

impl Step {
    /// Reads a step of `conversions.json`.
    ///
    /// # Errors
    ///
    /// Everything that is wrong in it.
    pub fn from_value(value: &Value) -> Result<Self, Vec<DocumentError>> {
        let mut errors = Vec::new();
        let step = read::step(value, "$".to_owned(), &mut errors);
        step.filter(|_| errors.is_empty()).ok_or(errors)
    }
}

/// The lenses with their prepared steps, in the order in which they apply.
pub(crate) type PreparedLenses = Vec<(usize, Vec<Prepared>)>;

/// Prepares the steps of lenses, given with their indices in the document, and checks that the lenses fit together. Steps whose
/// functions are missing are checked and cannot be applied.
pub(crate) fn prepare(
    lenses: &[(usize, Lens)],
    registered: Registered<'_>,
) -> Result<PreparedLenses, Vec<DocumentError>> {
    let mut errors = chains::errors(lenses);
    let mut prepared = Vec::new();
    for (index, lens) in lenses {
        let mut steps = Vec::new();
        for (at, step) in lens.steps.iter().enumerate() {
            match Prepared::new(step, registered) {
                Ok(step) => steps.push(step),
                Err(invalid) => errors.extend(invalid.into_iter().map(|invalid| {
                    let path = format!("$.lenses[{index}].steps[{at}].{}", invalid.key);
                    DocumentError::new(path, invalid.message, invalid.help)
                })),
            }
        }
        prepared.push((*index, lens.since, steps));
    }
    prepared.sort_by_key(|(index, since, _)| (*since, *index));
    match errors.is_empty() {
        true => Ok(prepared.into_iter().map(|(index, _, steps)| (index, steps)).collect()),
        false => Err(errors),
    }
}
