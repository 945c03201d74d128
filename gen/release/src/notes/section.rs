//! The sections of the notes that findings stand in: which rule's findings go where.
//!
//! Fed with findings. Read by the folding of changes and by the page.
//!
//! Invariants: [`PLACES`] names every rule and every state of the policy once (a test compares); a finding has exactly one section.

use crd_compat::Finding;

use super::bundles::{Bundles, version};

/// A section that findings stand in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// New names.
    Added,
    /// Names that came from experimental to standard.
    Graduated,
    /// Constraints that let more through.
    Loosened,
    /// Everything that may refuse or change what was fine.
    Changed,
    /// Names that went.
    Removed,
    /// API versions whose end is announced.
    Deprecated,
    /// Which API versions are served and stored.
    Versions,
    /// What no object notices.
    Words,
    /// How the bundle stands, whatever changed.
    States,
    /// The stamps of version and channel: the head of the notes says them.
    Stamps,
}

/// A row of the table of sections.
#[derive(Clone, Copy, Debug)]
pub struct SectionRow {
    /// Which section.
    pub section: Section,
    /// Its heading; empty for the one without text.
    pub heading: &'static str,
    /// What all of it has in common, in a sentence or two.
    pub intro: &'static str,
}

/// The sections in their order.
pub const SECTIONS: [SectionRow; 10] = [
    SectionRow {
        section: Section::Graduated,
        heading: "Graduated",
        intro: "Standard has this now. The experimental channel had it before.",
    },
    SectionRow {
        section: Section::Added,
        heading: "Added",
        intro: "New names. Manifests that do not use them mean what they meant before.",
    },
    SectionRow {
        section: Section::Loosened,
        heading: "Loosened",
        intro: "Every object that was accepted still is, and more are.",
    },
    SectionRow {
        section: Section::Changed,
        heading: "Tightened or changed",
        intro: "What was accepted before may be refused, filled in or merged otherwise now.",
    },
    SectionRow {
        section: Section::Removed,
        heading: "Removed",
        intro: "These names are gone, and will not come back with another meaning.",
    },
    SectionRow {
        section: Section::Deprecated,
        heading: "Deprecated",
        intro: "The server warns whoever uses a deprecated version. It is served as before, until a later bundle stops that.",
    },
    SectionRow {
        section: Section::Versions,
        heading: "API versions",
        intro: "Which versions are served, and in which one objects are stored.",
    },
    SectionRow {
        section: Section::Words,
        heading: "Words and presentation",
        intro: "Nothing of this changes which objects are accepted.",
    },
    SectionRow {
        section: Section::States,
        heading: "Known limits",
        intro: "How this bundle stands, whatever changed.",
    },
    SectionRow { section: Section::Stamps, heading: "", intro: "" },
];

impl Section {
    /// Its row.
    pub fn row(self) -> &'static SectionRow {
        // Every section has one, as a test shows; otherwise it would have no text.
        SECTIONS.iter().find(|row| row.section == self).unwrap_or(&SECTIONS[SECTIONS.len() - 1])
    }
}

/// Where the findings of each rule stand.
const PLACES: &[(&str, Section)] = &[
    ("words", Section::Words),
    ("stamps", Section::Stamps),
    ("cel-words", Section::Words),
    ("labels-and-annotations", Section::Words),
    ("api-approved-lost", Section::Changed),
    ("loosened", Section::Loosened),
    ("tightened", Section::Changed),
    ("incomparable", Section::Changed),
    ("required-with-default", Section::Changed),
    ("required-at-root", Section::Changed),
    ("default-added", Section::Changed),
    ("default-changed", Section::Changed),
    ("condition-list-default", Section::Changed),
    ("graduated", Section::Graduated),
    ("name-added", Section::Added),
    ("name-below-preserved", Section::Changed),
    ("name-removed", Section::Removed),
    ("renamed", Section::Changed),
    ("type-changed", Section::Changed),
    ("list-type", Section::Changed),
    ("preserve-removed", Section::Changed),
    ("preserve-added", Section::Loosened),
    ("embedded-resource-added", Section::Changed),
    ("resource-removed", Section::Removed),
    ("resource-moved", Section::Removed),
    ("kind-or-scope", Section::Changed),
    ("singular-or-list-kind", Section::Changed),
    ("presentation", Section::Words),
    ("selectable-or-scale-added", Section::Added),
    ("selectable-or-scale-changed", Section::Changed),
    ("status-subresource", Section::Changed),
    ("webhook", Section::Changed),
    // Or deprecated: see below.
    ("version-added", Section::Added),
    ("version-unserved", Section::Versions),
    ("version-removed", Section::Removed),
    ("stored-version-removed", Section::Removed),
    ("storage-version", Section::Versions),
    ("containment", Section::States),
    ("alpha-in-standard", Section::States),
    ("versions-differ", Section::States),
    ("not-preserving", Section::States),
    ("unclaimed", Section::Changed),
];

/// Where a finding stands.
pub(super) fn section(finding: &Finding, bundles: &Bundles<'_>) -> Section {
    // What nobody wrote down is told where it cannot be overlooked.
    let usual = PLACES.iter().find(|(rule, _)| *rule == finding.rule).map_or(Section::Changed, |(_, section)| *section);
    match finding.rule {
        "version-added" if is_deprecation(finding, bundles) => Section::Deprecated,
        _ => usual,
    }
}

/// One rule is about versions that are added, served again, deprecated, or not deprecated any more.
fn is_deprecation(finding: &Finding, bundles: &Bundles<'_>) -> bool {
    let Some(name) = &finding.version else { return false };
    let deprecated = |crd| version(crd, name).map(|version| version.deprecated);
    let old = bundles.in_old(finding.channel, &finding.crd).and_then(deprecated);
    let new = bundles.in_new(finding.channel, &finding.crd).and_then(deprecated);
    old.is_some() && old != new
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crd_compat::{RULES, STATES, UNCLAIMED};

    use super::*;

    #[test]
    fn every_rule_and_state_has_a_place_and_every_section_a_row() {
        let rules = RULES.iter().map(|rule| rule.id).chain([UNCLAIMED.id]).chain(STATES.iter().map(|state| state.id));
        let placed = PLACES.iter().map(|(rule, _)| *rule).collect::<Vec<_>>();
        assert_eq!(placed.iter().copied().collect::<BTreeSet<_>>(), rules.collect::<BTreeSet<_>>());
        assert_eq!(placed.len(), placed.iter().collect::<BTreeSet<_>>().len());
        let rows = SECTIONS.iter().map(|row| row.section).collect::<BTreeSet<_>>();
        assert_eq!(rows.len(), SECTIONS.len());
        for (_, section) in PLACES {
            assert_eq!(section.row().section, *section);
        }
    }
}
