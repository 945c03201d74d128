//! The CRDs that objects are validated against: those of a bundle, or of files.
//!
//! Invariants: a kind has one CRD. CRDs of another channel are kept apart, so that a diagnostic can name the channel.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crd_bundle::Release;
use crd_bundle::published::skips::LeftOut;
use crd_bundle::published::{Published, PublishedCrd, Unreadable};
use crd_diagnostics::{Diagnostic, fail_on};
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;

use super::kinds::KnownCrd;

/// CRDs, and what there is to say about their files.
#[derive(Debug, Default)]
pub struct ReadCrds {
    /// The CRDs.
    pub crds: Vec<KnownCrd>,
    /// Those of files that cannot be read.
    pub unreadable: Vec<Unreadable>,
    /// About their files.
    pub warnings: Vec<Diagnostic>,
    /// What is not read.
    pub left_out: Vec<LeftOut>,
}

impl ReadCrds {
    /// The same CRDs, if all can be read.
    ///
    /// # Errors
    /// Those of the unreadable CRDs.
    pub fn all_readable(self) -> Result<Self, Vec<Diagnostic>> {
        fail_on(self.unreadable.iter().flat_map(|crd| crd.errors.clone()).collect()).map(|()| self)
    }
}

/// The CRDs of a bundle. Without a channel, those of its only channel, else of standard.
///
/// # Errors
/// The bundle has no CRDs of the channel.
pub fn of_bundle(bundle: Release, channel: Option<Channel>) -> Result<ReadCrds, Vec<Diagnostic>> {
    let has = bundle.channels.iter().filter(|(_, crds)| !crds.is_empty()).map(|(channel, _)| *channel);
    let has = has.collect::<Vec<_>>();
    let channel = match (channel, &*has) {
        (Some(channel), _) if !has.contains(&channel) => {
            let message = format!("{} has no CRDs of the channel {channel}", bundle.name);
            return Err(Diagnostic::error("bundle::channels", message).into());
        }
        (Some(channel), _) => channel,
        (None, [only]) => *only,
        (None, _) => Channel::Standard,
    };
    // A bundle with a manifest was checked when it was written.
    let is_checked = bundle.manifest.is_some();
    let mut origins = bundle.origins;
    let crds = bundle.channels.into_iter().flat_map(|(of, crds)| {
        let origins = origins.remove(&of).unwrap_or_default();
        crds.into_iter().zip(origins).map(move |(crd, origin)| (of, Arc::unwrap_or_clone(crd), origin))
    });
    let crds = crds.map(|(of, crd, at)| known(crd, Some((at.file, at.line)), is_checked, of, channel)).collect();
    Ok(ReadCrds { crds, unreadable: Vec::new(), warnings: bundle.warnings, left_out: bundle.left_out })
}

/// The CRDs of files. Without a channel, those of standard where a group has both channels.
///
/// # Errors
/// A kind has two CRDs.
pub fn of_files(
    published: Published,
    unreadable: Vec<Unreadable>,
    channel: Option<Channel>,
) -> Result<ReadCrds, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let mut names: BTreeMap<String, Channel> = BTreeMap::new();
    let mut crds = Vec::new();
    let of_both = groups_of_both_channels(&published.crds);
    for published in published.crds {
        // A CRD without a stamp belongs to any channel.
        let of = published.origin.channel().or(channel).unwrap_or(Channel::Standard);
        let of_group = if of_both.contains(&*published.crd.group) { Channel::Standard } else { of };
        let wanted = channel.unwrap_or(of_group);
        let (file, line) = (published.origin.file, published.origin.line);
        if of == wanted
            && let Some(other) = names.insert(published.crd.name.to_string(), of)
        {
            let message = format!("the CRDs contain `{}` of {other} and of {of}", published.crd.name);
            let error = Diagnostic::error("bundle::channels", message).at_line(&file, line);
            errors.push(error.help("choose one with `--channel`"));
        }
        crds.push(known(published.crd, Some((file, line)), false, of, wanted));
    }
    fail_on(errors)?;
    Ok(ReadCrds { crds, unreadable, warnings: published.warnings, left_out: published.left_out })
}

/// The groups with a CRD in both channels, as in the folder of a bundle.
fn groups_of_both_channels(crds: &[PublishedCrd]) -> BTreeSet<String> {
    let (mut channels, mut groups) = (BTreeMap::new(), BTreeSet::new());
    for crd in crds {
        let of = crd.origin.channel().unwrap_or(Channel::Standard);
        if *channels.entry(&*crd.crd.name).or_insert(of) != of {
            groups.insert(crd.crd.group.to_string());
        }
    }
    groups
}

/// A CRD of a channel, where those of another one are wanted.
pub fn known(
    crd: CustomResourceDefinition,
    source: Option<(String, usize)>,
    is_checked: bool,
    of: Channel,
    wanted: Channel,
) -> KnownCrd {
    KnownCrd { crd, source, is_checked, left_out: (of != wanted).then_some(of) }
}
