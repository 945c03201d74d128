//! Reads annotated types from the source of their crate, without a compiler.
//!
//! The steps: [`manifest`] finds the crates and their features, `model` has their modules and definitions, `lookup` follows paths, `expansion` finds
//! `#[api]` and what other macros may define, and `types` finds the type that a path means: [`names`] has all of it. `described` makes descriptors of
//! checked items, and [`compiled`] has what only compiled code contains.
//!
//! Invariants: never a guess: what is not certain is refused with its place; files are read only through the function of the caller; descriptors
//! are never freed, so a process reads once.

pub mod compiled;
mod conditional;
mod constants;
mod described;
pub mod digest;
mod expansion;
mod lookup;
pub mod manifest;
mod model;
pub mod names;
mod problem;
mod types;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crd_diagnostics::{Diagnostic, fail_on};
use crd_generate::settings::Settings;
use crd_generate::{Catalogue, Export, ExportedConstants};
use crd_markers::deferred::Deferred;
use crd_markers::descriptor::{TypeDescriptor, TypeRef};
use crd_markers::leaked;
use crd_markers::{Constant, ConstantKind};
use crd_syntax::Read;
use proc_macro2::TokenStream;

use compiled::{Compiled, Need, State};
use described::{Described, Entry, Key, scalar_of};
use digest::Items;
use names::{Crates, Ty};
use problem::Problems;

/// The code of diagnostics about source that is wrong, or that the reader does not understand.
pub const CODE: &str = "types::source";

/// What to do about source that the reader does not understand.
const HELP: &str = "`cargo xtask generate --compiled` compiles the types";

/// Returns the text of a file; `None` if it does not exist.
pub type Files<'a> = &'a dyn Fn(&Path) -> Result<Option<String>, Diagnostic>;

pub struct Source<'a> {
    /// The root of the workspace.
    pub root: &'a Path,
    /// The folder of the crate with the types, from the root.
    pub types: &'a Path,
    /// The program with the catalogue: its manifest and its Rust files, by their paths from the root. Empty without such a program.
    pub program: &'a [(PathBuf, String)],
    /// Reads the other files.
    pub files: Files<'a>,
}

impl Source<'_> {
    fn crates(&self) -> Result<Crates, Vec<Diagnostic>> {
        let manifest = self.program.iter().map(|(path, _)| path).find(|path| path.ends_with("Cargo.toml"));
        let program = manifest.and_then(|path| path.parent()).map(|folder| self.root.join(folder));
        Crates::load(&self.root.join(self.types), program.as_deref(), self.root, self.files)
    }

    /// The items, of which values in compiled code depend.
    fn items(&self, crates: &Crates) -> Result<Items, Diagnostic> {
        let lock = (self.files)(&self.root.join("Cargo.lock"))?;
        let items = Items::new(crates.all_items(), lock.into_iter().chain(crates.features()));
        let items = items.without_source_of(crates.unlocked());
        Ok(if crates.have_build_scripts() { items.without_digests() } else { items })
    }
}

/// The folders with the source of all crates that are read.
///
/// # Errors
/// A manifest cannot be read.
pub fn folders(source: &Source<'_>) -> Result<Vec<PathBuf>, Vec<Diagnostic>> {
    let graph = manifest::graph(&source.root.join(source.types), None, source.files)?;
    Ok(graph.crates.iter().filter_map(|read| read.file.parent()).map(Path::to_owned).collect())
}

/// The catalogue of the source.
///
/// # Errors
/// Everything that is wrong in the source, that the reader does not understand, and that only the compiled types contain.
pub fn catalogue(
    source: &Source<'_>,
    compiled: Option<&Compiled>,
    settings: Settings,
) -> Result<Catalogue, Vec<Diagnostic>> {
    let crates = source.crates()?;
    let (items, errors, missing) = (OnceCell::new(), RefCell::new(Vec::new()), RefCell::new(Vec::new()));
    let value = |need: &Need| {
        // Most sources need no digests.
        let items = items.get_or_init(|| source.items(&crates).map_err(|error| errors.borrow_mut().push(error)).ok());
        let value = Compiled::value(compiled, need, items.as_ref()?);
        value.unwrap_or_else(|error| {
            missing.borrow_mut().push((need.clone(), error));
            None
        })
    };
    let (roots, exports, mut problems) = read(&crates, &value);
    problems.extend(errors.into_inner());
    let mut missing = missing.into_inner();
    // The compiled types have no values of types that no resource contains. After an error, descriptors are not complete.
    if !missing.is_empty() && problems.is_empty() {
        let reached = compiled::reached(&roots);
        missing.retain(|(need, _)| need.is_of(&reached));
    }
    problems.extend(missing.into_iter().map(|(_, error)| error));
    let catalogue = state(&crates, &roots, |state| Compiled::catalogue(compiled, source, state));
    let catalogue = catalogue.map(|catalogue| with_constants(catalogue, &crates));
    match catalogue {
        Ok(catalogue) => fail_on(problems).map(|()| catalogue.with_settings(settings).exported(exports)),
        Err(errors) => Err(problems.into_iter().chain(errors).collect()),
    }
}

/// The catalogue with the declarations of its constants. Calls of `conditions!` that the catalogue does not list are left out.
fn with_constants(catalogue: Catalogue, crates: &Crates) -> Catalogue {
    let listed = &catalogue.condition_constants().0;
    let is_listed = |constant: &Constant| {
        let value = |of_version: &BTreeMap<String, crd_model::constants::Constant>| {
            Some(of_version.get(constant.name)?.value.clone())
        };
        constant.kind != ConstantKind::Constant
            && listed.values().filter_map(value).any(|value| value == constant.value)
    };
    let calls = crates.conditions().map(|(module, tokens)| constants::read(&crates.path_of(module), tokens));
    let declared: Vec<Constant> = calls.filter(|call| call.iter().any(is_listed)).flatten().collect();
    let exported = crates
        .exported_conditions()
        .into_iter()
        .map(|(module, target)| ExportedConstants { module: crates.path_of(module), target: crates.path_of(target) });
    catalogue.declares(declared).exports_constants(exported.collect())
}

/// What the compiled types have, for the source that was compiled.
pub(crate) fn record(source: &Source<'_>, catalogue: &Catalogue) -> Result<Compiled, Vec<Diagnostic>> {
    let crates = source.crates()?;
    let needs = RefCell::new(Vec::new());
    let value = |need: &Need| {
        needs.borrow_mut().push(need.clone());
        None
    };
    let (roots, _, problems) = read(&crates, &value);
    fail_on(problems)?;
    let items = source.items(&crates)?;
    let needs = needs.into_inner();
    Ok(state(&crates, &roots, |state| Compiled::record(catalogue, source, state, &needs, &items)))
}

fn state<T>(crates: &Crates, roots: &[&'static TypeDescriptor], then: impl FnOnce(&State<'_>) -> T) -> T {
    let conditions: Vec<TokenStream> = crates.conditions().map(|(_, tokens)| tokens).collect();
    let features: Vec<String> = crates.features().collect();
    then(&State { roots, conditions: &conditions, crate_name: crates.name(), features: &features })
}

/// The descriptors of the root types, the further names of types, and everything that is wrong.
fn read(
    crates: &Crates,
    compiled: &dyn Fn(&Need) -> Option<String>,
) -> (Vec<&'static TypeDescriptor>, Vec<Export>, Vec<Diagnostic>) {
    let problems = RefCell::new(Problems::default());
    let mut entries: BTreeMap<Key, Entry> = BTreeMap::new();
    for id in crates.api_items() {
        let Some(api) = crates.api(id) else { continue };
        let (read, errors) = crd_syntax::read(api.arguments, api.tokens, true);
        for error in errors.sorted() {
            problems.borrow_mut().at(api.file, error.span(), &error);
        }
        for (line, column, message) in crates.commented_markers(id) {
            problems.borrow_mut().at_position(api.file, (line, column), message);
        }
        let file = leaked::text(&api.file.to_string_lossy());
        let items = match read {
            Read::Item(item) => vec![(Ty::Api(id), item)],
            Read::Generic(generic) => {
                let instances = generic.instances.into_iter().enumerate();
                instances.map(|(index, (_, item))| (Ty::Instance(id, index), item)).collect()
            }
            Read::Nothing => Vec::new(),
        };
        for (index, (own, item)) in items.into_iter().enumerate() {
            entries.insert((id, index), Entry::new(item, api.module, own, file));
        }
    }
    let described = Described { crates, entries, problems: &problems, depth: Cell::new(0), compiled };
    described.describe();
    let descriptor = |key: Key| described.entries.get(&key)?.descriptor();
    let roots = crates.roots().iter().filter_map(|id| descriptor((*id, 0))).collect();
    let exports = crates.exports().into_iter().filter_map(|(module, name, found)| {
        let named = |key| descriptor(key).map(|target| TypeRef::Named(Deferred::read(target)));
        let target = match found {
            Ty::Api(id) => named((id, 0))?,
            Ty::Instance(id, index) => named((id, index))?,
            scalar => scalar_of(&scalar)?.0.reference,
        };
        Some(Export { module: crates.path_of(module), name, target })
    });
    let exports = exports.collect();
    crates.refusals().for_each(|refusal| problems.borrow_mut().refuse(refusal));
    (roots, exports, problems.into_inner().into_diagnostics())
}
