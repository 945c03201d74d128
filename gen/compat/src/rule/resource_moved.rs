//! `resource-moved`: resources that another resource replaces.
//!
//! Needs the same bump as the removal that it is (see `resource-removed`). The addition of the successor is `graduated` or `name-added`.

use crd_inclusion::Presence;

use crate::change::{Change, LocatedChange, Location};
use crate::context::Context;
use crate::policy::{Cell, Cells, Need};
use crate::required_bump::RequiredBump;
use crate::rule::{Assessment, Rule, Section};
use crate::stability::bump_of_removal;

pub(crate) const RULE: Rule = Rule {
    id: "resource-moved",
    row: "resource-moved",
    cells: Cells::of(
        Cell::of(&[RequiredBump::Major, RequiredBump::Minor]).needs(&[Need::Tombstone]),
        Cell::of(&[RequiredBump::Minor]).needs(&[Need::Tombstone]),
        Cell::of(&[RequiredBump::Major]).needs(&[Need::Tombstone]),
    ),
    one: "resource replaced by another",
    many: "resources replaced by another",
    section: Section::Removed,
    summary: "A resource was removed, and its tombstone names the resource that replaces it.",
    explanation: "\
        Another group or plural is another resource: objects are not converted, and users must create them \
        again. The tombstone names the successor.",
    example: "\
        old: { names: { plural: xtests } }\n\
        new: {}\n\
        declared: { moved: { xtests.example.com: tests.example.com } }\n\
        also: name-added",
};

pub(crate) fn claim(located: &LocatedChange<'_>, context: &Context<'_>) -> Option<Assessment> {
    let Change::Resource(Presence::Removed(())) = &located.change else { return None };
    let successor = successor(&located.location, context)?;
    Some(replaced(successor, bump_of_removal(&located.location, context)))
}

/// The CRD that replaces a removed one.
fn successor<'c>(location: &Location<'_>, context: &Context<'c>) -> Option<&'c str> {
    let successor = context.declared.moved.get(location.crd())?;
    context.candidate.iter().any(|crd| crd.name == *successor).then_some(successor)
}

/// The removal, with another bump than the usual one.
fn replaced(successor: &str, bump: Option<RequiredBump>) -> Assessment {
    let message = format!("the resource was replaced by {successor}: its objects are not moved");
    Assessment { required_bump: bump, ..Assessment::new(&RULE, message) }
}

/// The group or the plural was changed in a CRD with the same name, which then contradicts itself.
pub(crate) fn renamed(what: &str) -> Assessment {
    Assessment::new(&RULE, format!("the {what} was changed under the same name: this is another resource"))
}
