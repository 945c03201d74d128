//! Stamps: the annotations that say which bundle and channel a CRD belongs to.
//!
//! Invariants: both stamps or none; the prefix belongs to the catalogue (GEP-922: `gateway.networking.k8s.io/…`).

use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use serde::Serialize;

use crate::BundleVersion;

/// Behind the prefix and a slash: the stamp of the bundle version.
pub const BUNDLE_VERSION: &str = "bundle-version";
/// Behind the prefix and a slash: the stamp of the channel.
pub const CHANNEL: &str = "channel";

/// A bundle in a channel, in documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BundlePart<V = BundleVersion> {
    /// The bundle version, or the month.
    pub version: V,
    /// The channel.
    pub channel: Channel,
}

impl<V> From<(V, Channel)> for BundlePart<V> {
    fn from((version, channel): (V, Channel)) -> Self {
        Self { version, channel }
    }
}

/// Stamps a CRD.
pub fn stamp(crd: &mut CustomResourceDefinition, prefix: &str, version: BundleVersion, channel: Channel) {
    crd.annotations.insert(format!("{prefix}/{BUNDLE_VERSION}").into(), version.to_string().into());
    crd.annotations.insert(format!("{prefix}/{CHANNEL}").into(), channel.name().into());
}

/// Whether the text of a CRD carries a stamp of that prefix: whether it was generated here.
pub fn is_stamped(yaml: &str, prefix: &str) -> bool {
    yaml.contains("kind: CustomResourceDefinition") && yaml.contains(&format!("{prefix}/{BUNDLE_VERSION}:"))
}
