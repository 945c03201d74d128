//! The workspace: the types of a catalogue and the history that they are compared with, read once.
//!
//! Invariants: files are only read. Errors of the types and of the history are reported together.

use std::path::Path;

use crd_bundle::{BundleVersion, Release};
use crd_diagnostics::{Diagnostic, Severity, both};
use crd_generate::Projection;
use crd_generator::root::BUNDLES;
use crd_generator::session::Session;
use crd_review::history::History;
use crd_review::report::Located;
use crd_review::{Baseline, Lenses, Request, Review, Reviewed};

use crate::bundle_folder::open_version;
use crate::graduation::{GraduationsOfTypes, ReadRecords};
use crate::history;
use crate::linting::Lint;
use crate::types::Types;

/// The types and the history.
pub(crate) struct Workspace<'c> {
    pub(crate) root: &'c Path,
    pub(crate) types: Types<'c>,
    pub(crate) lenses: Lenses<'c>,
    pub(crate) history: History,
    /// The bundle that is released again, if it exists. It is not part of its own history.
    pub(crate) again: Option<Result<Release, Vec<Diagnostic>>>,
    /// What the history archive has of the version that is released.
    archived: Option<Release>,
}

impl<'c> Workspace<'c> {
    /// Reads the history of these types. `again` is the version that is released.
    pub(crate) fn read(
        types: Result<Types<'c>, Vec<Diagnostic>>,
        root: &'c Path,
        again: Option<BundleVersion>,
        session: &Session<'_>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let types = types.and_then(|types| {
            let lenses = Lenses::of(&types.projection)?;
            Ok((types, lenses))
        });
        session.begin(format_args!("reading `{BUNDLES}`"));
        let history = history::read(root, again, session);
        let ((types, lenses), (history, archived)) = both(types, history)?;
        let again = again.filter(|version| root.join(BUNDLES).join(version.to_string()).is_dir());
        let again = again.map(|version| open_version(version, root, session.working_folder()));
        Ok(Self { root, types, lenses, history, again, archived })
    }

    /// Compares the types with the history.
    pub(crate) fn compare(&self, request: Request<'_>, session: &Session<'_>) -> Result<Reviewed, Vec<Diagnostic>> {
        session.begin("comparing the types with the released bundles");
        let Types { projection: Projection { catalogue, resources, .. }, candidate } = &self.types;
        // What is built again was released with its findings.
        let checks = catalogue.settings().conventions.check && !matches!(request.against, Baseline::Recorded(_));
        let review = Review { request, catalogue, resources, candidate, lenses: &self.lenses, history: &self.history };
        let mut reviewed = review.run()?;
        if checks {
            let baseline = reviewed.baseline.and_then(|version| self.history.bundle(version));
            let found = self.lint(baseline, None)?.into_iter().filter(|found| found.severity > Severity::Note);
            let (errors, warnings): (Vec<_>, Vec<_>) = found.partition(|found| found.severity == Severity::Error);
            reviewed.report.problems.extend(errors);
            reviewed.report.warnings.extend(warnings);
        }
        Ok(reviewed)
    }

    /// The findings of conventions in the types, with notes about what the baseline has. `only` is a convention.
    pub(crate) fn lint(
        &self,
        baseline: Option<&Release>,
        only: Option<&str>,
    ) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
        let Types { projection: Projection { catalogue, resources, .. }, candidate } = &self.types;
        let moved = &self.history.declared(&[]).moved;
        Lint { settings: &catalogue.settings().conventions, candidate, resources, baseline, moved, only }.diagnostics()
    }

    /// Compares the types with the history. Graduations are checked too, if the catalogue enforces its criteria.
    pub(crate) fn review(&self, request: Request<'_>, session: &Session<'_>) -> Result<Reviewed, Vec<Diagnostic>> {
        let release_date = request.release_date;
        let mut reviewed = self.compare(request, session)?;
        let graduates = |located: &Located| located.finding.rule == GRADUATED;
        let is_enforced = self.types.projection.catalogue.settings().graduation.is_enforced();
        if is_enforced && reviewed.report.findings.iter().any(graduates) {
            reviewed.report.problems.extend(self.graduations(session)?.early(release_date()));
        }
        Ok(reviewed)
    }

    /// The graduation of the types.
    pub(crate) fn graduations(&self, session: &Session<'_>) -> Result<GraduationsOfTypes<'_>, Vec<Diagnostic>> {
        let mut releases = self.history.releases.clone();
        let again = self.again.clone().transpose()?;
        releases.bundles.extend(again.and_then(|release| Some((release.version?, release))));
        releases.archived.extend(self.archived.clone().and_then(|release| Some((release.version?, release))));
        let known = (releases, self.history.ledger.clone());
        Ok(GraduationsOfTypes::of(&self.types, ReadRecords::read(self.root, Some(known), None, session)?, self.root))
    }
}

/// The rule for an element that moves from experimental to standard.
const GRADUATED: &str = "graduated";
