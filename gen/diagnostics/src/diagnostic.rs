//! The type.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

use crd_model::channel::Channel;
use crd_model::words;
use crd_model::yaml::Problem;
use serde::Serialize;

words! {
    /// How much a reader should worry.
    pub enum Severity {
        /// Good to know.
        Note = "note",
        /// Permitted, and likely to cause trouble.
        Warning = "warning",
        /// Must be fixed.
        Error = "error",
    }
}

/// One message to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// A stable name: `area::name`, or the id of a rule.
    pub code: &'static str,
    /// How much a reader should worry.
    pub severity: Severity,
    /// What is wrong, without the location and without the fix.
    pub message: String,
    /// Where. Boxed, so that a `Result` with a diagnostic stays small.
    pub location: Box<Location>,
    /// How to fix it. Lines after the first are commands or text to copy.
    pub help: Option<String>,
    /// Other locations with the same cause.
    pub related: Vec<Related>,
}

/// Where a diagnostic applies. Every part is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// The file or folder, or the name that the user gave to an input.
    pub file: Option<PathBuf>,
    /// The line, from 1.
    pub line: Option<usize>,
    /// The column, from 1, in characters.
    pub column: Option<usize>,
    /// The text of the line.
    pub excerpt: Option<Excerpt>,
    /// The Rust type and field.
    pub rust: Option<RustItem>,
    /// The CRD and the path in it.
    pub crd: Option<CrdLocation>,
    /// The object.
    pub object: Option<ObjectName>,
    /// The channel, if the diagnostic applies to one channel only.
    pub channel: Option<Channel>,
}

/// The name of an object of Kubernetes.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ObjectName {
    /// Its kind.
    pub kind: String,
    /// Its namespace, if it is in one.
    pub namespace: Option<String>,
    /// Its name; may be empty.
    pub name: String,
}

/// A line of a file, with the part that matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The whole line, without its end.
    pub line: String,
    /// Where the part begins, from 0, in characters.
    pub start: usize,
    /// How many characters it has.
    pub length: usize,
    /// A few words about it; may be empty.
    pub label: String,
}

/// A line of a file of the workspace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceLine {
    /// The file, relative to the workspace.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

impl SourceLine {
    /// A diagnostic at this line.
    #[must_use]
    pub fn locate(&self, diagnostic: Diagnostic) -> Diagnostic {
        diagnostic.at_line(&*self.file, usize::try_from(self.line).ok())
    }
}

/// A Rust type, or one of its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RustItem {
    /// The name of the type.
    pub type_name: String,
    /// The name of the field.
    pub field: Option<String>,
}

/// A location in a CRD.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrdLocation {
    /// The name of the CRD: `PLURAL.GROUP`.
    pub name: String,
    /// The API version.
    pub version: Option<String>,
    /// The schema path, such as `spec.rules[*].name`; empty for the whole CRD.
    pub path: String,
}

/// Another location with the same cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// What this location has to do with the diagnostic; may be empty.
    pub message: String,
    /// Where.
    pub location: Location,
}

impl Diagnostic {
    /// An error without a location.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, message)
    }

    /// A warning without a location.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, message)
    }

    /// A diagnostic without a location.
    pub fn new(code: &'static str, severity: Severity, message: impl Into<String>) -> Self {
        Self { code, severity, message: message.into(), location: Box::default(), help: None, related: Vec::new() }
    }

    /// An error about a file that its schema does not accept.
    pub fn of_file(problem: Problem, file: impl Into<PathBuf>) -> Self {
        Self::error(problem.code, problem.message).at_line(file, problem.line).help(problem.help)
    }

    /// Adds how to fix it. An empty text adds nothing.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into()).filter(|help| !help.is_empty());
        self
    }

    /// Adds the file.
    #[must_use]
    pub fn at_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.location.file = Some(file.into());
        self
    }

    /// Adds the file and the line.
    #[must_use]
    pub fn at_line(self, file: impl Into<PathBuf>, line: impl Into<Option<usize>>) -> Self {
        self.at_position(file, line, None)
    }

    /// Adds the file, the line and the column.
    #[must_use]
    pub fn at_position(
        mut self,
        file: impl Into<PathBuf>,
        line: impl Into<Option<usize>>,
        column: impl Into<Option<usize>>,
    ) -> Self {
        self.location.file = Some(file.into());
        self.location.line = line.into();
        self.location.column = column.into();
        self
    }

    /// Adds the Rust type, and the field.
    #[must_use]
    pub fn of_rust(mut self, type_name: impl Into<String>, field: Option<String>) -> Self {
        self.location.rust = Some(RustItem { type_name: type_name.into(), field });
        self
    }

    /// Adds the CRD and the schema path; an empty path is the whole CRD.
    #[must_use]
    pub fn of_crd(mut self, name: impl Into<String>, version: Option<String>, path: impl Into<String>) -> Self {
        self.location.crd = Some(CrdLocation { name: name.into(), version, path: path.into() });
        self
    }

    /// Adds the object.
    #[must_use]
    pub fn of_object(mut self, object: ObjectName) -> Self {
        self.location.object = Some(object);
        self
    }

    /// Adds the channel.
    #[must_use]
    pub fn in_channel(mut self, channel: Channel) -> Self {
        self.location.channel = Some(channel);
        self
    }

    /// Writes paths relative to a folder, where they are below it.
    #[must_use]
    pub fn relative_to(mut self, folder: &Path) -> Self {
        let related = self.related.iter_mut().map(|related| &mut related.location);
        for location in std::iter::once(&mut *self.location).chain(related) {
            if let Some(file) = &mut location.file
                && let Ok(below) = file.strip_prefix(folder)
                && !below.as_os_str().is_empty()
            {
                *file = below.to_path_buf();
            }
        }
        self
    }
}

/// Diagnostics with one cause as one, with all their locations: those that differ in their location only. The first of them gives the order.
pub fn merged(diagnostics: impl IntoIterator<Item = Diagnostic>) -> Vec<Diagnostic> {
    let mut merged: Vec<Diagnostic> = Vec::new();
    let mut known: HashMap<(&'static str, String, Option<String>), usize> = HashMap::new();
    for diagnostic in diagnostics {
        let cause = (diagnostic.code, diagnostic.message.clone(), diagnostic.help.clone());
        match known.get(&cause).and_then(|index| merged.get_mut(*index)) {
            Some(first) if first.severity == diagnostic.severity => {
                first.related.push(Related { message: String::new(), location: *diagnostic.location });
                first.related.extend(diagnostic.related);
            }
            _ => {
                known.insert(cause, merged.len());
                merged.push(diagnostic);
            }
        }
    }
    merged
}

/// The values of results. Their errors are added to `errors`, so that all errors are reported together.
pub fn successes<T, E: Into<Vec<Diagnostic>>>(
    results: impl IntoIterator<Item = Result<T, E>>,
    errors: &mut Vec<Diagnostic>,
) -> Vec<T> {
    results.into_iter().filter_map(|result| result.map_err(|error| errors.extend(error.into())).ok()).collect()
}

/// The values of results, or all their errors together.
pub fn all<T, E: Into<Vec<Diagnostic>>>(
    results: impl IntoIterator<Item = Result<T, E>>,
) -> Result<Vec<T>, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let values = successes(results, &mut errors);
    fail_on(errors).map(|()| values)
}

/// Both values, or the errors of both together.
pub fn both<A, B>(
    one: Result<A, Vec<Diagnostic>>,
    other: Result<B, Vec<Diagnostic>>,
) -> Result<(A, B), Vec<Diagnostic>> {
    match (one, other) {
        (Ok(one), Ok(other)) => Ok((one, other)),
        (one, other) => Err(one.err().into_iter().chain(other.err()).flatten().collect()),
    }
}

/// Fails if there are errors: for `?` in functions that report all errors together.
pub fn fail_on(errors: Vec<Diagnostic>) -> Result<(), Vec<Diagnostic>> {
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// For `?` in functions that report all errors together.
impl From<Diagnostic> for Vec<Diagnostic> {
    fn from(diagnostic: Diagnostic) -> Self {
        vec![diagnostic]
    }
}

impl fmt::Display for Location {
    /// `file:line:column`; empty without a file.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(file) = &self.file else { return Ok(()) };
        write!(formatter, "{}", file.display())?;
        for number in [self.line, self.column].into_iter().flatten() {
            write!(formatter, ":{number}")?;
        }
        Ok(())
    }
}

impl fmt::Display for ObjectName {
    /// `HTTPRoute shop/checkout`
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, namespace, name } = self;
        formatter.write_str(kind)?;
        match namespace {
            Some(namespace) => write!(formatter, " {namespace}/{name}"),
            None if name.is_empty() => Ok(()),
            None => write!(formatter, " {name}"),
        }
    }
}

impl fmt::Display for RustItem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.type_name)?;
        match &self.field {
            Some(field) => write!(formatter, ".{field}"),
            None => Ok(()),
        }
    }
}
