//! From the parts of a bundle, which were read from its files, to the bundle.
//!
//! Invariants: a CRD in the folder of a channel belongs to that channel. All errors are reported together.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crd_bundle::published::choice::Choice;
use crd_bundle::published::{Origin, Part, Published, PublishedCrd, Stamps, codes, join};
use crd_bundle::{BundleVersion, Release};
use crd_compat::{Channels, Projects};
use crd_diagnostics::{Diagnostic, fail_on, merged, successes};
use crd_model::channel::Channel;

/// The code of CRDs whose channel is unknown.
pub const NO_CHANNEL: &str = "bundle::no-channel";

/// What happens to CRDs that are not in the folder of a channel and have no channel stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unstamped {
    /// They are errors.
    Refused,
    /// They belong to standard. CRDs with the stamp of an unknown channel are errors.
    Standard,
    /// They belong to this channel.
    Of(Channel),
}

/// Assembles a bundle. Between CRDs of one name in a folder, `choice` chooses.
///
/// # Errors
/// All errors of the parts, CRDs that belong to no channel, and CRDs that a channel has twice.
pub fn assemble(
    name: String,
    version: Option<BundleVersion>,
    parts: Vec<Part>,
    unstamped: Unstamped,
    choice: &Choice,
) -> Result<Release, Vec<Diagnostic>> {
    let Published { crds, left_out, warnings, .. } = join(&name, parts, choice)?;
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
    // Of several projects, that of most CRDs has the version.
    let version = version.or_else(|| {
        let prefix = Projects::of(None, &channels).list().into_iter().next()?.prefix?;
        let of_project = |stamps: &&Stamps| {
            [&stamps.version, &stamps.channel].into_iter().flatten().any(|stamp| stamp.prefix == prefix)
        };
        let mut stamps = stamps.iter().filter(of_project).map(|stamps| stamps.bundle()?.version());
        let first = stamps.next()??;
        stamps.all(|stamp| stamp == Some(first)).then_some(first)
    });
    Ok(Release { has_channels, origins, left_out, warnings, ..Release::new(name, version, channels) })
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
