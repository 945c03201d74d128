//! A release: the CRDs of one version by channel, and what is known about them.
//!
//! Every reader makes this value: of bundles in `bundles/`, of the history archive, and of published files, whose version may be unknown. So do the
//! types of the next version.
//!
//! Invariants: each channel is as its reader orders it. Neighbours share equal CRDs of the history archive.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crd_convert::Lens;
use crd_diagnostics::Diagnostic;
use crd_model::constants::Constants;
use crd_model::{Channels, CustomResourceDefinition, parallel};

use crate::published::Origin;
use crate::published::skips::LeftOut;
use crate::{BundleManifest, BundleVersion, Channel, Digest, Month, Released, structure};

/// A release, or CRDs that the user names.
#[derive(Clone, Debug)]
pub struct Release {
    /// As the user named it.
    pub name: String,
    /// Its version: by its folder, its manifest, or the stamps that all CRDs of its largest project agree on.
    pub version: Option<BundleVersion>,
    /// Its release date, if it is known.
    pub released: Option<Released>,
    /// Its manifest, if it has one.
    pub manifest: Option<BundleManifest>,
    /// The digest of the manifest's file.
    pub manifest_digest: Option<Digest>,
    /// Its recommended condition types and reasons, if it lists them.
    pub constants: Option<Constants>,
    /// The lenses that it was published with.
    pub lenses: Vec<Lens>,
    /// Its CRDs by channel.
    pub channels: Channels,
    /// Whether stamps, folders or the user name a channel. CRDs of other projects have none.
    pub has_channels: bool,
    /// Whether its CRDs are structures without texts and stamps, as in the history archive.
    pub is_structure: bool,
    /// Where each CRD comes from, in the same order. Those of the history archive have no origin.
    pub origins: BTreeMap<Channel, Vec<Origin>>,
    /// Files and CRDs that were left out, and what of a layout is not applied.
    pub left_out: Vec<LeftOut>,
    /// What servers would leave out of the CRDs, and other warnings about their files.
    pub warnings: Vec<Diagnostic>,
}

impl Release {
    /// A release with these CRDs, about which nothing else is known.
    pub fn new(name: impl Into<String>, version: Option<BundleVersion>, channels: Channels) -> Self {
        Self {
            name: name.into(),
            version,
            released: None,
            manifest: None,
            manifest_digest: None,
            constants: None,
            lenses: Vec::new(),
            channels,
            has_channels: true,
            is_structure: false,
            origins: BTreeMap::new(),
            left_out: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Its version, or a clause why it is unknown.
    ///
    /// # Errors
    /// The version is unknown.
    pub fn known_version(&self) -> Result<BundleVersion, String> {
        self.version.ok_or_else(|| {
            let name = &self.name;
            if let Some(month) = self.month() {
                return format!("no bump can be determined for {month} (`{name}`)");
            }
            let stamps = self.origins().filter_map(|(.., origin)| origin.stamps.version.as_ref());
            let texts = stamps.map(|stamp| &*stamp.text).collect::<BTreeSet<_>>();
            match texts.iter().find(|text| text.parse::<BundleVersion>().is_err()) {
                Some(text) => format!("the version `{text}` of `{name}` is not a semantic version such as v1.2.3"),
                None if texts.len() > 1 => format!("the CRDs of `{name}` have different versions"),
                None => format!("the version of `{name}` is unknown"),
            }
        })
    }

    /// The month of its stamps; nothing for a version.
    pub fn month(&self) -> Option<Month> {
        self.origins().filter(|_| self.version.is_none()).find_map(|(.., origin)| origin.stamps.bundle()?.month())
    }

    /// The CRDs and versions in which the cluster that the CRDs come from stores objects.
    pub fn stored_in_cluster(&self) -> impl Iterator<Item = (String, String)> {
        self.origins().flat_map(|(_, crd, origin)| {
            origin.stored_versions.iter().map(|version| (crd.name.to_string(), version.clone()))
        })
    }

    /// Whether a CRD has a stamp of a version or a month, readable or not.
    pub fn has_version_stamps(&self) -> bool {
        self.origins().any(|(_, _, origin)| origin.stamps.version.is_some())
    }

    /// The CRDs with their channels, and where they come from.
    pub fn origins(&self) -> impl Iterator<Item = (Channel, &CustomResourceDefinition, &Origin)> {
        self.channels.iter().flat_map(|(channel, crds)| {
            let origins = self.origins.get(channel).into_iter().flatten();
            crds.iter().zip(origins).map(|(crd, origin)| (*channel, &**crd, origin))
        })
    }

    /// The CRDs with their channels.
    pub fn crds(&self) -> impl Iterator<Item = (Channel, &CustomResourceDefinition)> + Clone {
        self.channels.iter().flat_map(|(channel, crds)| crds.iter().map(|crd| (*channel, &**crd)))
    }

    /// The CRDs of a channel.
    pub fn of_channel(&self, channel: Channel) -> &[Arc<CustomResourceDefinition>] {
        self.channels.get(&channel).map(Vec::as_slice).unwrap_or_default()
    }

    /// A CRD of a channel.
    pub fn crd(&self, channel: Channel, name: &str) -> Option<&CustomResourceDefinition> {
        self.of_channel(channel).iter().find(|crd| crd.name == name).map(|crd| &**crd)
    }

    /// The CRDs without texts and stamps.
    #[must_use]
    pub fn structures(&self) -> Channels {
        if self.is_structure {
            return self.channels.clone();
        }
        let structures = |crds: &Vec<Arc<_>>| parallel::each(crds, |crd| Arc::new(structure(crd)));
        self.channels.iter().map(|(channel, crds)| (*channel, structures(crds))).collect()
    }

    /// Whether its CRDs have descriptions.
    pub fn has_text(&self) -> bool {
        let mut nodes = self.crds().flat_map(|(_, crd)| &crd.versions).flat_map(|version| version.schema.all_nodes());
        nodes.any(|node| node.description.is_some())
    }
}
