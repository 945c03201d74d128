//! The releases as the libraries read them: the command line has reports about a history for types only.

use std::sync::Arc;

use crd_bundle::published::{Input, read};
use crd_channels::channel::Channel;
use crd_compat::Channels;

use super::releases::{RELEASES, Release};

/// A release.
pub(crate) fn channels(release: &Release) -> Channels {
    let channel = |channel: Channel| {
        let files = crd_testdata::gateway_api(release.name, channel.name());
        let inputs = files.into_iter().map(|file| Input::new(file.path, file.text));
        let published = read(release.name, inputs.collect::<Vec<_>>()).unwrap();
        (channel, published.crds.into_iter().map(|crd| Arc::new(crd.crd)).collect())
    };
    Channel::ALL.into_iter().map(channel).collect()
}

/// Every release, oldest first.
pub(crate) fn history() -> Vec<(&'static Release, Channels)> {
    RELEASES.iter().map(|release| (release, channels(release))).collect()
}
