//! The view of clients: what broke controllers is found with its cause, by mouse, by keyboard and by address, on a narrow screen too.

use crd_browser::{Browser, Theme};
use fantoccini::key::Key;
use serde_json::{Value, json};

use crate::pages;

/// The title and the causes of the chosen cell.
fn chosen(browser: &Browser) -> Value {
    browser.evaluate(
        "const x = document.querySelector('.clients section'); return [x.querySelector('h2').innerText, ...[...x.querySelectorAll('li')].map(y => y.innerText)]",
        json!([]),
    )
}

/// Client, installed bundle, and a cause: the incidents of issues of agentgateway, istio and Envoy Gateway.
const INCIDENTS: [(&str, &str, &str); 4] = [
    ("v1.0.0", "v1.1.0", "GRPCRoute v1alpha2 is not served in standard since v1.1.0; served: v1"),
    ("v1.3.0", "v1.4.0", "BackendTLSPolicy v1alpha3 is not served in standard since v1.4.0; served: v1"),
    ("v1.4.1", "v1.5.0", "TLSRoute v1alpha3 is not served in standard since v1.5.0; served: v1"),
    ("v1.5.1", "v1.6.0", "TCPRoute v1alpha2 is not served in standard since v1.6.0; served: v1"),
];

#[test]
fn incidents_are_shown_with_their_causes() {
    let Some(browser) = pages::browser_at(pages::gateway_api, "#/") else { return };
    for (client, bundle, cause) in INCIDENTS {
        let address = format!("#/clients?client=experimental&installed=standard&built={client}&on={bundle}");
        pages::go(&browser, &address);
        let seen = chosen(&browser);
        assert_eq!(seen[0], json!(format!("Built for {client} experimental, on {bundle} standard: fails")));
        assert!(pages::texts(&seen).contains(&cause), "{seen}");
        // The same bundle in the channel of the client.
        pages::go(&browser, &address.replace("installed=standard", "installed=experimental"));
        assert!(!pages::texts(&chosen(&browser)).contains(&cause), "{client}");
    }
    assert_eq!(browser.messages(), []);
}

#[test]
fn cells_have_words_and_open_by_mouse_and_keyboard() {
    let Some(browser) = Browser::start() else { return };
    for (width, theme) in [(390, Theme::Dark), (1280, Theme::Light)] {
        browser.width(width);
        browser.media("screen", theme);
        pages::open(&browser, pages::gateway_api(), "#/clients?built=v1.4.1&on=v1.5.0");
        let cells = browser.evaluate(
            "const cells = [...document.querySelectorAll('.clients td')], R = site.data.releases.length;
             return [cells.length === R * R, [...new Set(cells.map(x => x.innerText.split(' ')[0]))].sort(), cells.filter(x => x.tabIndex === 0).length,
               [...new Set(cells.map(x => getComputedStyle(x).backgroundColor))].length]",
            json!([]),
        );
        assert_eq!(cells, json!([true, ["fails", "fields", "works"], 1, 3]), "{width} px");
        assert_eq!(pages::past_the_edge(&browser), json!(null), "{width} px");
        // One step to the right is the bundle before.
        browser.run("document.querySelector('.clients td[tabindex=\"0\"]').focus()");
        browser.press([char::from(Key::Right)]);
        browser.press([char::from(Key::Enter)]);
        browser.run("await new Promise(done => setTimeout(done, 50))");
        let title = |bundle: &str| json!(format!("Built for v1.4.1 standard, on {bundle} standard: works"));
        assert_eq!(chosen(&browser)[0], title("v1.4.1"), "{width} px");
        let state = "return [document.activeElement.getAttribute('aria-selected'), document.getElementById('status').innerText, location.hash]";
        let expected =
            json!(["true", title("v1.4.1"), "#/clients?client=standard&installed=standard&built=v1.4.1&on=v1.4.1"]);
        assert_eq!(browser.evaluate(state, json!([])), expected, "{width} px");
        browser.run("document.querySelector('.clients tbody tr').cells[1].click(); await new Promise(done => setTimeout(done, 50))");
        assert!(chosen(&browser)[0].as_str().is_some_and(|text| text.starts_with("Built for v1.7.0 ")), "{width} px");
    }
    assert_eq!(browser.messages(), []);
}
