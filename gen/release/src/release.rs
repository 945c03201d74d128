//! A release: the bundle and everything that its artefacts say of it.
//!
//! Invariants: channels stand from the most stable to the least; files of a channel are sorted by name; all CRDs carry the stamps of
//! version and channel.

use crd_bundle::admission::{Bundle, ReleasedChannel};
use crd_bundle::{BundleFile, BundleVersion, Released, files};
use crd_model::channel::Channel;
use crd_model::constants;
use crd_model::fit::Limit;
use crd_model::policy::Policy;
use crd_model::webhook::Webhook;

/// A bundle that is being released.
#[derive(Clone, Debug)]
pub struct Release {
    /// What the API is called: `gateway-api`. A DNS label.
    pub name: String,
    /// The prefix of its stamps: `gateway.networking.k8s.io`.
    pub prefix: String,
    pub version: BundleVersion,
    /// When it was released.
    pub released: Released,
    pub channels: Vec<ReleasedChannel>,
    /// The files next to the channels, such as `conversions.json`.
    pub documents: Vec<Artefact>,
    /// The validating webhook, if it has one.
    pub webhook: Option<Webhook>,
    /// The admission policies of its catalogue.
    pub policies: Vec<Policy>,
}

/// The name of the release notes in `dist/`.
pub const NOTES: &str = "release-notes.md";

/// A file of `dist/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artefact {
    /// Its name, or its path in `dist/`.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// What a file next to the channels contains.
pub(crate) fn what_is(document: &str) -> &'static str {
    match document {
        constants::FILE_NAME => "the recommended condition types and reasons",
        crd_convert::FILE_NAME => "how controllers convert objects of older bundles, as data",
        crd_stamps::features::FILE_NAME => "which conformance features fields need",
        "graduation.json" => "what only experimental has, and when it may graduate",
        _ => "",
    }
}

impl Release {
    /// The CRDs of a channel; none if the bundle has no such channel.
    pub fn channel(&self, channel: Channel) -> &[BundleFile] {
        self.channels.iter().find(|released| released.channel == channel).map_or(&[], |released| &released.files)
    }

    /// The release with CRDs that lose descriptions until each is within a limit.
    ///
    /// # Errors
    /// Why CRDs do not fit, in words.
    pub fn fitted(&self, limit: Limit) -> Result<Self, Vec<String>> {
        let (mut fitted, mut errors) = (self.clone(), Vec::new());
        for ReleasedChannel { files: of_channel, .. } in &mut fitted.channels {
            let crds = of_channel.iter().map(|file| limit.fit(&file.crd, Clone::clone));
            *of_channel = files(crds.filter_map(|crd| crd.map_err(|error| errors.push(error)).ok()));
        }
        if errors.is_empty() { Ok(fitted) } else { Err(errors) }
    }

    /// The purpose of a channel, next to the other channels of this release.
    pub fn purpose(&self, channel: Channel) -> &'static str {
        let is_alone = self.channels.iter().all(|released| released.channel == channel);
        match channel {
            Channel::Standard if is_alone => "the whole API",
            // Of standard there is nothing that it could hold.
            Channel::Experimental if is_alone => "what may still change",
            channel => channel.row().purpose,
        }
    }

    /// The version as Helm and package managers write it: without its `v`.
    pub fn plain_version(&self) -> String {
        self.version.to_string().trim_start_matches('v').to_owned()
    }
}

impl<'r> From<&'r Release> for Bundle<'r> {
    fn from(release: &'r Release) -> Self {
        let Release { name, prefix, version, channels, policies, .. } = release;
        Self { name, prefix, version, channels, policies }
    }
}
