//! `fit`: CRDs that are too large for their installer lose descriptions.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command, value_parser};
use crd_bundle::published::choice::Choice;
use crd_diagnostics::layout::count;
use crd_diagnostics::{Diagnostic, json};
use crd_generator::exit::Exit;
use crd_generator::generated_tree::{GeneratedTree, Owned};
use crd_generator::program::Program;
use crd_generator::session::Session;
use crd_model::fit::FOREIGN;

use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{
    Format, after_help, bundle_choice, choice_arguments, format, format_argument, option, positional, value, values,
};
use crate::fitting::{Fitting, Installer, fitted};
use crate::source::published;

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "fit",
    about: "Remove descriptions from CRDs that are too large for their installer",
    group: Group::Crds,
    arguments,
    run: Run::WithoutTypes(run),
};

const PATHS: &str = "paths";
const LIMIT: &str = "limit";
const OUT: &str = "out";
const SUBTREES: &str = "subtrees";

/// Standard output as the value of `--out`.
const STANDARD_OUTPUT: &str = "-";

fn arguments(command: Command, program: Program) -> Command {
    let foreign = FOREIGN.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    command
        .long_about(format!(
            "Remove descriptions from CRDs that are too large for their installer, until they fit. Nothing else changes, which is checked.\n\n\
             The deepest descriptions in types of Kubernetes are removed first, then the deepest of the project; of one depth, the longest first. A \
             node has a type of Kubernetes if it has the fields of one of these: {foreign}.\n\n\
             `apply`: `kubectl apply` without `--server-side` copies a CRD into an annotation, and 262,144 bytes of annotations are allowed. `helm`: Helm stores a chart \
             compressed in a Secret of 1 MiB; all CRDs of a channel are one chart, in its `templates/`. A number: so many bytes of YAML.\n\n\
             Exits with 1 if something does not fit without any description, and writes nothing. The heaviest subtrees show why."
        ))
        .arg(
            positional(PATHS, "CRDS", "CRDs: a folder, a file, an archive, `git:REF:PATH`, or `-` for standard input")
                .num_args(1..)
                .required(true)
                .value_parser(value_parser!(OsString)),
        )
        .arg(
            option(LIMIT, "LIMIT", "What has to fit: `apply`, `helm` or a number of bytes")
                .default_value("apply")
                .value_parser(|text: &str| text.parse::<Installer>()),
        )
        .arg(
            option(OUT, "DIR", "Write the CRDs into this folder, one file each, or with `-` to standard output [default: report only]")
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(
            option(SUBTREES, "NUMBER", "How many of the heaviest subtrees are listed for each CRD that is too large")
                .default_value("10")
                .value_parser(value_parser!(usize)),
        )
        .args(choice_arguments())
        .arg(format_argument())
        .after_help(after_help(program, &[Exit::Fine, Exit::Findings, Exit::Unusable], &[
            ("fit config/crd", "which CRDs `kubectl apply` takes only after fitting"),
            ("fit config/crd --out config/crd", "in place, after controller-gen"),
            ("fit install.yaml --out - > lean.yaml", "one file with all CRDs"),
            ("fit config/crd --limit helm --out chart/templates", "for a chart"),
        ]))
}

/// What is fitted into which limit, and where it is written.
struct Request {
    paths: Vec<OsString>,
    installer: Installer,
    out: Option<PathBuf>,
    subtrees: usize,
    choice: Choice,
    format: Format,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        Self {
            paths: values(matches, PATHS),
            // Both have a default.
            installer: value(matches, LIMIT).unwrap_or(Installer::Helm),
            subtrees: value(matches, SUBTREES).unwrap_or_default(),
            out: value(matches, OUT),
            choice: bundle_choice(matches),
            format: format(matches),
        }
    }
}

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let request = Request::from(matches);
    let mut warnings = Vec::new();
    let result = fit(&request, &mut warnings, session);
    let exit = match &result {
        Err(_) => Exit::Unusable,
        Ok((fitting, _)) if !fitting.fits() => Exit::Findings,
        Ok(_) => Exit::Fine,
    };
    if request.format == Format::Json {
        let warnings = warnings.iter().map(|warning| session.relative(warning)).collect();
        let errors = session.errors(&result);
        let (mut document, tree) =
            result.as_ref().map(|(fitting, tree)| (fitting.document(), tree.as_ref())).unwrap_or_default();
        document.output = tree.map(|tree| tree.document(tree.folder.display().to_string(), false));
        (document.warnings, document.errors) = (warnings, errors);
        session.print(json::line(&document));
        return Ok(exit);
    }
    session.diagnostics(&warnings);
    let (fitting, tree) = result?;
    let report = fitting.text();
    match request.out {
        Some(out) if out == Path::new(STANDARD_OUTPUT) => {
            session.print_err(report);
            let files = fitting.files.values().filter(|_| exit == Exit::Fine);
            files.for_each(|file| session.print_unchanged(&file.text));
        }
        out => {
            session.print(report);
            if let (Some(tree), Some(out)) = (tree, out) {
                let files = count(tree.files, "file");
                session.print(format_args!("{}: {files}, {} written\n", out.display(), tree.changed.len()));
            }
        }
    }
    Ok(exit)
}

/// Fits the CRDs, and writes them to a folder.
fn fit(
    request: &Request,
    warnings: &mut Vec<Diagnostic>,
    session: &mut Session<'_>,
) -> Result<(Fitting, Option<GeneratedTree>), Vec<Diagnostic>> {
    let Request { paths, installer, out, subtrees, choice, format } = request;
    let out = out.as_deref();
    if *format == Format::Json && out == Some(Path::new(STANDARD_OUTPUT)) {
        let error = Diagnostic::error("usage::conflict", "standard output has the report with `--format json`");
        return Err(error.help("name a folder with `--out`").into());
    }
    session.begin("reading the CRDs");
    let mut published = choice.all_used(published(paths, choice, session))?;
    warnings.append(&mut published.warnings);
    session.begin("fitting the CRDs");
    let fitting = fitted(published, *installer, *subtrees)?;
    let Some(out) = out.filter(|out| *out != Path::new(STANDARD_OUTPUT) && fitting.fits()) else {
        return Ok((fitting, None));
    };
    let folder = session.folder.join(out);
    let files = fitting.files.iter().map(|(path, file)| (path.clone(), file.text.clone())).collect();
    // A file of the same CRD is replaced.
    let is_own = |path: &str, old: &[u8]| {
        let name = fitting.files.get(path).map(|file| format!("name: {}", file.crd.name));
        let old = String::from_utf8_lossy(old);
        old.contains("kind: CustomResourceDefinition") && name.is_some_and(|name| old.contains(&name))
    };
    let owned = Owned { candidates: BTreeSet::new(), is_own: &is_own };
    let tree = GeneratedTree::compare(folder.clone(), &folder, files, &owned, false)?;
    session.begin(format_args!("writing {}", out.display()));
    tree.write(&folder, session)?;
    Ok((fitting, Some(tree)))
}
