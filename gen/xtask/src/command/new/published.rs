//! The published CRDs that a workspace is written for.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use clap::ArgMatches;
use crd_bundle::BundleVersion;
use crd_bundle::published::choice::{Choice, LeftOut};
use crd_bundle::published::{PublishedCrd, Stamps};
use crd_diagnostics::{Diagnostic, fail_on};
use crd_markers::names::is_group;
use crd_model::channel::Channel;
use crd_model::crd::CustomResourceDefinition;
use crd_review::assembly::Unstamped;
use crd_source::Published;

use super::arguments;
use crate::arguments::bundle_choice;
use crate::session::Session;
use crate::source::{self as sources, all_used};

/// The CRDs that the arguments name.
#[derive(Default)]
pub(super) struct Crds {
    pub(super) published: Published,
    stamps: Vec<Stamps>,
    /// Warnings about their files.
    pub(super) warnings: Vec<Diagnostic>,
    /// What the user leaves out.
    pub(super) left_out: Vec<LeftOut>,
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
pub(super) fn published(matches: &ArgMatches, session: &Session<'_>) -> Result<Option<Crds>, Vec<Diagnostic>> {
    let choice = bundle_choice(matches);
    all_used(chosen(matches, &choice, session), &choice)
}

fn chosen(matches: &ArgMatches, choice: &Choice, session: &Session<'_>) -> Result<Option<Crds>, Vec<Diagnostic>> {
    let files = arguments::files(matches);
    if !files.is_empty() {
        session.begin("reading CRDs");
        let (mut bundle, has_folders) = sources::bundle(&files, Unstamped::Of(Channel::Standard), choice, session)?;
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
            true => Published::two_channels(standard, experimental),
            false => Published::one_channel([standard, experimental].concat()),
        };
        let (warnings, left_out) = (bundle.warnings, bundle.left_out);
        return Ok(Some(Crds { published, stamps, warnings, left_out }));
    }
    let [standard, experimental] = Channel::ALL.map(|channel| arguments::path(matches, channel.name()));
    let (Some(standard), Some(experimental)) = (standard, experimental) else { return Ok(None) };
    let mut crds = Crds::default();
    session.begin("reading CRDs");
    let mut errors = Vec::new();
    let mut channel = |path: &Path, channel| -> Vec<CustomResourceDefinition> {
        let read = match sources::published(&[path.into()], choice, session) {
            Ok(read) => read.of_channel(channel),
            Err(more) => {
                errors.extend(more);
                return Vec::new();
            }
        };
        crds.warnings.extend(read.warnings);
        crds.left_out.extend(read.left_out);
        let of_file = |PublishedCrd { crd, origin }| {
            crds.stamps.push(origin.stamps);
            crd
        };
        read.crds.into_iter().map(of_file).collect()
    };
    let (standard, experimental) = (channel(standard, Channel::Standard), channel(experimental, Channel::Experimental));
    fail_on(errors)?;
    crds.published = Published::two_channels(standard, experimental);
    Ok(Some(crds))
}
