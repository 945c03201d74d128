//! Which connections a port has. Where they run out, the peer that has the most loses one that it does not use.
//!
//! A peer is an IPv4 address or a /64 of IPv6, of which a client can choose any address. All API servers can be one peer, behind a proxy or a node, and so
//! can a hostile client: a peer has no limit of its own, but turns. A connection whose review is being answered keeps its place.

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

use super::pace::Pace;

/// The places of a port.
pub(super) struct Places {
    /// The most connections.
    most: usize,
    /// How long a connection may be without use before it loses its place to another one of its peer.
    fresh: Duration,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    next: u64,
    open: BTreeMap<u64, (IpAddr, Arc<Pace>)>,
    peers: HashMap<IpAddr, Peer>,
}

struct Peer {
    open: usize,
    turns: Arc<Turns>,
}

/// What the connections of a peer do one after the other: handshakes, and the reading of large bodies.
pub(super) struct Turns {
    pub(super) handshake: Semaphore,
    pub(super) body: Semaphore,
}

impl Table {
    fn close(&mut self, id: u64) {
        let Some((address, pace)) = self.open.remove(&id) else { return };
        pace.close();
        if let Some(peer) = self.peers.get_mut(&address) {
            peer.open = peer.open.saturating_sub(1);
            if peer.open == 0 {
                self.peers.remove(&address);
            }
        }
    }

    /// Closes a connection of the peer that has the most: the one that was never useful, and has waited for longest. A fresh one is closed only for a
    /// peer that has fewer. Returns whether there is one.
    fn close_one(&mut self, newcomer: Option<IpAddr>, fresh: Duration) -> bool {
        let now = Instant::now();
        let top = self.peers.iter().max_by_key(|(address, peer)| (peer.open, **address));
        let Some((top, most)) = top.map(|(address, peer)| (*address, peer.open)) else { return false };
        let has = |address| self.peers.get(&address).map_or(0, |peer| peer.open);
        let has_fewer = newcomer.is_none_or(|address| has(address).saturating_add(1) < most);
        let of_top = self.open.iter().filter(|(_, (peer, _))| *peer == top);
        let unused = of_top.filter_map(|(id, (_, pace))| Some((pace.unused(now)?, *id)));
        let unused = unused.filter(|((_, unused), _)| has_fewer || *unused >= fresh);
        let victim = unused.max_by_key(|((is_useful, unused), _)| (!is_useful, *unused)).map(|(_, id)| id);
        victim.inspect(|id| self.close(*id)).is_some()
    }
}

impl Places {
    pub(super) fn new(most: usize, fresh: Duration) -> Arc<Self> {
        Arc::new(Self { most, fresh, table: Mutex::default() })
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a connection; nothing if all are in use and its peer has the most.
    pub(super) fn admit(self: &Arc<Self>, address: IpAddr, pace: Arc<Pace>) -> Option<Place> {
        let address = match address.to_canonical() {
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into(),
            address => address,
        };
        let mut table = self.table();
        if table.open.len() >= self.most && !table.close_one(Some(address), self.fresh) {
            return None;
        }
        let id = table.next;
        table.next = id.wrapping_add(1);
        table.open.insert(id, (address, pace.clone()));
        let turns = || Arc::new(Turns { handshake: Semaphore::new(1), body: Semaphore::new(1) });
        let peer = table.peers.entry(address).or_insert_with(|| Peer { open: 0, turns: turns() });
        peer.open = peer.open.saturating_add(1);
        Some(Place { places: self.clone(), id, pace, turns: peer.turns.clone() })
    }

    pub(super) fn open(&self) -> usize {
        self.table().open.len()
    }

    /// Closes a connection, because the process has too many open files.
    pub(super) fn close_one(&self) {
        self.table().close_one(None, Duration::ZERO);
    }
}

/// The place of a connection. It is free when this is dropped.
pub(super) struct Place {
    places: Arc<Places>,
    id: u64,
    pub(super) pace: Arc<Pace>,
    pub(super) turns: Arc<Turns>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.table().close(self.id);
    }
}
