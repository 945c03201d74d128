//! The rule reference: every rule with its row of the policy, its cells, and an example.
//!
//! Invariants: all text comes from the descriptions of the rules. Every rule has a page. The text is the same at every call.

use std::fmt::Write;

use crate::policy::{COLUMNS, Cells, Column, ROWS, Row, row};
use crate::required_bump::RequiredBump;
use crate::rule::Rule;
use crate::state::{all_rules, rule};

const HEAD: &str = "\
<!-- Written by `cargo xtask rules --page`; do not edit. -->
# Rules

Every change between two bundles belongs to exactly one rule, and each rule implements one row of the policy. A cell is the smallest
bundle bump that permits the change. *blocked* means that no bundle permits it until it is fixed or waived; *refused* means that no
bundle permits it, also with a waiver. If a cell lists several bumps, the first is the usual one, and the text explains the other one.
The columns `standard` and `experimental` belong to the profile `gep-922`. The column `api-guide` is the profile with this name, for all
channels. The column `semver` is the profile with this name, for the standard channel; its experimental channel and its alpha versions follow
`experimental`, and below v1.0.0 *major* counts as *minor*.

Examples are YAML. `old` is the baseline and `new` the candidate, in a short form: a resource `Test` of the group `example.com` with one
version `v1`. `field` is the schema of `spec.field`; `spec` and `status` are the schemas of the objects; `root` has keywords of the top
of the schema. `version`, `versions`, `names`, `metadata` and `crd` replace parts of the CRD. `experimental` is the experimental channel
of the same bundle, `declared` is what tombstones declare, `constants` are those of both bundles, and `also` names a rule for another part of
the same change.
";

/// The page of every rule, as Markdown, by the sections of the policy.
pub fn reference() -> String {
    let mut text = HEAD.to_owned();
    let mut section = None;
    for row in ROWS.iter() {
        if section != Some(row.section) {
            section = Some(row.section);
            let heading = if row.section.is_empty() { "changes without a rule" } else { row.section };
            line(&mut text, format_args!("\n## {}{}", heading[..1].to_uppercase(), &heading[1..]));
        }
        for rule in all_rules().filter(|rule| rule.row == row.id) {
            markdown(&mut text, rule, row);
        }
    }
    text
}

/// The page of one rule for a terminal; none for an unknown id.
pub fn explain(id: &str) -> Option<String> {
    let rule = rule(id)?;
    let mut text = String::new();
    line(&mut text, format_args!("{id}: {}\n", rule.summary));
    for (column, name) in COLUMNS {
        line(&mut text, format_args!("  {name:<13} {}", words(&rule.cells, column)));
    }
    line(&mut text, format_args!("\n{}", rule.explanation));
    if let Some(row) = row(rule.row) {
        line(&mut text, format_args!("\nThe row of the policy: {}", row.change));
    }
    line(&mut text, format_args!("\nExample:"));
    for part in rule.example.lines() {
        line(&mut text, format_args!("  {part}"));
    }
    Some(text)
}

fn markdown(text: &mut String, rule: &Rule, row: &Row) {
    line(text, format_args!("\n### {}\n", rule.id));
    line(text, format_args!("{}\n", rule.summary));
    line(text, format_args!("| | {} |", COLUMNS.map(|(_, name)| name).join(" | ")));
    line(text, format_args!("|---|{}", COLUMNS.map(|_| "---|").concat()));
    let cells = COLUMNS.map(|(column, _)| words(&rule.cells, column));
    line(text, format_args!("| this rule | {} |", cells.join(" | ")));
    let cells = COLUMNS.map(|(column, _)| row.cell(column)).map(|cell| if cell.is_empty() { "–" } else { cell });
    line(text, format_args!("| its row | {} |", cells.join(" | ")));
    line(text, format_args!("\nThe row of the policy: {}.\n", row.change));
    line(text, format_args!("{}\n", rule.explanation));
    line(text, format_args!("```yaml\n{}\n```", rule.example));
}

/// The text of a cell in the policy.
fn words(cells: &Cells, column: Column) -> String {
    let cell = cells.cell(column);
    if cell.bumps.is_empty() {
        return "–".to_owned();
    }
    let bumps = cell.bumps.iter().map(RequiredBump::to_string).collect::<Vec<_>>().join(" or ");
    let needs = cell.needs.iter().map(|need| need.word()).collect::<Vec<_>>();
    let warning = cell.warning.then_some("warning");
    let milder = (cells.is_addition && column == Column::Semver).then_some("below v1.0.0 patch");
    std::iter::once(&*bumps).chain(needs).chain(warning).chain(milder).collect::<Vec<_>>().join(", ")
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a `String` cannot fail.
    let _ = writeln!(text, "{line}");
}
