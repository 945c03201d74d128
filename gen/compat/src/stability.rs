//! The stability of API versions, from their names.

use crate::change::Location;
use crate::context::Context;
use crate::policy::Column;
use crate::required_bump::RequiredBump;

/// True for a GA version such as `v1`, false for `v1beta1`.
pub(crate) fn is_ga(version: &str) -> bool {
    version
        .strip_prefix('v')
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The bump with which standard may drop a resource before a major release; none for the usual bump.
pub(crate) fn bump_of_removal(location: &Location<'_>, context: &Context<'_>) -> Option<RequiredBump> {
    let versions = location.old_crd.map(|crd| crd.versions.as_slice()).unwrap_or_default();
    let has_ga = versions.iter().any(|version| is_ga(&version.name));
    let long_deprecated = context.declared.long_deprecated.contains(location.crd());
    (context.column == Column::Standard && !has_ga && long_deprecated).then_some(RequiredBump::Minor)
}
