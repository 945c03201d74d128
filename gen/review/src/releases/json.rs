//! Releases as a JSON document.
//!
//! Invariant: findings are those of `diff`, and of each comparison those that decide.

use std::collections::BTreeMap;

use crd_compat::RequiredBump;
use crd_diagnostics::Diagnostic;
use crd_model::document::SchemaVersion;
use serde::Serialize;

use super::{Compared, LeftOut, MARK, Outcome, Project, Row};
use crate::report::{ChannelVerdict, ComparisonResult, ReportedFinding};

/// What `history` prints with `--format json`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct History<'p> {
    schema_version: SchemaVersion<1>,
    /// What wrote the document.
    generator: &'static str,
    projects: Vec<ProjectHistory<'p>>,
    /// The number of comparisons.
    compared: usize,
    /// The number of CRDs in all comparisons.
    crds: usize,
    /// The number of comparisons in which the version permits the changes.
    fitting: usize,
    /// The number of releases that cannot be read.
    unread: usize,
}

/// A project.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ProjectHistory<'p> {
    /// The name of its folder.
    name: &'p str,
    /// Its releases, oldest first.
    releases: Vec<ReleaseHistory<'p>>,
    /// Folders and tags that are not stable releases.
    left_out: &'p [LeftOut],
    /// Releases that are compared with the first one of the minor version before them, because no dates are known, and there are later ones.
    undated: &'p [String],
}

/// A release.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ReleaseHistory<'p> {
    /// The name of its folder or tag.
    version: &'p str,
    /// The comparison with the release before it; null for the first one, and for one that cannot be read.
    comparison: Option<ComparedRelease<'p>>,
    /// Why it cannot be read; otherwise empty.
    errors: &'p [Diagnostic],
}

/// A release compared with the release before it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ComparedRelease<'p> {
    /// The release before it.
    baseline: &'p str,
    /// The bump between the two version numbers.
    declared_bump: RequiredBump,
    /// The number of CRDs that both releases have, counted in each channel.
    crds: usize,
    /// The number of findings of each rule.
    rules: &'p BTreeMap<&'static str, usize>,
    /// What decided the findings about accepted objects, and how many each.
    decided_by: &'p BTreeMap<&'static str, usize>,
    #[serde(flatten)]
    result: ComparisonResult<'p>,
    /// Every channel that either side has, the most stable first.
    channels: Vec<ChannelVerdict<'p>>,
    /// The findings that decide, and those that waivers accept.
    findings: Vec<ReportedFinding<'p>>,
}

/// The document of projects.
pub fn document(projects: &[Project]) -> History<'_> {
    let compared = || projects.iter().flat_map(Project::compared);
    let rows = projects.iter().flat_map(|project| &project.rows);
    History {
        schema_version: SchemaVersion,
        generator: MARK,
        projects: projects.iter().map(history).collect(),
        compared: compared().count(),
        crds: compared().map(|compared| compared.crds).sum(),
        fitting: compared().filter(|compared| compared.fits()).count(),
        unread: rows.filter(|row| matches!(row.outcome, Outcome::Unread(_))).count(),
    }
}

fn history(project: &Project) -> ProjectHistory<'_> {
    let Project { name, rows, left_out, undated, .. } = project;
    ProjectHistory { name, releases: rows.iter().map(release).collect(), left_out, undated }
}

fn release(row: &Row) -> ReleaseHistory<'_> {
    let (comparison, errors) = match &row.outcome {
        Outcome::First => (None, &[][..]),
        Outcome::Unread(errors) => (None, &**errors),
        Outcome::Compared(compared) => (Some(comparison(compared)), &[][..]),
    };
    ReleaseHistory { version: &row.tag, comparison, errors }
}

fn comparison(compared: &Compared) -> ComparedRelease<'_> {
    let Compared { baseline, declared, crds, rules, decided, report, .. } = compared;
    ComparedRelease {
        baseline,
        declared_bump: *declared,
        crds: *crds,
        rules,
        decided_by: decided,
        result: report.into(),
        channels: report.channel_verdicts(),
        findings: report.reported(),
    }
}
