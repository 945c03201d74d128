//! The catalogue of Gateway API: the types of its bundles, and what its settings cannot express.

// By its path, because tests include this file from other folders.
#[path = "unique_names.rs"]
mod unique_names;

use crd_generate::settings::{FILE_NAME, REQUIRED, Settings};
use crd_generate::{Catalogue, Webhook};

/// The group of the bundle's resources that the rules of the webhook read.
const GROUP: &str = gateway_api_types::GROUP;

/// All resources of Gateway API.
pub(crate) fn catalogue() -> Catalogue {
    let functions = gateway_api_types::conversions::FUNCTIONS.into_iter();
    functions
        .fold(Catalogue::default(), Catalogue::functions)
        .constants("v1", gateway_api_types::v1::conditions::CONSTANTS)
        .constants("v1alpha1", gateway_api_types::v1alpha1::conditions::CONSTANTS)
        .policy(unique_names::policy())
        .webhook(webhook())
        .resources(gateway_api_types::RESOURCES)
}

/// The catalogue with the settings of the repository, for programs that run elsewhere.
#[allow(dead_code, reason = "the command line reads the file itself")]
pub(crate) fn with_settings() -> Catalogue {
    let settings = Settings::read(FILE_NAME.as_ref(), include_str!("../../crd-channels.yaml"), &REQUIRED);
    catalogue().with_settings(settings.unwrap_or_default())
}

/// The validating webhook, and exactly what its rules read.
fn webhook() -> Webhook {
    // The placeholder registry of this project.
    Webhook::new("ghcr.io/crd-channels/gateway-api-webhook")
        .reads("", "namespaces")
        .reads("", "services")
        .reads(GROUP, "gateways")
        .reads(GROUP, "listenersets")
        .reads(GROUP, "referencegrants")
        .reads(gateway_api_types::EXPERIMENTAL_GROUP, "xbackends")
}
