//! Chromium for tests: Debian's browser without a window, driven by chromedriver, on a page of a local file.
//!
//! Invariants:
//! * The browser cannot reach a network. Names do not resolve, and the proxy is a closed port. [`Browser::requests`] lists what a page asked for.
//! * A browser has a new profile, which is removed with it. Tests that wait for it take it over with a new page, and with empty stores.
//! * A failure is a panic with the command and the answer, because only tests drive a browser.
//! * Tests of one process use it one after the other. So the times that a test measures do not include the browser of another test.
#![deny(missing_docs)]

mod axe;
mod browser;
mod commands;
mod driver;
mod log;
mod programs;
mod session;

pub use axe::Violation;
pub use browser::{Browser, Theme};
pub use log::Message;
