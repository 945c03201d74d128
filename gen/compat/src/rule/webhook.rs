//! `webhook`: conversion by webhook.
//!
//! Also where another webhook was there before. That a webhook goes is no change that the policy speaks of: the net catches it.

use serde_json::Value;

use crate::difference::{Difference, Subject};
use crate::policy::{Cell, Cells};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "webhook",
    row: "webhook",
    cells: Cells::of(Cell::of(&[Ruling::Finding]), Cell::of(&[Ruling::Finding]), Cell::of(&[Ruling::Refused])),
    summary: "Versions are converted by a webhook.",
    explanation: "The API-versioning guide forbids it: when the webhook does not answer, no object of the resource \
        can be read or written, in the whole cluster.",
    example: "old: {}\n\
              new: { crd: { conversion: { strategy: Webhook } } }",
    claims,
};

fn claims(difference: &Difference<'_>, _: &Context<'_>) -> Option<Claim> {
    let is_webhook = |conversion: &Option<Value>| {
        conversion
            .as_ref()
            .and_then(|conversion| conversion.get("strategy"))
            .is_some_and(|strategy| strategy == "Webhook")
    };
    if difference.subject != Subject::ConversionStrategy || !is_webhook(&difference.after) {
        return None;
    }
    let what = match is_webhook(&difference.before) {
        true => {
            "versions are converted by a webhook, which was changed: while it does not answer, no object can be read"
        }
        false => "versions are converted by a webhook now: while it does not answer, no object can be read",
    };
    Some(Claim::new(what).fix("Declare conversions that need no webhook, and take `spec.conversion` out."))
}
