//! `conversion`: versions are not converted (`strategy: None`), or a fully described webhook converts them.
//!
//! A webhook has either an HTTPS URL or a service with name and namespace, and names at least one version of
//! ConversionReview that Kubernetes supports. The certificate authority must be base64; what is in it is
//! [`super::conversion_certificate`]'s.

use std::collections::HashSet;

use crd_model::base64::decoded;
use serde_json::{Map, Value};

use super::{Examined, Report};
use crate::names::{dns_1035_label_problem, dns_1123_subdomain_problem};
use crd_cel::Location;
use crd_model::schema::kind_of;

const PATH: &str = "spec.conversion";

pub(super) fn check(examined: &Examined<'_>, report: &mut Report) {
    // Without the field, and with null, the strategy is None.
    let Some(conversion) = examined.crd.conversion.as_ref().filter(|conversion| !conversion.is_null()) else { return };
    let mut checker = Checker { report };
    let Some(conversion) = checker.object(conversion, PATH) else { return };
    let strategy = checker.text(conversion, "strategy", PATH);
    let webhook = field_of(conversion, "webhook");
    let webhook_path = format!("{PATH}.webhook");
    let empty = Map::new();
    let webhook = webhook.and_then(|webhook| checker.object(webhook, &webhook_path)).unwrap_or(&empty);
    let versions = checker.texts(webhook, "conversionReviewVersions", &webhook_path);
    let client = field_of(webhook, "clientConfig");
    let client_path = format!("{webhook_path}.clientConfig");
    let client = client.and_then(|client| checker.object(client, &client_path));
    match strategy {
        Some("Webhook") => {
            checker.versions(&versions, &webhook_path);
            match client {
                Some(client) => checker.client(client, &client_path),
                None => checker.refuse(&client_path, "it is missing; a webhook has a url or a service"),
            }
        }
        Some("None") => {
            if client.is_some() || !versions.is_empty() {
                checker.refuse(&webhook_path, "with the strategy None there is no webhook; leave it out");
            }
        }
        other => {
            let found = other.unwrap_or_default();
            checker.refuse(&format!("{PATH}.strategy"), &format!("{found:?} is not a strategy; write None or Webhook"));
        }
    }
}

/// Reads values of the kinds that the server expects, and refuses other values as the server does when it reads the document.
struct Checker<'r> {
    report: &'r mut Report,
}

impl Checker<'_> {
    fn refuse(&mut self, path: &str, message: &str) {
        self.report.document(path, message);
    }

    fn object<'v>(&mut self, value: &'v Value, path: &str) -> Option<&'v Map<String, Value>> {
        let object = value.as_object();
        if object.is_none() {
            self.refuse(path, &format!("expected an object, found {}", kind_of(value)));
        }
        object
    }

    fn text<'v>(&mut self, object: &'v Map<String, Value>, field: &str, path: &str) -> Option<&'v str> {
        let value = field_of(object, field)?;
        if !value.is_string() {
            self.refuse(&format!("{path}.{field}"), &format!("expected a string, found {}", kind_of(value)));
        }
        value.as_str()
    }

    fn texts<'v>(&mut self, object: &'v Map<String, Value>, field: &str, path: &str) -> Vec<&'v str> {
        let Some(value) = field_of(object, field) else { return Vec::new() };
        let texts: Option<Vec<&str>> = value
            .as_array()
            .and_then(|items| items.iter().map(|item| if item.is_null() { Some("") } else { item.as_str() }).collect());
        texts.unwrap_or_else(|| {
            self.refuse(&format!("{path}.{field}"), "expected a list of strings");
            Vec::new()
        })
    }

    fn versions(&mut self, versions: &[&str], path: &str) {
        let path = format!("{path}.conversionReviewVersions");
        let mut seen = HashSet::new();
        for (index, version) in versions.iter().enumerate() {
            if !seen.insert(version) {
                self.refuse(&format!("{path}[{index}]"), &format!("{version} is in the list already"));
            } else if let Some(problem) = dns_1035_label_problem(version) {
                self.refuse(&format!("{path}[{index}]"), &format!("{version:?} is not a version name: {problem}"));
            }
        }
        if !versions.iter().any(|version| matches!(*version, "v1" | "v1beta1")) {
            self.refuse(&path, "the webhook must understand v1 or v1beta1, which Kubernetes supports");
        }
    }

    fn client(&mut self, client: &Map<String, Value>, path: &str) {
        let url = self.text(client, "url", path);
        let service = field_of(client, "service");
        let service_path = format!("{path}.service");
        match (url, service) {
            (Some(url), None) => self.url(url, &format!("{path}.url")),
            (None, Some(service)) => {
                if let Some(service) = self.object(service, &service_path) {
                    self.service(service, &service_path);
                }
            }
            _ => self.refuse(path, "a webhook has either a url or a service"),
        }
        if self.text(client, "caBundle", path).is_some_and(|bundle| decoded(bundle).is_none()) {
            self.refuse(&format!("{path}.caBundle"), "expected certificates in base64");
        }
    }

    fn url(&mut self, text: &str, path: &str) {
        let Some(url) = Location::reference(text) else {
            self.refuse(path, &format!("{text:?} is not a URL; write https://host/path"));
            return;
        };
        let problems = [
            (url.scheme != "https", "the webhook must be reached by https"),
            (url.host.is_empty(), "the URL must have a host"),
            (url.user.is_some(), "the URL cannot have a user"),
            (url.fragment.is_some(), "the URL cannot have a fragment (`#…`)"),
            (!url.query.is_empty(), "the URL cannot have a query (`?…`)"),
        ];
        for (_, problem) in problems.iter().filter(|(is_so, _)| *is_so) {
            self.refuse(path, problem);
        }
    }

    fn service(&mut self, service: &Map<String, Value>, path: &str) {
        for field in ["name", "namespace"] {
            if self.text(service, field, path).unwrap_or_default().is_empty() {
                self.refuse(&format!("{path}.{field}"), "it is missing; a service is found by name and namespace");
            }
        }
        if let Some(port) = field_of(service, "port")
            && !port.as_i64().is_some_and(|port| (1..=65_535).contains(&port))
        {
            self.refuse(&format!("{path}.port"), &format!("{port} is not a port; ports are 1 to 65535"));
        }
        let segments = self.text(service, "path", path).unwrap_or_default();
        if matches!(segments, "" | "/") {
            return;
        }
        let path = format!("{path}.path");
        let Some(segments) = segments.strip_prefix('/') else {
            self.refuse(&path, "the path of a service starts with `/`");
            return;
        };
        for segment in segments.strip_suffix('/').unwrap_or(segments).split('/') {
            if segment.is_empty() {
                self.refuse(&path, "the path of a service has no empty parts");
            } else if let Some(problem) = dns_1123_subdomain_problem(segment) {
                self.refuse(&path, &format!("{segment:?} cannot be a part of the path: {problem}"));
            }
        }
    }
}

/// A field; null is none.
fn field_of<'v>(object: &'v Map<String, Value>, field: &str) -> Option<&'v Value> {
    object.get(field).filter(|value| !value.is_null())
}
