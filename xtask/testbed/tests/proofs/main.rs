//! What we say of Kubernetes, proven on a real API server.
//!
//! One program for all proofs, so that they share their servers: a module is one proof. Without Go they say that they were skipped; with
//! `CRD_TESTBED=require` they fail instead.

mod server;

mod documents;
mod pages;
mod requests;
mod served;
mod tables;
mod types;

mod boundaries;
mod channels;
mod charts;
mod clusters;
mod conformance;
mod controller;
mod estimates;
mod examples;
mod facts;
mod forecasts;
mod go_crds;
mod go_modules;
mod go_objects;
mod guardrails;
mod inspect;
mod install;
mod installers;
mod laws;
mod lenses;
mod migration;
mod mutations;
mod objects;
mod oci;
mod openapi;
mod openshift;
mod operator;
mod opinions;
mod oracle;
mod outside;
mod prose;
mod published;
mod publishing;
mod random;
mod refusals;
mod resources;
mod safe_upgrades;
mod schemas;
mod sets;
mod skew;
mod suites;
mod switching;
mod throughput;
mod transition;
mod unions;
mod unsupported;
mod upstream_go;
mod verdicts;
mod webhook;
mod webhook_install;
mod witnesses;
mod yaml;
