//! Problems: errors in addition to the findings, in the version, in waivers and in tombstones.
//!
//! Invariants: every problem forbids the candidate, and a waiver does not accept it.

/// The words of a kind of problem.
#[derive(Clone, Copy, Debug)]
pub struct ProblemRow {
    /// The code of its diagnostics.
    pub id: &'static str,
    /// After the number one.
    pub one: &'static str,
    /// After every other number.
    pub many: &'static str,
}

/// The page of each kind, in Markdown.
pub const PROBLEM_PAGES: &str = include_str!("problem.md");

/// Every kind of problem.
pub const PROBLEMS: [ProblemRow; 20] = [
    ProblemRow { id: "version-released", one: "version is released already", many: "versions are released already" },
    ProblemRow { id: "waiver-malformed", one: "mistake in the waivers", many: "mistakes in the waivers" },
    ProblemRow { id: "waiver-expired", one: "waiver is for another bundle", many: "waivers are for other bundles" },
    ProblemRow { id: "waiver-unused", one: "waiver matches nothing", many: "waivers match nothing" },
    ProblemRow {
        id: "waiver-powerless",
        one: "waiver is for what nothing permits",
        many: "waivers are for what nothing permits",
    },
    ProblemRow { id: "waiver-raises", one: "waiver lowers nothing", many: "waivers lower nothing" },
    ProblemRow { id: "tombstone-malformed", one: "mistake in the ledger", many: "mistakes in the ledger" },
    ProblemRow { id: "tombstone-missing", one: "tombstone is missing", many: "tombstones are missing" },
    ProblemRow {
        id: "tombstone-unrecorded",
        one: "tombstone is not in the ledger",
        many: "tombstones are not in the ledger",
    },
    ProblemRow {
        id: "tombstone-version",
        one: "tombstone names a wrong version",
        many: "tombstones name wrong versions",
    },
    ProblemRow {
        id: "tombstone-unknown",
        one: "tombstone is for a name that never existed",
        many: "tombstones are for names that never existed",
    },
    ProblemRow { id: "tombstone-returned", one: "removed name is back", many: "removed names are back" },
    ProblemRow {
        id: "tombstone-lost",
        one: "tombstone was removed from the ledger",
        many: "tombstones were removed from the ledger",
    },
    ProblemRow { id: "tombstone-altered", one: "tombstone was altered", many: "tombstones were altered" },
    ProblemRow { id: "conversion-missing", one: "change has no lens", many: "changes have no lens" },
    ProblemRow {
        id: "conversion-gap",
        one: "lens does not continue the release before it",
        many: "lenses do not continue the releases before them",
    },
    ProblemRow {
        id: "conversion-target",
        one: "lens has a target that the schema lacks",
        many: "lenses have targets that the schema lacks",
    },
    ProblemRow {
        id: "conversion-altered",
        one: "published lens is gone or differs",
        many: "published lenses are gone or differ",
    },
    ProblemRow { id: "conversion-broken", one: "lens breaks a law", many: "lenses break laws" },
    ProblemRow { id: "graduation-early", one: "element graduates too early", many: "elements graduate too early" },
];
