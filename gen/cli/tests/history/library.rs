//! The releases as our libraries read them, for what the command line only says of the types: the history as a whole.

use std::fs;
use std::path::Path;

use crd_bundle::published::{Input, read};
use crd_channels::channel::Channel;
use crd_compat::Channels;

use super::releases::{RELEASES, Release};

/// A release.
pub(crate) fn channels(release: &Release, oracle: &Path) -> Channels {
    let channel = |channel: Channel| {
        let entries = fs::read_dir(release.folder(oracle, channel.name())).unwrap().map(|entry| entry.unwrap().path());
        let inputs = entries.map(|path| Input::new(path.to_string_lossy(), fs::read(&path).unwrap()));
        let published = read(release.name, inputs.collect::<Vec<_>>()).unwrap();
        (channel, published.crds.into_iter().map(|crd| crd.crd).collect())
    };
    Channel::ALL.into_iter().map(channel).collect()
}

/// Every release, oldest first.
pub(crate) fn history(oracle: &Path) -> Vec<(&'static Release, Channels)> {
    RELEASES.iter().map(|release| (release, channels(release, oracle))).collect()
}
