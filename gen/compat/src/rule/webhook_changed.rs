//! `webhook-changed`: how servers reach the webhook that converts versions.
//!
//! Only where both bundles convert by webhook. A new webhook is `webhook`, and its removal is `webhook-removed`.

use serde_json::Value;

use crate::policy::Cells;
use crate::required_bump::RequiredBump::{Minor, Patch};
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "webhook-changed",
    row: "webhook-changed",
    cells: Cells::everywhere(&[Patch, Minor]),
    one: "conversion webhook changed",
    many: "conversion webhooks changed",
    section: Section::Changed,
};

pub(crate) fn assess(old: &Value, new: &Value) -> Assessment {
    let versions = |conversion: &Value| conversion["webhook"]["conversionReviewVersions"].as_array().cloned();
    let kept = versions(new).unwrap_or_default();
    match versions(old).unwrap_or_default().iter().find(|version| !kept.contains(version)) {
        Some(removed) => Assessment::new(
            &RULE,
            format!("the conversion webhook no longer reads reviews of the version {removed}: servers that only send it cannot convert objects"),
        )
        .requires(Minor),
        None => Assessment::new(&RULE, "servers reach the conversion webhook in another way"),
    }
}
