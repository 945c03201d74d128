//! The pages of conventions: for `explain`, and the reference page.

use crd_diagnostics::page::Page;

use crate::linters::{LINTERS, Relation};
use crate::rule::{Convention, RULES};

impl Convention {
    /// Why, whether it applies, and where it is from.
    fn explanation(&self) -> String {
        let level =
            if self.is_default { "" } else { " It is off unless `conventions.levels` in the settings turns it on." };
        format!("{}{level}\n\nSource: <{}>", self.reason, self.source)
    }
}

/// The page of each convention. The example is a schema, or a CRD, in which it fires.
#[must_use]
pub fn pages() -> Vec<Page> {
    let page = |rule: &&Convention| Page {
        area: "Conventions of APIs",
        code: rule.code(),
        summary: rule.summary.to_owned(),
        explanation: rule.explanation(),
        example: rule.firing.to_owned(),
    };
    RULES.iter().map(page).collect()
}

#[must_use]
pub fn page() -> String {
    let mut page = include_str!("page.md").to_owned();
    for rule in RULES {
        let (firing, silent) = (rule.firing.trim(), rule.silent.trim());
        page.push_str(&format!(
            "\n## {}\n\n{} {}\n\nReported:\n\n```yaml\n{firing}\n```\n\nNot reported:\n\n```yaml\n{silent}\n```\n",
            rule.name,
            rule.summary,
            rule.explanation()
        ));
    }
    page.push_str(
        "\n## Linters of kube-api-linter\n\n| linter | conventions | compared with it | why |\n|---|---|---|---|\n",
    );
    for linter in LINTERS {
        let relation = match linter.relation {
            Relation::Same => "the same",
            Relation::Stricter => "stricter",
            Relation::Looser => "less strict",
            Relation::NotApplicable => "not applicable",
        };
        let rules = linter.rules().map(|rule| format!("[`{0}`](#{0})", rule.name)).collect::<Vec<_>>().join(", ");
        page.push_str(&format!("| {} | {rules} | {relation} | {} |\n", linter.name, linter.reason));
    }
    page
}
