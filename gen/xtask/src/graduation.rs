//! Graduation of the types of a workspace: the releases, the evidence and the approvals read, and the table computed.
//!
//! Invariants: the candidate is the types, whatever `bundles/unreleased` contains. The file of a bundle has the states of the newest release date, so that it changes only with
//! the types, the releases and the evidence.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crd_bundle::{Bump, BundleVersion, Release, Released};
use crd_compat::Declared;
use crd_compat::tombstone::Ledger;
use crd_diagnostics::{Diagnostic, fail_on, successes};
use crd_generate::at;
use crd_graduation::approval::Approval;
use crd_graduation::evidence::Evidence;
use crd_graduation::{
    Basis, Early, Element, Lives, OfTypes, Outcome, PastBasis, PastGraduation, Presence, State, Table,
};
use crd_model::Profile;
use crd_review::history::{Releases, declared, stored};

use crate::arguments::did_you_mean;
use crate::crd_files::Folder;
use crate::files::visible;
use crate::root::BUNDLES;
use crate::session::Session;
use crate::types::Types;
use crate::types_of_elements::TypesOfElements;
use crate::{file, history, input, ledger};

/// The folder of conformance reports that is read by default, relative to the root.
pub(crate) const EVIDENCE: &str = "bundles/evidence";
/// The file of approvals, relative to the root.
pub(crate) const APPROVALS: &str = "bundles/approvals.yaml";

/// What graduation depends on, in addition to the types.
pub(crate) struct Records {
    releases: Vec<Release>,
    ledger: Ledger,
    approvals: Vec<Approval>,
    evidence: Option<Evidence>,
    warnings: Vec<Diagnostic>,
}

impl Records {
    /// Reads everything in a root; the releases and the ledger too, unless they are `known`. All errors are reported together.
    pub(crate) fn read(
        root: &Path,
        known: Option<(Releases, Ledger)>,
        evidence: Option<&Path>,
        session: &Session<'_>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut errors = Vec::new();
        let (releases, ledger) = known.unwrap_or_else(|| {
            session.begin(format_args!("reading `{BUNDLES}`"));
            let releases = history::releases(root, &|version| version.is_release(), &mut errors, session);
            (releases, successes([ledger::read(root)], &mut errors).pop().unwrap_or_default())
        });
        let approvals = successes([approvals(root)], &mut errors).pop().unwrap_or_default();
        let read = successes([read_evidence(root, evidence, session)], &mut errors).pop().flatten();
        fail_on(errors)?;
        let (evidence, warnings) = read.unzip();
        let releases = releases.all().filter(|(version, _)| version.is_release());
        let releases = releases.map(|(_, release)| release.clone()).collect();
        Ok(Self { releases, ledger, approvals, evidence, warnings: warnings.unwrap_or_default() })
    }
}

/// The types and everything that their graduation depends on.
pub(crate) struct Graduations<'t> {
    /// The releases, and the types after them.
    releases: Vec<Release>,
    /// The newest release.
    last: Option<BundleVersion>,
    /// The bundle that the next graduation is in.
    pub(crate) bundle: BundleVersion,
    ledger: Ledger,
    declared: Declared,
    approvals: Vec<Approval>,
    evidence: Option<Evidence>,
    pub(crate) types: TypesOfElements<'t>,
    pub(crate) warnings: Vec<Diagnostic>,
}

impl<'t> Graduations<'t> {
    pub(crate) fn of(types: &'t Types<'t>, records: Records, root: &Path) -> Self {
        let Records { releases, ledger, approvals, evidence, mut warnings } = records;
        let next = types.catalogue.next_version().core();
        let mut declared = declared(ledger.entries());
        declared.ever_stored = releases.iter().flat_map(|release| stored(&release.channels)).collect();
        let last = releases.last().and_then(|release| release.version);
        // Graduations are additions, and the types of a released version belong to the next bundle.
        let is_released = releases.iter().any(|release| release.version == Some(next));
        let bundle = match last.filter(|_| is_released) {
            Some(last) => BundleVersion::new(last.major, last.minor.saturating_add(1), 0),
            None => next,
        };
        let releases = with_candidate(releases, next, &types.candidate);
        warnings.extend(of_nothing(&approvals, &releases, root));
        let types = TypesOfElements::of(types);
        Self { releases, last, bundle, ledger, declared, approvals, evidence, types, warnings }
    }

    /// The newest release date.
    pub(crate) fn newest_date(&self) -> Option<Released> {
        self.releases.iter().filter_map(|release| release.released).max()
    }

    fn lives(&self) -> Lives<'_> {
        let loosening = self.types.catalogue.settings().graduation.does_loosening_reset();
        Lives::new(&self.releases, self.ledger.entries(), &self.declared, loosening)
    }

    fn basis(&self, as_of: Option<Released>) -> Basis<'_> {
        let catalogue = self.types.catalogue;
        Basis {
            graduation: &catalogue.settings().graduation,
            as_of,
            last: self.last,
            bundle: self.bundle,
            bump: match catalogue.policy_profile() {
                Profile::ApiGuide => Bump::Patch,
                Profile::Gep922 | Profile::Semver => Bump::Minor,
            },
            evidence: self.evidence.as_ref(),
            approvals: &self.approvals,
        }
    }

    /// The table of the types. `as_of` is the date of its states.
    pub(crate) fn table(&self, as_of: Option<Released>) -> Table {
        let types = OfTypes {
            features: &|element| self.types.features(element),
            blockers: &|element| self.types.blockers(element),
            source: &|element| self.types.source(element),
        };
        crd_graduation::table(&self.lives(), self.basis(as_of), &types)
    }

    /// The same table on another date.
    pub(crate) fn on(&self, table: Table, as_of: Option<Released>) -> Table {
        table.assessed(self.basis(as_of))
    }

    /// A problem for each element that the types graduate before it meets the criteria, on the release date.
    pub(crate) fn early(&self, as_of: Option<Released>) -> Vec<Diagnostic> {
        let features = |element: &_| self.types.features(element);
        let early = crd_graduation::early(&self.lives(), self.basis(as_of), &features);
        let early = early.into_iter();
        early.map(|Early { element, outcomes }| is_early(&element, &outcomes, &self.types)).collect()
    }

    /// Every graduation of the past.
    pub(crate) fn past(&self) -> Vec<PastGraduation> {
        let features = |element: &_| self.types.features(element);
        let graduation = &self.types.catalogue.settings().graduation;
        let basis = PastBasis { graduation, evidence: self.evidence.as_ref(), features: &features };
        crd_graduation::past(&self.lives(), basis)
    }
}

/// The problem that an element graduates before it meets all criteria.
pub(crate) fn is_early(element: &Element, outcomes: &[Outcome], types: &TypesOfElements<'_>) -> Diagnostic {
    let missing = outcomes.iter().filter(|outcome| outcome.state != State::Met).map(|outcome| {
        let since = outcome.since.map(|since| format!(", met on {}", since.date())).unwrap_or_default();
        format!("{} ({}{since})", outcome.criterion.row().name, outcome.text)
    });
    let missing = missing.collect::<Vec<_>>().join(", ");
    let message = format!("`{element}` graduates before it meets these criteria: {missing}");
    let problem = Diagnostic::error("graduation-early", message);
    let problem = match types.origin(element) {
        Some(origin) => at(problem, origin.location),
        None => problem,
    };
    problem.help(format!(
        "restore its `+experimental` marker, or see `cargo xtask graduate`; approvals are lines of `{APPROVALS}`"
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

/// The approvals. A missing file has none.
fn approvals(root: &Path) -> Result<Vec<Approval>, Vec<Diagnostic>> {
    let path = root.join(APPROVALS);
    let Some(text) = input::committed_text(&path)? else { return Ok(Vec::new()) };
    let (approvals, errors) = Approval::read_all(&text, &path);
    fail_on(errors)?;
    Ok(approvals)
}

/// A warning for each approval of an element that no release has.
fn of_nothing(approvals: &[Approval], releases: &[Release], root: &Path) -> Vec<Diagnostic> {
    let mut unknown = approvals.iter().collect::<Vec<_>>();
    let mut known = BTreeSet::new();
    for crds in releases.iter().rev().flat_map(|release| release.channels.values()) {
        if unknown.is_empty() {
            break;
        }
        let elements = crds.iter().map(|crd| Presence::of(crd));
        known.extend(elements.flat_map(|presence| presence.elements().map(Element::to_string).collect::<Vec<_>>()));
        unknown.retain(|approval| !known.contains(&approval.name));
    }
    let warning = |approval: &Approval| {
        let message = format!("`{}` is not the name of an element", approval.name);
        let warning = Diagnostic::warning("approval::unknown", message).at_line(root.join(APPROVALS), approval.line);
        let all = "`graduate` lists the names of all experimental elements".to_owned();
        warning.help(did_you_mean(&approval.name, known.iter().map(String::as_str), all))
    };
    unknown.into_iter().map(warning).collect()
}

/// The conformance reports in a file or folder; without one in the folder of the workspace, if it exists.
fn read_evidence(
    root: &Path,
    named: Option<&Path>,
    session: &Session<'_>,
) -> Result<Option<(Evidence, Vec<Diagnostic>)>, Vec<Diagnostic>> {
    let (path, is_required) = match named {
        Some(path) => (session.folder.join(path), true),
        None => (root.join(EVIDENCE), false),
    };
    if !is_required && !file::leads_nowhere(&path) && path.try_exists().is_ok_and(|exists| !exists) {
        return Ok(None);
    }
    session.begin("reading the conformance reports");
    let mut errors = Vec::new();
    let mut texts = Vec::new();
    for path in files(&path, session, &mut errors) {
        match input::text(&path) {
            Ok(Some(text)) => texts.push((session.shown(&path).to_owned(), text)),
            Ok(None) => errors.push(file::error("file::io", path, "does not exist")),
            Err(error) => errors.push(error),
        }
    }
    match Evidence::read(texts.iter().map(|(path, text)| (path.as_path(), text.as_str()))) {
        Ok(read) if errors.is_empty() => Ok(Some(read)),
        read => Err(errors.into_iter().chain(read.err().into_iter().flatten()).collect()),
    }
}

/// The conformance reports of a workspace, if it has any.
pub(crate) fn evidence_of(root: &Path, session: &Session<'_>) -> Result<Option<Evidence>, Vec<Diagnostic>> {
    read_evidence(root, None, session).map(|read| read.map(|(evidence, _)| evidence))
}

/// The file, or the files of reports below the folder.
fn files(path: &Path, session: &Session<'_>, errors: &mut Vec<Diagnostic>) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let is_report = |name: &str| {
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        ["yaml", "yml", "json", "jsonl"].contains(&extension)
    };
    let folder = Folder::new(path.to_owned(), session.working_folder());
    visible(&folder, "", &is_report, errors).iter().map(|below| path.join(below)).collect()
}
