//! Tests without a cluster: a small API, an API server as a function, and real connections on the loopback address.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod api;
mod certificate;
mod certs;
mod certs_server;
mod clients;
mod cluster;
mod hostile;
mod numbers;
mod reviews;
mod running;
mod serving;
mod skew;
mod starvation;
mod tls;
mod verdicts;
