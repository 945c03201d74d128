//! The CRDs that the user names, or those of the API.

use crd_cluster::{Cluster, InstalledCrd, Selection};
use crd_diagnostics::Diagnostic;
use crd_upgrade::inspect::{Api, KnownBundles};

/// The CRDs of these names, or of the API with this prefix, or of the only API, in the order of their names.
///
/// # Errors
/// Why they cannot be listed, and every name that is not installed or is not clear.
pub(crate) async fn select(
    cluster: &Cluster,
    names: &[String],
    prefix: Option<&str>,
) -> Result<Vec<InstalledCrd>, Vec<Diagnostic>> {
    let crds = cluster.crds(&prefix.map_or_else(Selection::all, Selection::prefix)).await?;
    match prefix {
        _ if !names.is_empty() => crd_upgrade::migrate::select(crds, names),
        Some(_) => Ok(crds),
        None => Ok(cluster.crds(&Api::find(None, [], &KnownBundles::default(), &crds)?.selection()).await?),
    }
}

/// The name of the API that is meant, and its installed CRDs, also those of the groups of known releases. `target` are the names of the CRDs to
/// go to.
///
/// # Errors
/// Why they cannot be listed, and a prefix that is not clear.
pub(crate) async fn api(
    cluster: &Cluster,
    prefix: Option<&str>,
    target: impl IntoIterator<Item = &str>,
    known: &KnownBundles,
) -> Result<(String, Vec<InstalledCrd>), Diagnostic> {
    let mut crds = cluster.crds(&Selection::all()).await?;
    let api = Api::find(prefix, target, known, &crds)?;
    let selection = api.selection();
    crds.retain(|installed| selection.contains(&installed.metadata));
    Ok((api.name().to_owned(), crds))
}
