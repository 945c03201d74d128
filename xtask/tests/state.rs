//! Product code has no hidden state: no static that changes, and nothing that is never freed.
//!
//! A table that is computed once and never changes (`LazyLock` of plain data) is a constant.

use std::fs;
use std::path::{Path, PathBuf};

use crate::layout::{code, sources};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// What a static has inside that changes.
const CHANGING: [&str; 7] = ["Mutex", "RwLock", "Atomic", "OnceLock", "OnceCell", "RefCell", "Cell<"];

/// What is never freed.
const KEPT: [&str; 5] = ["mem::forget", "ManuallyDrop", "::leak(", ".leak()", "thread_local!"];

/// The exceptions: the file, how many lines of it, and why.
const EXCEPTIONS: &[(&str, usize, &str)] = &[
    (
        "gen/channels/src/validation.rs",
        1,
        "the methods of `Validate` have no value that could own a prepared resource. It depends only on the compiled type, and never changes",
    ),
    (
        "gen/markers/src/leaked.rs",
        3,
        "descriptors are constants of compiled crates, so that those that are read from source live as long: one set for each run of a program",
    ),
];

/// The Rust files below the folders of product code, without tests.
fn product() -> Vec<PathBuf> {
    let mut folders = vec![Path::new(ROOT).join("api-types/src"), Path::new(ROOT).join("xtask/src")];
    folders.extend(fs::read_dir(Path::new(ROOT).join("gen")).unwrap().map(|entry| entry.unwrap().path().join("src")));
    let files = folders.iter().flat_map(|folder| sources(folder));
    let is_test = |path: &Path| path.iter().any(|part| part == "tests" || part == "tests.rs");
    files.filter(|path| path.extension().is_some_and(|ending| ending == "rs") && !is_test(path)).collect()
}

fn is_state(line: &str) -> bool {
    let item = line.trim_start().trim_start_matches("pub").trim_start_matches("(crate)").trim_start();
    let changes = item.starts_with("static ") && CHANGING.iter().any(|part| line.contains(part));
    changes || KEPT.iter().any(|part| line.contains(part))
}

#[test]
fn nothing_is_kept_outside_of_values() {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for path in product() {
        let shown = path.strip_prefix(ROOT).unwrap().display().to_string();
        let text = code(&fs::read_to_string(&path).unwrap());
        let lines = text.lines().filter(|line| is_state(line)).collect::<Vec<_>>();
        match EXCEPTIONS.iter().find(|(file, ..)| *file == shown) {
            Some((_, count, _)) if lines.len() == *count => found.push(shown),
            _ => problems.extend(lines.iter().map(|line| format!("{shown}: {}", line.trim()))),
        }
    }
    assert_eq!(problems, Vec::<String>::new(), "let a value own it, or add an exception with its reason");
    assert_eq!(found.len(), EXCEPTIONS.len(), "an exception is no longer needed: {found:?}");
}

#[test]
fn state_is_recognised() {
    for line in [
        "static KNOWN: Mutex<Vec<u8>> = Mutex::new(Vec::new());",
        "    pub(crate) static COUNT: AtomicUsize = AtomicUsize::new(0);",
        "static OWN: LazyLock<Mutex<u8>> = LazyLock::new(Mutex::default);",
        "    std::mem::forget(value);",
        "    Box::leak(Box::new(value))",
        "    text.into_boxed_str().leak()",
        "thread_local! {",
    ] {
        assert!(is_state(line), "{line}");
    }
    for line in ["static ROWS: LazyLock<Vec<Row>> = LazyLock::new(rows);", "    known: Mutex<Vec<u8>>,"] {
        assert!(!is_state(line), "{line}");
    }
}
