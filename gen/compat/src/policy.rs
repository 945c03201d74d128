//! The policy: which change needs which release, as one table.
//!
//! Invariants: a row has the text of `docs/policy.md`. A cell lists what the page permits in its column. If the page has conditions,
//! the rule chooses among the bumps of its cell.

use crd_model::channel::Channel;
pub use crd_model::profile::{PROFILES, Profile};

use crate::required_bump::RequiredBump;

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
            (Profile::Gep922 | Profile::Semver, Channel::Experimental) => Column::Experimental,
        }
    }

    /// The column that applies to names that only alpha versions have.
    pub fn column_of_alpha(self, channel: Channel) -> Column {
        match self.profile {
            Profile::Semver => Column::Experimental,
            Profile::Gep922 | Profile::ApiGuide => self.column(channel),
        }
    }

    /// The bump that a change requires, from the bump that its cell lists.
    pub fn required_bump(self, cells: &Cells, listed: RequiredBump) -> RequiredBump {
        match listed {
            _ if self.profile != Profile::Semver || !self.is_below_one => listed,
            RequiredBump::Major => RequiredBump::Minor,
            RequiredBump::Minor if cells.is_addition => RequiredBump::Patch,
            _ => listed,
        }
    }
}

/// A column of the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Column {
    /// The stable channel.
    Standard,
    /// The experimental channel.
    Experimental,
    /// The API-versioning guide.
    ApiGuide,
    /// Semantic versions.
    Semver,
}

impl Column {
    /// True for a channel that promises stability: what breaks users needs a major bundle, unless users were warned.
    pub fn is_stable(self) -> bool {
        matches!(self, Column::Standard | Column::Semver)
    }
}

/// Every column with its name.
pub const COLUMNS: [(Column, &str); 4] = [
    (Column::Standard, "standard"),
    (Column::Experimental, "experimental"),
    (Column::ApiGuide, "api-guide"),
    (Column::Semver, "semver"),
];

/// What a change needs in addition to the bump.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Need {
    /// A tombstone for the removed name.
    Tombstone,
    /// A declared conversion from the old to the new form.
    Conversion,
    /// Declared conversions in both directions.
    ConversionBothWays,
}

impl Need {
    /// In words.
    pub fn word(self) -> &'static str {
        match self {
            Need::Tombstone => "tombstone",
            Need::Conversion => "conversion",
            Need::ConversionBothWays => "conversion both ways",
        }
    }
}

/// A cell: the bumps that a rule may require in this column, the usual one first. Empty: the rule does not apply here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

    /// The bump that the rule usually requires.
    pub fn usual(&self) -> Option<RequiredBump> {
        self.bumps.first().copied()
    }
}

/// The cells of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cells {
    /// The stable channel.
    pub standard: Cell,
    /// The experimental channel.
    pub experimental: Cell,
    /// The API-versioning guide.
    pub api_guide: Cell,
    /// Semantic versions.
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
        }
    }
}

/// A row of `docs/policy.md`, in its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// A short name.
    pub id: &'static str,
    /// The heading above it.
    pub section: &'static str,
    /// The change.
    pub change: &'static str,
    /// The cell of standard.
    pub standard: &'static str,
    /// The cell of experimental.
    pub experimental: &'static str,
    /// The cell of the API-versioning guide.
    pub api_guide: &'static str,
    /// The cell of semantic versions.
    pub semver: &'static str,
}

impl Row {
    /// The cell of a column.
    pub fn cell(&self, column: Column) -> &'static str {
        match column {
            Column::Standard => self.standard,
            Column::Experimental => self.experimental,
            Column::ApiGuide => self.api_guide,
            Column::Semver => self.semver,
        }
    }
}

/// The row with this name.
pub fn row(id: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.id == id)
}

/// Every row, in the order of the page.
pub const ROWS: &[Row] = &[
    Row {
        id: "words",
        section: "words",
        change: "description, title, example, external docs, deprecation warning text, order of versions, stamps, the version of a tool in labels and annotations, `apiVersion`, `kind` or `metadata` required at the root",
        standard: "patch (stamps: none)",
        experimental: "patch",
        api_guide: "patch",
        semver: "patch (stamps: none)",
    },
    Row {
        id: "cel-words",
        section: "words",
        change: "CEL message, messageExpression, reason, fieldPath only",
        standard: "patch",
        experimental: "patch",
        api_guide: "patch",
        semver: "patch",
    },
    Row {
        id: "labels-and-annotations",
        section: "words",
        change: "CRD labels and annotations other than stamps and versions of tools",
        standard: "minor",
        experimental: "minor",
        api_guide: "patch",
        semver: "minor",
    },
    Row {
        id: "api-approved-lost",
        section: "words",
        change: "`api-approved` annotation lost by a protected group",
        standard: "refused",
        experimental: "refused",
        api_guide: "refused",
        semver: "refused",
    },
    Row {
        id: "loosened",
        section: "objects accepted",
        change: "loosened: wider bound, longer list, new enum value of a field that exists, wider pattern, format dropped, rule removed, required → optional, nullable added, closed → open map",
        standard: "minor",
        experimental: "minor",
        api_guide: "patch",
        semver: "minor, below v1.0.0 patch",
    },
    Row {
        id: "tightened",
        section: "objects accepted",
        change: "tightened: the reverse; a new rule; any rule with `oldSelf` added or changed; a known format added (int32, int64, ipv4, ipv6, uri, date, date-time, duration, byte, hostname, …; unknown formats are words)",
        standard: "major",
        experimental: "minor",
        api_guide: "minor",
        semver: "major",
    },
    Row {
        id: "incomparable",
        section: "objects accepted",
        change: "neither: patterns or rules that cannot be compared; allOf, anyOf, oneOf, not, optionalOldSelf changed, unless inclusion is proven",
        standard: "major",
        experimental: "minor",
        api_guide: "minor",
        semver: "major",
    },
    Row {
        id: "required-with-default",
        section: "objects accepted",
        change: "required field added with a default (the server fills it in)",
        standard: "as \"default added\"",
        experimental: "the same",
        api_guide: "minor",
        semver: "as \"default added\"",
    },
    Row {
        id: "required-at-root",
        section: "objects accepted",
        change: "another required field added at the root (ratcheting does not help: even a finalizer patch is refused)",
        standard: "major",
        experimental: "minor, warning",
        api_guide: "minor",
        semver: "major",
    },
    Row {
        id: "default-added",
        section: "objects accepted",
        change: "default added",
        standard: "minor, warning",
        experimental: "minor",
        api_guide: "minor",
        semver: "minor, warning",
    },
    Row {
        id: "default-changed",
        section: "objects accepted",
        change: "default changed or removed",
        standard: "major",
        experimental: "minor",
        api_guide: "minor",
        semver: "major",
    },
    Row {
        id: "condition-list-default",
        section: "objects accepted",
        change: "default of a condition list in `status` changed",
        standard: "minor",
        experimental: "minor",
        api_guide: "minor",
        semver: "minor",
    },
    Row {
        id: "graduated",
        section: "names",
        change: "optional field, enum value or resource that the baseline's experimental channel has, under this or a replaced name (graduation)",
        standard: "minor",
        experimental: "",
        api_guide: "patch",
        semver: "minor, below v1.0.0 patch",
    },
    Row {
        id: "name-added",
        section: "names",
        change: "optional field, enum value or resource that experimental never had, and not inside a new API version",
        standard: "blocked: everything starts in experimental",
        experimental: "minor",
        api_guide: "patch",
        semver: "minor, below v1.0.0 patch",
    },
    Row {
        id: "name-below-preserved",
        section: "names",
        change: "optional field added below a node that preserves unknown fields (stored values may now be refused)",
        standard: "tightened",
        experimental: "tightened",
        api_guide: "minor",
        semver: "tightened",
    },
    Row {
        id: "name-removed",
        section: "names",
        change: "field or enum value removed",
        standard: "major, tombstone",
        experimental: "minor, tombstone",
        api_guide: "minor, tombstone, conversion",
        semver: "major, tombstone",
    },
    Row {
        id: "renamed",
        section: "names",
        change: "field renamed (declared): removal and addition joined",
        standard: "add the new name first; remove the old one in a major bundle",
        experimental: "minor, tombstone, conversion both ways; warning: old values are unreadable unless the node preserves unknown fields",
        api_guide: "minor, conversion both ways",
        semver: "add the new name first; remove the old one in a major bundle",
    },
    Row {
        id: "type-changed",
        section: "names",
        change: "type changed under the same name, also integer ↔ number, struct ↔ map, to or from int-or-string (without a type: preserve-unknown-fields added)",
        standard: "refused (tombstone it, choose another name)",
        experimental: "refused (stricter than the versioning page)",
        api_guide: "refused",
        semver: "refused (tombstone it, choose another name)",
    },
    Row {
        id: "list-type",
        section: "names",
        change: "list type, list-map keys, map type, struct type changed (absent equals atomic for lists, granular for maps: no difference)",
        standard: "major",
        experimental: "minor",
        api_guide: "minor",
        semver: "major",
    },
    Row {
        id: "preserve-removed",
        section: "names",
        change: "preserve-unknown-fields or embedded-resource removed",
        standard: "major",
        experimental: "minor",
        api_guide: "refused",
        semver: "major",
    },
    Row {
        id: "preserve-added",
        section: "names",
        change: "preserve-unknown-fields added, also in the place of a type; embedded-resource added",
        standard: "minor; major",
        experimental: "minor",
        api_guide: "patch; minor",
        semver: "minor, below v1.0.0 patch; major",
    },
    Row {
        id: "resource-removed",
        section: "the resource",
        change: "resource removed",
        standard: "major, tombstone; minor if it had no GA version and was deprecated for 9 months and 3 minors",
        experimental: "minor, tombstone",
        api_guide: "major, tombstone",
        semver: "major, tombstone; minor if it had no GA version and was deprecated for 9 months and 3 minors",
    },
    Row {
        id: "resource-moved",
        section: "the resource",
        change: "group or plural changed",
        standard: "removal and addition, the tombstone names the replacement",
        experimental: "the same",
        api_guide: "the same",
        semver: "removal and addition, the tombstone names the replacement",
    },
    Row {
        id: "kind-or-scope",
        section: "the resource",
        change: "kind or scope changed",
        standard: "refused",
        experimental: "refused",
        api_guide: "refused",
        semver: "refused",
    },
    Row {
        id: "singular-or-list-kind",
        section: "the resource",
        change: "singular or list kind changed",
        standard: "major",
        experimental: "minor",
        api_guide: "minor",
        semver: "major",
    },
    Row {
        id: "presentation",
        section: "the resource",
        change: "short name, category, print column added, changed or removed",
        standard: "minor",
        experimental: "minor",
        api_guide: "patch",
        semver: "minor",
    },
    Row {
        id: "selectable-or-scale",
        section: "the resource",
        change: "selectable field, scale subresource or its label selector added; removed or its paths changed",
        standard: "minor; major",
        experimental: "minor",
        api_guide: "patch; minor",
        semver: "minor, below v1.0.0 patch; major",
    },
    Row {
        id: "status-subresource",
        section: "the resource",
        change: "status subresource added to an existing version (writes through the main resource then vanish silently); removed",
        standard: "major; major",
        experimental: "minor",
        api_guide: "minor",
        semver: "major; major",
    },
    Row {
        id: "webhook",
        section: "the resource",
        change: "conversion by webhook",
        standard: "blocked (the guide forbids it)",
        experimental: "blocked",
        api_guide: "refused",
        semver: "blocked",
    },
    Row {
        id: "webhook-changed",
        section: "the resource",
        change: "another address, path, port or CA of a conversion webhook, or other review versions",
        standard: "patch; minor if a review version is removed",
        experimental: "patch; minor if a review version is removed",
        api_guide: "patch; minor if a review version is removed",
        semver: "patch; minor if a review version is removed",
    },
    Row {
        id: "webhook-removed",
        section: "the resource",
        change: "conversion webhook removed",
        standard: "minor if the versions in use convert by pruning alone; else major",
        experimental: "minor",
        api_guide: "patch if the versions in use convert by pruning alone; else minor",
        semver: "minor if the versions in use convert by pruning alone; else major",
    },
    Row {
        id: "condition-changed",
        section: "the resource",
        change: "recommended condition type or reason added, changed or removed (bundles that list them in `constants.json`)",
        standard: "minor",
        experimental: "minor",
        api_guide: "minor",
        semver: "minor",
    },
    Row {
        id: "version-added",
        section: "API versions",
        change: "added, deprecated, un-deprecated, served again",
        standard: "minor",
        experimental: "minor",
        api_guide: "patch",
        semver: "minor, below v1.0.0 patch",
    },
    Row {
        id: "version-unserved",
        section: "API versions",
        change: "no longer served",
        standard: "GA: major; else minor if the baseline deprecates it",
        experimental: "minor",
        api_guide: "minor",
        semver: "GA: major; else minor if the baseline deprecates it",
    },
    Row {
        id: "version-removed",
        section: "API versions",
        change: "removed",
        standard: "GA: major; else minor if the baseline neither serves nor stores it; tombstone",
        experimental: "minor, tombstone",
        api_guide: "minor, tombstone",
        semver: "GA: major; else minor if the baseline neither serves nor stores it; tombstone",
    },
    Row {
        id: "stored-version-removed",
        section: "API versions",
        change: "removed although some earlier bundle stored it",
        standard: "refused without a declared migration",
        experimental: "refused without a declared migration",
        api_guide: "the same",
        semver: "refused without a declared migration",
    },
    Row {
        id: "storage-version",
        section: "API versions",
        change: "storage version changed",
        standard: "minor, only to a version that the baseline serves",
        experimental: "the same",
        api_guide: "the same",
        semver: "minor, only to a version that the baseline serves",
    },
    Row {
        id: "unserved-version-changed",
        section: "API versions",
        change: "changed within a version that neither bundle serves or stores",
        standard: "patch",
        experimental: "patch",
        api_guide: "patch",
        semver: "patch",
    },
    Row {
        id: "containment",
        section: "states, not changes",
        change: "standard has what experimental lacks, or accepts what experimental refuses",
        standard: "blocked",
        experimental: "",
        api_guide: "",
        semver: "blocked",
    },
    Row {
        id: "alpha-in-standard",
        section: "states, not changes",
        change: "a resource in standard with only alpha versions",
        standard: "blocked",
        experimental: "",
        api_guide: "",
        semver: "",
    },
    Row {
        id: "versions-differ",
        section: "states, not changes",
        change: "served versions of one resource differ in fields at a node that does not preserve unknown fields (a write through one version erases fields that only the other version has)",
        standard: "blocked; minor, warning with a conversion webhook",
        experimental: "blocked; minor, warning with a conversion webhook",
        api_guide: "refused",
        semver: "blocked; minor, warning with a conversion webhook",
    },
    Row {
        id: "version-type-clash",
        section: "states, not changes",
        change: "versions of one resource that are served or stored have different types under one name",
        standard: "refused; minor, warning with a conversion webhook",
        experimental: "refused; minor, warning with a conversion webhook",
        api_guide: "refused",
        semver: "refused; minor, warning with a conversion webhook",
    },
    Row {
        id: "version-constraint-clash",
        section: "states, not changes",
        change: "a served version refuses objects that another version of the resource accepts, also by a required field",
        standard: "blocked; minor, warning with a conversion webhook",
        experimental: "blocked; minor, warning with a conversion webhook",
        api_guide: "refused",
        semver: "blocked; minor, warning with a conversion webhook",
    },
    Row {
        id: "not-preserving",
        section: "states, not changes",
        change: "a version whose object nodes do not all preserve unknown fields",
        standard: "",
        experimental: "",
        api_guide: "refused (the guide's MUST)",
        semver: "",
    },
    Row {
        id: "not-installable",
        section: "states, not changes",
        change: "a version that servers refuse to install, because the estimated cost of its CEL rules is above their limit",
        standard: "blocked",
        experimental: "blocked",
        api_guide: "blocked",
        semver: "blocked",
    },
    Row {
        id: "unclaimed",
        section: "",
        change: "anything that no row claims",
        standard: "blocked, always",
        experimental: "blocked, always",
        api_guide: "blocked, always",
        semver: "blocked, always",
    },
];
