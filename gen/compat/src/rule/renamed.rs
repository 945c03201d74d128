//! `renamed`: fields with a declared new name.
//!
//! Joins a `name-removed` and a `name-added`. A rename is never assumed, only suggested by `name-removed`.

use crd_inclusion::Position;

use crate::policy::{Cell, Cells, Column, Need};
use crate::required_bump::RequiredBump;
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "renamed",
    row: "renamed",
    cells: Cells::of(
        Cell::of(&[RequiredBump::Major]),
        Cell::of(&[RequiredBump::Minor]).needs(&[Need::Tombstone, Need::ConversionBothWays]).warned(),
        Cell::of(&[RequiredBump::Minor]).needs(&[Need::ConversionBothWays]),
    ),
    one: "field renamed",
    many: "fields renamed",
    section: Section::Changed,
    summary: "A field was renamed, as its tombstone declares.",
    explanation: "\
        In standard a minor bundle adds the new name, and a major bundle removes the old one. In \
        experimental one bundle may do both. Values under the old name are then unreadable, unless the node \
        preserves unknown fields.",
    example: "\
        old: { spec: { type: object, properties: { tls: { type: string } } } }\n\
        new: { spec: { type: object, properties: { validation: { type: string } } } }\n\
        declared: { renames: [{ at: spec, old: tls, new: validation }] }",
};

pub(crate) fn assess(new_name: &str, position: &Position<'_>, column: Column) -> Assessment {
    let is_kept = position.new_node().is_some_and(|node| node.preserve_unknown_fields == Some(true));
    let assessment = match is_kept {
        true => Assessment::new(
            &RULE,
            format!(
                "the field has the new name `{new_name}`; values under the old name stay readable, because the node preserves \
                 unknown fields"
            ),
        )
        .without_warning(),
        false => Assessment::new(
            &RULE,
            format!("the field has the new name `{new_name}`; stored values under the old name become unreadable"),
        ),
    };
    match column.is_stable() {
        true => assessment.fix("Keep the old name in addition to the new one until a major release, and deprecate it."),
        false => assessment,
    }
}
