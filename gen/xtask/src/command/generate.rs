//! `generate` of the full program: once, or after each save.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::ArgMatches;
use crd_generate::Catalogue;
use crd_generator::command::generate::{WATCH, arguments, run};

use super::{Outcome, Run, Subcommand};
use crate::arguments::{CHANNEL, FORMAT, ROOT, VERBOSE, channel, explicit_root};
use crate::session::Session;
use crate::settings::types;
use crate::watch::Watch;

pub(super) const SUBCOMMAND: Subcommand =
    Subcommand { name: "generate", arguments, run: Run::WithDefaults(once_or_watch) };

fn once_or_watch(catalogue: Option<&Catalogue>, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    if !matches.get_flag(WATCH) {
        return run(catalogue, matches, session);
    }
    let (root, folders) = types(explicit_root(matches), session)?;
    let of_root = explicit_root(matches).map(|root| [option(ROOT), root.into()]);
    let out = matches.get_one::<PathBuf>("out").map(|out| [option("out"), out.into()]);
    let of_channel = channel(matches).map(|channel| [option(CHANNEL), channel.name().into()]);
    let flags = ["no-read-back", VERBOSE, "quiet"].into_iter().filter(|flag| matches.get_flag(flag)).map(option);
    let given = of_root.iter().chain(&out).chain(&of_channel).flatten().cloned();
    let generate = std::iter::once("generate".into()).chain(given).chain(flags).collect();
    let check = ["check".into(), option("source"), option(FORMAT), "json".into()];
    let check = check.into_iter().chain(of_root.into_iter().flatten()).collect();
    Ok(Watch { root: &root, folders, generate, check }.run(session)?)
}

fn option(name: &str) -> OsString {
    format!("--{name}").into()
}
