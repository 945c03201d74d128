//! ReferenceGrants: whether a namespace permits references from another one (GEP-709).

use crd_channels::Resource;
use crd_webhook::Objects;
use gateway_api_types::v1::ReferenceGrant;

use crate::reference::Target;

/// Whether a grant permits references of the objects of a kind in the namespace `own` to a target in the namespace `other`; nothing if
/// grants are not known.
pub(crate) fn permits<From: Resource>(objects: &Objects, own: &str, target: &Target<'_>, other: &str) -> Option<bool> {
    let grants = objects.in_namespace::<ReferenceGrant>(other)?;
    let permits = |grant: &ReferenceGrant| {
        let mut from = grant.spec.from.iter();
        let mut to = grant.spec.to.iter();
        from.any(|from| {
            from.group.0 == From::GROUP && from.kind.0 == <From as Resource>::KIND && from.namespace.0 == own
        }) && to.any(|to| {
            let is_named = to.name.as_ref().is_none_or(|name| name.0 == target.name);
            is_named && to.group.0 == target.group && to.kind.0 == target.kind
        })
    };
    Some(grants.iter().any(|grant| permits(grant)))
}
