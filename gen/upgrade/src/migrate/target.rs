//! What a migration goes to: the CRDs of a bundle, and what converts objects to their form.

use std::collections::BTreeSet;

use crd_convert::Conversions;
use crd_model::CustomResourceDefinition;

/// A bundle in one channel.
#[derive(Debug)]
pub struct Target {
    /// Its name, such as `v1.6.1 standard`.
    pub name: String,
    /// Its CRDs, with their stamps and texts.
    pub crds: Vec<CustomResourceDefinition>,
    /// The CRDs of the same bundle in experimental, if the target is of standard: their values are kept in an annotation.
    pub experimental: Vec<CustomResourceDefinition>,
    /// The CRDs of other releases: objects may have been stored in their form.
    pub known: Vec<CustomResourceDefinition>,
    /// The lenses up to the bundle.
    pub conversions: Conversions,
    /// Paths whose values may be dropped, without the indices of lists, such as `spec.listeners.tls.options`.
    pub drops: BTreeSet<String>,
    /// Whether values of removed fields are looked for where the target is installed already.
    pub looks_for_removed_fields: bool,
}

impl Target {
    /// The CRD of this name.
    pub fn crd(&self, name: &str) -> Option<&CustomResourceDefinition> {
        self.crds.iter().find(|crd| crd.name == name)
    }

    /// The CRD of the kind that replaces this one, if a lens goes to another kind.
    pub(crate) fn successor(&self, group: &str, kind: &str) -> Option<&CustomResourceDefinition> {
        let (group, kind) = self.conversions.successor(group, kind)?;
        self.crds.iter().find(|crd| crd.group == group && crd.names.kind == kind)
    }

    pub(crate) fn known<'t>(&'t self, name: &'t str) -> Vec<&'t CustomResourceDefinition> {
        self.known.iter().filter(|crd| crd.name == name).collect()
    }
}

/// The version through which objects are read and written: the stored one if it is served.
pub(crate) fn through(crd: &CustomResourceDefinition) -> Option<&str> {
    crd.preferred().map(|version| &*version.name)
}
