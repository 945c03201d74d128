//! Clients of the earlier bundle on the release, clients of the release on the earlier bundle, and the order in which to upgrade.
//!
//! Invariant: each client is as crd-stamps builds it for a bundle and channel: it reads every resource.

use crd_stamps::skew::matrix::Neighbour;
use crd_stamps::skew::{Bundle, KindVerdict, Neighbours, Verdict, neighbours};
use serde_json::{Value, json};

use super::Notes;
use super::markdown::sentence;

/// The largest number of reasons that a row lists; the rest is counted.
const MOST_LISTED: usize = 5;

/// The clients; none for the first release.
pub(super) fn clients(input: &Notes<'_>) -> Option<Neighbours> {
    let since = input.since?;
    let released = input.release.channels.iter();
    let current = released.map(|of| (of.channel, of.files.iter().map(|file| file.crd.clone()).collect())).collect();
    Some(neighbours((since.version, since.channels), (input.release.version, &current)))
}

/// Whether a client fails in the channel that it was built for, so that the order matters.
pub(super) fn need_an_order(clients: &Neighbours) -> bool {
    clients.rows.iter().any(|row| row.client.1 == row.on.1 && row.verdict == Verdict::Fails)
}

pub(super) fn entry(clients: &Neighbours, several: bool) -> Value {
    let called = |(version, channel): Bundle| match several {
        true => format!("{version} {channel}"),
        false => version.to_string(),
    };
    let row = |row: &Neighbour| {
        let mut findings = row.findings.iter().collect::<Vec<_>>();
        findings.sort_by_key(|finding| matches!(finding.verdict, KindVerdict::WithoutFields { .. }));
        let found = findings.into_iter().map(|finding| sentence(&finding.text())).collect::<Vec<_>>();
        let listed = if found.len() > MOST_LISTED + 1 { MOST_LISTED } else { found.len() };
        json!({
            "client": called(row.client),
            "on": called(row.on),
            "verdict": row.verdict.words(),
            "findings": found[..listed],
            "more": found.len() - listed,
        })
    };
    let order = clients.order.iter().map(|(channel, words)| match several {
        true => format!("{channel}: {words}"),
        false => words.clone(),
    });
    json!({ "rows": clients.rows.iter().map(row).collect::<Vec<_>>(), "order": order.collect::<Vec<_>>() })
}
