//! Release notes: what changed, and what users, implementers and installers have to do about it.
//!
//! ```text
//! findings → change (folded) → section          CRDs → left CRDs, stored, losses
//!                    └────────── audience ────────────┘
//!                                    └→ page (Markdown in values) → templates/notes/release-notes.md
//! ```
//!
//! Invariants: every finding appears in exactly one section; a section without content is left out; names and
//! texts of the API cannot break out of where they stand in the Markdown; what the template decides is order and wording, and no fact.

mod audience;
mod bundles;
mod change;
mod clients;
mod install;
mod losses;
pub(crate) mod markdown;
mod orphaned;
mod page;
mod section;
mod stored;
mod waived;

use crd_bundle::BundleVersion;
use crd_compat::tombstone::Ledger;
use crd_compat::{Channels, Finding, Verdict};
use crd_convert::Lens;
use crd_diagnostics::printed;

use crate::template::{TemplateError, Templates};
use crate::{Artefact, NOTES, Release};

pub use change::{Change, Remark};
pub use section::{SECTIONS, Section, SectionRow, row_of};

const TEMPLATE: &str = "notes/release-notes.md";

/// The input of the notes.
pub struct Notes<'a> {
    pub release: &'a Release,
    /// The baseline; none for the first release.
    pub baseline: Option<BundleVersion>,
    /// The findings since the baseline.
    pub verdict: &'a Verdict,
    /// The findings of the verdict, with waivers.
    pub verdict_findings: &'a [Finding],
    /// The bundle that the notes compare with: the baseline, or for a pre-release the previous bundle. None for the first release.
    pub since: Option<Since<'a>>,
    /// The findings since that bundle, and the states of the bundle. Equal to `verdict_findings` if `since` is the baseline.
    pub findings: &'a [Finding],
    /// The tombstones of removed names.
    pub ledger: &'a Ledger,
    /// The lenses of the bundle.
    pub lenses: &'a [Lens],
    /// The names of the files in `dist/`.
    pub artefacts: &'a [String],
}

/// The bundle that notes compare with.
#[derive(Clone, Copy)]
pub struct Since<'a> {
    pub version: BundleVersion,
    pub channels: &'a Channels,
}

impl<'a> Notes<'a> {
    /// The lenses that the baseline does not have.
    fn new_lenses(&self) -> Vec<&'a Lens> {
        let Some(baseline) = self.baseline else { return Vec::new() };
        self.lenses.iter().filter(|lens| lens.since > baseline).collect()
    }
}

/// The notes of a release.
///
/// # Errors
/// The template is wrong.
pub fn notes(input: &Notes<'_>, templates: &Templates) -> Result<Artefact, TemplateError> {
    let text = templates.render(TEMPLATE, &page::page(input))?;
    Ok(Artefact { name: NOTES.to_owned(), bytes: printed(&tidy(&text)).into_bytes() })
}

/// The findings of the notes: folded, each with its section.
pub fn changes<'a>(input: &Notes<'a>) -> Vec<Change<'a>> {
    change::changes(input.findings, &bundles::Bundles::of(input), input.ledger)
}

/// Sections that are left out leave empty lines behind: one is enough. Code blocks contain no generated empty lines.
fn tidy(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    let mut empty = true;
    for line in text.lines().map(str::trim_end) {
        if !(line.is_empty() && empty) {
            tidy.push_str(line);
            tidy.push('\n');
        }
        empty = line.is_empty();
    }
    tidy.truncate(tidy.trim_end().len());
    tidy.push('\n');
    tidy
}
