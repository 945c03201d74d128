//! The versions of a CRD: served, stored, and what is needed before one of them can be removed.

use crd_cluster::InstalledCrd;
use crd_diagnostics::Diagnostic;
use crd_model::CustomResourceDefinition;

use crate::inspect::codes;

/// What is wrong with the stored versions ("Versions in CustomResourceDefinitions", *Upgrade existing objects to a new stored version*, Kubernetes
/// documentation).
pub(crate) fn findings(installed: &InstalledCrd, crd: &CustomResourceDefinition) -> Vec<Diagnostic> {
    let storage = crd.storage().map(|version| &version.name);
    let finding = |stored: &String| {
        let name = &installed.metadata.name;
        let of_version = |finding: Diagnostic| finding.of_crd(name.clone(), Some(stored.clone()), "");
        let Some(version) = crd.version(stored) else {
            let message = format!("objects may be stored as {stored}, which the CRD does not have");
            let help = format!("add {stored} again with `served: false`, and migrate the objects");
            return Some(of_version(codes::STORED_MISSING.finding(message)).help(help));
        };
        let storage = storage.filter(|storage| *storage != stored)?;
        let (code, state) = match version.served {
            true => (codes::STORED_UNPRUNED, "which is not the storage version"),
            false => (codes::STORED_UNSERVED, "which is not served"),
        };
        let message = format!("objects may be stored as {stored}, {state}");
        let help = format!(
            "write each object once, so that it is stored as {storage}; then remove {stored} from `status.storedVersions`"
        );
        Some(of_version(code.finding(message)).help(help))
    };
    installed.stored_versions.iter().filter_map(finding).collect()
}
