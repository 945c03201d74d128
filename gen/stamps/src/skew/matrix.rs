//! The matrix: clients, and the bundles and channels that they meet.
//!
//! Invariants: rows and columns are in the order of versions, standard before experimental. A cause is the release at which a verdict begins on the way from the
//! client's own bundle; without such a bundle, on the way from the nearest release that has what the client needs.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::BundleVersion;
use crd_model::channel::Channel;
use crd_model::schema::path::is_below;
use crd_model::{Channels, CustomResourceDefinition};

use crate::skew::client::{Client, ClientKind};
use crate::skew::offer::Offer;
use crate::skew::verdict::{Cause, Finding, KindVerdict, Verdict};

/// A bundle version and a channel.
pub type Bundle = (BundleVersion, Channel);

/// The known bundles.
#[derive(Clone, Debug, Default)]
pub struct Bundles {
    releases: BTreeMap<Bundle, (Offer, Vec<Arc<CustomResourceDefinition>>)>,
}

/// A client on a bundle, or on a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The bundle; of a cluster, that of its CRDs, if it is known.
    pub bundle: Option<Bundle>,
    /// What happens to the client.
    pub verdict: Verdict,
    /// The verdict about each kind, in the order of the client.
    pub kinds: Vec<KindVerdict>,
    /// What the client does not find, in the order of its kinds.
    pub findings: Vec<Finding>,
}

/// The verdicts of one client by bundle.
type Row = BTreeMap<Bundle, Vec<KindVerdict>>;

impl Bundles {
    /// Adds a release. A release that is known already stays.
    pub fn add(&mut self, version: BundleVersion, channels: &Channels) {
        for (channel, crds) in channels {
            self.releases.entry((version, *channel)).or_insert_with(|| (Offer::of_crds(crds), crds.clone()));
        }
    }

    /// The bundles.
    pub fn bundles(&self) -> impl Iterator<Item = Bundle> {
        self.releases.keys().copied()
    }

    /// The clients that are built for each bundle.
    pub fn clients(&self) -> impl Iterator<Item = Client> {
        self.releases.iter().map(|((version, channel), (_, crds))| {
            Client::of_bundle(&format!("{version} {channel}"), *version, *channel, crds)
        })
    }

    /// A client on each bundle.
    #[must_use]
    pub fn row(&self, client: &Client) -> Vec<Cell> {
        let row = self.verdicts(client);
        row.iter().map(|(bundle, kinds)| self.cell(client, Some(*bundle), kinds.clone(), &row)).collect()
    }

    /// A client on a cluster. Its bundle is that of the stamps of its CRDs.
    #[must_use]
    pub fn on(&self, client: &Client, offer: &Offer, bundle: Option<Bundle>) -> Cell {
        self.cell(client, bundle, self.on_offer(client, offer), &self.verdicts(client))
    }

    fn verdicts(&self, client: &Client) -> Row {
        self.releases.iter().map(|(bundle, (offer, _))| (*bundle, self.on_offer(client, offer))).collect()
    }

    fn on_offer(&self, client: &Client, offer: &Offer) -> Vec<KindVerdict> {
        let own = client.built_for.and_then(|bundle| self.releases.get(&bundle)).map(|(own, _)| own);
        let of = |kind: &ClientKind| {
            let [own, found] = [own, Some(offer)].map(|offer| offer?.kind(&kind.group, &kind.kind));
            KindVerdict::of(kind, own, found)
        };
        client.kinds.iter().map(of).collect()
    }

    fn cell(&self, client: &Client, bundle: Option<Bundle>, kinds: Vec<KindVerdict>, row: &Row) -> Cell {
        let mut findings = Vec::new();
        for (index, (kind, verdict)) in client.kinds.iter().zip(&kinds).enumerate() {
            let cause = |is_lost: &dyn Fn(&KindVerdict) -> bool| {
                let state = |bundle: Bundle| {
                    let other = row.get(&bundle)?.get(index)?;
                    Some(match (verdict, other) {
                        _ if !is_lost(other) => State::Found,
                        (KindVerdict::Absent, KindVerdict::NotServed { .. }) => State::Exists,
                        (KindVerdict::NotServed { .. }, KindVerdict::Absent) => State::Lost,
                        _ => State::Same,
                    })
                };
                cause(bundle?, client.built_for, row, &state)
            };
            let mut add = |verdict, cause| {
                let crd = self.crd(kind).unwrap_or_else(|| format!("{}.{}", kind.kind, kind.group));
                findings.push(Finding { crd, kind: kind.clone(), verdict, cause });
            };
            match verdict {
                KindVerdict::Works { .. } => {}
                KindVerdict::Absent | KindVerdict::NotServed { .. } => add(verdict.clone(), cause(&is_lost)),
                KindVerdict::WithoutFields { version, fields } => {
                    let mut by_cause: BTreeMap<_, Vec<String>> = BTreeMap::new();
                    for field in fields {
                        by_cause.entry(cause(&|other| lacks(other, field))).or_default().push(field.clone());
                    }
                    for (cause, fields) in by_cause {
                        add(KindVerdict::WithoutFields { version: version.clone(), fields }, cause);
                    }
                }
            }
        }
        let verdicts = client.kinds.iter().zip(&kinds).map(|(kind, verdict)| Verdict::of(kind, verdict));
        Cell { bundle, verdict: verdicts.max().unwrap_or(Verdict::Works), kinds, findings }
    }

    /// The name of the CRD of a kind.
    fn crd(&self, kind: &ClientKind) -> Option<String> {
        let mut offered = self.releases.values().filter_map(|(offer, _)| offer.kind(&kind.group, &kind.kind));
        offered.find_map(|offered| Some(offered.crd.as_ref()?.name.to_string()))
    }
}

/// Whether a client does not find a field.
fn lacks(verdict: &KindVerdict, field: &str) -> bool {
    match verdict {
        KindVerdict::Works { .. } => false,
        KindVerdict::WithoutFields { fields, .. } => fields.iter().any(|above| is_below(field, above)),
        KindVerdict::Absent | KindVerdict::NotServed { .. } => true,
    }
}

/// Whether a client cannot read a kind.
fn is_lost(verdict: &KindVerdict) -> bool {
    matches!(verdict, KindVerdict::Absent | KindVerdict::NotServed { .. })
}

/// What a client finds in another release, compared with the verdict whose cause is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Same,
    /// As little, for another reason.
    Lost,
    /// The kind that is absent, in versions that the client cannot read.
    Exists,
    Found,
}

/// Where a verdict about a bundle begins, in its channel or else in the other one: at the release after the nearest earlier one with another verdict, or before
/// the nearest later one that has what the client needs.
fn cause(at: Bundle, own: Option<Bundle>, row: &Row, state: &dyn Fn(Bundle) -> Option<State>) -> Option<Cause> {
    let (version, channel) = at;
    let begin = |channel: Channel| {
        let releases = row.keys().filter(|(_, of)| *of == channel).map(|(release, _)| *release);
        let (mut older, mut newer): (Vec<_>, Vec<_>) = releases.partition(|release| *release <= version);
        // On the way: from the client's own bundle, if there is one.
        if let Some((own, _)) = own {
            older.retain(|release| *release >= own);
            newer.retain(|release| *release <= own);
        }
        let of = |release: &BundleVersion| state((*release, channel)).unwrap_or(State::Same);
        let since = |is_before: &dyn Fn(State) -> bool| {
            let last = older.iter().rposition(|release| is_before(of(release)))?;
            older.get(last + 1).map(|release| Cause::Since(*release, channel))
        };
        let lost = || since(&|state| matches!(state, State::Found | State::Exists));
        let from = || {
            let first = newer.iter().position(|release| of(release) == State::Found)?;
            let release = *newer.get(first)?;
            let kind = newer.iter().take(first).find(|release| of(release) == State::Exists);
            Some(match kind {
                Some(kind) => Cause::ServedFrom(release, *kind, channel),
                None => Cause::From(release, channel),
            })
        };
        // A kind that was absent before did not lose a version that comes later.
        lost().or_else(from).or_else(|| since(&|state| state != State::Same))
    };
    let other = if channel == Channel::Standard { Channel::Experimental } else { Channel::Standard };
    let is_there = matches!(state((version, other)), Some(State::Found | State::Exists));
    let only = || is_there.then_some(Cause::OnlyIn(other));
    // A client can list what its own bundle does not have.
    let anywhere = || own.and_then(|_| cause(at, None, row, state));
    begin(channel).or_else(only).or_else(|| begin(other)).or_else(anywhere)
}

/// Clients of neighbouring bundles on the other bundle, and the order in which to upgrade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbours {
    /// Clients of each channel of the previous bundle on each channel of the current one, then clients of the current one on the previous one.
    pub rows: Vec<Neighbour>,
    /// What to upgrade first, for clients and CRDs of each channel.
    pub order: Vec<(Channel, String)>,
}

/// Clients of one bundle on another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// The bundle that the clients were built for.
    pub client: Bundle,
    /// The bundle that they meet.
    pub on: Bundle,
    /// What happens to them.
    pub verdict: Verdict,
    /// What they do not find.
    pub findings: Vec<Finding>,
}

/// Compares the clients of two bundles with the other bundle.
#[must_use]
pub fn neighbours(previous: (BundleVersion, &Channels), current: (BundleVersion, &Channels)) -> Neighbours {
    let mut bundles = Bundles::default();
    bundles.add(previous.0, previous.1);
    bundles.add(current.0, current.1);
    let row = |client: Client| {
        let own = client.built_for;
        let cells = bundles.row(&client).into_iter();
        cells.filter_map(move |cell| {
            let (client, on) = own.zip(cell.bundle)?;
            let is_other = client.0 != on.0;
            is_other.then_some(Neighbour { client, on, verdict: cell.verdict, findings: cell.findings })
        })
    };
    let mut rows = bundles.clients().flat_map(row).collect::<Vec<_>>();
    rows.sort_by_key(|row| (row.client.0 != previous.0, row.client, row.on));
    let of = |client: Bundle, on: Bundle| rows.iter().find(move |row| (row.client, row.on) == (client, on));
    let order = Channel::ALL.into_iter().filter_map(|channel| {
        let (old, new) = ((previous.0, channel), (current.0, channel));
        Some((channel, order(of(old, new)?, of(new, old)?)))
    });
    let order = order.collect();
    Neighbours { rows, order }
}

/// What to upgrade first.
fn order(old: &Neighbour, new: &Neighbour) -> String {
    let (previous, current) = (old.client.0, new.client.0);
    if old.verdict < Verdict::Fails {
        return format!("CRDs first, then clients: clients of {previous} work on {current}");
    }
    if new.verdict < Verdict::Fails {
        let why = format!("clients of {previous} fail on {current}, and clients of {current} work on {previous}");
        return format!("clients first, then CRDs: {why}");
    }
    let lost = old.findings.iter().filter(|finding| !matches!(finding.verdict, KindVerdict::WithoutFields { .. }));
    let lost = lost.map(|finding| format!("{} {}", finding.kind.kind, finding.kind.versions.join(" or ")));
    let lost = lost.collect::<Vec<_>>().join(", ");
    format!(
        "neither order works: clients of {previous} fail until they are updated; {current} would have to serve longer: {lost}"
    )
}
