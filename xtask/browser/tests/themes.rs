//! Dark and light, and print.

use crd_browser::{Browser, Theme};
use serde_json::json;

use crate::pages;
use crate::published::{nodes, releases};

/// Brightness of the background and of the text of a page, from 0 to 255, and whether the button is pressed.
const COLOURS: &str = "const canvas = new OffscreenCanvas(1, 1).getContext('2d'), bright = colour => {
       canvas.fillStyle = colour;
       canvas.fillRect(0, 0, 1, 1);
       const [r, g, b] = canvas.getImageData(0, 0, 1, 1).data;
       return (r + g + b) / 3;
     };
     let e = document.body;
     while (e && getComputedStyle(e).backgroundColor === 'rgba(0, 0, 0, 0)') e = e.parentElement;
     return [e ? bright(getComputedStyle(e).backgroundColor) : -1, bright(getComputedStyle(document.body).color), document.getElementById('theme').getAttribute('aria-pressed')]";

fn assert_theme(browser: &Browser, is_dark: bool, what: &str) {
    let colours = browser.evaluate(COLOURS, json!([]));
    let (ground, text) = (colours[0].as_f64().expect("a number"), colours[1].as_f64().expect("a number"));
    assert!(ground >= 0.0, "{what}: no background");
    assert_eq!(
        (ground < text, colours[2].as_str()),
        (is_dark, Some(if is_dark { "true" } else { "false" })),
        "{what}: {colours}"
    );
}

#[test]
fn the_theme_follows_the_user_and_the_button() {
    let Some(browser) = Browser::start() else { return };
    for theme in Theme::ALL {
        let is_dark = theme == Theme::Dark;
        browser.media("screen", theme);
        pages::open(&browser, pages::gateway_api(), "");
        browser.run("localStorage.clear()");
        pages::open(&browser, pages::gateway_api(), "");
        assert_theme(&browser, is_dark, "what the user prefers");
        browser.run("document.getElementById('theme').click()");
        assert_theme(&browser, !is_dark, "after a click");
        pages::open(&browser, pages::gateway_api(), "#/diff");
        assert_theme(&browser, !is_dark, "the page remembers the choice");
        browser.run("document.getElementById('theme').click()");
        assert_theme(&browser, is_dark, "after a second click");
    }
}

#[test]
fn printed_pages_have_all_fields() {
    let Some(browser) = Browser::start() else { return };
    // Paper is light, also for people who prefer dark.
    browser.media("print", Theme::Dark);
    pages::open(&browser, pages::gateway_api(), "#/httproutes.gateway.networking.k8s.io/v1?channel=experimental");
    let newest = releases().last().expect("a release").versions();
    let version = newest
        .iter()
        .find(|version| version.kind == "HTTPRoute" && version.channel == "experimental" && version.name == "v1");
    let fields = nodes(version.expect("HTTPRoute").schema).into_iter().filter(|node| node.is_field).count();
    let printed = browser.developer_tools("Page.printToPDF", json!({}));
    assert!(printed["data"].as_str().is_some_and(|data| data.len() > 100_000), "the PDF is short");
    let seen = browser.evaluate(
        "const bright = colour => colour.match(/[\\d.]+/g).slice(0, 3).reduce((sum, x) => sum + +x, 0);
         return [[...document.querySelectorAll('article.kind li.field')].filter(x => x.checkVisibility()).length, document.getElementById('search').checkVisibility(), bright(getComputedStyle(document.body).color) < 300]",
        json!([]),
    );
    assert_eq!(seen, json!([fields, false, true]));
}
