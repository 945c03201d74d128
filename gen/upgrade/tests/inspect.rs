//! Tests without a cluster: a script answers the requests.

mod admission;
mod case;
mod cluster;
mod codes;
mod contents;
#[allow(dead_code, reason = "a proof uses the rest")]
mod guards;
mod installations;
mod objects;
mod questions;
#[path = "../../cluster/tests/script.rs"]
#[allow(dead_code, reason = "the tests of crd-cluster use the rest")]
mod script;
mod unsupported;
