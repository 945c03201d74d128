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
pub const PROBLEMS: [ProblemRow; 21] = [
    row("version-released", "version is released already", "versions are released already"),
    row("waiver-malformed", "mistake in the waivers", "mistakes in the waivers"),
    row("waiver-added", "waiver is of this change", "waivers are of this change"),
    row("waiver-expired", "waiver is for another bundle", "waivers are for other bundles"),
    row("waiver-unused", "waiver matches nothing", "waivers match nothing"),
    row("waiver-powerless", "waiver is for what nothing permits", "waivers are for what nothing permits"),
    row("waiver-raises", "waiver lowers nothing", "waivers lower nothing"),
    row("tombstone-malformed", "mistake in the ledger", "mistakes in the ledger"),
    row("tombstone-missing", "tombstone is missing", "tombstones are missing"),
    row("tombstone-unrecorded", "tombstone is not in the ledger", "tombstones are not in the ledger"),
    row("tombstone-version", "tombstone names a wrong version", "tombstones name wrong versions"),
    row(
        "tombstone-unknown",
        "tombstone is for a name that never existed",
        "tombstones are for names that never existed",
    ),
    row("tombstone-returned", "removed name is back", "removed names are back"),
    row("tombstone-lost", "tombstone was removed from the ledger", "tombstones were removed from the ledger"),
    row("tombstone-altered", "tombstone was altered", "tombstones were altered"),
    row("conversion-missing", "change has no lens", "changes have no lens"),
    row(
        "conversion-gap",
        "lens does not continue the release before it",
        "lenses do not continue the releases before them",
    ),
    row("conversion-target", "lens has a target that the schema lacks", "lenses have targets that the schema lacks"),
    row("conversion-altered", "published lens is gone or differs", "published lenses are gone or differ"),
    row("conversion-broken", "lens breaks a law", "lenses break laws"),
    row("graduation-early", "element graduates too early", "elements graduate too early"),
];

const fn row(id: &'static str, one: &'static str, many: &'static str) -> ProblemRow {
    ProblemRow { id, one, many }
}
