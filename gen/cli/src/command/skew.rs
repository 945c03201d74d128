//! `skew`: which client works with which bundle and channel, or with a cluster.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, ArgMatches, Command, value_parser};
use crd_diagnostics::json;
use crd_generator::arguments::{
    Format, after_help, channel, channel_argument, format, formats_argument, named_root, option, root_argument, value,
    values,
};
use crd_generator::command::{Group, Outcome, Run, Subcommand};
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::session::Session;
use crd_model::channel::Channel;
use crd_stamps::skew::Verdict;

use crate::inspection::releases;
use crate::skew::{Row, cluster, columns, document, text};

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "skew",
    about: "Report which client works with which bundle and channel, or with a cluster",
    group: Group::Clusters,
    arguments,
    run: Run::WithoutTypes(run),
};

const CLIENT: &str = "client";
const RELEASES: &str = "releases";
const BUNDLE: &str = "bundle";
const CONTEXT: &str = "context";

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
        .arg(formats_argument("How the report is printed", &[
            (Format::Text, "for reading"),
            (Format::Markdown, "a table"),
            (Format::Json, "for programs; `schema skew` prints its JSON schema"),
        ]))
        .arg(root_argument())
        .after_help(after_help(program, &[Exit::Fine, Exit::Findings, Exit::Unusable], &[
            ("skew", "clients of each release, on each release"),
            ("skew --client client.yaml", "a client on each release"),
            ("skew --client client.yaml --bundle v1.7.0 --channel standard", "before an upgrade of the CRDs"),
            ("skew --client client.yaml --context --format json", "in a pod, before the client starts"),
        ]))
}

/// Which clients and bundles are compared.
struct Request {
    client: Option<PathBuf>,
    releases: Vec<OsString>,
    channel: Option<Channel>,
    bundle: Option<String>,
    context: Option<String>,
    format: Format,
    root: Option<PathBuf>,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        Self {
            client: value(matches, CLIENT),
            releases: values(matches, RELEASES),
            channel: channel(matches),
            bundle: value(matches, BUNDLE),
            context: value(matches, CONTEXT),
            format: format(matches),
            root: named_root(matches),
        }
    }
}

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let request = Request::from(matches);
    let client = request.client.as_ref().map(|path| columns::client(path, session)).transpose()?;
    let (channel, bundle) = (request.channel, request.bundle.as_deref());
    let known = releases::known(&request.releases, channel, request.root.as_deref(), session)?;
    let bundles = columns::bundles(&known);
    let (rows, server) = match request.context.as_deref().zip(client.as_ref()) {
        Some((context, client)) => {
            let context = Some(context).filter(|name| !name.is_empty());
            let (cell, server) = cluster::cell(context, client, &bundles, session)?;
            (vec![Row { client: client.clone(), cells: vec![cell] }], Some(server))
        }
        None => (columns::rows(client.as_ref(), &bundles, bundle, channel, session)?, None),
    };
    client.iter().for_each(|client| columns::note_unknown(client, &bundles, session));
    let (lists_all, title) = (bundle.is_some(), if client.is_some() { "" } else { "clients of " });
    match (request.format, &server) {
        (Format::Json, _) => session.print(json::line(&document::report(&rows, server.as_deref()))),
        (_, Some(server)) => session.print(text::cluster(&rows, server)),
        (Format::Markdown, None) => session.print(text::markdown(&rows, lists_all)),
        _ => session.print(text::text(&rows, lists_all, title, session.width)),
    }
    let fails = rows.iter().flat_map(|row| &row.cells).any(|cell| cell.verdict == Verdict::Fails);
    Ok(if fails && (server.is_some() || lists_all) { Exit::Findings } else { Exit::Fine })
}
