//! `presentation`: what kubectl shows and accepts.
//!
//! Short names, categories and print columns. The order of short names and categories has no meaning (`words`); the order of columns has.

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::{Minor, Patch};
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "presentation",
    row: "presentation",
    cells: Cells::of(Cell::of(&[Minor]), Cell::of(&[Minor]), Cell::of(&[Patch])),
    one: "short name, category or column changed",
    many: "short names, categories or columns changed",
    section: Section::Documentation,
    summary: "A short name, a category or a print column was added, changed or removed.",
    explanation: "They are for users of a command line. Objects are not affected.",
    example: "\
        old: {}\n\
        new: { names: { shortNames: [tst] } }",
};

pub(crate) fn assess(what: &str, verb: &str) -> Assessment {
    Assessment::new(&RULE, format!("{what} was {verb}: users of kubectl will notice it"))
}

/// The order of the print columns.
pub(crate) fn order() -> Assessment {
    Assessment::new(&RULE, "the order of the print columns was changed: `kubectl get` prints them in this order")
}
