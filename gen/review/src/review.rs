//! The review of a candidate: what its types change since the baseline, and what they still need.

use std::sync::Arc;

use crd_bundle::{BundleVersion, Release, Released};
use crd_compat::tombstone::{Element, LedgerProblem, ledger_problems};
use crd_compat::{Declared, Evidence, Finding, RequiredBump, Verdict};
use crd_diagnostics::Diagnostic;
use crd_generate::{AnnotatedResource, Catalogue};

use crate::baseline::{Baseline, chosen, last, smallest};
use crate::comparison::{accept, findings, report, without_recorded};
use crate::conversions::{Lenses, altered, checked, missing, without_converted};
use crate::history::{History, marked};
use crate::notes::{notes, other_prefix};
use crate::profile::ChosenProfile;
use crate::removal::Removals;
use crate::report::Report;
use crate::side::Side;
use crate::tombstones::{Advisor, contradictions, line_of, other_problems, together};

/// What is asked of a review.
pub struct Request<'a> {
    /// The version of the candidate.
    pub version: BundleVersion,
    pub against: Baseline,
    /// The profile of the policy.
    pub profile: ChosenProfile,
    /// What findings show of their decisions.
    pub evidence: Evidence,
    /// The release date of the candidate; none if it is unknown. It is called only where it matters.
    pub release_date: &'a dyn Fn() -> Option<Released>,
    /// Whether the candidate is being released: then a bundle of the same version is not part of the history.
    pub is_release: bool,
}

/// A request with the types and their history.
pub struct Review<'a> {
    pub request: Request<'a>,
    /// The catalogue of the types.
    pub catalogue: &'a Catalogue,
    pub resources: &'a [AnnotatedResource],
    /// The CRDs of the types, stamped with the version.
    pub candidate: &'a Release,
    /// The lenses of the types and the catalogue.
    pub lenses: &'a Lenses<'a>,
    /// The bundles, the ledger and the waivers.
    pub history: &'a History,
}

#[derive(Debug)]
pub struct Reviewed {
    pub report: Report,
    pub baseline: Option<BundleVersion>,
    /// What tombstones declare: renames, replacements, migrations.
    pub declared: Declared,
}

impl Review<'_> {
    /// Compares the types with their baseline.
    ///
    /// # Errors
    /// The requested baseline cannot be one.
    pub fn run(self) -> Result<Reviewed, Diagnostic> {
        let Review { request, catalogue, resources, candidate, lenses, history } = self;
        let Request { version, ref profile, is_release, .. } = request;
        let marks = marked(resources);
        let tombstones = marks.iter().map(|(tombstone, _)| tombstone.clone()).collect::<Vec<_>>();
        let mut declared = history.declared(&tombstones);
        declared.long_deprecated = history.long_deprecated(version, request.release_date);
        let last = last(version, is_release, history);
        let chosen = chosen(version, request.against, is_release, history)?;
        let old = chosen.and_then(|chosen| history.bundle(chosen));
        let (old_side, side) = (old.map(Side::of), Side::of(candidate));
        let prover = Arc::default();
        let changes = |old: Option<&Side<'_>>, evidence| findings(old, &side, profile, &declared, &prover, evidence);
        let mut found = changes(old_side.as_ref(), request.evidence);
        let since_last = last.and_then(|last| match history.bundle(last) {
            Some(released) if chosen != Some(last) => {
                changed_since(last, &changes(Some(&Side::of(released)), Evidence::default()))
            }
            _ => changed_since(last, &found),
        });
        without_recorded(&mut found, history.ledger.entries().iter().chain(&tombstones));
        without_converted(&mut found, &marks);
        let wrong_waivers = accept(&mut found, &history.waivers_for(version), chosen, version);

        // Tombstones and lenses name the version that the types can be released with.
        let needed = needed(chosen, &found);
        let next = since_last.as_ref().map(|(next, _)| *next).into_iter().chain(needed).fold(version, Ord::max);
        let unconverted = missing(&found, &declared, resources, next);
        let mut report =
            report(old_side.as_ref(), &side, profile.clone(), found, &|finding| line_of(resources, finding));
        report.gate = None;
        report.problems.extend(history.malformed_waivers.iter().cloned().chain(wrong_waivers));
        let problems = ledger_problems(&history.names().past(), &candidate.channels, &history.ledger, &tombstones);
        // A bundle that is built again was released with its entries.
        let is_again = matches!(request.against, Baseline::Recorded(_));
        let removals = Removals::new(history, &candidate.channels, version, is_release).or_next(needed);
        let contradicted = if is_again { Vec::new() } else { removals.of_all(&marks) };
        let is_contradicted = |name: &Element| contradicted.iter().any(|(known, _)| *known == name);
        let (missing, mut others): (Vec<_>, Vec<_>) =
            problems.iter().partition(|problem| matches!(problem, LedgerProblem::Missing { .. }));
        others.retain(|problem| !matches!(problem, LedgerProblem::Unrecorded(mark) if is_contradicted(&mark.name)));
        let advisor =
            Advisor { version: next, resources, declared: &declared, history, candidate: &candidate.channels };
        report.problems.extend(advisor.problems(&missing));
        report.problems.extend(other_problems(&others, &marks, resources));
        let agreeing = marks.iter().filter(|(mark, _)| !is_contradicted(&mark.name)).cloned().collect::<Vec<_>>();
        report.problems.extend(contradictions(history, &agreeing));
        report.problems.extend(together(contradicted));
        if !is_again {
            let (wrong, unproven) = checked(lenses, history, candidate, next);
            report.problems.extend(unconverted.into_iter().chain(altered(lenses, history)).chain(wrong));
            report.warnings.extend(unproven);
        }
        report.problems.extend(since_last.map(|(_, problem)| problem));
        // A bundle that was released without a baseline is built again without a note about that.
        let is_missed = chosen.is_none() && request.against != Baseline::Recorded(None);
        report.notes.extend(notes(version, is_missed, history, is_release));
        report.notes.extend(profile.notes(old));
        report.notes.extend(old.and_then(|old| other_prefix(&old.channels, catalogue.prefix())));
        Ok(Reviewed { report, baseline: chosen, declared })
    }
}

/// The smallest version that these changes of a baseline fit.
fn needed(baseline: Option<BundleVersion>, found: &[Finding]) -> Option<BundleVersion> {
    let from = baseline.filter(|baseline| baseline.is_release())?;
    smallest(from, Verdict::over(found, []).bundle)
}

/// The version that the types fit after these changes since the last release, and the problem that they have another version; none without a change.
fn changed_since(last: BundleVersion, found: &[Finding]) -> Option<(BundleVersion, Diagnostic)> {
    let asked = Verdict::over(found, []).bundle;
    if asked == RequiredBump::None {
        return None;
    }
    let fits = smallest(last, asked);
    // A change that is not allowed may be part of the next version after it is fixed.
    let next = fits.or_else(|| smallest(last, RequiredBump::Minor)).unwrap_or(last);
    let fix = match fits {
        Some(fits) => format!("Raise `version` in `crd-channels.yaml`: {fits} is the smallest that fits."),
        None => "Raise `version` in `crd-channels.yaml`; as the types are, none fits.".to_owned(),
    };
    let message = format!("{last} is released, and the types have changed since then");
    Some((next, Diagnostic::error("version-released", message).help(fix)))
}
