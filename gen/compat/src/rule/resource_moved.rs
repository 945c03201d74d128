//! `resource-moved`: resources that another one replaces.
//!
//! Counts as the removal that it is (see `resource-removed`), and names the successor. The addition of the successor is `graduated` or
//! `name-added`.

use crate::difference::{Difference, Subject};
use crate::policy::{Cell, Cells, Need};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "resource-moved",
    row: "resource-moved",
    cells: Cells::of(
        Cell::of(&[Ruling::Major, Ruling::Minor]).needs(&[Need::Tombstone]),
        Cell::of(&[Ruling::Minor]).needs(&[Need::Tombstone]),
        Cell::of(&[Ruling::Major]).needs(&[Need::Tombstone]),
    ),
    summary: "A resource was removed, and its tombstone names the one that replaces it.",
    explanation: "Another group or plural is another resource: objects are not converted, and whoever has some must \
        create them anew. The tombstone says where to.",
    example: "old: { names: { plural: xtests } }\n\
              new: {}\n\
              declared: { moved: { xtests.example.com: tests.example.com } }\n\
              besides: name-added",
    claims,
};

/// The CRD that replaces a removed one.
pub(super) fn successor<'c>(difference: &Difference<'_>, context: &'c Context<'_>) -> Option<&'c str> {
    let successor = context.declared.moved.get(difference.place.crd())?;
    context.candidate.iter().any(|crd| crd.name == *successor).then_some(successor)
}

fn claims(difference: &Difference<'_>, context: &Context<'_>) -> Option<Claim> {
    let claim = match difference.subject {
        Subject::Resource if difference.is_removal() => {
            let successor = successor(difference, context)?;
            Claim::new(format!("the resource was replaced by {successor}: objects do not move with it"))
        }
        // The name of a CRD is made of both, so only a CRD that contradicts itself gets here.
        Subject::Group => {
            return Some(Claim::new("the group was changed under the same name: this is another resource"));
        }
        Subject::Plural => {
            return Some(Claim::new("the plural was changed under the same name: this is another resource"));
        }
        _ => return None,
    };
    Some(match super::resource_removed::ruling(difference, context) {
        Some(ruling) => claim.ruled(ruling),
        None => claim,
    })
}
