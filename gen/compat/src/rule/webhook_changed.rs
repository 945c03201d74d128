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
    summary: "The webhook that converts versions has another address, path, port, CA or list of review versions.",
    explanation: "\
        The project operates the webhook, so its address is part of the installation and not of the API. A \
        review version that is removed needs a minor bundle: API servers that only send this version can no \
        longer convert objects.",
    example: "\
        old: { crd: { conversion: { strategy: Webhook, webhook: { conversionReviewVersions: [v1], clientConfig: { url: https://a.example } } } } }\n\
        new: { crd: { conversion: { strategy: Webhook, webhook: { conversionReviewVersions: [v1], clientConfig: { url: https://b.example } } } } }",
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
