//! The table of installers.

use std::collections::BTreeSet;

use crd_upgrade::installers::{Action, Before, ChartPlace, Effect, effects, rows};

#[test]
fn the_table_is_read_and_no_cell_stands_twice() {
    let table = include_str!("../src/installers.yaml");
    assert_eq!(rows().len(), table.lines().filter(|line| line.starts_with("- ")).count());
    assert!(rows().len() > 80);
    let cells = rows().iter().map(|row| (row.installer, row.place, row.action, &row.options, row.before));
    assert_eq!(cells.collect::<BTreeSet<_>>().len(), rows().len());
}

#[test]
fn a_new_owner_has_an_effect_and_each_source_has_a_line() {
    for row in rows() {
        let writes = !matches!(row.effect, Effect::Unchanged | Effect::Refused | Effect::Deleted);
        assert_eq!(row.owner.is_some(), writes, "{row:?}");
        assert!(row.effect != Effect::Created || row.before == Before::Absent, "{row:?}");
        let is_cited = row.source.as_ref().is_none_or(|line| line.contains('@') && line.contains("#L"));
        assert!(is_cited, "{row:?}");
    }
}

#[test]
fn effects_are_those_of_a_place_and_an_action() {
    let uninstalled = effects(ChartPlace::Crds, Action::Uninstall).map(|row| row.effect).collect::<BTreeSet<_>>();
    assert_eq!(uninstalled, BTreeSet::from([Effect::Unchanged]));
    let uninstalled = effects(ChartPlace::Templates, Action::Uninstall).map(|row| row.effect).collect::<BTreeSet<_>>();
    assert_eq!(uninstalled, BTreeSet::from([Effect::Deleted]));
}
