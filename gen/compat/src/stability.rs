//! The stability of API versions, from their names.

use crd_model::crd::is_alpha;
pub(crate) use crd_model::crd::is_ga;

use crate::change::Location;
use crate::context::Context;
use crate::required_bump::RequiredBump;

/// True for a change of an alpha version, or of a resource that has only alpha versions.
pub(crate) fn concerns_alpha(location: &Location<'_>) -> bool {
    match (location.version(), location.old_crd.or(location.new_crd)) {
        (Some(version), _) => is_alpha(version),
        (None, Some(crd)) => crd.versions.iter().all(|version| is_alpha(&version.name)),
        (None, None) => false,
    }
}

/// The bump with which a stable channel may drop a resource before a major release; none for the usual bump.
pub(crate) fn bump_of_removal(location: &Location<'_>, context: &Context<'_>) -> Option<RequiredBump> {
    let versions = location.old_crd.map(|crd| crd.versions.as_slice()).unwrap_or_default();
    let has_ga = versions.iter().any(|version| is_ga(&version.name));
    let long_deprecated = context.declared.long_deprecated.contains(location.crd());
    (context.column.is_stable() && !has_ga && long_deprecated).then_some(RequiredBump::Minor)
}
