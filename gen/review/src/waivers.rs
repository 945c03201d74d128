//! Advice about waivers that do not apply.

use std::collections::BTreeSet;

use crd_bundle::BundleVersion;
use crd_compat::WaiverError;

use crate::report::{Located, Problem};

/// What is wrong with a waiver, with what may be meant.
pub(crate) fn of_waiver(fault: &WaiverError, findings: &[Located], version: BundleVersion, file: &str) -> Problem {
    let mut problem = Problem::of_waiver(fault, file);
    match fault {
        WaiverError::Expired(waiver) => {
            problem.message = format!("the waiver is for the bundle {}, and the candidate is {version}", waiver.bundle);
        }
        WaiverError::Unused(waiver) => {
            let same_rule =
                findings.iter().map(|located| &located.finding).filter(|finding| finding.rule == waiver.rule);
            let places = same_rule.map(|finding| match finding.path.is_empty() {
                true => format!("`{}` as a whole ({})", finding.crd, finding.channel),
                false => format!("`{}` of {} ({})", finding.path, finding.crd, finding.channel),
            });
            let places = places.collect::<BTreeSet<_>>();
            if !places.is_empty() {
                let shown = places.iter().take(OTHERS).map(String::as_str).collect::<Vec<_>>().join(", ");
                let more = if places.len() > OTHERS { " and elsewhere" } else { "" };
                problem.fix = Some(format!("Remove it, or correct it: the rule's findings are at {shown}{more}."));
            }
        }
        WaiverError::Powerless(_) | WaiverError::Raises(_) => {}
    }
    problem
}

/// So many other places are named.
const OTHERS: usize = 4;
