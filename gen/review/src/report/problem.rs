//! Problems: errors in addition to the changes between two bundles: with the version, with waivers and with tombstones.
//!
//! Invariants: every problem forbids the candidate; no waiver helps.

use crd_compat::tombstone::{Kind, LedgerProblem, Tombstone, WireName};
use crd_compat::{RecordError, Waiver, WaiverError};

use super::SourceLine;

/// Something that is wrong with the version, a waiver or a tombstone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What kind of problem.
    pub kind: ProblemKind,
    /// The CRD that it is about, if it is about one.
    pub crd: Option<String>,
    /// Where in that CRD, with the name; empty for the whole.
    pub path: String,
    /// What is wrong and why it matters.
    pub message: String,
    /// How to fix it; text to copy is on separate lines after that.
    pub fix: Option<String>,
    /// The line that causes it.
    pub source: Option<SourceLine>,
}

/// What kind of problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProblemKind {
    /// The version of the types is already released.
    VersionReleased,
    /// A waiver cannot be read.
    WaiverMalformed,
    /// A waiver is for another bundle.
    WaiverExpired,
    /// A waiver matches no finding.
    WaiverUnused,
    /// A waiver matches only changes that are not allowed.
    WaiverPowerless,
    /// A waiver does not lower anything.
    WaiverRaises,
    /// An entry of the ledger cannot be read.
    TombstoneMalformed,
    /// A removed name has no tombstone.
    TombstoneMissing,
    /// A declared tombstone is not in the ledger.
    TombstoneUnrecorded,
    /// A name with a tombstone is used again.
    TombstoneReturned,
    /// A tombstone is missing from the ledger.
    TombstoneLost,
    /// A tombstone differs from an earlier bundle.
    TombstoneAltered,
}

/// The texts of a kind of problem.
#[derive(Clone, Copy, Debug)]
pub struct ProblemRow {
    pub kind: ProblemKind,
    /// Its name, where rules have theirs.
    pub id: &'static str,
    /// What it is about, in one line.
    pub summary: &'static str,
    /// Why it is so, and what to do.
    pub explanation: &'static str,
    /// An example that triggers it.
    pub example: &'static str,
    /// Behind the number one.
    pub one: &'static str,
    /// Behind every other number.
    pub many: &'static str,
}

/// Every kind of problem.
pub const PROBLEMS: [ProblemRow; 12] = [
    ProblemRow {
        kind: ProblemKind::VersionReleased,
        id: "version-released",
        summary: "The version of the types is already released.",
        explanation: "A released bundle never changes. A change of the types belongs to a later version.",
        example: "Catalogue::new(\"example.com\", \"v1.0.0\") (with bundles/v1.0.0, after an edit of a type)",
        one: "version is released already",
        many: "versions are released already",
    },
    ProblemRow {
        kind: ProblemKind::WaiverMalformed,
        id: "waiver-malformed",
        summary: "A waiver cannot be read.",
        explanation: "Nothing about a waiver is guessed. Fix the entry at the reported line.",
        example: "waivers:\n- rule: tightend",
        one: "mistake in the waivers",
        many: "mistakes in the waivers",
    },
    ProblemRow {
        kind: ProblemKind::WaiverExpired,
        id: "waiver-expired",
        summary: "A waiver is for another bundle than the candidate.",
        explanation: "A waiver holds for one bundle. After its release, remove it; a finding of the next bundle needs its own reason.",
        example: "waivers:\n- rule: tightened\n  bundle: v1.0.0   # the candidate is v1.1.0",
        one: "waiver is for another bundle",
        many: "waivers are for other bundles",
    },
    ProblemRow {
        kind: ProblemKind::WaiverUnused,
        id: "waiver-unused",
        summary: "A waiver matches no finding.",
        explanation: "It may be misspelt, or its finding may be fixed. An unused waiver would accept any later finding that matches it.",
        example: "waivers:\n- rule: tightened\n  path: spec.nme",
        one: "waiver matches nothing",
        many: "waivers match nothing",
    },
    ProblemRow {
        kind: ProblemKind::WaiverPowerless,
        id: "waiver-powerless",
        summary: "A waiver matches only changes that are not allowed.",
        explanation: "No later bundle can repair such a change, so no waiver accepts it.",
        example: "waivers:\n- rule: stored-version-removed",
        one: "waiver is for what nothing permits",
        many: "waivers are for what nothing permits",
    },
    ProblemRow {
        kind: ProblemKind::WaiverRaises,
        id: "waiver-raises",
        summary: "A waiver does not lower anything.",
        explanation: "The matching finding already requires no more than the waiver grants.",
        example: "waivers:\n- rule: loosened\n  to: major",
        one: "waiver lowers nothing",
        many: "waivers lower nothing",
    },
    ProblemRow {
        kind: ProblemKind::TombstoneMalformed,
        id: "tombstone-malformed",
        summary: "An entry of the tombstone ledger cannot be read.",
        explanation: "Removed names are safe only if every entry can be read. Fix the entry at the reported line.",
        example: "tombstones:\n- kind: feeld",
        one: "mistake in the ledger",
        many: "mistakes in the ledger",
    },
    ProblemRow {
        kind: ProblemKind::TombstoneMissing,
        id: "tombstone-missing",
        summary: "A name that an earlier bundle had was removed without a tombstone.",
        explanation: "Values stay stored under a removed name. They reappear when the name returns, even with a type that the new schema rejects. A tombstone keeps the name from returning.",
        example: "// A field is deleted from the Rust type, without\n/// +tombstone:name=colour,removed=v1.1.0,reason=\"moved to style\"",
        one: "tombstone is missing",
        many: "tombstones are missing",
    },
    ProblemRow {
        kind: ProblemKind::TombstoneUnrecorded,
        id: "tombstone-unrecorded",
        summary: "The types declare a tombstone that the ledger does not have.",
        explanation: "A marker is lost with its type. The ledger keeps the name when the type is renamed, moved or deleted. Run `cargo xtask tombstones add`.",
        example: "/// +tombstone:name=colour,removed=v1.1.0,reason=\"moved to style\"",
        one: "tombstone is not in the ledger",
        many: "tombstones are not in the ledger",
    },
    ProblemRow {
        kind: ProblemKind::TombstoneReturned,
        id: "tombstone-returned",
        summary: "A name with a tombstone is used again.",
        explanation: "Values that were stored under the old name reappear, even those that the new schema rejects. Choose another name. Names are compared as they appear in JSON, over all channels and API versions.",
        example: "pub colour: Option<String>,   // with a tombstone for `colour`",
        one: "removed name is back",
        many: "removed names are back",
    },
    ProblemRow {
        kind: ProblemKind::TombstoneLost,
        id: "tombstone-lost",
        summary: "A tombstone of an earlier bundle is missing from the ledger.",
        explanation: "The ledger only grows. Restore the entry from git.",
        example: "git rm bundles/tombstones.yaml",
        one: "tombstone was removed from the ledger",
        many: "tombstones were removed from the ledger",
    },
    ProblemRow {
        kind: ProblemKind::TombstoneAltered,
        id: "tombstone-altered",
        summary: "A tombstone differs from an earlier bundle.",
        explanation: "The ledger only grows, and an entry never changes after a release. Restore it from git.",
        example: "sed -i \"s/colour/color/\" bundles/tombstones.yaml",
        one: "tombstone was altered",
        many: "tombstones were altered",
    },
];

impl ProblemKind {
    /// The message.
    pub(super) fn row(self) -> &'static ProblemRow {
        // The table has every kind, which a test holds.
        PROBLEMS.iter().find(|row| row.kind == self).unwrap_or(&PROBLEMS[0])
    }
}

impl Problem {
    /// What is wrong with a waiver. `file` contains it.
    pub fn of_waiver(fault: &WaiverError, file: &str) -> Self {
        let (kind, waiver, message, fix) = match fault {
            WaiverError::Expired(waiver) => (
                ProblemKind::WaiverExpired,
                waiver,
                format!("the waiver is for the bundle {}, which is not the one that is judged", waiver.bundle),
                "Remove it, or give it the version of this bundle and a reason that holds for it.".to_owned(),
            ),
            WaiverError::Unused(waiver) => (
                ProblemKind::WaiverUnused,
                waiver,
                format!("the waiver matches nothing: there is no such finding of `{}`", waiver.rule),
                "Remove it, or correct its rule, CRD, path or channel.".to_owned(),
            ),
            WaiverError::Powerless(waiver) => (
                ProblemKind::WaiverPowerless,
                waiver,
                format!("the waiver is for a refusal of `{}`, which nothing lowers", waiver.rule),
                "Remove it, and mend what is refused.".to_owned(),
            ),
            WaiverError::Raises(waiver) => (
                ProblemKind::WaiverRaises,
                waiver,
                format!("the waiver lowers nothing: `{}` asks for no more than {} here", waiver.rule, waiver.to),
                "Remove it.".to_owned(),
            ),
        };
        let Waiver { crd, path, line, .. } = waiver;
        Self {
            kind,
            crd: Some(crd.clone()),
            path: path.clone(),
            message,
            fix: Some(fix),
            source: Some(line_of(file, *line)),
        }
    }

    /// Types that changed after their version was released. `fits` is the smallest version that takes the change.
    pub fn of_released(version: &str, fits: Option<&str>) -> Self {
        let fix = match fits {
            Some(fits) => format!("Raise the catalogue's next version: {fits} is the smallest that fits."),
            None => "Raise the catalogue's next version; as the types are, none fits.".to_owned(),
        };
        Self {
            kind: ProblemKind::VersionReleased,
            crd: None,
            path: String::new(),
            message: format!("{version} is released, and the types have changed since then"),
            fix: Some(format!(
                "{fix} What changed:\ncargo xtask generate && cargo xtask diff {version} bundles/unreleased"
            )),
            source: None,
        }
    }

    /// An entry of a file that cannot be understood.
    pub fn of_record(kind: ProblemKind, fault: &RecordError, file: &str) -> Self {
        Self {
            kind,
            crd: None,
            path: String::new(),
            message: fault.message.clone(),
            fix: None,
            source: Some(line_of(file, fault.line)),
        }
    }

    /// What is wrong with a name that went or came back. The exact line of a missing tombstone is for the caller to put into `fix`, since
    /// it needs the version of the candidate; and so is `source`.
    pub fn of_tombstone(wrong: &LedgerProblem) -> Self {
        let (kind, name, message, fix) = match wrong {
            LedgerProblem::Missing { name, last } => (
                ProblemKind::TombstoneMissing,
                Some(name),
                format!("the {} is gone; {last} had it last, and it has no tombstone", called(name)),
                "Give it a tombstone, or take it back.".to_owned(),
            ),
            LedgerProblem::Unrecorded(Tombstone { name, .. }) => (
                ProblemKind::TombstoneUnrecorded,
                Some(name),
                format!("the types declare that the {} was removed, and the ledger does not know it", called(name)),
                "Record it with `cargo xtask tombstones add`.".to_owned(),
            ),
            LedgerProblem::Returned(Tombstone { name, removed, reason, .. }) => (
                ProblemKind::TombstoneReturned,
                Some(name),
                format!("the {} was removed in {removed} ({reason}) and must not return", called(name)),
                "Choose another name.".to_owned(),
            ),
            LedgerProblem::Lost { id, bundle } => (
                ProblemKind::TombstoneLost,
                None,
                format!("the tombstone of the {id} is gone from the ledger; {bundle} was released with it"),
                "Put the entry back as it was.".to_owned(),
            ),
            LedgerProblem::Altered { id, bundle } => (
                ProblemKind::TombstoneAltered,
                None,
                format!("the tombstone of the {id} says something else than when {bundle} was released with it"),
                "Put the entry back as it was.".to_owned(),
            ),
        };
        Self {
            kind,
            crd: name.map(|name| name.crd.clone()),
            path: name.map(place).unwrap_or_default(),
            message,
            fix: Some(fix),
            source: None,
        }
    }
}

/// Without the CRD, which is printed before it.
fn called(name: &WireName) -> String {
    match name.kind {
        Kind::Resource => "resource".to_owned(),
        Kind::Version => format!("API version {}", name.name),
        Kind::Field => format!("field `{}`", name.name),
        Kind::Value => format!("value `{}`", name.name),
    }
}

/// The location of a name; the name of a field is part of the path.
fn place(name: &WireName) -> String {
    match name.kind {
        Kind::Field => name.whole_path(),
        _ => name.path.clone(),
    }
}

/// Line numbers that are too large become the last line.
fn line_of(file: &str, line: usize) -> SourceLine {
    SourceLine { file: file.to_owned(), line: u32::try_from(line).unwrap_or(u32::MAX).max(1) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crd_compat::RequiredBump;

    use super::*;

    fn waiver() -> Waiver {
        Waiver {
            rule: "tightened".to_owned(),
            crd: "things.example.com".to_owned(),
            path: "spec.name".to_owned(),
            channel: None,
            bundle: "v1.0.0".to_owned(),
            to: RequiredBump::Patch,
            reason: "a bug".to_owned(),
            line: 7,
        }
    }

    fn tombstone(kind: Kind, path: &str, name: &str) -> Tombstone {
        let name =
            WireName { crd: "things.example.com".to_owned(), kind, path: path.to_owned(), name: name.to_owned() };
        let (removed, reason) = ("v0.5.0".to_owned(), "it was unused".to_owned());
        Tombstone { name, removed, reason, replacement: None, migrated: false }
    }

    #[test]
    fn every_fault_of_a_waiver_says_its_line_its_place_and_what_to_do() {
        for (fault, id, message) in [
            (WaiverError::Expired(waiver()), "waiver-expired", "is for the bundle v1.0.0, which is not"),
            (WaiverError::Unused(waiver()), "waiver-unused", "there is no such finding of `tightened`"),
            (WaiverError::Powerless(waiver()), "waiver-powerless", "a refusal of `tightened`, which nothing lowers"),
            (WaiverError::Raises(waiver()), "waiver-raises", "`tightened` asks for no more than patch here"),
        ] {
            let problem = Problem::of_waiver(&fault, "bundles/waivers.yaml");
            assert_eq!(problem.kind.row().id, id);
            assert!(problem.message.contains(message), "{}", problem.message);
            assert!(problem.fix.is_some());
            assert_eq!((problem.crd.as_deref(), &*problem.path), (Some("things.example.com"), "spec.name"));
            assert_eq!(problem.source, Some(SourceLine { file: "bundles/waivers.yaml".to_owned(), line: 7 }));
        }
    }

    #[test]
    fn every_wrong_of_a_name_says_which_one() {
        let missing = |tombstone: Tombstone| LedgerProblem::Missing { name: tombstone.name, last: "v0.4.0".to_owned() };
        for (wrong, id, path, message) in [
            (
                missing(tombstone(Kind::Field, "spec", "old")),
                "tombstone-missing",
                "spec.old",
                "the field `old` is gone; v0.4.0",
            ),
            (
                missing(tombstone(Kind::Value, "spec.mode", "Auto")),
                "tombstone-missing",
                "spec.mode",
                "the value `Auto` is gone",
            ),
            (
                missing(tombstone(Kind::Version, "", "v1alpha1")),
                "tombstone-missing",
                "",
                "the API version v1alpha1 is gone",
            ),
            (missing(tombstone(Kind::Resource, "", "")), "tombstone-missing", "", "the resource is gone"),
            (
                LedgerProblem::Unrecorded(tombstone(Kind::Field, "", "spec")),
                "tombstone-unrecorded",
                "spec",
                "declare that the field `spec` was removed, and the ledger",
            ),
            (
                LedgerProblem::Returned(tombstone(Kind::Field, "spec", "old")),
                "tombstone-returned",
                "spec.old",
                "was removed in v0.5.0 (it was unused) and must not return",
            ),
            (
                LedgerProblem::Altered { id: "field spec.old of a".to_owned(), bundle: "v0.5.0".to_owned() },
                "tombstone-altered",
                "",
                "the tombstone of the field spec.old of a says something else than when v0.5.0",
            ),
        ] {
            let problem = Problem::of_tombstone(&wrong);
            assert_eq!((problem.kind.row().id, &*problem.path), (id, path));
            assert!(problem.message.contains(message), "{}", problem.message);
            assert!(problem.fix.is_some());
        }
    }

    #[test]
    fn a_malformed_entry_has_its_line() {
        let fault = RecordError { line: 3, message: "the entry has no `rule`".to_owned() };
        let problem = Problem::of_record(ProblemKind::WaiverMalformed, &fault, "bundles/waivers.yaml");
        assert_eq!((problem.kind.row().id, problem.source.map(|source| source.line)), ("waiver-malformed", Some(3)));
        assert_eq!(problem.message, "the entry has no `rule`");
    }

    #[test]
    fn every_kind_has_one_row() {
        let kinds = PROBLEMS.iter().map(|row| row.kind).collect::<BTreeSet<_>>();
        assert_eq!(kinds.len(), PROBLEMS.len());
        assert!(PROBLEMS.iter().all(|row| row.kind.row().id == row.id));
    }
}
