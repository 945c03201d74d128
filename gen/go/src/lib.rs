//! Go source of annotated types: read without a Go compiler, with tree-sitter's grammar of Go.
//!
//! Go types become the same descriptors that annotated Rust types are. Only channel markers are checked: those that this tool reads, such as
//! `+experimental` and `+lens:rename`. controller-gen checks its own, and the CRDs that it writes have their effect.
//!
//! The steps: `packages` finds the packages of the pattern and parses their files (`syntax`, `comments`), `roots` finds the type of each resource,
//! `types` describes what they reach (`lookup`), `marks` reads the markers of a declaration (`names`, `gates`, `tags`), and `check` finds markers
//! that have no effect and text that looks like a marker.
//!
//! Knows nothing of `crd-source`, `crd-syntax`, `crd-generate`, `crd-bundle` or the file system.
//!
//! Invariants: files are read only through [`Files`]; all errors are reported together, each place of the source once; descriptors are never freed, so
//! a process reads once.

mod check;
mod comments;
mod constraints;
mod gates;
mod lookup;
mod marks;
mod names;
mod packages;
mod problem;
mod report;
mod roots;
mod syntax;
mod tags;
mod types;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crd_diagnostics::{Diagnostic, fail_on};
use crd_markers::descriptor::{Location, ResourceDescriptor, TypeDescriptor};
use crd_markers::leaked;
use crd_model::parallel;
use crd_names::channel::Channel;

use lookup::{Lookup, Meaning, Scope};
use marks::Language;
use packages::Packages;
pub use problem::{CODES, PAGES};
use report::Problems;
use syntax::Name;
use types::{Key, Reached};

/// Files of the project, so that the crate uses no file system.
pub trait Files {
    /// The text of a file, if it exists.
    ///
    /// # Errors
    /// It cannot be read.
    fn text(&self, path: &Path) -> Result<Option<String>, Diagnostic>;

    /// Names in a folder: files and folders, sorted, each with whether it is a folder.
    ///
    /// # Errors
    /// It cannot be read.
    fn entries(&self, folder: &Path) -> Result<Vec<(String, bool)>, Diagnostic>;
}

#[derive(Clone, Copy)]
pub struct Project<'p> {
    /// The root of the project. Locations are relative to it, with `/`.
    pub root: &'p Path,
    /// The pattern of packages: `./api/...`, `./api/v1`.
    pub packages: &'p str,
    /// The channel from which each feature gate is enabled.
    pub gates: &'p BTreeMap<String, Channel>,
    /// Whether Gateway API's tags, such as `<gateway:experimental>`, are read.
    pub tags: bool,
    pub files: &'p dyn Files,
}

/// The types of a project.
#[derive(Debug)]
pub struct Types {
    /// One for each wanted version of a resource, in the order of these.
    pub roots: Vec<&'static TypeDescriptor>,
    /// The gate of each mark that came from a marker of a gate, by the line of the marker.
    pub gates: BTreeMap<Location, &'static str>,
    /// Types of other modules, whose markers are not read: `k8s.io/api/core/v1.PodSpec`, with the first line that uses it.
    pub opaque: BTreeMap<String, Location>,
    /// The folders that were read.
    pub folders: Vec<PathBuf>,
}

/// The types of the wanted versions of resources.
///
/// # Errors
/// Everything that is wrong in the source, or that has no effect.
pub fn types(project: &Project<'_>, wanted: &[ResourceDescriptor]) -> Result<Types, Vec<Diagnostic>> {
    let mut problems = Problems::default();
    let packages = Packages::of_pattern(project, &mut problems)?;
    let mut lookup = Lookup { packages, problems, opaque: BTreeMap::new() };
    let keys: Vec<Option<Key>> = wanted.iter().map(|wanted| key(&mut lookup, wanted)).collect();
    let language = Language { gates: project.gates, tags: project.tags };
    let mut reached = Reached::new(lookup, language, keys.iter().flatten().cloned().collect::<BTreeSet<_>>());
    reached.describe();
    let is_complete = keys.iter().all(Option::is_some);
    let packages = reached.lookup.packages.all.clone();
    let mut files = Vec::new();
    for (index, package) in packages.iter().enumerate() {
        for (position, file) in package.files.iter().enumerate() {
            // What a missing root would reach is not known.
            let is_ours = package.is_wanted && !packages::is_generated(&file.text);
            let used = reached.used.remove(&(index, position));
            let needs_effect = is_complete && (is_ours || used.is_some());
            let mut used = used.unwrap_or_default();
            if !is_ours {
                used.extend(reached.unreached(index, file));
            }
            files.push((file, needs_effect.then_some(used)));
        }
    }
    let faults = parallel::each(&files, |(file, used)| check::faults(file, used.as_ref(), language));
    for ((file, _), faults) in files.iter().zip(faults) {
        faults.into_iter().for_each(|fault| reached.lookup.problems.add(file, fault));
    }
    let root = |(key, wanted): (&Option<Key>, &ResourceDescriptor)| {
        let descriptor = reached.descriptor(key.as_ref()?)?;
        let root: &'static TypeDescriptor = leaked::value(TypeDescriptor { resource: Some(*wanted), ..*descriptor });
        Some(root)
    };
    let roots = keys.iter().zip(wanted).filter_map(root).collect();
    let folders = reached.lookup.packages.folders();
    let Lookup { problems, opaque, .. } = reached.lookup;
    fail_on(problems.into_diagnostics())?;
    Ok(Types { roots, gates: reached.gates, opaque, folders })
}

/// The type of a resource, through aliases.
fn key(lookup: &mut Lookup<'_>, wanted: &ResourceDescriptor) -> Option<Key> {
    let (package, kind) = roots::root(&lookup.packages, wanted).map_err(|error| lookup.problems.push(error)).ok()?;
    let (file, _) = lookup.packages.all[package].types.get(&kind).copied()?;
    let name = Name { package: String::new(), name: kind, at: 0 };
    match lookup.meaning(&Scope { package, file }, &name) {
        Meaning::Declared(package, name) => Some((package, name)),
        _ => {
            let message = format!("the type of the resource `{}` is not a struct of this module", wanted.kind);
            let file = lookup.packages.all[package].files[file].path;
            lookup.problems.push(problem::TYPES.finding(message).at_file(file));
            None
        }
    }
}
