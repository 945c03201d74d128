//! What Helm stores of the charts of the newest release of a workspace.
//!
//! Invariants: a release without texts, stamps or a version has no chart. A chart that cannot be made is an error of `release`, and not of the site. Templates that replace the
//! embedded ones do not count.

use std::collections::BTreeMap;

use crd_bundle::admission::{ReleasedChannel, guardrails, safe_upgrades};
use crd_bundle::{BUNDLE_VERSION, Released, files};
use crd_model::channel::Channel;
use crd_model::parallel;
use crd_release::Release;
use crd_release::chart::stored_size;
use crd_release::template::Templates;
use crd_site::SiteRelease;

/// The bytes that Helm stores of the chart of each channel.
pub(super) fn charts(name: &str, releases: &[SiteRelease]) -> BTreeMap<Channel, usize> {
    let release = releases.last().and_then(|release| of(name, release));
    let Some(release) = release else { return BTreeMap::new() };
    let (upgrades, guards) = (safe_upgrades::policies(&release), guardrails::policies(&release));
    let channels = release.channels.iter().map(|released| released.channel).collect::<Vec<_>>();
    let sizes = parallel::each(&channels, |channel| {
        let size = stored_size(&release, *channel, &upgrades, &guards, &Templates::embedded()).ok()?;
        Some((*channel, size))
    });
    sizes.into_iter().flatten().collect()
}

/// A release as its charts need it. The release date is not part of what Helm stores.
fn of(name: &str, shown: &SiteRelease) -> Option<Release> {
    let of_bundle = &shown.release;
    let mut names = of_bundle.crds().flat_map(|(_, crd)| crd.annotations.keys());
    let prefix = names.find_map(|name| name.strip_suffix(BUNDLE_VERSION)?.strip_suffix('/'))?;
    let channels = of_bundle.channels.iter().filter(|(_, crds)| !crds.is_empty());
    let channels = channels.map(|(channel, crds)| ReleasedChannel { channel: *channel, files: files(crds.clone()) });
    Some(Release {
        name: name.to_owned(),
        prefix: prefix.to_owned(),
        version: of_bundle.version.filter(|_| shown.has_text)?,
        released: of_bundle.released.or_else(|| Released::of_unix_seconds(0).ok())?,
        channels: channels.collect(),
        documents: Vec::new(),
        webhook: None,
        policies: Vec::new(),
    })
}
