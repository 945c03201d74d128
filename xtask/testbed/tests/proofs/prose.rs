//! The comments of other projects' Go contain no text that looks like a disguised marker: no false alarm.
//!
//! Reads the modules from Go's module cache, which `go mod download` fills.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crd_diagnostics::Diagnostic;
use crd_go::{Files, Project, types};
use crd_markers::docs::documentation;

/// `k8s.io/api` and `sigs.k8s.io/gateway-api` with the versions that the comparison with other tools has.
const MODULE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../benches/side_by_side");
const MODULES: [&str; 2] = ["k8s.io/api", "sigs.k8s.io/gateway-api"];
/// Sentences that name a marker. Authors of Rust types write a backslash before the plus.
const NAMED: [(&str, &str); 1] = [("scheduling/v1alpha3/types.go", "+k8s:immutable")];

/// Modules of projects that do not know our markers.
const STRANGERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/go/strangers");

fn folder_of(go: &str, of: &str, module: &str) -> PathBuf {
    for attempt in 1.. {
        // The module may need a newer Go than the machine has, which Go downloads.
        let output = Command::new(go)
            .args(["mod", "download", "-json", module])
            .current_dir(of)
            .env("GOTOOLCHAIN", "auto")
            .output();
        let output = output.unwrap_or_else(|error| panic!("{go}: {error}"));
        if output.status.success() {
            let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON of Go");
            return answer["Dir"].as_str().map(PathBuf::from).expect("the folder of the module");
        }
        assert!(attempt < 3, "{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    }
    unreachable!()
}

fn go_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the module") {
        let path = entry.expect("an entry of the folder").path();
        if path.is_dir() {
            go_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "go") {
            files.push(path);
        }
    }
}

/// Go, unless it is neither installed nor required.
fn installed() -> Option<String> {
    let go = std::env::var("GO").unwrap_or_else(|_| "go".to_owned());
    let is_required = std::env::var("CRD_TESTBED").is_ok_and(|value| value == "require");
    if !is_required && Command::new(&go).arg("version").output().is_err() {
        println!("skipped: Go is not installed");
        return None;
    }
    Some(go)
}

/// The files of a module on disk, with the number of lines that were read.
#[derive(Default)]
struct Disk(Cell<usize>);

impl Files for Disk {
    fn text(&self, path: &Path) -> Result<Option<String>, Diagnostic> {
        let text = std::fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        self.0.set(self.0.get() + text.as_ref().map_or(0, |text| text.lines().count()));
        Ok(text)
    }

    fn entries(&self, folder: &Path) -> Result<Vec<(String, bool)>, Diagnostic> {
        let entries = std::fs::read_dir(folder).expect("a folder of the module").map(|entry| entry.expect("an entry"));
        let mut names = entries
            .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path().is_dir()))
            .collect::<Vec<_>>();
        names.sort();
        Ok(names)
    }
}

#[test]
fn go_of_other_projects_gives_no_diagnostic() {
    let Some(go) = installed() else { return };
    let (disk, gates) = (Disk::default(), BTreeMap::new());
    for module in ["k8s.io/api", "sigs.k8s.io/cluster-api", "sigs.k8s.io/karpenter"] {
        let root = &folder_of(&go, STRANGERS, module);
        let project = Project { root, packages: "./...", gates: &gates, tags: false, files: &disk };
        let errors = types(&project, &[]).err().unwrap_or_default();
        assert!(errors.is_empty(), "{module}: {errors:#?}");
    }
    println!("{} lines of Go: no diagnostic", disk.0.get());
    assert!(disk.0.get() > 200_000);
}

#[test]
fn doc_comments_of_go_types_are_no_disguised_markers() {
    let Some(go) = installed() else { return };
    let mut files = Vec::new();
    for module in MODULES {
        go_files(&folder_of(&go, MODULE, module), &mut files);
    }
    let (mut comments, mut markers, mut alarms) = (0, 0, Vec::new());
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a source file");
        let mut comment: Vec<&str> = Vec::new();
        // The empty line ends the last comment.
        for line in text.lines().chain([""]) {
            if let Some(line) = line.trim().strip_prefix("//") {
                // A tab begins code, which can have comments with markers.
                comment.extend((!line.starts_with('\t')).then_some(line));
                continue;
            }
            let docs = documentation(comment.drain(..));
            comments += usize::from(docs != Default::default());
            markers += docs.markers.len();
            let is_named = |text: &str| NAMED.iter().any(|(end, marker)| file.ends_with(end) && text == *marker);
            let disguised = docs.disguised.iter().filter(|found| !is_named(&found.text));
            alarms.extend(disguised.map(|found| format!("{}: {}", file.display(), found.text)));
        }
    }
    println!("{comments} comments with {markers} markers: {} false alarms", alarms.len());
    assert!(comments > 10_000 && markers > 5_000 && alarms.is_empty(), "{}", alarms.join("\n"));
}
