//! Every valid document without unknown fields reads and writes back equal: random documents of every version of every resource.
//!
//! The random documents ([`crate::documents`]) cover every schema path and every enum value of each schema in each channel, plus
//! as many further documents.
//!
//! Invariants: a failure names the seed and shows the document; the validator, with a pattern engine of another project, accepts
//! each document.

use std::collections::BTreeMap;

use crd_apiserver::apply_defaults;
use crd_apiserver::validate::ViolationKind;
use serde_json::Value;

use crate::documents::{document, has, show, targets};
use crate::objects::{published, versions};
use crd_testdata::Dice;

/// How many documents without a target a proof reads of each version in each channel at least.
const MORE: usize = 40;
/// How many documents of each version in each channel a proof reads at least.
const ALL: usize = 220;

/// Reads and writes the documents of a kind.
fn check(kind: &str) {
    let mut count = 0;
    let (all, more) = (crd_testdata::sample(ALL), crd_testdata::sample(MORE));
    for (number, published) in published().iter().enumerate().filter(|(_, published)| published.version.kind == kind) {
        let mut targets = targets(&published.schema);
        targets.resize_with(all.max(targets.len() + more), Vec::new);
        for (seed, target) in targets.iter().enumerate() {
            let mut random = Dice::new(u64::try_from(number * 100_000 + seed).unwrap());
            let document = document(published, &mut random, target);
            let what = || format!("{}, seed {seed}, for {}:\n{document:#}\n", published.name(), show(target));
            assert!(has(&document, &published.schema, target), "{}does not have what was asked for", what());
            let violations = published.violations(&document);
            assert!(violations.is_empty(), "{}{violations:#?}", what());

            let mut complete = document.clone();
            apply_defaults(&published.schema, &mut complete);
            rewrites(published.version.rewrite, &document, &what);
            if complete != document {
                rewrites(published.version.rewrite, &complete, &what);
            }
            count += 1;
        }
    }
    println!("{kind}: {count} documents");
    assert!(count >= all, "{kind}");
}

fn rewrites(rewrite: fn(&str) -> Result<String, serde_json::Error>, document: &Value, what: &dyn Fn() -> String) {
    let text = document.to_string();
    let written = rewrite(&text).unwrap_or_else(|error| panic!("{}is not read: {error}", what()));
    let value: Value = serde_json::from_str(&written).unwrap();
    assert!(value == *document, "{}is written as\n{value:#}", what());
    // Equal values in compact form have equal lengths, unless a key is written twice.
    assert_eq!(written.len(), text.len(), "{}is written as\n{written}", what());
}

macro_rules! kinds {
    ($($name:ident: $kind:literal;)*) => {
        $(#[test]
        fn $name() {
            check($kind);
        })*

        #[test]
        fn every_kind_is_here() {
            let mut kinds: Vec<&str> = versions().iter().map(|version| version.kind).collect();
            kinds.dedup();
            assert_eq!(kinds, [$($kind),*]);
        }
    };
}

kinds! {
    backend_tls_policy: "BackendTLSPolicy";
    gateway: "Gateway";
    gateway_class: "GatewayClass";
    grpc_route: "GRPCRoute";
    http_route: "HTTPRoute";
    listener_set: "ListenerSet";
    reference_grant: "ReferenceGrant";
    tcp_route: "TCPRoute";
    tls_route: "TLSRoute";
    udp_route: "UDPRoute";
    x_backend: "XBackend";
    x_backend_traffic_policy: "XBackendTrafficPolicy";
    x_mesh: "XMesh";
    x_telemetry_policy: "XTelemetryPolicy";
}

/// What an object of zeros is written as: nothing that could be refused, so that only absences are.
#[test]
fn zeros_are_written_without_anything_invalid() {
    let mut missing = BTreeMap::new();
    for published in published() {
        let value: Value = serde_json::from_str(&(published.version.zero)()).unwrap();
        let violations = published.violations(&value);
        let other: Vec<_> = violations.iter().filter(|violation| violation.kind != ViolationKind::Missing).collect();
        assert!(other.is_empty(), "{} is written as {value}: {other:#?}", published.name());
        missing.insert(published.name(), violations.len());
    }
    assert!(missing["gateway.networking.k8s.io/v1 Gateway (standard)"] > 0, "{missing:?}");
    assert_eq!(
        missing["gateway.networking.k8s.io/v1 HTTPRoute (standard)"], 0,
        "every field of an HTTPRoute is optional"
    );
}
