//! The discovery of kube-rs as an offer (feature `kube`).

use kube::Discovery;

use crate::skew::offer::Offer;

/// What a server lists: `Discovery::new(client).filter(&groups).run_aggregated()` reads it in one request.
impl From<&Discovery> for Offer {
    fn from(discovery: &Discovery) -> Self {
        let versions = discovery.groups().flat_map(|group| group.versions().map(move |version| (group, version)));
        let resources = versions.flat_map(|(group, version)| group.versioned_resources(version)).collect::<Vec<_>>();
        let names = resources.iter().map(|(resource, _)| (&*resource.group, &*resource.kind, &*resource.version));
        Self::of_discovery(names)
    }
}
