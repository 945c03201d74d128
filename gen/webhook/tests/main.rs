//! Tests of the webhook.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod certificate;
mod certs;
mod certs_server;
