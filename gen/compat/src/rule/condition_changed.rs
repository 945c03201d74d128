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
