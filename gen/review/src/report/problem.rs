//! Problems: errors in addition to the findings, in the version, in waivers and in tombstones.
//!
//! Invariants: every problem forbids the candidate, and a waiver does not accept it.

/// The texts of a kind of problem.
#[derive(Clone, Copy, Debug)]
pub struct ProblemRow {
    /// The code of its diagnostics.
    pub id: &'static str,
    /// What it means, in one sentence.
    pub summary: &'static str,
    /// Why it matters, and how to fix it.
    pub explanation: &'static str,
    /// An example that triggers it.
    pub example: &'static str,
    /// After the number one.
    pub one: &'static str,
    /// After every other number.
    pub many: &'static str,
}

/// Every kind of problem.
pub const PROBLEMS: [ProblemRow; 20] = [
    ProblemRow {
        id: "version-released",
        summary: "The version of the types is already released.",
        explanation: "A released bundle never changes. A change of the types belongs to a later version.",
        example: "version: v1.0.0   # with bundles/v1.0.0, after an edit of a type",
        one: "version is released already",
        many: "versions are released already",
    },
    ProblemRow {
        id: "waiver-malformed",
        summary: "A waiver cannot be read.",
        explanation: "Nothing about a waiver is guessed. Fix the entry at the reported line.",
        example: "waivers:\n- rule: tightend",
        one: "mistake in the waivers",
        many: "mistakes in the waivers",
    },
    ProblemRow {
        id: "waiver-expired",
        summary: "A waiver is for another bundle than the candidate.",
        explanation: "A waiver holds for one bundle. After its release, remove it; a finding of the next bundle needs its own reason.",
        example: "waivers:\n- rule: tightened\n  bundle: v1.0.0   # the candidate is v1.1.0",
        one: "waiver is for another bundle",
        many: "waivers are for other bundles",
    },
    ProblemRow {
        id: "waiver-unused",
        summary: "A waiver matches no finding.",
        explanation: "It may be misspelt, or its finding may be fixed. An unused waiver would accept any later finding that matches it.",
        example: "waivers:\n- rule: tightened\n  path: spec.nme",
        one: "waiver matches nothing",
        many: "waivers match nothing",
    },
    ProblemRow {
        id: "waiver-powerless",
        summary: "A waiver matches only changes that are not allowed.",
        explanation: "No later bundle can repair such a change, so no waiver accepts it.",
        example: "waivers:\n- rule: stored-version-removed",
        one: "waiver is for what nothing permits",
        many: "waivers are for what nothing permits",
    },
    ProblemRow {
        id: "waiver-raises",
        summary: "A waiver does not lower anything.",
        explanation: "The matching finding already requires no more than the waiver grants.",
        example: "waivers:\n- rule: loosened\n  to: major",
        one: "waiver lowers nothing",
        many: "waivers lower nothing",
    },
    ProblemRow {
        id: "tombstone-malformed",
        summary: "An entry of the tombstone ledger cannot be read.",
        explanation: "Removed names are safe only if every entry can be read. Fix the entry at the reported line.",
        example: "tombstones:\n- kind: feeld",
        one: "mistake in the ledger",
        many: "mistakes in the ledger",
    },
    ProblemRow {
        id: "tombstone-missing",
        summary: "A name that an earlier bundle had was removed without a tombstone.",
        explanation: "Values stay stored under a removed name. They reappear when the name returns, even with a type that the new schema rejects. A tombstone keeps the name from returning.",
        example: "// A field is deleted from the Rust type, without\n/// +tombstone:name=colour,removed=v1.1.0,reason=\"moved to style\"",
        one: "tombstone is missing",
        many: "tombstones are missing",
    },
    ProblemRow {
        id: "tombstone-unrecorded",
        summary: "The types declare a tombstone that the ledger does not have.",
        explanation: "A marker is lost with its type. The ledger keeps the name when the type is renamed, moved or deleted. Run `cargo xtask tombstones add`.",
        example: "/// +tombstone:name=colour,removed=v1.1.0,reason=\"moved to style\"",
        one: "tombstone is not in the ledger",
        many: "tombstones are not in the ledger",
    },
    ProblemRow {
        id: "tombstone-version",
        summary: "A tombstone names a version in which the name was not removed.",
        explanation: "`removed` is the first bundle without the name: a bundle in `bundles/`, or the next version. A version below an imported bundle, or below all bundles, is accepted too, because a history can begin late and have gaps. Write the version that the help names. An entry can change until a bundle is released with it.",
        example: "/// +tombstone:name=colour,removed=v9.0.0,reason=\"moved to style\"   // the next version is v1.1.0",
        one: "tombstone names a wrong version",
        many: "tombstones name wrong versions",
    },
    ProblemRow {
        id: "tombstone-unknown",
        summary: "A tombstone is for a name that no bundle had.",
        explanation: "Nothing is stored under a name that no bundle had, so it needs no tombstone. A field that only unreleased types had is such a name. If an earlier bundle is missing in `bundles/`, import it. The check needs a bundle below the version of the tombstone: without one, any name is accepted.",
        example: "cargo xtask tombstones add --kind field --crd widgets.example.com --path spec --name coluor …",
        one: "tombstone is for a name that never existed",
        many: "tombstones are for names that never existed",
    },
    ProblemRow {
        id: "tombstone-returned",
        summary: "A name with a tombstone is used again.",
        explanation: "Values that were stored under the old name reappear, even those that the new schema rejects. Choose another name. Names are compared as they appear in JSON, over all channels and API versions.",
        example: "pub colour: Option<String>,   // with a tombstone for `colour`",
        one: "removed name is back",
        many: "removed names are back",
    },
    ProblemRow {
        id: "tombstone-lost",
        summary: "A tombstone of an earlier bundle is missing from the ledger.",
        explanation: "The ledger only grows. Restore the entry from git.",
        example: "git rm bundles/tombstones.yaml",
        one: "tombstone was removed from the ledger",
        many: "tombstones were removed from the ledger",
    },
    ProblemRow {
        id: "tombstone-altered",
        summary: "A tombstone differs from an earlier bundle.",
        explanation: "The ledger only grows, and an entry never changes after a release. Restore it from git.",
        example: "sed -i \"s/colour/color/\" bundles/tombstones.yaml",
        one: "tombstone was altered",
        many: "tombstones were altered",
    },
    ProblemRow {
        id: "conversion-missing",
        summary: "A change that needs a conversion has no lens.",
        explanation: "Objects of the old form stay in clusters and manifests. The API-versioning guide requires a definition of how they are converted. Write the marker that the help shows where the new form is; it is the tombstone of the old name too.",
        example: "/// +tombstone:name=tls,removed=v1.1.0,reason=\"renamed\",replacement=validation   // and no `+lens:rename`",
        one: "change has no lens",
        many: "changes have no lens",
    },
    ProblemRow {
        id: "conversion-gap",
        summary: "The release before a lens does not have its old form.",
        explanation: "Lenses are a chain from release to release. If the last release before `since` does not have the old form, objects of some release have no way to the new one.",
        example: "/// +lens:rename:from=tls,since=v1.3.0   // v1.2.0 has `tlsConfig`, and v1.1.0 has `tls`",
        one: "lens does not continue the release before it",
        many: "lenses do not continue the releases before them",
    },
    ProblemRow {
        id: "conversion-target",
        summary: "What a lens makes is not in the schema of its bundle, or not in the current one.",
        explanation: "A server drops what the schema does not have. The new form must be in the first bundle from `since` on, and in the current one, unless a later lens converts it or it has a tombstone.",
        example: "/// +lens:rename:from=tls,to=validaton,since=v1.1.0   // on a type without `validaton`",
        one: "lens has a target that the schema lacks",
        many: "lenses have targets that the schema lacks",
    },
    ProblemRow {
        id: "conversion-altered",
        summary: "A lens that a bundle was published with is gone or differs.",
        explanation: "Implementers have the lenses of published bundles, and objects carry conversion data that refers to them. A published lens therefore stays as it is. Restore its marker, and write another lens for another change.",
        example: "/// +lens:rename:from=tlsConfig,since=v1.1.0   // bundles/v1.1.0/conversions.json has `from` = `tls`",
        one: "published lens is gone or differs",
        many: "published lenses are gone or differ",
    },
    ProblemRow {
        id: "conversion-broken",
        summary: "A generated object shows that a lens is wrong.",
        explanation: "For each lens, objects of the release before it and of its own release are generated. They must have another form, be accepted there, return as they were except for declared losses, and an edit of one value must change nothing else. The diagnostic has the shortest object that breaks a law. `cargo xtask prove lenses` checks more objects.",
        example: "/// +lens:unwrapList:from=servers,to=server,since=v1.1.0   // old objects have up to 8 servers",
        one: "lens breaks a law",
        many: "lenses break laws",
    },
    ProblemRow {
        id: "graduation-early",
        summary: "An element graduates from experimental to standard before it meets the criteria of the settings.",
        explanation: "The settings enforce the criteria of graduation. What is in standard cannot change any more, so an element graduates after it has been in experimental, unchanged and implemented, for long enough. `cargo xtask graduate` lists the criteria and the date from which on each is met.",
        example: "graduation:\n  enforced: true   # and `+experimental` of a field of v1.0.0 is removed",
        one: "element graduates too early",
        many: "elements graduate too early",
    },
];
