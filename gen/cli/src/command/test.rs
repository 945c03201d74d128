//! `test`: suites of objects with the answers that the API must give.

use std::ffi::OsString;

use clap::{ArgAction, ArgMatches, Command, value_parser};
use crd_diagnostics::layout::count;
use crd_generate::{Catalogue, annotated};
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::session::Session;

use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{
    CrdArguments, Format, KUBERNETES, after_help, channel, channel_argument, choice_arguments, crd_arguments,
    crds_in_words, flag, format, kubernetes_argument, minors, option, positional, root_argument, value, values,
};
use crate::testing::coverage::{COVERAGE, LCOV, MIN_COVERAGE};
use crate::testing::mutation::{MIN_SCORE, MUTANT, MUTANTS};
use crate::testing::proposal::{Target, propose};
use crate::testing::report::{print, test_format_argument};
use crate::testing::update::update;
use crate::testing::{Request, coverage, mutation, test};
use crate::validation::Against;

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "test",
    about: "Run suites of objects with the answers that the API must give, without a server",
    group: Group::Objects,
    arguments,
    run: Run::WithDefaults(run),
};

const FILES: &str = "files";
const FILTER: &str = "filter";
const UPDATE: &str = "update";
const WRITE: &str = "write";

fn arguments(command: Command, program: Program) -> Command {
    let against = crds_in_words(program);
    let examples: &[(&str, &str)] = match program {
        Program::Xtask => &[
            ("test", "all suites of the workspace"),
            ("test --filter hostname", "the cases with `hostname` in their name"),
            ("test --update", "after a change that is right"),
            ("test --coverage", "which rules and constraints no case shows"),
        ],
        Program::CrdChannels => &[
            ("test --crds crds", "all suites against the CRDs of a folder"),
            ("test suites --crds crds --format junit", "a report for CI"),
            ("test --bundle v1.6.0 --channel standard", "all suites against a bundle"),
        ],
    };
    command
        .long_about(format!(
            "Run suites: objects, each with the answer that an API server must give. No server is needed: `validate` answers in the same way. \
             {against}\n\n\
             A suite is a file `NAME.suite.yaml`. Its base object is short, and each case edits it by path:\n\n\
             apiVersion: gateway.networking.k8s.io/v1\n\
             kind: GatewayClass\n\
             base: {{ spec: {{ controllerName: example.com/controller }} }}\n\
             cases:\n\
             - name: the name of a controller has a domain\n  \
               set: {{ spec.controllerName: controller }}\n  \
               refused: \"spec.controllerName: Invalid value\"\n\n\
             A case without `refused` must be accepted. `accepted` has values of the stored object by path, `old` makes the case an update, and \
             `status: true` an update of the status. `schema suite` prints the JSON schema. Files of OpenShift's suites are read \
             too. Exits with 1 if a case fails."
        ))
        .arg(
            positional(FILES, "FILES", "Files or folders with suites [default: every suite below the root]")
                .value_parser(value_parser!(OsString))
                .action(ArgAction::Append),
        )
        .args(crd_arguments())
        .args(choice_arguments())
        .arg(channel_argument("The channel of the CRDs [default: every channel]"))
        .arg(kubernetes_argument())
        .arg(option(FILTER, "TEXT", "Run the cases with this text in their name, or in the name of their file"))
        .arg(flag(UPDATE, "Write the answers of today into the files: review the changes"))
        .arg(
            option(WRITE, "PATH", "Write cases for what no case shows to a file, a folder or `-`; with `--mutants` also for mistakes")
                .conflicts_with_all([UPDATE, FILTER]),
        )
        .args(coverage::arguments())
        .args(mutation::arguments())
        .arg(root_argument())
        .arg(test_format_argument())
        .after_help(after_help(program, &[Exit::Fine, Exit::Findings, Exit::Unusable], examples))
}

fn run(catalogue: Option<&Catalogue>, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let Arguments { crds, request, write, coverage, mutation, format } = Arguments::from(matches);
    let root = crds.root.as_deref();
    let request = Request { root, ..request };
    let against = Against::named(&crds, catalogue, session);
    if let Some(path) = write {
        let target = Target { path: path.as_ref(), with_mutants: mutation.is_some() };
        let number = propose(&request, &against?, &crds.choice, &target, session)?;
        session.note(format_args!("{} proposed", count(number, "case")));
        return Ok(Exit::Fine);
    }
    let types = match &against {
        // What is wrong with the types is reported when their CRDs are read.
        Ok(Against::Types(catalogue)) if coverage.is_some() || mutation.is_some() => {
            annotated(catalogue).unwrap_or_default()
        }
        _ => Vec::new(),
    };
    let mut testing = test(&request, against.clone(), &crds.choice, session);
    if let (true, Ok(tested)) = (request.keeps_answers, &testing) {
        let (number, problems) = update(tested, root, session)?;
        session.diagnostics(&problems);
        session.note(format_args!("{} updated; review the changes", count(number, "case")));
        testing = test(&request, against, &crds.choice, session);
    }
    if let Ok(tested) = &mut testing {
        coverage.map_or(Ok(()), |asked| coverage::add(tested, &types, &asked, session))?;
        if let Some(asked) = mutation {
            mutation::add(tested, &types, &asked, session);
        }
    }
    print(testing, format, session)
}

/// Which suites are run, against which CRDs, and what is reported about them.
struct Arguments {
    crds: CrdArguments,
    /// Without the root, which is that of the CRDs.
    request: Request<'static>,
    /// Where cases are written.
    write: Option<String>,
    /// What `--coverage` asks for.
    coverage: Option<coverage::Asked>,
    /// What `--mutants` asks for.
    mutation: Option<mutation::Asked>,
    format: Format,
}

impl From<&ArgMatches> for Arguments {
    fn from(matches: &ArgMatches) -> Self {
        let (minimum, lcov) = (value(matches, MIN_COVERAGE), value(matches, LCOV));
        let is_asked = matches.get_flag(COVERAGE) || minimum.is_some() || lcov.is_some();
        let coverage = is_asked.then(|| coverage::Asked { minimum: minimum.unwrap_or(0.0), lcov });
        let mutation = matches
            .get_flag(MUTANTS)
            .then(|| mutation::Asked { name: value(matches, MUTANT), min_score: value(matches, MIN_SCORE) });
        let (files, filter, write) = (values(matches, FILES), value(matches, FILTER), value(matches, WRITE));
        let is_of_all = files.is_empty() && filter.is_none();
        let request = Request {
            files,
            root: None,
            channel: channel(matches),
            minors: minors(matches),
            are_minors_chosen: matches.contains_id(KUBERNETES),
            filter,
            is_of_all_kinds: (coverage.is_some() || mutation.is_some() || write.is_some()) && is_of_all,
            keeps_answers: matches.get_flag(UPDATE),
        };
        let format = format(matches);
        Self { crds: matches.into(), request, write, coverage, mutation, format }
    }
}
