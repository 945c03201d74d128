//! `migrate`: old versions leave a cluster.

mod arguments;
mod files;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::ArgMatches;
use crd_cluster::run as run_to_end;
use crd_generator::arguments::{Format, format, named_root, value, values};
use crd_generator::command::{Group, Outcome, Run, Subcommand};
use crd_generator::exit::Exit;
use crd_generator::session::Session;
use crd_model::channel::Channel;
use crd_upgrade::inspect::KnownBundles;
use crd_upgrade::migrate::{Options, Settings};

use crate::command::conversions::CONVERSIONS;
use crate::inspection::{releases, target};
use crate::migration::journal::Journal;
use crate::migration::question::{Job, Question};
use crate::migration::target::{Named, ReadTarget};
use crate::migration::work::work;
use files::convert_files;

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "migrate",
    about: "Bring the CRDs and objects of a cluster to a bundle, and remove old versions",
    group: Group::Clusters,
    arguments: arguments::arguments,
    run: Run::WithoutTypes(run),
};

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
    let request = Request::from(matches);
    if request.names.iter().any(|name| session.folder.join(name).exists()) {
        return convert_files(&request, session);
    }
    let (settings, channel, root) = (request.settings, request.channel, request.root.as_deref());
    let lenses = target::lenses(request.conversions.as_ref(), root, session)?;
    let named = request.to.as_ref().map(|bundle| Named {
        bundle,
        channel,
        drops: request.drops.iter().cloned().collect(),
        looks_for_removed_fields: request.looks_for_removed_fields,
    });
    let read = named
        .as_ref()
        .map(|named| ReadTarget::read(named, lenses.as_ref().map(|(_, document)| document), root, session));
    let known = match named {
        Some(_) => releases::known(&request.releases, channel, root, session)?,
        None => KnownBundles::default(),
    };
    let question = Question {
        names: request.names.clone(),
        context: request.context.as_deref(),
        prefix: request.prefix.as_deref(),
        settings,
        serving: request.serving.as_ref().map(|(version, is_served)| (&**version, *is_served)),
        target: named.zip(read.transpose()?),
        known,
        conversions: lenses.map(|(conversions, _)| conversions),
        is_rollback: request.is_rollback,
        options: request.options,
        journal: Journal::open(request.journal.as_deref().filter(|_| !settings.is_dry_run))?,
        is_confirmed: request.is_confirmed,
        is_json: request.is_json,
        job: request.shards.map(|shards| Job { shards, namespace: &request.namespace, image: &request.image }),
    };
    let ended = run_to_end(async { Ok(work(&question, session).await) })?;
    match ended {
        // A Job does not try again after wrong usage. Everything about the cluster can change.
        Err(errors) if request.is_part_of_job => {
            session.diagnostics(&errors);
            Ok(Exit::Findings)
        }
        ended => ended,
    }
}

/// What is migrated, how far, and by whom.
struct Request {
    /// CRDs, or files and folders.
    names: Vec<String>,
    context: Option<String>,
    prefix: Option<String>,
    settings: Settings,
    conversions: Option<OsString>,
    to: Option<OsString>,
    channel: Option<Channel>,
    drops: Vec<String>,
    looks_for_removed_fields: bool,
    releases: Vec<OsString>,
    /// The version that is served, or is served no longer.
    serving: Option<(String, bool)>,
    is_rollback: bool,
    options: Options,
    journal: Option<PathBuf>,
    is_confirmed: bool,
    is_json: bool,
    /// The pods of the Job that is written.
    shards: Option<u32>,
    namespace: String,
    image: String,
    /// Whether this is a pod of an Indexed Job.
    is_part_of_job: bool,
    root: Option<PathBuf>,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        let text = |name: &str| value::<String>(matches, name);
        let settings = Settings {
            rate: value(matches, RATE).unwrap_or(1),
            at_once: value::<u16>(matches, AT_ONCE).map_or(1, usize::from),
            shard: value(matches, SHARD),
            is_dry_run: matches.get_flag(DRY_RUN),
        };
        let unserved = text(UNSERVE).map(|version| (version, false));
        Self {
            names: values(matches, RESOURCES),
            context: text(CONTEXT),
            prefix: text(PREFIX),
            settings,
            conversions: value(matches, CONVERSIONS),
            to: value(matches, TO),
            channel: text(TO_CHANNEL).and_then(|name| Channel::named(&name)),
            drops: values(matches, DROP),
            looks_for_removed_fields: matches.get_flag(REMOVED_FIELDS),
            releases: values(matches, RELEASES),
            serving: unserved.or_else(|| Some((text(SERVE)?, true))),
            is_rollback: matches.get_flag(ROLLBACK),
            options: Options {
                deletes: matches.get_flag(DELETE_REPLACED),
                is_by_server: text(WITH).is_some_and(|with| with == "server"),
            },
            journal: value(matches, JOURNAL),
            is_confirmed: matches.get_flag(YES),
            is_json: format(matches) == Format::Json,
            shards: value(matches, JOB),
            namespace: text(NAMESPACE).unwrap_or_default(),
            image: text(IMAGE).unwrap_or_default(),
            is_part_of_job: arguments::is_part_of_job(matches),
            root: named_root(matches),
        }
    }
}
