//! Every version of every resource as a Rust type, with its schemas.
//!
//! Invariants: complete, compared with [`gateway_api_types::RESOURCES`]; the schemas are those of the CRDs, except for a version that no
//! CRD has.

use std::sync::OnceLock;

use crd_apiserver::apply_defaults;
use crd_apiserver::validate::{Subject, Validator, Violation};
use crd_channels::validation::{Invalid, Validate};
use crd_channels::{Channel, Resource, TypeDescriptor};
use crd_generate::settings::{FILE_NAME, Settings};
use crd_generate::{Catalogue, generate, schema_of};
use crd_model::CustomResourceDefinition;
use crd_model::schema::Schema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::patterns;

/// A version of a resource.
pub struct Version {
    pub descriptor: &'static TypeDescriptor,
    pub kind: &'static str,
    pub api_version: &'static str,
    /// Reads a JSON text into the type and writes it again.
    pub rewrite: fn(&str) -> Result<String, serde_json::Error>,
    /// What an object of zeros is written as.
    pub zero: fn() -> String,
    /// Creates the object of a JSON text, and replaces it by itself.
    pub validate: fn(&str, Channel) -> Result<(), Invalid>,
}

fn version<T: Resource + DeserializeOwned + Serialize + PartialEq + Default + 'static>() -> Version {
    fn rewrite<T: DeserializeOwned + Serialize + PartialEq>(text: &str) -> Result<String, serde_json::Error> {
        let object: T = serde_json::from_str(text)?;
        let written = serde_json::to_string(&object)?;
        let again: T = serde_json::from_str(&written)?;
        // Ignoring what writing leaves out, the object is the same in Rust too.
        assert!(object == again, "what was read from\n{text}\nis not what was read from what was written\n{written}");
        Ok(written)
    }
    fn validate<T: Resource + DeserializeOwned + Serialize + 'static>(
        text: &str,
        channel: Channel,
    ) -> Result<(), Invalid> {
        let object: T = serde_json::from_str(text).unwrap();
        object.validate(channel)?;
        object.validate_update(&object, channel)
    }
    Version {
        descriptor: T::DESCRIPTOR,
        kind: <T as Resource>::KIND,
        api_version: T::API_VERSION,
        rewrite: rewrite::<T>,
        zero: || serde_json::to_string(&T::default()).unwrap(),
        validate: validate::<T>,
    }
}

/// Calls a macro with all types.
macro_rules! for_all_versions {
    ($call:ident) => {
        $call! {
            v1::BackendTLSPolicy, v1alpha3::BackendTLSPolicy,
            v1::Gateway, v1beta1::Gateway,
            v1::GatewayClass, v1beta1::GatewayClass,
            v1::GRPCRoute, v1alpha2::GRPCRoute,
            v1::HTTPRoute, v1beta1::HTTPRoute,
            v1::ListenerSet,
            v1::ReferenceGrant, v1beta1::ReferenceGrant,
            v1::TCPRoute, v1alpha2::TCPRoute,
            v1::TLSRoute, v1alpha3::TLSRoute, v1alpha2::TLSRoute,
            v1::UDPRoute, v1alpha2::UDPRoute,
            v1alpha1::XBackend,
            v1alpha1::XBackendTrafficPolicy,
            v1alpha1::XMesh,
            v1alpha1::XTelemetryPolicy,
        }
    };
}
#[cfg(feature = "kube")]
pub(crate) use for_all_versions;

macro_rules! versions {
    ($($module:ident::$name:ident),* $(,)?) => { vec![$(version::<gateway_api_types::$module::$name>()),*] };
}

/// All versions of all resources.
pub fn versions() -> &'static [Version] {
    static VERSIONS: OnceLock<Vec<Version>> = OnceLock::new();
    VERSIONS.get_or_init(|| for_all_versions!(versions))
}

/// The version in an object's `apiVersion` and `kind`.
pub fn version_of(object: &Value) -> Option<&'static Version> {
    versions().iter().find(|version| object["apiVersion"] == version.api_version && object["kind"] == version.kind)
}

/// The types of Gateway API.
pub fn catalogue() -> Catalogue {
    let settings = Settings::read(FILE_NAME.as_ref(), include_str!("../../../crd-channels.yaml"), &[]);
    Catalogue::new(settings.expect("the settings are valid")).resources(gateway_api_types::RESOURCES)
}

/// The CRDs of a channel.
pub fn crds(channel: Channel) -> &'static [CustomResourceDefinition] {
    static CRDS: OnceLock<[Vec<CustomResourceDefinition>; Channel::ALL.len()]> = OnceLock::new();
    let all = CRDS.get_or_init(|| {
        let catalogue = catalogue();
        Channel::ALL.map(|channel| generate(&catalogue, channel).unwrap_or_else(|errors| panic!("{errors:#?}")))
    });
    &all[channel as usize]
}

/// A version of a resource in a channel.
pub struct Published {
    pub channel: Channel,
    pub version: &'static Version,
    pub schema: Schema,
}

impl Published {
    /// For messages.
    pub fn name(&self) -> String {
        format!("{} {} ({})", self.version.api_version, self.version.kind, self.channel)
    }

    /// What a server has against the object, CEL rules apart: it fills in defaults first.
    pub fn violations(&self, object: &Value) -> Vec<Violation> {
        let mut object = object.clone();
        apply_defaults(&self.schema, &mut object);
        Validator { matches: &patterns::matches, subject: Subject::Resource }.validate(&self.schema, &object)
    }
}

/// Every version in every channel that has it.
pub fn published() -> &'static [Published] {
    static PUBLISHED: OnceLock<Vec<Published>> = OnceLock::new();
    PUBLISHED.get_or_init(|| {
        let mut published = Vec::new();
        for version in versions() {
            for channel in version.descriptor.channels.iter() {
                let schema = crd_version(version, channel).unwrap_or_else(|| {
                    // `+kubebuilder:skipversion`: no CRD has it, and the Rust type is there all the same.
                    schema_of(version.descriptor, channel).unwrap_or_else(|errors| panic!("{errors:#?}"))
                });
                published.push(Published { channel, version, schema });
            }
        }
        published
    })
}

fn crd_version(version: &Version, channel: Channel) -> Option<Schema> {
    crds(channel).iter().filter(|crd| crd.names.kind == version.kind).find_map(|crd| {
        crd.versions
            .iter()
            .find(|known| format!("{}/{}", crd.group, known.name) == version.api_version)
            .map(|known| known.schema.clone())
    })
}

#[test]
fn the_table_is_complete() {
    let names = |descriptors: &mut dyn Iterator<Item = &'static TypeDescriptor>| -> Vec<String> {
        let mut names = descriptors.map(|root| format!("{:?}", root.resource.unwrap())).collect::<Vec<_>>();
        names.sort();
        names
    };
    let ours = names(&mut versions().iter().map(|version| version.descriptor));
    assert_eq!(ours, names(&mut gateway_api_types::RESOURCES.iter().copied()));
    assert_eq!(ours.len(), 24);
}

#[test]
fn only_one_version_is_in_no_crd() {
    let without: Vec<String> = published()
        .iter()
        .filter(|published| crd_version(published.version, published.channel).is_none())
        .map(Published::name)
        .collect();
    assert_eq!(
        without,
        [
            "gateway.networking.k8s.io/v1alpha2 GRPCRoute (standard)",
            "gateway.networking.k8s.io/v1alpha2 GRPCRoute (experimental)"
        ]
    );
}
