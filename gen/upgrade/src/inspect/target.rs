//! What may be installed: a bundle and a channel, with their CRDs.
//!
//! Invariant: without a bundle or a channel, those of the cluster count.

use std::sync::Arc;

use crd_diagnostics::Diagnostic;
use crd_model::channel::Channel;
use crd_model::{Channels, CustomResourceDefinition};
use crd_stamps::BundleVersion;

use crate::inspect::codes;
use crate::inspect::known::{InstalledBundle, KnownBundles};

/// The minor that forecasts are made for if the server does not show its own.
pub(crate) const NEWEST_MINOR: u32 = crd_apiserver::objects::MINORS.1;

/// What may be installed.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// Another bundle: its name, its version if it has one, and its CRDs. Otherwise the installed bundle.
    pub bundle: Option<(String, Option<BundleVersion>, Channels)>,
    /// Another channel. Otherwise the installed channel.
    pub channel: Option<Channel>,
}

/// A target with its CRDs.
pub(crate) struct Resolved {
    pub(crate) name: String,
    pub(crate) version: Option<BundleVersion>,
    pub(crate) channel: Channel,
    pub(crate) crds: Vec<Arc<CustomResourceDefinition>>,
    pub(crate) others: Channels,
    /// Whether it is a known bundle, whose CRDs have neither texts nor stamps.
    pub(crate) is_known: bool,
}

pub(crate) fn resolve(
    target: &Target,
    installed: Option<InstalledBundle>,
    known: &KnownBundles,
) -> Result<Resolved, Diagnostic> {
    // A bundle may have one channel only.
    let only = || {
        let channels = target.bundle.iter().flat_map(|(.., crds)| crds).filter(|(_, crds)| !crds.is_empty());
        let channels = channels.map(|(channel, _)| *channel).collect::<Vec<_>>();
        <[Channel; 1]>::try_from(channels).ok().map(|[only]| only)
    };
    let channel = target.channel.or(installed.map(|(_, channel)| channel)).or_else(only).unwrap_or(Channel::Standard);
    let (name, version, mut others) = match &target.bundle {
        Some((name, version, release)) => (name.clone(), *version, release.clone()),
        None => {
            let of = |(bundle, _): InstalledBundle| {
                bundle.version().filter(|version| known.crds((*version, channel)).is_some())
            };
            let Some(version) = installed.and_then(of) else {
                let message = match installed {
                    Some((bundle, _)) => format!("the installed bundle {bundle} is not known"),
                    None => "the installed bundle cannot be read".to_owned(),
                };
                let help = "name a bundle with `--target`, or its releases with `--releases`";
                return Err(codes::UNKNOWN_TARGET.finding(message).help(help));
            };
            (version.to_string(), Some(version), known.release(version))
        }
    };
    let crds = others.remove(&channel).unwrap_or_default();
    let of_known = version.and_then(|version| known.crds((version, channel))?.first());
    let is_known = crds.first().zip(of_known).is_some_and(|(crd, known)| Arc::ptr_eq(crd, known));
    // CRDs without stamps have no channel, unless the user names one.
    let name = match target.channel.or(installed.map(|(_, channel)| channel)) {
        Some(channel) => format!("{name} {}", channel.name()),
        None => name,
    };
    Ok(Resolved { name, version, channel, crds, others, is_known })
}
