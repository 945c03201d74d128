//! `presentation`: what kubectl shows and understands.
//!
//! Short names, categories and print columns. The order of short names and categories means nothing (`words`); that of columns does.

use crate::difference::{Difference, Subject};
use crate::policy::{Cell, Cells};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "presentation",
    row: "presentation",
    cells: Cells::of(Cell::of(&[Ruling::Minor]), Cell::of(&[Ruling::Minor]), Cell::of(&[Ruling::Patch])),
    summary: "A short name, a category or a print column was added, changed or removed.",
    explanation: "They are for people at a command line. Objects are not affected.",
    example: "old: {}\n\
              new: { names: { shortNames: [tst] } }",
    claims,
};

fn claims(difference: &Difference<'_>, _: &Context<'_>) -> Option<Claim> {
    let what = match difference.subject {
        Subject::ShortName => "a short name",
        Subject::Category => "a category",
        Subject::PrinterColumn if difference.before.as_ref().is_some_and(|before| before.is_array()) => {
            return Some(Claim::new("the print columns stand in another order: `kubectl get` shows them so"));
        }
        Subject::PrinterColumn => "a print column",
        _ => return None,
    };
    let change = match (difference.is_addition(), difference.is_removal()) {
        (true, _) => "added",
        (_, true) => "removed",
        _ => "changed",
    };
    Some(Claim::new(format!("{what} was {change}: people who use kubectl will notice")))
}
