//! Who has a place on a port: its connections, and the bytes of their bodies.
//!
//! A peer is an IPv4 address or a /64 of IPv6: a client can choose any address of its /64. All API servers can be one peer, behind a proxy or a node, and a
//! hostile client can be of the same peer. So no peer has a limit of its own. Where room ends, it is taken from the peer that has the most, and there from a
//! client that does not use it.
//!
//! Invariants:
//! * A review that is being answered keeps its place.
//! * Bytes are reserved as they arrive. Large bodies use at most their part: small bodies always have `Limits::small`.
//! * One body that finds no room leads: it has the room of a whole body for itself. So bodies that wait for each other end.
//! * All bodies together have at most `Limits::bodies`.

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, Semaphore};

use super::Limits;
use super::pace::Pace;

/// How long a client may pause, beyond the time that its bytes need at [`RATE`], before its room is given to others.
const STALL: Duration = Duration::from_millis(100);
/// The least bytes in a millisecond: 4 MB/s. The network of a cluster has 10 to 1,000 times as much.
const RATE: usize = 4000;
/// How often bodies without room look for one that can end. It bounds what a thousand of them cost.
const LOOK: Duration = Duration::from_millis(1);

/// The places of a port.
pub(super) struct Places {
    limits: Limits,
    /// The most connections.
    most: usize,
    /// How long a connection may be without use before it can lose its place to another one of its peer.
    fresh: Duration,
    table: Mutex<Table>,
    /// Bytes are free. Wakes one waiting body; the others look again after [`STALL`].
    freed: Notify,
}

#[derive(Default)]
struct Table {
    next: u64,
    /// How many connections have a place.
    open: usize,
    entries: BTreeMap<u64, Entry>,
    peers: HashMap<IpAddr, Peer>,
    /// The bytes of small bodies, and of large ones except the one that leads.
    used: [usize; 2],
    leader: Option<u64>,
    looked: Option<Instant>,
}

struct Peer {
    open: usize,
    turn: Arc<Semaphore>,
}

struct Entry {
    peer: IpAddr,
    pace: Arc<Pace>,
    /// It has lost its place, and ends.
    is_closed: bool,
    body: Option<Body>,
}

impl Entry {
    /// Its body, if it is of this kind and keeps its place.
    fn body(&self, is_large: bool) -> Option<Body> {
        self.body.filter(|body| body.is_large == is_large && !self.is_closed)
    }
}

#[derive(Clone, Copy)]
struct Body {
    is_large: bool,
    bytes: usize,
    /// When it began, without the time that it waited for room.
    begun: Instant,
    waits_since: Option<Instant>,
}

impl Body {
    /// Whether the client sends slowly, and others may have the room.
    fn is_slow(&self, now: Instant) -> bool {
        let permitted = STALL.saturating_add(Duration::from_millis((self.bytes / RATE) as u64));
        self.waits_since.is_none() && now.saturating_duration_since(self.begun) > permitted
    }
}

impl Table {
    /// The bytes that each peer has in small or large bodies.
    fn shares(&self, is_large: bool) -> HashMap<IpAddr, usize> {
        let mut shares: HashMap<IpAddr, usize> = HashMap::new();
        for (entry, body) in self.entries.values().filter_map(|entry| Some((entry, entry.body(is_large)?))) {
            let share = shares.entry(entry.peer).or_default();
            *share = share.saturating_add(body.bytes);
        }
        shares
    }

    fn close(&mut self, id: u64) {
        if let Some(entry) = self.entries.get_mut(&id).filter(|entry| !entry.is_closed) {
            entry.is_closed = true;
            entry.pace.close();
            self.open = self.open.saturating_sub(1);
            if let Some(peer) = self.peers.get_mut(&entry.peer) {
                peer.open = peer.open.saturating_sub(1);
                if peer.open == 0 {
                    self.peers.remove(&entry.peer);
                }
            }
        }
    }

    /// Closes a connection of the peer that has the most, for a newcomer: the one that was never useful, and has waited for longest. One that is fresh is
    /// only closed for a peer that has fewer. Returns whether there is one.
    fn close_one(&mut self, newcomer: Option<IpAddr>, fresh: Duration) -> bool {
        let now = Instant::now();
        let top = self.peers.iter().max_by_key(|(address, peer)| (peer.open, **address));
        let Some((top, most)) = top.map(|(address, peer)| (*address, peer.open)) else { return false };
        let has = |address| self.peers.get(&address).map_or(0, |peer| peer.open);
        let has_fewer = newcomer.is_none_or(|address| has(address).saturating_add(1) < most);
        let candidates = self.entries.iter().filter(|(_, entry)| entry.peer == top && !entry.is_closed);
        let unused = candidates.filter_map(|(id, entry)| Some((entry.pace.unused(now)?, *id)));
        let unused = unused.filter(|((_, unused), _)| has_fewer || *unused >= fresh);
        let victim = unused.max_by_key(|((is_useful, unused), _)| (!is_useful, *unused)).map(|(_, id)| id);
        victim.inspect(|id| self.close(*id)).is_some()
    }

    /// Closes a connection whose body has room that a body of this peer needs: a slow one, or for a small body one of the peer that has the most.
    fn close_body(&mut self, peer: IpAddr, is_large: bool, now: Instant) {
        let shares = self.shares(is_large);
        let share = |peer: IpAddr| shares.get(&peer).copied().unwrap_or_default();
        let most = shares.values().copied().max().unwrap_or_default();
        let can_close = |entry: &Entry, is_slow| is_slow || !is_large && share(entry.peer) == most && share(peer) < most;
        let victim = self.entries.iter().filter_map(|(id, entry)| {
            let body = entry.body(is_large).filter(|_| entry.pace.is_reading())?;
            let is_slow = body.is_slow(now);
            can_close(entry, is_slow).then_some((is_slow, share(entry.peer), body.bytes, *id))
        });
        if let Some((.., id)) = victim.max() {
            self.close(id);
        }
    }

    /// The large body that leads next: of those that wait, the first one of the peer that has the least.
    fn next_leader(&self, id: u64) -> u64 {
        let shares = self.shares(true);
        let waiting = self.entries.iter().filter(|(other, entry)| {
            **other == id || entry.body(true).is_some_and(|body| body.waits_since.is_some())
        });
        waiting.map(|(id, entry)| (shares.get(&entry.peer).copied(), *id)).min().map_or(id, |(_, first)| first)
    }

    /// Reserves bytes for a body, or makes room for the next attempt.
    fn grant(&mut self, id: u64, bytes: usize, limits: &Limits) -> bool {
        let now = Instant::now();
        let Some((peer, body)) = self.entries.get(&id).and_then(|entry| Some((entry.peer, entry.body?))) else {
            return false;
        };
        let [small, large] = self.used;
        let common = limits.bodies.saturating_sub(limits.body);
        let has_room = match body.is_large {
            false => small.saturating_add(large).saturating_add(bytes) <= common,
            true => large.saturating_add(bytes) <= common.saturating_sub(limits.small),
        };
        let looked = self.looked.map_or(LOOK, |looked| now.saturating_duration_since(looked));
        if !has_room && self.leader != Some(id) && looked >= LOOK {
            self.looked = Some(now);
            if body.is_large && self.leader.is_none() {
                let next = self.next_leader(id);
                let bytes = self.entries.get(&next).and_then(|entry| entry.body).map_or(0, |body| body.bytes);
                (self.leader, self.used[1]) = (Some(next), large.saturating_sub(bytes));
            } else {
                self.close_body(peer, body.is_large, now);
            }
        }
        let is_leader = self.leader == Some(id);
        if has_room && !is_leader {
            let used = &mut self.used[usize::from(body.is_large)];
            *used = used.saturating_add(bytes);
        }
        let is_granted = has_room || is_leader;
        if let Some(body) = self.entries.get_mut(&id).and_then(|entry| entry.body.as_mut()) {
            if is_granted {
                body.bytes = body.bytes.saturating_add(bytes);
                let waited = body.waits_since.take().map(|since| now.saturating_duration_since(since));
                body.begun = waited.and_then(|waited| body.begun.checked_add(waited)).unwrap_or(body.begun);
            } else {
                body.waits_since.get_or_insert(now);
            }
        }
        is_granted
    }

    /// The body of a connection has ended. Returns whether bytes are free.
    fn release(&mut self, id: u64) -> bool {
        let Some(body) = self.entries.get_mut(&id).and_then(|entry| entry.body.take()) else { return false };
        match self.leader == Some(id) {
            true => self.leader = None,
            false => {
                let used = &mut self.used[usize::from(body.is_large)];
                *used = used.saturating_sub(body.bytes);
            }
        }
        true
    }
}

impl Places {
    pub(super) fn new(limits: Limits, most: usize, fresh: Duration) -> Arc<Self> {
        let (table, freed) = (Mutex::default(), Notify::new());
        Arc::new(Self { limits, most, fresh, table, freed })
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a connection; nothing if all are in use and its peer has the most.
    pub(super) fn admit(self: &Arc<Self>, address: IpAddr, pace: Arc<Pace>) -> Option<Place> {
        let (peer, mut table) = (peer(address), self.table());
        if table.open >= self.most && !table.close_one(Some(peer), self.fresh) {
            return None;
        }
        let id = table.next;
        (table.next, table.open) = (id.wrapping_add(1), table.open.saturating_add(1));
        table.entries.insert(id, Entry { peer, pace: pace.clone(), is_closed: false, body: None });
        let peer = table.peers.entry(peer).or_insert_with(|| Peer { open: 0, turn: Arc::new(Semaphore::new(1)) });
        peer.open = peer.open.saturating_add(1);
        let turn = peer.turn.clone();
        Some(Place { places: self.clone(), id, pace, turn })
    }

    /// Closes a connection, because the process has too many open files.
    pub(super) fn close_one(&self) {
        self.table().close_one(None, Duration::ZERO);
    }

    /// Returns when all connections have ended.
    pub(super) async fn ended(&self) {
        while !self.table().entries.is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// The place of a connection. It is free when this is dropped.
pub(super) struct Place {
    places: Arc<Places>,
    id: u64,
    pub(super) pace: Arc<Pace>,
    /// The handshakes of a peer take turns.
    pub(super) turn: Arc<Semaphore>,
}

impl Place {
    /// A body of this length begins.
    pub(super) fn begin(&self, length: usize, small: usize) {
        let body = Body { is_large: length > small, bytes: 0, begun: Instant::now(), waits_since: None };
        if let Some(entry) = self.places.table().entries.get_mut(&self.id) {
            entry.body = Some(body);
        }
    }

    /// Reserves bytes for the body. Waits until there is room.
    pub(super) async fn take(&self, bytes: usize) {
        let grant = || self.places.table().grant(self.id, bytes, &self.places.limits);
        if grant() {
            return;
        }
        loop {
            let _ = tokio::time::timeout(STALL, self.places.freed.notified()).await;
            if grant() {
                // There can be room for the next one too.
                return self.places.freed.notify_one();
            }
        }
    }

    /// Whether the body waits for room.
    pub(super) fn waits(&self) -> bool {
        let table = self.places.table();
        let body = table.entries.get(&self.id).and_then(|entry| entry.body);
        body.is_some_and(|body| body.waits_since.is_some())
    }

    /// The body is not in use any more.
    pub(super) fn release(&self) {
        if self.places.table().release(self.id) {
            self.places.freed.notify_one();
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.release();
        let mut table = self.places.table();
        table.close(self.id);
        table.entries.remove(&self.id);
    }
}

/// The peer of an address.
fn peer(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into(),
        address => address,
    }
}
