//! The process of a browser, and the turns that tests take with it.
//!
//! Invariants:
//! * One test at a time has the browser. So the times that a test measures do not include the browser of another test.
//! * A session stays open only for a test that waits for it. So it ends in the process that started it, without code after the last test.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::driver::Driver;
use crate::programs::Programs;

/// Chromium with its driver.
pub(crate) struct Session {
    pub(crate) client: Client,
    pub(crate) runtime: Runtime,
    pub(crate) programs: Programs,
    // Fields are dropped in this order: the driver ends, then the profile is removed.
    _driver: Driver,
    _profile: TempDir,
}

impl Session {
    pub(crate) fn start(programs: Programs) -> Self {
        let profile = tempfile::tempdir().unwrap_or_else(|error| panic!("cannot create a profile: {error}"));
        let driver = Driver::start(&programs.driver);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.unwrap_or_else(|error| panic!("cannot start tokio: {error}"));
        let capabilities = capabilities(&programs.chromium, profile.path());
        let client = runtime.block_on(async {
            ClientBuilder::new(HttpConnector::new()).capabilities(capabilities).connect(&driver.address()).await
        });
        let client = client.unwrap_or_else(|error| panic!("Chromium does not start: {error}"));
        Self { client, runtime, programs, _driver: driver, _profile: profile }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It fails if the browser has ended, which is the aim.
        let _ = self.runtime.block_on(self.client.clone().close());
    }
}

/// The session that a test left for the next one.
static LEFT: Mutex<Option<Session>> = Mutex::new(None);

/// How many tests wait for their turn.
static WAITING: AtomicUsize = AtomicUsize::new(0);

/// The right to use the browser of this process.
pub(crate) struct Turn(MutexGuard<'static, Option<Session>>);

impl Turn {
    pub(crate) fn wait() -> Self {
        WAITING.fetch_add(1, Ordering::SeqCst);
        let left = LEFT.lock().unwrap_or_else(PoisonError::into_inner);
        WAITING.fetch_sub(1, Ordering::SeqCst);
        Self(left)
    }

    pub(crate) fn left_by_another(&mut self) -> Option<Session> {
        self.0.take()
    }

    /// Leaves a session for a test that waits, or ends it.
    pub(crate) fn leave(&mut self, session: Session) {
        if WAITING.load(Ordering::SeqCst) > 0 {
            *self.0 = Some(session);
        }
    }
}

/// What the driver starts: a browser without a window and without network, which logs what pages do.
fn capabilities(chromium: &Path, profile: &Path) -> Map<String, Value> {
    let profile = format!("--user-data-dir={}", profile.display());
    // Port 9 of loopback is closed. `<-loopback>` sends requests to loopback through the proxy too.
    // Chromium ignores changes of the address after 200 in ten seconds, unless its protection from floods is off.
    let arguments = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-dev-shm-usage",
        "--disable-ipc-flooding-protection",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--host-resolver-rules=MAP * ~NOTFOUND",
        "--proxy-server=127.0.0.1:9",
        "--proxy-bypass-list=<-loopback>",
        &profile,
    ];
    let capabilities = [
        ("browserName", json!("chrome")),
        (
            "goog:chromeOptions",
            json!({
                "binary": chromium,
                "args": arguments,
                "perfLoggingPrefs": {"enableNetwork": true, "enablePage": false},
            }),
        ),
        ("goog:loggingPrefs", json!({"browser": "ALL", "performance": "ALL"})),
        ("timeouts", json!({"script": 300_000, "pageLoad": 300_000})),
        // A dialog that a test does not expect is left open: the next command fails with its text.
        ("unhandledPromptBehavior", json!("ignore")),
    ];
    capabilities.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
