//! A browser with one page.

use std::fs;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::axe::{self, Violation};
use crate::commands::SessionCommand;
use crate::driver::Driver;
use crate::log::{self, Message};
use crate::programs::{Programs, programs};

/// Which colours the user prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Dark text on a light ground.
    Light,
    /// Light text on a dark ground.
    Dark,
}

impl Theme {
    /// Both themes.
    pub const ALL: [Self; 2] = [Self::Light, Self::Dark];

    /// The name in CSS.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// Held by the only browser of the process.
static ONE: Mutex<()> = Mutex::new(());

/// Chromium, with one page.
pub struct Browser {
    client: Option<Client>,
    runtime: Runtime,
    programs: Programs,
    // Fields are dropped in this order: the driver ends, then the profile is removed, then the next browser may start.
    _driver: Driver,
    _profile: TempDir,
    _one: MutexGuard<'static, ()>,
}

impl Browser {
    /// Starts a browser, or prints why the test is skipped. A test returns then.
    ///
    /// # Panics
    /// If the browser cannot start, or is missing and `CRD_BROWSER=require`.
    #[must_use]
    pub fn start() -> Option<Self> {
        let programs = programs()?;
        let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let profile = tempfile::tempdir().unwrap_or_else(|error| panic!("cannot create a profile: {error}"));
        let driver = Driver::start(&programs.driver);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.unwrap_or_else(|error| panic!("cannot start tokio: {error}"));
        let capabilities = capabilities(&programs.chromium, profile.path());
        let client = runtime.block_on(async {
            let Value::Object(capabilities) = capabilities else { unreachable!("capabilities are an object") };
            ClientBuilder::new(HttpConnector::new()).capabilities(capabilities).connect(&driver.address()).await
        });
        let client = client.unwrap_or_else(|error| panic!("Chromium does not start: {error}"));
        let browser = Self { client: Some(client), runtime, programs, _driver: driver, _profile: profile, _one: one };
        browser.width(1280);
        Some(browser)
    }

    pub(crate) fn programs(&self) -> &Programs {
        &self.programs
    }

    fn client(&self) -> &Client {
        self.client.as_ref().unwrap_or_else(|| unreachable!("a browser has a client until it is dropped"))
    }

    fn send(&self, command: SessionCommand) -> Value {
        let text = format!("{command:.300?}");
        self.runtime.block_on(self.client().issue_cmd(command)).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    /// Opens a file, at an address within it such as `#/diff`.
    ///
    /// # Panics
    /// If it cannot be opened.
    pub fn open(&self, file: &Path, fragment: &str) {
        let file = fs::canonicalize(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        self.go(&format!("file://{}{fragment}", file.display()));
    }

    /// Opens an address. Unlike a click, it also replaces a page by the same page.
    ///
    /// # Panics
    /// If it cannot be opened.
    pub fn go(&self, address: &str) {
        self.runtime.block_on(self.client().goto(address)).unwrap_or_else(|error| panic!("{address}: {error}"));
    }

    /// Goes back in the history of the page.
    ///
    /// # Panics
    /// If the browser does not answer.
    pub fn back(&self) {
        self.runtime.block_on(self.client().back()).unwrap_or_else(|error| panic!("back: {error}"));
    }

    /// Goes forward in the history of the page.
    ///
    /// # Panics
    /// If the browser does not answer.
    pub fn forward(&self) {
        self.runtime.block_on(self.client().forward()).unwrap_or_else(|error| panic!("forward: {error}"));
    }

    /// The result of the body of an async function, whose arguments are the array `args`.
    ///
    /// # Panics
    /// If it throws, with the stack; or if a dialog is open.
    #[must_use]
    pub fn evaluate(&self, body: &str, arguments: Value) -> Value {
        let script = format!(
            "const [args, done] = arguments;
             (async () => {{ {body} }})().then(value => done({{ value }}), error => done({{ error: String(error.stack || error) }}));"
        );
        let answer = self.runtime.block_on(self.client().execute_async(&script, vec![arguments]));
        let mut answer = answer.unwrap_or_else(|error| panic!("{body}: {error}"));
        if let Some(error) = answer.get("error") {
            panic!("{body}: {}", error.as_str().unwrap_or_default());
        }
        answer["value"].take()
    }

    /// Runs the body of an async function for its effect, as [`Browser::evaluate`] does.
    pub fn run(&self, body: &str) {
        let _ = self.evaluate(body, json!([]));
    }

    /// The answer of a method of Chromium's developer tools.
    ///
    /// # Panics
    /// If the browser refuses it.
    pub fn developer_tools(&self, method: &str, parameters: Value) -> Value {
        self.send(SessionCommand::developer_tools(method, parameters))
    }

    /// Presses keys one after the other, as a user does. Keys without a character are those of `fantoccini::key::Key`.
    ///
    /// # Panics
    /// If the browser does not answer.
    pub fn press(&self, keys: impl IntoIterator<Item = char>) {
        let press = |actions: KeyActions, value| actions.then(KeyAction::Down { value }).then(KeyAction::Up { value });
        let actions = keys.into_iter().fold(KeyActions::new("keyboard".to_owned()), press);
        self.runtime.block_on(self.client().perform_actions(actions)).unwrap_or_else(|error| panic!("keys: {error}"));
    }

    /// Makes the page so many pixels wide.
    pub fn width(&self, pixels: u32) {
        let size = json!({"width": pixels, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        self.developer_tools("Emulation.setDeviceMetricsOverride", size);
    }

    /// Makes the user prefer a theme. `media` is `screen` or `print`.
    pub fn media(&self, media: &str, theme: Theme) {
        let feature = json!({"name": "prefers-color-scheme", "value": theme.name()});
        self.developer_tools("Emulation.setEmulatedMedia", json!({"media": media, "features": [feature]}));
    }

    /// Slows down the processor of the page by a factor.
    pub fn slow_down(&self, factor: u32) {
        self.developer_tools("Emulation.setCPUThrottlingRate", json!({"rate": factor}));
    }

    /// Turns off the JavaScript of pages that are opened from now on. [`Browser::evaluate`] still works.
    pub fn without_javascript(&self) {
        self.developer_tools("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    }

    /// The messages of the console since the last call.
    #[must_use]
    pub fn messages(&self) -> Vec<Message> {
        log::messages(&self.send(SessionCommand::log("browser")))
    }

    /// The addresses that were asked for since the last call, with those of the pages that were opened.
    #[must_use]
    pub fn requests(&self) -> Vec<String> {
        log::requests(&self.send(SessionCommand::log("performance")))
    }

    /// What axe-core finds in the page.
    #[must_use]
    pub fn violations(&self) -> Vec<Violation> {
        axe::violations(self)
    }

    /// A picture of the page from its top, at most so many pixels high, as PNG.
    ///
    /// # Panics
    /// If the browser does not answer.
    #[must_use]
    pub fn picture(&self, height: u32) -> Vec<u8> {
        let size = self.evaluate("return [innerWidth, document.documentElement.scrollHeight]", json!([]));
        let height = size[1].as_f64().unwrap_or_default().min(f64::from(height));
        let clip = json!({"x": 0, "y": 0, "width": size[0], "height": height, "scale": 1});
        let answer =
            self.developer_tools("Page.captureScreenshot", json!({"captureBeyondViewport": true, "clip": clip}));
        let picture = answer["data"].as_str().and_then(|data| STANDARD.decode(data).ok());
        picture.unwrap_or_else(|| panic!("no picture: {answer:.200}"))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            // It fails if the browser has ended, which is the aim.
            let _ = self.runtime.block_on(client.close());
        }
    }
}

/// What the driver starts: a browser without a window and without network, which logs what pages do.
fn capabilities(chromium: &Path, profile: &Path) -> Value {
    let profile = format!("--user-data-dir={}", profile.display());
    // Port 9 of loopback is closed. `<-loopback>` sends requests to loopback through the proxy too.
    let arguments = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--host-resolver-rules=MAP * ~NOTFOUND",
        "--proxy-server=127.0.0.1:9",
        "--proxy-bypass-list=<-loopback>",
        &profile,
    ];
    json!({
        "browserName": "chrome",
        "goog:chromeOptions": {
            "binary": chromium,
            "args": arguments,
            "perfLoggingPrefs": {"enableNetwork": true, "enablePage": false},
        },
        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        "timeouts": {"script": 600_000, "pageLoad": 300_000},
        // A dialog that a test does not expect is left open: the next command fails with its text.
        "unhandledPromptBehavior": "ignore",
    })
}
