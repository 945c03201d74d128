//! Accessibility: axe-core in all views, both themes, and wide and narrow; and narrow screens do not scroll sideways.

use crd_browser::{Browser, Theme};
use serde_json::json;

use crate::opening::VIEWS;
use crate::pages;

const WIDTHS: [u32; 3] = [360, 768, 1280];

/// Opens every row of a view, as the button does.
fn expand(browser: &Browser) {
    browser.run("document.querySelectorAll('main details').forEach(x => { x.open = true; }); await new Promise(done => setTimeout(done, 50));");
}

fn assert_accessible(browser: &Browser, what: &str) {
    let violations = browser.violations();
    let lines = violations
        .iter()
        .map(|violation| format!("{}: {}\n    {}", violation.rule, violation.help, violation.elements.join("\n    ")));
    assert!(violations.is_empty(), "{what}:\n{}", lines.collect::<Vec<_>>().join("\n"));
}

#[test]
fn axe_finds_no_violation_in_any_view_theme_and_width() {
    let Some(browser) = Browser::start() else { return };
    for theme in Theme::ALL {
        browser.media("screen", theme);
        for width in [360, 1280] {
            browser.width(width);
            for (name, address) in VIEWS {
                pages::open(&browser, pages::gateway_api(), address);
                assert_accessible(&browser, &format!("{name}, {}, {width} px", theme.name()));
            }
            // Search with results, and without.
            for query in ["route", "nothingofthiskind"] {
                browser.press(['/']);
                browser.press(query.chars());
                assert_accessible(&browser, &format!("search for {query}, {}, {width} px", theme.name()));
                browser.press(['\u{e00c}', '\u{e00c}']);
            }
            pages::go(&browser, "#/gatewayclasses.gateway.networking.k8s.io/v1?channel=both");
            expand(&browser);
            assert_accessible(&browser, &format!("all rows open, {}, {width} px", theme.name()));
            pages::go(&browser, "#/nothing/v1");
            assert_accessible(&browser, &format!("unknown address, {}, {width} px", theme.name()));
        }
    }
}

/// The page as a browser without JavaScript shows it. axe-core needs JavaScript, and Chromium hides `noscript` then.
#[test]
fn axe_finds_no_violation_without_javascript() {
    let Some(browser) = Browser::start() else { return };
    let html = std::fs::read_to_string(pages::gateway_api()).expect("the page");
    let (body, _) = html.rsplit_once("<script>").expect("the script");
    let page = pages::folder("without-javascript").join("index.html");
    let html = body.replace("<noscript>", "<div>").replace("</noscript>", "</div>");
    std::fs::write(&page, html).expect("the page is written");
    for theme in Theme::ALL {
        browser.media("screen", theme);
        browser.open(&page, "");
        assert_accessible(&browser, theme.name());
    }
}

#[test]
fn no_view_scrolls_sideways() {
    let Some(browser) = Browser::start() else { return };
    for width in WIDTHS {
        browser.width(width);
        for (name, address) in VIEWS {
            pages::open(&browser, pages::gateway_api(), address);
            for is_open in [false, true] {
                if is_open {
                    expand(&browser);
                }
                let wide = browser.evaluate(
                    "const wide = document.documentElement.scrollWidth;
                     if (wide <= innerWidth) return null;
                     const inside = x => { for (let p = x.parentElement; p; p = p.parentElement) if (getComputedStyle(p).overflowX !== 'visible') return true; return false; };
                     const past = [...document.querySelectorAll('body *')].filter(x => x.checkVisibility() && x.getBoundingClientRect().right > innerWidth + 1 && !inside(x));
                     return [wide, past.slice(0, 5).map(x => x.outerHTML.slice(0, 150))];",
                    json!([]),
                );
                assert!(wide.is_null(), "{name}, {width} px, rows open: {is_open}: {wide}");
            }
        }
    }
}
