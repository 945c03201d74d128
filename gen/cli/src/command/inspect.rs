//! `inspect`: what a cluster holds, and what an upgrade would do to it.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, ArgMatches, Command, value_parser};
use crd_cluster::{Cluster, Progress, run as run_to_end};
use crd_diagnostics::Diagnostic;
use crd_generator::arguments::{
    Format, VERBOSE, after_help, channel, channel_argument, chart_arguments, flag, format, formats_argument,
    named_root, option, root_argument, value, values,
};
use crd_generator::command::{Group, Outcome, Run, Subcommand};
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::session::Session;
use crd_model::channel::Channel;
use crd_upgrade::inspect::{ObjectReport, Question, Redaction, Report, inspect};

use crate::command::conversions::{CONVERSIONS, conversions_argument};
use crate::features;
use crate::inspection::dump::{self, Dump};
use crate::inspection::spool::Spool;
use crate::inspection::{output, releases, target};
use crate::progress::progress;

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "inspect",
    about: "Report what a cluster holds, and what an upgrade would do to it",
    group: Group::Clusters,
    arguments,
    run: Run::WithoutTypes(run),
};

const CONTEXT: &str = "context";
const FROM: &str = "from";
const PREFIX: &str = "prefix";
const RELEASES: &str = "releases";
const TARGET: &str = "target";
const NO_OBJECTS: &str = "no-objects";

fn arguments(command: Command, program: Program) -> Command {
    let path = |name: &'static str, value_name: &'static str, help: &'static str| {
        option(name, value_name, help).value_parser(value_parser!(OsString))
    };
    command
        .long_about(
            "Report what a cluster holds: the bundle and channel of each CRD, compared with its content; stored versions; who manages the CRDs; \
             admission policies; and for objects, which experimental fields they use, which fields they use that their implementation does not support, \
             which old forms they have, and which clients write them through which API version.\n\n\
             CRDs without stamps are compared by their groups, and recognised by their content among the releases.\n\n\
             With `--target` or `--channel`, also report what the installation of other CRDs would do to each object: refuse it, drop values, or \
             fill in defaults; and which admission policies refuse the CRDs, and what their owners do. The answers of a server are computed; only GET requests \
             are sent, and nothing is changed.\n\n\
             Exits with 1 if there are errors or warnings. Notes are facts, such as the use of experimental fields.",
        )
        .arg(option(CONTEXT, "NAME", "The context of the kubeconfig [default: the current one]"))
        .arg(
            path(FROM, "FILE", "Instead of a cluster: a file or folder with what `kubectl get --output yaml` wrote, CRDs and objects, or `-`; may be repeated")
                .action(ArgAction::Append)
                .conflicts_with(CONTEXT),
        )
        .arg(option(PREFIX, "PREFIX", "The prefix of the API's annotations, such as gateway.networking.k8s.io [default: that of the CRDs with the groups of the target, or the only one of the cluster]"))
        .arg(
            path(RELEASES, "PATH", "A folder or an archive with releases to compare with; may be repeated [default: `bundles/` of the workspace]")
                .action(ArgAction::Append),
        )
        .arg(path(TARGET, "BUNDLE", "A bundle that may be installed: a known version, a folder, a file, an archive, or a chart"))
        .arg(channel_argument("The channel that may be installed [default: the installed one]"))
        .args(chart_arguments())
        .arg(conversions_argument())
        .arg(path(features::OPTION, "FILE", features::HELP))
        .arg(flag(NO_OBJECTS, "Do not read objects").conflicts_with(VERBOSE))
        .arg(flag(VERBOSE, "List every client, and every object about which there is something to report").short('v'))
        .arg(formats_argument("How the report is printed", &[
            (Format::Text, "for reading"),
            (Format::Json, "for programs, with every object; `schema inspection` prints its JSON schema"),
            (Format::Github, "annotations in a workflow of GitHub"),
        ]))
        .arg(root_argument())
        .after_help(after_help(program, &[Exit::Fine, Exit::Findings, Exit::Unusable], &[
            ("inspect", "the cluster of the current context"),
            ("inspect --context staging --target v1.7.0", "before an upgrade"),
            ("inspect --from dump.yaml --target new/", "what new CRDs would do to objects that were written to a file"),
            ("inspect --channel standard --verbose", "what a switch to standard would do to each object"),
            ("inspect --releases releases --format json", "with the releases of a folder, for programs"),
        ]))
}

/// What is reported about which cluster.
struct Request {
    releases: Vec<OsString>,
    channel: Option<Channel>,
    target: Option<OsString>,
    conversions: Option<OsString>,
    features: Option<OsString>,
    prefix: Option<String>,
    reads_objects: bool,
    /// Files with the objects of a cluster.
    from: Vec<OsString>,
    context: Option<String>,
    format: Format,
    is_verbose: bool,
    root: Option<PathBuf>,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        Self {
            releases: values(matches, RELEASES),
            channel: channel(matches),
            target: value(matches, TARGET),
            conversions: value(matches, CONVERSIONS),
            features: value(matches, features::OPTION),
            prefix: value(matches, PREFIX),
            reads_objects: !matches.get_flag(NO_OBJECTS),
            from: values(matches, FROM),
            context: value(matches, CONTEXT),
            format: format(matches),
            is_verbose: matches.get_flag(VERBOSE),
            root: named_root(matches),
        }
    }
}

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let request = Request::from(matches);
    let (root, channel) = (request.root.as_deref(), request.channel);
    let known = releases::known(&request.releases, channel, root, session)?;
    let target = target::target(request.target.as_ref(), channel, &known, root, session)?;
    let lenses = target::lenses(request.conversions.as_ref(), root, session)?;
    let lenses = lenses.as_ref().map(|(conversions, _)| conversions);
    let features = features::chosen(request.features.as_ref(), root, session)?;
    let prefix = request.prefix.clone();
    let features = features.as_ref();
    let (reads_objects, redaction) = (request.reads_objects, Redaction::None);
    let question = Question { prefix, known: &known, lenses, features, target, reads_objects, redaction };
    let dump = dump::read(&request.from, session)?;
    let mut spool = Spool::new()?;
    let report = read(request.context.as_deref(), dump, &question, &mut spool, session)?;
    output::print(&report, spool, request.format, request.is_verbose, session)?;
    Ok(match () {
        () if !report.failures.is_empty() => Exit::Unusable,
        () if report.has_findings() => Exit::Findings,
        () => Exit::Fine,
    })
}

/// Reads the cluster, or what files show of it, and shows the progress of long lists.
fn read(
    context: Option<&str>,
    dump: Option<Dump>,
    question: &Question<'_>,
    spool: &mut Spool,
    session: &Session<'_>,
) -> Result<Report, Diagnostic> {
    session.begin("connecting to the cluster");
    let mut show = progress(session);
    let mut on_progress =
        |crd: &str, Progress { seen, remaining }: Progress| show(&format!("reading {crd}"), seen, remaining);
    let mut on_object = |object: ObjectReport| spool.add(&object);
    run_to_end(async {
        let cluster = match dump {
            Some((name, objects)) => Cluster::of_objects(&name, objects),
            None => Cluster::connect(context).await?,
        };
        session.begin("reading the cluster");
        inspect(&cluster, question, &mut on_object, &mut on_progress).await
    })
}
