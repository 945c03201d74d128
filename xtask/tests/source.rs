//! The types of Gateway API from source: `generate` writes byte by byte what it writes from the compiled types.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use command_line::{Exit, Session, run_in};

/// What `generate` writes with these arguments.
fn generated(arguments: &[&str]) -> BTreeMap<PathBuf, String> {
    let folder = tempfile::tempdir().unwrap();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut session = Session::new(root, &mut out, &mut err);
    let target = folder.path().display().to_string();
    let arguments = [&["generate", "--no-read-back", "--out", &*target][..], arguments].concat();
    let exit = run_in(&crate::catalogue::catalogue(), arguments, &mut session);
    assert_eq!(exit, Exit::Fine, "{}", String::from_utf8_lossy(&err));
    let mut files = BTreeMap::new();
    let mut paths = vec![folder.path().to_owned()];
    while let Some(path) = paths.pop() {
        match path.is_dir() {
            true => paths.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path())),
            false => {
                let text = fs::read_to_string(&path).unwrap();
                files.insert(path.strip_prefix(folder.path()).unwrap().to_owned(), text);
            }
        }
    }
    files
}

#[test]
fn source_and_compiled_types_give_the_same_files() {
    let (source, compiled) = (generated(&[]), generated(&["--compiled"]));
    assert!(compiled.len() > 20, "{:?}", compiled.keys());
    for (path, text) in &compiled {
        assert_eq!(source.get(path), Some(text), "{}", path.display());
    }
    assert_eq!(source.len(), compiled.len());
}
