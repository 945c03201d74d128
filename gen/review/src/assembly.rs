//! From the parts of a bundle, which were read from its files, to the bundle.
//!
//! Invariants: a CRD in the folder of a channel belongs to that channel. All errors are reported together.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crd_bundle::published::choice::{Choice, Chosen};
use crd_bundle::published::{Origin, Part, Published, PublishedCrd, Stamps, codes, join};
use crd_bundle::{BundleVersion, Release};
use crd_compat::{Channels, Projects};
use crd_diagnostics::{Diagnostic, fail_on, merged, successes};
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;

/// The code of CRDs whose channel is unknown.
pub const NO_CHANNEL: &str = "bundle::no-channel";

/// What happens to CRDs that are not in the folder of a channel and have no channel stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unstamped {
    Refused,
    /// They belong to standard. CRDs with the stamp of an unknown channel are errors.
    Standard,
    /// They belong to this channel.
    Of(Channel),
}

/// Assembles a bundle. Between CRDs of one name in a folder, `choice` chooses. All errors of the parts, CRDs that belong to no channel, and CRDs that
/// a channel has twice are errors.
pub fn assemble(
    name: String,
    version: Option<BundleVersion>,
    parts: Vec<Part>,
    unstamped: Unstamped,
    choice: &Choice,
) -> Chosen<Release> {
    join(&name, parts, choice).and_then(|published| release(name, version, published, unstamped))
}

fn release(
    name: String,
    version: Option<BundleVersion>,
    published: Published,
    unstamped: Unstamped,
) -> Result<Release, Vec<Diagnostic>> {
    let Published { crds, left_out, warnings, .. } = published;
    let mut errors = Vec::new();
    let has_channels = unstamped != Unstamped::Standard
        || crds.iter().any(|crd| crd.origin.folder.is_some() || crd.origin.stamps.channel.is_some());
    let with_channels = crds.into_iter().map(|crd| channel_of(&crd, unstamped).map(|channel| (channel, crd)));
    let mut without_channel = Vec::new();
    let published = successes(with_channels, &mut without_channel);
    errors.extend(merged(without_channel));
    // Duplicates in one folder are already reported.
    let mut known: BTreeSet<(Channel, &str)> = BTreeSet::new();
    for (channel, crd) in &published {
        if !known.insert((*channel, &crd.crd.name)) {
            let message = format!("the bundle contains the CRD `{}` of {channel} twice", crd.crd.name);
            errors.push(at(crd, codes::CRD_TWICE, message).help("remove one, or name the folder of one bundle only"));
        }
    }
    fail_on(errors)?;
    let stamps = published.iter().map(|(_, crd)| crd.origin.stamps.clone()).collect::<Vec<_>>();
    let (mut channels, mut origins) = (Channels::new(), BTreeMap::<Channel, Vec<Origin>>::new());
    for (channel, PublishedCrd { crd, origin }) in published {
        channels.entry(channel).or_default().push(Arc::new(crd));
        origins.entry(channel).or_default().push(origin);
    }
    let version = version.or_else(|| {
        let prefix = Projects::of(None, &channels).list().into_iter().next()?.prefix?;
        agreed_version(&prefix, stamps.iter())
    });
    Ok(Release { has_channels, origins, left_out, warnings, ..Release::new(name, version, channels) })
}

/// The version on which all stamps of a project agree. Of several projects, that of most CRDs has the version.
fn agreed_version<'s>(prefix: &str, stamps: impl Iterator<Item = &'s Stamps>) -> Option<BundleVersion> {
    let mut versions = stamps.filter(|stamps| stamps.prefix() == Some(prefix)).map(|stamps| stamps.bundle()?.version());
    let first = versions.next()??;
    versions.all(|version| version == Some(first)).then_some(first)
}

/// The candidate with the stamps of the projects of its baseline. Stamps of another prefix mean nothing on a CRD that the baseline has with stamps:
/// else its author could choose the channel in which a change counts. Without a stamp of its project, a CRD stays in the channel of the baseline.
pub fn with_stamps_of(baseline: &Release, candidate: Release) -> Release {
    let known =
        baseline.origins().filter_map(|(channel, crd, origin)| Some((&*crd.name, (channel, origin.stamps.prefix()?))));
    let known = known.collect::<BTreeMap<_, _>>();
    let is_foreign = |crd: &CustomResourceDefinition, origin: &Origin| {
        known.get(&*crd.name).is_some_and(|(_, prefix)| origin.stamps.prefix() != Some(*prefix))
    };
    if !candidate.origins().any(|(_, crd, origin)| is_foreign(crd, origin)) {
        return candidate;
    }
    let mut origins = candidate.origins;
    let (mut channels, mut corrected) = (Channels::new(), BTreeMap::<Channel, Vec<Origin>>::new());
    for (stamped, crds) in candidate.channels {
        channels.entry(stamped).or_default();
        for (crd, mut origin) in crds.into_iter().zip(origins.remove(&stamped).unwrap_or_default()) {
            let mut channel = stamped;
            if let Some((of_baseline, prefix)) = known.get(&*crd.name).filter(|_| is_foreign(&crd, &origin)) {
                origin.stamps = Stamps::of_prefix(&crd, prefix);
                let named = origin.folder.or(origin.stamps.known_channel()).unwrap_or(*of_baseline);
                let is_taken = channels.get(&named).is_some_and(|crds| crds.iter().any(|known| known.name == crd.name));
                channel = if is_taken { stamped } else { named };
            }
            channels.entry(channel).or_default().push(crd);
            corrected.entry(channel).or_default().push(origin);
        }
    }
    channels.retain(|channel, crds| !crds.is_empty() || baseline.channels.contains_key(channel));
    let version = candidate.version.filter(|_| candidate.manifest.is_some()).or_else(|| {
        let prefix = Projects::of(Some(&baseline.channels), &channels).list().into_iter().next()?.prefix?;
        agreed_version(&prefix, corrected.values().flatten().map(|origin| &origin.stamps))
    });
    Release { channels, origins: corrected, version, ..candidate }
}

/// The channel of a CRD: that of its folder, else of its stamp, else the one of CRDs without a stamp.
fn channel_of(crd: &PublishedCrd, unstamped: Unstamped) -> Result<Channel, Diagnostic> {
    let name = &crd.crd.name;
    let (folder, stamped) = (crd.origin.folder, crd.origin.stamps.known_channel());
    if let (Some(folder), Some(stamped)) = (folder, stamped)
        && folder != stamped
    {
        let message = format!("the CRD `{name}` is in the folder of {folder}, and is stamped {stamped}");
        return Err(at(crd, codes::CRD_STRUCTURE, message).help("move it, or correct its stamp"));
    }
    let named = match unstamped {
        Unstamped::Of(channel) => Some(channel),
        Unstamped::Standard if crd.origin.stamps.channel.is_none() => Some(Channel::Standard),
        Unstamped::Standard | Unstamped::Refused => None,
    };
    folder.or(stamped).or(named).ok_or_else(|| {
        // The same for all CRDs, so that they become one diagnostic.
        let stamps = match &crd.origin.stamps.channel {
            Some(stamp) => format!("their stamps name the unknown channel {:?}", stamp.text),
            None => "they have no channel stamp".to_owned(),
        };
        let message = format!("the channel of CRDs is unknown: {stamps}, and they are not in the folder of a channel");
        at(crd, NO_CHANNEL, message).help("pass `--channel`")
    })
}

fn at(crd: &PublishedCrd, code: &'static str, message: String) -> Diagnostic {
    Diagnostic::error(code, message).at_line(&crd.origin.file, crd.origin.line)
}
