//! `migrate`: old versions leave a cluster.

mod arguments;
mod files;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::ArgMatches;
use crd_cluster::run as run_to_end;
use crd_inspect::KnownBundles;
use crd_migrate::{Options, Settings};
use crd_model::channel::Channel;

use crate::inspection::{releases, target};
use crate::migration::journal::Journal;
use crate::migration::question::{Job, Question};
use crate::migration::target::{Named, ReadTarget};
use crate::migration::work::work;
use crd_generator::arguments::{Format, explicit_root, format};
use crd_generator::command::{Outcome, Run, Subcommand};
use crd_generator::exit::Exit;
use crd_generator::session::Session;
use crd_xtask::command::conversions::CONVERSIONS;
use files::convert_files;

pub(super) const SUBCOMMAND: Subcommand =
    Subcommand { name: "migrate", arguments: arguments::arguments, run: Run::WithoutTypes(run) };

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
const JOB: &str = "job";
const NAMESPACE: &str = "namespace";
const IMAGE: &str = "image";

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
    let channel = text_of(TO_CHANNEL).and_then(Channel::named);
    let named = matches.get_one::<OsString>(TO).map(|bundle| Named {
        bundle,
        channel,
        drops: matches.get_many::<String>(DROP).into_iter().flatten().cloned().collect(),
        looks_for_removed_fields: matches.get_flag(REMOVED_FIELDS),
    });
    let read = named
        .as_ref()
        .map(|named| ReadTarget::read(named, lenses.as_ref().map(|(_, document)| document), root, session));
    let releases = matches.get_many::<OsString>(RELEASES).into_iter().flatten().cloned().collect::<Vec<_>>();
    let known =
        if named.is_some() { releases::known(&releases, channel, root, session)? } else { KnownBundles::default() };
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
        job: job(matches),
    };
    let ended = run_to_end(async { Ok(work(&question, session).await) })?;
    match ended {
        // A Job does not try again after wrong usage. Everything about the cluster can change.
        Err(errors) if arguments::is_part_of_job(matches) => {
            session.diagnostics(&errors);
            Ok(Exit::Findings)
        }
        ended => ended,
    }
}

/// The Job that the user wants.
fn job(matches: &ArgMatches) -> Option<Job<'_>> {
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str).unwrap_or_default();
    let shards = *matches.get_one::<u32>(JOB)?;
    Some(Job { shards, namespace: text(NAMESPACE), image: text(IMAGE) })
}
