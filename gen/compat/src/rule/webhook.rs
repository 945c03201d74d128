//! `webhook`: conversion by webhook.
//!
//! Only where there was none. Another address is `webhook-changed`, and the removal of a webhook is `webhook-removed`.

use serde_json::Value;

use crate::policy::{Cell, Cells, Column};
use crate::required_bump::RequiredBump::{Minor, NotAllowed, Waiver};
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "webhook",
    row: "webhook",
    cells: Cells::of(Cell::of(&[Waiver]), Cell::of(&[Waiver]), Cell::of(&[NotAllowed]))
        .semver(Cell::of(&[Minor]).warned()),
    one: "conversion by webhook",
    many: "conversions by webhook",
    section: Section::Changed,
    summary: "Versions are converted by a webhook.",
    explanation: "\
        The API-versioning guide forbids it: while the webhook does not answer, no object of the resource \
        can be read or written in the whole cluster. In the profile `semver` it is permitted with a warning.",
    example: "\
        old: {}\n\
        new: { crd: { conversion: { strategy: Webhook } } }",
};

/// True for `spec.conversion` with the strategy `Webhook`.
pub(crate) fn is_webhook(conversion: &Value) -> bool {
    conversion.get("strategy").is_some_and(|strategy| strategy == "Webhook")
}

/// True for `spec.conversion` with the strategy `None`.
pub(crate) fn is_none(conversion: &Value) -> bool {
    conversion.get("strategy").is_some_and(|strategy| strategy == "None")
}

pub(crate) fn assess(column: Column) -> Assessment {
    let message = "versions are converted by a webhook now: while it does not answer, no object can be read";
    Assessment::new(&RULE, message).fix(match column {
        Column::Semver | Column::SemverUnstable => {
            "Start the webhook before the CRD is installed, and test that each object survives the way to the other versions and back."
        }
        _ => "Declare conversions that need no webhook, and remove `spec.conversion`.",
    })
}
