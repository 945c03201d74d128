//! `labels-and-annotations`: labels and annotations of the CRD itself.
//!
//! All but the stamps (`stamps`) and the loss of an approval (`api-approved-lost`).

use crate::difference::{Difference, Subject};
use crate::policy::{Cell, Cells};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "labels-and-annotations",
    row: "labels-and-annotations",
    cells: Cells::of(Cell::of(&[Ruling::Minor]), Cell::of(&[Ruling::Minor]), Cell::of(&[Ruling::Patch])),
    summary: "A label or an annotation of the CRD was added, changed or removed.",
    explanation: "Installers select CRDs by their labels, and tools read their annotations. Objects are not \
        affected.",
    example: "old: {}\n\
              new: { metadata: { labels: { example.com/policy: direct } } }",
    claims,
};

fn claims(difference: &Difference<'_>, _: &Context<'_>) -> Option<Claim> {
    let what = match difference.subject {
        Subject::Annotation if !super::api_approved_lost::is_lost(difference) => "an annotation",
        Subject::Label => "a label",
        _ => return None,
    };
    let change = match (difference.is_addition(), difference.is_removal()) {
        (true, _) => "added",
        (_, true) => "removed",
        _ => "changed",
    };
    Some(Claim::new(format!("{what} of the CRD was {change}: whoever selects or reads CRDs by it may notice")))
}
