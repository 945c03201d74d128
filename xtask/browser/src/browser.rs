//! A browser with one page.

use std::cell::Cell;
use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fantoccini::Client;
use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use serde_json::{Value, json};

use crate::axe::{self, Violation};
use crate::commands::SessionCommand;
use crate::log::{self, Message};
use crate::programs::{Programs, programs};
use crate::session::{Session, Turn};

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

/// Chromium, with one page.
pub struct Browser {
    session: Option<Session>,
    // Dropped last: the next test may start then.
    turn: Turn,
    has_javascript: Cell<bool>,
}

impl Browser {
    /// Starts a browser, or prints why the test is skipped. A test returns then.
    ///
    /// # Panics
    /// If the browser cannot start, or is missing and `CRD_BROWSER=require`.
    #[must_use]
    pub fn start() -> Option<Self> {
        let programs = programs()?;
        let mut turn = Turn::wait();
        let session = turn.left_by_another().unwrap_or_else(|| Session::start(programs));
        let browser = Self { session: Some(session), turn, has_javascript: Cell::new(true) };
        browser.begin();
        Some(browser)
    }

    /// Replaces the page by a new one, and removes what earlier pages stored and reported.
    fn begin(&self) {
        let client = self.client();
        let renewed = self.session().runtime.block_on(async {
            let tab = client.new_window(true).await?;
            client.close_window().await?;
            client.switch_to_window(tab.handle).await
        });
        renewed.unwrap_or_else(|error| panic!("no new page: {error}"));
        self.developer_tools("Storage.clearDataForOrigin", json!({"origin": "file://", "storageTypes": "all"}));
        self.developer_tools("Browser.resetPermissions", json!({}));
        self.developer_tools("Emulation.setFocusEmulationEnabled", json!({"enabled": true}));
        self.width(1280);
        let _ = (self.messages(), self.requests());
    }

    fn session(&self) -> &Session {
        self.session.as_ref().unwrap_or_else(|| unreachable!("a browser has a session until it is dropped"))
    }

    pub(crate) fn programs(&self) -> &Programs {
        &self.session().programs
    }

    fn client(&self) -> &Client {
        &self.session().client
    }

    fn wait_for<T, E: std::fmt::Display>(&self, what: &str, answer: impl Future<Output = Result<T, E>>) -> T {
        self.session().runtime.block_on(answer).unwrap_or_else(|error| panic!("{what}: {error}"))
    }

    fn send(&self, command: SessionCommand) -> Value {
        let text = format!("{command:.300?}");
        self.wait_for(&text, self.client().issue_cmd(command))
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
        self.wait_for(address, self.client().goto(address));
    }

    /// Goes back in the history of the page.
    ///
    /// # Panics
    /// If the browser does not answer.
    pub fn back(&self) {
        self.wait_for("back", self.client().back());
    }

    /// Goes forward in the history of the page.
    ///
    /// # Panics
    /// If the browser does not answer.
    pub fn forward(&self) {
        self.wait_for("forward", self.client().forward());
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
        let mut answer = self.wait_for(body, self.client().execute_async(&script, vec![arguments]));
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
        self.wait_for("keys", self.client().perform_actions(actions));
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

    /// Turns off the JavaScript of pages that are opened from now on. [`Browser::evaluate`] still works, but timers do not.
    pub fn without_javascript(&self) {
        self.has_javascript.set(false);
        self.developer_tools("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    }

    pub(crate) fn has_javascript(&self) -> bool {
        self.has_javascript.get()
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
        // A test that failed may leave a dialog open, or a script that does not end.
        if let Some(session) = self.session.take().filter(|_| !std::thread::panicking()) {
            self.turn.leave(session);
        }
    }
}
