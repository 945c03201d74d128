//! Transitional CRDs: what a server has while the objects of a resource get the form of a target CRD.
//!
//! The way is: installed CRD → [`open`] → [`gate`] → target CRD. Objects in etcd may have the form of the installed CRD or of any older release,
//! because a server keeps the values of removed fields until the next write.
//!
//! Invariants:
//! * Neither transitional CRD prunes a value that the installed CRD or an older release has.
//! * What the installed CRD, an older release or the target accepts, [`open`] accepts.
//! * What the target accepts, [`gate`] accepts. It refuses the fields of the installed CRD and older releases that the target does not have.
//! * Nothing here checks whether a server accepts the change: the kind and the scope must be the same on all sides, and the conversion strategy
//!   must be `None`.

mod nodes;
mod old_forms;
mod union;

use std::borrow::Cow;

use crd_model::crd::{CustomResourceDefinition, Names, Subresources, Version};
use crd_model::schema::{Schema, Text};

use nodes::Nodes;

/// The CRD in which objects of all forms are read and written: each version of the installed CRD and of the target, all with one schema that has
/// the fields of all sides and no rules.
///
/// It stores in the storage version of the target. Labels and annotations are those of the installed CRD.
///
/// A default of the installed CRD stays if the storage version of the target has its field, with the same type, and would not prune the default.
/// A default of another field would bring an old form back after its conversion.
pub fn open(
    installed: &CustomResourceDefinition,
    known: &[&CustomResourceDefinition],
    target: &CustomResourceDefinition,
    stored_versions: &[String],
) -> CustomResourceDefinition {
    let all = [installed, target].into_iter().chain(known.iter().copied()).flat_map(schemas).collect::<Vec<_>>();
    let mut schema = union::of_resources(&Nodes::new(&all));
    if let (Some(old), Some(new)) = (installed.storage(), target.storage()) {
        union::keep_defaults(&mut schema, &old.schema, &new.schema);
    }
    // Versions with one schema have the same selectable fields, or servers refuse the CRD.
    let selectable = installed.storage().map(|version| version.selectable_fields.as_slice()).unwrap_or_default();
    let selectable = selectable.iter().filter(|path| is_selectable(&schema, path)).cloned().collect::<Vec<_>>();
    let with = |name: &Text, [old, new]: [Option<&Version>; 2]| {
        let presented = old.or(new).cloned().unwrap_or_default();
        let has_status = |version: &Version| version.subresources.as_ref().is_some_and(|sub| sub.status);
        let sides = || old.into_iter().chain(new);
        Version {
            name: name.clone(),
            schema: schema.clone(),
            selectable_fields: selectable.clone(),
            served: sides().any(|version| version.served),
            storage: new.is_some_and(|version| version.storage),
            subresources: sides()
                .any(has_status)
                .then(|| Subresources { status: true, ..presented.subresources.clone().unwrap_or_default() })
                .or(presented.subresources),
            ..presented
        }
    };
    let versions = names_of_versions(installed, target, stored_versions);
    let versions = versions.iter().map(|name| with(name, [installed.version(name), target.version(name)]));
    transitional(installed, target, versions.collect())
}

/// The CRD that accepts what the target accepts and prunes nothing when it reads objects of older forms.
///
/// Its versions are those of the target. A version that only the installed CRD has, or that is stored, is not served. Labels and annotations are
/// those of the installed CRD, so that it does not have the stamps of the target.
///
/// A field that the installed CRD or an older release has, and this version of the target does not have, has no valid values: it has `not: {}`, and
/// the error of the server names it. As for each rule, servers accept an update that leaves such a value as it is, but not in an item of an atomic
/// list that changes. So an object of an old form can still be deleted, and its status can be written.
///
/// Limits: values of a field that is `x-kubernetes-int-or-string` in the target and was an object are pruned. Fields that an older release keeps
/// without listing them are accepted.
pub fn gate(
    installed: &CustomResourceDefinition,
    known: &[&CustomResourceDefinition],
    target: &CustomResourceDefinition,
    stored_versions: &[String],
) -> CustomResourceDefinition {
    let old = [installed].into_iter().chain(known.iter().copied()).flat_map(schemas).collect::<Vec<_>>();
    let versions = names_of_versions(installed, target, stored_versions);
    let versions = versions.iter().filter_map(|name| {
        let own = target.version(name).cloned();
        let mut version = own.or_else(|| {
            let stored = target.storage()?.clone();
            Some(Version { name: name.clone(), served: false, storage: false, ..stored })
        })?;
        old_forms::refuse(&mut version.schema, &Nodes::new(&old));
        Some(version)
    });
    transitional(installed, target, versions.collect())
}

/// Whether objects may have a form that the target prunes: a field of the installed CRD or of an older release is missing in the storage version of
/// the target, or has another type there.
pub fn may_have_old_forms(
    installed: &CustomResourceDefinition,
    known: &[&CustomResourceDefinition],
    target: &CustomResourceDefinition,
) -> bool {
    let old = [installed].into_iter().chain(known.iter().copied()).flat_map(schemas).collect::<Vec<_>>();
    target.storage().is_none_or(|target| old_forms::refuse(&mut target.schema.clone(), &Nodes::new(&old)))
}

/// The parts outside versions. A server refuses another group, plural, kind or scope.
fn transitional(
    installed: &CustomResourceDefinition,
    target: &CustomResourceDefinition,
    versions: Vec<Version>,
) -> CustomResourceDefinition {
    let Names { kind, plural, .. } = installed.names.clone();
    CustomResourceDefinition {
        names: Names { kind, plural, ..target.names.clone() },
        versions,
        conversion: None,
        preserve_unknown_fields: None,
        ..installed.clone()
    }
}

/// The names of the versions of a transitional CRD, in order.
fn names_of_versions(
    installed: &CustomResourceDefinition,
    target: &CustomResourceDefinition,
    stored_versions: &[String],
) -> Vec<Text> {
    let known = installed.versions.iter().chain(&target.versions).map(|version| version.name.clone());
    let mut names = known.chain(stored_versions.iter().map(|name| name.clone().into())).collect::<Vec<_>>();
    names.sort();
    names.dedup();
    names
}

/// The schemas of all versions, as servers read objects with them.
fn schemas(crd: &CustomResourceDefinition) -> impl Iterator<Item = Cow<'_, Schema>> {
    let preserves = crd.preserve_unknown_fields == Some(true);
    crd.versions.iter().map(move |version| {
        let mut schema = Cow::Borrowed(&version.schema);
        if preserves {
            schema.to_mut().each_mut(&mut |node| {
                node.preserve_unknown_fields = node.preserve_unknown_fields.or(is_object(node).then_some(true));
            });
        }
        // Such as the one of a CRD without a schema.
        if !is_object(&schema) {
            schema.to_mut().kind = Some("object".into());
        }
        schema
    })
}

fn is_object(node: &Schema) -> bool {
    node.kind.as_deref() == Some("object")
}

/// Whether a path such as `.spec.name` leads to a value that servers can select.
fn is_selectable(schema: &Schema, path: &str) -> bool {
    let Some(path) = path.strip_prefix('.') else { return false };
    let node = path.split('.').try_fold(schema, Schema::entry);
    node.and_then(|node| node.kind.as_deref()).is_some_and(|kind| matches!(kind, "string" | "integer" | "boolean"))
}
