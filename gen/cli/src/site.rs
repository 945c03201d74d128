//! A site: the releases of a workspace or of published CRDs, compared with each other, as one HTML page.
//!
//! Invariants: neighbours are compared as `diff` compares them. A release from the history archive has no texts: it and its neighbours are
//! compared without texts. All errors are reported together.

mod charts;
mod differences;
mod published;
mod sizes;
mod workspace;

use std::collections::BTreeMap;

use crd_compat::Waiver;
use crd_compat::tombstone::{Ledger, Tombstone};
use crd_convert::Lens;
use crd_diagnostics::Diagnostic;
use crd_model::parallel;
use crd_model::profile::Profile;
use crd_site::{Page, Site, SiteRelease, channels, group, page};
use serde_json::{Value, json};

use crate::conversion::listed::LensInWords;
pub(crate) use published::published;
pub(crate) use workspace::{Selection, shown, table, workspace};

/// What a site is made from.
pub(crate) struct Sources {
    /// The name of the project; otherwise that of its API group.
    pub(crate) name: Option<String>,
    /// The releases, lowest version first.
    pub(crate) releases: Vec<SiteRelease>,
    pub(crate) ledger: Ledger,
    pub(crate) waivers: Vec<Waiver>,
    pub(crate) lenses: Vec<Lens>,
    /// The document `graduation.json`.
    pub(crate) graduation: Option<Value>,
    /// What needs features, and who passes them.
    pub(crate) features: Vec<Value>,
    /// The bytes of CRDs without texts.
    pub(crate) sizes: sizes::Sizes,
    /// Whether the project publishes charts as `release` makes them.
    pub(crate) has_charts: bool,
}

pub(crate) fn page_of(sources: Sources, requested: Option<Profile>) -> Result<Page, Vec<Diagnostic>> {
    let Sources { name, releases, ledger, waivers, lenses, graduation, features, sizes, has_charts } = sources;
    let name = name.unwrap_or_else(|| group(&releases));
    let charts = || if has_charts { charts::charts(&name, &releases) } else { BTreeMap::new() };
    let (differences, (sizes, charts)) = parallel::both(
        || differences::differences(&releases, &ledger, &waivers, requested),
        || (sizes::of_releases(&releases, &sizes), charts()),
    );
    let site = Site {
        name,
        channels: channels(&releases),
        releases,
        differences,
        removed: ledger.entries().iter().map(removed).collect(),
        conversions: lenses.iter().map(|lens| json!(LensInWords::from(lens))).collect(),
        graduation,
        features,
        sizes,
        charts,
    };
    page(&site).map_err(|error| {
        let error = Diagnostic::error("docs::page", format!("the page cannot be made: {error}"));
        vec![error.help("this is a bug in this tool; please report it")]
    })
}

fn removed(tombstone: &Tombstone) -> Value {
    json!({
        "crd": tombstone.name.crd,
        "kind": tombstone.name.kind.word(),
        "path": tombstone.name.place(),
        "name": tombstone.name.name,
        "removed": tombstone.removed,
        "reason": tombstone.reason,
        "replacement": tombstone.replacement,
    })
}
