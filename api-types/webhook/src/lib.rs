//! The validating webhook of Gateway API: the rules that its CRDs and admission policies cannot state.
#![deny(missing_docs)]

mod grant;
mod reference;
mod route;
pub mod rule;
mod selector;
mod watched;

use crd_webhook::Webhook;
use gateway_api_types::v1::{Gateway, ListenerSet, ReferenceGrant};
use gateway_api_types::v1alpha1::XBackend;

pub use watched::{Namespace, Service};

/// Adds all rules of Gateway API, and the resources that they read.
#[must_use]
pub fn with_rules(webhook: Webhook) -> Webhook {
    webhook
        .rules(rule::GATEWAY)
        .rules(rule::GRPC_ROUTE)
        .rules(rule::HTTP_ROUTE)
        .rules(rule::LISTENER_SET)
        .rules(rule::TCP_ROUTE)
        .rules(rule::TLS_ROUTE)
        .rules(rule::UDP_ROUTE)
        .rules(rule::X_BACKEND)
        .reads::<Gateway>()
        .reads::<ListenerSet>()
        .reads::<Namespace>()
        .reads::<ReferenceGrant>()
        .reads::<Service>()
        .reads::<XBackend>()
}
