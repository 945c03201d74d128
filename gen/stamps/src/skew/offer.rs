//! What a client finds: the kinds and API versions of a channel of a bundle, or of a cluster.
//!
//! Invariant: served versions are in the order of the server, the preferred one first.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use crd_model::crd::priority;
use crd_model::{CustomResourceDefinition, Schema};

/// Kinds with their API versions.
#[derive(Clone, Debug, Default)]
pub struct Offer {
    kinds: BTreeMap<(String, String), OfferedKind>,
}

/// A kind, and its API versions.
#[derive(Clone, Debug, Default)]
pub struct OfferedKind {
    /// The versions that are served, in the order of the server.
    pub served: Vec<String>,
    /// The versions that the CRD has and the server does not serve.
    pub unserved: Vec<String>,
    /// The CRD; nothing if only discovery was read.
    pub crd: Option<Arc<CustomResourceDefinition>>,
}

impl Offer {
    /// The kinds of these CRDs. Servers order the versions by their names.
    #[must_use]
    pub fn of_crds(crds: &[Arc<CustomResourceDefinition>]) -> Self {
        let kind = |crd: &Arc<CustomResourceDefinition>| {
            let mut versions = crd.versions.iter().collect::<Vec<_>>();
            versions.sort_by(|one, other| Reverse(priority(&one.name)).cmp(&Reverse(priority(&other.name))));
            let names = |served: bool| versions.iter().filter(move |version| version.served == served);
            let [served, unserved] = [true, false].map(|served| names(served).map(|of| of.name.to_string()).collect());
            let kind = OfferedKind { served, unserved, crd: Some(Arc::clone(crd)) };
            ((crd.group.to_string(), crd.names.kind.to_string()), kind)
        };
        Self { kinds: crds.iter().map(kind).collect() }
    }

    /// The kinds that discovery lists: group, kind and version, in the order of the server.
    #[must_use]
    pub fn of_discovery<'d>(served: impl IntoIterator<Item = (&'d str, &'d str, &'d str)>) -> Self {
        let mut kinds: BTreeMap<_, OfferedKind> = BTreeMap::new();
        for (group, kind, version) in served {
            let offered = kinds.entry((group.to_owned(), kind.to_owned())).or_default();
            if offered.served.iter().all(|known| known != version) {
                offered.served.push(version.to_owned());
            }
        }
        Self { kinds }
    }

    /// A kind. A kind without a served version is there for no client.
    #[must_use]
    pub fn kind(&self, group: &str, kind: &str) -> Option<&OfferedKind> {
        self.kinds.get(&(group.to_owned(), kind.to_owned())).filter(|offered| !offered.served.is_empty())
    }
}

impl OfferedKind {
    /// The schema of a version, if it is known.
    #[must_use]
    pub fn schema(&self, version: &str) -> Option<&Schema> {
        Some(&self.crd.as_ref()?.version(version)?.schema)
    }
}
