//! The dependencies of the packages, from what cargo reports about them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Metadata {
    pub(super) packages: Vec<Package>,
    resolve: Resolve,
}

#[derive(Deserialize)]
pub(super) struct Package {
    id: String,
    pub(super) name: String,
    /// A package of a registry; none for one of this workspace.
    source: Option<String>,
    pub(super) manifest_path: PathBuf,
    dependencies: Vec<Dependency>,
    features: BTreeMap<String, Vec<String>>,
    pub(super) targets: Vec<Target>,
}

#[derive(Deserialize)]
pub(super) struct Target {
    pub(super) kind: Vec<String>,
    pub(super) src_path: PathBuf,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    rename: Option<String>,
    kind: Option<String>,
    optional: bool,
    uses_default_features: bool,
    features: Vec<String>,
}

impl Dependency {
    fn is_built(&self) -> bool {
        self.kind.as_deref() != Some("dev")
    }

    fn key(&self) -> &str {
        self.rename.as_ref().unwrap_or(&self.name)
    }
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Edge>,
}

#[derive(Deserialize)]
struct Edge {
    pkg: String,
    dep_kinds: Vec<EdgeKind>,
}

#[derive(Deserialize)]
struct EdgeKind {
    kind: Option<String>,
}

impl Metadata {
    pub(super) fn read() -> Self {
        let arguments = ["metadata", "--offline", "--locked", "--format-version", "1"];
        let output = Command::new(env!("CARGO")).args(arguments).current_dir(super::ROOT).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// The package of this workspace with this name.
    pub(super) fn own(&self, name: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.name == name && package.source.is_none())
    }

    /// The packages that a build of a package with its default features needs, without itself and without development dependencies. Features are
    /// those that the packages of this workspace ask for; packages of registries have the dependencies that any package of the workspace gives them.
    pub(super) fn closure<'n>(&'n self, name: &'n str) -> BTreeSet<&'n str> {
        let mut active = BTreeSet::from([(name, "default")]);
        let mut next: Vec<_> = active.iter().copied().collect();
        let mut foreign = Vec::new();
        while let Some((name, feature)) = next.pop() {
            let Some(package) = self.own(name) else {
                foreign.push(name);
                continue;
            };
            let all = package.features.iter().filter(|(known, _)| *known == feature).flat_map(|(_, all)| all);
            let mut reached = Vec::new();
            for activated in all {
                let (key, below) = match activated.trim_start_matches("dep:").split_once('/') {
                    Some((key, below)) => (key.trim_end_matches('?'), Some(below)),
                    None => (activated.trim_start_matches("dep:"), None),
                };
                if package.features.contains_key(key) && below.is_none() {
                    reached.push((name, key));
                }
                let of_key = package.dependencies.iter().filter(|dependency| dependency.key() == key);
                for dependency in of_key.filter(|dependency| dependency.is_built()) {
                    reached.extend(asked(dependency));
                    reached.extend(below.map(|below| (&*dependency.name, below)));
                }
            }
            let needed = package.dependencies.iter().filter(|dependency| dependency.is_built() && !dependency.optional);
            reached.extend(needed.flat_map(asked));
            next.extend(reached.into_iter().filter(|reached| active.insert(*reached)));
        }
        let mut closure: BTreeSet<&str> = active.iter().map(|(name, _)| *name).collect();
        closure.extend(self.below(foreign));
        closure.remove(name);
        closure
    }

    /// The packages of registries below these.
    fn below<'n>(&'n self, names: Vec<&'n str>) -> impl Iterator<Item = &'n str> {
        let named = |package: &&Package| package.source.is_some() && names.contains(&&*package.name);
        let mut next: Vec<&str> = self.packages.iter().filter(named).map(|package| &*package.id).collect();
        let mut found: BTreeSet<&str> = next.iter().copied().collect();
        while let Some(id) = next.pop() {
            let node = self.resolve.nodes.iter().find(|node| node.id == id).unwrap();
            let built = |edge: &&Edge| edge.dep_kinds.iter().any(|kind| kind.kind.is_none());
            next.extend(node.deps.iter().filter(built).map(|edge| &*edge.pkg).filter(|id| found.insert(id)));
        }
        self.packages.iter().filter(move |package| found.contains(&*package.id)).map(|package| &*package.name)
    }
}

/// A dependency with each feature that is asked of it; the empty one is the package without features.
fn asked(dependency: &Dependency) -> Vec<(&str, &str)> {
    let default = dependency.uses_default_features.then_some("default");
    let features = dependency.features.iter().map(String::as_str);
    [""].into_iter().chain(default).chain(features).map(|feature| (&*dependency.name, feature)).collect()
}
