//! Clients of each bundle and channel on each bundle and channel, as crd-stamps compares them.
//!
//! Invariant: equal causes and equal cells are in the data once.

use crd_model::parallel;
use crd_stamps::skew::{Bundles, KindVerdict, Verdict};
use serde_json::{Value, json};

use crate::Site;
use crate::state::Interner;

/// The data: `bundles` are pairs of a release and a channel, `rows` has a list for each of them as a client, with the index of the cell for each of
/// them as what is installed; a cell is a verdict, its causes, and how many kinds cannot be read. Null with fewer than two bundles that have a version.
pub(crate) fn clients(site: &Site) -> Value {
    let mut bundles = Bundles::default();
    for release in &site.releases {
        if let Some(version) = release.release.version {
            bundles.add(version, &release.release.channels);
        }
    }
    let place = |(version, channel)| {
        let release = site.releases.iter().position(|known| known.release.version == Some(version));
        Some([release?, site.channels.iter().position(|known| *known == channel)?])
    };
    let places = bundles.bundles().filter_map(place).collect::<Vec<_>>();
    let clients = bundles.clients().collect::<Vec<_>>();
    if clients.len() < 2 {
        return Value::Null;
    }
    let (mut causes, mut cells) = (Interner::default(), Interner::default());
    let rows = parallel::each(&clients, |client| bundles.row(client)).into_iter().map(|row| {
        let cell = |mut cell: crd_stamps::skew::Cell| {
            cell.findings.sort_by_key(|finding| matches!(finding.verdict, KindVerdict::WithoutFields { .. }));
            let found = cell.findings.iter().map(|finding| causes.index(finding.text())).collect::<Vec<_>>();
            let lost =
                cell.kinds.iter().filter(|kind| matches!(kind, KindVerdict::Absent | KindVerdict::NotServed { .. }));
            cells.index(json!([word(cell.verdict), found, lost.count()]).to_string())
        };
        row.into_iter().map(cell).collect::<Vec<_>>()
    });
    let rows = rows.collect::<Vec<_>>();
    let cells = cells.into_texts().iter().filter_map(|cell| serde_json::from_str(cell).ok()).collect::<Vec<Value>>();
    json!({ "bundles": places, "rows": rows, "cells": cells, "causes": causes.into_texts() })
}

/// The word of a verdict in a cell.
fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Works => "works",
        Verdict::WithoutFields => "fields",
        Verdict::Skips => "skips",
        Verdict::Fails => "fails",
    }
}
