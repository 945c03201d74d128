//! `bindings go`: a Go module with the types, from the types themselves or from published CRDs.

use clap::Command;
use crd_diagnostics::Diagnostic;
use crd_generate::settings::{FILE_NAME, GoModule};
use crd_markers::names::is_go_module;
use crd_model::{Channel, CustomResourceDefinition};
use crd_source::Published;

use super::Binding;
use crate::arguments::option;
use crate::go_module;
use crate::types_of_crds::types_of;

const MODULE: &str = "module";

pub(super) const BINDING: Binding = Binding {
    name: "go",
    about: "Write a Go module with the types",
    long_about: "Write a Go module: a package for each API version, with types, constants, deep copies and registration. It needs apimachinery only, \
                 and controller-gen, client-gen and applyconfiguration-gen read it.\n\n\
                 Without `--channel`, it has the elements of all channels, and comments name the channel of those that are experimental. From \
                 published CRDs, names follow from the paths of fields. Files that do not begin as generated ones do are never replaced or removed.",
    folder: "go",
    arguments: |command: Command| {
        command.arg(
            option(MODULE, "PATH", "The path of the module [default: `go.module` of the settings]").value_parser(
                |text: &str| {
                    if is_go_module(text) { Ok(text.to_owned()) } else { Err("write a path such as example.com/api") }
                },
            ),
        )
    },
    tree: |input, matches, folder, session| {
        let settings = || {
            input.go.clone().ok_or_else(|| {
                Diagnostic::error("usage::missing", "the path of the module is missing").help(format!(
                    "write `--module example.com/api`, or `go: {{module: example.com/api}}` into `{FILE_NAME}`"
                ))
            })
        };
        let module = match matches.get_one::<String>(MODULE).cloned() {
            Some(module) => GoModule { module, ..input.go.clone().unwrap_or_default() },
            None => settings()?,
        };
        let files = match &input.types {
            Some(types) => go_module::files(types, &module, input.only)?,
            None => {
                let crds = |channel| {
                    let crds = input.channels.get(&channel)?.iter();
                    Some(crds.map(|crd| CustomResourceDefinition::clone(crd)).collect::<Vec<_>>())
                };
                let published = match (crds(Channel::Standard), crds(Channel::Experimental)) {
                    (Some(standard), Some(experimental)) => Published::two_channels(standard, experimental),
                    (one, other) => Published::one_channel(one.or(other).unwrap_or_default()),
                };
                let (types, differences) = types_of(published)?;
                for difference in differences {
                    session.note(format_args!("not in the types: {difference}"));
                }
                go_module::files(&types, &module, None)?
            }
        };
        go_module::tree(folder.clone(), &folder, files, input.is_check)
    },
    examples: &[
        ("bindings go", "write the module of the settings to `go`"),
        ("bindings go --channel standard --out go-standard", "without experimental elements"),
        ("bindings go --crds config/crd --module example.com/api", "of published CRDs"),
    ],
};
