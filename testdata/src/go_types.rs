//! Go types of projects, and the CRDs that controller-gen v0.23.0 writes from them.
//!
//! Invariants: comments of the Go source are markers and tags of Gateway API; the other comments, and functions, were removed.

use std::path::{Path, PathBuf};

use crate::{Archive, File};

static GO_TYPES: Archive = Archive::new(include_bytes!("../go-types.tar.xz"));

/// The releases of Gateway API whose Go types are archived, newest first.
pub const GO_GATEWAY_API: &[&str] = &["v1.7.0", "v1.6.3", "v1.5.1", "v1.4.1"];

/// The projects with a table of fields that only the experimental channel has.
pub const GO_OVERLAYS: &[&str] = &["cluster-api", "karpenter", "kubebuilder"];

/// The Go types of a project.
#[derive(Debug)]
pub struct GoProject {
    /// The Go files and `go.mod`, with paths below the folder of the project. The fields of [`overlay`](Self::overlay) have `+experimental`.
    pub source: Vec<File>,
    /// What controller-gen writes from all fields, as `NAME.json`. It does not read tags of Gateway API.
    pub crds: Vec<File>,
    /// What controller-gen writes from the fields that are not in [`overlay`](Self::overlay).
    pub standard: Vec<File>,
    /// The fields that only the experimental channel has: type with package, such as `v1.Part`, and Go name of the field.
    pub overlay: Vec<(&'static str, &'static str)>,
}

impl GoProject {
    fn new(folder: &str) -> Self {
        let mut project = Self { source: Vec::new(), crds: Vec::new(), standard: Vec::new(), overlay: Vec::new() };
        for file in GO_TYPES.folder(folder) {
            if let Some(path) = file.path.strip_prefix("crds/") {
                project.crds.push(File { path, ..file });
            } else if let Some(path) = file.path.strip_prefix("standard/") {
                project.standard.push(File { path, ..file });
            } else if file.path == "overlay.tsv" {
                project.overlay = file.text.lines().map(|row| row.split_once('\t').expect("two columns")).collect();
            } else {
                project.source.push(file);
            }
        }
        project
    }
}

/// The Go types of a release of Gateway API. They have tags of Gateway API instead of an overlay.
///
/// # Panics
/// If the version is not in [`GO_GATEWAY_API`].
#[must_use]
pub fn go_gateway_api(version: &str) -> GoProject {
    GoProject::new(&format!("gateway-api/{version}"))
}

/// The Go types of a project with an overlay.
///
/// # Panics
/// If the project is not in [`GO_OVERLAYS`].
#[must_use]
pub fn go_project(project: &str) -> GoProject {
    GoProject::new(project)
}

/// A marker that names a feature gate.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Ord, PartialOrd)]
pub struct GateMarker {
    /// The Go file.
    pub file: &'static str,
    /// The line in the file, from one.
    pub line: u32,
    /// The comment, such as `// +featureGate=A`.
    pub comment: &'static str,
}

/// The Go files of Kubernetes that name feature gates, and all their markers that do, sorted by file and line.
#[must_use]
pub fn go_gates() -> (Vec<File>, Vec<GateMarker>) {
    let (tables, source): (Vec<_>, Vec<_>) =
        GO_TYPES.folder("kubernetes").into_iter().partition(|file| file.path == "gates.tsv");
    let rows = tables[0].text.lines().skip(1).map(|row| {
        let mut columns = row.splitn(3, '\t');
        let mut column = || columns.next().expect("three columns");
        GateMarker { file: column(), line: column().parse().expect("a line"), comment: column() }
    });
    (source, rows.collect())
}

/// The folder of a small project of our own as kubebuilder makes it, without markers of this tool.
#[must_use]
pub fn kubebuilder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kubebuilder")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::crd_without_text;

    fn projects() -> Vec<GoProject> {
        let releases = GO_GATEWAY_API.iter().map(|version| go_gateway_api(version));
        releases.chain(GO_OVERLAYS.iter().map(|project| go_project(project))).collect()
    }

    #[test]
    fn no_archived_source_or_crd_has_text_of_its_authors() {
        let projects = projects();
        let crds = projects.iter().flat_map(|project| project.crds.iter().chain(&project.standard));
        let count = crds.map(|file| crd_without_text(&file.json(), file.path)).count();
        assert_eq!(count, 75);
        let sources = projects.into_iter().flat_map(|project| project.source).chain(go_gates().0);
        let mut count = 0;
        for file in sources.filter(|file| file.path.ends_with(".go")) {
            for line in file.text.lines().map(str::trim).filter(|line| line.starts_with("//")) {
                let text = line.trim_start_matches('/').trim();
                assert!(text.starts_with('+') || text.contains("gateway:"), "{}: {line}", file.path);
                let has_text =
                    text.contains("printcolumn") && text.contains("description=\"") || text.contains("externalDocs");
                assert!(!has_text, "{}: {line}", file.path);
                assert!(!text.contains("warning=") || text.contains(" is deprecated; use "), "{}: {line}", file.path);
            }
            count += 1;
        }
        assert_eq!(count, 239);
    }

    #[test]
    fn overlays_and_gates_name_what_the_source_has() {
        for project in GO_OVERLAYS {
            let GoProject { source, crds, standard, overlay } = go_project(project);
            let marks = source.iter().map(|file| file.text.matches("// +experimental\n").count()).sum::<usize>();
            assert_eq!((overlay.len(), marks), (20, 20), "{project}");
            assert_eq!(crds.len(), standard.len(), "{project}");
            let is_changed =
                crds.iter().zip(&standard).any(|(all, some)| all.path == some.path && all.text != some.text);
            assert!(is_changed, "{project}");
        }
        let (source, gates) = go_gates();
        for gate in &gates {
            let file = source.iter().find(|file| file.path == gate.file).expect("a file");
            let line = file.text.lines().nth(gate.line as usize - 1).expect("a line");
            assert_eq!(line.trim(), gate.comment, "{}:{}", gate.file, gate.line);
        }
        assert_eq!(gates.len(), 268);
    }

    #[test]
    fn the_folder_of_kubebuilder_has_crds() {
        let crd = std::fs::read_to_string(kubebuilder().join("config/crd/bases/shop.example.com_widgets.yaml"));
        assert!(crd.expect("a file").contains("controller-gen.kubebuilder.io/version: v0.23.0"));
    }
}
