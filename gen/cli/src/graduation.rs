//! Graduation of the types of a workspace: the releases, the evidence and the approvals, read from files.
//!
//! Invariants: the candidate is the types, whatever `bundles/unreleased` contains. The file of a bundle has the states of the newest release date, so that it changes only with
//! the types, the releases and the evidence.

use std::path::{Path, PathBuf};

use crd_bundle::Released;
use crd_compat::tombstone::Ledger;
use crd_diagnostics::{Diagnostic, fail_on, successes};
use crd_generator::file;
use crd_generator::root::BUNDLES;
use crd_generator::session::Session;
use crd_graduation::approval::{self, Approval};
use crd_graduation::evidence::Evidence;
use crd_graduation::{Candidate, Early, Graduations, OfTypes, PastGraduation, Records, Table};
use crd_review::elements::TypesOfElements;
use crd_review::history::{Releases, declared, stored};

use crate::crd_files::Folder;
use crate::files::visible;
use crate::types::Types;
use crate::{history, input, ledger};

/// The folder of conformance reports that is read by default, relative to the root.
pub(crate) const EVIDENCE: &str = "bundles/evidence";

/// What graduation depends on, in addition to the types.
pub(crate) struct ReadRecords {
    records: Records,
    warnings: Vec<Diagnostic>,
}

impl ReadRecords {
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
        Ok(Self { records: Records { releases, ledger, approvals, evidence }, warnings: warnings.unwrap_or_default() })
    }
}

/// The types and everything that their graduation depends on.
pub(crate) struct GraduationsOfTypes<'t> {
    pub(crate) graduations: Graduations,
    pub(crate) types: TypesOfElements<'t>,
    pub(crate) warnings: Vec<Diagnostic>,
}

impl<'t> GraduationsOfTypes<'t> {
    pub(crate) fn of(types: &'t Types<'t>, read: ReadRecords, root: &Path) -> Self {
        let ReadRecords { records, mut warnings } = read;
        let catalogue = types.projection.catalogue;
        let mut declared = declared(records.ledger.entries());
        declared.ever_stored = records.releases.iter().flat_map(|release| stored(&release.channels)).collect();
        let (version, profile) = (catalogue.next_version().core(), catalogue.policy_profile());
        let candidate = Candidate { version, release: &types.candidate, profile };
        let graduations = Graduations::new(records, declared, candidate, catalogue.settings().graduation.clone());
        warnings.extend(graduations.unknown_approvals(&root.join(approval::FILE)));
        Self { graduations, types: TypesOfElements::of(catalogue, &types.projection.resources), warnings }
    }

    /// The table of the types. `as_of` is the date of its states.
    pub(crate) fn table(&self, as_of: Option<Released>) -> Table {
        let types = OfTypes {
            features: &|element| self.types.features(element),
            blockers: &|element| self.types.blockers(element),
            source: &|element| self.types.source(element),
            gate: &|element| self.types.gate(element),
        };
        self.graduations.table(as_of, &types)
    }

    /// A problem for each element that the types graduate before it meets the criteria, on the release date.
    pub(crate) fn early(&self, as_of: Option<Released>) -> Vec<Diagnostic> {
        let early = self.graduations.early(as_of, &|element| self.types.features(element)).into_iter();
        early.map(|Early { element, outcomes }| self.types.early(&element, &outcomes)).collect()
    }

    /// Every graduation of the past.
    pub(crate) fn past(&self) -> Vec<PastGraduation> {
        self.graduations.past(&|element| self.types.features(element))
    }
}

/// The approvals. A missing file has none.
fn approvals(root: &Path) -> Result<Vec<Approval>, Vec<Diagnostic>> {
    let path = root.join(approval::FILE);
    let Some(text) = input::committed_text(&path)? else { return Ok(Vec::new()) };
    let (approvals, errors) = Approval::read_all(&text, &path);
    fail_on(errors)?;
    Ok(approvals)
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
