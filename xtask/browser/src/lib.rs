//! Chromium for tests: Debian's browser without a window, driven by chromedriver, on a page of a local file.
//!
//! Invariants:
//! * The browser cannot reach a network. Names do not resolve, and the proxy is a closed port. [`Browser::requests`] lists what a page asked for.
//! * Each browser has a new profile, which is removed with it. A browser ends when its value is dropped.
//! * A failure is a panic with the command and the answer, because only tests drive a browser.
//! * Browsers of one process run one after the other. So the times that a test measures do not include the work of another test.
#![deny(missing_docs)]

mod axe;
mod browser;
mod commands;
mod driver;
mod log;
mod programs;

pub use axe::Violation;
pub use browser::{Browser, Theme};
pub use log::Message;
