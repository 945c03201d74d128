//! The criteria of graduation from experimental to standard, as the settings declare them. They are data: `crd-graduation` decides whether an element meets them.
//!
//! Invariants: [`CRITERIA`] is the only list of them, with the source and the default of each.

use serde::{Serialize, Serializer};
use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Criterion {
    /// How long the element has been in experimental.
    Soak,
    /// The minor bundles without a breaking change of the element.
    UnchangedMinors,
    /// The months without a breaking change of the element.
    UnchangedMonths,
    /// A conformance feature that tests cover.
    Conformance,
    /// The projects that pass the tests of the feature.
    Implementations,
    /// People use the element, and it works well.
    Usage,
    /// The owners of the project agree.
    Approval,
}

/// What a criterion requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// At least so many months, minors or projects.
    AtLeast(u16),
    /// What the criterion is about exists.
    Exists,
    /// Nothing: the project has no such criterion.
    Off,
}

/// A row of the table of criteria.
#[derive(Clone, Copy, Debug)]
pub struct CriterionRow {
    pub criterion: Criterion,
    /// Its name, in tables, in JSON and in approvals.
    pub name: &'static str,
    /// What it counts; empty if it counts nothing.
    pub unit: &'static str,
    /// What it requires unless the settings require something else.
    pub default: Requirement,
    /// What it means, in one sentence.
    pub summary: &'static str,
    /// The document that states it.
    pub source: &'static str,
}

/// The page about versions of Gateway API, which states most criteria.
const VERSIONING: &str = "Gateway API, Versioning, Graduation Criteria";

/// Every criterion, in the order of tables.
pub const CRITERIA: [CriterionRow; 7] = [
    CriterionRow {
        criterion: Criterion::Soak,
        name: "soak",
        unit: "months",
        default: Requirement::AtLeast(6),
        summary: "So many months passed since the release of the first bundle that has the element in experimental.",
        source: VERSIONING,
    },
    CriterionRow {
        criterion: Criterion::UnchangedMinors,
        name: "unchanged-minors",
        unit: "minors",
        default: Requirement::AtLeast(1),
        summary: "The bundle that graduates the element is so many minors after the last bundle with a breaking change of it.",
        source: VERSIONING,
    },
    CriterionRow {
        criterion: Criterion::UnchangedMonths,
        name: "unchanged-months",
        unit: "months",
        default: Requirement::AtLeast(3),
        summary: "So many months passed since the release of the last bundle with a breaking change of the element.",
        source: VERSIONING,
    },
    CriterionRow {
        criterion: Criterion::Conformance,
        name: "conformance",
        unit: "",
        default: Requirement::Exists,
        summary: "The element has a conformance feature (`+conformance:feature`), and a conformance report lists that feature.",
        source: VERSIONING,
    },
    CriterionRow {
        criterion: Criterion::Implementations,
        name: "implementations",
        unit: "projects",
        default: Requirement::AtLeast(2),
        summary: "Conformance reports of so many projects pass the feature of the element.",
        source: VERSIONING,
    },
    CriterionRow {
        criterion: Criterion::Usage,
        name: "usage",
        unit: "",
        default: Requirement::Exists,
        summary: "The element is widely used and works well: a person states it in the file of approvals, because no data shows it.",
        source: VERSIONING,
    },
    CriterionRow {
        criterion: Criterion::Approval,
        name: "approval",
        unit: "",
        default: Requirement::Exists,
        summary: "The owners of the project approve the graduation, with a line in the file of approvals.",
        source: VERSIONING,
    },
];

impl Serialize for Criterion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.row().name)
    }
}

impl Serialize for Requirement {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Requirement::AtLeast(number) => serializer.serialize_u16(*number),
            Requirement::Exists => serializer.serialize_bool(true),
            Requirement::Off => serializer.serialize_bool(false),
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Criterion {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Criterion".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let rows = CRITERIA.map(|row| serde_json::json!({ "const": row.name, "description": row.summary }));
        schemars::json_schema!({ "description": "A criterion of graduation.", "oneOf": rows })
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Requirement {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Requirement".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let about = "What a criterion requires: at least so many months, minors or projects; that something exists; or nothing.";
        schemars::json_schema!({ "description": about, "type": ["integer", "boolean"] })
    }
}

impl Criterion {
    pub fn row(self) -> &'static CriterionRow {
        let row = CRITERIA.iter().find(|row| row.criterion == self);
        row.unwrap_or(&CRITERIA[0])
    }

    /// The criterion with this name.
    pub fn named(name: &str) -> Option<Self> {
        CRITERIA.iter().find(|row| row.name == name).map(|row| row.criterion)
    }
}

/// What a project requires of an element that graduates.
///
/// ```
/// use crd_model::graduation::{Criterion, Graduation, Requirement};
///
/// let graduation = Graduation::from_value(&serde_json::json!({"soak": 3, "usage": false, "enforced": true}));
/// assert_eq!(graduation.requirement(Criterion::Soak), Requirement::AtLeast(3));
/// assert_eq!(graduation.requirement(Criterion::Usage), Requirement::Off);
/// assert_eq!(graduation.requirement(Criterion::UnchangedMonths), Requirement::AtLeast(3));
/// assert!(graduation.is_enforced());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graduation {
    requirements: Vec<(Criterion, Requirement)>,
    probation_months: u16,
    loosening_resets: bool,
    is_enforced: bool,
}

/// After how many months in experimental an element that is not ready should be removed. The GEP process of Gateway API suggests six (its probationary period).
pub const PROBATION_MONTHS: u16 = 6;

impl Default for Graduation {
    /// The criteria of Gateway API.
    fn default() -> Self {
        Self::from_value(&Value::Null)
    }
}

impl Graduation {
    /// Reads `graduation` of the settings, whose form was checked. A key that it lacks has the default value.
    pub fn from_value(section: &Value) -> Self {
        let number = |key: &str| match section.get(key)? {
            Value::Bool(flag) => Some(u16::from(*flag)),
            value => u16::try_from(value.as_u64()?).ok(),
        };
        let requirement = |row: &CriterionRow| match (number(row.name), row.unit) {
            (None, _) => row.default,
            (Some(0), _) => Requirement::Off,
            (Some(_), "") => Requirement::Exists,
            (Some(least), _) => Requirement::AtLeast(least),
        };
        Self {
            requirements: CRITERIA.iter().map(|row| (row.criterion, requirement(row))).collect(),
            probation_months: number("probation").unwrap_or(PROBATION_MONTHS),
            loosening_resets: number("loosening-resets") == Some(1),
            is_enforced: number("enforced") == Some(1),
        }
    }

    /// What a criterion requires.
    pub fn requirement(&self, criterion: Criterion) -> Requirement {
        let known = self.requirements.iter().find(|(known, _)| *known == criterion);
        known.map_or(Requirement::Off, |(_, requirement)| *requirement)
    }

    /// The criteria that require something, in the order of tables.
    pub fn required(&self) -> impl Iterator<Item = (Criterion, Requirement)> {
        self.requirements.iter().copied().filter(|(_, requirement)| *requirement != Requirement::Off)
    }

    /// The length of the probation, in months; 0 if it has no end.
    pub fn probation_months(&self) -> u16 {
        self.probation_months
    }

    /// Whether a loosened constraint counts as a change.
    pub fn does_loosening_reset(&self) -> bool {
        self.loosening_resets
    }

    /// Whether `check` refuses an early graduation.
    pub fn is_enforced(&self) -> bool {
        self.is_enforced
    }
}
