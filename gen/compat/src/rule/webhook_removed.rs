//! `webhook-removed`: versions are no longer converted by a webhook.
//!
//! Servers then only replace `apiVersion`, and prune by the schema of the version that is read or stored.

use std::sync::Arc;

use crate::change::Location;
use crate::clash;
use crate::policy::{Cell, Cells, Column};
use crate::required_bump::RequiredBump::{Major, Minor, Patch};
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "webhook-removed",
    row: "webhook-removed",
    cells: Cells::of(Cell::of(&[Minor, Major]), Cell::of(&[Minor]), Cell::of(&[Patch, Minor])),
    one: "conversion webhook removed",
    many: "conversion webhooks removed",
    section: Section::Changed,
    summary: "Versions are no longer converted by a webhook.",
    explanation: "\
        Servers then only replace `apiVersion` and drop fields that the version lacks. That is enough if the \
        versions that are served or stored have the same types and constraints. Otherwise clients of one \
        version can no longer read or write objects of another one, and standard needs a major bundle.",
    example: "\
        old: { crd: { conversion: { strategy: Webhook } } }\n\
        new: {}",
};

pub(crate) fn assess(location: &Location<'_>, column: Column) -> Assessment {
    let clashes =
        location.new_crd.map(|crd| clash::clashes(location.channel, crd, &Arc::default())).unwrap_or_default();
    let Some(first) = clashes.first() else {
        return Assessment::new(
            &RULE,
            "the conversion webhook was removed: servers convert the versions by dropping unknown fields",
        );
    };
    let message = format!(
        "the conversion webhook was removed, and {} and {} have different types or constraints at `{}`: servers do not convert between them",
        first.from.name,
        first.to.name,
        first.difference.path(),
    );
    let assessment = Assessment::new(&RULE, message).fix("Serve one of the versions only, or keep the webhook.");
    match RULE.cells.cell(column).bumps.last() {
        Some(bump) => assessment.requires(*bump),
        None => assessment,
    }
}
