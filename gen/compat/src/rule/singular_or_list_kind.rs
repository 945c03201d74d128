//! `singular-or-list-kind`: the names that servers derive from the kind.
//!
//! Only names that are written down and differ from what the server fills in.

use crate::difference::{Difference, Subject};
use crate::policy::{Cell, Cells};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "singular-or-list-kind",
    row: "singular-or-list-kind",
    cells: Cells::of(Cell::of(&[Ruling::Major]), Cell::of(&[Ruling::Minor]), Cell::of(&[Ruling::Minor])),
    summary: "The singular or the list kind was changed.",
    explanation: "Clients have them written down: the singular on command lines, the list kind in code that reads \
        lists. Writing out what the server fills in is no difference.",
    example: "old: {}\n\
              new: { names: { singular: probe } }",
    claims,
};

fn claims(difference: &Difference<'_>, _: &Context<'_>) -> Option<Claim> {
    let what = match difference.subject {
        Subject::Singular => "the singular was changed: command lines that use the old one fail",
        Subject::ListKind => "the list kind was changed: programs that read lists of the old kind fail",
        _ => return None,
    };
    Some(Claim::new(what))
}
