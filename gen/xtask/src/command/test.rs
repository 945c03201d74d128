//! `test`: suites of objects with the answers that the API must give.

use std::ffi::OsString;

use clap::{ArgAction, ArgMatches, Command, value_parser};
use crd_diagnostics::layout::count;
use crd_generate::Catalogue;

use super::{Outcome, Run, Subcommand};
use crate::arguments::{
    BUNDLE, CRDS, KUBERNETES, after_help, bundle_choice, channel, channel_argument, choice_arguments, crd_arguments,
    crds_in_words, explicit_root, flag, kubernetes_argument, minors, option, positional, root_argument,
};
use crate::exit::Exit;
use crate::program::Program;
use crate::session::Session;
use crate::testing::proposal::{Target, propose};
use crate::testing::report::{print, test_format, test_format_argument};
use crate::testing::update::update;
use crate::testing::{Request, coverage, mutation, test};
use crate::validation::Against;

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "test", arguments, run: Run::WithDefaults(run) };

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
             `status: true` an update of the status. gen/suite/schemas/suite.json describes all keys. Files of OpenShift's suites are read \
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
    let paths = |name: &str| matches.get_many::<OsString>(name).into_iter().flatten().cloned().collect::<Vec<_>>();
    let root = explicit_root(matches);
    let request = Request {
        files: paths(FILES),
        root,
        channel: channel(matches),
        minors: minors(matches),
        are_minors_chosen: matches.contains_id(KUBERNETES),
        filter: matches.get_one(FILTER).cloned(),
        is_of_all_kinds: (coverage::is_asked(matches) || mutation::is_asked(matches) || matches.contains_id(WRITE))
            && !matches.contains_id(FILES)
            && !matches.contains_id(FILTER),
        keeps_answers: matches.get_flag(UPDATE),
    };
    let choice = bundle_choice(matches);
    let against = Against::named(matches.get_one(BUNDLE), root, paths(CRDS), catalogue, session);
    if let Some(path) = matches.get_one::<String>(WRITE) {
        let target = Target { path: path.as_ref(), with_mutants: mutation::is_asked(matches) };
        let number = propose(&request, &against?, &choice, &target, session)?;
        session.note(format_args!("{} proposed", count(number, "case")));
        return Ok(Exit::Fine);
    }
    let types = coverage::types(&against, matches);
    let mut testing = test(&request, against, &choice, session);
    if let (true, Ok(tested)) = (matches.get_flag(UPDATE), &testing) {
        let (number, problems) = update(tested, root, session)?;
        session.diagnostics(&problems);
        session.note(format_args!("{} updated; review the changes", count(number, "case")));
        let against = Against::named(matches.get_one(BUNDLE), root, paths(CRDS), catalogue, session);
        testing = test(&request, against, &choice, session);
    }
    if let Ok(tested) = &mut testing {
        coverage::add(tested, &types, matches, session)?;
        mutation::add(tested, &types, matches, session);
    }
    print(testing, test_format(matches), session)
}
