//! The releases, the types after them, and everything else that decides about graduations.
//!
//! Invariants: the candidate is the newest release, instead of a release of its version.

use std::collections::BTreeSet;
use std::path::Path;

use crd_bundle::{Bump, BundleVersion, Release, Released};
use crd_compat::Declared;
use crd_compat::tombstone::Ledger;
use crd_diagnostics::Diagnostic;
use crd_model::Profile;
use crd_model::graduation::Graduation;
use crd_model::inventory::{Element, Inventory};
use crd_names::nearest;

use crate::approval::{Approval, FILE};
use crate::assessment::{Basis, Outcome, State};
use crate::element::id;
use crate::evidence::Evidence;
use crate::life::Lives;
use crate::past::{Early, PastBasis, PastGraduation, early, past};
use crate::table::{OfTypes, Table, table};

/// What is recorded about a project.
#[derive(Debug, Default)]
pub struct Records {
    /// The stable releases, oldest first.
    pub releases: Vec<Release>,
    pub ledger: Ledger,
    /// Who agrees to graduations.
    pub approvals: Vec<Approval>,
    /// Conformance reports, if there are any.
    pub evidence: Option<Evidence>,
}

#[derive(Debug)]
pub struct Candidate<'c> {
    /// The version of the types.
    pub version: BundleVersion,
    pub release: &'c Release,
    /// The profile of the policy.
    pub profile: Profile,
}

/// What the graduations of a project depend on.
#[derive(Debug)]
pub struct Graduations {
    /// The releases, and the candidate after them.
    records: Records,
    declared: Declared,
    criteria: Graduation,
    last: Option<BundleVersion>,
    /// The bundle that the next graduation is in.
    pub bundle: BundleVersion,
    bump: Bump,
}

impl Graduations {
    /// Graduations by these criteria. `declared` is what the tombstones and the releases declare.
    pub fn new(records: Records, declared: Declared, candidate: Candidate<'_>, criteria: Graduation) -> Self {
        let Candidate { version, release, profile } = candidate;
        let last = records.releases.last().and_then(|release| release.version);
        // Graduations are additions, and the types of a released version belong to the next bundle.
        let is_released = records.releases.iter().any(|release| release.version == Some(version));
        let bundle = match last.filter(|_| is_released) {
            Some(last) => BundleVersion::new(last.major, last.minor.saturating_add(1), 0),
            None => version,
        };
        let bump = match profile {
            Profile::ApiGuide => Bump::Patch,
            Profile::Gep922 | Profile::Semver => Bump::Minor,
        };
        let records = Records { releases: with_candidate(records.releases, version, release), ..records };
        Self { records, declared, criteria, last, bundle, bump }
    }

    /// The newest release date.
    pub fn newest_date(&self) -> Option<Released> {
        self.records.releases.iter().filter_map(|release| release.released).max()
    }

    fn lives(&self) -> Lives<'_> {
        let loosening = self.criteria.does_loosening_reset();
        Lives::new(&self.records.releases, self.records.ledger.entries(), &self.declared, loosening)
    }

    fn basis(&self, as_of: Option<Released>) -> Basis<'_> {
        Basis {
            graduation: &self.criteria,
            as_of,
            last: self.last,
            bundle: self.bundle,
            bump: self.bump,
            evidence: self.records.evidence.as_ref(),
            approvals: &self.records.approvals,
        }
    }

    /// The table of the types. `as_of` is the date of its states.
    pub fn table(&self, as_of: Option<Released>, types: &OfTypes<'_>) -> Table {
        table(&self.lives(), self.basis(as_of), types)
    }

    /// The same table on another date.
    pub fn on(&self, table: Table, as_of: Option<Released>) -> Table {
        table.assessed(self.basis(as_of))
    }

    /// Each element that the types graduate before it meets the criteria, on the release date.
    pub fn early(&self, as_of: Option<Released>, features: &dyn Fn(&Element) -> Vec<String>) -> Vec<Early> {
        early(&self.lives(), self.basis(as_of), features)
    }

    /// Every graduation of the past.
    pub fn past(&self, features: &dyn Fn(&Element) -> Vec<String>) -> Vec<PastGraduation> {
        let basis = PastBasis { graduation: &self.criteria, evidence: self.records.evidence.as_ref(), features };
        past(&self.lives(), basis)
    }

    /// A warning for each approval of an element that no release has. `file` is that of the approvals.
    pub fn unknown_approvals(&self, file: &Path) -> Vec<Diagnostic> {
        let mut unknown = self.records.approvals.iter().collect::<Vec<_>>();
        let mut known = BTreeSet::new();
        for crds in self.records.releases.iter().rev().flat_map(|release| release.channels.values()) {
            if unknown.is_empty() {
                break;
            }
            known.extend(crds.iter().flat_map(|crd| Inventory::of(crd).iter().map(id).collect::<Vec<_>>()));
            unknown.retain(|approval| !known.contains(&approval.name));
        }
        let warning = |approval: &Approval| {
            let message = format!("`{}` is not the name of an element", approval.name);
            let warning = Diagnostic::warning("approval::unknown", message).at_line(file, approval.line);
            let near = nearest(&approval.name, known.iter().map(String::as_str));
            let all = "`graduate` lists the names of all experimental elements".to_owned();
            warning.help(near.map_or(all, |near| format!("did you mean `{near}`?")))
        };
        unknown.into_iter().map(warning).collect()
    }
}

/// The problem that an element graduates before it meets all criteria.
pub fn early_problem(element: &Element, outcomes: &[Outcome]) -> Diagnostic {
    let missing = outcomes.iter().filter(|outcome| outcome.state != State::Met).map(|outcome| {
        let since = outcome.since.map(|since| format!(", met on {}", since.date())).unwrap_or_default();
        format!("{} ({}{since})", outcome.criterion.row().name, outcome.text)
    });
    let missing = missing.collect::<Vec<_>>().join(", ");
    let message = format!("`{}` graduates before it meets these criteria: {missing}", id(element));
    Diagnostic::error("graduation-early", message).help(format!(
        "restore its `+experimental` marker, or see `cargo xtask graduate`; approvals are lines of `{FILE}`"
    ))
}

/// The releases with the types as the newest: instead of the release of their version, or after all releases.
fn with_candidate(mut releases: Vec<Release>, version: BundleVersion, candidate: &Release) -> Vec<Release> {
    let mut candidate = candidate.clone();
    candidate.channels.values_mut().for_each(|crds| crds.sort_by(|one, other| one.name.cmp(&other.name)));
    let known = releases.iter().find(|release| release.version == Some(version));
    let released = known.and_then(|release| release.released);
    releases.retain(|release| release.version < Some(version));
    releases.push(Release { released, version: Some(version), ..candidate });
    releases
}
