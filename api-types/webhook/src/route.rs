//! What HTTPRoute and GRPCRoute have in common: filters, and matches of headers.
//!
//! Paths of fields are formatted only when a rule reports something.

use std::fmt::Display;

use gateway_api_types::v1::{
    BackendObjectReference, GRPCRoute, GRPCRouteFilter, HTTPHeaderFilter, HTTPRoute, HTTPRouteFilter,
};

/// A filter of a rule or of a backend.
pub(crate) trait Filter {
    /// The fields that modify headers.
    fn modifiers(&self) -> [(&'static str, Option<&HTTPHeaderFilter>); 2];
    /// The fields that send requests to further backends.
    fn backends(&self) -> [(&'static str, Option<&BackendObjectReference>); 2];
}

/// A route whose rules have filters.
pub(crate) trait Filtered {
    /// Calls a function with each filter and its path.
    fn each_filter<'o>(&'o self, visit: &mut dyn FnMut(&dyn Display, &'o dyn Filter));
    /// Calls a function with the header names of each match, and with the path of the match.
    fn each_header_match(&self, visit: &mut dyn FnMut(&dyn Display, &mut dyn Iterator<Item = &str>));
}

impl Filter for HTTPRouteFilter {
    fn modifiers(&self) -> [(&'static str, Option<&HTTPHeaderFilter>); 2] {
        [
            ("requestHeaderModifier", self.request_header_modifier.as_ref()),
            ("responseHeaderModifier", self.response_header_modifier.as_ref()),
        ]
    }

    fn backends(&self) -> [(&'static str, Option<&BackendObjectReference>); 2] {
        [
            ("requestMirror", self.request_mirror.as_ref().map(|mirror| &mirror.backend_ref)),
            ("externalAuth", self.external_auth.as_ref().map(|auth| &auth.backend_ref)),
        ]
    }
}

impl Filter for GRPCRouteFilter {
    fn modifiers(&self) -> [(&'static str, Option<&HTTPHeaderFilter>); 2] {
        [
            ("requestHeaderModifier", self.request_header_modifier.as_ref()),
            ("responseHeaderModifier", self.response_header_modifier.as_ref()),
        ]
    }

    fn backends(&self) -> [(&'static str, Option<&BackendObjectReference>); 2] {
        [("requestMirror", self.request_mirror.as_ref().map(|mirror| &mirror.backend_ref)), ("externalAuth", None)]
    }
}

macro_rules! filtered {
    ($($route:ty)*) => {$(
        impl Filtered for $route {
            fn each_filter<'o>(&'o self, visit: &mut dyn FnMut(&dyn Display, &'o dyn Filter)) {
                for (index, rule) in self.spec.rules.iter().flatten().enumerate() {
                    for (filter, of_rule) in rule.filters.iter().flatten().enumerate() {
                        visit(&format_args!("spec.rules[{index}].filters[{filter}]"), of_rule);
                    }
                    for (backend, of_backend) in rule.backend_refs.iter().flatten().enumerate() {
                        for (filter, of_backend) in of_backend.filters.iter().flatten().enumerate() {
                            visit(&format_args!("spec.rules[{index}].backendRefs[{backend}].filters[{filter}]"), of_backend);
                        }
                    }
                }
            }

            fn each_header_match(&self, visit: &mut dyn FnMut(&dyn Display, &mut dyn Iterator<Item = &str>)) {
                for (index, rule) in self.spec.rules.iter().flatten().enumerate() {
                    for (place, of_rule) in rule.matches.iter().flatten().enumerate() {
                        let mut names = of_rule.headers.iter().flatten().map(|header| &*header.name.0.0);
                        visit(&format_args!("spec.rules[{index}].matches[{place}]"), &mut names);
                    }
                }
            }
        }
    )*};
}

filtered!(HTTPRoute GRPCRoute);
