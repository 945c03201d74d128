//! What becomes of each CRD in an upgrade, by the program that installs it.
//!
//! Invariant: what installers do is in [`crate::installers`] only. A CRD that does not change is safe with each of them.

use std::collections::BTreeMap;

use crd_model::CustomResourceDefinition;
use serde::Serialize;

use crate::installers::{Action, Before, ChartPlace, Effect, Installer, Row, effects};

/// How a CRD of the upgrade differs from the installed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Change {
    /// It is new.
    Added,
    /// Its `spec` differs.
    Changed,
    /// Its `spec` is the same.
    Equal,
    /// The upgrade no longer has it.
    Absent,
}

/// What an installer makes of a CRD.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Fate {
    /// It succeeds and leaves the old CRD, or does not create the new one.
    Stale,
    /// It changes the CRD, and keeps what other programs have written outside of `spec.versions`.
    Changes,
    /// It changes the CRD, and everything that other programs have written is lost.
    Overwritten,
    /// It deletes the CRD, with all its objects.
    Deleted,
    /// It fails, and the old CRD stays.
    Refused,
    /// There is nothing to change.
    Safe,
}

/// What an installer makes of a CRD, and how that is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InstallerFate {
    /// The program, in words.
    pub installer: String,
    /// What it does.
    pub fate: Fate,
    /// The line of its source that shows it. Null if it was run.
    pub source: Option<&'static str>,
}

/// A CRD of an upgrade.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CrdFate {
    /// Its name.
    pub name: String,
    /// How it differs.
    pub change: Change,
    /// What each installer makes of it.
    pub installers: Vec<InstallerFate>,
}

/// Where the CRD of a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Where the CRD is.
    pub place: ChartPlace,
    /// Whether it has the annotation with which Helm keeps it.
    pub is_kept: bool,
}

/// What becomes of the CRDs of two bundles, in the order of their names. The installed ones count as their installer left them.
pub fn fates(
    installed: &[(&CustomResourceDefinition, Place)],
    target: &[(&CustomResourceDefinition, Place)],
) -> Vec<CrdFate> {
    let by_name = |crds: &[(&CustomResourceDefinition, Place)]| {
        crds.iter().map(|(crd, place)| (crd.name.to_string(), (crd.to_value()["spec"].clone(), *place))).collect()
    };
    let [installed, target]: [BTreeMap<String, _>; 2] = [by_name(installed), by_name(target)];
    let mut names = installed.keys().chain(target.keys()).collect::<Vec<_>>();
    names.sort();
    names.dedup();
    let fate = |name: &String| {
        let (change, place) = match (installed.get(name), target.get(name)) {
            (Some((old, _)), Some((new, place))) if old == new => (Change::Equal, *place),
            (Some(_), Some((_, place))) => (Change::Changed, *place),
            (None, Some((_, place))) => (Change::Added, *place),
            (Some((_, place)), None) => (Change::Absent, *place),
            (None, None) => return None,
        };
        Some(CrdFate { name: name.clone(), change, installers: by_installer(change, place) })
    };
    names.into_iter().filter_map(fate).collect()
}

fn by_installer(change: Change, place: Place) -> Vec<InstallerFate> {
    let before = if change == Change::Added { Before::Absent } else { Before::Own };
    let of_place =
        |place| effects(place, Action::Upgrade).filter(move |row| row.before == before && row.options.is_empty());
    let mut found = of_place(place.place).map(|row| of_row(change, place, row)).collect::<Vec<_>>();
    // A new CRD in a template or a file is created as in an installation.
    if change == Change::Added && place.place != ChartPlace::Crds {
        let rows = effects(place.place, Action::Install).filter(|row| row.before == before && row.options.is_empty());
        found.extend(rows.map(|row| of_row(change, place, row)));
    }
    found
}

fn of_row(change: Change, place: Place, row: &'static Row) -> InstallerFate {
    let fate = match (change, row.effect) {
        (Change::Equal, _) => Fate::Safe,
        (Change::Absent, _) => match row.installer {
            Installer::Helm3 | Installer::Helm4 if place.place == ChartPlace::Templates && !place.is_kept => {
                Fate::Deleted
            }
            _ => Fate::Stale,
        },
        (_, Effect::Unchanged) => Fate::Stale,
        (_, Effect::Created | Effect::Replaced) => Fate::Changes,
        (_, Effect::Overwritten) => Fate::Overwritten,
        (_, Effect::Recreated | Effect::Deleted) => Fate::Deleted,
        (_, Effect::Refused) => Fate::Refused,
    };
    InstallerFate { installer: row.installer.to_string(), fate, source: row.source.as_deref() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crd(name: &str, description: &str) -> CustomResourceDefinition {
        let value = serde_json::json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": name},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": {"kind": "Lamp", "plural": "lamps"}, "versions": [{
            "name": "v1", "served": true, "storage": true,
            "schema": {"openAPIV3Schema": {"type": "object", "description": description}},
        }]}});
        CustomResourceDefinition::from_value(&value).unwrap()
    }

    #[test]
    fn helm_leaves_crds_of_its_folder_stale() {
        let (old, new) = (crd("lamps.example.com", "a"), crd("lamps.example.com", "b"));
        let fate = |place, installer: Installer| {
            let place = Place { place, is_kept: false };
            let fates = fates(&[(&old, place)], &[(&new, place)]);
            let of =
                |of: &CrdFate| of.installers.iter().find(|it| it.installer == installer.to_string()).map(|it| it.fate);
            (fates[0].change, of(&fates[0]))
        };
        for installer in [Installer::Helm3, Installer::Helm4] {
            assert_eq!(fate(ChartPlace::Crds, installer), (Change::Changed, Some(Fate::Stale)));
            assert_eq!(fate(ChartPlace::Templates, installer), (Change::Changed, Some(Fate::Changes)));
        }
        assert_eq!(fate(ChartPlace::File, Installer::KubectlServerSide).1, Some(Fate::Changes));
        let place = Place { place: ChartPlace::Templates, is_kept: false };
        let gone = fates(&[(&old, place)], &[]);
        assert!(
            gone[0].change == Change::Absent && gone[0].installers.iter().all(|it| it.fate == Fate::Deleted),
            "{gone:?}"
        );
        let kept = fates(&[(&old, Place { is_kept: true, ..place })], &[]);
        assert!(kept[0].installers.iter().all(|it| it.fate == Fate::Stale), "{kept:?}");
        let equal = fates(&[(&old, place)], &[(&old, place)]);
        assert!(
            equal[0].installers.iter().all(|it| it.fate == Fate::Safe) && !equal[0].installers.is_empty(),
            "{equal:?}"
        );
        let added = fates(&[], &[(&new, Place { place: ChartPlace::Crds, is_kept: false })]);
        assert!(added[0].installers.iter().any(|it| it.fate == Fate::Stale), "{added:?}");
    }
}
