//! The rules: one file each.
//!
//! Invariants: the lists here are the only ones. A rule refuses what the specification calls invalid and its author can change; it warns where
//! another object can still appear or be changed. One rule, `query-names`, is stricter than the specification: its sentence states that.

mod backends;
mod header_names;
mod listener_conflicts;
mod query_names;
mod reference_grants;

use crd_webhook::Rule;
use gateway_api_types::v1::{GRPCRoute, Gateway, HTTPRoute, ListenerSet, TCPRoute, TLSRoute, UDPRoute};
use gateway_api_types::v1alpha1::{XBackend, XTelemetryPolicy};

/// The rules about Gateways.
pub const GATEWAY: [Rule<Gateway>; 2] = [listener_conflicts::GATEWAY, reference_grants::rule()];

/// The rules about GRPCRoutes.
pub const GRPC_ROUTE: [Rule<GRPCRoute>; 3] = [header_names::rule(), reference_grants::rule(), backends::rule()];

/// The rules about HTTPRoutes.
pub const HTTP_ROUTE: [Rule<HTTPRoute>; 4] =
    [header_names::rule(), query_names::RULE, reference_grants::rule(), backends::rule()];

/// The rules about ListenerSets.
pub const LISTENER_SET: [Rule<ListenerSet>; 2] = [listener_conflicts::LISTENER_SET, reference_grants::rule()];

/// The rules about TCPRoutes.
pub const TCP_ROUTE: [Rule<TCPRoute>; 2] = [reference_grants::rule(), backends::rule()];

/// The rules about TLSRoutes.
pub const TLS_ROUTE: [Rule<TLSRoute>; 2] = [reference_grants::rule(), backends::rule()];

/// The rules about UDPRoutes.
pub const UDP_ROUTE: [Rule<UDPRoute>; 2] = [reference_grants::rule(), backends::rule()];

/// The rules about XBackends.
pub const X_BACKEND: [Rule<XBackend>; 1] = [reference_grants::rule()];

/// The rules about XTelemetryPolicies.
pub const X_TELEMETRY_POLICY: [Rule<XTelemetryPolicy>; 1] = [reference_grants::rule()];

/// Why rules about other objects are here.
const READS_OTHER_OBJECTS: &str = "CRDs and admission policies cannot read other objects.";

/// Why rules that compare all names of a list with each other are here.
const COSTS: &str = "The estimated cost of the CEL rule is above the limit of a CRD. The policy `unique-names` suffices where no webhook runs.";

/// Names that are equal if case does not count: calls a function with the first and each later one. A name has its list and its index.
fn repeated<'o, L: Copy>(
    names: impl IntoIterator<Item = (&'o str, L, usize)>,
    mut visit: impl FnMut((&'o str, L), (&'o str, L, usize)),
) {
    let mut names = names.into_iter();
    let (Some(first), Some(second)) = (names.next(), names.next()) else { return };
    let mut names = [first, second].into_iter().chain(names).collect::<Vec<_>>();
    let lower = |name: &'o str| name.bytes().map(|byte| byte.to_ascii_lowercase());
    // The sort is stable: the first of equal names is the first of the object.
    names.sort_by(|(left, ..), (right, ..)| lower(left).cmp(lower(right)));
    for same in names.chunk_by(|(left, ..), (right, ..)| left.eq_ignore_ascii_case(right)) {
        let (first, list, _) = same[0];
        same[1..].iter().for_each(|again| visit((first, list), *again));
    }
}
