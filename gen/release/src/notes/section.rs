//! The sections of the notes, and which rule's findings each one lists.
//!
//! Invariants: a rule names its section itself. A finding has exactly one section.

pub use crd_compat::Section;
use crd_compat::{Finding, rule};

use super::bundles::{Bundles, version};

/// Headings that other sections lead to.
pub(super) mod headings {
    /// Clients of the earlier bundle and of this one on the other bundle.
    pub(in crate::notes) const CLIENTS: &str = "Clients";
    /// How older objects become current.
    pub(in crate::notes) const CONVERSIONS: &str = "Conversions";
    /// CRDs that stay behind.
    pub(in crate::notes) const ORPHANED: &str = "CRDs that stay behind";
    /// What moving from experimental to standard loses.
    pub(in crate::notes) const LOSSES: &str = "From experimental to standard";
    /// What happens to stored objects.
    pub(in crate::notes) const STORED: &str = "Stored objects";
    pub(in crate::notes) const WAIVERS: &str = "Waivers";
}

/// A row of the table of sections.
#[derive(Clone, Copy, Debug)]
pub struct SectionRow {
    pub section: Section,
    /// Its heading; empty for the one without text.
    pub heading: &'static str,
    /// What all of it has in common, in a sentence or two.
    pub intro: &'static str,
}

/// The sections in their order.
pub const SECTIONS: [SectionRow; 10] = [
    row(Section::Graduated, "Graduated", "Standard has this now. The experimental channel had it before."),
    row(Section::Added, "Added", "New names. Manifests that do not use them keep their meaning."),
    row(Section::Loosened, "Loosened", "Every object that was accepted still is, and more are."),
    row(
        Section::Changed,
        "Tightened or changed",
        "What was accepted before may be refused, filled in or merged differently now.",
    ),
    row(Section::Removed, "Removed", "These names are removed and are never used again with another meaning."),
    row(
        Section::Deprecated,
        "Deprecated",
        "The server prints a warning for each request in a deprecated version. A later bundle stops serving it.",
    ),
    row(Section::Versions, "API versions", "Which versions are served, and in which one objects are stored."),
    row(Section::Documentation, "Words and presentation", "These changes do not affect which objects are accepted."),
    row(Section::States, "Known limits", "Properties of this bundle, independent of what changed."),
    row(Section::Stamps, "", ""),
];

const fn row(section: Section, heading: &'static str, intro: &'static str) -> SectionRow {
    SectionRow { section, heading, intro }
}

/// The row of a section.
pub fn row_of(section: Section) -> &'static SectionRow {
    // Every section has one, as a test shows; otherwise it would have no text.
    SECTIONS.iter().find(|row| row.section == section).unwrap_or(&SECTIONS[SECTIONS.len() - 1])
}

/// The section of a finding.
pub(super) fn section(finding: &Finding, bundles: &Bundles<'_>) -> Section {
    // A rule of another crate is listed where it cannot be overlooked.
    let usual = rule(finding.rule).map_or(Section::Changed, |rule| rule.section);
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
    use crd_compat::all_rules;

    use super::*;

    #[test]
    fn every_section_of_a_rule_has_a_row() {
        for section in all_rules().map(|rule| rule.section).chain([Section::Deprecated]) {
            assert_eq!(row_of(section).section, section);
        }
        for (index, row) in SECTIONS.iter().enumerate() {
            assert_eq!(SECTIONS.iter().position(|known| known.section == row.section), Some(index));
        }
    }
}
