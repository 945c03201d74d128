//! Accessibility: axe-core in all views, both themes, and wide and narrow; and narrow screens do not scroll sideways.

use crd_browser::{Browser, Theme, Violation};
use serde_json::json;

use crate::opening::VIEWS;
use crate::pages;

const WIDTHS: [u32; 3] = [360, 768, 1280];

/// What axe-core reads: each view, and what opens in it.
const CASES: [(&str, &str); 10] = [
    VIEWS[0],
    VIEWS[1],
    VIEWS[2],
    VIEWS[3],
    VIEWS[4],
    VIEWS[5],
    ("all rows open", "#/gatewayclasses.gateway.networking.k8s.io/v1?channel=both"),
    ("results", "#/"),
    ("no results", "#/gatewayclasses.gateway.networking.k8s.io/v1"),
    ("unknown address", "#/nothing/v1"),
];

/// What axe-core finds in a page, one text for each rule.
fn violations(browser: &Browser, what: &str) -> Vec<String> {
    let violations = browser.violations().into_iter();
    let text = |violation: Violation| {
        format!("{what}: {}: {}\n    {}", violation.rule, violation.help, violation.elements.join("\n    "))
    };
    violations.map(text).collect()
}

#[test]
fn axe_finds_no_violation_in_any_view_theme_and_width() {
    let Some(browser) = Browser::start() else { return };
    let mut found = Vec::new();
    for (index, (name, address)) in CASES.into_iter().enumerate() {
        for width in [360, 1280] {
            browser.width(width);
            pages::open(&browser, pages::gateway_api(), address);
            match name {
                "all rows open" => pages::open_rows(&browser, 1),
                "results" => browser.press("/route".chars()),
                "no results" => browser.press("/nothingofthiskind".chars()),
                _ => {}
            }
            for theme in Theme::ALL {
                // A sample has each view in one theme when it is narrow, and in the other one when it is wide.
                let is_narrow_in_dark = index.is_multiple_of(2);
                if crd_testdata::is_proof() || (theme == Theme::Dark) == (is_narrow_in_dark == (width == 360)) {
                    browser.media("screen", theme);
                    found.extend(violations(&browser, &format!("{name}, {}, {width} px", theme.name())));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn axe_finds_no_violation_without_javascript() {
    let Some(browser) = Browser::start() else { return };
    let mut found = Vec::new();
    for width in [360, 1280] {
        browser.width(width);
        for theme in Theme::ALL {
            if crd_testdata::is_proof() || (theme == Theme::Dark) == (width == 1280) {
                browser.without_javascript();
                browser.media("screen", theme);
                browser.open(pages::gateway_api(), "");
                if crd_testdata::is_proof() {
                    browser.run("document.querySelectorAll('details').forEach(x => { x.open = true; })");
                }
                assert_eq!(pages::past_the_edge(&browser), json!(null), "{width} px");
                found.extend(violations(&browser, &format!("without JavaScript, {}, {width} px", theme.name())));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
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
                    pages::open_rows(&browser, 1);
                }
                let wide = pages::past_the_edge(&browser);
                assert!(wide.is_null(), "{name}, {width} px, rows open: {is_open}: {wide}");
            }
        }
    }
}
