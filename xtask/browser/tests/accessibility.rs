//! Accessibility: axe-core in all views, both themes, and wide and narrow; and narrow screens do not scroll sideways.

use crd_browser::{Browser, Theme};
use serde_json::json;

use crate::opening::VIEWS;
use crate::pages;

const WIDTHS: [u32; 3] = [360, 768, 1280];

/// What axe-core reads: each view, and what opens in it.
const CASES: [(&str, &str); 9] = [
    VIEWS[0],
    VIEWS[1],
    VIEWS[2],
    VIEWS[3],
    VIEWS[4],
    ("all rows open", "#/gatewayclasses.gateway.networking.k8s.io/v1?channel=both"),
    ("results", "#/"),
    ("no results", "#/gatewayclasses.gateway.networking.k8s.io/v1"),
    ("unknown address", "#/nothing/v1"),
];

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
                    assert_accessible(&browser, &format!("{name}, {}, {width} px", theme.name()));
                }
            }
        }
    }
}

#[test]
fn axe_finds_no_violation_without_javascript() {
    let Some(browser) = Browser::start() else { return };
    for width in [360, 1280] {
        browser.width(width);
        for theme in Theme::ALL {
            if crd_testdata::is_proof() || (theme == Theme::Dark) == (width == 1280) {
                browser.without_javascript();
                browser.media("screen", theme);
                browser.open(pages::gateway_api(), "");
                assert_accessible(&browser, &format!("without JavaScript, {}, {width} px", theme.name()));
            }
        }
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
                    pages::open_rows(&browser, 1);
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
