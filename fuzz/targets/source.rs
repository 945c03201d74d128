//! A crate of a stranger becomes CRDs or errors. The text has the form of the cases in `testdata/reader/cases`, which are its first inputs.
//!
//! An input that takes longer than `-timeout` is a failure. The descriptors of a read are never freed, about 10 kB of an input, so a process ends after some
//! inputs (`-runs`), and `.ci/nightly` starts it again with the corpus of the processes before.
#![no_main]

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};

use crd_diagnostics::Diagnostic;
use crd_generate::settings::Settings;
use crd_generate::{Projection, annotated};
use crd_source::reader::{Source, catalogue};
use crd_testdata::reader::{Case, case};
use libfuzzer_sys::fuzz_target;

/// Where the files of the input are.
const ROOT: &str = "/fuzzed";

/// The files of the library, which are on the disk.
static LIBRARY: LazyLock<Mutex<HashMap<PathBuf, Option<String>>>> = LazyLock::new(Mutex::default);

fn text(case: &Case, path: &Path) -> Result<Option<String>, Diagnostic> {
    if let Ok(path) = path.strip_prefix(ROOT) {
        return Ok(case.files.get(path).cloned());
    }
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gen/channels");
    // Only files of this project: another one may never end.
    let is_library = path.starts_with(env!("CARGO_MANIFEST_DIR")) || path.starts_with(library);
    let is_plain = is_library && path.extension().is_some_and(|end| end == "rs" || end == "toml");
    let mut read = LIBRARY.lock().expect("one thread");
    let read = read.entry(path.to_owned()).or_insert_with(|| is_plain.then(|| fs::read_to_string(path).ok()).flatten());
    Ok(read.clone())
}

fuzz_target!(|input: &str| {
    let case = case("fuzzed".to_owned(), input.to_owned());
    let program = case.files.iter().filter(|(path, _)| path.starts_with("xtask"));
    let program: Vec<(PathBuf, String)> = program.map(|(path, text)| (path.clone(), text.clone())).collect();
    let files = |path: &Path| text(&case, path);
    let source = Source { root: Path::new(ROOT), types: Path::new("api"), program: &program, files: &files };
    let settings = Settings::read(Path::new("crd-channels.yaml"), "prefix: example.com\nversion: v0.1.0\n", &[]);
    let result = catalogue(&source, None, settings.expect("settings")).and_then(|catalogue| {
        let types = Projection::new(&catalogue, annotated(&catalogue)?, "fuzz");
        types.crds().map(<[_]>::len)
    });
    if let Err(errors) = result {
        assert!(!errors.is_empty());
    }
    // The texts of all files, which the parser keeps for their places.
    proc_macro2::extra::invalidate_current_thread_spans();
});
