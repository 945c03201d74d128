//! The arguments of `migrate`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser};
use clap::{ArgAction, ArgMatches, Command, value_parser};
use crd_generator::arguments::{FORMAT, after_help, choice, flag, format_argument, option, positional, root_argument};
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_model::channel::CHANNELS;
use crd_upgrade::migrate::Shard;

use super::{
    AT_ONCE, CONTEXT, DELETE_REPLACED, DROP, DRY_RUN, IMAGE, JOB, JOURNAL, NAMESPACE, PREFIX, RATE, RELEASES,
    REMOVED_FIELDS, RESOURCES, ROLLBACK, SERVE, SHARD, TO, TO_CHANNEL, UNSERVE, WITH, YES,
};
use crate::command::conversions::conversions_argument;

/// The part of a pod of an Indexed Job: its number is in a variable, which counts from 0.
const INDEX: &str = "index/";
const INDEX_VARIABLE: &str = "JOB_COMPLETION_INDEX";

#[expect(clippy::too_many_lines, reason = "a list of arguments")]
pub(super) fn arguments(command: Command, program: Program) -> Command {
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
            option(SHARD, "I/N", "Write only part I of N of the objects, for several runs at once; the last one completes the migration. In a pod of an Indexed Job, I is the word `index`")
                .value_parser(shard),
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
        .arg(
            option(JOB, "N", "Do not migrate: print the manifest of a Job that does it in N pods at once")
                .value_parser(value_parser!(u32).range(1..=i64::from(Shard::MOST)))
                .conflicts_with_all([SHARD, UNSERVE, SERVE, ROLLBACK, WITH, JOURNAL, DRY_RUN, YES, FORMAT]),
        )
        .arg(
            option(NAMESPACE, "NAME", "The namespace of the Job, which exists")
                .value_parser(namespace)
                .default_value("kube-system")
                .requires(JOB),
        )
        .arg(
            option(IMAGE, "IMAGE", "The container image of the Job, whose entry point is this program")
                .value_parser(NonEmptyStringValueParser::new())
                .default_value(concat!("ghcr.io/crd-channels/crd-channels:", env!("CARGO_PKG_VERSION")))
                .requires(JOB),
        )
        .arg(format_argument())
        .after_help(after_help(program, &[Exit::Fine, Exit::Findings, Exit::Unusable], &[
            ("migrate --dry-run", "what would happen, and what the server answers"),
            ("migrate", "the stored version of all CRDs of the API"),
            ("migrate --to v1.6.1 --to-channel standard", "CRDs and objects to a bundle"),
            ("migrate --rollback", "back, before the last step"),
            ("migrate deploy --to v1.6.1", "manifests in a repository"),
            ("migrate referencegrants --unserve v1alpha2", "the first step of a removal"),
            ("migrate httproutes --yes --shard 1/4", "one of four runs"),
            ("migrate --to v1.6.1 --job 8 | kubectl apply --server-side -f -", "in the cluster, in eight pods"),
        ]))
}

/// Whether this is a pod of an Indexed Job.
pub(super) fn is_part_of_job(matches: &ArgMatches) -> bool {
    let text = matches.get_raw(SHARD).and_then(|mut values| values.next()?.to_str());
    text.is_some_and(|text| text.starts_with(INDEX))
}

fn shard(text: &str) -> Result<Shard, String> {
    let Some(of) = text.strip_prefix(INDEX) else { return text.parse() };
    let index = std::env::var(INDEX_VARIABLE).ok().and_then(|index| index.parse::<u32>().ok()?.checked_add(1));
    let index =
        index.ok_or_else(|| format!("{INDEX_VARIABLE} is not a number: only pods of an Indexed Job have it"))?;
    format!("{index}/{of}").parse()
}

fn namespace(text: &str) -> Result<String, String> {
    let is_inside = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    match text.trim_matches('-') == text && (1..=63).contains(&text.len()) && text.chars().all(is_inside) {
        true => Ok(text.to_owned()),
        false => {
            Err("expected at most 63 lower-case letters, digits and `-`, which is not the first or last".to_owned())
        }
    }
}
