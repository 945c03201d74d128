//! The walk: two bundles together, and every change between them.
//!
//! Invariants:
//! * Every property of a CRD is compared. The structs are destructured without `..`: a new property of the model does not compile until
//!   it is compared here. [`crd_inclusion::differences`] does the same for schemas.
//! * What an API server treats as equal is equal: no conversion is the strategy `None`, no port of its webhook is 443, no singular is the kind in
//!   lower case. What installers write is not compared.
//! * CRDs, versions and print columns with the same name are compared in their order: the first with the first.
//! * Walking from the new bundle to the old one finds the mirror image.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crd_inclusion::{
    Difference, Edit, Elsewhere, LocatedDifference, Position, Presence, Prover, differences_of_version, memberships,
    orders, paired, text,
};
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_model::crd::{Names, PrinterColumn, Subresources, Version};
use crd_model::schema::Text;
use serde_json::{Value, json};

use crate::change::{Change, Column, LocatedChange, Location};
use crate::project::STAMPS;
use crate::rule::labels_and_annotations::is_of_installer;
use crate::scaled::{counts, scaled};

/// The declared new names of fields, by CRD and whole old path, and the fields of earlier releases. The split of the path into struct and name
/// has no meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renames {
    names: BTreeMap<(String, String), String>,
    /// The CRD and the whole path.
    removed: BTreeSet<(String, String)>,
}

impl Renames {
    /// Declares that the field `old` of the struct at `path` of this CRD has the new name `new`.
    pub fn declare(&mut self, crd: &str, path: &str, old: &str, new: &str) {
        self.names.insert((crd.to_owned(), whole(path, old)), new.to_owned());
    }

    /// Adds a field that an earlier release had: stored objects may have it.
    pub fn had(&mut self, crd: String, whole_path: String) {
        self.removed.insert((crd, whole_path));
    }

    /// Leaves out the fields that a release has again: each by its CRD and its whole path.
    pub fn has(&mut self, fields: &BTreeSet<(String, String)>) {
        self.removed.retain(|field| !fields.contains(field));
    }

    /// The new name of a field.
    pub fn of(&self, crd: &str, path: &str, old: &str) -> Option<&str> {
        self.names.get(&(crd.to_owned(), whole(path, old))).map(String::as_str)
    }
}

/// A path and what follows it, which may have more than one name.
fn whole(path: &str, rest: &str) -> String {
    if path.is_empty() { rest.to_owned() } else { format!("{path}.{rest}") }
}

/// Every change between the CRDs of one channel, by the name of the CRD, then in the order of the schema.
pub fn changes<'a, C: Borrow<CustomResourceDefinition> + 'a>(
    channel: Channel,
    old: impl IntoIterator<Item = &'a C>,
    new: impl IntoIterator<Item = &'a C>,
    renames: &Renames,
) -> Vec<LocatedChange<'a>> {
    changes_of_bundles(channel, old, new, renames, &Arc::default())
}

/// The same, with what the channels of two bundles share.
pub(crate) fn changes_of_bundles<'a, C: Borrow<CustomResourceDefinition> + 'a>(
    channel: Channel,
    old: impl IntoIterator<Item = &'a C>,
    new: impl IntoIterator<Item = &'a C>,
    renames: &Renames,
    prover: &Arc<Prover>,
) -> Vec<LocatedChange<'a>> {
    let (old, new) =
        (old.into_iter().map(C::borrow).collect::<Vec<_>>(), new.into_iter().map(C::borrow).collect::<Vec<_>>());
    let mut pairs = paired(&old, &new, |crd| &*crd.name);
    pairs.sort_by_key(|(old, new)| old.or(*new).map(|crd| &*crd.name));
    let mut found = Vec::new();
    for (old_crd, new_crd) in pairs {
        let (old_crd, new_crd) = (old_crd.copied(), new_crd.copied());
        // Most CRDs of most bundles are equal, and comparing is cheaper than walking.
        if old_crd == new_crd {
            continue;
        }
        let position = Position::default();
        let location = Location { channel, old_crd, new_crd, old_version: None, new_version: None, position };
        let mut walk = Walk { location, renames, prover, found: &mut found };
        match (old_crd, new_crd) {
            (Some(old), Some(new)) => walk.crd(old, new),
            (Some(_), None) => walk.push(Change::Resource(Presence::Removed(()))),
            _ => walk.push(Change::Resource(Presence::Added(()))),
        }
    }
    found
}

struct Walk<'a, 'w> {
    location: Location<'a>,
    renames: &'w Renames,
    prover: &'w Arc<Prover>,
    found: &'w mut Vec<LocatedChange<'a>>,
}

impl<'a> Walk<'a, '_> {
    fn push(&mut self, change: Change<'a>) {
        self.found.push(LocatedChange { location: self.location.clone(), change });
    }

    fn edit<T>(&mut self, make: impl Fn(Edit<T>) -> Change<'a>, old: Option<T>, new: Option<T>)
    where
        T: PartialEq,
    {
        if let Some(edit) = Edit::between(old, new) {
            self.push(make(edit));
        }
    }

    fn flag(&mut self, make: impl Fn(Presence) -> Change<'a>, old: bool, new: bool) {
        if let Some(presence) = Presence::between(old, new) {
            self.push(make(presence));
        }
    }

    /// Two lists of names in which only membership counts: one change for each name that only one of them has, and one for the order.
    fn members(&mut self, make: impl Fn(Presence<&'a str>) -> Change<'a>, old: &'a [Text], new: &'a [Text]) {
        for presence in memberships(old, new) {
            self.push(make(presence));
        }
        let shared = |one: &'a [Text], other: &[Text]| {
            one.iter().filter(|name| other.contains(name)).map(|name| &**name).collect::<Vec<_>>()
        };
        let (old, new) = (shared(old, new), shared(new, old));
        if old != new {
            self.push(Change::Order { old, new });
        }
    }

    fn crd(&mut self, old: &'a CustomResourceDefinition, new: &'a CustomResourceDefinition) {
        let CustomResourceDefinition {
            name: _,
            annotations,
            labels,
            group,
            names,
            scope,
            versions,
            conversion,
            preserve_unknown_fields,
        } = old;
        if *group != new.group {
            self.push(Change::Group { old: group, new: &new.group });
        }
        self.names(names, &new.names);
        if *scope != new.scope {
            self.push(Change::Scope { old: *scope, new: new.scope });
        }
        fn conversion_of(crd: &Option<Value>) -> Option<&Value> {
            crd.as_ref().filter(|value| **value != json!({"strategy": "None"}))
        }
        let [before, after] = [conversion, &new.conversion].map(conversion_of);
        if before.map(completed) != after.map(completed) {
            self.edit(Change::Conversion, before, after);
        }
        self.flag(
            Change::PreserveUnknownFieldsOfAll,
            *preserve_unknown_fields == Some(true),
            new.preserve_unknown_fields == Some(true),
        );
        self.keyed(annotations, &new.annotations, |key, value| match STAMPS.iter().any(|stamp| key.ends_with(stamp)) {
            true => Change::Stamp { key, value },
            false => Change::Annotation { key, value },
        });
        self.keyed(labels, &new.labels, |key, value| Change::Label { key, value });
        self.versions(versions, &new.versions);
    }

    fn keyed(
        &mut self,
        old: &'a BTreeMap<Text, Text>,
        new: &'a BTreeMap<Text, Text>,
        make: impl Fn(&'a str, Edit<&'a str>) -> Change<'a>,
    ) {
        let mut keys = old.keys().chain(new.keys()).collect::<Vec<_>>();
        keys.sort_unstable();
        keys.dedup();
        for key in keys.into_iter().filter(|key| !is_of_installer(key)) {
            self.edit(|value| make(key, value), old.get(key).map(|value| &**value), new.get(key).map(|value| &**value));
        }
    }

    fn names(&mut self, old: &'a Names, new: &'a Names) {
        let Names { categories, kind, list_kind, plural, short_names, singular } = old;
        if *kind != new.kind {
            self.push(Change::Kind { old: kind, new: &new.kind });
        }
        if *plural != new.plural {
            self.push(Change::Plural { old: plural, new: &new.plural });
        }
        // The names that servers fill in follow the kind.
        fn own(name: &Option<Text>, filled_in: String) -> Option<&str> {
            text(name).filter(|name| *name != filled_in)
        }
        self.edit(
            Change::ListKind,
            own(list_kind, format!("{kind}List")),
            own(&new.list_kind, format!("{}List", new.kind)),
        );
        self.edit(Change::Singular, own(singular, kind.to_lowercase()), own(&new.singular, new.kind.to_lowercase()));
        self.members(Change::Category, categories, &new.categories);
        self.members(Change::ShortName, short_names, &new.short_names);
    }

    fn versions(&mut self, old: &'a [Version], new: &'a [Version]) {
        let pairs = paired(old, new, |version| &version.name);
        let [before, after] = orders(&pairs, new, |version| &version.name);
        if before != after {
            self.push(Change::VersionOrder { old: before, new: after });
        }
        self.edit(Change::Storage, stored(old), stored(new));
        for (old, new) in pairs {
            (self.location.old_version, self.location.new_version) = (old, new);
            match (old, new) {
                (Some(old), Some(new)) => self.version(old, new),
                (Some(old), None) => self.push(Change::Version(Presence::Removed(&old.name))),
                (None, Some(new)) => self.push(Change::Version(Presence::Added(&new.name))),
                (None, None) => {}
            }
        }
        (self.location.old_version, self.location.new_version) = (None, None);
    }

    fn version(&mut self, old: &'a Version, new: &'a Version) {
        let Version {
            columns,
            deprecated,
            deprecation_warning,
            name: _,
            schema,
            selectable_fields,
            served,
            // Compared for the whole resource.
            storage: _,
            subresources,
        } = old;
        self.flag(Change::Served, *served, new.served);
        self.flag(Change::Deprecated, *deprecated, new.deprecated);
        self.edit(Change::DeprecationWarning, text(deprecation_warning), text(&new.deprecation_warning));
        self.columns(columns, &new.columns);
        self.members(Change::SelectableField, selectable_fields, &new.selectable_fields);
        self.subresources(subresources.as_ref(), new.subresources.as_ref());
        for (presence, position) in scaled(old, new) {
            let location = Location { position, ..self.location.clone() };
            self.found.push(LocatedChange { location, change: Change::Scaled(presence) });
        }
        let (renames, crd) = (self.renames, self.location.crd());
        // Where the whole CRD no longer preserves unknown fields, or does now, that is the change.
        let preserves =
            |crd: Option<&CustomResourceDefinition>| crd.map(|crd| crd.preserve_unknown_fields == Some(true));
        let is_of_all = preserves(self.location.old_crd) != preserves(self.location.new_crd);
        let versions = self.location.old_crd.map_or(&[][..], |crd| &crd.versions);
        let versions = versions.iter().filter(|version| version.name != old.name).map(|version| &version.schema);
        let removed = self.renames.removed.iter().filter(|(known, _)| known == crd).map(|(_, path)| path.clone());
        let counts = [counts(old), counts(new)];
        let elsewhere = Elsewhere { versions: versions.collect(), removed: removed.collect(), counts };
        let new_name = |path: &str, name: &str| renames.of(crd, path, name);
        for located in differences_of_version(schema, &new.schema, &new_name, elsewhere, self.prover.clone()) {
            let LocatedDifference { position, difference } = located;
            // The keys of a list whose type changed are part of that change.
            let types = [position.old_node(), position.new_node()].map(|node| node?.list_type.as_deref());
            let is_repeated = match difference {
                Difference::PreserveUnknownFields(_) => is_of_all && !difference.may_refuse_kept_fields(&position),
                Difference::ListMapKeys(_) => types[0] != types[1],
                _ => false,
            };
            if is_repeated {
                continue;
            }
            let location = Location { position, ..self.location.clone() };
            self.found.push(LocatedChange { location, change: Change::Schema(difference) });
        }
    }

    fn columns(&mut self, old: &'a [PrinterColumn], new: &'a [PrinterColumn]) {
        // A server accepts two columns with one name.
        let pairs = paired(old, new, |column| &column.name);
        for (old, new) in &pairs {
            self.edit(Change::PrinterColumn, old.map(Column::of), new.map(Column::of));
        }
        let [before, after] = orders(&pairs, new, |column| &column.name);
        if before != after {
            self.push(Change::ColumnOrder { old: before, new: after });
        }
    }

    fn subresources(&mut self, old: Option<&'a Subresources>, new: Option<&'a Subresources>) {
        // Absent and empty are the same to the server.
        let status = |subresources: Option<&Subresources>| subresources.is_some_and(|both| both.status);
        self.flag(Change::StatusSubresource, status(old), status(new));
        fn scale(subresources: Option<&Subresources>) -> Option<&crd_model::crd::Scale> {
            let Subresources { scale, status: _ } = subresources?;
            scale.as_ref()
        }
        self.edit(Change::ScaleSubresource, scale(old), scale(new));
    }
}

/// A conversion with the default of servers (`SetDefaults_ServiceReference` of Kubernetes).
fn completed(conversion: &Value) -> Value {
    let mut conversion = conversion.clone();
    if let Some(Value::Object(service)) = conversion.pointer_mut("/webhook/clientConfig/service") {
        service.entry("port").or_insert(json!(443));
    }
    conversion
}

/// The storage versions; none if there are none. Servers refuse CRDs with more than one, or without one.
fn stored(versions: &[Version]) -> Option<Vec<&str>> {
    let stored = versions.iter().filter(|version| version.storage).map(|version| &*version.name).collect::<Vec<_>>();
    (!stored.is_empty()).then_some(stored)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_split_of_a_renamed_path_has_no_meaning() {
        let mut renames = Renames::default();
        renames.declare("things.example.com", "", "spec.tls", "validation");
        assert_eq!(renames.of("things.example.com", "spec", "tls"), Some("validation"));
        assert_eq!(renames.of("things.example.com", "", "tls"), None);
        assert_eq!(renames.of("widgets.example.com", "spec", "tls"), None);
    }
}
