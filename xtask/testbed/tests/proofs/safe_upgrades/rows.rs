//! The table: installed CRDs, requests, and the expected answers of the server.
//!
//! Invariants: the code that creates the policy does not compute anything here. Each section is an API with its own policy and reference.

/// The stamps of a CRD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamps {
    pub(super) version: Option<&'static str>,
    pub(super) channel: Option<&'static str>,
}

/// Stamps of channel standard.
const fn s(version: &'static str) -> Stamps {
    Stamps { version: Some(version), channel: Some("standard") }
}

/// Stamps of channel experimental.
const fn x(version: &'static str) -> Stamps {
    Stamps { version: Some(version), channel: Some("experimental") }
}

/// Stamps without a version.
const fn of_channel(channel: &'static str) -> Stamps {
    Stamps { version: None, channel: Some(channel) }
}

/// Stamps without a channel.
const fn of_version(version: &'static str) -> Stamps {
    Stamps { version: Some(version), channel: None }
}

/// Stamps with any text as channel.
const fn with(version: &'static str, channel: &'static str) -> Stamps {
    Stamps { version: Some(version), channel: Some(channel) }
}

const LONGEST: &str = "v1.6.1-3f2a9c1b8d7e6f503f2a9c1b8d7e6f503f2a9c1b8d7e6f503f2a9c1b8";
const TOO_LONG: &str = "v1.6.1-3f2a9c1b8d7e6f503f2a9c1b8d7e6f503f2a9c1b8d7e6f503f2a9c1b8d";
const _: () = assert!(LONGEST.len() == 64 && TOO_LONG.len() == 65);

const NONE: Stamps = Stamps { version: None, channel: None };

/// The kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// Creates a CRD.
    New,
    /// Creates a CRD with a `deletionTimestamp`.
    NewThatClaimsToBeDeleted,
    /// Updates stamps and spec of an installed CRD.
    Update,
    /// Updates stamps and spec, and sends the previous generation.
    UpdateThatClaimsToBeNone,
    /// Updates only the stamps, as `kubectl annotate` does.
    Annotate,
    /// Updates only the spec.
    Spec,
    /// Updates only a label.
    Label,
    /// Updates only the finalizers.
    Finalizers,
    /// Updates the status, and sends these stamps.
    Status,
    /// Updates stamps and spec of a CRD that is being deleted.
    UpdateOfDeleted,
    /// Updates the finalizers of a CRD that is being deleted.
    FinalizersOfDeleted,
}

/// Whether the bundle has a CRD of this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// The bundle has a CRD of this name.
    InBundle,
    /// The bundle has no CRD of this name, but the group is the same: a CRD of an older or newer bundle, or of another project.
    Other,
}

/// The CRD whose stamp a candidate is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Itself,
    Reference,
}

/// A reason for a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    NoVersion,
    BadVersion,
    NoChannel,
    BadChannel,
    /// The version is older than this version of this CRD.
    Older(Owner, &'static str),
    /// The channel is less stable than standard, the channel of this CRD.
    LessStable(Owner),
}

use Owner::{Itself, Reference};
use Refusal::{BadChannel, BadVersion, LessStable, NoChannel, NoVersion, Older};
use Request::{
    Annotate, Finalizers, FinalizersOfDeleted, Label, New, NewThatClaimsToBeDeleted, Spec, Status, Update,
    UpdateOfDeleted, UpdateThatClaimsToBeNone,
};

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) name: Name,
    pub(super) request: Request,
    /// The stamps of the installed CRD; `None` without one.
    pub(super) installed: Option<Stamps>,
    /// The stamps in the request.
    pub(super) candidate: Stamps,
    /// The reasons of the refusal; empty if the request is accepted.
    pub(super) refusals: &'static [Refusal],
}

const fn row(request: Request, installed: Option<Stamps>, candidate: Stamps, refusals: &'static [Refusal]) -> Row {
    Row { name: Name::InBundle, request, installed, candidate, refusals }
}

const fn update(installed: Stamps, candidate: Stamps, refusals: &'static [Refusal]) -> Row {
    row(Update, Some(installed), candidate, refusals)
}

const fn new(candidate: Stamps, refusals: &'static [Refusal]) -> Row {
    row(New, None, candidate, refusals)
}

/// A request that does not change the stamps.
const fn same_stamps(request: Request, installed: Stamps, refusals: &'static [Refusal]) -> Row {
    row(request, Some(installed), installed, refusals)
}

const fn other_name(row: Row) -> Row {
    Row { name: Name::Other, ..row }
}

/// Rows with the same reference.
pub(super) struct Section {
    pub(super) title: &'static str,
    /// The stamps of the reference; `None` if it is not installed.
    pub(super) reference: Option<Stamps>,
    pub(super) rows: &'static [Row],
}

pub(super) const SECTIONS: &[Section] = &[
    Section {
        title: "Versions",
        // Updates are checked without a reference too.
        reference: None,
        rows: &[
            update(s("v1.6.1"), s("v1.6.1"), &[]),
            update(s("v1.6.0"), s("v1.6.1"), &[]),
            update(s("v1.6.1"), s("v1.6.0"), &[Older(Itself, "v1.6.1")]),
            update(s("v1.6.9"), s("v1.6.10"), &[]),
            update(s("v1.6.10"), s("v1.6.9"), &[Older(Itself, "v1.6.10")]),
            update(s("v1.1.0"), s("v1.9.0"), &[]),
            update(s("v1.9.0"), s("v1.10.0"), &[]),
            update(s("v1.1.0"), s("v1.10.0"), &[]),
            update(s("v1.9.0"), s("v1.1.0"), &[Older(Itself, "v1.9.0")]),
            update(s("v1.10.0"), s("v1.9.0"), &[Older(Itself, "v1.10.0")]),
            update(s("v1.10.0"), s("v1.1.0"), &[Older(Itself, "v1.10.0")]),
            update(s("v1.10.0"), s("v1.9.99"), &[Older(Itself, "v1.10.0")]),
            update(s("v0.8.1"), s("v1.0.0"), &[]),
            update(s("v1.0.0"), s("v0.9999.9999"), &[Older(Itself, "v1.0.0")]),
            update(s("v9.9.9"), s("v10.0.0"), &[]),
            update(s("v10.0.0"), s("v9.9.9"), &[Older(Itself, "v10.0.0")]),
            update(s("v9999.9999.9998"), s("v9999.9999.9999"), &[]),
            update(s("v9999.9999.9999"), s("v9999.9999.9999-rc.9999"), &[Older(Itself, "v9999.9999.9999")]),
            update(x("v1.6.0"), x("v1.6.1"), &[]),
            update(x("v1.6.1"), x("v1.6.0"), &[Older(Itself, "v1.6.1")]),
        ],
    },
    Section {
        title: "Pre-releases",
        reference: None,
        rows: &[
            update(s("v1.7.0-rc.1"), s("v1.7.0"), &[]),
            update(s("v1.7.0"), s("v1.7.0-rc.1"), &[Older(Itself, "v1.7.0")]),
            update(s("v1.6.9"), s("v1.7.0-alpha"), &[]),
            update(s("v1.7.0-alpha"), s("v1.6.9"), &[Older(Itself, "v1.7.0-alpha")]),
            update(s("v1.6.1-dev"), s("v1.6.1"), &[]),
            update(s("v1.6.1"), s("v1.6.1-dev"), &[Older(Itself, "v1.6.1")]),
            update(s("v1.6.1"), s("v1.6.2-dev"), &[]),
            update(s("v1.7.0-alpha.2"), s("v1.7.0-beta.1"), &[]),
            update(s("v1.7.0-beta.1"), s("v1.7.0-alpha.2"), &[Older(Itself, "v1.7.0-beta.1")]),
            // Words are ordered alphabetically.
            update(s("v1.7.0-beta.2"), s("v1.7.0-dev"), &[]),
            update(s("v1.7.0-dev"), s("v1.7.0-beta.2"), &[Older(Itself, "v1.7.0-dev")]),
            update(s("v1.7.0-dev.3"), s("v1.7.0-rc.1"), &[]),
            update(s("v1.7.0-rc.1"), s("v1.7.0-dev.3"), &[Older(Itself, "v1.7.0-rc.1")]),
            // Numbers are ordered as numbers.
            update(s("v1.7.0-rc.2"), s("v1.7.0-rc.10"), &[]),
            update(s("v1.7.0-rc.10"), s("v1.7.0-rc.2"), &[Older(Itself, "v1.7.0-rc.10")]),
            // A version without a number is older than one with a number.
            update(s("v1.7.0-rc"), s("v1.7.0-rc.0"), &[]),
            update(s("v1.7.0-rc.0"), s("v1.7.0-rc"), &[Older(Itself, "v1.7.0-rc.0")]),
            update(s("v1.7.0-alpha.9999"), s("v1.7.0-beta"), &[]),
            update(s("v1.7.0-beta"), s("v1.7.0-alpha.9999"), &[Older(Itself, "v1.7.0-beta")]),
        ],
    },
    Section {
        title: "Channels",
        reference: None,
        rows: &[
            update(s("v1.6.1"), x("v1.6.1"), &[LessStable(Itself)]),
            update(s("v1.6.1"), x("v1.7.0"), &[LessStable(Itself)]),
            update(s("v1.6.1"), x("v1.6.0"), &[Older(Itself, "v1.6.1"), LessStable(Itself)]),
            update(x("v1.6.1"), s("v1.6.1"), &[]),
            update(x("v1.6.1"), s("v1.7.0"), &[]),
            update(x("v1.6.1"), s("v1.6.0"), &[Older(Itself, "v1.6.1")]),
        ],
    },
    Section {
        title: "Malformed or missing stamps",
        reference: None,
        rows: &[
            update(s("v1.6.1"), s("v01.6.1"), &[BadVersion]),
            update(s("v1.6.1"), s("v1.07.0"), &[BadVersion]),
            update(s("v1.6.1"), s("v1.7.00"), &[BadVersion]),
            update(s("v1.6.1"), s("v01"), &[BadVersion]),
            update(s("v1.6.1"), s("v2"), &[BadVersion]),
            update(s("v1.6.1"), s("v1.6"), &[BadVersion]),
            update(s("v1.6.1"), s("v1.7"), &[BadVersion]),
            update(s("v1.6.1"), s("1.7.0"), &[BadVersion]),
            update(s("v1.6.1"), s("V1.7.0"), &[BadVersion]),
            update(s("v1.6.1"), s("v1.7.0.1"), &[BadVersion]),
            update(s("v1.6.1"), s("v1.7.10000"), &[BadVersion]),
            update(s("v1.6.1"), s("v1.-7.0"), &[BadVersion]),
            update(s("v1.6.1"), s("v1.7.x"), &[BadVersion]),
            update(s("v1.6.1"), s("v1.7.0-final"), &[BadVersion]),
            update(s("v1.6.1"), s("v1.7.0-rc1"), &[BadVersion]),
            update(s("v1.6.1"), s("v1.7.0-rc.01"), &[BadVersion]),
            update(s("v1.6.1"), s("v1.7.0-rc."), &[BadVersion]),
            update(s("v1.6.1"), s("v1.7.0-rc.1.2"), &[BadVersion]),
            update(s("v1.6.1"), s("v1.7.0-rc.10000"), &[BadVersion]),
            update(s("v1.6.1"), s("v1.7.0-RC.1"), &[BadVersion]),
            update(s("v1.6.1"), s("v1.7.0-"), &[BadVersion]),
            update(s("v1.6.1"), s("v1.7.0+vendor.1"), &[BadVersion]),
            update(s("v1.6.1"), s(" v1.7.0"), &[BadVersion]),
            update(s("v1.6.1"), s("v1.7.0 "), &[BadVersion]),
            update(s("v1.6.1"), s("v1.7.0\n"), &[BadVersion]),
            update(s("v1.6.1"), s("v1.7.\u{ff11}"), &[BadVersion]),
            update(s("v1.6.1"), s("v1.7.0\"'\\"), &[BadVersion]),
            update(s("v1.6.1"), s("dev"), &[BadVersion]),
            update(s("v1.6.1"), s("main"), &[BadVersion]),
            update(s("v1.6.1"), s("3f2a9c1"), &[BadVersion]),
            update(s("v1.6.1"), s(""), &[NoVersion]),
            update(s("v1.6.1"), of_channel("standard"), &[NoVersion]),
            update(s("v1.6.1"), of_version("v1.7.0"), &[NoChannel]),
            update(s("v1.6.1"), with("v1.7.0", ""), &[NoChannel]),
            update(s("v1.6.1"), with("v1.7.0", "Standard"), &[BadChannel]),
            update(s("v1.6.1"), with("v1.7.0", "stable"), &[BadChannel]),
            update(s("v1.6.1"), with("v1.7.0", "standard "), &[BadChannel]),
            update(s("v1.6.1"), with("v1.6.0", "stable"), &[BadChannel, Older(Itself, "v1.6.1")]),
            update(s("v1.6.1"), with("v1.6", "stable"), &[BadVersion, BadChannel]),
            update(s("v1.6.1"), x("v1.7"), &[BadVersion, LessStable(Itself)]),
            update(s("v1.6.1"), NONE, &[NoVersion, NoChannel]),
            new(s("v01.6.1"), &[BadVersion]),
            new(s("v1.6"), &[BadVersion]),
            new(s("dev"), &[BadVersion]),
            new(with("v1.6.1", "stable"), &[BadChannel]),
            new(of_channel("standard"), &[NoVersion]),
            new(of_version("v1.6.1"), &[NoChannel]),
            new(NONE, &[NoVersion, NoChannel]),
        ],
    },
    Section {
        title: "Unreadable installed stamps without a reference",
        reference: None,
        rows: &[
            update(s("dev"), s("v1.6.1"), &[]),
            update(s("dev"), s("v0.1.0"), &[]),
            update(s("3f2a9c1"), s("v1.6.1"), &[]),
            update(s("v1.6"), s("v1.5.0"), &[]),
            update(s("v01.6.1"), s("v1.5.0"), &[]),
            update(s("1.6.1"), s("v1.5.0"), &[]),
            update(s("v1.6.10000"), s("v1.5.0"), &[]),
            update(s("v1.6.1\n"), s("v1.5.0"), &[]),
            update(s(""), s("v1.5.0"), &[]),
            update(of_channel("standard"), s("v1.5.0"), &[]),
            // The channel is compared nevertheless,
            update(s("dev"), x("v1.6.1"), &[LessStable(Itself)]),
            update(of_channel("standard"), x("v1.6.1"), &[LessStable(Itself)]),
            update(x("dev"), s("v1.6.1"), &[]),
            update(x("dev"), x("v1.6.1"), &[]),
            // and so is the version if the channel is unreadable.
            update(of_version("v1.6.1"), x("v1.6.1"), &[]),
            update(of_version("v1.6.1"), s("v1.6.0"), &[Older(Itself, "v1.6.1")]),
            update(with("v1.6.1", "stable"), x("v1.6.1"), &[]),
            update(with("v1.6.1", "stable"), x("v1.6.0"), &[Older(Itself, "v1.6.1")]),
            update(NONE, s("v0.1.0"), &[]),
            update(NONE, x("v0.1.0"), &[]),
            // Unreadable stamps cannot be installed again.
            update(s("dev"), s("dev"), &[BadVersion]),
            update(s("v1.6"), s("v1.7"), &[BadVersion]),
            update(NONE, NONE, &[NoVersion, NoChannel]),
        ],
    },
    Section {
        title: "Installed versions of another form",
        reference: None,
        rows: &[
            update(s("v1.0.0-rc1"), s("v1.0.0"), &[]),
            update(s("v1.0.0-rc1"), s("v1.0.0-alpha"), &[]),
            update(s("v1.0.0-rc1"), s("v0.9.9"), &[Older(Itself, "v1.0.0-rc1")]),
            update(s("v1.0.0-rc1"), s("v1.0.0-rc1"), &[BadVersion]),
            update(s("v1.4.0+vendor.7"), s("v1.4.0"), &[]),
            update(s("v1.4.0+vendor.7"), s("v1.3.9"), &[Older(Itself, "v1.4.0+vendor.7")]),
            update(s("v1.10.0-rc.1+a-b.c"), s("v1.9.0"), &[Older(Itself, "v1.10.0-rc.1+a-b.c")]),
            update(s("v1.10.0-rc.1+a-b.c"), s("v1.10.0-rc.1"), &[]),
            // Texts of 64 characters are compared, texts of 65 are not.
            update(s(LONGEST), s("v1.5.0"), &[Older(Itself, LONGEST)]),
            update(s(TOO_LONG), s("v1.5.0"), &[]),
        ],
    },
    Section {
        title: "Unreadable installed stamps with a standard reference",
        reference: Some(s("v1.6.1")),
        rows: &[
            update(NONE, s("v1.6.1"), &[]),
            update(NONE, s("v1.6.0"), &[Older(Reference, "v1.6.1")]),
            update(NONE, x("v1.7.0"), &[LessStable(Reference)]),
            update(s("dev"), s("v1.6.1"), &[]),
            update(s("dev"), s("v1.6.0"), &[Older(Reference, "v1.6.1")]),
            update(x("dev"), x("v1.6.1"), &[]),
            update(x("dev"), x("v1.6.0"), &[Older(Reference, "v1.6.1")]),
            update(of_version("v1.0.0"), s("v1.1.0"), &[]),
            update(of_version("v1.0.0"), x("v1.1.0"), &[LessStable(Reference)]),
            // Problems of the CRD itself are reported first.
            update(of_channel("standard"), x("v1.6.0"), &[LessStable(Itself)]),
            update(NONE, NONE, &[NoVersion, NoChannel]),
            update(NONE, x("v1.6.0"), &[Older(Reference, "v1.6.1"), LessStable(Reference)]),
            // Only readable stamps are compared.
            update(s("v1.0.0"), s("v1.1.0"), &[]),
            update(x("v1.0.0"), x("v1.1.0"), &[]),
            update(s("v1.8.0"), s("v1.7.0"), &[Older(Itself, "v1.8.0")]),
        ],
    },
    Section {
        title: "New CRDs without a reference",
        reference: None,
        rows: &[
            new(s("v1.6.1"), &[]),
            new(x("v1.6.1"), &[]),
            new(s("v0.0.0"), &[]),
            new(x("v0.0.0-alpha"), &[]),
            other_name(new(x("v1.6.1"), &[])),
            other_name(new(NONE, &[])),
        ],
    },
    Section {
        title: "New CRDs with a standard reference",
        reference: Some(s("v1.6.1")),
        rows: &[
            new(s("v1.6.1"), &[]),
            new(s("v1.7.0"), &[]),
            new(s("v1.10.0-rc.1"), &[]),
            new(s("v1.6.0"), &[Older(Reference, "v1.6.1")]),
            new(s("v1.6.1-rc.1"), &[Older(Reference, "v1.6.1")]),
            new(x("v1.6.1"), &[LessStable(Reference)]),
            new(x("v1.7.0"), &[LessStable(Reference)]),
            new(x("v1.6.0"), &[Older(Reference, "v1.6.1"), LessStable(Reference)]),
            new(NONE, &[NoVersion, NoChannel]),
            row(NewThatClaimsToBeDeleted, None, x("v1.6.1"), &[LessStable(Reference)]),
            // A CRD of a newer or older bundle.
            other_name(new(s("v1.7.0"), &[])),
            other_name(new(x("v1.7.0"), &[LessStable(Reference)])),
            other_name(new(s("v1.5.0"), &[Older(Reference, "v1.6.1")])),
            other_name(new(of_version("v1.7.0"), &[NoChannel])),
            other_name(new(of_channel("experimental"), &[NoVersion])),
            // A CRD of another project.
            other_name(new(NONE, &[])),
        ],
    },
    Section {
        title: "New CRDs with an experimental reference",
        reference: Some(x("v1.10.0-rc.2")),
        rows: &[
            new(x("v1.10.0-rc.2"), &[]),
            new(x("v1.10.0"), &[]),
            new(x("v1.10.0-rc.1"), &[Older(Reference, "v1.10.0-rc.2")]),
            new(x("v1.9.0"), &[Older(Reference, "v1.10.0-rc.2")]),
            new(s("v1.10.0"), &[]),
            new(s("v1.9.0"), &[Older(Reference, "v1.10.0-rc.2")]),
        ],
    },
    Section {
        title: "New CRDs with a standard reference of an unreadable version",
        reference: Some(s("dev")),
        rows: &[new(s("v0.1.0"), &[]), new(x("v1.6.1"), &[LessStable(Reference)]), new(s("dev"), &[BadVersion])],
    },
    Section {
        title: "New CRDs with a reference whose version has another form",
        reference: Some(x("v1.0.0-rc1")),
        rows: &[new(x("v1.0.0-alpha"), &[]), new(x("v0.8.1"), &[Older(Reference, "v1.0.0-rc1")])],
    },
    Section {
        title: "New CRDs with a reference without stamps",
        reference: Some(NONE),
        rows: &[new(s("v0.1.0"), &[]), new(x("v0.1.0"), &[]), new(NONE, &[NoVersion, NoChannel])],
    },
    Section {
        title: "Other kinds of requests",
        reference: Some(s("v1.6.1")),
        rows: &[
            row(Annotate, Some(s("v1.6.1")), s("v1.7.0"), &[]),
            row(Annotate, Some(s("v1.6.1")), s("v1.6.0"), &[Older(Itself, "v1.6.1")]),
            row(Annotate, Some(s("v1.6.1")), x("v1.6.1"), &[LessStable(Itself)]),
            row(Annotate, Some(s("v1.6.1")), s("dev"), &[BadVersion]),
            row(Annotate, Some(s("v1.6.1")), of_channel("standard"), &[NoVersion]),
            row(Annotate, Some(s("v1.6.1")), NONE, &[NoVersion, NoChannel]),
            row(Annotate, Some(NONE), s("v1.6.1"), &[]),
            same_stamps(Spec, s("v1.6.1"), &[]),
            same_stamps(Spec, s("dev"), &[BadVersion]),
            same_stamps(Spec, NONE, &[NoVersion, NoChannel]),
            row(UpdateThatClaimsToBeNone, Some(NONE), NONE, &[NoVersion, NoChannel]),
            same_stamps(Label, s("v1.6.1"), &[]),
            same_stamps(Label, s("dev"), &[]),
            same_stamps(Label, of_version("v1.6"), &[]),
            same_stamps(Label, NONE, &[]),
            same_stamps(Finalizers, s("dev"), &[]),
            same_stamps(Finalizers, NONE, &[]),
            row(Status, Some(s("v1.6.1")), s("v1.6.0"), &[]),
            row(Status, Some(NONE), NONE, &[]),
            row(UpdateOfDeleted, Some(s("v1.6.1")), x("v1.6.0"), &[]),
            same_stamps(FinalizersOfDeleted, s("v1.6.1"), &[]),
            same_stamps(FinalizersOfDeleted, NONE, &[]),
            // A CRD that the bundle no longer has.
            other_name(update(s("v1.5.0"), s("v1.6.0"), &[])),
            other_name(update(s("v1.5.0"), s("v1.4.0"), &[Older(Itself, "v1.5.0")])),
            other_name(update(s("v1.5.0"), x("v1.5.0"), &[LessStable(Itself)])),
            other_name(row(Annotate, Some(x("v1.5.0")), NONE, &[NoVersion, NoChannel])),
            other_name(row(Annotate, Some(NONE), x("v1.6.1"), &[LessStable(Reference)])),
            other_name(update(of_channel("standard"), NONE, &[NoVersion, NoChannel])),
            // A CRD of another project.
            other_name(update(NONE, NONE, &[])),
            other_name(same_stamps(Label, NONE, &[])),
        ],
    },
];
