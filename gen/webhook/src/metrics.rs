//! Metrics for Prometheus.
//!
//! Invariants: labels have few values: kinds of the bundle, operations, rules, parts. Nothing of an object is a label.

use std::sync::atomic::AtomicI64;
use std::time::Duration;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

use crate::bundle::Bundle;
use crate::readiness::Readiness;
use crate::review::{Request, Verdict};

/// The upper bounds of the histogram, in seconds: API servers wait 5 s as shipped.
const SECONDS: [f64; 13] = [0.0001, 0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0];

/// The label of kinds that the bundle does not have.
const OTHER: &str = "other";

/// Labels: names and values.
type Labels<const N: usize> = [(&'static str, String); N];

/// All metrics.
pub(crate) struct Metrics {
    registry: Registry,
    reviews: Family<Labels<3>, Counter>,
    refusals: Family<Labels<1>, Counter>,
    warnings: Family<Labels<1>, Counter>,
    failures: Family<Labels<1>, Counter>,
    seconds: Histogram,
    pub(crate) handshake_failures: Counter,
    pub(crate) closed_connections: Counter,
    pub(crate) connections: Gauge,
    ready: Family<Labels<1>, Gauge>,
    /// When the certificate expires, in seconds since 1970.
    pub(crate) certificate_expiry: Gauge<i64, AtomicI64>,
}

impl Metrics {
    pub(crate) fn new(bundle: &Bundle, channel: &str) -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("crd_webhook"),
            reviews: Family::default(),
            refusals: Family::default(),
            warnings: Family::default(),
            failures: Family::default(),
            seconds: Histogram::new(SECONDS),
            handshake_failures: Counter::default(),
            closed_connections: Counter::default(),
            connections: Gauge::default(),
            ready: Family::default(),
            certificate_expiry: Gauge::default(),
        };
        let registry = &mut metrics.registry;
        let labels = vec![("version", bundle.version.to_string()), ("channel", channel.to_owned())];
        registry.register("bundle", "The bundle that the webhook validates with", Info::new(labels));
        registry.register("reviews", "Answered reviews", metrics.reviews.clone());
        registry.register("refusals", "Reasons of refusals, by rule", metrics.refusals.clone());
        registry.register("warnings", "Warnings, by rule", metrics.warnings.clone());
        registry.register(
            "http_failures",
            "Requests without an answer to a review, by HTTP status",
            metrics.failures.clone(),
        );
        registry.register_with_unit(
            "review_duration",
            "The time from the last byte of a review to its answer",
            Unit::Seconds,
            metrics.seconds.clone(),
        );
        let what = "Connections without a complete TLS handshake";
        registry.register("tls_handshake_failures", what, metrics.handshake_failures.clone());
        let what = "Connections that were closed because a client was too slow, or for the place of another one";
        registry.register("slow_connections_closed", what, metrics.closed_connections.clone());
        registry.register("connections", "Open connections", metrics.connections.clone());
        registry.register("ready", "Whether each part is ready", metrics.ready.clone());
        registry.register_with_unit(
            "certificate_expiry_timestamp",
            "When the certificate expires; 0 without one",
            Unit::Seconds,
            metrics.certificate_expiry.clone(),
        );
        metrics
    }

    /// Counts an answered review.
    pub(crate) fn review(&self, request: &Request, is_known: bool, verdict: &Verdict, duration: Duration) {
        let kind = if is_known { request.kind.kind.clone() } else { OTHER.to_owned() };
        let allowed = if verdict.is_accepted() { "true" } else { "false" };
        let operation = request.operation.word().to_owned();
        let labels = [("kind", kind), ("operation", operation), ("allowed", allowed.to_owned())];
        self.reviews.get_or_create(&labels).inc();
        for refusal in &verdict.refusals {
            self.refusals.get_or_create(&[("source", refusal.source.to_owned())]).inc();
        }
        for warning in &verdict.warnings {
            self.warnings.get_or_create(&[("source", warning.source.to_owned())]).inc();
        }
        self.seconds.observe(duration.as_secs_f64());
    }

    /// Counts a request that got an HTTP error.
    pub(crate) fn failure(&self, status: u16) {
        self.failures.get_or_create(&[("status", status.to_string())]).inc();
    }

    /// The text for Prometheus.
    pub(crate) fn text(&self, readiness: &Readiness) -> String {
        for (part, is_ready) in readiness.each() {
            self.ready.get_or_create(&[("part", part)]).set(i64::from(is_ready));
        }
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
