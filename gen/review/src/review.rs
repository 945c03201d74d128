//! The review of a candidate: what its types change since the baseline, and what they still need.

use std::path::Path;

use crd_bundle::{BundleVersion, Released};
use crd_compat::policy::Policy;
use crd_compat::tombstone::{LedgerProblem, WireName, ledger_problems};
use crd_compat::{Channels, Declared, RequiredBump, Verdict, waive};
use crd_diagnostics::Diagnostic;
use crd_generate::AnnotatedResource;
use crd_model::constants::Constants;

use crate::baseline::{baseline, overtaken, requested, smallest};
use crate::comparison::{Side, about_constants, findings, report, without_recorded};
use crate::conversions::{Lenses, altered, checked, missing, without_converted};
use crate::history::{Bundle, History, WAIVERS, marked};
use crate::notes::{notes, other_prefix};
use crate::profile::ChosenProfile;
use crate::removal::Removals;
use crate::report::Report;
use crate::tombstones::{Advisor, contradictions, line_of, other_problems, together};

/// Which bundle the types are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// The highest release below their version.
    Highest,
    /// The bundle that the user names.
    Named(BundleVersion),
    /// The baseline that the bundle's manifest records, or none; later bundles do not change it.
    Recorded(Option<BundleVersion>),
}

/// What is asked of a review.
pub struct Request<'a> {
    /// The version of the candidate.
    pub version: BundleVersion,
    /// The baseline.
    pub against: Baseline,
    /// The profile of the policy.
    pub profile: ChosenProfile,
    /// Whether findings get an example object.
    pub with_witnesses: bool,
    /// The release date of the candidate; none if it is unknown. It is called only where it matters.
    pub release_date: &'a dyn Fn() -> Option<Released>,
    /// Whether the candidate is being released: then a bundle of the same version is not part of the history.
    pub is_release: bool,
}

/// A request with the types and their history.
pub struct Review<'a> {
    /// The request.
    pub request: Request<'a>,
    /// The prefix of the catalogue's annotations.
    pub prefix: &'a str,
    /// The resources of the catalogue.
    pub resources: &'a [AnnotatedResource],
    /// The CRDs of the types, stamped with the version.
    pub candidate: Channels,
    /// The recommended condition types and reasons of the catalogue.
    pub constants: &'a Constants,
    /// The lenses of the types and the catalogue.
    pub lenses: Lenses<'a>,
    /// The bundles, the ledger and the waivers.
    pub history: History,
}

/// The result, and the values that it was computed from.
#[derive(Debug)]
pub struct Reviewed {
    /// The report.
    pub report: Report,
    /// The CRDs of the types, stamped with the version.
    pub candidate: Channels,
    /// The bundles, the ledger and the waivers.
    pub history: History,
    /// The baseline.
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
        let Review { request, prefix, resources, candidate, constants, lenses, history } = self;
        let Request { version, ref profile, is_release, .. } = request;
        let marks = marked(resources);
        let tombstones = marks.iter().map(|(tombstone, _)| tombstone.clone()).collect::<Vec<_>>();
        let mut declared = history.declared(&tombstones);
        declared.long_deprecated = history.long_deprecated(version, request.release_date);
        let chosen = match request.against {
            Baseline::Named(asked) => Some(requested(asked, version, &history)?),
            Baseline::Recorded(None) => None,
            Baseline::Recorded(Some(recorded)) if history.bundle(recorded).is_some() => Some(recorded),
            Baseline::Recorded(Some(_)) | Baseline::Highest => baseline(version, &history.versions()),
        };
        let old = chosen.and_then(|chosen| history.bundle(chosen));
        let old_channels = old.map(|old| &old.channels);
        let policy = profile.policy(chosen, Some(version));
        let mut found = findings(old_channels, &candidate, policy, &declared, request.with_witnesses);
        let of_types = (&candidate, Some(constants));
        found.extend(
            old.into_iter().flat_map(|old| about_constants((&old.channels, old.constants.as_ref()), of_types, policy)),
        );
        without_recorded(&mut found, history.ledger.entries().iter().chain(&tombstones));
        without_converted(&mut found, &marks);
        // A pre-release permits what its release permits.
        let release = version.core();
        let bundles = [&*version.to_string(), &*release.to_string()];
        let wrong_waivers = waive(&mut found, &history.waivers, Path::new(WAIVERS), &bundles);

        let unconverted = missing(&found, &declared, resources, version);
        let old_side = old.map(|old| Side { name: old.name.clone(), version: chosen, channels: &old.channels });
        let side = Side { name: "the types".to_owned(), version: Some(version), channels: &candidate };
        let mut report =
            report(old_side.as_ref(), &side, profile.clone(), found, &|finding| line_of(resources, finding));
        report.problems.extend(history.malformed_waivers.iter().cloned().chain(wrong_waivers));
        // If this version cannot be released any more, tombstones name the next version.
        let overtaken = || overtaken(version, &history.versions()).filter(|_| !is_release);
        let last = if history.bundle(version).is_some() { Some(version) } else { overtaken().map(|(last, _)| last) };
        let next = match last.and_then(|last| Some((last, history.bundle(last)?))) {
            Some((last, released)) => {
                let policy = profile.policy(Some(last), Some(version));
                let (next, problem) = since_release(last, released, of_types, policy, &declared);
                report.problems.extend(problem);
                next.max(version)
            }
            None => version,
        };
        let problems = ledger_problems(&history.past(), &candidate, &history.ledger, &tombstones);
        // A bundle that is built again was released with its entries.
        let is_again = matches!(request.against, Baseline::Recorded(_));
        let removals = Removals::new(&history, &candidate, version, is_release);
        let contradicted = if is_again { Vec::new() } else { removals.of_all(&marks) };
        let is_contradicted = |name: &WireName| contradicted.iter().any(|(known, _)| *known == name);
        let (missing, mut others): (Vec<_>, Vec<_>) =
            problems.iter().partition(|problem| matches!(problem, LedgerProblem::Missing { .. }));
        others.retain(|problem| !matches!(problem, LedgerProblem::Unrecorded(mark) if is_contradicted(&mark.name)));
        let advisor =
            Advisor { version: next, resources, declared: &declared, history: &history, candidate: &candidate };
        report.problems.extend(advisor.problems(&missing));
        report.problems.extend(other_problems(&others, &marks, resources));
        let agreeing = marks.iter().filter(|(mark, _)| !is_contradicted(&mark.name)).cloned().collect::<Vec<_>>();
        report.problems.extend(contradictions(&history, &agreeing));
        report.problems.extend(together(contradicted));
        if !is_again {
            let (wrong, unproven) = checked(&lenses, &history, &candidate, version);
            report.problems.extend(unconverted.into_iter().chain(altered(&lenses, &history)).chain(wrong));
            report.warnings.extend(unproven);
        }
        // A bundle that was released without a baseline is built again without a note about that.
        let is_missed = chosen.is_none() && request.against != Baseline::Recorded(None);
        report.notes.extend(notes(version, is_missed, &history, is_release));
        report.notes.extend(profile.notes(old));
        report.notes.extend(old_channels.and_then(|old| other_prefix(old, prefix)));
        Ok(Reviewed { report, candidate, history, baseline: chosen, declared })
    }
}

/// The changes of the types since the release of their own version: the version that fits them now, and the problem.
fn since_release(
    version: BundleVersion,
    released: &Bundle,
    candidate: (&Channels, Option<&Constants>),
    policy: Policy,
    declared: &Declared,
) -> (BundleVersion, Option<Diagnostic>) {
    let mut found = findings(Some(&released.channels), candidate.0, policy, declared, false);
    found.extend(about_constants((&released.channels, released.constants.as_ref()), candidate, policy));
    let verdict = Verdict::over(&found, []);
    if verdict.bundle == RequiredBump::None {
        return (version, None);
    }
    let fits = smallest(version, verdict.bundle);
    // A change that is not allowed may be part of the next version after it is fixed.
    let next = fits.or_else(|| smallest(version, RequiredBump::Minor)).unwrap_or(version);
    let fix = match fits {
        Some(fits) => format!("Raise `version` in `crd-channels.yaml`: {fits} is the smallest that fits."),
        None => "Raise `version` in `crd-channels.yaml`; as the types are, none fits.".to_owned(),
    };
    let problem =
        Diagnostic::error("version-released", format!("{version} is released, and the types have changed since then"))
            .help(format!(
                "{fix} What changed:\ncargo xtask generate && cargo xtask diff {version} bundles/unreleased"
            ));
    (next, Some(problem))
}
