//! `migrate`: old versions leave a cluster.

mod files;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{ArgAction, ArgMatches, Command, value_parser};
use crd_cluster::run as run_to_end;
use crd_inspect::KnownBundles;
use crd_migrate::{Options, Settings, Shard};
use crd_model::channel::{CHANNELS, Channel};

use crate::inspection::{releases, target};
use crate::migration::journal::Journal;
use crate::migration::question::Question;
use crate::migration::target::{Named, ReadTarget};
use crate::migration::work::work;
use crd_generator::arguments::{
    Format, after_help, choice, explicit_root, flag, format, format_argument, option, positional, root_argument,
};
use crd_generator::command::{Outcome, Run, Subcommand};
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::session::Session;
use crd_xtask::command::conversions::{CONVERSIONS, conversions_argument};
use files::convert_files;

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "migrate", arguments, run: Run::WithoutTypes(run) };

const RESOURCES: &str = "resources";
const CONTEXT: &str = "context";
const PREFIX: &str = "prefix";
const DRY_RUN: &str = "dry-run";
const YES: &str = "yes";
const SHARD: &str = "shard";
const RATE: &str = "rate";
const AT_ONCE: &str = "at-once";
const UNSERVE: &str = "unserve";
const SERVE: &str = "serve";
const TO: &str = "to";
const TO_CHANNEL: &str = "to-channel";
const ROLLBACK: &str = "rollback";
const DROP: &str = "drop";
const DELETE_REPLACED: &str = "delete-replaced";
const REMOVED_FIELDS: &str = "removed-fields";
const JOURNAL: &str = "journal";
const WITH: &str = "with";
const RELEASES: &str = "releases";

#[expect(clippy::too_many_lines, reason = "a list of arguments")]
fn arguments(command: Command, program: Program) -> Command {
    command
        .long_about(
            "Store every object of a resource in the storage version of its CRD, and then remove the other versions from \
             `status.storedVersions`. After that, a CRD without these versions can be installed.\n\n\
             With `--to`, bring CRDs and objects to a bundle: objects of older forms are converted by the lenses of the API while a transitional \
             CRD is installed, which has the fields of both sides. Values that standard does not have stay in an annotation, and return on the \
             way to experimental. A value that nothing declares as lost is never dropped: its object is reported, and the migration waits. Until \
             the CRD of the target is installed, `--rollback` takes everything back. Objects of replaced resources get successors.\n\n\
             The plan is shown first, and a person confirms it. Each object is written as it is. A write has the UID and the resourceVersion \
             that were read, so that a deleted object does not return, and a change of another client is not overwritten. Objects that are \
             being deleted are left alone. While one of them exists, or if the CRD changes meanwhile, `status.storedVersions` stays as it is. A \
             run can be stopped at any time; the next run completes it.\n\n\
             Exits with 1 if something remains to be done.",
        )
        .arg(
            positional(RESOURCES, "RESOURCE", "CRDs, by name, plural or kind [default: all of the API]; or files and folders, whose objects are converted as by `convert --in-place`")
                .action(ArgAction::Append),
        )
        .arg(option(CONTEXT, "NAME", "The context of the kubeconfig [default: the current one]"))
        .arg(option(PREFIX, "PREFIX", "The prefix of the API's annotations, such as gateway.networking.k8s.io [default: the only one of the cluster]"))
        .arg(
            option(TO, "BUNDLE", "The bundle whose CRDs are installed: a version in `bundles/`, a folder, a file, or an archive")
                .value_parser(value_parser!(OsString))
                .conflicts_with_all([UNSERVE, SERVE, ROLLBACK]),
        )
        .arg(
            option(TO_CHANNEL, "CHANNEL", "The channel of the bundle [default: the installed one]")
                .value_parser(PossibleValuesParser::new(CHANNELS.iter().map(|row| row.name)))
                .requires(TO),
        )
        .arg(flag(ROLLBACK, "Take back what a run with `--to` has begun").conflicts_with_all([UNSERVE, SERVE, SHARD]))
        .arg(
            option(DROP, "PATH", "Permit the loss of the values of a field, such as spec.listeners.tls; may be repeated")
                .action(ArgAction::Append)
                .requires(TO),
        )
        .arg(flag(DELETE_REPLACED, "Delete objects of replaced resources that are equal to their successors").requires(TO))
        .arg(flag(REMOVED_FIELDS, "Also look for values of removed fields where the CRD of the target is installed already").requires(TO))
        .arg(
            option(JOURNAL, "FILE", "Write each object to this file before it is converted, as a line of JSON")
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(
            option(RELEASES, "PATH", "A folder or an archive with earlier releases, whose forms objects can have; may be repeated [default: `bundles/` of the workspace]")
                .value_parser(value_parser!(OsString))
                .action(ArgAction::Append),
        )
        .arg(conversions_argument())
        .arg(root_argument())
        .arg(flag(DRY_RUN, "Ask the server for each write, and change nothing"))
        .arg(flag(YES, "Do not ask for confirmation").short('y'))
        .arg(
            option(SHARD, "I/N", "Write only part I of N of the objects, for several runs at once; the last one completes the migration")
                .value_parser(value_parser!(Shard)),
        )
        .arg(
            option(RATE, "NUMBER", "The most writes in a second")
                .value_parser(value_parser!(u32).range(1..))
                .default_value("200"),
        )
        .arg(
            option(AT_ONCE, "NUMBER", "The most requests at the same time")
                .value_parser(value_parser!(u16).range(1..=256))
                .default_value("8"),
        )
        .arg(
            choice(WITH, "WHO", "client", "Who writes the objects of a stored version", [
                ("client", "this program"),
                ("server", "the server: a StorageVersionMigration, with kube-controller-manager"),
            ])
            .conflicts_with_all([SHARD, TO, ROLLBACK]),
        )
        .arg(
            option(UNSERVE, "VERSION", "Take this version out of service, and do nothing else")
                .conflicts_with_all([SHARD, SERVE]),
        )
        .arg(option(SERVE, "VERSION", "Put this version into service again, and do nothing else").conflicts_with(SHARD))
        .arg(format_argument())
        .after_help(after_help(program, &[Exit::Fine, Exit::Findings, Exit::Unusable], &[
            ("migrate --dry-run", "what would happen, and what the server answers"),
            ("migrate", "the stored version of all CRDs of the API"),
            ("migrate --to v1.6.1 --to-channel standard", "CRDs and objects to a bundle"),
            ("migrate --rollback", "back, before the last step"),
            ("migrate deploy --to v1.6.1", "manifests in a repository"),
            ("migrate referencegrants --unserve v1alpha2", "the first step of a removal"),
            ("migrate httproutes --yes --shard 1/4", "one of four runs"),
        ]))
}

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let names = matches.get_many::<String>(RESOURCES).into_iter().flatten().cloned().collect::<Vec<_>>();
    if names.iter().any(|name| session.folder.join(name).exists()) {
        return convert_files(&names, matches, session);
    }
    let text_of = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let number = |name: &str| matches.get_one::<u16>(name).copied().map_or(1, usize::from);
    let settings = Settings {
        rate: matches.get_one(RATE).copied().unwrap_or(1),
        at_once: number(AT_ONCE),
        shard: matches.get_one(SHARD).copied(),
        is_dry_run: matches.get_flag(DRY_RUN),
    };
    let root = explicit_root(matches);
    let lenses = target::lenses(matches.get_one(CONVERSIONS), root, session)?;
    let named = matches.get_one::<OsString>(TO).map(|bundle| Named {
        bundle,
        channel: text_of(TO_CHANNEL).and_then(Channel::named),
        drops: matches.get_many::<String>(DROP).into_iter().flatten().cloned().collect(),
        looks_for_removed_fields: matches.get_flag(REMOVED_FIELDS),
    });
    let read = named
        .as_ref()
        .map(|named| ReadTarget::read(named, lenses.as_ref().map(|(_, document)| document), root, session));
    let releases = matches.get_many::<OsString>(RELEASES).into_iter().flatten().cloned().collect::<Vec<_>>();
    let known = if named.is_some() { releases::known(&releases, root, session)? } else { KnownBundles::default() };
    let question = Question {
        names,
        context: text_of(CONTEXT),
        prefix: text_of(PREFIX),
        settings,
        serving: match (text_of(UNSERVE), text_of(SERVE)) {
            (Some(version), _) => Some((version, false)),
            (None, version) => version.map(|version| (version, true)),
        },
        target: named.zip(read.transpose()?),
        known,
        conversions: lenses.map(|(conversions, _)| conversions),
        is_rollback: matches.get_flag(ROLLBACK),
        options: Options { deletes: matches.get_flag(DELETE_REPLACED), is_by_server: text_of(WITH) == Some("server") },
        journal: Journal::open(
            matches.get_one::<PathBuf>(JOURNAL).map(PathBuf::as_path).filter(|_| !settings.is_dry_run),
        )?,
        is_confirmed: matches.get_flag(YES),
        is_json: format(matches) == Format::Json,
    };
    run_to_end(async { Ok(work(&question, session).await) })?
}
