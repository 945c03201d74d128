//! What this controller was built for: its kinds, the API versions that it can read, and the types that it reads them as.

use crd_channels::{Channel, Resource, definition};
use crd_model::{BundleVersion, CustomResourceDefinition};
use crd_stamps::installed::{BuiltFor, KindUse};
use gateway_api_types::{GROUP, v1};
use serde::Serialize;
use serde_json::Value;

/// What the controller was built for: the client that `crd-channels skew` checks.
#[must_use]
pub fn built_for() -> BuiltFor<'static> {
    BuiltFor { version: BundleVersion::new(1, 7, 0), channel: Channel::Experimental, kinds: KINDS }
}

fn current_of<T: Resource>() -> Result<CustomResourceDefinition, String> {
    let crd = definition::definition::<T>(Channel::Experimental).map_err(|error| error.to_string())?;
    let value = serde_json::to_value(crd).map_err(|error| error.to_string())?;
    CustomResourceDefinition::from_value(&value).map_err(|errors| format!("{errors:?}"))
}

macro_rules! kinds {
    ($($kind:ident: $plural:literal, $versions:expr, $is_optional:literal;)*) => {
        /// The kinds that the controller watches. It reads older versions through lenses, so it works with older bundles too.
        pub const KINDS: &[KindUse<'static>] = &[$(KindUse {
            group: GROUP, plural: $plural, kind: stringify!($kind), versions: &$versions, is_optional: $is_optional,
        }),*];

        /// An object in the current form.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        #[serde(untagged)]
        pub enum Object {
            $(#[doc = concat!("A ", stringify!($kind), ".")] $kind(Box<v1::$kind>),)*
        }

        impl Object {
            /// Reads an object in the current form.
            pub(crate) fn read(kind: &str, object: Value) -> Result<Self, String> {
                match kind {
                    $(stringify!($kind) => serde_json::from_value(object).map(|object| Self::$kind(Box::new(object))),)*
                    _ => return Err(format!("{kind} is not a kind of this controller")),
                }
                .map_err(|error| error.to_string())
            }
        }

        /// The CRDs of the current form, with one version each.
        pub(crate) fn current() -> Result<Vec<CustomResourceDefinition>, String> {
            Ok(vec![$(current_of::<v1::$kind>()?),*])
        }
    };
}

kinds! {
    GatewayClass: "gatewayclasses", ["v1", "v1beta1"], false;
    Gateway: "gateways", ["v1", "v1beta1"], false;
    HTTPRoute: "httproutes", ["v1", "v1beta1"], false;
    GRPCRoute: "grpcroutes", ["v1", "v1alpha2"], true;
    TLSRoute: "tlsroutes", ["v1", "v1alpha3", "v1alpha2"], true;
    TCPRoute: "tcproutes", ["v1", "v1alpha2"], true;
    UDPRoute: "udproutes", ["v1", "v1alpha2"], true;
    BackendTLSPolicy: "backendtlspolicies", ["v1", "v1alpha3", "v1alpha2"], true;
    ListenerSet: "listenersets", ["v1"], true;
    ReferenceGrant: "referencegrants", ["v1", "v1beta1", "v1alpha2"], true;
}
