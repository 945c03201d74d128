//! The published CRDs that a workspace is written for.

use std::collections::BTreeSet;
use std::sync::Arc;

use clap::ArgMatches;
use crd_bundle::BundleVersion;
use crd_bundle::published::choice::{Choice, Chosen};
use crd_bundle::published::skips::LeftOut;
use crd_bundle::published::{Published, PublishedCrd, Stamps};
use crd_diagnostics::Diagnostic;
use crd_generator::command::new::arguments::CrdFiles;
use crd_generator::session::Session;
use crd_model::channel::Channel;
use crd_model::crd::CustomResourceDefinition;
use crd_names::wire::is_group;
use crd_review::assembly::Unstamped;

use crate::arguments::bundle_choice;
use crate::source::{self as sources, bundle};

/// The CRDs that the arguments name.
#[derive(Default)]
pub(super) struct Crds {
    pub(super) published: crd_source::importer::Published,
    stamps: Vec<Stamps>,
    /// Warnings about their files.
    pub(super) warnings: Vec<Diagnostic>,
    /// What the user leaves out.
    pub(super) left_out: Vec<LeftOut>,
}

/// The published CRDs that the user names, and what is left out of them.
pub(super) struct Request {
    files: CrdFiles,
    choice: Choice,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        Self { files: matches.into(), choice: bundle_choice(matches) }
    }
}

impl Crds {
    /// The bundle version that all CRDs are stamped with.
    pub(super) fn stamped_version(&self) -> Option<BundleVersion> {
        of_all(self.stamps.iter().map(|stamps| stamps.bundle()?.version()))
    }

    /// The prefix of the stamps of all CRDs.
    pub(super) fn prefix(&self) -> Option<String> {
        let stamp = |stamps: &Stamps| match stamps.known_channel() {
            Some(_) => stamps.channel.clone(),
            None => stamps.version.clone(),
        };
        of_all(self.stamps.iter().map(|stamps| Some(stamp(stamps)?.prefix))).filter(|prefix| is_group(prefix))
    }
}

/// The value that all have.
fn of_all<T: PartialEq>(mut values: impl Iterator<Item = Option<T>>) -> Option<T> {
    let first = values.next()??;
    values.all(|value| value.as_ref() == Some(&first)).then_some(first)
}

/// The CRDs that the arguments name, with warnings about their files and what is left out.
pub(super) fn published(
    Request { files, choice }: &Request,
    session: &Session<'_>,
) -> Result<Option<Crds>, Vec<Diagnostic>> {
    let CrdFiles { any: files, standard, experimental } = files;
    if !files.is_empty() {
        session.begin("reading CRDs");
        let mut bundle = choice.all_used(bundle(files, Unstamped::Of(Channel::Standard), choice, session))?;
        let is_in = |folder| bundle.origins().any(|(_, _, origin)| origin.folder == Some(folder));
        let has_folders = Channel::ALL.into_iter().all(is_in);
        let stamps = bundle.origins().map(|(_, _, origin)| origin.stamps.clone()).collect();
        let [standard, experimental] = Channel::ALL.map(|channel| {
            bundle
                .channels
                .remove(&channel)
                .unwrap_or_default()
                .into_iter()
                .map(Arc::unwrap_or_clone)
                .collect::<Vec<_>>()
        });
        // CRDs of another project can be stamped with a channel; then no CRD is in both.
        let names: BTreeSet<_> = standard.iter().map(|crd| &crd.name).collect();
        let published = match has_folders || experimental.iter().any(|crd| names.contains(&crd.name)) {
            true => crd_source::importer::Published::two_channels(standard, experimental),
            false => crd_source::importer::Published::one_channel([standard, experimental].concat()),
        };
        let (warnings, left_out) = (bundle.warnings, bundle.left_out);
        return Ok(Some(Crds { published, stamps, warnings, left_out }));
    }
    let (Some(standard), Some(experimental)) = (standard, experimental) else {
        return choice.all_used(Chosen::from(Ok::<_, Diagnostic>(None)));
    };
    session.begin("reading CRDs");
    let [standard, experimental] =
        [(standard, Channel::Standard), (experimental, Channel::Experimental)].map(|(path, channel)| {
            sources::published(&[path.into()], choice, session).and_then(|read| Ok(read.of_channel(channel)))
        });
    let (standard, experimental) = choice.all_used(standard.and(experimental))?;
    let mut crds = Crds::default();
    let mut channel = |read: Published| -> Vec<CustomResourceDefinition> {
        crds.warnings.extend(read.warnings);
        crds.left_out.extend(read.left_out);
        let of_file = |PublishedCrd { crd, origin }| {
            crds.stamps.push(origin.stamps);
            crd
        };
        read.crds.into_iter().map(of_file).collect()
    };
    let (standard, experimental) = (channel(standard), channel(experimental));
    crds.published = crd_source::importer::Published::two_channels(standard, experimental);
    Ok(Some(crds))
}
