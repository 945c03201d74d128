//! The CRDs to validate against: those of the types, of a bundle, or of files.
//!
//! Invariants: a kind has one CRD. CRDs of another channel are kept apart, so that a diagnostic can name the channel.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

use crd_bundle::published::choice::{Choice, LeftOut};
use crd_bundle::published::{PublishedCrd, Unreadable};
use crd_diagnostics::{Diagnostic, fail_on};
use crd_generate::Catalogue;
use crd_model::channel::Channel;
use crd_review::assembly::Unstamped;

use super::KnownCrd;
use crate::catalogue::{check_channel, unreleased_version};
use crate::root;
use crate::session::Session;
use crate::settings::{Project, only_channel};
use crate::source::{all_used, open, readable};
use crate::types::Types;

/// Where the CRDs come from.
#[derive(Debug)]
pub(crate) enum Against<'a> {
    /// The types of the workspace.
    Types(Box<Catalogue>),
    /// A bundle: a version in `bundles/`, a folder, an install file, or an archive. With `--root`, if it was named.
    Bundle(&'a OsStr, Option<&'a Path>),
    /// Files and folders with CRDs.
    Files(Vec<OsString>),
}

impl ReadCrds {
    /// The same, if all CRDs can be read.
    ///
    /// # Errors
    /// Those of the unreadable CRDs.
    pub(crate) fn all_readable(self) -> Result<Self, Vec<Diagnostic>> {
        fail_on(self.unreadable.iter().flat_map(|crd| crd.errors.clone()).collect()).map(|()| self)
    }
}

impl<'a> Against<'a> {
    /// What `--bundle` or `--crds` names, the types, or the CRDs of the settings.
    pub(crate) fn named(
        bundle: Option<&'a OsString>,
        root: Option<&'a Path>,
        files: Vec<OsString>,
        catalogue: Option<&Catalogue>,
        session: &Session<'_>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let project = Project::read(catalogue, root, session)?;
        let of_settings = project.crds(session);
        match (bundle, project.catalogue) {
            (Some(bundle), _) => Ok(Self::Bundle(bundle, root)),
            (None, _) if !files.is_empty() => Ok(Self::Files(files)),
            (None, Some(catalogue)) => Ok(Self::Types(Box::new(catalogue))),
            (None, None) if !of_settings.is_empty() => Ok(Self::Files(of_settings)),
            (None, None) => Err(Diagnostic::error("usage::missing", "the CRDs are missing")
                .help("name them with `--crds FILE` or `--bundle VERSION`, or with `crds` in `crd-channels.yaml`")
                .into()),
        }
    }
}

/// CRDs, and what there is to say about their files.
#[derive(Debug, Default)]
pub(crate) struct ReadCrds {
    pub(crate) crds: Vec<KnownCrd>,
    /// Those of files that cannot be read.
    pub(crate) unreadable: Vec<Unreadable>,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) left_out: Vec<LeftOut>,
}

/// Reads the CRDs. Without a channel, the types and bundles give their standard channel, and so do files with both channels of a group.
pub(crate) fn crds(
    against: &Against<'_>,
    channel: Option<Channel>,
    choice: &Choice,
    session: &Session<'_>,
) -> Result<ReadCrds, Vec<Diagnostic>> {
    let read = match against {
        Against::Types(catalogue) => {
            of_types(catalogue, channel, session).map(|crds| ReadCrds { crds, ..ReadCrds::default() })
        }
        Against::Bundle(name, root) => of_bundle(name, channel, choice, *root, session),
        Against::Files(files) => of_files(files, channel, choice, session),
    };
    all_used(read, choice)
}

fn of_types(
    catalogue: &Catalogue,
    channel: Option<Channel>,
    session: &Session<'_>,
) -> Result<Vec<KnownCrd>, Vec<Diagnostic>> {
    if let Some(channel) = channel {
        check_channel(catalogue, channel)?;
    }
    let channel = channel.or_else(|| only_channel(catalogue.settings())).unwrap_or(Channel::Standard);
    let types = Types::read(catalogue, unreleased_version(catalogue)?, session)?;
    let crds = types
        .candidate
        .channels
        .into_iter()
        .flat_map(|(of, crds)| crds.into_iter().map(move |crd| (of, Arc::unwrap_or_clone(crd))));
    // Generation refuses what a server refuses.
    Ok(crds.map(|(of, crd)| known(crd, None, true, of, channel)).collect())
}

fn of_bundle(
    name: &OsStr,
    channel: Option<Channel>,
    choice: &Choice,
    explicit_root: Option<&Path>,
    session: &Session<'_>,
) -> Result<ReadCrds, Vec<Diagnostic>> {
    session.begin(format_args!("reading `{}`", name.display()));
    let root = root::if_any(explicit_root, session)?;
    let unstamped = channel.map_or(Unstamped::Standard, Unstamped::Of);
    let bundle = open(name, unstamped, choice, root.as_deref(), session)?;
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

fn of_files(
    files: &[OsString],
    channel: Option<Channel>,
    choice: &Choice,
    session: &Session<'_>,
) -> Result<ReadCrds, Vec<Diagnostic>> {
    session.begin("reading the CRDs");
    let (published, unreadable) = readable(files, choice, session)?;
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

fn known(
    crd: crd_model::CustomResourceDefinition,
    source: Option<(String, usize)>,
    is_checked: bool,
    of: Channel,
    wanted: Channel,
) -> KnownCrd {
    KnownCrd { crd, source, is_checked, left_out: (of != wanted).then_some(of) }
}
