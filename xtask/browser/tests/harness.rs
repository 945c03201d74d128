//! The harness itself, on a small page: what other tests find nothing of is reported when it happens.

use std::fs;
use std::path::PathBuf;

use crd_browser::Browser;
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
#[should_panic(expected = "thrown on purpose")]
fn an_exception_fails_the_test() {
    let Some(browser) = Browser::start() else { panic!("thrown on purpose: skipped") };
    browser.run("throw new Error('thrown on purpose')");
}
