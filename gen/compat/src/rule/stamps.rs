//! `stamps`: the annotations that say which bundle a CRD is from.
//!
//! They differ between any two bundles by nature, so they ask for nothing. All other annotations are `labels-and-annotations`.

use crate::difference::{Difference, Subject};
use crate::policy::Cells;
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "stamps",
    row: "words",
    cells: Cells::everywhere(&[Ruling::None]),
    summary: "The annotations that carry the bundle's version and channel.",
    explanation: "Every bundle has a version of its own, so its stamps differ from those of its baseline by nature. \
        Annotations whose names end in `/bundle-version` or `/channel` are stamps, whatever stands before.",
    example: "old: { metadata: { annotations: { example.com/bundle-version: v1.0.0 } } }\n\
              new: { metadata: { annotations: { example.com/bundle-version: v1.1.0 } } }",
    claims,
};

fn claims(difference: &Difference<'_>, _: &Context<'_>) -> Option<Claim> {
    (difference.subject == Subject::Stamp).then(|| Claim::new("the stamp is that of another bundle"))
}
