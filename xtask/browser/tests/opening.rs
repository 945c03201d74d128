//! The page opens from a disk, without network, without errors and quickly.

use crd_browser::Browser;
use serde_json::{Value, json};

use crate::pages::{self, GO};

/// How long a page may take until it can be used, in milliseconds, with a processor that is slowed down four times.
const LIMIT: f64 = 1000.0;

/// Each view, with its address.
pub(crate) const VIEWS: [(&str, &str); 7] = [
    ("overview", "#/"),
    ("kind", "#/httproutes.gateway.networking.k8s.io/v1"),
    ("field", "#/httproutes.gateway.networking.k8s.io/v1/spec.rules[*].matches?channel=experimental"),
    ("both", "#/gateways.gateway.networking.k8s.io/v1/spec.listeners?channel=both"),
    ("versions", "#/diff?from=v1.4.1&to=v1.5.0&channel=both"),
    ("clients", "#/clients?client=experimental&installed=standard&built=v1.4.1&on=v1.5.0"),
    ("graduation", "#/graduation"),
];

#[test]
fn the_page_loads_nothing_and_reports_no_error_in_any_view() {
    let Some(browser) = pages::browser_at(pages::gateway_api, "") else { return };
    for (name, address) in VIEWS {
        pages::go(&browser, address);
        let shown = browser.evaluate("return document.getElementById('view').innerText", json!([]));
        assert!(shown.as_str().is_some_and(|text| text.len() > 100), "{name}: {shown}");
        assert!(
            browser.evaluate("return !!document.querySelector('.problem')", json!([])) == json!(false),
            "{name}: {shown}"
        );
    }
    assert_eq!(browser.messages(), []);
    let requests = browser.requests();
    assert!(requests.iter().all(|address| address.starts_with("file://")) && requests.len() == 1, "{requests:?}");
}

/// Milliseconds from the start of the navigation until the view is painted, in each of some loads. The first one also starts a process.
pub(crate) fn times_to_open(browser: &Browser, page: &std::path::Path, loads: usize) -> Vec<f64> {
    let script = "addEventListener('DOMContentLoaded', () => window.site?.ready.then(() =>
        requestAnimationFrame(() => setTimeout(() => { window.openedAfter = performance.now(); }))));";
    browser.developer_tools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": script }));
    let mut times = (0..loads)
        .map(|_| {
            browser.go("about:blank");
            browser.open(page, "");
            let body =
                "while (!window.openedAfter) await new Promise(done => setTimeout(done, 5)); return window.openedAfter";
            browser.evaluate(body, json!([])).as_f64().expect("a time")
        })
        .collect::<Vec<_>>();
    times.sort_by(f64::total_cmp);
    times
}

#[test]
fn the_page_can_be_used_within_a_second_on_a_slow_processor() {
    let Some(browser) = Browser::start() else { return };
    let page = pages::gateway_api();
    browser.slow_down(4);
    let times = times_to_open(&browser, page, 7);
    println!(
        "usable after {:.0} ms (median of {}, slowest {:.0} ms), slowed down 4 times",
        times[3],
        times.len(),
        times[6]
    );
    assert!(!crd_testdata::is_proof() || times[3] <= LIMIT, "{times:?}");
}

#[test]
fn back_and_forward_show_the_views_again() {
    let Some(browser) = pages::browser_at(pages::gateway_api, "#/") else { return };
    let title = || {
        browser.evaluate("await new Promise(done => setTimeout(done)); return [document.title, document.querySelector('#view h1').innerText]", json!([]))
    };
    let mut seen = vec![title()];
    for (_, address) in &VIEWS[1..] {
        pages::go(&browser, address);
        seen.push(title());
    }
    assert_ne!(seen[0], seen[1]);
    // A step of the history is an event: the title follows it.
    let waits_for = |expected: &Value| {
        let body = "for (let i = 0; i < 6000 && document.title !== args; i++) await new Promise(done => setTimeout(done, 10)); return document.title";
        assert_eq!(&browser.evaluate(body, expected[0].clone()), &expected[0]);
        assert_eq!(&title(), expected);
    };
    for expected in seen.iter().rev().skip(1) {
        browser.back();
        waits_for(expected);
    }
    for expected in &seen[1..] {
        browser.forward();
        waits_for(expected);
    }
}

#[test]
fn unknown_addresses_show_the_nearest_known_names() {
    let Some(browser) = pages::browser_at(pages::gateway_api, "") else { return };
    let addresses = [
        ("#/httproute.gateway.networking.k8s.io/v1", "httproutes.gateway.networking.k8s.io"),
        ("#/httproutes.gateway.networking.k8s.io/v7", "v1"),
        ("#/httproutes.gateway.networking.k8s.io/v1/spec.rule", "spec.rules"),
        ("#/httproutes.gateway.networking.k8s.io/v1?bundle=v1.6", "v1.6.1"),
        ("#/httproutes.gateway.networking.k8s.io/v1?channel=expermental", "experimental"),
        ("#/diff?from=v9&to=v1.6.1", ""),
        ("#/%E0%A4%A/%00", ""),
    ];
    let body =
        format!("{GO} await go(args); const x = document.querySelector('.problem'); return x ? x.innerText : null");
    for (address, hint) in addresses {
        let shown = browser.evaluate(&body, json!(address));
        assert!(shown.as_str().is_some_and(|text| text.contains(hint)), "{address}: {shown}");
    }
    assert_eq!(browser.messages(), []);
}
