//! `skew`: which client works with which bundle and channel, or with a cluster.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, ArgMatches, Command, value_parser};
use crd_diagnostics::json;
use crd_skew::Verdict;

use crate::inspection::releases;
use crate::skew::{Row, cluster, columns, document, text};
use crd_generator::arguments::{after_help, channel, channel_argument, choice, explicit_root, option, root_argument};
use crd_generator::command::{Outcome, Run, Subcommand};
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::session::Session;

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "skew", arguments, run: Run::WithoutTypes(run) };

const CLIENT: &str = "client";
const RELEASES: &str = "releases";
const BUNDLE: &str = "bundle";
const CONTEXT: &str = "context";
const FORMAT: &str = "format";

fn arguments(command: Command, program: Program) -> Command {
    command
        .long_about(
            "Report which client works with which bundle and channel. A client is a program that reads CRDs, such as a controller: its file lists its kinds with \
             the API versions that it reads. Without `--client`, each release and channel is compared as if a client were built for it.\n\n\
             A client works; works without fields that the bundle lacks; skips optional kinds; or fails, because a kind is absent or no API version of it that the client reads is \
             served. Each verdict other than `works` has the release or the channel that causes it. Text and Markdown list the causes of a verdict; with `--bundle`, and in \
             JSON, also those of milder ones.\n\n\
             With `--context`, the client is compared with a cluster, as an init container does before a controller starts. Only GET requests are sent.\n\n\
             With `--context` or `--bundle`, exits with 1 if a client fails.",
        )
        .arg(option(CLIENT, "FILE", "The file of a client: its name, its kinds, and the bundle that it was built for [default: a client of each release and channel]").value_parser(value_parser!(PathBuf)))
        .arg(
            option(RELEASES, "PATH", "A folder or an archive with releases; may be repeated [default: `bundles/` of the workspace]")
                .value_parser(value_parser!(OsString))
                .action(ArgAction::Append),
        )
        .arg(option(BUNDLE, "VERSION", "Only this bundle [default: all releases]"))
        .arg(channel_argument("Only bundles of this channel"))
        .arg(
            option(CONTEXT, "NAME", "Compare with the cluster of this context; without a name, of the current one, or of the pod")
                .num_args(0..=1)
                .default_missing_value("")
                .requires(CLIENT)
                .conflicts_with_all([BUNDLE, crd_generator::arguments::CHANNEL]),
        )
        .arg(choice(FORMAT, "FORMAT", "text", "How the report is printed", [
            ("text", "for reading"),
            ("markdown", "a table"),
            ("json", "for programs; its schema is gen/cli/schemas/skew.json"),
        ]))
        .arg(root_argument())
        .after_help(after_help(program, &[Exit::Fine, Exit::Findings, Exit::Unusable], &[
            ("skew", "clients of each release, on each release"),
            ("skew --client client.yaml", "a client on each release"),
            ("skew --client client.yaml --bundle v1.7.0 --channel standard", "before an upgrade of the CRDs"),
            ("skew --client client.yaml --context --format json", "in a pod, before the client starts"),
        ]))
}

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let value = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let client = matches.get_one::<PathBuf>(CLIENT).map(|path| columns::client(path, session)).transpose()?;
    let named = matches.get_many::<OsString>(RELEASES).into_iter().flatten().cloned().collect::<Vec<_>>();
    let bundles = columns::bundles(&releases::known(&named, channel(matches), explicit_root(matches), session)?);
    let (rows, server) = match value(CONTEXT).zip(client.as_ref()) {
        Some((context, client)) => {
            let context = Some(context).filter(|name| !name.is_empty());
            let (cell, server) = cluster::cell(context, client, &bundles, session)?;
            (vec![Row { client: client.clone(), cells: vec![cell] }], Some(server))
        }
        None => (columns::rows(client.as_ref(), &bundles, value(BUNDLE), channel(matches), session)?, None),
    };
    client.iter().for_each(|client| columns::note_unknown(client, &bundles, session));
    let (lists_all, title) = (value(BUNDLE).is_some(), if client.is_some() { "" } else { "clients of " });
    match (value(FORMAT), &server) {
        (Some("json"), _) => session.print(json::line(&document::report(&rows, server.as_deref()))),
        (_, Some(server)) => session.print(text::cluster(&rows, server)),
        (Some("markdown"), None) => session.print(text::markdown(&rows, lists_all)),
        _ => session.print(text::text(&rows, lists_all, title, session.width)),
    }
    let fails = rows.iter().flat_map(|row| &row.cells).any(|cell| cell.verdict == Verdict::Fails);
    Ok(if fails && (server.is_some() || lists_all) { Exit::Findings } else { Exit::Fine })
}
