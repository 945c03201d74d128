//! `inspect`: what a cluster holds, and what an upgrade would do to it.

use std::ffi::OsString;

use clap::{ArgAction, ArgMatches, Command, value_parser};
use crd_cluster::{Cluster, Progress, run as run_to_end};
use crd_diagnostics::{Diagnostic, github, json};
use crd_inspect::{ObjectReport, Question, Report, inspect};

use crate::features;
use crate::inspection::dump::{self, Dump};
use crate::inspection::spool::{self, Spool};
use crate::inspection::{document, releases, target, text};
use crate::progress::progress;
use crd_generator::arguments::{
    VERBOSE, after_help, channel, channel_argument, choice, explicit_root, flag, option, root_argument,
};
use crd_generator::command::{Outcome, Run, Subcommand};
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::session::Session;
use crd_xtask::command::conversions::{CONVERSIONS, conversions_argument};

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "inspect", arguments, run: Run::WithoutTypes(run) };

const CONTEXT: &str = "context";
const FROM: &str = "from";
const PREFIX: &str = "prefix";
const RELEASES: &str = "releases";
const TARGET: &str = "target";
const FORMAT: &str = "format";
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
        .arg(path(TARGET, "BUNDLE", "A bundle that may be installed: a known version, a folder, a file, or an archive"))
        .arg(channel_argument("The channel that may be installed [default: the installed one]"))
        .arg(conversions_argument())
        .arg(path(features::OPTION, "FILE", features::HELP))
        .arg(flag(NO_OBJECTS, "Do not read objects").conflicts_with(VERBOSE))
        .arg(flag(VERBOSE, "List every client, and every object about which there is something to report").short('v'))
        .arg(choice(FORMAT, "FORMAT", "text", "How the report is printed", [
            ("text", "for reading"),
            ("json", "for programs, with every object; its schema is gen/cli/schemas/inspection.json"),
            ("github", "annotations in a workflow of GitHub"),
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

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let value = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let root = explicit_root(matches);
    let named = matches.get_many::<OsString>(RELEASES).into_iter().flatten().cloned().collect::<Vec<_>>();
    let known = releases::known(&named, channel(matches), root, session)?;
    let target = target::target(matches.get_one(TARGET), channel(matches), &known, root, session)?;
    let lenses = target::lenses(matches.get_one(CONVERSIONS), root, session)?;
    let lenses = lenses.as_ref().map(|(conversions, _)| conversions);
    let features = features::chosen(matches.get_one(features::OPTION), root, session)?;
    let prefix = value(PREFIX).map(str::to_owned);
    let features = features.as_ref();
    let question =
        Question { prefix, known: &known, lenses, features, target, reads_objects: !matches.get_flag(NO_OBJECTS) };
    let from = matches.get_many::<OsString>(FROM).into_iter().flatten().cloned().collect::<Vec<_>>();
    let dump = dump::read(&from, session)?;
    let mut spool = Spool::new()?;
    let report = read(value(CONTEXT), dump, &question, &mut spool, session)?;
    print(&report, spool, value(FORMAT), matches.get_flag(VERBOSE), session)?;
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

fn print(
    report: &Report,
    spool: Spool,
    format: Option<&str>,
    is_verbose: bool,
    session: &mut Session<'_>,
) -> Result<(), Diagnostic> {
    match format {
        Some("json") => {
            let document = json::line(&document::report(report));
            session.print(document.trim_end().strip_suffix('}').unwrap_or_default());
            session.print(r#","objects":["#);
            for (index, line) in spool.lines()?.enumerate() {
                let separator = if index == 0 { "" } else { "," };
                session.print(format_args!("{separator}{}", line?));
            }
            session.print("]}\n");
        }
        Some("github") => {
            report.findings().for_each(|finding| session.print_unchanged(&github::about_crd(finding, None)));
            report.failures.iter().for_each(|failure| session.print_unchanged(&github::annotation(failure)));
        }
        _ => {
            session.diagnostics(&report.failures);
            session.print(text::report(report, session.width));
            if is_verbose {
                session.print(text::clients(report));
            }
            let mut crd = String::new();
            for line in spool.lines()?.filter(|_| is_verbose) {
                let object = text::object(&spool::value(&line?), &mut crd);
                session.print(object);
            }
        }
    }
    Ok(())
}
