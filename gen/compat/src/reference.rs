//! The rule reference: every rule and state with its row of the policy, its cells, and an example.
//!
//! Fed by the tables of rules, states and rows. Read by `docs/rules.md`, which a test holds to this text, and by whoever asks the command line
//! what a rule means.
//!
//! Invariants: everything said here comes from the rules themselves, so that it cannot say something else than they do; every rule and every
//! state has a page; the same text at every call.

use std::fmt::Write;

use crate::policy::{COLUMNS, Cell, Cells, ROWS, Row, row};
use crate::rule::{RULES, Rule, UNCLAIMED};
use crate::state::{STATES, State};

/// What the reference says of a rule or a state.
struct Page {
    id: &'static str,
    row: &'static str,
    cells: Cells,
    summary: &'static str,
    explanation: &'static str,
    example: &'static str,
}

impl From<&Rule> for Page {
    fn from(rule: &Rule) -> Self {
        let Rule { id, row, cells, summary, explanation, example, claims: _ } = *rule;
        Self { id, row, cells, summary, explanation, example }
    }
}

impl From<&State> for Page {
    fn from(state: &State) -> Self {
        let State { id, row, cells, summary, explanation, example, found: _ } = *state;
        Self { id, row, cells, summary, explanation, example }
    }
}

fn pages() -> Vec<Page> {
    let rules = RULES.iter().chain([&UNCLAIMED]).map(Page::from);
    rules.chain(STATES.iter().map(Page::from)).collect()
}

const HEAD: &str = "\
# Rules

Every change between two bundles is claimed by exactly one rule, and each rule carries out one row of the policy. A cell is the smallest
bundle bump that permits the change; *finding* means that none does until it is mended or waived, *refused* that none ever does. Where a
cell names several rulings, the first is the usual one, and the page says when another holds. The columns `standard` and `experimental`
are those of the profile `gep-922`; `api-guide` is that of the profile of this name, for all channels.

Examples are YAML. `old` is the baseline and `new` the candidate, in short: a resource `Test` of the group `example.com` with one version
`v1`, of which `field` is the schema of `spec.field`, `spec` and `status` those of the objects, `root` holds keywords of the top of the
schema, and `version`, `versions`, `names`, `metadata` and `crd` replace what stands there in the CRD. `experimental` is what the
experimental channel has beside standard, `declared` is what tombstones say, and `besides` names a rule that claims another part of the
same change.

Written by `cargo xtask rules --page docs/rules.md`.
";

/// The page of every rule and every state, as Markdown, by the sections of the policy.
pub fn reference() -> String {
    let pages = pages();
    let mut text = HEAD.to_owned();
    let mut section = None;
    for row in ROWS {
        if section != Some(row.section) {
            section = Some(row.section);
            let heading = if row.section.is_empty() { "the net" } else { row.section };
            line(&mut text, format_args!("\n## {}{}", heading[..1].to_uppercase(), &heading[1..]));
        }
        for page in pages.iter().filter(|page| page.row == row.id) {
            markdown(&mut text, page, row);
        }
    }
    text
}

/// What a rule or a state is about, for a terminal; none if there is none of this name.
pub fn explain(id: &str) -> Option<String> {
    let page = pages().into_iter().find(|page| page.id == id)?;
    let mut text = String::new();
    line(&mut text, format_args!("{}: {}\n", page.id, page.summary));
    for (column, name) in COLUMNS {
        line(&mut text, format_args!("  {name:<13} {}", words(page.cells.cell(column))));
    }
    line(&mut text, format_args!("\n{}", page.explanation));
    if let Some(row) = row(page.row) {
        line(&mut text, format_args!("\nThe row of the policy: {}", row.change));
    }
    line(&mut text, format_args!("\nExample:"));
    for part in page.example.lines() {
        line(&mut text, format_args!("  {part}"));
    }
    Some(text)
}

fn markdown(text: &mut String, page: &Page, row: &Row) {
    line(text, format_args!("\n### {}\n", page.id));
    line(text, format_args!("{}\n", page.summary));
    line(text, format_args!("| | {} |", COLUMNS.map(|(_, name)| name).join(" | ")));
    line(text, format_args!("|---|---|---|---|"));
    let cells = COLUMNS.map(|(column, _)| words(page.cells.cell(column)));
    line(text, format_args!("| this rule | {} |", cells.join(" | ")));
    let said = [row.standard, row.experimental, row.api_guide].map(|said| if said.is_empty() { "–" } else { said });
    line(text, format_args!("| its row | {} |", said.join(" | ")));
    line(text, format_args!("\nThe row of the policy: {}.\n", row.change));
    line(text, format_args!("{}\n", page.explanation));
    line(text, format_args!("```yaml\n{}\n```", page.example));
}

/// A cell in the words of the policy.
fn words(cell: &Cell) -> String {
    if cell.rulings.is_empty() {
        return "–".to_owned();
    }
    let rulings = cell.rulings.iter().map(|ruling| ruling.word()).collect::<Vec<_>>().join(" or ");
    let needs = cell.needs.iter().map(|need| need.word()).collect::<Vec<_>>();
    let warning = cell.warning.then_some("warning");
    std::iter::once(&*rulings).chain(needs).chain(warning).collect::<Vec<_>>().join(", ")
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a `String` cannot fail.
    let _ = writeln!(text, "{line}");
}
