//! `push`: sends the OCI artefacts of a release to a registry.

use clap::{ArgMatches, Command};
use crd_diagnostics::{Diagnostic, json};
use crd_generator::arguments::{Format, after_help, flag, format, format_argument, positional, value};
use crd_generator::command::{Group, Outcome, Run, Subcommand};
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::session::Session;
use crd_model::document::SchemaVersion;
use crd_oci::registry::Pushed;
use serde::Serialize;

use crate::registry::push_layout;

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "push",
    about: "Push the OCI artefacts of a release to a registry",
    group: Group::Published,
    arguments,
    run: Run::WithoutTypes(run),
};

const LAYOUT: &str = "layout";
const REGISTRY: &str = "registry";
const DRY_RUN: &str = "dry-run";

fn arguments(command: Command, program: Program) -> Command {
    command
        .long_about(
            "Push the OCI artefacts of a release to a registry: the bundle and the chart of each channel, with their signatures, SBOM and documents.\n\n\
             Each artefact goes to its own repository below REGISTRY, with the version as tag: `standard:v1.7.0`, `charts/NAME-standard:1.7.0`. What the \
             registry has is not sent again, so an interrupted push continues when it is run again. A tag that exists with other content is an \
             error, and nothing is sent.\n\n\
             Credentials are those of `docker login`, also from credential helpers. Plain HTTP is used for localhost only.",
        )
        .arg(positional(LAYOUT, "LAYOUT", "The folder with the OCI layout, such as `dist/oci`").required(true))
        .arg(positional(REGISTRY, "REGISTRY", "The repository that the artefacts are below, such as `ghcr.io/my-org/my-api`").required(true))
        .arg(flag(DRY_RUN, "Send nothing; print what would be sent"))
        .arg(format_argument())
        .after_help(after_help(program, &[Exit::Fine, Exit::Unusable], &[
            ("push dist/oci ghcr.io/my-org/my-api --dry-run", "compare with the registry"),
            ("push dist/oci ghcr.io/my-org/my-api", "publish a release"),
            ("push dist/oci localhost:5000/test --format json", "to a registry on this machine"),
        ]))
}

/// What is pushed, and where to.
struct Request {
    layout: String,
    registry: String,
    dry_run: bool,
    format: Format,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        let [layout, registry] = [LAYOUT, REGISTRY].map(|name| value(matches, name).unwrap_or_default());
        Self { layout, registry, dry_run: matches.get_flag(DRY_RUN), format: format(matches) }
    }
}

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let Request { layout, registry, dry_run, format } = Request::from(matches);
    let result = push_layout(&layout, &registry, dry_run, session);
    if format == Format::Json {
        let errors = session.errors(&result);
        let exit = if result.is_ok() { Exit::Fine } else { Exit::Unusable };
        let artefacts = result.unwrap_or_default().0;
        session.print(json::line(&Push { schema_version: SchemaVersion, dry_run, artefacts, errors }));
        return Ok(exit);
    }
    session.print(result?.1);
    Ok(Exit::Fine)
}

/// What `push` prints with `--format json`: one document, on one line. Exit code 2: an error.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Push {
    schema_version: SchemaVersion<1>,
    /// Whether nothing was sent.
    dry_run: bool,
    /// The artefacts that the registry has now, or would have. Empty after an error.
    artefacts: Vec<Pushed>,
    /// The errors.
    errors: Vec<Diagnostic>,
}
