//! `labels-and-annotations`: labels and annotations of the CRD itself.
//!
//! Except the stamps (`stamps`) and the loss of an approval (`api-approved-lost`).

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::{Minor, Patch};
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "labels-and-annotations",
    row: "labels-and-annotations",
    cells: Cells::of(Cell::of(&[Minor]), Cell::of(&[Minor]), Cell::of(&[Patch])),
    one: "label or annotation changed",
    many: "labels or annotations changed",
    section: Section::Documentation,
    summary: "A label or an annotation of the CRD was added, changed or removed.",
    explanation: "Installers select CRDs by their labels, and tools read their annotations. Objects are not affected.",
    example: "old: {}\n\
              new: { metadata: { labels: { example.com/policy: direct } } }",
};

pub(crate) fn assess(what: &str, verb: &str) -> Assessment {
    Assessment::new(
        &RULE,
        format!("{what} of the CRD was {verb}: tools that select or read CRDs by it may be affected"),
    )
}
