//! `migrate FILES`: manifests instead of a cluster, by `convert` with the same options.

use std::ffi::OsString;

use clap::Command;
use crd_diagnostics::Diagnostic;
use crd_generator::command::Outcome;
use crd_generator::session::Session;

use super::Request;
use crate::command::conversions::CONVERSIONS;
use crate::command::convert;

/// Converts the objects of files and folders.
pub(super) fn convert_files(request: &Request, session: &mut Session<'_>) -> Outcome {
    if request.shards.is_some() {
        let message = "`--job` is about the objects of a cluster, and a file or folder is named";
        return Err(Diagnostic::error("usage::conflict", message)
            .help("name CRDs, such as `things.example.com`")
            .into());
    }
    let mut arguments = vec![OsString::from("convert")];
    arguments.extend(request.names.iter().map(OsString::from));
    arguments.push(if request.settings.is_dry_run { "--check" } else { "--in-place" }.into());
    let mut option = |name: &str, value: Option<OsString>| {
        arguments.extend(value.into_iter().flat_map(|value| [format!("--{name}").into(), value]));
    };
    option("to", request.to.clone());
    option("channel", request.channel.map(|channel| channel.name().into()));
    option(CONVERSIONS, request.conversions.clone());
    option("root", request.root.clone().map(OsString::from));
    let command = (convert::SUBCOMMAND.arguments)(Command::new("convert"), session.program);
    let matches = command.try_get_matches_from(arguments).map_err(|error| {
        let message = error.render().to_string();
        let message = message.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        Diagnostic::error("usage::conflict", message).help("`convert --help` lists what applies to files")
    })?;
    convert::run(None, &matches, session)
}
