//! The tests of the command line, in one program: linking one program per file took longer than the tests.
//!
//! `adopter.rs` builds another workspace and is a program of its own, which `cargo test` runs only by name (`--test adopter`).
#![allow(clippy::too_many_lines, reason = "a test lists its cases")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bad_input;
mod candidates;
mod cases;
mod charts;
mod check;
#[path = "../../upgrade/tests/inspect/cluster.rs"]
#[allow(dead_code, reason = "other tests use more of it")]
mod cluster;
mod commits;
mod constants;
mod convert;
mod costs;
mod decisions;
mod diff;
mod docs;
mod editors;
mod gate;
mod gate_author;
mod generate;
mod go_names;
mod go_types;
mod graduate;
mod guardrails;
mod history;
mod hostile;
mod hostile_layouts;
mod hostile_sources;
mod import;
mod init;
mod inspect;
mod job;
mod layouts;
mod lenses;
mod lint;
mod lsp;
mod markers;
mod migrate;
#[path = "../../upgrade/tests/migrate/model.rs"]
#[allow(dead_code, reason = "other tests use more of it")]
mod model;
mod new;
mod opinions;
mod outputs;
mod programs;
mod projects;
mod refused;
#[path = "../../oci/tests/registry/server.rs"]
#[allow(dead_code, reason = "other tests use more of it")]
mod registry_server;
mod release;
#[path = "../../../xtask/tests/release_tools/mod.rs"]
mod release_tools;
mod releases;
mod remote;
mod rules;
mod sessions;
mod settings;
#[path = "../../review/src/report/tests/shape.rs"]
mod shape;
mod skew;
mod sources;
mod stderr;
mod support;
mod test;
#[path = "../../upgrade/tests/migrate/things.rs"]
#[allow(dead_code, reason = "other tests use more of it")]
mod things;
mod tombstones;
mod usage;
mod validate;
mod verdicts;
mod verify;
mod watch;
mod writers;
