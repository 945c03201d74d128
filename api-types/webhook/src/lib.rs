//! The validating webhook of Gateway API: the rules that its CRDs and admission policies cannot state.
#![deny(missing_docs)]

#[path = "../../../xtask/src/catalogue.rs"]
mod catalogue;
mod grant;
mod reference;
mod route;
pub mod rule;
mod selector;
mod watched;

use std::ffi::OsString;
use std::process::ExitCode;

use crd_diagnostics::Diagnostic;
use crd_webhook::{Bundle, Webhook};
use gateway_api_types::v1::{Gateway, ListenerSet, ReferenceGrant};
use gateway_api_types::v1alpha1::XBackend;

pub use watched::{Namespace, Service};

/// The name of the program.
pub const NAME: &str = "gateway-api-webhook";

/// The webhook of the bundle that the types become, with all rules.
///
/// # Errors
/// Everything that `cargo xtask generate` reports about the types.
pub fn webhook() -> Result<Webhook, Vec<Diagnostic>> {
    Ok(with_rules(Webhook::new(Bundle::of_catalogue(&catalogue::with_settings())?)))
}

/// Runs the program with these arguments, of which the first is its name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    crd_webhook::run(NAME, arguments, webhook)
}

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
        .rules(rule::X_TELEMETRY_POLICY)
        .reads::<Gateway>()
        .reads::<ListenerSet>()
        .reads::<Namespace>()
        .reads::<ReferenceGrant>()
        .reads::<Service>()
        .reads::<XBackend>()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    /// The manifests grant what the catalogue declares.
    #[test]
    fn the_catalogue_declares_what_the_webhook_reads() {
        let webhook = super::webhook().unwrap_or_else(|errors| panic!("{errors:?}"));
        let watched = webhook.watched();
        let watched = watched.iter().map(|resource| (&*resource.group, &*resource.plural)).collect::<BTreeSet<_>>();
        let catalogue = super::catalogue::with_settings();
        let declared = catalogue.validating_webhook().expect("a webhook").resources();
        assert_eq!(declared.iter().map(|read| (&*read.group, &*read.plural)).collect::<BTreeSet<_>>(), watched);
    }
}
