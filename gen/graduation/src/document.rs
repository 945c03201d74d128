//! `graduation.json`: the table as a document, part of a bundle, and the JSON of `graduate`.
//!
//! Invariants: keys are sorted, and a documented key is always present. Dates are days in UTC.

use crd_bundle::{BundleVersion, Released};
use crd_diagnostics::SourceLine;
use crd_model::document::SchemaVersion;
use crd_model::graduation::{Criterion, Requirement};
use serde::Serialize;
use serde_json::json;

use crate::assessment::{Eligible, Outcome, Probation};
use crate::day::day_if_known;
use crate::element::{ElementDocument, id};
use crate::life::{Change, Dated, Life};
use crate::past::{PastGraduation, Timing};
use crate::table::{Row, Table};

/// The name of the file in a bundle.
pub const FILE_NAME: &str = "graduation.json";

/// Everything that only experimental has, and when it may graduate.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TableDocument<'t> {
    /// The format of `graduation.json`. A reader refuses every other format.
    format: SchemaVersion<1>,
    /// The bundle that the table is about: the next one.
    bundle: BundleVersion,
    /// The date of the states. Null if it is unknown.
    #[serde(serialize_with = "day_if_known")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    as_of: Option<Released>,
    /// The criteria of the project.
    criteria: Vec<CriterionDocument>,
    /// After how many months in experimental an element that is not ready is overdue; 0 without a probation.
    probation_months: u16,
    /// Whether a loosened constraint counts as a change.
    loosening_resets: bool,
    /// Whether `check` refuses a graduation that is too early.
    enforced: bool,
    /// The elements, by resource, path and kind.
    rows: Vec<ElementRow<'t>>,
}

/// A criterion that the project requires.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct CriterionDocument {
    name: Criterion,
    requires: Requirement,
    /// What it counts; empty if it counts nothing.
    unit: &'static str,
    /// What it means, in one sentence.
    summary: &'static str,
    /// The document that states it.
    source: &'static str,
}

/// An element that only experimental has.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ElementRow<'t> {
    /// Its name.
    name: String,
    #[serde(flatten)]
    element: ElementDocument<'t>,
    #[serde(flatten)]
    life: &'t Life,
    /// The kind of its resource, such as `HTTPRoute`.
    resource: &'t str,
    /// The API versions that have it.
    versions: &'t [String],
    /// Its conformance features.
    features: &'t [String],
    /// The state of each criterion.
    criteria: &'t [Outcome],
    /// The earliest graduation; null if a release date is unknown.
    eligible: Option<Eligible>,
    /// Whether it may graduate on the date of the table.
    ready: bool,
    /// What else prevents its graduation, one sentence each.
    blockers: &'t [String],
    /// The probation, if it has an end.
    probation: Option<Probation>,
    /// The line of its `+experimental` marker, if types are known.
    source: Option<&'t SourceLine>,
    /// The feature gate that its marker names, in projects with gates.
    #[serde(skip_serializing_if = "Option::is_none")]
    gate: Option<&'t str>,
}

/// A graduation of the past.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PastDocument<'t> {
    /// The name of the element in standard.
    name: String,
    #[serde(flatten)]
    element: ElementDocument<'t>,
    #[serde(flatten)]
    life: &'t Life,
    /// The release that has it in standard.
    release: Dated,
    /// The release before it.
    before: Dated,
    /// `on time`, `early`, `late`, or `unknown`.
    timing: &'static str,
    /// If it was early, the criteria that were not met.
    missing: &'t [Criterion],
    /// If it was late, the bundle that the criteria permitted.
    permitted_in: Option<BundleVersion>,
    /// The conformance features of the element.
    features: &'t [String],
    /// What changed in the release that graduated it.
    changed_in_release: &'t [Change],
    /// The state of each criterion on that date.
    criteria: &'t [Outcome],
}

/// The document of a table.
pub fn document(table: &Table) -> TableDocument<'_> {
    let criteria = table.graduation.required().map(|(criterion, requires)| {
        let row = criterion.row();
        CriterionDocument { name: criterion, requires, unit: row.unit, summary: row.summary, source: row.source }
    });
    TableDocument {
        format: SchemaVersion,
        bundle: table.bundle,
        as_of: table.as_of,
        criteria: criteria.collect(),
        probation_months: table.graduation.probation_months(),
        loosening_resets: table.graduation.does_loosening_reset(),
        enforced: table.graduation.is_enforced(),
        rows: table.rows.iter().map(row).collect(),
    }
}

/// The text of the file.
pub fn text(table: &Table) -> String {
    format!("{:#}\n", json!(document(table)))
}

/// The graduations of past releases.
pub fn past(graduations: &[PastGraduation]) -> Vec<PastDocument<'_>> {
    let graduations = graduations.iter().map(|graduation| {
        let (missing, permitted_in) = match &graduation.timing {
            Timing::Early(missing) => (&**missing, None),
            Timing::Late(bundle) => (&[][..], Some(*bundle)),
            Timing::OnTime | Timing::Unknown => (&[][..], None),
        };
        PastDocument {
            name: id(&graduation.element),
            element: (&graduation.element).into(),
            life: &graduation.life,
            release: graduation.release,
            before: graduation.before,
            timing: graduation.timing.word(),
            missing,
            permitted_in,
            features: &graduation.features,
            changed_in_release: &graduation.changes,
            criteria: &graduation.assessment.outcomes,
        }
    });
    graduations.collect()
}

fn row(row: &Row) -> ElementRow<'_> {
    let Row { element, resource, versions, life, features, assessment, blockers, source, gate } = row;
    ElementRow {
        name: id(element),
        element: element.into(),
        life,
        resource,
        versions,
        features,
        criteria: &assessment.outcomes,
        eligible: assessment.eligible,
        ready: row.is_ready(),
        blockers,
        probation: assessment.probation,
        source: source.as_ref(),
        gate: gate.as_deref(),
    }
}
