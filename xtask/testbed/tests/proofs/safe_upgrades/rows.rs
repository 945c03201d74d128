//! The table: what is installed, what somebody wants to install, and what the server has to say.
//!
//! Invariants: nothing here is computed by the code that makes the policy; a section is one API of its own, with its own policy and its own
//! reference.

/// The stamps of a CRD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamps {
    pub(super) version: Option<&'static str>,
    pub(super) channel: Option<&'static str>,
}

/// Of channel standard.
const fn s(version: &'static str) -> Stamps {
    Stamps { version: Some(version), channel: Some("standard") }
}

/// Of channel experimental.
const fn x(version: &'static str) -> Stamps {
    Stamps { version: Some(version), channel: Some("experimental") }
}

/// Without a version.
const fn of_channel(channel: &'static str) -> Stamps {
    Stamps { version: None, channel: Some(channel) }
}

/// Without a channel.
const fn of_version(version: &'static str) -> Stamps {
    Stamps { version: Some(version), channel: None }
}

/// Of this channel, whatever it is.
const fn with(version: &'static str, channel: &'static str) -> Stamps {
    Stamps { version: Some(version), channel: Some(channel) }
}

const LONGEST: &str = "v1.6.1-3f2a9c1b8d7e6f503f2a9c1b8d7e6f503f2a9c1b8d7e6f503f2a9c1b8";
const TOO_LONG: &str = "v1.6.1-3f2a9c1b8d7e6f503f2a9c1b8d7e6f503f2a9c1b8d7e6f503f2a9c1b8d";
const _: () = assert!(LONGEST.len() == 64 && TOO_LONG.len() == 65);

const NONE: Stamps = Stamps { version: None, channel: None };

/// How it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// A CRD that is not there.
    New,
    /// The same, which claims to be on its way out.
    NewThatClaimsToBeDeleted,
    /// Stamps and spec of an installed one.
    Update,
    /// The same, with the generation of before.
    UpdateThatClaimsToBeNone,
    /// Only its stamps, as `kubectl annotate` does.
    Annotate,
    /// Only its spec; the stamps stay.
    Spec,
    /// Only a label; the stamps stay.
    Label,
    /// Only its finalizers; the stamps stay.
    Finalizers,
    /// Its status, sent with these stamps.
    Status,
    /// Stamps and spec of one that is being deleted.
    UpdateOfDeleted,
    /// The finalizers of one that is being deleted.
    FinalizersOfDeleted,
}

/// Whose CRD it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// The bundle has one of this name.
    Ours,
    /// The bundle has none, but the group is the same: that of an older or newer bundle, or somebody's own.
    Stranger,
}

/// Whose stamp a candidate is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Itself,
    Reference,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    NoVersion,
    BadVersion,
    NoChannel,
    BadChannel,
    /// Than this version, which this CRD has.
    Older(Owner, &'static str),
    /// Than standard, which this CRD is of.
    LessStable(Owner),
}

use Fault::{BadChannel, BadVersion, LessStable, NoChannel, NoVersion, Older};
use Owner::{Itself, Reference};
use Request::{
    Annotate, Finalizers, FinalizersOfDeleted, Label, New, NewThatClaimsToBeDeleted, Spec, Status, Update,
    UpdateOfDeleted, UpdateThatClaimsToBeNone,
};

/// A row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) name: Name,
    pub(super) request: Request,
    /// The CRD before; none if there is none.
    pub(super) installed: Option<Stamps>,
    /// What is sent.
    pub(super) candidate: Stamps,
    /// Nothing if it passes.
    pub(super) faults: &'static [Fault],
}

const fn row(request: Request, installed: Option<Stamps>, candidate: Stamps, faults: &'static [Fault]) -> Row {
    Row { name: Name::Ours, request, installed, candidate, faults }
}

const fn update(installed: Stamps, candidate: Stamps, faults: &'static [Fault]) -> Row {
    row(Update, Some(installed), candidate, faults)
}

const fn new(candidate: Stamps, faults: &'static [Fault]) -> Row {
    row(New, None, candidate, faults)
}

/// A request that leaves the stamps as they are.
const fn keep(request: Request, installed: Stamps, faults: &'static [Fault]) -> Row {
    row(request, Some(installed), installed, faults)
}

const fn stranger(row: Row) -> Row {
    Row { name: Name::Stranger, ..row }
}

/// Rows that share what the reference is.
pub(super) struct Section {
    pub(super) title: &'static str,
    /// The stamps of the reference; none if it is not installed.
    pub(super) reference: Option<Stamps>,
    pub(super) rows: &'static [Row],
}

pub(super) const SECTIONS: &[Section] = &[
    Section {
        title: "Versions",
        // Updates are judged without a reference, too.
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
            // Words are ordered by their letters.
            update(s("v1.7.0-beta.2"), s("v1.7.0-dev"), &[]),
            update(s("v1.7.0-dev"), s("v1.7.0-beta.2"), &[Older(Itself, "v1.7.0-dev")]),
            update(s("v1.7.0-dev.3"), s("v1.7.0-rc.1"), &[]),
            update(s("v1.7.0-rc.1"), s("v1.7.0-dev.3"), &[Older(Itself, "v1.7.0-rc.1")]),
            // Numbers as numbers.
            update(s("v1.7.0-rc.2"), s("v1.7.0-rc.10"), &[]),
            update(s("v1.7.0-rc.10"), s("v1.7.0-rc.2"), &[Older(Itself, "v1.7.0-rc.10")]),
            // Less is before more.
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
        title: "Stamps that are malformed or missing",
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
        title: "Installed stamps that cannot be read, and no reference",
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
            // The channel counts all the same,
            update(s("dev"), x("v1.6.1"), &[LessStable(Itself)]),
            update(of_channel("standard"), x("v1.6.1"), &[LessStable(Itself)]),
            update(x("dev"), s("v1.6.1"), &[]),
            update(x("dev"), x("v1.6.1"), &[]),
            // and so does the version where the channel says nothing.
            update(of_version("v1.6.1"), x("v1.6.1"), &[]),
            update(of_version("v1.6.1"), s("v1.6.0"), &[Older(Itself, "v1.6.1")]),
            update(with("v1.6.1", "stable"), x("v1.6.1"), &[]),
            update(with("v1.6.1", "stable"), x("v1.6.0"), &[Older(Itself, "v1.6.1")]),
            update(NONE, s("v0.1.0"), &[]),
            update(NONE, x("v0.1.0"), &[]),
            // What cannot be read is not installed again.
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
            // 64 characters are looked at, and 65 are not.
            update(s(LONGEST), s("v1.5.0"), &[Older(Itself, LONGEST)]),
            update(s(TOO_LONG), s("v1.5.0"), &[]),
        ],
    },
    Section {
        title: "Installed stamps that cannot be read, beside a standard reference",
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
            // What is wrong over the CRD itself is said first.
            update(of_channel("standard"), x("v1.6.0"), &[LessStable(Itself)]),
            update(NONE, NONE, &[NoVersion, NoChannel]),
            update(NONE, x("v1.6.0"), &[Older(Reference, "v1.6.1"), LessStable(Reference)]),
            // What can be read counts alone.
            update(s("v1.0.0"), s("v1.1.0"), &[]),
            update(x("v1.0.0"), x("v1.1.0"), &[]),
            update(s("v1.8.0"), s("v1.7.0"), &[Older(Itself, "v1.8.0")]),
        ],
    },
    Section {
        title: "New CRDs, and no reference",
        reference: None,
        rows: &[
            new(s("v1.6.1"), &[]),
            new(x("v1.6.1"), &[]),
            new(s("v0.0.0"), &[]),
            new(x("v0.0.0-alpha"), &[]),
            stranger(new(x("v1.6.1"), &[])),
            stranger(new(NONE, &[])),
        ],
    },
    Section {
        title: "New CRDs beside a standard reference",
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
            // A CRD that a newer bundle has, or an older one had.
            stranger(new(s("v1.7.0"), &[])),
            stranger(new(x("v1.7.0"), &[LessStable(Reference)])),
            stranger(new(s("v1.5.0"), &[Older(Reference, "v1.6.1")])),
            stranger(new(of_version("v1.7.0"), &[NoChannel])),
            stranger(new(of_channel("experimental"), &[NoVersion])),
            // Somebody's own.
            stranger(new(NONE, &[])),
        ],
    },
    Section {
        title: "New CRDs beside an experimental reference",
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
        title: "New CRDs beside a standard reference of no known version",
        reference: Some(s("dev")),
        rows: &[new(s("v0.1.0"), &[]), new(x("v1.6.1"), &[LessStable(Reference)]), new(s("dev"), &[BadVersion])],
    },
    Section {
        title: "New CRDs beside a reference with a version of another form",
        reference: Some(x("v1.0.0-rc1")),
        rows: &[new(x("v1.0.0-alpha"), &[]), new(x("v0.8.1"), &[Older(Reference, "v1.0.0-rc1")])],
    },
    Section {
        title: "New CRDs beside a reference without stamps",
        reference: Some(NONE),
        rows: &[new(s("v0.1.0"), &[]), new(x("v0.1.0"), &[]), new(NONE, &[NoVersion, NoChannel])],
    },
    Section {
        title: "Requests of other kinds",
        reference: Some(s("v1.6.1")),
        rows: &[
            row(Annotate, Some(s("v1.6.1")), s("v1.7.0"), &[]),
            row(Annotate, Some(s("v1.6.1")), s("v1.6.0"), &[Older(Itself, "v1.6.1")]),
            row(Annotate, Some(s("v1.6.1")), x("v1.6.1"), &[LessStable(Itself)]),
            row(Annotate, Some(s("v1.6.1")), s("dev"), &[BadVersion]),
            row(Annotate, Some(s("v1.6.1")), of_channel("standard"), &[NoVersion]),
            row(Annotate, Some(s("v1.6.1")), NONE, &[NoVersion, NoChannel]),
            row(Annotate, Some(NONE), s("v1.6.1"), &[]),
            keep(Spec, s("v1.6.1"), &[]),
            keep(Spec, s("dev"), &[BadVersion]),
            keep(Spec, NONE, &[NoVersion, NoChannel]),
            row(UpdateThatClaimsToBeNone, Some(NONE), NONE, &[NoVersion, NoChannel]),
            keep(Label, s("v1.6.1"), &[]),
            keep(Label, s("dev"), &[]),
            keep(Label, of_version("v1.6"), &[]),
            keep(Label, NONE, &[]),
            keep(Finalizers, s("dev"), &[]),
            keep(Finalizers, NONE, &[]),
            row(Status, Some(s("v1.6.1")), s("v1.6.0"), &[]),
            row(Status, Some(NONE), NONE, &[]),
            row(UpdateOfDeleted, Some(s("v1.6.1")), x("v1.6.0"), &[]),
            keep(FinalizersOfDeleted, s("v1.6.1"), &[]),
            keep(FinalizersOfDeleted, NONE, &[]),
            // A CRD that the bundle dropped.
            stranger(update(s("v1.5.0"), s("v1.6.0"), &[])),
            stranger(update(s("v1.5.0"), s("v1.4.0"), &[Older(Itself, "v1.5.0")])),
            stranger(update(s("v1.5.0"), x("v1.5.0"), &[LessStable(Itself)])),
            stranger(row(Annotate, Some(x("v1.5.0")), NONE, &[NoVersion, NoChannel])),
            stranger(row(Annotate, Some(NONE), x("v1.6.1"), &[LessStable(Reference)])),
            stranger(update(of_channel("standard"), NONE, &[NoVersion, NoChannel])),
            // Somebody's own.
            stranger(update(NONE, NONE, &[])),
            stranger(keep(Label, NONE, &[])),
        ],
    },
];
