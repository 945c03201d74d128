//! The pages under test, which `docs` writes, and the command line that the tests compare them with.
//!
//! Invariant: a page of a process is written once.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crd_browser::Browser;
use crd_channels_cli::{Exit, Session, run_in};
use serde_json::{Value, json};

use crate::catalogue::catalogue;

/// The root of this repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder for the files of a test, which is empty.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("site").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Runs the command line in this repository: exit code, and what it printed to stdout and stderr.
pub(crate) fn run(arguments: &[&str]) -> (Exit, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let exit = run_in(&catalogue(), arguments, &mut Session::new(root(), &mut out, &mut err));
    (exit, String::from_utf8(out).expect("text"), String::from_utf8(err).expect("text"))
}

/// Writes a page with these arguments of `docs`.
pub(crate) fn docs(folder: &Path, arguments: &[&str]) -> PathBuf {
    let out = folder.to_str().expect("a path in UTF-8");
    let (exit, _, err) = run(&[&["docs", "--out", out], arguments].concat());
    assert_eq!(exit, Exit::Fine, "{err}");
    folder.join("index.html")
}

/// The page of this repository: Gateway API with all its releases.
pub(crate) fn gateway_api() -> &'static Path {
    static PAGE: OnceLock<PathBuf> = OnceLock::new();
    PAGE.get_or_init(|| docs(&folder("gateway-api"), &[]))
}

/// A browser with this page at an address within it, ready to use. The page is written in the turn of the test.
pub(crate) fn browser_at(page: fn() -> &'static Path, fragment: &str) -> Option<Browser> {
    let browser = Browser::start()?;
    open(&browser, page(), fragment);
    Some(browser)
}

/// Opens a page and waits until it is ready. Another page is opened first, because an address within the same page would not load it again.
pub(crate) fn open(browser: &Browser, page: &Path, fragment: &str) {
    browser.go("about:blank");
    browser.open(page, fragment);
    browser.run("await window.site.ready");
}

/// Goes to an address within the page, as a link does.
pub(crate) fn go(browser: &Browser, fragment: &str) {
    let _ = browser.evaluate(&format!("{GO} await go(args)"), json!(fragment));
}

/// The function `go`, for scripts that visit many addresses.
pub(crate) const GO: &str = "const go = address => new Promise(done => {
    if (location.hash === address) return done();
    addEventListener('hashchange', () => done(), { once: true });
    location.hash = address;
});";

/// Opens all closed rows of a view, so many times. Rows that open make the rows below them when their event arrives.
pub(crate) fn open_rows(browser: &Browser, times: usize) {
    let body = "for (let i = 0; i < args; i++) await Promise.all([...document.querySelectorAll('main details:not([open])')].map(x =>
        new Promise(done => { x.addEventListener('toggle', done, { once: true }); x.open = true; })));";
    let _ = browser.evaluate(body, json!(times));
}

/// What makes a page scroll sideways: its width and the elements past the edge. Null if it does not.
pub(crate) fn past_the_edge(browser: &Browser) -> Value {
    browser.evaluate(
        "const wide = document.documentElement.scrollWidth;
         if (wide <= innerWidth) return null;
         const inside = x => { for (let p = x.parentElement; p; p = p.parentElement) if (getComputedStyle(p).overflowX !== 'visible') return true; return false; };
         const past = [...document.querySelectorAll('body *')].filter(x => x.checkVisibility() && x.getBoundingClientRect().right > innerWidth + 1 && !inside(x));
         return [wide, past.slice(0, 5).map(x => x.outerHTML.slice(0, 150))];",
        json!([]),
    )
}

/// The texts of a list.
pub(crate) fn texts(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}
