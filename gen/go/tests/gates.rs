//! The gate markers of Kubernetes' own types: each is read, or a diagnostic at its line states why not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crd_go::{Project, types};
use crd_markers::descriptor::ResourceDescriptor;
use crd_names::Channel;
use crd_testdata::go_gates;

use crate::project::Memory;

#[test]
fn every_gate_marker_of_kubernetes_is_read_or_refused() {
    let (source, markers) = go_gates();
    // Every gate is in experimental, and every struct is wanted, so that a marker cannot be out of reach.
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    let words = markers.iter().flat_map(|marker| marker.comment.split(|character| !is_part(character)));
    let gates = words.map(|word| (word.to_owned(), Channel::Experimental)).collect::<BTreeMap<_, _>>();
    let files = source.iter().map(|file| (Path::new("/p").join(file.path), file.text.to_owned()));
    let mut files = Memory(files.collect());
    let mut wanted = Vec::new();
    for file in source.iter().filter(|file| file.path.ends_with(".go")) {
        let (package, _) = file.path.rsplit_once('/').unwrap();
        let (group, version) = package.rsplit_once('/').unwrap();
        let doc = format!("// +groupName={group}\npackage {version}\n");
        files.0.insert(Path::new("/p").join(package).join("doc.go"), doc);
        let structs = file.text.lines().filter_map(|line| line.strip_prefix("type ")?.strip_suffix(" struct {"));
        wanted.extend(structs.map(|kind| ResourceDescriptor { group, version, kind, plural: kind }));
    }
    let read = |files: &Memory| {
        types(&Project { root: Path::new("/p"), packages: "./...", gates: &gates, tags: false, files }, &wanted)
    };
    let errors = read(&files).err().unwrap_or_default();
    let mut refused = BTreeSet::new();
    for error in &errors {
        let location = &error.location;
        refused.insert((location.file.as_ref().unwrap().display().to_string(), location.line.unwrap()));
    }
    // Without these lines, what is read is known.
    for (file, line) in &refused {
        let text = files.0.get_mut(&Path::new("/p").join(file)).unwrap();
        let lines = text.lines().enumerate().map(|(index, text)| if index + 1 == *line { "//" } else { text });
        *text = lines.collect::<Vec<_>>().join("\n");
    }
    let read = read(&files).unwrap();
    let mut counts = [0, 0];
    for marker in &markers {
        let line = usize::try_from(marker.line).unwrap();
        let is_read = read.gates.keys().any(|at| (at.file, at.line) == (marker.file, marker.line));
        let is_refused = refused.contains(&(marker.file.to_owned(), line));
        assert!(is_read != is_refused, "{}:{line}: {}", marker.file, marker.comment);
        counts[usize::from(is_refused)] += 1;
    }
    // Those that are refused limit a format that the table of markers does not have.
    assert_eq!(counts, [264, 4], "{errors:#?}");
}
