//! The harness itself, on a small page: each thing that other tests rely on is reported when it happens.

use std::fs;
use std::path::{Path, PathBuf};

use crd_browser::{Browser, Theme};
use serde_json::json;
use tempfile::TempDir;

/// A page with this body.
fn page(folder: &TempDir, body: &str) -> PathBuf {
    let file = folder.path().join("page.html");
    let head = "<!DOCTYPE html><html lang='en'><meta charset='utf-8'><meta name='viewport' content='width=device-width'><title>A page</title>";
    fs::write(&file, format!("{head}<main><h1>A page</h1>{body}</main></html>")).expect("the page is written");
    file
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

#[test]
fn a_page_without_defects_has_none() {
    let Some(browser) = Browser::start() else { return };
    let folder = folder();
    let file = page(&folder, "<p>Text</p>");
    browser.open(&file, "");
    assert_eq!(browser.messages(), []);
    assert_eq!(browser.violations(), []);
    let requests = browser.requests();
    assert!(requests.len() == 1 && Path::new(&requests[0]).ends_with("page.html"), "{requests:?}");
    assert!(browser.picture(500).starts_with(b"\x89PNG"));
}

/// Two browsers, of which the second one takes over the session of the first one.
#[test]
fn a_browser_remembers_nothing_of_the_one_before() {
    let folder = folder();
    let file = page(
        &folder,
        "<script>document.title = String(localStorage.getItem('name')); localStorage.setItem('name', 'kept'); console.error('logged')</script>",
    );
    std::thread::scope(|scope| {
        let use_one = || {
            let Some(browser) = Browser::start() else { return };
            assert_eq!((browser.messages(), browser.requests()), (Vec::new(), Vec::new()));
            let seen = browser.evaluate(
                "return [innerWidth, matchMedia('(prefers-color-scheme: dark)').matches, 'scripted' in window]",
                json!([]),
            );
            assert_eq!(seen, json!([1280, false, false]));
            browser.media("screen", Theme::Dark);
            browser.width(360);
            browser.developer_tools("Page.addScriptToEvaluateOnNewDocument", json!({"source": "window.scripted = 1"}));
            browser.open(&file, "");
            assert_eq!(browser.evaluate("return document.title", json!([])), json!("null"));
            browser.without_javascript();
        };
        for _ in 0..3 {
            scope.spawn(use_one);
        }
    });
}

#[test]
fn errors_and_requests_are_reported_and_the_network_is_refused() {
    let Some(browser) = Browser::start() else { return };
    let folder = folder();
    let body = "<img alt='a picture' src='http://127.0.0.1:1/picture.png'><script>
        fetch('http://example.com/data').catch(() => document.title = 'refused'); throw new Error('thrown on purpose')</script>";
    browser.open(&page(&folder, body), "");
    browser.run("while (document.title !== 'refused') await new Promise(done => setTimeout(done, 10))");
    let requests = browser.requests();
    assert!(requests.contains(&"http://127.0.0.1:1/picture.png".to_owned()), "{requests:?}");
    assert!(requests.contains(&"http://example.com/data".to_owned()), "{requests:?}");
    let messages = browser.messages();
    let errors = messages.iter().filter(|message| message.level == "SEVERE").collect::<Vec<_>>();
    assert!(errors.iter().any(|message| message.text.contains("thrown on purpose")), "{messages:?}");
    assert!(errors.iter().any(|message| message.text.contains("net::ERR_PROXY_CONNECTION_FAILED")), "{messages:?}");
}

#[test]
fn violations_of_accessibility_are_found() {
    let Some(browser) = Browser::start() else { return };
    let folder = folder();
    browser.open(&page(&folder, "<img src='data:,'><p style='color: #999; background: #aaa'>Pale</p>"), "");
    let rules = browser.violations().into_iter().map(|violation| violation.rule).collect::<Vec<_>>();
    assert_eq!(rules, ["color-contrast", "image-alt"]);
}

#[test]
fn widths_themes_and_media_are_those_that_were_set() {
    let Some(browser) = Browser::start() else { return };
    let folder = folder();
    browser.open(&page(&folder, ""), "");
    let seen = "return [innerWidth, matchMedia('(prefers-color-scheme: dark)').matches, matchMedia('print').matches]";
    assert_eq!(browser.evaluate(seen, json!([])), json!([1280, false, false]));
    browser.width(360);
    browser.media("print", Theme::Dark);
    assert_eq!(browser.evaluate(seen, json!([])), json!([360, true, true]));
}

#[test]
fn javascript_can_be_off() {
    let Some(browser) = Browser::start() else { return };
    let folder = folder();
    let file = page(&folder, "<noscript><p id=off>Without</p></noscript><script>document.title = 'on'</script>");
    let seen = "return [document.title, !!document.getElementById('off')]";
    browser.open(&file, "");
    assert_eq!(browser.evaluate(seen, json!([])), json!(["on", false]));
    browser.without_javascript();
    browser.open(&file, "");
    assert_eq!(browser.evaluate(seen, json!([])), json!(["A page", true]));
    // axe-core reads what is shown without JavaScript only.
    let file = page(&folder, "<noscript><p style='color: #999; background: #aaa'>Without</p></noscript>");
    browser.open(&file, "");
    let rules = browser.violations().into_iter().map(|violation| violation.rule).collect::<Vec<_>>();
    assert_eq!(rules, ["color-contrast"]);
}

/// Also after a page was opened, because the setting could be lost with the process of the old page.
#[test]
fn a_slow_processor_takes_longer() {
    let Some(browser) = Browser::start() else { return };
    let folder = folder();
    let work = "let sum = 0; for (let i = 0; i < 6e7; i++) sum += i % 7; window.took = performance.now()";
    let file = page(&folder, &format!("<script>{work}</script>"));
    let took = || {
        browser.open(&file, "");
        browser.evaluate("return window.took", json!([])).as_f64().unwrap_or_default()
    };
    let fast = (0..3).map(|_| took()).fold(f64::INFINITY, f64::min);
    browser.slow_down(4);
    let slow = (0..3).map(|_| took()).fold(f64::INFINITY, f64::min);
    println!("{fast:.0} ms, slowed down {slow:.0} ms");
    assert!(!crd_testdata::is_proof() || slow > fast * 2.0, "{slow} ms, and without the limit {fast} ms");
}

#[test]
fn keys_reach_the_page() {
    let Some(browser) = Browser::start() else { return };
    let folder = folder();
    browser.open(&page(&folder, "<label>Name <input autofocus id=name></label>"), "");
    browser.press("Ab/".chars());
    assert_eq!(browser.evaluate("return document.getElementById('name').value", json!([])), json!("Ab/"));
}

#[test]
#[should_panic(expected = "thrown on purpose")]
fn an_exception_fails_the_test() {
    let Some(browser) = Browser::start() else { panic!("thrown on purpose: skipped") };
    browser.run("throw new Error('thrown on purpose')");
}

#[test]
#[should_panic(expected = "unexpected alert open")]
fn a_dialog_fails_the_test() {
    let Some(browser) = Browser::start() else { panic!("unexpected alert open: skipped") };
    let folder = folder();
    browser.open(&page(&folder, "<script>setTimeout(() => alert('a dialog'), 0)</script>"), "");
    browser.run("await new Promise(done => setTimeout(done, 1000))");
    browser.run("");
}
