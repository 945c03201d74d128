//! The source of the types: the crate that the settings name, and what the last compiled run recorded about it.
//!
//! Invariants: the compiled types decide. The same source gives the same CRDs on both paths, or the compiled path reports the difference.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crd_diagnostics::{Diagnostic, Severity, all};
use crd_generate::settings::{FILE_NAME, Settings};
use crd_generate::{Catalogue, Projection};
use crd_source::reader::Source;
use crd_source::reader::compiled::{Compiled, PATH};
use crd_stamps::files;

use crate::catalogue::projected;
use crate::session::Session;
use crate::{file, root};

/// The folder of the program with the catalogue, in the root.
const PROGRAM: &str = "xtask";

/// The catalogue of the source, with what the last compiled run recorded.
pub fn catalogue(root: &Path, types: &str, settings: Settings) -> Result<Catalogue, Vec<Diagnostic>> {
    let path = root.join(PATH);
    let compiled = text(&path)?.map(|text| Compiled::parse(&path, &text)).transpose()?;
    read(root, types, compiled.as_ref(), settings)
}

fn read(
    root: &Path,
    types: &str,
    compiled: Option<&Compiled>,
    settings: Settings,
) -> Result<Catalogue, Vec<Diagnostic>> {
    let program = program(root)?;
    let result = crd_source::reader::catalogue(&source(root, types, &program), compiled, settings);
    result.map_err(|errors| errors.into_iter().map(|error| in_root(error, root)).collect())
}

/// The folders of the crates that are read.
pub fn folders(root: &Path, types: &str) -> Result<Vec<PathBuf>, Vec<Diagnostic>> {
    crd_source::reader::folders(&source(root, types, &[]))
}

/// What source does not contain, from the compiled types. `None` without a crate in the settings.
pub fn compiled(catalogue: &Catalogue, root: &Path) -> Result<Option<Compiled>, Vec<Diagnostic>> {
    let Some(types) = &catalogue.settings().types else { return Ok(None) };
    let program = program(root)?;
    let compiled = Compiled::of(&source(root, types, &program), catalogue);
    compiled.map(Some).map_err(|errors| errors.into_iter().map(|error| in_root(error, root)).collect())
}

/// Checks that what the last compiled run recorded is what these compiled types have. A source that cannot be read is not an error here.
pub fn check_compiled(catalogue: &Catalogue, root: &Path) -> Result<(), Diagnostic> {
    let Ok(Some(compiled)) = compiled(catalogue, root) else { return Ok(()) };
    let path = root.join(PATH);
    match text(&path)? {
        None if !compiled.is_needed() => Ok(()),
        Some(text) if text == compiled.to_json() => Ok(()),
        found => {
            let predicate =
                if found.is_some() { "is not that of the compiled types" } else { "is missing, and the types need it" };
            Err(file::error("types::compiled", path, predicate).help("run `cargo xtask generate --compiled`"))
        }
    }
}

/// The source of compiled types.
#[derive(Default)]
pub(crate) struct Comparison {
    /// What source does not contain. `None` without a crate in the settings, and if the source cannot be read.
    pub(crate) compiled: Option<Compiled>,
    /// The catalogue of the source.
    pub(crate) catalogue: Option<Catalogue>,
    /// Why the source cannot be read: the compiled types are still right.
    pub(crate) warnings: Vec<Diagnostic>,
}

impl Comparison {
    /// Records what source does not contain, and compares the CRDs of the source with those of the compiled types.
    pub(crate) fn of(
        types: &Projection<'_>,
        root: Option<&Path>,
        session: &Session<'_>,
    ) -> Result<Self, Vec<Diagnostic>> {
        // The types of tests have settings in code.
        let Ok(root) = root::locate(root, session) else { return Ok(Self::default()) };
        let compiled = match compiled(types.catalogue, &root) {
            Ok(Some(compiled)) => compiled,
            Ok(None) => return Ok(Self::default()),
            Err(refusals) => return Ok(Self { warnings: as_warnings(refusals), ..Self::default() }),
        };
        let (catalogue, warnings) = match compare(types, &compiled, &root)? {
            Ok(read) => (Some(read), Vec::new()),
            Err(refusals) => (None, as_warnings(refusals)),
        };
        Ok(Self { compiled: Some(compiled), catalogue, warnings })
    }
}

fn as_warnings(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    for diagnostic in &mut diagnostics {
        diagnostic.severity = Severity::Warning;
        diagnostic.help.take_if(|help| help.contains("--compiled"));
    }
    diagnostics
}

/// Compares the CRDs of the source with those of the compiled types. Returns the catalogue of the source, or why it cannot be read.
fn compare(
    types: &Projection<'_>,
    compiled: &Compiled,
    root: &Path,
) -> Result<Result<Catalogue, Vec<Diagnostic>>, Vec<Diagnostic>> {
    let settings = types.catalogue.settings().clone();
    let folder = settings.types.clone().unwrap_or_default();
    let read = read(root, &folder, Some(compiled), settings)
        .and_then(|read| texts(&projected(&read, None)?).map(|texts| (texts, read)));
    let (read, source) = match read {
        Ok(read) => read,
        Err(refusals) => return Ok(Err(refusals)),
    };
    let expected = texts(types)?;
    let names = expected.keys().chain(read.keys().filter(|name| !expected.contains_key(*name)));
    let different = names.filter(|name| expected.get(*name) != read.get(*name)).map(|name| {
        let message = format!("the source gives another `{name}` than the compiled types");
        let error = Diagnostic::error("generate::source", message).at_file(root.join(FILE_NAME));
        error.help("this is a bug in this tool, not in the types; please report it. Until it is fixed, remove `types` from the settings")
    });
    crd_diagnostics::fail_on(different.collect()).map(|()| Ok(source))
}

/// The files of types, by their paths in the output directory. Stamps are those of settings, so they are left out.
fn texts(types: &Projection<'_>) -> Result<BTreeMap<String, String>, Vec<Diagnostic>> {
    let mut texts = BTreeMap::new();
    for (channel, crd) in types.crds()?.iter().flatten() {
        texts.extend(files([crd.clone()]).into_iter().map(|file| (format!("{channel}/{}", file.name), file.text)));
    }
    texts.extend(all(types.documents())?.into_iter().map(|document| (document.name.to_owned(), document.text)));
    Ok(texts)
}

fn source<'a>(root: &'a Path, types: &'a str, program: &'a [(PathBuf, String)]) -> Source<'a> {
    Source { root, types: Path::new(types), program, files: &text }
}

/// The most bytes of a file: those of the largest source file, lock file and record of compiled values.
const MOST_BYTES: u64 = 16 << 20;

/// The text of a file, if it exists. Symlinks are followed, as the compiler follows them.
fn text(path: &Path) -> Result<Option<String>, Diagnostic> {
    let metadata = fs::metadata(path);
    if metadata.as_ref().is_ok_and(|metadata| metadata.len() > MOST_BYTES) {
        let predicate = format!("has more than {MOST_BYTES} bytes, the limit for source");
        return Err(file::error("types::source", path, &predicate));
    }
    let bytes = file::read_regular(path, metadata, |path| fs::read(path))?;
    let not_text = || {
        file::cannot(path, "read", &std::io::Error::new(ErrorKind::InvalidData, "stream did not contain valid UTF-8"))
    };
    bytes.map(|bytes| String::from_utf8(bytes).map_err(|_| not_text())).transpose()
}

/// The manifest and the Rust files of the program with the catalogue, by their paths from the root, sorted.
pub(crate) fn program(root: &Path) -> Result<Vec<(PathBuf, String)>, Vec<Diagnostic>> {
    let mut paths = vec![root.join(PROGRAM).join("Cargo.toml")];
    let mut folders = vec![root.join(PROGRAM).join("src")];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(file::cannot(folder, "read", &error).into()),
        };
        for entry in entries.flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                _ if path.extension().is_some_and(|end| end == "rs") => paths.push(path),
                _ => {}
            }
        }
    }
    paths.sort();
    let below = |path: PathBuf| {
        let read = text(&path)?;
        Ok::<_, Diagnostic>(read.map(|text| (path.strip_prefix(root).unwrap_or(&path).to_owned(), text)))
    };
    Ok(all(paths.into_iter().map(below))?.into_iter().flatten().collect())
}

/// A diagnostic of a file in the root, with its whole path.
fn in_root(mut diagnostic: Diagnostic, root: &Path) -> Diagnostic {
    if let Some(file) = &mut diagnostic.location.file {
        *file = root.join(&*file);
    }
    diagnostic
}
