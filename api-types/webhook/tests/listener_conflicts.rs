//! Conflicts of listeners, compared with a second implementation: the definition, pair by pair, on the list of all listeners of a Gateway.

use crd_webhook::{Change, Objects, Remark, Rule, Watched};
use gateway_api_types::v1::{Gateway, ListenerSet};
use gateway_api_webhook::{Namespace, rule};
use serde_json::{Value, json};

/// A listener, by the precedence of its object.
#[derive(Debug)]
struct Listener {
    object: usize,
    name: String,
    port: usize,
    protocol: &'static str,
    hostname: Option<&'static str>,
}

const PROTOCOLS: [&str; 6] = ["HTTP", "HTTPS", "TLS", "TCP", "UDP", "example.com/quic"];
const HOSTNAMES: [Option<&str>; 3] = [None, Some("a.example.com"), Some("*.example.com")];

fn are_distinct(left: &Listener, right: &Listener) -> bool {
    let over_tcp = ["HTTP", "HTTPS", "TLS"];
    let is_tcp_with = |tcp: &Listener, other: &Listener| tcp.protocol == "TCP" && over_tcp.contains(&other.protocol);
    let share = left.protocol == right.protocol || is_tcp_with(left, right) || is_tcp_with(right, left);
    let has_hostname = left.protocol == right.protocol && !["TCP", "UDP"].contains(&left.protocol);
    left.port != right.port || !share || has_hostname && left.hostname != right.hostname
}

/// Whether a listener is Conflicted, in a list by precedence without some of the objects.
fn is_conflicted(all: &[Listener], index: usize, without: Option<usize>) -> bool {
    let before = all[..index].iter().enumerate().filter(|(_, other)| Some(other.object) != without);
    let mut rivals = before.filter(|(_, other)| other.object != all[index].object);
    rivals.any(|(other, rival)| !are_distinct(rival, &all[index]) && !is_conflicted(all, other, without))
}

/// The names of the listeners of an object that are Conflicted, and of those of other objects that are because of this object.
fn expected(all: &[Listener], object: usize) -> (Vec<&str>, Vec<&str>) {
    let of_object = || all.iter().enumerate().filter(|(_, listener)| listener.object == object);
    let lost = of_object().filter(|(index, _)| is_conflicted(all, *index, None));
    let lost = lost.map(|(_, listener)| &*listener.name);
    let later = all.iter().enumerate().filter(|(_, listener)| listener.object > object);
    let is_taken = |(index, loser): &(usize, &Listener)| {
        let mut own = of_object().filter(|(index, _)| !is_conflicted(all, *index, None));
        !is_conflicted(all, *index, Some(object)) && own.any(|(_, listener)| !are_distinct(listener, loser))
    };
    (lost.collect(), later.filter(is_taken).map(|(_, listener)| &*listener.name).collect())
}

/// The object with these listeners. Number 0 is the Gateway, and all further ones are ListenerSets.
fn object(all: &[Listener], object: usize) -> Value {
    let listener = |listener: &Listener| {
        let Listener { name, port, protocol, hostname, .. } = listener;
        json!({"name": name, "port": port, "protocol": protocol, "hostname": hostname})
    };
    let listeners = all.iter().filter(|listener| listener.object == object).map(listener).collect::<Vec<_>>();
    // Times and names disagree, so that the order is that of the times; two sets of each time have the order of their names.
    let created = format!("2026-01-{:02}T00:00:00Z", object.div_ceil(2) + 1);
    let name = format!("{}{object}", ["b", "a"][object.div_ceil(2) % 2]);
    let metadata = json!({"name": name, "namespace": "infra", "creationTimestamp": created});
    match object {
        0 => json!({
            "metadata": metadata,
            "spec": {"gatewayClassName": "test", "listeners": listeners, "allowedListeners": {"namespaces": {"from": "Same"}}},
        }),
        _ => json!({"metadata": metadata, "spec": {"parentRef": {"name": "b0"}, "listeners": listeners}}),
    }
}

/// The names of the listeners that a report is about.
fn reported<T: Watched + Clone>(rules: &[Rule<T>], object: Value, objects: &Objects) -> (Vec<String>, Vec<String>) {
    let rule = rules.iter().find(|rule| rule.name == "listener-conflicts").expect("there is the rule");
    let object = T::read(object).expect("an object");
    let change = Change { object, old: None, namespace: Some("infra".to_owned()), is_dry_run: false };
    let report = rule.apply(&change, objects).expect("a check");
    let word = |remark: &Remark, place: usize| remark.message.split('`').nth(place).expect("a name").to_owned();
    // `the listener `NAME` asks …`, and `the listener `OWN` has precedence over the listener `NAME` …`
    let refused = report.refusals.iter().map(|remark| word(remark, 1)).collect();
    (refused, report.warnings.iter().map(|remark| word(remark, 3)).collect())
}

#[test]
fn conflicts_are_those_of_the_definition() {
    let mut state = 17_u64;
    let mut below = |count: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % count
    };
    let (mut lost, mut taken) = (0, 0);
    for _ in 0..crd_testdata::sample(20_000) {
        let mut all = Vec::new();
        let count = 2 + below(5);
        for object in 0..count {
            for _ in 0..=below(4) {
                let protocol = PROTOCOLS[below(PROTOCOLS.len())];
                let hostname = HOSTNAMES[below(HOSTNAMES.len())].filter(|_| !["TCP", "UDP"].contains(&protocol));
                all.push(Listener { object, name: format!("l{}", all.len()), port: 80 + below(2), protocol, hostname });
            }
        }
        let objects = Objects::default()
            .with::<Gateway>([object(&all, 0)])
            .with::<ListenerSet>((1..count).map(|set| object(&all, set)))
            .with::<Namespace>([]);
        for changed in 0..count {
            let reported = match changed {
                0 => reported(&rule::GATEWAY, object(&all, 0), &objects),
                _ => reported(&rule::LISTENER_SET, object(&all, changed), &objects),
            };
            let (expected_lost, expected_taken) = expected(&all, changed);
            assert_eq!(reported.0, expected_lost, "object {changed} of {all:#?}");
            assert_eq!(reported.1, expected_taken, "object {changed} of {all:#?}");
            lost += expected_lost.len();
            taken += expected_taken.len();
        }
    }
    println!("{lost} listeners lost a conflict, and {taken} listeners took something");
    assert!(lost > 1_000 && taken > 1_000, "{lost} and {taken}");
}
