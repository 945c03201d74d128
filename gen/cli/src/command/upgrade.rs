//! `upgrade`: what an upgrade of a chart or of CRDs breaks, before it runs.

use std::ffi::OsString;

use clap::{ArgAction, ArgMatches, Command, value_parser};
use crd_diagnostics::sarif::Run as SarifRun;
use crd_diagnostics::{Diagnostic, github, json, page};
use crd_generator::arguments::{
    Format, VERBOSE, after_help, channel, channel_argument, chart_arguments, flag, format, formats_argument, option,
    positional, value, values,
};
use crd_generator::command::{Group, Outcome, Run, Subcommand};
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::session::Session;
use crd_upgrade::inspect::{PAGES, Redaction};
use serde_json::Value;

use crate::inspection::output;
use crate::inspection::spool::Spool;
use crate::upgrade::{Installed, Outlook, Upgrade, document, foresee, text};

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "upgrade",
    about: "Show what an upgrade of a chart or of CRDs breaks, before it runs",
    group: Group::Clusters,
    arguments,
    run: Run::WithoutTypes(run),
};

const FROM: &str = "from";
const TO: &str = "to";
const CONTEXT: &str = "context";
const RELEASE: &str = "release";
const OBJECTS: &str = "objects";
const REDACT: &str = "redact";

fn arguments(command: Command, program: Program) -> Command {
    let path = |name: &'static str, value: &'static str, help: &'static str| {
        option(name, value, help).value_parser(value_parser!(OsString))
    };
    command
        .long_about(
            "Show what an upgrade of a chart or of CRDs breaks, before it runs: which CRDs stay stale, change, are overwritten or are deleted, by the program that installs \
             them; which objects the server refuses then, which values are lost, and which owners lose items; which admission policies refuse the CRDs; and the commands, in their order.\n\n\
             The old CRDs and the objects are in files, or in a cluster, of which GET requests read them. A source is a chart (a folder, a `.tgz`, `oci://…`, \
             `chart:NAME@VERSION` with `--repo`), or CRDs as for `diff`. With `--release`, the chart and the values are those of the release, and `--to` can be a version.\n\n\
             Exits with 1 if something breaks. That a CRD stays stale is a fact, and no finding.",
        )
        .arg(path(FROM, "SOURCE", "The old CRDs").required_unless_present_any([CONTEXT, RELEASE]).conflicts_with_all([CONTEXT, RELEASE]))
        .arg(path(TO, "SOURCE", "The new CRDs; with `--release` also a version of its chart").required(true))
        .arg(
            positional(OBJECTS, "FILE", "Files or folders with objects, as `kubectl get --output yaml --show-managed-fields` writes them")
                .value_parser(value_parser!(OsString))
                .action(ArgAction::Append)
                .num_args(0..)
                .requires(FROM),
        )
        .arg(option(CONTEXT, "NAME", "The context of the kubeconfig whose cluster has the old CRDs and the objects"))
        .arg(option(RELEASE, "NAMESPACE/NAME", "A release of Helm in the cluster").value_parser(release))
        .arg(channel_argument("The channel of CRDs without a channel stamp"))
        .args(chart_arguments())
        .arg(flag(REDACT, "Leave out names and values of objects"))
        .arg(flag(VERBOSE, "Print also notes, and the ClusterRole with the rights that the command needs").short('v'))
        .arg(formats_argument("How the result is printed", &[
            (Format::Text, "for reading"),
            (Format::Json, "for programs, with every object; `schema upgrade` prints its JSON schema"),
            (Format::Github, "annotations in a workflow of GitHub"),
            (Format::Sarif, "SARIF 2.1.0, for code scanning"),
            (Format::Markdown, "a comment on a pull request"),
        ]))
        .after_help(after_help(program, &[Exit::Fine, Exit::Findings, Exit::Unusable], &[
            ("upgrade --from grafana-8.5.0.tgz --to grafana-9.0.0.tgz objects.yaml", "two charts, and the objects of a cluster in a file"),
            ("upgrade --context staging --release monitoring/grafana --to 9.0.0 --repo https://charts.example.com", "a release of Helm in a cluster"),
            ("upgrade --context staging --to new-crds/ --redact", "CRDs in files, without the names of objects"),
        ]))
}

/// The namespace and the name of a release.
fn release(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('/').filter(|(namespace, name)| !namespace.is_empty() && !name.is_empty());
    parts.map(|(namespace, name)| (namespace.to_owned(), name.to_owned())).ok_or("write `NAMESPACE/NAME`".to_owned())
}

/// What is asked, and how the answer is printed.
struct Request {
    upgrade: Upgrade,
    format: Format,
    is_verbose: bool,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        let installed = match value(matches, FROM) {
            Some(from) => Installed::Files { from, objects: values(matches, OBJECTS) },
            None => Installed::Cluster(value(matches, CONTEXT)),
        };
        let upgrade = Upgrade {
            installed,
            release: value(matches, RELEASE),
            // clap requires it.
            to: value(matches, TO).unwrap_or_default(),
            channel: channel(matches),
            redaction: if matches.get_flag(REDACT) { Redaction::Names } else { Redaction::None },
        };
        Self { upgrade, format: format(matches), is_verbose: matches.get_flag(VERBOSE) }
    }
}

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let Request { upgrade, format, is_verbose } = Request::from(matches);
    let mut spool = Spool::new()?;
    let outlook = foresee(&upgrade, &mut spool, session)?;
    print(&outlook, spool, format, is_verbose, session)?;
    Ok(match () {
        () if !outlook.report.failures.is_empty() => Exit::Unusable,
        () if outlook.has_findings() => Exit::Findings,
        () => Exit::Fine,
    })
}

fn print(
    outlook: &Outlook,
    spool: Spool,
    format: Format,
    is_verbose: bool,
    session: &mut Session<'_>,
) -> Result<(), Diagnostic> {
    let report = &outlook.report;
    match format {
        Format::Json => return output::print_document(&json::line(&document::document(outlook)), spool, session),
        Format::Github => {
            report.findings().for_each(|finding| session.print_unchanged(&github::about_crd(finding, None)));
            report.failures.iter().for_each(|failure| session.print_unchanged(&github::annotation(failure)));
        }
        Format::Sarif => {
            let mut run = SarifRun::of_pages(page::pages(PAGES));
            for finding in report.findings() {
                let crd = finding.location.crd.clone().unwrap_or_default();
                run.result(finding, &[finding.code, &crd.name, &crd.path], Value::Null);
            }
            let failures = report.failures.iter().map(|failure| (failure.severity, failure.message.clone()));
            session.print(json::line(&run.log(report.failures.is_empty(), &failures.collect::<Vec<_>>(), Value::Null)));
        }
        Format::Markdown => session.print(text::markdown(outlook)),
        _ => {
            session.diagnostics(&report.failures);
            session.print(text::text(outlook, session.width, is_verbose));
        }
    }
    Ok(())
}
