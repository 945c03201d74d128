//! Breaks: the findings that a version does not permit and that can break users; the same change at several places once.
//!
//! Invariants: no place is lost; the order is that of the first places. An addition, or a change of words, is not a break.

use std::collections::HashMap;

use crd_compat::{Finding, Section, Witness, all_rules};
use crd_diagnostics::Severity;
use serde_json::Value;

use super::Compared;
use crate::report::sentence::clause;
use crate::report::{sentence, values};

/// A change that the version does not permit, and that can break users.
pub(super) struct Break<'r> {
    /// The finding at the first place.
    pub(super) finding: &'r Finding,
    /// The findings at the other places.
    pub(super) others: Vec<&'r Finding>,
}

/// The breaks of a release.
pub(super) fn breaks(compared: &Compared) -> Vec<Break<'_>> {
    let mut breaks: Vec<Break<'_>> = Vec::new();
    let mut known: HashMap<(&str, &str, [Option<String>; 2]), usize> = HashMap::new();
    for located in compared.report.ordered() {
        let finding = &located.finding;
        if finding.severity(compared.declared) < Severity::Error || is_harmless(finding.rule) {
            continue;
        }
        let both = [&finding.before, &finding.after].map(|value| value.as_ref().map(values::text));
        let next = breaks.len();
        // The first one requires the largest bump.
        match known.entry((finding.rule, clause(&finding.message), both)).or_insert(next) {
            index if *index < next => breaks[*index].others.push(finding),
            _ => breaks.push(Break { finding, others: Vec::new() }),
        }
    }
    breaks
}

/// The reasons of waivers, each with the number of findings that it accepts.
pub(super) fn accepted(compared: &Compared) -> Vec<(&str, usize)> {
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for waived in compared.report.ordered().into_iter().filter_map(|located| located.finding.waived.as_ref()) {
        match reasons.iter_mut().find(|(reason, _)| *reason == waived.reason) {
            Some((_, number)) => *number += 1,
            None => reasons.push((&waived.reason, 1)),
        }
    }
    reasons
}

/// Whether a change by this rule breaks no user.
fn is_harmless(rule: &str) -> bool {
    let section = all_rules().find(|known| known.id == rule).map(|rule| rule.section);
    use Section::{Added, Documentation, Graduated, Loosened, Stamps};
    matches!(section, Some(Added | Graduated | Loosened | Documentation | Stamps))
}

/// The length of a value in a line.
const VALUE: usize = 100;

impl<'r> Break<'r> {
    pub(super) fn clause(&self) -> &'r str {
        clause(&self.finding.message)
    }

    /// The old and the new value, shortened.
    pub(super) fn values(&self) -> (Option<String>, Option<String>) {
        sentence::short_values(self.finding, VALUE)
    }

    /// What refuses an object or an update that shows it, and the object without the members that all objects have; or the reason why there is
    /// none. Nothing if the change is not about what is accepted.
    pub(super) fn witness(&self) -> Option<Result<(&'static str, String), &'r str>> {
        let each = || std::iter::once(&self.finding).chain(&self.others).filter_map(|finding| finding.witness.as_ref());
        let object = each().find_map(|witness| {
            let (by, old, new) = match witness {
                Witness::Object(object) => ("refused now", None, object),
                Witness::Update { old, new } => ("refused now", Some(old), new),
                Witness::Status { stored, object } => ("refused by `/status`", stored.as_ref(), object),
                Witness::None(_) => return None,
            };
            let text = |object| values::text(&without_frame(object));
            Some((by, old.map_or_else(|| text(new), |old| format!("{} updated to {}", text(old), text(new)))))
        });
        match (object, each().next()) {
            (Some(object), _) => Some(Ok(object)),
            (None, Some(Witness::None(reason))) => Some(Err(clause(reason))),
            _ => None,
        }
    }
}

/// The members that differ from object to object.
fn without_frame(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(members) = object.as_object_mut() {
        members.retain(|name, _| !["apiVersion", "kind", "metadata"].contains(&&**name));
    }
    object
}
