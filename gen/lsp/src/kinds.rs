//! The kinds that objects of a project can have.

use crd_model::channel::Channel;
use crd_model::crd::{CustomResourceDefinition, Version};
use crd_suite::objects::validation::KnownCrd;

/// The CRDs of a project; those of another channel are kept apart.
#[derive(Clone, Debug, Default)]
pub struct Kinds {
    crds: Vec<KnownCrd>,
}

impl Kinds {
    pub fn new(crds: Vec<KnownCrd>) -> Self {
        Self { crds }
    }

    /// The served version of an API version and a kind.
    pub(crate) fn version(&self, api_version: &str, kind: &str) -> Option<(&CustomResourceDefinition, &Version)> {
        self.known(api_version, kind)
            .find(|(known, _)| known.left_out.is_none())
            .map(|(known, version)| (&known.crd, version))
    }

    /// The same version in a channel that objects are not validated against.
    pub(crate) fn in_other_channel(&self, api_version: &str, kind: &str) -> Option<(Channel, &Version)> {
        self.known(api_version, kind).find_map(|(known, version)| Some((known.left_out?, version)))
    }

    /// Every API version with its kind.
    pub(crate) fn all(&self) -> impl Iterator<Item = (String, &str)> {
        let here = self.crds.iter().filter(|known| known.left_out.is_none());
        here.flat_map(|known| {
            let versions = known.crd.versions.iter().filter(|version| version.served);
            versions.map(|version| (format!("{}/{}", known.crd.group, version.name), &*known.crd.names.kind))
        })
    }

    fn known(&self, api_version: &str, kind: &str) -> impl Iterator<Item = (&KnownCrd, &Version)> {
        let (group, name) = api_version.split_once('/').unwrap_or(("", api_version));
        let of_kind = self.crds.iter().filter(move |known| known.crd.group == group && known.crd.names.kind == kind);
        of_kind.filter_map(move |known| {
            let version = known.crd.versions.iter().find(|version| version.name == name && version.served)?;
            Some((known, version))
        })
    }
}
