//! `migrate FILES`: manifests instead of a cluster, by `convert` with the same options.

use std::ffi::OsString;

use clap::{ArgMatches, Command};
use crd_diagnostics::Diagnostic;

use super::{DRY_RUN, JOB, TO, TO_CHANNEL};
use crd_generator::arguments::explicit_root;
use crd_generator::command::Outcome;
use crd_generator::session::Session;
use crd_xtask::command::conversions::CONVERSIONS;
use crd_xtask::command::convert;

/// Converts the objects of files and folders.
pub(super) fn convert_files(files: &[String], matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    if matches.contains_id(JOB) {
        let message = "`--job` is about the objects of a cluster, and a file or folder is named";
        return Err(Diagnostic::error("usage::conflict", message)
            .help("name CRDs, such as `things.example.com`")
            .into());
    }
    let mut arguments = vec![OsString::from("convert")];
    arguments.extend(files.iter().map(OsString::from));
    arguments.push(if matches.get_flag(DRY_RUN) { "--check" } else { "--in-place" }.into());
    let mut option = |name: &str, value: Option<OsString>| {
        arguments.extend(value.into_iter().flat_map(|value| [format!("--{name}").into(), value]));
    };
    option("to", matches.get_one::<OsString>(TO).cloned());
    option("channel", matches.get_one::<String>(TO_CHANNEL).map(OsString::from));
    option(CONVERSIONS, matches.get_one::<OsString>(CONVERSIONS).cloned());
    option("root", explicit_root(matches).map(|root| root.as_os_str().to_owned()));
    let command = (convert::SUBCOMMAND.arguments)(Command::new("convert"), session.program);
    let matches = command.try_get_matches_from(arguments).map_err(|error| {
        let message = error.render().to_string();
        let message = message.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        Diagnostic::error("usage::conflict", message).help("`convert --help` lists what applies to files")
    })?;
    convert::run(None, &matches, session)
}
