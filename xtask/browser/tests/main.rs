//! Tests of the site in Chromium. Without Chromium they are skipped and print the reason; with `CRD_BROWSER=require` they fail instead.
//! `cargo xtask prove site` runs them with all cases, and with the limits on time, for which the machine must be idle.

#[path = "../../src/catalogue.rs"]
mod catalogue;

mod accessibility;
mod clients;
mod content;
mod design;
mod differences;
mod harness;
mod hostile;
mod keyboard;
mod links;
mod opening;
mod pages;
mod published;
mod screenshots;
mod search;
mod skeleton;
mod themes;
mod thousand;
mod without_javascript;
