//! The CRDs that a user names, as `kubectl` accepts names.

use crd_cluster::InstalledCrd;
use crd_diagnostics::{Diagnostic, fail_on};
use crd_model::CustomResourceDefinition;

use crate::migrate::codes::NOT_INSTALLED;

/// The CRDs of these names: the whole name, the plural, the singular, the kind, or a short name.
///
/// # Errors
/// Every name that is not installed, or is not clear.
pub fn select(crds: Vec<InstalledCrd>, names: &[String]) -> Result<Vec<InstalledCrd>, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    for name in names {
        let found =
            crds.iter().filter(|installed| is_named(installed, name)).map(|installed| &*installed.metadata.name);
        match *found.collect::<Vec<_>>() {
            [] => {
                let help = "name a CRD by its name, its plural or its kind; `kubectl get crds` lists them";
                errors.push(NOT_INSTALLED.finding(format!("the cluster does not have the CRD `{name}`")).help(help));
            }
            [_] => {}
            ref several => {
                let message = format!("`{name}` can be {}", several.join(" or "));
                errors.push(NOT_INSTALLED.finding(message).help("write the whole name"));
            }
        }
    }
    fail_on(errors)?;
    Ok(crds.into_iter().filter(|installed| names.iter().any(|name| is_named(installed, name))).collect())
}

/// Whether a name is that of the CRD, or a name of its resource as `kubectl` accepts it.
fn is_named(installed: &InstalledCrd, name: &str) -> bool {
    installed.metadata.name == name || installed.crd.as_ref().is_ok_and(|crd| is_name_of(crd, name))
}

/// Whether a name is that of a CRD, or a name of its resource as `kubectl` accepts it.
pub fn is_name_of(crd: &CustomResourceDefinition, name: &str) -> bool {
    let names = &crd.names;
    let single = [Some(&names.plural), Some(&names.kind), names.singular.as_ref()];
    let mut known = single.into_iter().flatten().chain(&names.short_names);
    crd.name == name || known.any(|known| known.eq_ignore_ascii_case(name))
}
