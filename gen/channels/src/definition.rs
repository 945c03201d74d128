//! The CRD of a root type at run time, without the command line (features `kube` and `validation`).
//!
//! Invariants: the CRD has one version, as with kube-rs' derive; kube-rs' `merge_crds` joins several. Stamps and the other versions of the
//! resource are only in the bundles that `cargo xtask generate` and `cargo xtask release` write.

use std::fmt;

use crd_generate::settings::Settings;
use crd_generate::{Catalogue, generate};
use crd_model::CustomResourceDefinition as Model;
#[cfg(feature = "kube")]
pub use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

#[cfg(feature = "kube")]
use crate::rule::Rule;
use crate::{Channel, Resource};

/// Why a type has no CRD: everything that `cargo xtask generate` reports about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionError(String);

impl fmt::Display for DefinitionError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for DefinitionError {}

impl DefinitionError {
    #[cfg(feature = "validation")]
    pub(crate) fn new(text: String) -> Self {
        Self(text)
    }
}

/// The CRD in the types of `crd-model`.
pub(crate) fn model<T: Resource>(channel: Channel) -> Result<Option<Model>, DefinitionError> {
    let mut settings = Settings { prefix: T::GROUP.to_owned(), ..Settings::default() };
    // Servers ask for it in the groups of the Kubernetes community.
    if T::GROUP.ends_with("k8s.io") || T::GROUP.ends_with("kubernetes.io") {
        let approval = "unapproved, not from a released bundle".to_owned();
        settings.annotations.insert("api-approved.kubernetes.io".to_owned(), approval);
    }
    let crds = generate(&Catalogue::new(settings).resource::<T>(), channel)
        .map_err(|errors| DefinitionError(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")))?;
    Ok(crds.into_iter().next())
}

/// The CRD of a root type in a channel; `None` where the channel does not have the resource. A version with `alpha` in its name is served
/// in experimental only.
///
/// # Errors
/// Everything that `cargo xtask generate` reports about the type.
#[cfg(feature = "kube")]
pub fn definition<T: Resource>(channel: Channel) -> Result<Option<CustomResourceDefinition>, DefinitionError> {
    let crd = model::<T>(channel)?.map(|crd| serde_json::from_value(crd.to_value())).transpose();
    crd.map_err(|error| DefinitionError(format!("k8s-openapi cannot read the CRD: {error}")))
}

/// The CRD of a root type in the most stable channel that has it: what `crd()` returns.
///
/// # Panics
/// If `cargo xtask generate` would report an error about the type. [`definition`] returns it instead.
#[cfg(feature = "kube")]
pub fn crd<T: Resource>() -> CustomResourceDefinition {
    let found = [Channel::Standard, Channel::Experimental].into_iter().find_map(|channel| {
        definition::<T>(channel).unwrap_or_else(|error| panic!("`{}` has no CRD: {error}", <T as Resource>::KIND))
    });
    found.unwrap_or_else(|| panic!("`{}` has no CRD: no channel has a version of it", <T as Resource>::KIND))
}

/// The short names of a root type's resource.
#[cfg(feature = "kube")]
pub fn short_names<T: Resource>() -> &'static [&'static str] {
    let names = T::DESCRIPTOR.markers.iter().find_map(|marker| match marker.rule {
        Rule::Resource(names) => names.short_names,
        _ => None,
    });
    names.unwrap_or_default()
}
