//! The references that can lead into another namespace, of every kind that has them. References to parents are not among them: the parent
//! decides about those.

use std::fmt::Display;

use crd_channels::Resource;
use gateway_api_types::v1::{
    BackendObjectReference, GRPCRoute, Gateway, Group, HTTPRoute, Kind, ListenerFilters, ListenerSet,
    ListenerTLSConfig, Namespace, ObjectReference, SecretObjectReference, TCPRoute, TLSRoute, UDPRoute,
};
use gateway_api_types::v1alpha1::{XBackend, XTelemetryPolicy};

use crate::route::Filtered;

/// What a reference names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Target<'o> {
    pub(crate) group: &'o str,
    pub(crate) kind: &'o str,
    /// Nothing for the namespace of the object that has the reference.
    namespace: Option<&'o str>,
    pub(crate) name: &'o str,
}

impl<'o> Target<'o> {
    /// The namespace of the target of an object in a namespace.
    pub(crate) fn namespace(&self, own: &'o str) -> &'o str {
        self.namespace.unwrap_or(own)
    }
}

/// A kind of object with references.
pub(crate) trait Refers: Resource {
    /// Calls a function with each reference and its path.
    fn each_reference<'o>(&'o self, visit: &mut dyn FnMut(&dyn Display, Target<'o>));
}

fn group(group: Option<&Group>) -> &str {
    group.map_or("", |group| &group.0)
}

fn kind<'o>(kind: Option<&'o Kind>, default: &'o str) -> &'o str {
    kind.map_or(default, |kind| &kind.0)
}

fn namespace(namespace: Option<&Namespace>) -> Option<&str> {
    namespace.map(|namespace| &*namespace.0).filter(|namespace| !namespace.is_empty())
}

impl<'o> From<&'o BackendObjectReference> for Target<'o> {
    fn from(reference: &'o BackendObjectReference) -> Self {
        Self {
            group: group(reference.group.as_ref()),
            kind: kind(reference.kind.as_ref(), "Service"),
            namespace: namespace(reference.namespace.as_ref()),
            name: &reference.name.0,
        }
    }
}

impl<'o> From<&'o SecretObjectReference> for Target<'o> {
    fn from(reference: &'o SecretObjectReference) -> Self {
        Self {
            group: group(reference.group.as_ref()),
            kind: kind(reference.kind.as_ref(), "Secret"),
            namespace: namespace(reference.namespace.as_ref()),
            name: &reference.name.0,
        }
    }
}

impl<'o> From<&'o ObjectReference> for Target<'o> {
    fn from(reference: &'o ObjectReference) -> Self {
        Self {
            group: &reference.group.0,
            kind: &reference.kind.0,
            namespace: namespace(reference.namespace.as_ref()),
            name: &reference.name.0,
        }
    }
}

macro_rules! filtered {
    ($($route:ty)*) => {$(
        impl Refers for $route {
            fn each_reference<'o>(&'o self, visit: &mut dyn FnMut(&dyn Display, Target<'o>)) {
                for (index, rule) in self.spec.rules.iter().flatten().enumerate() {
                    for (place, backend) in rule.backend_refs.iter().flatten().enumerate() {
                        let field = format_args!("spec.rules[{index}].backendRefs[{place}]");
                        visit(&field, (&backend.backend_ref.backend_object_reference).into());
                    }
                }
                self.each_filter(&mut |path, filter| {
                    for (field, backend) in filter.backends() {
                        if let Some(backend) = backend {
                            visit(&format_args!("{path}.{field}.backendRef"), backend.into());
                        }
                    }
                });
            }
        }
    )*};
}

filtered!(HTTPRoute GRPCRoute);

macro_rules! of_connections {
    ($($route:ty)*) => {$(
        impl Refers for $route {
            fn each_reference<'o>(&'o self, visit: &mut dyn FnMut(&dyn Display, Target<'o>)) {
                for (index, rule) in self.spec.rules.iter().enumerate() {
                    for (place, backend) in rule.backend_refs.iter().enumerate() {
                        let field = format_args!("spec.rules[{index}].backendRefs[{place}]");
                        visit(&field, (&backend.backend_object_reference).into());
                    }
                }
            }
        }
    )*};
}

of_connections!(TCPRoute TLSRoute UDPRoute);

/// The certificates of a listener, and the services that its filters call.
fn each_of_listener<'o>(
    listener: usize,
    tls: Option<&'o ListenerTLSConfig>,
    filters: Option<&'o ListenerFilters>,
    visit: &mut dyn FnMut(&dyn Display, Target<'o>),
) {
    let certificates = tls.and_then(|tls| tls.certificate_refs.as_ref());
    for (index, certificate) in certificates.into_iter().flatten().enumerate() {
        visit(&format_args!("spec.listeners[{listener}].tls.certificateRefs[{index}]"), certificate.into());
    }
    let filters = filters.and_then(|filters| filters.requests.as_ref());
    for (index, filter) in filters.into_iter().flatten().enumerate() {
        if let Some(service) = &filter.external_auth {
            let filter = format_args!("spec.listeners[{listener}].filters.requests[{index}]");
            visit(&format_args!("{filter}.externalAuth.backendRef"), (&service.backend_ref).into());
        }
    }
}

impl Refers for Gateway {
    fn each_reference<'o>(&'o self, visit: &mut dyn FnMut(&dyn Display, Target<'o>)) {
        for (index, listener) in self.spec.listeners.iter().enumerate() {
            each_of_listener(index, listener.tls.as_ref(), listener.filters.as_ref(), visit);
        }
        let tls = self.spec.tls.as_ref();
        if let Some(certificate) = tls.and_then(|tls| tls.backend.as_ref()?.client_certificate_ref.as_ref()) {
            visit(&"spec.tls.backend.clientCertificateRef", certificate.into());
        }
        let Some(frontend) = tls.and_then(|tls| tls.frontend.as_ref()) else { return };
        let validation = frontend.default.validation.as_ref();
        for (index, certificate) in validation.iter().flat_map(|of| &of.ca_certificate_refs).enumerate() {
            visit(&format_args!("spec.tls.frontend.default.validation.caCertificateRefs[{index}]"), certificate.into());
        }
        for (port, of_port) in frontend.per_port.iter().flatten().enumerate() {
            let validation = of_port.tls.validation.as_ref();
            for (index, certificate) in validation.iter().flat_map(|of| &of.ca_certificate_refs).enumerate() {
                let of_port = format_args!("spec.tls.frontend.perPort[{port}].tls");
                visit(&format_args!("{of_port}.validation.caCertificateRefs[{index}]"), certificate.into());
            }
        }
    }
}

impl Refers for ListenerSet {
    fn each_reference<'o>(&'o self, visit: &mut dyn FnMut(&dyn Display, Target<'o>)) {
        for (index, listener) in self.spec.listeners.iter().enumerate() {
            each_of_listener(index, listener.tls.as_ref(), listener.filters.as_ref(), visit);
        }
    }
}

impl Refers for XBackend {
    fn each_reference<'o>(&'o self, visit: &mut dyn FnMut(&dyn Display, Target<'o>)) {
        if let Some(certificate) = self.spec.tls.as_ref().and_then(|tls| tls.client_certificate_ref.as_ref()) {
            visit(&"spec.tls.clientCertificateRef", certificate.into());
        }
    }
}

impl Refers for XTelemetryPolicy {
    fn each_reference<'o>(&'o self, visit: &mut dyn FnMut(&dyn Display, Target<'o>)) {
        if let Some(provider) = self.spec.tracing.as_ref().and_then(|tracing| tracing.provider.as_ref()) {
            visit(&"spec.tracing.provider.backendRef", (&provider.backend_ref).into());
        }
    }
}
