//! The catalogue: the code of each finding and problem, with its words.
//!
//! Invariant: the words of rules come from their descriptions in `crd-compat`.

use crd_compat::policy::{COLUMNS, Cells, Column, row};
use crd_compat::{RequiredBump, all_rules};
use serde_json::{Value, json};

use super::problem::{PROBLEM_PAGES, PROBLEMS};
use crd_diagnostics::layout::count;
use crd_diagnostics::page::pages;

/// The number of findings of a rule, or of problems of a kind: `15 names graduated`.
pub(super) fn counted(number: usize, id: &str) -> String {
    let rules = all_rules().map(|rule| (rule.id, rule.one, rule.many));
    let problems = PROBLEMS.iter().map(|row| (row.id, row.one, row.many));
    match rules.chain(problems).find(|(known, ..)| *known == id) {
        Some((_, one, many)) => {
            // Only the number: these words bring a plural of their own.
            let shown = count(number, "");
            let digits = shown.split(' ').next().unwrap_or_default();
            format!("{digits} {}", if number == 1 { one } else { many })
        }
        None => format!("{} of `{id}`", count(number, "finding")),
    }
}

/// An entry of the catalogue.
pub(super) struct Entry {
    pub(super) id: &'static str,
    pub(super) summary: String,
    pub(super) explanation: String,
    /// The bump that it usually requires, in the strictest column with an entry.
    pub(super) usual: RequiredBump,
    /// The row of the policy, if it has one.
    pub(super) policy: Value,
}

/// Every rule, every state, and every kind of problem, each once and always in this order.
pub(super) fn entries() -> Vec<Entry> {
    let rules = all_rules().map(|rule| Entry {
        id: rule.id,
        summary: rule.summary.to_owned(),
        explanation: rule.explanation.to_owned(),
        usual: usual(&rule.cells),
        policy: policy(rule.row),
    });
    let problems = pages(PROBLEM_PAGES).map(|page| Entry {
        id: page.code,
        summary: page.summary,
        explanation: page.explanation,
        usual: RequiredBump::NotAllowed,
        policy: Value::Null,
    });
    rules.chain(problems).collect()
}

fn usual(cells: &Cells) -> RequiredBump {
    let cells = COLUMNS.map(|(column, _)| cells.cell(column));
    cells.into_iter().find_map(|cell| cell.usual()).unwrap_or(RequiredBump::Waiver)
}

fn policy(id: &str) -> Value {
    match row(id) {
        Some(row) => json!({
            "row": row.id,
            "change": row.change,
            "standard": row.cell(Column::Standard),
            "experimental": row.cell(Column::Experimental),
            "apiGuide": row.cell(Column::ApiGuide),
            "semver": row.cell(Column::Semver),
        }),
        None => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn numbers_and_nouns_agree() {
        assert_eq!(counted(1, "type-changed"), "1 type changed under the same name");
        assert_eq!(counted(0, "stamps"), "0 stamps changed");
        assert_eq!(counted(1234, "graduated"), "1,234 names graduated");
        assert_eq!(counted(1, "waiver-unused"), "1 waiver matches nothing");
        assert_eq!(counted(2, "foreign"), "2 findings of `foreign`");
    }

    #[test]
    fn every_entry_is_there_once_and_says_something() {
        let entries = entries();
        let ids = entries.iter().map(|entry| entry.id).collect::<BTreeSet<_>>();
        assert_eq!(ids.len(), entries.len());
        assert_eq!(
            entries[all_rules().count()..].iter().map(|entry| entry.id).collect::<Vec<_>>(),
            PROBLEMS.map(|row| row.id)
        );
        for entry in entries {
            assert!(entry.summary.ends_with('.') && entry.explanation.ends_with('.'), "{}", entry.id);
        }
    }
}
