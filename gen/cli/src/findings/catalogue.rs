//! The catalogue: everything that a finding or a problem can be called, with the words for it.
//!
//! Fed by the tables of `crd-compat` and of [`super::problem`]. Read by SARIF, which lists it, and by the summary, which counts.
//!
//! Invariants: the tables of rules stay in `crd-compat`; here are only the words to count with, and a test holds both together.

use crd_compat::policy::{Cells, row};
use crd_compat::{RULES, Ruling, STATES, UNCLAIMED};
use serde_json::{Value, json};

use super::problem::PROBLEMS;
use crate::layout::count;

/// What is counted: behind the number one, and behind every other.
const COUNTED: &[(&str, &str, &str)] = &[
    ("words", "text changed", "texts changed"),
    ("stamps", "stamp changed", "stamps changed"),
    ("cel-words", "message of a CEL rule changed", "messages of CEL rules changed"),
    ("labels-and-annotations", "label or annotation changed", "labels or annotations changed"),
    ("api-approved-lost", "resource no longer approved", "resources no longer approved"),
    ("loosened", "constraint loosened", "constraints loosened"),
    ("tightened", "constraint tightened", "constraints tightened"),
    ("incomparable", "constraint changed beyond comparison", "constraints changed beyond comparison"),
    ("required-with-default", "field required that has a default", "fields required that have a default"),
    ("required-at-root", "field required at the root", "fields required at the root"),
    ("default-added", "default added", "defaults added"),
    ("default-changed", "default changed", "defaults changed"),
    ("condition-list-default", "default of conditions changed", "defaults of conditions changed"),
    ("graduated", "name graduated", "names graduated"),
    ("name-added", "name added", "names added"),
    (
        "name-below-preserved",
        "field added where unknown ones are preserved",
        "fields added where unknown ones are preserved",
    ),
    ("name-removed", "name removed", "names removed"),
    ("renamed", "field renamed", "fields renamed"),
    ("type-changed", "type changed under the same name", "types changed under the same name"),
    ("list-type", "list or map merged otherwise", "lists or maps merged otherwise"),
    ("preserve-removed", "node open to unknown fields no longer", "nodes open to unknown fields no longer"),
    ("preserve-added", "node open to unknown fields now", "nodes open to unknown fields now"),
    ("embedded-resource-added", "embedded resource added", "embedded resources added"),
    ("resource-removed", "resource removed", "resources removed"),
    ("resource-moved", "resource replaced by another", "resources replaced by others"),
    ("kind-or-scope", "kind or scope changed", "kinds or scopes changed"),
    ("singular-or-list-kind", "singular or list kind changed", "singulars or list kinds changed"),
    ("presentation", "short name, category or column changed", "short names, categories or columns changed"),
    (
        "selectable-or-scale-added",
        "selectable field or scale subresource added",
        "selectable fields or scale subresources added",
    ),
    (
        "selectable-or-scale-changed",
        "selectable field or scale subresource changed",
        "selectable fields or scale subresources changed",
    ),
    ("status-subresource", "status subresource changed", "status subresources changed"),
    ("webhook", "conversion by webhook", "conversions by webhook"),
    ("version-added", "API version added or deprecated", "API versions added or deprecated"),
    ("version-unserved", "API version no longer served", "API versions no longer served"),
    ("version-removed", "API version removed", "API versions removed"),
    ("stored-version-removed", "stored API version removed", "stored API versions removed"),
    ("storage-version", "storage version changed", "storage versions changed"),
    ("containment", "place where standard exceeds experimental", "places where standard exceeds experimental"),
    ("alpha-in-standard", "resource with alpha versions only", "resources with alpha versions only"),
    ("versions-differ", "field that not all served versions know", "fields that not all served versions know"),
    ("not-preserving", "node closed to unknown fields", "nodes closed to unknown fields"),
    ("unclaimed", "change that no rule is about", "changes that no rule is about"),
];

/// So many of a rule, or of a kind of problem: `15 names graduated`.
pub(super) fn counted(number: usize, id: &str) -> String {
    let rules = COUNTED.iter().copied();
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
    pub(super) summary: &'static str,
    pub(super) explanation: &'static str,
    /// What it usually asks, in the strictest column that says something.
    pub(super) usual: Ruling,
    /// The row of the policy, if it has one.
    pub(super) policy: Value,
}

/// Every rule, every state, and every kind of problem, each once and always in this order.
pub(super) fn entries() -> Vec<Entry> {
    let rules = RULES.iter().chain([&UNCLAIMED]);
    let rules = rules.map(|rule| (rule.id, rule.row, rule.cells, rule.summary, rule.explanation));
    let states = STATES.iter().map(|state| (state.id, state.row, state.cells, state.summary, state.explanation));
    let judged = rules.chain(states).map(|(id, row, cells, summary, explanation)| Entry {
        id,
        summary,
        explanation,
        usual: usual(&cells),
        policy: policy(row),
    });
    let problems = PROBLEMS.iter().map(|row| Entry {
        id: row.id,
        summary: row.summary,
        explanation: row.explanation,
        usual: Ruling::Refused,
        policy: Value::Null,
    });
    judged.chain(problems).collect()
}

fn usual(cells: &Cells) -> Ruling {
    let cells = [&cells.standard, &cells.experimental, &cells.api_guide];
    cells.into_iter().find_map(|cell| cell.usual()).unwrap_or(Ruling::Finding)
}

fn policy(id: &str) -> Value {
    match row(id) {
        Some(row) => json!({
            "row": row.id,
            "change": row.change,
            "standard": row.standard,
            "experimental": row.experimental,
            "apiGuide": row.api_guide,
        }),
        None => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_rule_and_state_is_counted_in_words_of_its_own() {
        let known = RULES.iter().map(|rule| rule.id).chain(STATES.iter().map(|state| state.id)).chain([UNCLAIMED.id]);
        let counted = COUNTED.iter().map(|(id, ..)| *id);
        assert_eq!(known.collect::<BTreeSet<_>>(), counted.collect::<BTreeSet<_>>());
        for (_, one, many) in COUNTED {
            assert_ne!(one, many);
        }
    }

    #[test]
    fn numbers_and_nouns_agree() {
        assert_eq!(counted(1, "type-changed"), "1 type changed under the same name");
        assert_eq!(counted(0, "stamps"), "0 stamps changed");
        assert_eq!(counted(1234, "graduated"), "1,234 names graduated");
        assert_eq!(counted(1, "waiver-unused"), "1 waiver matches nothing");
        assert_eq!(counted(2, "of-nobody"), "2 findings of `of-nobody`");
    }

    #[test]
    fn every_entry_is_there_once_and_says_something() {
        let entries = entries();
        let ids = entries.iter().map(|entry| entry.id).collect::<BTreeSet<_>>();
        assert_eq!(ids.len(), entries.len());
        assert_eq!(entries.len(), RULES.len() + 1 + STATES.len() + PROBLEMS.len());
        for entry in entries {
            assert!(entry.summary.ends_with('.') && entry.explanation.ends_with('.'), "{}", entry.id);
        }
    }
}
