//! A change: one difference between two bundles, typed, before a rule classifies it.
//!
//! Invariants: exchanging the bundles exchanges *added* and *removed* and nothing else. A name that is added or removed is one change:
//! what is below it is not compared.

mod values;

use crd_inclusion::{Difference, Direction, Edit, Position, Presence, Step};
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_model::crd::{PrinterColumn, Scale, Scope, Version};
use crd_model::path;
use serde_json::Value;

#[derive(Clone, Debug, PartialEq)]
pub enum Change<'a> {
    Resource(Presence),
    /// `spec.group`
    Group {
        /// The group in the baseline.
        old: &'a str,
        /// The group in the candidate.
        new: &'a str,
    },
    /// `spec.names.plural`
    Plural {
        /// The plural in the baseline.
        old: &'a str,
        /// The plural in the candidate.
        new: &'a str,
    },
    /// `spec.names.kind`
    Kind {
        /// The kind in the baseline.
        old: &'a str,
        /// The kind in the candidate.
        new: &'a str,
    },
    /// `spec.names.listKind`; absent equals `<kind>List`.
    ListKind(Edit<&'a str>),
    /// `spec.names.singular`; absent equals the kind in lower case.
    Singular(Edit<&'a str>),
    /// One of `spec.names.shortNames`
    ShortName(Presence<&'a str>),
    /// One of `spec.names.categories`
    Category(Presence<&'a str>),
    /// `spec.scope`
    Scope {
        /// The scope in the baseline.
        old: Scope,
        /// The scope in the candidate.
        new: Scope,
    },
    /// `spec.conversion`; absent equals the strategy `None`.
    Conversion(Edit<&'a Value>),
    /// `spec.preserveUnknownFields`
    PreserveUnknownFieldsOfAll(Presence),
    /// An annotation other than a stamp.
    Annotation {
        key: &'a str,
        value: Edit<&'a str>,
    },
    Label {
        key: &'a str,
        value: Edit<&'a str>,
    },
    /// An annotation with the bundle's version or channel.
    Stamp {
        key: &'a str,
        value: Edit<&'a str>,
    },
    /// The order of the versions.
    VersionOrder {
        /// The order in the baseline.
        old: Vec<&'a str>,
        /// The order in the candidate.
        new: Vec<&'a str>,
    },
    Version(Presence<&'a str>),
    /// `served`
    Served(Presence),
    /// The versions whose `storage` is true. Servers accept exactly one.
    Storage(Edit<Vec<&'a str>>),
    /// `deprecated`
    Deprecated(Presence),
    /// `deprecationWarning`
    DeprecationWarning(Edit<&'a str>),
    /// One of `additionalPrinterColumns`
    PrinterColumn(Edit<Column<'a>>),
    /// The order of `additionalPrinterColumns`, in which `kubectl get` prints them.
    ColumnOrder {
        /// The order in the baseline.
        old: Vec<&'a str>,
        /// The order in the candidate.
        new: Vec<&'a str>,
    },
    /// One of `selectableFields`
    SelectableField(Presence<&'a str>),
    /// `subresources.status`
    StatusSubresource(Presence),
    /// `subresources.scale`
    ScaleSubresource(Edit<&'a Scale>),
    /// A field that the scale subresource reads, by its path there, and that the schema does not limit to what servers accept in it.
    Scaled(Presence<&'a str>),
    /// An order without meaning: of short names, categories, selectable fields.
    Order {
        /// The order in the baseline.
        old: Vec<&'a str>,
        /// The order in the candidate.
        new: Vec<&'a str>,
    },
    /// A keyword or name of the schema.
    Schema(Difference<'a>),
}

/// One of `additionalPrinterColumns`, with the values that servers fill in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column<'a> {
    /// `name`
    pub name: &'a str,
    /// `type`
    pub kind: &'a str,
    /// `jsonPath`
    pub json_path: &'a str,
    /// `format`
    pub format: Option<&'a str>,
    /// `priority`; absent equals 0.
    pub priority: i64,
    /// `description`
    pub description: Option<&'a str>,
}

impl<'a> Column<'a> {
    pub(crate) fn of(column: &'a PrinterColumn) -> Self {
        let PrinterColumn { description, format, json_path, name, priority, kind } = column;
        let (format, description) = (crd_inclusion::text(format), crd_inclusion::text(description));
        Column { name, kind, json_path, format, priority: priority.unwrap_or_default(), description }
    }
}

impl<'a> Change<'a> {
    /// What changed, in words: the property of the CRD where there is one.
    pub fn description(&self) -> &'static str {
        match self {
            Change::Resource(_) => "the resource",
            Change::Group { .. } => "`spec.group`",
            Change::Plural { .. } => "`spec.names.plural`",
            Change::Kind { .. } => "`spec.names.kind`",
            Change::ListKind(_) => "`spec.names.listKind`",
            Change::Singular(_) => "`spec.names.singular`",
            Change::ShortName(_) => "`spec.names.shortNames`",
            Change::Category(_) => "`spec.names.categories`",
            Change::Scope { .. } => "`spec.scope`",
            Change::Conversion(_) => "`spec.conversion`",
            Change::PreserveUnknownFieldsOfAll(_) => "`spec.preserveUnknownFields`",
            Change::Annotation { .. } => "an annotation",
            Change::Label { .. } => "a label",
            Change::Stamp { .. } => "a stamp",
            Change::VersionOrder { .. } => "the order of versions",
            Change::Version(_) => "the API version",
            Change::Served(_) => "`served`",
            Change::Storage(_) => "the storage version",
            Change::Deprecated(_) => "`deprecated`",
            Change::DeprecationWarning(_) => "`deprecationWarning`",
            Change::PrinterColumn(_) | Change::ColumnOrder { .. } => "`additionalPrinterColumns`",
            Change::SelectableField(_) => "`selectableFields`",
            Change::StatusSubresource(_) => "the status subresource",
            Change::ScaleSubresource(_) => "the scale subresource",
            Change::Scaled(_) => "the limits of the scale subresource",
            Change::Order { .. } => "an order",
            Change::Schema(difference) => difference.description(),
        }
    }
}

/// Where a change is.
#[derive(Clone, Debug, PartialEq)]
pub struct Location<'a> {
    pub channel: Channel,
    /// The CRD in the baseline.
    pub old_crd: Option<&'a CustomResourceDefinition>,
    /// The CRD in the candidate.
    pub new_crd: Option<&'a CustomResourceDefinition>,
    /// The API version in the baseline.
    pub old_version: Option<&'a Version>,
    /// The API version in the candidate.
    pub new_version: Option<&'a Version>,
    /// The node of the schema; empty for what concerns the resource or the version.
    pub position: Position<'a>,
}

impl<'a> Location<'a> {
    /// The name of the CRD.
    pub fn crd(&self) -> &'a str {
        self.old_crd.or(self.new_crd).map_or("", |crd| &crd.name)
    }

    /// The name of the API version.
    pub fn version(&self) -> Option<&'a str> {
        self.old_version.or(self.new_version).map(|version| &*version.name)
    }
}

/// A change and its CRD location.
#[derive(Clone, Debug, PartialEq)]
pub struct LocatedChange<'a> {
    pub location: Location<'a>,
    pub change: Change<'a>,
}

impl<'a> LocatedChange<'a> {
    /// The schema path of the change, with the name where a name differs: `spec.tls`.
    pub fn path(&self) -> String {
        let mut steps = self.location.position.steps.clone();
        if let Change::Schema(difference) = &self.change {
            steps.extend(difference.name().map(Step::Field));
        }
        path::text(&steps)
    }

    /// What the change does to the set of accepted objects; none if it is about something else.
    pub fn direction(&self) -> Option<Direction> {
        match &self.change {
            Change::Schema(difference) => difference.direction(&self.location.position),
            Change::Scaled(Presence::Added(_)) => Some(Direction::Tightened),
            Change::Scaled(Presence::Removed(_)) => Some(Direction::Loosened),
            _ => None,
        }
    }
}
