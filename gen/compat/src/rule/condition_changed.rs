//! `condition-changed`: recommended condition types and reasons.
//!
//! They are constants of a bundle, and not part of a CRD. Bundles without a list of constants are not compared.

use crd_inclusion::Edit;
use crd_model::constants::Constant;

use crate::policy::Cells;
use crate::required_bump::RequiredBump;
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "condition-changed",
    row: "condition-changed",
    cells: Cells::everywhere(&[RequiredBump::Minor]),
    one: "recommended condition or reason changed",
    many: "recommended conditions or reasons changed",
    section: Section::Changed,
    summary: "A recommended condition type or reason was added, changed or removed.",
    explanation: "\
        Controllers write these strings into the status of objects, and other programs wait for them. A \
        server accepts any string, so no object is refused; but a program that waits for the old string \
        never sees it. `constants.json` of a bundle lists them. A bundle without this file is not compared.",
    example: "constants: { old: { v1: { A_REASON_PENDING: Pending } }, new: { v1: { A_REASON_PENDING: Waiting } } }",
};

pub(crate) fn assess(change: &Edit<&Constant>) -> Assessment {
    let what = |constant: &Constant| match &*constant.kind {
        "condition" => "condition type".to_owned(),
        "reason" => "reason".to_owned(),
        other => format!("constant of the type {other}"),
    };
    let message = match change {
        Edit::Added(new) => format!("the {} was added: controllers may write it from now on", what(new)),
        Edit::Removed(old) => format!("the {} was removed: programs that wait for it find another one", what(old)),
        Edit::Replaced { old, .. } => {
            format!("the {} was changed: programs that compare the old string do not recognise the new one", what(old))
        }
    };
    Assessment::new(&RULE, message)
}
