//! What a cluster offers a client.
//!
//! Invariant: a CRD of the client's groups that cannot be read is an error, because its kind would be reported as absent.

use std::collections::BTreeMap;
use std::sync::Arc;

use crd_cluster::{Cluster, InstalledCrd, Selection, run};
use crd_diagnostics::Diagnostic;
use crd_generator::session::Session;
use crd_stamps::installed::Stamps;
use crd_stamps::skew::{Bundle, Bundles, Cell, Client, Offer};

/// The verdict about a client on a cluster, and the address of the cluster.
pub(crate) fn cell(
    context: Option<&str>,
    client: &Client,
    bundles: &Bundles,
    session: &Session<'_>,
) -> Result<(Cell, String), Vec<Diagnostic>> {
    session.begin("reading the CRDs of the cluster");
    let groups = client.kinds.iter().map(|kind| kind.group.as_str());
    let (installed, address) = run(async {
        let cluster = Cluster::connect(context).await?;
        let installed = cluster.crds(&Selection::all().and_groups(groups)).await?;
        Ok((installed, cluster.server().address.clone()))
    })?;
    let bundle = installed_bundle(&installed);
    let crds = crd_diagnostics::all(installed.into_iter().map(|installed| installed.crd.map(Arc::new)))?;
    Ok((bundles.on(client, &Offer::of_crds(&crds), bundle), address))
}

/// The bundle that most CRDs are stamped with. The prefix of the stamps is not known: every prefix counts.
fn installed_bundle(installed: &[InstalledCrd]) -> Option<Bundle> {
    let mut numbers: BTreeMap<Bundle, usize> = BTreeMap::new();
    for metadata in installed.iter().map(|installed| &installed.metadata) {
        for prefix in metadata.annotations.keys().filter_map(|key| key.strip_suffix("/bundle-version")) {
            let annotations = metadata.annotations.iter().map(|(key, value)| (key.as_str(), value.as_str()));
            let part = Stamps::of(&metadata.name, prefix, annotations).part();
            let bundle = part.and_then(|(stamp, channel)| Some((stamp.version()?, channel)));
            bundle.into_iter().for_each(|bundle| *numbers.entry(bundle).or_default() += 1);
        }
    }
    numbers.into_iter().max_by_key(|(_, number)| *number).map(|(bundle, _)| bundle)
}
