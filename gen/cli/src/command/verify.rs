//! `verify`: checksums, signatures and provenance of what was published.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{ArgMatches, Command, value_parser};
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::session::{ChartOptions, Session, WorkingFolder};
use crd_model::yaml::SharedSchemas;

use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{Format, after_help, format, format_argument, option, positional, value};
use crate::key_file;
use crate::verification::report::print;
use crate::verification::verify;

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "verify",
    about: "Check checksums, signatures and provenance of what was published",
    group: Group::Published,
    arguments,
    run: Run::WithoutTypes(run),
};

const PATH: &str = "path";
const KEY: &str = "key";
const BUNDLE: &str = "bundle";

fn arguments(command: Command, program: Program) -> Command {
    command
        .long_about(
            "Check that published files are complete, unchanged, and signed with a key. PATH is one of:\n\
             * a file: its signature, in `PATH.sigstore.json`, `signatures/NAME.sigstore.json`, or `--bundle`, and its line of SHA256SUMS\n\
             * a `dist` folder: SHA256SUMS, the signature of each file, the provenance, and the OCI layout in `oci`\n\
             * a bundle such as `bundles/v1.7.0`: its files, and the manifests of earlier bundles next to it, against `bundle.yaml`\n\
             * an OCI layout: each blob and manifest, the signature and provenance of each artefact, and its CRDs against `bundle.yaml`\n\n\
             Without `--key`, everything except for signatures is checked, and the signatures that exist are listed as not checked. With it, \
             what has no signature is an error. Exits with 1 if anything is not as it was published.",
        )
        .arg(positional(PATH, "PATH", "A file, `dist`, a bundle, or an OCI layout").required(true).value_parser(value_parser!(PathBuf)))
        .arg(option(KEY, "PUBLIC", "The file of the public key: ECDSA P-256 in PEM").value_parser(value_parser!(PathBuf)))
        .arg(option(BUNDLE, "FILE", "The Sigstore bundle of one file").value_parser(value_parser!(PathBuf)))
        .arg(format_argument())
        .after_help(after_help(program, &[Exit::Fine, Exit::Findings, Exit::Unusable], &[
            ("verify dist --key release.pub", "a release"),
            ("verify standard-install.yaml --key release.pub", "one file, with its signature next to it"),
            ("verify dist/oci --key release.pub", "an OCI layout"),
            ("verify bundles/v1.7.0", "a bundle, and those before it"),
        ]))
}

/// What is verified, with which key.
struct Request {
    path: Option<PathBuf>,
    key: Option<PathBuf>,
    bundle: Option<PathBuf>,
    format: Format,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        let [path, key, bundle] = [PATH, KEY, BUNDLE].map(|name| value(matches, name));
        Self { path, key, bundle, format: format(matches) }
    }
}

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let request = Request::from(matches);
    let folder = session.folder.clone();
    let named = |path: &Option<PathBuf>| path.as_ref().map(|path| folder.join(path));
    // clap requires the path.
    let path = named(&request.path).unwrap_or_default();
    let shown = session.shown(&path).display().to_string();
    session.begin(format_args!("verifying `{shown}`"));
    let program = session.program;
    let (schemas, repositories, charts) = (&SharedSchemas::default(), &Arc::default(), &ChartOptions::default());
    let from = WorkingFolder { path: &folder, program, sources: &[], charts, schemas, repositories };
    let key = named(&request.key).map(|path| key_file::public(&path)).transpose();
    let result = key.and_then(|key| verify(&path, named(&request.bundle).as_deref(), key, from));
    print(&shown, result.map_err(Into::into), request.format, session)
}
