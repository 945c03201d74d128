//! Stamps of published CRDs: which bundle and channel they say they belong to.
//!
//! Invariants: the prefix need not be known; both stamps are of the same prefix if any prefix has both; the texts are kept
//! as they are written, and parsed on demand.

use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;

use crate::BundleStamp;
use crate::{BUNDLE_VERSION, CHANNEL};

/// The stamps of a CRD.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stamps {
    pub version: Option<Stamp>,
    pub channel: Option<Stamp>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The prefix of its annotation: `gateway.networking.k8s.io`.
    pub prefix: String,
    pub text: String,
}

impl Stamps {
    /// The stamps of a CRD.
    pub fn of(crd: &CustomResourceDefinition) -> Self {
        // Annotations are sorted, so the first prefix is always the same one.
        let stamps = |name: &str| -> Vec<Stamp> {
            crd.annotations
                .iter()
                .filter_map(|(key, text)| {
                    let prefix = key.strip_suffix(name)?.strip_suffix('/')?;
                    Some(Stamp { prefix: prefix.to_owned(), text: text.to_string() })
                })
                .collect()
        };
        let (versions, channels) = (stamps(BUNDLE_VERSION), stamps(CHANNEL));
        for version in &versions {
            if let Some(channel) = channels.iter().find(|channel| channel.prefix == version.prefix) {
                return Self { version: Some(version.clone()), channel: Some(channel.clone()) };
            }
        }
        Self { version: versions.into_iter().next(), channel: channels.into_iter().next() }
    }

    /// The stamps of a prefix.
    pub fn of_prefix(crd: &CustomResourceDefinition, prefix: &str) -> Self {
        let stamp = |name: &str| {
            let text = crd.annotations.get(&*format!("{prefix}/{name}"))?;
            Some(Stamp { prefix: prefix.to_owned(), text: text.to_string() })
        };
        Self { version: stamp(BUNDLE_VERSION), channel: stamp(CHANNEL) }
    }

    /// Their prefix, if there is a stamp.
    pub fn prefix(&self) -> Option<&str> {
        self.channel.as_ref().or(self.version.as_ref()).map(|stamp| &*stamp.prefix)
    }

    /// What the stamp of the bundle names, if there is one.
    pub fn bundle(&self) -> Option<BundleStamp> {
        self.version.as_ref().map(|stamp| BundleStamp::of(&stamp.text))
    }

    /// The channel, if there is a stamp of one that we know.
    pub fn known_channel(&self) -> Option<Channel> {
        self.channel.as_ref().and_then(|stamp| Channel::named(&stamp.text))
    }
}
