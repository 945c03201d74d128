//! `generate` of the full program: once, or after each save.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::ArgMatches;
use crd_generate::Catalogue;
use crd_generator::command::generate::{self, WATCH, run};
use crd_generator::session::Session;
use crd_generator::settings::types;
use crd_model::channel::Channel;

use super::{Outcome, Run, Subcommand};
use crate::arguments::{CHANNEL, FORMAT, ROOT, VERBOSE, channel, named_root, value};
use crate::watch::Watch;

pub(super) const SUBCOMMAND: Subcommand = Subcommand { run: Run::WithDefaults(once_or_watch), ..generate::SUBCOMMAND };

fn once_or_watch(catalogue: Option<&Catalogue>, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    match matches.get_flag(WATCH) {
        true => watch(Request::from(matches), session),
        false => run(catalogue, matches, session),
    }
}

/// The options of each generation.
struct Request {
    root: Option<PathBuf>,
    out: Option<PathBuf>,
    channel: Option<Channel>,
    flags: Vec<&'static str>,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        let flags = ["no-read-back", VERBOSE, "quiet"].into_iter().filter(|flag| matches.get_flag(flag)).collect();
        Self { root: named_root(matches), out: value(matches, "out"), channel: channel(matches), flags }
    }
}

fn watch(Request { root, out, channel, flags }: Request, session: &mut Session<'_>) -> Outcome {
    let of_root = root.as_ref().map(|root| [option(ROOT), root.into()]);
    let source = types(root.as_deref(), session)?;
    let out = out.map(|out| [option("out"), out.into()]);
    let of_channel = channel.map(|channel| [option(CHANNEL), channel.name().into()]);
    let flags = flags.into_iter().map(option);
    let given = of_root.iter().chain(&out).chain(&of_channel).flatten().cloned();
    let generate = std::iter::once("generate".into()).chain(given).chain(flags).collect();
    let check = ["check".into(), option("source"), option(FORMAT), "json".into()];
    let check = check.into_iter().chain(of_root.into_iter().flatten()).collect();
    Ok(Watch { source, generate, check }.run(session)?)
}

fn option(name: &str) -> OsString {
    format!("--{name}").into()
}
