//! Small crates with types, which a reader of source must not misread: `reader/cases` has one as each file.
//!
//! The head of a file says what is tested, and what is expected. `$ROOT` is a root type with a field of the type `Spec`, `$CASE` the name of the
//! package, and `$CHANNELS` the folder of the library. Paths are relative to the package. A section `Cargo.toml` follows `[dependencies]`, and
//! `xtask:` is a dependency of the package `xtask`, which decides about features. Sections that begin with `//=` are edits after the compiled run. A case that names `$CASE_maker` has the crate of `maker.txt`.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

pub mod grammar;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = r#"crd_channels::resources!();
#[crd_channels::api(group = "lamps.example.com", version = "v1", kind = "Lamp")]
pub struct Lamp {
    pub metadata: crd_channels::ObjectMeta,
    pub spec: Spec,
}"#;

const XTASK: &str = "use $CASE::RESOURCES;
use command_line::{Catalogue, run};

fn main() -> std::process::ExitCode {
    run(Catalogue::default().resources(RESOURCES))
}
";

/// A workspace with types.
#[derive(Debug)]
pub struct Case {
    /// The name of the package with the types.
    pub name: String,
    /// `equal`, `refused TEXT`, `recorded`, `outdated TEXT`, `error`, `compile error` or `compile error: TEXT`.
    pub expected: String,
    /// The lines of `[dependencies]` in `xtask/Cargo.toml` that are about the types.
    pub dependencies: Vec<String>,
    /// The files, relative to the root of the workspace. The types are in `api`.
    pub files: BTreeMap<PathBuf, String>,
    /// The files that change after the compiled run.
    pub edits: BTreeMap<PathBuf, String>,
}

/// All cases, by name.
///
/// # Panics
/// If a file has not the form of a case.
#[must_use]
pub fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("reader/cases");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let name = |path: &Path| format!("case_{}", path.file_stem().unwrap().to_str().unwrap().replace('-', "_"));
    paths.iter().map(|path| case(name(path), fs::read_to_string(path).unwrap())).collect()
}

/// The case of this text.
///
/// # Panics
/// If the text has not the form of a case.
#[must_use]
pub fn case(name: String, mut text: String) -> Case {
    if text.contains("$CASE_maker") {
        text.push_str(include_str!("../reader/maker.txt"));
    }
    let channels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gen/channels").display().to_string();
    let text = text.replace("$ROOT", ROOT).replace("$CASE", &name).replace("$CHANNELS", &channels);
    let values = |key: &str| -> Vec<String> {
        let head = text.lines().take_while(|line| line.starts_with("// "));
        head.filter_map(|line| Some(line["// ".len()..].strip_prefix(key)?.trim().to_owned())).collect()
    };
    let mut dependencies = values("xtask:");
    if dependencies.is_empty() {
        dependencies.push(format!("{name} = {{ path = \"../api\" }}"));
    }
    let edition = values("edition:").pop().unwrap_or("2024".to_owned());
    let is_crlf = !values("lines end with CRLF").is_empty();
    let package = |name: &str| format!("[package]\nname = \"{name}\"\nedition = \"{edition}\"\n[dependencies]\n");
    let mut files: BTreeMap<PathBuf, String> = [
        ("crd-channels.yaml", "prefix: example.com\nversion: v0.1.0\n".to_owned()),
        ("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"api\", \"xtask\"]\n".to_owned()),
        ("xtask/Cargo.toml", format!("{}{}\n", package("xtask"), dependencies.join("\n"))),
        ("xtask/src/main.rs", XTASK.replace("$CASE", &name)),
        ("api/Cargo.toml", String::new()),
    ]
    .map(|(path, text)| (PathBuf::from(path), text))
    .into();
    let mut edits = BTreeMap::new();
    for section in text.replace("\n//= ", "\n//- = ").split("\n//- ").skip(1) {
        let (path, text) = section.split_once('\n').unwrap_or((section, ""));
        let text = if text.is_empty() { String::new() } else { format!("{text}\n") };
        let text = if is_crlf { text.replace('\n', "\r\n") } else { text };
        let (edited, path) = path.strip_prefix("= ").map_or((&mut files, path), |path| (&mut edits, path));
        let path = path.strip_prefix("../").map_or_else(|| Path::new("api").join(path), PathBuf::from);
        edited.insert(path, text);
    }
    let manifest = files.get_mut(Path::new("api/Cargo.toml")).unwrap();
    if !manifest.contains("crd-channels") {
        manifest.insert_str(0, &format!("crd-channels = {{ path = \"{channels}\" }}\n"));
    }
    manifest.insert_str(0, &package(&name));
    let expected = values("expect:").concat();
    Case { name, expected, dependencies, files, edits }
}
