//! The constants of `conditions!`: string types with their constants, in the package of the module that declares them.
//!
//! Invariants: a type is declared once in a package, before its constants; a module that exports the constants of another one has aliases of their
//! types, and the same constants.

use std::collections::BTreeMap;

use crd_diagnostics::Diagnostic;
use crd_generate::Catalogue;
use crd_markers::{Constant as Source, ConstantKind};
use crd_names::wire::{is_go_name, is_version};

use super::model::{Body, Constant, File, GoType, Type};
use super::names;
use super::packages::Packages;

/// The files with constants, each with the folder of its package.
///
/// # Errors
/// A Go type is not an exported identifier, or is of an API version without a package.
pub(super) fn files(catalogue: &Catalogue, packages: &Packages) -> Result<Vec<(String, File)>, Vec<Diagnostic>> {
    let mut modules: BTreeMap<&str, Vec<&Source>> = BTreeMap::new();
    for constant in catalogue.declared_constants() {
        modules.entry(constant.module).or_default().push(constant);
    }
    let (mut files, mut errors) = (Vec::new(), Vec::new());
    for (module, constants) in &modules {
        let Some(own) = package(catalogue, packages, module, constants) else { continue };
        let mut places = vec![own.clone()];
        let exports = catalogue.exported_constants().iter().filter(|export| export.target == *module);
        places.extend(exports.filter_map(|export| packages.of_module(&export.module)).map(str::to_owned));
        places.dedup();
        for place in places {
            let mut file = File { name: file_name(module), types: Vec::new(), constants: Vec::new() };
            for constant in constants {
                if let Err(error) = add(constant, &own, &place, packages, &mut file) {
                    errors.push(error);
                }
            }
            files.push((place, file));
        }
    }
    if errors.is_empty() { Ok(files) } else { Err(errors) }
}

/// The folder of the package of a module with constants: that of the module, or of the API version that lists them.
fn package(catalogue: &Catalogue, packages: &Packages, module: &str, constants: &[&Source]) -> Option<String> {
    let listed = || {
        let lists = |version: &str| {
            let of_version = catalogue.condition_constants().0.get(version);
            of_version.is_some_and(|of_version| constants.iter().any(|constant| of_version.contains_key(constant.name)))
        };
        packages.all().find(|(_, _, version)| lists(version)).map(|(folder, _, _)| folder)
    };
    packages.of_module(module).or_else(listed).map(str::to_owned)
}

fn file_name(module: &str) -> String {
    let last = module.rsplit("::").next().filter(|last| !is_version(last)).unwrap_or("constants");
    format!("{last}_types.go")
}

/// Adds a constant that the package `own` declares to a file of the package `place`, which has an alias of its type if it is another one.
fn add(source: &Source, own: &str, place: &str, packages: &Packages, file: &mut File) -> Result<(), Diagnostic> {
    let mut constant = Constant {
        name: names::constant(source.name),
        description: source.description(),
        kind: None,
        value: source.value.to_owned(),
    };
    let Some(stated) = source.go_type else {
        file.constants.push(constant);
        return Ok(());
    };
    let (version, name) = stated.split_once("::").map_or((None, stated), |(version, name)| (Some(version), name));
    let error =
        |message: String| Diagnostic::error("bindings::go", format!("the constant `{}`: {message}", source.name));
    if !is_go_name(name) {
        return Err(error(format!("its Go type `{stated}` is not an exported Go identifier")));
    }
    let named = |package: &str| GoType::Named { package: package.to_owned(), name: name.to_owned() };
    if let Some(version) = version {
        // In another group, if its own does not have that version.
        let group = own.rsplit_once('/').map_or("", |(group, _)| group);
        let is_near = |folder: &&str| folder.rsplit_once('/').is_some_and(|(of, _)| of == group);
        let folders = || packages.all().filter(|(_, _, of)| *of == version).map(|(folder, _, _)| folder);
        let Some(of) = folders().find(is_near).or_else(|| folders().next()) else {
            return Err(error(format!("its Go type `{stated}` is of an API version without a package")));
        };
        constant.kind = Some(named(of));
        file.constants.push(constant);
        return Ok(());
    }
    constant.kind = Some(named(place));
    match file.types.iter_mut().find(|known| known.name == name) {
        Some(known) => known.constants.push(constant),
        None => file.types.push(Type {
            name: name.to_owned(),
            description: format!("{name} is {}.", of_kind(source.kind)),
            markers: Vec::new(),
            body: if own == place { Body::Defined(GoType::Plain("string")) } else { Body::Alias(named(own)) },
            is_root: false,
            constants: vec![constant],
        }),
    }
    Ok(())
}

const fn of_kind(kind: ConstantKind) -> &'static str {
    match kind {
        ConstantKind::Condition => "a type of conditions",
        ConstantKind::Reason => "a reason of conditions",
        ConstantKind::Constant => "a string with known values",
    }
}
