//! Takes a version of a CRD out of service, or puts it back, before anything is removed ("API versioning guide": a version is not served for at
//! least one release before it is removed).
//!
//! Invariants: only `served` of one version changes, and only if the CRD has not changed since it was read. A CRD keeps a served version.

use crd_cluster::{Cluster, InstalledCrd, Part, Resource, Written};
use crd_diagnostics::Diagnostic;
use serde_json::json;

use crate::migrate::blocked::about;
use crate::migrate::codes;

/// What became of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Served {
    Changed,
    /// It was as requested already.
    Unchanged,
}

/// Serves a version of a CRD, or takes it out of service.
///
/// # Errors
/// If the CRD does not have the version, would serve none, was changed meanwhile, or cannot be written.
pub async fn set_served(
    cluster: &Cluster,
    installed: &InstalledCrd,
    version: &str,
    is_served: bool,
    is_dry_run: bool,
) -> Result<Served, Diagnostic> {
    let name = &*installed.metadata.name;
    let crd = installed.crd.as_ref().map_err(Clone::clone)?;
    let Some(index) = crd.versions.iter().position(|other| other.name == version) else {
        let names = crd.versions.iter().map(|version| version.name.to_string()).collect::<Vec<_>>().join(", ");
        let message = format!("it has no version {version}");
        return Err(about(&codes::UNKNOWN_VERSION, name, message).help(format!("its versions are {names}")));
    };
    if crd.versions.get(index).is_some_and(|version| version.served == is_served) {
        return Ok(Served::Unchanged);
    }
    if !is_served && crd.versions.iter().filter(|version| version.served).count() == 1 {
        let message = format!("{version} is the only version that it serves");
        return Err(about(&codes::LAST_VERSION, name, message).help("serve another version first"));
    }
    let operations = [
        json!({"op": "test", "path": "/metadata/resourceVersion", "value": installed.metadata.resource_version}),
        json!({"op": "test", "path": format!("/spec/versions/{index}/name"), "value": version}),
        json!({"op": "replace", "path": format!("/spec/versions/{index}/served"), "value": is_served}),
    ];
    let writer = cluster.writer(is_dry_run);
    match writer.patch(&Resource::crds(), &installed.metadata, Part::Object, &operations).await? {
        Written::Done(_) => Ok(Served::Changed),
        Written::Changed | Written::Gone => {
            // A patch whose answer was lost has done its work.
            let now = cluster.crd(name).await?.and_then(|(now, _)| now.crd.ok());
            match now.and_then(|now| Some(now.version(version)?.served)) == Some(is_served) {
                true => Ok(Served::Changed),
                false => Err(about(&codes::CHANGED, name, "it was changed at the same time").help("try again")),
            }
        }
        Written::Refused(diagnostic) => Err(diagnostic),
    }
}
