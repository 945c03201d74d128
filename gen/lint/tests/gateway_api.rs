//! What is new from v1.6.3 to v1.7.0 of Gateway API.

use std::collections::BTreeMap;

use crd_lint::{RULES, findings};
use crd_model::channel::Channel;
use crd_model::{Channels, CustomResourceDefinition};

/// Every new finding: the rule, the channel, the number of places, and the first one. Each is checked by hand: the element is absent from that channel in
/// v1.6.3, and breaks the convention. The fields of `retry` graduate.
#[rustfmt::skip]
const NEW: [(&str, &str, usize, &str); 25] = [
    ("durations", "standard", 2, "httproutes v1 spec.rules[*].retry.backoff"),
    ("integer-format", "standard", 2, "httproutes v1 spec.rules[*].retry.attempts"),
    ("integer-format", "standard", 2, "httproutes v1 spec.rules[*].retry.codes[*]"),
    ("max-length", "standard", 2, "httproutes v1 spec.rules[*].retry.backoff"),
    ("max-length", "standard", 2, "httproutes v1 spec.rules[*].retry.codes"),
    ("max-length", "experimental", 1, "xbackends v1alpha1 status.ancestors[*].conditions"),
    ("max-length", "experimental", 1, "xtelemetrypolicies v1alpha1 spec.tracing.attributes"),
    ("min-length", "experimental", 2, "gateways v1 spec.addresses[*].routability"),
    ("min-length", "experimental", 2, "gateways v1 spec.listeners[*].filters"),
    ("min-length", "experimental", 3, "gateways v1 spec.listeners[*].filters.requests"),
    ("min-length", "experimental", 2, "gateways v1 status.addresses[*].routability"),
    ("min-length", "experimental", 5, "grpcroutes v1 spec.rules[*].sessionPersistence.cookie"),
    ("min-length", "experimental", 5, "grpcroutes v1 spec.rules[*].sessionPersistence.cookie.path"),
    ("min-length", "standard", 2, "httproutes v1 spec.rules[*].retry"),
    ("min-length", "standard", 2, "httproutes v1 spec.rules[*].retry.backoff"),
    ("min-length", "standard", 2, "httproutes v1 spec.rules[*].retry.codes"),
    ("min-length", "experimental", 1, "listenersets v1 spec.listeners[*].filters"),
    ("min-length", "experimental", 1, "xbackends v1alpha1 spec.sessionPersistence"),
    ("min-length", "experimental", 1, "xbackends v1alpha1 status.ancestors"),
    ("min-length", "experimental", 1, "xbackends v1alpha1 status.ancestors[*].conditions"),
    ("min-length", "experimental", 1, "xtelemetrypolicies v1alpha1 spec.tracing"),
    ("min-length", "experimental", 1, "xtelemetrypolicies v1alpha1 spec.tracing.attributes"),
    ("min-length", "experimental", 1, "xtelemetrypolicies v1alpha1 spec.tracing.parentBasedSampling"),
    ("min-length", "experimental", 1, "xtelemetrypolicies v1alpha1 spec.tracing.provider.headers"),
    ("number-bounds", "standard", 2, "httproutes v1 spec.rules[*].retry.attempts"),
];

fn release(version: &str) -> Channels {
    let channels = [Channel::Standard, Channel::Experimental].map(|channel| {
        let files = crd_testdata::gateway_api(version, channel.name());
        let crds = files.iter().map(|file| CustomResourceDefinition::from_value(&file.json()).unwrap().into());
        (channel, crds.collect())
    });
    channels.into()
}

#[test]
fn findings_are_new_and_right() {
    let mut found = findings(RULES, &release("v1.7.0"), Some(&release("v1.6.3")), &BTreeMap::new());
    found.retain(|finding| finding.is_new);
    let short = found.iter().map(|finding| {
        let place = &finding.places[0];
        let kind = place.crd.split('.').next().unwrap();
        let place = format!("{kind} {} {}", place.version, place.path);
        (finding.rule.name, finding.channel.name(), finding.places.len(), place)
    });
    let short = short.collect::<Vec<_>>();
    let short = short.iter().map(|(rule, channel, places, first)| (*rule, *channel, *places, &**first));
    assert_eq!(short.collect::<Vec<_>>(), NEW);
    let by_default = found.iter().filter(|finding| finding.rule.is_default);
    assert!(by_default.clone().all(|finding| finding.graduates));
    assert_eq!(by_default.count(), 3);
}
