//! Who manages the CRDs: the programs that write them, and the releases of Helm that they belong to.

use std::collections::{BTreeMap, BTreeSet};

use crd_cluster::{InstalledCrd, Metadata};
use crd_diagnostics::Diagnostic;

use crate::codes;

/// The annotations with which Helm marks what belongs to a release.
const HELM_NAME: &str = "meta.helm.sh/release-name";
const HELM_NAMESPACE: &str = "meta.helm.sh/release-namespace";

/// The release of Helm that an object belongs to: `NAMESPACE/NAME`.
pub(crate) fn helm_release(metadata: &Metadata) -> Option<String> {
    let name = metadata.annotations.get(HELM_NAME)?;
    Some(match metadata.annotations.get(HELM_NAMESPACE) {
        Some(namespace) => format!("{namespace}/{name}"),
        None => name.clone(),
    })
}

/// The programs that write the object itself, not its status. All commands of `kubectl` are one program.
pub(crate) fn programs(metadata: &Metadata) -> BTreeSet<&str> {
    let managed = metadata.managed_fields.iter().filter(|field| field.subresource.is_none());
    let program = |manager: &'_ str| if manager.starts_with("kubectl") { "kubectl" } else { manager }.len();
    managed.map(|field| field.manager.get(..program(&field.manager)).unwrap_or(&field.manager)).collect()
}

/// What is wrong with the programs of one CRD.
pub(crate) fn finding(installed: &InstalledCrd) -> Option<Diagnostic> {
    let programs = programs(&installed.metadata);
    (programs.len() > 1).then(|| {
        let names = programs.into_iter().collect::<Vec<_>>().join(", ");
        codes::MANAGERS
            .finding(format!("it is written by several programs: {names}"))
            .help("let one program manage all CRDs of the bundle")
    })
}

/// What is wrong with the releases of Helm that the CRDs belong to.
pub(crate) fn owners<'c>(crds: impl Iterator<Item = &'c InstalledCrd>) -> Option<Diagnostic> {
    let mut owners: BTreeMap<Option<String>, Vec<&str>> = BTreeMap::new();
    for installed in crds {
        owners.entry(helm_release(&installed.metadata)).or_default().push(&installed.metadata.name);
    }
    (owners.len() > 1).then(|| {
        let in_words = |(owner, crds): (&Option<String>, &Vec<&str>)| {
            let first = crds.first().copied().unwrap_or_default();
            let crds = if crds.len() > 1 { format!("{first} and {} more", crds.len() - 1) } else { first.to_owned() };
            match owner {
                Some(release) => format!("the Helm release {release} owns {crds}"),
                None => format!("no Helm release owns {crds}"),
            }
        };
        let message = owners.iter().map(in_words).collect::<Vec<_>>().join("; ");
        codes::OWNERS.finding(message).help("install all CRDs with one release")
    })
}
