//! `listener-conflicts`: a Gateway and its ListenerSets do not ask for the same port, protocol and hostname.
//!
//! The listeners of a Gateway and of the ListenerSets that attach to it are one list. The Gateway comes first, then the ListenerSets from the
//! oldest to the newest, then by `namespace/name`. A listener conflicts with those before it that are not Conflicted themselves, and the
//! controller sets Conflicted=True on it (GEP-1713). Listeners are distinct (specification of `Gateway.spec.listeners`) if
//!
//! * their ports differ; or
//! * their protocols differ, except for TCP with HTTP, HTTPS or TLS: nothing distinguishes their connections; or
//! * they have the same protocol, which is not TCP or UDP, and their hostnames differ as texts.
//!
//! HTTP and TLS on one port are distinct by the specification, though not every implementation supports both. Conflicts inside one object are
//! not reported, because they need no webhook.
//!
//! What happens depends on who can act:
//! * A ListenerSet whose listener would be Conflicted is refused. Its author gets the reason at once, and nothing that works stops.
//! * A Gateway, or an older ListenerSet, that takes something from a newer ListenerSet is accepted with a warning. Otherwise a team that may only
//!   write ListenerSets could block the operator of the Gateway.
//! * A ListenerSet whose Gateway does not exist or does not allow it is accepted with a warning, because the Gateway can follow.
//!
//! An author of a ListenerSet does not read names of other namespaces here, as GEP-1713 requires of conditions. The Gateway's author does.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crd_webhook::{Change, Lookup, Objects, Report, Rule};
use gateway_api_types::v1::{FromNamespaces, Gateway, ListenerSet, ProtocolType};
use gateway_api_types::{GROUP, kinds};

use crate::rule::READS_OTHER_OBJECTS;
use crate::selector;
use crate::watched::Namespace;

const ABOUT: &str = "The listeners of a Gateway and of its ListenerSets do not conflict.";

pub(crate) const GATEWAY: Rule<Gateway> = Rule {
    name: "listener-conflicts",
    about: ABOUT,
    why: READS_OTHER_OBJECTS,
    create: Some(check_gateway),
    update: Some(check_gateway),
};

pub(crate) const LISTENER_SET: Rule<ListenerSet> = Rule {
    name: "listener-conflicts",
    about: ABOUT,
    why: READS_OTHER_OBJECTS,
    create: Some(check_listener_set),
    update: Some(check_listener_set),
};

/// A listener, of a Gateway or of a ListenerSet.
#[derive(Clone, Copy)]
struct Listener<'o> {
    index: usize,
    name: &'o str,
    port: i32,
    protocol: &'o ProtocolType,
    /// Empty for all hostnames.
    hostname: &'o str,
}

/// The listeners of a Gateway or of a ListenerSet.
macro_rules! listeners {
    ($object:expr) => {{
        let listeners = $object.spec.listeners.iter().enumerate();
        let listener = listeners.map(|(index, listener)| Listener {
            index,
            name: &listener.name.0,
            port: listener.port,
            protocol: &listener.protocol,
            hostname: listener.hostname.as_ref().map_or("", |hostname| &hostname.0),
        });
        listener.collect::<Vec<_>>()
    }};
}

/// What listeners have for themselves.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Claim<'o> {
    /// All connections or datagrams of a port.
    Whole(i32, &'o ProtocolType),
    /// Some connections of a port, which HTTP or TLS distinguishes.
    Some(i32),
    /// The connections of a port with a protocol and a hostname.
    Hostname(i32, &'o ProtocolType, &'o str),
}

impl<'o> Listener<'o> {
    fn has_hostname(&self) -> bool {
        !matches!(self.protocol, ProtocolType::TCP | ProtocolType::UDP)
    }

    /// What the listener has if it is not Conflicted.
    fn claims(&self) -> impl Iterator<Item = Claim<'o>> {
        let &Self { port, protocol, hostname, .. } = self;
        let claims = match protocol {
            ProtocolType::TCP | ProtocolType::UDP => [Some(Claim::Whole(port, protocol)), None],
            ProtocolType::HTTP | ProtocolType::HTTPS | ProtocolType::TLS => {
                [Some(Claim::Some(port)), Some(Claim::Hostname(port, protocol, hostname))]
            }
            ProtocolType::Unrecognized(_) => [Some(Claim::Hostname(port, protocol, hostname)), None],
        };
        claims.into_iter().flatten()
    }

    /// The claims of other listeners that exclude this one.
    fn opposed(&self) -> impl Iterator<Item = Claim<'o>> {
        let &Self { port, protocol, hostname, .. } = self;
        let opposed = match protocol {
            ProtocolType::TCP => [Some(Claim::Whole(port, protocol)), Some(Claim::Some(port))],
            ProtocolType::UDP => [Some(Claim::Whole(port, protocol)), None],
            ProtocolType::HTTP | ProtocolType::HTTPS | ProtocolType::TLS => {
                [Some(Claim::Hostname(port, protocol, hostname)), Some(Claim::Whole(port, &ProtocolType::TCP))]
            }
            ProtocolType::Unrecognized(_) => [Some(Claim::Hostname(port, protocol, hostname)), None],
        };
        opposed.into_iter().flatten()
    }

    /// What it asks for, in a message.
    fn asked(&self) -> String {
        let Self { port, protocol, hostname, .. } = self;
        match (self.has_hostname(), *hostname) {
            (false, _) => format!("port {port} with {protocol}"),
            (true, "") => format!("port {port} with {protocol} and all hostnames"),
            (true, hostname) => format!("port {port} with {protocol} and the hostname `{hostname}`"),
        }
    }

    /// What would be distinct.
    fn another(&self) -> &'static str {
        if self.has_hostname() { "another port or hostname" } else { "another port" }
    }
}

/// The claims of listeners that are not Conflicted, with the one that has each.
struct Claims<'o, H>(HashMap<Claim<'o>, (H, Listener<'o>)>);

impl<'o, H: Copy> Claims<'o, H> {
    fn new() -> Self {
        Self(HashMap::new())
    }

    /// The listener that excludes another one.
    fn conflict(&self, listener: &Listener<'o>) -> Option<&(H, Listener<'o>)> {
        listener.opposed().find_map(|claim| self.0.get(&claim))
    }

    /// Adds the listeners of an object that are not Conflicted, and returns them.
    fn add(&mut self, holder: H, mut listeners: Vec<Listener<'o>>) -> Vec<Listener<'o>> {
        listeners.retain(|listener| self.conflict(listener).is_none());
        for listener in &listeners {
            for claim in listener.claims() {
                self.0.entry(claim).or_insert((holder, *listener));
            }
        }
        listeners
    }
}

/// A ListenerSet, by its precedence.
#[derive(Clone, Copy)]
struct Rival<'o> {
    set: &'o ListenerSet,
    namespace: &'o str,
    name: &'o str,
}

impl<'o> Rival<'o> {
    fn new(set: &'o ListenerSet, namespace: Option<&'o str>) -> Option<Self> {
        let namespace = namespace.or(set.metadata.namespace.as_deref())?;
        Some(Self { set, namespace, name: set.metadata.name.as_deref()? })
    }

    /// Sets with smaller values have precedence. One without a time is being created.
    fn precedence(&self) -> impl Ord + use<'o> {
        let created = self.set.metadata.creation_timestamp.as_ref();
        (created.is_none(), created, format!("{}/{}", self.namespace, self.name))
    }

    /// The namespace and the name of the Gateway that it wants to attach to.
    fn parent(&self) -> Option<(&'o str, &'o str)> {
        let parent = &self.set.spec.parent_ref;
        let is_gateway = parent.group.as_ref().is_none_or(|group| group.0 == GROUP)
            && parent.kind.as_ref().is_none_or(|kind| kind.0 == kinds::GATEWAY);
        let namespace = parent.namespace.as_ref().map_or(self.namespace, |namespace| &namespace.0);
        is_gateway.then_some((namespace, &*parent.name.0))
    }
}

/// The ListenerSets of a Gateway that ask for one of the ports, by precedence.
fn rivals<'o>(
    sets: &'o [Arc<ListenerSet>],
    (namespace, name, gateway): (&str, &str, &Gateway),
    ports: &HashSet<i32>,
    objects: &Objects,
) -> Vec<Rival<'o>> {
    let asks = |set: &ListenerSet| set.spec.listeners.iter().any(|listener| ports.contains(&listener.port));
    let is_attached = |rival: &Rival<'_>| {
        rival.parent() == Some((namespace, name))
            && asks(rival.set)
            && allows(gateway, namespace, rival.namespace, objects) == Some(true)
    };
    let mut rivals = sets.iter().filter_map(|set| Rival::new(set, None)).filter(is_attached).collect::<Vec<_>>();
    rivals.sort_by_cached_key(Rival::precedence);
    rivals
}

/// Whether a Gateway allows ListenerSets of a namespace; nothing if that is not known.
fn allows(gateway: &Gateway, own: &str, namespace: &str, objects: &Objects) -> Option<bool> {
    let namespaces = gateway.spec.allowed_listeners.as_ref().and_then(|allowed| allowed.namespaces.as_ref());
    let from = namespaces.and_then(|namespaces| namespaces.from.as_ref());
    match from.unwrap_or(&FromNamespaces::None) {
        FromNamespaces::All => Some(true),
        FromNamespaces::Same => Some(own == namespace),
        FromNamespaces::None => Some(false),
        FromNamespaces::Selector => {
            let Some(selector) = namespaces.and_then(|namespaces| namespaces.selector.as_ref()) else {
                return Some(false);
            };
            selector::matches(selector, &objects.get::<Namespace>("", namespace).found()?.labels)
        }
        FromNamespaces::Unrecognized(_) => None,
    }
}

fn ports(listeners: &[Listener<'_>]) -> HashSet<i32> {
    listeners.iter().map(|listener| listener.port).collect()
}

/// Warns about listeners of ListenerSets that become Conflicted because another object has precedence.
fn warn_of_takeovers<'o, H: Copy, O: Copy>(
    mut taken: Claims<'o, H>,
    own: &Claims<'o, O>,
    newer: impl Iterator<Item = (H, Rival<'o>)>,
    shown: impl Fn(&Rival<'_>, &Listener<'_>) -> String,
    report: &mut Report,
) {
    for (holder, rival) in newer {
        for loser in taken.add(holder, listeners!(rival.set)) {
            let Some((_, listener)) = own.conflict(&loser) else { continue };
            report.warn(
                format!("spec.listeners[{}]", listener.index),
                format!(
                    "the listener `{}` has precedence over {}, which asks for {} and becomes Conflicted: use {}",
                    listener.name,
                    shown(&rival, &loser),
                    loser.asked(),
                    listener.another(),
                ),
            );
        }
    }
}

fn check_gateway(change: &Change<Gateway>, objects: &Objects, report: &mut Report) {
    let gateway = &change.object;
    let (Some(namespace), Some(name)) = (&change.namespace, &gateway.metadata.name) else { return };
    let Some(sets) = objects.all::<ListenerSet>() else { return };
    let listeners = listeners!(gateway);
    let rivals = rivals(&sets, (namespace, name, gateway), &ports(&listeners), objects);
    if rivals.is_empty() {
        return;
    }
    let mut own = Claims::new();
    own.add((), listeners);
    let shown = |rival: &Rival<'_>, listener: &Listener<'_>| {
        format!("the listener `{}` of the ListenerSet `{}/{}`", listener.name, rival.namespace, rival.name)
    };
    warn_of_takeovers(Claims::new(), &own, rivals.into_iter().map(|rival| ((), rival)), shown, report);
}

fn check_listener_set(change: &Change<ListenerSet>, objects: &Objects, report: &mut Report) {
    let Some(own) = Rival::new(&change.object, change.namespace.as_deref()) else { return };
    let Some((namespace, name)) = own.parent() else { return };
    let full = format!("the Gateway `{namespace}/{name}`");
    let gateway = match objects.get::<Gateway>(namespace, name) {
        Lookup::Found(gateway) => gateway,
        Lookup::Absent => {
            let message =
                format!("{full} does not exist, so the listeners have no effect: create it, or correct the reference");
            return report.warn("spec.parentRef", message);
        }
        Lookup::Unknown => return,
    };
    match allows(&gateway, namespace, own.namespace, objects) {
        Some(true) => {}
        Some(false) => {
            let message = format!(
                "{full} does not allow ListenerSets of the namespace `{}`, so the listeners have no effect: change `allowedListeners` of the \
                 Gateway, or refer to another one",
                own.namespace
            );
            return report.warn("spec.parentRef", message);
        }
        None => return,
    }
    let listeners = listeners!(own.set);
    // Without the other ListenerSets, conflicts with the Gateway are still certain: it has precedence over all.
    let sets = objects.all::<ListenerSet>().unwrap_or_default();
    let mut rivals = rivals(&sets, (namespace, name, &gateway), &ports(&listeners), objects);
    rivals.retain(|rival| (rival.namespace, rival.name) != (own.namespace, own.name));
    let precedence = own.precedence();
    let newer = rivals.split_off(rivals.partition_point(|rival| rival.precedence() < precedence));

    let mut taken = Claims::new();
    taken.add(None, listeners!(gateway));
    for rival in rivals {
        taken.add(Some(rival), listeners!(rival.set));
    }
    let is_visible = |rival: &Rival<'_>| rival.namespace == own.namespace;
    for listener in &listeners {
        let Some((holder, other)) = taken.conflict(listener) else { continue };
        let holder = match holder {
            None => full.clone(),
            Some(rival) if is_visible(rival) => format!("the ListenerSet `{}`", rival.name),
            Some(_) => format!("a ListenerSet of another namespace at {full}"),
        };
        let (asked, another) = (listener.asked(), listener.another());
        let has = match listener.protocol == other.protocol {
            true => "already has it",
            false => "already has the port with another protocol",
        };
        report.refuse(
            format!("spec.listeners[{}]", listener.index),
            format!("the listener `{}` asks for {asked}, and {holder} {has}: use {another}", listener.name),
        );
    }
    let mut claims = Claims::new();
    claims.add((), listeners.into_iter().filter(|listener| taken.conflict(listener).is_none()).collect());
    let shown = |rival: &Rival<'_>, listener: &Listener<'_>| match is_visible(rival) {
        true => format!("the listener `{}` of the ListenerSet `{}`", listener.name, rival.name),
        false => format!("a listener of a ListenerSet of another namespace at {full}"),
    };
    warn_of_takeovers(taken, &claims, newer.into_iter().map(|rival| (Some(rival), rival)), shown, report);
}
