//! The policy: which change needs which release, as one table.
//!
//! Invariants: the rows are those of the table in `docs/policy.md`, which is their only text. A cell lists what the page permits in its column. If the page has conditions,
//! the rule chooses among the bumps of its cell.

use std::sync::LazyLock;

use crd_model::channel::Channel;
pub use crd_model::profile::{PROFILES, Profile};
use crd_model::words;
use serde::Serialize;

use crate::required_bump::{Lowered, RequiredBump};

/// The policy of a comparison: a profile, and whether it is milder because the baseline is below v1.0.0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// The columns that apply.
    pub profile: Profile,
    /// True if the baseline's version is below v1.0.0. Only `semver` depends on it.
    pub is_below_one: bool,
}

/// The policy of a baseline from v1.0.0 on.
impl From<Profile> for Policy {
    fn from(profile: Profile) -> Self {
        Self { profile, is_below_one: false }
    }
}

impl Policy {
    /// The column that applies to a channel.
    pub fn column(self, channel: Channel) -> Column {
        match (self.profile, channel) {
            (Profile::ApiGuide, _) => Column::ApiGuide,
            (Profile::Gep922, Channel::Standard) => Column::Standard,
            (Profile::Semver, Channel::Standard) => Column::Semver,
            (Profile::Gep922, Channel::Experimental) => Column::Experimental,
            (Profile::Semver, Channel::Experimental) => Column::SemverUnstable,
        }
    }

    /// The column that applies to names that only alpha versions have.
    pub fn column_of_alpha(self, channel: Channel) -> Column {
        match self.profile {
            Profile::Semver => Column::SemverUnstable,
            Profile::Gep922 | Profile::ApiGuide => self.column(channel),
        }
    }

    /// The bump that a change requires, from the bump that its cell lists.
    pub fn required_bump(self, cells: &Cells, column: Column, listed: RequiredBump) -> RequiredBump {
        match listed {
            RequiredBump::Major if column == Column::SemverUnstable => RequiredBump::Minor,
            _ if self.profile != Profile::Semver || !self.is_below_one => listed,
            RequiredBump::Major => RequiredBump::Minor,
            RequiredBump::Minor if cells.is_addition => RequiredBump::Patch,
            _ => listed,
        }
    }

    /// The bump that a finding requires, and why it is lower than for other versions.
    pub(crate) fn required(
        self,
        cells: &Cells,
        channel: Channel,
        is_alpha: bool,
        listed: RequiredBump,
    ) -> (RequiredBump, Option<Lowered>) {
        let stable = self.column(channel);
        let column = if is_alpha { self.column_of_alpha(channel) } else { stable };
        let required_bump = self.required_bump(cells, column, listed);
        let usual = cells.cell(stable).usual().unwrap_or(listed).max(listed);
        // The version of the baseline explains all versions alike, so that equal findings about several of them become one.
        let lowered = match is_alpha && required_bump < self.required_bump(cells, stable, usual) {
            true => Some(Lowered::Alpha),
            false => {
                let is_lower = required_bump < listed || is_alpha && required_bump < usual;
                (self.is_below_one && is_lower).then_some(Lowered::BelowOne)
            }
        };
        (required_bump, lowered)
    }
}

/// A column of the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Column {
    Standard,
    Experimental,
    ApiGuide,
    Semver,
    /// Semantic versions, for alpha versions and the experimental channel: as *experimental*. What that column does not permit and *semver* does is
    /// as in *semver*, and *major* counts as *minor*.
    SemverUnstable,
}

impl Column {
    /// True for a channel that promises stability: what breaks users needs a major bundle, unless users were warned.
    pub fn is_stable(self) -> bool {
        matches!(self, Column::Standard | Column::Semver)
    }
}

/// Every column of the page with its name.
pub const COLUMNS: [(Column, &str); 4] = [
    (Column::Standard, "standard"),
    (Column::Experimental, "experimental"),
    (Column::ApiGuide, "api-guide"),
    (Column::Semver, "semver"),
];

words! {
    /// What a change needs in addition to the bump.
    pub enum Need {
        /// A tombstone for the removed name.
        Tombstone = "tombstone",
        /// A declared conversion from the old to the new form.
        Conversion = "conversion",
        /// Declared conversions in both directions.
        ConversionBothWays = "conversion both ways",
    }
}

/// A cell: the bumps that a rule may require in this column, the usual one first. Empty: the rule does not apply here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cell {
    /// The bumps.
    pub bumps: &'static [RequiredBump],
    /// What is needed in addition.
    pub needs: &'static [Need],
    /// True if it is permitted with a warning.
    pub warning: bool,
}

impl Cell {
    /// A cell with only these bumps.
    pub const fn of(bumps: &'static [RequiredBump]) -> Self {
        Self { bumps, needs: &[], warning: false }
    }

    /// The cell of a column in which the rule does not apply.
    pub const EMPTY: Cell = Cell::of(&[]);

    /// The same with needs.
    #[must_use]
    pub const fn needs(self, needs: &'static [Need]) -> Self {
        Self { needs, ..self }
    }

    /// The same with a warning.
    #[must_use]
    pub const fn warned(self) -> Self {
        Self { warning: true, ..self }
    }

    /// Whether some change that the rule finds fits no release.
    fn blocks(&self) -> bool {
        self.bumps.iter().any(|bump| bump.blocks())
    }

    /// The bump that the rule usually requires.
    pub fn usual(&self) -> Option<RequiredBump> {
        self.bumps.first().copied()
    }
}

/// The cells of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cells {
    pub standard: Cell,
    pub experimental: Cell,
    pub api_guide: Cell,
    pub semver: Cell,
    /// True if the change only adds: below v1.0.0, `semver` counts *minor* as *patch*.
    pub is_addition: bool,
}

impl Cells {
    /// One cell for each column. The column `semver` has the cell of standard.
    pub const fn of(standard: Cell, experimental: Cell, api_guide: Cell) -> Self {
        Self { standard, experimental, api_guide, semver: standard, is_addition: false }
    }

    /// The same cell in every column.
    pub const fn everywhere(bumps: &'static [RequiredBump]) -> Self {
        Self::of(Cell::of(bumps), Cell::of(bumps), Cell::of(bumps))
    }

    /// The same with another cell in the column `semver`.
    #[must_use]
    pub const fn semver(self, semver: Cell) -> Self {
        Self { semver, ..self }
    }

    /// The same for changes that only add.
    #[must_use]
    pub const fn addition(self) -> Self {
        Self { is_addition: true, ..self }
    }

    /// The cell of a column.
    pub fn cell(&self, column: Column) -> &Cell {
        match column {
            Column::Standard => &self.standard,
            Column::Experimental => &self.experimental,
            Column::ApiGuide => &self.api_guide,
            Column::Semver => &self.semver,
            Column::SemverUnstable if self.experimental.blocks() && !self.semver.blocks() => &self.semver,
            Column::SemverUnstable => &self.experimental,
        }
    }
}

/// A row of `docs/policy.md`, in its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    pub id: &'static str,
    /// The heading above it.
    pub section: &'static str,
    pub change: &'static str,
    /// Its cells, in the order of [`COLUMNS`].
    cells: [&'static str; COLUMNS.len()],
}

impl Row {
    /// The cell of a column.
    pub fn cell(&self, column: Column) -> &'static str {
        let cells = COLUMNS.iter().zip(self.cells);
        cells.into_iter().find(|((known, _), _)| *known == column).map_or("", |(_, cell)| cell)
    }
}

/// The row with this name.
pub fn row(id: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.id == id)
}

/// The names of the rows of the page, in its order.
const IDS: &str = "\
    words cel-words labels-and-annotations api-approved-lost loosened tightened incomparable required-with-default \
    required-at-root default-added default-changed condition-list-default graduated name-added \
    name-below-preserved name-removed renamed type-changed list-type preserve-removed preserve-added \
    resource-removed resource-moved kind-or-scope singular-or-list-kind presentation selectable-or-scale \
    status-subresource webhook webhook-changed webhook-removed condition-changed version-added version-unserved \
    version-removed stored-version-removed storage-version unserved-version-changed containment alpha-in-standard \
    watched-version-unserved versions-differ version-type-clash version-constraint-clash not-preserving not-installable \
    unclaimed";

/// Every row, in the order of the page.
pub static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let (mut section, mut ids, mut rows) = ("", IDS.split(' '), Vec::new());
    let lines = include_str!("../policy.md").lines();
    let table =
        lines.skip_while(|line| !line.starts_with("| change, ")).skip(2).take_while(|line| line.starts_with('|'));
    for line in table {
        let mut parts = line.trim_matches('|').split('|').map(str::trim);
        let change = parts.next().unwrap_or_default();
        let cells = COLUMNS.map(|_| parts.next().unwrap_or_default());
        let (section_of_row, change) = match change.strip_prefix("**").and_then(|rest| rest.split_once("**")) {
            Some((heading, _)) if cells.iter().all(|cell| cell.is_empty()) => {
                section = heading;
                continue;
            }
            Some((change, _)) => ("", change),
            None => (section, change),
        };
        rows.push(Row { id: ids.next().unwrap_or_default(), section: section_of_row, change, cells });
    }
    rows
});
