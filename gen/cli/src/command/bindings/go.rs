//! `bindings go`: a Go module with the types, from the types themselves or from published CRDs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Command, value_parser};
use crd_bindings::go::places::{FILE_NAME, Names, Places};
use crd_bundle::Release;
use crd_bundle::published::schema_path;
use crd_diagnostics::Diagnostic;
use crd_generate::settings::{self, GoModule};
use crd_generator::go_module;
use crd_generator::session::Session;
use crd_model::{Channel, CustomResourceDefinition};
use crd_names::wire::{is_go_module, is_go_name};
use crd_source::importer::Published;

use super::Binding;
use super::input::{CRDS, Input};
use crate::arguments::option;
use crate::types_of_crds::TypesOfCrds;

pub(super) const MODULE: &str = "module";
pub(super) const NAMES: &str = "names";

pub(super) const BINDING: Binding = Binding {
    name: "go",
    about: "Write a Go module with the types",
    long_about: "Write a Go module: a package for each API version, with types, constants, deep copies and registration. It needs apimachinery only, \
                 and controller-gen, client-gen and applyconfiguration-gen read it.\n\n\
                 Without `--channel`, it has the elements of all channels, and comments name the channel of those that are experimental. From \
                 published CRDs, names follow from the paths of fields, and `go-names.json` in the module records them, so that they never change. Files \
                 that do not begin as generated ones do are never replaced or removed.",
    folder: "go",
    arguments: |command: Command| {
        command
            .arg(option(MODULE, "PATH", "The path of the module [default: `go.module` of the settings]").value_parser(
                |text: &str| {
                    if is_go_module(text) { Ok(text.to_owned()) } else { Err("write a path such as example.com/api") }
                },
            ))
            .arg(
                option(NAMES, "FILE", "Names of types, fields and values, in the form of `go-names.json`")
                    .requires(CRDS)
                    .value_parser(value_parser!(PathBuf)),
            )
    },
    tree: |input, request, folder, session| {
        let settings = || {
            input.go.clone().ok_or_else(|| {
                Diagnostic::error("usage::missing", "the path of the module is missing").help(format!(
                    "write `--module example.com/api`, or `go: {{module: example.com/api}}` into `{}`",
                    settings::FILE_NAME
                ))
            })
        };
        let module = match request.module.clone() {
            Some(module) => GoModule { module, ..input.go.clone().unwrap_or_default() },
            None => settings()?,
        };
        let files = match &input.types {
            Some(types) => go_module::files(types, &module, input.only, None)?,
            None => of_crds(input, request.names.as_deref(), &module, &folder, session)?,
        };
        if files.keys().all(|path| !path.ends_with(".go")) {
            let error = Diagnostic::error("bindings::go", "the module would be empty: there is no resource for it");
            return Err(empty(error, input).into());
        }
        go_module::tree(folder.clone(), &folder, files, input.is_check)
    },
    examples: &[
        ("bindings go", "write the module of the settings to `go`"),
        ("bindings go --channel standard --out go-standard", "without experimental elements"),
        ("bindings go --crds config/crd --module example.com/api", "of published CRDs"),
    ],
};

/// The files of the module of published CRDs.
fn of_crds(
    input: &Input,
    given: Option<&Path>,
    module: &GoModule,
    folder: &Path,
    session: &mut Session<'_>,
) -> Result<BTreeMap<String, String>, Vec<Diagnostic>> {
    let crds = |channel| {
        let crds = input.channels.get(&channel)?.iter();
        Some(crds.map(|crd| CustomResourceDefinition::clone(crd)).collect::<Vec<_>>())
    };
    let published = match (crds(Channel::Standard), crds(Channel::Experimental)) {
        (Some(standard), Some(experimental)) => Published::two_channels(standard, experimental),
        (one, other) => Published::one_channel(one.or(other).unwrap_or_default()),
    };
    let types = TypesOfCrds::new(published);
    for difference in types.differences() {
        session.note(format_args!("not in the types: {difference}"));
    }
    let recorded = names(&folder.join(FILE_NAME))?;
    let is_recorded = recorded.is_some();
    let mut places = Places { types: types.places(), names: recorded.unwrap_or_default() };
    if let Some(file) = given {
        let file = session.folder.join(file);
        let missing = || crd_generator::file::error("bindings::names", &file, "does not exist");
        for (of, given) in names(&file)?.ok_or_else(missing)? {
            places.names.entry(of).or_default().extend(given);
        }
    }
    let files = types.catalogue().and_then(|catalogue| go_module::files(&catalogue, module, None, Some(&places)));
    let at_crd = |error| at_crd(error, &places, input);
    let files = files.map_err(|errors| errors.into_iter().map(at_crd).collect::<Vec<_>>())?;
    for (path, text) in files.iter().filter(|(path, _)| !is_recorded && path.ends_with("_types.go")) {
        let old = crd_generator::file::existing(&folder.join(path))?.unwrap_or_default();
        let gone = String::from_utf8_lossy(&old);
        let gone = gone.lines().filter(|line| is_declaration(line) && !text.lines().any(|new| new == *line));
        for line in gone.filter_map(|line| line.split('`').next()) {
            session
                .note(format_args!("without `{FILE_NAME}`, `{path}` has no `{}`", line.trim().trim_end_matches(" {")));
        }
    }
    Ok(files)
}

/// Whether a line of a module declares a type, a field or a constant.
fn is_declaration(line: &str) -> bool {
    line.starts_with("type ") || line.starts_with('\t') && (line.contains("`json:") || line.contains(" = \""))
}

/// The names of a file, if it exists.
fn names(file: &Path) -> Result<Option<Names>, Diagnostic> {
    let error = |message: String| crd_generator::file::error("bindings::names", file, message);
    let Some(text) = crd_generator::file::existing(file)? else { return Ok(None) };
    let documents = crd_model::yaml::read(&String::from_utf8_lossy(&text)).map_err(|why| error(why.to_string()))?;
    let names = documents.into_iter().next().unwrap_or_default();
    let names: Names = serde_json::from_value(names).map_err(|why| error(why.to_string()))?;
    match names.values().flatten().find(|(_, name)| !is_go_name(name)) {
        Some((place, name)) => Err(error(format!("`{place}` has the name `{name}`, which Go does not export"))
            .help("write a capital letter, then letters, digits and underscores")),
        None => Ok(Some(names)),
    }
}

/// An error about a type at the place of the type in its CRD.
fn at_crd(mut error: Diagnostic, places: &Places, input: &Input) -> Diagnostic {
    let file = error.location.file.as_ref().map(|file| file.display().to_string()).unwrap_or_default();
    let name = error.location.rust.as_ref().map(|item| item.type_name.clone()).unwrap_or_default();
    let of_file = || places.types.iter().find(|((of, _), place)| *of == file && place.path.is_empty());
    let Some(place) = places.of(&file, &name).or_else(|| of_file().map(|(_, place)| place)) else { return error };
    let Some((name, version)) = place.of.split_once('/') else { return error };
    error.location = Box::default();
    if error.help.as_ref().is_some_and(|help| help.contains("+go:name")) {
        error.help =
            Some(format!("name one with `--names FILE`: {{\"{}\": {{\"type {}\": \"Name\"}}}}", place.of, place.path));
    }
    let path = place.path.replace("[]", "[*]");
    let crds = input.release.iter().flat_map(Release::origins);
    let error = error.of_crd(name, Some(version.to_owned()), path.clone());
    let Some((_, crd, origin)) = crds.into_iter().find(|(_, crd, _)| *crd.name == *name) else { return error };
    let position = origin.places(&[schema_path(crd, version, &path)]).into_iter().next();
    let (line, column) = position.map(|position| (position.line, position.column)).unzip();
    error.at_position(&origin.file, line, column)
}

/// An error about a module without packages, at the first CRD.
fn empty(error: Diagnostic, input: &Input) -> Diagnostic {
    match input.release.iter().flat_map(Release::origins).next() {
        Some((_, crd, origin)) => error.at_line(&origin.file, origin.line).of_crd(&*crd.name, None, ""),
        None => error.help("without `--channel`, the module has the resources of all channels"),
    }
}
