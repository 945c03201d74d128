//! Everything works with the keyboard.

use crd_browser::Browser;
use fantoccini::key::Key;
use serde_json::json;

use crate::opening::VIEWS;
use crate::pages;

fn press(browser: &Browser, key: Key) {
    browser.press([char::from(key)]);
}

#[test]
fn search_opens_moves_and_closes_with_keys() {
    let Some(browser) = pages::browser_at(pages::gateway_api, "#/") else { return };
    let state = || {
        browser.evaluate(
            "const input = document.getElementById('search'), active = input.getAttribute('aria-activedescendant');
             return [document.activeElement === input, input.getAttribute('aria-expanded'), active ? [...document.getElementById(active).parentNode.children].indexOf(document.getElementById(active)) : null]",
            json!([]),
        )
    };
    browser.press(['/']);
    assert_eq!(state(), json!([true, "false", null]));
    browser.press("gateway".chars());
    assert_eq!(state(), json!([true, "true", 0]));
    press(&browser, Key::Down);
    press(&browser, Key::Down);
    assert_eq!(state(), json!([true, "true", 2]));
    press(&browser, Key::Up);
    assert_eq!(state(), json!([true, "true", 1]));
    press(&browser, Key::Escape);
    assert_eq!(state(), json!([true, "false", null]));
    press(&browser, Key::Escape);
    assert_eq!(state()[0], json!(false));
    // A slash in the box is text.
    browser.press("/a/b".chars());
    assert_eq!(browser.evaluate("return document.getElementById('search').value", json!([])), json!("a/b"));
}

#[test]
fn arrows_move_between_rows_and_open_them() {
    let Some(browser) = pages::browser_at(pages::gateway_api, "#/gateways.gateway.networking.k8s.io/v1/spec") else {
        return;
    };
    let focused = || {
        browser.evaluate("const x = document.activeElement; return x.matches('summary.row') ? [x.querySelector('.name').textContent, x.parentNode.open] : x.outerHTML.slice(0, 100)", json!([]))
    };
    // The letters of an event of opening come later than the key.
    let settled = || browser.run("await new Promise(done => setTimeout(done, 50))");
    settled();
    assert_eq!(focused(), json!(["spec", true]));
    press(&browser, Key::Down);
    assert_eq!(focused(), json!(["addresses", false]));
    press(&browser, Key::Right);
    settled();
    assert_eq!(focused(), json!(["addresses", true]));
    press(&browser, Key::Right);
    assert_eq!(focused(), json!(["type", false]));
    press(&browser, Key::Up);
    assert_eq!(focused(), json!(["addresses", true]));
    press(&browser, Key::Left);
    settled();
    assert_eq!(focused(), json!(["addresses", false]));
    press(&browser, Key::Left);
    assert_eq!(focused(), json!(["spec", true]));
}

#[test]
fn tab_reaches_everything_and_the_focus_is_visible() {
    let Some(browser) = pages::browser_at(pages::gateway_api, "") else { return };
    for (name, address) in VIEWS {
        pages::open(&browser, pages::gateway_api(), address);
        let count = browser.evaluate(
            "window.scrollTo(0, 0);
             document.activeElement.blur();
             window.getSelection().removeAllRanges();
             window.reached = new Set();
             window.unseen = [];
             addEventListener('focusin', ({ target }) => {
               window.reached.add(target);
               const style = getComputedStyle(target);
               if ((style.outlineStyle === 'none' || parseFloat(style.outlineWidth) === 0) && style.boxShadow === 'none') window.unseen.push(target.outerHTML.slice(0, 120));
             });
             window.all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex=\"0\"]')]
               .filter(x => x.checkVisibility({ visibilityProperty: true }) && !x.disabled && !(x.type === 'radio' && !x.checked));
             return window.all.length",
            json!([]),
        );
        let count = usize::try_from(count.as_u64().expect("a number")).expect("a number");
        assert!(count > 10, "{name}: {count}");
        // Regions that scroll are reached too, so there are more steps than elements.
        let mut missing = json!(null);
        for _ in 0..6 {
            browser.press(std::iter::repeat_n(char::from(Key::Tab), count / 3 + 10));
            missing = browser.evaluate(
                "return window.all.filter(x => !window.reached.has(x)).map(x => x.outerHTML.slice(0, 120))",
                json!([]),
            );
            if missing == json!([]) {
                break;
            }
        }
        assert_eq!(missing, json!([]), "{name}: of {count}");
        assert_eq!(browser.evaluate("return [...new Set(window.unseen)].slice(0, 10)", json!([])), json!([]), "{name}");
    }
}

#[test]
fn the_first_stop_skips_to_the_content() {
    let Some(browser) = pages::browser_at(pages::gateway_api, "#/") else { return };
    press(&browser, Key::Tab);
    assert_eq!(browser.evaluate("return document.activeElement.className", json!([])), json!("skip"));
    press(&browser, Key::Enter);
    assert_eq!(browser.evaluate("return [document.activeElement.id, location.hash]", json!([])), json!(["main", "#/"]));
}
